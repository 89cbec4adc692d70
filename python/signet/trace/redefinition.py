"""Whether a class that is declared again, as by a cell of a notebook that runs again, has other source."""

from __future__ import annotations

from types import CodeType
from typing import Any

from signet.tracebacks import warn

_PLAIN = (bool, int, float, str, bytes, tuple, type(None))


class RedefinitionWarning(UserWarning):
    """An extension type is declared again with other source. Values and functions that were made before keep the former class."""


def fingerprint(cls: type) -> tuple[Any, ...]:
    """What the source of a class states: annotations, plain values, and the code of functions. The line numbers do not matter."""
    parts: list[Any] = [sorted((name, repr(each)) for name, each in cls.__dict__.get("__annotations__", {}).items())]
    for name, member in cls.__dict__.items():
        code = getattr(getattr(member, "function", member), "__code__", None)
        if code is not None:
            parts.append((name, _code(code)))
        elif isinstance(member, _PLAIN) and (not name.startswith("__") or name == "__doc__"):
            parts.append((name, repr(member)))
    return tuple(parts)


def _code(code: CodeType) -> tuple[Any, ...]:
    constants = [_code(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, constants


def warn_of_other_source(name: str, former: Any, new: Any) -> None:
    """Warns at the line of the user if the fingerprints differ."""
    if former != new:
        warn(f"the extension type `{name}` is declared again with other source; values and functions that were made before keep the "
             "former class", RedefinitionWarning)
