"""Signet: calls typed tensor functions that a server runs, with records, lists of any length, arrays, and DataFrames.

    import signet

    client = signet.connect("localhost:8500")
    client.savings.fees([{"name": "Ann", "balances": [800, 400]}]).to_py()
"""

from signet.client import Client, connect
from signet.errors import (BindingError, Cancelled, DataLoss, DeadlineExceeded, Error, FailedPrecondition, Internal, InvalidArgument,
                           NotFound, PermissionDenied, ResourceExhausted, TypeMismatch, Unauthenticated, Unavailable, Unimplemented)
from signet.formats import arrow, json, json_lines, rows
from signet.function import Answer, Args, Function
from signet.model import Model, info
from signet.options import Options
from signet.types import FunctionType, Type
from signet.values import Extension, Ragged, Sparse, Structured

__all__ = [
    "Answer", "Args", "BindingError", "Cancelled", "Client", "DataLoss", "DeadlineExceeded", "Error", "Extension", "FailedPrecondition",
    "Function", "FunctionType", "Internal", "InvalidArgument", "Model", "NotFound", "Options", "PermissionDenied", "Ragged",
    "ResourceExhausted", "Sparse", "Structured", "Type", "TypeMismatch", "Unauthenticated", "Unavailable", "Unimplemented", "arrow",
    "connect", "info", "json", "json_lines", "rows",
]
