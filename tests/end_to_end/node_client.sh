#!/bin/sh
# Runs node/node_client.mjs, and the tests of the package clients/node, against servers. Packages of npm are installed once,
# into build/node; the package of this repository is packed and unpacked there each time.
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
package=$modules/node_modules/signet-client
rm -rf $package $modules/test
mkdir -p $package
archive=$(cd clients/node && npm pack --silent --pack-destination "$work")
tar -xzf "$work/$archive" -C $package --strip-components=1

# The compiler checks the types that the package declares, and makes the tests, which are in TypeScript, runnable.
mkdir -p $modules/test
cp clients/node/test/*.ts clients/node/test/tsconfig.json $modules/test
echo '{ "type": "module" }' >$modules/test/package.json
node $modules/node_modules/typescript/bin/tsc -p $modules/test
SIGNET_SOURCE_DIR=$PWD node --test $modules/test/client.test.js $modules/test/untrusted.test.js

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
