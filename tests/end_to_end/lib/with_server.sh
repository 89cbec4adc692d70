# shellcheck shell=sh
# Sourced by the scripts here: `start_server ARGS...` starts the server on a port of its own, and it
# is stopped when the script ends. Sets SIGNET_ADDRESS and `log`.

: "${SIGNET_SERVER:?the path of signet-server}" "${SIGNET_CLI:?the path of signet}"
cd "${SIGNET_SOURCE_DIR:-$(dirname "$0")/../..}" || exit
work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$server" ] || wait "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

start_server() {
  log=$work/server.log
  rm -f "$work/port"
  "$SIGNET_SERVER" --listen 127.0.0.1:0 --port_file "$work/port" "$@" 2>"$log" &
  server=$!
  tries=0
  until [ -s "$work/port" ]; do
    kill -0 $server 2>/dev/null || { cat "$log"; echo "the server stopped"; exit 1; }
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { cat "$log"; echo "no port after 60 s"; exit 1; }
    sleep 0.1
  done
  SIGNET_ADDRESS=127.0.0.1:$(cat "$work/port")
  export SIGNET_ADDRESS
}

# expect CODE PATTERN COMMAND...: the command ends with CODE and prints a line that matches PATTERN.
expect() {
  code=$1 pattern=$2
  shift 2
  status=0
  output=$("$@" 2>&1 </dev/null) || status=$?
  if [ $status != "$code" ] || ! printf '%s\n' "$output" | grep -q -- "$pattern"; then
    echo "FAILED: $*"
    echo "  expected exit code $code and a line like: $pattern"
    echo "  exit code $status, output:"
    printf '%s\n' "$output" | sed 's/^/    /'
    exit 1
  fi
}
