#!/bin/sh
# package: Signet installs, and a project that knows nothing but find_package(signet) builds against it and runs.
#
#   package.sh CMAKE BUILD_DIR CXX

set -eu
cmake=$1
build=$2
cxx=$3
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$cmake" --install "$build" --prefix "$dir/prefix" >"$dir/install.log" || { tail "$dir/install.log"; exit 1; }
"$cmake" -S "$here/../package" -B "$dir/build" -G Ninja -DCMAKE_PREFIX_PATH="$dir/prefix" -DCMAKE_CXX_COMPILER="$cxx"
"$cmake" --build "$dir/build"

wanted='{ids: int64[?], title: string[]}'
found=$("$dir/build/print_type" "$wanted")
if [ "$found" != "$wanted" ]; then
  echo "print_type printed $found; expected $wanted"
  exit 1
fi
