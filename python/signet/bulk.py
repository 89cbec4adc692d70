"""Many rows, which are sent in parts: of a DataFrame, a list, an iterator, or a file."""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from signet import bulk_files, errors
from signet.bulk_files import BYTES_PER_CALL, LINES, TABLES, Part
from signet.tracebacks import Results
from signet.types import AnyType, DictType, NamedTupleType, RaggedType, SequenceType, StructuredType, TensorType, Type
from signet.values import Ragged, Structured, arrays
from signet.wire import frames
from signet.wire.convert import Encoded, to_json

if TYPE_CHECKING:
    from signet.served_function import Function

MOST_ROWS_PER_CALL = 1 << 16
_ROWS_TO_MEASURE = 64


def bulk_call(function: Function, rows: Any, name: str | None, rows_per_call: int | None, max_in_flight: int, out: Any, progress: bool | None,
              others: Mapping[str, Any]) -> Any:
    """The results of all rows: a DataFrame for a DataFrame, an iterator for an iterator, and otherwise one value."""
    if rows_per_call is not None and rows_per_call < 1:
        raise ValueError(f"rows_per_call: expected at least 1, found {rows_per_call}")
    if out is not None:
        bulk_files.check_ending(out, (*LINES, *TABLES))
    if isinstance(rows, Mapping):  # a column for each field
        rows = Structured(rows)
    call = _BulkCall(function, name, rows_per_call, max_in_flight, progress, others)
    is_iterator, total = False, None
    if isinstance(rows, (str, os.PathLike)):
        if out is not None:
            bulk_files.check_distinct(rows, out)
        rows, parts = call.read(rows)
    elif hasattr(rows, "__len__"):
        if frames.is_frame(rows) and frames.has_lists(rows):
            rows = frames.Grouped(rows)
        total, parts = len(rows), call.slices(rows)
    else:
        is_iterator, parts = True, call.groups(iter(rows))
    if out is not None and bulk_files.check_ending(out, (*LINES, *TABLES)) in (*LINES, ".csv"):
        return bulk_files.write_lines(out, call.lines(iter(parts), total))
    results = call.results(parts, total)
    if out is not None:
        return bulk_files.write_frames(out, (to_frame(result, part.rows.index if frames.is_frame(part.rows) else None) for part, result in results))
    if is_iterator:
        return Results(_like(part.rows, result) for part, result in results)
    return _like(rows, concatenated([result for _, result in results]))


def _like(rows: Any, result: Any) -> Any:
    """A result as a DataFrame, if the rows are one."""
    if isinstance(rows, frames.Grouped):
        has_all = isinstance(result, Structured) and result.rank == rows.frame.index.nlevels
        return to_frame(result, rows.frame.index if has_all else rows.keys, _has_levels(rows.frame))
    if rows is _TABLE:
        return to_frame(result, None)
    return to_frame(result, rows.index, _has_levels(rows)) if frames.is_frame(rows) else result


def _has_levels(frame: Any) -> bool:
    return frame.columns.nlevels > 1


_TABLE = object()  # the rows of a file whose results are a DataFrame


class _BulkCall:
    def __init__(self, function: Function, name: str | None, rows_per_call: int | None, max_in_flight: int, progress: bool | None,
                 others: Mapping[str, Any]) -> None:
        self.function, self.rows_per_call, self.max_in_flight = function, rows_per_call, max_in_flight
        self.progress, self.others = progress, others
        self.columns = function.parameters_of_columns(others) if name is None else []
        self.parameter = None if self.columns else parameter_of_rows(function, name, others)
        self.path: Any = None  # of the rows

    def args(self, rows: Any) -> Any:
        from signet.served_function import Args

        if self.columns and (frames.is_frame(rows) or not isinstance(rows, Encoded)):
            given = self.function.arguments_of_columns(rows, self.columns)
        elif self.parameter is None:
            raise errors.make("INVALID_ARGUMENT", f"`{self.function.__qualname__}` has no parameter that takes rows; its signature is "
                              f"{self.function._info().type}")
        else:
            given = {self.parameter.name: rows}
        positional, keyword = self.function.arguments_by_name({**given, **self.others})
        return Args(*positional, **keyword)

    def rows_for(self, sample: Any, count: int) -> int:
        """The number of rows per call, by the size of a request with some of the rows."""
        if self.rows_per_call is None:
            if count == 0:
                return 1
            args = self.args(sample)
            size = self.function._request(args.positional, args.keyword, self.function._options(), 0).size
            self.rows_per_call = max(1, min(BYTES_PER_CALL * count // size, MOST_ROWS_PER_CALL))
        return self.rows_per_call

    # --- parts of the rows ------------------------------------------------------------------------------

    def slices(self, rows: Any) -> Iterator[Part]:
        step = self.rows_for(_slice(rows, 0, _ROWS_TO_MEASURE), min(len(rows), _ROWS_TO_MEASURE))
        for start in range(0, max(len(rows), 1), step):
            yield Part(start, min(step, len(rows) - start), _slice(rows, start, start + step))

    def groups(self, rows: Iterator[Any]) -> Iterator[Part]:
        """The rows of an iterator of records, or of DataFrames."""
        first = list(itertools.islice(rows, 1))
        if first and frames.is_frame(first[0]):
            count = 0
            for frame in itertools.chain(first, rows):
                for part in self.slices(frame):
                    yield Part(count + part.first, part.count, part.rows)
                count += len(frame)
            return
        sample = first + list(itertools.islice(rows, _ROWS_TO_MEASURE - 1))
        step = self.rows_for(sample, len(sample))
        rows, start = itertools.chain(sample, rows), 0
        while group := list(itertools.islice(rows, step)):
            yield Part(start, len(group), group)
            start += len(group)

    def read(self, path: Any) -> tuple[Any, Iterable[Part]]:
        """What the rows of a file are, for the result, and their parts."""
        ending = bulk_files.check_ending(path, (*LINES, *TABLES, ".arrow"))
        if ending in (".parquet", ".feather"):
            import pandas

            frame = pandas.read_parquet(path) if ending == ".parquet" else pandas.read_feather(path)
            return frame, self.slices(frame)
        self.path = path
        if ending == ".arrow":
            return None, [bulk_files.part_of_arrow(path)]
        type_ = self.parameter.annotation if self.parameter is not None else self.function.type_of_columns(self.columns)
        while isinstance(type_, AnyType):
            type_ = type_.base
        parts = bulk_files.parts_of_lines(path, self.rows_per_call) if ending in LINES else bulk_files.parts_of_csv(
            path, type_ if isinstance(type_, Type) else None, self.rows_per_call)
        if self.columns:  # a call has a column for each parameter, and not the text
            import json

            parts = (Part(part.first, part.count, [json.loads(line) for line in part.lines.splitlines() if line.strip()], part.lines) for part in parts)
        return _TABLE if ending == ".csv" else None, parts

    # --- results ----------------------------------------------------------------------------------------

    def lines(self, parts: Iterator[Part], total: int | None) -> Iterator[bytes]:
        """The results as JSON lines. The server writes them, unless the result has nests, whose parts are columns such as `scores.0`."""
        first = list(itertools.islice(parts, 1))
        parts = itertools.chain(first, parts)
        if not self._has_nests(first):
            self.function = self.function.with_options(result="json_lines")
            yield from (result for _, result in self.results(parts, total))
            return
        for _, result in self.results(parts, total):
            columns = {name: arrays.to_py(_shortest(column)) for name, column in _columns_of(result).items()}
            yield b"".join([to_json(dict(zip(columns, row)), None, "result") + b"\n" for row in zip(*columns.values())])

    def _has_nests(self, first: list[Part]) -> bool:
        """Whether the result has nests in nests, or is a list or a tuple. These have no rows for the server."""
        type_: Any = self.function._info().type.return_annotation
        try:
            if not isinstance(type_, Type) or isinstance(type_, AnyType):
                args = [self.args(part.rows) for part in first]
                type_ = self.function.output_type(*args[0].positional, **args[0].keyword) if args else None
        except errors.Error:
            return False  # the call reports it
        items = type_.items if isinstance(type_, DictType) else type_.fields if isinstance(type_, NamedTupleType) else {}
        nests = (DictType, NamedTupleType, SequenceType)
        return isinstance(type_, SequenceType) or any(isinstance(each, nests) for each in items.values())

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
                    raise _with_row(result, part, part.rows) if self.path is None else bulk_files.error_in_file(result, self.path, part)
                found = result.count(b"\n") if isinstance(result, bytes) else _rows_of(result)
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
        label = rows.index[number] if frames.is_frame(rows) else row
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


def _shortest(column: Any) -> Any:
    """A column whose floats have the shortest texts that are read back under their dtype, as results in JSON do."""
    if isinstance(column, Ragged):
        return Ragged(_shortest(column.flat_values), list(column.nested_row_splits))
    is_short = isinstance(column, np.ndarray) and column.dtype in (np.float16, np.float32)
    return column.astype(str).astype(np.float64) if is_short else column


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
    if isinstance(rows, frames.Grouped):
        return rows.slice(start, stop)
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


def to_frame(result: Any, index: Any, has_levels: bool = False) -> Any:
    """A DataFrame with one row for each row of the result. No index: the numbers of the rows. With `has_levels`, the columns of records in
    records are a MultiIndex."""
    import pandas

    if isinstance(result, Structured):
        frame = result.to_pandas(columns="levels" if has_levels else "names")
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
