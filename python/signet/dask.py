"""Calls functions of servers for partitions of dask collections. dask schedules the calls, and repeats a call if its worker ends.

    import dask.dataframe
    import signet.dask

    scores = signet.dask.map_partitions(frame, "recipes.score", address=["a:8500", "b:8500"], user_embedding=tastes)
    scores.compute()
"""

from __future__ import annotations

import functools
import itertools
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from signet import errors
from signet.bulk import parameter_of_rows, to_frame
from signet.client import Client, connect
from signet.dtypes import bfloat16
from signet.known_model import ModelName
from signet.types import AnyType, DictType, NamedTupleType, StructuredType, TensorType, Type

Addresses = Union[str, Sequence[str], None]

_lock = threading.Lock()
_clients: dict[str, Client] = {}  # of this process: one for each server
_turns = itertools.count(os.getpid())  # the server that is next; each process starts at another


def map_partitions(frame: Any, function: str, *, address: Addresses = None, name: str | None = None, rows_per_call: int | None = None,
                   timeout: float | None = 30.0, nan: str = "missing", meta: Any = None, **others: Any) -> Any:
    """A dask DataFrame with the results of `function`, such as "recipes.score", for the rows of each partition.

    The servers take turns, and the next one is asked if one is not available. `name` is the parameter of the rows, by default the
    first that takes rows; `others` are the other arguments. `nan` is what NaN is in columns: "missing" or "value". The columns follow from the types, so no function runs before `compute`,
    unless `meta`, an empty DataFrame, states them. Index and divisions stay the same.
    """
    addresses = _addresses(address)
    if meta is None:
        meta = _with_any_server(addresses, lambda client: _empty_result(_function(client, function, timeout), frame._meta, name, others))
    call = functools.partial(_call_partition, function=function, addresses=addresses, name=name, rows_per_call=rows_per_call,
                             timeout=timeout, nan=nan, others=others, meta=meta)
    return frame.map_partitions(call, meta=meta, enforce_metadata=False)


def map_blocks(array: Any, function: str, *, address: Addresses = None, timeout: float | None = 30.0, dtype: Any = None, **options: Any) -> Any:
    """A dask array with the results of `function` for each block. `options` are passed to dask.array.map_blocks, such as `chunks`
    and `drop_axis`, which state how the shape changes."""
    addresses = _addresses(address)
    if dtype is None:
        result = _with_any_server(addresses, lambda client: _output_type(_function(client, function, timeout), array))
        if not isinstance(result, TensorType):
            raise errors.make("INVALID_ARGUMENT", f"`{function}`: expected a function that returns a tensor, found one that returns `{result!r}`")
        dtype = _numpy_dtype(result.dtype)
    return array.map_blocks(_call_block, function, addresses, timeout, dtype=dtype, **options)


def _output_type(function: Any, array: Any) -> Type:
    """The type of the result for a block, which is converted to the dtype of the parameter."""
    declared = next(iter(function._info().type.parameters.values())).annotation
    dtype = declared.dtype if isinstance(declared, TensorType) else np.dtype(array.dtype).name
    result: Type = function.output_type(Type(f"{dtype}[{', '.join('?' * array.ndim)}]"))
    return result


def _call_partition(rows: Any, function: str, addresses: list[str], name: str | None, rows_per_call: int | None, timeout: float | None,
                    nan: str, others: Mapping[str, Any], meta: Any) -> Any:
    if len(rows) == 0:
        empty = meta.iloc[:0].copy()
        empty.index = rows.index
        return empty
    return _with_any_server(addresses, lambda client: _function(client, function, timeout).with_options(nan=nan).bulk(
        rows, name, rows_per_call=rows_per_call, **others))


def _call_block(block: Any, function: str, addresses: list[str], timeout: float | None) -> Any:
    return _with_any_server(addresses, lambda client: _function(client, function, timeout)(block))


# --- servers ----------------------------------------------------------------------------------------------

def _addresses(address: Addresses) -> list[str]:
    if address is None:
        return [os.environ.get("SIGNET_ADDRESS") or "localhost:8500"]
    return [address] if isinstance(address, str) else list(address)


def _client(address: str) -> Client:
    with _lock:
        if address not in _clients:
            _clients[address] = connect(address)
        return _clients[address]


def _with_any_server(addresses: list[str], call: Any) -> Any:
    """The result of a call with the client of the next server that is available."""
    first = next(_turns)
    for attempt in range(len(addresses)):
        try:
            return call(_client(addresses[(first + attempt) % len(addresses)]))
        except errors.Unavailable:
            if attempt + 1 == len(addresses):
                raise
    raise errors.make("INVALID_ARGUMENT", "address: expected at least one server, found none")


def _function(client: Client, name: str, timeout: float | None) -> Any:
    model, dot, function = name.rpartition(".")
    if not dot:
        raise errors.make("INVALID_ARGUMENT", f"function: expected MODEL.FUNCTION, found `{name}`")
    return client[str(ModelName.parse(model))][function].with_options(timeout=timeout)


# --- the columns of a result ------------------------------------------------------------------------------

def _empty_result(function: Any, rows: Any, name: str | None, others: Mapping[str, Any]) -> Any:
    """A DataFrame without rows, with the columns that the result has."""
    given = function.parameters_of_columns(others) if name is None else []
    types = {parameter.name: _type_of(parameter) for parameter in given or [parameter_of_rows(function, name, others)]}
    if None in types.values():  # any rows: what the function returns for none
        return function.bulk(rows.iloc[:0], name, **others)
    arguments, keywords = function.arguments_by_name({**types, **others})
    result = function.output_type(*arguments, **keywords)
    import pandas

    columns: dict[str, Any] = {}
    if isinstance(result, StructuredType):
        _add_columns("", result, columns)
    elif isinstance(result, (DictType, NamedTupleType)):
        columns = {key: _empty(each) for key, each in (result.items if isinstance(result, DictType) else result.fields).items()}
    else:
        columns = {"result": _empty(result)}
    return to_frame(columns, pandas.Index([], dtype=rows.index.dtype, name=rows.index.name))


def _type_of(parameter: Any) -> Type | None:
    type_ = parameter.annotation
    while isinstance(type_, AnyType):
        type_ = type_.base
    return type_ if isinstance(type_, Type) else None


def _add_columns(prefix: str, type_: StructuredType, out: dict[str, Any]) -> None:
    """The columns of Structured.to_pandas()."""
    for name, each in type_.fields.items():
        if isinstance(each, StructuredType) and len(each.shape) == 1 and name not in type_.optional:
            _add_columns(f"{prefix}{name}.", each, out)
        else:
            out[prefix + name] = _empty(each) if name not in type_.optional else np.empty(0, object)


def _empty(type_: Type) -> Any:
    is_column = isinstance(type_, TensorType) and type_.shape is not None and len(type_.shape) == 1
    return np.empty(0, _numpy_dtype(type_.dtype) if is_column and isinstance(type_, TensorType) else object)


def _numpy_dtype(name: str) -> Any:
    if name == "bfloat16":
        return bfloat16() or np.dtype(np.float32)
    return np.dtype(object) if name == "string" else np.dtype(name)
