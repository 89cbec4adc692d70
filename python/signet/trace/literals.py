"""Literal parameters: parameters whose argument, if it is a plain value, is a real Python value while the function is traced.

    def total(x: "float32[?]", mode="sum", weights: "float32[?]" = None): ...

A parameter is literal if its default is None, if it has no type and a default that is a plain value, or if its annotation is
`signet.Literal["sum", "mean"]`. The form of a call states, for each of them, the plain value, or that the argument is a traced value.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import Any, Optional

from signet import errors, names
from signet.trace import tracer
from signet.types import format_literal, format_static

MOST_FORMS = 64  # that a model has of one function


@dataclass(frozen=True)
class LiteralValue:
    """A plain value. Two are equal if they have the same class and the same bits: 1, 1.0, and True differ."""

    text: str
    value: Any = field(compare=False)

    @classmethod
    def of(cls, value: Any) -> LiteralValue:
        return cls(_text_of(value), value)

    @property
    def notation(self) -> str:
        """The type of the value in the notation."""
        return format_static(plain_of(self.value))

    @property
    def identifier(self) -> str:
        """The value as a part of a name."""
        shown = "minus_" if isinstance(self.value, (int, float)) and str(self.value).startswith("-") else ""
        shown += "".join(char if char.isascii() and char.isalnum() else "_" for char in str(self.value).lstrip("-"))
        return shown[:24] or "empty"


Form = tuple[Optional[LiteralValue], ...]  # by literal parameter; None: a traced value


@dataclass(frozen=True)
class LiteralParameter:
    """`listed` are the values of `signet.Literal[...]`. `type_text` is the type of the values that are not None."""

    name: str
    default: LiteralValue | None
    listed: tuple[LiteralValue, ...] | None = None
    type_text: str | None = None
    cls: Any = None  # of an extension type

    @property
    def has_type(self) -> bool:
        return self.type_text is not None or self.cls is not None

    @property
    def values(self) -> tuple[LiteralValue, ...]:
        """The values that the function states."""
        return self.listed if self.listed is not None else () if self.default is None else (self.default,)

    @property
    def is_none_by_default(self) -> bool:
        return self.default is not None and self.default.value is None

    def check(self, given: LiteralValue | None, argument: Any) -> None:
        """Raises an error if the parameter lists its values, and the argument is another one."""
        if self.listed is None or given in self.listed:
            return
        found = f"`{names.printable(given.notation)}`" if given is not None else f"a value of the class `{type(argument).__name__}`"
        raise errors.make("INVALID_ARGUMENT", f"argument `{self.name}`: expected {_either(self.listed)}, found {found}", reason="LITERAL_MISMATCH",
                          field=self.name)


def _either(values: tuple[LiteralValue, ...]) -> str:
    texts = [f"`{each.notation}`" for each in values]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def plain_of(value: Any) -> Any:
    """The value without classes of the program, such as that of an IntEnum."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain_of, value)) if type(value) in (list, tuple) else [plain_of(each) for each in value]
    if isinstance(value, dict):
        return {key: plain_of(each) for key, each in value.items()}
    for cls in (bool, int, float, str, bytes):
        if isinstance(value, cls):
            return value if type(value) is cls else cls.__new__(cls, value)
    return value


def _text_of(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(_text_of, value))})"
    if isinstance(value, dict):
        return "dict(" + ", ".join(f"{key!r}: {_text_of(each)}" for key, each in value.items()) + ")"
    return f"{type(value).__qualname__} {format_literal(plain_of(value))}"


def given_of(value: Any) -> LiteralValue | None:
    """An argument as it is in the form of a call."""
    from signet.trace.symbol import Symbol, known_type, plain_value
    from signet.types import LiteralType

    if type(value) is Symbol:
        type_ = known_type(value)
        return LiteralValue.of(plain_value(type_)) if isinstance(type_, LiteralType) else None
    return LiteralValue.of(value) if tracer.is_plain(value) else None


def tested_by_identity(function: Callable[..., Any], parameters: Set[str]) -> bool:
    """Whether the source tests what a parameter is, as in `flag is True` or `isinstance(n, int)`. Such tests accept traced values
    without an error, and would take the other branch."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return True

    def is_parameter(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in parameters

    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(isinstance(each, (ast.Is, ast.IsNot)) for each in node.ops):
            if any(map(is_parameter, (node.left, *node.comparators))):
                return True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "type", "callable", "hasattr"):
            if any(map(is_parameter, node.args)):
                return True
        elif (subject := getattr(node, "subject", None)) is not None and any(map(is_parameter, ast.walk(subject))):  # of `match`
            return True
    return False
