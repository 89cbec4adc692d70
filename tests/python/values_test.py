"""What is sent comes back: every kind of value, through a function that returns its argument."""

import collections
import enum
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import signet
from signet.values.arrays import same

RELAXED = settings(max_examples=170, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_tensors_have_the_dtype_of_the_parameter(values):
    for given_array in (np.float64([1.5, 2]), np.int64([1, 2]), [1, 2], np.float32([1, 2])):
        result = values.floats(given_array)
        assert result.dtype == np.float32 and result.shape == (2,)
    assert values.halves(np.float32([1.00390625, -2])).tolist() == [1.0, -2.0]
    assert values.complexes(np.float32([1, 2])).dtype == np.complex64
    assert values.complexes([1 + 2j, 3]).tolist() == [1 + 2j, 3]
    assert values.longs(np.uint8([255])).tolist() == [255]


def test_strides_byte_orders_and_sizes_of_arrays(values):
    square = np.arange(6, dtype=np.float32).reshape(2, 3)
    for array in (square.T, square[:, ::2], square.astype(">f4"), square[:0], np.asfortranarray(square)):
        assert np.array_equal(values.matrix(array), array)
    assert values.number(np.array(2.5)) == np.float32(2.5)
    assert values.number(np.float64(2.5)).dtype == np.float32


def test_what_arrays_are_not_converted(values):
    cases = [(values.ints, np.float64([1.5]), "DTYPE_MISMATCH"), (values.floats, np.array([True]), "DTYPE_MISMATCH"),
             (values.bools, np.array([1]), "DTYPE_MISMATCH"), (values.floats, np.float64([1e300]), "OUT_OF_RANGE"),
             (values.bytes, np.array([300]), "OUT_OF_RANGE"), (values.bytes, np.array([-1]), "OUT_OF_RANGE"),
             (values.floats, np.array(["a"]), "DTYPE_MISMATCH"), (values.texts, np.array([1]), "DTYPE_MISMATCH")]
    for function, array, reason in cases:
        with pytest.raises(signet.InvalidArgument) as caught:
            function(array)
        assert caught.value.reason == reason, (function, array)
        assert caught.value.field == "x"
    with pytest.raises(signet.TypeMismatch):  # the server says so
        values.floats.with_options(exact=True)(np.float64([1]))
    with pytest.raises(signet.InvalidArgument) as caught:
        values.integer(2**70)
    assert caught.value.reason == "OUT_OF_RANGE"


def test_object_arrays_of_numbers_are_read_as_lists_are(values):
    for given in (np.array([1, 2.5], object), np.array([np.float32(1), np.float64(2.5)], object)):
        assert values.floats(given).tolist() == [1, 2.5]
    assert values.integer(np.array(3, object)) == 3
    for function, rows, reason in ((values.floats, [1, True], "DTYPE_MISMATCH"), (values.ints, [1, 2**40], "OUT_OF_RANGE"),
                                   (values.longs, [2**70], "OUT_OF_RANGE"), (values.floats, [1, None], "NOT_CONVERTIBLE")):
        with pytest.raises(signet.InvalidArgument) as caught:
            function(np.array(rows, object))
        assert caught.value.reason == reason and "texts" not in str(caught.value)
    for columns in ({"a": [2**70]}, {"a": [2**63, -1]}):
        with pytest.raises(signet.InvalidArgument, match="expected a number that int32 can hold, found") as caught:
            values.nested(signet.Structured({"a": np.array(columns["a"], object), "tags": [[]] * len(columns["a"])}))
        assert caught.value.reason == "OUT_OF_RANGE"
    with pytest.raises(signet.TypeMismatch, match="expected values, found 1 missing value; the first is in row 1"):
        values.anything(np.array([1, None], object))


def test_frames_are_matrices_for_tensors(values):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "b c": [3.5, 4.0]})
    assert values.matrix(frame).tolist() == [[1, 3.5], [2, 4]] and values.matrix(frame[:0]).shape == (0, 2)
    assert values.lists(frame).to_py() == [[1, 3.5], [2, 4]]


def test_arrays_without_elements_have_any_dtype(values):
    none = np.zeros(0, object)
    assert values.floats(none).dtype == np.float32 and values.halves(none).shape == (0,)
    assert values.matrix(np.zeros((0, 2), object)).shape == (0, 2)
    assert values.lists(none).to_py() == values.lists(np.zeros(0)).to_py() == values.words(none).to_py() == []


def test_integers_of_other_classes(values):
    class Level(enum.IntEnum):
        LOW = 1

    assert values.ints([Level.LOW, 2]).tolist() == [1, 2] and values.integer(Level.LOW) == 1
    assert values.one({"a": Level.LOW, "b": "x"}).to_py() == {"a": 1, "b": "x"}


def test_dates(values):
    day, nanoseconds = np.datetime64("2020-01-01"), 1577836800 * 10**9
    for given in (np.array([day]), [day], np.array([day], "M8[s]")):
        assert values.longs(given).tolist() == [nanoseconds]
    for function, given, reason in ((values.floats, np.array([day]), "DTYPE_MISMATCH"), (values.longs, np.array([day, "NaT"], "M8[D]"), "NOT_CONVERTIBLE"),
                                    (values.longs, [np.datetime64("NaT")], "NOT_CONVERTIBLE"), (values.longs, np.array(["3000-01-01"], "M8[D]"), "OUT_OF_RANGE"),
                                    (values.longs, [np.datetime64("3000-01-01")], "OUT_OF_RANGE")):
        with pytest.raises(signet.InvalidArgument) as caught:
            function(given)
        assert caught.value.reason == reason, given


def test_rows_of_matrices(values):
    assert values.deep([np.ones((2, 2), int), np.ones((1, 3), int), np.zeros((0, 0), int)]).to_py() == [[[1, 1], [1, 1]], [[1, 1, 1]], []]


def test_texts(values):
    for text in ("", "abc", "\0 at the end\0", "😀é", "\udcff\udc80"):
        assert values.text(text) == text
        assert values.texts([text, "x"]).tolist() == [text, "x"]
        assert values.texts(np.array([text, "x"], object)).tolist() == [text, "x"]
    assert values.text(b"\xff") == "\udcff"
    assert values.text.with_options(text="bytes")("a") == b"a"
    assert values.texts(np.array(["a", "bc"])).tolist() == ["a", "bc"]
    with pytest.raises(signet.InvalidArgument):
        values.texts(["\ud800"])
    with pytest.raises(signet.InvalidArgument, match="2 missing values; the first is in row 1"):
        values.texts(np.array(["a", None, None], object))


def test_lists_of_different_lengths(values):
    expected = [[1.0, 2.0], [], [3.0]]
    for rows in ([[1, 2], [], [3]], [np.float32([1, 2]), np.float32([]), np.float32([3])], signet.Ragged([1, 2, 3], [0, 2, 2, 3]),
                 np.array([np.array([1, 2]), np.array([]), np.array([3])], object), [np.array([1, 2]), [], np.array([3])]):
        result = values.lists(rows)
        assert isinstance(result, signet.Ragged) and result.to_py() == expected
        assert result.dtype == np.float32 and result.row_lengths().tolist() == [2, 0, 1]
    assert values.lists(np.float32([[1, 2], [3, 4]])).to_py() == [[1, 2], [3, 4]]
    assert values.words([["a"], []]).to_py() == [["a"], []]
    assert values.deep([[[1], []], [], [[2, 3]]]).to_py() == [[[1], []], [], [[2, 3]]]
    assert values.deep(signet.Ragged(signet.Ragged([1, 2], [0, 1, 2]), [0, 2])).to_py() == [[[1], [2]]]
    with pytest.raises(signet.InvalidArgument):
        values.matrix([[1, 2], [3]])
    for splits, message in (([0, 3, 2], "never decrease"), ([1, 2], "begins with 0"), ([0, 1], "expected the last one to be 2")):
        with pytest.raises(ValueError, match=message):
            signet.Ragged([1, 2], splits)


def test_rows_of_ragged_values():
    x = signet.Ragged.from_row_lengths(np.arange(6), [2, 0, 3, 1])
    assert x[2].tolist() == [2, 3, 4] and x[-1].tolist() == [5] and [len(row) for row in x] == [2, 0, 3, 1]
    assert x[1:3].to_py() == [[], [2, 3, 4]] and x[::2].to_py() == [[0, 1], [2, 3, 4]]
    assert x.row_ids().tolist() == [0, 0, 2, 2, 2, 3]
    assert signet.Ragged.from_row_ids([7, 8], [1, 1], nrows=3).to_py() == [[], [7, 8], []]
    assert x.to_tensor(-1).tolist() == [[0, 1, -1], [-1, -1, -1], [2, 3, 4], [5, -1, -1]]
    with pytest.raises(TypeError, match="to_tensor"):
        np.asarray(x)
    with pytest.raises(IndexError):
        x[4]
    assert pickle.loads(pickle.dumps(x)).equals(x)


def test_rows_of_rows_of_ragged_values():
    x = signet.Ragged(signet.Ragged(signet.Ragged([1, 2, 3, 4, 5, 6], [0, 1, 3, 6]), [0, 2, 2, 3]), [0, 1, 3])
    assert x.to_py() == [[[[1], [2, 3]]], [[], [[4, 5, 6]]]]
    assert x[::-1].to_py() == x.to_py()[::-1] and x[::2].to_py() == x.to_py()[::2]
    assert signet.Ragged([1, 2], np.int32([0, 1, 2]))[::-1].splits_dtype == np.int32
    assert signet.Ragged(["a", "b"], [0, 0, 2]).to_tensor().tolist() == [["", ""], ["a", "b"]]


@pytest.mark.parametrize("make, error, message", [
    (lambda: signet.Ragged([1, 2], [0, 1, 2])[0.5], TypeError, "expected an integer or a slice as the index of a row, found float"),
    (lambda: signet.Structured({"a": [1, 2]})[[0, 1]], TypeError, "expected an integer or a slice as the index of a record, found list"),
    (lambda: signet.Ragged.from_row_ids([7, 8], [0, 2], nrows=2), ValueError, "nrows: expected at least 3, because the last of row_ids is 2, found 2"),
    (lambda: signet.Ragged.from_row_lengths([7], [1.5]), TypeError, "Cannot cast"),
    (lambda: signet.Ragged.from_rows([[1], None]), TypeError, "row 1: expected a list or an array, found None"),
    (lambda: signet.Ragged(np.ma.array([1, 2], mask=[False, True]), [0, 2]), ValueError, "some elements are masked"),
    (lambda: signet.Structured({"a": np.ma.array([1, 2], mask=[False, True])}), ValueError, "some elements are masked"),
    (lambda: signet.Structured([{"a": 1}]), TypeError, "expected a dict with a column for each field, found a list; `signet.from_py.records.`"),
    (lambda: signet.Structured({"a": 5}), TypeError, "field `a`: expected a column with one row for each record, found 5"),
    (lambda: signet.Structured({"a": [1, 2]}, row_splits=[0, 1, 1]), ValueError, "field `a`: expected rows with the row splits of the records"),
    (lambda: signet.Structured({"a": [[], [1]]}, row_splits=[0, 1, 1]), ValueError, r"the records, \[\[0, 1, 1\]\], found \[\[0, 0, 1\]\]")])
def test_wrong_uses_of_values(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_columns_of_any_kind():
    rows = np.empty(2, object)
    rows[:] = [[1], [2, 3]]
    assert signet.Structured({"a": rows}).a.to_py() == [[1], [2, 3]]
    assert signet.Structured({"a": [1]}).with_updates(self=[2]).to_py() == [{"a": 1, "self": 2}]
    assert signet.Sparse([[0]], np.array(["a"]), [2]).type == signet.Type("sparse string[2]")
    assert signet.Sparse([[0]], ["a\0"], [2]).values.tolist() == ["a\0"]


def test_records(values):
    records = [{"name": "Ann", "age": 3.5, "scores": [1, 2]}, {"name": "Bo", "age": 1, "scores": []}]
    result = values.people(records)
    assert result.to_py() == [{"name": "Ann", "age": 3.5, "scores": [1.0, 2.0]}, {"name": "Bo", "age": 1.0, "scores": []}]
    assert result.age.tolist() == [3.5, 1.0] and result["name"].tolist() == ["Ann", "Bo"] and result[1].name == "Bo"
    assert values.people(result).equals(result)
    columns = {"scores": signet.Ragged([1, 2], [0, 2, 2]), "name": np.array(["Ann", "Bo"]), "age": np.float64([3.5, 1]), "more": [1, 2]}
    assert values.people(columns).equals(result)
    assert values.people({"name": ["Ann", "Bo"], "age": [3.5, 1], "scores": [[1, 2], []]}).equals(result)
    assert values.people(signet.Structured(columns)).equals(result)
    assert values.people([{**records[0], "scores": np.array([1, 2])}, records[1]]).equals(result)
    assert values.people([]).to_py() == []
    with pytest.raises(signet.TypeMismatch, match="argument `x.age`: expected a value that numpy can read.*some elements are masked"):
        values.people({"name": ["Ann"], "age": np.ma.array([1.0], mask=[True]), "scores": [[]]})
    assert result[0:1].to_py() == result.to_py()[:1]
    with pytest.raises(AttributeError, match="the nearest is `age`"):
        result.agee


def test_records_in_records(values):
    records = [{"name": "x", "where": {"city": "Rome", "zip": 1}, "visits": [{"day": 1}, {"day": 2}]},
               {"name": "y", "where": {"city": "Oslo", "zip": 2}, "visits": []}]
    result = values.places(records)
    assert result.to_py() == records
    assert values.places(result).equals(result)
    assert result.visits.day.to_py() == [[1, 2], []] and result.where.city.tolist() == ["Rome", "Oslo"]
    assert result[0].visits.to_py() == [{"day": 1}, {"day": 2}] and result[0].where.to_py() == {"city": "Rome", "zip": 1}
    nested = [[{"a": 1, "tags": ["p", "q"]}], [], [{"a": 2, "tags": []}, {"a": 3, "tags": ["r"]}]]
    back = values.nested(nested)
    assert back.to_py() == nested and values.nested(back).equals(back)
    assert back[2].to_py() == nested[2] and back[1:].to_py() == nested[1:]
    assert values.one({"a": 1, "b": "x"}).to_py() == {"a": 1, "b": "x"}


def test_fields_that_may_be_missing(values):
    result = values.maybe([{"name": "a", "age": 1}, {}])
    rows = result.to_py()
    assert rows[0] == {"name": "a", "age": 1.0} and rows[1]["name"] is None and np.isnan(rows[1]["age"])
    assert values.maybe([{"name": None, "age": float("nan")}]).to_py()[0]["name"] is None
    for columns in ({"age": [1.0, 2.0]}, {"name": ["a", None]}, {"name": [["a"], []], "age": [1.0, 2.0]}):
        assert values.maybe(signet.Structured(columns)).to_py()[1]["name"] is None
    with pytest.raises(signet.InvalidArgument, match="expected a text, found nan"):
        values.people([{"name": float("nan"), "age": 1, "scores": []}])
    assert np.isnan(values.floats([float("nan"), float("inf")])).tolist() == [True, False]


def test_records_of_frames_within(values):
    pandas = pytest.importorskip("pandas")
    row = {"name": "x", "where": {"city": "Rome", "zip": 1}}
    records = [{**row, "visits": pandas.DataFrame({"day": [1, 2], "more": [3, 4]})}, {**row, "visits": pandas.DataFrame({"day": []})}]
    assert values.places(records).visits.day.to_py() == [[1, 2], []]
    assert values.deep([pandas.DataFrame({"a": [1, 2]})]).to_py() == [[[1], [2]]]


def test_inference_of_floats_that_are_not_finite():
    pytest.importorskip("signet._core")
    nan = float("nan")
    assert signet.from_py([{"a": nan}, {"a": 1.5}, {"a": float("inf")}]).a.tolist()[1:] == [1.5, float("inf")]
    assert np.isnan(signet.from_py([nan])).all() and signet.from_py(["NaN", "a"]).tolist() == ["NaN", "a"]
    assert np.isnan(signet.from_py([np.float32([1, nan])])[0][1])
    for type_, message in ((None, "`.1..n`: expected texts, like the other values here, found a float"), ("[{n: string[]}]", "expected a text, found nan")):
        with pytest.raises(signet.TypeMismatch, match=message):
            signet.from_py([{"n": "a"}, {"n": nan}], type_)


def test_values_without_a_declared_type(values):
    for value in (3, -(2**63), 2**64 - 1, 2.5, True, None, "text", [1, "a", [2.0]], (1, None), {"b": 1, "a": [True]}, {}):
        assert same(values.anything(value), value), value
    array = np.arange(4, dtype=np.int16)
    assert same(values.anything(array), array)
    result = values.anything({"x": array, "y": [array, 1]})
    assert same(result, {"x": array, "y": [array, 1]})
    assert values.anything(np.array([(1, 2.5)], [("a", "i8"), ("b", "f8")])).to_py() == [{"a": 1, "b": 2.5}]


def test_nests_with_arrays(values):
    a, b = values.pair((np.float64([1, 2]), "x"))
    assert a.dtype == np.float32 and b == "x"
    assert values.pair(([1, 2], "x"))[0].tolist() == [1.0, 2.0]
    result = values.mapping({"a": np.arange(2), "b": [1]})
    assert result["a"].dtype == np.float32 and result["b"] == [1]


def test_nests_with_arrays_and_lists():
    pytest.importorskip("signet._core")

    def sent(type_, value):
        def f(x):
            return x

        return signet.function(f, signature=f"(x: {type_})")(value)

    first, second = sent("tuple(float32[?], ragged int32[?, (?)])", (np.array([1.5, np.nan]), [[1], []]))
    assert first[0] == 1.5 and np.isnan(first[1]) and second.to_py() == [[1], []]
    assert sent("dict(a: float32[?], b: string[?])", {"a": np.array([1]), "b": ["x"]})["b"].tolist() == ["x"]
    assert sent("namedtuple P(a: float32[?], b: float32[?])", collections.namedtuple("P", "a b")([1], np.array([2]))).a.tolist() == [1]
    with pytest.raises(signet.TypeMismatch, match="argument `x.a`: expected float32, found bool"):
        sent("dict(a: float32[?], b: float32[?])", {"a": np.array([True]), "b": [1]})
    with pytest.raises(signet.TypeMismatch, match="argument `x.a`: expected data in another format only as a whole argument"):
        sent("dict(a: float32[?], b: float32[?])", {"a": signet.json("[1]"), "b": [1]})


def test_sparse_values(values):
    scipy = pytest.importorskip("scipy.sparse")
    matrix = scipy.coo_matrix(([2.5, 1.0], ([1, 0], [0, 2])), (2, 3))
    result = values.sparse(matrix)
    assert result.indices.tolist() == [[0, 2], [1, 0]] and (result.to_scipy() != matrix).nnz == 0
    assert values.sparse(result).equals(result)
    for kind in (scipy.dok_matrix, scipy.lil_matrix, scipy.csc_array):
        assert values.sparse(kind(matrix)).equals(result)


def test_what_cannot_be_sent(values):
    for value, message in (({"a": {1}}, "`set`"), ([{1: 2}], "expected keys that are texts, found 1"), (object(), "`object`"),
                           ([object()], r"argument `x\[0\]`"), (np.float32, "class `type`"), ([signet.Ragged], "class `type`")):
        with pytest.raises(TypeError, match=message):
            values.anything(value)
    with pytest.raises(TypeError, match="class `set`"):
        values.floats([{1}])


def test_results_can_be_written(values):
    result = values.floats([1, 2])
    result += 1
    assert result.tolist() == [2, 3]
    assert not values.floats.with_options(copy=False)(np.ones(2)).flags.writeable


@RELAXED
@given(arrays.arrays(np.float32, arrays.array_shapes(min_dims=1, max_dims=1, min_side=0, max_side=20)))
def test_any_floats_come_back(values, array):
    assert same(values.floats(array), array)


DTYPES = {"doubles": np.float64, "ints": np.int32, "longs": np.int64, "bytes": np.uint8, "bools": np.bool_, "complexes": np.complex64}
VECTOR = arrays.array_shapes(min_dims=1, max_dims=1, min_side=0, max_side=20)


@RELAXED
@given(st.sampled_from(sorted(DTYPES)).flatmap(lambda name: st.tuples(st.just(name), arrays.arrays(DTYPES[name], VECTOR))))
def test_any_arrays_come_back(values, case):
    name, array = case
    result = getattr(values, name)(array)
    assert result.dtype == array.dtype and same(result, array)
    assert same(values.anything(array), array)


ROWS = st.lists(arrays.arrays(np.float32, VECTOR), max_size=6)
WORDS = st.lists(st.lists(st.text(st.characters(blacklist_categories=("Cs",)), max_size=5), max_size=4), max_size=6)


@RELAXED
@given(ROWS, WORDS)
def test_any_ragged_values_come_back(values, rows, words):
    given_ = signet.Ragged.from_row_lengths(np.concatenate([np.zeros(0, np.float32), *rows]), [len(row) for row in rows])
    result = values.lists(given_)
    assert result.equals(given_) and [len(row) for row in result] == [len(row) for row in rows]
    assert values.anything(given_).equals(given_)
    assert pickle.loads(pickle.dumps(result)).equals(given_)
    assert values.words(words).to_py() == words


@RELAXED
@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_any_sparse_and_extension_values_come_back(values, height, width, data):
    cells = data.draw(st.lists(st.tuples(st.integers(0, height - 1), st.integers(0, width - 1)), unique=True, max_size=6))
    elements = data.draw(arrays.arrays(np.float32, len(cells)))
    sparse = signet.Sparse(np.array(sorted(cells), np.int64).reshape(-1, 2), elements, [height, width])
    for result in (values.sparse(sparse), values.anything(sparse)):
        assert result.equals(sparse) and result.dense_shape.tolist() == [height, width]
    whole = signet.Extension("unknown.Pair", {"height": height, "names": ["a"] * width}, {"cells": sparse, "all": elements})
    assert values.anything(whole).equals(whole)


PERSON = st.fixed_dictionaries({"name": st.text(), "age": st.floats(width=32, allow_nan=False), "scores": st.lists(
    st.floats(width=32, allow_nan=False), max_size=4)})


@RELAXED
@given(st.lists(PERSON, max_size=6))
def test_any_records_come_back(values, records):
    try:
        result = values.people(records)
    except signet.InvalidArgument:
        assert any(0xD800 <= ord(char) <= 0xDFFF for person in records for char in person["name"])
        return
    assert result.to_py() == records
    assert values.people(result).equals(result)
    assert pickle.loads(pickle.dumps(result)).equals(result)


ANYTHING = st.recursive(st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(st.characters(
    blacklist_categories=("Cs",))), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4)
    | st.tuples(inner, inner), max_leaves=12)


@RELAXED
@given(ANYTHING)
@pytest.mark.filterwarnings("ignore::signet.PlainValueWarning")
def test_anything_comes_back(values, value):
    assert same(values.anything(value), value)


def test_arrow_tables(values):
    pyarrow = pytest.importorskip("pyarrow")
    records = [{"name": "Ann", "where": {"city": "Rome", "zip": 1}, "visits": [{"day": 1}, {"day": 2}]},
               {"name": "Bo", "where": {"city": "Oslo", "zip": 2}, "visits": []}]
    result = values.places(records)
    table = result.to_arrow()
    assert isinstance(table, pyarrow.Table) and table.to_pylist() == records
    assert values.places(table).equals(result)
    assert values.lists([[1, 2], []]).to_arrow().to_pylist() == [[1, 2], []]


def test_several_keys_select_parts_of_values():
    every = slice(None)
    records = signet.from_py([{"a": 1, "b": [{"x": 1.0}, {"x": 2.0}]}, {"a": 2, "b": []}], "[{a: int64[], b: [{x: float32[]}]}]")
    rows = signet.Ragged.from_rows([np.float32([1, 2, 3]), np.float32([4])])
    for value, key, wanted in (
            (records, (0, "a"), 1), (records, (every, "a"), [1, 2]), (records, (0, "b", 1, "x"), 2.0),
            (records, (every, "b", slice(0, 1)), [[{"x": 1.0}], []]), (records, slice(None, None, -1), records.to_py()[::-1]),
            (rows, (0, 1), 2.0), (rows, (every, slice(None, None, 2)), [[1.0, 3.0], [4.0]])):
        found = value[key]

        @signet.function
        def traced(x):
            return x[key]

        assert same(found, traced(value)), key
        assert (found.to_py() if hasattr(found, "to_py") else found.tolist()) == wanted
    for key, wrong, message in (((5, "a"), IndexError, "found 5"), ((0, "z"), IndexError, "no field `z`"),
                                ((0, [1]), TypeError, "found a value of the class `list`"), ((0, True), TypeError, "class `bool`")):
        with pytest.raises(wrong, match=message):
            records[key]
