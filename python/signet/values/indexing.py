"""Indices with several keys on values, with the meaning that they have on values of functions: `records[0, "items", 1, "price"]`."""

from __future__ import annotations

import operator
from typing import Any

from signet import engine, errors


def get_item(value: Any, keys: Any) -> Any:
    """The part that the keys select, one dimension or field after the other. Needs signet._core."""
    from signet import ops

    engine.core()
    listed = [_key(each) for each in (keys if isinstance(keys, tuple) else (keys,))]
    try:
        return ops.run("get_item", [value], {"key": listed})[0]
    except errors.Error as error:
        raise IndexError(error.message) from None


def _key(key: Any) -> Any:
    if key is None or key is ... or isinstance(key, str):
        return key
    if isinstance(key, slice):
        return slice(*(None if each is None else operator.index(each) for each in (key.start, key.stop, key.step)))
    try:
        if not isinstance(key, bool):
            return operator.index(key)
    except TypeError:
        pass
    raise TypeError(f"an index: expected integers, slices, names of fields, `...`, and None, found a value of the class `{type(key).__name__}`; "
                    "`ops.gather` selects several elements, and `ops.boolean_mask` those where a mask is True")
