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
for verb in call list describe explain status check inspect import convert fmt infer-type publish load unload reload label captures drain ops bench replay top completion; do
  same "signet_$verb" "$SIGNET_CLI" $verb --help
done

# Each example of the help texts that needs no other file works on the example models.
start_server --models examples/models
PATH=$(dirname "$SIGNET_CLI"):$PATH
examples=$(sed -n 's/^  \(.*signet [a-z].*\)$/\1/p' tests/golden/help_signet*.golden | 
  grep -v 'SIGNET_ADDRESS=unix\|signet replay\|signet top\|signet publish\|REQUIRED' | sed 's/ --duration [0-9]*//; s/signet bench/signet bench --duration 0.2/' | sort -u)
[ "$(printf '%s\n' "$examples" | wc -l)" -ge 8 ]
printf '%s\n' "$examples" >"$work/examples"
while read -r example; do
  if ! bash -c "$example" >"$work/output" 2>&1 </dev/null; then
    echo "FAILED: $example"
    cat "$work/output"
    failed=1
  fi
done <"$work/examples"
exit $failed
