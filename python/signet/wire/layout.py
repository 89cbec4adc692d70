"""Remembers where the columns of a structure are in its message. The results of a function often differ in their elements only, and it
takes longer to read the names, dtypes, and shapes of many columns than to copy their elements."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from signet import dtypes
from signet.values import Structured
from signet.wire import check, encode

# Columns of equal dtype and shape are copied together, in blocks of at most this many bytes, because a copy of each takes longer than
# its bytes. An array of a block keeps the block in memory. Larger columns are copied alone.
BLOCK_BYTES = 1 << 20

FEWEST_COLUMNS = 8  # Fewer columns are read as fast without a layout.
_MOST_COLUMNS = 1024  # Bounds the memory of a layout.


class Layout(NamedTuple):
    """The places of the elements in the message of a structure whose columns are tensors of numbers. Another message is a structure with
    the same columns if it has the same size, and the same bytes between the elements."""

    between: list[slice]
    expected: bytes  # the bytes between the elements
    blocks: list[tuple[np.dtype[Any], tuple[int, ...], dict[str, slice]]]  # columns that are copied together, and their places
    names: tuple[str, ...]
    shape: tuple[int | None, ...]
    nrows: int

    def read(self, data: memoryview) -> Structured | None:
        """The structure in a message of this size; None if the message has another layout."""
        if b"".join([data[place] for place in self.between]) != self.expected:
            return None
        fields: dict[str, Any] = dict.fromkeys(self.names)
        for dtype, shape, places in self.blocks:
            block = np.frombuffer(bytearray().join([data[place] for place in places.values()]), dtype)
            if dtype == np.bool_:
                check.check_bools(block)
            fields.update(zip(places, block.reshape(len(places), *shape)))
        return Structured._of(self.shape, self.nrows, [], fields, frozenset())


class Remembered:
    """What is known of the messages with a size and a start. The layout is that of the second of them, because a function whose results
    always differ in their sizes has no use for it."""

    __slots__ = ("count", "layout")

    def __init__(self) -> None:
        self.count = 0
        self.layout: Layout | None = None

    def learn(self, data: memoryview, value: Structured, columns: Mapping[str, Any]) -> None:
        """Notes a message that was read without a layout: its structure, and the columns in the order of the message."""
        self.count += 1
        if self.count == 2:
            self.layout = layout_of(data, value, columns)


@functools.lru_cache(maxsize=64)
def _remembered(size: int, start: bytes) -> Remembered:
    return Remembered()


def remembered(data: memoryview) -> Remembered:
    """What is known of the messages that are like this one. The start has the shape and the first name, but no elements."""
    return _remembered(len(data), bytes(data[:20]))


def layout_of(data: memoryview, value: Structured, columns: Mapping[str, Any]) -> Layout | None:
    """The layout of a message with this structure, whose columns are in the order of the message. None if a column is not a tensor of
    numbers, or if the message is not written as the server writes it: first the shape, then the columns, then the order of
    the fields, which may be absent."""
    if not FEWEST_COLUMNS <= len(columns) <= _MOST_COLUMNS or value.rank != 1 or len(value.field_names) != len(columns):
        return None
    head = encode.Message().message(1, encode.shape_message(value.shape)).integer(2, value.nrows).to_bytes()
    between, expected, end = [], [], 0  # of the elements before
    alike: dict[tuple[np.dtype[Any], tuple[int, ...]], list[dict[str, slice]]] = {}  # by the dtype and the shape of columns: the places of blocks
    for name, column in columns.items():
        number = dtypes.number_of(column.dtype) if type(column) is np.ndarray and column.dtype.kind in "biufc" else None
        if number is None or not column.nbytes or column.shape[:1] != value.shape:
            return None
        head += encode.column_head(name, number, column.shape, column.nbytes)
        start = end + len(head)
        between.append(slice(end, start))
        expected.append(head)
        end, head = start + column.nbytes, b""
        blocks = alike.setdefault((column.dtype, column.shape), [])
        if not blocks or (len(blocks[-1]) + 1) * column.nbytes > BLOCK_BYTES:
            blocks.append({})
        blocks[-1][name] = slice(start, end)
    order = b"" if end == len(data) else encode.field_order(value.field_names)
    layout = Layout([*between, slice(end, len(data))], b"".join((*expected, order)),
                    [(dtype, shape, places) for (dtype, shape), blocks in alike.items() for places in blocks],
                    value.field_names, value.shape, value.nrows)
    return layout if end + len(order) == len(data) and layout.read(data) is not None else None
