"""Addresses of one server and of several, which take turns."""

import collections
import concurrent.futures
import pickle
import threading
import time

import grpc
import pytest

import signet
from signet.target import Target


class FakeServer(grpc.GenericRpcHandler):
    """Counts the calls of ListModels. `status` is the health that it reports: 1 for SERVING, 2 for NOT_SERVING."""

    def __init__(self):
        self.calls, self.status, self.is_over = 0, 1, threading.Event()
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(8))
        self.server.add_generic_rpc_handlers((self,))
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def service(self, details):
        if details.method == "/grpc.health.v1.Health/Watch":
            return grpc.unary_stream_rpc_method_handler(self.watch)
        return grpc.unary_unary_rpc_method_handler(self.count)

    def watch(self, request, context):
        known = 0
        while not self.is_over.wait(0.02):
            if self.status != known:
                known = self.status
                yield bytes((8, known))

    def count(self, request, context):
        self.calls += 1
        return b""

    def stop(self):
        self.is_over.set()
        self.server.stop(0).wait()


@pytest.fixture
def servers():
    made = [FakeServer() for _ in range(3)]
    yield made
    for each in made:
        each.stop()


def calls_of(client, servers, count=30):
    """How many calls each server receives of `count`."""
    before = [each.calls for each in servers]
    for _ in range(count):
        client.models()
    return [each.calls - past for each, past in zip(servers, before)]


def eventually(action, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if action():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("form", [list, tuple, ",".join, lambda addresses: ", ".join(addresses), lambda addresses: "ipv4:" + ",".join(addresses),
                                  lambda addresses: [addresses[0].replace("127.0.0.1", "localhost"), *addresses[1:]]])
def test_servers_of_a_list_take_turns(servers, form):
    with signet.connect(form([each.address for each in servers])) as client:
        assert eventually(lambda: min(calls_of(client, servers)) == 10)


def test_servers_that_are_gone_or_not_healthy_are_left_out(servers):
    with signet.connect([each.address for each in servers]) as client:
        assert eventually(lambda: min(calls_of(client, servers)) == 10)
        servers[0].status = 2
        assert eventually(lambda: calls_of(client, servers)[0] == 0)
        servers[1].stop()
        assert eventually(lambda: calls_of(client, servers) == [0, 0, 30])
        servers[0].status = 1
        assert eventually(lambda: calls_of(client, servers) == [15, 0, 15])
        other = pickle.loads(pickle.dumps(client))
        assert other.address == client.address == ",".join(each.address for each in servers)
        assert eventually(lambda: calls_of(other, servers) == [15, 0, 15])


def test_the_first_server_that_answers(servers):
    addresses = [each.address for each in servers]
    with signet.connect(addresses, balance="pick_first") as client:
        counts = collections.Counter(bool(each) for each in calls_of(client, servers))
        assert counts == {True: 1, False: 2}
    with signet.connect(addresses[0], balance="round_robin") as client:
        assert calls_of(client, servers) == [30, 0, 0]


def test_a_list_in_asyncio(servers):
    import asyncio

    import signet.aio

    made = signet.aio.connect([each.address for each in servers])

    async def send():
        for _ in range(60):
            await made._send("ListModels", b"", made._client._current_options(), "ListModels")
        await made.close()

    asyncio.run(send())
    assert min(each.calls for each in servers) >= 10


def test_addresses_that_are_rejected():
    for address, message in (([], "expected at least one server"), (["a:1", "b"], "the port of a server is 8500 by default"),
                             ("a:1,b:x", "a port is a number"), (["unix:/a", "b:1"], "expected host:port in a list"),
                             (["http://a:1", "b:1"], "leave out `http://`")):
        with pytest.raises(ValueError, match=message):
            signet.connect(address)
    with pytest.raises(ValueError, match="balance: expected one of 'pick_first', 'round_robin', found 'random'"):
        signet.connect("a:1", balance="random")
    credentials = grpc.ssl_channel_credentials()
    with pytest.raises(ValueError, match="server_name: expected the name in the certificates"):
        signet.connect(["a:1", "b:1"], credentials=credentials)
    assert Target.parse("ipv4:127.0.0.1:1,127.0.0.2:1").balance == "round_robin" and not Target.parse("ipv4:127.0.0.1:1").balance
    named = Target.parse(["127.0.0.1:1", "127.0.0.2:1"], server_name="signet.example", has_tls=True)
    assert dict(named.resolved()[1])["grpc.ssl_target_name_override"] == "signet.example"
    assert named.resolved()[0] == "ipv4:127.0.0.1:1,127.0.0.2:1"
    with signet.connect(["no.such.host.invalid:1", "127.0.0.1:2"]) as client, pytest.raises(signet.Unavailable, match="no server answers at"):
        client.models()
