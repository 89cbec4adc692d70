#!/bin/sh
# Uses the console in headless Chromium as a person would, and checks the OpenAPI document with a public validator and
# with a client that is generated from it. The packages are installed once, into build/console.
set -eu
. "$(dirname "$0")/lib/with_server.sh"
for program in node npm chromium; do
  if ! command -v $program >/dev/null; then
    echo "$program is not installed; ./dev install test brings it"
    exit 1
  fi
done
modules=$PWD/build/console
# The call as Python uses the package of the build.
PYTHONPATH=$(dirname "$SIGNET_SERVER")/../python${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
mkdir -p "$modules/screenshots"
if ! cmp -s tests/end_to_end/console/package.json "$modules/package.json"; then
  cp tests/end_to_end/console/package.json "$modules/package.json.new"
  (cd "$modules" && cp package.json.new package.json && npm install --no-audit --no-fund --silent) || {
    rm -f "$modules/package.json"
    echo "npm could not install the packages of tests/end_to_end/console/package.json"
    exit 1
  }
fi

# Sets `url` to the address that the server logs.
find_url() {
  tries=0
  until url=http://$(sed -n 's/.*serving http .*address=\([0-9.:]*\).*/\1/p' "$log" | head -1) && [ "$url" != http:// ]; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { cat "$log"; echo "the server does not log its HTTP address"; exit 1; }
    sleep 0.1
  done
}

printf 'ann %s\n' "$(printf secret-of-ann | sha256sum | cut -d" " -f1)" >"$work/tokens"
# A model whose versions differ, and one of which has a label.
for version in 1 2; do
  mkdir -p "$work/versions/openapi_versions/$version"
done
printf 'def f(old_name: float32[]):\n    return old_name\n' >"$work/versions/openapi_versions/1/model.signet"
printf 'def f(new_name: float32[]):\n    return new_name\n' >"$work/versions/openapi_versions/2/model.signet"
printf 'labels { key: "stable" value: 1 }\n' >"$work/versions/openapi_versions/settings.textproto"
start_server --models examples/models --models "$work/versions" --http_listen 127.0.0.1:0 --console \
  --poll_seconds 1 --http_cors_origins http://shop.example
find_url
node tests/end_to_end/console/openapi.mjs "$url" "$modules" "$work"
node tests/end_to_end/console/console.mjs "$url" "$modules" "$work/versions"
kill "$server"
wait "$server" || true
start_server --models examples/models --http_listen 127.0.0.1:0 --console --tokens_file "$work/tokens"
find_url
node tests/end_to_end/console/token.mjs "$url" "$modules"
