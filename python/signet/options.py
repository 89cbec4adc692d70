"""How calls are made: options of a client, of a block, and of a function."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Optional

from signet.names import list_names
from signet.names import nearest as nearest_name
from signet.wire import decode, encode
from signet.wire.convert import Conversion, conversion_of

# How a request states the format of its result.
RESULT_FORMATS = {"value": 0, "json": encode.JSON, "json_lines": encode.JSON_LINES, "arrow": encode.ARROW_IPC}


@dataclass(frozen=True)
class Options:
    """Options of calls. `timeout` is in seconds and is for all attempts together."""

    timeout: Optional[float] = 30.0
    retries: int = 3
    exact: bool = False  # arrays keep their dtypes, and the server rejects those that do not fit
    nan: str = "missing"  # what NaN is in columns of pandas; or "value"
    strict: bool = False  # fields and columns that the type of a parameter does not have are rejected
    copy: bool = True  # if False, arrays of results refer to the bytes of the response and cannot be written
    text: str = "str"  # or "bytes"
    result: str = "value"  # or "json", "json_lines", or "arrow": the bytes of the result in this format
    priority: str = ""  # "high", "normal", or "low"

    @property
    def result_format(self) -> int:
        """The number of the data format of results; 0 for values."""
        return RESULT_FORMATS[self.result]

    def conversion(self) -> Conversion:
        """How arguments are converted."""
        return conversion_of(self.exact, self.nan == "value", self.strict)

    def reading(self) -> decode.Reading:
        """How the results of calls are read."""
        return decode.Reading(self.copy, self.text, self.result_format)

    def replaced(self, changes: dict[str, Any]) -> Options:
        """These options with changes. Raises TypeError or ValueError for an option that does not exist."""
        names = [field.name for field in dataclasses.fields(self)]
        for name in changes:
            if name not in names:
                nearest = nearest_name(name, names)
                hint = f"the nearest is `{nearest}`" if nearest is not None else f"the options are {list_names(names)}"
                raise TypeError(f"no option `{name}`; {hint}")
        out = dataclasses.replace(self, **changes)
        for name, known in (("text", ("str", "bytes")), ("nan", ("missing", "value")), ("result", tuple(RESULT_FORMATS)), ("priority", ("", "high", "normal", "low"))):
            if getattr(out, name) not in known:
                raise ValueError(f"{name}: expected one of {', '.join(map(repr, known))}, found {getattr(out, name)!r}")
        if out.timeout is not None and (not _is_number(out.timeout) or not out.timeout > 0):
            raise ValueError(f"timeout: expected a number of seconds above 0, or None, found {out.timeout!r}")
        if not _is_number(out.retries) or out.retries != int(out.retries) or out.retries < 0:
            raise ValueError(f"retries: expected an integer of at least 0, found {out.retries!r}")
        return out


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
