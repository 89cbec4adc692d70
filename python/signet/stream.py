"""Many calls of a function over one stream."""

from __future__ import annotations

import queue
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from signet import errors
from signet.channel import error_of
from signet.wire import decode, encode

if TYPE_CHECKING:
    from signet.function import Function

_END = None  # closes the stream of requests


def map_calls(function: Function, calls: Iterable[Any], max_in_flight: int, ordered: bool, on_error: str) -> Iterator[Any]:
    """Yields the results of the calls. Closing the iterator cancels the calls that are not answered."""
    if on_error not in ("raise", "return"):
        raise ValueError(f"errors: expected 'raise' or 'return', found {on_error!r}")
    if max_in_flight < 1:
        raise ValueError(f"max_in_flight: expected at least 1, found {max_in_flight}")
    return _results(function, iter(calls), max_in_flight, ordered, on_error == "raise")


def _results(function: Function, calls: Iterator[Any], max_in_flight: int, ordered: bool, raises: bool) -> Iterator[Any]:
    import grpc

    options = function._options()
    reading = decode.Reading(options.copy, options.text)
    to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    stream = None
    done: dict[int, Any] = {}  # outcomes that wait for earlier ones
    sent = received = next_out = 0
    is_at_end = False

    def outcome(number: int, value: Any) -> Any:
        if isinstance(value, errors.Error):
            value.model, value.function, value.address = str(function._model), function._name, function._client.address
            if raises:
                value.args = (f"call {number}: {value.message}", *value.args[1:])
                value.message = value.args[0]
                raise value
        return value

    try:
        while True:
            while not is_at_end and sent - received < max_in_flight:
                try:
                    given = next(calls)
                except StopIteration:
                    is_at_end = True
                    break
                try:
                    request = _request(function, given, options)
                except (errors.Error, TypeError) as error:  # the call is not sent
                    done[sent] = error if isinstance(error, errors.Error) else errors.make("INVALID_ARGUMENT", str(error))
                    sent, received = sent + 1, received + 1
                    continue
                if stream is None:
                    stream = function._client._channel.stream("CallStream", iter(to_send.get, _END), options)
                to_send.put(encode.stream_request(request, sent).to_bytes())
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
            done[number] = value
    finally:
        to_send.put(_END)
        if stream is not None:
            stream.cancel()


def _request(function: Function, given: Any, options: Any) -> encode.Message:
    from signet.function import Args

    if isinstance(given, Args):
        return function._request(given.positional, given.keyword, options, 0)
    positional = given if type(given) is tuple else (given,)
    return function._request(positional, {}, options, 0)
