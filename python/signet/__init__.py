"""Signet: typed tensor functions, on a server or in this process, with records, lists of any length, arrays, and DataFrames.

    import signet

    client = signet.connect("localhost:8500")
    client.savings.fees([{"name": "Ann", "balances": [800, 400]}]).to_py()

    @signet.function
    def price(amounts: "float32[?]", tax: "float32[]" = 0.2) -> "float32[]":
        return signet.ops.reduce_sum(amounts) * (1 + tax)

    signet.Model("Prices", price).save("models/prices/1")
"""

import importlib
import typing

from signet.client import Client, connect
from signet.errors import (BindingError, Cancelled, DataLoss, DeadlineExceeded, Error, FailedPrecondition, Internal, InvalidArgument,
                           NotFound, PermissionDenied, ResourceExhausted, TypeMismatch, Unauthenticated, Unavailable, Unimplemented)
from signet.formats import arrow, json, json_lines, rows
from signet.served_function import Answer, Args, Function, PlainValueWarning
from signet.model import ServedModel, info
from signet.options import Options
from signet.types import FunctionType, Type
from signet.values import Extension, Ragged, Sparse, Structured
from signet.version import VERSION as __version__

if typing.TYPE_CHECKING:
    from signet.trace.notation import ANY as Any
    from typing import Literal as Literal
    from signet.trace.notation import TENSOR as Tensor
    from signet.trace.baked_values import BakedValueWarning
    from signet.trace.control import case, cond, decline, dynamic, map, plain, reduce, scan, while_loop
    from signet.trace.errors import TraceError
    from signet.trace.extension_types import (conversion, dispatch_for, dispatch_for_binary_elementwise, dispatch_for_reduction,
                                              dispatch_for_unary_elementwise, extension_type, invariant, type_of)
    from signet.trace.functions import function
    from signet.trace.model import Model, from_onnx, load
    from signet.trace.operators import capture
    from signet.trace.redefinition import RedefinitionWarning
    from signet.values.from_py import from_py, parse

# What is loaded when it is first used: the client does not need it.
_LAZY = {
    "BakedValueWarning": "trace.baked_values",
    "RedefinitionWarning": "trace.redefinition", "TraceError": "trace.errors", "Model": "trace.model", "capture": "trace.operators", "case": "trace.control", "cond": "trace.control",
    "conversion": "trace.extension_types", "decline": "trace.control", "dispatch_for": "trace.extension_types",
    "dispatch_for_binary_elementwise": "trace.extension_types", "dispatch_for_reduction": "trace.extension_types",
    "dispatch_for_unary_elementwise": "trace.extension_types", "dynamic": "trace.control", "extension_type": "trace.extension_types",
    "from_onnx": "trace.model", "from_py": "values.from_py", "function": "trace.functions", "invariant": "trace.extension_types",
    "load": "trace.model", "map": "trace.control", "parse": "values.from_py", "plain": "trace.control", "reduce": "trace.control", "scan": "trace.control",
    "type_of": "trace.extension_types", "while_loop": "trace.control",
}
_KINDS = {"Any": "ANY", "Literal": "LITERAL", "Tensor": "TENSOR"}
_MODULES = frozenset(("aio", "dask", "ops"))

__all__ = [
    "__version__", "Answer", "Args", "BakedValueWarning", "BindingError", "Cancelled", "Client", "DataLoss", "DeadlineExceeded", "Error", "Extension", "FailedPrecondition",
    "Function", "FunctionType", "Internal", "InvalidArgument", "Model", "NotFound", "Options", "PermissionDenied", "PlainValueWarning", "Ragged",
    "RedefinitionWarning", "ResourceExhausted", "ServedModel", "Sparse", "Structured", "TraceError", "Type", "TypeMismatch", "Unauthenticated", "Unavailable",
    "Unimplemented", "arrow", "capture", "case", "cond", "connect", "conversion", "decline", "dispatch_for",
    "dispatch_for_binary_elementwise", "dispatch_for_reduction", "dispatch_for_unary_elementwise", "dynamic", "extension_type",
    "from_onnx", "from_py", "function", "info", "invariant", "json", "json_lines", "load", "map", "parse", "plain", "reduce", "rows", "scan",
    "type_of", "while_loop",
]


def __getattr__(name: str) -> typing.Any:
    if name in _MODULES:
        return importlib.import_module(f"signet.{name}")
    if name in _LAZY:
        value = getattr(importlib.import_module(f"signet.{_LAZY[name]}"), name)
    else:
        from signet.trace import notation

        if name in _KINDS:
            value = getattr(notation, _KINDS[name])
        elif name in notation.DTYPES:
            value = notation.DTYPES[name]
        else:
            raise AttributeError(f"module 'signet' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from signet.trace.notation import DTYPES

    return sorted({*globals(), *_LAZY, *_KINDS, *_MODULES, *DTYPES})
