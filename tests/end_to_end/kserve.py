#!/usr/bin/env python3
"""The server with the flags of deploy/kserve/cluster-serving-runtime.yaml: both ports listen, and the probes report a
live server without models, and a ready server as soon as models are there. Both protocols of the runtime, v2 over HTTP and
over gRPC, serve a model on these ports."""

import contextlib
import json
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

from open_inference import Client  # noqa: E402
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


def post(port, path, body):
    """The JSON of the answer."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=LONG) as response:
        return json.load(response)


def infer(http_port, grpc_client):
    """Calls the model as the clients of KServe do."""
    x = {"name": "x", "shape": [3], "datatype": "FP32", "data": [1, 2, 5]}
    answer = post(http_port, "/v2/models/half_plus_two/infer", {"id": "a", "inputs": [x]})
    check(answer == {"model_name": "half_plus_two", "model_version": "1", "id": "a", "outputs": [
        {"name": "output", "datatype": "FP32", "shape": [3], "data": [2.5, 3.0, 4.5]}]}, f"v2 over HTTP: {answer}")
    with urllib.request.urlopen(f"http://127.0.0.1:{http_port}/v1/models/half_plus_two", timeout=LONG) as response:
        check(response.status == 200, "v1 over HTTP: the model is known")
    with urllib.request.urlopen(f"http://127.0.0.1:{http_port}/", timeout=LONG) as response:
        check(json.load(response) == {"status": "alive"}, "v1 over HTTP: alive")
    answer = post(http_port, "/v1/models/half_plus_two:predict", {"instances": [1.0, 2.0]})
    check(answer == {"predictions": [2.5, 3.0]}, f"v1 over HTTP: {answer}")
    metadata = grpc_client.call("ModelMetadata", name="half_plus_two")
    check([t.name for t in metadata.inputs] == ["x"], "v2 over gRPC: metadata")
    found = grpc_client.infer("half_plus_two", [("x", "FP32", [3], [1.0, 2.0, 5.0])])
    check(found == {"output": ("FP32", [3], [2.5, 3.0, 4.5])}, f"v2 over gRPC: infer {found}")
    check(grpc_client.call("ModelReady", name="half_plus_two").ready, "v2 over gRPC: ready")


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
            protocols = runtime["spec"]["protocolVersions"]
            check({"v2", "grpc-v2"} <= set(protocols), f"the protocols of the runtime: {protocols}")
            infer(ports[8080], Client(channel))
        server.terminate()
        check(server.wait(LONG) == 0, "the server stops in an orderly way")


if __name__ == "__main__":
    main()
