#!/bin/sh
# smoke.sh ADDRESS: makes the calls of the demo to a running server that has the example models.
# smoke.sh --image IMAGE [BASE]: prints the size of an image beyond its base and the packages in it, runs it without
#   rights and with a read-only root, and makes the calls of the demo inside.
#
# With ADDRESS, uses the command `signet` from PATH, or else from build/dev or build/release. With --image, uses docker,
# podman, or buildah with runc or crun.

set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

# --- a running server -------------------------------------------------------------------------------

smoke_address() {
  SIGNET_ADDRESS=$1
  PATH="$PATH:$root/build/dev/client:$root/build/release/client"
  export SIGNET_ADDRESS PATH
  command -v signet >/dev/null || { echo "command \`signet\` not found; run ./dev demo once, or install it" >&2; exit 2; }
  signet status
  sh examples/demo.sh
  echo "smoke: ok"
}

# --- an image ---------------------------------------------------------------------------------------

# The commands that docker and podman share. `start` starts the container, `inside COMMAND...` runs a command in it,
# `stop` sends SIGTERM and sets `code` to the exit code, `bytes IMAGE` prints a size.
use_docker() {
  engine=$1
  bytes() { "$engine" image inspect --format '{{.Size}}' "$1"; }
  start() {
    container=signet-smoke-$$  # known before it exists, so that `clean` removes it after any fault
    "$engine" run --detach --name "$container" --read-only --cap-drop ALL --security-opt no-new-privileges --network none \
      --volume "$root/examples/models:/models:ro" "$image" >/dev/null
  }
  inside() { "$engine" exec "$container" "$@"; }
  stop() {
    "$engine" stop --time 30 "$container" >/dev/null
    code=$("$engine" inspect --format '{{.State.ExitCode}}' "$container")
  }
  clean() { [ -z "${container:-}" ] || "$engine" rm --force --volumes "$container" >/dev/null 2>&1 || true; }
}

# buildah has images but does not run them as a server, so an OCI runtime does.
use_buildah() {
  runtime=$1
  bytes() {
    one=$(buildah from --pull-never "$1")
    du --summarize --bytes --one-file-system "$(buildah mount "$one")" | cut -f 1
    buildah rm "$one" >/dev/null
  }
  start() {
    working=$(buildah from --pull-never "$image")
    bundle=$(mktemp -d)
    container=signet-smoke-$$
    buildah mount "$working" >/dev/null
    (cd "$bundle" && "$runtime" spec)
    # The command, the user, and the environment of the image, as its configuration states them.
    buildah inspect --type image "$image" | python3 -c '
import json, sys
bundle, root, models = sys.argv[1:]
image = json.load(sys.stdin)["Docker"]["config"]
path = f"{bundle}/config.json"
spec = json.load(open(path))
uid, gid = map(int, image["User"].split(":"))
spec["process"] |= {"terminal": False, "args": image["Entrypoint"], "env": image["Env"], "cwd": "/",
                    "user": {"uid": uid, "gid": gid}, "noNewPrivileges": True, "capabilities": {}}
spec["process"].pop("rlimits", None)
spec["root"] = {"path": root, "readonly": True}
spec["mounts"].append({"destination": "/models", "type": "bind", "source": models, "options": ["bind", "ro"]})
json.dump(spec, open(path, "w"))
' "$bundle" "$(buildah mount "$working")" "$root/examples/models"
    # The runtime gets a network of its own, with nothing but a loopback device.
    "$runtime" run --bundle "$bundle" "$container" >"$bundle/log" 2>&1 &
    process=$!
    tries=0
    until "$runtime" exec "$container" true 2>/dev/null; do
      kill -0 "$process" 2>/dev/null || { cat "$bundle/log" >&2; exit 1; }
      tries=$((tries + 1))
      [ $tries -lt 300 ] || { cat "$bundle/log" >&2; exit 1; }
      sleep 0.1
    done
  }
  inside() { "$runtime" exec "$container" "$@"; }
  stop() {
    "$runtime" kill "$container" TERM
    code=0
    wait "$process" || code=$?
  }
  clean() {
    [ -z "${container:-}" ] || "$runtime" delete --force "$container" 2>/dev/null || true
    [ -z "${working:-}" ] || buildah rm "$working" >/dev/null
    [ -z "${bundle:-}" ] || rm -rf "$bundle"
  }
}

fail() { echo "FAILED: $*" >&2; exit 1; }

smoke_image() {
  image=$1 base=${2:-debian:bookworm-slim}
  if command -v docker >/dev/null && docker info >/dev/null 2>&1; then use_docker docker
  elif command -v podman >/dev/null; then use_docker podman
  elif command -v buildah >/dev/null && command -v runc >/dev/null; then use_buildah runc
  elif command -v buildah >/dev/null && command -v crun >/dev/null; then use_buildah crun
  else fail "docker (with its daemon), podman, or buildah with runc or crun not found"
  fi
  total=$(bytes "$image") beyond=$(($(bytes "$image") - $(bytes "$base")))
  echo "image: $image"
  echo "size: $((total / 1000000)) MB, $((beyond / 1000000)) MB beyond $base"
  [ $beyond -lt 120000000 ] || fail "expected less than 120 MB beyond the base, found $((beyond / 1000000)) MB"

  trap clean EXIT
  trap 'exit 130' INT TERM
  start
  echo "largest packages, in KiB:"
  inside dpkg-query --show --showformat '${Installed-Size}\t${Package} ${Version}\n' | sort -rn | sed -n '1,12s/^/  /p'
  echo "files of the package \`signet\`:"
  inside dpkg-query --listfiles signet | while read -r file; do
    case $file in /usr/bin/* | /usr/lib/*.so* | /lib/systemd/*.service | /usr/share/signet/examples/models/*/*/*) echo "  $file" ;; esac
  done

  inside signet status --wait 60
  [ "$(inside id -u)" = 10001 ] || fail "expected the user 10001, found $(inside id -u)"
  inside grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || fail "expected no capabilities"
  [ -z "$(inside find / -xdev -type f -perm /6000)" ] || fail "expected no files that change the user"
  ! inside sh -c 'echo x >/usr/file || echo x >/file' 2>/dev/null || fail "expected a read-only root"
  inside sh /usr/share/signet/examples/demo.sh >"${TMPDIR:-/tmp}/signet-smoke.$$" || {
    cat "${TMPDIR:-/tmp}/signet-smoke.$$" >&2
    fail "the calls of the demo"
  }
  echo "demo: $(grep -c '^\$ ' "${TMPDIR:-/tmp}/signet-smoke.$$") commands"
  rm -f "${TMPDIR:-/tmp}/signet-smoke.$$"
  inside signet status >/dev/null || fail "the health check"
  stop
  [ "$code" = 0 ] || fail "expected exit code 0 after SIGTERM, found $code"
  echo "smoke: ok (user 10001, read-only root, no capabilities, health check, demo, orderly stop)"
}

case ${1:-} in
  --image)
    [ $# -ge 2 ] || { echo "usage: deploy/smoke.sh --image IMAGE [BASE]" >&2; exit 2; }
    smoke_image "$2" "${3:-}"
    ;;
  '' | -*)
    echo "usage: deploy/smoke.sh ADDRESS, for example localhost:8500, or deploy/smoke.sh --image IMAGE [BASE]" >&2
    exit 2
    ;;
  *) smoke_address "$1" ;;
esac
