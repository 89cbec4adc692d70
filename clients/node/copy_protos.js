// copy_protos: copies the .proto files that the client reads into the package. `npm pack` runs it.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const FILES = [
  'google/rpc/error_details.proto', 'google/rpc/status.proto', 'grpc/health/v1/health.proto',
  ...['functions', 'service', 'settings', 'types', 'values'].map((name) => `signet/v1/${name}.proto`),
];
rmSync(`${here}/proto`, { recursive: true, force: true });
for (const file of FILES) {
  mkdirSync(dirname(`${here}/proto/${file}`), { recursive: true });
  cpSync(`${here}/../../proto/${file}`, `${here}/proto/${file}`);
}
