#!/bin/sh
# smoke.sh ADDRESS: makes the demo's calls to a running server that has the example models.
#
# The command line `signet` is taken from PATH, or else from build/dev or build/release.

set -eu
[ $# = 1 ] || { echo "usage: deploy/smoke.sh ADDRESS, for example localhost:8500" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
SIGNET_ADDRESS=$1
PATH="$PATH:$root/build/dev/client:$root/build/release/client"
export SIGNET_ADDRESS PATH
command -v signet >/dev/null || { echo "no command \`signet\`; run ./dev demo once, or install it" >&2; exit 2; }
cd "$root"
signet status
sh examples/demo.sh
echo "smoke: ok"
