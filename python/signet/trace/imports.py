"""The functions of other models that traced functions call, each under a name of its own."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from signet.trace.errors import run
from signet.trace.tracer import Traced, _identifier

_lock = threading.Lock()
_owners: weakref.WeakValueDictionary[str, ImportedModel] = weakref.WeakValueDictionary()  # by the name of a function


class ImportedModel:
    """The functions of a model in this process as functions that a trace calls.

    The function `main` of the model `risk` is `_risk_main`. If another model has this function, it is `_risk_2_main`. A name is free again
    when neither the model nor a function that calls it exists.
    """

    def __init__(self, core_model: Any, name: str) -> None:
        self._core_model, self._name = core_model, _identifier(name)
        self._prefix: str | None = None
        self._handles: dict[str, Any] = {}

    def traced(self, function: str) -> Traced:
        """The function, which refers to all others of its model."""
        with _lock:
            if self._prefix is None:
                self._prefix = self._claim_names(function)
        name = f"{self._prefix}{function}"
        others = [Traced(handle, [], [], {}, [], owner=self) for each, handle in self._handles.items() if each != name]
        return Traced(self._handles[name], others, [], {}, [], owner=self)

    def _claim_names(self, function: str) -> str:
        number = 1
        while True:
            prefix = f"_{self._name}_" if number == 1 else f"_{self._name}_{number}_"
            number += 1
            if f"{prefix}{function}" in _owners:
                continue
            handles = {handle.name: handle for handle in run(self._core_model.functions, prefix)}
            if any(name in _owners for name in handles):
                continue
            self._handles = handles
            _owners.update(dict.fromkeys(handles, self))
            return prefix
