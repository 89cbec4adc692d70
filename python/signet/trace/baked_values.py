"""Warns of values that a trace keeps for all calls, although they differ each time Python computes them: random numbers and the time."""

from __future__ import annotations

import dis
import random
from types import CodeType
from typing import Any

import numpy as np

from signet.tracebacks import warn

_CLOCKS = frozenset(("datetime", "date", "time", "Timestamp"))
_READINGS = frozenset(("now", "utcnow", "today", "time", "time_ns"))


class BakedValueWarning(UserWarning):
    """A function that is traced draws a random number or reads the clock. All calls use the value of the trace."""


class BakedValues:
    """Watches the trace of a function, for a `with` block."""

    def __init__(self, name: str, code: CodeType) -> None:
        self._name, self._code = name, code

    def __enter__(self) -> None:
        self._states = _states()

    def __exit__(self, error: Any, *unused: object) -> None:
        if error is not None:
            return
        if _states() != self._states:
            warn(f"`{self._name}` draws random numbers of Python while it is traced, so that all calls use the same numbers; "
                 "`ops.random_uniform(seed, ...)` computes them in each call, from a seed that is an argument", BakedValueWarning)
        if _reads_clock(self._code):
            warn(f"`{self._name}` reads the clock while it is traced, so that all calls use the time of the trace; make the time an argument",
                 BakedValueWarning)


def _reads_clock(code: CodeType) -> bool:
    """Whether the code has an attribute such as `time.time` or `datetime.now`."""
    if not _READINGS.intersection(code.co_names):
        return False
    before = ""
    for each in dis.get_instructions(code):
        if before in _CLOCKS and each.opname.startswith(("LOAD_ATTR", "LOAD_METHOD")) and each.argval in _READINGS:
            return True
        before = str(each.argval) if each.opname.startswith(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FAST", "LOAD_ATTR", "LOAD_METHOD")) else ""
    return False


def _states() -> tuple[Any, ...]:
    state: Any = np.random.get_state(legacy=False)
    return random.getstate(), state["state"]["key"].tobytes(), state["state"]["pos"]
