"""Cases 73 to 76: clients that do not read, that flood, that ask for much, and all of them at once, over gRPC and HTTP."""

import contextlib
import itertools
import json
import os
import re
import signal
import socket
import struct
import tempfile
import threading
import time

import grpc

from lib import BOUND, DEADLINE, EXHAUSTED, IS_SANITIZED, check, integers, request, running, service_pb2, wait_for
from mixed import Traffic, hostile as send_damaged
from overload import PREFACE, frame, send_quietly

WIDE_FUNCTIONS = 300
WIDE = "".join(
    f"def f{i}(x: [{{a: float32[], b: [{{c: string[], d: int64[(?)]}}]}}], y: float32[?, 3] = [[1.0, 2.0, 3.0]]):\n"
    "    return x\n" for i in range(WIDE_FUNCTIONS))
WORK = """def f(x: int64[?]):
    return x + 1

def count(n: int64[]):
    return range(n)

def scale(x: float32[?], k = 3):
    return x * k

def product(n: int64[]):
    r = random_uniform(int64[] 7, stack(n, n))
    return reduce_sum(r @ r)

def texts(n: int64[]):
    return fill("a", stack(n))
"""
GET_MODEL = "/signet.v1.TensorService/GetModel"
# Frames that cost the client little.
CHEAP = {
    "PRIORITY": frame(2, 0, 1, struct.pack(">IB", 3, 15)), "DATA": frame(0, 0, 1), "unknown": frame(0xfa, 0, 0),
    "SETTINGS": frame(4, 0, 0), "PING": frame(6, 0, 0, b"12345678"), "WINDOW_UPDATE": frame(8, 0, 0, b"\0\0\0\1"),
    "GOAWAY": frame(7, 0, 0, b"\0" * 8),
}


@contextlib.contextmanager
def serving(*flags):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("wide", WIDE), ("m", WORK)):
            os.makedirs(os.path.join(folder, name, "1"))
            with open(os.path.join(folder, name, "1", "model.signet"), "w", encoding="utf-8") as file:
                file.write(text)
        with running("--http_listen", "127.0.0.1:0", *flags, models=folder) as server:
            found = []

            def listens():
                found[:] = re.findall(r"serving http address=\S*:(\d+)", server.log_text())
                return found

            wait_for(listens, "the server serves HTTP")
            server.http = int(found[0])
            yield server


def dial_http(server):
    return socket.create_connection(("127.0.0.1", server.http), timeout=BOUND)


def http_bytes(method, path, body=b"", **headers):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def read_all(connection):
    out = b""
    while data := connection.recv(1 << 16):
        out += data
    return out


def ask(server, method, path, body=b"", **headers):
    """The code and the body of a response."""
    with dial_http(server) as connection:
        connection.sendall(http_bytes(method, path, body, **headers))
        head, _, text = read_all(connection).partition(b"\r\n\r\n")
        return int(head.split()[1]), text


def call_path(function, model="m"):
    return f"/v1/models/{model}/functions/{function}"


def unread(server, rows, lines=False):
    """A connection with a call whose result the client does not read."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", server.http))
    headers = {"Content_Type": "application/x-ndjson", "Accept": "application/x-ndjson"} if lines else {}
    send_quietly(connection, http_bytes("POST", call_path("count"), b"%d" % rows, **headers))
    return connection


def fault_73_unread_answers_over_http():
    with serving("--max_unread_bytes", "30MB", "--stall_seconds", "600") as server:
        ask(server, "POST", call_path("count"), b"10")
        before = server.resident_bytes()
        with contextlib.ExitStack() as stack:
            for _ in range(20):  # 15 MB each
                stack.enter_context(unread(server, 2_000_000))
            wait_for(lambda: ask(server, "POST", call_path("count"), b"2000000")[0] == 429,
                     "a call is rejected because of unread answers")
            grown = server.resident_bytes() - before
            check(grown < 200 << 20, f"the memory grew by {grown >> 20} MiB")
        wait_for(lambda: ask(server, "POST", call_path("count"), b"2000000")[0] == 200, "calls are accepted again")


def flood(server, kind, size):
    """Sends cheap frames, and reads what comes."""
    sent = 0
    # After a GOAWAY frame, the server may read no more.
    with socket.create_connection(("127.0.0.1", server.port), timeout=2) as connection:
        def read():
            with contextlib.suppress(OSError):
                read_all(connection)

        reader = threading.Thread(target=read)
        reader.start()
        block = CHEAP[kind] * (65536 // len(CHEAP[kind]))
        with contextlib.suppress(OSError):  # the server may have closed the connection
            connection.sendall(PREFACE + frame(4, 0, 0))
            while sent < size:
                connection.sendall(block)
                sent += len(block)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        reader.join()


def flood_with_cheap_frames(size):
    for kind in CHEAP:
        with serving() as server:
            server.send(request("f", integers(1), model="m"))
            before = server.resident_bytes()
            ended = threading.Event()
            thread = threading.Thread(target=lambda: (flood(server, kind, size), ended.set()))  # noqa: B023
            thread.start()
            most = 0
            while not ended.is_set():
                server.send(request("f", integers(1), model="m"))
                most = max(most, server.resident_bytes())
            thread.join()
            check(server.is_alive(), f"{kind}: the server ended: {server.log_text()[-500:]}")
            check(most - before < 100 << 20, f"{kind}: the memory grew by {(most - before) >> 20} MiB")


def fault_74_cheap_frames():
    flood_with_cheap_frames(16 << 20)


def fault_74_cheap_frames_long():
    flood_with_cheap_frames(3 << 30)  # more than an int counts


def fault_75_descriptions_and_deadlines():
    with serving() as server:
        ended = threading.Event()

        def describe():
            for path in itertools.cycle(("/v1/openapi.json", "/v1/models/wide", "/v1/models/wide/metadata", "/metrics",
                                         "/v2/models/stats", "/v1/statistics")):
                if ended.is_set():
                    return
                ask(server, "GET", path, Accept_Encoding="gzip")

        threads = [threading.Thread(target=describe) for _ in range(6)]
        for thread in threads:
            thread.start()
        for i in range(10):
            code, _ = ask(server, "POST", call_path("scale"), json.dumps({"args": [[1.0], 1000 + i]}).encode(),
                          Signet_Timeout="30")
            check(code == 200, f"a call with a new literal next to clients of descriptions: {code}")
        ended.set()
        for thread in threads:
            thread.join()
        first = ask(server, "GET", "/v1/openapi.json")
        check(first == ask(server, "GET", "/v1/openapi.json"), "the document is the same each time")
        check(len(json.loads(first[1])["paths"]) > WIDE_FUNCTIONS, "the document has all functions")
        get_model = server.channel.unary_unary(GET_MODEL)
        wanted = service_pb2.GetModelRequest(model=service_pb2.ModelSpec(name="wide"))
        described = service_pb2.GetModelResponse.FromString(get_model(wanted.SerializeToString(), timeout=BOUND))
        check(len(described.functions) == WIDE_FUNCTIONS, "GetModel has all functions")


def peak_bytes(server):
    """The largest memory of the process so far; 0 if the server was built with the address sanitizer."""
    if IS_SANITIZED:
        return 0
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) << 10


def fault_75_sizes_that_follow_from_values():
    """Results that are larger than a call may hold are rejected before they take memory, texts as well as numbers."""
    with serving() as server:
        for function in ("texts", "count"):
            check(ask(server, "POST", call_path(function), b"10")[0] == 200, f"{function} of 10 elements")
            before = peak_bytes(server)
            for size in (1 << 30, 1 << 40, (1 << 63) - 1):
                code, body = ask(server, "POST", call_path(function), b"%d" % size)
                check(code in (400, 413), f"{function} of {size} elements: {code} {body[:200]}")
            grown = peak_bytes(server) - before
            check(grown < 64 << 20, f"{function}: the memory grew by {grown >> 20} MiB")


def mixed(seconds):
    with serving("--max_unread_bytes", "64MB", "--max_call_bytes", "512MB", "--stall_seconds", "2") as server:
        def is_right(choice):
            number = choice.randrange(1000)
            check(server.send(request("f", integers(number), model="m")) == integers(number + 1), "a right answer")
            code, body = ask(server, "POST", call_path("f"), b"[%d]" % number)
            check(code == 429 or (code, json.loads(body)) == (200, [number + 1]), f"a right answer over HTTP: {code}")

        def does_not_read(choice):
            with contextlib.ExitStack() as stack:
                for _ in range(choice.randrange(1, 12)):
                    stack.enter_context(unread(server, choice.randrange(1, 2_000_000), choice.randrange(2) == 0))
                time.sleep(choice.random())

        def sends_cheap_frames(choice):
            flood(server, choice.choice(list(CHEAP)), choice.randrange(1, 4 << 20))

        def stops_sending(choice):
            with dial_http(server) as connection:
                connection.sendall(http_bytes("POST", call_path("count"), b"%d" % choice.randrange(100_000)))
                connection.shutdown(socket.SHUT_WR)
                answer = read_all(connection)
                check(answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 429")), f"an answer after the end: {answer[:300]}")

        def describes(choice):
            path = choice.choice(("/v1/openapi.json", "/v1/models/wide", "/v1/models", "/v1/models/wide/metadata",
                                  "/v1/models/wide/functions/f7", "/v2/models/wide%2Ff7", "/v2/models/stats",
                                  "/metrics", "/v1/statistics", "/v2/models/m%2Ff/config"))
            code, _ = ask(server, "GET", path, Accept_Encoding=choice.choice(("gzip", "identity", "deflate")))
            check(code in (200, 429), f"{path}: {code}")
            wanted = service_pb2.GetModelRequest(model=service_pb2.ModelSpec(name=choice.choice(("wide", "m"))))
            with contextlib.suppress(grpc.RpcError):
                server.channel.unary_unary(GET_MODEL)(wanted.SerializeToString(), timeout=choice.random())

        def needs_new_functions(choice):
            body = json.dumps({"args": [[1.0], choice.randrange(1 << 40)]}).encode()
            code, _ = ask(server, "POST", call_path("scale"), body, Signet_Timeout=f"{choice.random():.3f}1")
            check(code in (200, 429, 504), f"a new function: {code}")

        def overloads(choice):
            size = choice.choice((4, 100, 300))
            calls = [server.start_call(product(size), timeout=2) for _ in range(choice.randrange(1, 60))]
            for call in calls:
                error = call.exception()
                check(error is None or error.code() in (DEADLINE, EXHAUSTED), f"overload: {error}")

        def asks_for_much(choice):
            body = b"%d" % choice.choice((1 << 30, 1 << 40, (1 << 63) - 1))
            code, _ = ask(server, "POST", call_path(choice.choice(("texts", "count"))), body)
            check(code in (400, 413, 429), f"a large size: {code}")

        def sends_rubbish(choice):
            with dial_http(server) as connection:
                data = choice.choice((
                    choice.randbytes(choice.randrange(4000)),
                    http_bytes("POST", call_path("f"), b"[1]")[:choice.randrange(1, 120)],
                    http_bytes("POST", call_path("f"), b"[" * choice.randrange(1, 5000)),
                    b"POST " + call_path("f").encode() + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
                    choice.randbytes(50)))
                send_quietly(connection, data)
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_WR)
                    read_all(connection)

        def resets(choice):
            with dial_http(server) as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                send_quietly(connection, http_bytes("POST", call_path("product"), b"%d" % choice.randrange(1, 300)))

        traffic = Traffic()
        traffic.start(is_right, 2)
        for action in (does_not_read, sends_cheap_frames, stops_sending, describes, needs_new_functions, overloads,
                       asks_for_much, sends_rubbish, resets):
            traffic.start(action)
        traffic.start(lambda choice: send_damaged(server, choice))
        traffic.ended.wait(seconds / 4)
        before = server.resident_bytes()
        traffic.ended.wait(seconds * 3 / 4)
        traffic.ended.set()
        traffic.join()
        print(", ".join(f"{name} {count}" for name, count in sorted(traffic.counts.items())), flush=True)
        grown = server.resident_bytes() - before
        check(grown < 300 << 20 or IS_SANITIZED, f"the memory grew by {grown >> 20} MiB")
        check(server.is_alive(), f"the server ended: {server.log_text()[-2000:]}")
        server.process.send_signal(signal.SIGTERM)
        check(server.process.wait(timeout=BOUND) == 0, f"exit code 0; {server.log_text()[-2000:]}")
        log = server.log_text()
        check("Sanitizer" not in log and "runtime error" not in log, log[-2000:])


def product(size):
    made = request("product", model="m")
    tensor = made.args.add().tensor
    tensor.dtype, tensor.data = integers(0).tensor.dtype, struct.pack("<q", size)
    return made


def fault_76_mixed_hostile_traffic():
    mixed(6)


def fault_76_mixed_hostile_traffic_long():
    mixed(float(os.environ.get("SIGNET_MIXED_SECONDS", "600")))
