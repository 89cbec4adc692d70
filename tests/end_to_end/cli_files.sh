#!/bin/sh
# `signet call --in FILE --out FILE`: rows of files of each kind, through a function, into files of each kind.
set -eu
. "$(dirname "$0")/lib/with_server.sh"
signet() { "$SIGNET_CLI" "$@"; }

mkdir -p "$work/models/shop/1"
cat >"$work/shop.proto" <<'END'
syntax = "proto3";
package shop;
message Order { int64 id = 1; repeated float prices = 2; }
END
protoc -I "$work" --include_imports --descriptor_set_out="$work/models/shop/1/descriptors.pb" "$work/shop.proto"
cat >"$work/models/shop/1/model.signet" <<'END'
def orders(orders: [{id: int64[], prices: float32[(?)]}]):
    return orders


def ids(factor: int64[], orders: [{id: int64[]}], /):
    return orders.id * factor


def keys(orders: [{id: int64[]}]):
    return orders


def columns(orders: [{id: int64[]}]):
    return {"id": orders.id, "twice": orders.id + orders.id}


def first(orders: [{id: int64[]}]):
    return orders[0]
END
start_server --models "$work/models"

same() { cmp "$1" "$2" || { echo "$1 and $2 differ"; exit 1; }; }
seq 1 5000 | sed 's/.*/{"id":&,"prices":[&.0,0.5]}/' >"$work/orders.ndjson"

# Lines to lines, in order, for any size of a call.
signet call shop orders --in "$work/orders.ndjson" --out "$work/out.ndjson"
same "$work/out.ndjson" "$work/orders.ndjson"
signet call shop orders --in "orders=$work/orders.ndjson" --rows 7 >"$work/out.ndjson"
same "$work/out.ndjson" "$work/orders.ndjson"
signet call shop orders --in - <"$work/orders.ndjson" >"$work/out.ndjson"
same "$work/out.ndjson" "$work/orders.ndjson"

# By way of Arrow, in batches of several sizes; and back.
signet call shop orders --in "$work/orders.ndjson" --rows 100 --out "$work/orders.arrow"
signet call shop orders --in "$work/orders.arrow" --rows 250 --out "$work/out.ndjson"
same "$work/out.ndjson" "$work/orders.ndjson"

# As one JSON text.
signet call shop orders --in "$work/orders.arrow" --out "$work/orders.json"
signet call shop orders --in "$work/orders.json" --out "$work/out.json"
tr -d '\n' <"$work/orders.json" >"$work/a"
tr -d '\n' <"$work/out.json" >"$work/b"
same "$work/a" "$work/b"
signet call shop orders 'orders=[{"id":1,"prices":[2]}]' --out "$work/one.arrow"
expect 0 '^{"id":1,"prices":\[2.0\]}$' signet call shop orders --in "$work/one.arrow"

# Messages, each behind its length: {id: 1, prices: [2]}, {}.
printf '\010\010\001\022\004\000\000\000\100\000' >"$work/orders.pb"
expect 0 '^{"id":1,"prices":\[2.0\]}$' signet call shop orders --in "$work/orders.pb" --message_type shop.Order
expect 0 '^{"id":0,"prices":\[\]}$' signet call shop orders --in "$work/orders.pb" --message_type shop.Order

signet call shop orders --in "$work/orders.ndjson" --rows 700 --out "$work/all.pb" --message_type shop.Order
signet call shop orders --in "$work/all.pb" --message_type shop.Order --out "$work/out.ndjson"
same "$work/out.ndjson" "$work/orders.ndjson"

# Beside other arguments; no rows; one call.
sed -n '1,3s/,"prices.*/}/p' "$work/orders.ndjson" >"$work/ids.ndjson"
expect 0 '^30$' signet call shop ids 10 --in "$work/ids.ndjson"
: >"$work/none.ndjson"
signet call shop orders --in "$work/none.ndjson" --out "$work/none.json"
[ "$(cat "$work/none.json")" = '[]' ]

# A dict of columns has rows too: records, in each kind of file.
expect 0 '^{"id":2,"twice":4}$' signet call shop columns --in "$work/ids.ndjson"
signet call shop columns --in "$work/ids.ndjson" --rows 2 --out "$work/columns.json"
[ "$(tr -d '\n' <"$work/columns.json")" = '[{"id":1,"twice":2},{"id":2,"twice":4},{"id":3,"twice":6}]' ]
signet call shop columns --in "$work/ids.ndjson" --rows 2 --out "$work/columns.arrow"
expect 0 '^{"id":3}$' signet call shop keys --in "$work/columns.arrow"

# Rejections: of the server for one chunk, of what cannot be read or written.
printf '{"id":1,"prices":[]}\n{"id":"x","prices":[]}\n' >"$work/wrong.ndjson"
expect 1 'wrong.ndjson`: row 2: shop/1.orders: argument `orders`: `id`: expected an integer for `int64`, found text "x"' signet call shop orders --in "$work/wrong.ndjson"
expect 1 'wrong.ndjson`: row 2: shop/1.orders: ' signet call shop orders --in "$work/wrong.ndjson" --rows 1
sed '4500s/:4500/:"x"/' "$work/orders.ndjson" >"$work/late.ndjson"
expect 1 'late.ndjson`: row 4500: shop/1.orders: argument `orders`: `id`: expected an integer for `int64`, found text "x"' \
  signet call shop orders --in "$work/late.ndjson" --rows 1000
sed '4500s/,.*//' "$work/orders.ndjson" >"$work/late.ndjson"
expect 1 'late.ndjson`: row 450[01]: ' signet call shop orders --in "$work/late.ndjson" --rows 1000
expect 1 'has no rows to write, one per line' signet call shop first --in "$work/ids.ndjson"
expect 1 'parameter `orderz` not found; parameters: `orders`' signet call shop orders --in "orderz=$work/orders.ndjson"
expect 2 'cannot read the file' signet call shop orders --in nothing.ndjson
for ending in ndjson json arrow; do
  mkdir "$work/folder.$ending"
  expect 2 'it is a directory' signet call shop orders --in "orders=$work/folder.$ending"
done
expect 2 'expected a file name that ends in' signet call shop orders --in "$work/shop.proto"
expect 2 'expected a file name that ends in' signet call shop orders --in "$work/orders.ndjson" --out "$work/x.txt"
expect 2 'expected the type of the messages' signet call shop orders --in "$work/orders.pb"
expect 3 'start a server with `signet-server --models DIR`' signet --address 127.0.0.1:1 call shop orders --in "$work/orders.ndjson"

# A file is replaced by all results or by none; results before an error are in the partial file, if there are any.
mkdir "$work/out"
for name in new.ndjson new.arrow new.json old.ndjson; do
  [ $name = new.ndjson ] || echo before >"$work/out/old.ndjson"
  expect 1 'text "x"' signet call shop orders --in "$work/wrong.ndjson" --out "$work/out/$name"
  expect 1 'text "x"' signet call shop orders '[{"id":"x","prices":[]}]' --out "$work/out/$name"
done
[ "$(ls "$work/out")" = old.ndjson ] && [ "$(cat "$work/out/old.ndjson")" = before ]
expect 1 'row 2: ' signet call shop orders --in "$work/wrong.ndjson" --rows 1 --out "$work/out/old.ndjson"
[ "$(cat "$work/out/old.ndjson")" = before ]
[ "$(cat "$work/out/old.ndjson.part")" = '{"id":1,"prices":[]}' ]
ln -s old.ndjson "$work/out/link.ndjson"
chmod 600 "$work/out/old.ndjson"
signet call shop orders --in "$work/orders.ndjson" --out "$work/out/link.ndjson"
same "$work/out/old.ndjson" "$work/orders.ndjson"
[ -L "$work/out/link.ndjson" ] && [ "$(stat -c %a "$work/out/old.ndjson")" = 600 ] && [ ! -e "$work/out/old.ndjson.part" ]
mkfifo "$work/out/pipe.ndjson"
cat "$work/out/pipe.ndjson" >"$work/out.ndjson" &
signet call shop orders --in "$work/orders.ndjson" --out "$work/out/pipe.ndjson"
wait $!
same "$work/out.ndjson" "$work/orders.ndjson"
expect 1 'cannot write the file: ' signet call shop orders --in "$work/orders.ndjson" --out "$work/nowhere/x.ndjson"

# A disk without space leaves no part behind, and the file as it was. 
mkdir "$work/small"
if mount -t tmpfs -o size=64k none "$work/small" 2>/dev/null; then
  echo before >"$work/small/x.ndjson"
  expect 1 'cannot write the results: No space left on device' \
    signet call shop orders --in "$work/orders.ndjson" --out "$work/small/x.ndjson"
  [ "$(ls "$work/small")" = x.ndjson ] && [ "$(cat "$work/small/x.ndjson")" = before ]
  umount "$work/small"
fi

# The file that is read is never the one that is written.
cp "$work/orders.ndjson" "$work/same.ndjson"
expect 2 'expected different files' signet call shop orders --in "$work/same.ndjson" --out "$work/same.ndjson"
ln -s same.ndjson "$work/alias.ndjson"
expect 2 'expected different files' signet call shop orders --in "orders=$work/same.ndjson" --out "$work/alias.ndjson"
same "$work/same.ndjson" "$work/orders.ndjson"

# CSV: a header, then a row per record.
printf 'id,prices\r\n1,"[2,\n0.5]"\r\n2,[]\r\n' >"$work/orders.csv"
signet call shop orders --in "$work/orders.csv" --out "$work/out.ndjson"
[ "$(cat "$work/out.ndjson")" = '{"id":1,"prices":[2.0,0.5]}
{"id":2,"prices":[]}' ]
signet call shop orders --in "$work/orders.ndjson" --rows 700 --out "$work/out.csv"
[ "$(sed -n 1,2p "$work/out.csv")" = 'id,prices
1,"[1.0,0.5]"' ]
signet call shop orders --in "$work/out.csv" --out "$work/out.ndjson"
same "$work/out.ndjson" "$work/orders.ndjson"
printf 'id,prices\n1,[]\n2\n' >"$work/short.csv"
expect 1 'short.csv`: row 2: expected 2 cells, one per column, found 1' signet call shop orders --in "$work/short.csv"

# A table of the results of many calls.
sed 's/,"prices.*/}/' "$work/orders.ndjson" >"$work/ids.ndjson"
signet call shop columns --in "$work/ids.ndjson" --rows 400 --table >"$work/table"
[ "$(sed -n '1,2p;$p' "$work/table")" = 'id    twice
1     2
5000  10000' ]
expect 2 'mutually exclusive' signet call shop columns --in "$work/ids.ndjson" --table --out "$work/x.ndjson"

# A server that goes away and comes back: the rows without an answer are sent once more.
: >"$work/out.ndjson" # The lines of earlier calls must not be counted below.
(
  sed -n '1,2000p' "$work/orders.ndjson"
  while [ ! -e "$work/restarted" ]; do sleep 0.05; done
  sed -n '2001,5000p' "$work/orders.ndjson"
) | signet call shop orders --in - --rows 100 >"$work/out.ndjson" 2>"$work/errors" &
feed=$!
until [ "$(wc -l <"$work/out.ndjson")" -ge 1500 ]; do
  kill -0 $feed || { cat "$work/errors"; exit 1; }
  sleep 0.05
done
kill -9 $server
wait $server 2>/dev/null || true
"$SIGNET_SERVER" --listen "$SIGNET_ADDRESS" --models "$work/models" 2>"$log" &
server=$!
signet status --wait 30 >"$work/status"
touch "$work/restarted"
wait $feed || { cat "$work/errors"; exit 1; }
same "$work/out.ndjson" "$work/orders.ndjson"
grep -q 'signet: the connection was lost; continuing with row [0-9]*1: ' "$work/errors"

# How far it is: on a terminal, and nowhere else.
signet call shop orders --in "$work/orders.ndjson" --out "$work/out.ndjson" 2>"$work/errors"
[ ! -s "$work/errors" ]
python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) != 0)' "$SIGNET_CLI" call shop orders \
  --in "$work/orders.ndjson" --rows 100 --out "$work/out.ndjson" >"$work/terminal"
grep -q 'orders.ndjson  [0-9]*%  \[=*>\? *\]  [0-9]* rows  [0-9.]* MB/s' "$work/terminal"
# Ctrl-C says where the results so far are.
mkfifo "$work/slow.ndjson"
sleep 60 >"$work/slow.ndjson" &
writer=$!
timeout --signal=INT 1 "$SIGNET_CLI" call shop orders --in "$work/slow.ndjson" --out "$work/cut.ndjson" 2>"$work/errors" || true
kill $writer
grep -q 'signet: interrupted; `.*cut.ndjson.part` has the results so far' "$work/errors"
# The types of files.
[ "$(signet infer-type "$work/orders.ndjson")" = "[{id: int32[], prices: float32[(?)]}]" ]
[ "$(echo '{"a": [1, 2.5]}' | signet infer-type -)" = "{a: float32[2]}" ]
if echo '[1, "x"]' | signet infer-type - 2>"$work/errors"; then exit 1; fi
grep -q '^signet: -: .*expected integers' "$work/errors"
echo "cli files: ok"
