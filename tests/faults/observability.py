"""Faults of labels, logs, and outputs: names from clients, scrapes, outputs that no program reads."""

import contextlib
import os
import re
import socket
import tempfile
import threading
import time
import urllib.request

import grpc

import lib
from lib import BOUND, Failed, check, floats, request, service_pb2, wait_for

STREAM = "/signet.v1.TensorService/CallStream"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"


@contextlib.contextmanager
def observed(*flags):
    """A server with --http_listen. `metrics()` of its context reads the metrics."""
    with lib.running("--http_listen", "127.0.0.1:0", *flags) as server:
        wait_for(lambda: "serving http address=" in server.log_text(), "the HTTP port is logged")
        port = re.search(r"serving http address=127\.0\.0\.1:(\d+)", server.log_text())[1]

        def metrics():
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=BOUND) as page:
                return page.read().decode()

        server.metrics = metrics
        yield server


def sum_of(page, pattern):
    return sum(float(value) for value in re.findall(pattern + r" (\S+)$", page, re.MULTILINE))


def call_names(server, count):
    """Calls `count` models that do not exist, over one stream."""
    def requests():
        for i in range(count):
            yield service_pb2.CallStreamRequest(
                id=i, call=request("f", model=f"model_{i}")).SerializeToString()

    answers = server.channel.stream_stream(STREAM)(requests(), timeout=600)
    check(sum(1 for _ in answers) == count, "each call has a response")


def bounded_labels(count):
    with observed() as server:
        before = len(server.metrics().splitlines())
        call_names(server, count)
        wait_for(lambda: sum_of(server.metrics(), r'signet_calls_total\{model="unknown",.*\}') == count, "calls are counted")
        page = server.metrics()
        check("model_1" not in page, "no name of a client is a label")
        check(len(page.splitlines()) < before + 300, "the metrics stay small")
        server.still_answers()


def fault_68_unknown_models_are_no_labels():
    bounded_labels(20_000)


def fault_68_unknown_models_are_no_labels_long():
    bounded_labels(1_000_000)


def fault_69_floods_of_scrapes_reflection_and_health():
    # The bench subject `observe` measures the loss of throughput.
    with observed() as server:
        start = time.monotonic()
        faults, counts = [], {"scrapes": 0, "reflection": 0, "health": 0}

        def goes_on():
            seconds = 5 if all(counts.values()) or faults else BOUND
            return time.monotonic() < start + seconds

        def flood(name, act, pause=0.0):
            try:
                while goes_on():
                    act()
                    counts[name] += 1
                    time.sleep(pause)
            except Exception as fault:  # reported by the main thread
                faults.append(f"{name}: {fault}")

        channel = server.connect()
        health = channel.unary_unary(lib.HEALTH)
        reflection = channel.stream_stream(REFLECTION)
        threads = [
            threading.Thread(target=flood, args=("scrapes", server.metrics, 0.01)),
            threading.Thread(target=flood, args=("health", lambda: health(b"", timeout=BOUND))),
            threading.Thread(target=flood, args=("reflection", lambda: list(reflection(iter([b"\x3a\x01*"]), timeout=BOUND)))),
        ]
        for thread in threads:
            thread.start()
        calls = 0
        while goes_on():
            server.still_answers()
            calls += 1
        for thread in threads:
            thread.join()
        check(not faults, f"floods fail: {faults}")
        check(calls > 0 and all(counts.values()), f"all make progress: {calls} calls, {counts}")


def fault_70_control_bytes_in_names():
    names = ["a\nb", "a\r\nFAKE line", "\x1b[31mred\x1b[0m", "nul\x00end", "\u202egnirts", "x" * 5000, '"},{"a":"']
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "access.log")
        with observed("--access_log", path) as server:
            for name in names:
                try:
                    server.send(request("f", model=name))
                    raise Failed("a call of a model that does not exist succeeds")
                except grpc.RpcError as error:
                    check(error.code() in (lib.INVALID, grpc.StatusCode.NOT_FOUND), f"{error.code()} for {name!r}")

            def lines():
                with open(path, "rb") as file:
                    return file.read().splitlines()

            wait_for(lambda: len(lines()) == len(names), "one line of the access log per call")
            wait_for(lambda: server.log_text().count("call failed") == len(names), "one line of the log per call")
            with open(server.log, "rb") as file:
                log = file.read()
            for text in (*lines(), *log.splitlines()):
                check(all(0x20 <= byte < 0x7f for byte in text), f"a line has control bytes: {text[:200]}")
                check(not text.startswith(b"FAKE"), "a name begins a line")
            server.still_answers()


def closed_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def fault_71_outputs_that_are_down():
    with tempfile.TemporaryDirectory() as folder:
        fifo = os.path.join(folder, "access.log")
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # never read
        flags = ["--otlp_endpoint", f"127.0.0.1:{closed_port()}", "--trace_sample", "1", "--access_log", fifo,
                 "--capture_requests", os.path.join(folder, "calls.rec"), "--capture_sample", "1", "--capture_bytes", "1"]
        with observed(*flags) as server:
            batches = 0
            outputs = ("traces", "access_log", "capture")

            def lost():
                page = server.metrics()
                return [name for name in outputs
                        if sum_of(page, rf'signet_observations_dropped_total\{{output="{name}"\}}') > 0]

            end = time.monotonic() + BOUND
            while time.monotonic() < end and len(lost()) < len(outputs):
                for _ in range(500):
                    server.still_answers()
                batches += 1
            check(len(lost()) == len(outputs), f"what is lost is counted, after {500 * batches} calls: {lost()}")
            server.process.terminate()
            check(server.process.wait(BOUND) == 0, "the server stops")
        os.close(reader)
