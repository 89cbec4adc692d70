"""Many calls of a function over one stream."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from signet import errors
from signet.channel import error_of, too_late
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


def _not_in_flight(number: int) -> errors.Error:
    return errors.DataLoss(f"the server answered call {number}, which is not in flight")


class _Watch:
    """Cancels a stream when its reader waits for a response for longer than `seconds`, because gRPC waits forever."""

    def __init__(self, seconds: float | None, cancel: Callable[[], Any]) -> None:
        self.has_expired = False
        self._seconds, self._cancel = seconds, cancel
        self._since: float | None = None  # when the reader began to wait
        self._is_over = threading.Event()
        if seconds is not None:
            threading.Thread(target=self._run, args=(seconds,), daemon=True).start()

    def next(self, stream: Any) -> Any:
        """The next response of the stream."""
        self._since = time.monotonic()
        try:
            return next(stream)
        finally:
            self._since = None

    def close(self) -> None:
        self._is_over.set()

    def _run(self, seconds: float) -> None:
        left = seconds
        while not self._is_over.wait(left):
            since = self._since
            left = seconds if since is None else since + seconds - time.monotonic()
            if left <= 0:
                self.has_expired = True
                self._cancel()
                return


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
    reading = options.reading()
    to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    stream = watch = None
    done: dict[int, Any] = {}  # outcomes that wait for earlier ones
    arguments: dict[int, Args] = {}  # of calls in flight
    sent = received = next_out = 0
    is_at_end = False

    def outcome(number: int, value: Any) -> Any:
        if isinstance(value, errors.Error):
            function._placed(value)
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
                    request = function._request(args.positional, args.keyword, options, options.result_format)
                except (errors.Error, TypeError) as error:  # the call is not sent
                    done[sent] = error if isinstance(error, errors.Error) else errors.make("INVALID_ARGUMENT", str(error))
                    sent, received = sent + 1, received + 1
                    continue
                if stream is None:
                    stream = function._client._channel.stream("CallStream", iter(to_send.get, _END), options)
                    watch = _Watch(options.timeout, stream.cancel)
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
            assert stream is not None and watch is not None
            try:
                response = watch.next(stream)
            except StopIteration:
                raise errors.make("UNAVAILABLE", f"the server ended the stream before it answered {sent - received} calls",
                                  address=function._client.address) from None
            except grpc.RpcError as failed:
                if watch.has_expired:
                    raise too_late(function._client.address, function.__qualname__, options) from None
                raise error_of(failed, function._client.address, function.__qualname__, options.timeout) from None
            try:
                number, value, version = decode.stream_response(response, reading)
                if number not in arguments:
                    raise _not_in_flight(number)
            except errors.Error as error:
                raise function._placed(error) from None
            received += 1
            if version:
                function._client._note_version(function._model, version)
            args = arguments.pop(number)
            done[number] = without_byte(value, args.positional, args.keyword) if isinstance(value, errors.Error) else value
    finally:
        to_send.put(_END)
        if watch is not None:
            watch.close()
        if stream is not None:
            stream.cancel()


class CallStream:
    """Calls in flight over one stream. Any threads may call; the end of the block waits for the calls."""

    CLOSING_SECONDS = 1.0  # until the server ends the stream, after it answered all calls

    def __init__(self, function: Function) -> None:
        self._function = function
        self._options = function._options()
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._open: dict[int, tuple[Future[Any], Args, float]] = {}  # in order; with the times at which they were sent
        self._late: set[int] = set()  # calls whose time is over, which the server may still answer
        self._end: Exception | None = None  # why there are no more results
        self._is_over = False  # no response is read
        self._sent = 0
        self._reader: threading.Thread | None = None
        self._stream: Any = None

    def __enter__(self) -> CallStream:
        self._stream = self._function._client._channel.stream("CallStream", iter(self._to_send.get, _END), self._options)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if self._options.timeout is not None:
            threading.Thread(target=self._watch, args=(self._options.timeout,), daemon=True).start()
        return self

    def __call__(self, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Sends a call. Errors of binding and conversion are raised here, and others by the future."""
        from signet.served_function import Args

        if self._reader is None:
            raise RuntimeError("a stream is for a `with` block: `with f.stream() as call: ...`")
        request = self._function._request(args, kwargs, self._options, self._options.result_format)
        out: Future[Any] = Future()
        with self._changed:
            if self._end is not None:
                raise self._end
            if not self._open:
                self._changed.notify_all()
            self._open[self._sent] = out, Args(*args, **kwargs), time.monotonic()
            message = encode.stream_request(request, self._sent).to_bytes()
            self._sent += 1
            self._to_send.put(message)
        return out

    def _read(self) -> None:
        from signet.served_function import without_byte

        reading = self._options.reading()
        function = self._function
        try:
            while True:
                data = next(self._stream, None)
                if data is None:
                    break
                number, value, _ = decode.stream_response(data, reading)
                taken = self._take(number)
                if taken is None:
                    continue
                future, args, _ = taken
                if not future.set_running_or_notify_cancel():
                    continue
                if isinstance(value, errors.Error):
                    future.set_exception(without_byte(function._placed(value), args.positional, args.keyword))
                else:
                    future.set_result(value)
            self._fail(errors.make("UNAVAILABLE", "the server ended the stream", address=function._client.address))
        except Exception as failed:
            is_rpc = hasattr(failed, "code") and hasattr(failed, "details")
            self._fail(error_of(failed, function._client.address, function.__qualname__, None) if is_rpc else failed)
            self._stream.cancel()

    def _take(self, number: int) -> tuple[Future[Any], Args, float] | None:
        """The call with a number, which is answered; None if its time is over."""
        with self._changed:
            if number in self._late:
                self._late.remove(number)
                return None
            if number not in self._open:
                raise _not_in_flight(number)
            out = self._open.pop(number)
            if not self._open:
                self._changed.notify_all()
            return out

    def _watch(self, seconds: float) -> None:
        """Ends the calls that are not answered in time."""
        while True:
            with self._changed:
                if self._is_over:
                    return
                number = next(iter(self._open), None)
                left = None if number is None else self._open[number][2] + seconds - time.monotonic()
                if number is None or left is None or left > 0:
                    self._changed.wait(left)
                    continue
                future = self._open.pop(number)[0]
                self._late.add(number)
                self._changed.notify_all()
            if future.set_running_or_notify_cancel():
                future.set_exception(too_late(self._function._client.address, self._function.__qualname__, self._options))

    def _fail(self, error: Exception) -> None:
        with self._changed:
            left, self._open, self._end, self._is_over = list(self._open.values()), {}, self._end or error, True
            self._changed.notify_all()
        for future, _, _ in left:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)

    def __exit__(self, kind: Any, *unused: object) -> None:
        with self._changed:
            self._end = self._end or RuntimeError("the `with` block of the stream has ended")
            self._to_send.put(_END)
        assert self._reader is not None
        if kind is None:
            with self._changed:
                self._changed.wait_for(lambda: not self._open or self._is_over)
            self._reader.join(self.CLOSING_SECONDS)
        self._stream.cancel()
        self._reader.join()
