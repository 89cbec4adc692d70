#!/usr/bin/env python3
"""TensorFlow Serving's clients: Python stubs that protoc makes from the contract, and HTTP requests as its users send them."""

import glob
import http.client
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
from model_files import half_plus_two_of_functions, half_plus_two_of_sessions, write_saved_model  # noqa: E402
from server import SOURCE, check, running  # noqa: E402

LONG = 60  # seconds, where a fault would wait without end

MODEL = '''"""Functions for clients of TensorFlow Serving"""


def serving_default(x: float32[?, 1]):
    half = x / 2.0
    return {"y": half + 2.0}


def two(x: float32[?], y: float32[?, 2], add: float32[] = 1.0):
    return {"sum": x + add, "pairs": y}


def texts(text: string[?]):
    return {"text": text, "raw_bytes": text}


def ratio(x: float32[?], by: float32[?]):
    return x / by


def average(values: ragged float32[?, (?)]):
    return reduce_sum(values, axes=[1])


def regress(rows: [{x: float32[], weight: float32[] = 2.0}]):
    return {"outputs": rows.x * rows.weight}


def classify(rows: [{x: float32[], name: string[]}]):
    return {"classes": rows.name, "scores": rows.x}


def messages(inputs: string[?]):
    return {"classes": inputs}
'''


def make_stubs(folder):
    """Imports the messages of proto/tensorflow and proto/tensorflow_serving."""
    root = os.path.join(SOURCE, "proto")
    protos = [os.path.relpath(path, root) for path in glob.glob(os.path.join(root, "tensorflow*/*.proto"))]
    subprocess.run(["protoc", f"--proto_path={root}", f"--python_out={folder}", f"--grpc_python_out={folder}",
                    "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *protos], check=True)
    sys.path.insert(0, folder)


def make_models(folder):
    for version in (1, 2):
        os.makedirs(os.path.join(folder, "tf", str(version)))
        with open(os.path.join(folder, "tf", str(version), "model.signet"), "w", encoding="utf-8") as file:
            file.write(MODEL)
    write_saved_model(os.path.join(folder, "half_plus_two", "1"), half_plus_two_of_sessions())
    write_saved_model(os.path.join(folder, "tf2", "1"), half_plus_two_of_functions())
    os.makedirs(os.path.join(folder, "broken", "1"))
    with open(os.path.join(folder, "broken", "1", "model.signet"), "w", encoding="utf-8") as file:
        file.write("def f(x: float32[?]):\n    return nothing(x)\n")


def http_port(server):
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        with open(server.log, encoding="utf-8") as file:
            for line in file:
                if "serving http" in line:
                    return int(line.rsplit(":", 1)[1])
        time.sleep(0.05)
    sys.exit("the server does not log its HTTP port")


class Rest:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("localhost", port, timeout=LONG)

    def send(self, method, path, body=None):
        self.connection.request(method, path, body)
        response = self.connection.getresponse()
        text = response.read()
        return response.status, response.headers["Content-Type"], text

    def call(self, path, body):
        """The code and the JSON of a response; Python's parser reads NaN and Infinity."""
        code, kind, text = self.send("POST", path, body if isinstance(body, (str, bytes)) else json.dumps(body))
        check(kind == "application/json", f"{path} answers in JSON") if kind != "application/json" else None
        return code, json.loads(text)


class Grpc:
    def __init__(self, address):
        from tensorflow_serving import model_service_pb2_grpc, prediction_service_pb2_grpc
        channel = grpc.insecure_channel(address)
        self.prediction = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        self.models = model_service_pb2_grpc.ModelServiceStub(channel)


def error_of(call, request):
    try:
        call(request, timeout=LONG)
    except grpc.RpcError as error:
        return error.code(), error.details()
    return None, None


def predict_request(model="tf", signature="", version=None, **inputs):
    """`inputs` are fields of a TensorProto, with `shape`."""
    from tensorflow_serving import predict_pb2
    request = predict_pb2.PredictRequest()
    request.model_spec.name = model
    request.model_spec.signature_name = signature
    if version is not None:
        request.model_spec.version.value = version
    for name, fields in inputs.items():
        tensor = request.inputs[name]
        tensor.tensor_shape.SetInParent()
        for field, value in fields.items():
            if field == "shape":
                for size in value:
                    tensor.tensor_shape.dim.add().size = size
            elif field in ("dtype", "tensor_content"):
                setattr(tensor, field, value)
            else:
                getattr(tensor, field).extend(value)
    return request


def shape_of(tensor):
    return [dim.size for dim in tensor.tensor_shape.dim]


def test_predict(stubs):
    from tensorflow import tensor_pb2
    floats = tensor_pb2.DT_FLOAT
    for shape, values in (([3], [1, 2, 5]), ([3, 1], [1, 2, 5]), ([], [2]), ([2, 2], [1, 2, 3, 4]), ([1], [2.0])):
        reply = stubs.prediction.Predict(
            predict_request(x={"dtype": floats, "shape": shape, "float_val": values}), timeout=LONG)
        y = reply.outputs["y"]
        check(y.dtype == floats and shape_of(y) == shape and list(y.float_val) == [v / 2 + 2 for v in values]
              and not y.tensor_content, f"half plus two of a tensor of shape {shape}")
        check(reply.model_spec.name == "tf" and reply.model_spec.version.value == 2
              and reply.model_spec.signature_name == "serving_default", "the version that was called is stated")
    for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
        reply = stubs.prediction.Predict(predict_request(x={"dtype": floats, "shape": [1000], "float_val": [2] * 1000}),
                                         timeout=LONG, compression=compression)
        check(list(reply.outputs["y"].float_val) == [3] * 1000, f"a request is compressed with {compression}")
    content = struct.pack("<3f", 1, 2, 5)
    reply = stubs.prediction.Predict(predict_request(version=1, signature="serving_default", x={
        "dtype": floats, "shape": [3], "tensor_content": content}), timeout=LONG)
    check(list(reply.outputs["y"].float_val) == [2.5, 3.0, 4.5] and reply.model_spec.version.value == 1,
          "tensor_content is read, and a version is called")
    request = predict_request(signature="two", x={"dtype": floats, "shape": [2], "float_val": [1]},
                              y={"dtype": floats, "shape": [2, 2], "float_val": [1, 2, 3, 4]})
    reply = stubs.prediction.Predict(request, timeout=LONG)
    check(sorted(reply.outputs) == ["pairs", "sum"] and list(reply.outputs["sum"].float_val) == [2, 2],
          "a default is used, and one value fills a tensor")
    request.output_filter.append("pairs")
    check(list(stubs.prediction.Predict(request, timeout=LONG).outputs) == ["pairs"], "output_filter selects outputs")
    request.output_filter.append("pairs")
    check(error_of(stubs.prediction.Predict, request) == (
        grpc.StatusCode.INVALID_ARGUMENT, "duplicate output tensor alias: pairs; expected different names in output_filter"),
          "no output twice")
    del request.output_filter[:]
    request.output_filter.append("none")
    code, sentence = error_of(stubs.prediction.Predict, request)
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "output tensor alias not found in signature: none" in sentence
          and "{pairs,sum}" in sentence, f"no unknown output: {sentence}")
    texts = stubs.prediction.Predict(predict_request(signature="texts", text={
        "dtype": tensor_pb2.DT_STRING, "shape": [2], "string_val": [b"a\0b", b""]}), timeout=LONG)
    check(list(texts.outputs["text"].string_val) == [b"a\0b", b""], "strings of any bytes")
    reply = stubs.prediction.Predict(predict_request(signature="average", **{
        "values.values": {"dtype": floats, "shape": [3], "float_val": [1, 2, 3]},
        "values.row_splits_0": {"dtype": tensor_pb2.DT_INT64, "shape": [3], "int64_val": [0, 2, 3]}}), timeout=LONG)
    check(list(reply.outputs["output"].float_val) == [3, 3], "ragged values are their components")


def test_predict_errors(stubs):
    from tensorflow import tensor_pb2
    from tensorflow_serving import predict_pb2
    floats = tensor_pb2.DT_FLOAT
    good = {"dtype": floats, "shape": [1], "float_val": [1]}
    codes = grpc.StatusCode
    cases = [
        (predict_pb2.PredictRequest(), codes.INVALID_ARGUMENT, "Missing ModelSpec"),
        (predict_request(model="broken", x=good), codes.NOT_FOUND, "Servable not found for request: Latest(broken)"),
        (predict_request(model="nothing"), codes.NOT_FOUND, "Servable not found for request: Latest(nothing)"),
        (predict_request(version=9, x=good), codes.NOT_FOUND, "Specific(tf, 9)"),
        (predict_request(signature="none", x=good), codes.FAILED_PRECONDITION, "signature"),
        (predict_request(), codes.INVALID_ARGUMENT, "input size does not match signature: 0!=1 len({}) != len({x}). "
         "Sent extra: {}. Missing but required: {x}."),
        (predict_request(key=good), codes.INVALID_ARGUMENT, "input tensor alias not found in signature: key. "
         "Inputs expected to be in the set {x}."),
        (predict_request(signature="two", x=good, add=good, z=good), codes.INVALID_ARGUMENT,
         "input tensor alias not found in signature: z. Inputs expected to be in the set {add,x,y}."),
        (predict_request(x={"dtype": tensor_pb2.DT_STRING, "shape": [1], "string_val": [b"a"]}),
         codes.INVALID_ARGUMENT, "x"),
        (predict_request(x={"dtype": tensor_pb2.DT_RESOURCE, "shape": [1]}), codes.UNIMPLEMENTED, "DT_RESOURCE"),
        (predict_request(x={"dtype": floats, "shape": [-1], "float_val": [1]}), codes.INVALID_ARGUMENT,
         "tensor parsing error: x"),
        (predict_request(x={"dtype": floats, "shape": [2, 3], "tensor_content": b"abc"}), codes.INVALID_ARGUMENT,
         "expected 24 bytes"),
        (predict_request(x={"dtype": floats, "shape": [1 << 30, 8], "float_val": [1]}), codes.RESOURCE_EXHAUSTED,
         "--max"),
        (predict_request(x={"dtype": floats, "shape": [1 << 40, 1 << 40], "float_val": [1]}),
         codes.INVALID_ARGUMENT, "x"),
    ]
    for request, code, text in cases:
        found = error_of(stubs.prediction.Predict, request)
        check(found[0] == code and text in found[1], f"{code.name} for {text}: {found}")


def input_of(request, rows, context=None):
    target = request.input.example_list if context is None else request.input.example_list_with_context
    for row in rows:
        fill(target.examples.add(), row)
    if context is not None:
        fill(target.context, context)
    return request


def fill(example, row):
    for name, values in row.items():
        feature = example.features.feature[name]
        if isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
        elif isinstance(values[0], float):
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.value.extend(values)


def test_examples(stubs):
    from tensorflow_serving import classification_pb2, inference_pb2, regression_pb2
    request = regression_pb2.RegressionRequest()
    request.model_spec.name = "tf"
    request.model_spec.signature_name = "regress"
    input_of(request, [{"x": [1.5]}, {"x": [2.0], "weight": [10.0], "other": [1]}])
    reply = stubs.prediction.Regress(request, timeout=LONG)
    check([r.value for r in reply.result.regressions] == [3.0, 20.0] and reply.model_spec.version.value == 2,
          "Regress passes features as fields, with defaults")
    shared = regression_pb2.RegressionRequest()
    shared.model_spec.name = "tf"
    shared.model_spec.signature_name = "regress"
    input_of(shared, [{"x": [1.0]}, {"x": [1.0], "weight": [5.0]}], {"weight": [3.0]})
    check([r.value for r in stubs.prediction.Regress(shared, timeout=LONG).result.regressions] == [3.0, 5.0],
          "a context has the features that examples share")
    request = classification_pb2.ClassificationRequest()
    request.model_spec.name = "tf"
    request.model_spec.signature_name = "classify"
    input_of(request, [{"x": [1.5], "name": [b"a"]}, {"x": [2.5], "name": [b"b"]}])
    reply = stubs.prediction.Classify(request, timeout=LONG)
    check([[(c.label, c.score) for c in row.classes] for row in reply.result.classifications]
          == [[("a", 1.5)], [("b", 2.5)]], "Classify returns labels and scores")
    check(error_of(stubs.prediction.Regress, regression_pb2.RegressionRequest(
        model_spec=shared.model_spec))[0] == grpc.StatusCode.INVALID_ARGUMENT, "examples are required")
    request.input.example_list.examples[1].features.feature["x"].int64_list.value.append(1)
    code, text = error_of(stubs.prediction.Classify, request)
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "example 1" in text and "`x`" in text,
          f"an error names the example and the feature: {text}")
    both = inference_pb2.MultiInferenceRequest()
    for signature in ("regress", "classify"):
        task = both.tasks.add(method_name=f"tensorflow/serving/{signature}")
        task.model_spec.name = "tf"
        task.model_spec.signature_name = signature
    input_of(both, [{"x": [1.5], "name": [b"a"]}])
    reply = stubs.prediction.MultiInference(both, timeout=LONG)
    check(reply.results[0].regression_result.regressions[0].value == 3.0
          and reply.results[1].classification_result.classifications[0].classes[0].label == "a"
          and reply.results[1].model_spec.signature_name == "classify", "MultiInference makes a call per task")
    both.tasks[1].model_spec.signature_name = "regress"
    code, sentence = error_of(stubs.prediction.MultiInference, both)
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "Duplicate evaluation of signature: regress" in sentence,
          f"one task per signature: {sentence}")
    both.tasks[0].model_spec.signature_name = ""
    both.tasks[1].model_spec.signature_name = "serving_default"
    code, sentence = error_of(stubs.prediction.MultiInference, both)
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "signature: serving_default" in sentence,
          f"no name is the default signature: {sentence}")
    both.tasks[1].method_name = "tensorflow/serving/predict"
    check(error_of(stubs.prediction.MultiInference, both)[0] == grpc.StatusCode.UNIMPLEMENTED, "other methods")


def test_metadata_and_status(stubs):
    from tensorflow import tensor_pb2
    from tensorflow_serving import get_model_metadata_pb2, get_model_status_pb2
    request = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
    request.model_spec.name = "tf"
    reply = stubs.prediction.GetModelMetadata(request, timeout=LONG)
    signatures = get_model_metadata_pb2.SignatureDefMap()
    check(reply.metadata["signature_def"].Unpack(signatures), "the metadata are a SignatureDefMap")
    x = signatures.signature_def["serving_default"].inputs["x"]
    check(x.dtype == tensor_pb2.DT_FLOAT and shape_of(x) == [-1, 1] and reply.model_spec.version.value == 2,
          "a signature has dtypes and shapes")
    check("values.row_splits_0" in signatures.signature_def["average"].inputs, "components are inputs")
    del request.metadata_field[:]
    check(error_of(stubs.prediction.GetModelMetadata, request)[0] == grpc.StatusCode.INVALID_ARGUMENT, "no field")
    status = get_model_status_pb2.GetModelStatusRequest()
    check(error_of(stubs.models.GetModelStatus, status)[0] == grpc.StatusCode.INVALID_ARGUMENT, "no model")
    status.model_spec.name = "tf"
    states = get_model_status_pb2.ModelVersionStatus
    reply = stubs.models.GetModelStatus(status, timeout=LONG)
    check([(v.version, v.state, v.status.error_code) for v in reply.model_version_status]
          == [(2, states.AVAILABLE, 0), (1, states.AVAILABLE, 0)], "all versions have a status, the newest first")
    status.model_spec.version.value = 1
    check(len(stubs.models.GetModelStatus(status, timeout=LONG).model_version_status) == 1, "one version")
    status.model_spec.version.value = 7
    check(error_of(stubs.models.GetModelStatus, status)[0] == grpc.StatusCode.NOT_FOUND, "an unknown version")
    for name in ("tf", "nothing"):
        status = get_model_status_pb2.GetModelStatusRequest()
        status.model_spec.name = name
        status.model_spec.version_label = "none"
        check(error_of(stubs.models.GetModelStatus, status) == (
            grpc.StatusCode.INVALID_ARGUMENT, "Unrecognized servable version label: none"), "an unknown label")
    status = get_model_status_pb2.GetModelStatusRequest()
    status.model_spec.name = "broken"
    found = stubs.models.GetModelStatus(status, timeout=LONG).model_version_status[0]
    check(found.state == states.END and found.status.error_code != 0 and "nothing" in found.status.error_message,
          "a version that cannot be loaded has ended, with the reason")


def test_reload(stubs, administers, models):
    from tensorflow_serving import get_model_status_pb2, model_management_pb2
    request = model_management_pb2.ReloadConfigRequest()
    config = request.config.model_config_list.config.add(name="tf", base_path=f"{models}/tf", model_platform="tensorflow")
    config.model_version_policy.specific.versions.append(1)
    config.version_labels["stable"] = 1
    if not administers:
        check(error_of(stubs.models.HandleReloadConfigRequest, request)[0] == grpc.StatusCode.UNIMPLEMENTED,
              "reloads need --admin")
        return
    check(error_of(stubs.models.HandleReloadConfigRequest, model_management_pb2.ReloadConfigRequest())[0]
          == grpc.StatusCode.INVALID_ARGUMENT, "a configuration is required")
    custom = model_management_pb2.ReloadConfigRequest()
    custom.config.custom_model_config.SetInParent()
    check(error_of(stubs.models.HandleReloadConfigRequest, custom)[0] == grpc.StatusCode.INVALID_ARGUMENT,
          "only lists of models")
    for _ in range(20):
        reply = stubs.models.HandleReloadConfigRequest(request, timeout=LONG)
    check(reply.status.error_code == 0, "the configuration is reloaded, also right after the last response")
    status = get_model_status_pb2.GetModelStatusRequest()
    status.model_spec.name = "tf"
    states = {v.version: v.state for v in stubs.models.GetModelStatus(status, timeout=LONG).model_version_status}
    available = get_model_status_pb2.ModelVersionStatus.AVAILABLE
    check(states[1] == available and states.get(2) != available, f"the policy selects the versions: {states}")
    with_label = predict_request(x={"dtype": 1, "shape": [1], "float_val": [2]})
    with_label.model_spec.version_label = "stable"
    check(stubs.prediction.Predict(with_label, timeout=LONG).model_spec.version.value == 1, "a label selects a version")
    with_label.model_spec.version_label = "other"
    check(error_of(stubs.prediction.Predict, with_label)[0] == grpc.StatusCode.INVALID_ARGUMENT, "an unknown label")
    wrong = model_management_pb2.ReloadConfigRequest()
    wrong.config.model_config_list.config.add(name="nothing")
    check(error_of(stubs.models.HandleReloadConfigRequest, wrong)[0] == grpc.StatusCode.NOT_FOUND, "an unknown model")
    config.base_path = os.path.dirname(models)
    code, sentence = error_of(stubs.models.HandleReloadConfigRequest, request)
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "base_path" in sentence, f"another directory: {code} {sentence}")
    config.base_path = ""
    config.model_version_policy.all.SetInParent()
    config.version_labels.clear()
    stubs.models.HandleReloadConfigRequest(request, timeout=LONG)
    states = {v.version: v.state for v in stubs.models.GetModelStatus(status, timeout=LONG).model_version_status}
    check(states == {1: available, 2: available}, "all versions are served again")


def test_rest(rest):
    path = "/v1/models/tf:predict"
    cases = [
        (path, {"instances": [1.0, 2.0, 5.0]}, {"predictions": [2.5, 3.0, 4.5]}),
        (path, {"instances": [1, 2]}, {"predictions": [2.5, 3.0]}),
        (path, {"instances": [16777214, 33554432.0]}, {"predictions": [8388609.0, 16777218.0]}),
        (path, {"instances": [[1.0], [2.0]]}, {"predictions": [[2.5], [3.0]]}),
        (path, {"instances": [[1.0, 2.0], [3.0, 4.0]]}, {"predictions": [[2.5, 3.0], [3.5, 4.0]]}),
        (path, {"instances": [{"x": 1.0}, {"x": 2.0}]}, {"predictions": [2.5, 3.0]}),
        (path, {"inputs": [3.0, 4.0], "signature_name": "serving_default"}, {"outputs": [3.5, 4.0]}),
        (path, {"inputs": {"x": [[3.0]]}}, {"outputs": [[3.5]]}),
        (path, {"inputs": 2.0}, {"outputs": 3.0}),
        (path, {"inputs": {"x": [3.0], "other": [1]}}, {"outputs": [3.5]}),
        ("/v1/models/tf/versions/1:predict", {"instances": [2.0]}, {"predictions": [3.0]}),
        (path, {"signature_name": "two", "instances": [{"x": 1, "y": [1, 2]}, {"x": 2, "y": [3, 4]}]},
         {"predictions": [{"pairs": [1.0, 2.0], "sum": 2.0}, {"pairs": [3.0, 4.0], "sum": 3.0}]}),
        (path, {"signature_name": "two", "inputs": {"x": [1], "y": [[1, 2]], "add": 5}},
         {"outputs": {"pairs": [[1.0, 2.0]], "sum": [6.0]}}),
        (path, {"signature_name": "texts", "instances": [{"b64": "AGE="}, "b"]},
         {"predictions": [{"raw_bytes": {"b64": "AGE="}, "text": "\0a"}, {"raw_bytes": {"b64": "Yg=="}, "text": "b"}]}),
        (path, {"signature_name": "average", "instances": [[1, 2], [], [3]]}, {"predictions": [3.0, 0.0, 3.0]}),
        ("/v1/models/tf:regress", {"signature_name": "regress", "examples": [{"x": 1.5}, {"x": 2, "weight": 10}]}, {"results": [3.0, 20.0]}),
        ("/v1/models/tf:regress", {"signature_name": "regress", "examples": [{"x": [1.5]}], "context": {"weight": 4.0}}, {"results": [6.0]}),
        ("/v1/models/tf:classify", {"examples": [{"x": 1.5, "name": "a"}], "signature_name": "classify"},
         {"results": [[["a", 1.5]]]}),
        ("/v1/models/tf/versions/0000001:predict", {"instances": [2.0]}, {"predictions": [3.0]}),
    ]
    for url, body, wanted in cases:
        found = rest.call(url, body)
        check(found == (200, wanted), f"{url} {json.dumps(body)}: {found}")
    code, reply = rest.call(path, '{"signature_name": "ratio", "inputs": {"x": [1, -1, NaN, Infinity], "by": [0, 0, 1, 1]}}')
    found = reply["outputs"]
    check(code == 200 and found[0] == math.inf and found[1] == -math.inf and math.isnan(found[2])
          and found[3] == math.inf, "NaN and infinities are bare words in both directions")


def test_rest_errors(rest):
    path = "/v1/models/tf:predict"
    cases = [
        ("POST", path, "", 400, "JSON Parse error: The document is empty"),
        ("POST", path, "instances = [1, 2]", 400, "JSON Parse error: Invalid value"),
        ("POST", path, "{}", 400, "Missing 'inputs' or 'instances' key"),
        ("POST", path, '{"inputs": {}}', 400, "Missing named input: x"),
        ("POST", path, '{"instances": [{}]}', 400, "keys must be equal to: x"),
        ("POST", path, '{"instances": ["a"]}', 400, "not of expected type: float"),
        ("POST", path, '{"instances": [[1], [1, 2]]}', 400, "Expecting tensor size"),
        ("POST", path, '{"instances": [1, [1]]}', 400, "Expecting shape"),
        ("POST", path, '{"instances": [1e300]}', 400, "loss of precision"),
        ("POST", path, '{"instances": [1, {"x": 1}]}', 400, "Expecting value/list but got object"),
        ("POST", path, '{"instances": [1], "signature_name": "none"}', 400, "none"),
        ("POST", path, '{"instances": [1, 2], "signature_name": "two"}', 400, "instances is a plain list"),
        ("POST", "/v1/models/nothing:predict", '{"instances": [1]}', 404, "Servable not found for request: Latest(nothing)"),
        ("POST", "/v1/models/tf/versions/50:predict", '{"instances": [1]}', 404, "Specific(tf, 50)"),
        ("POST", "/v1/models/tf/version/50:predict", "{}", 400, "Malformed request"),
        ("POST", "/v1/models/tf/versions/HELLO:regress", "{}", 400, "Malformed request"),
        ("POST", "/v1/models/tf/versions/18446744073709551615:regress", "{}", 400, "Failed to convert version"),
        ("GET", path, None, 400, "Malformed request"),
        ("GET", "/v1/models/tf:unknown", None, 400, "Malformed request: GET /v1/models/tf:unknown"),
        ("GET", "/v1/models/tf/versions/HELLO", None, 400, "Malformed request"),
        ("GET", "/v1/models/tf/versions/18446744073709551615", None, 400, "Failed to convert version"),
        ("GET", "/v1/models/tf/none", None, 400, "Malformed request: GET /v1/models/tf/none"),
        ("GET", "/v1/none", None, 404, "path `/v1/none` not found"),
        ("POST", "/v1/models/tf", "{}", 400, "Malformed request: POST /v1/models/tf"),
        ("POST", "/v1/models/tf/versions/1", "{}", 400, "Malformed request"),
        ("POST", "/v1/models/tf/metadata", "{}", 400, "Malformed request"),
        ("POST", "/v1/models/tf:predict/", "{}", 400, "Malformed request"),
        ("DELETE", "/v1/models/tf", None, 405, "GET, HEAD"),
        ("POST", "/v1/models/tf/labels/none:predict", "{}", 400, "Unrecognized servable version label: none"),
        ("GET", "/v1/models/tf/labels/none", None, 400, "Unrecognized servable version label: none"),
        ("GET", "/v1/models/tf/labels/none/metadata", None, 400, "Unrecognized servable version label: none"),
        ("GET", "/v1/models/nothing/labels/none", None, 400, "Unrecognized servable version label: none"),
        ("GET", "/v1/models/tf/versions/7", None, 404, "Could not find version 7 of model tf"),
        ("POST", "/v1/models/broken:predict", '{"instances": [1]}', 404, "Servable not found for request: Latest(broken)"),
        ("POST", "/v1/models/tf:regress", '{"signature_name": "none", "examples": [{}]}', 400,
         "No signature was found with the name: none"),
        ("POST", "/v1/models/tf:generate", "{}", 400, "Malformed request: POST /v1/models/tf:generate"),
        ("POST", "/v1/models/tf:classify", '{"examples": []}', 400, "'examples' value is an empty array"),
        ("POST", "/v1/models/tf:classify", '{"examples": [{"x": [[1]]}]}', 400,
         "Feature: x has element with unexpected JSON type: Array"),
        ("POST", "/v1/models/tf:classify", '{"examples": [{"x": [1, 1.5]}]}', 400, "feature: x expecting type: int64"),
        ("POST", "/v1/models/tf:regress", '{"signature_name": "regress", "examples": [{"x": 1.5}, {"x": "a"}]}', 400, "example 1"),
        ("GET", "/v1/models/nothing/metadata", None, 404, "nothing"),
        ("GET", "/v1/models/nothing", None, 404, "Could not find any versions of model nothing"),
    ]
    for method, url, body, code, text in cases:
        found = rest.send(method, url, body)
        check(found[0] == code and text in json.loads(found[2])["error"], f"{method} {url} {body}: {found}")


def test_rest_descriptions(rest):
    from google.protobuf import json_format
    from tensorflow_serving import get_model_metadata_pb2
    code, _, text = rest.send("GET", "/v1/models/tf")
    model = json.loads(text)
    wanted = [{"version": str(version), "state": "AVAILABLE", "status": {"error_code": "OK", "error_message": ""}}
              for version in (2, 1)]
    check(code == 200 and model == {"model_version_status": wanted}, "the status has no other members")
    _, _, text = rest.send("GET", "/v1/models/tf/functions")
    check(json.loads(text)["name"] == "tf" and json.loads(text)["functions"], "the description of Signet has a path of its own")
    _, _, text = rest.send("GET", "/v1/models/tf/versions/1")
    check(json.loads(text)["model_version_status"] == wanted[1:], "one version")
    code, _, text = rest.send("GET", "/v1/models/broken")
    model = json.loads(text)
    state = model["model_version_status"][0]
    check(code == 200 and state["state"] == "END" and "nothing" in state["status"]["error_message"],
          "a model that cannot be loaded has a status")
    code, _, text = rest.send("GET", "/v1/models/tf/metadata")
    metadata = json.loads(text)
    x = metadata["metadata"]["signature_def"]["signature_def"]["serving_default"]["inputs"]["x"]
    check(code == 200 and metadata["model_spec"]["version"] == "2" and x["dtype"] == "DT_FLOAT"
          and [dim["size"] for dim in x["tensor_shape"]["dim"]] == ["-1", "1"], "metadata")
    signatures = json_format.ParseDict(metadata["metadata"]["signature_def"], get_model_metadata_pb2.SignatureDefMap())
    check("x" in signatures.signature_def["serving_default"].inputs, "the signatures are the JSON of SignatureDefMap, as in TensorFlow Serving")
    check(b"signet_" in rest.send("GET", "/monitoring/prometheus/metrics")[2], "metrics")


def test_saved_models(stubs, rest, models):
    from tensorflow import saved_model_pb2
    from tensorflow_serving import get_model_metadata_pb2, inference_pb2
    for model in ("half_plus_two", "tf2"):
        with open(os.path.join(models, model, "1", "saved_model.pb"), "rb") as file:
            source = saved_model_pb2.SavedModel.FromString(file.read()).meta_graphs[0].signature_def
        request = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
        request.model_spec.name = model
        signatures = get_model_metadata_pb2.SignatureDefMap()
        stubs.prediction.GetModelMetadata(request, timeout=LONG).metadata["signature_def"].Unpack(signatures)
        wanted = {name: signature for name, signature in source.items() if not name.startswith("__")}
        check(dict(signatures.signature_def) == wanted, f"{model}: the metadata are the signatures of the SavedModel")
    path = "/v1/models/half_plus_two"
    for url, body, wanted in (
            (f"{path}:predict", {"instances": [2.0, 3.0, 4.0]}, {"predictions": [3.0, 3.5, 4.0]}),
            (f"{path}:predict", {"inputs": [2.0, 3.0, 4.0]}, {"outputs": [3.0, 3.5, 4.0]}),
            (f"{path}:classify", {"signature_name": "classify_x_to_y", "examples": [{"x": 2.0}]}, {"results": [[["", 3.0]]]}),
            (f"{path}:regress", {"signature_name": "regress_x_to_y", "examples": [{"x": 2.0}]}, {"results": [3.0]}),
            ("/v1/models/tf2:regress", {"signature_name": "regress_x_to_y", "examples": [{"x": 2.0}]}, {"results": [3.0]})):
        found = rest.call(url, body)
        check(found == (200, wanted), f"{url} {json.dumps(body)}: {found}")
    code, answer = rest.call(f"{path}:regress", '{"signature_name": "regress_x_to_y", "examples": [{"x": NaN}, {"x": Infinity}]}')
    check(code == 200 and math.isnan(answer["results"][0]) and answer["results"][1] == math.inf, f"words of numbers: {answer}")
    code, answer = rest.call(f"{path}:regress", {"signature_name": "classify_x_to_y", "examples": [{"x": 2.0}]})
    check(code == 400 and "Expected regression signature method_name" in answer["error"], f"another method: {answer}")
    both = inference_pb2.MultiInferenceRequest()
    for method in ("classify", "regress"):
        task = both.tasks.add(method_name=f"tensorflow/serving/{method}")
        task.model_spec.name, task.model_spec.signature_name = "half_plus_two", f"{method}_x_to_y"
    input_of(both, [{"x": [2.0]}])
    results = stubs.prediction.MultiInference(both, timeout=LONG).results
    check(results[0].classification_result.classifications[0].classes[0].score == 3.0
          and results[1].regression_result.regressions[0].value == 3.0, "two signatures of one model")


def main():
    with tempfile.TemporaryDirectory() as folder:
        stubs, models = os.path.join(folder, "stubs"), os.path.join(folder, "models")
        os.mkdir(stubs)
        make_models(models)
        make_stubs(stubs)
        flags = ["--http_listen", "127.0.0.1:0", "--version_policy", "all"]
        with running(*flags, models=models) as server:
            client, rest = Grpc(server.address), Rest(http_port(server))
            test_predict(client)
            test_predict_errors(client)
            test_examples(client)
            test_metadata_and_status(client)
            test_reload(client, administers=False, models=models)
            test_rest(rest)
            test_rest_errors(rest)
            test_rest_descriptions(rest)
            test_saved_models(client, rest, models)
        with running("--admin", *flags, models=models) as server:
            test_reload(Grpc(server.address), administers=True, models=models)


if __name__ == "__main__":
    main()
