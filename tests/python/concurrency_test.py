"""Threads, processes, event loops, and Ctrl-C: a thousand calls of each."""

import asyncio
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time

import pytest

import signet
import signet.aio
from conftest import Server

CALLS = 1000


def _calls(client, count, start=0):
    for number in range(start, start + count):
        assert client.half_plus_two.predict([float(number)]).tolist() == [number / 2 + 2]


def _calls_in_child(client, results, number):
    _calls(client, CALLS // 8, number)
    results.put(number)


def test_64_threads(client):
    failures = []

    def call(number):
        try:
            _calls(client, CALLS // 64 + 1, number)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=call, args=(i,), daemon=True) for i in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_8_processes_at_once(client, method):
    """The client is inherited, or pickled."""
    _calls(client, 1)
    context = multiprocessing.get_context(method)
    results = context.Queue()
    children = [context.Process(target=_calls_in_child, args=(client, results, number)) for number in range(8)]
    for child in children:
        child.start()
        _calls(client, 3)  # the parent goes on
    assert sorted(results.get(timeout=100) for _ in children) == list(range(8))
    for child in children:
        child.join(60)
        assert child.exitcode == 0


def test_two_event_loops_one_after_the_other(server):
    """One client, whose channel belongs to the loop that runs."""
    client = signet.aio.connect(server.address)

    async def main():
        for start in range(0, CALLS, 50):
            results = await asyncio.gather(*(client.half_plus_two.predict([float(number)]) for number in range(start, start + 50)))
            assert [each[0] for each in results] == [number / 2 + 2 for number in range(start, start + 50)]

    for _ in range(2):
        asyncio.run(asyncio.wait_for(main(), 100))


def test_calls_inside_of_a_running_loop(client):
    """As in a notebook, where a loop runs and cells call functions that are not coroutines."""
    async def cell():
        _calls(client, CALLS)

    asyncio.run(cell())


PROGRAM = """
import os, signal, sys, threading, time
import signet

client = signet.connect(sys.argv[1], wait=30)
assert client.loops.add(1.0) == 2  # the signature is known
sent = []

def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.5, interrupt).start()
try:
    client.loops.endless.with_options(timeout=60)(1.0)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
"""


def test_control_c_cancels_the_call_on_the_server(tmp_path):
    (tmp_path / "models/loops/1").mkdir(parents=True)
    (tmp_path / "models/loops/1/model.signet").write_text("""
def add(x: float32[]):
    return x + 1.0

def endless(x: float32[]):
    def going(y):
        return y >= 0.0

    def step(y):
        return y * 1.0

    return while_loop(x, condition=going, body=step)
""")
    log = tmp_path / "calls.log"
    server = Server("--access_log", str(log), "--max_loop_steps", "1000000000000", models=str(tmp_path / "models"))
    try:
        ran = subprocess.run([sys.executable, "-c", PROGRAM, server.address], capture_output=True, text=True, timeout=60, check=False)
        assert ran.returncode == 0 and float(ran.stdout) < 0.5, (ran.stdout, ran.stderr)
        end = time.monotonic() + 20
        codes = {}
        while "endless" not in codes and time.monotonic() < end:
            time.sleep(0.05)
            lines = [json.loads(line) for line in log.read_text().splitlines()] if os.path.exists(log) else []
            codes = {each.get("function"): each.get("code") or each.get("status") for each in lines}
        assert codes.get("endless") == "CANCELLED", codes
    finally:
        server.stop()
