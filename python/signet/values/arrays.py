"""What the values have in common: how arrays are compared, printed, and turned into lists."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np

MOST_ROWS = 6  # in a repr
MOST_CHARACTERS = 400


def dtype_name(array: np.ndarray[Any, Any]) -> str:
    return "string" if array.dtype.kind in "OUS" else array.dtype.name


def unmasked(value: Any) -> np.ndarray[Any, Any]:
    """The array of a value. Raises ValueError if elements are masked."""
    if isinstance(value, np.ma.MaskedArray) and np.any(value.mask):
        raise ValueError("some elements are masked; `x.filled(0)` replaces them")
    return np.asarray(value)


def same_array(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Whether both have the same dtype, shape, and elements; floats are compared by their bits."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype.kind == "O" else a.tobytes() == b.tobytes()


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, with all their parts."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and same_array(a, b)
    if hasattr(a, "equals"):
        return bool(a.equals(b))
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (float, np.generic)):
        return same_array(np.asarray(a), np.asarray(b))
    return bool(a == b)


def to_py(value: Any) -> Any:
    """Plain Python values: lists, dicts, numbers, and texts."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if hasattr(value, "to_py"):
        return value.to_py()
    if isinstance(value, dict):
        return {key: to_py(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(to_py, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_py, value))
    return value


def row_index(key: Any, count: int, what: str) -> int:
    """The index of a row, from 0. `what` is `row` or `record`."""
    try:
        index = operator.index(key)
    except TypeError:
        raise TypeError(f"expected an integer or a slice as the index of a {what}, found {type(key).__name__}; "
                        f"`[x[i] for i in ...]` reads several {what}s") from None
    if not -count <= index < count:
        raise IndexError(f"{what} {index} of {count} {what}s")
    return index % count


def split_rows(items: list[Any], splits: np.ndarray[Any, Any]) -> list[list[Any]]:
    ends = splits.tolist()
    return [items[start:end] for start, end in zip(ends, ends[1:])]


def summary(name: str, type_: str, first_rows: Any, nrows: int) -> str:
    """The repr of a value: its type and its first rows."""
    rows = [repr(row) for row in itertools.islice(first_rows, MOST_ROWS)]
    left_out = f", ... {nrows - MOST_ROWS} more" if nrows > MOST_ROWS else ""
    text = "[" + ", ".join(rows) + left_out + "]"
    if len(text) > MOST_CHARACTERS:
        text = text[:MOST_CHARACTERS] + "...]"
    return f"{name}({type_}, {text})"
