#!/usr/bin/env python3
"""What the JSON API says about models and calls: explanations, profiles, concrete functions, statistics, OpenAPI, pages of
the console, and requests of pages of other sites."""

import hashlib
import http.client
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
from server import check, running  # noqa: E402

LONG = 60  # seconds, where a fault would wait without end
FEES = "/v1/models/savings/functions/fees"
ACCOUNTS = [{"name": "Ann", "balances": [800, 400]}, {"name": "Bo", "balances": []}]
RESULT = [{"name": "Ann", "fee": 12.0}, {"name": "Bo", "fee": 0.0}]


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
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("localhost", port, timeout=LONG)

    def send(self, method, path, body=None, **headers):
        """The code, the headers, and the body of a response."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, path, body, named)
        response = self.connection.getresponse()
        return response.status, response, response.read()

    def get(self, path, **headers):
        code, _, text = self.send("GET", path, **headers)
        return code, json.loads(text)

    def post(self, path, arguments, **headers):
        body = arguments if isinstance(arguments, (bytes, str)) else json.dumps(arguments)
        code, _, text = self.send("POST", path, body, **headers)
        return code, json.loads(text)


def test_explain(client):
    code, first = client.post(FEES + "/explain", ACCOUNTS)
    check(code == 200 and first["outcome"] in ("SPECIALIZED", "EXACT", "SUPERTYPE"), "an explanation")
    check(first["arguments"][0]["parameter"] == "accounts" and first["arguments"][0]["source"] == "POSITIONAL", "its arguments")
    check("results:" in first["plan"] and first["result"].startswith("[{name: string[]"), "its plan and result")
    code, again = client.post(FEES + "/explain", {"kwargs": {"accounts": ACCOUNTS}})
    check(code == 200 and again["outcome"] == "EXACT" and again["arguments"][0]["source"] == "KEYWORD", "the same types again")
    code, refused = client.post(FEES + "/explain", [{"name": "Ann", "balances": 800}])
    check(code == 200 and refused["outcome"] == "REFUSED", "a call that does not fit is explained")
    wrong = client.post(FEES, [{"name": "Ann", "balances": 800}])[1]
    check(refused["error"] == wrong and wrong["field"] == "accounts[0].balances", "with the error of the call")
    check(client.post(FEES + "/explain", "[{")[0] == 400 or client.post(FEES + "/explain", "[{")[1]["outcome"] == "REFUSED", "rubbish")
    check(client.post(FEES.replace("fees", "fee") + "/explain", [])[0] == 404, "an unknown function")
    check(client.send("GET", FEES + "/explain")[0] == 405, "GET is not allowed")
    lines = "".join(json.dumps(row) + "\n" for row in ACCOUNTS)
    code, explained = client.post(FEES + "/explain", lines, Content_Type="application/x-ndjson", Accept="application/x-ndjson")
    check(code == 200 and explained["outcome"] == "EXACT", "records in lines are explained")


def test_profile(client):
    code, profile = client.post(FEES + "/profile", ACCOUNTS)
    check(code == 200 and profile["result"] == RESULT, "a profiled call has the same result")
    plan = profile["plan"]
    check(len(plan["nodes"]) > 0 and plan["runs"] == 1 and plan["nanoseconds"] > 0, "its plan has nodes")
    made = {edge["edge"] for edge in plan["inputs"] + plan["constants"]}
    for node in plan["nodes"]:
        if not all(edge in made or edge < 0 for edge in node["inputs"]):
            check(False, f"the inputs of {node} are edges before it")
        made.update(edge["edge"] for edge in node["outputs"])
        if node["runs"] != 1 or not 0 < node["nanoseconds"] <= plan["nanoseconds"]:
            check(False, f"{node} ran once")
    check(all(edge in made for edge in plan["results"]), "the graph leads from inputs to results")
    check(any(edge["type"].startswith("float32[2]") for node in plan["nodes"] for edge in node["outputs"]), "edges have the types of the run")
    code, profile = client.post("/v1/models/savings/functions/years_until/profile", {"args": [1000, 0.05, 2000]})
    loops = [node for node in profile["plan"]["nodes"] if node.get("bodies")]
    check(code == 200 and profile["result"] == 15 and len(loops) == 1, "a loop is a node with bodies")
    bodies = [node["runs"] for body in loops[0]["bodies"] for node in body["nodes"]]
    check(max(bodies) >= 15, "the nodes of a body count their runs")
    code, problem = client.post(FEES + "/profile", [{"name": "Ann", "balances": 800}])
    check(code == 400 and problem["field"] == "accounts[0].balances", "a profiled call that fails")
    code, profile = client.post(FEES + "/profile", ACCOUNTS, Accept="application/vnd.apache.arrow.stream")
    check(code == 200 and profile["result"] == RESULT, "the result of a profile is JSON")


def test_concrete_functions(client):
    path = FEES + "/concrete_functions"
    before = client.get(path)[1]
    for _ in range(5):
        client.post(FEES, ACCOUNTS)
    code, after = client.get(path)
    hits = [sum(each["hits"] for each in found["concrete_functions"]) for found in (before, after)]
    check(code == 200 and hits[1] >= hits[0] + 5, "hits of concrete functions")
    counted = [found["hits"] + found["supertype_hits"] for found in (before, after)]
    check(counted[1] - counted[0] == hits[1] - hits[0], "they add up to the hits of the function")
    check(all(each["making_seconds"] > 0 and each["bytes"] > 0 and each["type"].startswith("(accounts: ") for each in after["concrete_functions"]), "types, memory, and times")
    check(client.get(FEES.replace("fees", "no") + "/concrete_functions")[0] == 404, "of an unknown function")


def test_models(client):
    code, model = client.get("/v1/models/savings/functions")
    check(code == 200 and "settings" in model and "setting_origins" in model, "a model has settings")
    fees = next(each for each in model["functions"] if each["name"] == "fees")
    schema = fees["parameters"][0]["schema"]
    check(schema["items"]["properties"]["balances"]["x-signet-type"] == "float32[(?)]", "parameters have schemas")
    years = client.get("/v1/models/savings/functions/years_until")[1]
    check(any("default" in each for each in years["parameters"]), "parameters have defaults")
    check(fees["example_bodies"] and client.post(FEES, fees["example_bodies"][0])[0] == 200, "examples are bodies of calls")
    listed = client.get("/v1/models")[1]["models"]
    check(all(each["versions"][0]["state"] == "AVAILABLE" for each in listed) and any(each["doc"] for each in listed), "the list of models")


def test_statistics(client):
    def counted():
        statistics = client.get("/v1/statistics")[1]
        series = next((each for each in statistics["functions"] if (each["model"], each["function"]) == ("savings", "fees")), None)
        return statistics, series

    _, before = counted()
    for _ in range(7):
        client.post(FEES, ACCOUNTS)
    client.post(FEES, [{"name": "Ann", "balances": 800}])
    statistics, after = counted()
    check(after["calls"]["OK"] == before["calls"]["OK"] + 7, "calls are counted")
    check(after["duration"]["count"] == before["duration"]["count"] + 8 and sum(after["duration"]["buckets"]) == after["duration"]["count"], "times are counted")
    check(len(after["duration"]["buckets"]) == len(statistics["duration_bounds"]) + 1, "buckets have bounds")
    check(set(statistics["queues"]) == {"compute", "make", "function"} and statistics["compute_threads"] > 0, "queues")
    metrics = client.send("GET", "/metrics")[2].decode()
    line = next(each for each in metrics.splitlines() if each.startswith('signet_calls_total{model="savings",function="fees",code="OK"}'))
    check(int(float(line.rsplit(" ", 1)[1])) <= after["calls"]["OK"], "the counters of /metrics")


def test_console(client, other):
    code, response, page = client.send("GET", "/")
    check(code == 200 and b"<title>Signet console</title>" in page, "the console")
    policy = response.getheader("Content-Security-Policy")
    check("default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self'" in policy, "its policy")
    tag = response.getheader("ETag")
    code, response, body = client.send("GET", "/", If_None_Match=tag)
    check(code == 304 and body == b"" and response.getheader("ETag") == tag, "the page has not changed")
    code, response, body = client.send("GET", "/console/app.js", Accept_Encoding="gzip")
    check(code == 200 and response.getheader("Content-Encoding") == "gzip" and "javascript" in response.getheader("Content-Type"), "a script")
    check(client.send("GET", "/console/none.js")[0] == 404 and client.send("GET", "/console/../app.js")[0] == 404, "other files do not exist")
    check(client.send("POST", "/", "x")[0] == 405, "only GET")
    check(other.send("GET", "/")[2] == b'{"status":"alive"}' and other.send("GET", "/console/app.js")[0] == 404,
          "no console without --console")


def test_origins(client, other):
    code, response, _ = client.send("OPTIONS", FEES, Origin="https://shop.example", Access_Control_Request_Method="POST",
                                    Access_Control_Request_Headers="content-type, authorization")
    check(code == 204 and response.getheader("Access-Control-Allow-Origin") == "https://shop.example", "a preflight request")
    check("POST" in response.getheader("Access-Control-Allow-Methods") and "authorization" in response.getheader("Access-Control-Allow-Headers"), "what it permits")
    for path, body in ((FEES, json.dumps(ACCOUNTS)), (FEES, "[{"), ("/v1/none", "")):
        _, response, _ = client.send("POST", path, body, Origin="https://shop.example")
        check(response.getheader("Access-Control-Allow-Origin") == "https://shop.example", f"a response of {path} to a permitted page")
    lines = {"Content_Type": "application/x-ndjson", "Accept": "application/x-ndjson"}
    _, response, body = client.send("POST", FEES, json.dumps(ACCOUNTS[0]) + "\n", Origin="https://shop.example", **lines)
    check(response.getheader("Access-Control-Allow-Origin") == "https://shop.example" and json.loads(body) == RESULT[0], "a stream")
    _, response, _ = client.send("POST", FEES, json.dumps(ACCOUNTS), Origin="https://evil.example")
    check(response.getheader("Access-Control-Allow-Origin") is None and response.getheader("Vary"), "another page")
    code, response, _ = client.send("OPTIONS", FEES, Origin="https://evil.example", Access_Control_Request_Method="POST")
    check(response.getheader("Access-Control-Allow-Origin") is None, "a preflight request of another page")
    code, response, _ = other.send("OPTIONS", FEES, Origin="https://shop.example", Access_Control_Request_Method="POST")
    check(code == 405 and response.getheader("Access-Control-Allow-Origin") is None, "without --http_cors_origins")


def test_other_sites(client):
    infer = '{"inputs": [{"name": "x", "shape": [1], "datatype": "FP32", "data": [1]}]}'
    posts = [("/v1/models/half_plus_two/functions/predict", "[1]"), ("/v2/models/half_plus_two/infer", infer),
             ("/v1/models/half_plus_two:predict", '{"instances": [1]}'), ("/v2/repository/index", "{}")]
    for path, body in posts:
        for headers in ({"Origin": "http://evil.example"}, {"Sec_Fetch_Site": "cross-site"}, {"Origin": "null"}, {"Host": "evil.example"}):
            code, response, text = client.send("POST", path, body, Content_Type="text/plain", **headers)
            check(code == 403 and "--http_" in json.loads(text).get("error", ""), f"{path} rejects {headers}: {code} {text}")
        own = f"http://127.0.0.1:{client.connection.port}"
        check(client.send("POST", path, body, Origin=own, Sec_Fetch_Site="same-origin")[0] == 200, f"{path} serves its own pages")
    for path in ("/", "/v1/models", "/v2", "/metrics", "/healthz", "/v1/openapi.json"):
        check(client.send("GET", path, Host="evil.example")[0] == 403, f"GET {path} for another host")
        for host in ("localhost", "signet.models.svc.cluster.local:8501", "[::1]:80"):
            check(client.send("GET", path, Host=host)[0] == 200, f"GET {path} for {host}")


def test_permissions(folder):
    tokens, policy = os.path.join(folder, "tokens"), os.path.join(folder, "policy")
    with open(tokens, "w", encoding="utf-8") as file:
        for name in ("ann", "bo"):
            file.write(f"{name} {hashlib.sha256(name.encode()).hexdigest()}\n")
    with open(policy, "w", encoding="utf-8") as file:
        file.write('roles { name: "ann" members: "token:ann" }\n'
                   'roles { name: "bo" members: "token:bo" }\n'
                   'rules { roles: "ann" rpcs: [CALL, EXPLAIN, GET_MODEL, LIST_MODELS] models: "savings" }\n'
                   'rules { roles: "bo" rpcs: [CALL, LIST_MODELS] models: "half_plus_two" }\n')
    with running("--http_listen", "127.0.0.1:0", "--console", "--tokens_file", tokens, "--policy_file", policy) as server:
        client = Client(http_port(server))
        check(client.send("GET", "/")[0] == 200, "the files of the console need no token")
        for path in ("/v1/statistics", "/v1/openapi.json", FEES + "/concrete_functions"):
            check(client.send("GET", path)[0] == 401, f"{path} needs a token")
        check(client.send("POST", FEES + "/explain", "[]")[0] == 401 and client.send("POST", FEES + "/profile", "[]")[0] == 401, "so do calls")
        ann, bo = {"Authorization": "Bearer ann"}, {"Authorization": "Bearer bo"}
        check(client.post(FEES + "/explain", ACCOUNTS, **ann)[0] == 200, "a caller with the permission to explain")
        check(client.post("/v1/models/half_plus_two/functions/predict/explain", [1], **bo)[0] == 403, "a caller without it")
        check(client.post(FEES + "/profile", ACCOUNTS, **bo)[0] == 403, "a profile is a call")
        check(client.post("/v1/models/half_plus_two/functions/predict/profile", [1], **bo)[0] == 200, "of a model that the caller may use")
        check(client.get("/v1/openapi.json", **bo)[0] == 403, "the OpenAPI document describes models")
        paths = client.get("/v1/openapi.json", **ann)[1]["paths"]
        check(FEES in paths and not any("half_plus_two" in path for path in paths), "only those that the caller may describe")
        client.post(FEES, ACCOUNTS, **ann)
        check(not any(each["model"] == "savings" for each in client.get("/v1/statistics", **bo)[1]["functions"]), "statistics of permitted models only")


with running("--http_listen", "127.0.0.1:0", "--console", "--http_cors_origins", "https://shop.example,https://b.example:444") as server, \
        running("--http_listen", "127.0.0.1:0") as plain:
    client, other = Client(http_port(server)), Client(http_port(plain))
    test_explain(client)
    test_profile(client)
    test_concrete_functions(client)
    test_models(client)
    test_statistics(client)
    test_console(client, other)
    test_origins(client, other)
    test_other_sites(client)
with tempfile.TemporaryDirectory() as folder:
    test_permissions(folder)
