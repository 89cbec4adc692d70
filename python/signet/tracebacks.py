"""Tracebacks of errors that leave this package: they end at a line of the user's program."""

from __future__ import annotations

import dis
import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from signet import errors
from signet.names import nearest

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep

_RAISE = dis.opmap["RAISE_VARARGS"]


@functools.lru_cache(maxsize=4096)
def is_ours(filename: str) -> bool:
    """Whether a source file is one of this package."""
    return os.path.abspath(filename).startswith(PACKAGE)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns at the innermost line of the user."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and is_ours(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def boundary(function: F) -> F:
    """A function that users call. The traceback of an error that leaves it has no frames of this package, unless the environment
    variable SIGNET_TRACEBACK is `full`, or the error is a fault of this package."""
    if inspect.iscoroutinefunction(function):
        @functools.wraps(function)
        async def wait(*args: Any, **kwargs: Any) -> Any:
            try:
                return await function(*args, **kwargs)
            except Exception as error:
                _explain_arguments(error, function, args, kwargs)
                _shorten(error)
                raise

        return wait  # type: ignore[return-value]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            _explain_arguments(error, function, args, kwargs)
            _shorten(error)
            raise  # which does not add this frame

    return call  # type: ignore[return-value]


def bounded(cls: type) -> type:
    """A class whose special methods are such functions."""
    for name, member in list(vars(cls).items()):
        if name.startswith("__") and inspect.isfunction(member) and name not in ("__init__", "__repr__"):
            setattr(cls, name, boundary(member))
    return cls


@bounded
class Results:
    """An iterator of results. Closing it closes the generator, which cancels the calls in flight."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return next(self._generator)

    def close(self) -> None:
        self._generator.close()


def _explain_arguments(error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """If the arguments do not fit the parameters of the function, adds the parameters to the error, which is then one of the user."""
    if not isinstance(error, TypeError) or error.__traceback__ is None or error.__traceback__.tb_next is not None:
        return  # the function has begun
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        parameters = [each for each in signature.parameters.values() if each.name not in ("self", "cls")]
        known = [each.name for each in parameters]
        similar = [nearest(name, known) for name in kwargs if name not in known]
        shown = inspect.Signature([each.replace(annotation=inspect.Parameter.empty) for each in parameters])
        hint = f"; the nearest is `{similar[0]}`" if similar and similar[0] is not None else ""
        error.args = (f"{str(error).partition('. Did you mean')[0]}{hint}, in `{shown}`",)
        error._signet_is_short = True  # type: ignore[attr-defined]


def _shorten(error: Exception) -> None:
    is_ours_to_tell = isinstance(error, (errors.Error, RecursionError))
    is_short = getattr(error, "_signet_is_short", False)  # by an inner function
    if os.environ.get("SIGNET_TRACEBACK") == "full" or not (is_ours_to_tell or is_short or _is_raised_on_purpose(error.__traceback__)):
        return
    if not is_short:
        error._signet_is_short = True  # type: ignore[attr-defined]
    error.__traceback__ = _without_our_frames(error.__traceback__)
    if is_ours_to_tell:
        error.__suppress_context__ = True


def _is_raised_on_purpose(traceback: TracebackType | None) -> bool:
    """Whether code of the user raised the error, or a `raise` of this package. Anything else would be a fault of this package."""
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return not is_ours(code.co_filename) or code.co_code[traceback.tb_lasti] == _RAISE


def _without_our_frames(traceback: TracebackType | None) -> TracebackType | None:
    kept = []
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not is_ours(file) and file != "<__array_function__ internals>":  # of numpy
            kept.append(traceback)
        traceback = traceback.tb_next
    out = None
    for each in reversed(kept):
        out = TracebackType(out, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return out
