#!/usr/bin/env python3
"""Two replicas behind nginx, HAProxy, and the client's round robin: killing one under load causes no failed call when
clients retry, and a rolling restart drops nothing. Where the balancer checks health, this holds without retries, too."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
os.environ["GRPC_VERBOSITY"] = "NONE"  # gRPC reports each error page of a proxy
import grpc  # noqa: E402

from server import CLI, SERVER, SOURCE, check, make_stubs  # noqa: E402

STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from signet.v1 import service_pb2, service_pb2_grpc, types_pb2, values_pb2  # noqa: E402

LONG = 60  # seconds, where a fault would wait without end
THREADS = 8
RETRY = {"maxAttempts": 5, "initialBackoff": "0.05s", "maxBackoff": "1s", "backoffMultiplier": 2,
         "retryableStatusCodes": ["UNAVAILABLE"]}
os.environ["PATH"] += ":/usr/sbin"


def free_ports(count):
    """Ports that were free a moment ago."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def wait_for(condition, what):
    end = time.monotonic() + LONG
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"FAILED: {what} after {LONG} s")
        time.sleep(0.02)


class Replica:
    """A server on a fixed port, which can be started again."""

    def __init__(self, port, folder):
        self.address = f"127.0.0.1:{port}"
        self.log = os.path.join(folder, f"{port}.log")
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [SERVER, "--models", os.path.join(SOURCE, "examples/models"), "--listen", self.address,
                 "--log_level", "debug"], stderr=log)
        wait_for(self.is_serving, f"the server on {self.address} is not SERVING")

    def is_serving(self):
        if self.process.poll() is not None:
            sys.exit(f"FAILED: the server on {self.address} stopped:\n{open(self.log, encoding='utf-8').read()}")
        with grpc.insecure_channel(self.address) as channel:
            with contextlib.suppress(grpc.RpcError):  # of an empty message, and of the state SERVING
                return channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=5) == b"\x08\x01"
        return False

    def stop(self):
        """Stops in an orderly way, and returns the exit code."""
        self.process.terminate()
        return self.process.wait(LONG)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def answered(self):
        """The number of calls that were answered by this replica since it was first started."""
        return len(self.peers())

    def peers(self):
        """The addresses from which these calls came."""
        with open(self.log, encoding="utf-8") as file:
            return re.findall(r"function=half_plus_two\.predict .*peer=(\S+)\n", file.read())


class Load:
    """Threads that call without a pause through one or more channels, and collect the errors."""

    def __init__(self, target, retries, round_robin):
        config = {"methodConfig": [{"name": [{}], **({"retryPolicy": RETRY} if retries else {})}]}
        if round_robin:
            config |= {"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": ""}}
        options = [("grpc.service_config", json.dumps(config)), ("grpc.use_local_subchannel_pool", 1),
                   ("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 500)]
        self.channels = [grpc.insecure_channel(target, options) for _ in range(2)]
        self.done, self.calls, self.errors = threading.Event(), [0] * THREADS, []
        self.threads = [threading.Thread(target=self.run, args=(index,)) for index in range(THREADS)]

    def run(self, index):
        stub = service_pb2_grpc.TensorServiceStub(self.channels[index % len(self.channels)])
        request = make_request(1)
        while not self.done.is_set():
            try:
                stub.Call(request, timeout=LONG, wait_for_ready=False)
                self.calls[index] += 1
            except grpc.RpcError as error:
                self.errors.append(f"{error.code().name}: {error.details()}")
            time.sleep(0.001)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        for thread in self.threads:
            thread.join()
        for channel in self.channels:
            channel.close()

    def more(self, count):
        """Waits until `count` further calls have ended."""
        end = sum(self.calls) + len(self.errors) + count
        wait_for(lambda: sum(self.calls) + len(self.errors) >= end, f"{count} calls have not ended")


def replace(text, *pairs):
    """Replaces regular expressions, each of which must occur."""
    for pattern, new in pairs:
        text, count = re.subn(pattern, new, text, flags=re.M)
        if not count:
            sys.exit(f"FAILED: expected `{pattern}` in the configuration")
    return text


class Nginx:
    """deploy/nginx.conf. A restart marks the server `down` first, as its comment says."""

    name, checks_health = "nginx", False

    def __init__(self, port, replicas, folder):
        self.target, self.replicas, self.folder = f"127.0.0.1:{port}", replicas, folder
        with open(os.path.join(SOURCE, "deploy/nginx.conf"), encoding="utf-8") as file:
            self.text = replace(
                file.read(), (r"listen 443 ssl http2", f"listen {self.target} http2"), (r"^ *ssl_certificate.*\n", ""),
                (r"/run/nginx.pid", f"{folder}/nginx.pid"), (r"rate=2000r/s", "rate=100000r/s"),
                (r"^worker_rlimit_nofile.*\n", ""), (r"^worker_processes auto", "worker_processes 2"),
                (r"^ *# server 127.0.0.1:8510.*\n", ""),
                (r"^http {", "http {" + "".join(f" {kind}_temp_path {folder}/{kind};" for kind in
                                                ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))))
        self.write()
        self.process = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf", "-g", "daemon off;"])

    def write(self, down=None):
        line = re.search(r"^ *server 127.0.0.1:8500(.*);\n", self.text, re.M)
        servers = "".join(f"    server {replica.address}{line[1]}{' down' if replica is down else ''};\n"
                          for replica in self.replicas)
        with open(f"{self.folder}/nginx.conf", "w", encoding="utf-8") as file:
            file.write(self.text.replace(line[0], servers))

    def set_down(self, replica):
        self.write(replica)
        self.process.send_signal(signal.SIGHUP)
        time.sleep(1)  # until the workers with the old configuration accept no more requests

    def is_up(self, _):
        return True


class HaProxy:
    """deploy/haproxy.cfg, which checks health."""

    name, checks_health = "haproxy", True

    def __init__(self, port, replicas, folder):
        self.target, self.replicas, self.log = f"127.0.0.1:{port}", replicas, f"{folder}/haproxy.log"
        with open(os.path.join(SOURCE, "deploy/haproxy.cfg"), encoding="utf-8") as file:
            text = replace(file.read(), (r"bind :443 ssl crt \S+ alpn h2", f"bind {self.target} proto h2"),
                           (r"127.0.0.1:8500", replicas[0].address),
                           (r"127.0.0.1:8510", replicas[1].address))
        with open(f"{folder}/haproxy.cfg", "w", encoding="utf-8") as file:
            file.write(text)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["haproxy", "-f", f"{folder}/haproxy.cfg"], stderr=log, stdout=log)

    def set_down(self, replica):
        pass  # the health check does it

    def is_up(self, replica):
        """Whether the last message about a server, if any, is that it is up."""
        name = f"signet/signet-{1 + self.replicas.index(replica)} is "
        with open(self.log, encoding="utf-8") as file:
            states = [line for line in file if name in line]
        return not states or f"{name}UP" in states[-1]


class RoundRobin:
    """No proxy: the client balances over the addresses, and watches their health."""

    name, checks_health, process = "the client's round robin", True, None

    def __init__(self, _, replicas, __):
        self.target = "ipv4:" + ",".join(replica.address for replica in replicas)

    def set_down(self, replica):
        pass

    def is_up(self, _):
        return True


def make_request(size):
    value = values_pb2.Value(tensor=values_pb2.Tensor(
        dtype=types_pb2.DTYPE_FLOAT32, shape=[size], data=b"\x00\x00\x80\x3f" * size))
    return service_pb2.CallRequest(model=service_pb2.ModelSpec(name="half_plus_two"), function="predict", args=[value])


def check_passage(balancer, folder):
    """Large requests and streams pass a proxy, and services that it does not publish do not."""
    with grpc.insecure_channel(balancer.target, [("grpc.max_receive_message_length", -1)]) as channel:
        grpc.channel_ready_future(channel).result(LONG)
        response = service_pb2_grpc.TensorServiceStub(channel).Call(make_request(1 << 20), timeout=LONG)
        check(response.ByteSize() > 4 << 20, f"{balancer.name}: a call of 4 MiB")
        try:
            list(channel.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")(
                iter([b"\x3a\x00"]), timeout=LONG))
            check(False, f"{balancer.name}: reflection is not published")
        except grpc.RpcError as error:
            # HAProxy also resets the stream, because the client has not ended it.
            check(error.code() in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.CANCELLED),
                  f"{balancer.name}: reflection is not published, {error.code().name}")
    rows = f"{folder}/rows.ndjson"
    with open(rows, "w", encoding="utf-8") as file:
        file.writelines(f'{{"name": "n{index}", "balances": [{index}]}}\n' for index in range(5000))
    result = subprocess.run([CLI, "call", "savings", "fees", "--in", rows, "--rows", "100", "--address", balancer.target],
                            capture_output=True, text=True, timeout=LONG, check=False)
    check(result.returncode == 0 and result.stdout.count("\n") == 5000, f"{balancer.name}: a stream of 50 calls {result.stderr}")


def test(balancer_class):
    """Kills and restarts replicas behind one balancer."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        ports = free_ports(3)
        replicas = [Replica(port, folder) for port in ports[:2]]
        for replica in replicas:
            stack.callback(replica.kill)
            replica.start()
        balancer = balancer_class(ports[2], replicas, folder)
        if balancer.process:
            stack.callback(balancer.process.wait)
            stack.callback(balancer.process.terminate)
        round_robin = balancer_class is RoundRobin
        if not round_robin:
            check_passage(balancer, folder)

        with Load(balancer.target, retries=True, round_robin=round_robin) as load:
            load.more(300)
            check(all(replica.answered() > 30 for replica in replicas), f"{balancer.name}: both replicas answer")
            replicas[0].kill()
            load.more(500)
            replicas[0].start()
            wait_for(lambda: balancer.is_up(replicas[0]), "the restarted replica is up")
            answered = replicas[0].answered()
            wait_for(lambda: replicas[0].answered() > answered + 30, "the restarted replica answers")
        check(not load.errors, f"{balancer.name}: a kill under load, {sum(load.calls)} calls with retries, "
              f"{len(load.errors)} failed {load.errors[:3]}")

        with Load(balancer.target, retries=not balancer.checks_health, round_robin=round_robin) as load:
            load.more(300)
            for replica in replicas:
                balancer.set_down(replica)
                check(replica.stop() == 0, f"{balancer.name}: a replica stops in an orderly way")
                load.more(200)
                replica.start()
                balancer.set_down(None)
                answered = replica.answered()
                # Each channel of a client that balances has to find out that the replica is back.
                peers = len(load.channels) if round_robin else 1
                wait_for(lambda: len(replica.peers()) > answered + 30 and len(set(replica.peers()[answered:])) >= peers,
                         "the restarted replica answers")
        check(not load.errors, f"{balancer.name}: a rolling restart, {sum(load.calls)} calls "
              f"{'without' if balancer.checks_health else 'with'} retries, {len(load.errors)} failed {load.errors[:3]}")


def main():
    names = sys.argv[1:] or ["nginx", "haproxy", "round_robin"]
    for name, balancer in {"nginx": Nginx, "haproxy": HaProxy, "round_robin": RoundRobin}.items():
        if name not in names:
            continue
        if name != "round_robin" and not shutil.which(name):
            print(f"skipped: {name}: the command is not installed; ./dev install test installs it")
            continue
        test(balancer)


if __name__ == "__main__":
    main()
