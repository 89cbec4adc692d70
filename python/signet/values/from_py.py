"""Makes values of plain Python: the types are those that a server infers from JSON (docs/reference/types.md)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from signet import engine
from signet.tracebacks import boundary
from signet.values.structured import type_of_column


@boundary
def from_py(value: Any, type: Any = None, nan: str = "missing") -> Any:
    """A list of numbers or texts as an array or as rows, and a list of dicts or a DataFrame as structures, by inference or as the type, a text
    in the notation or a signet.Type, says. `nan` is what NaN is in columns of pandas: "missing" or "value". Needs signet._core."""
    from signet import errors
    from signet.wire.convert import rows_of_pandas, to_json

    if nan not in ("missing", "value"):
        raise ValueError(f"nan: expected 'missing' or 'value', found {nan!r}")
    try:
        value = rows_of_pandas(value, nan == "value", type is None)
        if type is not None:
            return _read(value, type if isinstance(type, str) else repr(type))
        text = to_json(value, None, "value")
        if b'"NaN"' in text or b'Infinity"' in text:  # floats that JSON has no numbers for, or texts
            return _read(value, repr(type_of_column(_inferred(to_json(_finite(value), None, "value")))))
        return _inferred(text)
    except errors.Error as error:
        raise errors.make(error.code, re.sub(r"^byte \d+: ", "", error.message), reason=error.reason, field=error.field) from None


def _inferred(text: bytes) -> Any:
    from signet.wire import decode

    return decode.Reading().value(memoryview(engine.run(engine.core().infer, text)))


def _read(value: Any, type_: str) -> Any:
    """The value under a type."""
    from signet.types import from_message
    from signet.v1 import types_pb2
    from signet.wire import decode
    from signet.wire.convert import to_json

    known = from_message(types_pb2.TypeSpec.FromString(engine.run(engine.core().read_type, type_)[0]))
    return decode.Reading().value(memoryview(engine.run(engine.core().read_json, to_json(value, known, "value"), type_)))


def _finite(value: Any) -> Any:
    """The value with other floats in place of NaN and infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else 0.5
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.where(np.isfinite(value), value, 0.5)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return _finite(value.tolist())
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(each) for each in value] if isinstance(value, (list, tuple)) else value


@boundary
def parse(text: str) -> Any:
    """The value that a text in the notation states: `signet.parse("ragged int64[2, (?)] [[1], [2, 3]]")`. Needs signet._core."""
    from signet import errors
    from signet.wire import decode

    data, end = engine.run(engine.core().read_value, text)
    if text.encode()[end:].strip():
        raise errors.make("INVALID_ARGUMENT", f"position {end}: expected the end of the value, found `{text.encode()[end:].decode()[:20]}`")
    return decode.Reading().value(memoryview(data))
