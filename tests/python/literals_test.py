"""Literal parameters: optional arguments and flags, in this process, in files, and over a server."""

import typing

import numpy as np
import pytest

import signet
from signet import ops

warns_of_numbers = pytest.mark.filterwarnings("ignore::signet.PlainValueWarning")


@signet.function
def price(x: "float32[?]", coupon=None):
    if coupon is None:
        return x
    return x * 0.5


@signet.function
def total(x: "float32[?]", mode: signet.Literal["sum", "mean"] = "sum", *, times=2, weight: "float32[]" = None, scale=1.0):
    """Returns a number.

    Example: [1,2,3] mode=mean weight=2
    """
    y = ops.reduce_sum(x) if mode == "sum" else ops.reduce_mean(x)
    for _ in range(times):
        y = y + 1
    if weight is not None:
        y = y * weight
    return y * scale


@pytest.fixture(params=["text", "binary", "server"], scope="module")
def saved(request, tmp_path_factory):
    """The functions `price` and `total` of a saved model."""
    model = signet.Model("", price, total)
    if request.param == "server":
        with model.serve() as served:
            yield served
        return
    folder = tmp_path_factory.mktemp("literals") / "m" / "1"
    model.save(folder, binary=request.param == "binary")
    yield signet.load(folder)


def test_literals_are_values_of_python_while_tracing():
    seen = []

    @signet.function
    def f(x: "float32[]", n=3, flag=True, axes=(0, 1), name="a", nothing=None):
        seen.append((n, flag, axes, name, nothing))
        return x * (1 * n)

    assert f(2) == 6 and f(2, 4) == 8 and f(2) == 6 and f(2, n=4) == 8
    assert f(2, True) == 2 and f(2, 1) == 2 and f(2, 1.0) == 2  # three literals
    assert [(type(n), n) for n, *_ in seen] == [(int, 3), (int, 4), (bool, True), (int, 1), (float, 1.0)]
    assert seen[0] == (3, True, (0, 1), "a", None)


def test_none_is_none():
    assert price([10]).tolist() == [10] and price([10], "A").tolist() == [5] and price([10], coupon=None).tolist() == [10]
    assert total([1, 2, 3]) == 8 and total([1, 2, 3], "mean") == 4 and total([1, 2, 3], times=5) == 11
    assert total([1, 2, 3], weight=3) == 24 and total([1, 2, 3], weight=np.float64(3)) == 24 and total([1, 2, 3], weight=None, scale=2) == 16


def test_saved_functions_dispatch_on_literals(saved):
    assert saved.price([10]).tolist() == [10] and saved.price([10], None).tolist() == [10] and saved.price([10], "A").tolist() == [5]
    assert saved.price([10], np.float32(3)).tolist() == [5]
    assert saved.total([1, 2, 3]) == 8 and saved.total([1, 2, 3], "mean") == 4
    assert saved.total([1, 2, 3], weight=3) == 24 and saved.total([1, 2, 3], "mean", weight=2, scale=3.0) == 24
    for arguments, keywords, field, expected in (
            (["max"], {}, "mode", 'argument `mode`: expected `"sum"` or `"mean"`, found `"max"`'), ([], {"times": 5}, "times", "argument `times`: expected `2`, found `5`"),
            (["mean"], {"weight": "x"}, "weight", "argument `weight`: expected")):
        with pytest.raises(signet.InvalidArgument) as caught:
            saved.total([1, 2, 3], *arguments, **keywords)
        assert expected in str(caught.value) and "node" not in str(caught.value) and "_total" not in str(caught.value)
        assert caught.value.field == field


def test_errors_in_this_process():
    with pytest.raises(signet.TypeMismatch, match='`mode`: expected `"sum"` or `"mean"`, found `"max"`') as caught:
        total([1], "max")
    assert caught.value.field == "mode" and caught.value.reason == "LITERAL_MISMATCH"
    with pytest.raises(signet.BindingError, match="no parameter `moed`"):
        total([1], moed="sum")
    with pytest.raises(signet.TraceError) as caught:
        total([1], times=np.int64(3))
    assert any("`times` of `total` is not a plain value in this call" in note for note in caught.value.__notes__)


def test_nested_calls():
    @signet.function
    def outer(x: "float32[?]", k=3):
        return price(x) + price(x, "A") + total(x, "mean", times=k)

    @signet.function
    def with_value(x: "float32[?]", w: "float32[]"):
        return total(x, weight=w) + price(x, w)[0]

    assert outer([2]).tolist() == [2 + 1 + 5] and outer([2], k=1).tolist() == [2 + 1 + 3]
    assert signet.Model("", outer).outer([2]).tolist() == [8]
    assert with_value([2], 3) == 12 + 1
    assert signet.Model("", with_value, total).with_value([2], 3) == 13


def test_kinds_of_parameters():
    @signet.function
    def f(x: "float32[]", /, a=1, *rest, flag=False, extra: "float32[?]" = None, **others):
        y = x * (10 if flag else 1) + a
        return {"y": y if extra is None else y + ops.reduce_sum(extra), "rest": rest, "others": others}

    expected = {"y": 31.0, "rest": (7,), "others": {"z": 1}}
    for run in (f, signet.Model("", f).f):
        if run is f:
            assert run(3, 1, 7, flag=True, z=1) == expected
        assert run(3) == {"y": 4.0, "rest": (), "others": {}}
        assert run(3, extra=[1, 2])["y"] == 7 and run(3, extra=np.float64([1, 2]).astype(np.float32))["y"] == 7


def test_forms_of_signatures_and_annotations():
    @signet.function(signature="(x: float32[n], mode = \"sum\", /, *, k: float32[] = 3)")
    def f(x, mode, *, k):
        return ops.reduce_sum(x) * k if mode == "sum" else ops.reduce_max(x) * k

    assert f([1, 2]) == 9 and f([1, 2], "max", k=1) == 2

    @signet.function
    def g(x: "float32[]", mode: typing.Literal["a", "b"] = "a"):
        return {"a": x, "b": -x}[mode]

    assert g(1, "b") == -1 and signet.Model("", g).g(1, "b") == -1

    @signet.function
    def h(x: "float32[]", mode: "signet.Literal[1, None]" = None):
        return x if mode is None else x * 2

    assert h(1) == 1 and h(1, 1) == 2
    with pytest.raises(signet.TraceError, match="expected a default that `signet.Literal"):
        @signet.function
        def wrong(x, mode: signet.Literal["a"] = "b"):
            return x
    with pytest.raises(TypeError, match="expected plain values"):
        signet.Literal[np.float32(1)]


@warns_of_numbers
def test_one_form_if_the_values_do_not_matter():
    @signet.function
    def f(x: "float32[?]", k=1, scale=2.0):
        return ops.top_k(x * scale, k=k).values

    text = signet.Model("", f).to_text()
    assert "call(" not in text and "_f" not in text
    assert f([1, 3, 2], 2).tolist() == [6, 4] and signet.Model("", f).f([1, 3, 2], 3, scale=1.0).tolist() == [3, 2, 1]

    @signet.function
    def by_identity(x: "float32[]", flag=True):
        return x if flag is True else -x

    assert by_identity(1) == 1 and by_identity(1, flag=False) == -1
    with pytest.raises(signet.InvalidArgument, match="`flag`: expected `True`, found `False`"):
        signet.Model("", by_identity).by_identity(1, flag=False)


def test_warnings_and_limits():
    @signet.function
    def f(x: "float32[]", n=0):
        return x + n

    with pytest.warns(signet.PlainValueWarning, match="16 different plain values of `n`"):
        for n in range(16):
            assert f(1, n) == 1 + n

    @signet.function
    def many(x: "float32[]", a: signet.Literal[1, 2, 3, 4, 5] = 1, b: signet.Literal[1, 2, 3, 4, 5] = 1, c: signet.Literal[1, 2, 3, 4, 5] = 1):
        return x * (a + b + c)

    assert many(1, 5, 4, 3) == 12
    with pytest.raises(signet.TraceError, match="more than 64 combinations"):
        signet.Model("", many)


def test_recursion_over_literals():
    @signet.function
    def power(x: "float32[]", n=3):
        return x if n == 1 else x * power(x, n=n - 1)

    assert power(2) == 8 and power(2, n=5) == 32 and signet.Model("", power).power(2) == 8


def test_methods_of_functions():
    assert total.call([1, 2, 3], "mean").result == 4
    assert repr(total.output_type("float32[?]", times=0)) == "float32[]"
    assert [each.tolist() for each in price.map([([1.0],), ([2.0], "A")])] == [[1], [1]]
    assert list(total.__signature__.parameters) == ["x", "mode", "times", "weight", "scale"]
    assert price.with_options(timeout=5)([4], "A").tolist() == [2]


def test_default_arrays_are_captures(tmp_path):
    table = np.arange(1000, dtype=np.float32)
    body = np.arange(1000, 2000, dtype=np.float32)
    large = np.zeros(3_000_000, np.float32)

    @signet.function
    def score(x: "float32[]", w: "float32[1000]" = table, v: "float32[?]" = large):
        return ops.reduce_sum(w + body) * x + ops.reduce_sum(v)

    for binary in (False, True):
        model = signet.Model("", score)
        model.save(tmp_path / "m" / "1", binary=binary)
        loaded = signet.load(tmp_path / "m" / "1")
        assert loaded.score(1) == score(1) and {"body", "table", "large"} <= set(signet.Model("", score).captures())
        if not binary:
            assert (tmp_path / "m" / "1" / "model.signet").stat().st_size < 1000
    table[0] = 1
    with pytest.raises(signet.TraceError, match="capture `table`: the array has changed"):
        signet.Model("", score)


def test_captures_are_called_like_variables():
    tiers = [float(i) for i in range(20)]

    @signet.function
    def f(i: "int32[]"):
        return ops.gather(np.array(tiers), i)

    assert list(signet.Model("", f).captures()) == ["tiers"]


def test_baked_values_warn():
    @signet.function
    def noisy(x: "float32[]"):
        return x + float(np.random.uniform())

    @signet.function
    def timed(x: "float32[]"):
        import time

        return x + time.time()

    with pytest.warns(signet.BakedValueWarning, match="random numbers"):
        noisy(1)
    with pytest.warns(signet.BakedValueWarning, match="reads the clock"):
        timed(1)
