"""Checks the parts of values in responses. A server that is faulty, or that is not a server of Signet, must not cause wrong values, or need
more memory than its messages have. All checks raise ValueError; the callers of `decode` receive signet.DataLoss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from signet.values import Ragged, Sparse, Structured

Array = np.ndarray[Any, Any]
Sizes = Sequence["int | None"]

MOST_DIMENSIONS = 32  # the limit of numpy
# The limit of rows that need no bytes in a message, such as the rows of an array of the shape [1000000000, 0]. Each row needs memory when
# it is converted to a list.
MOST_EMPTY_ROWS = 1 << 22


def shaped(array: Array, shape: tuple[int, ...]) -> Array:
    """The elements of a tensor in its shape."""
    if len(shape) > MOST_DIMENSIONS or (shape and min(shape) < 0):
        raise ValueError(f"expected a shape of at most {MOST_DIMENSIONS} sizes of at least 0, found {list(shape[: MOST_DIMENSIONS + 1])}")
    if not len(array) and shape and shape[0]:
        rows = 1
        for size in shape[: shape.index(0)] if 0 in shape else ():
            rows *= size
            _check_empty_rows(rows)
    return array.reshape(shape)


def check_bools(array: Array) -> None:
    if array.size and array.view(np.uint8).max() > 1:
        raise ValueError("a bool that is not 0 or 1")


def check_offsets(offsets: Array, size: int) -> None:
    """The offsets of texts in `size` bytes."""
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != size or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"expected offsets of texts that begin with 0, do not decrease, and end with {size}")


def check_splits(splits: Array, rows: int | None, where: str = "row_splits") -> int:
    """Checks the row splits of a number of rows, or of any number, and returns the number of values."""
    if splits.dtype not in (np.int32, np.int64) or splits.ndim != 1 or not len(splits):
        raise ValueError(f"{where}: expected a vector of int32 or int64, found {splits.dtype}{list(splits.shape)}")
    if rows is not None and len(splits) != rows + 1:
        raise ValueError(f"{where}: expected {rows} rows, found {len(splits) - 1}")
    if splits[0] != 0 or (splits[1:] < splits[:-1]).any():
        raise ValueError(f"{where}: expected numbers that begin with 0 and do not decrease")
    return int(splits[-1])


def ragged(values: Array, shared: list[Array], own: list[Array], shape: Sizes | None, splits_dtype: Any) -> Ragged:
    """A ragged tensor of checked parts. `shared` are the row splits of the structure of which it is a field."""
    splits = shared + own
    if shape is not None:
        rank = len(shape) - values.ndim
        if not 0 <= rank <= MOST_DIMENSIONS or len(own) != max(rank - len(shared), 0):
            raise ValueError(f"expected {max(rank - len(shared), 0)} row_splits for the shape {list(shape)}, found {len(own)}")
        splits = splits[:rank]
    for each in own:
        if each.dtype != np.int64 and each.dtype != np.int32:
            raise ValueError(f"row_splits: expected int32 or int64, found {each.dtype}")
    if splits and not values.ndim:
        raise ValueError("expected values of a ragged tensor with at least one dimension")
    out = Ragged(values, splits, shape=shape, splits_dtype=splits_dtype)  # which checks that the splits fit one another
    if shape is not None:
        _check_sizes("shape", shape, len(values) if not splits else out.nrows, splits, values.shape[1:])
    return out


def _check_sizes(where: str, shape: Sizes, rows: int, splits: Sequence[Array], inner: Sizes) -> None:
    """Checks the known sizes of the dimensions of rows."""
    for axis, size in enumerate(shape):
        if size is None:
            continue
        if 0 < axis <= len(splits):
            is_right = (np.diff(splits[axis - 1]) == size).all()
        else:
            is_right = size == (rows if axis == 0 else inner[axis - len(splits) - 1])
        if not is_right:
            raise ValueError(f"{where}: expected {size} for the dimension {axis}, found another size")


def sparse(parts: dict[int, Array]) -> Sparse:
    """A sparse tensor of its indices (1), values (2), and dense shape (3)."""
    indices, values, dense_shape = (parts.get(number) for number in (1, 2, 3))
    if indices is None or values is None or dense_shape is None:
        raise ValueError("expected indices, values, and dense_shape of a sparse tensor")
    if dense_shape.dtype != np.int64 or dense_shape.ndim != 1 or len(dense_shape) > MOST_DIMENSIONS or (dense_shape < 0).any():
        raise ValueError("dense_shape: expected an int64 vector of sizes of at least 0")
    if indices.dtype != np.int64 or values.ndim != 1 or indices.shape != (len(values), len(dense_shape)):
        raise ValueError(f"indices: expected int64[{len(values)}, {len(dense_shape)}], found {indices.dtype}{list(indices.shape)}")
    if (indices < 0).any() or (indices >= dense_shape).any():
        raise ValueError("indices: expected indices within dense_shape")
    if len(indices) > 1:
        before, after = indices[:-1], indices[1:]
        first = (before != after).argmax(1)  # the first dimension in which they differ
        rows = np.arange(len(first))
        if not len(dense_shape) or (before[rows, first] >= after[rows, first]).any():
            raise ValueError("indices: expected each index once, in row-major order")
    return Sparse(indices, values, dense_shape)


def check_records(value: Structured, outer_rank: int) -> None:
    """Checks the parts of a structure except for its columns. `outer_rank` is the rank of the structure of which it is a field."""
    shape, splits = value.shape, value.row_splits
    if len(shape) > MOST_DIMENSIONS or len(shape) < outer_rank:
        raise ValueError(f"expected a structure of {outer_rank} to {MOST_DIMENSIONS} dimensions, found {len(shape)}")
    if len(splits) != max(len(shape) - 1, 0):
        raise ValueError(f"expected {max(len(shape) - 1, 0)} row_splits for the shape {list(shape)}, found {len(splits)}")
    if not shape:
        return
    rows = value.nrows
    if not 0 <= rows < 1 << 63:
        raise ValueError(f"nrows: expected at least 0, found {rows}")
    for axis, each in enumerate(splits):
        rows = check_splits(each, rows, f"row_splits[{axis}]")
    _check_sizes("shape", shape, value.nrows, splits, ())


def check_columns(value: Structured) -> None:
    """Checks that each column has the rows of its structure. There is an empty row of a record only if a column states it."""
    rank, splits = value.rank, value.row_splits
    if rank and not value._fields and not splits:
        _check_empty_rows(value.nrows)
    if rank == 1:  # as most are
        for name, column in value._fields.items():
            if (column.shape[:1] != (value.nrows,) if type(column) is np.ndarray else not isinstance(column, (Ragged, Structured))
                    or column.nrows != value.nrows):
                raise ValueError(f"field `{name}`: expected {value.nrows} rows")
    elif rank:
        for name, column in value._fields.items():
            _check_nested_column(name, column, value)
    for name in value.optional_fields:
        column = value._fields.get(name)
        if column is not None and not _has_at_most_one(column, rank):
            raise ValueError(f"field `{name}`: expected 0 or 1 value in each record, because it is optional")


def _check_nested_column(name: str, column: Any, records: Structured) -> None:
    if isinstance(column, Structured):  # which has the row splits of the records
        return
    known = column.ragged_rank if isinstance(column, Ragged) else 0
    flat = column.flat_values if isinstance(column, Ragged) else np.asarray(column)
    nrows = column.nrows if isinstance(column, Ragged) else (*flat.shape, -1)[0]
    if nrows != records.nrows or known + flat.ndim < records.rank:
        raise ValueError(f"field `{name}`: expected {records.nrows} rows with {records.rank} dimensions")
    for axis in range(known + 1, records.rank):
        sizes = np.diff(records.row_splits[axis - 1])
        if (sizes != flat.shape[axis - known]).any():
            raise ValueError(f"field `{name}`: expected rows with the lengths of the rows of the records in dimension {axis}")


def _has_at_most_one(column: Any, axis: int) -> bool:
    """Whether the rows of a dimension have at most one element."""
    if isinstance(column, np.ndarray):
        return column.ndim > axis and column.shape[axis] <= 1
    splits = column.nested_row_splits if isinstance(column, Ragged) else column.row_splits if isinstance(column, Structured) else None
    if splits is None or (isinstance(column, Structured) and column.rank <= axis):
        return False
    if axis == 0:
        return bool(column.nrows <= 1)
    if axis <= len(splits):
        return bool((np.diff(splits[axis - 1]) <= 1).all())
    return _has_at_most_one(column.flat_values, axis - len(splits)) if isinstance(column, Ragged) else False


def _check_empty_rows(count: int) -> None:
    if count > MOST_EMPTY_ROWS:
        raise ValueError(f"expected at most {MOST_EMPTY_ROWS} rows without content, found {count}")


def names_in_order(found: dict[str, Any], order: list[str], key: Any) -> list[str]:
    """The names of entries in the stated order. The others follow, sorted by `key`."""
    if not order:
        return sorted(found, key=key)
    stated = dict.fromkeys(order)
    if len(stated) != len(order) or not stated.keys() <= found.keys():
        raise ValueError("expected an order that has each name once, and names of fields only")
    return order if len(order) == len(found) else [*order, *sorted(found.keys() - stated.keys(), key=key)]
