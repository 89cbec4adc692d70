"""Checks the files in deploy/: what they publish, mount, and allow."""

import re
import sys


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
probes = {}
for line, following in zip(pod, pod[1:]):
    if found := re.match(r"\s*(\w+)Probe:", line):
        probes[found.group(1)] = following
check(set(probes) == {"startup", "readiness", "liveness"}, f"kubernetes.yaml: three probes: {sorted(probes)}")
check("service: signet.v1.TensorService" in probes.get("liveness", ""),
      "kubernetes.yaml: a pod without models is not restarted for it")
check("service:" not in probes.get("readiness", "service:"), "kubernetes.yaml: readiness is that of the server")

sys.exit("\n".join(f"FAILED: {what}" for what in failed) or 0)
