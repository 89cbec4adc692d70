"""Converts Python values to arguments: to tensors and columns where there are arrays, and otherwise to JSON, which the
server reads under the type of the parameter."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from signet import dtypes, errors, names
from signet.types import (AnyType, DictType, ExtensionType, NamedTupleType, RaggedType, SequenceType, SparseType, StructuredType,
                          TensorType, Type, format_static)
from signet.values import Extension, Ragged, Sparse, Structured, arrays
from signet.values.structured import as_column
from signet.wire import encode, frames
from signet.wire.encode import Message
from signet.wire.frames import is_missing, nanoseconds

Array = np.ndarray[Any, Any]

_SCALARS = frozenset((int, float, bool, str, type(None)))


@dataclass(frozen=True)
class Encoded:
    """An argument in a data format; `signet.json`, `signet.rows`, and `signet.arrow` make it."""

    format: int
    data: bytes = b""
    rows: tuple[bytes, ...] = ()
    message_type: str = ""


@dataclass(frozen=True)
class Conversion:
    """Converts arguments. If `exact`, arrays keep their dtypes, and the server rejects those that do not fit. If `nan_is_value`, NaN in a column
    of pandas is a number; otherwise, it is missing. If `strict`, fields and columns that a type does not have are rejected."""

    exact: bool = False
    nan_is_value: bool = False
    strict: bool = False

    def argument(self, value: Any, type_: Type | None, path: str) -> Message:
        """The signet.v1.Value of an argument under the type of its parameter; None for any type."""
        while isinstance(type_, AnyType):
            type_ = type_.base
        if type(value) is np.ndarray and isinstance(type_, TensorType) and value.dtype.kind != "O":
            return encode.tensor(*self._array(value, type_, path))
        special = self._special(value, type_, path)
        if special is not None:
            return special
        if type_ is None:
            return self._untyped(value, path)
        if isinstance(value, (str, bytes)) and isinstance(type_, StructuredType):
            raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected `{type_!r}`, found a text; `signet.json(text)` sends JSON",
                              reason="STRUCTURE_MISMATCH", field=path)
        if value is None or isinstance(value, (bool, int, float, str, bytes)):
            return encode.literal(_checked_int(value, path))
        if isinstance(value, Mapping) and isinstance(type_, StructuredType) and type_.shape:
            if _is_record(value, type_):
                raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected a list of records, found one; write `[{{...}}]`",
                                  reason="STRUCTURE_MISMATCH", field=path)
            if _has_arrays(value) or _has_inner_columns(value, type_):
                return self._columns(value, type_, path)
            if all(isinstance(each, (list, tuple)) for each in value.values()):
                self._check_columns(value, type_, path)
        if isinstance(value, (list, tuple)) and _is_list_of_arrays(value) and isinstance(type_, RaggedType):
            return self._ragged(_from_rows(value, path, type_.ragged_rank), type_, path)
        if _has_arrays(value) and isinstance(type_, (SequenceType, DictType, NamedTupleType)):
            return self._nest(value, type_, path)
        return self._json(value, type_, path)

    def _json(self, value: Any, type_: Type | None, path: str) -> Message:
        return encode.encoded(encode.JSON, to_json(value, type_, path, self.nan_is_value), strict=self.strict)

    def _special(self, value: Any, type_: Type | None, path: str) -> Message | None:
        """An argument of a class that says what it is; None for plain Python values."""
        if isinstance(value, (bool, int, float, str, bytes, list, dict, type(None))) and not isinstance(value, np.generic):
            is_matrix = type(value) is not dict and isinstance(value, dict) and hasattr(value, "tocsr")  # a dok_matrix of scipy
            return self._special(Sparse.from_scipy(value), type_, path) if is_matrix else None
        if isinstance(value, type):
            raise _not_sent(value, path)
        if isinstance(value, Encoded):
            return encode.encoded(value.format, value.data, value.rows, value.message_type, self.strict)
        if isinstance(value, Type):
            return encode.type_(repr(value))
        if isinstance(value, Ragged):
            return self._ragged(value, type_, path)
        if isinstance(value, Sparse):
            number, values = self._array(value.values, type_, path)
            return encode.sparse(number, value.indices, values, value.dense_shape)
        if isinstance(value, Structured):
            if isinstance(type_, StructuredType) and not self.exact and _has_lists_fields(value, type_):
                return self._json(value.to_py(), type_, path)
            return self._structured(value, type_ if isinstance(type_, StructuredType) else None, path, None)
        if isinstance(value, Extension):
            types = type_.components if isinstance(type_, ExtensionType) else {}
            parts = [(name, self.argument(part, types.get(name), names.path_join(path, name)))
                     for name, part in value._components.items()]
            known = [(value._components[name], types.get(name), message) for name, message in parts]
            statics = [(name, format_static(each)) for name, each in value._statics.items()]
            return self._as_json(value, type_, path, known) or encode.extension(value._name, statics, parts)
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            return None
        if (isinstance(value, tuple) or dataclasses.is_dataclass(value)) and not isinstance(value, type):
            return self._record(value, type_, path)
        cls: Any = type(value)
        module = _library_of(cls)
        if module == "pandas":
            return self._pandas(value, type_, path)
        if hasattr(value, "__arrow_c_stream__") or (module == "pyarrow" and hasattr(value, "schema")):
            from signet.formats import arrow

            return self._special(arrow(value), type_, path)
        if module == "scipy":
            return self._special(Sparse.from_scipy(value), type_, path)
        if hasattr(value, "values") and hasattr(value, "row_splits"):  # a RaggedTensor of TensorFlow
            return self._ragged(_foreign_ragged(value), type_, path)
        if isinstance(value, np.ndarray) and value.dtype.names is not None and isinstance(type_, StructuredType):
            return self._columns({name: value[name] for name in value.dtype.names}, type_, path)
        if isinstance(value, np.ndarray) and value.dtype.names is not None and value.ndim == 1 and type_ is None:
            return self._structured(Structured({name: value[name] for name in value.dtype.names}), None, path, None)
        array = np.asarray(value) if isinstance(value, complex) else _array_of(value, path)
        if array is None:
            return None
        return self._any_array(array, type_, path)

    # --- arrays ------------------------------------------------------------------------------------------

    def _any_array(self, array: Array, type_: Type | None, path: str) -> Message:
        if array.dtype == object and array.ndim == 1 and len(array) and _is_list_of_arrays(array):
            return self._ragged(_from_rows(array.tolist(), path, getattr(type_, "ragged_rank", 1)), type_, path)
        if array.dtype == object and array.ndim == 1 and len(array) and all(isinstance(each, (list, tuple)) for each in array):
            rows = array.tolist()
            return self._ragged(_from_rows(rows, path), None, path) if type_ is None else self.argument(rows, type_, path)
        if isinstance(type_, StructuredType) and array.dtype == object:
            return self._json(array.tolist(), type_, path)
        if array.shape == (0,) and isinstance(type_, RaggedType):
            return self.argument([], type_, path)
        if array.dtype == object and array.size and getattr(type_, "dtype", "string") != "string" and not _is_of_texts(array):
            return self.argument(array.tolist(), type_, path)
        number, stored = self._array(array, type_, path)
        if isinstance(type_, RaggedType) and type_.ragged_rank and array.ndim > type_.ragged_rank:
            return self._dense_as_ragged(number, stored, type_.ragged_rank)
        return encode.tensor(number, stored)

    def _dense_as_ragged(self, number: int, array: Array, rank: int) -> Message:
        splits, rows = [], 1
        for axis in range(rank):
            rows *= array.shape[axis]
            size = array.shape[axis + 1]
            splits.append(np.arange(rows + 1, dtype=np.int64) * size)
        return encode.ragged(number, array.reshape(-1, *array.shape[rank + 1 :]), splits)

    def _array(self, array: Array, type_: Type | None, path: str) -> tuple[int, Array]:
        """The number of the dtype with which an array is sent, and the array in this dtype."""
        if array.dtype.kind in "OUS":
            return self._texts(array, type_, path)
        if array.dtype.kind == "M":
            array = self._dates(array, type_, path)
            if array.dtype == object:
                raise _missing_values([i for i, each in enumerate(array.reshape(-1).tolist()) if each is None], "dates", path)
        number = dtypes.number_of(array.dtype)
        if number is not None and number != dtypes.BFLOAT16 and dtypes.NAMES[number] == getattr(type_, "dtype", ""):
            return number, array
        wanted = dtypes.NUMBERS[type_.dtype] if isinstance(type_, (TensorType, RaggedType, SparseType)) else number
        if number is None:
            raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected an array of numbers, bools, or texts, found the "
                              f"dtype {array.dtype}", reason="NOT_CONVERTIBLE", field=path)
        if number == wanted or self.exact:
            return number, array.view("<u2") if number == dtypes.BFLOAT16 else array
        assert wanted is not None
        return wanted, convert_dtype(array, number, wanted, path)

    def _dates(self, dates: Array, type_: Type | None, path: str) -> Array:
        """The int64 numbers of an array of datetime64, with None for missing dates."""
        wanted = getattr(type_, "dtype", "int64")
        if wanted != "int64" and not self.exact:
            raise _mismatch(path, wanted, str(dates.dtype))
        return nanoseconds(dates, path)

    def _texts(self, array: Array, type_: Type | None, path: str) -> tuple[int, Array]:
        flat = array.reshape(-1).tolist()
        kinds = set(map(type, flat))
        wanted = getattr(type_, "dtype", "string")
        if not flat and wanted != "string" and (array.dtype == object or not self.exact):
            return dtypes.NUMBERS[wanted], np.zeros(array.shape, dtypes.STORED[dtypes.NUMBERS[wanted]])
        if kinds <= {str, bytes} or all(isinstance(each, (str, bytes)) for each in flat):
            if wanted != "string" and not self.exact and flat:
                raise _mismatch(path, wanted, "texts")
            for i, each in enumerate(flat):
                if isinstance(each, str) and not each.isascii():
                    _bytes_of(each, f"{path}[{i}]" if array.ndim == 1 else path)
            return dtypes.STRING, array
        if type_ is None or wanted != "string":
            plain = np.asarray(flat) if kinds <= {int, float} or kinds == {bool} else None
            if plain is not None and kinds == {int} and plain.dtype.kind not in "iu" and not wanted.startswith(("float", "bfloat", "complex")):
                raise _out_of_range(path, wanted if type_ is not None else "int64", max(flat, key=abs))
            if plain is not None and plain.dtype != object:
                return self._array(plain.reshape(array.shape), type_, path)
        missing = [i for i, each in enumerate(flat) if is_missing(each)]
        present = [each for each in flat if not is_missing(each)]
        if missing:
            is_text = wanted == "string" and (type_ is not None or all(isinstance(each, (str, bytes)) for each in present))
            raise _missing_values(missing, "texts" if is_text else "values" if type_ is None else wanted, path)
        found = next(each for each in flat if not isinstance(each, (str, bytes)))
        raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected {'numbers or texts' if type_ is None else wanted}, found an array "
                          f"with a value of the class `{type(found).__name__}`", reason="NOT_CONVERTIBLE", field=path)

    def _ragged(self, value: Ragged, type_: Type | None, path: str) -> Message:
        number, values = self._array(value.flat_values, type_, path)
        return encode.ragged(number, values, value.nested_row_splits)

    # --- records ------------------------------------------------------------------------------------------

    def _structured(self, value: Structured, type_: StructuredType | None, path: str, outer: Structured | None) -> Message:
        shared = max(outer.rank - 1, 0) if outer is not None else 0
        fields = value._fields
        if type_ is not None and not fields.keys() <= type_.fields.keys():
            self._check_known(fields, type_, path)
            fields = {name: column for name, column in fields.items() if name in type_.fields}
        field_names, columns = tuple(fields), list(fields.values())
        numbers = _numbers_as_sent(self.exact, type_, field_names, tuple([each.dtype if type(each) is np.ndarray else None for each in columns]))
        if 0 in numbers:
            for i, name in enumerate(field_names):
                if numbers[i] == 0:
                    wanted = type_.fields[name] if type_ is not None else None
                    columns[i] = self._column(columns[i], wanted, names.path_join(path, name), value)
        optional = tuple(name for name in field_names if name in value._optional) if value._optional else ()
        return encode.structured(value.shape, value.nrows, value.row_splits[shared:], field_names, numbers, columns, optional)

    def _column(self, column: Any, type_: Type | None, path: str, outer: Structured) -> Message:
        if isinstance(column, Structured):
            return self._structured(column, type_ if isinstance(type_, StructuredType) else None, path, outer)
        if isinstance(column, Ragged):
            number, values = self._array(column.flat_values, type_, path)
            return encode.ragged(number, values, column.nested_row_splits[max(outer.rank - 1, 0) :], column.shape)
        return encode.tensor(*self._array(np.asarray(column), type_, path))

    def _columns(self, columns: Mapping[str, Any], type_: StructuredType, path: str) -> Message:
        """Records of rank 1 in columns. Columns without a field are skipped."""
        self._check_known(columns, type_, path)
        records = self._records(columns, type_, path)
        return self._structured(records, type_, path, None) if isinstance(records, Structured) else self._json(records, type_, path)

    def _records(self, columns: Mapping[str, Any], type_: StructuredType, path: str) -> Structured | dict[str, Any]:
        """Records of one list. If a value is missing, or if a column has plain lists of Python, these are lists by the names of the fields, for
        JSON."""
        used = {name: columns[name] for name in type_.fields if name in columns}
        for name, column in used.items():
            inner = names.path_join(path, name)
            if isinstance(column, np.ndarray) and column.dtype.kind == "M":
                used[name] = self._dates(column, type_.fields[name], inner)
            elif frames.is_series(column):
                used[name] = self._column_of_frame(column, type_.fields[name], name in type_.optional, inner)
            elif isinstance(column, Mapping) or frames.is_frame(column):
                used[name] = self._inner_records(column, type_.fields[name], inner)
        self._check_columns(columns, type_, path)
        used = self._with_defaults(used, columns, type_)
        is_plain = len(type_.shape) == 1 and used and all(
            self._is_plain_column(used[name], type_.fields[name], names.path_join(path, name)) for name in used)
        for name in used:
            _check_texts(used[name], type_.fields[name], name in type_.optional, names.path_join(path, name))
        if is_plain and used.keys() == type_.fields.keys() and not type_.optional:
            return _checked_rows({name: as_column(column) for name, column in used.items()}, path)
        return {name: _to_list(column) for name, column in used.items()}

    def _inner_records(self, columns: Any, type_: Type, path: str) -> Structured | list[Any]:
        """The column of a field of records in records, of which there is one in each record."""
        if not isinstance(type_, StructuredType) or len(type_.shape) != 1:
            raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected a column of `{type_!r}`, found columns of records",
                              reason="STRUCTURE_MISMATCH", field=path)
        if frames.is_frame(columns):
            columns = self._columns_of_frame(columns, type_, path)
        else:
            self._check_known(columns, type_, path)
        found = self._records(columns, type_, path)
        return found if isinstance(found, Structured) else _rows_of_columns(found, path)

    def _check_known(self, given: Iterable[str], type_: StructuredType, path: str) -> None:
        """Rejects fields and columns that the type does not have, if this is strict."""
        if not self.strict:
            return
        for name in given:
            if name not in type_.fields:
                nearest = names.nearest(str(name), type_.fields)
                hint = f"; the nearest is `{nearest}`" if nearest is not None else f"; the fields are {names.list_names(type_.fields)}"
                raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: no field `{names.printable(str(name))}`{hint}", reason="STRUCTURE_MISMATCH",
                                  field=names.path_join(path, str(name)))

    @staticmethod
    def _check_columns(columns: Mapping[str, Any], type_: StructuredType, path: str) -> None:
        for name, field in type_.fields.items():
            if name not in columns and name not in type_.optional and not getattr(field, "has_default", False):
                nearest = names.nearest(name, (each for each in columns if each not in type_.fields))
                hint = f"; the nearest is `{nearest}`" if nearest is not None else ""
                raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: no column `{name}`; columns: {names.list_names(columns)}{hint}",
                                  reason="STRUCTURE_MISMATCH", field=path)

    @staticmethod
    def _with_defaults(used: dict[str, Any], columns: Mapping[str, Any], type_: StructuredType) -> dict[str, Any]:
        """The columns, and a column of its default for each field without a column that is one number or text in each record."""
        out: dict[str, Any] = {}
        for name, field in type_.fields.items():
            if name in used:
                out[name] = used[name]
            elif isinstance(field, TensorType) and len(field.shape or ()) == 1 and field.has_default and isinstance(
                    field.default, (bool, int, float, str)) and columns:
                out[name] = np.full(len(next(iter(columns.values()))), field.default, object if isinstance(field.default, str) else None)
        return out

    @staticmethod
    def _is_plain_column(column: Any, type_: Type, path: str) -> bool:
        if isinstance(type_, StructuredType):
            return isinstance(column, Structured)
        array = _array_of(column, path) if not isinstance(column, (list, tuple, Ragged)) else None
        if array is not None and isinstance(type_, RaggedType) and array.ndim == 1 and len(array) == 0:
            return False
        if array is not None and array.dtype == object:
            column = array.tolist()
        if isinstance(column, (list, tuple)):
            kinds = set(map(type, column))
            if isinstance(type_, RaggedType):
                return bool(kinds) and kinds <= {np.ndarray}
            return kinds == {str} or kinds == {bytes} or (len(kinds) == 1 and kinds <= {int, float, bool})
        return True

    def _pandas(self, value: Any, type_: Type | None, path: str) -> Message | None:
        import pandas

        if isinstance(value, pandas.DataFrame):
            return self._frame(value, type_, path)
        if isinstance(value, pandas.MultiIndex):
            raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected numbers or texts, found a MultiIndex; `to_frame()` makes columns "
                              "of it", reason="NOT_CONVERTIBLE", field=path)
        if isinstance(value, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
            column = self._column_of_frame(pandas.Series(value), type_, False, path)
            if isinstance(column, Ragged):
                return self._ragged(column, type_, path)
            if column.dtype == object and any(map(is_missing, column)):
                if type_ is None:
                    raise _missing_values([row for row, each in enumerate(column) if is_missing(each)], "values", path)
                return self._json(_to_list(column), type_, path)
            return self._any_array(column, type_, path)
        if value is pandas.NA:
            return encode.literal(None)
        return None

    def _frame(self, frame: Any, type_: Type | None, path: str) -> Message:
        if isinstance(type_, (TensorType, RaggedType)):
            return self._any_array(self._matrix(frame, type_, path), type_, path)
        if isinstance(type_, StructuredType):
            return self._frame_of_records(frame, type_, path)
        records = self._untyped_records(frame, path)
        if frames.has_lists(frame):
            grouped = frames.Grouped(frame)
            records = frames.in_lists(self._untyped_records(grouped.frame, path), grouped.row_splits)
        return self.argument(records, type_, path)

    def _frame_of_records(self, frame: Any, type_: StructuredType, path: str) -> Message:
        levels = frame.index.nlevels
        if type_.shape and len(type_.shape) != levels and (levels > 1 or len(type_.shape) > 1):
            found = "rows of one level; `set_index` with a list of columns makes more" if levels == 1 else (
                f"rows with a MultiIndex of {levels} levels; `reset_index()` makes columns of it")
            raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected `{type_!r}`, found a DataFrame with {found}",
                              reason="STRUCTURE_MISMATCH", field=path)
        if levels == 1:
            columns = self._columns_of_frame(frame, type_, path)
            if type_.fields.keys().isdisjoint(columns) and len(type_.shape) == 1:
                self._check_columns(columns, type_, path)
                return self._json([{}] * len(frame), type_, path)
            records = self._records(columns, type_, path)
            return self._structured(records, type_, path, None) if isinstance(records, Structured) else self._json(records, type_, path)
        grouped = frames.Grouped(frame)
        flat = frames.flat_type(type_, levels)
        columns = self._columns_of_frame(grouped.frame, flat, path)
        records = self._records(columns, flat, path)
        if isinstance(records, Structured):
            return self._structured(frames.in_lists(records, grouped.row_splits), type_, path, None)
        rows = _rows_of_columns(records, path) if records else [{}] * len(frame)
        for splits in reversed(grouped.row_splits):
            rows = arrays.split_rows(rows, splits)
        return self._json(rows, type_, path)

    def _columns_of_frame(self, frame: Any, type_: StructuredType, path: str) -> frames.Columns:
        if self.strict:
            self._check_known(frames.unknown_columns(frame, type_), type_, path)
        return frames.columns_of(frame, type_, path)

    def _untyped_records(self, frame: Any, path: str) -> Structured:
        """The records of a frame for any type. A field with missing values is optional, as in JSON."""
        fields: dict[str, Any] = {}
        optional = []
        for name, series in frames.columns_of(frame, None, path).items():
            if frames.is_frame(series):
                fields[name] = self._untyped_records(series.set_axis(range(len(series))), names.path_join(path, name))
                continue
            column = frames.column_of_series(series)
            missing = frames.missing_in(column, series, self.nan_is_value)
            if missing.all() and len(column):
                raise _missing_values(list(range(len(column))), "values", names.path_join(path, name))
            if not missing.any():
                fields[name] = as_column(column)
            else:
                present = as_column(np.asarray(column[~missing].tolist()) if column.dtype == object and not _is_of_texts(column[~missing])
                                    and _is_of_scalars(column[~missing]) else column[~missing])
                rows = Ragged.from_row_lengths(present, (~missing).astype(np.int64))
                fields[name] = rows
                optional.append(name)
        return Structured._of((len(frame),), len(frame), [], fields, frozenset(optional))

    def _matrix(self, frame: Any, type_: TensorType | RaggedType, path: str) -> Array:
        """The array of a frame. Missing values are the default of the type."""
        array: Array = frame.to_numpy()
        if self.exact or array.dtype.kind not in "fcO":
            return array
        missing: Array = frame.isna().to_numpy()
        if self.nan_is_value:
            missing = np.zeros(array.shape, bool) if array.dtype != object else missing & np.vectorize(
                lambda each: not isinstance(each, float), otypes=[bool])(array) if array.size else missing
        if not missing.any():
            return array
        if not _has_scalar_default(type_):
            row, column = np.argwhere(missing)[0]
            raise _missing_values(np.flatnonzero(missing.any(1)).tolist(), type_.dtype, path, count=int(missing.sum()),
                                  where=f"row {row}, column `{frame.columns[column]}`")
        array = array.astype(object)
        array[missing] = type_.default
        return array

    def _column_of_frame(self, series: Any, type_: Type | None, is_optional: bool, path: str) -> Array | Ragged:
        """A column for a field. pandas makes floats of integers if values are missing, so that integral floats are integers here."""
        dtype = getattr(type_, "dtype", "")
        if getattr(series.dtype, "kind", "") in "mM" and dtype not in ("", "int64"):
            hint = "; `astype(str)` makes texts of the column" if dtype == "string" else ""
            raise _mismatch(path, dtype, f"a column of {series.dtype}{hint}")
        column = frames.column_of_series(series)
        if self.exact:
            return column
        is_float = dtype.startswith(("float", "bfloat", "complex")) or type_ is None
        missing = frames.missing_in(column, series, self.nan_is_value and is_float)
        if isinstance(type_, (TensorType, RaggedType)) and len(column) == 0 and column.dtype.kind == "f":
            column = column.astype(object)  # pandas has no dtype for no values
        if isinstance(type_, RaggedType) and type_.ragged_rank == 1 and not is_optional and _is_of_scalars(column):
            values = column[~missing]
            if values.dtype.kind == "f" and _is_integer(dtype):
                values = _integers(values, np.flatnonzero(~missing), dtype, path)
            return Ragged.from_row_lengths(values, (~missing).astype(np.int64))
        if column.dtype.kind == "f" and _is_integer(dtype):
            whole = np.zeros(len(column), np.int64)
            whole[~missing] = _integers(column[~missing], np.flatnonzero(~missing), dtype, path)
            column = whole
        if not missing.any():
            return column
        if isinstance(type_, TensorType) and len(type_.shape or ()) == (2 if is_optional else 1) and not is_optional:
            if not _has_scalar_default(type_):
                raise _missing_values(np.flatnonzero(missing).tolist(), "texts" if dtype == "string" else dtype, path)
            is_kept = column.dtype.kind in "fc" or (column.dtype.kind == "i" and isinstance(type_.default, int))
            column = column.copy() if is_kept else column.astype(object)
            column[missing] = type_.default
            return column
        column = column.astype(object)
        column[missing] = None
        return column

    def column_of_frame(self, series: Any, type_: Type | None, path: str) -> Array | Ragged:
        """The values of a column, in which missing values are the default of the type."""
        return self._column_of_frame(series, type_, False, path)

    # --- containers ---------------------------------------------------------------------------------------

    def _untyped(self, value: Any, path: str) -> Message:
        if value is None or isinstance(value, (bool, int, float, str, bytes)):
            return encode.literal(_checked_int(value, path))
        if isinstance(value, (list, tuple)):
            kind = encode.LIST if isinstance(value, list) else encode.TUPLE
            return encode.sequence(kind, [self.argument(each, None, f"{path}[{i}]") for i, each in enumerate(value)])
        if isinstance(value, Mapping):
            return encode.dict_([(_checked_key(key, path), self.argument(item, None, names.path_join(path, key)))
                                 for key, item in value.items()])
        raise _not_sent(value, path)

    def _nest(self, value: Any, type_: Type, path: str) -> Message:
        if isinstance(type_, SequenceType) and isinstance(value, (list, tuple)):
            types: list[Type | None] = [*type_.elements, *[None] * (len(value) - len(type_.elements))]
            kind = encode.LIST if type_.kind == "list" else encode.TUPLE
            elements = [self.argument(each, types[i], f"{path}[{i}]") for i, each in enumerate(value)]
            return self._as_json(value, type_, path, list(zip(value, types, elements))) or encode.sequence(kind, elements)
        if isinstance(value, Mapping) and isinstance(type_, (DictType, NamedTupleType)):
            known = type_.items if isinstance(type_, DictType) else type_.fields
            items = [(_checked_key(key, path), self.argument(item, known.get(key), names.path_join(path, key)))
                     for key, item in value.items()]
            return self._as_json(value, type_, path, [(value[key], known.get(key), part) for key, part in items]) or (
                encode.dict_(items) if isinstance(type_, DictType) else encode.named_tuple(type_.name, items, type_.attrs))
        return self._untyped(value, path)

    def _as_json(self, value: Any, type_: Type | None, path: str, parts: list[tuple[Any, Type | None, Message]]) -> Message | None:
        """The whole value in JSON; None if no part is in JSON, because only whole arguments may be in JSON. Also None if a part without a
        type has arrays, because JSON has no arrays. `parts` has the value, the type, and the message of each part."""
        if type_ is None or not any(encode.is_encoded(message) for _, _, message in parts):
            return None
        if any((known is None or isinstance(known, AnyType)) and _has_arrays(part) for part, known, _ in parts):
            return None
        return self._json(value, type_, path)

    def _record(self, value: Any, type_: Type | None, path: str) -> Message:
        """A named tuple or a dataclass."""
        is_tuple = isinstance(value, tuple)
        fields = getattr(value, "signet_fields", None) or (
            value._fields if is_tuple else tuple(field.name for field in dataclasses.fields(value)))
        parts = dict(zip(fields, value)) if is_tuple else {name: getattr(value, name) for name in fields}
        if isinstance(type_, StructuredType):
            return self.argument(parts, type_, path)
        known = type_.fields if isinstance(type_, NamedTupleType) else {}
        items = [(name, self.argument(part, known.get(name), names.path_join(path, name))) for name, part in parts.items()]
        name = getattr(value, "signet_name", type(value).__name__)
        as_json = self._as_json(parts, type_, path, [(parts[field], known.get(field), message) for field, message in items])
        if as_json is not None:
            return as_json
        return encode.named_tuple(type_.name if isinstance(type_, NamedTupleType) else name, items, not is_tuple)


@functools.lru_cache(maxsize=8)
def conversion_of(exact: bool, nan_is_value: bool, strict: bool) -> Conversion:
    return Conversion(exact, nan_is_value, strict)


# --- arrays -----------------------------------------------------------------------------------------------

@functools.lru_cache(maxsize=1024)
def _library_of(cls: type) -> str:
    """The library that defines a class or the first of its bases, such as `pandas` for a subclass of DataFrame; or the module of the class."""
    modules = [each.__module__.partition(".")[0] for each in cls.__mro__]
    return next((module for module in modules if module in ("pandas", "pyarrow", "scipy")), modules[0])


def as_array(value: Any) -> Array | None:
    """The array of a value that is one or can be read as one; None for others."""
    if isinstance(value, (np.ndarray, np.generic)):
        return arrays.unmasked(value)
    if isinstance(value, (memoryview, bytearray)):
        return np.asarray(value)
    if isinstance(value, type):  # such as np.float32, which has the attributes of its values
        return None
    if hasattr(value, "__array__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    return None


def _array_of(value: Any, path: str) -> Array | None:
    """Does the same as as_array. The error of another library, such as that of a tensor on a GPU, is part of the message."""
    try:
        return as_array(value)
    except Exception as error:
        raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected a value that numpy can read, found one of the class "
                          f"`{type(value).__name__}`, which reports: {error}", reason="NOT_CONVERTIBLE", field=path) from error


def convert_dtype(array: Array, number: int, wanted: int, path: str) -> Array:
    """An array of numbers in another dtype, by the rules for plain values (docs/reference/types.md)."""
    if number == dtypes.BFLOAT16:
        array, number = dtypes.from_bfloat16_bits(array.view("<u2")).astype(np.float32), dtypes.FLOAT32
    name, found = dtypes.NAMES[wanted], dtypes.NAMES[number]
    if array.size == 0 and wanted == dtypes.STRING:
        return array.astype(object)
    target = np.dtype(np.float32) if wanted == dtypes.BFLOAT16 else None if wanted == dtypes.STRING else np.dtype(name)
    if target is None or "b" in (array.dtype.kind, target.kind) or _ORDER[array.dtype.kind] > _ORDER[target.kind]:
        raise _mismatch(path, name, found)
    if target.kind in "iu":
        out = array.astype(target)
        wrong = (out != array) | ((out < 0) != (array < 0))
        if wrong.any():
            raise _out_of_range(path, name, array.reshape(-1)[np.flatnonzero(wrong)[0]])
        return out
    with np.errstate(over="ignore"):
        if wanted == dtypes.BFLOAT16:
            bits = dtypes.bfloat16_bits(array)
            out, values = bits, dtypes.from_bfloat16_bits(bits).astype(np.float32)
        else:
            out = values = array.astype(target)
    wrong = np.isinf(values) & np.isfinite(array)
    if wrong.any():
        raise _out_of_range(path, name, array.reshape(-1)[np.flatnonzero(wrong)[0]])
    return out


_ORDER = {"u": 0, "i": 0, "f": 1, "c": 2}  # kinds of numbers; those of a higher order can hold those of a lower one


def _is_of_texts(array: Array) -> bool:
    return all(isinstance(each, (str, bytes)) for each in array.reshape(-1).tolist())


def _is_of_scalars(column: Array) -> bool:
    """Whether a column has numbers, bools, texts, and missing values. Under a type with rows, these are rows of 1 or 0 values."""
    return column.dtype != object or all(isinstance(each, (bool, int, float, str, bytes, np.generic)) or is_missing(each) for each in column)


def _is_integer(dtype: str) -> bool:
    return dtype.startswith(("int", "uint"))


def _integers(values: Array, rows: Array, dtype: str, path: str) -> Array:
    """The integers of floats, of which `rows` has the numbers of the rows."""
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero((values != np.floor(values)) | (np.abs(values) >= 2.0**63))
    if len(wrong):
        raise _mismatch(path, dtype, f"{values.dtype} with {values[wrong[0]]} in row {rows[wrong[0]]}; `round().astype(\"{dtype}\")` makes "
                                     "integers of a column")
    return values.astype(np.int64)


def _has_scalar_default(type_: Any) -> bool:
    return type_.has_default and isinstance(type_.default, (bool, int, float, str, bytes))


def _rows_of_columns(columns: Mapping[str, Any], path: str) -> list[Any]:
    """The records whose fields are these lists."""
    lists = {name: _to_list(column) for name, column in columns.items()}
    counts = {name: len(column) for name, column in lists.items()}
    for name, count in counts.items():
        if count != next(iter(counts.values())):
            raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: field `{name}`: expected {next(iter(counts.values()))} rows, as the others "
                              f"have, found {count}", reason="STRUCTURE_MISMATCH", field=path)
    return [dict(zip(lists, row)) for row in zip(*lists.values())]


def _check_texts(column: Any, type_: Type, is_optional: bool, path: str) -> None:
    """Counts the missing values of a column of texts, which JSON would report one at a time."""
    if is_optional or not isinstance(type_, TensorType) or type_.dtype != "string" or type_.has_default or len(type_.shape or ()) != 1:
        return
    missing = [row for row, each in enumerate(column) if is_missing(each)]
    if missing:
        raise _missing_values(missing, "texts", path)


def _missing_values(rows: list[int], expected: str, path: str, count: int = 0, where: str = "") -> errors.Error:
    """The error for missing values, of which these rows have one, unless there are `count` of them."""
    number = count or len(rows)
    found = "1 missing value" if number == 1 else f"{number} missing values"
    hint = "; the option nan=\"value\" sends NaN" if expected == "values" else ""
    if expected in dtypes.NUMBERS and expected not in ("string", "bool"):
        hint = f". `fillna(0)` replaces them, and a default in the type does, as in `{expected}[] = 0`"
        if expected.startswith(("float", "bfloat", "complex")):
            hint += "; the option nan=\"value\" sends NaN"
    return errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected {expected}, found {found}; the first is in {where or f'row {rows[0]}'}{hint}",
                       reason="NOT_CONVERTIBLE", field=path)


def _checked_rows(columns: Mapping[str, Any], path: str) -> Structured:
    try:
        return Structured(columns)
    except (ValueError, TypeError) as error:
        raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: {error}", reason="STRUCTURE_MISMATCH", field=path) from None


def _from_rows(rows: Any, path: str, ragged_rank: int = 1) -> Ragged:
    try:
        parts = list(rows)
        if ragged_rank > 1 or any(isinstance(row, Ragged) for row in parts) or any(
                np.asarray(row).dtype == object and _is_list_of_arrays(row) for row in parts):
            inner = [row if isinstance(row, Ragged) else _from_rows(row, path, ragged_rank - 1) for row in parts]
            return Ragged.from_row_lengths(Ragged._joined([row for row in inner if len(row)] or inner[:1]), [len(row) for row in inner])
        return Ragged.from_rows(parts)
    except (ValueError, TypeError) as error:
        raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: rows that do not fit one another: {error}", reason="NOT_CONVERTIBLE",
                          field=path) from None


def _foreign_ragged(value: Any) -> Ragged:
    values = value.values
    if hasattr(values, "values") and hasattr(values, "row_splits"):
        return Ragged(_foreign_ragged(values), np.asarray(value.row_splits))
    return Ragged(np.asarray(values), np.asarray(value.row_splits))


def _is_list_of_arrays(value: Any) -> bool:
    return len(value) > 0 and any(isinstance(each, (np.ndarray, Ragged)) for each in value) and all(
        isinstance(each, (np.ndarray, Ragged, list, tuple)) for each in value)


def _has_arrays(value: Any) -> bool:
    """Whether a container has values that are not plain Python."""
    if isinstance(value, Mapping):
        return any(map(_has_arrays, value.values()))
    if isinstance(value, (list, tuple)):
        kinds = set(map(type, value))
        return not kinds <= _SCALARS and any(map(_has_arrays, value))
    return not isinstance(value, (bool, int, float, str, bytes, type(None))) or isinstance(value, np.generic)


def _has_inner_columns(value: Mapping[str, Any], type_: StructuredType) -> bool:
    """Whether columns of records in records are dicts of columns."""
    return any(isinstance(value.get(name), Mapping) and isinstance(field, StructuredType) for name, field in type_.fields.items())


def _has_lists_fields(value: Structured, type_: StructuredType) -> bool:
    """Whether records have all fields but those that may be missing: these are optional or have a default. A column of an optional field
    with one value in each record leaves out the dimension with 0 or 1 value."""
    missing = list(type_.fields.keys() - value._fields.keys())
    for name in type_.optional - value._optional:
        shape = getattr(type_.fields[name], "shape", None)
        if name in value._fields and shape is not None:
            if len(value._fields[name].shape) >= len(shape):
                return False
            missing.append(name)
    return bool(missing) and all(name in type_.optional or getattr(type_.fields[name], "has_default", False) for name in missing)


def _is_record(value: Mapping[Any, Any], type_: StructuredType) -> bool:
    """Whether a dict has single values, where columns of records would have lists."""
    return any(isinstance(value.get(name), (bool, int, float, str, bytes, np.generic)) for name in type_.fields)


def _to_list(column: Any) -> Any:
    return arrays.to_py(column) if not isinstance(column, np.ndarray) or column.dtype != object else column.tolist()


@functools.lru_cache(maxsize=256)
def _numbers_as_sent(exact: bool, type_: StructuredType | None, field_names: tuple[str, ...],
                     found: tuple[np.dtype[Any] | None, ...]) -> tuple[int, ...]:
    """The numbers of the dtypes of columns that are sent as they are; 0 for columns that are converted or are no arrays."""
    numbers = []
    for name, dtype in zip(field_names, found):
        wanted = type_.fields[name] if type_ is not None and not exact else None
        number = dtypes.number_of(dtype) if dtype is not None and dtype.kind in "biufc" else None
        if number is None or number == dtypes.BFLOAT16 or dtype != dtypes.STORED[number]:
            number = 0
        elif isinstance(wanted, (TensorType, RaggedType, SparseType)) and dtypes.NUMBERS[wanted.dtype] != number:
            number = 0
        numbers.append(number)
    return tuple(numbers)


# --- JSON -------------------------------------------------------------------------------------------------

def to_json(value: Any, type_: Type | None, path: str, nan_is_value: bool = False) -> bytes:
    """The JSON text of a plain value, in which there may be arrays. A NaN is written where the type has floats; in columns of pandas, it is
    missing unless `nan_is_value`."""
    plain = _plain(value, type_, path, nan_is_value)
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False).encode("utf-8")


def _plain(value: Any, type_: Type | None, path: str, nan_is_value: bool) -> Any:
    kind = type(value)
    if kind in (list, tuple):
        kinds = set(map(type, value))
        if kinds <= {int, bool, type(None)}:
            return value
        if kinds == {str}:
            text = "".join(value)
            if text.isascii() or not any(0xD800 <= ord(char) <= 0xDFFF for char in text):
                return value
        if kinds <= {int, float} and all(map(math.isfinite, value)):
            return value
        if isinstance(type_, SequenceType):
            types: list[Any] = [*type_.elements, *[None] * (len(value) - len(type_.elements))]
            return [_plain(each, types[i], f"{path}[{i}]", nan_is_value) for i, each in enumerate(value)]
        return [_plain(each, type_, f"{path}[{i}]", nan_is_value) for i, each in enumerate(value)]
    if kind is dict or isinstance(value, Mapping):
        known: Mapping[str, Type] = {}
        if isinstance(type_, (StructuredType, NamedTupleType)):
            known = type_.fields
        elif isinstance(type_, DictType):
            known = type_.items
        elif isinstance(type_, ExtensionType):
            known = type_.components
        return {_checked_key(key, path): _plain(item, known.get(key), names.path_join(path, str(key)), nan_is_value) for key, item in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else _special_float(value, type_, path)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, (str, bytes)):
        return _text(value, path)
    if isinstance(value, Encoded):
        raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected data in another format only as a whole argument, found it within a "
                          "value", reason="NOT_CONVERTIBLE", field=path)
    if isinstance(value, (Ragged, Structured, Sparse, Extension)):
        return _plain(value.to_py(), type_, path, nan_is_value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict(), type_, path, nan_is_value)
    if frames.is_frame(value) and not isinstance(type_, (TensorType, RaggedType)):
        return _plain(_rows_of_frame(value, path, nan_is_value, type_ is None), type_, path, nan_is_value)
    if frames.is_series(value):
        return _plain(_list_of_series(value, nan_is_value), type_, path, nan_is_value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain({field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, type_, path, nan_is_value)
    if is_missing(value):
        return None
    array = np.asarray(value) if isinstance(value, complex) else _array_of(value, path)
    if array is not None and array.dtype.kind == "M":
        array = nanoseconds(array, path)
    if array is None or array.dtype.kind not in "biufcUSO":
        raise _not_sent(value, path)
    if array.dtype.kind == "c":
        return _plain(np.stack([array.real, array.imag], -1).tolist(), type_, path, nan_is_value)
    return _plain(array.tolist(), type_, path, nan_is_value)


def rows_of_pandas(value: Any, nan_is_value: bool, has_lists: bool) -> Any:
    """The rows of a DataFrame or a Series as lists; other values are returned as they are. Missing values are None, or
    with `has_lists`, the values of their columns are lists of 0 or 1 element, as inference needs them."""
    if frames.is_frame(value):
        return _rows_of_frame(value, "value", nan_is_value, has_lists)
    return _list_of_series(value, nan_is_value) if frames.is_series(value) else value


def _list_of_series(series: Any, nan_is_value: bool) -> list[Any]:
    column = frames.column_of_series(series)
    missing = frames.missing_in(column, series, nan_is_value)
    return [None if is_none else each for each, is_none in zip(_to_list(column), missing.tolist())]


def _rows_of_frame(frame: Any, path: str, nan_is_value: bool, has_lists: bool) -> list[Any]:
    """The records of a frame, or lists of them for rows with a MultiIndex."""
    grouped = frames.Grouped(frame) if frames.has_lists(frame) else None
    frame = grouped.frame if grouped is not None else frame
    columns = frames.columns_of(frame, None, path)
    lists = {name: _rows_of_frame(column.set_axis(range(len(column))), names.path_join(path, name), nan_is_value, has_lists) if frames.is_frame(column)
             else _list_of_series(column, nan_is_value) for name, column in columns.items()}
    if has_lists:
        lists = {name: [[] if each is None else [each] for each in column] if any(each is None for each in column) else column
                 for name, column in lists.items()}
    rows: list[Any] = [dict(zip(lists, row)) for row in zip(*lists.values())] if lists else [{}] * len(frame)
    for splits in reversed(grouped.row_splits if grouped is not None else []):
        rows = arrays.split_rows(rows, splits)
    return rows


def _special_float(value: float, type_: Type | None, path: str) -> Any:
    if isinstance(type_, (TensorType, RaggedType, SparseType)) and type_.dtype == "string":
        raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected a text, found {value}; a missing text is None or \"\"",
                          reason="NOT_CONVERTIBLE", field=path)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _bytes_of(text: str, path: str) -> bytes:
    try:
        return names.to_bytes(text)
    except UnicodeEncodeError:
        raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected a text, found one with half of a character (a lone surrogate)",
                          reason="INVALID_UTF8", field=path) from None


def _text(value: str | bytes, path: str) -> Any:
    data = value if isinstance(value, bytes) else _bytes_of(value, path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        import base64

        return {"b64": base64.b64encode(data).decode("ascii")}


def _checked_key(key: Any, path: str) -> str:
    if isinstance(key, str):
        return key
    raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected keys that are texts, found {key!r} of the class `{type(key).__name__}`",
                      reason="NOT_CONVERTIBLE", field=path)


def _checked_int(value: Any, path: str) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and not -(1 << 63) <= value < 1 << 64:
        raise errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected an integer from -2^63 to 2^64 - 1, found {value}",
                          reason="OUT_OF_RANGE", field=path)
    if isinstance(value, str):
        _text(value, path)
    return value


def _mismatch(path: str, wanted: str, found: str) -> errors.Error:
    return errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected {wanted}, found {found}", reason="DTYPE_MISMATCH", field=path)


def _out_of_range(path: str, wanted: str, value: Any) -> errors.Error:
    return errors.make("INVALID_ARGUMENT", f"argument `{path}`: expected a number that {wanted} can hold, found {value}",
                       reason="OUT_OF_RANGE", field=path)


def _not_sent(value: Any, path: str) -> errors.Error:
    return errors.make("INVALID_ARGUMENT", f"argument `{path}`: a value of the class `{type(value).__name__}` cannot be sent; expected numbers, "
                       "texts, lists, dicts, arrays, DataFrames, or values of signet", reason="NOT_CONVERTIBLE", field=path)
