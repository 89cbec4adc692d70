#!/bin/sh
# nginx with deploy/nginx.conf in front of the server, on other addresses and without TLS: calls,
# streams, health and errors pass through it; other services and requests that are too large do not.
set -eu
. "$(dirname "$0")/lib/with_server.sh"
PATH=$PATH:/usr/sbin
command -v nginx >/dev/null || { echo "nginx is not installed; ./dev install test brings it"; exit 1; }
start_server --models examples/models
backend=$SIGNET_ADDRESS
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
sed -e "s/127.0.0.1:8500/$backend/" -e "s/listen 443 ssl http2/listen 127.0.0.1:$port http2/" \
    -e '/ssl_certificate/d' -e "s|/run/nginx.pid|$work/nginx.pid|" -e 's/client_max_body_size 256m/client_max_body_size 1m/' \
    -e "s|^http {|http { client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fcgi; uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;|" \
    deploy/nginx.conf >"$work/nginx.conf"
nginx -c "$work/nginx.conf" -g 'daemon off;' 2>"$work/nginx.log" &
nginx=$!
trap 'kill $nginx 2>/dev/null || true; wait $nginx 2>/dev/null || true; finish' EXIT
SIGNET_ADDRESS=127.0.0.1:$port
expect 0 SERVING "$SIGNET_CLI" status --wait 60
expect 0 '\[2.5,3.0,4.5\]' "$SIGNET_CLI" call half_plus_two predict '[1.0, 2.0, 5.0]'
expect 1 'not found\|no model' "$SIGNET_CLI" call nothing predict '[1.0]'
large=$(python3 -c 'print("[" + "1.0, " * 400000 + "1.0]")')
printf '%s' "$large" >"$work/large.json"
expect 1 . "$SIGNET_CLI" call half_plus_two predict "@$work/large.json"
python3=/usr/bin/python3
$python3 - "$SIGNET_ADDRESS" "$backend" <<'END'
import sys
import grpc
proxied, direct = (grpc.insecure_channel(address) for address in sys.argv[1:])
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
def services(channel):
    return b"".join(channel.stream_stream(REFLECTION)(iter([b"\x3a\x00"]), timeout=60))
assert b"grpc.health.v1.Health" in services(direct)
try:
    services(proxied)
    sys.exit("FAILED: reflection passes the proxy")
except grpc.RpcError as error:
    assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error
END
echo "ok: nginx passes calls on, and nothing else"
