"""A function of a served model, which is called as a function of Python is."""

from __future__ import annotations

import dataclasses
import inspect
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from signet import errors, names
from signet.known_model import FunctionInfo, ModelName
from signet.options import Options
from signet.tracebacks import boundary, warn
from signet.types import AnyType, ExtensionType, FunctionType, RaggedType, StructuredType, TensorType, Type, from_message
from signet.values import Extension, Structured
from signet.wire import decode, encode, frames
from signet.wire.convert import Conversion, Encoded

if TYPE_CHECKING:
    from signet.client import Client

class PlainValueWarning(UserWarning):
    """A parameter without a type receives many different plain numbers."""


PLAIN_VALUES_WARNED = 16
_plain_values: dict[tuple[str, str, str, str], set[float]] = {}  # by address, model, function, and parameter


class Answer(NamedTuple):
    """The result of a call, and what is known of the call."""

    result: Any
    model_version: int
    seconds: float
    bytes_sent: int
    bytes_received: int


class Args:
    """The arguments of one call of `map`: `Args(x, top_k=3)`."""

    __slots__ = ("keyword", "positional")

    def __init__(self, /, *positional: Any, **keyword: Any) -> None:
        self.positional, self.keyword = positional, keyword


class Function:
    """A function of a model. `help()` and `inspect.signature()` show what it takes."""

    def __init__(self, client: Client, model: ModelName, name: str, changes: Mapping[str, Any] | None = None) -> None:
        self._client, self._model, self._name, self._changes = client, model, name, dict(changes or {})
        self._last_options: tuple[Options | None, Options] = (None, Options())  # of the client, and with the changes
        self._target = encode.call_target(model.message(), name)
        self.__name__ = name
        self.__qualname__ = f"{model.name}.{name}"
        self.__module__ = f"signet.served.{model.name}"

    @property
    def __signature__(self) -> FunctionType:
        return self._info().type

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        try:
            return self._info().help()
        except errors.Error as error:
            return f"The function `{self.__qualname__}` is not available: {error}"

    def __repr__(self) -> str:
        return f"<signet function {self._model}.{self._name} at {self._client.address}>"

    def _repr_html_(self) -> str:
        from signet import html

        known = self._client._known(self._model)
        info = known.functions.get(self._name) if known is not None else None
        return html.of_function(repr(self), info.signature if info else "", info.doc if info else "")

    def __reduce__(self) -> Any:
        return Function, (self._client, self._model, self._name, self._changes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self.__reduce__()[1][1:] == other.__reduce__()[1][1:] and self._client is other._client

    def __hash__(self) -> int:
        return hash((self._model, self._name))

    def _info(self) -> FunctionInfo:
        return self._client._function(self._model, self._name)

    def _options(self) -> Options:
        current = self._client._current_options()
        if not self._changes:
            return current
        if self._last_options[0] is not current:
            self._last_options = (current, current.replaced(self._changes))
        return self._last_options[1]

    @boundary
    def with_options(self, **options: Any) -> Function:
        """The same function with other options (signet.Options), such as `timeout=5`."""
        changes = {**self._changes, **options}
        Options().replaced(changes)
        return Function(self._client, self._model, self._name, changes)

    @boundary
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._call(args, kwargs).result

    @boundary
    def call(self, /, *args: Any, **kwargs: Any) -> Answer:
        """Calls the function, and returns the result with the version, the time, and the sizes of the messages."""
        return self._call(args, kwargs)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        """The parameters of the arguments. What is known of the model is read again before a call is rejected."""
        info = self._info()
        try:
            return info.binder.bind(len(args), list(kwargs))
        except errors.BindingError as error:
            fresh = self._client._reread(self._model, self._name)
            if fresh is not None and fresh is not info:
                return fresh.binder.bind(len(args), list(kwargs))
            raise self._placed(error) from None

    def arguments_by_name(self, values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The positional and the keyword arguments of a call, for values that are given by the names of their parameters."""
        left = dict(values)
        positional = []
        for parameter in self._info().type.parameters.values():
            if parameter.kind != inspect.Parameter.POSITIONAL_ONLY or parameter.name not in left:
                break
            positional.append(left.pop(parameter.name))
        return positional, left

    def parameters_of_columns(self, others: Iterable[str]) -> list[Any]:
        """The parameters that the columns of rows fill, as in a model of ONNX with a parameter for each column: all that need an argument, if
        they are several and all of them have one element, or one row, for each row. Empty if a parameter takes whole records."""
        given = set(others)
        found = []
        for parameter in self._info().type.parameters.values():
            type_ = _type_of(parameter)
            while isinstance(type_, AnyType):
                type_ = type_.base
            if parameter.name in given or (isinstance(type_, StructuredType) and parameter.kind > inspect.Parameter.POSITIONAL_OR_KEYWORD):
                continue
            if isinstance(type_, StructuredType):
                return []
            if parameter.default is not inspect.Parameter.empty or parameter.kind in (
                    inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
                continue
            if not isinstance(type_, (TensorType, RaggedType)) or not type_.shape or type_.shape[0] is not None:
                return []
            found.append(parameter)
        return found if len(found) > 1 else []

    def type_of_columns(self, parameters: list[Any]) -> StructuredType:
        """The type of rows with a field for each of these parameters."""
        fields: dict[str, Type] = {}
        for parameter in parameters:
            type_: Any = _type_of(parameter)
            while isinstance(type_, AnyType):
                type_ = type_.base
            is_column = isinstance(type_, TensorType) and len(type_.shape or ()) == 2 and type_.shape is not None and type_.shape[1] == 1
            fields[parameter.name] = dataclasses.replace(type_, shape=(None,)) if is_column else type_
        return StructuredType((None,), fields)

    def arguments_of_columns(self, rows: Any, parameters: list[Any], convert: Conversion | None = None) -> dict[str, Any]:
        """The arguments of these parameters: the columns of a DataFrame, or of records."""
        convert = convert or self._options().conversion()
        type_ = self.type_of_columns(parameters)
        columns = frames.columns_of(rows, type_, "rows") if frames.is_frame(rows) else columns_of_records(rows, type_)
        out = {}
        for parameter in parameters:
            field: Any = type_.fields[parameter.name]
            if parameter.name not in columns and not field.has_default:
                nearest = names.nearest(parameter.name, map(str, columns))
                hint = f"; the nearest is `{nearest}`" if nearest is not None else ""
                raise errors.make("INVALID_ARGUMENT", f"`{self.__qualname__}`: no column `{parameter.name}`; columns: "
                                  f"{names.list_names(map(str, columns))}{hint}", reason="STRUCTURE_MISMATCH", field=parameter.name)
            column = columns[parameter.name] if parameter.name in columns else [field.default] * len(rows)
            if frames.is_series(column):
                column = convert.column_of_frame(column, field, parameter.name)
            if len(field.shape) < len(_type_of(parameter).shape):  # type: ignore[union-attr]
                column = [[each] for each in column] if isinstance(column, list) else np.reshape(column, (-1, 1))
            out[parameter.name] = column
        return out

    def _request(self, args: tuple[Any, ...], kwargs: dict[str, Any], options: Options, result: int) -> encode.Message:
        convert = options.conversion()
        try:
            positional, keywords = self._bound(args, kwargs)
        except errors.BindingError:
            columns = self.parameters_of_columns(kwargs) if len(args) == 1 and frames.is_frame(args[0]) else []
            if not {parameter.name for parameter in columns} & set(map(str, args[0].columns) if columns else ()):
                raise
            by_position, by_name = self.arguments_by_name({**self.arguments_of_columns(args[0], columns, convert), **kwargs})
            return self._request(tuple(by_position), by_name, options, result)
        self._warn_of_plain_values(args, positional)
        if kwargs:
            self._warn_of_plain_values(kwargs.values(), keywords)
        sent = [_argument(convert, value, parameter, f"args[{i}]" if parameter is None else parameter.name)
                for i, (value, parameter) in enumerate(zip(args, positional))]
        named = [(name, _argument(convert, value, parameter, name))
                 for (name, value), parameter in zip(kwargs.items(), keywords)] if kwargs else []
        request = encode.call_request(self._target, sent, named, result)
        most = self._client._model_info(self._model).message_bytes
        if most and request.size > most:
            raise errors.make("RESOURCE_EXHAUSTED", f"the request has {request.size} bytes, and the server takes at most {most} "
                              "(--max_message_bytes); `bulk` sends rows in parts", model=str(self._model), function=self._name)
        return request

    def _warn_of_plain_values(self, args: Iterable[Any], parameters: list[Any]) -> None:
        """Warns once if a parameter without a type receives many different numbers, because each makes a concrete function."""
        for value, parameter in zip(args, parameters):
            if type(value) not in (int, float) or parameter is None or not _accepts_any_type(parameter.annotation):
                continue
            seen = _plain_values.setdefault((self._client.address, str(self._model), self._name, parameter.name), set())
            if len(seen) >= PLAIN_VALUES_WARNED or value in seen:
                continue
            seen.add(value)
            if len(seen) == PLAIN_VALUES_WARNED:
                warn(f"`{self.__qualname__}`: the parameter `{parameter.name}` has no type and has received {len(seen)} different "
                     "numbers, each of which makes a concrete function; send np.float32(x) if there are many", PlainValueWarning)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Answer:
        options = self._options()
        try:
            request = self._request(args, kwargs, options, options.result_format)
            start = time.perf_counter()
            response = self._client._channel.call("Call", request, options, self.__qualname__)
        except errors.Error as error:
            if isinstance(error, errors.InvalidArgument):
                without_byte(error, args, kwargs)
            self._placed(error)
            raise
        seconds = time.perf_counter() - start
        result, version = self._read(response, options)
        return Answer(result, version, seconds, request.size, len(response))

    def _read(self, response: bytes, options: Options) -> tuple[Any, int]:
        """The result of a response, and the version of the model."""
        try:
            result, version = decode.call_response(response, options.reading())
        except errors.Error as error:
            raise self._placed(error) from None
        self._client._note_version(self._model, version)
        return result, version

    def _placed(self, error: errors.Error) -> errors.Error:
        """An error of a call, with the function and the server."""
        error.model, error.function, error.address = str(self._model), self._name, self._client.address
        return error

    # --- without running ----------------------------------------------------------------------------------

    def _explained(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
        options = self._options()
        request = self._request(args, kwargs, options, 0)
        return self._client._channel.call("Explain", request, options, self.__qualname__)

    @boundary
    def explain(self, /, *args: Any, **kwargs: Any) -> str:
        """How the server binds and dispatches a call, as text. Types may stand for values: `signet.Type("float32[?]")`."""
        lines, _, error = _explanation(self._explained(args, kwargs))
        if error is not None:
            lines.append(f"error: {_without_byte(error.message, args, kwargs)}")
        return "\n".join(lines)

    @boundary
    def output_type(self, /, *args: Any, **kwargs: Any) -> Type:
        """The type of the result of a call. Nothing runs. Types, and texts with brackets such as "float32[?]", stand for values."""
        given = tuple(map(type_or_value, args)), {name: type_or_value(each) for name, each in kwargs.items()}
        _, output, error = _explanation(self._explained(*given))
        if error is not None:
            raise self._placed(without_byte(error, args, kwargs))
        if output is None:
            raise errors.DataLoss("the response is not a valid message: no type of the result")
        return output

    @boundary
    def warm(self, /, *args: Any, **kwargs: Any) -> None:
        """Prepares the function for arguments of these types, so that the first call is fast: `f.warm("float32[?]", top_k=2)`."""
        self.output_type(*args, **kwargs)

    # --- many calls ---------------------------------------------------------------------------------------

    @boundary
    def map(self, calls: Iterable[Any], *, max_in_flight: int = 16, ordered: bool = True, errors: str = "raise") -> Iterator[Any]:
        """Calls the function with each element, over one stream, and yields the results.

        A tuple has positional arguments, `signet.Args` has any, and everything else is one argument. At most `max_in_flight` calls
        are sent and not answered. With `errors="return"`, an error takes the place of its result. The option `timeout` limits the wait for
        each response.
        """
        from signet.stream import map_calls

        return map_calls(self, calls, max_in_flight, ordered, errors)

    def stream(self) -> Any:
        """Calls in flight over one stream, for a `with` block: `with f.stream() as call: future = call(x)`. The result of a call is a
        concurrent.futures.Future."""
        from signet.stream import CallStream

        return CallStream(self)

    @boundary
    def bulk(self, /, rows: Any, name: str | None = None, *, rows_per_call: int | None = None, max_in_flight: int = 4, out: Any = None,
             progress: bool | None = None, **others: Any) -> Any:
        """Calls the function with many rows, in parts of about 2 MiB or `rows_per_call` rows, and returns the results in order.

        `rows` is one of:

        - a DataFrame; the result is a DataFrame with the same index
        - a list of records, or a Structured; the result is one value
        - an iterator of records or of DataFrames; the result is an iterator of the results of parts
        - the path of a file: .ndjson, .jsonl, .csv, .parquet, .feather, or .arrow. The first two are read in parts.

        `name` is the parameter of the rows, by default the first that takes rows. With `out`, the path of a file (.ndjson, .jsonl,
        .csv, .parquet, or .feather), the results are written there, and the file appears when it is complete. `progress` shows
        a bar, by default on a terminal if tqdm is installed.
        """
        from signet.bulk import bulk_call

        return bulk_call(self, rows, name, rows_per_call, max_in_flight, out, progress, others)


@decode.reads_response
def _explanation(data: bytes) -> tuple[list[str], Type | None, errors.Error | None]:
    """The lines of an ExplainResponse, the type of the result, and the error of the call."""
    from signet.v1 import service_pb2

    found = service_pb2.ExplainResponse.FromString(data)
    lines = [found.signature]
    for each in found.arguments:
        source = each.DESCRIPTOR.fields_by_name["source"].enum_type.values_by_number[each.source].name.lower()
        shown = from_message(each.bound if each.HasField("bound") else each.given) if each.HasField("given") or each.HasField("bound") else ""
        lines.append(f"  {each.parameter}  {source}\n      {shown!r}" if shown else f"  {each.parameter}  {source}")
    output = from_message(found.output) if found.HasField("output") else None
    if output is not None:
        lines.append(f"output: {output!r}")
    if not found.HasField("error"):
        return lines, output, None
    return lines, output, errors.make(errors.code_of(found.error.code), found.error.message, reason=found.error.reason, field=found.error.field)


def columns_of_records(rows: Any, type_: StructuredType) -> Mapping[str, Any]:
    """The columns of records for the fields of a type. A value that a record leaves out is None."""
    if isinstance(rows, Structured):
        return rows.fields
    if not isinstance(rows, (list, tuple)) or not all(isinstance(each, Mapping) for each in rows):
        raise errors.make("INVALID_ARGUMENT", f"expected a DataFrame or records with the fields {names.list_names(type_.fields)}, found a value of "
                          f"the class `{type(rows).__name__}`", reason="STRUCTURE_MISMATCH")
    found = {name for row in rows for name in row}
    return {name: [row.get(name) for row in rows] for name in type_.fields if name in found or not rows}


def without_byte(error: errors.Error, args: tuple[Any, ...], kwargs: dict[str, Any]) -> errors.Error:
    """Removes the place in JSON from an error, unless the caller wrote the JSON, and returns the error."""
    error.message = _without_byte(error.message, args, kwargs)
    error.args = (error.message, *error.args[1:])
    return error


def _without_byte(message: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    if any(isinstance(each, Encoded) for each in (*args, *kwargs.values())):
        return message
    return re.sub(r"(`: )byte \d+: ", r"\1", message, count=1)


def type_or_value(value: Any) -> Any:
    """The type that a text with brackets states, or the value."""
    return Type(value) if isinstance(value, str) and any(each in value for each in "[({<") else value


def _accepts_any_type(annotation: Any) -> bool:
    return annotation is inspect.Parameter.empty or (isinstance(annotation, AnyType) and annotation.base is None)


def _argument(convert: Conversion, value: Any, parameter: Any, path: str) -> encode.Message:
    type_ = _type_of(parameter)
    if isinstance(type_, ExtensionType) and isinstance(value, Extension) and _has_plain_components(value):
        value = value.to_py()  # which the server reads by the types of the components
    return convert.argument(value, type_, path)


def _has_plain_components(value: Extension) -> bool:
    """Whether components are lists or dicts of Python."""
    return any(isinstance(each, (list, tuple, dict)) or (isinstance(each, Extension) and _has_plain_components(each))
               for each in value.components.values())


def _type_of(parameter: Any) -> Type | None:
    if parameter is None or parameter.annotation is inspect.Parameter.empty:
        return None
    type_: Type = parameter.annotation
    return type_
