#!/usr/bin/env python3
"""Metrics, traces, the access log, captured requests, and `signet top`, as operators use them."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from certificates import Authority  # noqa: E402
from server import CLI, SOURCE, check, make_stubs, running  # noqa: E402

STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2  # noqa: E402
from signet.v1 import recorded_pb2, service_pb2, types_pb2, values_pb2  # noqa: E402

CALL = "/signet.v1.TensorService/Call"
STREAM = "/signet.v1.TensorService/CallStream"
LONG = 60  # seconds, where a fault would wait without end
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


def wait_for(condition):
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def request(*numbers, model="half_plus_two"):
    tensor = values_pb2.Tensor(dtype=types_pb2.DTYPE_FLOAT32, shape=[len(numbers)],
                               data=struct.pack(f"<{len(numbers)}f", *numbers))
    return service_pb2.CallRequest(model=service_pb2.ModelSpec(name=model), function="predict",
                                   args=[values_pb2.Value(tensor=tensor)])


def call(channel, message, metadata=()):
    """The code of a call and its trailing metadata."""
    method = channel.unary_unary(CALL)
    try:
        _, done = method.with_call(message.SerializeToString(), timeout=LONG, metadata=metadata)
        return "OK", dict(done.trailing_metadata())
    except grpc.RpcError as error:
        return error.code().name, dict(error.trailing_metadata())


def http_port(server):
    """The port of --http_listen with port 0, which the server logs."""
    found = []

    def read():
        with open(server.log, encoding="utf-8") as file:
            found[:] = re.findall(r"serving http address=127\.0\.0\.1:(\d+)", file.read())
        return bool(found)

    check(wait_for(read), "the server logs its HTTP port")
    return int(found[0])


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=LONG) as page:
        return page.read().decode()


def has_metric(port, pattern):
    return wait_for(lambda: re.search(pattern, get(port, "/metrics"), re.MULTILINE))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def signet(*words, code=0):
    done = subprocess.run([CLI, *words], capture_output=True, text=True, check=False, timeout=LONG)
    check(done.returncode == code, f"signet {words[0]} exits with {code}, not {done.returncode}: {done.stderr}")
    return done.stdout


def records(path):
    """The recorded calls of a file, read without the code of Signet."""
    with open(path, "rb") as file:
        data = file.read()
    calls = []
    while data:
        size = shift = used = 0
        while True:
            byte = data[used]
            size |= (byte & 127) << shift
            used, shift = used + 1, shift + 7
            if byte < 128:
                break
        calls.append(recorded_pb2.RecordedCall.FromString(data[used:used + size]))
        data = data[used + size:]
    return calls


class Collector:
    """An OpenTelemetry collector that keeps the spans and the headers it receives."""

    def __init__(self, credentials=None):
        self.spans, self.resources, self.headers = [], [], {}
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
        handler = grpc.unary_unary_rpc_method_handler(
            self.export, request_deserializer=trace_service_pb2.ExportTraceServiceRequest.FromString,
            response_serializer=trace_service_pb2.ExportTraceServiceResponse.SerializeToString)
        self.server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(
            "opentelemetry.proto.collector.trace.v1.TraceService", {"Export": handler})])
        self.port = (self.server.add_secure_port("127.0.0.1:0", credentials) if credentials else
                     self.server.add_insecure_port("127.0.0.1:0"))
        self.server.start()

    def export(self, message, context):
        self.headers = dict(context.invocation_metadata())
        for resource in message.resource_spans:
            self.resources.append(resource.resource)
            for scope in resource.scope_spans:
                self.spans += scope.spans
        return trace_service_pb2.ExportTraceServiceResponse()

    def calls(self):
        return [span for span in self.spans if span.kind == 2]


def attributes(holder):
    return {each.key: each.value.string_value or each.value.int_value for each in holder.attributes}


def traces():
    collector = Collector()
    with running("--otlp_endpoint", f"127.0.0.1:{collector.port}", "--http_listen", "127.0.0.1:0") as server, \
            grpc.insecure_channel(server.address) as channel:
        code, trailing = call(channel, request(1), [("traceparent", f"00-{TRACE}-{PARENT}-01")])
        check(code == "OK" and trailing["traceparent"].startswith(f"00-{TRACE}-"), "the response has the trace")
        check(wait_for(lambda: len(collector.calls()) == 1), "the collector receives the span")
        span = collector.calls()[0]
        check(span.trace_id.hex() == TRACE and span.parent_span_id.hex() == PARENT, "the span has its parent")
        check(trailing["traceparent"] == f"00-{TRACE}-{span.span_id.hex()}-01", "and its own id")
        check(span.name == "signet.v1.TensorService/Call" and attributes(span)["signet.model"] == "half_plus_two"
              and attributes(span)["signet.function"] == "predict", "it names the RPC and the function")
        check(attributes(collector.resources[0])["service.name"] == "signet", "the resource has a name")
        stages = [each for each in collector.spans if each.kind == 1]
        check({"decode", "bind", "run", "encode"} <= {each.name for each in stages}, "each stage has a span")
        check(all(each.parent_span_id == span.span_id and each.trace_id == span.trace_id
                  and span.start_time_unix_nano <= each.start_time_unix_nano
                  <= each.end_time_unix_nano <= span.end_time_unix_nano for each in stages),
              "the stages are inside the call")
        code, trailing = call(channel, request(1), [("traceparent", f"00-{TRACE}-{PARENT}-00")])
        check(trailing["traceparent"].endswith("-00"), "a trace that is not sampled stays so")
        call(channel, request(1), [("traceparent", "rubbish")])
        call(channel, request(1, model="none"), [("traceparent", f"00-{TRACE[::-1]}-{PARENT}-01")])
        check(wait_for(lambda: len(collector.calls()) == 2), "only sampled calls are exported")
        failed = collector.calls()[1]
        check(failed.status.code == 2 and attributes(failed)["rpc.grpc.status_code"] == 5, "a failed call is an error")
        traces_of_protocols(collector, server, channel)
    collector.server.stop(None)


def traces_of_protocols(collector, server, channel):
    """Spans have the service and the method of gRPC, or the attributes of HTTP."""
    parent = [("traceparent", f"00-{TRACE}-{PARENT}-01")]
    for method in ("/inference.GRPCInferenceService/ModelInfer", "/tensorflow.serving.PredictionService/Predict"):
        before = len(collector.calls())
        try:
            channel.unary_unary(method)(b"", metadata=parent, timeout=LONG)
        except grpc.RpcError:
            pass  # an empty request; it has a span, too
        check(wait_for(lambda: len(collector.calls()) > before), f"a span of {method}")
        span = collector.calls()[-1]
        service, name = method[1:].split("/")
        check(span.name == method[1:] and attributes(span)["rpc.service"] == service and attributes(span)["rpc.method"] == name,
              f"the span of {method} names its service: {span.name}")
    for path, body, code in (("/v1/models/half_plus_two/functions/predict", "[1]", 200),
                             ("/v2/models/half_plus_two/infer", '{"inputs": [{"name": "x", "shape": [1], "datatype": "FP32", "data": [1]}]}', 200),
                             ("/v1/models/half_plus_two:predict", '{"instances": ["a"]}', 400)):
        before = len(collector.calls())
        client = http.client.HTTPConnection("127.0.0.1", http_port(server), timeout=LONG)
        client.request("POST", path, body, dict(parent))
        check(client.getresponse().status == code, path)
        check(wait_for(lambda: len(collector.calls()) > before), f"a span of {path}")
        found = attributes(collector.calls()[-1])
        check(found["http.request.method"] == "POST" and found["url.path"] == path and found["http.response.status_code"] == code
              and not any(key.startswith("rpc.") for key in found), f"the span of {path} is one of HTTP: {found}")


def traces_over_tls():
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        own = authority.issue("collector", "localhost", "DNS:localhost,IP:127.0.0.1")
        client = authority.issue("client", "signet")
        certificate, key = own.read()
        with open(authority.certificate, "rb") as file:
            roots = file.read()
        collector = Collector(grpc.ssl_server_credentials([(key, certificate)], roots, require_client_auth=True))
        headers = os.path.join(folder, "headers")

        def write_token(token):
            with open(headers + ".new", "w", encoding="ascii") as file:
                file.write(f"# of the collector\nAuthorization: Bearer {token}\n")
            os.rename(headers + ".new", headers)

        write_token("first")
        flags = ["--otlp_endpoint", f"localhost:{collector.port}", "--otlp_tls", "--otlp_ca", authority.certificate,
                 "--otlp_certificate", client.certificate, "--otlp_key", client.key, "--otlp_headers_file", headers,
                 "--trace_sample", "1"]
        with running(*flags) as server, grpc.insecure_channel(server.address) as channel:
            call(channel, request(1))
            check(wait_for(lambda: len(collector.calls()) == 1), "the collector receives the span over TLS")
            check(collector.headers["authorization"] == "Bearer first", "with the headers of the file")
            write_token("second")
            call(channel, request(1))
            check(wait_for(lambda: len(collector.calls()) == 2), "the next span comes, too")
            check(collector.headers["authorization"] == "Bearer second", "with the headers that the file has now")
            with open(server.log, encoding="utf-8") as log:
                check("Bearer" not in log.read(), "the log has no token")
        other = Authority(folder, "other-ca")
        flags[flags.index(authority.certificate)] = other.certificate
        with running(*flags) as server, grpc.insecure_channel(server.address) as channel:
            check(call(channel, request(1))[0] == "OK", "calls continue without a trusted collector")
            time.sleep(1)
        check(len(collector.calls()) == 2, "no span goes to a collector that is not trusted")
        collector.server.stop(None)


def access_log():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "access.log")
        with running("--access_log", path) as server, grpc.insecure_channel(server.address) as channel:
            call(channel, request(1, 2), [("traceparent", f"00-{TRACE}-{PARENT}-00")])
            call(channel, request(1, model="no\n\x1b[31m\x00such \U0001f600"))

            def lines():
                with open(path, encoding="ascii") as file:
                    return file.read().splitlines()

            check(wait_for(lambda: os.path.exists(path) and len(lines()) == 2), "two calls are two lines")
            first, second = (json.loads(line) for line in lines())
            check(first["model"] == "half_plus_two" and first["function"] == "predict" and first["version"] == 1
                  and first["code"] == "OK" and first["rpc"] == "Call", "the line names the function")
            check(first["trace_id"] == TRACE and first["peer"].startswith("ipv4:127.0.0.1:"), "the trace and the peer")
            check(first["request_bytes"] > 8 and first["response_bytes"] > 8, "the sizes")
            check(abs(sum(first["stages"].values()) - first["seconds"]) < 1e-4, "the stages add up")
            check(second["code"] == "NOT_FOUND" and "\x1b" not in lines()[1], "control bytes are escaped")
        with running("--access_log", path + ".2", "--access_log_sample", "0") as server, \
                grpc.insecure_channel(server.address) as channel:
            check(call(channel, request(1))[0] == "OK" and os.path.getsize(path + ".2") == 0, "a rate of 0 logs no call")


def stage_times(channel):
    _, trailing = call(channel, request(1), [("signet-stage-times", "1")])
    times = dict(item.split("=") for item in trailing["signet-stage-times"].split(";"))
    total = float(times.pop("total"))
    check({"decode", "bind", "run", "encode"} <= set(times), "a request receives the times of its stages")
    check(abs(sum(map(float, times.values())) - total) < 1e-4, "which add up")
    check("signet-stage-times" not in call(channel, request(1))[1], "only if it requests them")


def capture_and_replay():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "calls.rec")
        with running("--capture_requests", path, "--capture_sample", "1", "--capture_bytes", "20000",
                     "--http_listen", "127.0.0.1:0") as server, \
                grpc.insecure_channel(server.address) as channel:
            for i in range(5):
                call(channel, request(i))
            call(channel, request(1, model="none"))
            stream = channel.stream_stream(STREAM)
            answers = stream(iter([service_pb2.CallStreamRequest(id=1, call=request(7)).SerializeToString()]),
                             timeout=LONG)
            check(len(list(answers)) == 1, "a call of a stream")
            check(wait_for(lambda: len(records(path)) == 7), "seven calls are captured")
            calls = records(path)
            check(calls[3].request == request(3) and calls[6].request == request(7), "with their requests")
            check([each.code for each in calls] == [0, 0, 0, 0, 0, 5, 0], "and their codes")
            check(all(each.HasField("response_hash") == (each.code == 0) for each in calls), "and hashes of results")
            check(os.stat(path).st_mode & 0o077 == 0, "only the owner reads the file")

            kept = os.path.join(folder, "kept.rec")
            shutil.copy(path, kept)
            report = signet("replay", kept, "--address", server.address, "--compare", "--rate", "1000")
            check(re.search(r"equal +7\n", report) and re.search(r"different +0\n", report), "equal answers: " + report)
            signet("replay", kept, "--address", server.address)
            calls[2].request.args[0].tensor.data = struct.pack("<f", 9)
            calls[5].code = 3
            with open(kept, "wb") as file:
                for each in calls:
                    data = each.SerializeToString()
                    check(len(data) < 128, "a size of one byte")
                    file.write(bytes([len(data)]) + data)
            report = signet("replay", kept, "--address", server.address, "--compare", "--rate", "1000", code=1)
            check("call 3 of half_plus_two.predict: another result" in report
                  and "call 6 of none.predict: expected INVALID_ARGUMENT, found NOT_FOUND" in report,
                  "replay finds differences: " + report)
            with open(kept, "ab") as file:
                file.write(b"\x7fxx")
            signet("replay", kept, "--address", server.address, code=1)
            signet("replay", os.path.join(folder, "none"), "--address", server.address, code=2)
            signet("replay", kept, "--address", server.address, "--rate", "fast", code=2)

            for i in range(400):
                call(channel, request(*[i] * 20))
            check(wait_for(lambda: os.path.exists(path + ".1")), "a full file is rotated")
            check(max(map(os.path.getsize, (path, path + ".1"))) <= 20000, "the files are bounded")
            check(records(path) and records(path + ".1"), "both files are complete")
            call(channel, request(*range(10000)))  # larger than the file
            check(has_metric(http_port(server), r'^signet_observations_dropped_total\{output="capture"\} [1-9]'),
                  "a call that does not fit is counted")


def metrics_and_top():
    with running("--http_listen", "127.0.0.1:0") as server, grpc.insecure_channel(server.address) as channel:
        port = http_port(server)
        check(get(port, "/healthz") == "ok\n" and get(port, "/readyz") == "ready\n", "healthy and ready")
        for _ in range(3):
            call(channel, request(1, 2))
        call(channel, request(1, model="none"))
        check(has_metric(port, r'^signet_calls_total\{model="half_plus_two",function="predict",code="OK"\} 3$'),
              "calls are counted")
        check(has_metric(port, r'^signet_rejections_total\{code="NOT_FOUND",reason="NOT_FOUND"\} 1$'),
              "errors are counted by reason")
        stage_times(channel)
        timing = subprocess.run([CLI, "call", "half_plus_two", "predict", "[1.0]", "--timing", "--address", server.address],
                                capture_output=True, text=True, check=True, timeout=LONG)
        check(timing.stdout == "[2.5]\n" and re.search(r"^run +\d+\.\d+ ms$", timing.stderr, re.MULTILINE)
              and "total" in timing.stderr, "signet call --timing: " + timing.stderr)
        frame = signet("top", "--http", f"127.0.0.1:{port}", "--once", "--interval", "0.2")
        check(re.search(r"^half_plus_two +predict ", frame, re.MULTILINE) and "CALLS/S" in frame, "top: " + frame)
        signet("top", "--http", f"127.0.0.1:{free_port()}", "--once", code=3)
        signet("top", "--http", server.address, "--once", code=1)  # not HTTP
        prometheus(port)


def prometheus(port):
    """A real Prometheus scrapes the server, and answers queries about it."""
    program = shutil.which("prometheus")
    check(program, "prometheus is installed (./dev install test)")
    promtool = subprocess.run(["promtool", "check", "metrics"], input=get(port, "/metrics"), capture_output=True,
                              text=True, check=False, timeout=LONG)
    check(promtool.returncode == 0 and not promtool.stderr, "promtool: " + promtool.stdout + promtool.stderr)
    with tempfile.TemporaryDirectory() as folder:
        config, own = os.path.join(folder, "prometheus.yml"), free_port()
        with open(config, "w", encoding="ascii") as file:
            file.write("global: {scrape_interval: 200ms}\nscrape_configs:\n- job_name: signet\n  static_configs:\n"
                       f"  - targets: ['127.0.0.1:{port}']\n")
        with open(os.path.join(folder, "log"), "wb") as log:
            process = subprocess.Popen(
                [program, f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
                 f"--web.listen-address=127.0.0.1:{own}"], stdout=log, stderr=log)
        try:
            def query(text):
                url = f"http://127.0.0.1:{own}/api/v1/query?query=" + urllib.parse.quote(text)
                with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=LONG) as page:
                    return json.load(page)["data"]["result"]
                return []

            check(wait_for(lambda: query('up{job="signet"} == 1')), "Prometheus scrapes the server")
            check(wait_for(lambda: query('signet_calls_total{model="half_plus_two"} >= 3')), "and stores its calls")
            check(query("signet_call_duration_seconds_bucket"), "and its histograms")
            url = f"http://127.0.0.1:{own}/api/v1/targets/metadata?limit=1000"
            with urllib.request.urlopen(url, timeout=LONG) as page:
                described = {each["metric"] for each in json.load(page)["data"]}
            exported = set(re.findall(r"^# TYPE (\w+) ", get(port, "/metrics"), re.MULTILINE))
            check(exported <= described, f"and the descriptions of all metrics: {exported - described}")
        finally:
            process.kill()
            process.wait()


def rejects_bad_flags():
    for flags in (["--access_log", "/no/such/folder/log"], ["--capture_requests", "/no/such/folder/calls"],
                  ["--http_listen", "no.such.host.invalid:1"],
                  ["--otlp_headers_file", "/no/such/file", "--otlp_endpoint", "localhost:4317"],
                  ["--otlp_ca", SOURCE, "--otlp_tls", "--otlp_endpoint", "localhost:4317"]):
        done = subprocess.run([os.environ["SIGNET_SERVER"], "--models", os.path.join(SOURCE, "examples/models"), "--listen",
                               "127.0.0.1:0", *flags], capture_output=True, text=True, check=False, timeout=LONG)
        check(done.returncode == 1 and flags[0] in done.stderr, f"{flags[0]} with a wrong value is an error at start")


metrics_and_top()
access_log()
traces()
traces_over_tls()
capture_and_replay()
rejects_bad_flags()
