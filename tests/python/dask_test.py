"""signet.dask: collections of dask, with several workers and servers."""

import subprocess
import sys

import numpy as np
import pytest

import signet
from conftest import Server

pandas = pytest.importorskip("pandas")
dask = pytest.importorskip("dask")
dataframe = pytest.importorskip("dask.dataframe")
array = pytest.importorskip("dask.array")
import signet.dask  # noqa: E402


@pytest.fixture
def frame():
    rows = 1000
    return pandas.DataFrame({"name": [f"p{i}" for i in range(rows)], "balances": [[float(i)] * (i % 4) for i in range(rows)]},
                            index=pandas.Index(range(100, 100 + rows), name="id"))


def test_results_equal_those_of_bulk(server, client, frame):
    parts = dataframe.from_pandas(frame, npartitions=7)
    out = signet.dask.map_partitions(parts, "savings.fees", address=server.address)
    assert list(out.columns) == ["name", "fee"] and out.dtypes["fee"] == np.float32
    assert out.divisions == parts.divisions
    found = out.compute(scheduler="threads")
    assert found.equals(client.savings.fees.bulk(frame))
    assert found.index.name == "id"


def test_other_arguments_may_be_positional_only(server, client):
    records = pandas.DataFrame({"title": ["a", "b"], "estimated_time": [1, 2], "ingredients": [[], []], "steps": [[], []], "user_ratings": [[], []]})
    tastes = np.zeros(16, np.float32)
    parts = dataframe.from_pandas(records, npartitions=2)
    out = signet.dask.map_partitions(parts, "recipes.score", address=server.address, user_embedding=tastes, top_k=1)
    assert list(out.columns) == ["title", "score", "ingredients"]
    assert out.compute(scheduler="threads").score.tolist() == client.recipes.score.bulk(records, user_embedding=tastes, top_k=1).score.tolist()


def test_partitions_without_rows_are_not_sent(server, frame):
    parts = dataframe.from_pandas(frame, npartitions=4)
    none = parts[parts.name == "no such name"]
    found = signet.dask.map_partitions(none, "savings.fees", address=server.address).compute(scheduler="threads")
    assert len(found) == 0 and list(found.columns) == ["name", "fee"] and found.dtypes["fee"] == np.float32


def test_arrays(server):
    x = array.from_array(np.arange(100, dtype=np.float64), chunks=30)
    out = signet.dask.map_blocks(x, "half_plus_two.predict", address=server.address)
    assert out.dtype == np.float32
    assert out.compute(scheduler="threads").tolist() == (np.arange(100) / 2 + 2).tolist()


def test_errors(server, frame):
    parts = dataframe.from_pandas(frame, npartitions=2)
    with pytest.raises(signet.NotFound):
        signet.dask.map_partitions(parts, "nothing.fees", address=server.address)
    with pytest.raises(signet.InvalidArgument, match="MODEL.FUNCTION"):
        signet.dask.map_partitions(parts, "fees", address=server.address)
    with pytest.raises(signet.Unavailable):
        signet.dask.map_partitions(parts, "savings.fees", address="localhost:1")


def test_a_server_that_ends_loses_no_row(server, frame):
    other = Server()
    try:
        parts = dataframe.from_pandas(frame, npartitions=40)
        out = signet.dask.map_partitions(parts, "savings.fees", address=[server.address, other.address], rows_per_call=5)
        other.process.kill()
        other.process.wait()
        found = out.compute(scheduler="threads")
    finally:
        other.stop()
    assert len(found) == len(frame) and found.name.tolist() == frame.name.tolist()


KILLED_WORKER = """
import os, sys
import numpy as np, pandas
import dask.dataframe
from distributed import Client, LocalCluster
import signet.dask

def end_once(part, marker):
    # The first worker that sees this partition is killed in the middle of its work.
    if len(part) and part.index[0] == 0:
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return part
        os._exit(1)
    return part

if __name__ == "__main__":
    address, marker = sys.argv[1:]
    frame = pandas.DataFrame({"name": [f"p{i}" for i in range(400)], "balances": [[float(i)] for i in range(400)]})
    parts = dask.dataframe.from_pandas(frame, npartitions=8).map_partitions(end_once, marker, meta=frame.iloc[:0])
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        out = signet.dask.map_partitions(parts, "savings.fees", address=address).compute()
    assert os.path.exists(marker)
    print(len(out), out.name.tolist() == frame.name.tolist())
"""


def test_a_worker_that_ends_loses_no_row(server, tmp_path):
    pytest.importorskip("distributed")
    program = tmp_path / "program.py"
    program.write_text(KILLED_WORKER)
    ran = subprocess.run([sys.executable, str(program), server.address, str(tmp_path / "marker")], capture_output=True, text=True, check=False,
                         timeout=200)
    assert ran.stdout.split() == ["400", "True"], ran.stderr[-3000:]
