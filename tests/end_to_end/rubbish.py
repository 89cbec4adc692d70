#!/usr/bin/env python3
"""What hostile and broken clients send: the server still answers, and gives memory and calls back."""

import os
import random
import socket
import struct
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from server import check, is_sanitized, make_stubs, running  # noqa: E402

# What the address sanitizer keeps back after it was freed would count as growth.
os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=1:thread_local_quarantine_size_kb=16")
STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from signet.v1 import service_pb2, types_pb2, values_pb2  # noqa: E402

SEED = int(os.environ.get("SIGNET_SEED", "20260101"))
CALL = "/signet.v1.TensorService/Call"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def request(count):
    tensor = values_pb2.Tensor(dtype=types_pb2.DTYPE_FLOAT32, shape=[count],
                               data=struct.pack(f"<{count}f", *[1.0] * count))
    return service_pb2.CallRequest(
        model=service_pb2.ModelSpec(name="half_plus_two"), function="predict",
        args=[values_pb2.Value(tensor=tensor)]).SerializeToString()


def still_answers(channel):
    answer = channel.unary_unary(CALL)(request(2), timeout=30)
    response = service_pb2.CallResponse.FromString(answer)
    return struct.unpack("<2f", response.result.tensor.data) == (2.5, 2.5)


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def send_quietly(connection, data):
    try:
        connection.sendall(data)
    except OSError:
        pass  # the server closed it, as it may


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def answer_to(server, path, data):
    """What the server sends for a call with the bytes `data`, until it has ended the call."""
    def text(name, value):
        return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value
    headers = b"\x83\x86" + text(b":path", path) + text(b":authority", b"localhost") + text(b"te", b"trailers") + text(b"content-type", b"application/grpc")
    received = b""
    with connect(server) as connection:
        connection.sendall(PREFACE + frame(4, 0, 0, b"") + frame(1, 4, 1, headers) + frame(0, 1, 1, data))
        while b"grpc-status" not in received:
            received += connection.recv(1 << 16)
    return received


rng = random.Random(SEED)
print(f"seed {SEED}")
with running("--handshake_seconds", "5", "--max_concurrent_calls", "100") as server:
    channel = grpc.insecure_channel(server.address)
    check(still_answers(channel), "a call before")
    before = server.resident_bytes()

    for _ in range(200):
        with connect(server) as connection:
            send_quietly(connection, rng.randbytes(rng.randrange(2000)))
    check(still_answers(channel), "random bytes")

    for _ in range(200):
        with connect(server) as connection:
            settings = frame(4, 0, 0, b"")
            send_quietly(connection, PREFACE + settings + frame(
                rng.randrange(12), rng.randrange(256), rng.randrange(8), rng.randbytes(rng.randrange(300))))
    check(still_answers(channel), "random frames")

    for path in (CALL.encode(), b"/signet.v1.TensorService/ListModels", b"/inference.GRPCInferenceService/ServerLive"):
        for data in (b"", b"\0\0\0", b"\0\0\0\0\5abc"):
            found = answer_to(server, path, data)
            check(b"expected one message" in found, f"{path} with {data} instead of a message: {found}")
    check(b"expected one message" not in answer_to(server, b"/signet.v1.TensorService/ListModels", b"\0\0\0\0\0"), "an empty message")

    with connect(server) as connection:  # rapid reset: streams opened and given up at once
        send_quietly(connection, PREFACE + frame(4, 0, 0, b""))
        for i in range(20000):
            send_quietly(connection, frame(1, 4, 2 * i + 1, b"\x83\x86\x84") + frame(3, 0, 2 * i + 1, b"\0\0\0\x08"))
    check(still_answers(channel), "rapid reset")

    with connect(server) as connection:
        send_quietly(connection, PREFACE + frame(4, 0, 0, b"") + frame(6, 0, 0, b"01234567") * 50000)
    check(still_answers(channel), "a flood of pings")

    call = channel.unary_unary(CALL)

    def count_rejected(count, make):
        rejected = 0
        for _ in range(count):
            message = make()
            try:
                call(message, timeout=30)
            except grpc.RpcError as error:
                rejected += 1
                if error.code() in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN,
                                    grpc.StatusCode.UNAVAILABLE):
                    sys.exit(f"FAILED: {error.code()}: {error.details()}: {message.hex()}")
        return rejected

    def broken(whole):
        out = bytearray(whole[:rng.choice([len(whole), rng.randrange(len(whole) + 1)])])
        for _ in range(rng.randrange(4)):
            if out:
                out[rng.randrange(len(out))] = rng.randrange(256)
        return bytes(out)

    whole = request(50)
    rejected = count_rejected(2000, lambda: broken(whole))
    check(rejected > 1000 and still_answers(channel), f"broken messages, {rejected} rejected")

    ask = service_pb2.CallRequest.FromString(whole)
    ask.result_format.format = values_pb2.Encoded.ARROW_IPC
    stream = service_pb2.CallResponse.FromString(call(ask.SerializeToString())).result.encoded
    check(stream.data.startswith(b"\xff\xff\xff\xff"), "an Arrow stream")
    for encoded in (stream, values_pb2.Encoded(format=values_pb2.Encoded.JSON, data=b"[1, 2.5, -3e1]")):
        def with_broken_data():
            data = broken(encoded.data)
            argument = values_pb2.Value(encoded=values_pb2.Encoded(format=encoded.format, data=data))
            return service_pb2.CallRequest(model=ask.model, function="predict", args=[argument]).SerializeToString()

        rejected = count_rejected(1000, with_broken_data)
        check(rejected > 300 and still_answers(channel), f"broken data of format {encoded.format}, {rejected} rejected")

    def varint(number):
        out = b""
        while number >= 0x80:
            out, number = out + bytes([number & 0x7f | 0x80]), number >> 7
        return out + bytes([number])

    def field(number, content):
        return varint(number << 3 | 2) + varint(len(content)) + content

    def rejection_of(argument):  # bytes of a Value
        try:
            call(field(1, b"\x0a\x0dhalf_plus_two") + field(3, argument), timeout=30)
        except grpc.RpcError as error:
            return error.code(), error.details()
        return None, ""

    parts = [b"\x2a\x00"]  # a literal in 50,000 lists, from the inside
    size = len(parts[0])
    for _ in range(50000):
        for tag in (b"\x0a", b"\x32"):
            parts.append(tag + varint(size))
            size += len(parts[-1])
    deep = b"".join(reversed(parts))
    json_text = field(11, b"\x08\x01" + field(2, b"[" * 50000 + b"]" * 50000))
    claim = b"\x0a" + varint(1 << 32) + b"1234"
    for what, argument, words in ((f"{len(deep)} bytes of lists", deep, "--max_nesting_depth"),
                                  ("nested JSON", json_text, "argument `x`"),
                                  ("a claim of 4 GiB", claim, "4294967296 bytes")):
        code, details = rejection_of(argument)
        check(code == grpc.StatusCode.INVALID_ARGUMENT and words in details, f"{what}: {code}: {details[:200]}")

    large = request(2_000_000)
    for i in range(30):
        dying = grpc.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)])
        under_way = dying.unary_unary(CALL).future(large, timeout=30)
        time.sleep(rng.random() * 0.02)
        under_way.cancel() if i % 2 else None
        dying.close()
    check(still_answers(channel), "clients that vanish in the middle of a call")

    held = [connect(server) for _ in range(500)]
    check(still_answers(channel), "500 silent connections")
    for connection in held:
        connection.close()

    bomb = b"\0" * (300 << 20)  # more than --max_message_bytes
    code = None
    try:
        channel.unary_unary(CALL)(bomb, timeout=60, compression=grpc.Compression.Gzip)
    except grpc.RpcError as error:
        code = error.code()
    check(code == grpc.StatusCode.RESOURCE_EXHAUSTED, f"a compressed bomb is rejected: {code}")
    check(still_answers(channel), "a call after")

    for _ in range(120):  # a server without calls gives its memory back, after some seconds
        grown = (server.resident_bytes() - before) >> 20
        if grown < 200:
            break
        time.sleep(0.5)
    check(grown < 200 or is_sanitized(), f"memory grew by {grown} MiB")
    check(server.process.poll() is None, "the server lives")
