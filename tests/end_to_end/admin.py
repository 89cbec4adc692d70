#!/usr/bin/env python3
"""AdminService of a running server: captures are replaced under load without a failed call or a new specialization, and
versions and labels change. Every call is repeated, and tried with dry_run."""

import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from server import CLI, check, make_stubs, running  # noqa: E402

STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from signet.v1 import (  # noqa: E402
    admin_pb2, admin_pb2_grpc, service_pb2, service_pb2_grpc, types_pb2, values_pb2)

SIZE = 512  # rows and columns of the weights, 1 MiB
CHUNK = 1 << 18
LONG = 60  # seconds, where a fault would wait without end
MODEL = """
def score(x: float32[?, %d]):
    return x @ weights + bias
""" % SIZE


def safetensors(weight, bias):
    """captures.safetensors with weights of one value, so that score([1, .., 1]) is SIZE * weight + bias."""
    weights = struct.pack("<f", weight) * (SIZE * SIZE)
    biases = struct.pack("<f", bias) * SIZE
    header = json.dumps({
        "bias": {"dtype": "F32", "shape": [SIZE], "data_offsets": [0, len(biases)]},
        "weights": {"dtype": "F32", "shape": [SIZE, SIZE],
                    "data_offsets": [len(biases), len(biases) + len(weights)]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + biases + weights


def write(path, content):
    """Writes a file as a publisher does: under another name, which is renamed."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".tmp", "wb") as file:
        file.write(content)
    os.rename(path + ".tmp", path)


def write_version(folder, version, weight, bias):
    write(os.path.join(folder, "m", str(version), "captures.safetensors"), safetensors(weight, bias))
    write(os.path.join(folder, "m", str(version), "model.signet"), MODEL.encode())


def wait_for(condition):
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


class Client:
    def __init__(self, server, admin_address):
        self.channel = grpc.insecure_channel(server.address)
        self.stub = service_pb2_grpc.TensorServiceStub(self.channel)
        self.admin = admin_pb2_grpc.AdminServiceStub(grpc.insecure_channel(admin_address))

    def score(self, rows=1, **choice):
        data = struct.pack("<f", 1) * (rows * SIZE)
        x = values_pb2.Value(tensor=values_pb2.Tensor(
            dtype=types_pb2.DTYPE_FLOAT32, shape=[rows, SIZE], data=data))
        response = self.stub.Call(service_pb2.CallRequest(
            model=service_pb2.ModelSpec(name="m", **choice), function="score", args=[x]), timeout=LONG)
        return struct.unpack_from("<f", response.result.tensor.data)[0]

    def replace(self, content, **start):
        def messages():
            yield admin_pb2.ReplaceCapturesRequest(
                start=admin_pb2.ReplaceCapturesRequest.Start(model="m", **start))
            for i in range(0, len(content), CHUNK):
                yield admin_pb2.ReplaceCapturesRequest(chunk=content[i:i + CHUNK])
        return self.admin.ReplaceCaptures(messages(), timeout=LONG)

    def details(self, version=1):
        status = self.admin.Status(admin_pb2.StatusRequest(model="m"), timeout=LONG)
        return next(v for v in status.models[0].versions if v.version == version)

    def states(self):
        status = self.admin.Status(admin_pb2.StatusRequest(model="m"), timeout=LONG)
        return {v.version: service_pb2.VersionInfo.State.Name(v.state)
                for v in status.models[0].info.versions}


def error_of(call):
    try:
        call()
    except grpc.RpcError as error:
        return error.code(), error.details()
    sys.exit("FAILED: a call that should fail did not")


def captures_under_load(client):
    expected = {SIZE * 1 + 1.0}
    for rows in (1, 2, 3):
        check(client.score(rows) in expected, f"the first captures are used for {rows} rows")
    before = client.details().functions[0]
    failures, wrong, calls = [], [], [0]
    stop = threading.Event()

    def keep_calling(seed):
        choose = random.Random(seed)
        while not stop.is_set():
            try:
                answer = client.score(choose.choice((1, 2, 3)))
                calls[0] += 1
                if answer not in expected:
                    wrong.append(answer)
            except grpc.RpcError as error:
                failures.append(error)

    threads = [threading.Thread(target=keep_calling, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for step in range(2, 12):
        expected.add(SIZE * step + float(step))
        begun = calls[0]
        response = client.replace(safetensors(step, step), revision=f"step {step}")
        check(response.changed and response.functions_specialized == 0
              and response.functions_rebuilt == before.concrete_functions,
              f"replacement {step} specializes nothing")
        check(client.score() == SIZE * step + float(step), f"replacement {step} is used at once")
        wait_for(lambda: calls[0] > begun)
    stop.set()
    for thread in threads:
        thread.join()
    check(not failures and not wrong, f"{calls[0]} calls meanwhile succeed with old or new captures")
    after = client.details()
    check(after.functions[0].specializations == before.specializations, "no new specialization")
    check(after.functions[0].hits > before.hits, "statistics continue")
    check(after.captures_revision == "step 11" and after.capture_count == 2, "the revision is read back")


def captures_repeated_and_rejected(client, folder):
    again = client.replace(safetensors(11, 11), revision="step 11")
    check(not again.changed, "the same captures change nothing")
    check(client.replace(safetensors(12, 12), dry_run=True).changed, "a dry run says that it would change")
    check(client.score() == SIZE * 11 + 11.0, "a dry run changes nothing")
    wrong = safetensors(1, 1).replace(b'"bias"', b'"bigs"')
    code, text = error_of(lambda: client.replace(wrong))
    check(code == grpc.StatusCode.NOT_FOUND and "capture `bigs` not found" in text, text)
    code, text = error_of(lambda: client.replace(b"x" * 100))
    check(code == grpc.StatusCode.INVALID_ARGUMENT, text)
    code, text = error_of(lambda: client.replace(b"x" * (SIZE * SIZE * 4 + (20 << 20))))
    check(code == grpc.StatusCode.RESOURCE_EXHAUSTED, text)
    for file in ("../outside.safetensors", "/etc/hostname", "m/1/none.safetensors"):
        code, text = error_of(lambda: client.replace(b"", file=file))
        check(code == grpc.StatusCode.NOT_FOUND and file in text, text)
    check(client.score() == SIZE * 11 + 11.0, "rejected captures change nothing")
    write(os.path.join(folder, "staged", "new.safetensors"), safetensors(13, 1))
    check(client.replace(b"", file="staged/new.safetensors").changed, "a file of the server is used")
    check(client.score() == SIZE * 13 + 1.0, "with its values")
    kept = client.replace(safetensors(14, 1), persist=True)
    check(kept.changed and client.score() == SIZE * 14 + 1.0, "captures are persisted")
    with open(os.path.join(folder, "m", "1", "captures.safetensors"), "rb") as file:
        check(file.read() == safetensors(14, 1), "captures.safetensors has the new bytes")
    before = client.details().functions[0].specializations
    write(os.path.join(folder, "m", "1", "captures.safetensors"), safetensors(15, 1))
    check(wait_for(lambda: client.score() == SIZE * 15 + 1.0), "a new captures.safetensors is found")
    check(client.details().functions[0].specializations == before, "without a new specialization")


def versions_and_labels(client, folder):
    admin = client.admin
    write_version(folder, 2, 2, 2)
    scanned = admin.Reload(admin_pb2.ReloadRequest(), timeout=LONG)
    check(wait_for(lambda: client.states().get(2) == "AVAILABLE"), f"a scan finds version 2: {scanned.changed}")
    set_label = admin_pb2.SetLabelRequest(model="m", label="stable", version=1, dry_run=True)
    check(admin.SetLabel(set_label, timeout=LONG).changed, "a dry run of a label would change")
    check(error_of(lambda: client.score(label="stable"))[0] == grpc.StatusCode.NOT_FOUND, "it sets no label")
    set_label.dry_run = False
    check(admin.SetLabel(set_label, timeout=LONG).changed, "the label is set")
    check(not admin.SetLabel(set_label, timeout=LONG).changed, "setting it again changes nothing")
    check(client.score(label="stable") == SIZE * 15 + 1.0, "the label selects version 1")
    set_label.version = 2
    check(admin.SetLabel(set_label, timeout=LONG).changed, "the label moves")
    check(client.score(label="stable") == SIZE * 2 + 2.0, "the label selects version 2")
    set_label.version = 7
    check(error_of(lambda: admin.SetLabel(set_label, timeout=LONG))[0] == grpc.StatusCode.NOT_FOUND,
          "a label does not move to a version that does not exist")
    remove = admin_pb2.RemoveLabelRequest(model="m", label="stable")
    check(admin.RemoveLabel(remove, timeout=LONG).changed, "the label is removed")
    check(not admin.RemoveLabel(remove, timeout=LONG).changed, "removing it again changes nothing")
    unload = admin_pb2.UnloadRequest(model="m", version=2, dry_run=True)
    check(admin.Unload(unload, timeout=LONG).changed and client.states()[2] == "AVAILABLE", "a dry run unloads nothing")
    unload.dry_run = False
    check(admin.Unload(unload, timeout=LONG).changed, "version 2 is unloaded")
    check(wait_for(lambda: client.states()[2] == "NOT_LOADED"), "its state is read back")
    check(not admin.Unload(unload, timeout=LONG).changed, "unloading it again changes nothing")
    check(client.score() == SIZE * 15 + 1.0, "version 1 is the newest available one")
    load = admin_pb2.LoadRequest(model="m", version=2)
    check(admin.Load(load, timeout=LONG).changed and client.states()[2] == "AVAILABLE", "version 2 is loaded")
    check(not admin.Load(load, timeout=LONG).changed, "loading it again changes nothing")
    reload = admin_pb2.ReloadRequest(model="m", version=2)
    check(admin.Reload(reload, timeout=LONG).changed and client.score() == SIZE * 2 + 2.0, "version 2 is reloaded")
    code, text = error_of(lambda: admin.Load(admin_pb2.LoadRequest(model="other"), timeout=LONG))
    check(code == grpc.StatusCode.NOT_FOUND and "models: `m`" in text, text)


def command_line(admin_address, folder):
    def signet(*words):
        done = subprocess.run([CLI, *words, "--address", admin_address], capture_output=True, text=True,
                              check=False, timeout=LONG)
        return done.returncode, done.stdout + done.stderr
    file = os.path.join(folder, "cli.safetensors")
    write(file, safetensors(3, 3))
    for words, text in (
            (("captures", "replace", "m/2", file, "--dry_run"), "version 2: would change"),
            (("captures", "replace", "m/2", file, "--revision", "r9"), "specialized again: 0"),
            (("captures", "replace", "m/2", file, "--revision", "r9"), "unchanged"),
            (("status", "m", "--details"), "r9"),
            (("label", "m/1", "canary"), "canary"),
            (("label", "m", "canary", "--remove"), "changed"),
            (("unload", "m/2"), "changed"),
            (("load", "m/2"), "AVAILABLE"),
            (("reload", "m/2"), "AVAILABLE"),
            (("reload", "--dry_run"), "would change nothing"),
            (("drain", "--dry_run"), "would change")):
        code, output = signet(*words)
        check(code == 0 and text in output, f"signet {' '.join(words[:2])}: {output.splitlines()[0]}")
    code, output = signet("label", "m", "canary")
    check(code == 2 and "expected MODEL/VERSION" in output, "signet label without a version is rejected")
    code, output = signet("load", "none")
    check(code == 1 and "model `none` not found" in output, "signet load of an unknown model is rejected")


def drain(server, client):
    check(client.admin.Drain(admin_pb2.DrainRequest(dry_run=True), timeout=LONG).changed, "a dry run drains nothing")
    check(client.score() > 0, "the server still answers")
    check(client.admin.Drain(admin_pb2.DrainRequest(), timeout=LONG).changed, "the server drains")
    check(server.process.wait(LONG) == 0, "the server exits with code 0")


def address_of(server, event):
    """Returns the address that the line of an event in the log states."""
    def find():
        with open(server.log, encoding="utf-8") as file:
            return [line for line in file if f" {event} " in line]
    check(wait_for(find), f"the log has the event `{event}`")
    return find()[0].rsplit("address=", 1)[1].split()[0]


def loads_examine_the_directory(folder):
    """A request to load a model finds new models, new versions, and replaced files, although the server does not poll."""
    models = os.path.join(folder, "examined")
    os.makedirs(models)
    with running("--admin", "--poll_seconds", "0", "--http_listen", "127.0.0.1:0", models=models) as server:
        http = address_of(server, "serving http")
        admin = admin_pb2_grpc.AdminServiceStub(grpc.insecure_channel(server.address))

        def by_http(name):
            request = urllib.request.Request(f"http://{http}/v2/repository/models/{name}/load", data=b"{}")
            with urllib.request.urlopen(request, timeout=LONG) as response:
                check(json.load(response)["load"], f"{name} is loaded over HTTP")

        def by_command(name):
            done = subprocess.run([CLI, "load", name, "--address", server.address], capture_output=True, text=True,
                                  check=False, timeout=LONG)
            check(done.returncode == 0 and "changed" in done.stdout, f"signet load {name}: {done}")

        def by_service(name):
            check(admin.Load(admin_pb2.LoadRequest(model=name), timeout=LONG).changed, f"Load changes {name}")
            check(not admin.Load(admin_pb2.LoadRequest(model=name), timeout=LONG).changed, "and only once")

        def answer(name):
            request = urllib.request.Request(f"http://{http}/v1/models/{name}/functions/f", data=b"1")
            with urllib.request.urlopen(request, timeout=LONG) as response:
                return json.load(response)

        def write_number(name, version, number):
            text = f"def f(x: int64[]):\n    return x + {number}\n"
            write(os.path.join(models, name, str(version), "model.signet"), text.encode())

        for load in (by_http, by_command, by_service):
            name = load.__name__
            for version, number in ((1, 1), (1, 2), (2, 3), (2, 4)):
                write_number(name, version, number)
                load(name)
                check(answer(name) == 1 + number, f"{name}: the files of version {version} are served after a load")
        dry_run = admin_pb2.LoadRequest(model="by_http", dry_run=True)
        check(not admin.Load(dry_run, timeout=LONG).changed, "a dry run of a load finds nothing new")
        write_number("by_http", 5, 5)
        check(admin.Load(dry_run, timeout=LONG).changed and answer("by_http") == 5,
              "a dry run finds a new version and loads nothing")
        server.process.send_signal(signal.SIGHUP)
        check(wait_for(lambda: answer("by_http") == 6), "SIGHUP makes the server examine its directories")


def imported_captures(folder):
    """Captures that are replaced reach the models that import them at the same moment."""
    def scalar(number):
        header = json.dumps({"w": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}}).encode()
        header += b" " * (-len(header) % 8)
        return struct.pack("<Q", len(header)) + header + struct.pack("<f", number)

    models = os.path.join(folder, "imports")
    write(os.path.join(models, "m/1/captures.safetensors"), scalar(2))
    write(os.path.join(models, "m/1/model.signet"),
          b"capture w: float32[]\n\ndef rate(x: float32[]):\n    return x * w\n")
    write(os.path.join(models, "joint/1/model.signet"),
          b'import "m/1" as m\n\ndef f(x: float32[]):\n    return m.rate(x) + 1\n')
    with running("--admin", "--poll_seconds", "0.1", models=models) as server:
        client = Client(server, server.address)
        one = values_pb2.Value(tensor=values_pb2.Tensor(dtype=types_pb2.DTYPE_FLOAT32, data=struct.pack("<f", 1)))

        def answer(model, function):
            response = client.stub.Call(service_pb2.CallRequest(
                model=service_pb2.ModelSpec(name=model), function=function, args=[one]), timeout=LONG)
            return struct.unpack("<f", response.result.tensor.data)[0]

        def answers():
            return [answer("m", "rate"), answer("joint", "f")]

        check(answers() == [2, 3], "the captures of the files")
        for number, options in ((3, {}), (4, {"persist": True}), (5, {})):
            client.replace(scalar(number), **options)
            check(answers() == [number, number + 1], f"captures {number} are used by both models")
        client.admin.Reload(admin_pb2.ReloadRequest(model="joint"), timeout=LONG)
        check(answers() == [5, 6], "also after the importing model was loaded again")
        with open(server.log, encoding="utf-8") as file:
            lines = file.read()
        check(lines.count(" captures replaced ") == 6, "replacements are logged as such")
        check(" model unloaded " not in lines, "and not as unloaded models")
        client.admin.Reload(admin_pb2.ReloadRequest(model="m"), timeout=LONG)
        check(wait_for(lambda: answers() == [4, 5]), "a reload returns to the captures that were persisted")
        code, text = error_of(lambda: client.replace(b"", file="m/1/captures.safetensors\0.txt"))
        check(code == grpc.StatusCode.NOT_FOUND and "expected a file below" in text, f"a NUL in a file name: {text}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        models = os.path.join(folder, "models")
        write_version(models, 1, 1, 1)
        with running("--admin_listen", "127.0.0.1:0", "--poll_seconds", "0.1", models=models) as server:
            address = address_of(server, "administration")
            client = Client(server, address)
            captures_under_load(client)
            captures_repeated_and_rejected(client, models)
            versions_and_labels(client, models)
            command_line(address, folder)
            drain(server, client)
        loads_examine_the_directory(folder)
        imported_captures(folder)
        with running("--admin", models=models) as server:
            client = Client(server, server.address)
            check(client.states()[1] == "AVAILABLE", "--admin serves AdminService on the address for calls")
            check(client.score(version=1) == SIZE * 15 + 1.0, "persisted captures outlive a restart")
        for rpcs, permitted in (("CALL", False), ("ADMIN", True)):
            policy = os.path.join(folder, "policy.textproto")
            write(policy, f"""roles {{ name: "all" members: "anonymous" }}
                              rules {{ roles: "all" rpcs: [{rpcs}] {'' if permitted else 'models: "*"'} }}""".encode())
            with running("--admin", "--policy_file", policy, models=models) as server:
                client = Client(server, server.address)
                if permitted:
                    check(client.states()[1] == "AVAILABLE", "the permission ADMIN permits AdminService")
                    continue
                for call in (client.states, lambda: client.replace(safetensors(16, 1)),
                             lambda: client.admin.Drain(admin_pb2.DrainRequest(), timeout=LONG)):
                    code, _ = error_of(call)
                    check(code == grpc.StatusCode.UNAUTHENTICATED, "other permissions do not include AdminService")
                check(client.score(version=1) == SIZE * 15 + 1.0, "nothing has changed")
        with running(models=models) as server:
            code, _ = error_of(lambda: Client(server, server.address).states())
            check(code == grpc.StatusCode.UNIMPLEMENTED, "AdminService is disabled by default")


main()
