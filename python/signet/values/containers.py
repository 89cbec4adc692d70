"""The classes of named tuples and of attrs classes. Each is made once for its name and its fields."""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import Any


@functools.lru_cache(maxsize=1024)
def named_tuple_class(name: str, fields: tuple[str, ...]) -> Any:
    """A class as collections.namedtuple makes it. Its values can be pickled."""
    base = collections.namedtuple(_identifier(name), fields, rename=True)  # type: ignore[misc]
    return type(base.__name__, (base,), {
        "__slots__": (), "signet_name": name, "signet_fields": fields,
        "__reduce__": lambda self: (_rebuild, (named_tuple_class, name, fields, tuple(self)))})


@functools.lru_cache(maxsize=1024)
def attrs_class(name: str, fields: tuple[str, ...]) -> Any:
    """A frozen dataclass. Its values can be pickled."""
    reduce = {"__reduce__": lambda self: (
        _rebuild, (attrs_class, name, fields, tuple(getattr(self, field) for field in fields)))}
    cls = dataclasses.make_dataclass(_identifier(name), fields, frozen=True, namespace=reduce)
    setattr(cls, "signet_name", name)
    setattr(cls, "signet_fields", fields)
    return cls


def _rebuild(make: Any, name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return make(name, fields)(*values)


def _identifier(name: str) -> str:
    text = name.rpartition(".")[2]
    return text if text.isidentifier() else "Record"
