"""The operators of Python as ops. Traced values and values of extension types have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from signet import ops
from signet.trace.errors import trace_error
from signet.tracebacks import bounded
from signet.types import RaggedType, SparseType, TensorType

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
        name = ufunc.__name__
        if method == "__call__" and not options:
            if name in ("invert", "bitwise_not"):
                return _logical_or_bitwise("~", "not", *inputs)
            op = ops.op_named(name)
            if op is not None and op.name == "div":
                return _divide(*inputs)
            if op is not None and op.takes(len(inputs)):
                return op(*inputs)
        elif method == "__call__":
            raise trace_error(f"`np.{name}`: expected no options, such as `out=` and `where=`, for a traced value, found "
                              f"`{next(iter(options))}`; {ops.hint(name)}", TypeError)
        raise not_of_numpy(ufunc, inputs, options, method)


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


# The ops for the methods of functions of numpy of two values, such as np.add.reduce.
_OF_METHODS: dict[str, dict[str, str]] = {"reduce": {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any"},
               "accumulate": {"add": "cumsum", "multiply": "cumprod"}, "outer": {}, "at": {}, "reduceat": {}}


def not_of_numpy(function: Any, args: Any, options: Any, method: str = "__call__") -> Exception:
    """The error for a function of numpy that does not take traced values."""
    name = getattr(function, "__name__", "")
    module = str(getattr(function, "__module__", "") or "").removeprefix("numpy")
    full = f"np{module if module in ('.linalg', '.fft', '.random') else ''}.{name}" + (f".{method}" if method != "__call__" else "")
    if method != "__call__":
        name = _OF_METHODS.get(method, {}).get(name, "")
        instead = ops.hint(name) if name else "`dir(signet.ops)` lists the ops"
    else:
        num_values = sum(isinstance(each, (Operators, np.ndarray, int, float)) for each in args) if not options else len(args)
        instead = ops.hint(name, num_values if name == "where" else 1)
    return trace_error(f"`{full}` does not take traced values; {instead}", TypeError)


def _divide(x: Any, y: Any) -> Any:
    """`x / y`, as in Python: the quotient of integers is a float64."""
    return ops.div(x, y, to_float=True)


def _logical_or_bitwise(operator: str, name: str, *operands: Any) -> Any:
    kinds = [kind for kind in map(dtype_of, operands) if kind is not None]
    if "bool" in kinds:
        return getattr(ops, f"logical_{name}")(*operands)
    if kinds and all("int" in kind for kind in kinds):
        if name == "not":
            if not kinds[0].startswith(("int", "uint")):
                return ops.bitwise_xor(operands[0], -1)
            every_bit = (1 << int(kinds[0].removeprefix("uint"))) - 1 if kinds[0].startswith("u") else -1
            return ops.bitwise_xor(operands[0], every_bit)
        return getattr(ops, f"bitwise_{name}")(*operands)
    if kinds:
        raise trace_error(f"`{operator}`: expected bools or integers, found {kinds[0]}", TypeError)
    bitwise = f"ops.bitwise_{name}" if name != "not" else "ops.bitwise_xor(x, -1)"
    raise trace_error(f"`{operator}`: the dtype of the operands is not known, so this may be `ops.logical_{name}` or `{bitwise}`; "
                  "call the op, or give the parameter a type", TypeError)
