#!/bin/sh
# package: Signet installs; only its public headers are installed; projects outside of its tree that use find_package build
# and run; and the client library contains nothing of the engine.
#
#   package.sh CMAKE BUILD_DIR CXX NM

set -eu
cmake=$1
build=$2
cxx=$3
nm=$4
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$dir"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

"$cmake" --install "$build" --prefix "$dir/prefix" >"$dir/install.log" || { tail "$dir/install.log"; exit 1; }

(cd "$root" && find include -name '*.h' | sort) >"$dir/expected_headers"
(cd "$dir/prefix" && find . -name '*.h' | sed 's/^\.\///' | sort) >"$dir/headers"
diff "$dir/expected_headers" "$dir/headers" || fail "expected the headers in include/signet to be installed, and no others"

# What programs see of the libraries: names of Signet only. Ops, graphs, and kernels are in the library of the engine only.
lib=$(dirname "$(find "$dir/prefix" -name libsignet_core.so)")
engine='signet::(OpRegistry|FlatGraph|Plan|Kernel|Specializer|PolymorphicFunction|LoadedModel)(::|$)'
for name in base core client; do
  "$nm" --dynamic --defined-only --demangle "$lib/libsignet_$name.so" >"$dir/$name.symbols"
  if "$nm" --dynamic --defined-only "$lib/libsignet_$name.so" | grep -E ' _ZNK?(5Eigen|4absl|8simdjson|3re2|4onnx)' >"$dir/foreign"; then
    fail "expected libsignet_$name.so to export names of Signet only, found: $(head -3 "$dir/foreign")"
  fi
done
grep -qE "$engine" "$dir/core.symbols" || fail "expected the engine in libsignet_core.so"
for name in base client; do
  ! grep -E "$engine" "$dir/$name.symbols" || fail "expected no part of the engine in libsignet_$name.so"
done
ldd "$lib/libsignet_client.so" >"$dir/needed"
! grep -E 'libsignet_core|libonnx|libjpeg' "$dir/needed" || fail "expected libsignet_client.so not to link the engine"

for project in tests/package tests/package/client examples/embed; do
  "$cmake" -S "$root/$project" -B "$dir/$project" -G Ninja -DCMAKE_PREFIX_PATH="$dir/prefix" -DCMAKE_CXX_COMPILER="$cxx" \
      -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >"$dir/configure.log" || { cat "$dir/configure.log"; exit 1; }
  "$cmake" --build "$dir/$project"
done

# expect EXPECTED COMMAND...: runs a command and compares what it prints.
expect() {
  expected=$1
  shift
  found=$("$@") || fail "$*: failed"
  [ "$found" = "$expected" ] || fail "$*: expected: $expected
found: $found"
}

type='{ids: int64[?], title: string[]}'
expect "$type" "$dir/tests/package/print_type" "$type"

expect 'float32[2] [10.0, 0.0]
largest: 10' "$dir/examples/embed/order_totals"

"$dir/examples/embed/best_recipes" "$root/examples/models/recipes" "$root/examples/recipes/recipes.json" \
    "$root/examples/recipes/sweet_tooth.json" >"$dir/best"
[ "$(grep -c '"score"' "$dir/best")" = 1 ] || fail "best_recipes: expected scored recipes, found: $(cat "$dir/best")"
grep -q '^rejected: recipes/1.best: .*user_embedding' "$dir/best" || fail "best_recipes: expected an error, found: $(cat "$dir/best")"

"$dir/prefix/bin/signet-server" --models "$root/examples/models" --listen 127.0.0.1:0 --port_file "$dir/port" \
    --log_level warning &
server=$!
waited=0
while [ ! -s "$dir/port" ]; do
  kill -0 "$server" || fail "the server stopped"
  [ "$waited" -lt 600 ] || fail "the server does not start"
  waited=$((waited + 1))
  sleep 0.1
done
"$dir/examples/embed/call_server" "127.0.0.1:$(cat "$dir/port")" >"$dir/calls"
tail -3 "$dir/calls" >"$dir/results"
expect 'float32[2] [2.5, 3.0]
[4.5]
rejected: MISSING_REQUIRED x' cat "$dir/results"
grep -qx recipes "$dir/calls" || fail "call_server: expected the model recipes, found: $(cat "$dir/calls")"

dead=127.0.0.1:9  # the port of the discard protocol, at which no server answers
expect 'Ann: 12
Bo: 0
Cy: 10
Cy: 20
Di: 30
Di: 40' "$dir/examples/embed/rate_accounts" "$dead,127.0.0.1:$(cat "$dir/port")"
