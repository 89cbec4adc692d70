"""Many rows, which are sent in parts."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from signet import errors
from signet.types import AnyType, RaggedType, StructuredType, TensorType, Type
from signet.values import Ragged, Structured, arrays

if TYPE_CHECKING:
    from signet.function import Function


def bulk_call(function: Function, rows: Any, name: str | None, rows_per_call: int, max_in_flight: int, others: Mapping[str, Any]) -> Any:
    """The results of all rows: a DataFrame for a DataFrame, and otherwise one value."""
    from signet.function import Args

    if rows_per_call < 1:
        raise ValueError(f"rows_per_call: expected at least 1, found {rows_per_call}")
    parameter = _parameter_of_rows(function, name, others)
    if not hasattr(rows, "__len__"):
        rows = list(rows)
    count = len(rows)
    starts = range(0, count, rows_per_call) if count else [0]

    def calls() -> Iterator[Any]:
        for start in starts:
            part = _slice(rows, start, start + rows_per_call)
            yield Args(part, **others) if parameter.kind == inspect.Parameter.POSITIONAL_ONLY else Args(**{parameter.name: part}, **others)

    parts = []
    for start, part in zip(starts, function.map(calls(), max_in_flight=max_in_flight)):
        wanted = min(rows_per_call, count - start)
        found = _rows_of(part)
        if found != wanted:
            raise errors.make("INVALID_ARGUMENT", f"`{function.__qualname__}`: expected a result with {wanted} rows for {wanted} rows, found "
                              f"{'one without rows' if found is None else f'{found} rows'}; `bulk` needs a function with one result for each row")
        parts.append(part)
    result = concatenated(parts)
    if type(rows).__module__.startswith("pandas"):
        return to_frame(result, rows.index)
    return result


def _parameter_of_rows(function: Function, name: str | None, others: Mapping[str, Any]) -> Any:
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
    shape = getattr(type_, "shape", ())
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
    """A DataFrame with one row for each row of the result."""
    import pandas

    if isinstance(result, Structured):
        frame = result.to_pandas()
    elif isinstance(result, Mapping):
        frame = pandas.DataFrame({key: _column(column) for key, column in result.items()})
    elif isinstance(result, tuple) and hasattr(result, "_fields"):
        frame = pandas.DataFrame({key: _column(column) for key, column in zip(result._fields, result)})
    else:
        frame = pandas.DataFrame({"result": _column(result)})
    frame.index = index
    return frame


def _column(column: Any) -> Any:
    if isinstance(column, np.ndarray) and column.ndim == 1:
        return column
    rows = list(column) if isinstance(column, (np.ndarray, Ragged)) else arrays.to_py(column)
    out = np.empty(len(rows), object)
    out[:] = rows
    return out
