"""Random programs with plain arithmetic: in the model language, and traced, compared with numpy."""

import random
import re

import numpy as np
import pytest

import signet
from signet import ops

PROGRAMS = 40


class Programs:
    """Expressions of the tensors x and y, the parameter k, which has no type, and numbers."""

    def __init__(self, seed, is_float):
        self.draw, self.is_float = random.Random(seed), is_float

    def number(self):
        value = self.draw.choice([0.5, 1.5, -0.25, 2, 3, -1]) if self.is_float else self.draw.randint(-3, 4)
        return str(value) if value >= 0 else f"({value})"

    def expression(self, depth, is_plain=False):
        if depth == 0:
            return self.number() if is_plain or self.draw.random() < 0.5 else self.draw.choice("xyk")
        kind = self.draw.choice(["binary", "binary", "binary", "neg", "select", "power"])
        def part(plain=is_plain):
            return self.expression(depth - 1, plain or self.draw.random() < 0.4)
        if kind == "neg":
            return f"(-{part()})"
        if kind == "power":
            return f"({part()} ** {self.draw.randint(0, 2)})"
        if kind == "select" and not is_plain:
            return f"select({part(False)} {self.draw.choice(['<', '>=', '=='])} {part()}, {part()}, {part()})"
        operator = self.draw.choice(["+", "-", "*"])
        if is_plain and self.draw.random() < 0.4:
            operator = self.draw.choice(["/", "//", "%"] if self.is_float else ["//", "%"])
        return f"({part()} {operator} {part()})"


def evaluated(text, x, y, k):
    with np.errstate(all="ignore"):
        try:
            return np.asarray(eval(text, {"x": x, "y": y, "k": k, "select": np.where}))
        except ZeroDivisionError:
            return None


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_plain_arithmetic_is_that_of_python(dtype, tmp_path):
    is_float = dtype.startswith("float")
    x, y = np.array([1, -2, 3], dtype), np.array([2, 2, -1], dtype)
    make = Programs(7, is_float)
    texts = [text for text in (make.expression(1 + i % 3) for i in range(2 * PROGRAMS)) if evaluated(f"{text} + x", x, y, 2) is not None][:PROGRAMS]
    folder = tmp_path / "m" / "1"
    folder.mkdir(parents=True)
    (folder / "model.signet").write_text("\n\n".join(f"def f{i}(x: {dtype}[3], y: {dtype}[3], k=2):\n    return {text} + x\n" for i, text in enumerate(texts)))
    loaded = signet.load(folder)
    for i, text in enumerate(texts):
        scope = {"ops": ops, "select": ops.select}
        exec(f"def f(x: '{dtype}[3]', y: '{dtype}[3]', k=2):\n    return {text} + x\n", scope)
        traced = signet.function(scope["f"])
        for k in (2, 0.5) if is_float else (2,):
            expected = evaluated(f"{text} + x", x, y, k)
            if expected is None:
                continue
            for found in (loaded[f"f{i}"](x, y, k), traced(x, y, k)):
                assert found.dtype == dtype, text
                np.testing.assert_allclose(found, expected.astype(dtype), rtol=1e-4, atol=1e-4, err_msg=text)


@pytest.mark.filterwarnings("ignore")
def test_functions_of_numpy_name_their_ops():
    """Each function of numpy on a traced value works, or its error names ops that exist, or it has no counterpart."""
    known = {}

    @signet.function
    def f(x: "float32[3]", y: "float32[3]"):
        for module in (np, np.linalg):
            for name in dir(module):
                function = getattr(module, name)
                if not isinstance(function, np.ufunc) and not hasattr(function, "_implementation") or name in ("save", "savez", "savetxt"):
                    continue  # it does not ask its arguments
                for arguments in ((x,), (x, y), (x > y, x, y), ([x, y],)):
                    try:
                        known.setdefault(name, set()).add(None if isinstance(function(*arguments), type(x)) else "")
                    except Exception as error:
                        known.setdefault(name, set()).add(str(error) if "does not take traced values" in str(error) else "")
        return x

    f([1, 2, 3], [1, 2, 3])
    named = {name: {word for message in messages if message for word in _ops_in(message)} for name, messages in known.items()}
    for name, words in named.items():
        for word in words:
            assert word in dir(ops), (name, word)
    for name, op in (("sum", "reduce_sum"), ("where", "select"), ("concatenate", "concat"), ("clip", "clip"), ("argmax", "argmax"), ("max", "reduce_max"),
                     ("mean", "reduce_mean"), ("stack", "stack"), ("std", "reduce_mean"), ("norm", "square"), ("vstack", "stack"), ("dot", "matmul"),
                     ("take", "gather"), ("cumsum", "cumsum"), ("sort", "sort"), ("argsort", "sort"), ("any", "reduce_any"), ("median", "sort"),
                     ("squeeze", "squeeze"), ("transpose", "transpose"), ("nonzero", "where_indices"), ("nansum", "reduce_sum"), ("isclose", "abs")):
        assert op in named[name], (name, known[name])
    for name in ("exp", "maximum", "isnan", "add", "rint", "positive"):
        assert None in known[name], name


def _ops_in(message):
    return re.findall(r"\bops\.(\w+)", message)


def test_invert():
    @signet.function
    def of_bools(x: "bool[?]"):
        return np.invert(x)

    @signet.function
    def of_integers(x: "int32[?]"):
        return np.invert(x)

    assert of_bools([True, False]).tolist() == [False, True] and of_integers([1, -1]).tolist() == [-2, 0]
    with pytest.raises(signet.TraceError, match=r"ops\.logical_not` or `ops\.bitwise_xor\(x, -1\)`"):
        @signet.function
        def unknown(x):
            return np.invert(x)

        unknown.traced()


def test_arrays_with_the_dtypes_of_numpy():
    @signet.function
    def f(x: "float32[3]"):
        return x * np.ones(3) + np.arange(3) + np.zeros(3) * x

    assert f([1, 2, 3]).tolist() == [1, 3, 5] and f([1, 2, 3]).dtype == np.float32
    with pytest.raises(signet.TraceError, match="cast"):
        @signet.function
        def g(x: "int64[3]"):
            return x * 0.5

        g.traced()
