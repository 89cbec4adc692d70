#!/usr/bin/env python3
"""A client in Python, with stubs made by protoc and the distribution's grpcio: nothing of ours."""

import os
import struct
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from server import check, make_stubs, running  # noqa: E402

STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from google.rpc import error_details_pb2, status_pb2  # noqa: E402
from signet.v1 import service_pb2, service_pb2_grpc, types_pb2, values_pb2  # noqa: E402


def floats(*elements):
    data = struct.pack(f"<{len(elements)}f", *elements)
    tensor = values_pb2.Tensor(dtype=types_pb2.DTYPE_FLOAT32, shape=[len(elements)], data=data)
    return values_pb2.Value(tensor=tensor)


def elements_of(value):
    return list(struct.unpack(f"<{len(value.tensor.data) // 4}f", value.tensor.data))


def json_text(text):
    encoded = values_pb2.Encoded(format=values_pb2.Encoded.JSON, data=text.encode())
    return values_pb2.Value(encoded=encoded)


def predict(*args, **kwargs):
    return service_pb2.CallRequest(
        model=service_pb2.ModelSpec(name="half_plus_two"), function="predict", args=args,
        kwargs=[values_pb2.NamedValue(name=name, value=value) for name, value in kwargs.items()])


def rejection(call):
    """The status code and the google.rpc details of a call that fails."""
    try:
        call()
    except grpc.RpcError as error:
        details = {}
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                for detail in status_pb2.Status.FromString(value).details:
                    for kind in (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest):
                        if detail.Is(kind.DESCRIPTOR):
                            details[kind.DESCRIPTOR.name] = kind.FromString(detail.value)
        return error.code(), error.details(), details
    sys.exit("FAILED: a call that should fail did not")


def health(channel, service):
    """grpc.health.v1.Health/Check, written by hand: its proto need not be installed."""
    check_method = channel.unary_unary("/grpc.health.v1.Health/Check")
    name = service.encode()
    return check_method(b"\x0a" + bytes([len(name)]) + name if name else b"", timeout=10)


def services(channel):
    """Names that server reflection lists; ServerReflectionRequest {list_services = 7: ""}."""
    method = channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
    return next(method(iter([b"\x3a\x00"]), timeout=10))


with running() as server, grpc.insecure_channel(server.address) as channel:
    stub = service_pb2_grpc.TensorServiceStub(channel)

    answer = stub.Call(predict(floats(1, 2, 5)), timeout=10)
    check(elements_of(answer.result) == [2.5, 3.0, 4.5], "a tensor by position")
    check(answer.model_version == 1, "the version that answered")
    answer = stub.Call(predict(x=json_text("[[1, 2], [3, 4]]")), timeout=10)
    check(list(answer.result.tensor.shape) == [2, 2], "JSON by keyword")

    code, message, details = rejection(lambda: stub.Call(predict(), timeout=10))
    check(code == grpc.StatusCode.INVALID_ARGUMENT, "a missing argument is rejected")
    check(details["ErrorInfo"].reason == "MISSING_REQUIRED", "with a reason")
    check(details["ErrorInfo"].domain == "signet", "and a domain")
    check(details["BadRequest"].field_violations[0].field == "x", "and the argument's path")
    code, message, details = rejection(lambda: stub.Call(predict(json_text("{")), timeout=10))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "argument `x`" in message, "half a JSON text")
    code, message, details = rejection(
        lambda: stub.GetModel(service_pb2.GetModelRequest(
            model=service_pb2.ModelSpec(name="nothing")), timeout=10))
    check(code == grpc.StatusCode.NOT_FOUND and "half_plus_two" in message, "an unknown model")
    for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
        response = stub.Call(predict(floats(*[0] * 10000)), timeout=10, compression=compression)
        check(response.result.tensor.shape == [10000], "a compressed request is answered")

    model = stub.GetModel(service_pb2.GetModelRequest(
        model=service_pb2.ModelSpec(name="half_plus_two")), timeout=10)
    check(model.functions[0].signature.startswith("predict("), "GetModel")
    check(model.limits.message_bytes > 0, "published limits")
    names = [model.name for model in stub.ListModels(service_pb2.ListModelsRequest()).models]
    check("half_plus_two" in names, "ListModels")
    explanation = stub.Explain(predict(
        values_pb2.Value(type=types_pb2.TypeSpec(text="float32[3]"))), timeout=10)
    check(explanation.output.tensor.dtype == types_pb2.DTYPE_FLOAT32, "Explain of a type")

    weather = stub.Call(service_pb2.CallRequest(
        model=service_pb2.ModelSpec(name="weather"), args=[floats(31, 8), floats(0.6, 0.5)],
        kwargs=[values_pb2.NamedValue(name="wind", value=json_text("5"))]), timeout=10)
    feels_like = weather.result.dict.items["feels_like"]
    check([round(x, 1) for x in elements_of(feels_like)] == [32.4, 2.3], "a model.onnx")

    requests = [service_pb2.CallStreamRequest(id=i, call=predict(floats(i))) for i in range(200)]
    answers = {a.id: elements_of(a.response.result) for a in stub.CallStream(iter(requests))}
    check(answers == {i: [i / 2 + 2] for i in range(200)}, "200 calls over one stream")

    check(health(channel, "") == b"\x08\x01", "health of the server")
    check(health(channel, "half_plus_two") == b"\x08\x01", "health of a model")
    code, _, _ = rejection(lambda: health(channel, "nothing"))
    check(code == grpc.StatusCode.NOT_FOUND, "health of nothing")
    check(b"signet.v1.TensorService" in services(channel), "reflection")

    # SIGTERM while calls keep coming: none is lost half way, and the server exits with 0.
    outcomes = []

    def keep_calling():
        while True:
            try:
                outcomes.append(elements_of(stub.Call(predict(floats(2)), timeout=10).result) == [3.0])
            except grpc.RpcError as error:
                outcomes.append(error.code())
                return

    callers = [threading.Thread(target=keep_calling) for _ in range(4)]
    for caller in callers:
        caller.start()
    while len(outcomes) < 100:
        pass
    server.process.terminate()
    check(server.process.wait(timeout=60) == 0, "exit code 0 after SIGTERM")
    for caller in callers:
        caller.join()
    ends = {outcome for outcome in outcomes if outcome is not True}
    check(ends == {grpc.StatusCode.UNAVAILABLE}, f"calls end answered or UNAVAILABLE: {ends}")
