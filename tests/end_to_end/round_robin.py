#!/usr/bin/env python3
"""Calls of the C++ client to a list of two servers: no call fails when one is killed, or when both are restarted in turn."""

import contextlib
import glob
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
from server import CLI, SERVER, SOURCE, check  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
STARTS = 0
ROWS = 600_000
CALL = ("half_plus_two", "predict", "[1.0, 2.0]")


def free_port():
    """A free port below those that the system gives to outgoing connections."""
    while True:
        port = random.randrange(20000, 32000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def start(port, *flags):
    """A server at `port` that serves."""
    global STARTS
    STARTS += 1
    port_file = os.path.join(FOLDER.name, f"port{STARTS}")
    process = subprocess.Popen([SERVER, "--models", os.path.join(SOURCE, "examples/models"), "--listen", f"127.0.0.1:{port}",
                                "--port_file", port_file, "--log_level", "error", *flags])
    for _ in range(600):
        if os.path.exists(port_file):
            break
        if process.poll() is not None:
            sys.exit(f"FAILED: the server at port {port} does not start")
        time.sleep(0.1)
    signet("status", "--wait", "60", address=f"127.0.0.1:{port}")
    return process


def signet(*arguments, address):
    done = subprocess.run([CLI, *arguments, "--address", address], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: signet {' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def load_while(action, address, seconds, *flags):
    """The report of calls that are made while `action` runs."""
    failures = []

    def act():
        try:
            action()
        except BaseException as error:  # of a thread
            failures.append(error)

    thread = threading.Thread(target=act)
    thread.start()
    done = subprocess.run([CLI, "bench", *CALL, "--concurrency", "16", "--duration", str(seconds), "--json", "--address", address, *flags],
                          capture_output=True, text=True, timeout=seconds + 120, check=False)
    thread.join()
    if failures:
        raise failures[0]
    return done, json.loads(done.stdout)


def calls_of(port):
    """The number of calls that a server has answered, from its metrics."""
    page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20).read().decode()
    return sum(float(line.split()[-1]) for line in page.splitlines() if line.startswith("signet_calls_total{"))


def main():
    ports = [free_port(), free_port()]
    address = ",".join(f"127.0.0.1:{port}" for port in ports)
    pages = [free_port(), free_port()]
    servers = [start(port, "--http_listen", f"127.0.0.1:{page}") for port, page in zip(ports, pages)]
    try:
        _, report = load_while(lambda: None, address, 1, "--retries", "3")
        counts = [calls_of(page) for page in pages]
        check(report["failed"] == 0 and sum(counts) >= report["calls"] and min(counts) > 0.3 * max(counts),
              f"calls are spread over both servers: {counts} of {report['calls']}")

        def kill():
            time.sleep(1)
            servers[0].kill()
            servers[0].wait()

        done, report = load_while(kill, address, 3, "--retries", "3")
        check(report["failed"] == 0 and report["calls"] > 100, f"no call of {report['calls']} fails when a server is killed {done.stderr}")

        servers[0] = start(ports[0])

        def restart_both():
            for i in range(2):
                time.sleep(1)
                servers[i].send_signal(signal.SIGTERM)
                if servers[i].wait(timeout=60) != 0:
                    sys.exit("FAILED: a server that is stopped exits with another code than 0")
                servers[i] = start(ports[i])
                time.sleep(3)  # until clients have connected again; their pauses grow to 2 seconds

        done, report = load_while(restart_both, address, 11, "--retries", "3")
        check(report["failed"] == 0 and report["calls"] > 100, f"no call of {report['calls']} fails in a rolling restart {done.stderr}")

        # Without retries, the client leaves a server that reports that it stops before it rejects calls.
        def stop():
            time.sleep(1)
            servers[0].send_signal(signal.SIGTERM)
            servers[0].wait(timeout=60)

        done, report = load_while(stop, address, 3)
        check(report["failed"] == 0 and report["calls"] > 100, f"no call of {report['calls']} is repeated when a server stops {done.stderr}")

        rows = os.path.join(FOLDER.name, "rows.ndjson")
        with open(rows, "w", encoding="utf-8") as file:
            for i in range(ROWS):
                file.write(f'{{"name": "n{i}", "balances": [{i}, 800]}}\n')
        servers[0] = start(ports[0])
        results = os.path.join(FOLDER.name, "results.ndjson")
        feed = subprocess.Popen([CLI, "call", "savings", "fees", "--in", rows, "--out", results, "--rows", "500", "--address", address])
        for _ in range(3000):  # until the first results are written, to a file that is renamed at the end
            if any(os.path.getsize(path) > 0 for path in glob.glob(results + "*")):
                break
            time.sleep(0.01)
        servers[1].kill()
        check(feed.poll() is None, "the file is not complete when a server is killed")
        check(feed.wait(timeout=120) == 0, "a file is processed while a server is killed")
        with open(results, encoding="utf-8") as file:
            names = [json.loads(line)["name"] for line in file]
        check(names == [f"n{i}" for i in range(ROWS)], "each row has its result, once and in order")
    finally:
        for server in servers:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main()
