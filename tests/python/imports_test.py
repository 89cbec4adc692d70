"""The package next to other packages that load protobuf and gRPC, in every order of two of them."""

import importlib.util
import itertools
import random
import subprocess
import sys

import pytest

MODULES = [name for name in ("signet", "signet._core", "grpc", "google.protobuf.message", "onnx", "pandas", "scipy.sparse")
           if importlib.util.find_spec(name.split(".")[0]) is not None]


def orders():
    """Orders in which each module is imported before each other one at least once."""
    source = random.Random(7)
    missing = set(itertools.permutations(MODULES, 2))
    out = []
    while missing:
        order = source.sample(MODULES, len(MODULES))
        for each in (order, order[::-1]):
            out.append(each)
            missing -= set(itertools.combinations(each, 2))
    return out


@pytest.mark.parametrize("order", orders(), ids=" ".join)
def test_a_call_works_after_any_order(server, order):
    pytest.importorskip("signet._core")
    program = "\n".join([*(f"import {name}" for name in order), f"""
import signet
import numpy as np
print(signet.connect("{server.address}").half_plus_two(np.float32([2])), signet.ops.add(1.0, 2.0))"""])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and done.stdout.split() == ["[3.]", "3.0"], done


def test_messages_that_are_imported_before_the_engine(server):
    pytest.importorskip("signet._core")
    program = f"""
from signet.v1 import values_pb2, types_pb2
import signet._core
from signet.v1 import model_pb2, service_pb2
import signet
import numpy as np
response = service_pb2.CallResponse()
response.result.dict.items["x"].tensor.shape.append(3)
function = model_pb2.Model().functions.add()
print(signet.connect("{server.address}").half_plus_two(np.float32([2])), signet.ops.add(1.0, 2.0), response.result.dict.items["x"].tensor.shape,
      type(response.result) is values_pb2.Value)"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and done.stdout.split() == ["[3.]", "3.0", "[3]", "True"], done
