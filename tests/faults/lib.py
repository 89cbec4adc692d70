"""What the tests of faults share: a server, calls of its functions, and the checks of their outcomes.

A test of a fault is a function `fault_NN_what` of a module of this directory, where NN is the number of the fault in the
list of faults. It receives a Context. Functions with the suffix `_long` run only with --long, in place of the function without it.
"""

import contextlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../end_to_end/lib"))
import grpc  # noqa: E402

from server import CLI, SERVER, SOURCE, is_sanitized, make_stubs  # noqa: E402

STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from signet.v1 import service_pb2, types_pb2, values_pb2  # noqa: E402

CALL = "/signet.v1.TensorService/Call"
HEALTH = "/grpc.health.v1.Health/Check"
SERVING = b"\x08\x01"
BOUND = 300  # seconds after which a test gives up waiting, also on busy processors
IS_SANITIZED = is_sanitized()

INVALID = grpc.StatusCode.INVALID_ARGUMENT
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
DEADLINE = grpc.StatusCode.DEADLINE_EXCEEDED
Value = values_pb2.Value
Tensor = values_pb2.Tensor


class Failed(Exception):
    """A fault had another outcome than expected."""


def check(condition, what):
    if not condition:
        raise Failed(what)


def wait_for(condition, what):
    end = time.monotonic() + BOUND
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise Failed(f"not within {BOUND} s: {what}")


# --- values ---------------------------------------------------------------------------------------

def tensor(dtype, shape, data=b"", **fields):
    return Value(tensor=Tensor(dtype=getattr(types_pb2, "DTYPE_" + dtype.upper()), shape=shape, data=data, **fields))


def floats(*numbers):
    return tensor("float32", [len(numbers)], struct.pack(f"<{len(numbers)}f", *numbers))


def integers(*numbers):
    return tensor("int64", [len(numbers)], struct.pack(f"<{len(numbers)}q", *numbers))


def texts(*elements):
    return tensor("string", [len(elements)], strings=[e if isinstance(e, bytes) else e.encode() for e in elements])


def scalar(number):
    return tensor("float32", [], struct.pack("<f", number))


def literal(**fields):
    return Value(literal=types_pb2.Literal(**fields))


def json_value(text):
    data = text if isinstance(text, bytes) else text.encode()
    return Value(encoded=values_pb2.Encoded(format=values_pb2.Encoded.JSON, data=data))


def request(function, *args, model="faults", result_json=False, **kwargs):
    made = service_pb2.CallRequest(
        model=service_pb2.ModelSpec(name=model), function=function, args=args,
        kwargs=[values_pb2.NamedValue(name=name, value=value) for name, value in kwargs.items()])
    if result_json:
        made.result_format.format = values_pb2.Encoded.JSON
    return made


# --- servers --------------------------------------------------------------------------------------

class Context:
    """A running server, and what a test does with it."""

    def __init__(self, process, port, log, folder):
        self.process, self.port, self.log, self.folder = process, port, log, folder
        self.address = f"127.0.0.1:{port}"
        self.channel = self.connect()

    def connect(self, **options):
        options = {"grpc.use_local_subchannel_pool": 1, "grpc.max_receive_message_length": -1,
                   "grpc.max_send_message_length": -1, **{k.replace("__", "."): v for k, v in options.items()}}
        return grpc.insecure_channel(self.address, options=list(options.items()))

    def send(self, message, timeout=BOUND, channel=None, **options):
        data = message if isinstance(message, bytes) else message.SerializeToString()
        answer = (channel or self.channel).unary_unary(CALL)(data, timeout=timeout, **options)
        return service_pb2.CallResponse.FromString(answer).result

    def start_call(self, message, timeout=BOUND, channel=None, **options):
        data = message if isinstance(message, bytes) else message.SerializeToString()
        return (channel or self.channel).unary_unary(CALL).future(data, timeout=timeout, **options)

    def call(self, function, *args, **kwargs):
        return self.send(request(function, *args, **kwargs))

    def rejects(self, message, codes, *words):
        """The call fails with one of these codes, and its error contains the words and no internals."""
        codes = codes if isinstance(codes, (list, tuple)) else [codes]
        try:
            self.send(message)
        except grpc.RpcError as error:
            details = error.details()
            check(error.code() in codes, f"expected {codes}, found {error.code()}: {details}")
            for word in words:
                check(word in details, f"expected `{word}` in the error, found `{details[:300]}`")
            check("0x" not in details and SOURCE not in details, f"the error contains internals: {details[:300]}")
            return details
        raise Failed(f"expected {codes}, found a result")

    def still_answers(self, what="a valid call"):
        answer = self.call("floats", floats(1, 2))
        check(answer == floats(1, 2), f"{what}: wrong answer after the fault")

    def resident_bytes(self):
        """The memory of the process; 0 if the server was built with the address sanitizer, which keeps freed memory."""
        if IS_SANITIZED:
            return 0
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def is_alive(self):
        return self.process.poll() is None

    def log_text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def is_serving(self):
        with self.connect() as channel:
            try:
                return channel.unary_unary(HEALTH)(b"", timeout=BOUND, wait_for_ready=True) == SERVING
            except grpc.RpcError:
                return False


def copy_models(folder):
    """Makes a directory with the example models and the models of these tests."""
    models = os.path.join(folder, "models")
    shutil.copytree(os.path.join(SOURCE, "examples/models"), models)
    shutil.copytree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "models"), models, dirs_exist_ok=True)
    return models


@contextlib.contextmanager
def running(*flags, models=None, preexec=None, stderr=None, environment=None):
    """A server, killed at the end. Without `models`, it serves the example models and the models of these tests."""
    with tempfile.TemporaryDirectory() as folder:
        models = models or copy_models(folder)
        port_file, log = os.path.join(folder, "port"), os.path.join(folder, "log")
        with open(log, "wb") as out:
            process = subprocess.Popen(
                [SERVER, "--models", models, "--listen", "127.0.0.1:0", "--port_file", port_file, *flags],
                stdout=subprocess.DEVNULL, stderr=stderr or out, preexec_fn=preexec,
                env={**os.environ, **(environment or {})})
        try:
            wait_for(lambda: os.path.exists(port_file) or process.poll() is not None, "the server starts")
            if process.poll() is not None:
                with open(log, encoding="utf-8") as file:
                    raise Failed("the server does not start: " + file.read())
            with open(port_file, encoding="ascii") as file:
                context = Context(process, int(file.read()), log, folder)
            context.models = models
            yield context
            context.channel.close()
        finally:
            process.kill()
            process.wait()


def run_cli(context, *words, **options):
    return subprocess.run([CLI, *words], env={**os.environ, "SIGNET_ADDRESS": context.address}, text=True,
                          capture_output=True, timeout=BOUND, check=False, **options)
