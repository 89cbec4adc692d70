"""Types as the notation writes them (docs/reference/notation.md), and signatures of functions."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Optional, Union

import numpy as np

from signet import dtypes, engine, errors, names
from signet.tracebacks import boundary

Dims = Optional[tuple[Optional[int], ...]]  # None is an unknown rank, or an unknown size
Plain = Union[None, bool, int, float, str, list["Plain"]]


def format_float(number: float) -> str:
    """The shortest text that reads back, as C++ writes it: the shorter of 100.0 and 1e+02."""
    if math.isnan(number):
        bits = struct.unpack("<Q", struct.pack("<d", number))[0]
        return "nan" if bits == 0x7FF8000000000000 else f"nan(0x{bits:x})"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    decimal = Decimal(repr(number))
    sign, digit_tuple, exponent = decimal.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digit_tuple))
    digits = text.rstrip("0") or "0"
    power = len(text) - 1 + exponent if number else 0
    scientific = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{'-' if power < 0 else '+'}{abs(power):02}"
    if power >= len(digits) - 1:
        fixed = str(abs(int(number)))
    elif power >= 0:
        fixed = digits[: power + 1] + "." + digits[power + 1 :]
    else:
        fixed = "0." + "0" * (-power - 1) + digits
    shortest = fixed if len(fixed) <= len(scientific) else scientific
    return ("-" if sign else "") + shortest + ("" if "." in shortest or "e" in shortest else ".0")


def format_literal(value: Any) -> str:
    if isinstance(value, (str, bytes)):
        return names.quote(value)
    return format_float(value) if isinstance(value, float) else str(value)


def _format_default(value: Plain) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_format_default, value)) + "]"
    return format_literal(value)


def _size(size: int | None) -> str:
    return "?" if size is None else str(size)


def _dims(shape: Dims) -> str:
    return "[...]" if shape is None else "[" + ", ".join(map(_size, shape)) + "]"


def notation_name(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else names.quote(name)


def with_double_quotes(text: str) -> str:
    """A text in the notation, in which texts may also be in single quotation marks, as in Python."""
    if "'" not in text:
        return text
    parts = re.findall(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|.", text, re.DOTALL)
    return "".join(names.quote(_unquoted(part)) if len(part) > 1 and part[0] == "'" else part for part in parts)


def _unquoted(part: str) -> str:
    import ast

    try:
        return str(ast.literal_eval(part))
    except (SyntaxError, ValueError):
        return part[1:-1]


class Type:
    """What is known of a value before it exists. `Type("float32[?, 3]")` is any type, as the server reads it."""

    _written: str | None = None  # as the author of a signature wrote it, with names of dimensions
    _plain: str | None = None

    @boundary
    def __new__(cls, text: str | None = None, *args: Any, **kwargs: Any) -> Type:
        if cls is Type and isinstance(text, str):
            _check_text(with_double_quotes(text))
        return object.__new__(TextType if cls is Type else cls)  # type: ignore[arg-type]

    def _text(self, notes: bool) -> str:
        """The notation; without notes, in an order that does not depend on the author's."""
        raise NotImplementedError

    @property
    def plain(self) -> str:
        if self._plain is None:
            object.__setattr__(self, "_plain", self._text(False))
        assert self._plain is not None
        return self._plain

    @property
    def _signet_type_text(self) -> str:
        """The notation, with which the engine takes the type as an attribute of an op."""
        return repr(self)

    def __repr__(self) -> str:
        return self._written if self._written is not None else self._text(True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.plain == other.plain

    def __hash__(self) -> int:
        return hash(self.plain)

    def written_as(self, text: str) -> Type:
        object.__setattr__(self, "_written", text)
        return self


def _check_text(text: str) -> None:
    """Checks the text of a type, if this installation has the engine. Otherwise, the server checks it."""
    if not engine.is_there():
        return
    try:
        _, end = engine.run(engine.core().read_type, text)
    except errors.Error as error:
        if "dimensions of tensors that are parameters have names" in error.message:
            return  # `float32[n]` is the type of a parameter
        raise
    rest = text.encode()[end:].decode(errors="replace")
    if rest.strip():
        raise errors.make("INVALID_ARGUMENT", f"column {end + 1 + len(rest) - len(rest.lstrip())}: expected the end of the type, found "
                          f"`{rest.strip()}`")


@dataclass(frozen=True, eq=False, repr=False)
class TextType(Type):
    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", with_double_quotes(self.text))

    def _text(self, notes: bool) -> str:
        return self.text


@dataclass(frozen=True, eq=False, repr=False)
class TensorType(Type):
    dtype: str
    shape: Dims = ()
    default: Plain | None = None
    has_default: bool = False  # None may be a default

    def _text(self, notes: bool) -> str:
        text = self.dtype + _dims(self.shape)
        return f"({text} = {_format_default(self.default)})" if notes and self.has_default else text


@dataclass(frozen=True, eq=False, repr=False)
class RaggedType(Type):
    dtype: str
    shape: Dims
    ragged_rank: int
    splits: str = "int64"
    default: Plain | None = None
    has_default: bool = False

    def _text(self, notes: bool) -> str:
        marked = self.shape is not None and self.ragged_rank > 0
        options = [] if marked else [f"rank={self.ragged_rank}"]
        if self.splits != "int64":
            options.append(f"splits={self.splits}")
        dims = _dims(self.shape)
        if marked:
            assert self.shape is not None
            sizes = [f"({_size(size)})" if 1 <= axis <= self.ragged_rank else _size(size) for axis, size in enumerate(self.shape)]
            dims = "[" + ", ".join(sizes) + "]"
        text = "ragged" + (f"<{', '.join(options)}>" if options else "") + f" {self.dtype}{dims}"
        return f"({text} = {_format_default(self.default)})" if notes and self.has_default else text


@dataclass(frozen=True, eq=False, repr=False)
class SparseType(Type):
    dtype: str
    shape: Dims

    def _text(self, notes: bool) -> str:
        return f"sparse {self.dtype}{_dims(self.shape)}"


@dataclass(frozen=True, eq=False, repr=False)
class StructuredType(Type):
    """Structures stored as columns. The type of a field has the dimensions of the structure in front of its own."""

    shape: tuple[int | None, ...]
    fields: Mapping[str, Type]
    optional: frozenset[str] = frozenset()

    def _text(self, notes: bool) -> str:
        return self._inner(notes, 0)

    def _inner(self, notes: bool, outer_rank: int) -> str:
        own = self.shape[outer_rank:]
        inside = ", ".join(self._field(name, notes) for name in (self.fields if notes else _in_byte_order(self.fields)))
        if all(size is None for size in own):
            return "[" * len(own) + "{" + inside + "}" + "]" * len(own)
        return "{" + inside + "}" + _dims(own)

    def _field(self, name: str, notes: bool) -> str:
        type_ = self.fields[name]
        optional = notes and name in self.optional
        rank = len(self.shape)
        text = f"{name}{'?' if optional else ''}: "
        first = rank + (1 if optional else 0)
        if isinstance(type_, StructuredType):
            return text + type_._inner(notes, first)
        default = ""
        if isinstance(type_, (TensorType, RaggedType)):
            default = f" = {_format_default(type_.default)}" if notes and type_.has_default else ""
            if first == 0:
                plain = dataclasses.replace(type_, has_default=False) if default else type_
                return text + plain._text(notes) + default
        assert isinstance(type_, (TensorType, RaggedType))
        shape, dtype = type_.shape or (), type_.dtype
        is_ragged_by_default = any(size is None for size in self.shape[1:])
        last_ragged = -1
        prefix = "dense " if is_ragged_by_default else ""
        if isinstance(type_, RaggedType):
            last_ragged = type_.ragged_rank
            prefix = ""
            if last_ragged < rank - 1:
                prefix = f"ragged<rank={last_ragged}> "
            elif type_.splits != "int64":
                prefix = "ragged<splits=int32> "
            elif not optional and last_ragged < rank and not is_ragged_by_default:
                prefix = "ragged "
        sizes = [f"({_size(size)})" if rank <= axis <= last_ragged else _size(size)
                 for axis, size in enumerate(shape) if axis >= first]
        return f"{text}{prefix}{dtype}[{', '.join(sizes)}]{default}"


@dataclass(frozen=True, eq=False, repr=False)
class LiteralType(Type):
    value: Any

    def _text(self, notes: bool) -> str:
        return format_literal(self.value)


@dataclass(frozen=True, eq=False, repr=False)
class SequenceType(Type):
    kind: str  # list or tuple
    elements: tuple[Type, ...]

    def _text(self, notes: bool) -> str:
        return f"{self.kind}({', '.join(element._text(notes) for element in self.elements)})"


def _named(fields: Mapping[str, Type], order: Iterable[str], notes: bool) -> str:
    return "(" + ", ".join(f"{notation_name(name)}: {fields[name]._text(notes)}" for name in order) + ")"


@dataclass(frozen=True, eq=False, repr=False)
class DictType(Type):
    items: Mapping[str, Type]

    def _text(self, notes: bool) -> str:
        return "dict" + _named(self.items, self.items if notes else _in_byte_order(self.items), notes)


@dataclass(frozen=True, eq=False, repr=False)
class NamedTupleType(Type):
    name: str
    fields: Mapping[str, Type]
    attrs: bool = False

    def _text(self, notes: bool) -> str:
        return f"{'attrs' if self.attrs else 'namedtuple'} {self.name}" + _named(self.fields, self.fields, notes)


@dataclass(frozen=True, eq=False, repr=False)
class ExtensionType(Type):
    name: str
    statics: Mapping[str, Type] = field(default_factory=dict)
    components: Mapping[str, Type] = field(default_factory=dict)

    def _text(self, notes: bool) -> str:
        statics = ", ".join(f"{name}={self.statics[name]._text(notes)}" for name in _in_byte_order(self.statics))
        return self.name + (f"<{statics}>" if statics else "") + _named(self.components, self.components, notes)


@dataclass(frozen=True, eq=False, repr=False)
class AnyType(Type):
    base: Type | None = None

    def _text(self, notes: bool) -> str:
        return "any" if self.base is None else f"any({self.base._text(notes)})"


def _in_byte_order(keys: Iterable[str]) -> list[str]:
    return sorted(keys, key=names.to_bytes)


# --- messages ----------------------------------------------------------------------------------------

def _dims_from(shape: Any) -> Dims:
    return None if shape.unknown_rank else tuple(None if size < 0 else size for size in shape.dims)


def _default_from(spec: Any) -> Plain:
    if spec.WhichOneof("kind") == "list":
        return [_default_from(element) for element in spec.list.elements]
    value: Plain = literal_from(spec.literal)
    return value


def literal_from(literal: Any) -> Any:
    which = literal.WhichOneof("value")
    if which is None:
        return None
    value = getattr(literal, which)
    return names.to_text(value) if which == "string" else value


def value_of_static(spec: Any) -> Any:
    """The value of a signet.v1.TypeSpec that is a literal, or a nest of literals."""
    kind = spec.WhichOneof("kind")
    part = getattr(spec, kind)
    if kind == "literal":
        return literal_from(part)
    if kind == "dict":
        return {name: value_of_static(part.items[name]) for name in (part.key_order or _in_byte_order(part.items))}
    elements = [value_of_static(element) for element in part.elements]
    return elements if kind == "list" else tuple(elements)


def format_static(value: Any) -> str:
    """The notation of a literal, or of a nest of literals."""
    if isinstance(value, dict):
        return "dict(" + ", ".join(f"{notation_name(key)}: {format_static(item)}" for key, item in value.items()) + ")"
    if isinstance(value, (list, tuple)):
        return f"{'list' if isinstance(value, list) else 'tuple'}({', '.join(map(format_static, value))})"
    return format_literal(value)


def _ordered(fields: Any, order: Any) -> dict[str, Type]:
    return {name: from_message(fields[name]) for name in (order or _in_byte_order(fields))}


def _with_default(spec: Any) -> dict[str, Any]:
    return {"default": _default_from(spec.default_value), "has_default": True} if spec.HasField("default_value") else {}


def from_message(spec: Any) -> Type:
    """The type of a signet.v1.TypeSpec."""
    kind = spec.WhichOneof("kind")
    part = getattr(spec, kind)
    if kind == "tensor":
        return TensorType(dtypes.NAMES[part.dtype], _dims_from(part.shape), **_with_default(part))
    if kind == "ragged":
        splits = "int32" if part.row_splits_dtype == dtypes.INT32 else "int64"
        return RaggedType(dtypes.NAMES[part.dtype], _dims_from(part.shape), part.ragged_rank, splits, **_with_default(part))
    if kind == "sparse":
        return SparseType(dtypes.NAMES[part.dtype], _dims_from(part.shape))
    if kind == "structured":
        fields = _ordered(part.fields, part.field_order)
        return StructuredType(_dims_from(part.shape) or (), fields, frozenset(part.optional_fields))
    if kind == "literal":
        return LiteralType(literal_from(part))
    if kind in ("list", "tuple"):
        return SequenceType(kind, tuple(map(from_message, part.elements)))
    if kind == "dict":
        return DictType(_ordered(part.items, part.key_order))
    if kind == "named_tuple":
        return NamedTupleType(part.name, {f.name: from_message(f.type) for f in part.fields}, part.attrs)
    if kind == "extension":
        return ExtensionType(part.name, _ordered(part.statics, None), {c.name: from_message(c.type) for c in part.components})
    if kind == "any":
        return AnyType(from_message(part.base) if part.HasField("base") else None)
    return TextType(part)


def to_message(type_: Type) -> Any:
    """The signet.v1.TypeSpec of a type: its notation, which the server reads."""
    from signet.v1 import types_pb2

    return types_pb2.TypeSpec(text=type_._text(True))


# --- signatures --------------------------------------------------------------------------------------

KINDS = (None, inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD,
         inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


class Parameter(inspect.Parameter):
    """A parameter of a FunctionType. A default of `...` is one that the server did not tell."""

    __slots__ = ()

    @property
    def optional(self) -> bool:
        return self.default is not inspect.Parameter.empty

    @property
    def type_constraint(self) -> Type | None:
        return None if self.annotation is inspect.Parameter.empty else self.annotation


class FunctionType(inspect.Signature):
    """The signature of a function: the `__signature__` of what calls it."""

    @classmethod
    def from_callable(cls, obj: Any, *, follow_wrapped: bool = True, globals: Mapping[str, Any] | None = None,
                      locals: Mapping[str, Any] | None = None, eval_str: bool = False) -> FunctionType:
        """The signature of a function of a model, or of a function of Python with the annotations that `@signet.function` accepts."""
        known = getattr(obj, "__signature__", None)
        if isinstance(known, FunctionType):
            return known
        from signet.trace.notation import type_of_annotation

        signature = inspect.signature(obj, follow_wrapped=follow_wrapped, globals=globals, locals=locals, eval_str=eval_str)
        scope = getattr(inspect.unwrap(obj), "__globals__", {})

        def type_of(annotation: Any, where: str) -> Any:
            found = type_of_annotation(annotation, where, scope)
            return inspect.Parameter.empty if found is None else found

        parameters = [Parameter(each.name, each.kind, default=each.default, annotation=type_of(each.annotation, f"parameter `{each.name}`"))
                      for each in signature.parameters.values()]
        return cls(parameters, return_annotation=type_of(signature.return_annotation, "result"))

    def __str__(self) -> str:
        return self.to_text("")

    def to_text(self, name: str, as_written: bool = True) -> str:
        """The signature in the notation; unless `as_written`, without names of dimensions."""
        def text_of(parameter: inspect.Parameter) -> str:
            text, type_ = notation_name(parameter.name), parameter.annotation
            if type_ is not inspect.Parameter.empty:
                text += f": {type_!r}" if as_written else f": {type_._text(True)}"
            return text if parameter.default is inspect.Parameter.empty else f"{text} = {_show_default(parameter.default, type_)}"

        result = "" if self.return_annotation is inspect.Signature.empty else f" -> {self.return_annotation!r}"
        return f"{notation_name(name) if name else ''}({join_parameters(self.parameters.values(), text_of)}){result}"


def join_parameters(parameters: Iterable[inspect.Parameter], text_of: Callable[[inspect.Parameter], str]) -> str:
    """The parameters of a signature, with `/` and `*` where their kinds change. `text_of` returns the text of one, without stars."""
    kinds = inspect.Parameter
    out = []
    previous: Any = kinds.POSITIONAL_OR_KEYWORD
    for parameter in parameters:
        if previous == kinds.POSITIONAL_ONLY != parameter.kind:
            out.append("/")
        if parameter.kind == kinds.KEYWORD_ONLY and previous < kinds.VAR_POSITIONAL:
            out.append("*")
        stars = "*" if parameter.kind == kinds.VAR_POSITIONAL else "**" if parameter.kind == kinds.VAR_KEYWORD else ""
        out.append(stars + text_of(parameter))
        previous = parameter.kind
    if previous == kinds.POSITIONAL_ONLY:
        out.append("/")
    return ", ".join(out)


def _show_default(value: Any, type_: Any) -> str:
    if value is ...:
        return "..."
    if isinstance(value, float) and getattr(type_, "dtype", "") in ("float16", "float32"):
        return format_float(float(str(np.dtype(type_.dtype).type(value))))  # 0.2, not 0.20000000298023224
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return format_literal(value)
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else "..."


def function_type(message: Any, signature: str = "", defaults: Mapping[str, Any] | None = None) -> FunctionType:
    """The signature of a signet.v1.FunctionType. `signature` is its text, whose types are as the author wrote them."""
    written = split_signature(signature)
    parameters = []
    for given in message.parameters:
        default: Any = inspect.Parameter.empty
        if given.optional:
            default = (defaults or {}).get(given.name, ...)
        annotation: Any = inspect.Parameter.empty
        if given.HasField("type"):
            annotation = from_message(given.type)
            if given.name in written:
                annotation.written_as(written[given.name])
        parameters.append(Parameter(given.name, KINDS[given.kind], default=default, annotation=annotation))  # type: ignore[arg-type]
    result = from_message(message.output) if message.HasField("output") else inspect.Signature.empty
    return FunctionType(parameters, return_annotation=result)


def split_signature(text: str) -> dict[str, str]:
    """The types of the parameters as `name(x: float32[n, 3], /, k = 3)` writes them, by parameter."""
    found: dict[str, str] = {}
    start = text.find("(") + 1
    if start == 0:
        return found
    depth, quoted, colon, equals, i = 0, False, -1, -1, start
    while i < len(text):
        char = text[i]
        if quoted:
            i += char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif depth == 0 and char in ",)":
            if colon >= 0:
                name = text[start:colon].strip().lstrip("*").strip('"')
                found[name] = text[colon + 1 : equals if equals >= 0 else i].strip()
            if char == ")":
                break
            start, colon, equals = i + 1, -1, -1
        elif char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif depth == 0 and char == ":" and colon < 0:
            colon = i
        elif depth == 0 and char == "=" and equals < 0:
            equals = i
        i += 1
    return found
