"""Arguments in data formats, which the server decodes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Union

from signet.wire import encode
from signet.wire.convert import Encoded


def json(text: Union[str, bytes]) -> Encoded:
    """A whole argument in JSON (docs/reference/json.md)."""
    return Encoded(encode.JSON, text.encode() if isinstance(text, str) else bytes(text))


def json_lines(text: Union[str, bytes]) -> Encoded:
    """Records, one JSON object in each line."""
    return Encoded(encode.JSON_LINES, text.encode() if isinstance(text, str) else bytes(text))


def rows(message_type: str, messages: Iterable[Any]) -> Encoded:
    """Rows that are protobuf messages of one type, serialized or not (docs/reference/protobuf.md)."""
    data = tuple(each if isinstance(each, bytes) else each.SerializeToString() for each in messages)
    return Encoded(encode.PROTOBUF, rows=data, message_type=message_type)


def arrow(source: Any) -> Encoded:
    """An Arrow IPC stream: its bytes, the path of a file, or a table of pyarrow (docs/reference/arrow.md)."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Encoded(encode.ARROW_IPC, bytes(source))
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return Encoded(encode.ARROW_IPC, file.read())
    import pyarrow

    table = source if isinstance(source, (pyarrow.Table, pyarrow.RecordBatch)) else pyarrow.table(source)
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    return Encoded(encode.ARROW_IPC, sink.getvalue().to_pybytes())
