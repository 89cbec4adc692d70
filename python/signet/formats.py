"""Arguments in data formats, which the server decodes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Union

from signet import errors, names
from signet.tracebacks import boundary
from signet.wire import encode
from signet.wire.convert import Encoded


@boundary
def json(text: Union[str, bytes]) -> Encoded:
    """A whole argument in JSON (docs/reference/json.md)."""
    return Encoded(encode.JSON, _bytes_of(text, "json"))


@boundary
def json_lines(text: Union[str, bytes]) -> Encoded:
    """Records, one JSON object in each line."""
    return Encoded(encode.JSON_LINES, _bytes_of(text, "json_lines"))


def _bytes_of(text: Any, name: str) -> bytes:
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    if not isinstance(text, str):
        raise TypeError(f"signet.{name}: expected a text or bytes, found a value of the class `{type(text).__name__}`; lists, dicts, and numbers "
                        "are arguments as they are")
    return names.to_bytes(text)


@boundary
def rows(message_type: Union[str, type], messages: Iterable[Any]) -> Encoded:
    """Rows that are protobuf messages of one type, serialized or not (docs/reference/protobuf.md).

    `message_type` is the class of the messages, or the name of their type. With the class, a text is a message in protobuf's JSON, and
    a dict is the content of one.
    """
    if isinstance(messages, (str, bytes)):
        raise TypeError("signet.rows: expected a list of messages, found one; write `[message]`")
    cls = None if isinstance(message_type, str) else message_type
    name: str = message_type if isinstance(message_type, str) else message_type.DESCRIPTOR.full_name  # type: ignore[attr-defined]
    return Encoded(encode.PROTOBUF, rows=tuple(_serialized(each, cls, name, row) for row, each in enumerate(messages)), message_type=name)


def _serialized(message: Any, cls: Any, name: str, row: int) -> bytes:
    if isinstance(message, bytes):
        return message
    if isinstance(message, (str, Mapping)):
        short = name.rpartition(".")[2]
        if cls is None:
            raise TypeError(f"row {row}: expected a message, found {'a dict' if isinstance(message, Mapping) else 'a text'}; to read JSON, write "
                            f"the class instead of the name, as in `signet.rows({short}, ...)`")
        from google.protobuf import json_format

        try:
            read = json_format.Parse if isinstance(message, str) else json_format.ParseDict
            message = read(message, cls())
        except json_format.ParseError as error:
            raise errors.make("INVALID_ARGUMENT", f"row {row}: expected `{name}` in protobuf's JSON: {error}", reason="NOT_CONVERTIBLE") from None
    data: bytes = message.SerializeToString()
    return data


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
