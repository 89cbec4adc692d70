"""Cases 50 to 58 and 60: versions that arrive, change, fail, and leave while a server runs."""

import os
import shutil
import signal
import tempfile
import threading

import grpc

from lib import BOUND, SERVING, check, integers, request, running, service_pb2, wait_for

HEALTH = "/grpc.health.v1.Health/Check"
LIST = "/signet.v1.TensorService/ListModels"
State = service_pb2.VersionInfo
POLL = ("--poll_seconds", "0.2")


def model_text(added, example="'[1]'"):
    return f'@example("{example}")\ndef f(x: int64[?]):\n    return x + {added}\n'


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb" if isinstance(text, bytes) else "w") as file:
        file.write(text)


class Models:
    """A directory of models, and the server that polls it."""

    def __init__(self, folder, server=None):
        self.folder, self.server = folder, server

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write_version(self, version, text=None, model="m"):
        """Makes a version appear at once."""
        write(self.path(".new", "model.signet"), model_text(version) if text is None else text)
        os.makedirs(self.path(model), exist_ok=True)
        os.rename(self.path(".new"), self.path(model, str(version)))

    def answer(self, model="m", **choice):
        message = request("f", integers(0), model=model)
        for name, value in choice.items():
            setattr(message.model, name, value)
        return int.from_bytes(self.server.send(message).tensor.data, "little", signed=True)

    def status(self, version, model="m"):
        listed = service_pb2.ListModelsResponse.FromString(
            self.server.channel.unary_unary(LIST)(b"", timeout=BOUND))
        for info in listed.models:
            for each in info.versions:
                if info.name == model and each.version == version:
                    return each
        return None

    def wait_for_state(self, version, state, model="m"):
        wait_for(lambda: (self.status(version, model) or State()).state == state,
                 f"{model}/{version} becomes {State.State.Name(state)}: {self.status(version, model)}")

    def code_of(self, **choice):
        try:
            self.answer(**choice)
        except grpc.RpcError as error:
            return error.code()
        return grpc.StatusCode.OK


class serving:
    """A server of the model `m` with version 1, which polls its directory."""

    def __init__(self, *flags):
        self.root = tempfile.TemporaryDirectory()
        self.models = Models(self.root.name)
        self.models.write_version(1)
        self.running = running(*POLL, *flags, models=self.root.name)

    def __enter__(self):
        self.models.server = self.running.__enter__()
        return self.models

    def __exit__(self, *error):
        self.running.__exit__(*error)
        self.root.cleanup()


def fault_50_half_copied_model():
    with serving() as models:
        text = model_text(2)
        for end in range(0, len(text), 8):
            write(models.path("m/2/model.signet"), text[:end])
            found = models.status(2)
            check(found is None or found.state == State.LOADING, f"a half copy is not loaded: {found}")
            check(models.answer() == 1, "version 1 answers")
        write(models.path("m/2/model.signet"), text)
        models.wait_for_state(2, State.AVAILABLE)
        check(models.answer() == 2, "the complete copy answers")
        # A manifest that is there before its files.
        write(models.path("m/3/manifest.json"),
              '{"formatVersion": 1, "files": [{"path": "model.signet", "size": "1000", "sha256": "00"}]}')
        write(models.path("m/3/model.signet"), model_text(3))
        models.wait_for_state(3, State.FAILED)
        check("expected 1000 bytes" in models.status(3).reason, models.status(3).reason)
        check(models.answer() == 2, "version 2 answers")


def fault_51_new_version_fails():
    with serving("--version_policy", "newest:1", "--ready", "all") as models:
        models.write_version(2, "def f(")
        models.wait_for_state(2, State.FAILED)
        check("model.signet:1:" in models.status(2).reason, "the reason is reported")
        check(models.answer() == 1, "the old version answers")
        health = models.server.channel.unary_unary(HEALTH)(b"", timeout=BOUND)
        check(health == SERVING, "health is not affected")
        write(models.path("m/2/model.signet"), model_text(2))
        models.wait_for_state(2, State.AVAILABLE)
        check(models.answer() == 2, "the repaired version answers")


def replace_versions(count, clients):
    with serving("--version_policy", "newest:1") as models:
        failures, calls, done = [], [0] * clients, threading.Event()

        def call_until_done(index):
            with models.server.connect() as channel:
                while not done.is_set():
                    try:
                        models.server.send(request("f", integers(index), model="m"), channel=channel)
                    except grpc.RpcError as error:
                        failures.append(f"{error.code()}: {error.details()}")
                    calls[index] += 1

        threads = [threading.Thread(target=call_until_done, args=[i]) for i in range(clients)]
        for thread in threads:
            thread.start()
        before = 0
        try:
            for version in range(2, count + 2):
                models.write_version(version)
                models.wait_for_state(version, State.AVAILABLE)
                shutil.rmtree(models.path("m", str(version - 1)))
                if version == max(count // 4, 20):
                    before = models.server.resident_bytes()
        finally:
            done.set()
            for thread in threads:
                thread.join()
        check(not failures, f"{len(failures)} of {sum(calls)} calls failed: {failures[:3]}")
        check(all(calls), "every client was served")
        return models.server.resident_bytes() / max(before, 1)


def fault_52_replacements():
    growth = replace_versions(40, 8)
    check(growth < 1.25, f"the memory grew by the factor {growth:.3f}")


def fault_52_replacements_long():
    growth = replace_versions(1000, 64)
    check(growth < 1.05, f"the memory grew by the factor {growth:.3f}")


def fault_54_unload_with_calls_in_flight():
    with serving() as models:
        models.write_version(2)
        models.wait_for_state(2, State.AVAILABLE)
        # Many calls are in flight whenever the directory disappears.
        futures = [models.server.start_call(request("f", integers(*range(1 << 16)), model="m")) for _ in range(50)]
        shutil.rmtree(models.path("m/2"))
        wait_for(lambda: models.status(2) is None, "version 2 is no longer listed")
        for future in futures:
            check(future.result() is not None, "a call in flight completes")
        check(models.code_of(version=2) == grpc.StatusCode.NOT_FOUND, "later calls are rejected")
        check(models.answer() == 1, "version 1 remains")


def fault_55_labels():
    with serving() as models:
        settings = models.path("m/settings.textproto")
        write(settings, "labels { key: 'stable' value: 1 }")
        wait_for(lambda: models.code_of(label="stable") == grpc.StatusCode.OK, "the label is set")
        failures, done = [], threading.Event()

        def call_until_done():
            while not done.is_set():
                try:
                    if models.answer(label="stable") not in (1, 2):
                        failures.append("a wrong version")
                except grpc.RpcError as error:
                    failures.append(f"{error.code()}: {error.details()}")
        threads = [threading.Thread(target=call_until_done) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            write(settings, "labels { key: 'stable' value: 2 }")  # not loaded: the label stays
            models.write_version(2)
            wait_for(lambda: models.answer(label="stable") == 2, "the label moves")
        finally:
            done.set()
            for thread in threads:
                thread.join()
        check(not failures, f"a label has no gap while it moves: {failures[:3]}")


def fault_56_file_changes_while_it_is_mapped():
    with tempfile.TemporaryDirectory() as root:
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/models/recipes")
        shutil.copytree(source, os.path.join(root, "recipes"))
        with running(*POLL, models=root) as server:
            models = Models(root, server)
            path = models.path("recipes/1/captures.safetensors")
            with open(path, "rb") as file:
                whole = file.read()
            for damaged in (b"", whole[:100], b"x" * len(whole)):
                with open(path, "r+b") as file:  # in place
                    file.truncate(len(damaged))
                    file.write(damaged)
                wait_for(lambda: models.status(1, "recipes").reason, "the status reports the change")
                check(server.is_alive(), "the server lives")
                check(models.status(1, "recipes").state == State.AVAILABLE, "the version remains")
                with open(path, "r+b") as file:
                    file.write(whole)
                wait_for(lambda: not models.status(1, "recipes").reason, "the repair is noticed")
            shutil.rmtree(models.path("recipes"))
            wait_for(lambda: models.status(1, "recipes") is None, "a removed model is not listed")
            check(server.is_alive(), "the server lives")


def fault_57_warm_up_fails():
    with serving("--version_policy", "newest:1") as models:
        models.write_version(2, model_text(2, example="'soup'"))
        models.wait_for_state(2, State.FAILED)
        check("warm-up: function `f`: example" in models.status(2).reason, models.status(2).reason)
        check(models.answer() == 1, "the old version answers")
        write(models.path("m/settings.textproto"), "warm_up { requests_file: 'calls.rec' }")
        write(models.path(".new/calls.rec"), b"\xff\xff\xff\xff\x0fx")
        models.write_version(3)
        models.wait_for_state(3, State.FAILED)
        check("`calls.rec`: request 1" in models.status(3).reason, models.status(3).reason)


def fault_58_memory_of_models():
    with serving("--model_memory_bytes", "1MB") as models:
        write(models.path(".new/weights.bin"), b"x" * (2 << 20))
        models.write_version(2)
        models.wait_for_state(2, State.FAILED)
        reason = models.status(2).reason
        check("--model_memory_bytes" in reason, reason)
        check(models.answer() == 1, "version 1 is not affected")


def fault_60_stop_while_models_arrive():
    with serving() as models:
        for version in range(2, 30):
            models.write_version(version)
        wait_for(lambda: models.status(2) is not None, "a load has begun")
        models.server.process.send_signal(signal.SIGTERM)
        check(models.server.process.wait(timeout=BOUND) == 0, "the server exits with 0")
