#!/bin/sh
# score_part.sh PART RESULTS MODEL FUNCTION [ARGS...]: calls a function with the rows of one file.
#
# Writes RESULTS/NAME for PART=.../NAME. If that file exists and is newer than PART, there is nothing to do, so a run
# that was interrupted can be started again. `signet call` renames the file when all results are present.
# ARGS are further arguments of `signet call`, such as count=5 or --rows 1000.

set -eu
[ $# -ge 4 ] || { echo "usage: score_part.sh PART RESULTS MODEL FUNCTION [ARGS...]" >&2; exit 2; }
part=$1 results=$2
shift 2
result=$results/$(basename "$part")
[ -n "$(find "$result" -newer "$part" 2>/dev/null)" ] && exit 0
mkdir -p "$results"
exec signet call "$@" --in "$part" --out "$result" --priority low
