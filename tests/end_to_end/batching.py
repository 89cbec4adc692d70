"""Calls that the server joins by rows: each of many clients gets the result that its call has alone, a call that fails
does not affect the others, and deadlines end calls that wait."""

import array
import os
import subprocess
import sys
import tempfile
import threading

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
from server import CLI, check, make_stubs, running  # noqa: E402

WIDTH = 512
CLIENTS = 32
CALLS = 20


def write_models(folder):
    """A network of three layers. `layers` has a batch, and fails for negative numbers; `alone` is the same without."""
    from signet.v1 import model_pb2, types_pb2

    model = model_pb2.Model(format_version=1)
    tensor = model.captures["weights"].tensor
    tensor.dtype = types_pb2.DTYPE_FLOAT32
    tensor.shape.extend([WIDTH, WIDTH])
    tensor.data = array.array("f", [(i % 7) / 8 - 0.375 for i in range(WIDTH * WIDTH)]).tobytes()
    for name in ("layers", "alone"):
        function = model.functions.add(name=name, result="y", signature=f"(x: float32[?, {WIDTH}])")
        function.nodes.add(name="each", op="greater_equal", inputs=["x", "0.0"])
        function.nodes.add(name="ok", op="reduce_all", inputs=["each"])
        check_node = function.nodes.add(name="check", op="check_true", inputs=["ok"])
        check_node.attributes["message"].string = b"negative number"
        function.nodes.add(name="a", op="matmul", inputs=["x", "weights"])
        function.nodes.add(name="b", op="matmul", inputs=["a", "weights"])
        function.nodes.add(name="y", op="matmul", inputs=["b", "weights"])
    model.functions[0].batch.parameters.append("x")
    os.makedirs(os.path.join(folder, "network", "1"))
    with open(os.path.join(folder, "network", "1", "model.pb"), "wb") as file:
        file.write(model.SerializeToString())


def request_of(function, rows, seed, negative=False):
    from signet.v1 import service_pb2, types_pb2

    request = service_pb2.CallRequest(function=function)
    request.model.name = "network"
    tensor = request.args.add().tensor
    tensor.dtype = types_pb2.DTYPE_FLOAT32
    tensor.shape.extend([rows, WIDTH])
    numbers = [((i * 31 + seed) % 11) / 4 for i in range(rows * WIDTH)]
    if negative:
        numbers[-1] = -1.0
    tensor.data = array.array("f", numbers).tobytes()
    return request


def numbers_of(response):
    values = array.array("f")
    values.frombytes(response.result.tensor.data)
    return list(response.result.tensor.shape), values


def are_close(found, expected):
    if found[0] != expected[0]:
        return False
    largest = max((abs(value) for value in expected[1]), default=1)
    return all(abs(a - b) <= 1e-4 * largest for a, b in zip(found[1], expected[1]))


def main():
    with tempfile.TemporaryDirectory() as stubs, tempfile.TemporaryDirectory() as models:
        make_stubs(stubs)
        write_models(models)
        from signet.v1 import service_pb2_grpc

        with running(models=models) as server:
            channel = grpc.insecure_channel(server.address)
            call = service_pb2_grpc.TensorServiceStub(channel).Call
            failures = []

            def client(index):
                for number in range(CALLS):
                    rows, seed = (index + number) % 4, index * CALLS + number
                    expected = numbers_of(call(request_of("alone", rows, seed), timeout=60))
                    found = numbers_of(call(request_of("layers", rows, seed), timeout=60))
                    if not are_close(found, expected):
                        failures.append(f"client {index}, call {number}: {found[1][:3]}, {expected[1][:3]}")
                    if number % 5 != index % 5:
                        continue
                    try:
                        call(request_of("layers", 2, seed, negative=True), timeout=60)
                        failures.append("a call with a negative number succeeded")
                    except grpc.RpcError as error:
                        if "negative number" not in error.details():
                            failures.append(error.details())
                    try:
                        call(request_of("layers", 2, seed), timeout=0.001)
                    except grpc.RpcError as error:
                        if error.code() != grpc.StatusCode.DEADLINE_EXCEEDED:
                            failures.append(error.details())

            threads = [threading.Thread(target=client, args=[index]) for index in range(CLIENTS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            check(not failures, f"{CLIENTS} clients get their own results" + str(failures[:3] or ""))
            described = subprocess.run([CLI, "--address", server.address, "describe", "network"], check=True,
                                       capture_output=True, text=True).stdout
            check("joined by the rows of: x" in described, "describe shows the parameters with rows")
            channel.close()


main()
