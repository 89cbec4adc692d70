"""Cases 53 and 72: many administrators at once, and mixed valid, hostile, and administrative calls."""

import os
import random
import signal
import tempfile
import threading
import time

import grpc

from lib import BOUND, CALL, DEADLINE, INVALID, check, floats, integers, request, running, service_pb2, wait_for
from live_repository import POLL, Models

from signet.v1 import admin_pb2  # noqa: E402  (lib makes it)

ADMIN = "/signet.v1.AdminService/"
# Errors of calls and changes whose version was unloaded, or replaced, by another administrator.
GONE = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ABORTED)


class Traffic:
    """Threads that repeat an action until the end; an exception of one is raised at the end."""

    def __init__(self):
        self.threads, self.faults, self.ended = [], [], threading.Event()
        self.counts = {}

    def start(self, action, count=1, rounds=None):
        for i in range(count):
            thread = threading.Thread(target=self._repeat, args=(action, random.Random(i), rounds))
            thread.start()
            self.threads.append(thread)

    def _repeat(self, action, choice, rounds):
        try:
            while not self.ended.is_set() and rounds != 0:
                action(choice)
                self.counts[action.__name__] = self.counts.get(action.__name__, 0) + 1
                rounds = None if rounds is None else rounds - 1
        except Exception as error:  # pylint: disable=broad-exception-caught
            self.faults.append(error)
            self.ended.set()

    def join(self):
        for thread in self.threads:
            thread.join(timeout=BOUND)
            check(not thread.is_alive(), "every thread ends")
        if self.faults:
            raise self.faults[0]


def change(server, verb, message):
    """Returns the response of an administrative call, or None if another administrator was first."""
    call = server.channel.unary_unary(ADMIN + verb)
    try:
        return call(message.SerializeToString(), timeout=BOUND)
    except grpc.RpcError as error:
        check(error.code() in GONE, f"{verb}: {error.code()}: {error.details()}")
        return None


def random_change(server, choice):
    version = choice.randrange(1, 4)
    verb, message = choice.choice([
        ("Load", admin_pb2.LoadRequest(model="m", version=version)),
        ("Unload", admin_pb2.UnloadRequest(model="m", version=version)),
        ("Reload", admin_pb2.ReloadRequest(model="m", version=version)),
        ("SetLabel", admin_pb2.SetLabelRequest(model="m", label="stable", version=version)),
        ("RemoveLabel", admin_pb2.RemoveLabelRequest(model="m", label="stable")),
        ("Status", admin_pb2.StatusRequest()),
    ])
    change(server, verb, message)


def call_version(models, choice):
    version = choice.randrange(1, 4)
    try:
        answer = models.answer(version=version)
        check(answer == version, f"expected the answer of version {version}, found {answer}")
    except grpc.RpcError as error:
        check(error.code() in GONE, f"{error.code()}: {error.details()}")


def fault_53_many_administrators():
    with tempfile.TemporaryDirectory() as folder:
        models = Models(folder)
        for version in (1, 2, 3):
            models.write_version(version)
        with running("--admin", "--version_policy", "all", models=folder) as server:
            models.server = server
            traffic, callers = Traffic(), Traffic()
            callers.start(lambda choice: call_version(models, choice), count=2)
            traffic.start(lambda choice: random_change(server, choice), count=16, rounds=100)
            traffic.join()
            callers.ended.set()
            callers.join()
            # What the last changes state holds.
            for version in (1, 2, 3):
                check(change(server, "Load", admin_pb2.LoadRequest(model="m", version=version)) is not None,
                      f"version {version} is loaded")
                check(models.answer(version=version) == version, f"version {version} answers")
            check(change(server, "Unload", admin_pb2.UnloadRequest(model="m", version=2)) is not None, "unloads")
            try:
                models.answer(version=2)
                check(False, "a version that was unloaded answers")
            except grpc.RpcError as error:
                check(error.code() in GONE, f"{error.code()}: {error.details()}")
            check(models.answer(version=3) == 3, "the others answer")


def hostile(server, choice):
    """A valid request with random changes, or random bytes. Any answer but a broken connection is right."""
    body = bytearray(request("f", integers(*range(choice.randrange(20))), model="m").SerializeToString())
    if choice.randrange(4) == 0:
        body = bytearray(choice.randbytes(choice.randrange(200)))
    for _ in range(choice.randrange(1, 6)):
        if body:
            body[choice.randrange(len(body))] = choice.randrange(256)
    try:
        server.channel.unary_unary(CALL)(bytes(body), timeout=BOUND)
    except grpc.RpcError as error:
        check(error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL),
              f"{error.code()}: {error.details()}")


def mixed(seconds):
    with tempfile.TemporaryDirectory() as folder:
        models = Models(folder)
        models.write_version(1)
        with running("--admin", *POLL, models=folder) as server:
            models.server = server
            newest = [1]

            def valid(choice):
                before = newest[0]
                answer = models.answer()
                check(answer >= before - 1, f"version {answer} answers after version {before} was loaded")
                message = request("f", integers(*range(choice.randrange(300))), model="m")
                check(isinstance(server.send(message).SerializeToString(), bytes), "an answer")

            def expires(choice):
                try:
                    server.send(request("f", integers(1), model="m"), timeout=choice.random() / 500)
                except grpc.RpcError as error:
                    check(error.code() in (DEADLINE, grpc.StatusCode.CANCELLED), f"{error.code()}")

            def wrong(choice):
                try:
                    server.send(request("f", floats(1.5, choice.random()), model="m"))
                    check(False, "a wrong type is accepted")
                except grpc.RpcError as error:
                    check(error.code() == INVALID, f"{error.code()}")

            def replaced(_):
                models.write_version(newest[0] + 1)
                models.wait_for_state(newest[0] + 1, service_pb2.VersionInfo.AVAILABLE)
                newest[0] += 1
                change(server, "Reload", admin_pb2.ReloadRequest(model="m"))

            def changed(choice):
                change(server, "Status", admin_pb2.StatusRequest())
                change(server, "SetLabel", admin_pb2.SetLabelRequest(model="m", label="l", version=newest[0]))
                change(server, "RemoveLabel", admin_pb2.RemoveLabelRequest(model="m", label="l"))
                time.sleep(choice.random() / 50)

            traffic = Traffic()
            for action, count in ((valid, 3), (expires, 1), (wrong, 1), (replaced, 1), (changed, 1)):
                traffic.start(action, count)
            traffic.start(lambda choice: hostile(server, choice), count=2)
            traffic.ended.wait(seconds / 4)
            before = server.resident_bytes()
            traffic.ended.wait(seconds * 3 / 4)
            wait_for(lambda: newest[0] > 2 or traffic.ended.is_set(), "versions are replaced")
            traffic.ended.set()
            traffic.join()
            grown = server.resident_bytes() - before
            check(grown < 100 << 20, f"the memory grew by {grown >> 20} MiB")
            server.process.send_signal(signal.SIGTERM)
            check(server.process.wait(timeout=BOUND) == 0, f"exit code 0; {server.log_text()[-2000:]}")
            log = server.log_text()
            check("Sanitizer" not in log and "runtime error" not in log, log[-2000:])


def fault_72_mixed_traffic():
    mixed(6)


def fault_72_mixed_traffic_long():
    mixed(float(os.environ.get("SIGNET_MIXED_SECONDS", "600")))
