#!/usr/bin/env python3
"""The server with the flags of deploy/kserve/cluster-serving-runtime.yaml: both ports listen, and the probes report a
live server without models, and a ready server as soon as models are there."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from server import SERVER, SOURCE, check  # noqa: E402

try:
    import yaml
except ImportError:
    print("skipped: no Python module `yaml`; ./dev install test installs it")
    sys.exit(77)

LONG = 60  # seconds, where a fault would wait without end
HEALTH = "/grpc.health.v1.Health/Check"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def get(port, path):
    """The status of a GET, or 0 if the server cannot be reached."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except (urllib.error.URLError, OSError):
        return 0


def wait_for(condition, what):
    end = time.monotonic() + LONG
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"FAILED: {what} after {LONG} s")
        time.sleep(0.05)
    print(f"ok: {what}")


def main():
    with open(f"{SOURCE}/deploy/kserve/cluster-serving-runtime.yaml", encoding="utf-8") as file:
        runtime = yaml.safe_load(file)
    container = runtime["spec"]["containers"][0]
    paths = {name: container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")}
    check(container["command"] == ["signet-server"], "the command is signet-server")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        models, ports = f"{folder}/models", {9000: free_port(), 8080: free_port()}
        os.mkdir(models)
        flags = [flag.replace("/mnt/models", models) for flag in container["args"]]
        flags = [re.sub(r"0\.0\.0\.0:(9000|8080)$", lambda found: f"127.0.0.1:{ports[int(found[1])]}", flag) for flag in flags]
        log = stack.enter_context(open(f"{folder}/log", "wb"))
        server = subprocess.Popen([SERVER, *flags, "--poll_seconds", "1"], stderr=log)
        stack.callback(server.wait)
        stack.callback(server.kill)

        wait_for(lambda: get(ports[8080], paths["startup"]) == 200, "the startup probe succeeds without models")
        check(get(ports[8080], paths["liveness"]) == 200, "the liveness probe succeeds without models")
        check(get(ports[8080], paths["readiness"]) == 503, "the readiness probe fails without models")
        check(get(ports[8080], runtime["spec"]["annotations"]["prometheus.kserve.io/path"]) == 200, "metrics are at their path")
        shutil.copytree(f"{SOURCE}/examples/models/half_plus_two", f"{models}/half_plus_two")
        wait_for(lambda: get(ports[8080], paths["readiness"]) == 200, "the readiness probe succeeds with a model")
        with grpc.insecure_channel(f"127.0.0.1:{ports[9000]}") as channel:
            check(channel.unary_unary(HEALTH)(b"", timeout=LONG) == b"\x08\x01", "the gRPC port is SERVING")
        server.terminate()
        check(server.wait(LONG) == 0, "the server stops in an orderly way")


if __name__ == "__main__":
    main()
