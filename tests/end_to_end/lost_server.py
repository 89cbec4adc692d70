#!/usr/bin/env python3
"""A server vanishes without closing its connections: three servers in networks of their own, one of which is cut off under load.
No call of the clients fails, and they call the other servers. And a server pings a silent client for as long as it is connected."""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
from server import CLI, SERVER, SOURCE, check, running  # noqa: E402

LONG = 60  # seconds, where a fault would wait without end
INSIDE = "SIGNET_TEST_NETWORK"  # set in the network of this test
os.environ["PATH"] += ":/usr/sbin:/sbin"


def enter_network():
    """Runs this file again in a network of its own, and exits with its exit code."""
    isolate = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]
    try:
        possible = subprocess.run([*isolate, "ip", "link", "add", "name", "near", "type", "veth", "peer", "name", "far"],
                                  capture_output=True, check=False)
    except FileNotFoundError as missing:
        print(f"skipped: no command `{missing.filename}`")
        sys.exit(77)
    if possible.returncode != 0:
        print("skipped: this user may not make networks")
        sys.exit(77)
    sys.exit(subprocess.run([*isolate, sys.executable, __file__], check=False, env={**os.environ, INSIDE: "1"}).returncode)


def ip(*words, inside=()):
    subprocess.run([*inside, "ip", *words], check=True)


class LostServer:
    """A server in a network of its own, which a bridge connects with the clients."""

    def __init__(self, number, folder):
        self.link, self.address = f"server{number}", f"10.77.0.1{number}:8500"
        # This process keeps the network, and shows that it exists.
        self.keeper = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep 600"], stdout=subprocess.PIPE)
        self.keeper.stdout.readline()
        inside = ("nsenter", "--net", "--target", str(self.keeper.pid))
        ip("link", "add", "name", self.link, "type", "veth", "peer", "name", "eth0", "netns", str(self.keeper.pid))
        ip("link", "set", self.link, "master", "bridge", "up")
        ip("address", "add", f"10.77.0.1{number}/24", "dev", "eth0", inside=inside)
        ip("link", "set", "eth0", "up", inside=inside)
        with open(os.path.join(folder, self.link), "wb") as log:
            self.process = subprocess.Popen([*inside, SERVER, "--models", os.path.join(SOURCE, "examples/models"), "--listen", self.address,
                                             "--log_level", "warning"], stderr=log)

    def cut(self):
        ip("link", "set", self.link, "down")

    def end(self):
        for process in (self.process, self.keeper):
            process.kill()
            process.wait()


def test_clients(servers, folder):
    addresses = "ipv4:" + ",".join(server.address for server in servers)  # gRPC's form of a list
    for server in servers:
        subprocess.run([CLI, "status", "--wait", str(LONG), "--address", server.address], check=True, stdout=subprocess.DEVNULL)
    # The measurement lasts beyond the three seconds after which a lost server is noticed.
    bench = subprocess.Popen([CLI, "bench", "half_plus_two", "predict", "[1.0]", "--address", addresses, "--retries", "3",
                              "--duration", "6", "--concurrency", "4", "--timeout", str(LONG), "--json"], stdout=subprocess.PIPE)
    sys.path.insert(0, os.path.join(os.path.dirname(SERVER), "../python"))
    import signet  # pylint: disable=import-outside-toplevel

    done, errors, counts = threading.Event(), [], [0] * 4
    with signet.connect([server.address for server in servers], balance="round_robin", wait=LONG) as client:
        predict = client.half_plus_two.predict.with_options(timeout=LONG)

        def call(index):
            while not done.is_set():
                try:
                    predict([1.0])
                    counts[index] += 1
                except signet.Error as error:
                    errors.append(f"{type(error).__name__}: {error}")
                time.sleep(0.001)

        threads = [threading.Thread(target=call, args=(index,)) for index in range(len(counts))]
        for thread in threads:
            thread.start()
        time.sleep(1)
        check(min(counts) > 0, f"calls before the cut: {counts}")
        servers[0].cut()
        report = json.loads(bench.communicate()[0])
        before = list(counts)
        end = time.monotonic() + LONG
        while not all(now > then for now, then in zip(counts, before)) and time.monotonic() < end:
            time.sleep(0.01)
        done.set()
        for thread in threads:
            thread.join()
    check(not errors, f"no call of Python fails: {sum(counts)} calls, {errors[:2]}")
    check(all(now > then for now, then in zip(counts, before)), f"all threads of Python call other servers: {before}, {counts}")
    check(not report["failed"] and report["calls"] > 0, f"no call of the command line fails: {report}")


def test_pings():
    """A client that sends nothing but answers to pings. gRPC sends two pings without data, unless it may send more."""
    with running("--keepalive_seconds", "1") as server, socket.create_connection(("127.0.0.1", server.port), timeout=LONG) as client:
        client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + struct.pack(">I", 0)[1:] + b"\4\0" + struct.pack(">I", 0))
        stream, pings = client.makefile("rb"), 0
        while pings < 4:
            header = stream.read(9)
            check(len(header) == 9, f"the connection stays open after {pings} pings") if len(header) != 9 else None
            payload = stream.read(int.from_bytes(header[:3], "big"))
            if header[3:5] == b"\6\0":
                pings += 1
                client.sendall(b"\0\0\x08\6\1\0\0\0\0" + payload)
            elif header[3:5] == b"\4\0":
                client.sendall(b"\0\0\0\4\1\0\0\0\0")
    check(True, f"{pings} pings to a silent client")


def main():
    if INSIDE not in os.environ:
        test_pings()
        enter_network()
    with tempfile.TemporaryDirectory() as folder:
        ip("link", "set", "lo", "up")
        ip("link", "add", "name", "bridge", "type", "bridge")
        ip("address", "add", "10.77.0.1/24", "dev", "bridge")
        ip("link", "set", "bridge", "up")
        servers = []
        try:
            servers += [LostServer(number, folder) for number in (1, 2, 3)]
            test_clients(servers, folder)
        finally:
            for server in servers:
                server.end()


main()
