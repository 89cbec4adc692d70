#!/bin/sh
# smoke.sh ADDRESS: makes the calls of the demo to a running server that has the example models.
#
# Uses the command `signet` from PATH, or else from build/dev or build/release.

set -eu
[ $# = 1 ] || { echo "usage: deploy/smoke.sh ADDRESS, for example localhost:8500" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
SIGNET_ADDRESS=$1
PATH="$PATH:$root/build/dev/client:$root/build/release/client"
export SIGNET_ADDRESS PATH
command -v signet >/dev/null || { echo "command \`signet\` not found; run ./dev demo once, or install it" >&2; exit 2; }
cd "$root"
signet status
sh examples/demo.sh
echo "smoke: ok"
