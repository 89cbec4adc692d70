"""Starts signet-server on a port of its own, and stubs for it made by protoc."""

import contextlib
import glob
import os
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ.get("SIGNET_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "../../..")
SERVER = os.environ["SIGNET_SERVER"]
CLI = os.environ["SIGNET_CLI"]


class Server:
    def __init__(self, process, port, log):
        self.process, self.port, self.log = process, port, log
        self.address = f"127.0.0.1:{port}"

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def running(*flags, models=None):
    """A server of the models in $SIGNET_EXAMPLE_MODELS, by default the example models. It is killed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        port_file, log = os.path.join(folder, "port"), os.path.join(folder, "log")
        models = models or os.environ.get("SIGNET_EXAMPLE_MODELS") or os.path.join(SOURCE, "examples/models")
        with open(log, "wb") as out:
            process = subprocess.Popen(
                [SERVER, "--models", models, "--listen", "127.0.0.1:0", "--port_file", port_file,
                 *flags], stderr=out)
        try:
            for _ in range(600):
                if os.path.exists(port_file) or process.poll() is not None:
                    break
                time.sleep(0.1)
            if not os.path.exists(port_file):
                sys.exit("the server does not start:\n" + open(log, encoding="utf-8").read())
            yield Server(process, int(open(port_file, encoding="ascii").read()), log)
        finally:
            process.kill()
            process.wait()


def is_sanitized():
    """Whether the server was built with the address sanitizer, which keeps freed memory."""
    with open(SERVER, "rb") as file:
        return b"__asan_init" in file.read()


def make_stubs(folder):
    """Python modules of every .proto file, importable afterwards."""
    root = os.path.join(SOURCE, "proto")
    protos = [os.path.relpath(path, root)
              for path in glob.glob(os.path.join(root, "**/*.proto"), recursive=True)
              if "/signet/" in path or "/rpc/" in path or "/opentelemetry/" in path]
    subprocess.run(
        ["protoc", f"--proto_path={root}", f"--python_out={folder}", f"--grpc_python_out={folder}",
         "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *protos], check=True)
    sys.path.insert(0, folder)


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")
