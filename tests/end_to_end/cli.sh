#!/bin/sh
# Every verb of `signet` against a server of the example models: what it prints and its exit code.
set -eu
. "$(dirname "$0")/lib/with_server.sh"
start_server --models examples/models
signet() { "$SIGNET_CLI" "$@"; }

expect 0 '^SERVING$' signet status
expect 0 '^SERVING$' signet status half_plus_two --wait 1
[ "$(signet status signet.v1.TensorService)" = SERVING ]
expect 1 'model `nothing` not found; models: .*half_plus_two' signet status nothing
expect 1 'NOT_FOUND' signet status nothing
expect 1 'expected a model without a version, `half_plus_two`' signet status half_plus_two/1
expect 0 '^half_plus_two *1 *AVAILABLE' signet list
expect 0 '^half_plus_two$' signet list --names
expect 0 '^predict(x: float32' signet describe half_plus_two
expect 0 'signet call half_plus_two predict' signet describe half_plus_two predict
expect 1 'functions: `predict`' signet describe half_plus_two nothing
expect 0 '^masked.MaskedTensor(values, mask: bool\[...\])$' signet describe masked
expect 0 '^labeled.Tensor<axes>(values)$' signet describe labeled
expect 0 '^  a kind of dist.Distribution$' signet describe distribution
expect 0 '^  converted from align.Dimensions<version=1>(lengths: int64\[?\])$' signet describe alignment

expect 0 '^\[2.5,3.0,4.5\]$' signet call half_plus_two predict '[1.0, 2.0, 5.0]'
expect 0 '^\[2.5,3.0,4.5\]$' signet call half_plus_two/1 predict 'x=[1, 2, 5]'
expect 0 '^2.5$' signet call half_plus_two predict 1
expect 0 '^\[2.5,3.0\]$' signet call half_plus_two '[1, 2]'
expect 0 '^\[2.5,3.0\]$' signet call half_plus_two 'x=[1, 2]'
expect 0 '^2.5$' signet call half_plus_two 1
# Words for values are arguments, and all other identifiers are names of functions.
for word in None True null; do
  expect 1 'argument `x`' signet call half_plus_two $word
done
expect 0 '^"NaN"$' signet call half_plus_two NaN
expect 1 'function `soup` not found' signet call half_plus_two soup
# A number that no dtype can hold is the same error as in a list.
expect 1 'OUT_OF_RANGE' signet call half_plus_two predict 1e999
expect 1 'OUT_OF_RANGE' signet call half_plus_two predict '[1e999]'
expect 1 'OUT_OF_RANGE' signet call half_plus_two predict -1e999
expect 2 'expected the name of a function before an argument' signet call half_plus_two '[1]' -1
expect 0 '^1.5$' signet call half_plus_two predict -1
expect 0 '^2.5$' signet call half_plus_two predict 1 --table
expect 0 '^dispatch: ' signet call half_plus_two predict 1 --explain
echo '[1, 2]' >"$work/x.json"
expect 0 '^\[2.5,3.0\]$' signet call half_plus_two predict "@$work/x.json"
expect 0 '^\[2.5,3.0\]$' signet call half_plus_two predict "x=@$work/x.json"
[ "$(signet call half_plus_two predict - <"$work/x.json")" = '[2.5,3.0]' ]

expect 1 'MISSING_REQUIRED' signet call half_plus_two predict
expect 1 'no argument for `x`, and no parameter `xs`' signet call half_plus_two predict 'xs=[1]'
expect 1 'byte 4: `\[2\]`: expected `,` or `\]`, found the end of the text' signet call half_plus_two predict '[1,2'
expect 1 'expected a JSON value, found `NaN`; write "NaN"' signet call half_plus_two predict '[NaN]'
expect 0 '^\["NaN"\]$' signet call half_plus_two predict '["NaN"]'
expect 2 'expected the name of a parameter .*found `input:0`' signet call half_plus_two predict 'input:0=[1]'
expect 2 'it is a directory' signet call half_plus_two predict "@$work"
expect 2 'it is a directory' sh -c '"$SIGNET_CLI" call half_plus_two predict - <"$0"' "$work"
# Output that cannot be written; a reader that stops early.
for words in 'list' 'call half_plus_two 1' 'completion bash' '--help'; do
  expect 1 'cannot write the output' sh -c '"$SIGNET_CLI" $0 >/dev/full' "$words"
done
expect 0 '^quiet$' sh -c '
  (trap "" PIPE; sleep 0.2; "$SIGNET_CLI" completion bash) 2>"$0" | true
  [ ! -s "$0" ] && echo quiet' "$work/noise"
expect 1 'field: x' signet call half_plus_two predict text
expect 1 'models: ' signet call nothing predict 1
expect 1 '; `.*/x.json` is a file: to pass its content, write `@.*/x.json`' signet call half_plus_two predict "$work/x.json"
expect 1 '; `.*/x.json` is a file: to pass its content, write `x=@.*/x.json`' signet call half_plus_two predict "x=$work/x.json"
expect 1 '; a JSON object is a value of `masked.MaskedTensor` if it has the key "$type": "masked.MaskedTensor"$' \
  signet call masked neg '{"values": [1], "mask": [true]}'
expect 2 '`float23\[2\] \[1, 2\]`: expected a type, found `float23`; the nearest is `float32`' \
  signet call half_plus_two 'float23[2] [1, 2]'
expect 2 'unknown option `--tabel`; the nearest is `--table`; see `signet call --help`' signet call half_plus_two predict 1 --tabel
expect 2 'unknown option `--adress`; the nearest is `--address`; see `signet call --help`' signet call half_plus_two --adress x 1
expect 2 'unknown option `--adress`; the nearest is `--address`; see `signet list --help`' signet list --adress x
expect 2 'unknown option `--adress`; the nearest is `--address`; see `signet --help`' signet --adress x
expect 2 'unknown option `--model`; the nearest is `--models`; see `signet-server --help`' "$SIGNET_SERVER" --model x
expect 2 'unknown option `--max-message-bytes`; the nearest is `--max_message_bytes`' "$SIGNET_SERVER" --models x --max-message-bytes 1
expect 2 'unknown option `--k`; .*; a keyword argument is `k=...`; to pass a string' signet call half_plus_two predict 1 --k 2
expect 2 'unknown option `--port`; `--listen 0.0.0.0:PORT` sets the port' "$SIGNET_SERVER" --models x --port 1
expect 2 'unknown option `--http`; an option is `--http_' "$SIGNET_SERVER" --models x --http 1
expect 2 'signet-server: expected the directory of models, such as `signet-server --models shop`' "$SIGNET_SERVER" shop
expect 1 'expected HOST:PORT or unix:PATH, found `localhost`; the port of a server is 8500' signet --address localhost list
expect 1 'found `http://localhost:8500`; leave out `http://`' signet --address http://localhost:8500 list
expect 1 'expected the directory of a model, a file ending in .onnx' signet check "$work/x.json"
expect 1 'found that of a model; inspect a version, such as `examples/models/savings/1`' signet inspect examples/models/savings
expect 3 'start the server with `--http_listen 127.0.0.1:8501`' signet top --once --http 127.0.0.1:1
expect 2 'expected a version of at least 1, found `x`; the name of a function is a word of its own' signet call half_plus_two/x predict 1
expect 2 'required' signet call
expect 2 '' signet
expect 2 'unknown command `cal`; did you mean `call`? commands: call, .*completion$' signet cal half_plus_two 1
expect 3 'reason: UNAVAILABLE' signet --address 127.0.0.1:1 list
expect 3 'reason: UNAVAILABLE' signet status --address 127.0.0.1:1

expect 0 '^output: float32' signet explain half_plus_two predict 1
expect 0 '^plan:' signet explain half_plus_two predict 1 --plan
explain_recipes() { signet explain recipes best @examples/recipes/recipes.json @examples/recipes/sweet_tooth.json; }
expect 0 '^      for \[{$' explain_recipes
expect 0 '^        title: string\[\],$' explain_recipes
expect 1 '^rejected: ' signet explain half_plus_two predict
expect 0 '^half_plus_two/1: ok, 1 function, 1 example$' signet check examples/models/half_plus_two
expect 1 'no such directory' signet check nowhere
# A check that is repeated whenever a file changes.
cp -r examples/models/half_plus_two "$work/watched"
"$SIGNET_CLI" check --watch "$work/watched" >"$work/watch" &
watch=$!
await() { # await PATTERN: waits for a line of the watching command
  tries=0
  until grep -q "$1" "$work/watch"; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || { cat "$work/watch"; exit 1; }
    sleep 0.1
  done
}
await '^watched/1: ok, '
await '^waiting for a change'
echo 'def f(' >>"$work/watched/1/model.signet"
await '^watched/1: 1 error$'
kill $watch
wait $watch || true
expect 0 'predict' signet inspect examples/models/half_plus_two/1
expect 1 '' signet inspect examples
expect 1 '`examples/none/m/1`: no such file or directory' signet inspect examples/none/m/1
expect 0 '^  gather ' signet ops
expect 0 '^gather(x, indices; axis=None, batch_dims=0)$' signet ops gather
expect 0 '"label": "C2"' signet ops gather --json
expect 0 '"name": "zeros_like"' signet ops --json
expect 1 '`sub`' signet ops subtract
expect 1 'internal' signet ops linear
# An ONNX model, as it is and in the native form.
expect 0 '^weather *1 *AVAILABLE' signet list
expect 0 '^  temperature: float32' signet describe weather
expect 0 '^{"feels_like":\[35.8[0-9]*,5.7[0-9]*\],"is_hot":\[true,false\]}$' \
  signet call weather main '[31, 8]' '[0.6, 0.5]'
expect 0 '"is_hot":\[false\]' signet call weather main '[31]' 'relative_humidity=[0.6]' wind=5
# A row is a record of what must be given.
printf '{"temperature":31,"relative_humidity":0.6}\n{"temperature":8,"relative_humidity":0.5}\n' >"$work/w.ndjson"
expect 0 '^{"feels_like":5.7[0-9]*,"is_hot":false}$' signet call weather --in "$work/w.ndjson"
expect 0 '^{"feels_like":35.1[0-9]*,"is_hot":true}$' signet call weather main wind=1 --in "$work/w.ndjson" --rows 1
echo '[0.6, 0.5]' >"$work/w.json"
expect 0 '"is_hot":true' signet call weather main '[31, 8]' --in "$work/w.json"
echo '{"temperature":31,"humidity":0.6}' >"$work/w.ndjson"
expect 1 'w.ndjson`: row 1: .*`relative_humidity`' signet call weather --in "$work/w.ndjson"
expect 1 'w.ndjson`: row 1: .*key `humidity`; expected one of `relative_humidity`' \
  signet call weather --strict --in "$work/w.ndjson"
expect 0 'onnx.Mul' signet inspect examples/models/weather
expect 0 '^wrote ' signet import examples/models/weather/model.onnx "$work/native/weather/1"
expect 0 'onnx.Mul' signet inspect "$work/native/weather/1"
expect 1 'contains a model.signet; to replace it, use --force' signet import examples/models/weather/model.onnx "$work/native/weather/1"
expect 0 '^wrote ' signet import --force examples/models/weather/model.onnx "$work/native/weather/1"
expect 0 'onnx.Mul' signet inspect examples/models/weather/1
expect 1 'has a model.onnx' signet import examples/models/weather/model.onnx examples/models/weather
expect 0 '^wrote ' signet import examples/models/text/1/model.signet "$work/native/text/1"
printf 'PK' >"$work/dense.keras"
expect 1 'Keras saved; load it with Keras and call model.export' signet import "$work/dense.keras" "$work/native/dense/1"
mkdir -p "$work/frozen/1"
printf 'x' >"$work/frozen/1/frozen.pb"
expect 1 'found `frozen.pb`, which is not a SavedModel; .*name it frozen_graph.pb' signet inspect "$work/frozen/1"

expect 0 '"calls_per_second"' signet bench half_plus_two predict 1 --duration 0.3 --json
expect 0 '^p99 ' signet bench half_plus_two predict 1 --duration 0.3 --rate 200
expect 1 'MISSING_REQUIRED' signet bench half_plus_two predict --duration 0.3
expect 0 'complete ' signet completion bash
signet completion bash >"$work/completion"
bash -n "$work/completion"
for words in 'describe half:half_plus_two' 'load half:half_plus_two' 'call half_plus_two pre:predict' 'bench half_plus_two pre:predict' \
  'captures rep:replace' 'completion ba:bash'; do
  completed=$(PATH="$(dirname "$SIGNET_CLI"):$PATH" bash -c '. "$1"; COMP_WORDS=(signet ${2%:*}); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _signet; echo "${COMPREPLY[@]}"' - "$work/completion" "$words")
  [ "$completed" = "${words#*:}" ] || { echo "completion of ${words%:*}: expected ${words#*:}, found $completed"; exit 1; }
done

# Words after -- are arguments.
expect 0 '0.5' signet call half_plus_two predict -- -3

# A second server must not share the port.
expect 1 'cannot listen on' "$SIGNET_SERVER" --models examples/models --listen "$SIGNET_ADDRESS"

# SIGTERM: exits with 0, and says so.
kill -TERM $server
status=0
wait $server || status=$?
server=
[ $status = 0 ] || { cat "$log"; echo "exit code $status after SIGTERM"; exit 1; }
grep -q ' stopped ' "$log"
expect 3 'UNAVAILABLE' signet status
echo "cli: ok"
