"""Annotations of parameters as types of the notation."""

from __future__ import annotations

import inspect
import json
import re
import typing
from collections.abc import Mapping
from typing import Any

import numpy as np

from signet import dtypes
from signet.trace.errors import trace_error
from signet.tracebacks import boundary
from signet.types import RaggedType, SparseType, TensorType, Type, notation_name, with_double_quotes
from signet.values.extension import CLASSES


class DType:
    """A dtype. `float32["n", 3]` is the type `float32[n, 3]`, `float32[...]` has any rank, and `float32` alone is a scalar."""

    def __init__(self, name: str) -> None:
        self._signet_dtype = name

    @boundary
    def __getitem__(self, sizes: Any) -> Type:
        return Type(f"{self._signet_dtype}[{', '.join(map(_size, sizes if isinstance(sizes, tuple) else (sizes,)))}]")

    def __repr__(self) -> str:
        return self._signet_dtype


def _size(size: Any) -> str:
    if size is ...:
        return "..."
    if size is None:
        return "?"
    if isinstance(size, str) or (hasattr(size, "__index__") and not isinstance(size, bool)):
        return str(size)
    raise TypeError(f"a size: expected a number, a name, None, or `...`, found {size!r}")


DTYPES = {name: DType(name) for name in dtypes.NUMBERS}


class Kind:
    """A kind of values that `signet.dispatch_for` and annotations name: `signet.Tensor`, `signet.Any`."""

    def __init__(self, name: str, kind: str) -> None:
        self._name, self.kind = name, kind

    def __repr__(self) -> str:
        return f"signet.{self._name}"

    def __class_getitem__(cls, item: Any) -> Any:
        return cls


class LiteralKind(Kind):
    """`signet.Literal`: a kind of values, and with values, as in `signet.Literal["sum", "mean"]`, an annotation that lists them."""

    @boundary
    def __getitem__(self, values: Any) -> Literals:
        return Literals(values if isinstance(values, tuple) else (values,))


class Literals:
    """The values that a parameter may have."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        for each in values:
            if not isinstance(each, (bool, int, float, str, bytes, type(None))) or isinstance(each, np.generic):
                raise TypeError(f"signet.Literal: expected plain values, such as \"sum\", 3, True, and None, found {each!r}")
        if not values:
            raise TypeError("signet.Literal: expected at least one value, as in `signet.Literal[\"sum\", \"mean\"]`")
        self.values = values

    def __repr__(self) -> str:
        return f"signet.Literal[{', '.join(map(repr, self.values))}]"


ANY, TENSOR, LITERAL = Kind("Any", "any"), Kind("Tensor", "tensor"), LiteralKind("Literal", "literal")

_MEANT = {
    int: ("int64[]", "int32[]"), float: ("float32[]", "float64[]"), bool: ("bool[]", "bool[...]"), str: ("string[]", "string[?]"),
    bytes: ("string[]", "string[?]"), list: ("float32[?]", "[{name: string[]}]"), dict: ("{name: string[]}", "[{name: string[]}]"),
    tuple: ("tuple(float32[], float32[])", "float32[2]"), np.ndarray: ("float32[?]", "float32[...]")}


def type_text(annotation: Any, where: str, scope: Mapping[str, Any]) -> tuple[str | None, Any]:
    """The notation of an annotation, None for any value; and the class, if it is an extension type. `scope` has the names
    that a text of the annotation may use."""
    if annotation is inspect.Parameter.empty or annotation is typing.Any or annotation is ANY:
        return None, None
    if isinstance(annotation, str):
        return _of_text(annotation, where, scope)
    if typing.get_origin(annotation) is typing.Annotated:
        return type_text(typing.get_args(annotation)[1], where, scope)
    if isinstance(annotation, Type):
        return repr(annotation), None
    if isinstance(annotation, DType):
        return f"{annotation._signet_dtype}[]", None
    if isinstance(annotation, np.dtype) or (isinstance(annotation, type) and issubclass(annotation, np.generic)):
        name = str(np.dtype(annotation))
        return ("string[]" if name.startswith(("<U", "|S", "object")) else f"{name}[]"), None
    definition = getattr(annotation, "__signet_definition__", None)
    if definition is not None:
        return None if definition.statics else definition.type_text(where), annotation
    shown = getattr(annotation, "__name__", None) or repr(annotation)
    message = f"{where}: expected a type of the notation, such as `\"float32[?]\"`, found `{shown}`"
    meant = _MEANT.get(annotation) or _MEANT.get(typing.get_origin(annotation))  # type: ignore[arg-type]
    if meant is not None:
        message += f"; did you mean `\"{meant[0]}\"` or `\"{meant[1]}\"`? A parameter without an annotation accepts any value"
    raise trace_error(message, TypeError)


def literals_of(annotation: Any, scope: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The values of `signet.Literal[...]`, or of `typing.Literal[...]`; None for other annotations."""
    if isinstance(annotation, str) and "Literal" in annotation:
        try:
            annotation = eval(annotation, dict(scope))  # the program of the user, as typing.get_type_hints does
        except NameError:
            return None
    if typing.get_origin(annotation) is typing.Literal:
        annotation = Literals(typing.get_args(annotation))
    return annotation.values if isinstance(annotation, Literals) else None


def type_of_annotation(annotation: Any, where: str, scope: Mapping[str, Any]) -> Type | None:
    """The type that an annotation states; None for any value."""
    if literals_of(annotation, scope) is not None:
        return None
    text, cls = type_text(annotation, where, scope)
    if text is None and cls is not None:
        return Type("any")
    return None if text is None else Type(text)


def advice(text: str) -> str:
    """What to write instead of a type in the style of Python; empty if nothing is known."""
    text = text.strip()
    if text in dtypes.NUMBERS:
        return f"; a scalar is `{text}[]`, and a list is `{text}[?]`"
    listed = re.fullmatch(r"(?:[Ll]ist|[Ss]equence)\[(.*)\]", text)
    if listed is not None:
        element = _MEANT_BY_NAME.get(listed.group(1), listed.group(1))
        return f"; a list is `{element}[?]`" if element in dtypes.NUMBERS else f"; a list of records is `[{{...}}]`, and a list of numbers is `float32[?]`"
    for name, dtype in _MEANT_BY_NAME.items():
        if re.search(rf"(?<!\w){name}(?!\w)", text) and name not in dtypes.NUMBERS:
            return f"; write `{dtype}` instead of `{name}`"
    plain = re.search(rf"[:{{]\s*({'|'.join(dtypes.NUMBERS)})\s*(?=[,}}])", text)
    return f"; a scalar is `{plain.group(1)}[]`" if plain is not None else ""


_MEANT_BY_NAME = {"float": "float32", "int": "int64", "str": "string", "text": "string", "double": "float64", "boolean": "bool"}


def _of_text(text: str, where: str, scope: Mapping[str, Any]) -> tuple[str | None, Any]:
    """Text that evaluates to a type is that type, as with `from __future__ import annotations`; other text is the notation."""
    try:
        value = eval(text, dict(scope))  # the program of the user, as typing.get_type_hints does
    except Exception:
        registered = CLASSES.get(text.strip())  # `project.Type`: the name of an extension type alone
        known = hasattr(registered, "__signet_definition__")
        return type_text(registered, where, scope) if known else (with_double_quotes(text), None)
    if isinstance(value, str):
        return with_double_quotes(value), None
    return type_text(value, where, scope) if _is_annotation(value) else (with_double_quotes(text), None)


def _is_annotation(value: Any) -> bool:
    """Whether a value, other than a text, is meant as an annotation, also as one that is rejected."""
    if isinstance(value, (Type, DType, Kind, np.dtype)) or value is typing.Any or hasattr(value, "__signet_definition__"):
        return True
    origin = typing.get_origin(value)
    if origin is typing.Annotated or origin in _MEANT:
        return True
    return isinstance(value, type) and (value in _MEANT or issubclass(value, np.generic))


def dtype_hint(text: str | None) -> Type | None:
    """What the notation of a tensor, a ragged value, or a sparse value says of its kind and dtype, if the rest may not be known."""
    found = re.match(r"\s*(ragged|sparse)?(?:<[^>]*>)?\s*(\w+)\s*\[", text or "")
    if found is None or found.group(2) not in dtypes.NUMBERS:
        return None
    kind, dtype = found.groups()
    if kind == "ragged":
        return RaggedType(dtype, None, 1)
    return SparseType(dtype, None) if kind == "sparse" else TensorType(dtype, None)


def kind_of(each: Any) -> str:
    """The notation of what an override accepts: a kind, or the name of an extension type."""
    from signet.values import Ragged, Sparse, Structured

    known = {Ragged: "ragged", Sparse: "sparse", Structured: "structured"}
    if isinstance(each, Kind):
        return each.kind
    if isinstance(each, type) and each in known:
        return known[each]
    definition = getattr(each, "__signet_definition__", None)
    if definition is not None:
        name: str = definition.name
        return name
    raise trace_error("dispatch: expected classes of extension types, signet.Tensor, signet.Ragged, signet.Sparse, signet.Structured, "
                  f"signet.Literal, or signet.Any, found {each!r}", TypeError)


def parts_of_parameters(signature: str) -> list[tuple[str, str | None, str | None]]:
    """The names of the parameters of a valid signature in the notation, their types, and their defaults; None where there is none."""
    out = []
    for part in _parts(signature):
        if part not in ("/", "*"):
            declared, default = _split(part.lstrip("*"), "=")
            name, type_text = _split(declared, ":")
            out.append((json.loads(name) if name.startswith('"') else name, type_text, default))
    return out


def with_types(signature: str, types: Mapping[str, str]) -> str:
    """The signature with these types of parameters, which have no default. No positional parameter before one of them has one."""
    parts = _parts(signature)
    names = [_split(part, "=")[0] for part in parts]
    first_keyword = next((i for i, part in enumerate(parts) if part.startswith("*")), len(parts))
    last = max((i for i, name in enumerate(names[:first_keyword]) if name in types), default=-1)
    texts = [f"{name}: {types[name]}" if name in types else name if i < last else part for i, (name, part) in enumerate(zip(names, parts))]
    return f"({', '.join(texts)}){result_of(signature)}"


def result_of(signature: str) -> str:
    """The end of a signature, such as ` -> float32[]`."""
    depth = 0
    for token in re.finditer(_TOKEN, signature, re.DOTALL):
        depth += (token.group() in "([{<") - (token.group() in ")]}>")
        if depth == 0 and token.group() == ")":
            return signature[token.end():]
    return ""


def _split(text: str, separator: str) -> tuple[str, str | None]:
    """The texts before and after the first separator outside of brackets and quotation marks."""
    depth = 0
    for token in re.finditer(_TOKEN, text, re.DOTALL):
        if depth == 0 and token.group() == separator:
            return text[: token.start()].strip(), text[token.end():].strip()
        depth += (token.group() in "([{<") - (token.group() in ")]}>")
    return text.strip(), None


def parameters_of(signature: str) -> list[tuple[str, Any]]:
    """The names and kinds of the parameters of a valid signature in the notation."""
    kinds = inspect.Parameter
    out: list[tuple[str, Any]] = []
    kind: Any = kinds.POSITIONAL_OR_KEYWORD
    for part in _parts(signature):
        if part == "/":
            out = [(name, kinds.POSITIONAL_ONLY) for name, _ in out]
        elif part == "*":
            kind = kinds.KEYWORD_ONLY
        else:
            name = re.match(r"(\**)\s*(\w*)", part)
            assert name is not None
            out.append((name.group(2), {"*": kinds.VAR_POSITIONAL, "**": kinds.VAR_KEYWORD}.get(name.group(1), kind)))
            if name.group(1) == "*":
                kind = kinds.KEYWORD_ONLY
    return out


_TOKEN = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|->|.'


def _parts(signature: str) -> list[str]:
    """The texts between the commas of the parameters."""
    out = [""]
    depth = 0
    for token in re.findall(_TOKEN, signature[signature.index("("):], re.DOTALL):
        depth += (token in "([{<") - (token in ")]}>")
        if depth == 0:
            break
        if depth == 1 and token == ",":
            out.append("")
        elif depth > 1 or token != "(":
            out[-1] += token
    return [part.strip() for part in out if part.strip()]
