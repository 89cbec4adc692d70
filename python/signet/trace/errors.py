"""TraceError: what is wrong in the program of the user, found while a function is traced, saved, or prepared."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from signet import engine, errors


class TraceError(errors.Error):
    """A function that cannot be traced. Its last line in the traceback is a line of the user's program."""

    code = "INVALID_ARGUMENT"

    def __reduce__(self) -> Any:
        others = type(self).__bases__[1:] if type(self) is not TraceError else ()
        return _rebuild, (others, self.message, dict(self.__dict__))


_classes: dict[tuple[type[Exception], ...], type[TraceError]] = {}


def _class_for(*others: type[Exception]) -> type[TraceError]:
    """A TraceError that is also an error of other classes, such as TypeError."""
    bases = tuple(other for other in others if not issubclass(TraceError, other))
    if bases not in _classes:
        _classes[bases] = type("TraceError", (TraceError, *bases), {"__module__": "signet"}) if bases else TraceError
    return _classes[bases]


def _rebuild(others: tuple[type[Exception], ...], message: str, fields: dict[str, Any]) -> TraceError:
    error = _class_for(*others)(message)
    error.__dict__.update(fields)
    return error


def trace_error(message: str, *others: type[Exception], reason: str = "") -> TraceError:
    """A TraceError that is also an error of the other classes."""
    return _class_for(errors.InvalidArgument, *others)(message, reason=reason)


# What to write in Python, for messages of the engine that match a pattern.
_ADVICE = (
    (r"`get_item`: input \d+: expected .*, found `(?:ragged )?bool\[", "; `ops.boolean_mask(x, mask)` selects the elements where a mask is True"),
    (r"^result: expected `\[\{.* found `dict\(", "; `ops.struct_make(name=column)` makes records of columns"),
)


def with_advice(message: str) -> str:
    """The message of the engine, with what to write in Python."""
    message = message.replace("; `string_concat(x, y)` joins texts", "; `ops.string_concat(x, y)` joins texts")
    for pattern, advice in _ADVICE:
        if re.search(pattern, message):
            return message + advice
    op = re.match(r"(?:.*: )?`(\w+)` of ", message)
    classes = re.findall(r"^\s*(\S+) has no override$", message, re.M)
    if op is None or not classes:
        return message
    kinds = ", ".join(name.rpartition(".")[2] for name in classes)
    return f"{message}; declare one with `@signet.dispatch_for(ops.{op.group(1)}, {kinds})`, with a kind for each input"


def of_engine(error: errors.Error) -> TraceError:
    """The same error as a TraceError."""
    out = _class_for(type(error))(with_advice(error.message), code=error.code, reason=error.reason, field=error.field)
    for note in getattr(error, "__notes__", ()):
        out.add_note(note)
    return out


def run(function: Callable[..., Any], *args: Any) -> Any:
    """Calls a function of the engine for the line of the user that is being traced."""
    try:
        return engine.run(function, *args)
    except errors.Error as error:
        raise of_engine(error) from None
