#!/usr/bin/env python3
"""Tokens and permissions: a table of RPCs and roles, JSON web tokens made by another library, limits of callers, reloads,
and no secrets in the log. Fault 67."""

import hashlib
import json
import os
import secrets
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402
import jwt  # noqa: E402
from cryptography.hazmat.primitives import serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, rsa  # noqa: E402

from server import CLI, SERVER, SOURCE, check, make_stubs, running  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from google.rpc import error_details_pb2, status_pb2  # noqa: E402
from signet.v1 import service_pb2, service_pb2_grpc, types_pb2, values_pb2  # noqa: E402

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
DENIED = grpc.StatusCode.PERMISSION_DENIED
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
OK = grpc.StatusCode.OK

READER, CALLER, EXPIRED, LIMITED = (secrets.token_urlsafe(32) for _ in range(4))
SECRETS = [READER, CALLER, EXPIRED, LIMITED]

POLICY = '''
roles { name: "readers" members: "token:reader" members: "jwt_role:reader" }
roles { name: "callers" members: "token:caller" members: "token:limited" members: "jwt:alice" }
roles { name: "limited" members: "token:limited" }
roles { name: "admins" members: "jwt:root" }
roles { name: "all" members: "anonymous" members: "authenticated" }
rules { roles: "readers" rpcs: [GET_MODEL, LIST_MODELS] models: "*" }
rules { roles: "readers" rpcs: [REFLECTION] }
rules { roles: "callers" rpcs: [CALL, EXPLAIN, GET_MODEL, LIST_MODELS, HEALTH] models: "half_*" }
rules { roles: "admins" rpcs: [ADMIN] }
rules { roles: "all" rpcs: [HEALTH] }
'''


def path(name):
    return os.path.join(FOLDER.name, name)


def write(name, text):
    """Replaces a file, as a deployment does."""
    with open(path(name) + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path(name) + ".new", path(name))
    return path(name)


def digest(token):
    return hashlib.sha256(token.encode()).hexdigest()


def tokens(*more):
    return write("tokens", "\n".join((
        "# name digest expiry", f"reader {digest(READER)}", f"caller {digest(CALLER)}",
        f"limited {digest(LIMITED)}", f"reader {digest(EXPIRED)} 2020-01-01T00:00:00Z", *more)))


def predict(model="half_plus_two", size=1):
    data = struct.pack(f"<{size}f", *([1.0] * size))
    tensor = values_pb2.Tensor(dtype=types_pb2.DTYPE_FLOAT32, shape=[size], data=data)
    return service_pb2.CallRequest(model=service_pb2.ModelSpec(name=model), function="predict",
                                   args=[values_pb2.Value(tensor=tensor)])


def health_request(service):
    return bytes([10, len(service)]) + service.encode() if service else b""


class Client:
    """Sends RPCs with one value of the metadata `authorization`."""

    def __init__(self, server, token=None, header=None):
        self.channel = grpc.insecure_channel(server.address)
        self.stub = service_pb2_grpc.TensorServiceStub(self.channel)
        header = header or (f"Bearer {token}" if token else None)
        self.metadata = [("authorization", header)] if header else []

    def outcome(self, rpc, request):
        """The status code, the message, and the reason of an RPC, or OK and the response."""
        try:
            return OK, rpc(request, metadata=self.metadata, timeout=20), ""
        except grpc.RpcError as error:
            reason = ""
            for key, value in error.trailing_metadata() or ():
                if key == "grpc-status-details-bin":
                    for detail in status_pb2.Status.FromString(value).details:
                        info = error_details_pb2.ErrorInfo()
                        if detail.Unpack(info):
                            reason = info.reason
            return error.code(), error.details(), reason

    def call(self, model="half_plus_two", size=1):
        return self.outcome(self.stub.Call, predict(model, size))

    def explain(self, model="half_plus_two"):
        return self.outcome(self.stub.Explain, predict(model))

    def get(self, model="half_plus_two"):
        return self.outcome(self.stub.GetModel, service_pb2.GetModelRequest(
            model=service_pb2.ModelSpec(name=model)))

    def list(self):
        return self.outcome(self.stub.ListModels, service_pb2.ListModelsRequest())

    def health(self, service=""):
        rpc = self.channel.unary_unary("/grpc.health.v1.Health/Check")
        return self.outcome(rpc, health_request(service))

    def watch(self, service=""):
        rpc = self.channel.unary_stream("/grpc.health.v1.Health/Watch")
        return self.outcome(lambda *a, **k: next(rpc(*a, **k)), health_request(service))

    def reflect(self):
        rpc = self.channel.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
        return self.outcome(lambda request, **k: next(rpc(iter([request]), **k)), bytes([58, 0]))

    def stream(self, *models):
        """The codes of the calls of one stream, or of the stream."""
        messages = [service_pb2.CallStreamRequest(id=i, call=predict(model))
                    for i, model in enumerate(models)]
        try:
            answers = {answer.id: answer.error.code for answer in self.stub.CallStream(
                iter(messages), metadata=self.metadata, timeout=20)}
            return [answers[i] for i in range(len(models))]
        except grpc.RpcError as error:
            return error.code()


def test_table(server):
    who = {"anonymous": Client(server), "reader": Client(server, READER),
           "caller": Client(server, CALLER), "expired": Client(server, EXPIRED),
           "wrong": Client(server, "wrong"), "malformed": Client(server, header="Basic dTpw")}
    rpcs = {
        "Call": lambda c: c.call()[0],
        "Explain": lambda c: c.explain()[0],
        "GetModel": lambda c: c.get()[0],
        "ListModels": lambda c: c.list()[0],
        "CallStream": lambda c: c.stream("half_plus_two"),
        "health": lambda c: c.health()[0],
        "watch": lambda c: c.watch()[0],
        "health of a model": lambda c: c.health("half_plus_two")[0],
        "reflection": lambda c: c.reflect()[0],
    }
    no, may_not = UNAUTHENTICATED, DENIED
    expected = {
        "Call": (no, may_not, OK), "Explain": (no, may_not, OK), "GetModel": (no, OK, OK),
        "ListModels": (no, OK, OK), "CallStream": (no, may_not, [0]), "health": (OK, OK, OK),
        "watch": (OK, OK, OK), "health of a model": (no, may_not, OK),
        "reflection": (no, OK, may_not),
    }
    for rpc, run in rpcs.items():
        for name, code in zip(("anonymous", "reader", "caller"), expected[rpc]):
            found = run(who[name])
            check(found == code, f"{rpc} by {name}: {code if found == code else (code, found)}")
        for name in ("expired", "wrong", "malformed"):
            check(run(who[name]) == no, f"{rpc} with a token that is {name}: UNAUTHENTICATED")


def test_errors(server):
    caller = Client(server, CALLER)
    forbidden, missing = caller.get("recipes"), caller.get("no_such_model")
    check(forbidden == missing and forbidden[0] == DENIED and forbidden[2] == "NOT_PERMITTED",
          "GetModel of a forbidden model equals that of a missing one")
    check(caller.call("recipes") == caller.call("no_such_model"), "so does Call")
    check(caller.explain("recipes") == caller.explain("no_such_model"), "so does Explain")
    check(caller.health("recipes") == caller.health("no_such_model"), "so does the health check")
    check("recipes" not in str(forbidden) and "half" not in str(forbidden), "the error has no names")
    names = [model.name for model in caller.list()[1].models]
    check(names == ["half_plus_two"], "ListModels has only permitted models")
    check(len(Client(server, READER).list()[1].models) > 3, "a reader of all models sees all")
    check(caller.stream("half_plus_two", "recipes", "half_plus_two") == [0, DENIED.value[0], 0],
          "each call of a stream is checked, and the stream continues")
    broken = predict("recipes")
    broken.function = "best"
    broken.args[0].tensor.shape[0] = 7
    code, message, _ = caller.outcome(caller.stub.Call, broken)
    check(code != OK and "recipe`" not in message, f"a broken argument names no parameters: {message}")
    check(Client(server).call()[2] == "CREDENTIALS_MISSING", "the reason is CREDENTIALS_MISSING")
    check(Client(server, EXPIRED).call()[2] == "TOKEN_EXPIRED", "the reason is TOKEN_EXPIRED")
    check(Client(server, "x").call()[2] == "TOKEN_INVALID", "the reason is TOKEN_INVALID")


def wait_until(condition, what):
    for _ in range(300):
        if condition():
            return check(True, what)
        time.sleep(0.1)
    return check(False, what)


def test_reload(server):
    fresh = secrets.token_urlsafe(32)
    SECRETS.append(fresh)
    log = lambda: open(server.log, encoding="utf-8").read()  # noqa: E731
    check(Client(server, fresh).call()[0] == UNAUTHENTICATED, "a token that is not listed is unknown")
    tokens(f"caller {digest(fresh)}")
    wait_until(lambda: Client(server, fresh).call()[0] == OK, "a token that is added can be used")
    tokens()
    wait_until(lambda: Client(server, fresh).call()[0] == UNAUTHENTICATED, "a removed token cannot")

    write("policy", POLICY.replace('rpcs: [CALL, EXPLAIN,', 'rpcs: [EXPLAIN,'))
    wait_until(lambda: Client(server, CALLER).call()[0] == DENIED, "a permission is removed")
    for text, reason in (("rules { rolls: 'x' }", 'no field named'),
                         ("rules { roles: 'all' rpcs: [ADMIN, HEALTH] }", "ADMIN in a rule of its own"),
                         ("rules { roles: 'al' rpcs: [HEALTH] }", "role `al` is not defined")):
        write("policy", POLICY + text)
        wait_until(lambda: reason in log(), f"a wrong policy is explained: {reason}")  # noqa: B023
        check(Client(server, CALLER).call()[0] == DENIED, "the previous policy remains in use")
    write("policy", POLICY)
    wait_until(lambda: Client(server, CALLER).call()[0] == OK, "the next correct policy is used")
    write("tokens", f"caller {fresh}\n")
    wait_until(lambda: "expected the SHA-256" in log(), "a token in place of its digest is rejected")
    check(Client(server, CALLER).call()[0] == OK, "the previous tokens remain in use")
    tokens()


def test_limits(server):
    policy = POLICY + '''limits { roles: "limited" calls_per_second: 0.01 burst: 3 request_bytes: 4096 }'''
    write("policy", policy)
    limited = Client(server, LIMITED)
    wait_until(lambda: limited.call(size=4096)[2] == "REQUEST_TOO_LARGE", "large requests are rejected")
    outcomes = [limited.call() for _ in range(5)]
    check([code for code, _, _ in outcomes] == [OK] * 3 + [EXHAUSTED] * 2,
          "three calls succeed, and further calls are rejected")
    check(outcomes[-1][2] == "RATE_LIMITED", "the reason is RATE_LIMITED")
    check(limited.stream("half_plus_two") == [EXHAUSTED.value[0]], "the limit applies to streams, too")
    check(Client(server, CALLER).call()[0] == OK, "other callers are not limited")


def test_command_line(server):
    def signet(*arguments, **variables):
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith("SIGNET_") or k == "SIGNET_SOURCE_DIR"}
        environment.update(XDG_CONFIG_HOME=path("none"), **variables)
        done = subprocess.run([CLI, *arguments, "--address", server.address], capture_output=True,
                              text=True, timeout=60, env=environment)
        return done.returncode, done.stdout + done.stderr

    file = write("caller.token", CALLER + "\n")
    for arguments, variables in ((("--token_file", file), {}), ((), {"SIGNET_TOKEN": CALLER})):
        code, output = signet("list", *arguments, **variables)
        check(code == 0 and "half_plus_two" in output and "recipes" not in output,
              "signet sends the token")
        code, output = signet("bench", "half_plus_two", "predict", "[1]", "--duration", "0.2",
                              *arguments, **variables)
        check(code == 0, "signet bench sends the token")
    lines = write("rows.ndjson", "1.0\n2.0\n")
    code, output = signet("call", "half_plus_two", "predict", "--in", lines, "--token_file", file)
    check(code == 0, "signet call --in sends the token on its stream")
    code, output = signet("list")
    check(code == 1 and "CREDENTIALS_MISSING" in output, "without a token, signet prints the reason")
    code, output = signet("list", SIGNET_TOKEN="two words")
    check(code == 1 and "expected one token" in output, "a token with a space is rejected")
    environment = dict(os.environ, SIGNET_TOKEN=CALLER)
    done = subprocess.run([CLI, "list", "--address", "192.0.2.1:1"], capture_output=True, text=True,
                          timeout=60, env=environment)
    check(done.returncode == 1 and "everyone on the network could read" in done.stderr
          and CALLER not in done.stderr, "a token is not sent in plain text to another machine")


def public_pem(key):
    return key.public_key().public_bytes(serialization.Encoding.PEM,
                                         serialization.PublicFormat.SubjectPublicKeyInfo)


def test_web_tokens():
    rsa_key, other = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
    ec_key = ec.generate_private_key(ec.SECP256R1())
    secret = secrets.token_bytes(32)

    def jwk(key, kid, kind):
        out = json.loads(kind.to_jwk(key))
        return {**out, "kid": kid}

    keys = {"keys": [
        jwk(rsa_key.public_key(), "rsa-1", jwt.algorithms.RSAAlgorithm),
        {"kty": "oct", "kid": "secret-1", "k": jwt.utils.base64url_encode(secret).decode()},
        {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
    ]}
    numbers = ec_key.public_key().public_numbers()
    part = lambda n: jwt.utils.base64url_encode(n.to_bytes(32, "big")).decode()  # noqa: E731
    keys["keys"].append({"kty": "EC", "crv": "P-256", "kid": "ec-1", "x": part(numbers.x),
                         "y": part(numbers.y), "alg": "ES256"})
    file = write("keys.json", json.dumps(keys))
    now = int(time.time())
    claims = {"iss": "https://login.example.com", "aud": "signet", "sub": "alice", "exp": now + 600}

    def token(key=rsa_key, algorithm="RS256", kid="rsa-1", headers=None, **changes):
        merged = {k: v for k, v in {**claims, **changes}.items() if v is not None}
        out = jwt.encode(merged, key, algorithm=algorithm,
                         headers={**({"kid": kid} if kid else {}), **(headers or {})})
        SECRETS.append(out)
        return out

    flags = ("--jwt_keys", file, "--jwt_issuer", "https://login.example.com", "--jwt_audience", "signet",
             "--policy_file", write("policy", POLICY))
    with running(*flags) as server:
        call = lambda text: Client(server, text).call()[0]  # noqa: E731
        for text, what in (
                (token(), "RS256"), (token(algorithm="PS384"), "PS384"), (token(kid=None), "no kid"),
                (token(ec_key, "ES256", "ec-1"), "ES256"), (token(secret, "HS256", "secret-1"), "HS256"),
                (token(aud=["other", "signet"]), "a list of audiences"), (token(nbf=now - 5), "nbf")):
            check(call(text) == OK, f"a token of another library verifies: {what}")
        head, body, signature = token().split(".")
        none = jwt.encode(claims, None, algorithm="none", headers={"kid": "rsa-1"})
        confused = forge(public_pem(rsa_key), claims, "rsa-1")
        for text, what in (
                (token(other), "another key"), (none, "alg none"), (none + signature, "alg none, signed"),
                (confused, "a public key used as a secret"), (f"{head}.{body}.", "no signature"),
                (f"{head}.{body}A.{signature}", "a changed body"),
                (token(secret, "HS256", "rsa-1"), "the name of another key"),
                (token(iss="https://evil.example.com"), "another issuer"), (token(aud="other"), "another audience"),
                (token(aud=None), "no audience"), (token(exp=None), "no expiry"), (token(sub=None), "no subject"),
                (token(exp=now - 1), "expired"), (token(nbf=now + 600), "not valid yet"),
                (token(headers={"crit": ["x"], "x": 1}), "critical headers"),
                (token() + "=", "padding"), (token() + "====", "much padding"),
                ("a.b.c", "rubbish"), ("." * 1000, "dots")):
            check(call(text) == UNAUTHENTICATED, f"rejected: {what}")
        check(Client(server, token(exp=now - 1)).call()[2] == "TOKEN_EXPIRED", "the reason is TOKEN_EXPIRED")
        reader = Client(server, token(sub="bob", roles=["reader"]))
        check(reader.get()[0] == OK and reader.call()[0] == DENIED, "a role in a token grants its rules")
        check(Client(server, token(sub="root")).call()[0] == DENIED, "an administrator may not call models")

        brief = token(exp=int(time.time()) + 3)
        check(call(brief) == OK, "a token is valid before it expires")
        wait_until(lambda: call(brief) == UNAUTHENTICATED, "a token that was verified before expires")
        write("keys.json", json.dumps({"keys": keys["keys"][1:]}))
        wait_until(lambda: call(token()) == UNAUTHENTICATED, "a removed key is not used any more")
        check_log(server)
    with running("--jwt_keys", write("key.pem", public_pem(rsa_key).decode()), *flags[2:6]) as server:
        check(Client(server, token(kid=None)).call("half_plus_two")[0] == OK, "a key in PEM verifies")
        check(Client(server, confused).call()[0] == UNAUTHENTICATED, "it is not used as a secret")
        check(Client(server).call()[0] == UNAUTHENTICATED, "without a policy, calls need a token")
        check(Client(server).health()[0] == OK, "health needs none")
        check(Client(server, token()).list()[0] == OK, "a caller with a token may use all models")


def forge(secret, claims, kid):
    """A token that is signed with HS256 and the bytes of a public key; the library does not make one."""
    import hmac
    encode = lambda value: jwt.utils.base64url_encode(json.dumps(value).encode())  # noqa: E731
    text = encode({"alg": "HS256", "typ": "JWT", "kid": kid}) + b"." + encode(claims)
    signature = hmac.new(secret, text, hashlib.sha256).digest()
    return (text + b"." + jwt.utils.base64url_encode(signature)).decode()


def check_log(server):
    text = open(server.log, encoding="utf-8").read()
    check(text != "" and not [s for s in SECRETS if s in text or s.split(".")[-1] in text],
          "the log contains no token")


def test_startup():
    for flags, reason in (
            (("--tokens_file", path("missing")), "--tokens_file: cannot read"),
            (("--tokens_file", write("bad_tokens", "caller 123\n")), "--tokens_file: line 1: expected the SHA-256"),
            (("--policy_file", write("bad_policy", "rules { roles: 'x' rpcs: [HEALTH] }")), "role `x` is not defined"),
            (("--jwt_keys", write("bad_keys", "{}"), "--jwt_issuer", "a", "--jwt_audience", "b"),
             "the key is not a valid JWK")):
        done = subprocess.run([SERVER, "--models", os.path.join(SOURCE, "examples/models"), "--listen",
                               "127.0.0.1:0", *flags], capture_output=True, text=True, timeout=60)
        check(done.returncode == 1 and reason in done.stderr, f"the server does not start: {reason}")


with running("--tokens_file", tokens(), "--policy_file", write("policy", POLICY), "--log_level",
             "debug") as the_server:
    test_table(the_server)
    test_errors(the_server)
    test_command_line(the_server)
    test_reload(the_server)
    test_limits(the_server)
    check_log(the_server)
test_web_tokens()
test_startup()
