"""TraceError: what is wrong in the program of the user, found while a function is traced, saved, or prepared."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any, TypeVar

from signet import engine, errors
from signet.trace import places

F = TypeVar("F", bound=Callable[..., Any])


class TraceError(errors.Error):
    """A function that cannot be traced. Its last line in the traceback is a line of the user's program."""

    code = "INVALID_ARGUMENT"


_classes: dict[tuple[type[Exception], ...], type[TraceError]] = {}


def _class_for(*others: type[Exception]) -> type[TraceError]:
    """A TraceError that is also an error of other classes, such as TypeError."""
    bases = tuple(other for other in others if not issubclass(TraceError, other))
    if bases not in _classes:
        _classes[bases] = type("TraceError", (TraceError, *bases), {"__module__": "signet"}) if bases else TraceError
    return _classes[bases]


def trace_error(message: str, *others: type[Exception], reason: str = "") -> TraceError:
    """A TraceError that is also an error of the other classes."""
    return _class_for(errors.InvalidArgument, *others)(message, reason=reason)


def of_engine(error: errors.Error) -> TraceError:
    """The same error as a TraceError."""
    out = _class_for(type(error))(error.message, code=error.code, reason=error.reason, field=error.field)
    for note in getattr(error, "__notes__", ()):
        out.add_note(note)
    return out


def run(function: Callable[..., Any], *args: Any) -> Any:
    """Calls a function of the engine for the line of the user that is being traced."""
    try:
        return engine.run(function, *args)
    except errors.Error as error:
        raise of_engine(error) from None


def boundary(function: F) -> F:
    """A function that users call. The traceback of a TraceError that leaves it has no frames of this package, unless
    the environment variable SIGNET_TRACEBACK is `full`."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TraceError as error:
            if os.environ.get("SIGNET_TRACEBACK") != "full":
                error.__traceback__ = places.without_our_frames(error.__traceback__)
                error.__suppress_context__ = True
            raise  # which does not add this frame

    return call  # type: ignore[return-value]


def bounded(cls: type) -> type:
    """A class whose special methods are such functions."""
    for name, member in list(vars(cls).items()):
        if name.startswith("__") and inspect.isfunction(member) and name not in ("__init__", "__repr__"):
            setattr(cls, name, boundary(member))
    return cls
