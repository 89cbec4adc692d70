// channelOf: what gRPC needs to connect to one server, or to several servers in turn.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import * as grpc from '@grpc/grpc-js';

const SCHEME = /^(unix|unix-abstract|dns|ipv4|ipv6):/;
const MAX_ATTEMPTS = 5;  // gRPC permits no more
// Requests up to this size are repeated. Servers reject larger ones, unless --max_message_bytes is raised.
const MAX_REPEATED_BYTES = 2 ** 28;
// Methods that change nothing on the server, so that repeating a call does no harm.
const SAFE_METHODS = [
  ...['Call', 'Explain', 'GetModel', 'ListModels'].map((method) => ({ service: 'signet.v1.TensorService', method })),
  { service: 'grpc.health.v1.Health', method: 'Check' },
];

/** The servers of an address, which may be a list that is separated by commas. */
export function serversOf(address) {
  const servers = [address].flat().flatMap((each) => (SCHEME.test(each) ? [each] : each.split(',')));
  for (const server of servers) {
    if (SCHEME.test(server) ? servers.length > 1 : !/^[^/]+:\d+$/.test(server)) {
      throw new TypeError(`address: expected HOST:PORT, unix:PATH, or a list of HOST:PORT, found ${JSON.stringify(server)}`);
    }
  }
  if (servers.length === 0) throw new TypeError('address: expected at least one server');
  return servers;
}

function splitHostPort(server) {
  const colon = server.lastIndexOf(':');
  return { host: server.slice(0, colon).replace(/^\[(.*)\]$/, '$1'), port: server.slice(colon + 1) };
}

function isLocal(server) {
  if (SCHEME.test(server)) return server.startsWith('unix');
  const { host } = splitHostPort(server);
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Checks the options of a connection, and returns them with defaults. */
export function checkOptions(servers, options) {
  const known = ['timeout', 'maxAttempts', 'roundRobin', 'tls', 'ca', 'cert', 'key', 'serverName', 'token', 'plaintextToken'];
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`options: unknown option \`${name}\`; options: ${known.join(', ')}`);
  }
  const out = { timeout: 30_000, maxAttempts: 4, ...options };
  if (!(out.timeout > 0)) throw new RangeError(`timeout: expected milliseconds above 0, found ${out.timeout}`);
  if (!Number.isInteger(out.maxAttempts) || out.maxAttempts < 1 || out.maxAttempts > MAX_ATTEMPTS) {
    throw new RangeError(`maxAttempts: expected 1 to ${MAX_ATTEMPTS}, found ${out.maxAttempts}`);
  }
  if (!out.cert !== !out.key) throw new TypeError('cert and key: expected both or neither');
  out.tls ??= Boolean(out.ca || out.cert || out.serverName);
  if (out.token && !out.tls && !out.plaintextToken && !servers.every(isLocal)) {
    throw new TypeError('token: without TLS, everyone on the network could read the token; use tls or ca, or permit it with plaintextToken');
  }
  const hosts = new Set(servers.map((server) => splitHostPort(server).host));
  if (out.tls && hosts.size > 1 && !out.serverName) {
    throw new TypeError('serverName: expected the name in the certificates of the servers, because the address lists several hosts');
  }
  return out;
}

// gRPC resolves a list of servers only if all of them are numeric and of one family.
async function targetOf(servers) {
  if (servers.length === 1) return servers[0];
  for (const family of [4, 6]) {
    const addresses = await Promise.all(servers.map(async (server) => {
      const { host, port } = splitHostPort(server);
      const found = await lookup(host, { family }).catch(() => undefined);
      return found && (family === 4 ? `${found.address}:${port}` : `[${found.address}]:${port}`);
    }));
    if (addresses.every(Boolean)) return `ipv${family}:${addresses.join(',')}`;
  }
  throw Object.assign(new Error(), {
    code: grpc.status.UNAVAILABLE, details: 'expected hosts that all have IPv4 addresses, or that all have IPv6 addresses' });
}

/** Returns the target, the credentials, and the options of a gRPC channel. */
export async function channelOf(servers, { tls, ca, cert, key, serverName, maxAttempts, roundRobin }) {
  const buffer = (text) => (text === undefined ? null : Buffer.from(text));
  const credentials = tls ? grpc.credentials.createSsl(buffer(ca), buffer(key), buffer(cert)) : grpc.credentials.createInsecure();
  const isList = servers.length > 1;
  const config = {
    // gRPC's form of a list, such as ipv4:10.0.0.1:8500,10.0.0.2:8500, is a list, too.
    loadBalancingConfig: isList || roundRobin || /^ipv[46]:.*,/.test(servers[0]) ? [{ round_robin: {} }] : [{ pick_first: {} }],
    methodConfig: maxAttempts === 1 ? [] : [{
      name: SAFE_METHODS,
      retryPolicy: {
        maxAttempts, initialBackoff: '0.05s', maxBackoff: '1s', backoffMultiplier: 2,
        retryableStatusCodes: ['UNAVAILABLE', 'RESOURCE_EXHAUSTED'] },
    }],
    retryThrottling: { maxTokens: 1000, tokenRatio: 0.1 },
  };
  const options = {
    'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1,
    // Short pauses let the client find a restarted server soon.
    'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2000,
    // A server that vanishes, without closing its connections, is noticed when a ping is not answered in time. Node cannot limit
    // the time until sent bytes are acknowledged, so the pings are frequent. Servers accept them.
    'grpc.keepalive_time_ms': 2000, 'grpc.keepalive_timeout_ms': 2000, 'grpc.keepalive_permit_without_calls': 1,
    'grpc.retry_buffer_size': Number.MAX_SAFE_INTEGER, 'grpc.per_rpc_retry_buffer_size': MAX_REPEATED_BYTES,
    'grpc.service_config': JSON.stringify(config), 'grpc.use_local_subchannel_pool': 1,
  };
  if (isList) options['grpc.default_authority'] = servers[0];
  if (serverName) Object.assign(options, { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName });
  return { target: await targetOf(servers), credentials, options };
}
