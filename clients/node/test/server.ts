// Starts signet-server for tests: SIGNET_SERVER is the program, and SIGNET_SOURCE_DIR the repository.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const folder = mkdtempSync(join(tmpdir(), 'signet-node-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

export const pause = (milliseconds: number) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

const MODELS: Record<string, string> = {
  echo: 'def echo(x):\n    return x\n',
  // Some seconds with a matrix of 1500 rows.
  slow: `def slow(x0: float32[?, ?]):\n${
    Array.from({ length: 40 }, (_, i) => `    x${i + 1} = matmul(x${i}, x0)\n`).join('')}    return x40\n`,
  pair: 'def pair(name: string[], /, *, count: int64[] = 1) -> dict(name: string[], count: int64[]):\n' +
    '    """Returns its arguments."""\n    return {"name": name, "count": count}\n',
};
for (const [name, text] of Object.entries(MODELS)) {
  mkdirSync(join(folder, 'models', name, '1'), { recursive: true });
  writeFileSync(join(folder, 'models', name, '1', 'model.signet'), text);
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => { probe.listen(0, '127.0.0.1', resolve); });
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => { probe.close(resolve); });
  return port;
}

export class Server {
  constructor(readonly process: ChildProcess, readonly port: number) {}
  get address() {
    return `127.0.0.1:${this.port}`;
  }
  async stop(signal: NodeJS.Signals = 'SIGKILL') {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = new Promise((resolve) => { this.process.once('exit', resolve); });
    this.process.kill(signal);
    await exited;
  }
}

/** Starts a server of the example models and of MODELS on a free port, or on `port`. */
export async function startServer(flags: string[] = [], port = 0): Promise<Server> {
  const portFile = join(folder, `port-${Math.random()}`);
  const program = spawn(process.env.SIGNET_SERVER!, [
    '--models', `${process.env.SIGNET_SOURCE_DIR}/examples/models`, '--models', join(folder, 'models'),
    '--listen', `127.0.0.1:${port}`, '--port_file', portFile, '--log_level', 'warning', ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.on('exit', () => program.kill('SIGKILL'));
  for (let i = 0; i < 600; ++i) {
    if (existsSync(portFile)) return new Server(program, Number(readFileSync(portFile)));
    if (program.exitCode !== null) break;
    await pause(100);
  }
  throw new Error('the server does not start');
}

/** Makes a certificate of an authority for localhost, and returns the paths of the three files. */
export function makeCertificate() {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-days', '2', '-subj', '/CN=test');
  openssl('req', ...key, '-keyout', at('tls.key'), '-out', at('tls.csr'), '-subj', '/CN=localhost');
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost\n');
  openssl('x509', '-req', '-in', at('tls.csr'), '-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-out', at('tls.pem'),
    '-extfile', at('names'), '-days', '2');
  return { ca: at('ca.pem'), certificate: at('tls.pem'), key: at('tls.key') };
}
