"""The values that Python has no class for. Results have these classes, and arguments may."""

from signet.values.containers import attrs_class, named_tuple_class
from signet.values.extension import Extension
from signet.values.ragged import Ragged
from signet.values.sparse import Sparse
from signet.values.structured import Structured

__all__ = ["Extension", "Ragged", "Sparse", "Structured", "attrs_class", "named_tuple_class"]
