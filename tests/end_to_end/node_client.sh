#!/bin/sh
# Runs node/node_client.mjs against a server; its packages are installed once, into build/node.
set -eu
. "$(dirname "$0")/lib/with_server.sh"
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "node or npm is not installed; ./dev install test brings them"
  exit 1
fi
modules=build/node
mkdir -p $modules
if ! cmp -s tests/end_to_end/node/package.json $modules/package.json; then
  cp tests/end_to_end/node/package.json $modules/package.json.new
  (cd $modules && cp package.json.new package.json && npm install --no-audit --no-fund --silent) || {
    rm -f $modules/package.json
    echo "npm could not install the packages of tests/end_to_end/node/package.json"
    exit 1
  }
fi
mkdir -p "$work/models/echo/1" "$work/models/optional/1"
cp -R examples/models/. "$work/models"
cat >"$work/models/echo/1/model.signet" <<'END'
def echo(x):
    return x
END
cat >"$work/models/optional/1/model.signet" <<'END'
def optional(
    rows: [{a: int64[(?)], b: bool[(?)], c: string[(?)], d: string[(?)], e: [{f: float64[(?)]}], g: int32[(?), (?), (?)]}]
):
    return rows
END
start_server --models "$work/models"
node tests/end_to_end/node/node_client.mjs "$SIGNET_ADDRESS" "$PWD" "$PWD/$modules"
PYTHONPATH="$(dirname "$SIGNET_SERVER")/../python" /usr/bin/python3 tests/end_to_end/node/python_arrow.py "$SIGNET_ADDRESS" "$PWD/$modules"
