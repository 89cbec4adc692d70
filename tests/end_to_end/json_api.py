#!/usr/bin/env python3
"""The JSON API, as programs with an HTTP client use it: calls in all formats, errors, limits, tokens, TLS, and rubbish."""

import concurrent.futures
import gzip
import hashlib
import http.client
import json
import os
import random
import socket
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
from certificates import Authority  # noqa: E402
from server import CLI, check, running  # noqa: E402

LONG = 60  # seconds, where a fault would wait without end
FEES = "/v1/models/savings/functions/fees"
ACCOUNTS = [{"name": "Ann", "balances": [800, 400]}, {"name": "Bo", "balances": []}]
RESULT = [{"name": "Ann", "fee": 12.0}, {"name": "Bo", "fee": 0.0}]
LINES = "application/x-ndjson"
ARROW = "application/vnd.apache.arrow.stream"


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


class Client:
    def __init__(self, port, context=None):
        if context is None:
            self.connection = http.client.HTTPConnection("localhost", port, timeout=LONG)
        else:
            self.connection = http.client.HTTPSConnection("localhost", port, timeout=LONG, context=context)

    def send(self, method, path, body=None, **headers):
        """The code, the headers, and the body of a response."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, path, body, named)
        response = self.connection.getresponse()
        return response.status, response, response.read()

    def call(self, path, arguments, **headers):
        """The code and the JSON of a response."""
        body = arguments if isinstance(arguments, (bytes, str)) else json.dumps(arguments)
        code, _, text = self.send("POST", path, body, **headers)
        return code, json.loads(text)


def test_calls(client):
    check(client.call(FEES, ACCOUNTS) == (200, RESULT), "records are the argument")
    check(client.call(FEES, {"args": [ACCOUNTS]}) == (200, RESULT), "arguments by position")
    check(client.call(FEES, {"kwargs": {"accounts": ACCOUNTS}}) == (200, RESULT), "arguments by name")
    check(client.call(FEES.replace("functions", "versions/1/functions"), ACCOUNTS) == (200, RESULT), "a version")
    check(client.call("/v1/models/half_plus_two/functions/predict", [1, 2, 5]) == (200, [2.5, 3.0, 4.5]), "a tensor")
    years = "/v1/models/savings/functions/years_until"
    check(client.call(years, {"args": [1000, 0.05, 2000]}) == (200, 15), "numbers")
    check(client.call(years + "?most=3", {"args": [1000, 0.05, 2000]}) == (200, 3), "an argument in the query")
    for _ in range(300):
        if client.call(FEES, ACCOUNTS) != (200, RESULT):
            check(False, "a connection serves many calls")
    check(True, "a connection serves many calls")


def test_formats(client):
    lines = "".join(json.dumps(row) + "\n" for row in ACCOUNTS)
    code, response, body = client.send("POST", FEES, lines, Content_Type=LINES, Accept=LINES)
    check(code == 200 and response.getheader("Content-Type") == LINES, "lines in, lines out")
    check([json.loads(line) for line in body.splitlines()] == RESULT, "one result per line")
    code, response, table = client.send("POST", FEES, json.dumps(ACCOUNTS), Accept=ARROW)
    check(code == 200 and response.getheader("Content-Type") == ARROW and table[:4] == b"\xff\xff\xff\xff", "a result in Arrow")
    identity = client.send("POST", "/v1/models/savings/functions/fees", lines, Content_Type=LINES, Accept=ARROW)
    check(identity[2] == table, "the same result for lines")
    for accept, kind in ((f"{LINES};q=0.5, application/json", "application/json"), (f"application/json;q=0.1, {LINES}", LINES),
                         (f"{LINES};q=0, */*", "application/json"), (f"{LINES}, application/json", LINES),
                         (f"{LINES}; charset=utf-8", LINES), ("text/html, */*;q=0.1", "application/json"),
                         (f"{ARROW};Q=0.2,{LINES};q=0.3,*/*;q=0.1", LINES), (f"{LINES};q=x", "application/json")):
        code, response, _ = client.send("POST", FEES, json.dumps(ACCOUNTS), Accept=accept)
        check(code == 200 and response.getheader("Content-Type") == kind, f"Accept: {accept}")
    packed = gzip.compress(json.dumps(ACCOUNTS).encode())
    check(client.call(FEES, packed, Content_Encoding="gzip") == (200, RESULT), "a compressed request")
    many = ACCOUNTS * 1000
    code, response, body = client.send("POST", FEES, json.dumps(many), Accept_Encoding="gzip")
    check(response.getheader("Content-Encoding") == "gzip" and json.loads(gzip.decompress(body)) == RESULT * 1000, "a compressed result")


def test_streams(port):
    """Rows are answered one after another, on a connection that stays open."""
    with socket.create_connection(("localhost", port), timeout=LONG) as stream:
        file = stream.makefile("rb")
        stream.sendall(f"POST {FEES} HTTP/1.1\r\nHost: x\r\nContent-Type: {LINES}\r\nAccept: {LINES}\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n".encode())

        def send(data):
            stream.sendall(f"{len(data):x}\r\n".encode() + data + b"\r\n")

        def chunk():
            data = file.read(int(file.readline(), 16))
            file.readline()
            return data

        send(json.dumps(ACCOUNTS[0]).encode() + b"\n")
        while file.readline() != b"\r\n":
            pass
        check(json.loads(chunk()) == RESULT[0], "the first row is answered before the second one is sent")
        row = json.dumps(ACCOUNTS[1]).encode() + b"\n"
        send(row[:7])
        send(row[7:])
        check(json.loads(chunk()) == RESULT[1], "a line may come in parts")
        send(row + row[:-1])
        check(json.loads(chunk()) == RESULT[1], "complete lines do not wait")
        send(b"")
        check(json.loads(chunk()) == RESULT[1] and chunk() == b"", "the last line needs no line break")
        stream.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        check(file.read().endswith(b"ok\n"), "the connection serves another request")
    client = Client(port)
    many = "".join(json.dumps({"name": f"n{i}", "balances": [i * 1000]}) + "\n" for i in range(50_000))
    code, _, body = client.send("POST", FEES, many, Content_Type=LINES, Accept=LINES)
    rows = [json.loads(line) for line in body.splitlines()]
    check(code == 200 and rows == [{"name": f"n{i}", "fee": i * 10.0} for i in range(50_000)], "many rows stay in order")
    code, _, body = client.send("POST", FEES, many + "{\n", Content_Type=LINES, Accept=LINES)
    lines = body.splitlines()
    error = json.loads(lines[-1])
    check(code == 200 and error["error"]["code"] == "INVALID_ARGUMENT" and 49_000 < error["first_row"] <= 50_000
          and len(lines) == error["first_row"] + 1, "an error is the last line")
    code, _, body = Client(port).send("POST", FEES, "{\n", Content_Type=LINES, Accept=LINES)
    check(code == 400 and json.loads(body)["code"] == "INVALID_ARGUMENT", "an error in the first lines is the response")
    code, _, body = Client(port).send("POST", FEES, "", Content_Type=LINES, Accept=LINES)
    check(code == 200 and body == b"", "no rows")
    code, _, body = Client(port).send("POST", FEES.replace("fees", "no"), many, Content_Type=LINES, Accept=LINES)
    check(code == 404, "an unknown function")


def test_descriptions(client):
    code, _, text = client.send("GET", "/v1/models")
    names = [model["name"] for model in json.loads(text)["models"]]
    check(code == 200 and "savings" in names and names == sorted(names), "the list of models")
    for name in names:
        code, _, text = client.send("GET", f"/v1/models/{name}/functions")
        model = json.loads(text)
        check(code == 200 and model["functions"] and model["versions"][0]["state"] == "AVAILABLE", f"the functions of {name}")
        for function in model["functions"]:
            code, _, text = client.send("GET", f"/v1/models/{name}/functions/{function['name']}")
            if code != 200 or json.loads(text) != function:
                check(False, f"{name}.{function['name']}")
    code, response, text = client.send("HEAD", "/v1/models")
    check(code == 200 and text == b"" and int(response.getheader("Content-Length")) > 100, "HEAD has no body")
    check(client.send("GET", "/healthz")[2] == b"ok\n" and client.send("GET", "/readyz")[0] == 200, "health")
    check(b"signet_calls_total" in client.send("GET", "/metrics")[2], "metrics")


def command_line_error(server, *words):
    done = subprocess.run([CLI, "--address", server.address, "call", *words], capture_output=True, text=True, check=False, timeout=LONG)
    return done.stderr.splitlines()[0].removeprefix("signet: ")


def test_errors(server, client):
    wrong = [{"name": "Ann", "balances": "x"}]
    code, problem = client.call(FEES, wrong)
    check(code == 400 and problem["code"] == "INVALID_ARGUMENT" and problem["status"] == 400, "the code of an error")
    check(problem["detail"] == command_line_error(server, "savings", "fees", json.dumps(wrong)), "the sentence is that of gRPC")
    check(problem["field"] == "accounts[0].balances" and problem["reason"], "the field and the reason")
    for path, body, wanted in [("/v1/models/nothing/functions/f", "[]", "model `nothing` not found"),
                               ("/v1/models/savings/functions/feez", "[]", "the nearest is `fees`|`feez` not found"),
                               ("/v1/models/savings/versions/9/functions/fees", "[]", "version 9 not found"),
                               ("/v1/models/savings/labels/no/functions/fees", "[]", "label `no` not found")]:
        code, problem = client.call(path, body)
        check(code == 404 and any(each in problem["detail"] for each in wanted.split("|")), f"404: {wanted}")
    for path, body, wanted in [(FEES, "", "no argument for `accounts`"), (FEES, "[", "accounts"), (FEES, '{"args": 3}', "expected a list"),
                               (FEES + "?acounts=1", "", "acounts"), (FEES + "?a=1&a=2", "", "given twice"),
                               (FEES + "?%zz=1", "", "hexadecimal"), ("/v1/models/savings/versions/x/functions/fees", "[]", "expected a version")]:
        code, problem = client.call(path, body)
        check(code == 400 and wanted in problem["detail"], f"400: {wanted}")
    code, problem = client.call(FEES, '{"accounts": []}')
    check(code == 400 and "; the body is the value of the argument, or `{\"args\"" in problem["detail"], "a hint for a body with names")
    hint = "a call is POST /v1/models/MODEL/functions/FUNCTION"
    for path, wanted, member in [("/v1/models", 405, "detail"), ("/v1/models/savings", 400, "error"), ("/v1/models/savings/fees", 400, "error")]:
        code, problem = client.call(path, "[]")
        check(code == wanted and hint in problem[member], f"the hint for POST {path}")
    code, response, _ = client.send("DELETE", "/v1/models/savings")
    check(code == 405 and response.getheader("Allow") == "GET, HEAD", "405 states what is allowed")
    check(client.call(FEES, ACCOUNTS, Signet_Timeout="0.000001")[0] == 504, "a deadline")
    for header in ("Signet-Timeout", "Signet-Priority"):
        code, problem = client.call(FEES, ACCOUNTS, **{header.replace("-", "_"): "x"})
        check(code == 400 and f"header {header}" in problem["detail"], f"a wrong {header}")
    code, problem = client.call(FEES, b"\x05abc", Content_Type="application/x-protobuf; type=a.B")
    check(code == 400 and "follow their length" in problem["detail"], "protobuf rows that are cut")
    code, problem = client.call(FEES, "", Content_Type="application/x-protobuf")
    check(code == 400 and "type=shop.Order" in problem["detail"], "protobuf rows without a type")
    _, response, _ = client.send("POST", FEES, json.dumps(ACCOUNTS), Signet_Stage_Times="1",
                                 traceparent="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    check("run=" in response.getheader("signet-stage-times") and "4bf92f3577b34da6" in response.getheader("traceparent"), "stage times and traces")


def test_many_clients(port):
    def calls(number):
        client = Client(port)
        return all(client.call(FEES, [{"name": str(number), "balances": [1000 + i]}]) ==
                   (200, [{"name": str(number), "fee": (1000 + i) / 100}]) for i in range(0, 500, 100) for _ in range(10))

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        check(all(pool.map(calls, range(32))), "32 clients get their own answers")


def test_rubbish(port):
    source = random.Random(7)
    valid = f"POST {FEES} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]".encode()
    for _ in range(300):
        data = bytearray(valid * 2 if source.random() < 0.7 else source.randbytes(200))
        for _ in range(source.randrange(8)):
            data[source.randrange(len(data))] = source.randrange(256)
        with socket.create_connection(("localhost", port), timeout=LONG) as sent:
            try:
                sent.sendall(data[:source.randrange(1, len(data) + 1)])
                sent.shutdown(socket.SHUT_WR)
                while sent.recv(65536):
                    pass
            except ConnectionError:
                pass
    check(Client(port).call(FEES, ACCOUNTS) == (200, RESULT), "the server survives rubbish")


def test_slow_clients(port):
    slow = [socket.create_connection(("localhost", port), timeout=LONG) for _ in range(50)]
    for each in slow:
        each.sendall(f"POST {FEES} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n[".encode())
    check(Client(port).call(FEES, ACCOUNTS) == (200, RESULT), "slow clients do not stop others")
    start = time.monotonic()
    check(all(each.recv(1) == b"" for each in slow) and time.monotonic() - start < 30, "slow clients are disconnected")


def test_tokens(folder):
    with open(os.path.join(folder, "tokens"), "w", encoding="utf-8") as file:
        file.write(f"ann {hashlib.sha256(b'secret').hexdigest()}\n")
    with running("--http_listen", "127.0.0.1:0", "--tokens_file", file.name) as server:
        client = Client(http_port(server))
        code, response, _ = client.send("POST", FEES, json.dumps(ACCOUNTS))
        check(code == 401 and response.getheader("WWW-Authenticate") == "Bearer", "a call without a token")
        check(client.call(FEES, ACCOUNTS, Authorization="Bearer wrong")[0] == 401, "a call with a wrong token")
        check(client.call(FEES, ACCOUNTS, Authorization="Bearer secret") == (200, RESULT), "a call with a token")
        check(client.send("GET", "/v1/models")[0] == 401 and client.send("GET", "/v1/models/savings")[0] == 401, "descriptions need a token")
        check(client.send("GET", "/healthz")[0] == 200, "health needs none")


def test_tls(folder):
    authority = Authority(folder)
    pair = authority.issue("server", "localhost", "DNS:localhost")
    flags = ("--http_listen", "127.0.0.1:0", "--tls_certificate", pair.certificate, "--tls_key", pair.key)
    with running(*flags) as server:
        context = ssl.create_default_context(cafile=authority.certificate)
        port = http_port(server)
        client = Client(port, context)
        check(client.call(FEES, ACCOUNTS) == (200, RESULT), "a call over TLS")
        large = [{"name": "x" * 1000, "balances": [1.0] * 1000}] * 300
        check(client.call(FEES, large)[0] == 200, "a large call over TLS")
        test_rubbish_over_tls(port, client)
    with running(*flags, "--http_tls", "off") as server:
        check(Client(http_port(server)).call(FEES, ACCOUNTS) == (200, RESULT), "plain HTTP next to gRPC with TLS")
    with running(*flags, "--tls_client_ca", authority.certificate, "--tls_require_client_certificate") as server:
        port = http_port(server)
        try:
            code = Client(port, context).call(FEES, ACCOUNTS)[0]
        except (OSError, http.client.HTTPException):
            code = 0
        check(code == 0, "a client without a certificate does not connect")
        own = authority.issue("client", "client", "DNS:client")
        context.load_cert_chain(own.certificate, own.key)
        check(Client(port, context).call(FEES, ACCOUNTS) == (200, RESULT), "a client with a certificate connects")


def test_rubbish_over_tls(port, client):
    with socket.create_connection(("localhost", port), timeout=LONG) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n" * 10)
        try:
            while plain.recv(1000):
                pass
        except ConnectionError:
            pass
    check(client.call(FEES, ACCOUNTS) == (200, RESULT), "a plain request does not disturb TLS")


def main():
    with running("--http_listen", "127.0.0.1:0", "--stall_seconds", "3") as server:
        port = http_port(server)
        client = Client(port)
        test_calls(client)
        test_formats(client)
        test_streams(port)
        test_descriptions(client)
        test_errors(server, client)
        test_many_clients(port)
        test_rubbish(port)
        test_slow_clients(port)
    with tempfile.TemporaryDirectory() as folder:
        test_tokens(folder)
        test_tls(folder)
    with running("--http_listen", "127.0.0.1:0", "--max_message_bytes", "5000") as server:
        client = Client(http_port(server))
        code, _, text = client.send("POST", FEES, "[" + " " * 6000 + "]")
        check(code == 413 and b"at most 5000 bytes" in text, "a body that is too large")
        code, _, text = Client(http_port(server)).send("POST", FEES, gzip.compress(b" " * 10_000_000), Content_Encoding="gzip")
        check(code == 413, "a body that is too large when it is expanded")


if __name__ == "__main__":
    main()
