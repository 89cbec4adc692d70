"""The server in an environment that fails: no file descriptors, a log that no program reads, signals, a
socket in use, little memory."""

import contextlib
import fcntl
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
from server import CLI, SERVER, SOURCE, check, is_sanitized  # noqa: E402

HEALTH = "/grpc.health.v1.Health/Check"
SERVING = b"\x08\x01"
LONG = 60  # seconds, where a fault would wait without end


def wait_for(condition):
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


@contextlib.contextmanager
def started(*flags, descriptors=None, stderr=None):
    """A server of the example models: its process, port, and the path of its log."""

    def limit():
        if descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    with tempfile.TemporaryDirectory() as folder:
        port_file, log = os.path.join(folder, "port"), os.path.join(folder, "log")
        with open(log, "wb") as out:
            process = subprocess.Popen(
                [SERVER, "--models", os.path.join(SOURCE, "examples/models"), "--listen", "127.0.0.1:0",
                 "--port_file", port_file, *flags], stderr=stderr or out, preexec_fn=limit)
        try:
            check(wait_for(lambda: text_of(port_file) or process.poll() is not None)
                  and text_of(port_file), f"starts with {flags or 'no flags'}")
            with open(port_file, encoding="ascii") as file:
                yield process, int(file.read()), log
        finally:
            process.kill()
            process.wait()


def is_serving(address):
    with grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        try:
            return channel.unary_unary(HEALTH)(b"", timeout=10, wait_for_ready=True) == SERVING
        except grpc.RpcError:
            return False


def text_of(path):
    """The text of a file; empty if there is no such file yet."""
    with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
        return file.read()
    return ""


def logs(path, text):
    """Whether a line of the log has this text. The server writes its log on a thread of its own."""
    return wait_for(lambda: text in text_of(path))


def few_descriptors():
    with started(descriptors=64) as (_, port, log):
        address = f"127.0.0.1:{port}"
        with grpc.insecure_channel(address) as channel:
            ask = channel.unary_unary(HEALTH)
            check(ask(b"", timeout=LONG) == SERVING, "serves with 64 descriptors")
            for _ in range(3):
                sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
                check(ask(b"", timeout=LONG) == SERVING, "serves a client among 100 connections")
                for each in sockets:
                    each.close()
            check(wait_for(lambda: is_serving(address)), "takes new connections afterwards")
        check(logs(log, "connections rejected"), "logs that it rejected connections")


def full_pipe():
    """A pipe for the log that is full from the start."""
    reading, writing = os.pipe()
    flags = fcntl.fcntl(writing, fcntl.F_GETFL)
    fcntl.fcntl(writing, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, b"x" * 4096)
    fcntl.fcntl(writing, fcntl.F_SETFL, flags)
    return reading, writing


def log_that_nobody_reads():
    reading, writing = full_pipe()
    with started("--log_level", "debug", stderr=writing) as (process, port, _):
        check(is_serving(f"127.0.0.1:{port}"), "serves while its log is not read")
        process.send_signal(signal.SIGTERM)
        check(process.wait(timeout=LONG) == 0, "stops while its log is not read")
    with started("--drain_seconds", "3600", "--max_loop_steps", "1000000000000", stderr=writing) as (process, port, _):
        # Money that earns nothing never reaches the target, so this call does not end.
        call = subprocess.Popen([CLI, "call", "savings", "years_until", "1.0", "0.0", "2.0", "most=2000000000"],
                                env={**os.environ, "SIGNET_ADDRESS": f"127.0.0.1:{port}"},
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        time.sleep(1.5)  # a second signal within one second of the first is ignored
        check(process.poll() is None, "finishes running calls after the first signal")
        process.send_signal(signal.SIGTERM)
        check(process.wait(timeout=LONG) == 128 + signal.SIGTERM, "the second signal ends it at once")
        call.kill()
        call.wait()
    os.close(reading)
    os.close(writing)


def hangup():
    with started() as (process, port, log):
        check(is_serving(f"127.0.0.1:{port}"), "serves")
        process.send_signal(signal.SIGHUP)
        check(wait_for(lambda: " reloading " in text_of(log)), "SIGHUP reads the files again")
        check(is_serving(f"127.0.0.1:{port}"), "SIGHUP does not end it")
        process.send_signal(signal.SIGTERM)
        check(process.wait(timeout=LONG) == 0, "SIGTERM ends it")


def socket_in_use():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "signet.sock")
        with started("--unix_socket", path) as (process, _, _):
            second = subprocess.run(
                [SERVER, "--models", os.path.join(SOURCE, "examples/models"), "--listen",
                 "127.0.0.1:0", "--unix_socket", path], capture_output=True, check=False, timeout=LONG)
            check(second.returncode == 1 and b"another process listens on it" in second.stderr,
                  "a second server does not start on a socket in use")
            check(is_serving("unix:" + path), "the first server still serves it")
            process.kill()
            process.wait()
        check(os.path.exists(path), "a killed server leaves its socket")
        with started("--unix_socket", path) as (process, _, _):
            check(is_serving("unix:" + path), "the next server replaces it")
            process.send_signal(signal.SIGTERM)
            check(process.wait(timeout=LONG) == 0, "and stops")
        check(not os.path.exists(path), "and removes it")


def connection_age():
    with started("--max_connection_age_seconds", "1", "--connection_age_grace_seconds", "1") as (_, port, _):
        with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
            connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
            while connection.recv(4096):
                pass
        check(is_serving(f"127.0.0.1:{port}"), "a connection ends at its age, and clients connect again")


def little_memory():
    with started("--memory", "256MB") as (_, _, log):
        check(logs(log, "max_message_bytes=8388608 "), "limits fit the memory")
    with started("--memory", "256MB", "--max_message_bytes", "64MB") as (_, _, log):
        check(logs(log, "max_message_bytes=67108864 "), "a limit that is set stays")


def few_addresses():
    """With a limit of the address space, the server serves, or ends with a line that states the limit."""
    if is_sanitized():
        return  # sanitizers reserve terabytes
    served = False
    for mebibytes in (120, 250, 400, 1024):
        limit = mebibytes << 20
        with tempfile.TemporaryDirectory() as folder:
            port_file, log = os.path.join(folder, "port"), os.path.join(folder, "log")
            with open(log, "wb") as out:
                process = subprocess.Popen(
                    [SERVER, "--models", os.path.join(SOURCE, "examples/models"), "--listen", "127.0.0.1:0",
                     "--port_file", port_file], stderr=out,
                    preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            try:
                check(wait_for(lambda: text_of(port_file) or process.poll() is not None), "starts or ends")
                served = text_of(port_file) != ""
                if served:
                    address = f"127.0.0.1:{text_of(port_file)}"
                    with grpc.insecure_channel(address, [("grpc.max_send_message_length", -1)]) as channel:
                        try:
                            channel.unary_unary("/signet.v1.TensorService/Call")(bytes(160 << 20), timeout=LONG)
                        except grpc.RpcError as error:
                            check(error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, f"a large request: {error}")
                    check(is_serving(address), f"serves within {mebibytes} MiB of addresses")
                else:
                    check(process.returncode != 0 and "(ulimit -v)" in text_of(log),
                          f"states the limit of {mebibytes} MiB: {text_of(log)[-300:]}")
            finally:
                process.kill()
                process.wait()
    check(served, "serves within 1 GiB of addresses")


few_descriptors()
log_that_nobody_reads()
hangup()
socket_in_use()
connection_age()
little_memory()
few_addresses()
