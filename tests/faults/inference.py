"""Cases of requests of the Open Inference Protocol, over gRPC and HTTP."""

import contextlib
import gzip
import http.client
import json
import os
import struct
import sys
import zlib

from lib import BOUND, INVALID, check, running, wait_for

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../end_to_end/lib"))
from open_inference import MESSAGES, Client, elements_of, raw  # noqa: E402


class Web:
    """The HTTP side of a server."""

    def __init__(self, server):
        self.server = server
        wait_for(lambda: self.find_port() is not None, "the server logs its HTTP port")
        self.port = self.find_port()

    def find_port(self):
        with open(self.server.log, encoding="utf-8") as file:
            lines = [line for line in file if "serving http" in line and line.endswith("\n")]
        return int(lines[0].rsplit(":", 1)[1]) if lines else None

    def send(self, body, model="faults", function="same", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BOUND)
        with contextlib.closing(connection):
            connection.request("POST", f"/v2/models/{model}/{function}/infer", body,
                               {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return response.status, response.read()

    def rejects(self, body, *words, codes=(400,), **headers):
        code, text = self.send(body, **headers)
        check(code in codes, f"expected {codes}, found {code} {text[:200]}")
        sentence = json.loads(text)["error"]
        for word in words:
            check(word in sentence, f"expected `{word}` in: {sentence}")


@contextlib.contextmanager
def serving():
    with running("--http_listen", "127.0.0.1:0") as server:
        web = Web(server)
        yield server, web
        check(server.is_alive(), "the server ended")
        check(web.send(one_input([1], "FP32", [1]))[0] == 200, "the server still answers")


def one_input(shape, datatype, data):
    return json.dumps({"inputs": [{"name": "x", "shape": shape, "datatype": datatype, "data": data}]})


def with_data(data, datatype="FP32"):
    return b'{"inputs":[{"name":"x","shape":[1],"datatype":"%s","data":%s}]}' % (datatype.encode(), data)


def fault_01_shapes_of_the_open_inference_protocol():
    with serving() as (server, web):
        client = Client(server.channel)
        for shape in ([2**60 + 2] * 16, [-1], [2**61], [2**31, 2**31, 4]):
            web.rejects(one_input(shape, "FP32", [1]), "x")
            request = MESSAGES["ModelInferRequest"](model_name="faults/same")
            request.inputs.add(name="x", datatype="FP32", shape=shape)
            request.raw_input_contents.append(b"1234")
            code, sentence = client.rejection(request)
            check(code == INVALID and "`x`" in sentence, f"{shape}: {code} {sentence}")
        # A large shape with few elements allocates nothing.
        before = server.resident_bytes()
        web.rejects(one_input([1 << 30], "FP64", [1]), "'data'")
        check(server.resident_bytes() - before < 64 << 20, "memory grew")


def fault_04_raw_contents_of_a_wrong_size():
    with serving() as (server, _):
        client = Client(server.channel)
        request = MESSAGES["ModelInferRequest"](model_name="faults/same")
        request.inputs.add(name="x", datatype="FP64", shape=[4])
        request.raw_input_contents.append(b"x" * 40)
        code, sentence = client.rejection(request)
        check(code == INVALID and "expected 32 bytes" in sentence and "got 40" in sentence, f"{code} {sentence}")


def fault_05_raw_and_typed_contents():
    with serving() as (server, _):
        client = Client(server.channel)
        request = Client.request("faults/same", [("x", "FP32", [1], [1])])
        request.inputs[0].contents.fp32_contents.append(1)
        check(client.rejection(request)[0] == INVALID, "raw and typed contents")
        request = Client.request("faults/same", [("x", "FP32", [1], [1])])
        request.raw_input_contents.append(b"1234")
        check(client.rejection(request)[0] == INVALID, "two raw contents for one input")


def fault_06_lengths_of_bytes_elements():
    good = raw("BYTES", ["ab", "c"])
    with serving() as (server, _):
        client = Client(server.channel)
        for data in (good[:-1], good + b"x", good[:6], b"", struct.pack("<I", 2**32 - 1) + b"abc",
                     struct.pack("<II", 4, 4) + b"ab"):
            request = MESSAGES["ModelInferRequest"](model_name="faults/same")
            request.inputs.add(name="x", datatype="BYTES", shape=[2])
            request.raw_input_contents.append(data)
            code, sentence = client.rejection(request)
            check(code == INVALID and "`x`" in sentence, f"{data}: {code} {sentence}")
        found = client.infer("faults/same", [("x", "BYTES", [2], [b"\0\xff", b""])])["output"][2]
        check(found == [b"\0\xff", b""], f"any bytes: {found}")


def fault_15_json_over_http():
    with serving() as (_, web):
        for text in (b'{"a":1}', b"[1,]", b"[1", b'["\\ud800"]', b'["\xff"]', b"[1e999]", b"[nul]", b"[1 2]", b"[,1]",
                     b"[[1],2]", b"[[[1]]]", b"[]", b"{}", b"[1]x", b"\0", b"", b"[1,2]", b"1,2", b"[3e39]"):
            web.rejects(with_data(text))
        web.rejects(with_data(b"[9223372036854775808]", "INT64"), "INT64")
        web.rejects(with_data(b'["\\ud800"]', "BYTES"))
        web.rejects(with_data(b"[" * 50_000 + b"1" + b"]" * 50_000))
        web.rejects(b'{"inputs":[{"name":"x","name":"y","shape":[1],"datatype":"FP32","data":[1]}]}', "duplicate")
        for text, found in ((b"[-0.0]", "-0.0"), (b"[NaN]", '"NaN"'), (b"[1]", "1.0")):
            code, body = web.send(with_data(text))
            check(code == 200 and f'"data":[{found}]'.encode() in body, f"{text}: {code} {body}")


def fault_28_compressed_bomb_over_http():
    with serving() as (server, web):
        before = server.resident_bytes()
        for encoding, compress in (("gzip", gzip.compress), ("deflate", zlib.compress)):
            code, text = web.send(compress(b"\0" * (272 << 20)), Content_Encoding=encoding)
            check(code in (400, 413, 429), f"found {code}")
            check("error" in json.loads(text), f"an error in JSON: {text}")
        wait_for(lambda: server.resident_bytes() - before < 100 << 20, "memory comes back")


def fault_29_header_length():
    data = raw("FP32", [1, 2])
    header = json.dumps({"inputs": [{"name": "x", "shape": [2], "datatype": "FP32",
                                     "parameters": {"binary_data_size": 8}}]}).encode()
    with serving() as (_, web):
        for length in ("-1", "-0", "+5", "0x10", "1e2", "ten", "18446744073709551616", str(len(header) + 9), "5 5"):
            web.rejects(header + data, "Inference-Header-Content-Length", Inference_Header_Content_Length=length)
        # A length that ends within the JSON, or within the tensors.
        for length in (1, len(header) - 1, len(header) + 1, len(header) + 8):
            web.rejects(header + data, Inference_Header_Content_Length=str(length))
        for size in ("-8", "4", "9", "9223372036854775807", "9223372036854775808", "8.5", '"8"', "null"):
            changed = header.replace(b'"binary_data_size": 8', f'"binary_data_size": {size}'.encode())
            web.rejects(changed + data, Inference_Header_Content_Length=str(len(changed)))
        web.rejects(header + data + b"more", "additional", Inference_Header_Content_Length=str(len(header)))
        code, body = web.send(header + data, Inference_Header_Content_Length=str(len(header)))
        check(code == 200 and b"[1.0,2.0]" in body, f"the exact length: {code} {body}")
        # 0 is documented: the whole body is the raw form of the only input.
        code, body = web.send(data, function="floats", Inference_Header_Content_Length="0")
        check(code == 200 and elements_of("FP32", body[-8:]) == [1.0, 2.0], f"raw: {code} {body}")
        web.rejects(data[:7], "multiple of 4", function="floats", Inference_Header_Content_Length="0")
