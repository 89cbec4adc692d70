#!/bin/sh
# Models in the model language: converted from the examples, checked, formatted, served, and called.
set -eu
. "$(dirname "$0")/lib/with_server.sh"
signet() { "$SIGNET_CLI" "$@"; }

# Each example model, written in the language, passes its own examples and is formatted.
for model in alignment cookbook csr digraph distribution half_plus_two labeled masked recipes savings text; do
  signet convert "examples/models/$model/1" "$work/message/$model/1" --form pb >"$work/output"
  signet convert "$work/message/$model/1" "$work/models/$model/1" >"$work/output"
  test -f "$work/models/$model/1/model.signet"
done
# Arguments of examples in files are next to the models.
cp examples/recipes/*.json "$work/" 2>/dev/null || true
expect 0 'half_plus_two/1: ok, 1 function, 1 example' signet check "$work/models/half_plus_two"
expect 0 'savings/1: ok' signet check "$work/models/savings"
expect 0 'digraph/1: ok' signet check "$work/models/digraph"
expect 0 '' signet fmt --check "$work/models/savings/1/model.signet" "$work/models/masked/1/model.signet"

# An ONNX model, and back to the binary form.
expect 0 'wrote .*model.signet' signet convert examples/models/weather/model.onnx "$work/models/weather/1"
expect 1 'contains a model.signet; to replace it, use --force' \
  signet convert examples/models/half_plus_two/1 "$work/models/half_plus_two/1"
expect 0 'wrote .*model.pb' signet convert "$work/models/savings/1" "$work/binary/savings/1/model.pb"
expect 0 'savings/1: ok' signet check "$work/binary/savings"

# A model that a person wrote.
mkdir -p "$work/models/orders/1"
cat >"$work/models/orders/1/model.signet" <<'END'
"""Prices of orders"""
@example("'[{\"items\": [{\"price\": 2, \"qty\": 3}, {\"price\": 1, \"qty\": 1}]}]'")
def price( orders: [{items: [{price: float32[], qty: int32[]}]}], /, *, tax: float32[]=0.5 ) -> [{total: float32[]}]:
  """Returns the total of each order, with tax."""
  amounts = orders.items.price*cast(orders.items.qty,dtype='float32') # before tax
  return struct_make(total = segment_sum(amounts)*(1+tax))
END
expect 0 'orders/1: ok, 1 function, 1 example' signet check "$work/models/orders"
expect 1 'is not formatted' signet fmt --check "$work/models/orders/1/model.signet"
expect 0 'formatted ' signet fmt "$work/models/orders/1/model.signet"
expect 0 '' signet fmt --check "$work/models/orders/1/model.signet"
grep -q 'amounts = orders.items.price \* cast(orders.items.qty, dtype="float32")  # before tax$' \
  "$work/models/orders/1/model.signet"
grep -q '^    return struct_make(total=segment_sum(amounts) \* (1 + tax))$' "$work/models/orders/1/model.signet"

# Errors show the position, in the text and in what the types of a body are.
mkdir -p "$work/broken/a/1" "$work/broken/b/1"
printf 'def f(orders):\n    return oders.items\n' >"$work/broken/a/1/model.signet"
expect 1 'error: model.signet:2:12: name `oders` not found; did you mean `orders`?' signet check "$work/broken/a"
printf 'def f(x: float32[2], y: float32[3]) -> float32[2]:\n    z = x + y\n    return z\n' >"$work/broken/b/1/model.signet"
expect 1 'error: model.signet:2:11: function `f`: node `z`' signet check "$work/broken/b"

mkdir -p "$work/broken/c/1"
printf 'def g(x):\n    return x\n\n@example("1")\n@example("[1, 2]")\ndef f(x: float32[]):\n    return x\n' >"$work/broken/c/1/model.signet"
expect 1 'error: model.signet:5:10: function `f`: example `\[1, 2\]`: ' signet check "$work/broken/c"

start_server --models "$work/models"
expect 0 '^\[2.5,3.0,4.5\]$' signet call half_plus_two predict '[1.0, 2.0, 5.0]'
expect 0 '^\[{"total":10.5}\]$' signet call orders price '[{"items": [{"price": 2, "qty": 3}, {"price": 1, "qty": 1}]}]'
