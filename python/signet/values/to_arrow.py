"""Arrow arrays and tables of values, without a copy of numeric columns. Needs pyarrow."""

from __future__ import annotations

from typing import Any

import numpy as np

from signet.values import arrays


def array_of(column: Any) -> Any:
    """The pyarrow.Array with an element for each row of an array, a Ragged, or a Structured."""
    import pyarrow

    from signet.values.ragged import Ragged
    from signet.values.structured import Structured, flat_rows

    if isinstance(column, Ragged):
        return _rows(array_of(column.flat_values), column.nested_row_splits)
    if isinstance(column, Structured):
        count = int(column.row_splits[-1][-1]) if column.row_splits else column.nrows
        fields = [_field(column, name, flat_rows(each, column.rank, count)) for name, each in column.fields.items()]
        return _rows(pyarrow.StructArray.from_arrays(fields, list(column.field_names)), column.row_splits)
    if column.ndim > 1:
        inner = array_of(column.reshape(-1, *column.shape[2:]))
        return pyarrow.FixedSizeListArray.from_arrays(inner, column.shape[1])
    if column.dtype == object:
        texts = column.tolist()
        return pyarrow.array(texts, pyarrow.string() if all(isinstance(each, str) for each in texts) else pyarrow.binary())
    return pyarrow.array(column if column.dtype.kind in "biuf" and column.dtype.name != "bfloat16" else column.astype(np.float32))


def table_of(structured: Any) -> Any:
    """The pyarrow.Table of records of rank 1."""
    import pyarrow

    return pyarrow.table({name: _field(structured, name, column) for name, column in structured.fields.items()})


def _field(structured: Any, name: str, column: Any) -> Any:
    import pyarrow

    if name not in structured.optional_fields:
        return array_of(column)
    return pyarrow.array([item[0] if len(item) else None for item in arrays.to_py(column)])


def _rows(items: Any, nested_row_splits: Any) -> Any:
    import pyarrow

    for splits in reversed(nested_row_splits):
        items = pyarrow.LargeListArray.from_arrays(pyarrow.array(splits, pyarrow.int64()), items)
    return items
