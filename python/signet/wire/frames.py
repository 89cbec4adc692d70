"""Frames: the columns and the rows of DataFrames of pandas.

A column is a field. Columns of a MultiIndex are records in records, and so are columns such as `home.city` for a field `home` of records. A
named index is a field. Rows of a MultiIndex are lists of records: one list for each key of each outer level, in the order in which the keys
appear. In columns of every dtype, NaN, NA, NaT, and None are missing, unless the option `nan` is "value"; then, NaN is a number."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Mapping
from typing import Any, Union

import numpy as np

from signet import dtypes, errors, names
from signet.types import RaggedType, StructuredType, TensorType, Type
from signet.values import Ragged, Structured

Array = np.ndarray[Any, Any]
Columns = dict[str, Any]  # of Series, and of DataFrames for records in records


def is_frame(value: Any) -> bool:
    return hasattr(value, "iloc") and hasattr(value, "columns")


def is_series(value: Any) -> bool:
    pandas: Any = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.Series)


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NAType", "NaTType")


def missing_in(column: Array, series: Any, nan_is_value: bool) -> Array:
    """Which elements of a column are missing. `column` has the values of the series."""
    if column.dtype.kind in "biu":
        return np.zeros(len(column), bool)
    if nan_is_value and column.dtype.kind in "fc":
        return np.zeros(len(column), bool)
    if column.dtype.kind in "fc":
        return np.isnan(column)
    missing: Array = np.asarray(series.isna(), bool)
    if nan_is_value and column.dtype == object:
        missing &= np.fromiter((not isinstance(each, float) for each in column), bool, len(column))
    return missing


def column_of_series(series: Any) -> Array:
    """The values of a pandas.Series. Missing values of types that have no such value are None."""
    dtype = series.dtype
    if not isinstance(dtype, np.dtype):
        if str(dtype).startswith("Sparse["):
            series = series.sparse.to_dense()
        if str(series.dtype) == "category":
            series = series.astype(series.cat.categories.dtype)
        if getattr(series.dtype, "tz", None) is not None:
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    if isinstance(series.dtype, np.dtype):
        array: Array = series.to_numpy()
        return nanoseconds(array, str(series.name)) if array.dtype.kind == "M" else array
    if series.isna().any():
        column = series.astype(object).to_numpy()
        column[series.isna().to_numpy()] = None
        return column
    name = str(series.dtype).lower()
    if name in dtypes.NUMBERS and name != "string":
        return series.to_numpy(np.dtype(name))
    if name == "boolean":
        return series.to_numpy(bool)
    return series.astype(object).to_numpy()


def nanoseconds(dates: Array, path: str) -> Array:
    """The int64 numbers of an array of datetime64. It is an object array with None if there are missing dates."""
    missing = np.isnat(dates)
    nanos = dates.astype("datetime64[ns]")
    wrong = (nanos.astype(dates.dtype) != dates) & ~missing
    if wrong.any():
        value = dates.reshape(-1)[np.flatnonzero(wrong)[0]]
        raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected a number that int64 nanoseconds can hold, found {value}",
                          reason="OUT_OF_RANGE", field=path)
    out: Array = nanos.view(np.int64)
    if missing.any():
        out = out.astype(object)
        out[missing] = None
    return out


# --- columns ------------------------------------------------------------------------------------------------

def columns_of(frame: Any, type_: Type | None, path: str) -> Columns:
    """The columns of a frame by the names of their fields. Without a type, all columns and all named levels of the index are fields."""
    import pandas

    fields: Mapping[str, Type] = type_.fields if isinstance(type_, StructuredType) else {}
    labels = frame.columns
    if isinstance(labels, pandas.MultiIndex):
        labels = labels.get_level_values(0).unique()
    given = {name: frame[label] for name, label in _fields_of_columns(labels, fields, path).items()}
    for name, field in fields.items():
        if isinstance(field, StructuredType) and name not in given and not isinstance(frame.columns, pandas.MultiIndex):
            inner = [label for label in frame.columns if str(label).startswith(f"{name}.")]
            if inner:  # as Structured.to_pandas names them
                given[name] = frame[inner].rename(columns={label: str(label)[len(name) + 1 :] for label in inner})
    for level, name in enumerate(frame.index.names):
        if name is not None and (str(name) in fields if fields else type_ is None) and str(name) not in given:
            given[str(name)] = pandas.Series(frame.index.get_level_values(level), index=frame.index)
    return given


def _fields_of_columns(columns: Any, fields: Mapping[str, Type], path: str) -> dict[str, Any]:
    """The columns by the names of their fields. `unit price` is the field `unit_price`, unless a column has this name."""
    out = {str(column): column for column in columns}
    for name in out:
        count = list(map(str, columns)).count(name) if len(out) < len(columns) and (not fields or name in fields) else 1
        if count > 1:
            raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected one column `{names.printable(name)}`, found {count}",
                              reason="STRUCTURE_MISMATCH", field=path)
    for column in columns:
        field = names.field_name(str(column))
        if field == str(column) or (fields and field not in fields):
            continue
        if field in out and str(out[field]) != field:
            raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: the columns `{out[field]}` and `{column}` are both the field "
                              f"`{field}`; rename one of them", reason="STRUCTURE_MISMATCH", field=path)
        out.setdefault(field, column)
        if not fields:
            del out[str(column)]
    return out


def unknown_columns(frame: Any, type_: StructuredType) -> list[str]:
    """The columns without a field."""
    known = {*type_.fields, *(name for name, field in type_.fields.items() if isinstance(field, StructuredType))}
    first = {str(label[0] if isinstance(label, tuple) else label) for label in frame.columns}
    return sorted(each for each in first if each not in known and names.field_name(each) not in known and each.partition(".")[0] not in known)


# --- rows -----------------------------------------------------------------------------------------------

class Grouped:
    """A frame whose rows are lists of records. Its rows are in the order of the lists; `row_splits` divides them, the outermost first."""

    def __init__(self, frame: Any) -> None:
        import pandas

        levels = frame.index.nlevels
        codes = [pandas.factorize(frame.index.droplevel(list(range(level + 1, levels))))[0] for level in range(levels - 1)]
        order = np.lexsort(codes[::-1])
        self.frame = frame.iloc[order]
        starts = []  # of the lists of each level, among the rows
        is_start = np.zeros(len(order), bool)
        for each in codes:
            in_order = each[order]
            is_start = is_start | np.concatenate([np.ones(min(len(order), 1), bool), in_order[1:] != in_order[:-1]])
            starts.append(np.flatnonzero(is_start))
        ends = [np.append(each, len(order)) for each in starts]
        self.row_splits = [np.searchsorted(ends[i + 1], ends[i]) if i + 1 < len(ends) else ends[i] for i in range(len(ends))]
        self.keys = self.frame.index.droplevel(-1)[starts[0]] if levels == 2 else self.frame.index.droplevel(list(range(1, levels)))[starts[0]]
        self._rows = ends[0]  # of the outermost lists

    def __len__(self) -> int:
        return len(self._rows) - 1

    def slice(self, start: int, stop: int) -> Any:
        """The frame with some of the outermost lists."""
        stop = min(stop, len(self))
        return self.frame.iloc[int(self._rows[start]) : int(self._rows[stop])]


def has_lists(frame: Any) -> bool:
    """Whether the rows of a frame are lists of records."""
    return frame.index.nlevels > 1


def flat_type(type_: Any, rank: int) -> Any:
    """The type of records of one list, for a type of records of `rank` dimensions, or of one of their fields."""
    shape = (None, *type_.shape[rank:])
    if isinstance(type_, StructuredType):
        fields = {name: flat_type(field, rank) for name, field in type_.fields.items()}
        return StructuredType(shape, fields, type_.optional)
    if isinstance(type_, RaggedType) and type_.ragged_rank >= rank:
        return dataclasses.replace(type_, shape=shape, ragged_rank=type_.ragged_rank - rank + 1)
    return TensorType(type_.dtype, shape, type_.default, type_.has_default)


def in_lists(records: Structured, row_splits: list[Array]) -> Structured:
    """Records of one list as records of lists, which `row_splits` divides."""
    fields: dict[str, Any] = {}
    for name, column in records._fields.items():
        if isinstance(column, Structured):
            fields[name] = in_lists(column, row_splits)
        elif isinstance(column, Ragged):
            fields[name] = Ragged(column.flat_values, [*row_splits, *column.nested_row_splits])
        else:
            fields[name] = Ragged(column, row_splits)
    count = len(row_splits[0]) - 1
    shape: tuple[Union[int, None], ...] = (count, *(None for _ in row_splits), *records.shape[1:])
    return Structured._of(shape, count, [*row_splits, *records.row_splits], fields, records.optional_fields)


def index_of(row_splits: tuple[Array, ...]) -> Any:
    """The MultiIndex of the rows of lists: the number of the list in each level, and of the row in its list."""
    import pandas

    positions = [np.arange(each[-1]) - np.repeat(each[:-1], np.diff(each)) for each in row_splits]
    levels = [np.arange(len(row_splits[0]) - 1), *positions]
    for i, each in enumerate(row_splits):
        levels = [np.repeat(level, np.diff(each)) for level in levels[: i + 1]] + levels[i + 1 :]
    return pandas.MultiIndex.from_arrays(levels)
