"""Makes values of plain Python: the types are those that a server infers from JSON (docs/reference/types.md)."""

from __future__ import annotations

from typing import Any

from signet import engine
from signet.tracebacks import boundary


@boundary
def from_py(value: Any, type: Any = None) -> Any:
    """A list of numbers or texts as an array or as rows, and a list of dicts as structures, by inference or as the type, a text in
    the notation or a signet.Type, says. Needs signet._core."""
    from signet.wire import decode
    from signet.wire.convert import to_json

    text = to_json(value, None, "value")
    if type is None:
        data = engine.run(engine.core().infer, text)
    else:
        data = engine.run(engine.core().read_json, text, type if isinstance(type, str) else repr(type))
    return decode.Reading().value(memoryview(data))


@boundary
def parse(text: str) -> Any:
    """The value that a text in the notation states: `signet.parse("ragged int64[2, (?)] [[1], [2, 3]]")`. Needs signet._core."""
    from signet import errors
    from signet.wire import decode

    data, end = engine.run(engine.core().read_value, text)
    if text.encode()[end:].strip():
        raise errors.make("INVALID_ARGUMENT", f"position {end}: expected the end of the value, found `{text.encode()[end:].decode()[:20]}`")
    return decode.Reading().value(memoryview(data))
