"""Cases 21 and 45 to 58: names of models, broken model directories, and models that change."""

import os
import shutil
import stat
import subprocess
import tempfile
import time

import grpc
from google.protobuf import text_format

from lib import BOUND, CLI, INVALID, SOURCE, check, floats, request, running, service_pb2

from signet.v1 import model_pb2

EXAMPLES = os.path.join(SOURCE, "examples/models")
MODEL = """
def f(x):
    return x
"""


def rejects_model(folder, *words):
    """`signet check` finds a fault in a version directory, in bounded time, and does not crash."""
    found = subprocess.run([CLI, "check", folder], capture_output=True, text=True, timeout=BOUND, check=False)
    check(found.returncode == 1, f"exit code {found.returncode}: {found.stdout}{found.stderr}")
    for word in words:
        check(word in found.stdout + found.stderr, f"expected `{word}`, found: {found.stdout}{found.stderr}")


def write_model(folder, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "model.signet"), "w", encoding="utf-8") as file:
        file.write(text)
    return folder


def write_message(folder, text):
    """Writes a model.pb. The model language cannot state all that a message can."""
    message = model_pb2.Model()
    text_format.Parse("format_version: 1\n" + text, message)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "model.pb"), "wb") as file:
        file.write(message.SerializeToString())
    return folder


def fault_21_default_outside_its_constraint():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "m/1")
        for signature in ("(x: float32[2] = [1.0])", "(x: int32[] = 2.5)", "(x: string[] = 1)"):
            text = MODEL.replace("(x)", signature)
            rejects_model(write_model(folder, text), "default", "`x`")


def fault_45_names_of_models():
    with running() as server:
        for name in ("../etc", "a/../b", "/etc/passwd", " ..", "model/", "a\0b", "x" * 300, "mod\u0435l", "", "."):
            message = request("f", floats(1))
            message.model.name = name
            server.rejects(message, [INVALID, grpc.StatusCode.NOT_FOUND])
        server.still_answers()


def fault_46_links_and_special_files():
    with tempfile.TemporaryDirectory() as root:
        models = os.path.join(root, "models")
        write_model(os.path.join(root, "outside/1"), MODEL)
        write_model(os.path.join(models, "good/1"), MODEL)
        os.symlink(os.path.join(root, "outside"), os.path.join(models, "link"))
        os.makedirs(os.path.join(models, "inner"))
        os.symlink(os.path.join(root, "outside/1"), os.path.join(models, "inner/1"))
        os.makedirs(os.path.join(models, "pipe/1"))
        os.mkfifo(os.path.join(models, "pipe/1/model.signet"))
        os.makedirs(os.path.join(models, "loop/1"))
        os.symlink("..", os.path.join(models, "loop/1/model.signet"))
        os.makedirs(os.path.join(models, "socket/1"))
        os.mknod(os.path.join(models, "socket/1/model.pb"), stat.S_IFSOCK | 0o600)  # binding limits the length of the path
        with running(models=models) as server:
            answer = server.send(request("f", floats(1), model="good"))
            check(answer == floats(1), "the good model is served")
            listed = service_pb2.ListModelsResponse.FromString(
                server.channel.unary_unary("/signet.v1.TensorService/ListModels")(b"", timeout=BOUND))
            for model in listed.models:
                available = [v for v in model.versions if v.state == service_pb2.VersionInfo.AVAILABLE]
                # Entries of the directory of models may be links, because operators make them.
                check(bool(available) == (model.name in ("good", "link")), f"`good` and `link` are available: {model}")
        check(stat.S_ISFIFO(os.stat(os.path.join(models, "pipe/1/model.signet")).st_mode), "the pipe is untouched")


def fault_47_truncated_files():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "recipes/1")
        shutil.copytree(os.path.join(EXAMPLES, "recipes/1"), folder)
        path = os.path.join(folder, "captures.safetensors")
        with open(path, "rb") as file:
            whole = file.read()
        for size in [0, 1, 7, 8, 9, 50, len(whole) // 2, len(whole) - 1]:
            with open(path, "wb") as file:
                file.write(whole[:size])
            rejects_model(folder, "captures.safetensors")
        for bit in range(0, 64, 7):  # the length of the header
            broken = bytearray(whole)
            broken[bit // 8] ^= 1 << bit % 8
            with open(path, "wb") as file:
                file.write(broken)
            rejects_model(folder, "captures.safetensors")


def fault_48_hostile_models():
    node = 'nodes { name: "n" op: "call" inputs: "x" attributes { key: "function" value { function: "f" } } }'
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "m/1")
        function = 'functions { name: "f" signature: "(x)" %s result: "n" }'
        neg = 'nodes { name: "%s" op: "neg" inputs: "%s" }'
        rejects_model(write_message(folder, function % node), "`f`")
        rejects_model(write_message(folder, function % (neg % ("n", "m") + neg % ("m", "n"))), "cycle")
        rejects_model(write_message(folder, function % (neg % ("n", "x") + neg % ("n", "x"))), "duplicate")
        rejects_model(write_message(folder, function % (neg % ("n", "absent"))), "absent")
        many = "".join(neg % (f"n{i}", "x") for i in range(100_001))
        rejects_model(write_message(folder, function % (many + neg % ("n", "x"))), "nodes")


def fault_49_sparse_files():
    with tempfile.TemporaryDirectory() as root:
        for name in ("model.signet", "model.pb", "model.onnx", "captures.safetensors"):
            folder = os.path.join(root, name, "1")
            if name.startswith("captures"):
                write_model(folder, MODEL)
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.truncate(1 << 40)
            started = time.monotonic()
            rejects_model(folder, name)
            check(time.monotonic() - started < 30, f"{name} is rejected quickly")
