"""The engine in the process: the module signet._core, which runs what a server would run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from signet import errors, names

T = TypeVar("T")


def core() -> Any:
    """The module signet._core. Raises ImportError, with what to install, if this installation has none."""
    try:
        from signet import _core
    except ImportError as error:
        raise ImportError("this installation of signet has no engine (signet._core), which functions of your own and local runs need; "
                          "install the wheel for your platform, or write it with `./dev python`. signet.connect works without it.") from error
    return _core


def is_there() -> bool:
    """Whether this installation has the engine."""
    try:
        core()
    except ImportError:
        return False
    return True


def run(function: Callable[..., T], *args: Any) -> T:
    """Calls a function of the engine. Its errors are those that a server sends."""
    try:
        return function(*args)
    except core().StatusError as failed:
        code, message, reason, field = failed.args
        raise errors.make(code, names.to_text(message), reason=reason or code, field=field) from None
    except RuntimeError:  # of pybind11: an argument cannot be converted, such as a text with bytes that are not UTF-8
        encoded = _encoded(args)
        if encoded == args:
            raise
    return run(function, *encoded)


def _encoded(value: Any) -> Any:
    """The value with bytes for the texts in it that are not UTF-8."""
    if isinstance(value, str):
        try:
            value.encode()
            return value
        except UnicodeEncodeError:
            pass
        try:
            return names.to_bytes(value)
        except UnicodeEncodeError:
            raise errors.make("INVALID_ARGUMENT", "expected a text, found one with half of a character (a lone surrogate)",
                              reason="INVALID_UTF8") from None
    if type(value) in (list, tuple):
        return type(value)(map(_encoded, value))
    return {key: _encoded(item) for key, item in value.items()} if type(value) is dict else value
