"""A server of the example models for all tests of a process, and a client for each test."""

import importlib
import os
import subprocess
import sys
import tempfile
import time

import pytest

# Hypothesis would otherwise write its files into the current directory.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(tempfile.gettempdir(), "signet-hypothesis"))

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.join(SOURCE, "tests/end_to_end/lib"))

import signet  # noqa: E402


def example(name):
    """The module examples/python/NAME.py. Extension types are declared once, so that all tests share the module."""
    sys.path.insert(0, os.path.join(SOURCE, "examples/python"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


class Server:
    def __init__(self, *flags, models=os.path.join(SOURCE, "examples/models"), port=0):
        self.folder = tempfile.TemporaryDirectory()
        port_file = os.path.join(self.folder.name, "port")
        self.log = open(os.path.join(self.folder.name, "log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [os.environ["SIGNET_SERVER"], "--models", models, "--listen", f"127.0.0.1:{port}", "--port_file", port_file, *flags],
            stdout=self.log, stderr=self.log)
        end = time.monotonic() + 30
        while not os.path.exists(port_file) and time.monotonic() < end and self.process.poll() is None:
            time.sleep(0.02)
        with open(port_file, encoding="ascii") as file:
            self.address = f"127.0.0.1:{int(file.read())}"

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()


@pytest.fixture(scope="session")
def server():
    running = Server()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def values_server(tmp_path_factory):
    """A server of a model with a function for each kind of parameter, which returns its argument."""
    folder = tmp_path_factory.mktemp("models") / "values" / "1"
    folder.mkdir(parents=True)
    (folder / "model.signet").write_text(VALUES_MODEL, encoding="utf-8")
    running = Server(models=str(folder.parent.parent))
    yield running
    running.stop()


@pytest.fixture
def client(server):
    with signet.connect(server.address, wait=30) as made:
        yield made


@pytest.fixture
def values(values_server):
    with signet.connect(values_server.address, wait=30) as made:
        yield made["values"]


TYPES = {
    "floats": "float32[?]", "doubles": "float64[?]", "halves": "bfloat16[?]", "ints": "int32[?]", "bytes": "uint8[?]", "longs": "int64[?]",
    "bools": "bool[?]", "matrix": "float32[?, ?]", "texts": "string[?]", "text": "string[]", "number": "float32[]", "integer": "int32[]",
    "lists": "ragged float32[?, (?)]", "deep": "ragged int64[?, (?), (?)]", "words": "ragged string[?, (?)]", "sparse": "sparse float32[?, ?]",
    "people": "[{name: string[], age: float32[], scores: float32[(?)]}]",
    "places": "[{name: string[], where: {city: string[], zip: int32[]}, visits: [{day: int32[]}]}]",
    "maybe": "[{name?: string[], age: float32[] = nan}]", "one": "{a: int32[], b: string[]}", "nested": "[[{a: int32[], tags: string[(?)]}]]",
    "pair": "tuple(float32[?], string[])", "mapping": "dict(a: float32[?], b: any)", "anything": "any",
    "complexes": "complex64[?]",
}
VALUES_MODEL = "\n\n".join(f'def {name}(x: {type_}):\n    """Returns its argument."""\n    return x' for name, type_ in TYPES.items()) + "\n"
