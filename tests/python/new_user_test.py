"""What a new user tried first: each test is a mistake, or data, of someone who has read the guide once."""

import http.server
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
from model_files import linear_network, write_onnx

pytest.importorskip("signet._core")

import signet  # noqa: E402
from signet import ops  # noqa: E402


def saved(folder, factor, name="a"):
    """Saves a model `name` whose function multiplies by `factor`, and loads it."""
    @signet.function
    def f(x: "float32[?]"):
        return x * factor

    signet.Model("", f, name=name).save(folder)
    return signet.load(folder, name)


# --- functions of other models ----------------------------------------------------------------------------

def test_two_models_of_one_name_are_both_called(tmp_path):
    one, two = saved(tmp_path / "c" / "1", 2.0), saved(tmp_path / "c" / "2", 6.0)

    @signet.function
    def both(x: "float32[?]"):
        return one.f(x), two.f(x)

    @signet.function
    def again(x: "float32[?]"):
        return two.f(x), one.f(x)

    assert [float(each[0]) for each in both([1])] == [2, 6]
    model = signet.Model("", both, again)
    assert [float(each[0]) for each in model.again([1])] == [6, 2]
    assert set(re.findall(r"def (_a\w*)", model.to_text())) == {"_a_f", "_a_2_f"}
    model.save(tmp_path / "both" / "1")
    assert [float(each[0]) for each in signet.load(tmp_path / "both" / "1").both([1])] == [2, 6]


def test_names_of_imported_functions_never_meet(tmp_path):
    """`_a_b_f` may be the function `b_f` of `a`, or `f` of `a_b`, or a function of the program."""
    @signet.function
    def b_f(x: "float32[?]"):
        return x * 2

    signet.Model("", b_f).save(tmp_path / "1")
    first, second = signet.load(tmp_path / "1", "a"), saved(tmp_path / "2", 6.0, "a_b")

    @signet.function
    def both(x: "float32[?]"):
        return first.b_f(x), second.f(x)

    assert [float(each[0]) for each in both([1])] == [2, 6]


def test_functions_that_import_the_same_model_share_it(tmp_path):
    model = saved(tmp_path / "1", 3.0, "shared")

    @signet.function
    def f(x: "float32[?]"):
        return model.f(x)

    @signet.function
    def g(x: "float32[?]"):
        return model.f(x) + 1

    joint = signet.Model("", f, g)
    assert float(joint.f([1])[0]) == 3 and float(joint.g([1])[0]) == 4
    assert joint.to_text().count("def _shared_f") == 1


def test_networks_of_one_file_name(tmp_path):
    paths = [str(tmp_path / name / "model.onnx") for name in ("single", "double")]
    for path, scale in zip(paths, (1, 2)):
        write_onnx(path, linear_network(scale))
    a, b = map(signet.from_onnx, paths)

    @signet.function
    def both(x: "float32[?, 13]"):
        return a.main(x), b.main(x)

    x = np.linspace(0, 1, 26, dtype=np.float32).reshape(2, 13)
    for found, wanted in zip(both(x), (a.main(x), b.main(x))):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


# --- texts of traced values -------------------------------------------------------------------------------

@pytest.mark.parametrize("make", [lambda x: f"Hello {x}", str, lambda x: "%s" % x, lambda x: {"%s" % x: 1}, lambda x: "{}".format(x),
                                  lambda x: f"{x:>5}", lambda x: print(f"{x}"), lambda x: print(str(x))],
                         ids=["f-string", "str", "percent", "key", "format", "width", "print f-string", "print str"])
def test_a_traced_value_has_no_text(make):
    @signet.function
    def greet(x: "string[]"):
        return {"greeting": make(x)}

    with pytest.raises(signet.TraceError, match="`x` has no text while the function is traced; `ops.string_concat`"):
        greet("Ann")


def test_print_repr_and_logging_show_traced_values(capsys, caplog):
    import logging

    @signet.function
    def greet(x: "string[]"):
        print(x)
        print("x:", x, repr(x), f"{x!r}")
        logging.getLogger("greet").warning("%s", x)
        return ops.string_concat("Hello ", x)

    assert greet("Ann") == "Hello Ann"
    shown = "<traced value x: string[]>"
    assert capsys.readouterr().out == f"{shown}\nx: {shown} {shown} {shown}\n"
    assert caplog.messages == [shown]


# --- constructors -----------------------------------------------------------------------------------------

@signet.extension_type("newuser.Masked")
class Masked:
    """Values, some of which count."""
    mask: "bool[...]"
    n: "int32[...]"
    k: int = 3
    unit: str = "a"


@pytest.mark.parametrize("parts, message", [
    ({"mask": ["a"]}, r'component `mask`: `\[0\]`: expected true or false for `bool`, found text "a"'),
    ({"mask": [None]}, r"component `mask`: `\[0\]`: .*found null"), ({"mask": [0.3]}, "found `0.3`"),
    ({"mask": np.array([1])}, "component `mask`: expected bool, found int64"),
    ({"n": [1.7]}, r"component `n`: `\[0\]`: expected an integer for `int32`, found `1.7`"), ({"n": ["7"]}, 'found text "7"'),
    ({"n": [300 * 10**9]}, "expected -2147483648 to 2147483647"), ({"n": [1e20]}, r"found `1e\+20`"), ({"n": [None]}, "found null"),
    ({"n": np.float64([1])}, "component `n`: expected int32, found float64"),
    ({"k": "a"}, "static attribute `k`: expected a value of the class `int`, found 'a'"), ({"k": True}, "found True"),
    ({"unit": 5}, "static attribute `unit`: expected a value of the class `str`, found 5")])
def test_constructors_convert_as_calls_do(parts, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Masked(**{"mask": [True], "n": [1], **parts})


def test_constructors_accept_what_calls_accept():
    made = Masked([True, False], np.int64([1, 2]), np.int64(4), unit="b")
    assert made.n.dtype == np.int32 and made.mask.tolist() == [True, False] and made.k == 4
    assert Masked(True, 5).n == 5 and Masked([], [[1], [2]]).n.shape == (2, 1)


def test_static_attributes_are_checked_while_traced():
    @signet.function
    def f(x: "int32[?]"):
        return Masked([True], x, unit=5).n

    with pytest.raises(signet.TraceError, match="static attribute `unit`"):
        f([1])


# --- servers ----------------------------------------------------------------------------------------------

SERVING = """
import os, sys, threading, time
import signet

@signet.function
def f(x: "float32[?]"):
    return x * 2

server = signet.Model("", f).serve(name="q")
"""


def test_a_server_ends_with_the_program_that_was_killed(tmp_path):
    (tmp_path / "program.py").write_text(SERVING + 'with server as q:\n    print(q.f([1]), server._process.pid, flush=True)\n    time.sleep(60)\n')
    with subprocess.Popen([sys.executable, str(tmp_path / "program.py")], stdout=subprocess.PIPE, text=True) as program:
        pid = int(program.stdout.readline().split()[-1])
        assert is_running(pid)
        program.send_signal(signal.SIGKILL)
    assert ends(pid)


def test_a_server_that_was_not_stopped_ends_with_the_program(tmp_path):
    program = SERVING + "served = server.start()\nprint(served.f([1]), server._process.pid)\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert ends(int(done.stdout.split()[-1]))


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid):
    end = time.monotonic() + 30
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not is_running(pid)


def test_a_server_for_several_cells_of_a_notebook(tmp_path):
    import threading

    server = saved(tmp_path / "1", 2.0).serve(name="q")
    with pytest.raises(AttributeError, match=r"write `with model.serve\(\) as served: served.f\(...\)`, or `served = server.start\(\)`"):
        server.f([1])
    with pytest.raises(RuntimeError, match="has not started"):
        server.address
    starts = threading.Thread(target=server.start)  # the server does not end with the thread
    starts.start()
    starts.join()
    served = server.start()
    time.sleep(0.3)
    assert served.f([1]) == [2] and signet.connect(server.address).q.f([2]) == [4]
    server.stop()
    server.stop()
    assert "not running" in repr(server)
    assert server.start().f([3]) == [6]
    server.stop()


# --- tables -----------------------------------------------------------------------------------------------

def identity(type_):
    def f(rows):
        return rows

    return signet.function(f, signature=f"(rows: {type_})")


@pytest.mark.parametrize("type_, columns, records", [
    ("[{a: float32[], b: float32[] = 2.5}]", {"a": [1.0]}, [{"a": 1.0, "b": 2.5}]),
    ("[{a: float32[], b: string[] = \"x\"}]", {"a": [1.0]}, [{"a": 1.0, "b": "x"}]),
    ("[{a: float32[], b?: float32[]}]", {"a": [1.0]}, [{"a": 1.0, "b": None}]),
    ("[{b: int32[] = 5}]", {"b": [1, None]}, [{"b": 1}, {"b": 5}]), ("[{b?: int32[]}]", {"b": [1, None]}, [{"b": 1}, {"b": None}]),
    ("[{b: int32[]}]", {"b": [1.0, 2.0]}, [{"b": 1}, {"b": 2}]), ("[{b?: string[]}]", {"b": ["x", np.nan]}, [{"b": "x"}, {"b": None}]),
    ("[{b: string[] = \"x\"}]", {"b": ["y", np.nan]}, [{"b": "y"}, {"b": "x"}]), ("[{b: bool[] = True}]", {"b": [False, None]}, [{"b": False}, {"b": True}])])
def test_frames_with_missing_columns_and_values(type_, columns, records):
    pandas = pytest.importorskip("pandas")
    f = identity(type_)
    assert f(pandas.DataFrame(columns)).to_py() == records
    assert f.bulk(pandas.DataFrame(columns), rows_per_call=1).shape == (len(records), len(records[0]))


@pytest.mark.parametrize("type_, columns, message", [
    ("[{b: int32[]}]", {"b": [1, None]}, "`rows.b`: expected int32, found 1 missing value; the first is in row 1. `fillna"),
    ("[{b: int32[]}]", {"b": [1, 2.5]}, "expected int32, found float64 with 2.5 in row 1; `round.*astype"),
    ("[{b: int32[]}]", {"b": [1, 3e10]}, "expected a number that int32 can hold, found 30000000000"),
    ("[{b: int64[]}]", {"b": [1, 1e30]}, "expected int64, found float64 with 1e.30"),
    ("[{price: float32[], n: int32[] = 1}]", {"prise": [1.0]}, "no column `price`; columns: `prise`; the nearest is `prise`")])
def test_errors_of_frames(type_, columns, message):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(signet.TypeMismatch if "can hold" not in message else signet.InvalidArgument, match=message):
        identity(type_)(pandas.DataFrame(columns))


def test_columns_of_one_name_and_columns_that_are_not_used():
    pandas = pytest.importorskip("pandas")
    f = identity("[{a: int32[]}]")
    assert f(pandas.DataFrame([[1, 2, 3]], columns=["a", "b", "b"])).to_py() == [{"a": 1}]
    with pytest.raises(signet.TypeMismatch, match="argument `rows`: expected one column `a`, found 2"):
        f(pandas.DataFrame([[1, 2]], columns=["a", "a"]))


def test_frames_without_columns_have_rows():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(index=["x", "y"])
    assert identity("[{a: int32[] = 3}]")(frame).to_py() == [{"a": 3}, {"a": 3}] and identity("[{}]")(frame).nrows == 2
    with pytest.raises(signet.TypeMismatch, match="no column `a`; columns: none"):
        identity("[{a: int32[]}]")(frame)


def test_an_index_is_a_column_if_it_has_the_name_of_a_field():
    pandas = pytest.importorskip("pandas")
    f = identity("[{a: int32[], at: int64[] = 5}]")
    for index in (pandas.Index([1.0, 2.0], name="a"), pandas.CategoricalIndex([1, 2], name="a"), pandas.Index([1, 2], dtype="Int64", name="a")):
        assert f(pandas.DataFrame({"b": [3, 4]}, index=index)).to_py() == [{"a": 1, "at": 5}, {"a": 2, "at": 5}]
    dates = pandas.DatetimeIndex(["1970-01-01", None], name="at")
    assert f(pandas.DataFrame({"a": [1, 2]}, index=dates)).to_py() == [{"a": 1, "at": 0}, {"a": 2, "at": 5}]


def test_subclasses_of_frames_are_frames():
    pandas = pytest.importorskip("pandas")

    class Frame(pandas.DataFrame):
        pass

    class Column(pandas.Series):
        pass

    assert identity("[{a: float32[]}]")(Frame({"a": [1, 2]})).to_py() == [{"a": 1}, {"a": 2}]
    assert identity("int32[?]")(Column([1.0, 2.0])).tolist() == [1, 2]
    with pytest.raises(signet.TypeMismatch, match="found a MultiIndex; `to_frame.."):
        identity("int32[?]")(pandas.MultiIndex.from_tuples([(1, 2)]))


def test_sparse_columns_are_dense():
    pandas = pytest.importorskip("pandas")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = pandas.DataFrame({"a": pandas.arrays.SparseArray([0.0, 1.5]), "b": pandas.arrays.SparseArray([0, 2])})
        assert identity("[{a: float32[], b: int32[]}]")(frame).to_py() == [{"a": 0, "b": 0}, {"a": 1.5, "b": 2}]


def test_columns_of_dates_say_what_they_are():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"at": pandas.to_datetime(["1970-01-01 00:00:01"])})
    assert identity("[{at: int64[]}]")(frame).to_py() == [{"at": 10**9}]
    assert identity("[{at: int64[] = 3}]")({"at": np.array(["NaT", "1970-01-02"], "M8[D]")}).to_py() == [{"at": 3}, {"at": 86400 * 10**9}]
    with pytest.raises(signet.TypeMismatch, match="`rows.at`: expected float32, found datetime64.D."):
        identity("[{at: float32[]}]")({"at": np.array(["1970-01-02"], "M8[D]")})
    with pytest.raises(signet.TypeMismatch, match="expected string, found a column of datetime64.*astype"):
        identity("[{at: string[]}]")(frame)


CELLS = ('[{a: float32[] = 7, b: int32[] = 5, name?: string[], s: string[] = "x", big?: int64[], tags: string[(?)], ok: bool[] = True, '
         "unit_price: float32[] = 1, zip_code: string[]}]")
HEADER = "a,b,name,s,big,tags,ok,unit price,zip code\n"


def test_cells_of_csv_follow_the_types(tmp_path):
    pytest.importorskip("pandas")
    path = tmp_path / "a.csv"
    path.write_text(HEADER + '1,2,Ann,q,9007199254740993,"[""t""]",false,2.5,01234\n,,,,,[],,,\n')
    first, second = identity(CELLS).bulk(path).to_dict("records")
    assert first.pop("tags").tolist() == ["t"] and second.pop("tags").tolist() == []
    assert first == {"a": 1, "b": 2, "name": "Ann", "s": "q", "big": 9007199254740993, "ok": False, "unit_price": 2.5, "zip_code": "01234"}
    assert second == {"a": 7, "b": 5, "name": None, "s": "x", "big": None, "ok": True, "unit_price": 1, "zip_code": ""}


def test_numbers_of_csv_may_have_signs_and_leading_zeros(tmp_path):
    pytest.importorskip("pandas")
    path = tmp_path / "a.csv"
    path.write_text("a,b\r\n01,+1\r\n-007,.5\r\n+0,-1e-3\r\n" + "0" * 5000 + "9,1.\r\n")
    found = identity("[{a: int64[], b: float64[]}]").bulk(path)
    assert found.a.tolist() == [1, -7, 0, 9] and found.b.tolist() == [1, 0.5, -0.001, 1]


@pytest.mark.parametrize("row, message", [
    (",x,,,,[],,,", "a.csv`: row 2: .*`b`: expected an integer for `int32`, found text \"x\""),
    (",,,,,[],yes,,", "a.csv`: row 2: .*`ok`: expected true or false for `bool`, found text \"yes\""),
    (",,,,,oops,,,", "a.csv`: row 2: .*`tags`: expected a list for .*, found text"), (",2.5,,,,[],,,", "a.csv`: row 2: .*`b`: .*found `2.5`")])
def test_errors_of_csv_name_the_cell(tmp_path, row, message):
    pytest.importorskip("pandas")
    path = tmp_path / "a.csv"
    path.write_text(HEADER + f"1,2,Ann,q,,[],true,2.5,01234\n{row}\n")
    with pytest.raises(signet.InvalidArgument, match=message):
        identity(CELLS).bulk(path)


def test_errors_of_bulk_name_the_row():
    pandas = pytest.importorskip("pandas")
    f = identity("[{b: int32[]}]")
    with pytest.raises(signet.InvalidArgument, match=r"^row 9: .*`\[9\].b`: .*found text") as caught:
        f.bulk([{"b": 1}] * 9 + [{"b": "x"}], rows_per_call=4)
    assert caught.value.field == "rows[9].b"
    with pytest.raises(signet.InvalidArgument, match=r"^row 9 \(index 'j'\): .*2.5 in row 9"):
        f.bulk(pandas.DataFrame({"b": [1] * 9 + [2.5]}, index=list("abcdefghij")), rows_per_call=4)
    with pytest.raises(TypeError, match="`bulk` sends the rows of a DataFrame"):
        f.map(pandas.DataFrame({"b": [1]}))


def test_asyncio_has_numbers_of_calls_and_says_what_it_lacks(server):
    import asyncio

    import signet.aio

    async def main():
        async with signet.aio.connect(server.address) as client:
            assert (await client.half_plus_two([1.0])).tolist() == [2.5]
            with pytest.raises(signet.InvalidArgument, match="call one of them"):
                await client.cookbook([1])
            with pytest.raises(AttributeError, match=r"`bulk` is for signet.connect, as in `await asyncio.to_thread\(client.half_plus_two.predict.bulk"):
                client.half_plus_two.predict.bulk
            with pytest.raises(signet.TypeMismatch, match="^call 1: "):
                async for _ in client.half_plus_two.predict.map([[1.0], "wrong"]):
                    pass

    asyncio.run(main())


# --- what to write instead --------------------------------------------------------------------------------

def written(tmp_path, body, type_='"float32[?]"'):
    """The function of a program in a file, with this result."""
    path = tmp_path / "program.py"
    source = f"import numpy as np\nimport signet\nfrom signet import ops\n\n@signet.function\ndef f(x: {type_}):\n    return {body}\n"
    path.write_text(source)
    names = {"__name__": "program"}
    exec(compile(source, str(path), "exec"), names)
    return names["f"]


@pytest.mark.parametrize("body, message", [
    ("x.sum()", "the op is `ops.reduce_sum`"), ("sum(x)", "`sum` does not take traced values; the op is `ops.reduce_sum`"),
    ("max(x)", "`max` does not take .*`ops.reduce_max`"), ("any(x > 0)", "`any` does not take .*`ops.reduce_any`"),
    ("sum([x, x])[0:] + [y for y in x]", "`signet.map` calls a function for each element"),
    ("x[x > 0]", "`ops.boolean_mask.x, mask.` selects"), ("x.lower()", "the op is `ops.string_lower`"), ("x.map()", "the function is `signet.map`"),
    ("np.where(x > 0, x, 0)", "the op is `ops.select`"), ("np.mean(x)", "the op is `ops.reduce_mean`"), ("round(x, 2)", r"ops.round\(x \* 10.0\*\*2\)"),
    ("signet.cond(True, x, -x)", "`then` must be a function, such as `lambda: x`"),
    ("signet.cond(ops.reduce_any(x > 0), lambda: x, lambda: 'a')", '`then`, at program.py:7, returns `float32.*`, and `else`, at program.py:7, returns `"a"`'),
    ("max(x, 0)", "use `ops.maximum.x, y.` instead of `max`$"), ("x if x > 0 else 0", "instead of `if`$"), ("x > 0 and x < 1", "use `&` instead of `and`"),
    ("x if not x else 1", "instead of `if`$"), ("not x", "use `~` instead of `not`$"), ("x in (1, 2)", r"write `\(x == a\) \| \(x == b\)`"),
    ("0 < x < 1", r"write `\(a < x\) & \(x < b\)` instead of `a < x < b`$")])
def test_advice_names_what_exists(tmp_path, body, message):
    with pytest.raises(signet.TraceError, match=message):
        written(tmp_path, body)([1.0])


@pytest.mark.parametrize("type_, message", [
    ("float32", "parameter `x` of `f`: annotation `float32`: column 8: .*found the end; a scalar is `float32..`"),
    ("float[]", "column 1: expected a type, found `float`; write `float32` instead of `float`"), ("list[float32]", "a list is `float32.[?].`"),
    ("[{a: float32}]", "annotation .*: column 13: .*; a scalar is `float32..`")])
def test_errors_of_annotations_name_the_parameter(tmp_path, type_, message):
    with pytest.raises(signet.TraceError, match=message):
        written(tmp_path, "x", f'"{type_}"')


def test_errors_of_texts_and_records_say_what_to_write(tmp_path):
    with pytest.raises(signet.TraceError, match="`ops.string_concat.x, y.` joins texts$"):
        written(tmp_path, "x + '!'", '"string[?]"')(["a"])

    @signet.function
    def totals(orders: "[{price: float32[]}]") -> "[{total: float32[]}]":
        return {"total": orders.price}

    with pytest.raises(signet.TraceError, match="found `dict.total: float32.*; `ops.struct_make.name=column.` makes records of columns$"):
        signet.Model("", totals)
    with pytest.raises(signet.TypeMismatch, match="argument `rows`: expected `.*`, found a text; `signet.json.text.` sends JSON$"):
        identity("[{tier: string[], qty: int32[]}]")('[{"tier": "gold", "qty": 1}]')


def test_wrong_calls_of_the_package_say_what_to_write(tmp_path):
    f = identity("[{tier: string[], qty: int32[]}]")
    cases = [(lambda: signet.Model(f), TypeError, 'write `signet.Model."...", f.`'), (lambda: signet.Model("x"), ValueError, "at least one function"),
             (lambda: signet.extension_type(Masked), TypeError, 'write `@signet.extension_type."project.Masked".`'),
             (lambda: f.with_options(timout=3), TypeError, "no option `timout`; the nearest is `timeout`"),
             (lambda: f.with_options(timeout="x"), ValueError, "timeout: expected a number"),
             (lambda: f({"tier": "gold", "qty": 1}), TypeError, r"expected a list of records, found one; write `\[\{...\}\]`"),
             (lambda: f({"tier": ["gold"], "qyt": [1]}), TypeError, "no column `qty`; columns: `qyt`, `tier`; the nearest is `qyt`"),
             (lambda: signet.from_onnx("nix.onnx"), FileNotFoundError, "no such file or directory: 'nix.onnx'"),
             (lambda: Masked([True], 1) - Masked([True], 1), NotImplementedError, r"declare one with `@signet.dispatch_for\(ops.sub, Masked\)`"),
             (lambda: Masked([True], 1)[0], TypeError, "its parts have names"),
             (lambda: signet.dispatch_for("addd", Masked)(lambda x: x), ValueError, "no op `addd`; the nearest is `ops.add`")]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message):
            call()
    signet.Model("", f).save(tmp_path / "shop" / "1")
    with pytest.raises(signet.FailedPrecondition, match=r"with the versions 1; save a version, as in .*shop/2"):
        signet.Model("", f).save(tmp_path / "shop")


def raises_value_error(x):
    raise ValueError("of the user")


@pytest.mark.parametrize("call", [
    lambda client: client.half_plus_two.predict([1.0], 2), lambda client: client.half_plus_two.predict("x"), lambda client: client.nothing.f(1),
    lambda client: list(client.half_plus_two.predict.map(["x"])), lambda client: client.half_plus_two.predict.bulk(["x"]),
    lambda client: signet.from_onnx("nix.onnx"), lambda client: client.half_plus_two.predict.with_options(timout=1)],
    ids=["binding", "conversion", "no model", "map", "bulk", "file", "options"])
def test_tracebacks_end_at_the_line_of_the_user(client, call):
    with pytest.raises(Exception) as caught:
        call(client)
    assert {Path(frame.filename).name for frame in traceback.extract_tb(caught.value.__traceback__)} == {"new_user_test.py"}


def test_tracebacks_of_errors_of_the_user_have_only_their_frames():
    f = signet.function(raises_value_error)
    with pytest.raises(ValueError) as caught:
        f(1)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.name for frame in frames] == ["test_tracebacks_of_errors_of_the_user_have_only_their_frames", "raises_value_error"]


def test_defaults_are_shown_as_they_were_written():
    @signet.function
    def price(x: "float32[?]", tax: "float32[]" = 0.2):
        return x * tax

    assert "tax: float32[] = 0.2)" in str(price.__signature__)


@pytest.mark.parametrize("body, message", [
    ("x + 1", "`add`: input 0: .* found `string.*`; `ops.string_concat.x, y.` joins texts$"),
    ("x * 2", "`mul`: input 0: .* found `string.*`; `cast` reads numbers from texts$"),
    ("ops.cast(x, float)", "expected a plain value, found the class `float`; did you mean `float32`?"),
    ("ops.cast(x, 'float')", "attribute `dtype`: expected the name of a dtype, found `\"float\"`; did you mean `float32`?"),
    ("{'a': x, 3: x}", "expected a dict whose keys are texts, found the key 3$"), ("object()", "^the result of `f`: expected a traced value")])
def test_errors_of_texts_and_results_say_what_to_write(tmp_path, body, message):
    with pytest.raises(signet.TraceError, match=message):
        written(tmp_path, body, '"string[?]"')(["a"])


def test_a_field_of_a_structure_within_is_suggested(tmp_path):
    type_ = '"[{tier: string[], items: [{price: float32[]}]}]"'
    for body in ("x.price", "x['price']"):
        with pytest.raises(signet.TraceError, match="no field `price`.*; did you mean `items.price`[?]$"):
            written(tmp_path, body, type_)([])


def test_a_model_without_a_version_is_served_as_version_1(tmp_path):
    model = signet.Model("", signet.function(doubled))
    model.save(tmp_path / "shop")
    with model.serve(name="other", arguments=["--models", str(tmp_path)]) as served:
        client = signet.connect(served._client.address)
        assert client["shop/1"].doubled(2) == 4
        model.save(tmp_path / "shop" / "2")
    for name, wanted in [("v3", "shop/3"), ("0", "shop/1"), ("02", "shop/2")]:
        with pytest.warns(UserWarning, match=f"a version is a positive integer, as in `{tmp_path}/{wanted}`"):
            model.save(tmp_path / "shop" / name)
    with pytest.raises(OSError, match="cannot make the directory of the model: .*: '/proc/x'"):
        model.save("/proc/x/1")


def doubled(x: "float32[]"):
    return x * 2


def test_addresses_are_checked():
    for address in ("localhost:8500x", "localhost:0", "localhost:", "localhost:70000"):
        with pytest.raises(ValueError, match="a port is a number from 1 to 65535"):
            signet.connect(address)
    with pytest.raises(signet.Error, match="because the port serves another protocol; `signet.connect` expects the address of `--listen`"):
        with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                signet.connect(f"127.0.0.1:{server.server_port}").shop
            finally:
                server.shutdown()


def test_a_list_of_functions_is_explained():
    with pytest.raises(signet.TraceError, match="write `.` before a list of functions$"):
        signet.Model("", [doubled])


@pytest.mark.parametrize("signature, message", [
    ("(y: float32[?])", "expected the parameters of the function, .x, k, args., found .y.$"), ("()", "found ..$"),
    ("(x: float32[?], k, more, *args)", "found .x, k, more, args.$"),
    ("(x, k = \", y, /\", *, args)", "`args` is keyword-only, but variadic positional in the function$")])
def test_a_signature_has_the_parameters_of_the_function(signature, message):
    def f(x, k=2, *args):
        return x

    with pytest.raises(signet.TraceError, match=message):
        signet.function(signature=signature)(f)
    f = signet.function(signature="(x: float32[n, 3], /, k = (1, [2]), *args) -> float32[?, 3]")(f)
    assert f([[1, 2, 3]]).tolist() == [[1, 2, 3]]


def test_rows_of_lists_and_types_as_texts():
    @signet.function
    def rows(x: "ragged float32[?, (?)]"):
        return x

    given = np.empty(2, object)
    given[:] = [[1, 2], []]
    assert rows(given).to_py() == [[1, 2], []]
    assert rows.output_type("ragged float32[2, (?)]") == signet.Type("ragged float32[?, (?)]") and rows.warm("ragged float32[?, (?)]") is None
    pandas = pytest.importorskip("pandas")
    assert rows(pandas.Series([[1, 2], []])).to_py() == [[1, 2], []]


def test_row_splits_of_records():
    column = signet.Ragged.from_rows([[1.0, 2.0], []])
    for splits in ([0, 2, 2], [[0, 2, 2]]):
        assert signet.Structured({"a": column}, row_splits=splits).to_py() == [[{"a": 1}, {"a": 2}], []]
    for splits in ([0, 2], [1, 2, 2], [0, 3, 2]):
        with pytest.raises(ValueError, match="row_splits: expected 3 numbers that start at 0 and do not decrease, found"):
            signet.Structured({"a": column}, row_splits=splits)


def test_errors_name_the_model_and_the_function(client):
    predict = client.half_plus_two.predict
    for call in (lambda: predict("x"), lambda: predict(1, 2), lambda: predict({"a": 1}), lambda: predict(np.array([{1}], object)),
                 lambda: predict.with_options(timeout=1e-6)([1.0])):
        with pytest.raises(signet.Error) as caught:
            call()
        assert (caught.value.model, caught.value.function, caught.value.address) == ("half_plus_two", "predict", client.address)


def test_masked_elements_are_not_sent(client):
    assert client.half_plus_two.predict(np.ma.masked_array([2.0, 4.0], [False, False])).tolist() == [3, 4]
    with pytest.raises(signet.TypeMismatch, match="`MaskedArray`, which reports: some elements are masked; `x.filled.0.` replaces them"):
        client.half_plus_two.predict(np.ma.masked_array([2.0, 4.0], [False, True]))
