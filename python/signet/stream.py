"""Many calls of a function over one stream."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from signet import errors
from signet.channel import error_of
from signet.options import RESULT_FORMATS
from signet.tracebacks import Results
from signet.wire import decode, encode

if TYPE_CHECKING:
    from signet.served_function import Args, Function

_END = None  # closes the stream of requests


def check_calls(calls: Any) -> None:
    if hasattr(calls, "iloc"):
        raise TypeError("`map` calls the function once for each element, and the elements of a DataFrame are the names of its columns; `bulk` "
                        "sends the rows of a DataFrame")


def of_call(number: int, error: errors.Error) -> errors.Error:
    """The error of one of many calls, with its number."""
    error.message = f"call {number}: {error.message}"
    error.args = (error.message, *error.args[1:])
    return error


def map_calls(function: Function, calls: Iterable[Any], max_in_flight: int, ordered: bool, on_error: str) -> Iterator[Any]:
    """Yields the results of the calls. Closing the iterator cancels the calls that are not answered."""
    if on_error not in ("raise", "return"):
        raise ValueError(f"errors: expected 'raise' or 'return', found {on_error!r}")
    if max_in_flight < 1:
        raise ValueError(f"max_in_flight: expected at least 1, found {max_in_flight}")
    check_calls(calls)
    return Results(_results(function, iter(calls), max_in_flight, ordered, on_error == "raise"))


def _results(function: Function, calls: Iterator[Any], max_in_flight: int, ordered: bool, raises: bool) -> Iterator[Any]:
    import grpc

    from signet.served_function import Args, without_byte

    options = function._options()
    reading = decode.Reading(options.copy, options.text)
    to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    stream = None
    done: dict[int, Any] = {}  # outcomes that wait for earlier ones
    arguments: dict[int, Args] = {}  # of calls in flight
    sent = received = next_out = 0
    is_at_end = False

    def outcome(number: int, value: Any) -> Any:
        if isinstance(value, errors.Error):
            value.model, value.function, value.address = str(function._model), function._name, function._client.address
            if raises:
                raise of_call(number, value)
        return value

    try:
        while True:
            while not is_at_end and sent - received < max_in_flight:
                try:
                    given = next(calls)
                except StopIteration:
                    is_at_end = True
                    break
                args = given if isinstance(given, Args) else Args(*given) if type(given) is tuple else Args(given)
                try:
                    request = function._request(args.positional, args.keyword, options, RESULT_FORMATS[options.result])
                except (errors.Error, TypeError) as error:  # the call is not sent
                    done[sent] = error if isinstance(error, errors.Error) else errors.make("INVALID_ARGUMENT", str(error))
                    sent, received = sent + 1, received + 1
                    continue
                if stream is None:
                    stream = function._client._channel.stream("CallStream", iter(to_send.get, _END), options)
                to_send.put(encode.stream_request(request, sent).to_bytes())
                arguments[sent] = args
                sent += 1
            while done and (next_out in done or not ordered):
                number = next_out if ordered else min(done)
                next_out += 1
                yield outcome(number, done.pop(number))
            if received == sent:
                if is_at_end:
                    return
                continue
            assert stream is not None
            try:
                number, value, version = decode.stream_response(next(stream), reading)
            except StopIteration:
                raise errors.make("UNAVAILABLE", f"the server ended the stream before it answered {sent - received} calls",
                                  address=function._client.address) from None
            except grpc.RpcError as failed:
                raise error_of(failed, function._client.address, function.__qualname__, options.timeout) from None
            received += 1
            if version:
                function._client._note_version(function._model, version)
            args = arguments.pop(number)
            done[number] = without_byte(value, args.positional, args.keyword) if isinstance(value, errors.Error) else value
    finally:
        to_send.put(_END)
        if stream is not None:
            stream.cancel()


class CallStream:
    """Calls in flight over one stream. Any threads may call; the end of the block waits for the calls."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._options = function._options()
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._open: dict[int, tuple[Future[Any], Args]] = {}
        self._end: Exception | None = None  # why there are no more results
        self._sent = 0
        self._reader: threading.Thread | None = None
        self._stream: Any = None

    def __enter__(self) -> CallStream:
        self._stream = self._function._client._channel.stream("CallStream", iter(self._to_send.get, _END), self._options)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __call__(self, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Sends a call. Errors of binding and conversion are raised here, and others by the future."""
        from signet.served_function import Args

        if self._reader is None:
            raise RuntimeError("a stream is for a `with` block: `with f.stream() as call: ...`")
        request = self._function._request(args, kwargs, self._options, RESULT_FORMATS[self._options.result])
        out: Future[Any] = Future()
        with self._lock:
            if self._end is not None:
                raise self._end
            self._open[self._sent] = out, Args(*args, **kwargs)
            message = encode.stream_request(request, self._sent).to_bytes()
            self._sent += 1
            self._to_send.put(message)
        return out

    def _read(self) -> None:
        from signet.served_function import without_byte

        reading = decode.Reading(self._options.copy, self._options.text)
        function = self._function
        try:
            while True:
                data = next(self._stream, None)
                if data is None:
                    break
                number, value, _ = decode.stream_response(data, reading)
                with self._lock:
                    future, args = self._open.pop(number)
                if not future.set_running_or_notify_cancel():
                    continue
                if isinstance(value, errors.Error):
                    value.model, value.function, value.address = str(function._model), function._name, function._client.address
                    future.set_exception(without_byte(value, args.positional, args.keyword))
                else:
                    future.set_result(value)
            self._fail(errors.make("UNAVAILABLE", "the server ended the stream", address=function._client.address))
        except Exception as failed:
            is_rpc = hasattr(failed, "code") and hasattr(failed, "details")
            self._fail(error_of(failed, function._client.address, function.__qualname__, None) if is_rpc else failed)

    def _fail(self, error: Exception) -> None:
        with self._lock:
            left, self._open, self._end = list(self._open.values()), {}, self._end or error
        for future, _ in left:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)

    def __exit__(self, kind: Any, *unused: object) -> None:
        with self._lock:
            self._end = self._end or RuntimeError("the `with` block of the stream has ended")
            self._to_send.put(_END)
        if kind is not None:
            self._stream.cancel()
        assert self._reader is not None
        self._reader.join()
