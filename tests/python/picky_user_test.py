"""What a picky user tries: one test per case, with the number that the design of the package gives it."""

import contextlib
import functools
import inspect
import io
import math
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
import traceback
import types
import warnings
from unittest import mock

import numpy as np
import pytest
from conftest import SOURCE, Server, example

import signet
from signet import served_function

ACCOUNTS = [{"name": "Ann", "balances": [800, 400]}, {"name": "Bo", "balances": []}]
PEOPLE = [{"name": "Ann", "age": 40, "scores": [1, 2]}, {"name": "Bo", "age": 20, "scores": []}]


@pytest.fixture(scope="session")
def recipes(tmp_path_factory):
    """Recipes as records, and the tastes of a user."""
    import json

    def read(name):
        with open(os.path.join(SOURCE, "examples/recipes", name), encoding="utf-8") as file:
            return json.load(file)

    return read("recipes.json"), read("sweet_tooth.json")


@pytest.fixture
def ops():
    pytest.importorskip("signet._core")
    return signet.ops


def identity_of(type_):
    """A function that returns its parameter, which has the type."""
    def f(x):
        return x

    f.__annotations__ = {"x": type_}
    return f


def raises(kind, match=None):
    return pytest.raises(kind, match=match)


# --- the client -------------------------------------------------------------------------------------------

def test_case_01_no_server():
    start = time.monotonic()
    with raises(signet.Unavailable, "127.0.0.1:1(.|\n)*signet-server --models"):
        signet.connect("127.0.0.1:1").model.f(1)
    assert time.monotonic() - start < 8
    with raises(ValueError, "host:port|leave out"):
        signet.connect("http://localhost:8500")


def test_case_02_misspelled_models(client):
    with raises(AttributeError, "nearest is `recipes`"):
        client.recipez
    assert not hasattr(client, "_ipython_display_")
    with signet.connect("127.0.0.1:1") as nowhere:  # a call would be an error
        assert not hasattr(nowhere, "_ipython_display_")


def test_case_03_a_model_that_failed_to_load(tmp_path):
    for name, text in (("good", "def f(x):\n    return x\n"), ("bad", "def f(x):\n    return y\n")):
        (tmp_path / name / "1").mkdir(parents=True)
        (tmp_path / name / "1" / "model.signet").write_text(text)
    server = Server(models=str(tmp_path))
    try:
        with signet.connect(server.address, wait=30) as client:
            assert client.good.f(1) == 1
            with raises(signet.FailedPrecondition, "`y`"):
                client["bad"].f(1)
    finally:
        server.stop()


def test_case_04_calls_that_do_not_fit(server, client):
    score = client.recipes.score
    assert score.__signature__  # what is known of the models is read before
    cases = [("MISSING_REQUIRED", (), {}), ("TOO_MANY_POSITIONAL", ([], [1], 3, 4), {}),
             ("POSITIONAL_ONLY_AS_KEYWORD", ([],), {"user_embedding": [1]}), ("UNEXPECTED_KEYWORD", ([], [1]), {"topk": 2})]
    for reason, args, kwargs in cases:
        with mock.patch.object(client._channel, "call", wraps=client._channel.call) as sent, raises(signet.BindingError) as caught:
            score(*args, **kwargs)
        assert isinstance(caught.value, TypeError) and caught.value.reason == reason
        assert all(call.args[0] == "GetModel" for call in sent.call_args_list)
        words = [*map(str, args), *(f"{name}={value}" for name, value in kwargs.items())]
        shown = subprocess.run([os.environ["SIGNET_CLI"], "--address", server.address, "call", "recipes", "score", *words],
                               capture_output=True, text=True, timeout=60, check=False)
        assert f"recipes/1.score: {caught.value}\n" in shown.stderr  # the sentence of the server


def test_case_04_a_name_of_a_positional_parameter_among_keywords(tmp_path):
    (tmp_path / "m" / "1").mkdir(parents=True)
    (tmp_path / "m" / "1" / "model.signet").write_text("def f(x, /, **kw):\n    return x, kw\n")
    server = Server(models=str(tmp_path))
    try:
        with signet.connect(server.address, wait=30) as client:
            assert client.m.f(1, x=2) == (1, {"x": 2})
    finally:
        server.stop()


def test_case_05_numbers_of_other_dtypes(values):
    expected = np.float32([1, 2, 5])
    for given in (np.float64([1, 2, 5]), np.int64([1, 2, 5]), [1, 2, 5]):
        assert np.array_equal(values.floats(given), expected)


def test_case_06_numbers_that_do_not_fit(values):
    for name, given, path in [("ints", [1.5], "x[0]"), ("integer", 2.5, "x"), ("integer", 2.0, "x"), ("ints", [1, 2.0], "x[1]"),
                              ("ints", np.float64([1.5]), "x"), ("ints", np.float64([2.0]), "x"), ("number", True, "x"), ("floats", [True], "x[0]"),
                              ("bools", np.int64([1]), "x"), ("bools", [1], "x[0]")]:
        with raises(signet.TypeMismatch) as caught:
            getattr(values, name)(given)
        assert (caught.value.reason, caught.value.field) == ("DTYPE_MISMATCH", path), (name, given)
    for name, given, path in [("number", 1e300, "x"), ("bytes", [300], "x[0]"), ("ints", [2**70], "x[0]"), ("bytes", np.int64([300]), "x"),
                              ("floats", np.float64([1e300]), "x")]:
        with raises(signet.Error) as caught:
            getattr(values, name)(given)
        assert isinstance(caught.value, ValueError), name
        assert (caught.value.reason, caught.value.field) == ("OUT_OF_RANGE", path), (name, given)


def test_case_07_arrays_of_every_layout(values):
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.array_equal(values.matrix(matrix.T), matrix.T)
    assert np.array_equal(values.matrix(matrix[:, ::2]), matrix[:, ::2])
    assert np.array_equal(values.floats(np.arange(3, dtype=">f4")), [0, 1, 2])
    assert values.matrix(np.zeros((0, 4), np.float32)).shape == (0, 4)
    scalar = values.number(np.array(2.5, np.float32))
    assert scalar == 2.5 and np.isscalar(scalar)


def test_case_08_lists_of_different_lengths(values):
    with raises(signet.InvalidArgument, r"\[1\]"):
        values.matrix([[1, 2], [3]])
    assert values.lists([[1, 2], [3]]).to_py() == [[1, 2], [3]]


def test_case_09_arrays_of_arrays(values):
    rows = np.empty(3, object)
    rows[:] = [np.float32([1, 2, 3]), np.float32([]), np.float32([4, 5])]
    assert values.lists(rows).to_py() == [[1, 2, 3], [], [4, 5]]
    with raises(ValueError, "row_splits|row splits"):
        signet.Ragged(np.float32([1, 2, 3]), [0, 3, 2])


def test_case_10_columns(values):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"scores": [[1.0], []], "extra": [0, 0], "age": [40.0, 20.0], "name": ["Ann", "Bo"]})
    assert values.people(frame).to_py() == [{"name": "Ann", "age": 40, "scores": [1]}, {"name": "Bo", "age": 20, "scores": []}]
    with raises(signet.InvalidArgument, "no column `age`; columns: `extra`, `name`, `scores`"):
        values.people(frame.drop(columns="age"))


def test_case_11_missing_values(values):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"name": ["Ann", None, np.nan], "age": [1.0, 2.0, 3.0], "scores": [[], [], []]})
    with raises(signet.InvalidArgument, "2 missing values; the first is in row 1"):
        values.people(frame)
    optional = pandas.DataFrame({"name": ["Ann", "Bo"], "age": [1, 2], "scores": pandas.Series([1.5, None], dtype="Float64")})
    assert [row["scores"] for row in values.people(optional).to_py()] == [[1.5], []]
    optional["scores"] = [None, 2.0]
    assert [row["scores"] for row in values.people(optional).to_py()] == [[], [2.0]]
    assert values.lists(pandas.Series([1, None, 3], dtype="Int64")).to_py() == [[1], [], [3]]
    assert values.words(pandas.Series(["a", None], dtype="string")).to_py() == [["a"], []]
    kept = values.floats([1.0, math.nan, math.inf])
    assert np.isnan(kept[1]) and kept[2] == math.inf
    with raises(signet.InvalidArgument, r"\[1\](.|\n)*string|\[1\](.|\n)*text"):
        values.texts(["a", math.nan])


def test_case_11_missing_values_under_a_type_with_rows(values):
    """As nulls of Arrow: a value is a row of length 1, and a missing value is a row of length 0."""
    pandas = pytest.importorskip("pandas")
    assert values.lists(pandas.Series([1.5, None, 3.0])).to_py() == [[1.5], [], [3]]
    assert values.lists(pandas.Series([None, 2], dtype="Int64")).to_py() == [[], [2]]
    assert values.words(pandas.Series(["a", None, "c"])).to_py() == [["a"], [], ["c"]]
    for scores, wanted in (([1.0, None], [[1], []]), ([1.0, 2.0], [[1], [2]]), ([[1.0, 2.0], []], [[1, 2], []])):
        frame = pandas.DataFrame({"name": ["Ann", "Bo"], "age": [1.0, 2.0], "scores": scores})
        assert [row["scores"] for row in values.people(frame).to_py()] == wanted


def test_case_11_missing_integers_under_a_type_with_rows(ops):
    pandas = pytest.importorskip("pandas")
    integers = signet.function(identity_of("[{ids: int64[(?)]}]"))
    assert integers(pandas.DataFrame({"ids": [7, None]})).to_py() == [{"ids": [7]}, {"ids": []}]
    with raises(signet.TypeMismatch, "with 7.5"):
        integers(pandas.DataFrame({"ids": [7.5, None]}))


def test_case_12_records_that_do_not_fit(values):
    assert values.people([{**PEOPLE[0], "more": 1}]).to_py() == PEOPLE[:1]  # other keys are skipped
    with raises(signet.InvalidArgument, "no key `age`"):
        values.people([{"name": "Ann", "aeg": 40, "scores": []}])
    import datetime

    for given in ({1: "x"}, {"name": {1, 2}, "age": 1, "scores": []}, {"name": datetime.datetime(2020, 1, 1), "age": 1, "scores": []}):
        with raises(TypeError, r"\[0\]"):
            values.people([given])


def test_case_13_bytes_that_are_not_utf_8(values):
    for given in ([b"\xff\xfe", "text"], np.array([b"\xff\xfe", "text"], object)):
        found = values.texts(given)
        assert [type(each) for each in found] == [str, str] and found[1] == "text"
        assert found[0].encode("utf-8", "surrogateescape") == b"\xff\xfe"
        assert values.texts(found).tolist() == found.tolist()
        assert values.texts.with_options(text="bytes")(given).tolist() == [b"\xff\xfe", b"text"]


def test_case_14_texts(values):
    texts = np.array(["a\0", "\0", "🙂", ""], object)
    assert values.texts(texts).tolist() == texts.tolist()
    for given, path in ((["a", "\ud800"], "x[1]"), (np.array(["a", "é", "\ud800"], object), "x[2]")):
        with raises(signet.InvalidArgument, "surrogate") as caught:
            values.texts(given)
        assert caught.value.field == path and caught.value.reason == "INVALID_UTF8"


class FromAnotherLibrary:
    """A tensor of another library, which may reject its conversion."""

    def __init__(self, array=None):
        self.array = array

    def __array__(self, dtype=None):
        if self.array is None:
            raise RuntimeError("use tensor.detach().numpy() instead")
        return self.array


def test_case_15_tensors_of_other_libraries(values):
    assert values.floats(FromAnotherLibrary(np.float32([1, 2]))).tolist() == [1, 2]
    for given, path in ((FromAnotherLibrary(), "x"), ([1.0, FromAnotherLibrary()], r"x\[1\]")):
        with raises(signet.TypeMismatch, f"argument `{path}`: .*`FromAnotherLibrary`.*use tensor.detach") as caught:
            values.floats(given)
        assert isinstance(caught.value.__cause__, RuntimeError)

    class Shared:
        """A tensor that only has the protocol of DLPack."""

        def __init__(self, array):
            self._array = array

        def __dlpack__(self, **options):
            if self._array is None:
                raise BufferError("the tensor is on a GPU")
            return self._array.__dlpack__(**options)

        def __dlpack_device__(self):
            return (1, 0)

    assert values.floats(Shared(np.float32([1, 2]))).tolist() == [1, 2]
    with raises(signet.TypeMismatch, "argument `x`: .*on a GPU"):
        values.floats(Shared(None))


def test_case_16_ragged_and_arrow_values_of_other_libraries(values):
    ragged = types.SimpleNamespace(values=FromAnotherLibrary(np.float32([1, 2, 3])), row_splits=FromAnotherLibrary(np.int64([0, 2, 3])))
    assert values.lists(ragged).to_py() == [[1, 2], [3]]
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        frame = type("Frame", (), {"__arrow_c_stream__": lambda self, requested=None: None})()
        with raises(ImportError, "pyarrow"):
            values.people(frame)


def test_case_17_bfloat16(values):
    result = values.halves(np.float32([1, 1.00390625, 1.01171875]))  # the last two lie halfway between two values
    assert result.astype(np.float32).tolist() == [1, 1, 1.015625]
    try:
        import ml_dtypes
    except ImportError:
        assert result.dtype == np.float32
    else:
        assert result.dtype == ml_dtypes.bfloat16


def test_case_18_results_are_independent(values):
    result = values.floats([1, 2])
    result += 1
    assert result.tolist() == [2, 3]
    # A column that is kept does not keep the memory of the others, or of the message.
    import weakref

    people = [{"name": f"n{i}", "age": i, "scores": [i / 2] * 1000} for i in range(200)]
    whole = values.people(people)
    large = whole.scores.flat_values
    while isinstance(large.base, np.ndarray):
        large = large.base
    watch, ages = weakref.ref(large), whole.age
    assert large.size == 200_000
    del whole, large
    assert watch() is None and ages.tolist() == list(range(200))
    assert ages.base is None or getattr(ages.base, "nbytes", 0) <= ages.nbytes


def test_case_19_names_that_are_used_by_the_package(tmp_path):
    (tmp_path / "close" / "1").mkdir(parents=True)
    (tmp_path / "close" / "1" / "model.signet").write_text(
        "def call(timeout, self, options):\n    return timeout + self + options\n\n\ndef doc(x):\n    return x\n")
    server = Server(models=str(tmp_path))
    try:
        with signet.connect(server.address, wait=30) as client:
            model = client["close"]
            assert model.call(timeout=1, self=2, options=3) == 6 and model.doc(4) == 4
            assert signet.info(model).version == 1
    finally:
        server.stop()


def test_case_20_another_signature_after_a_restart(tmp_path):
    def publish(version, text):
        (tmp_path / "m" / str(version)).mkdir(parents=True)
        (tmp_path / "m" / str(version) / "model.signet").write_text(text)

    publish(1, "def f(x):\n    return x\n")
    server = Server(models=str(tmp_path))
    port = server.address.split(":")[1]
    with signet.connect(server.address, wait=30) as client:
        pinned = client["m/1"]
        assert client.m.f(1) == 1 and pinned.f(1) == 1
        server.stop()
        publish(2, "def f(x, *, y):\n    return x + y\n")
        shutil.rmtree(tmp_path / "m" / "1")
        server = Server(models=str(tmp_path), port=int(port))
        try:
            time.sleep(1.1)
            assert client.m.f(1, y=2) == 3
            with raises(signet.NotFound, "versions?: 2"):
                pinned.f(1)
        finally:
            server.stop()


def test_case_21_deadlines(client):
    with raises(signet.DeadlineExceeded, "predict") as caught:
        client.half_plus_two.predict.with_options(timeout=1e-6)([1.0])
    assert isinstance(caught.value, TimeoutError) and "1e-06 s" in str(caught.value)


def test_case_22_messages_that_are_too_large():
    server = Server("--max_message_bytes", "20000")
    try:
        with signet.connect(server.address, wait=30) as client:
            with raises(signet.ResourceExhausted, r"40\d\d\d(.|\n)*20000(.|\n)*bulk"):
                client["half_plus_two"](np.zeros(10000, np.float32))
    finally:
        server.stop()


def test_case_23_numbers_of_parameters_without_a_type(values):
    served_function._plain_values.clear()  # of other tests
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(1000):
            assert values.anything(number / 7 + 10000) == number / 7 + 10000
            assert len(caught) == (number >= 15), number
    assert caught[0].category is signet.PlainValueWarning and "send np.float32(x)" in str(caught[0].message)


def test_case_24_an_endless_iterator(client):
    before = threading.active_count()
    count = 0
    for result in client.half_plus_two.predict.map(([float(n)] for n in iter(int, 1))):
        assert result.tolist() == [2.0]
        count += 1
        if count == 3:
            break
    del result
    end = time.monotonic() + 10
    while threading.active_count() > before + 1 and time.monotonic() < end:
        time.sleep(0.01)
    assert threading.active_count() <= before + 1


def test_case_25_one_bad_call_among_many(client):
    calls = [[float(n)] for n in range(100)]
    calls[57] = "wrong"
    results = client.half_plus_two.predict.map(calls)
    for number in range(57):
        assert next(results).tolist() == [number / 2 + 2]
    with raises(signet.TypeMismatch, "call 57"):
        next(results)
    outcomes = list(client.half_plus_two.predict.map(calls, errors="return"))
    assert [n for n, each in enumerate(outcomes) if isinstance(each, signet.Error)] == [57] and len(outcomes) == 100


def test_case_26_bulk_of_no_rows_and_of_other_rows(client):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"name": [], "balances": []})
    empty = client.savings.fees.bulk(frame)
    assert len(empty) == 0 and list(empty.columns) == ["name", "fee"] and empty.fee.dtype == np.float32
    with raises(signet.InvalidArgument, "a result with 1 rows for 1 rows, found (.|\n)*one result for each row"):
        client.text.topics.bulk(["a", "b"], rows_per_call=1)


def test_case_27_functions_are_functions(client):
    score = client.recipes.score
    assert "recipes" in str(score) and "score" in str(score)
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        help(score)
    assert "user_embedding" in shown.getvalue()
    assert pickle.loads(pickle.dumps(score)).__name__ == "score"
    assert "top_k=2" in str(inspect.signature(functools.partial(score, top_k=2))).replace(" ", "")
    assert callable(score) and inspect.signature(score).parameters["top_k"].default == 3


def test_case_28_results_of_types_without_a_class(tmp_path):
    (tmp_path / "things" / "1").mkdir(parents=True)
    (tmp_path / "things" / "1" / "model.signet").write_text(
        "class picky.Undeclared:\n    unit: static\n    value: float32[]\n\n\ndef make(x: float32[]):\n"
        "    return picky.Undeclared(x, unit=\"cm\")\n\n\ndef value(thing):\n    return thing.value\n")
    server = Server(models=str(tmp_path))
    try:
        with signet.connect(server.address, wait=30) as client:
            thing = client.things.make(2.5)
            assert type(thing) is signet.Extension and (thing.name, thing.statics["unit"], thing.value) == ("picky.Undeclared", "cm", 2.5)
            assert client.things.value(thing) == 2.5
    finally:
        server.stop()


# --- authoring --------------------------------------------------------------------------------------------

def rejects(body, match, kind=TypeError, line=None):
    """Traces `body` with parameters of the given types; checks the error, and the text of the line where it is raised."""
    function = signet.function(body)
    with raises(kind, match) as caught:
        signet.Model("", function)
    assert isinstance(caught.value, signet.TraceError)
    if line is not None:
        assert traceback.extract_tb(caught.value.__traceback__)[-1].line == line


def test_case_29_python_statements_on_traced_values(ops):
    def if_(x: "float32[]"):
        if x > 0:
            return x
        return -x

    def or_(x: "bool[]", y: "bool[]"):
        return x or y

    def chain(x: "float32[]"):
        return 0 < x < 1

    def in_(x: "float32[]", xs: "float32[?]"):
        return x in xs

    def while_(x: "float32[]"):
        while x < 10:
            x = x + 1
        return x

    def for_(x: "float32[?]"):
        return [row for row in x]

    for body, hint, line in ((if_, "ops.select|cond", "if x > 0:"), (or_, r"`\|`", "return x or y"), (chain, "&", "return 0 < x < 1"),
                             (in_, "reduce_any", "return x in xs"), (while_, "while_loop", "while x < 10:"),
                             (for_, "map", "return [row for row in x]")):
        rejects(body, hint, line=line)


def test_case_30_python_statements_on_python_values(ops):
    @signet.extension_type("picky.Length")
    class Length:
        value: "float32[]"
        unit: str

    @signet.function
    def meters(length: signet.type_of(Length, unit="cm", value="float32[]")):
        if length.unit == "cm":
            return length.value / 100
        return length.value

    @signet.function
    def cube(x: "float32[]"):
        out = x
        for _ in range(2):
            out = out * x
        return out

    assert meters(Length(250, "cm")) == 2.5 and cube(3) == 27
    assert signet.Model("", cube).to_text().count("*") == 2


def test_case_31_functions_of_other_libraries(ops):
    table = np.arange(100, dtype=np.float32)

    @signet.function
    def exp(x: "float32[]"):
        return np.exp(x)

    assert abs(exp(1) - math.e) < 1e-5
    rejects(lambda_of(lambda x: np.asarray(x)), "signet.ops|ops")
    rejects(lambda_of(lambda x: table[x], "int32[]"), "ops.gather")
    rejects(lambda_of(lambda x: math.sqrt(x)), "ops.sqrt")


def lambda_of(body, type_="float32[]"):
    def f(x):
        return body(x)

    f.__annotations__ = {"x": type_}
    return f


def test_case_32_assignments_to_parts(ops):
    def item(x: "float32[?]"):
        x[0] = 1
        return x

    def field(x: "{a: int32[]}"):
        x.a = 1
        return x

    rejects(item, "scatter")
    rejects(field, "struct_update")

    @signet.function
    def plus(x: "float32[]"):
        x += 1
        return x

    assert plus(1) == 2


def test_case_33_results(ops):
    def nothing(x: "float32[]"):
        x + 1

    rejects(nothing, "None", ValueError)

    @signet.function
    def number(x: "float32[]"):
        return 3

    @signet.function
    def array(x: "float32[]"):
        return np.float32([1, 2])

    assert number(1) == 3 and array(1).tolist() == [1, 2]

    @signet.function
    def nests(x: "float32[]"):
        return [x, {"n": 3, "a": np.float32([1, 2])}]

    @signet.function
    def same(x: "float32[]"):
        return x

    first, rest = nests(1)
    assert first == 1 and rest["n"] == 3 and rest["a"].tolist() == [1, 2] and same(4) == 4


def test_case_34_sizes_that_do_not_fit(ops):
    def three_deep(x, y):
        return (lambda a, b: (lambda c, d: c @ d)(a, b))(x, y)

    def known(x: "float32[3, 4]", y: "float32[3, 4]"):
        return three_deep(x, y)

    rejects(known, r"float32\[3, 4\](.|\n)*float32\[3, 4\]", ValueError, "return (lambda a, b: (lambda c, d: c @ d)(a, b))(x, y)")

    @signet.function
    def unknown(x: "float32[?, ?]", y: "float32[?, ?]"):
        return x @ y

    with raises(signet.Error, "matmul") as caught:
        unknown(np.ones((3, 4)), np.ones((3, 4)))
    assert "return x @ y" in "".join(caught.value.__notes__)


def test_case_35_a_value_that_is_used_after_the_trace(ops):
    kept = []

    @signet.function
    def f(x: "float32[]"):
        kept.append(x + 1)  # the line that the error names
        return kept[0]

    signet.Model("", f)
    line = f._function.__code__.co_firstlineno + 2
    with raises(signet.TraceError, rf"picky_user_test.py:{line}(.|\n)*`f`(.|\n)*over"):
        kept[0] + 1


def test_case_36_arrays_that_change(ops, tmp_path):
    weights = np.linspace(0, 1, 64, dtype=np.float32)

    @signet.function
    def f(x: "float32[64]"):
        return x * weights

    model = signet.Model("", f)
    weights[0] = 7
    with raises(signet.Error, "weights"):
        model.save(str(tmp_path / "1"))
    with raises(signet.Error, "weights"):
        f(np.ones(64))


def test_case_37_functions_that_are_not_accepted(ops):
    def recursive(x: "float32[]"):
        return traced(x)

    traced = signet.function(recursive)
    with raises(ValueError, "calls itself"):
        signet.Model("", traced)

    async def asynchronous(x):
        return x

    def generator(x):
        yield x

    def renamed(x):
        return x

    renamed.__name__ = "not a name"
    for body, match in ((asynchronous, "async"), (generator, "generator"), (lambda x: x, "name"), (renamed, "name")):
        with raises((TypeError, ValueError), match):
            signet.Model("", signet.function(body))

    def same(number):
        def f(x: "float32[]"):
            return x + number

        return signet.function(f)

    with raises(ValueError, "two functions of the model have the name `f`"):
        signet.Model("", same(1), same(2))


def test_case_38_wrong_types(ops):
    def annotated(annotation):
        def f(x):
            return x

        f.__annotations__ = annotation
        return f

    with raises(TypeError, "float32|float64"):
        signet.function(annotated({"x": float}))
    with raises(ValueError, "`float23`; the nearest is `float32`"):
        signet.function(annotated({"x": "float23[?]"}))
    with raises(ValueError, r"int32(.|\n)*float32"):
        signet.Model("", signet.function(annotated({"x": "float32[?]", "return": "int32[?]"})))


def test_case_39_defaults(ops):
    def large(x: "int8[]" = 300):
        return x

    def variadic(*args: "float32[]"):
        return args

    with raises(ValueError, "-128 to 127 for `int8`") as caught:
        signet.function(large)
    assert caught.value.reason == "OUT_OF_RANGE"
    with raises(ValueError, "no type for a variadic") as caught:
        signet.function(variadic).traced()
    assert caught.value.reason == "VARIADIC_TYPED"

    @signet.function
    def mutable(x: "float32[]", axes=[]):
        return {"x": x, "axes": axes}

    assert mutable(1)["axes"] == []


def test_case_40_branches_of_other_types(ops):
    @signet.function
    def sizes(p: "bool[]"):
        return signet.cond(p, lambda: np.float32([1, 2]), lambda: np.float32([1, 2, 3]))

    assert sizes(True).tolist() == [1, 2] and sizes(False).tolist() == [1, 2, 3]
    assert repr(sizes.output_type(signet.Type("bool[]"))) == "float32[?]"

    def dtypes(p: "bool[]"):
        def then():
            return np.int32(1)

        return signet.cond(p, then, lambda: np.float32(2))

    line = dtypes.__code__.co_firstlineno
    rejects(dtypes, rf"`then`, at picky_user_test.py:{line + 1}, returns `int32\[\]`, and `else`, at picky_user_test.py:{line + 4}, "
                    r"returns `float32\[\]`", ValueError)


def test_case_41_functions_with_values_of_the_outside(ops):
    @signet.function
    def closed(xs: "float32[?]", y: "float32[]", p: "bool[]"):
        def row(x):
            return ops.reduce_sum(signet.map(lambda z: signet.cond(p, lambda: z * y + x, lambda: x), xs))

        return signet.map(row, xs)

    xs = np.float32([1, 2, 3])
    assert closed(xs, 2, True).tolist() == [float((xs * 2 + x).sum()) for x in xs]
    assert closed(xs, 2, False).tolist() == [3, 6, 9]


ENDLESS = """
import os, signal, threading, time
import signet

@signet.function
def endless(x: "float32[]"):
    return signet.while_loop(lambda x: x >= 0, lambda x: x * 1.0, x)

endless.traced()
if os.environ.get("INTERRUPT"):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    endless.with_options(timeout=60)(1)
except signet.ResourceExhausted as error:
    print("limit:", error)
except KeyboardInterrupt:
    print("interrupted:", time.monotonic() - start < 2)
"""


def test_case_42_a_loop_without_an_end(ops, tmp_path):
    program = tmp_path / "program.py"  # functions need their source, so the program is a file
    program.write_text(ENDLESS)
    limited = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=300, check=False)
    assert "limit:" in limited.stdout and "steps" in limited.stdout, limited
    stopped = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=300, check=False,
                             env={**os.environ, "INTERRUPT": "1"})
    assert "interrupted: True" in stopped.stdout, stopped


def test_case_43_masked_tensors(ops):
    masked = example("masked")
    m = masked.MaskedTensor([1.0, -2.0], [True, False])
    for value in (m + 1, 1 + m, m + m, abs(m)):
        assert isinstance(value, masked.MaskedTensor) and value.mask.tolist() == [True, False]
    assert (m + m).values.tolist() == [2, -4] and abs(m).values.tolist() == [1, 2]
    assert ops.stack(m, m).values.shape == (2, 2)
    with raises(signet.Error, "types that were tried, in this order: `masked.MaskedTensor`(.|\n)*dispatch_for"):
        ops.matmul(m, m)

    @signet.function
    def inside(m: masked.MaskedTensor):
        return m + 1, 1 + m, m + m, abs(m), ops.stack(m, m)

    for found, expected in zip(inside(m), (m + 1, 1 + m, m + m, abs(m), ops.stack(m, m))):
        assert isinstance(found, masked.MaskedTensor) and found.equals(expected)
    assert masked.model.add(m, 1).values.tolist() == [2, -1]


def test_case_44_invariants(ops):
    @signet.extension_type("picky.Positive")
    class Positive:
        value: "float32[]"

        @signet.invariant
        def positive(self):
            """the value is above 0"""
            return self.value > 0

    @signet.function
    def take(x: Positive):
        return x.value

    @signet.function
    def make(x: "float32[]"):
        return Positive(x)

    sentences = []
    for wrong in (lambda: Positive(-1), lambda: take({"value": -1}), lambda: make(-1)):
        with raises(signet.Error, "the value is above 0") as caught:
            wrong()
        sentences.append(caught.value)
    assert make(1).value == 1


def test_case_45_subclasses_components_and_handlers_that_decline(ops):
    @signet.extension_type("picky.Base")
    class Base:
        values: "float32[?]"
        shape: "int32[]"

    @signet.extension_type("picky.Derived")
    class Derived(Base):
        more: "float32[]"

    derived = Derived([1.0, 2.0], 7, 3)
    assert derived.values.tolist() == [1, 2] and derived.shape == 7 and isinstance(derived, Base)

    @signet.dispatch_for(ops.neg, Base)
    def base(x):
        return Base(-x.values, x.shape)

    @signet.dispatch_for(ops.neg, Derived)
    def decline(x):
        return signet.decline(x)

    assert (-derived).values.tolist() == [-1, -2]


def test_case_46_a_cell_that_runs_twice(ops):
    def cell():
        @signet.extension_type("picky.Cell")
        class Cell:
            value: "float32[]"

        @signet.function
        def f(x: Cell):
            return x.value

        return f, Cell

    cell()
    f, cls = cell()
    assert f(cls(2)) == 2 and signet.Model("", f).f(cls(3)) == 3


def test_case_46_a_cell_that_runs_again_with_changed_source(ops):
    """As in a notebook: each cell is a file of its own, and defines names of the module `__main__`."""
    import linecache

    scope = {"__name__": "__main__", "signet": signet}
    cell = """@signet.extension_type("picky.Changed")
class Changed:
    value: "float32[]"

    def scaled(self):
        return self.value * {factor}

@signet.function
def f(x: Changed):
    return x.scaled()
"""
    for number, factor in enumerate((2.0, 2.0, 3.0)):
        source = cell.format(factor=factor)
        name = f"<ipython-input-{number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(compile(source, name, "exec"), scope)
        assert [each.category for each in caught] == [signet.RedefinitionWarning] * (number == 2), [str(each.message) for each in caught]
        assert all(each.filename == name for each in caught)
        assert scope["f"](scope["Changed"](5)) == 5 * factor


def test_case_47_saving_over_a_model(ops, tmp_path):
    @signet.function
    def f(x: "float32[]"):
        return ops.reduce_sum(ops.reshape(x + 1, shape=[1]), axes=0, empty_is_all=True)

    model = signet.Model("", f, metadata={"a": "1", "b": "2", "c": "3"})
    path = tmp_path / "m" / "1"
    model.save(str(path))
    first = {name: (path / name).read_bytes() for name in os.listdir(path)}
    model.save(str(path))
    assert {name: (path / name).read_bytes() for name in os.listdir(path)} == first
    binary = {(model.save(tmp_path / str(n), binary=True) / "model.pb").read_bytes() for n in range(2, 6)}
    assert len(binary) == 1
    with raises((OSError, signet.Error), "/proc/nowhere"):
        model.save("/proc/nowhere/1")


def test_case_48_serving(ops, monkeypatch, tmp_path):
    @signet.function
    def f(x: "float32[]"):
        return x + 1

    model = signet.Model("", f)
    with raises(RuntimeError, "mine"):
        with model.serve() as served:
            address = served.f._client.address
            assert served.f(1) == 2
            raise RuntimeError("mine")
    with raises(signet.Unavailable):
        signet.connect(address).model.f(1)
    monkeypatch.setenv("SIGNET_SERVER", str(tmp_path / "nothing"))
    with raises(Exception, "nothing|SIGNET_SERVER"):
        model.serve().__enter__()


def test_case_49_without_the_engine(server, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(f"""
import sys
sys.modules["signet._core"] = None
import signet
try:
    @signet.function
    def f(x):
        return x
    signet.Model("", f)
except ImportError as error:
    print("ImportError:", error)
print(signet.connect("{server.address}").half_plus_two([2.0]))
""")
    run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60, check=True)
    assert "ImportError: " in run.stdout and "wheel" in run.stdout and "[3.]" in run.stdout, run.stdout


def test_case_50_pickles_need_no_source(ops, tmp_path):
    weights = np.linspace(0, 1, 64, dtype=np.float32)

    @signet.function
    def f(x: "float32[64]"):
        return signet.ops.reduce_sum(x * weights)

    (tmp_path / "f.pickle").write_bytes(pickle.dumps(f))
    program = "import pickle, sys, numpy; print(float(pickle.load(open(sys.argv[1], 'rb'))(numpy.ones(64))))"
    run = subprocess.run([sys.executable, "-c", program, str(tmp_path / "f.pickle")], capture_output=True, text=True, timeout=60, check=True)
    assert float(run.stdout) == float(weights.sum())


def test_case_51_results_are_equal_in_every_way_of_calling(ops, server, client):
    import asyncio

    rows = [{"name": f"n{i}", "balances": [i / 7, i * 300.1][: i % 3]} for i in range(50)]
    expected = client.savings.fees(rows)

    async def call():
        async with signet.aio.connect(server.address) as other:
            return await other.savings.fees(rows)

    local = signet.load(os.path.join(SOURCE, "examples/models/savings/1"))
    with client.savings.fees.stream() as stream:
        future = stream(rows)
    found = [local.fees(rows), asyncio.run(call()), future.result(30), client.savings.fees.bulk(rows, rows_per_call=7),
             next(client.savings.fees.map([(rows,)]))]
    for result in found:
        assert result.equals(expected)


def test_case_51_results_of_dask_are_equal(server, client):
    pandas = pytest.importorskip("pandas")
    dataframe = pytest.importorskip("dask.dataframe")
    import signet.dask

    frame = pandas.DataFrame([{"name": f"n{i}", "balances": [i / 7, i * 300.1][: i % 3]} for i in range(50)])
    expected = client.savings.fees(frame).to_pandas()
    parts = signet.dask.map_partitions(dataframe.from_pandas(frame, npartitions=3), "savings.fees", address=server.address)
    found = parts.compute(scheduler="synchronous")
    assert found.name.tolist() == expected.name.tolist() and found.fee.to_numpy().tobytes() == expected.fee.to_numpy().tobytes()
