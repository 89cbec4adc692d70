#!/usr/bin/env python3
"""Models that arrive, change, and leave while clients call them; signet publish, settings, and labels."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from server import check, make_stubs, running  # noqa: E402

STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from signet.v1 import recorded_pb2, service_pb2, service_pb2_grpc, settings_pb2  # noqa: E402
from signet.v1 import types_pb2, values_pb2  # noqa: E402

REPLACEMENTS = int(os.environ.get("SIGNET_REPLACEMENTS", "100"))
CLIENTS = int(os.environ.get("SIGNET_CLIENTS", "16"))
CLI = os.environ["SIGNET_CLI"]
State = service_pb2.VersionInfo


def model_text(added, example="1"):
    return f'@example("{example}")\ndef f(x: int64[]):\n    return x + {added}\n'


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb" if isinstance(text, bytes) else "w") as file:
        file.write(text)


def number(value):
    data = int(value).to_bytes(8, "little", signed=True)
    tensor = values_pb2.Tensor(dtype=types_pb2.DTYPE_INT64, data=data)
    return values_pb2.Value(tensor=tensor)


def call_of(model="m", version=None, label=None, x=0):
    spec = service_pb2.ModelSpec(name=model)
    if version is not None:
        spec.version = version
    if label is not None:
        spec.label = label
    return service_pb2.CallRequest(model=spec, function="f", args=[number(x)])


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"FAILED: {what}")
        time.sleep(0.02)


class Repository:
    """The directory of models, and what the server says about it."""

    def __init__(self, folder, stub):
        self.folder, self.stub = folder, stub

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def answer(self, **spec):
        response = self.stub.Call(call_of(**spec), timeout=30)
        return int.from_bytes(response.result.tensor.data, "little", signed=True)

    def version(self, version, model="m"):
        for info in self.stub.ListModels(service_pb2.ListModelsRequest(), timeout=30).models:
            if info.name == model:
                for each in info.versions:
                    if each.version == version:
                        return each
        return None

    def wait_for_state(self, version, state, model="m"):
        def is_there():
            info = self.version(version, model)
            return info is not None and info.state == state
        wait_for(is_there, f"{model}/{version} is not {State.State.Name(state)}: "
                           f"{self.version(version, model)}")

    def publish(self, source, *options):
        return subprocess.run([CLI, "publish", source, self.folder, *options],
                              capture_output=True, text=True, timeout=60)


def code_of(call):
    try:
        call()
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def test_replacements(server, repository):
    """Fault 52: versions are replaced under load without a failed call, and without more memory."""
    failures, counts, done = [], [0] * CLIENTS, threading.Event()

    def call_until_done(index):
        with grpc.insecure_channel(server.address) as channel:
            stub = service_pb2_grpc.TensorServiceStub(channel)
            seen = 0
            while not done.is_set():
                try:
                    response = stub.Call(call_of(), timeout=60)
                    added = int.from_bytes(response.result.tensor.data, "little", signed=True)
                    if added != response.model_version or added < seen:
                        failures.append(f"version {response.model_version} added {added} "
                                        f"after {seen}")
                    seen = added
                except grpc.RpcError as error:
                    failures.append(f"{error.code()}: {error.details()}")
                counts[index] += 1

    newest = max(int(name) for name in os.listdir(repository.path("m")) if name.isdigit())
    threads = [threading.Thread(target=call_until_done, args=[i]) for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    memory = 0
    try:
        for i in range(1, REPLACEMENTS + 1):
            version = newest + i
            # As `signet publish` does, without starting a process each time.
            new = repository.path(".new")
            write(os.path.join(new, "model.signet"), model_text(version))
            os.rename(new, repository.path("m", str(version)))
            repository.wait_for_state(version, State.AVAILABLE)
            shutil.rmtree(repository.path("m", str(version - 1)))
            if i == REPLACEMENTS // 4:
                memory = server.resident_bytes()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    check(not failures, f"no call fails during {REPLACEMENTS} replacements: {failures[:3]}")
    check(all(counts), "every client made calls")
    repository.wait_for_state(newest + REPLACEMENTS, State.AVAILABLE)
    wait_for(lambda: len(repository.stub.ListModels(
        service_pb2.ListModelsRequest()).models[0].versions) == 1, "old versions are still listed")
    growth = server.resident_bytes() / memory
    print(f"{REPLACEMENTS} replacements, {sum(counts)} calls, memory x {growth:.3f}")
    check(growth < 1.25, "replaced versions are freed")


def test_bad_versions(repository):
    """Faults 50 and 51: half copies are not loaded, and bad versions leave the old one in place."""
    before = repository.answer()
    version = before + 1
    text = model_text(version)
    # A copy that is not complete at any poll: no state but LOADING is ever reported.
    for end in range(0, len(text), 20):
        write(repository.path("m", str(version), "model.signet"), text[:end])
        info = repository.version(version)
        check(info is None or info.state == State.LOADING, "a half copy is not loaded")
        check(repository.answer() == before, "the old version answers")
        time.sleep(0.05)
    write(repository.path("m", str(version), "model.signet"), text)
    repository.wait_for_state(version, State.AVAILABLE)
    check(repository.answer() == version, "the complete copy answers")

    bad = version + 1
    write(repository.path("m", str(bad), "model.signet"), "def f(")
    repository.wait_for_state(bad, State.FAILED)
    check("model.signet:1:" in repository.version(bad).reason, "the reason is reported")
    check(repository.answer() == version, "the old version answers")
    health = subprocess.run([CLI, "status"], capture_output=True, text=True, timeout=60)
    check(health.stdout == "SERVING\n", "health is not affected")
    write(repository.path("m", str(bad), "model.signet"), model_text(bad, example="'soup'"))
    wait_for(lambda: "warm-up" in repository.version(bad).reason, "the example is not called")
    check("function `f`: example" in repository.version(bad).reason, "the example is named")
    shutil.rmtree(repository.path("m", str(bad)))
    wait_for(lambda: repository.version(bad) is None, "a removed version is still listed")


def test_files_that_change(repository):
    """Fault 56: a file that is overwritten or truncated while it is served never ends the server."""
    version = repository.answer()
    path = repository.path("m", str(version), "model.signet")
    with open(path, "r+") as file:
        file.truncate(3)
    wait_for(lambda: repository.version(version).reason != "", "the change is not reported")
    check(repository.version(version).state == State.AVAILABLE, "the version remains")
    check(repository.answer() == version, "and answers")
    write(path, model_text(version))
    wait_for(lambda: repository.version(version).reason == "", "the repair is not noticed")


def test_publish(repository):
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "m")
        version = repository.answer() + 1
        write(os.path.join(source, "model.signet"), model_text(version))
        first = repository.publish(source)
        check(first.returncode == 0 and f"m/{version} published: 1 file" in first.stdout,
              f"signet publish: {first}")
        check(os.path.exists(repository.path("m", str(version), "manifest.json")), "a manifest")
        again = repository.publish(source)
        check(again.stdout == f"m/{version} has these files already\n", f"publish again: {again}")
        repository.wait_for_state(version, State.AVAILABLE)
        check(repository.answer() == version, "the published version answers")
        write(os.path.join(source, "model.signet"), model_text(0))
        other = repository.publish(source, "--version", str(version))
        check(other.returncode == 1 and "has other files" in other.stderr, f"conflict: {other}")
        write(os.path.join(source, "model.signet"), "def f(")
        broken = repository.publish(source)
        check(broken.returncode == 1 and "model.signet:1:" in broken.stderr, f"a broken model: {broken}")
        named = repository.publish(source, "--name", "../m")
        check(named.returncode == 1 and "expected a name" in named.stderr, f"a bad name: {named}")
        hidden = [name for name in os.listdir(repository.folder) if name.startswith(".")]
        check(not hidden, f"no temporary directories remain: {hidden}")


def test_settings(repository):
    newest = repository.answer()
    settings = repository.path("m", "settings.textproto")
    write(settings, f"labels {{ key: 'stable' value: {newest} }} limits {{ max_loop_steps: 7 }}")
    wait_for(lambda: code_of(lambda: repository.answer(label="stable")) == grpc.StatusCode.OK,
             "the label of the settings is not set")
    model = service_pb2.GetModelRequest(model=service_pb2.ModelSpec(name="m"))

    def effective():
        return repository.stub.GetModel(model, timeout=30)
    check(effective().settings.limits.max_loop_steps == 7, "GetModel has the effective settings")
    check(effective().setting_origins["limits.max_loop_steps"] == settings_pb2.FILE, "and origins")
    shown = subprocess.run([CLI, "status", "m"], capture_output=True, text=True, timeout=60).stdout
    rows = [line.split() for line in shown.splitlines()]
    check(["limits.max_loop_steps", "7", "file"] in rows, f"signet status m: {shown}")
    check(["load", "EAGER", "default"] in rows, f"signet status m: {shown}")
    check(any(row[:3] == [str(newest), "AVAILABLE", "stable"] for row in rows), f"the label is shown: {shown}")
    write(settings, "labels { key: 'stable' value: 77777 } limits { max_loop_steps: 7 }")
    wait_for(lambda: effective().settings.labels["stable"] == 77777, "the label is not read")
    shown = subprocess.run([CLI, "status", "m"], capture_output=True, text=True, timeout=60).stdout
    check("label stable: waits until version 77777 is loaded" in shown, f"a label that waits: {shown}")
    write(settings, "limits { max_loop_step: 7 }")
    wait_for(lambda: effective().settings_error != "", "wrong settings are not reported")
    check('no field named "max_loop_step"; the nearest is `max_loop_steps`' in effective().settings_error,
          f"the error names the field: {effective().settings_error}")
    check(effective().settings.limits.max_loop_steps == 7, "the last good settings remain")
    os.remove(settings)
    wait_for(lambda: effective().settings_error == "", "removed settings are not noticed")
    check(code_of(lambda: repository.answer(label="stable")) == grpc.StatusCode.NOT_FOUND,
          "the label is gone")

    # Fault 57: recorded requests.
    version = newest + 1
    good = recorded_pb2.RecordedCall(request=call_of())
    wrong = recorded_pb2.RecordedCall(request=service_pb2.CallRequest(
        model=service_pb2.ModelSpec(name="m"), function="g"))
    records = b"".join(bytes([len(r)]) + r for r in (x.SerializeToString() for x in (good, wrong)))
    write(settings, "warm_up { requests_file: 'calls.rec' }")
    wait_for(lambda: effective().settings.warm_up.requests_file, "the settings are not applied")
    write(repository.path(".new", "calls.rec"), records)
    write(repository.path(".new", "model.signet"), model_text(version))
    os.rename(repository.path(".new"), repository.path("m", str(version)))
    repository.wait_for_state(version, State.FAILED)
    reason = repository.version(version).reason
    check("warm-up: `calls.rec`: request 2" in reason and "`g` not found" in reason, reason)
    check(repository.answer() == newest, "a failed warm-up is not published")
    os.remove(settings)
    shutil.rmtree(repository.path("m", str(version)))


def test_on_demand(folder):
    """Models that are loaded at their first call, with a budget for some of them."""
    count = 300
    for i in range(count):
        write(os.path.join(folder, f"m{i}", "1", "model.signet"), model_text(i))
    with running("--load", "on_demand", "--model_memory_bytes", "4MB", models=folder) as server:
        with grpc.insecure_channel(server.address) as channel:
            stub = service_pb2_grpc.TensorServiceStub(channel)
            repository = Repository(folder, stub)
            check(repository.version(1, "m7").state == State.NOT_LOADED, "nothing is loaded")
            check(repository.version(1, "m7").on_demand, "but on demand")
            answers = [None] * count

            def call_all(begin):
                for i in range(begin, count, 8):
                    answers[i] = repository.answer(model=f"m{i}")
            threads = [threading.Thread(target=call_all, args=[i]) for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            check(answers == list(range(count)), "every model answers")
            versions = [v for model in stub.ListModels(service_pb2.ListModelsRequest()).models
                        for v in model.versions]
            check(len(versions) == count, "every model is listed")
            used = sum(v.memory_bytes for v in versions)
            check(0 < used <= 4 << 20, f"{used} bytes are within the budget")
            explanation = stub.Explain(call_of(model="m0"), timeout=30)
            check(explanation.model_version == 1, "Explain loads a model, too")
            model = stub.GetModel(service_pb2.GetModelRequest(
                model=service_pb2.ModelSpec(name="m1")), timeout=30)
            check(model.functions[0].name == "f", "and GetModel")


with tempfile.TemporaryDirectory() as folder:
    write(os.path.join(folder, "m", "1", "model.signet"), model_text(1))
    with running("--poll_seconds", "0.2", "--version_policy", "newest:1",
                 models=folder) as server:
        os.environ["SIGNET_ADDRESS"] = server.address
        with grpc.insecure_channel(server.address) as channel:
            repository = Repository(folder, service_pb2_grpc.TensorServiceStub(channel))
            check(repository.answer() == 1, "the first version answers")
            test_replacements(server, repository)
            test_bad_versions(repository)
            test_files_that_change(repository)
            test_publish(repository)
            test_settings(repository)
            # Fault 60: a signal while models arrive.
            write(os.path.join(folder, "m", "9999", "model.signet"), model_text(9999))
            server.process.send_signal(signal.SIGTERM)
            check(server.process.wait(timeout=60) == 0, "SIGTERM during a load")
with tempfile.TemporaryDirectory() as folder:
    test_on_demand(folder)
print("ok")
