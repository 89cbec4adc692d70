"""Errors of calls: one class for each status code, with the reason and the argument that caused the error."""

from __future__ import annotations

from typing import Any

BINDING_REASONS = frozenset((
    "MISSING_REQUIRED", "TOO_MANY_POSITIONAL", "MULTIPLE_VALUES", "UNEXPECTED_KEYWORD", "POSITIONAL_ONLY_AS_KEYWORD",
    "DUPLICATE_KEYWORD", "MISSING_DEFAULT"))
TYPE_REASONS = frozenset((
    "DTYPE_MISMATCH", "STRUCTURE_MISMATCH", "LITERAL_MISMATCH", "TYPE_MISMATCH", "NOT_CONVERTIBLE"))


class Error(Exception):
    """A call that failed. `reason` is a word such as MISSING_REQUIRED, and `field` the path of an argument."""

    code = "UNKNOWN"

    def __init__(self, message: str, *, code: str = "", reason: str = "", field: str = "", constraint: str = "",
                 model: str = "", function: str = "", address: str = "") -> None:
        super().__init__(message)
        self.code = code or type(self).code
        self.message, self.reason, self.field, self.constraint = message, reason, field, constraint
        self.model, self.function, self.address = model, function, address

    if not hasattr(BaseException, "add_note"):  # before Python 3.11
        def add_note(self, note: str) -> None:
            self.__notes__ = [*getattr(self, "__notes__", ()), note]

    @property
    def violations(self) -> dict[str, str]:
        """The messages by argument, as google.rpc.BadRequest lists them."""
        return {self.field: self.message} if self.field else {}

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self.message, dict(self.__dict__))


def _rebuild(cls: type[Error], message: str, fields: dict[str, Any]) -> Error:
    error = cls(message)
    error.__dict__.update(fields)
    return error


class InvalidArgument(Error, ValueError):
    code = "INVALID_ARGUMENT"


class BindingError(InvalidArgument, TypeError):
    """The arguments do not fit the parameters."""


class TypeMismatch(InvalidArgument, TypeError):
    """An argument does not have the type of its parameter."""


class NotFound(Error, LookupError):
    code = "NOT_FOUND"


class FailedPrecondition(Error):
    code = "FAILED_PRECONDITION"


class ResourceExhausted(Error):
    code = "RESOURCE_EXHAUSTED"


class Unimplemented(Error, NotImplementedError):
    code = "UNIMPLEMENTED"


class Unavailable(Error, ConnectionError):
    code = "UNAVAILABLE"


class DeadlineExceeded(Error, TimeoutError):
    code = "DEADLINE_EXCEEDED"


class Cancelled(Error):
    code = "CANCELLED"


class DataLoss(Error):
    code = "DATA_LOSS"


class Internal(Error):
    code = "INTERNAL"


class PermissionDenied(Error, PermissionError):
    code = "PERMISSION_DENIED"


class Unauthenticated(Error, PermissionError):
    code = "UNAUTHENTICATED"


# By number of google.rpc.Code.
CODES = ("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
         "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
         "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED")


def code_of(number: int) -> str:
    """The name of the code of an error. Any other number is UNKNOWN."""
    return CODES[number] if 0 < number < len(CODES) else "UNKNOWN"


_CLASSES: dict[str, type[Error]] = {cls.code: cls for cls in (
    InvalidArgument, NotFound, FailedPrecondition, ResourceExhausted, Unimplemented, Unavailable, DeadlineExceeded,
    Cancelled, DataLoss, Internal, PermissionDenied, Unauthenticated)}
_CLASSES["OUT_OF_RANGE"] = InvalidArgument


def make(code: str, message: str, *, reason: str = "", **details: str) -> Error:
    """The error of the class for a code and reason."""
    cls = _CLASSES.get(code, Error)
    if cls is InvalidArgument and reason in BINDING_REASONS:
        cls = BindingError
    elif cls is InvalidArgument and reason in TYPE_REASONS:
        cls = TypeMismatch
    return cls(message, code=code, reason=reason, **details)
