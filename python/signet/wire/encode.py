"""Writes the messages of a request. The bytes of arrays are copied once, when the message is joined."""

from __future__ import annotations

import functools
import itertools
import math
import struct
from collections.abc import Iterable, Sequence
from typing import Any, Union

import numpy as np

from signet import dtypes, names

Array = np.ndarray[Any, Any]
Data = Union[bytes, memoryview]

# The fields of signet.v1.Value.
TENSOR, RAGGED, SPARSE, STRUCTURED, LITERAL, LIST, TUPLE, DICT, NAMED_TUPLE, EXTENSION, ENCODED, TYPE = range(1, 13)
JSON, JSON_LINES, PROTOBUF, ARROW_IPC = 1, 2, 3, 4

_SMALL = [bytes([number]) for number in range(128)]
_MASK = (1 << 64) - 1
_SMALL_ARRAY = 4096  # in bytes


def varint(number: int) -> bytes:
    if 0 <= number < 128:
        return _SMALL[number]
    if 0 < number < 1 << 14:
        return bytes((number & 127 | 128, number >> 7))
    number &= _MASK
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


class Message:
    """The parts of a serialized message."""

    __slots__ = ("parts", "size")

    def __init__(self) -> None:
        self.parts: list[Any] = []  # Data, and contiguous arrays
        self.size = 0  # in bytes

    def _add(self, data: Data) -> None:
        self.parts.append(data)
        self.size += len(data)

    def integer(self, field: int, number: int) -> Message:
        self._add(varint(field << 3) + varint(number))
        return self

    def data(self, field: int, data: Data) -> Message:
        size = len(data)
        head = varint(field << 3 | 2) + varint(size)
        self.parts += (head, data)
        self.size += len(head) + size
        return self

    def elements(self, field: int, array: Array) -> Message:
        head = varint(field << 3 | 2) + varint(array.nbytes)
        self.parts += (head, _joinable(array))
        self.size += len(head) + array.nbytes
        return self

    def text(self, field: int, text: str) -> Message:
        return self.data(field, names.to_bytes(text))

    def message(self, field: int, message: Message) -> Message:
        head = varint(field << 3 | 2) + varint(message.size)
        self.parts.append(head)
        self.parts += message.parts
        self.size += len(head) + message.size
        return self

    def to_bytes(self) -> bytes:
        return b"".join(self.parts)


def _value(kind: int, message: Message) -> Message:
    return Message().message(kind, message)


def _joinable(array: Array) -> bytes | Array:
    """The elements of an array for a join, which takes contiguous arrays as they are. Small arrays are joined faster as bytes."""
    if array.nbytes <= _SMALL_ARRAY or array.ndim == 0:
        return array.tobytes()
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def tensor_message(number: int, array: Array) -> Message:
    """A signet.v1.Tensor."""
    out = Message().integer(1, number)
    if array.ndim:
        out.data(2, b"".join(map(varint, array.shape)))
    if number == dtypes.STRING:
        texts = [text if isinstance(text, bytes) else names.to_bytes(text) for text in array.reshape(-1).tolist()]
        offsets = np.zeros(len(texts) + 1, "<i8")
        np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
        return out.data(3, b"".join(texts)).data(5, offsets.tobytes())
    return out.elements(3, _stored(number, array))


def _stored(number: int, array: Array) -> Array:
    """The array in the dtype of the bytes of a message."""
    stored = dtypes.STORED[number]
    assert stored is not None
    if array.dtype == stored:
        return array
    return array.view(stored) if array.dtype.itemsize == stored.itemsize and array.dtype.isnative else array.astype(stored)


def int64_message(numbers: Any) -> Message:
    return tensor_message(dtypes.INT64, np.asarray(numbers, np.int64))


@functools.lru_cache(maxsize=4096)
def tensor_head(number: int, shape: tuple[int, ...], size: int) -> bytes:
    """A signet.v1.Value with a tensor up to its elements, which have `size` bytes."""
    head = Message().integer(1, number)
    if shape:
        head.data(2, b"".join(map(varint, shape)))
    fields = head.to_bytes() + varint(3 << 3 | 2) + varint(size)
    return varint(TENSOR << 3 | 2) + varint(len(fields) + size) + fields


def tensor(number: int, array: Array) -> Message:
    if number == dtypes.STRING:
        return _value(TENSOR, tensor_message(number, array))
    if array.dtype is not dtypes.STORED[number]:
        array = _stored(number, array)
    head = tensor_head(number, array.shape, array.nbytes)
    out = Message()
    out.parts += (head, _joinable(array))
    out.size = len(head) + array.nbytes
    return out


def shape_message(sizes: Iterable[int | None]) -> Message:
    return Message().data(1, b"".join(varint(-1 if size is None else size) for size in sizes))


def ragged(number: int, values: Array, row_splits: Sequence[Array],
           shape: Sequence[int | None] | None = None) -> Message:
    """A ragged value. Inside a structure, `row_splits` are those that the structure does not have, and
    `shape` is the shape of the column."""
    out = Message().message(1, tensor_message(number, values))
    for splits in row_splits:
        splits_number = dtypes.INT32 if splits.dtype.itemsize == 4 else dtypes.INT64
        out.message(2, tensor_message(splits_number, splits))
    if shape is not None:
        out.message(3, shape_message(shape))
    return _value(RAGGED, out)


def sparse(number: int, indices: Any, values: Array, dense_shape: Any) -> Message:
    out = Message().message(1, int64_message(indices)).message(2, tensor_message(number, values))
    return _value(SPARSE, out.message(3, int64_message(dense_shape)))


@functools.lru_cache(maxsize=4096)
def column_head(name: str, number: int, shape: tuple[int, ...], size: int) -> bytes:
    """A field with a tensor up to its elements, which have `size` bytes."""
    head = tensor_head(number, shape, size)
    entry = Message().text(1, name).to_bytes() + varint(2 << 3 | 2) + varint(len(head) + size)
    return varint(4 << 3 | 2) + varint(len(entry) + len(head) + size) + entry + head


@functools.lru_cache(maxsize=64)
def _column_heads(field_names: tuple[str, ...], numbers: tuple[int, ...], shapes: tuple[tuple[int, ...], ...]) -> tuple[list[bytes], int]:
    """The heads of columns, and the size of the columns with their heads."""
    heads, total = [], 0
    for name, number, shape in zip(field_names, numbers, shapes):
        stored = dtypes.STORED[number]
        assert stored is not None
        size = math.prod(shape) * stored.itemsize
        heads.append(column_head(name, number, shape, size))
        total += len(heads[-1]) + size
    return heads, total


@functools.lru_cache(maxsize=256)
def field_order(field_names: tuple[str, ...]) -> bytes:
    """The end of a structured value."""
    return b"".join(Message().text(5, name).to_bytes() for name in field_names)


def structured(shape: Sequence[int | None], nrows: int, row_splits: Sequence[Array], field_names: tuple[str, ...], numbers: tuple[int, ...],
               columns: Sequence[Any], optional: tuple[str, ...] = ()) -> Message:
    """Structures. `row_splits` are those that an outer structure does not have. A column is an array in the dtype of its number, or a
    Message if its number is 0. Arrays are handled together, because structures often have many."""
    out = Message().message(1, shape_message(shape)).integer(2, nrows)
    for splits in row_splits:
        out.message(3, int64_message(splits))
    array_names, kinds, arrays = field_names, numbers, columns
    if 0 in numbers:
        for name, number, column in zip(field_names, numbers, columns):
            if number == 0:
                out.message(4, _named(name, column))
        array_names, kinds, arrays = (tuple(itertools.compress(each, numbers)) for each in (field_names, numbers, columns))
    heads, size = _column_heads(array_names, kinds, tuple([array.shape for array in arrays]))
    parts: list[Any] = [b""] * (2 * len(heads))
    parts[::2] = heads
    parts[1::2] = [array if array.nbytes > _SMALL_ARRAY and array.flags.c_contiguous else _joinable(array) for array in arrays]
    out.parts += parts
    out.size += size
    out._add(field_order(field_names))
    for name in optional:
        out.text(6, name)
    return _value(STRUCTURED, out)


def literal_message(value: Any) -> Message:
    out = Message()
    if value is None:
        return out
    if isinstance(value, bool):
        return out.integer(1, value)
    if isinstance(value, int):
        if -(1 << 63) <= value < 1 << 63:
            return out.integer(2, value << 1 ^ value >> 63)
        return out.integer(3, value)
    if isinstance(value, float):
        out._add(varint(4 << 3 | 1) + struct.pack("<d", value))
        return out
    return out.data(5, value if isinstance(value, bytes) else names.to_bytes(value))


def literal(value: Any) -> Message:
    return _value(LITERAL, literal_message(value))


def sequence(kind: int, elements: Iterable[Message]) -> Message:
    out = Message()
    for element in elements:
        out.message(1, element)
    return _value(kind, out)


def dict_(items: Iterable[tuple[str, Message]]) -> Message:
    out = Message()
    for key, item in items:
        out.message(1, Message().text(1, key).message(2, item)).text(2, key)
    return _value(DICT, out)


def _named(name: str, value: Message) -> Message:
    return Message().text(1, name).message(2, value)


def named_tuple(name: str, fields: Iterable[tuple[str, Message]], attrs: bool) -> Message:
    out = Message().text(1, name)
    for field, value in fields:
        out.message(2, _named(field, value))
    return _value(NAMED_TUPLE, out.integer(3, 1) if attrs else out)


def extension(name: str, statics: Iterable[tuple[str, str]], components: Iterable[tuple[str, Message]]) -> Message:
    """A value of an extension type. The static attributes are written in the notation."""
    out = Message().text(1, name)
    for key, text in statics:
        out.message(2, Message().text(1, key).message(2, Message().text(12, text)))
    for key, value in components:
        out.message(3, _named(key, value))
    return _value(EXTENSION, out)


def encoded(format_: int, data: Data = b"", rows: Iterable[bytes] = (), message_type: str = "", strict: bool = False) -> Message:
    """A value in a data format. If `strict`, the server rejects fields that the type does not have."""
    out = Message().integer(1, format_)
    if len(data):
        out.data(2, data)
    for row in rows:
        out.data(3, row)
    if message_type:
        out.text(4, message_type)
    return _value(ENCODED, out.integer(5, 1) if strict else out)


def is_encoded(value: Message) -> bool:
    """Whether a signet.v1.Value is data in another format."""
    return bool(value.parts[0][0] == ENCODED << 3 | 2)


def type_(notation: str) -> Message:
    return _value(TYPE, Message().text(12, notation))


def model_spec(name: str, version: int | None, label: str | None) -> Message:
    out = Message().text(1, name)
    if version is not None:
        return out.integer(2, version)
    return out.text(3, label) if label is not None else out


def call_target(model: Message, function: str) -> bytes:
    """The fields of a signet.v1.CallRequest that all calls of a function share."""
    return Message().message(1, model).text(2, function).to_bytes()


def call_request(target: bytes, positional: Iterable[Message], keywords: Iterable[tuple[str, Message]],
                 result_format: int = 0) -> Message:
    out = Message()
    out._add(target)
    for argument in positional:
        out.message(3, argument)
    for name, argument in keywords:
        out.message(4, _named(name, argument))
    return out.message(5, Message().integer(1, result_format)) if result_format else out


def stream_request(call: Message, number: int) -> Message:
    return Message().integer(1, number).message(2, call)
