"""Many rows, which are sent in parts: of a DataFrame, a list, an iterator, or a file."""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from signet import errors, names
from signet.tracebacks import Results
from signet.types import AnyType, RaggedType, StructuredType, TensorType, Type
from signet.values import Ragged, Structured, arrays

if TYPE_CHECKING:
    from signet.served_function import Function

BYTES_PER_CALL = 2 << 20  # about; if the caller does not state the number of rows
MOST_ROWS_PER_CALL = 1 << 16
_ROWS_TO_MEASURE = 64
_TABLES = (".csv", ".parquet", ".feather")  # what pandas reads and writes
_LINES = (".ndjson", ".jsonl")


@dataclass(frozen=True)
class Part:
    """The rows of one call."""

    first: int
    count: int
    rows: Any


def bulk_call(function: Function, rows: Any, name: str | None, rows_per_call: int | None, max_in_flight: int, out: Any, progress: bool | None,
              others: Mapping[str, Any]) -> Any:
    """The results of all rows: a DataFrame for a DataFrame, an iterator for an iterator, and otherwise one value."""
    if rows_per_call is not None and rows_per_call < 1:
        raise ValueError(f"rows_per_call: expected at least 1, found {rows_per_call}")
    if out is not None:
        _check_ending(out, (*_LINES, *_TABLES))
    if isinstance(rows, Mapping):  # a column for each field
        rows = Structured(rows)
    call = _BulkCall(function, parameter_of_rows(function, name, others), rows_per_call, max_in_flight, progress, others)
    is_iterator, total = False, None
    if isinstance(rows, (str, os.PathLike)):
        rows, parts = call.read(rows)
    elif hasattr(rows, "__len__"):
        total, parts = len(rows), call.slices(rows)
    else:
        is_iterator, parts = True, call.groups(iter(rows))
    results = call.results(parts, total)
    if out is not None:
        return _write(out, results)
    if is_iterator:
        return Results(to_frame(result, part.rows.index) if _is_frame(part.rows) else result for part, result in results)
    whole = concatenated([result for _, result in results])
    return to_frame(whole, rows.index) if _is_frame(rows) else whole


class _BulkCall:
    def __init__(self, function: Function, parameter: Any, rows_per_call: int | None, max_in_flight: int, progress: bool | None,
                 others: Mapping[str, Any]) -> None:
        self.function, self.parameter, self.rows_per_call, self.max_in_flight = function, parameter, rows_per_call, max_in_flight
        self.progress, self.others = progress, others

    def args(self, rows: Any) -> Any:
        from signet.served_function import Args

        positional, keyword = self.function.arguments_by_name({self.parameter.name: rows, **self.others})
        return Args(*positional, **keyword)

    def rows_for(self, sample: Any) -> int:
        """The number of rows per call, by the size of a request with some of the rows."""
        if self.rows_per_call is None:
            count = len(sample)
            if count == 0:
                return 1
            args = self.args(sample)
            size = self.function._request(args.positional, args.keyword, self.function._options(), 0).size
            self.rows_per_call = max(1, min(BYTES_PER_CALL * count // size, MOST_ROWS_PER_CALL))
        return self.rows_per_call

    # --- parts of the rows ------------------------------------------------------------------------------

    def slices(self, rows: Any) -> Iterator[Part]:
        step = self.rows_for(_slice(rows, 0, _ROWS_TO_MEASURE))
        for start in range(0, max(len(rows), 1), step):
            part = _slice(rows, start, start + step)
            yield Part(start, len(part), part)

    def groups(self, rows: Iterator[Any]) -> Iterator[Part]:
        """The rows of an iterator of records, or of DataFrames."""
        first = list(itertools.islice(rows, 1))
        if first and _is_frame(first[0]):
            count = 0
            for frame in itertools.chain(first, rows):
                for part in self.slices(frame):
                    yield Part(count + part.first, part.count, part.rows)
                count += len(frame)
            return
        sample = first + list(itertools.islice(rows, _ROWS_TO_MEASURE - 1))
        step = self.rows_for(sample)
        rows, start = itertools.chain(sample, rows), 0
        while group := list(itertools.islice(rows, step)):
            yield Part(start, len(group), group)
            start += len(group)

    def read(self, path: Any) -> tuple[Any, Iterable[Part]]:
        """The DataFrame of a file that is read at once, or None, and the parts of a file."""
        import signet

        ending = _check_ending(path, (*_LINES, *_TABLES, ".arrow"))
        if ending in _LINES:
            return None, self.lines(path)
        if ending == ".arrow":
            return None, [Part(0, -1, signet.arrow(path))]
        import pandas

        read = {".csv": self.read_csv, ".parquet": pandas.read_parquet, ".feather": pandas.read_feather}[ending]
        frame = read(path)
        return frame, self.slices(frame)

    def read_csv(self, path: Any) -> Any:
        """The DataFrame of a CSV file, whose cells are texts, numbers, or JSON, as the types of the fields say."""
        import pandas

        type_ = self.parameter.annotation
        while isinstance(type_, AnyType):
            type_ = type_.base
        fields: Mapping[str, Type] = getattr(type_, "fields", {})
        optional: frozenset[str] = getattr(type_, "optional", frozenset())
        header = pandas.read_csv(path, nrows=0).columns
        field_of = {column: column if column in fields else names.field_name(str(column)) for column in header}
        known = {column: field for column, field in field_of.items() if field in fields}
        frame = pandas.read_csv(path, dtype=dict.fromkeys(known, str), na_values=dict.fromkeys(header.difference(list(known)), [""]),
                                keep_default_na=False)
        for column, field in known.items():
            frame[column] = _Cells(f"{os.fspath(path)}: column `{column}`", fields[field], field in optional).read(frame[column])
        return frame

    def lines(self, path: Any) -> Iterator[Part]:
        from signet.formats import json_lines

        start, lines, size = 0, [], 0
        with open(path, "rb") as file:
            for line in file:
                if not line.strip():
                    continue
                lines.append(line)
                size += len(line)
                if len(lines) == self.rows_per_call or (self.rows_per_call is None and size >= BYTES_PER_CALL):
                    yield Part(start, len(lines), json_lines(b"".join(lines)))
                    start, lines, size = start + len(lines), [], 0
        if lines or start == 0:
            yield Part(start, len(lines), json_lines(b"".join(lines)))

    # --- results ----------------------------------------------------------------------------------------

    def results(self, parts: Iterable[Part], total: int | None) -> Iterator[tuple[Any, Any]]:
        """Yields the rows and the result of each call. Raises the first error, with the numbers of the rows."""
        sent: list[Part] = []  # without a result, in order

        def calls() -> Iterator[Any]:
            for part in parts:
                sent.append(part)
                yield self.args(part.rows)

        bar = _bar(self.function.__qualname__, total, self.progress)
        try:
            for result in self.function.map(calls(), max_in_flight=self.max_in_flight, errors="return"):
                part = sent.pop(0)
                if isinstance(result, errors.Error):
                    raise _with_row(result, part, part.rows)
                found = _rows_of(result)
                if found is None or (part.count >= 0 and found != part.count):
                    wanted = "the same number of rows" if part.count < 0 else f"{part.count} rows for {part.count} rows"
                    raise errors.make("INVALID_ARGUMENT", f"`{self.function.__qualname__}`: expected a result with {wanted}, found "
                                      f"{'one without rows' if found is None else f'{found} rows'}; `bulk` needs a function with one result "
                                      "for each row")
                if bar is not None:
                    bar.update(found)
                yield part, result
        finally:
            if bar is not None:
                bar.close()


@dataclass(frozen=True)
class _Cells:
    """The cells of a column of a CSV file, under the type of its field. An empty cell is a missing value, or an empty text."""

    where: str
    type: Type
    is_optional: bool

    def read(self, cells: Any) -> Any:
        import pandas

        has_default = getattr(self.type, "has_default", False)
        dtype = getattr(self.type, "dtype", "")
        shape = getattr(self.type, "shape", ())
        is_scalar = dtype != "" and shape is not None and len(shape) == (2 if self.is_optional else 1) and not dtype.startswith("complex")
        is_empty = (cells == "").to_numpy()
        if is_scalar and dtype == "string":
            return cells.where(~is_empty, None) if self.is_optional or has_default else cells
        if not is_scalar or dtype == "bool":
            read = _bool if is_scalar else _json
            return pandas.Series([None if cell == "" else self._cell(read, row, cell) for row, cell in enumerate(cells)], cells.index,
                                 bool if is_scalar and not is_empty.any() else object)
        numbers = pandas.to_numeric(cells[~is_empty], errors="coerce")
        is_wrong = numbers.isna() & ~cells[~is_empty].str.strip().str.lower().isin(("nan", "+nan", "-nan"))
        if is_wrong.any():
            row = int(is_wrong.to_numpy().argmax())
            raise self._error(int(np.flatnonzero(~is_empty)[row]), cells[~is_empty].iloc[row])
        if not is_empty.any():
            return numbers
        if dtype.startswith(("float", "bfloat")) and not self.is_optional and not has_default:
            return numbers.reindex(cells.index)
        out = pandas.Series([None] * len(cells), cells.index, object)
        out[~is_empty] = numbers.astype(object)
        return out

    def _cell(self, read: Callable[[str], Any], row: int, cell: str) -> Any:
        try:
            return read(cell)
        except ValueError:
            raise self._error(row, cell) from None

    def _error(self, row: int, cell: str) -> errors.Error:
        wanted = "JSON" if not getattr(self.type, "dtype", "") else f"JSON for `{self.type!r}`" if not isinstance(
            self.type, TensorType) or len(self.type.shape or ()) != 1 else f"a value of `{self.type.dtype}`"
        return errors.make("INVALID_ARGUMENT", f"{self.where}: row {row}: expected {wanted}, found `{names.printable(cell)}`",
                           reason="NOT_CONVERTIBLE", field=self.where.rpartition("`")[0].rpartition("`")[2])


def _bool(cell: str) -> bool:
    found = {"true": True, "false": False}.get(cell.strip().lower())
    if found is None:
        raise ValueError(cell)
    return found


def _json(cell: str) -> Any:
    import json

    return json.loads(cell)


def _with_row(error: errors.Error, part: Part, rows: Any) -> errors.Error:
    """The error of a part of the rows, with the place among all rows."""
    if part.count < 0:
        return error
    found = re.search(r"\[(\d+)\]", error.field) or re.search(r"\brow (\d+)\b", error.message)
    number = int(found.group(1)) if found is not None else part.count
    if found is None or number >= part.count:
        where = f"rows {part.first} to {part.first + part.count - 1}"
    else:
        row, text = part.first + number, found.group(0)
        where = f"row {row}"
        label = rows.index[number] if _is_frame(rows) else row
        if label != row:
            where += f" (index {label!r})"
        error.message = error.message.replace(text, text.replace(str(number), str(row)), 1)
        error.field = error.field.replace(text, text.replace(str(number), str(row)), 1)
    error.message = f"{where}: {error.message}"
    error.args = (error.message, *error.args[1:])
    return error


def _bar(name: str, total: int | None, progress: bool | None) -> Any:
    """A progress bar of tqdm; None if it is not wanted or not there."""
    if progress is False or (progress is None and not sys.stderr.isatty()):
        return None
    try:
        import tqdm.auto
    except ImportError:
        if progress:
            raise
        return None
    return tqdm.auto.tqdm(total=total, desc=name, unit=" rows")


def _check_ending(path: Any, known: tuple[str, ...]) -> str:
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in known:
        raise ValueError(f"`{os.fspath(path)}`: expected a file name that ends in {', '.join(known[:-1])}, or {known[-1]}")
    return ending


def _write(path: Any, results: Iterator[tuple[Part, Any]]) -> None:
    """Writes the results of all rows. The file is complete, or is not there."""
    ending, partial = _check_ending(path, (*_LINES, *_TABLES)), f"{os.fspath(path)}.part"
    if ending in _LINES:
        with open(partial, "w", encoding="utf-8") as file:
            for _, result in results:
                for row in arrays.to_py(to_records(result)):
                    file.write(_json_text(row) + "\n")
    else:
        import pandas

        frames = (to_frame(result, part.rows.index if _is_frame(part.rows) else None) for part, result in results)
        if ending == ".csv":
            with open(partial, "w", encoding="utf-8", newline="") as file:
                for number, frame in enumerate(frames):
                    for name in frame.columns[frame.dtypes == object]:
                        frame[name] = [cell if isinstance(cell, str) else _json_text(arrays.to_py(cell)) for cell in frame[name]]
                    frame.to_csv(file, header=number == 0, index=False)
        else:
            whole = pandas.concat(list(frames), ignore_index=ending == ".feather")
            whole.to_parquet(partial) if ending == ".parquet" else whole.to_feather(partial)
    os.replace(partial, path)


def _json_text(value: Any) -> str:
    """The JSON text of a part of a result, which can be sent back."""
    from signet.wire.convert import to_json

    return to_json(value, None, "result").decode("utf-8")


def _is_frame(rows: Any) -> bool:
    return hasattr(rows, "iloc") and hasattr(rows, "index")


def to_records(result: Any) -> Any:
    """A result whose elements are its rows: a dict of columns as records."""
    if isinstance(result, (Mapping, list, tuple)):
        columns = _columns_of(result)
        return [dict(zip(columns, row)) for row in zip(*(arrays.to_py(column) for column in columns.values()))]
    if hasattr(result, "to_dict"):
        return result.to_dict("records")
    return result


def _columns_of(result: Any, prefix: str = "") -> dict[str, Any]:
    """The columns of nested dicts, tuples, and lists. A column of an inner part is called `part.name`. The name of an element of a tuple or
    a list is its number, from 0."""
    if isinstance(result, Mapping):
        parts = list(result.items())
    elif isinstance(result, (list, tuple)):
        parts = list(zip(getattr(result, "_fields", map(str, range(len(result)))), result))
    else:
        return {prefix or "result": result}
    return {key: column for name, part in parts for key, column in _columns_of(part, f"{prefix}.{name}" if prefix else name).items()}


def parameter_of_rows(function: Function, name: str | None, others: Mapping[str, Any]) -> Any:
    signature = function._info().type
    if name is not None:
        if name not in signature.parameters:
            raise errors.make("INVALID_ARGUMENT", f"`{function.__qualname__}` has no parameter `{name}`", reason="UNEXPECTED_KEYWORD", field=name)
        return signature.parameters[name]
    for parameter in signature.parameters.values():
        if parameter.name not in others and _takes_rows(parameter.annotation):
            return parameter
    raise errors.make("INVALID_ARGUMENT", f"`{function.__qualname__}` has no parameter that takes rows; its signature is {signature}")


def _takes_rows(type_: Any) -> bool:
    while isinstance(type_, AnyType):
        type_ = type_.base
    if type_ is None or not isinstance(type_, Type):
        return False
    shape: Any = getattr(type_, "shape", ())
    return isinstance(type_, (StructuredType, RaggedType, TensorType)) and (shape is None or (len(shape) > 0 and shape[0] is None))


def _slice(rows: Any, start: int, stop: int) -> Any:
    return rows.iloc[start:stop] if hasattr(rows, "iloc") else rows[start:stop]


def _rows_of(value: Any) -> int | None:
    """The number of rows of a result; None if its parts differ or have none."""
    if isinstance(value, Structured):
        return value.nrows if value.rank else None
    if isinstance(value, (np.ndarray, Ragged)):
        return len(value) if not isinstance(value, np.ndarray) or value.ndim else None
    parts = list(_parts(value))
    counts = {_rows_of(part) for part in parts}
    return counts.pop() if len(counts) == 1 else None


def _parts(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, (list, tuple)) else ()


def concatenated(parts: list[Any]) -> Any:
    """One value with the rows of all parts, which have the same type."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    if isinstance(first, Ragged):
        return _ragged(parts)
    if isinstance(first, Structured):
        splits = [_joined_splits([part.row_splits[axis] for part in parts]) for axis in range(len(first.row_splits))]
        fields = {name: concatenated([part[name] for part in parts]) for name in first.field_names}
        count = sum(part.nrows for part in parts)
        return Structured._of((count, *first.shape[1:]), count, splits, fields, first.optional_fields)
    if isinstance(first, Mapping):
        return {key: concatenated([part[key] for part in parts]) for key in first}
    elements = [concatenated([part[i] for part in parts]) for i in range(len(first))]
    return type(first)(*elements) if hasattr(first, "_fields") else type(first)(elements)


def _ragged(parts: list[Ragged]) -> Ragged:
    splits = [_joined_splits([part.nested_row_splits[axis] for part in parts]) for axis in range(parts[0].ragged_rank)]
    return Ragged(np.concatenate([part.flat_values for part in parts]), splits)


def _joined_splits(parts: list[Any]) -> Any:
    out, last = [parts[0]], parts[0][-1]
    for part in parts[1:]:
        out.append(part[1:] + last)
        last = last + part[-1]
    return np.concatenate(out)


def to_frame(result: Any, index: Any) -> Any:
    """A DataFrame with one row for each row of the result. No index: the numbers of the rows."""
    import pandas

    if isinstance(result, Structured):
        frame = result.to_pandas()
    else:
        frame = pandas.DataFrame({key: _column(column) for key, column in _columns_of(result).items()})
    if index is not None:
        frame.index = index
    return frame


def _column(column: Any) -> Any:
    if isinstance(column, np.ndarray) and column.ndim == 1:
        return column
    rows = list(column) if isinstance(column, (np.ndarray, Ragged)) else arrays.to_py(column)
    out = np.empty(len(rows), object)
    out[:] = rows
    return out
