"""Checks the files in deploy/ by their structure: what they publish, mount, and allow. kubernetes.py uses schemas."""

import glob
import json
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: no Python module `yaml`; ./dev install test installs it")
    sys.exit(77)


def lines_of(path):
    with open(f"{sys.argv[1]}/deploy/{path}", encoding="utf-8") as file:
        return [line for line in file.read().splitlines() if not line.lstrip().startswith("#")]


def value_of(lines, key):
    """The value of the first `key: value`, without quotes."""
    for line in lines:
        if found := re.match(rf"[\s-]*{key}: *(.+)", line):
            return found.group(1).strip("'\"")
    return ""


failed = []


def check(condition, what):
    if not condition:
        failed.append(what)


compose = lines_of("compose.yaml")
ports = [line.strip(" -\"'") for line in compose if re.match(r'\s*- "?[\d.:\[\]]+"?$', line)]
check(ports, "compose.yaml publishes a port")
check(all(port.startswith("127.0.0.1:") for port in ports), f"compose.yaml publishes on this machine only: {ports}")
check("${SIGNET_IMAGE:-" in value_of(compose, "image"), "compose.yaml: the image can be one of a registry")
check(value_of(compose, "type") == "bind" and "${MODELS:-" in value_of(compose, "source"),
      "compose.yaml: MODELS is a path, not the name of a volume")
check(value_of(compose, "mem_limit"), "compose.yaml: a memory limit")

pod = lines_of("kubernetes.yaml")
check(re.match(r"[\w-]+(\.[\w-]+)+(:\d+)?/", value_of(pod, "image")), "kubernetes.yaml: the image names a registry")
check(re.search(r"memory: *\d+[MG]i", value_of(pod, "limits")), "kubernetes.yaml: a memory limit")
for name in ("kubernetes.yaml", "kubernetes-tls.yaml"):
    probes = {}
    lines = lines_of(name)
    for line, following in zip(lines, lines[1:]):
        if found := re.match(r"\s*(\w+)Probe:", line):
            probes[found.group(1)] = following
    check(set(probes) == {"startup", "readiness", "liveness"}, f"{name}: three probes: {sorted(probes)}")
    for probe in ("startup", "liveness"):
        check("signet.v1.TensorService" in probes.get(probe, ""), f"{name}: a pod without models is not restarted for it: {probe}")
    check("TensorService" not in probes.get("readiness", "TensorService"), f"{name}: readiness is that of the server")

# Envoy is not run by any test, so its names must at least lead to one another.
with open(f"{sys.argv[1]}/deploy/envoy.yaml", encoding="utf-8") as file:
    envoy = yaml.safe_load(file)["static_resources"]
clusters = {cluster["name"]: cluster for cluster in envoy["clusters"]}
manager = envoy["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
check(manager["@type"].endswith(".HttpConnectionManager") and manager["http_filters"][-1]["typed_config"]["@type"].endswith(".Router"),
      "envoy.yaml: the last filter is the router")
routes = manager["route_config"]["virtual_hosts"][0]["routes"]
check(all(route["route"]["cluster"] in clusters for route in routes), "envoy.yaml: each route leads to a cluster")
check(all("grpc_health_check" in clusters["signet"]["health_checks"][0] and "retry_policy" in route["route"] for route in routes),
      "envoy.yaml: gRPC health checks and retries")
options = clusters["signet"]["typed_extension_protocol_options"]["envoy.extensions.upstreams.http.v3.HttpProtocolOptions"]
check("http2_protocol_options" in options["explicit_http_config"], "envoy.yaml: HTTP/2 to the servers")
endpoints = clusters["signet"]["load_assignment"]["endpoints"][0]["lb_endpoints"]
check(all(set(item["endpoint"]["address"]["socket_address"]) == {"address", "port_value"} for item in endpoints) and len(endpoints) == 2,
      "envoy.yaml: two servers")

# All proxies publish the same services, each of which exists in a .proto file or is of another project.
published = {route["match"]["prefix"].strip("/") for route in routes}
haproxy = lines_of("haproxy.cfg")
check(published == {path.strip("/") for line in haproxy if " path_beg " in line for path in line.split(" path_beg ")[1].split()},
      "haproxy.cfg and envoy.yaml publish the same services")
locations = [line.replace("\\.", ".") for line in lines_of("nginx.conf") if "location" in line]
names = {name for line in locations for name in re.findall(r"[\w.]+Service\b|[\w.]+\.Health\b", line.replace(")", " ").replace("|", " "))}
check(published == names, f"nginx.conf and envoy.yaml publish the same services: {sorted(published ^ names)}")

# The health check of HAProxy is the preface of HTTP/2, and frames whose lengths are right.
data = b"".join(bytes.fromhex(line.split()[-1]) for line in haproxy if "send-binary" in line)
check(data.startswith(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "haproxy.cfg: the preface")
data, kinds = data[24:], []
while data:
    size = int.from_bytes(data[:3], "big")
    kinds.append((data[3], data[4], len(data) >= 9 + size))
    data = data[9 + size:]
check(kinds == [(4, 0, True), (1, 4, True), (0, 1, True)], f"haproxy.cfg: SETTINGS, HEADERS, DATA: {kinds}")

# A stream over nginx may pause as long as a call may last.
calls = "\n".join(lines_of("nginx.conf")).partition("location ~ ")[2].partition("}")[0]
times = dict(re.findall(r"(grpc_read_timeout|client_body_timeout) (\d+)s;", calls))
check(times.get("client_body_timeout") == times.get("grpc_read_timeout"), f"nginx.conf: times without traffic: {times}")

# Grafana of compose.yaml finds the dashboard and the data source.
for path, key in {"datasources/prometheus.yaml": "datasources", "dashboards/signet.yaml": "providers"}.items():
    with open(f"{sys.argv[1]}/deploy/grafana/provisioning/{path}", encoding="utf-8") as file:
        provisioned = yaml.safe_load(file)
    check(provisioned["apiVersion"] == 1 and len(provisioned[key]) == 1, f"grafana/provisioning/{path}")
    if key == "providers":
        check(any(line.strip().startswith("- ./grafana/signet.json:" + provisioned[key][0]["options"]["path"]) for line in compose),
              "compose.yaml: the dashboard is where Grafana looks")
for path in re.findall(r"- \./([\w./]+):", "\n".join(compose)):
    check(glob.glob(f"{sys.argv[1]}/deploy/{path}"), f"compose.yaml mounts a file that exists: {path}")

if shutil.which("promtool"):
    result = subprocess.run(["promtool", "check", "config", f"{sys.argv[1]}/deploy/prometheus/prometheus.yml"],
                            capture_output=True, text=True, check=False)
    check(result.returncode == 0, f"prometheus.yml: {result.stderr}")
else:
    print("skipped: prometheus.yml: no command `promtool`; ./dev install test installs it")

# The unit of systemd. What /etc/default/signet-server sets is added to the safe address. The program is one that exists.
start = value_of([line.replace("=", ": ", 1) for line in lines_of("debian/signet-server.service")], "ExecStart").split()
check(start[1:] == ["--listen", "127.0.0.1:8500", "$SIGNET_SERVER_FLAGS"], f"signet-server.service: the flags: {start}")
if shutil.which("systemd-analyze"):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{sys.argv[1]}/deploy/debian/signet-server.service", encoding="utf-8") as file:
            unit = file.read().replace("/usr/bin/signet-server", "/bin/true")
        with open(f"{folder}/signet-server.service", "w", encoding="utf-8") as file:
            file.write(unit)
        result = subprocess.run(["systemd-analyze", "verify", "--man=no", f"{folder}/signet-server.service"],
                                capture_output=True, text=True, check=False)
        errors = [line for line in result.stderr.splitlines() if "signet-server" in line]
        check(result.returncode == 0 and not errors, f"signet-server.service: {errors}")
else:
    print("skipped: signet-server.service: no command `systemd-analyze`")

# The dashboard uses metrics that exist.
with open(f"{sys.argv[1]}/docs/reference/metrics.md", encoding="utf-8") as file:
    documented = set(re.findall(r"`((?:signet|process)_\w+)`", file.read()))
with open(f"{sys.argv[1]}/deploy/grafana/signet.json", encoding="utf-8") as file:
    dashboard = json.load(file)
used = {name for panel in dashboard["panels"] for target in panel.get("targets", [])
        for name in re.findall(r"\b(?:signet|process)_\w+", target["expr"])}
used = {re.sub(r"_(bucket|sum|count)$", "", name) for name in used}
check(used and used <= documented, f"grafana/signet.json: metrics that docs/reference/metrics.md does not have: {sorted(used - documented)}")

# The version is the same everywhere.
versions = {}
for path, pattern in {"CMakeLists.txt": r"project\(signet VERSION ([\d.]+)",
                      "python/signet/version.py": r'VERSION = "([\d.]+)"', "clients/node/package.json": r'"version": "([\d.]+)"', "deploy/helm/signet/Chart.yaml": r'appVersion: "([\d.]+)"',
                      "README.md": r"signet_([\d.]+)_amd64\.deb"}.items():
    with open(f"{sys.argv[1]}/{path}", encoding="utf-8") as file:
        versions[path] = "".join(re.findall(pattern, file.read(), re.M)[:1])
check(len(set(versions.values())) == 1 and versions["CMakeLists.txt"], f"one version: {versions}")

sys.exit("\n".join(f"FAILED: {what}" for what in failed) or 0)
