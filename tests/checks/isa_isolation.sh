#!/bin/sh
# isa_isolation: checks that no symbol of one instruction-set level can replace a symbol of another level.
#
#   isa_isolation.sh NM OBJECT...   the isolated object of each level
#   isa_isolation.sh --self-test NM CXX   two objects that share a weak symbol must be rejected
#
# In an isolated object every weak symbol is local, no two levels define the same name, and nothing runs
# before main: a static initializer of a level would run on every CPU.

set -eu

check() {
  nm=$1
  shift
  faults=$("$nm" --defined-only --extern-only --print-file-name --demangle "$@" | awk '
    { file = $1; sub(/:[^:]*$/, "", file); kind = $2; name = $0; sub(/^[^ ]+ +[^ ]+ +/, "", name) }
    kind ~ /[VWu]/ { print file ": weak symbol `" name "`; another level may replace it" }
    name in seen && seen[name] != file { print file ": `" name "` is also in " seen[name] }
    { seen[name] = file }
  ')
  for object in "$@"; do
    if readelf --section-headers --wide "$object" | grep -q '\.init_array\|\.ctors'; then
      faults="$faults
$object: has a static initializer, which would run on every CPU; make it a constant or a function"
    fi
  done
  [ -n "$faults" ] || return 0
  echo "$faults"
  return 1
}

if [ "$1" = --self-test ]; then
  nm=$2
  cxx=$3
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT
  for level in v3 v4; do
    cat >"$dir/$level.cc" <<END
template <typename T> __attribute__((noinline)) T Twice(T x) { return x + x; }
namespace $level { double Entry(double x) { return Twice(x); } }
END
    "$cxx" -c -march=x86-64-$level "$dir/$level.cc" -o "$dir/$level.o"
  done
  if check "$nm" "$dir/v3.o" "$dir/v4.o" >"$dir/out"; then
    echo "two levels sharing a weak symbol were accepted"
    exit 1
  fi
  grep -q 'weak symbol `double Twice' "$dir/out"
  grep -q 'is also in' "$dir/out"
  exit 0
fi
check "$@"
