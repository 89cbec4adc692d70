#!/usr/bin/env python3
"""Clients of the Open Inference Protocol over gRPC and HTTP: infer in all forms, structured parameters, metadata, the
repository, streams, and errors. The messages are made from the numbers of the public contract."""

import gzip
import hashlib
import http.client
import json
import math
import os
import shutil
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from model_files import flower_network, text_network, write_onnx  # noqa: E402
from open_inference import MESSAGES, SERVICE, Client, elements_of, raw, tensors_of  # noqa: E402
from server import SOURCE, check, running  # noqa: E402

LONG = 60
CODE = grpc.StatusCode
MODELS = os.environ.get("SIGNET_MODELS_DIR")  # real models
RECORDS = ['{"name": "Ann", "balances": [800, 400]}', '{"name": "Bo", "balances": []}']
RAGGED = [("accounts.name", "BYTES", [2], ["Ann", "Bo"]), ("accounts.balances.values", "FP32", [2], [800.0, 400.0]),
          ("accounts.balances.row_splits_0", "INT64", [3], [0, 2, 2])]
# Returns a tensor of any type.
SAME = '"""Identity"""\n\n\ndef same(x):\n    return x\n'
TWO = '''"""Two parameters, one of which has a default"""


def scale(x: float32[?], factor: float32[] = 2.0, *, count = 3):
    return {"scaled": x * factor, "count": count}
'''


def http_port(server):
    """The port of --http_listen with port 0, which the server logs."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        with open(server.log, encoding="utf-8") as file:
            for line in file:
                if "serving http" in line:
                    return int(line.rsplit(":", 1)[1])
        time.sleep(0.05)
    sys.exit("the server does not log its HTTP port")


class Http:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)

    def send(self, method, path, body=None, **headers):
        """The code, the headers, and the body of a response."""
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        self.connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = self.connection.getresponse()
        return response.status, response, response.read()

    def get(self, path):
        code, _, body = self.send("GET", path)
        return code, json.loads(body) if body else None

    def infer(self, model, inputs, **more):
        """The code and the JSON of a response. `inputs` are (name, datatype, shape, data)."""
        request = {"inputs": [{"name": name, "datatype": datatype, "shape": shape, "data": data}
                              for name, datatype, shape, data in inputs], **more}
        code, _, body = self.send("POST", f"/v2/models/{model}/infer", request)
        return code, json.loads(body)

    def output(self, *args, **kwargs):
        """The only output."""
        code, response = self.infer(*args, **kwargs)
        check(code == 200 and len(response["outputs"]) == 1, f"one output: {code} {response}")
        return response["outputs"][0]


# Types of which the protocol must find out the shape, or the datatype.
SHAPES = '''"""Inputs of several shapes"""


def rows(x: float32[?, ?]):
    return x


def planes(x: float32[?, ?, ?]):
    return x


def pair(x: int32[1, 16], y: int32[1, 16]):
    return x + y


def text(x: string[?, ?]):
    return x


def shapes(grid: float32[?, 2], count = 3, *, text: string[] = "none"):
    return {"grid": grid * 2.0, "count": count, "text": text}


def anything(x):
    return x


def versions(x: float32[]):
    return {"id": x}
'''


def make_models(folder):
    shutil.copytree(os.path.join(SOURCE, "examples/models"), folder, dirs_exist_ok=True)
    for version in "12":
        shutil.copytree(os.path.join(folder, "half_plus_two/1"), os.path.join(folder, "versions", version))
    for name, text in (("same", SAME), ("scale", TWO), ("shapes", SHAPES), ("broken", "def f(x):\n    return nothing(x)\n")):
        os.makedirs(os.path.join(folder, name, "1"))
        with open(os.path.join(folder, name, "1", "model.signet"), "w", encoding="utf-8") as file:
            file.write(text)
    return folder


def test_health_and_metadata(client, web):
    check(client.call("ServerLive").live and client.call("ServerReady").ready, "live and ready")
    check(web.get("/v2/health/live") == (200, {"live": True}), "live over HTTP")
    check(web.get("/v2/health/ready") == (200, {"ready": True}), "ready over HTTP")
    check(client.call("ModelReady", name="half_plus_two").ready, "a model is ready")
    check(not client.call("ModelReady", name="unknown").ready, "an unknown model is not ready")
    check(web.get("/v2/models/half_plus_two/ready")[0] == 200, "a model is ready over HTTP")
    check(web.get("/v2/models/unknown/ready")[0] == 404, "an unknown model is not ready over HTTP")
    check("binary_tensor_data" in web.get("/v2")[1]["extensions"], "extensions")
    check("binary_tensor_data" in client.call("ServerMetadata").extensions, "extensions over gRPC")

    metadata = client.call("ModelMetadata", name="half_plus_two")
    check([(t.name, t.datatype, list(t.shape)) for t in metadata.inputs] == [("x", "FP32", [-1])], f"inputs: {metadata}")
    check(list(metadata.versions) == ["1"], "versions")
    code, same = web.get("/v2/models/half_plus_two/versions/1")
    check(code == 200 and same["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1]}], f"over HTTP: {same}")
    check(same["outputs"][0]["name"] == "output", "the name of the result")

    names = [t.name for t in client.call("ModelMetadata", name="savings/fees").inputs]
    check(names == ["accounts.nrows", "accounts.name", "accounts.balances.values", "accounts.balances.row_splits_0"],
          f"components: {names}")
    properties = client.call("ModelMetadata", name="savings/fees").properties
    check("JSON" in properties["inputs.accounts"], "properties name the forms of a structured parameter")
    check(client.call("ModelMetadata", name="scale").properties["optional_inputs"] == "factor, count", "optional inputs")

    config = client.call("ModelConfig", name="half_plus_two").config
    check(config.input[0].data_type == 11 and list(config.input[0].dims) == [-1], f"config: {config}")
    check(web.get("/v2/models/half_plus_two/config")[1]["input"][0]["data_type"] == "TYPE_FP32", "config over HTTP")


def test_infer(client, web):
    response = client.send(client.request("half_plus_two", [("x", "FP32", [3], [1, 2, 5])]))
    check(tensors_of(response) == {"output": ("FP32", [3], [2.5, 3.0, 4.5])}, f"raw: {response}")
    check((response.model_name, response.model_version, response.id) == ("half_plus_two", "1", "7"), "names")
    request = MESSAGES["ModelInferRequest"](model_name="half_plus_two")
    request.inputs.add(name="x", datatype="FP32", shape=[1, 2]).contents.fp32_contents.extend([1, 2])
    check(tensors_of(client.send(request))["output"] == ("FP32", [1, 2], [2.5, 3.0]), "typed contents")
    for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
        request = client.request("half_plus_two", [("x", "FP32", [2000], [2] * 2000)])
        check(tensors_of(client.send(request, compression=compression))["output"][2] == [3.0] * 2000, f"{compression} over gRPC")
        requests = client.channel.stream_stream(SERVICE + "ModelStreamInfer", request_serializer=type(request).SerializeToString,
                                                response_deserializer=MESSAGES["ModelStreamInferResponse"].FromString)
        replies = list(requests(iter([request, request]), timeout=LONG, compression=compression))
        check([tensors_of(reply.infer_response)["output"][2] for reply in replies] == [[3.0] * 2000] * 2, f"{compression} in a stream")

    check(web.output("half_plus_two", [("x", "FP32", [3], [1, 2, 5])])["data"] == [2.5, 3.0, 4.5], "flat JSON")
    check(web.output("half_plus_two", [("x", "FP32", [1, 2], [[1, 2]])])["shape"] == [1, 2], "nested JSON")
    body = json.dumps({"inputs": [{"name": "x", "shape": [1], "datatype": "FP32", "data": [2]}]}).encode()
    code, response, text = web.send("POST", "/v2/models/half_plus_two/infer", gzip.compress(body),
                                    Content_Encoding="gzip", Accept_Encoding="gzip")
    text = gzip.decompress(text) if response.headers["Content-Encoding"] == "gzip" else text
    check(code == 200 and json.loads(text)["outputs"][0]["data"] == [3.0], "gzip")
    code, _, text = web.send("POST", "/v2/models/half_plus_two/infer", zlib.compress(body), Content_Encoding="deflate")
    check(code == 200 and json.loads(text)["outputs"][0]["data"] == [3.0], "deflate")
    many = {"inputs": [{"name": "x", "shape": [1000], "datatype": "FP32", "data": [2] * 1000}]}
    for encoding, expand in (("gzip", gzip.decompress), ("deflate", zlib.decompress)):
        code, response, text = web.send("POST", "/v2/models/half_plus_two/infer", many, Accept_Encoding=encoding)
        check(response.headers["Content-Encoding"] == encoding and
              json.loads(expand(text))["outputs"][0]["data"] == [3.0] * 1000, f"a result in {encoding}")
    binary = dict(many, parameters={"binary_data_output": True})
    code, response, text = web.send("POST", "/v2/models/half_plus_two/infer", binary, Accept_Encoding="deflate")
    header = int(response.headers["Inference-Header-Content-Length"])
    check(elements_of("FP32", zlib.decompress(text)[header:]) == [3.0] * 1000, "a compressed result with raw tensors")
    code, response = web.infer("half_plus_two", [("x", "FP32", [1], [2])], id=None, parameters=None, outputs=None)
    check(code == 200 and response["outputs"][0]["data"] == [3.0], f"null for what is absent: {response}")
    code, response = web.infer("half_plus_two/versions/1", [("x", "FP32", [1], [0])], id="a")
    check(code == 200 and response["id"] == "a" and response["model_version"] == "1", "version and id")


def test_datatypes(client, web):
    cases = [("BOOL", [True, False]), ("INT8", [-128, 127]), ("INT16", [-2**15, 2**15 - 1]), ("INT32", [-2**31, 7]),
             ("INT64", [-2**63, 2**63 - 1]), ("UINT8", [0, 255]), ("UINT16", [0, 2**16 - 1]), ("UINT32", [0, 2**32 - 1]),
             ("UINT64", [0, 2**64 - 1]), ("FP16", [1.5, -2.0]), ("FP32", [1.5, -2.25]), ("FP64", [0.1, 1e300]),
             ("BF16", [0x3fc0, 0xc000]), ("BYTES", ["", "gr\u00fc\u00df"])]
    fields = {"BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents", "INT32": "int_contents",
              "INT64": "int64_contents", "UINT8": "uint_contents", "UINT16": "uint_contents", "UINT32": "uint_contents",
              "UINT64": "uint64_contents", "FP32": "fp32_contents", "FP64": "fp64_contents", "BYTES": "bytes_contents"}
    for datatype, elements in cases:
        found = client.infer("same", [("x", datatype, [2], elements)])["output"]
        expected = [text.encode() for text in elements] if datatype == "BYTES" else elements
        check(found == (datatype, [2], expected), f"raw {datatype}: {found}")
        request = MESSAGES["ModelInferRequest"](model_name="same")
        contents = request.inputs.add(name="x", datatype=datatype, shape=[2]).contents
        if datatype in fields:
            getattr(contents, fields[datatype]).extend(expected)
            check(tensors_of(client.send(request))["output"] == (datatype, [2], expected), f"typed {datatype}")
        if datatype != "BF16":
            found = web.output("same", [("x", datatype, [2], elements)])
            check((found["datatype"], found["data"]) == (datatype, elements), f"JSON {datatype}: {found}")
    check(web.output("same", [("x", "BF16", [2], [1.5, -2.0])])["data"] == [1.5, -2.0], "JSON BF16")
    check(web.output("same", [("x", "INT32", [2], [3.0, -1e2])])["data"] == [3, -100], "whole numbers")
    found = web.send("POST", "/v2/models/same/infer",
                     b'{"inputs":[{"name":"x","shape":[3],"datatype":"FP32","data":[NaN,"Infinity",-Infinity]}]}')
    check(json.loads(found[2])["outputs"][0]["data"] == ["NaN", "Infinity", "-Infinity"], "numbers that are not finite")
    for datatype, data in (("INT8", [128]), ("UINT8", [-1]), ("INT32", [1.5]), ("INT64", [2**63]), ("FP32", ["x"]),
                           ("BOOL", [2]), ("BYTES", [1]), ("FP64", [None]), ("FP32", [[1], 2]), ("FP32", [])):
        code, body = web.infer("same", [("x", datatype, [1], data)])
        check(code == 400 and body["error"], f"rejects {datatype} {data}: {body}")
    empty = client.infer("same", [("x", "FP32", [0, 3], [])])["output"]
    check(empty == ("FP32", [0, 3], []), f"no elements: {empty}")


def test_binary(web):
    def send(model, header, tail, length=None, **more):
        text = json.dumps(header).encode()
        length = str(len(text)) if length is None else length
        return web.send("POST", f"/v2/models/{model}/infer", text + tail, Inference_Header_Content_Length=length,
                        Content_Type="application/octet-stream", **more)

    def split(response, body):
        length = int(response.headers["Inference-Header-Content-Length"])
        return json.loads(body[:length]), body[length:]

    data = raw("FP32", [1, 2])
    header = {"inputs": [{"name": "x", "shape": [2], "datatype": "FP32", "parameters": {"binary_data_size": 8}}],
              "parameters": {"binary_data_output": True}}
    code, response, body = send("half_plus_two", header, data)
    found, tail = split(response, body)
    check(code == 200 and found["outputs"][0]["parameters"]["binary_data_size"] == 8, f"raw output: {found}")
    check(elements_of("FP32", tail) == [2.5, 3.0], "raw elements")
    check(response.headers["Content-Type"] == "application/octet-stream", "content type")
    listed = dict(header, outputs=[{"name": "output"}])
    found = json.loads(send("half_plus_two", listed, data)[2])
    check(found["outputs"][0]["data"] == [2.5, 3.0], "a listed output without binary_data is JSON")
    listed["outputs"][0]["parameters"] = {"binary_data": True}
    _, tail = split(*send("half_plus_two", listed, data)[1:])
    check(elements_of("FP32", tail) == [2.5, 3.0], "a listed output with binary_data")
    check(send("half_plus_two", header, b"12", length="0")[0] == 400, "a raw body of a wrong size")
    code, response, body = web.send("POST", "/v2/models/half_plus_two/infer", raw("FP32", [4]),
                                    Inference_Header_Content_Length="0")
    check(code == 200 and elements_of("FP32", split(response, body)[1]) == [4.0], "the body is the only input")
    texts = {"inputs": [{"name": "x", "shape": [2], "datatype": "BYTES", "parameters": {"binary_data_size": 11}}]}
    found = json.loads(send("same", texts, raw("BYTES", ["ab", "c"]))[2])
    check(found["outputs"][0]["data"] == ["ab", "c"], f"raw strings: {found}")
    for length in ("-1", "x", "99999", "1e2", "18446744073709551616", " "):
        code, _, body = send("half_plus_two", header, data, length=length)
        check(code == 400 and b"error" in body, f"header length {length}: {body}")
    for size in (-1, 4, 9, 2**63, 1.5, "8"):
        header["inputs"][0]["parameters"]["binary_data_size"] = size
        code, _, body = send("half_plus_two", header, data)
        check(code == 400 and b"error" in body, f"binary_data_size {size}: {body}")
    header["inputs"][0]["parameters"]["binary_data_size"] = 8
    check(send("half_plus_two", header, data + b"1")[0] == 400, "additional bytes")


def test_structured(client, web):
    for inputs in (RAGGED, RAGGED + [("accounts.nrows", "INT64", [1], [2])],
                   [("accounts", "BYTES", [2], RECORDS)], [("accounts", "BYTES", [1], ["[" + ",".join(RECORDS) + "]"])]):
        found = client.infer("savings/fees", inputs)
        check(found["name"][2] == [b"Ann", b"Bo"] and found["fee"][2] == [12.0, 0.0], f"{inputs[0]}: {found}")
        found = client.infer("savings", inputs, function="fees")
        check(found["fee"] == ("FP32", [2], [12.0, 0.0]), "the function as a parameter")
    rows = client.infer("savings/fees", RAGGED, outputs=["output", "fee"])
    check(list(rows) == ["output", "fee"], "outputs in the order of the client")
    check([json.loads(row) for row in rows["output"][2]] == [{"name": "Ann", "fee": 12.0}, {"name": "Bo", "fee": 0.0}],
          f"records: {rows}")
    data = [("accounts", "BYTES", [2], RECORDS)]
    code, response = web.infer("savings/fees", data)
    check(code == 200 and {o["name"] for o in response["outputs"]} == {"nrows", "name", "fee"}, f"HTTP: {response}")
    code, response = web.infer("savings", data, parameters={"function": "fees"}, outputs=[{"name": "fee"}])
    check(code == 200 and response["outputs"][0]["data"] == [12.0, 0.0], f"HTTP with a parameter: {response}")
    for inputs, words in (([RAGGED[0]], "balances.values"), ([RAGGED[0], RAGGED[1]], "row_splits_0"),
                          (RAGGED + [("accounts.age", "FP32", [2], [1, 2])], "age"),
                          ([("accounts", "FP32", [2], [1, 2])], "accounts"),
                          ([("accounts", "BYTES", [1], ["{"])], "accounts")):
        code, sentence = client.rejection(client.request("savings/fees", inputs))
        check(code == CODE.INVALID_ARGUMENT and words in sentence, f"{words}: {code} {sentence}")


def test_defaults_and_literals(client):
    x = ("x", "FP32", [2], [1, 2])
    found = client.infer("scale", [x])
    check(found["scaled"] == ("FP32", [2], [2.0, 4.0]) and found["count"] == ("INT64", [], [3]), f"defaults: {found}")
    found = client.infer("scale", [x, ("factor", "FP32", [1], [3]), ("count", "INT32", [], [5])])
    check(found["scaled"][2] == [3.0, 6.0] and found["count"][2] == [5], f"given: {found}")
    code, sentence = client.rejection(client.request("scale", [("factor", "FP32", [], [1])]))
    check(code == CODE.INVALID_ARGUMENT and "expected number of inputs between 1 and 3 but got 1 inputs for model 'scale'. "
          "Got input(s) ['factor'], but missing required input(s) ['x']. Please provide all required input(s)." in sentence,
          f"missing: {sentence}")
    code, sentence = client.rejection(client.request("scale", [x, ("z", "FP32", [], [1])]))
    check(code == CODE.INVALID_ARGUMENT and "unexpected inference input 'z' for model 'scale'" in sentence, f"unknown: {sentence}")
    code, sentence = client.rejection(client.request("scale", [x, x]))
    check(code == CODE.INVALID_ARGUMENT and "input 'x' already exists in request" in sentence, f"twice: {sentence}")
    code, sentence = client.rejection(client.request("scale", [x], outputs=["nothing"]))
    check(code == CODE.INVALID_ARGUMENT and "unexpected inference output 'nothing' for model 'scale'" in sentence and
          "scaled" in sentence, f"output: {sentence}")
    code, sentence = client.rejection(client.request("scale", [x], outputs=["scaled", "scaled"]))
    check(code == CODE.INVALID_ARGUMENT and "Duplicate output name 'scaled' is not allowed in a request" in sentence,
          f"output: {sentence}")


def test_classification(client):
    request = client.request("same", [("x", "FP32", [2, 3], [1, 9, 4, 3, 2, 8])], outputs=["output"])
    request.outputs[0].parameters["classification"].int64_param = 2
    found = tensors_of(client.send(request))["output"]
    check(found[1] == [2, 2] and [text.split(b":")[1] for text in found[2]] == [b"1", b"2", b"2", b"0"], f"{found}")


def test_errors(client, web):
    code, sentence = client.rejection(client.request("nope", [("x", "FP32", [1], [1])]))
    check(code == CODE.NOT_FOUND and "Request for unknown model: 'nope' is not found" in sentence, f"{code} {sentence}")
    code, body = web.infer("nope", [("x", "FP32", [1], [1])])
    check(code == 404 and "Request for unknown model: 'nope' is not found" in body["error"], f"HTTP: {code} {body}")
    for path in ("nope", "nope/config", "nope/stats", "half_plus_two/versions/9", "savings/nope"):
        code, body = web.get(f"/v2/models/{path}")
        check(code == 404 and body["error"], f"{path}: {code} {body}")
    code, sentence = client.rejection("ModelMetadata", name="nope")
    check(code == CODE.NOT_FOUND and "'nope' is not found" in sentence, f"metadata: {sentence}")
    code, _ = client.rejection(client.request("half_plus_two", [("x", "FP32", [1], [1])], version="9"))
    check(code == CODE.NOT_FOUND, "an unknown version")
    code, _ = client.rejection(client.request("half_plus_two", [("x", "FP32", [1], [1])], version="x"))
    check(code == CODE.INVALID_ARGUMENT, "no version")
    code, sentence = client.rejection(client.request("savings", RAGGED))
    check(code == CODE.NOT_FOUND and "fees" in sentence, f"several functions: {sentence}")
    request = client.request("half_plus_two", [("x", "FP32", [1], [1])])
    request.inputs[0].contents.fp32_contents.append(1)
    check("raw_input_contents" in client.rejection(request)[1], "raw and typed contents")
    request = client.request("half_plus_two", [("x", "FP32", [1], [1])])
    request.raw_input_contents.append(b"")
    check(client.rejection(request)[0] == CODE.INVALID_ARGUMENT, "more raw contents than inputs")
    request = client.request("half_plus_two", [("x", "FP32", [1], [1])], triton_made_up=1)
    code, sentence = client.rejection(request)
    check(code == CODE.INVALID_ARGUMENT and "starting with 'triton_' are reserved" in sentence, f"a reserved parameter: {sentence}")
    code, body = web.infer("half_plus_two", [("x", "FP32", [1], [1])], parameters={"triton_made_up": 1})
    check(code == 400 and "starting with 'triton_' are reserved" in body["error"], f"a reserved parameter: {body}")
    request = client.request("half_plus_two", [("x", "FP32", [2], [1])])
    code, sentence = client.rejection(request)
    check(code == CODE.INVALID_ARGUMENT and "8" in sentence and "4" in sentence, f"raw bytes: {sentence}")
    for shape in ([-1], [2**62, 8], [1] * 40):
        code, _ = client.rejection(client.request("half_plus_two", [("x", "FP32", shape, [1])]))
        check(code == CODE.INVALID_ARGUMENT, f"shape {shape[:3]}")
    check(client.rejection(b"\xff\xff")[0] == CODE.INVALID_ARGUMENT, "bytes that do not parse")
    request = MESSAGES["ModelInferRequest"](model_name="same")
    request.inputs.add(name="x", datatype="FP33", shape=[1])
    code, sentence = client.rejection(request)
    check("FP33" in sentence and "FP32" in sentence, f"datatype: {sentence}")
    for body in (b"", b"{", b"[]", b'{"inputs": 3}', b'{"inputs": []} x', b'{"inputs":[{"name":"x"}]}', b"\xff",
                 b'{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[1],"data":[2]}]}',
                 b'{"inputs":[{"name":"x","shape":[9999999],"datatype":"FP32","data":[1]}]}',
                 b'{"inputs":[{"name":"x","shape":[1],"datatype":"BYTES","data":["\\ud800"]}]}',
                 b'{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":' + b"[" * 50000 + b"]" * 50000 + b"}]}"):
        code, _, text = web.send("POST", "/v2/models/half_plus_two/infer", body)
        check(code == 400 and json.loads(text)["error"], f"body {body[:60]}: {code} {text[:100]}")
    check(web.send("GET", "/v2/models/half_plus_two/infer")[0] == 405, "a wrong method")
    check(web.send("GET", "/v2/nothing")[0] == 404, "an unknown path")
    check(client.rejection("SystemSharedMemoryRegister", name="a", key="/a", byte_size=4)[0] is not None, "shared memory")
    check(client.rejection(client.request("", [("x", "FP32", [1], [1])])) ==
          (CODE.NOT_FOUND, "Request for unknown model: '' is not found"), "no name")
    code, sentence = client.rejection(client.request("half_plus_two", [("x", "FP32", [1], [1])], timeout=1))
    check(code == CODE.UNAVAILABLE and "Request timeout expired" in sentence, f"a time that has passed: {code} {sentence}")
    code, body = web.infer("half_plus_two", [("x", "FP32", [1], [1])], parameters={"timeout": 1})
    check(code == 503 and "Request timeout expired" in body["error"], f"a time that has passed: {code} {body}")
    # Errors of the HTTP server itself are JSON, too.
    for headers in ({"Content_Encoding": "br"}, {"Content_Encoding": "gzip"}, {"Content_Encoding": "deflate"}):
        code, response, text = web.send("POST", "/v2/models/half_plus_two/infer", b"x", **headers)
        check(code == 400 and json.loads(text)["error"] and response.headers["Content-Type"] == "application/json" and
              response.headers["Accept-Encoding"] == "gzip, deflate", f"{headers}: {code} {text}")
    code, _ = client.rejection(client.request("half_plus_two", [("x", "FP32", [1], [1])]), timeout=LONG)
    check(code is None, "a call after all of this")


def test_sentences(client, web):
    """The sentences of errors that programs compare."""
    def rejects(model, inputs, sentence, **more):
        code, body = web.infer(model, inputs, **more)
        check(code == 400 and sentence in body["error"], f"{model}: {code} {body}")
    good = ("y", "INT32", [1, 16], [0] * 16)
    rejects("shapes/pair", [("x", "FP32", [1, 16], [0] * 16), good],
            "inference input 'x' data-type is 'FP32', but model 'shapes/pair' expects 'INT32'")
    for shape in ([1, 17], [16], [2, 16]):
        rejects("shapes/pair", [("x", "INT32", shape, [0] * math.prod(shape)), good],
                f"unexpected shape for input 'x' for model 'shapes/pair'. Expected [1,16], got {str(shape).replace(' ', '')}")
    rejects("shapes/pair", [good], "missing required input(s) ['x']. Please provide all required input(s).")
    rejects("shapes/rows", [("x", "FP32", [2, -5], [1])], "attempt to access JSON non-unsigned-integer as unsigned-integer")
    rejects("shapes/rows", [("x", "FP32", [2**4, 2**60 + 2], [1])], "causes total element count to exceed maximum size of")
    rejects("shapes/rows", [("x", "FP32", [2**2, 2**60 + 2], [1])], "byte size overflow for input")
    rejects("shapes/rows", [("x", "FP32", [1, 2], [1])], "Shape does not match true shape of 'data' field")
    rejects("shapes/rows", [("x", "FP32", [1, 2], [1, 2])], "Duplicate output name 'output' is not allowed in a request",
            outputs=[{"name": "output"}, {"name": "output"}])
    for inputs, sentence in (
            ([("x", "FP32", [1, 2], [1, 2, 3])],
             "input byte size mismatch for input 'x' for model 'shapes/rows'. Expected 8, got 12"),
            ([("x", "BYTES", [1, 4], ["a", "b"])],
             "expected 4 string elements for inference input 'x' for model 'shapes/rows', got 2"),
            ([("x", "BYTES", [1, 1], ["a", "b"])],
             "unexpected number of string elements 2 for inference input 'x' for model 'shapes/rows', expecting 1")):
        code, found = client.rejection(client.request("shapes/rows", inputs))
        check(code == CODE.INVALID_ARGUMENT and sentence in found, f"{found}")
    for model, sentence in (
            ("shapes/planes", "The shape of the raw input 'x' can not be deduced because there are more than one "
             "variable-sized dimension"),
            ("shapes/text", "For BYTE datatype raw input 'x', the model must have input shape [1]"),
            ("shapes/pair", "Raw request must only have 1 input (found 1) to be deduced but got 2 inputs in")):
        code, _, text = web.send("POST", f"/v2/models/{model}/infer", raw("FP32", [1, 2]), Inference_Header_Content_Length="0")
        check(code == 400 and sentence in json.loads(text)["error"], f"{model}: {text}")
    code, response, text = web.send("POST", "/v2/models/shapes/rows/infer", raw("FP32", [1, 2]), Inference_Header_Content_Length="0")
    header = int(response.headers["Inference-Header-Content-Length"])
    check(code == 200 and json.loads(text[:header])["outputs"][0]["shape"] == [1, 2] and
          elements_of("FP32", text[header:]) == [1.0, 2.0], f"the body is one row: {text}")
    code, _, text = web.send("POST", "/v2/logging", {"log_file": "/tmp/a"})
    check(b"log file location can not be updated through network protocol" in text, f"{text}")


def test_cuda_shared_memory(client, web):
    """There are no regions: programs of tritonclient unregister them at their start."""
    client.call("CudaSharedMemoryStatus")
    client.call("CudaSharedMemoryUnregister")
    client.call("CudaSharedMemoryUnregister", name="a")
    code, sentence = client.rejection("CudaSharedMemoryRegister", name="a", byte_size=4)
    check(code == CODE.INVALID_ARGUMENT and "failed to register CUDA shared memory region: 'a'" in sentence, sentence)
    check(client.rejection("CudaSharedMemoryStatus", name="a")[0] == CODE.NOT_FOUND, "a region that is not there")
    check(web.get("/v2/cudasharedmemory/status") == (200, []), "no regions over HTTP")
    check(client.rejection("SystemSharedMemoryStatus", name="a")[0] == CODE.NOT_FOUND, "a region without shared memory")
    check(web.get("/v2/systemsharedmemory/region/a/status")[0] == 404, "a region without shared memory over HTTP")
    for path in ("/v2/cudasharedmemory/unregister", "/v2/cudasharedmemory/region/a/unregister"):
        check(web.send("POST", path)[0] == 200, path)
    for kind in ("cuda", "system"):
        code, _, text = web.send("POST", f"/v2/{kind}sharedmemory/register", {"key": "/a", "byte_size": 4})
        check(code == 400 and b"'region name' is necessary" in text, f"{kind}: {text}")
    check(web.send("POST", "/v2/cudasharedmemory/region/a/register", {"byte_size": 4})[0] == 400, "register over HTTP")


def test_generate(web):
    def generate(model, body, verb="generate"):
        code, response, text = web.send("POST", f"/v2/models/{model}/{verb}", body)
        return code, response.headers["Content-Type"], text.decode()
    code, kind, text = generate("half_plus_two", {"x": [1, 2], "id": "7"})
    check(code == 200 and kind == "application/json" and json.loads(text) ==
          {"model_name": "half_plus_two", "model_version": "1", "id": "7", "output": [2.5, 3.0]}, f"generate: {text}")
    check(json.loads(generate("half_plus_two/versions/1", {"x": 1})[2])["output"] == 2.5, "one element")
    code, kind, text = generate("half_plus_two", {"x": [1, 2]}, "generate_stream")
    check(code == 200 and kind == "text/event-stream; charset=utf-8" and text.startswith("data: {") and
          text.endswith("}\n\n") and json.loads(text[6:])["output"] == [2.5, 3.0], f"one event: {text}")
    found = json.loads(generate("shapes/shapes", {"grid": [1, 2, 3, 4], "parameters": {"text": "a", "more": 1}})[2])
    check((found["grid"], found["count"], found["text"]) == ([2.0, 4.0, 6.0, 8.0], 3, "a"), f"shapes: {found}")
    for value, expected in (("a", "a"), ([True, False], [True, False]), (2**60, 2**60), ([1, 2.5], [1.0, 2.5]), ([], []),
                            ([[1, 2], [3, 4]], [1, 2, 3, 4])):
        check(json.loads(generate("shapes/anything", {"x": value})[2])["output"] == expected, f"any type: {value}")
    nested = json.loads(generate("shapes/shapes", {"grid": [[1, 2], [3, 4]], "text": "a"})[2])
    check((nested["grid"], nested["count"]) == (found["grid"], 3), f"lists of the shape: {nested}")
    found = json.loads(generate("savings/fees", {"accounts": [json.loads(row) for row in RECORDS]})[2])
    check(found["fee"] == [12.0, 0.0] and found["name"] == ["Ann", "Bo"], f"records: {found}")
    for model, body, words in (("half_plus_two", {}, "missing required input(s) ['x']"), ("half_plus_two", {"x": "a"}, "input `x`"),
                               ("shapes/shapes", {"grid": [1, 2, 3]}, "input `grid`"),
                               ("shapes/shapes", {"grid": [[1, 2, 3, 4]], "text": "a"}, "expected lists of the shape"),
                               ("half_plus_two", {"x": [[1, 2], [3]]}, "input `x`"), ("half_plus_two", "[]", "an object"),
                               ("shapes/shapes", {"grid": [1, 2], "text": ["a", "b"]}, "input `text`"),
                               ("half_plus_two", {"x": 1, "triton_x": 2}, "reserved"),
                               ("nope", {"x": 1}, "Request for unknown model: 'nope' is not found")):
        code, kind, text = generate(model, body)
        check(code == (404 if model == "nope" else 400) and words in json.loads(text)["error"], f"{model} {body}: {code} {text}")
    check(web.send("GET", "/v2/models/half_plus_two/generate")[0] == 405, "a wrong method")
    for model in ("shapes/versions", "shapes/versions/versions/1"):
        found = json.loads(generate(model, {"x": 2})[2])
        check(found["id"] == 2.0 and "model_name" in found, f"a function that is called `versions`: {found}")
        code, _, text = web.send("GET", f"/v2/models/{model}")
        check(code == 200 and json.loads(text)["outputs"][0]["name"] == "id", f"its metadata: {text}")


def test_settings(client, web):
    code, found = web.get("/v2/trace/setting")
    check(code == 200 and found["trace_level"] == ["OFF"] and all(isinstance(found[name], str) for name in (
        "trace_rate", "trace_count", "log_frequency", "trace_file")), f"trace settings: {found}")
    check(web.send("POST", "/v2/trace/setting", {})[0] == 200, "no change")
    code, _, text = web.send("POST", "/v2/models/half_plus_two/trace/setting", {"trace_level": ["OFF"], "trace_rate": None})
    check(code == 200 and json.loads(text) == found, f"settings in effect: {text}")
    check(web.send("POST", "/v2/trace/setting", {"trace_level": ["TIMESTAMPS"]})[0] == 501, "a flag")
    check(web.send("POST", "/v2/trace/setting", {"trace_made_up": "1"})[0] == 400, "an unknown setting")
    check(list(client.call("TraceSetting").settings["trace_level"].value) == ["OFF"], "trace settings over gRPC")
    code, sentence = client.rejection("TraceSetting", model_name="nope")
    check(code == CODE.NOT_FOUND and "Request for unknown model : nope" in sentence, f"{code} {sentence}")
    check(web.get("/v2/models/nope/trace/setting")[0] == 404, "an unknown model")
    code, before = web.get("/v2/logging")
    check(code == 200 and before == {"log_file": "", "log_info": True, "log_warning": True, "log_error": True,
                                     "log_verbose_level": 0, "log_format": "ISO8601"}, f"log settings: {before}")
    code, _, text = web.send("POST", "/v2/logging", {"log_info": False, "log_verbose_level": 1, "log_file": None})
    check(code == 200 and json.loads(text) == dict(before, log_info=False, log_verbose_level=1), f"changed: {text}")
    found = client.call("LogSettings").settings
    check((found["log_info"].bool_param, found["log_verbose_level"].uint32_param, found["log_format"].string_param) ==
          (False, 1, "ISO8601"), f"over gRPC: {found}")
    for body in ({"log_info": 1}, {"log_verbose_level": -1}, {"log_verbose_level": "1"}, {"log_made_up": True}, "["):
        check(web.send("POST", "/v2/logging", body)[0] == 400, f"rejected: {body}")
    check(web.send("POST", "/v2/logging", {"log_file": "/tmp/a"})[0] == 501, "a flag")
    check(web.send("PUT", "/v2/logging", {})[0] == 405, "a wrong method")
    request = MESSAGES["LogSettingsRequest"]()
    request.settings["log_info"].bool_param = True
    request.settings["log_verbose_level"].uint32_param = 0
    client.call("LogSettings", settings=request.settings)
    check(web.get("/v2/logging")[1] == before, "the settings of before")


def test_stream(channel):
    def requests():
        for i in range(3):
            request = Client.request("half_plus_two" if i != 1 else "nope", [("x", "FP32", [1], [i])])
            if i == 2:
                request.parameters["triton_enable_empty_final_response"].bool_param = True
            request.id = str(i)
            yield request
    stub = channel.stream_stream(SERVICE + "ModelStreamInfer",
                                 request_serializer=MESSAGES["ModelInferRequest"].SerializeToString,
                                 response_deserializer=MESSAGES["ModelStreamInferResponse"].FromString)
    broken = Client.request("half_plus_two", [("x", "FP32", [2], [1])])
    found = list(stub(iter([broken]), timeout=LONG))[0]
    check("Expected 8, got" in found.error_message and found.infer_response.id == "7", f"the id of a broken request: {found}")
    responses = list(stub(requests(), timeout=LONG))
    check([response.infer_response.id for response in responses] == ["0", "1", "2"], "responses in order")
    check("'nope' is not found" in responses[1].error_message, f"an error keeps the stream: {responses[1]}")
    check(tensors_of(responses[2].infer_response)["output"][2] == [3.0], "the last response")
    check(all(responses[i].infer_response.parameters["triton_final_response"].bool_param for i in (0, 2)),
          "final responses are marked")


def test_repository(client, web):
    models = {model.name: model.state for model in client.call("RepositoryIndex").models}
    check(models["half_plus_two"] == "READY", f"index: {models}")
    code, _, body = web.send("POST", "/v2/repository/index", {"ready": True})
    check(code == 200 and {"name": "half_plus_two", "version": "1", "state": "READY", "reason": ""} in json.loads(body), "HTTP index")
    check(web.send("POST", "/v2/repository/index", {"ready": "x"})[0] == 400, "`ready` is not a boolean")
    check(client.rejection("RepositoryIndex", repository_name="a")[0] == CODE.UNIMPLEMENTED, "a named repository")
    check(client.rejection("RepositoryModelLoad", repository_name="a", model_name="half_plus_two")[0] == CODE.UNIMPLEMENTED,
          "a named repository")
    for path in ("a/index", "a/models/half_plus_two/load", "a/models/half_plus_two/unload"):
        check(web.send("POST", f"/v2/repository/{path}")[0] == 501, f"a named repository: {path}")
    client.call("RepositoryModelUnload", model_name="half_plus_two")
    check(not client.call("ModelReady", name="half_plus_two").ready, "unloaded")
    code, sentence = client.rejection(client.request("half_plus_two", [("x", "FP32", [1], [1])]))
    check(code == CODE.UNAVAILABLE and "'half_plus_two' has no available versions" in sentence, f"{code} {sentence}")
    code, sentence = client.rejection(client.request("half_plus_two", [("x", "FP32", [1], [1])], version="1"))
    check(code == CODE.UNAVAILABLE and "version 1 is not at ready state" in sentence, f"{code} {sentence}")
    check(web.infer("half_plus_two", [("x", "FP32", [1], [1])])[0] == 503, "unloaded, over HTTP")
    client.call("RepositoryModelLoad", model_name="half_plus_two")
    check(client.call("ModelReady", name="half_plus_two").ready, "loaded")
    for verb in ("unload", "load"):
        code, _, body = web.send("POST", f"/v2/repository/models/half_plus_two/{verb}")
        check(code == 200 and json.loads(body) == {"name": "half_plus_two", verb: True}, f"{verb} over HTTP: {body}")
    code, _, body = web.send("POST", "/v2/repository/models/nope/load")
    check(code == 400 and b"failed to load 'nope'" in body, f"an unknown model: {body}")
    code, _, body = web.send("POST", "/v2/repository/models/broken/load")
    check(code == 400 and b"load failed for model 'broken'" in body, f"a model that cannot be loaded: {code} {body}")
    code, _, body = web.send("POST", "/v2/repository/models/scale/load", {"parameters": {"config": "{}"}})
    check(code == 501 and b"failed to load 'scale'" in body, f"another configuration: {code} {body}")
    client.call("RepositoryModelUnload", model_name="nope")
    check(web.send("POST", "/v2/repository/models/nope/unload")[0] == 200, "to unload an unknown model has no effect")
    stats = client.call("ModelStatistics", name="half_plus_two").model_stats[0]
    check(stats.inference_count > 0 and stats.inference_stats.success.ns > 0, f"statistics: {stats}")
    code, found = web.get("/v2/models/half_plus_two/stats")
    check(code == 200 and found["model_stats"][0]["inference_stats"]["success"]["count"] > 0, "HTTP statistics")
    check([found["model_stats"][0][key] for key in ("batch_stats", "memory_usage", "response_stats")] == [[], [], {}],
          "parts of the statistics that Signet does not have")


def test_versions(client, web):
    """A load loads the versions that the policy of the model selects."""
    def states():
        return {model.version: model.state for model in client.call("RepositoryIndex").models if model.name == "versions"}
    check(states() == {"1": "READY", "2": "READY"}, f"all versions: {states()}")
    client.call("RepositoryModelUnload", model_name="versions")
    check(states() == {"1": "UNAVAILABLE", "2": "UNAVAILABLE"}, f"unloaded: {states()}")
    client.call("RepositoryModelLoad", model_name="versions")
    check(states() == {"1": "READY", "2": "READY"}, f"loaded again: {states()}")
    check([web.get(f"/v2/models/versions/versions/{version}/ready")[0] for version in "12"] == [200, 200], "both are ready")
    client.call("RepositoryModelLoad", model_name="versions")
    check(states() == {"1": "READY", "2": "READY"}, f"a model that is loaded: {states()}")


def test_statistics(client, web):
    """Each version has numbers of its own, and the time of its last call."""
    def stats(version=""):
        found = client.call("ModelStatistics", name="versions", version=version).model_stats
        return {s.version: (s.inference_count, s.inference_stats.fail.count, s.last_inference) for s in found}
    check(stats() == {"1": (0, 0, 0), "2": (0, 0, 0)}, f"no calls: {stats()}")
    before = int(time.time() * 1000)
    for version, count in (("1", 3), ("2", 1)):
        for _ in range(count):
            client.send(client.request("versions", [("x", "FP32", [1], [1])], version=version))
    client.rejection(client.request("versions", [("x", "BYTES", [1], ["a"])], version="2"))
    found = stats()
    check([found[v][:2] for v in "12"] == [(3, 0), (1, 1)], f"calls of each version: {found}")
    check(all(before <= found[v][2] <= time.time() * 1000 for v in "12"), f"the times of the last calls: {found}")
    check(list(stats("1")) == ["1"], "one version")
    code, body = web.get("/v2/models/versions/versions/1/stats")
    check(code == 200 and body["model_stats"][0]["inference_count"] == 3, f"HTTP: {body}")


def test_shared_memory(client, web):
    names = [f"signet-{os.getpid()}-{part}" for part in ("in", "out")]
    paths = [f"/dev/shm/{name}" for name in names]
    try:
        for path in paths:
            with open(path, "wb") as file:
                file.write(bytes(4096))
        with open(paths[0], "r+b") as file:
            file.write(raw("FP32", [1.0, 2.0, 5.0]) + raw("BYTES", ["a", "bc"]))
        client.call("SystemSharedMemoryRegister", name="in", key=f"/{names[0]}", byte_size=4096)
        code, _, body = web.send("POST", "/v2/systemsharedmemory/region/out/register",
                                 {"key": f"/{names[1]}", "offset": 1024, "byte_size": 1024})
        check(code == 200 and not body, f"registered over HTTP: {code} {body}")
        check("system_shared_memory" in client.call("ServerMetadata").extensions, "the extension is listed")
        regions = client.call("SystemSharedMemoryStatus").regions
        check({name: (r.key, r.offset, r.byte_size) for name, r in regions.items()} ==
              {"in": (f"/{names[0]}", 0, 4096), "out": (f"/{names[1]}", 1024, 1024)}, f"status: {regions}")
        check(web.get("/v2/systemsharedmemory/region/out/status") ==
              (200, [{"name": "out", "key": f"/{names[1]}", "offset": 1024, "byte_size": 1024}]), "status over HTTP")
        code, sentence = client.rejection("SystemSharedMemoryRegister", name="in", key=f"/{names[0]}", byte_size=1)
        check(code == CODE.ALREADY_EXISTS and "shared memory region 'in' already in manager" in sentence, sentence)
        code, sentence = client.rejection("SystemSharedMemoryStatus", name="no")
        check(code == CODE.NOT_FOUND and "Unable to find system shared memory region: 'no'" in sentence, sentence)
        code, sentence = client.rejection("SystemSharedMemoryRegister", name="big", key=f"/{names[0]}", byte_size=4097)
        check(code == CODE.INVALID_ARGUMENT and "failed to register shared memory region" in sentence, sentence)
        for key in ("/../etc/passwd", "/nothing-there"):
            code, _ = client.rejection("SystemSharedMemoryRegister", name="bad", key=key, byte_size=1)
            check(code == CODE.INVALID_ARGUMENT, f"key {key}")

        def request(size=12, offset=0, out_size=64, region="in"):
            out = MESSAGES["ModelInferRequest"](model_name="half_plus_two")
            tensor = out.inputs.add(name="x", datatype="FP32", shape=[3])
            wanted = out.outputs.add(name="output")
            for target, name, where, length in ((tensor, region, offset, size), (wanted, "out", 0, out_size)):
                target.parameters["shared_memory_region"].string_param = name
                target.parameters["shared_memory_byte_size"].int64_param = length
                if where:
                    target.parameters["shared_memory_offset"].int64_param = where
            return out

        def result():
            with open(paths[1], "rb") as file:
                return elements_of("FP32", file.read()[1024:1036])
        response = client.send(request())
        output = response.outputs[0]
        check(result() == [2.5, 3.0, 4.5] and list(response.raw_output_contents) == [b""], f"infer over gRPC: {response}")
        check((output.parameters["shared_memory_region"].string_param,
               output.parameters["shared_memory_byte_size"].int64_param) == ("out", 12), f"{output}")
        with open(paths[1], "r+b") as file:
            file.write(bytes(4096))
        shared = {"shared_memory_region": "in", "shared_memory_byte_size": 12}
        code, _, body = web.send("POST", "/v2/models/half_plus_two/infer", {
            "inputs": [{"name": "x", "datatype": "FP32", "shape": [3], "parameters": shared}],
            "outputs": [{"name": "output", "parameters": {"shared_memory_region": "out", "shared_memory_byte_size": 64}}]})
        output = json.loads(body)["outputs"][0]
        check(code == 200 and result() == [2.5, 3.0, 4.5] and "data" not in output, f"infer over HTTP: {body}")
        check(output == {"name": "output", "datatype": "FP32", "shape": [3]}, f"no data and no parameters: {output}")
        strings = MESSAGES["ModelInferRequest"](model_name="same")
        tensor = strings.inputs.add(name="x", datatype="BYTES", shape=[2])
        tensor.parameters["shared_memory_region"].string_param = "in"
        tensor.parameters["shared_memory_offset"].int64_param = 12
        tensor.parameters["shared_memory_byte_size"].int64_param = 11
        check(tensors_of(client.send(strings))["output"][2] == [b"a", b"bc"], "strings, with an offset")
        mixed = client.request("scale", [("x", "FP32", [3], [0.0, 0.0, 0.0]), ("factor", "FP32", [], [3.0])])
        del mixed.raw_input_contents[0]
        mixed.inputs[0].parameters["shared_memory_region"].string_param = "in"
        mixed.inputs[0].parameters["shared_memory_byte_size"].int64_param = 12
        check(tensors_of(client.send(mixed))["scaled"][2] == [3.0, 6.0, 15.0], "one input in the message, and one not")
        for wrong, code, part in (
                (request(size=8), CODE.INVALID_ARGUMENT, "Expected 12, got 8"), (request(size=0), CODE.INVALID_ARGUMENT, "byte_size"),
                (request(offset=4096), CODE.INVALID_ARGUMENT, "Invalid offset for shared memory region: 'in'"),
                (request(offset=4090), CODE.INVALID_ARGUMENT, "Invalid offset + byte size for shared memory region: 'in'"),
                (request(out_size=8), CODE.INVALID_ARGUMENT, "should be at least 12 bytes to hold the results"),
                (request(region="no"), CODE.NOT_FOUND, "Unable to find shared memory region: 'no'")):
            found, sentence = client.rejection(wrong)
            check(found == code and part in sentence, f"{found} {sentence}")

        # The owner of the memory changes its size all the time.
        ends = threading.Event()

        def truncate():
            while not ends.is_set():
                for size in (0, 4096):
                    for path in paths:
                        os.truncate(path, size)
        thread = threading.Thread(target=truncate)
        thread.start()
        outcomes = {client.rejection(request())[0] for _ in range(500)}
        ends.set()
        thread.join()
        check(outcomes <= {None, CODE.INVALID_ARGUMENT}, f"truncated while it is used: {outcomes}")
        check(client.call("ServerLive").live, "the server is alive")
        check(web.send("POST", "/v2/systemsharedmemory/region/out/unregister")[0] == 200, "one region is unregistered")
        check(list(client.call("SystemSharedMemoryStatus").regions) == ["in"], "the other region is left")
        client.call("SystemSharedMemoryUnregister")
        client.call("SystemSharedMemoryUnregister", name="in")
        check(web.get("/v2/systemsharedmemory/status") == (200, []), "no region is left")
        check(web.send("GET", "/v2/systemsharedmemory/unregister")[0] == 405, "a wrong method")
    finally:
        for path in paths:
            os.unlink(path)


def test_permissions(client, web):
    token = {"authorization": "Bearer secret"}
    model = {"name": "half_plus_two"}
    for method, fields, anonymous, named in (
            ("ServerLive", {}, None, None), ("ServerReady", {}, None, None),
            ("ModelReady", model, CODE.UNAUTHENTICATED, None), ("ModelMetadata", model, CODE.UNAUTHENTICATED, None),
            ("ModelConfig", model, CODE.UNAUTHENTICATED, None), ("ModelStatistics", {}, CODE.UNAUTHENTICATED, None),
            ("RepositoryIndex", {}, CODE.UNAUTHENTICATED, None),
            ("RepositoryModelUnload", {"model_name": "savings"}, CODE.UNAUTHENTICATED, CODE.PERMISSION_DENIED),
            ("ModelInfer", {"model_name": "half_plus_two"}, CODE.UNAUTHENTICATED, CODE.INVALID_ARGUMENT)):
        found = [client.rejection(method, metadata=metadata, **fields)[0] for metadata in (None, list(token.items()))]
        check(found == [anonymous, named], f"{method}: {found}")
    for method, path, anonymous, named in (
            ("GET", "/v2/health/live", 200, 200), ("GET", "/v2/models", 401, 200), ("GET", "/v2/models/savings", 401, 404),
            ("GET", "/v2/models/half_plus_two/ready", 401, 200), ("POST", "/v2/models/half_plus_two/infer", 401, 400),
            ("GET", "/v2/logging", 200, 200), ("POST", "/v2/models/half_plus_two/generate", 401, 400),
            ("POST", "/v2/repository/index", 401, 200), ("POST", "/v2/repository/models/savings/unload", 401, 403)):
        found = [web.send(method, path, **headers)[0] for headers in ({}, {"Authorization": token["authorization"]})]
        check(found == [anonymous, named], f"{method} {path}: {found}")
    for headers, expected in (({}, 401), ({"Authorization": token["authorization"]}, 403)):
        code = web.send("POST", "/v2/logging", {"log_info": False}, **headers)[0]
        check(code == expected, f"a change of settings: {code}")


def test_administration_is_off(client):
    code, sentence = client.rejection("RepositoryModelLoad", model_name="half_plus_two")
    check(code == CODE.UNAVAILABLE and "--admin" in sentence, f"load: {code} {sentence}")
    request = MESSAGES["LogSettingsRequest"]()
    request.settings["log_info"].bool_param = False
    code, sentence = client.rejection("LogSettings", settings=request.settings)
    check(code == CODE.UNAVAILABLE and "--admin" in sentence, f"log settings: {code} {sentence}")


def test_onnx(client):
    """ONNX models are described with the names of their own inputs and outputs."""
    metadata = client.call("ModelMetadata", name="flowers")
    check([t.name for t in metadata.inputs] == ["sizes"], f"weights are not listed as inputs: {metadata}")
    check([t.name for t in metadata.outputs] == ["probabilities"], f"outputs: {metadata}")
    found = client.infer("text", [("INPUT0", "BYTES", [1, 16], ["1"] * 16),
                                                  ("INPUT1", "BYTES", [1, 16], ["2"] * 16)])
    check(found["OUTPUT0"][2] == [b"3"] * 16 and found["OUTPUT1"][2] == [b"-1"] * 16, f"{found}")


def test_real_models(client, folder):
    for name in sorted(os.listdir(folder)):
        if not os.path.exists(os.path.join(folder, name, "model.onnx")):
            continue
        metadata = client.call("ModelMetadata", name=name)
        check(metadata.inputs, f"{name}: inputs {[t.name for t in metadata.inputs][:8]}, "
                               f"outputs {[t.name for t in metadata.outputs]}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        models = make_models(folder)
        with running("--http_listen", "127.0.0.1:0", "--admin", models=models) as server:
            with grpc.insecure_channel(server.address) as channel:
                client, web = Client(channel), Http(http_port(server))
                test_health_and_metadata(client, web)
                test_infer(client, web)
                test_datatypes(client, web)
                test_binary(web)
                test_structured(client, web)
                test_defaults_and_literals(client)
                test_classification(client)
                test_errors(client, web)
                test_sentences(client, web)
                test_cuda_shared_memory(client, web)
                test_generate(web)
                test_settings(client, web)
                test_stream(channel)
                test_repository(client, web)
                test_versions(client, web)
                test_statistics(client, web)
        with running("--http_listen", "127.0.0.1:0", "--shared_memory", models=models) as server:
            with grpc.insecure_channel(server.address) as channel:
                test_shared_memory(Client(channel), Http(http_port(server)))
        tokens = os.path.join(folder, "tokens")
        with open(tokens, "w", encoding="utf-8") as file:
            file.write(f"ci {hashlib.sha256(b'secret').hexdigest()}\n")
        with running("--http_listen", "127.0.0.1:0", "--admin", "--tokens_file", tokens) as server:
            with grpc.insecure_channel(server.address) as channel:
                test_permissions(Client(channel), Http(http_port(server)))
        onnx = os.path.join(folder, "onnx_models")
        for name, text in (("flowers", flower_network()), ("text", text_network())):
            write_onnx(os.path.join(onnx, name, "1", "model.onnx"), text)
        with running(models=onnx) as server, grpc.insecure_channel(server.address) as channel:
            test_onnx(Client(channel))
            test_administration_is_off(Client(channel))
        if MODELS is None:
            print("skipped: names of real ONNX models over the Open Inference Protocol need SIGNET_MODELS_DIR")
            return
        with running(models=os.path.join(MODELS, "onnx")) as server, grpc.insecure_channel(server.address) as channel:
            test_real_models(Client(channel), os.path.join(MODELS, "onnx"))


main()
