"""The gRPC channel of a client: one for each process, with retries, and with errors as signet.Error."""

from __future__ import annotations

import math
import os
import random
import re
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from signet import errors
from signet.options import Options
from signet.target import Target
from signet.wire import decode
from signet.wire.encode import Message

SERVICE = "/signet.v1.TensorService/"
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
RETRIED_REASONS = frozenset(("QUEUE_FULL", "OVERLOADED", "RESPONSES_UNREAD"))

GRPC_OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1),
                # The longest attempt to connect, and the pauses between attempts, in milliseconds.
                ("grpc.min_reconnect_backoff_ms", 5000), ("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1000),
                # A server that vanishes, without closing its connections, is noticed when sent bytes are not acknowledged for 3 seconds, or
                # when a ping after 10 seconds without received bytes is not answered within 3 seconds. Servers accept such pings.
                ("grpc.keepalive_time_ms", 10_000), ("grpc.keepalive_timeout_ms", 3000), ("grpc.keepalive_permit_without_calls", 1),
                ("grpc.http2.max_pings_without_data", 0)]


def error_of(failed: Any, address: str, where: str, seconds: float | None) -> errors.Error:
    """The error of a grpc.RpcError. `where` is the function, and `seconds` is the timeout of the call."""
    code = failed.code().name
    message = failed.details() or ""
    details: dict[str, str] = {}
    for key, value in failed.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            details = decode.error_details(value)
    if not details and code == "UNAVAILABLE":
        if "http1" in message or "Failed parsing HTTP/2" in message:
            message = f"no server answers at {address} over gRPC, because the port serves another protocol; `signet.connect` expects the " \
                "address of `--listen` of signet-server"
        else:
            message = f"no server answers at {address}: {message}; `signet-server --models DIR` starts one"
    elif not details and code == "DEADLINE_EXCEEDED":
        message = f"`{where}` did not answer within {seconds:g} seconds" if seconds else f"`{where}`: {message}"
    model, _, function = where.rpartition(".")
    return errors.make(code, message, address=address, model=model, function=function, **details)


def pause_before(attempt: int, failed: Any) -> float | None:
    """The seconds to wait before a call is repeated; None if it must not be."""
    code = failed.code().name
    metadata = {key: value for key, value in failed.trailing_metadata() or ()}
    pushback = metadata.get("grpc-retry-pushback-ms")
    if code == "RESOURCE_EXHAUSTED":
        details = decode.error_details(metadata.get("grpc-status-details-bin", b""))
        if details.get("reason") not in RETRIED_REASONS:
            return None
    elif code != "UNAVAILABLE":
        return None
    if pushback is not None:
        is_number = re.fullmatch("[0-9]{1,9}", str(pushback)) is not None
        return int(pushback) / 1000 if is_number else None
    return min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE) * random.uniform(0.5, 1.0)


class _ForkGate:
    """Lets a fork wait until no thread is in a call, and lets calls wait until the fork is done. A process that is forked while
    another thread is in gRPC has locks that no thread releases, so that its first call would hang. GRPC_ENABLE_FORK_SUPPORT is no
    help: with it, gRPC 1.51 crashes if threads are in calls."""

    LONGEST_WAIT = 60.0  # seconds; streams are not waited for
    PAUSE = 0.05  # seconds after a call, in which threads of gRPC still work on it

    def __init__(self) -> None:
        self._reset()
        os.register_at_fork(before=self._before, after_in_parent=self._after, after_in_child=self._reset)

    def _reset(self) -> None:
        self._condition = threading.Condition()
        self._calls: list[None] = []  # one element for each call; appending and removing are atomic
        self._forks = 0
        self._last_end = -math.inf  # of a call

    def __enter__(self) -> None:
        self._calls.append(None)
        while self._forks:  # which has either seen this call, or is seen here
            with self._condition:
                self._calls.pop()
                self._condition.notify_all()
                self._condition.wait_for(lambda: not self._forks)
            self._calls.append(None)

    def __exit__(self, *args: Any) -> None:
        self._last_end = time.monotonic()
        self._calls.pop()
        if self._forks:
            with self._condition:
                self._condition.notify_all()

    def _before(self) -> None:
        with self._condition:
            self._forks += 1
            self._condition.wait_for(lambda: not self._calls, self.LONGEST_WAIT)
        time.sleep(max(self._last_end + self.PAUSE - time.monotonic(), 0))

    def _after(self) -> None:
        with self._condition:
            self._forks -= 1
            self._condition.notify_all()


_gate = _ForkGate()


def _keep_freed_memory() -> None:
    """Lets glibc keep up to 16 MiB of freed memory, twice the size of the largest block that was freed. Otherwise it returns the memory of
    messages to the system after each call. The system then provides new pages for each call, and a call of 1 MiB needs a third more time."""
    bytes(8 << 20)  # its pages are never touched


_keep_freed_memory()


def too_late(address: str, where: str, options: Options) -> errors.Error:
    return errors.make("DEADLINE_EXCEEDED", f"`{where}` did not answer within {options.timeout:g} seconds", address=address, function=where)


class Channel:
    """Calls a server, or several servers in turn. Thread-safe; a process that was forked makes a channel of its own."""

    def __init__(self, target: Target, credentials: Any = None, metadata: Sequence[tuple[str, str]] = ()) -> None:
        self._target, self.address = target, target.address
        self._credentials, self._metadata = credentials, tuple(metadata)
        self._lock = threading.Lock()
        self._process = -1
        self._channel: Any = None
        self._inherited: list[Any] = []  # channels of the parent process, which must not be closed here
        self._methods: dict[str, Any] = {}

    def _open(self) -> Any:
        if self._process == os.getpid():
            return self._channel
        import grpc

        with self._lock:
            if self._process != os.getpid():
                channel = self.open_with(grpc)
                if self._channel is not None:
                    self._inherited.append((self._channel, self._methods))
                self._channel = channel
                self._methods, self._process = {}, os.getpid()
            return self._channel

    def open_with(self, module: Any) -> Any:
        """A new channel of `grpc` or `grpc.aio`."""
        target, options = self._target.resolved()
        if self._credentials is None:
            return module.insecure_channel(target, options=[*GRPC_OPTIONS, *options])
        return module.secure_channel(target, self._credentials, options=[*GRPC_OPTIONS, *options])

    def metadata(self, options: Options) -> tuple[tuple[str, str], ...]:
        return (*self._metadata, ("signet-priority", options.priority)) if options.priority else self._metadata

    def call(self, method: str, message: Message, options: Options, where: str) -> bytes:
        """The bytes of the response of an RPC."""
        import grpc

        request = message.to_bytes()
        end = None if options.timeout is None else time.monotonic() + options.timeout
        channel = self._open()
        send = self._methods.get(method)
        if send is None:
            send = self._methods[method] = channel.unary_unary(SERVICE + method)
        for attempt in range(options.retries + 1):
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise too_late(self.address, where, options)
            try:
                with _gate:
                    response: bytes = send(request, timeout=left, metadata=self.metadata(options))
                return response
            except grpc.RpcError as failed:
                pause = pause_before(attempt, failed) if attempt < options.retries else None
                is_late = pause is not None and end is not None and time.monotonic() + pause >= end
                if pause is None or is_late:
                    raise error_of(failed, self.address, where, options.timeout) from None
            time.sleep(pause)
        raise AssertionError("a loop that ends with a return or an error")

    def stream(self, method: str, requests: Iterator[bytes], options: Options) -> Any:
        """The responses of a stream, as grpc returns them. Closing `requests` ends the stream."""
        channel = self._open()
        return channel.stream_stream(SERVICE + method)(requests, metadata=self.metadata(options))

    def wait_until_serving(self, seconds: float) -> None:
        """Waits until the server reports that it serves. Raises Unavailable after `seconds`."""
        import grpc

        end = time.monotonic() + seconds
        while True:
            check = self._open().unary_unary("/grpc.health.v1.Health/Check")
            try:
                with _gate:
                    status = check(b"", timeout=max(end - time.monotonic(), 0.1), wait_for_ready=True)
                if status == b"\x08\x01":
                    return
            except grpc.RpcError as failed:
                if failed.code().name == "UNIMPLEMENTED":
                    return
            if time.monotonic() >= end:
                raise errors.make("UNAVAILABLE", f"{self.address} does not serve after {seconds:g} seconds", address=self.address)
            time.sleep(0.1)

    def close(self) -> None:
        with self._lock:
            if self._channel is not None and self._process == os.getpid():
                self._channel.close()
            self._channel, self._process = None, -1

    def __reduce__(self) -> Any:
        if self._credentials is not None:
            raise TypeError("a client with credentials cannot be pickled; connect in the other process")
        return Channel, (self._target, None, self._metadata)
