"""Ragged: rows of different lengths, stored as flat values and row splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from signet.types import RaggedType
from signet.values import arrays
from signet.values.indexing import get_item

Array = np.ndarray[Any, Any]


def _splits(given: Any) -> Array:
    splits = np.asarray(given)
    return splits if splits.dtype == np.int32 else splits.astype(np.int64, casting="safe", copy=False)


class Ragged:
    """Rows of different lengths: row i has the values from row_splits[i] to row_splits[i + 1].

    `values` are the flat values, or a Ragged whose rows are the values. The arrays are not copied.
    """

    __slots__ = ("_flat", "_shape", "_splits", "_splits_dtype")

    def __init__(self, values: Any, row_splits: Any, *, shape: Sequence[int | None] | None = None,
                 splits_dtype: Any = np.int64) -> None:
        is_list = isinstance(row_splits, (list, tuple)) and all(isinstance(each, np.ndarray) for each in row_splits)
        splits = list(map(_splits, row_splits)) if is_list else [_splits(row_splits)]
        if isinstance(values, Ragged):
            splits, values = splits + values._splits, values._flat
        self._flat: Array = arrays.unmasked(values) if not _is_texts(values) else np.asarray(values, object)
        self._splits: list[Array] = splits
        self._splits_dtype = np.dtype(splits[0].dtype if splits else splits_dtype)
        self._check()
        self._shape = tuple(shape) if shape is not None else None

    def _check(self) -> None:
        for axis, splits in enumerate(self._splits):
            where = f"row_splits[{axis}]"
            if splits.ndim != 1 or len(splits) == 0 or splits[0] != 0:
                raise ValueError(f"{where}: expected a vector that begins with 0")
            if (np.diff(splits) < 0).any():
                raise ValueError(f"{where}: expected numbers that never decrease")
            is_last = axis + 1 == len(self._splits)
            count = len(self._flat) if is_last else len(self._splits[axis + 1]) - 1
            if splits[-1] != count:
                raise ValueError(f"{where}: expected the last one to be {count}, the number of the {'values' if is_last else 'rows'}"
                                 f" that it divides, found {splits[-1]}")

    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any) -> Ragged:
        return cls(values, row_splits)

    @classmethod
    def from_row_lengths(cls, values: Any, row_lengths: Any) -> Ragged:
        lengths = _splits(row_lengths) if len(row_lengths) else np.zeros(0, np.int64)
        return cls(values, np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]))

    @classmethod
    def from_row_ids(cls, values: Any, row_ids: Any, nrows: int | None = None) -> Ragged:
        ids = np.asarray(row_ids, np.int64)
        if len(ids) and ((np.diff(ids) < 0).any() or ids[0] < 0):
            raise ValueError("row_ids: expected numbers of at least 0 that never decrease")
        least = int(ids[-1]) + 1 if len(ids) else 0
        count = nrows if nrows is not None else least
        if count < least:
            raise ValueError(f"nrows: expected at least {least}, because the last of row_ids is {least - 1}, found {count}")
        return cls.from_row_lengths(values, np.bincount(ids, minlength=count))

    @classmethod
    def from_rows(cls, rows: Sequence[Any]) -> Ragged:
        """Rows that are lists or arrays, such as [[1, 2], [], [3]]."""
        parts = [np.asarray(row, object) if _is_texts(row) else arrays.unmasked(row) for row in rows]
        for i, part in enumerate(parts):
            if part.ndim == 0:
                raise TypeError(f"row {i}: expected a list or an array, found {part.tolist()!r}")
        filled = [part for part in parts if len(part)]
        values = np.concatenate(filled) if filled else parts[0] if parts else np.zeros(0, np.float32)
        return cls.from_row_lengths(values, [len(part) for part in parts])

    @property
    def flat_values(self) -> Array:
        return self._flat

    @property
    def row_splits(self) -> Array:
        return self._splits[0]

    @property
    def nested_row_splits(self) -> tuple[Array, ...]:
        return tuple(self._splits)

    @property
    def values(self) -> Any:
        """The values of all rows, one after the other."""
        return Ragged(self._flat, self._splits[1:]) if len(self._splits) > 1 else self._flat

    @property
    def ragged_rank(self) -> int:
        return len(self._splits)

    @property
    def nrows(self) -> int:
        return len(self._splits[0]) - 1 if self._splits else len(self._flat)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._flat.dtype

    @property
    def splits_dtype(self) -> np.dtype[Any]:
        return self._splits_dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The size of each dimension; None where rows may differ."""
        if self._shape is not None:
            return self._shape
        return (self.nrows, *(None for _ in self._splits), *self._flat.shape[1:]) if self._splits else self._flat.shape

    @property
    def type(self) -> RaggedType:
        splits = "int32" if self._splits_dtype == np.int32 else "int64"
        return RaggedType(arrays.dtype_name(self._flat), self.shape, self.ragged_rank, splits)

    def row_lengths(self) -> Array:
        return np.diff(self._splits[0])

    def row_ids(self) -> Array:
        return np.repeat(np.arange(self.nrows), self.row_lengths())

    def __len__(self) -> int:
        return self.nrows

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.nrows))

    def __getitem__(self, key: Any) -> Any:
        if not self._splits:
            return self._flat[key]
        if isinstance(key, tuple) or key is None or key is ...:
            return get_item(self, key)
        if isinstance(key, slice):
            start, stop, step = key.indices(self.nrows)
            if step != 1:
                return type(self)._of_rows([self[i] for i in range(start, stop, step)], self)
            return self._rows(start, max(start, stop))
        index = arrays.row_index(key, self.nrows, "row")
        start, end = int(self._splits[0][index]), int(self._splits[0][index + 1])
        return self.values[start:end]

    def _rows(self, start: int, stop: int) -> Ragged:
        splits = []
        for each in self._splits:
            part = each[start : stop + 1]
            start, stop = int(part[0]), int(part[-1])
            splits.append(part - part[0])
        return Ragged(self._flat[start:stop], splits)

    @staticmethod
    def _of_rows(rows: list[Any], like: Ragged) -> Ragged:
        if not rows:
            return like._rows(0, 0)
        out = Ragged.from_row_lengths(Ragged._joined(rows), [len(row) for row in rows])
        return Ragged(out._flat, [splits.astype(like._splits_dtype) for splits in out._splits])

    @staticmethod
    def _joined(rows: list[Any]) -> Any:
        """The elements of rows, one row after the other."""
        if not isinstance(rows[0], Ragged):
            return np.concatenate(rows)
        return Ragged.from_row_lengths(Ragged._joined([row.values for row in rows]), np.concatenate([row.row_lengths() for row in rows]))

    def to_arrow(self) -> Any:
        """A pyarrow.LargeListArray."""
        from signet.values.to_arrow import array_of

        return array_of(self)

    def to_py(self) -> list[Any]:
        items: list[Any] = self._flat.tolist()
        for splits in reversed(self._splits):
            items = arrays.split_rows(items, splits)
        return items

    def to_tensor(self, default: Any = None) -> Array:
        """A dense array, with `default` after the end of shorter rows: by default 0, or "" for texts."""
        if default is None:
            default = "" if self._flat.dtype == object else 0
        if self.ragged_rank != 1:
            return np.asarray(Ragged(self.values.to_tensor(default), self._splits[0]).to_tensor(default)) if self._splits else self._flat
        lengths = self.row_lengths()
        width = int(lengths.max(initial=0))
        out = np.full((self.nrows, width, *self._flat.shape[1:]), default, self._flat.dtype)
        out[np.arange(width) < lengths[:, None]] = self._flat
        return out

    def to_pandas(self) -> Any:
        """A Series with one array or list for each row."""
        import pandas

        column = np.empty(self.nrows, object)
        column[:] = [row if isinstance(row, np.ndarray) else row.to_py() for row in self]
        return pandas.Series(column)

    def _repr_html_(self) -> str:
        from signet import html

        return html.of_ragged(self)

    def equals(self, other: Any) -> bool:
        return (isinstance(other, Ragged) and arrays.same_array(self._flat, other._flat)
                and len(self._splits) == len(other._splits) and self._splits_dtype == other._splits_dtype
                and all(map(np.array_equal, self._splits, other._splits)))

    def __array__(self, dtype: Any = None) -> Any:
        raise TypeError("rows of different lengths are not an array; to_tensor() fills them up, and flat_values has no rows")

    def __repr__(self) -> str:
        return arrays.summary("Ragged", repr(self.type), (arrays.to_py(row) for row in self), self.nrows)


def _is_texts(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "USO"
    first = values[0] if isinstance(values, (list, tuple)) and values else None
    return isinstance(first, (str, bytes))
