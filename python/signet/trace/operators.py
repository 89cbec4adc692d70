"""The operators of Python as ops. Traced values and values of extension types have them."""

from __future__ import annotations

from typing import Any

from signet import ops
from signet.trace.errors import trace_error
from signet.tracebacks import bounded
from signet.types import RaggedType, SparseType, TensorType

# The ops of the functions of numpy that take a traced value.
UFUNCS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "floor_divide": "floordiv",
    "remainder": "mod", "power": "pow", "float_power": "pow", "matmul": "matmul", "negative": "neg", "absolute": "abs", "sign": "sign",
    "exp": "exp", "expm1": "expm1", "log": "log", "log1p": "log1p", "sqrt": "sqrt", "square": "square", "sin": "sin", "cos": "cos",
    "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "floor": "floor", "ceil": "ceil", "rint": "round",
    "reciprocal": "reciprocal", "isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite", "maximum": "maximum",
    "minimum": "minimum", "equal": "equal", "not_equal": "not_equal", "less": "less", "less_equal": "less_equal",
    "greater": "greater", "greater_equal": "greater_equal", "logical_and": "logical_and", "logical_or": "logical_or",
    "logical_xor": "logical_xor", "logical_not": "logical_not", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor", "invert": "bitwise_not",
}


def dtype_of(value: Any) -> str | None:
    """The dtype of an operand; None if it is not known."""
    from signet.trace.symbol import known_type

    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    type_ = known_type(value)
    if isinstance(type_, (TensorType, RaggedType, SparseType)):
        return type_.dtype
    if getattr(value, "_hint", None) == "bool":
        return "bool"
    dtype = getattr(value, "dtype", None)
    return str(dtype) if dtype is not None and not isinstance(value, Operators) else None


@bounded
class Operators:
    """Operators that call ops."""

    __slots__ = ()
    __array_priority__ = 1000

    def __add__(self, other: Any) -> Any:
        return ops.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return ops.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return ops.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return ops.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return ops.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return ops.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return _divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _divide(other, self)

    def __floordiv__(self, other: Any) -> Any:
        return ops.floordiv(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return ops.floordiv(other, self)

    def __mod__(self, other: Any) -> Any:
        return ops.mod(self, other)

    def __rmod__(self, other: Any) -> Any:
        return ops.mod(other, self)

    def __pow__(self, other: Any) -> Any:
        return ops.pow(self, other)

    def __rpow__(self, other: Any) -> Any:
        return ops.pow(other, self)

    def __matmul__(self, other: Any) -> Any:
        return ops.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return ops.matmul(other, self)

    def __neg__(self) -> Any:
        return ops.neg(self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return ops.abs(self)

    def __lt__(self, other: Any) -> Any:
        return ops.less(self, other)

    def __le__(self, other: Any) -> Any:
        return ops.less_equal(self, other)

    def __gt__(self, other: Any) -> Any:
        return ops.greater(self, other)

    def __ge__(self, other: Any) -> Any:
        return ops.greater_equal(self, other)

    def __eq__(self, other: object) -> Any:
        return ops.equal(self, other)

    def __ne__(self, other: object) -> Any:
        return ops.not_equal(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Any) -> Any:
        return _logical_or_bitwise("&", "and", self, other)

    def __rand__(self, other: Any) -> Any:
        return _logical_or_bitwise("&", "and", other, self)

    def __or__(self, other: Any) -> Any:
        return _logical_or_bitwise("|", "or", self, other)

    def __ror__(self, other: Any) -> Any:
        return _logical_or_bitwise("|", "or", other, self)

    def __xor__(self, other: Any) -> Any:
        return _logical_or_bitwise("^", "xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return _logical_or_bitwise("^", "xor", other, self)

    def __invert__(self) -> Any:
        return _logical_or_bitwise("~", "not", self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        op = UFUNCS.get(ufunc.__name__)
        if method != "__call__" or options or op is None:
            what = f"np.{ufunc.__name__}" + (f".{method}" if method != "__call__" else "")
            raise trace_error(f"`{what}`: no op has this meaning for a traced value with these options; `signet.ops` lists the ops", TypeError)
        if op == "div":
            return _divide(*inputs)
        return getattr(ops, op)(*inputs)


class Capture(Operators):
    """A value that becomes the capture `name` of each function that uses it."""

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def __repr__(self) -> str:
        return f"signet.capture({self.name!r}, ...)"


def capture(name: str, value: Any) -> Capture:
    """A value that is called `name` in the models whose functions use it: `weights = signet.capture("layer.0.w", array)`."""
    return Capture(name, value)


def _divide(x: Any, y: Any) -> Any:
    """`x / y`, as in Python: the quotient of integers is a float64."""
    return ops.div(x, y, to_float=True)


def _logical_or_bitwise(operator: str, name: str, *operands: Any) -> Any:
    kinds = [kind for kind in map(dtype_of, operands) if kind is not None]
    if "bool" in kinds:
        return getattr(ops, f"logical_{name}")(*operands)
    if kinds and all("int" in kind for kind in kinds):
        if name == "not":
            every_bit = (1 << int(kinds[0].removeprefix("uint"))) - 1 if kinds[0].startswith("u") else -1
            return ops.bitwise_xor(operands[0], every_bit)
        return getattr(ops, f"bitwise_{name}")(*operands)
    if kinds:
        raise trace_error(f"`{operator}`: expected bools or integers, found {kinds[0]}", TypeError)
    raise trace_error(f"`{operator}`: the dtype of the operands is not known, so this may be `ops.logical_{name}` or `ops.bitwise_{name}`; "
                  "call the op, or give the parameter a type", TypeError)
