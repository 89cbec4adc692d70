"""DataFrames: missing values, indices, and columns and rows with a MultiIndex."""

import json

import numpy as np
import pytest

import signet
from signet.types import StructuredType, TensorType
from signet.wire.convert import Conversion

pandas = pytest.importorskip("pandas")
pytest.importorskip("signet._core")


def identity_of(type_):
    @signet.function(signature=f"(t: {type_})")
    def same(t):
        return t

    return same


@signet.function
def any_type(t):
    return t


RECORDS = [{"id": "A", "tax": 0.5, "coupon": 5.0}, {"id": "B"}, {"id": "C", "tax": None, "coupon": None}]
ORDERS = identity_of("[{id: string[], tax: float32[] = 0.25, coupon?: float32[]}]")
NAN = np.nan


def frames_with_missing_values():
    frame = pandas.DataFrame(RECORDS)
    nullable = frame.convert_dtypes()
    return [frame, frame.astype({"tax": np.float32}), frame.astype(object), frame.astype(object).where(frame.notna(), None), nullable,
            nullable.astype({"tax": "Float32"}), frame.assign(tax=frame.tax.astype("category")),
            frame.assign(coupon=frame.coupon.astype(pandas.SparseDtype(float)))]


@pytest.mark.parametrize("number", range(8))
def test_missing_values_are_missing_in_columns_of_every_dtype(number):
    frame = frames_with_missing_values()[number]
    wanted = ORDERS(RECORDS).to_py()
    assert wanted == [{"id": "A", "tax": 0.5, "coupon": 5.0}, {"id": "B", "tax": 0.25, "coupon": None}, {"id": "C", "tax": 0.25, "coupon": None}]
    assert ORDERS(frame).to_py() == wanted
    assert ORDERS.bulk(frame).tax.tolist() == [0.5, 0.25, 0.25]
    assert ORDERS.bulk(frame, rows_per_call=1).coupon.tolist() == [5.0, None, None]
    assert ORDERS({name: frame[name] for name in frame}).to_py() == wanted  # Series in a dict
    assert any_type(frame).to_py() == [{"id": "A", "tax": [0.5], "coupon": [5.0]}, {"id": "B", "tax": [], "coupon": []}, {"id": "C", "tax": [], "coupon": []}]
    assert signet.from_py(frame).to_py() == any_type(frame).to_py()
    assert signet.from_py(frame, "[{id: string[], tax: float32[] = 0.25, coupon?: float32[]}]").to_py() == wanted


@pytest.mark.parametrize("type_, values, default, wanted", [
    ("float64", [1.5, NAN], "2", [1.5, 2.0]), ("bfloat16", [1.5, None], "2", [1.5, 2.0]), ("int32", [1, None], "7", [1, 7]),
    ("uint8", pandas.array([1, None], "UInt8"), "7", [1, 7]), ("string", ["a", NAN], '"x"', ["a", "x"]), ("string", ["a", pandas.NA], '"x"', ["a", "x"]),
    ("bool", [True, None], "True", [True, True]), ("bool", pandas.array([False, None], "boolean"), "True", [False, True]),
    ("int64", pandas.to_datetime(["1970-01-01", None]), "5", [0, 5]), ("float32", pandas.array([1, None], "Int64"), "2", [1.0, 2.0]),
    ("int64", [2**60, None], "1", [2**60, 1])])
def test_defaults_and_optional_fields_of_every_dtype(type_, values, default, wanted):
    frame = pandas.DataFrame({"x": values})
    with_default = identity_of(f"[{{x: {type_}[] = {default}}}]")
    assert with_default(frame).x.tolist() == wanted and with_default(frame.assign(y=1)).x.tolist() == wanted
    assert identity_of(f"[{{x?: {type_}[]}}]")(frame).to_py() == [{"x": wanted[0]}, {"x": None}]
    assert identity_of(f"ragged {type_}[?, (?)]")(frame.x).to_py() == [wanted[:1], []]
    assert identity_of(f"({type_}[?] = {default})")(frame.x).tolist() == wanted
    with pytest.raises(signet.TypeMismatch, match="argument `t.x`: expected .*, found 1 missing value; the first is in row 1"):
        identity_of(f"[{{x: {type_}[]}}]")(frame)
    with pytest.raises(signet.TypeMismatch, match="missing value|null"):
        identity_of(f"{type_}[?]")(frame.x)


def test_missing_values_of_matrices():
    frame = pandas.DataFrame({"a": [1.0, NAN], "b": [3, 4]})
    assert identity_of("(float32[?, ?] = 9)")(frame).tolist() == [[1, 3], [9, 4]]
    assert identity_of("(float32[?, 2] = 9)")(frame.convert_dtypes()).tolist() == [[1, 3], [9, 4]]
    with pytest.raises(signet.TypeMismatch, match="expected float32, found 1 missing value; the first is in row 1, column `a`.*nan=.value."):
        identity_of("float32[?, ?]")(frame)
    assert np.isnan(identity_of("float32[?, ?]").with_options(nan="value")(frame)[1, 0])


def test_nan_is_a_value_if_this_is_stated():
    frame = pandas.DataFrame({"id": ["a", "b"], "tax": [0.5, NAN], "coupon": [NAN, 1.0]})
    kept = ORDERS.with_options(nan="value")
    for result in (kept(frame), kept({name: frame[name] for name in frame})):
        assert np.isnan(result.to_py()[1]["tax"]) and np.isnan(result.to_py()[0]["coupon"])
    assert np.isnan(kept.bulk(frame).tax[1])
    assert kept(frame.assign(tax=pandas.array([0.5, None], "Float64"))).tax.tolist() == [0.5, 0.25]  # NA is missing
    assert kept(frame.assign(tax=pandas.Series([0.5, None], dtype=object))).tax.tolist() == [0.5, 0.25]
    assert np.isnan(any_type.with_options(nan="value")(frame).tax[1]) and np.isnan(signet.from_py(frame, nan="value").tax[1])
    assert identity_of("[{n: int64[] = 3}]").with_options(nan="value")(pandas.DataFrame({"n": [1, NAN]})).n.tolist() == [1, 3]
    assert np.isnan(identity_of("float32[?]").with_options(nan="value")(pandas.Series([NAN, 1]))[0])
    with pytest.raises(ValueError, match="nan: expected one of 'missing', 'value', found 'keep'"):
        ORDERS.with_options(nan="keep")
    # Arrays and lists have no missing values.
    assert np.isnan(ORDERS({"id": np.array(["a"], object), "tax": np.array([NAN])}).tax[0])


def test_no_values_have_any_dtype():
    for type_ in ("bool", "string", "int64", "float32", "complex64"):
        frame = pandas.DataFrame({"c": []})
        assert identity_of(f"[{{c: {type_}[]}}]")(frame).nrows == 0 and len(identity_of(f"{type_}[?]")(frame.c)) == 0
        assert identity_of(f"[{{c?: {type_}[]}}]")(frame).nrows == 0 and identity_of(f"[{{c: {type_}[(?)]}}]")(frame).nrows == 0


def test_columns_with_levels_are_records_in_records():
    frame = pandas.DataFrame([[1.0, 2.0, 3.0, 7]], columns=pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x"), ("c", "")]))
    nested = identity_of("[{a: {x: float32[], y: float32[] = 9}, b: {x: float32[]}, c: int32[]}]")
    wanted = [{"a": {"x": 1.0, "y": 2.0}, "b": {"x": 3.0}, "c": 7}]
    assert nested(frame).to_py() == wanted and any_type(frame).to_py() == wanted and signet.from_py(frame).to_py() == wanted
    assert nested(frame.mask(frame == 2)).to_py() == [{"a": {"x": 1.0, "y": 9.0}, "b": {"x": 3.0}, "c": 7}]
    optional = identity_of("[{a: {x: float32[], y?: float32[]}, b: {x: float32[]}}]")
    assert optional(frame.mask(frame == 2)).to_py()[0]["a"] == {"x": 1.0, "y": None}
    assert nested.bulk(frame).columns.tolist() == [("a", "x"), ("a", "y"), ("b", "x"), ("c", "")]
    deep = pandas.DataFrame([[1, 2]], columns=pandas.MultiIndex.from_tuples([("a", "b", "x"), ("a", "c", "y")]))
    assert any_type(deep).to_py() == [{"a": {"b": {"x": 1}, "c": {"y": 2}}}]
    for result in (nested(frame), nested(frame.iloc[:0])):  # both forms of DataFrames go back
        for form in ("names", "levels"):
            assert nested(result.to_pandas(columns=form)).equals(result)
    with pytest.raises(signet.TypeMismatch, match="argument `t.a`: expected a column of `float32.1.`, found columns of records|expected a column of"):
        identity_of("[{a: float32[]}]")(frame)


def test_dicts_of_columns_in_columns():
    nested = identity_of("[{a: {x: float32[], y?: float32[]}, b: {x: float32[]}}]")
    wanted = [{"a": {"x": 1.0, "y": None}, "b": {"x": 3.0}}]
    for column in ([1.0], np.float32([1]), pandas.Series([1.0])):
        assert nested({"a": {"x": column}, "b": {"x": [3.0]}}).to_py() == wanted
    with pytest.raises(signet.InvalidArgument, match="field `b`: expected 2 rows|field `b` has 1 rows"):
        nested({"a": {"x": [1.0, 2.0]}, "b": {"x": [3.0]}})


def test_rows_with_levels_are_lists_of_records():
    frame = pandas.DataFrame({"v": [1.0, 2.0, 3.0]}, index=pandas.MultiIndex.from_tuples([("a", 1), ("b", 1), ("a", 2)], names=["user", None]))
    lists = identity_of("[[{v: float32[]}]]")
    wanted = [[{"v": 1.0}, {"v": 3.0}], [{"v": 2.0}]]
    assert lists(frame).to_py() == wanted
    assert any_type(frame).to_py() == [[{"v": 1.0, "user": "a"}, {"v": 3.0, "user": "a"}], [{"v": 2.0, "user": "b"}]]
    assert signet.from_py(frame, "[[{v: float32[]}]]").to_py() == wanted
    assert identity_of('[[{user: string[], v: float32[] = 7}]]')(frame.where(frame.v != 2)).to_py() == [
        [{"user": "a", "v": 1.0}, {"user": "a", "v": 3.0}], [{"user": "b", "v": 7.0}]]
    assert identity_of("[[{v?: float32[], w: float32[(?)]}]]")(frame.where(frame.v != 2).assign(w=[[1], [], [2, 3]])).to_py() == [
        [{"v": 1.0, "w": [1]}, {"v": 3.0, "w": [2, 3]}], [{"v": None, "w": []}]]
    three = pandas.DataFrame({"v": range(4)}, index=pandas.MultiIndex.from_tuples([(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)]))
    assert identity_of("[[[{v: int32[]}]]]")(three).to_py() == [[[{"v": 0}, {"v": 3}], [{"v": 2}]], [[{"v": 1}]]]
    assert lists(frame.iloc[:0]).to_py() == []
    for value in (lists(frame), any_type(three)):
        assert any_type(value.to_pandas()).equals(value)
    for type_, given, message in (("[{v: float32[]}]", frame, r"rows with a MultiIndex of 2 levels; `reset_index\(\)` makes columns of it"),
                                  ("[[{v: float32[]}]]", frame.reset_index(), "rows of one level; `set_index`"),
                                  ("[[{v: float32[]}]]", three, "a MultiIndex of 3 levels")):
        with pytest.raises(signet.TypeMismatch, match=message):
            identity_of(type_)(given)


def test_bulk_of_rows_with_levels():
    frame = pandas.DataFrame({"v": range(7)}, index=pandas.MultiIndex.from_tuples([(i % 3, i) for i in range(7)], names=["key", "at"]))

    @signet.function
    def totals(t: "[[{v: float32[]}]]") -> "[{total: float32[]}]":
        return signet.ops.struct_make(total=signet.ops.reduce_sum(t.v, axes=1))

    for size in (None, 1, 2):
        total = totals.bulk(frame, rows_per_call=size)
        assert total.total.tolist() == [9, 5, 7] and total.index.tolist() == [0, 1, 2] and total.index.name == "key"
        back = identity_of("[[{v: float32[]}]]").bulk(frame, rows_per_call=size)
        assert back.v.tolist() == [0, 3, 6, 1, 4, 2, 5] and back.index.tolist()[:2] == [(0, 0), (0, 3)] and back.index.names == ["key", "at"]


def test_a_named_index_is_a_field():
    named = pandas.DataFrame({"v": [1.0, 2.0]}, index=pandas.Index([10, 20], name="id"))
    assert identity_of("[{id: int64[], v: float32[]}]")(named).to_py() == [{"id": 10, "v": 1.0}, {"id": 20, "v": 2.0}]
    assert any_type(named).to_py() == [{"v": 1.0, "id": 10}, {"v": 2.0, "id": 20}]
    assert any_type(named.rename_axis(None)).to_py() == [{"v": 1.0}, {"v": 2.0}]
    assert any_type(named.assign(id=[1, 2])).to_py() == [{"v": 1.0, "id": 1}, {"v": 2.0, "id": 2}]


def test_strict_calls_reject_what_a_type_does_not_have():
    @signet.function
    def f(orders: "[{id: string[], coupon?: float32[], home?: {city: string[]}}]"):
        return orders

    strict = f.with_options(strict=True)
    frame = pandas.DataFrame({"id": ["a"], "coupn": [5.0]})
    right = [{"id": "a", "coupon": 5.0}]
    for given in ([{"id": "a", "coupn": 5.0}], frame, {"id": np.array(["a"], object), "coupn": np.array([5.0])}, {"id": ["a"], "coupn": [5.0]},
                  signet.Structured({"id": ["a"], "coupn": [5.0]}), signet.json('[{"id": "a", "coupn": 5}]'), signet.json_lines('{"id": "a", "coupn": 5}'),
                  frame.to_records(index=False)):
        assert f(given).id.tolist() == ["a"]
        with pytest.raises(signet.InvalidArgument, match="coupn"):
            strict(given)
    for given in (right, pandas.DataFrame(right), pandas.DataFrame(right).set_index("id")):
        assert strict(given).id.tolist() == ["a"]
    with pytest.raises(signet.InvalidArgument, match="coupn"):
        strict.bulk(frame)
    with pytest.raises(signet.InvalidArgument, match="town"):
        strict([{"id": "a", "home": {"city": "x", "town": "y"}}])
    with pytest.raises(signet.BindingError):
        strict(right, more=1)


def test_a_frame_fills_parameters_of_columns():
    @signet.function
    def main(sex: "string[?, 1]", age: "(float32[?, 1] = nan)", fare: "float32[?]", scale: "float32[]" = 2):
        return signet.ops.struct_make(sex=sex[:, 0], age=age[:, 0], fare=fare * scale)

    frame = pandas.DataFrame({"age": [1.0, NAN], "sex": ["m", "f"], "fare": [3, 4], "more": [0, 0]}, index=["x", "y"])
    found = main(frame).to_py()
    assert found[0] == {"sex": "m", "age": 1.0, "fare": 6.0} and found[1]["fare"] == 8 and np.isnan(found[1]["age"])
    assert [each["fare"] for each in main(frame, scale=3).to_py()] == [9, 12]
    assert [each["fare"] for each in main(frame.drop(columns="fare"), fare=[1, 2]).to_py()] == [2, 4]
    for size in (None, 1):
        kept = main.bulk(frame, rows_per_call=size, scale=np.float32(1))
        assert kept.fare.tolist() == [3, 4] and list(kept.index) == ["x", "y"]
    assert main.bulk([{"sex": "m", "fare": 3}, {"sex": "f", "age": 5, "fare": 4}]).age.tolist()[1] == 5
    assert main(frame.drop(columns="age")).nrows == 2
    with pytest.raises(signet.InvalidArgument, match="no column `sex`; columns: `age`, `fare`, `more`, `sexx`; the nearest is `sexx`"):
        main(frame.rename(columns={"sex": "sexx"}))
    with pytest.raises(signet.BindingError, match="no argument for `age`"):
        main(pandas.DataFrame({"other": [1]}))
    with pytest.raises(signet.TypeMismatch, match="`fare`: expected float32, found 1 missing value"):
        main(frame.assign(fare=[1, NAN]))


def test_frames_within_values():
    type_ = StructuredType((None,), {"a": TensorType("float32", (None,), 7, True)})
    text = Conversion().argument([{"a": pandas.Series([1.0, NAN])}], StructuredType((None,), {}), "x").to_bytes()
    assert json.loads(text[text.index(b"["):]) == [{"a": [1.0, None]}]
    assert Conversion().argument(pandas.DataFrame({"a": [NAN]}), type_, "x").size
