// Protocol: the messages and services of Signet, read from its .proto files, and the errors of gRPC.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import * as loader from '@grpc/proto-loader';
import { makeError } from './errors.js';

// In the package, or in the repository.
const FOLDERS = ['../proto', '../../../proto'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
const definitions = loader.loadSync(
  ['signet/v1/service.proto', 'google/rpc/status.proto', 'google/rpc/error_details.proto', 'grpc/health/v1/health.proto'],
  { includeDirs: [FOLDERS.find((folder) => existsSync(`${folder}/signet/v1/service.proto`))],
    keepCase: true, longs: String, enums: String, oneofs: true });

export const { TensorService } = grpc.loadPackageDefinition(definitions).signet.v1;
export const { Health } = grpc.loadPackageDefinition(definitions).grpc.health.v1;

// Reads the google.rpc details of an error: reason, constraint, and the path of the argument.
function detailsOf(error) {
  const out = {};
  const [packed] = error.metadata?.get('grpc-status-details-bin') ?? [];
  if (!packed) return undefined;
  try {
    for (const { type_url: url, value } of definitions['google.rpc.Status'].deserialize(packed).details ?? []) {
      const detail = definitions[url.split('/').pop()]?.deserialize(value);
      if (url.endsWith('.ErrorInfo')) Object.assign(out, { reason: detail.reason, constraint: detail.metadata?.constraint });
      if (url.endsWith('.BadRequest')) out.field = detail.field_violations?.[0]?.field;
    }
  } catch {
    return undefined;  // not the details of Signet
  }
  return out;
}

/** The error of an RPC that gRPC reports. `signal` is that of the call. */
export function errorOf(error, address, timeout, signal) {
  const details = detailsOf(error);
  if (signal?.aborted) return makeError('CANCELLED', 'the call was canceled', { cause: signal.reason });
  if (!details && error.code === grpc.status.UNAVAILABLE) {
    return makeError('UNAVAILABLE', `no server answers at ${address}: ${error.details}`, { reason: 'NOT_CONNECTED', cause: error });
  }
  if (!details && error.code === grpc.status.DEADLINE_EXCEEDED) {
    return makeError('DEADLINE_EXCEEDED', `no response within ${timeout} ms`, { cause: error });
  }
  return makeError(error.code ?? 'UNKNOWN', error.details ?? error.message, { ...details, cause: error });
}
