#!/usr/bin/env python3
"""TLS of the server and the command line, with certificates made by openssl: versions, client certificates, rotation on
disk, wrong files, and the errors of the command line. Fault 66."""

import http.server
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from certificates import Authority, Pair, self_signed  # noqa: E402
from server import CLI, SERVER, SOURCE, check, make_stubs, running  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from signet.v1 import service_pb2, service_pb2_grpc  # noqa: E402

AUTHORITY = Authority(FOLDER.name)
OTHER_AUTHORITY = Authority(FOLDER.name, "other-ca")
NAMES = "DNS:localhost,IP:127.0.0.1"


def path(name):
    return os.path.join(FOLDER.name, name)


def wait_until(condition, what):
    for _ in range(300):
        if condition():
            return check(True, what)
        time.sleep(0.1)
    return check(False, what)


def list_models(port, authority=AUTHORITY, client=None, host="localhost"):
    """The number of models, or the error code, through gRPC's own TLS client."""
    key, chain = (client.read()[1], client.read()[0]) if client else (None, None)
    root = open(authority.certificate, "rb").read()
    credentials = grpc.ssl_channel_credentials(root, key, chain)
    with grpc.secure_channel(f"{host}:{port}", credentials) as channel:
        try:
            stub = service_pb2_grpc.TensorServiceStub(channel)
            return len(stub.ListModels(service_pb2.ListModelsRequest(), timeout=20).models)
        except grpc.RpcError as error:
            return error.code()


def s_client(port, *flags):
    """Whether openssl completes a handshake."""
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"localhost:{port}", "-alpn", "h2", "-CAfile",
         AUTHORITY.certificate, "-verify_return_error", *flags], stdin=subprocess.DEVNULL,
        capture_output=True, timeout=30)
    return done.returncode == 0 and b"Verify return code: 0" in done.stdout


def signet(*arguments, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("SIGNET_") or name == "SIGNET_SOURCE_DIR"}
    environment.update(XDG_CONFIG_HOME=path("no-config"), **variables)
    done = subprocess.run([CLI, *arguments], capture_output=True, text=True, timeout=60,
                          env=environment)
    return done.returncode, done.stdout + done.stderr


def expect(code, text, *arguments, **variables):
    found, output = signet(*arguments, **variables)
    is_expected = found == code and text in output
    check(is_expected, f"signet {arguments[0]}, exit code {code}: {text}" if is_expected
          else f"signet {' '.join(arguments)}: expected {code}, {text!r}; found {found}, {output!r}")


def serial_of(port):
    """The serial number of the certificate that the server presents."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as plain:
        with context.wrap_socket(plain) as secure:
            return hash(secure.getpeercert(binary_form=True))


def closes(port, data, seconds=30):
    """Whether the server closes a connection that sends `data` and no more."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        try:
            if data:
                connection.sendall(data)
            while connection.recv(4096):
                pass
        except ConnectionError:
            pass
        except socket.timeout:
            return False
    return True


def test_versions_and_clients():
    server = AUTHORITY.issue("server", "localhost", NAMES)
    with running("--tls_certificate", server.certificate, "--tls_key", server.key,
                 "--handshake_seconds", "2") as running_server:
        port = running_server.port
        check(list_models(port) > 0, "a gRPC client with the authority connects")
        check(list_models(port, OTHER_AUTHORITY) == grpc.StatusCode.UNAVAILABLE,
              "a gRPC client with another authority does not")
        check(s_client(port, "-tls1_2"), "openssl connects with TLS 1.2")
        check(s_client(port, "-tls1_3"), "openssl connects with TLS 1.3")
        for version in ("-tls1", "-tls1_1"):
            check(not s_client(port, version, "-cipher", "ALL:@SECLEVEL=0"),
                  f"openssl does not connect with {version}")
        for data, what in ((b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), "a plain HTTP/2 client"),
                           (b"GET / HTTP/1.1\r\n\r\n", "a plain HTTP/1 client"),
                           (b"", "a client that sends nothing"),
                           (b"\x16\x03\x01\x02\x00\x01", "a client that stops in the handshake")):
            check(closes(port, data), f"the server closes the connection of {what}")
        check(list_models(port) > 0, "the server serves after broken handshakes")

        address = ("--address", f"localhost:{port}")
        ca = ("--ca", AUTHORITY.certificate)
        expect(0, "half_plus_two", "list", *address, *ca)
        expect(0, "[2.5", "call", "half_plus_two", "predict", "[1.0]", *address, *ca)
        expect(0, "half_plus_two", "list", "--address", f"127.0.0.1:{port}", *ca)
        expect(3, "the server uses TLS (--tls, or --ca FILE)", "list", *address)
        expect(3, "not signed by a known authority (--ca)", "list", *address, "--ca",
               OTHER_AUTHORITY.certificate)
        expect(3, "not signed by a known authority (--ca)", "list", *address, "--tls")
        expect(3, "is not for `db.example.com`; it is for: DNS:localhost", "list", *address, *ca,
               "--server_name", "db.example.com")
        expect(0, "half_plus_two", "list", *address, *ca, "--server_name", "localhost")
        expect(1, "ca: cannot read", "list", *address, "--ca", path("missing.pem"))
        pair = f"127.0.0.1:{port},localhost:{port}"
        expect(0, "half_plus_two", "list", "--address", f"localhost:{port},localhost:{port}", *ca)
        expect(0, "half_plus_two", "list", "--address", pair, *ca, "--server_name", "localhost")
        expect(1, "server_name: expected the name in the certificates", "list", "--address", pair, *ca)
        expect(3, "the server uses TLS (--tls, or --ca FILE)", "list", "--address", pair)

        config = path("config.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'default_profile = "local"\n\n[local]\naddress = "localhost:{port}"\n'
                       f'ca = "test-ca.pem"\n\n[wrong]\nadress = "x"\n')
        expect(2, "unknown key `adress`; did you mean `address`?", "list", SIGNET_CONFIG=config)
        with open(config, "a", encoding="utf-8") as file:
            file.write("")
        text = open(config, encoding="utf-8").read().replace("adress", "address")
        with open(config, "w", encoding="utf-8") as file:
            file.write(text)
        expect(0, "half_plus_two", "list", SIGNET_CONFIG=config)
        expect(0, "half_plus_two", "list", "--profile", "local", SIGNET_CONFIG=config)
        expect(0, "half_plus_two", "list", SIGNET_CONFIG=config, SIGNET_PROFILE="local")
        expect(2, "profile `lokal` not found", "list", "--profile", "lokal", SIGNET_CONFIG=config)
        expect(3, "the server uses TLS", "list", "--no_tls", SIGNET_CONFIG=config)
        expect(0, "", "ops", "--help", SIGNET_CONFIG=path("missing.toml"))
    with running() as plain:
        expect(3, "the server does not use TLS", "list", "--address", f"localhost:{plain.port}",
               "--ca", AUTHORITY.certificate)

    expired = AUTHORITY.issue("expired-server", "localhost", NAMES, days=-1)
    listener = subprocess.Popen(
        ["openssl", "s_server", "-accept", "0", "-cert", expired.certificate, "-key", expired.key,
         "-alpn", "h2", "-naccept", "100"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        for line in listener.stdout:
            if line.startswith("ACCEPT"):
                port = int(line.rsplit(":", 1)[1])
                break
        expect(3, "the certificate of the server expired on", "list", "--timeout", "10",
               "--address", f"localhost:{port}", "--ca", AUTHORITY.certificate)
    finally:
        listener.kill()
        listener.wait()


def test_client_certificates():
    server = AUTHORITY.issue("server2", "localhost", NAMES)
    good = AUTHORITY.issue("good", "robot", "DNS:robot.example.com")
    expired = AUTHORITY.issue("expired", "robot", days=-1)
    stranger = OTHER_AUTHORITY.issue("stranger", "robot")
    alone = self_signed(FOLDER.name, "alone", "robot")
    flags = ("--tls_certificate", server.certificate, "--tls_key", server.key, "--tls_client_ca",
             AUTHORITY.certificate)
    with running(*flags, "--tls_require_client_certificate") as running_server:
        port = running_server.port
        check(list_models(port, client=good) > 0, "a client with a certificate connects")
        for client, what in ((None, "no"), (expired, "an expired"), (stranger, "a foreign"),
                             (alone, "a self-signed")):
            check(list_models(port, client=client) == grpc.StatusCode.UNAVAILABLE,
                  f"a client with {what} certificate does not connect")
        command = ("list", "--address", f"localhost:{port}", "--ca", AUTHORITY.certificate)
        expect(0, "half_plus_two", *command, "--cert", good.certificate, "--key", good.key)
        expect(3, "the server requires a client certificate", *command)
        expect(3, "the server does not accept the client certificate", *command, "--cert",
               stranger.certificate, "--key", stranger.key)
        expect(3, "it has expired", *command, "--cert", expired.certificate, "--key", expired.key)
        expect(1, "cert and key: expected both or neither", *command, "--cert", good.certificate)

    policy = path("cert.policy")
    with open(policy, "w", encoding="utf-8") as file:
        file.write('''roles { name: "robots" members: "cert:*.example.com" }
                      rules { roles: "robots" rpcs: [LIST_MODELS] models: "half_*" }''')
    with running(*flags, "--policy_file", policy) as running_server:
        check(list_models(running_server.port, client=good) == 1,
              "the certificate identifies the caller, who sees the models of its rule")
        check(list_models(running_server.port) == grpc.StatusCode.UNAUTHENTICATED,
              "a caller without a certificate is anonymous")


def admin_port_of(server):
    with open(server.log, encoding="utf-8") as log:
        line = next(line for line in log if " administration " in line)
    return int(line.split("address=", 1)[1].split()[0].rsplit(":", 1)[1])


def test_rotation():
    first = AUTHORITY.issue("first", "localhost", NAMES)
    second = AUTHORITY.issue("second", "localhost", NAMES)
    live = Pair(path("live.pem"), path("live.key"))

    def install(pair):
        for source, target in ((pair.certificate, live.certificate), (pair.key, live.key)):
            shutil.copy(source, target + ".new")
            os.replace(target + ".new", target)

    install(first)
    with running("--tls_certificate", live.certificate, "--tls_key", live.key, "--admin_listen", "127.0.0.1:0") as server:
        admin_port = admin_port_of(server)
        expect(0, "half_plus_two", "status", "half_plus_two", "--details", "--address", f"localhost:{admin_port}",
               "--ca", AUTHORITY.certificate)
        check(serial_of(admin_port) == serial_of(server.port), "the address for administration has the same certificate")
        root = open(AUTHORITY.certificate, "rb").read()
        open_channel = grpc.secure_channel(f"localhost:{server.port}",
                                           grpc.ssl_channel_credentials(root))
        stub = service_pb2_grpc.TensorServiceStub(open_channel)
        stub.ListModels(service_pb2.ListModelsRequest(), timeout=20)

        before = serial_of(server.port)
        install(second)
        wait_until(lambda: serial_of(server.port) != before, "a new certificate is used without a restart")
        check(serial_of(admin_port) == serial_of(server.port), "the address for administration uses it, too")
        stub.ListModels(service_pb2.ListModelsRequest(), timeout=20)
        check(list_models(server.port) > 0, "calls succeed on old and new connections")

        now = serial_of(server.port)
        log = lambda: open(server.log, encoding="utf-8").read()  # noqa: E731
        for content, reason in ((b"rubbish", "expected a private key in PEM"),
                                (open(first.key, "rb").read(), "the key does not belong")):
            with open(live.key, "wb") as file:
                file.write(content)
            wait_until(lambda: reason in log(), f"a wrong file is logged: {reason}")  # noqa: B023
            check(serial_of(server.port) == now and list_models(server.port) > 0,
                  "the previous certificate remains in use")
        os.remove(live.certificate)
        wait_until(lambda: "cannot read" in log(), "a missing file is logged")
        check(list_models(server.port) > 0, "the previous certificate remains in use")
        install(first)
        wait_until(lambda: serial_of(server.port) == before, "the next correct files are used")


def test_wrong_files():
    server = AUTHORITY.issue("server3", "localhost", NAMES)
    expired = AUTHORITY.issue("expired3", "localhost", NAMES, days=-1)
    later = AUTHORITY.issue_for_the_future("later3", "localhost")
    with open(path("empty.pem"), "wb"):
        pass
    locked = path("locked.key")
    subprocess.run(["openssl", "pkey", "-in", server.key, "-aes128", "-passout", "pass:secret-word",
                    "-out", locked], check=True)
    cases = (
        (path("missing.pem"), server.key, "--tls_certificate: cannot read"),
        (FOLDER.name, server.key, "expected a regular file"),
        (path("empty.pem"), server.key, "--tls_certificate: expected certificates in PEM"),
        (server.certificate, path("empty.pem"), "--tls_key: expected a private key in PEM"),
        (server.certificate, AUTHORITY.key, "the key does not belong to the certificate"),
        (server.certificate, locked, "--tls_key: expected a key without a password"),
        (expired.certificate, expired.key, "the certificate expired on"),
        (later.certificate, later.key, "found one that is valid from 2090-01-01"),
    )
    for certificate, key, reason in cases:
        done = subprocess.run(
            [SERVER, "--models", os.path.join(SOURCE, "examples/models"), "--listen", "127.0.0.1:0",
             "--tls_certificate", certificate, "--tls_key", key], capture_output=True, text=True,
            timeout=60)
        check(done.returncode == 1 and reason in done.stderr, f"the server does not start: {reason}")
    done = subprocess.run([SERVER, "--models", "x", "--tls_certificate", "x"], capture_output=True,
                          text=True, timeout=60)
    check(done.returncode == 2, "a certificate without a key is an error of the command line")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_top():
    """signet top reads the metrics with the TLS options and the token of the other commands."""
    server = AUTHORITY.issue("server4", "localhost", NAMES)
    client = AUTHORITY.issue("robot", "robot", "DNS:robot.example.com")
    flags = ("--tls_certificate", server.certificate, "--tls_key", server.key)
    page = free_port()
    top = ("top", "--once", "--interval", "0.1", "--http", f"localhost:{page}")
    ca = ("--ca", AUTHORITY.certificate)
    with running(*flags, "--http_listen", f"127.0.0.1:{page}"):
        expect(0, "MODEL", *top, *ca)
        expect(0, "MODEL", *top[:-1], f"https://127.0.0.1:{page}", *ca)
        expect(3, "the server uses TLS (--tls, or --ca FILE)", *top)
        expect(3, "the server uses TLS (--tls, or --ca FILE)", *top[:-1], f"http://localhost:{page}", *ca)
        expect(3, "not signed by a known authority (--ca)", *top, "--tls")
        expect(3, "is not for `db.example.com`", *top, *ca, "--server_name", "db.example.com")
        expect(1, "ca: cannot read certificates", *top, "--ca", path("missing.pem"))
        config = path("top.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write('[local]\nca = "test-ca.pem"\n')
        expect(0, "MODEL", *top, "--profile", "local", SIGNET_CONFIG=config)
    with running(*flags, "--tls_client_ca", AUTHORITY.certificate, "--tls_require_client_certificate",
                 "--http_listen", f"127.0.0.1:{page}"):
        expect(0, "MODEL", *top, *ca, "--cert", client.certificate, "--key", client.key)
        expect(3, "the server requires a client certificate", *top, *ca)
    with running("--http_listen", f"127.0.0.1:{page}"):
        expect(0, "MODEL", *top)
        expect(3, "the server does not use TLS", *top, *ca)

    # A proxy that requires a token.
    requests = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.headers.get("Authorization"))
            is_permitted = requests[-1] == "Bearer secret"
            body = b'signet_calls_total{model="m",function="f",code="OK"} 3\n' if is_permitted else b""
            self.send_response(200 if is_permitted else 401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *unused):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        top = ("top", "--once", "--interval", "0.1", "--http", f"127.0.0.1:{proxy.server_port}")
        expect(0, "MODEL", *top, SIGNET_TOKEN="secret")
        expect(1, "expected the status 200, found `401 Unauthorized`", *top)
        with open(path("token"), "w", encoding="utf-8") as file:
            file.write("secret\n")
        expect(0, "MODEL", *top, "--token_file", path("token"))
        expect(1, "token: without TLS", *top[:-1], "192.0.2.1:80", SIGNET_TOKEN="secret")
        proxy.shutdown()
    check(requests.count("Bearer secret") == 4, "the token is sent")


test_versions_and_clients()
test_top()
test_client_certificates()
test_rotation()
test_wrong_files()
