#!/bin/sh
# The help of every verb is as tests/golden/help_<verb>.golden has it; SIGNET_UPDATE_GOLDEN=1 rewrites.
set -eu
. "$(dirname "$0")/lib/with_server.sh"
unset SIGNET_ADDRESS
failed=0

same() { # same NAME COMMAND...
  golden=tests/golden/help_$1.golden
  shift
  COLUMNS=100 "$@" >"$work/help" 2>&1
  if [ -n "${SIGNET_UPDATE_GOLDEN:-}" ]; then
    mkdir -p tests/golden
    cp "$work/help" "$golden"
  elif ! diff -u "$golden" "$work/help"; then
    failed=1
  fi
}

same signet-server "$SIGNET_SERVER" --help
same signet "$SIGNET_CLI" --help
for verb in call list describe explain status inspect import bench completion; do
  same "signet_$verb" "$SIGNET_CLI" $verb --help
done
exit $failed
