"""Structured: records, stored as one column for each field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from signet import names
from signet.types import LiteralType, StructuredType, TensorType, Type
from signet.values import arrays
from signet.values.indexing import get_item
from signet.values.ragged import Ragged

Array = np.ndarray[Any, Any]


class Structured:
    """Records that have the same fields, stored as columns.

    `x["title"]` and `x.title` are a column: an array, a Ragged, or a Structured, which begins with the dimensions of the
    records. `x[0]` is a record, and `x[1:3]` are several. A name that is an attribute of this class is read with `x["name"]`.
    """

    __slots__ = ("_fields", "_nrows", "_optional", "_row_splits", "_shape")

    def __init__(self, fields: Mapping[str, Any], nrows: int | None = None, row_splits: Sequence[Any] = ()) -> None:
        """Records of rank 1 + len(row_splits), one for each row of the columns. `nrows` is needed if there is no column. `row_splits` is
        a list with the row splits of each further dimension, or the row splits themselves if there is one further dimension."""
        if isinstance(fields, (list, tuple)):
            raise TypeError("expected a dict with a column for each field, found a list; `signet.from_py(records)` reads records")
        columns = {name: as_column(column) for name, column in fields.items()}
        for name, column in columns.items():
            if isinstance(column, np.ndarray) and column.ndim == 0:
                raise TypeError(f"field `{name}`: expected a column with one row for each record, found {arrays.to_py(column)!r}")
        counts = {name: len(column) for name, column in columns.items()}
        is_one = len(row_splits) > 0 and np.ndim(row_splits[0]) == 0
        self._row_splits = [np.asarray(splits, np.int64) for splits in ([row_splits] if is_one else row_splits)]
        count = nrows if nrows is not None else next(iter(counts.values()), len(self._row_splits[0]) - 1 if self._row_splits else 0)
        for name, each in counts.items():
            if each != count:
                raise ValueError(f"field `{name}`: expected {count} rows, as the others have, found {each}")
        self._nrows = count
        for splits in self._row_splits:
            if splits.ndim != 1 or len(splits) != count + 1 or splits[0] != 0 or np.any(np.diff(splits) < 0):
                raise ValueError(f"row_splits: expected {count + 1} numbers that start at 0 and do not decrease, found {splits.tolist()}")
            count = int(splits[-1])
        self._fields: dict[str, Any] = {name: self._with_splits(name, column) for name, column in columns.items()}
        self._shape: tuple[int | None, ...] = (self._nrows, *(None for _ in self._row_splits))
        self._optional: frozenset[str] = frozenset()

    def _with_splits(self, name: str, column: Any) -> Any:
        """A column that has the row splits of the records. An array has them if their rows have the lengths of its dimensions."""
        rank = len(self._row_splits)
        if rank == 0:
            return column
        if isinstance(column, np.ndarray) and column.ndim > rank:
            sizes = column.shape[1 : rank + 1]
            if all((np.diff(splits) == size).all() for splits, size in zip(self._row_splits, sizes)):
                return Ragged(column.reshape(-1, *column.shape[rank + 1 :]), self._row_splits)
        splits = column.nested_row_splits if isinstance(column, Ragged) else column.row_splits if isinstance(column, Structured) else ()
        if len(splits) < rank or not all(map(np.array_equal, self._row_splits, splits)):
            raise ValueError(f"field `{name}`: expected rows with the row splits of the records, {[each.tolist() for each in self._row_splits]}, "
                             f"found {[each.tolist() for each in splits]}")
        return column

    @classmethod
    def _of(cls, shape: tuple[int | None, ...], nrows: int, row_splits: list[Array], fields: dict[str, Any],
            optional: frozenset[str]) -> Structured:
        out = cls.__new__(cls)
        out._shape, out._nrows, out._row_splits = shape, nrows, row_splits
        out._fields, out._optional = fields, optional
        return out

    @property
    def rank(self) -> int:
        return len(self._shape)

    @property
    def shape(self) -> tuple[int | None, ...]:
        return self._shape

    @property
    def nrows(self) -> int:
        return self._nrows

    @property
    def row_splits(self) -> tuple[Array, ...]:
        """The row splits of the dimensions after the first."""
        return tuple(self._row_splits)

    @property
    def fields(self) -> dict[str, Any]:
        return dict(self._fields)

    @property
    def field_names(self) -> tuple[str, ...]:
        return tuple(self._fields)

    @property
    def optional_fields(self) -> frozenset[str]:
        """The fields that a record may leave out. Their columns have one more dimension, with 0 or 1 element."""
        return self._optional

    @property
    def type(self) -> StructuredType:
        fields = {name: type_of_column(column) for name, column in self._fields.items()}
        return StructuredType(self._shape, fields, self._optional)

    def __len__(self) -> int:
        if self.rank == 0:
            raise TypeError("this value is one record; it has no rows")
        return self._nrows

    def __iter__(self) -> Iterator[Structured]:
        return (self[i] for i in range(len(self)))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and name in self._fields:
            return self._fields[name]
        raise AttributeError(self._no_field(name))

    def _no_field(self, name: str) -> str:
        nearest = names.nearest(name, self._fields)
        hint = f"; the nearest is `{nearest}`" if nearest is not None else ""
        return f"no field `{name}` in {names.list_names(self._fields)}{hint}"

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self._fields:
                raise KeyError(self._no_field(key))
            return self._fields[key]
        if isinstance(key, tuple) or key is None or key is ...:
            return get_item(self, key)
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step != 1:
                return get_item(self, key)
            stop = max(start, stop)
            splits, first, last = [], start, stop
            for each in self._row_splits:
                part = each[first : last + 1]
                first, last = int(part[0]), int(part[-1])
                splits.append(part - part[0])
            fields = {name: column[start:stop] for name, column in self._fields.items()}
            return self._of((stop - start, *self._shape[1:]), stop - start, splits, fields, self._optional)
        index = arrays.row_index(key, len(self), "record")
        fields = {name: column[index] for name, column in self._fields.items()}
        if self.rank == 1:
            return self._of((), 0, [], fields, self._optional)
        first, last = int(self._row_splits[0][index]), int(self._row_splits[0][index + 1])
        splits = []
        size = last - first
        for each in self._row_splits[1:]:
            part = each[first : last + 1]
            first, last = int(part[0]), int(part[-1])
            splits.append(part - part[0])
        return self._of((size, *self._shape[2:]), size, splits, fields, self._optional)

    def with_updates(self, /, **columns: Any) -> Structured:
        """The same records with other columns. A field that does not exist is added."""
        return self._with({**self._fields, **{name: as_column(column) for name, column in columns.items()}})

    def without(self, *fields: str) -> Structured:
        for name in fields:
            self[name]
        return self._with({name: column for name, column in self._fields.items() if name not in fields})

    def with_only(self, *fields: str) -> Structured:
        return self._with({name: self[name] for name in fields})

    def _with(self, fields: dict[str, Any]) -> Structured:
        if self.rank:
            for name, column in fields.items():
                if len(column) != self._nrows:
                    raise ValueError(f"field `{name}`: expected {self._nrows} rows, found {len(column)}")
            fields = {name: self._with_splits(name, column) if name not in self._fields else column for name, column in fields.items()}
        return self._of(self._shape, self._nrows, self._row_splits, fields, self._optional & fields.keys())

    @staticmethod
    def from_py(records: Any, type: Any = None) -> Any:
        """Structures of dicts and lists of dicts; the same as signet.from_py."""
        from signet.values.from_py import from_py

        return from_py(records, type)

    def to_py(self) -> Any:
        """A dict, or for records with dimensions, lists of dicts. A field without a value is None."""
        rank = self.rank
        if rank == 0:
            return {name: self._present(name, arrays.to_py(column)) for name, column in self._fields.items()}
        count = int(self._row_splits[-1][-1]) if self._row_splits else self._nrows
        columns = {name: [self._present(name, item) for item in arrays.to_py(flat_rows(column, rank, count))]
                   for name, column in self._fields.items()}
        keys = list(columns)
        items: list[Any] = [dict(zip(keys, row)) for row in zip(*columns.values())] if keys else [{} for _ in range(count)]
        for splits in reversed(self._row_splits):
            items = arrays.split_rows(items, splits)
        return items

    def _present(self, name: str, item: Any) -> Any:
        return item if name not in self._optional else item[0] if len(item) else None

    def to_pandas(self, columns: str = "names") -> Any:
        """A DataFrame with a row for each record. Records of several dimensions have a MultiIndex: the number of the list in each dimension,
        and of the record in its list.

        Fields of records in records are columns such as `home.city`, or with `columns="levels"` a MultiIndex of columns, such as
        `("home", "city")`. A call takes both."""
        import pandas

        if columns not in ("names", "levels"):
            raise ValueError(f"columns: expected 'names' or 'levels', found {columns!r}")
        if self.rank == 0:
            raise ValueError("a DataFrame has one row for each record of a list; this value is one record")
        out: dict[tuple[str, ...], Any] = {}
        if self.rank > 1:
            from signet.wire.frames import index_of

            count = int(self._row_splits[-1][-1])
            flat_rows(self, self.rank, count)._add_columns((), out)
            index = index_of(self.row_splits)
        else:
            self._add_columns((), out)
            index = pandas.RangeIndex(self._nrows)
        frame = pandas.DataFrame({".".join(path): column for path, column in out.items()}, index=index)
        depth = max(map(len, out), default=0)
        if columns == "levels" and depth > 1:
            frame.columns = pandas.MultiIndex.from_tuples([(*path, *[""] * (depth - len(path))) for path in out])
        return frame

    def to_arrow(self) -> Any:
        """A pyarrow.Table with a row for each record."""
        from signet.values.to_arrow import table_of

        if self.rank != 1:
            raise ValueError(f"a table has one row for each record of one list; these records have the rank {self.rank}")
        return table_of(self)

    def _add_columns(self, prefix: tuple[str, ...], out: dict[tuple[str, ...], Any]) -> None:
        for name, column in self._fields.items():
            key = (*prefix, name)
            if isinstance(column, Structured) and column.rank == 1 and name not in self._optional:
                column._add_columns(key, out)
            elif isinstance(column, np.ndarray) and column.ndim == 1:
                out[key] = column
            elif name in self._optional:
                out[key] = _objects([self._present(name, item) for item in arrays.to_py(column)])
            elif isinstance(column, Structured):
                out[key] = _objects(column.to_py())
            else:
                out[key] = _objects([row if isinstance(row, np.ndarray) else row.to_py() for row in column])

    def _repr_html_(self) -> str:
        from signet import html

        return html.of_structured(self)

    def equals(self, other: Any) -> bool:
        return (isinstance(other, Structured) and self._shape == other._shape and self._nrows == other._nrows
                and len(self._row_splits) == len(other._row_splits)
                and all(map(np.array_equal, self._row_splits, other._row_splits))
                and self._fields.keys() == other._fields.keys()
                and all(arrays.same(column, other._fields[name]) for name, column in self._fields.items()))

    def __reduce__(self) -> Any:
        return Structured._of, (self._shape, self._nrows, self._row_splits, self._fields, self._optional)

    def __repr__(self) -> str:
        if self.rank == 0:
            return f"Structured({self.type!r}, {self.to_py()!r})"
        return arrays.summary("Structured", repr(self.type), (row.to_py() for row in self), self._nrows)


def as_column(column: Any) -> Any:
    """A column of plain values: an array, or a Ragged if the rows are lists or arrays."""
    if isinstance(column, (Ragged, Structured)):
        return column
    if isinstance(column, (list, tuple)):
        first = next((each for each in column if each is not None), None)
        if isinstance(first, (list, tuple, np.ndarray)):
            return Ragged.from_rows(column)
        return np.asarray(column, object) if isinstance(first, (str, bytes)) else np.asarray(column)
    array = arrays.unmasked(column)
    if array.dtype == object and array.ndim == 1 and len(array) and all(isinstance(each, (list, tuple, np.ndarray)) for each in array):
        return Ragged.from_rows(array.tolist())
    return array.astype(object) if array.dtype.kind in "US" else array


def flat_rows(column: Any, rank: int, count: int) -> Any:
    """The column of `count` records that are no longer nested in rows: its first `rank` dimensions become one."""
    if rank == 1:
        return column
    if isinstance(column, Ragged):
        splits = list(column.nested_row_splits)
        if len(splits) >= rank:
            return Ragged(column.flat_values, splits[rank - 1 :])
        inner = column.flat_values.shape[rank - len(splits) :]
        return column.flat_values.reshape(count, *inner)
    if isinstance(column, Structured):
        shape = (count, *column.shape[rank:])
        fields = {name: flat_rows(each, rank, count) for name, each in column._fields.items()}
        return Structured._of(shape, count, list(column.row_splits[rank - 1 :]), fields, column._optional)
    return column.reshape(count, *column.shape[rank:])


def type_of_column(column: Any) -> Type:
    if isinstance(column, (Ragged, Structured)):
        return column.type
    if isinstance(column, (np.ndarray, np.generic)):
        array = np.asarray(column)
        return TensorType(arrays.dtype_name(array), array.shape)
    return TensorType("string", ()) if isinstance(column, (str, bytes)) else LiteralType(column)


def _objects(rows: list[Any]) -> Array:
    out = np.empty(len(rows), object)
    out[:] = rows
    return out
