#!/usr/bin/env python3
"""Measures the Python package, each time against a floor in the same process: python_bench.py SIGNET_SERVER SIGNET_CLI

Prints one line per measurement: the name, what was measured, the floor, and their ratio. The machine may be busy, so each pair is
measured in turns, and the medians are compared.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import grpc
import numpy as np

import signet

MODEL = '''
def floats(x: float32[?]):
    return x


def rows(x: [{a: float32[], b: float32[], c: int64[], d: int32[]}]):
    return x


def slow(x: [{a: float32[]}]):
    y0 = x.a
SLOW
    return struct_make(y=y100)


def columns(x: [{%s}]):
    return x
''' % ", ".join(f"c{i}: float32[]" for i in range(64))
# `slow` takes about 5 ms for 8,192 rows.
MODEL = MODEL.replace("SLOW", "\n".join(f"    y{i + 1} = erf(y{i})" for i in range(100)))


def medians(actions, rounds):
    """The median seconds of each action. The actions take turns."""
    seconds = [[] for _ in actions]
    for _ in range(rounds):
        for action, taken in zip(actions, seconds):
            start = time.perf_counter()
            action()
            taken.append(time.perf_counter() - start)
    return [statistics.median(each) for each in seconds]


def report(name, measured, floor, unit="us", scale=1e6):
    print(f"{name:58} {measured * scale:12.1f} {unit:4} {floor * scale:12.1f} {unit:4} {measured / floor:7.2f}", flush=True)


def report_bound(name, measured, bound, unit):
    print(f"{name:58} {measured:12.2f} {unit:4} {bound:12.2f} {unit:4} {measured / bound:7.2f}", flush=True)


def calls(address):
    client = signet.connect(address, wait=30)
    raw = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)]).unary_unary("/signet.v1.TensorService/Call")
    small = np.zeros(256, np.float32)
    wide = signet.Structured({f"c{i}": np.zeros(4096, np.float32) for i in range(64)})
    for name, function, value in (("a call of 1 KiB", client["values"].floats, small), ("64 columns of 16 KiB", client["values"].columns, wide)):
        function(value)
        request = function._request((value,), {}, function._options(), 0).to_bytes()
        ours, floor = medians([lambda: function(value), lambda: raw(request)], 1500 if value is small else 150)
        report(f"{name}, against a raw call of the same bytes", ours, floor)

    @signet.function
    def local(x: "float32[?]"):
        return x

    local(small)
    ours, floor = medians([lambda: local(small), lambda: client["values"].floats(small)], 1500)
    report("a local call of 1 KiB, against the same over TCP", ours, floor)
    large = np.zeros(16 << 20, np.float32)
    local(large)
    ours, floor = medians([lambda: local(large), lambda: np.copy(np.copy(large))], 9)
    report("a local call of 64 MiB, against np.copy in and out", ours, floor, "ms", 1e3)


def memory(address):
    """The new memory of encoding and decoding an array of 100 MB, at its peak."""
    import tracemalloc

    from signet import dtypes
    from signet.wire import decode, encode

    floats = signet.connect(address)["values"].floats
    floats(np.zeros(1, np.float32))
    array = np.zeros(25_000_000, np.float32)
    tracemalloc.start()
    floats._request((array,), {}, floats._options(), 0).to_bytes()
    report_bound("memory of encoding 100 MB, against its size and 1 MB", tracemalloc.get_traced_memory()[1] / 1e6, 101, "MB")
    response = encode.Message().message(1, encode.tensor(dtypes.FLOAT32, array)).to_bytes()
    for copy, bound in ((True, 101), (False, 1)):
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        decode.call_response(response, decode.Reading(copy, "str"))
        report_bound(f"memory of decoding it with copy={copy}, against {bound} MB", (tracemalloc.get_traced_memory()[1] - before) / 1e6, bound, "MB")
    tracemalloc.stop()


def bulk(address, folder, cli):
    """A million rows of 4 columns: the rows per second of `bulk`, against the rows per second of the command line with an Arrow file."""
    import pandas

    count = 1_000_000
    random = np.random.default_rng(7)
    frame = pandas.DataFrame({"a": random.random(count, np.float32), "b": random.random(count, np.float32),
                              "c": np.arange(count), "d": np.arange(count, dtype=np.int32)})
    rows = signet.connect(address)["values"].rows
    path = os.path.join(folder, "rows.arrow")
    with open(path, "wb") as file:
        file.write(rows.with_options(result="arrow")(frame))

    def command_line():
        subprocess.run([cli, "--address", address, "call", "values", "rows", "--in", path, "--out", os.path.join(folder, "out.arrow")], check=True)

    assert rows.bulk(frame).equals(frame)
    before = peak()
    ours, floor = medians([lambda: rows.bulk(frame), command_line], 3)
    report("bulk of 10^6 rows, against `signet call --in x.arrow`", ours, floor, "ms", 1e3)
    report_bound("growth of the peak memory by it, against 200 MB", peak() - before, 200, "MB")


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def on_several_machines(start):
    """Partitions of about 5 ms: one worker and one server of one thread, against two of each."""
    import dask.dataframe
    import distributed
    import pandas

    import signet.dask

    parts = dask.dataframe.from_pandas(pandas.DataFrame({"a": np.zeros(160 * 8192, np.float32)}), npartitions=160)

    def seconds(machines):
        addresses = [start("--compute_threads", "1") for _ in range(machines)]
        with distributed.LocalCluster(n_workers=machines, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster):
            scored = signet.dask.map_partitions(parts, "values.slow", address=addresses)
            scored.partitions[:8].compute()
            begin = time.perf_counter()
            scored.compute()
            return time.perf_counter() - begin

    one, two = seconds(1), seconds(2)
    report("dask: one worker and one server, against two of each", one, two, "ms", 1e3)


def html():
    """The time and the size of the HTML of values."""
    values = {"10^8 elements": signet.Structured({"x": np.broadcast_to(np.float32(1), (10_000, 10_000))}),
              "4,096 fields": signet.Structured({f"field{i}": np.zeros(1000, np.float32) for i in range(4096)}),
              "10^6 rows": signet.Ragged(np.zeros(3_000_000, np.float32), np.arange(0, 3_000_001, 3))}
    for name, value in values.items():
        [seconds] = medians([value._repr_html_], 5)
        report_bound(f"HTML of a value with {name}, against 20 ms", seconds * 1e3, 20, "ms")
        report_bound("and its size, against 64 KiB", len(value._repr_html_().encode()) / 1024, 64, "KiB")


def tracing():
    def make(nodes):
        @signet.function
        def many(x: "float32[?]"):
            y = x
            for _ in range(nodes):
                y = y + 1.0
            return y

        return many

    start = time.perf_counter()
    make(10_000).traced()
    report_bound("a trace of 10,000 nodes, against 3 s", time.perf_counter() - start, 3, "s")

    def memory():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize() / 1e6

    small = make(3)
    for _ in range(200):
        make(3).traced()
    value = np.zeros(4, np.float32)
    small(value)
    before = memory()
    for _ in range(3_000):
        make(3).traced()
    for _ in range(30_000):
        small(value)
    report_bound("growth by 3,000 traces and 30,000 local calls, against 20 MB", max(memory() - before, 0.01), 20, "MB")


def imports():
    def seconds(statement):
        program = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
        return min(float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout) for _ in range(5))

    client, engine = seconds("import signet"), seconds("import signet, signet._core")
    report_bound("import signet, against 0.4 s", client, 0.4, "s")
    report_bound("and signet._core, against 0.2 s more", engine - client, 0.2, "s")


def main():
    server, cli = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "models/values/1"))
        with open(os.path.join(folder, "models/values/1/model.signet"), "w", encoding="utf-8") as file:
            file.write(MODEL)
        running = []

        def start(*flags):
            """Starts a server, and returns its address."""
            port_file = os.path.join(folder, f"port{len(running)}")
            running.append(subprocess.Popen([server, "--models", os.path.join(folder, "models"), "--listen", "localhost:0",
                                             "--port_file", port_file, *flags], stderr=subprocess.DEVNULL))
            while not os.path.exists(port_file):
                time.sleep(0.02)
            with open(port_file, encoding="ascii") as file:
                return f"localhost:{int(file.read())}"

        try:
            address = start()
            calls(address)
            memory(address)
            bulk(address, folder, cli)
            on_several_machines(start)
        finally:
            for process in running:
                process.kill()
                process.wait()
    html()
    tracing()
    imports()


if __name__ == "__main__":
    main()
