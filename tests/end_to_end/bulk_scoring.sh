#!/bin/sh
# deploy/bulk: file parts are scored by GNU parallel (or xargs, if parallel is missing) and by the tasks of a Slurm
# array, run here without Slurm. The results equal those of one call, and a run can be started again.
set -eu
. "$(dirname "$0")/lib/with_server.sh"
here=$PWD
mkdir "$work/bin" "$work/parts"
ln -s "$(realpath "$SIGNET_CLI")" "$work/bin/signet"
ln -s "$(realpath "$SIGNET_SERVER")" "$work/bin/signet-server"
PATH=$work/bin:$PATH
start_server --models examples/models
signet status --wait 60 >/dev/null
cd "$work"
seq 1 3000 | sed 's/.*/{"name": "n&", "balances": [&, 400.5]}/' >rows.ndjson
split --numeric-suffixes --additional-suffix=.ndjson --number=l/7 rows.ndjson parts/part-
signet call savings fees --in rows.ndjson --out expected.ndjson

# score: all parts, several at a time
if command -v parallel >/dev/null; then
  score() { parallel --jobs 3 --joblog jobs.log sh "$here/deploy/bulk/score_part.sh" {} results savings fees ::: parts/*.ndjson; }
  runner=parallel
else
  score() { find parts -name '*.ndjson' -print0 | xargs -0 -P 3 -I{} sh "$here/deploy/bulk/score_part.sh" {} results savings fees; }
  runner="xargs (skipped: parallel is not installed; ./dev install test installs it)"
fi
fail() { echo "FAILED: $*"; exit 1; }
score || fail "$runner exits with $?"
cat results/*.ndjson | cmp - expected.ndjson || fail "the results of the parts differ from those of one call"
[ "$(find results -name '*.ndjson' | wc -l)" = 7 ] || fail "expected 7 results"
echo "ok: $runner scores 7 parts"

# Only what is missing is done again.
touch -d '1 hour ago' parts/*
touch -d '1 minute ago' results/*
rm results/part-03.ndjson
score || fail "$runner exits with $?"
[ "$(find results -newermt '-30 seconds' -name '*.ndjson')" = results/part-03.ndjson ] || fail "expected only part-03 to be scored again"
cat results/*.ndjson | cmp - expected.ndjson || fail "the results differ after the second run"
echo "ok: a second run scores the missing part only"

# A bad row fails its part by name and leaves no result; the other parts are complete.
echo '{"name": "bad", "balances": "none"}' >>parts/part-05.ndjson
if score 2>errors; then fail "expected an error for a bad row"; fi
grep -q 'part-05.ndjson.*row [0-9]*' errors || fail "expected the file and the row in: $(cat errors)"
sed -i '$d' parts/part-05.ndjson
score || fail "$runner exits with $?"
cat results/*.ndjson | cmp - expected.ndjson || fail "the results differ after the repair"
echo "ok: a bad row is reported by file and row"

# The tasks of a Slurm array, each with a server of its own, and with a common server.
for task in 1 4 7; do
  (
    [ $task = 7 ] || unset SIGNET_ADDRESS
    SIGNET_MODELS=$here/examples/models SIGNET_BULK_DIR=$here/deploy/bulk SLURM_ARRAY_TASK_ID=$task \
      sh "$here/deploy/bulk/score.sbatch" parts array savings fees
  ) || fail "task $task exits with $?"
done
for name in part-00 part-03 part-06; do
  cmp "array/$name.ndjson" "results/$name.ndjson" || fail "the result of the array for $name differs"
done
expect 1 'no file number 8' env SLURM_ARRAY_TASK_ID=8 sh "$here/deploy/bulk/score.sbatch" parts array savings fees
echo "ok: tasks of an array score their parts"
