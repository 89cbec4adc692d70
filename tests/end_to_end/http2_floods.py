#!/usr/bin/env python3
"""Floods of HTTP/2 frames, with and without TLS: memory stays bounded, other callers are answered, and legitimate
clients stay connected."""

import contextlib
import itertools
import os
import select
import signal
import socket
import ssl
import struct
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from certificates import Authority  # noqa: E402
from server import check, is_sanitized, make_stubs, running  # noqa: E402

# What the address sanitizer keeps back after it was freed would count as growth.
os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=1:thread_local_quarantine_size_kb=16")
STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from signet.v1 import service_pb2, types_pb2, values_pb2  # noqa: E402

CALL = "/signet.v1.TensorService/Call"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# Bytes that an attacker sends. A server without protection takes them all.
MOST_BYTES = 8 << 20
MOST_SECONDS = 3  # for which a slowed attacker goes on
MOST_GROWTH = 600 << 20
TIMEOUT = 600  # of a call, also on a slow machine: seconds


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    """A header that enters the dynamic table. Name and value have less than 127 bytes, or value 3500."""
    length = bytes([len(value)]) if len(value) < 127 else b"\x7f\xad\x1a"
    return b"\x40" + bytes([len(name)]) + name + length + value


ACKNOWLEDGE = frame(4, 1, 0)
RESET = b"\0\0\0\x08"
LARGE = b"v" * 3500


def first_block(path):
    return (b"\x83\x86" + literal(b":path", path) + literal(b":authority", b"localhost") +
            literal(b"te", b"trailers") + literal(b"content-type", b"application/grpc"))


def next_block(newer=0):
    """The same headers by index, after `newer` more entered the dynamic table."""
    return b"\x83\x86" + bytes(0x80 | index + newer for index in range(62, 66))


def rapid_reset(path, data=b"", fields=b""):
    yield ACKNOWLEDGE
    yield frame(1, 4, 1, first_block(path) + literal(b"x", b"v")) + frame(3, 0, 1, RESET)
    block = next_block(1) + fields
    for stream in itertools.count(3, 2):
        yield frame(1, 4, stream, block) + (frame(0, 1, stream, data) if data else b"") + frame(3, 0, stream, RESET)


def no_acknowledgement(path, fields=b""):
    yield frame(1, 4, 1, first_block(path) + literal(b"x", LARGE))
    for stream in itertools.count(3, 2):
        yield frame(1, 4, stream, next_block(1) + fields)


def endless_headers(start, continuation):
    yield ACKNOWLEDGE + frame(1, 0, 1, first_block(CALL.encode()) + start)
    while True:
        yield frame(9, 0, 1, continuation)


def hpack_bomb():
    yield ACKNOWLEDGE
    yield frame(1, 4, 1, first_block(CALL.encode()) + literal(b"x", LARGE))
    for stream in itertools.count(3, 2):
        yield frame(1, 4, stream, next_block(1) + b"\xbe" * 16000)


def endless(*frames):
    yield ACKNOWLEDGE
    while True:
        yield b"".join(frames) * 500


COMPLETE = b"\0\0\0\0\x07\x0a\x05\x0a\x03abc"  # a message
UNARY, STREAM = CALL.encode(), b"/signet.v1.TensorService/CallStream"
# Name, whether the server has to end the connection, and the frames.
FLOODS = [
    ("rapid reset of calls", False, lambda: rapid_reset(UNARY)),
    ("rapid reset of complete calls", False, lambda: rapid_reset(UNARY, COMPLETE)),
    ("rapid reset of streams", False, lambda: rapid_reset(STREAM)),
    ("rapid reset of unknown methods", False, lambda: rapid_reset(b"/no/Method")),
    ("rapid reset of health watches", False, lambda: rapid_reset(b"/grpc.health.v1.Health/Watch")),
    ("rapid reset with 450 fields per stream", False, lambda: rapid_reset(UNARY, b"", b"\xbe" * 450)),
    ("streams without an acknowledgement", True, lambda: no_acknowledgement(UNARY)),
    ("streams with indexed fields", True, lambda: no_acknowledgement(STREAM, b"\xbe" * 3)),
    ("continuations of one text", True, lambda: endless_headers(b"\x00\x01x\x7f\xff\xff\xff\x7f", b"a" * 16384)),
    ("continuations without bytes", True, lambda: endless_headers(b"", b"")),
    ("an HPACK bomb", True, hpack_bomb),
    ("PRIORITY frames", False, lambda: endless(frame(2, 0, 1, b"\0\0\0\3\x0f"))),
    ("DATA frames of a stream that is not open", False, lambda: endless(frame(0, 0, 1))),
    ("unknown frames", False, lambda: endless(frame(0xfa, 0, 0))),
    ("SETTINGS frames", False, lambda: endless(frame(4, 0, 0))),
]


CERTIFICATES = tempfile.TemporaryDirectory()
AUTHORITY = Authority(CERTIFICATES.name)
CERTIFICATE = AUTHORITY.issue("server", "localhost", "DNS:localhost,IP:127.0.0.1")
TLS_FLAGS = ["--tls_certificate", CERTIFICATE.certificate, "--tls_key", CERTIFICATE.key]


@contextlib.contextmanager
def serving(tls):
    with running(*(TLS_FLAGS if tls else [])) as server:
        server.tls = tls
        yield server


def connect(server):
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    if not server.tls:
        return plain
    context = ssl.create_default_context(cafile=AUTHORITY.certificate)
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(plain, server_hostname="localhost")


def open_channel(server, options=()):
    if not server.tls:
        return grpc.insecure_channel(server.address, options=options)
    with open(AUTHORITY.certificate, "rb") as file:
        return grpc.secure_channel(server.address, grpc.ssl_channel_credentials(file.read()), options=options)


def flood(connection, frames):
    """Sends the frames, and reads what comes. Returns whether the server ended the connection."""
    end = time.monotonic() + MOST_SECONDS
    with connection:
        sent, block = 0, PREFACE + frame(4, 0, 0)
        connection.setblocking(False)
        try:
            while time.monotonic() < end:
                while len(block) < 65536 and sent < MOST_BYTES:
                    block += next(frames)
                readable, writable, _ = select.select([connection], [connection] if block else [], [], 1)
                with contextlib.suppress(ssl.SSLWantReadError):
                    if readable and not connection.recv(1 << 16):
                        return True
                with contextlib.suppress(ssl.SSLWantWriteError):
                    if writable:
                        count = connection.send(block)
                        sent, block = sent + count, block[count:]
                if not readable and not writable and not block:
                    return False
        except (ConnectionError, ssl.SSLError):
            return True
    return False


@contextlib.contextmanager
def slowed(server, times):
    """Stops the process of the server again and again, so that it runs for 1/`times` of the time."""
    done = threading.Event()

    def stop_and_go():
        while not done.is_set():
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(0.002 * (times - 1))
            server.process.send_signal(signal.SIGCONT)
            time.sleep(0.002)

    thread = threading.Thread(target=stop_and_go)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def request(count):
    tensor = values_pb2.Tensor(dtype=types_pb2.DTYPE_FLOAT32, shape=[count],
                               data=struct.pack("<f", 1.0) * count)
    return service_pb2.CallRequest(
        model=service_pb2.ModelSpec(name="half_plus_two"), function="predict",
        args=[values_pb2.Value(tensor=tensor)]).SerializeToString()


class Caller:
    """Calls one after the other on one connection until `stop`; a call without an answer fails the test."""

    def __init__(self, server):
        self.channel = open_channel(server)
        self.call = self.channel.unary_unary(CALL)
        self.states = []
        self.answers, self.longest, self.failure = 0, 0.0, None
        self.call(SMALL, timeout=TIMEOUT)
        self.channel.subscribe(self.states.append)
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stopping.is_set():
            start = time.monotonic()
            try:
                self.call(SMALL, timeout=TIMEOUT)
                self.answers += 1
            except grpc.RpcError as error:
                self.failure = error
                return
            self.longest = max(self.longest, time.monotonic() - start)
            time.sleep(0.005)

    def stop(self):
        self.stopping.set()
        self.thread.join()
        self.channel.close()
        return self.failure is None and grpc.ChannelConnectivity.TRANSIENT_FAILURE not in self.states


SMALL = request(2)


def peak_bytes(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))


def resist(what, server, attack):
    """Runs `attack` while another client calls. Returns what it returns."""
    caller = Caller(server)
    before = peak_bytes(server)
    result = attack()
    time.sleep(0.2)
    kept = caller.stop()
    peak = peak_bytes(server)
    print(f"{what}: peak {peak >> 20} MiB, {caller.answers} answers, the slowest after {caller.longest * 1000:.0f} ms")
    check(kept, f"{what}: another caller is answered on its connection: {caller.failure}")
    check(peak - before < MOST_GROWTH or is_sanitized(), f"{what}: memory grows from {before >> 20} to {peak >> 20} MiB")
    check(server.process.poll() is None, f"{what}: the server lives")
    return result


def flood_at_once(connections):
    """Resets complete calls on each of the connections."""
    threads = [threading.Thread(target=flood, args=(connection, rapid_reset(UNARY, COMPLETE)))
               for connection in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def resist_floods(tls):
    over = ", over TLS" if tls else ""
    for what, ends, make in FLOODS:
        with serving(tls) as server:
            ended = resist(what + over, server, lambda: flood(connect(server), make()))
            if ends:
                check(ended, f"{what}{over}: the connection is closed")
    with serving(tls) as server, slowed(server, 10):
        resist("rapid reset of a slow server" + over, server, lambda: flood_at_once([connect(server)]))
    with serving(tls) as server:
        resist("rapid reset on 20 connections" + over, server,
               lambda: flood_at_once([connect(server) for _ in range(20)]))


def serve_busy_clients(server):
    caller = Caller(server)
    channel = open_channel(server, [
        ("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)])
    states = []
    call = channel.unary_unary(CALL)
    call(SMALL, timeout=TIMEOUT)
    channel.subscribe(states.append)
    for _ in range(5):
        pending = [call.future(SMALL, timeout=TIMEOUT) for _ in range(1000)]
        check(all(answer.result() for answer in pending), "1000 calls at once")
    for _ in range(3000):
        call.future(SMALL, timeout=TIMEOUT).cancel()
    check(call(SMALL, timeout=TIMEOUT), "a call after 3000 cancelled calls")
    streams = [channel.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
               for _ in range(300)]
    gates = [threading.Event() for _ in streams]

    def requests(gate):
        yield b"\x3a\x00"
        gate.wait()

    opened = [stream(requests(gate), timeout=TIMEOUT) for stream, gate in zip(streams, gates)]
    check(all(next(stream) for stream in opened), "300 open streams")
    large = request(16 << 20)
    for _ in range(4):
        call(large, timeout=TIMEOUT)
    check(True, "uploads of 64 MiB")
    for gate in gates:
        gate.set()
    check(all(not list(stream) for stream in opened), "the streams end")
    check(grpc.ChannelConnectivity.TRANSIENT_FAILURE not in states, f"one connection for all: {states}")
    channel.close()
    check(caller.stop(), "another caller is answered on its connection")


for with_tls in (False, True):
    resist_floods(with_tls)
    with serving(with_tls) as busy:
        serve_busy_clients(busy)
