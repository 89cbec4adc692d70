// The package against a server. The compiler checks the types of each call before the tests run.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as grpc from '@grpc/grpc-js';
import * as loader from '@grpc/proto-loader';
import {
  CancelledError, Client, Columns, connect, DeadlineExceededError, InvalidArgumentError, NotFoundError, Ragged, SignetError, Tensor,
  tensor, UnauthenticatedError, UnavailableError, type Argument, type Value,
} from 'signet-client';
import { folder, freePort, makeCertificate, pause, Server, startServer } from './server.js';

interface Account { name: string; balances: number[] }
interface Fee { name: string; fee: number }
const accounts: Account[] = [{ name: 'Ann', balances: [800, 400] }, { name: 'Bo', balances: [] }];

let server: Server;
let client: Client;
before(async () => {
  server = await startServer();
  client = connect(server.address);
  await client.waitUntilServing(30_000);
});
after(async () => {
  await client.close();
  await server.stop();
});

test('records go in and come out', async () => {
  const fees: Fee[] = await client.call<Fee[]>('savings', 'fees', [accounts]);
  assert.deepEqual(fees, [{ name: 'Ann', fee: 12 }, { name: 'Bo', fee: 0 }]);
  const feesOf = client.function<[Account[]], Fee[]>('savings/1', 'fees');
  assert.equal((await feesOf(accounts))[0]!.fee, 12);
  // @ts-expect-error: the parameter has another type
  await assert.rejects(feesOf([{ name: 1 }]), InvalidArgumentError);
  assert.deepEqual(await client.call('half_plus_two', '', [[1, 2]]), [2.5, 3]);
  assert.deepEqual(await client.call('half_plus_two', 'predict', [], { kwargs: { x: [5] } }), [4.5]);
  assert.deepEqual(await client.call('pair', '', ['é'], { kwargs: { count: 2n ** 53n } }), { name: 'é', count: 2 ** 53 });
});

test('numbers that JSON lacks arrive', async () => {
  const exact = await client.call('pair', '', ['a'], { kwargs: { count: 2n ** 62n + 1n }, result: 'values' });
  const { name, count } = exact as Record<string, Tensor>;
  assert.deepEqual((count as Tensor<'int64'>).data, BigInt64Array.of(2n ** 62n + 1n));
  assert.equal(name!.toArray(), 'a');
  assert.deepEqual(await client.call('half_plus_two', 'predict', [[NaN, Infinity, -Infinity]]), ['NaN', 'Infinity', '-Infinity']);
});

test('tensors are typed arrays', async () => {
  const sums = await client.call('half_plus_two', 'predict', [Float32Array.of(1, 2, 5)], { result: 'values' });
  assert.ok(sums instanceof Tensor);
  assert.equal(sums.dtype, 'float32');
  assert.deepEqual(sums.shape, [3]);
  assert.deepEqual(sums.data, Float32Array.of(2.5, 3, 4.5));

  const echo = (value: Argument): Promise<Value> => client.call('echo', 'echo', [value], { result: 'values' });
  for (const value of [
    tensor([[1, 2], [3, 4]]), tensor([[1, 2], [3, 4]], 'int8'), tensor([1n, -(2n ** 63n)]), tensor([true, false]),
    tensor(['a', '', 'é']), tensor(2.5, 'float64'), tensor(BigUint64Array.of(2n ** 64n - 1n)), tensor([], 'float32'),
    new Tensor('complex64', [1], Float32Array.of(1, 2)), new Tensor('float16', [2], Uint16Array.of(0x3c00, 0xc000)),
    new Tensor('bfloat16', [0, 3], new Uint16Array()), tensor(new Float64Array(6), undefined, [2, 3]),
  ]) {
    assert.deepEqual(await echo(value), value);
  }
  const text = await echo(tensor([['a', 'b']])) as Tensor<'string'>;
  assert.deepEqual(text.toArray(), [['a', 'b']]);
  assert.deepEqual(tensor([true, false]).toArray(), [true, false]);
  assert.equal(tensor(2).toArray(), 2);

  const rows = new Ragged(tensor([1, 2, 3]), [[0, 2, 2, 3]]);
  assert.deepEqual(rows.toArray(), [[1, 2], [], [3]]);
  assert.deepEqual(await echo(rows), rows);
  const deep = new Ragged(tensor([[1, 2], [3, 4]]), [[0, 1, 1], [0, 2]]);
  assert.deepEqual(deep.toArray(), [[[[1, 2], [3, 4]]], []]);
  assert.deepEqual(await echo(deep), deep);
  const columns = new Columns({ title: tensor(['x', 'y']), ids: new Ragged(tensor([1n, 2n]), [[0, 2, 2]]) }, [2]);
  const returned = await echo(columns) as Columns;
  assert.deepEqual(returned.fields, columns.fields);
  assert.deepEqual(returned.shape, [2]);
});

test('large tensors arrive', async () => {
  const large = new Float32Array(5_000_000).fill(0.5);  // 20 MB
  const sums = await client.call('half_plus_two', 'predict', [large], { result: 'values' }) as Tensor<'float32'>;
  assert.equal(sums.data.length, large.length);
  assert.equal(sums.data.at(-1), 2.25);
});

test('errors are classes with a code, a reason, and a field', async () => {
  await assert.rejects(client.call('half_plus_two', 'predict'), (error) => {
    assert.ok(error instanceof InvalidArgumentError && error instanceof SignetError && error instanceof Error);
    assert.equal(error.name, 'InvalidArgumentError');
    assert.equal(error.code, 'INVALID_ARGUMENT');
    assert.equal(error.reason, 'MISSING_REQUIRED');
    assert.equal(error.field, 'x');
    assert.match(error.message, /^half_plus_two\/1\.predict: /);
    return true;
  });
  await assert.rejects(client.call('savings', 'fees', [[{ name: 'Ann', balances: 800 }]]), { field: 'accounts[0].balances' });
  const extra = [[{ name: 'Ann', balances: [], age: 3 }]];
  assert.equal((await client.call('savings', 'fees', extra)).length, 1);
  await assert.rejects(client.call('savings', 'fees', extra, { rejectUnknownFields: true }), InvalidArgumentError);
  await assert.rejects(client.call('nothing', 'f'), NotFoundError);
  await assert.rejects(client.describe('nothing'), { code: 'NOT_FOUND' });
  const port = await freePort();
  const lost = connect(`127.0.0.1:${port}`, { maxAttempts: 2 });
  await assert.rejects(lost.models(), (error) => {
    assert.ok(error instanceof UnavailableError);
    assert.equal(error.reason, 'NOT_CONNECTED');
    assert.match(error.message, new RegExp(`^no server answers at 127\\.0\\.0\\.1:${port}: `));
    return true;
  });
  await assert.rejects(lost.waitUntilServing(300), UnavailableError);
  await lost.close();
});

test('arguments of the package are checked', async () => {
  assert.throws(() => connect('http://localhost:8500'), /address: expected HOST:PORT/);
  assert.throws(() => connect('localhost'), /address: expected HOST:PORT/);
  assert.throws(() => connect(['a:1', 'b:1'], { tls: true }), /serverName: expected the name/);
  assert.throws(() => connect('example.com:1', { token: 't' }), /without TLS/);
  assert.throws(() => connect('a:1', { cert: 'x' }), /cert and key/);
  assert.throws(() => connect('a:1', { maxAttempts: 9 }), /maxAttempts: expected 1 to 5/);
  // @ts-expect-error: the option has another name
  assert.throws(() => connect('a:1', { retries: 9 }), /unknown option `retries`/);
  // @ts-expect-error: there is no such dtype
  assert.throws(() => tensor([1], 'float31'), /expected a dtype/);
  // @ts-expect-error: the array has another type
  assert.throws(() => new Tensor('float32', [1], Int8Array.of(1)), /expected a Float32Array, found a Int8Array/);
  assert.throws(() => new Tensor('float32', [3], Float32Array.of(1)), /expected 3 elements in the array, found 1/);
  assert.throws(() => tensor([[1, 2], [3]]), /expected lists of 2 elements in dimension 1/);
  await assert.rejects(client.call('a/b', 'f'), /model: expected NAME, NAME\/VERSION, or NAME:LABEL/);
  await assert.rejects(client.call('echo', '', [() => 1]), /expected a value that JSON can represent/);
});

test('models are listed and described', async () => {
  const models = await client.models();
  const savings = models.find(({ name }) => name === 'savings');
  assert.deepEqual(savings?.versions, [1]);
  const pair = await client.describe('pair');
  assert.equal(pair.version, 1);
  const [described] = pair.functions;
  assert.equal(described!.doc, 'Returns its arguments.');
  assert.match(described!.signature, /name: string\[\]/);
  assert.deepEqual(described!.parameters.map(({ name, kind, optional }) => ({ name, kind, optional })), [
    { name: 'name', kind: 'POSITIONAL_ONLY', optional: false }, { name: 'count', kind: 'KEYWORD_ONLY', optional: true }]);
  assert.equal(await client.health(), 'SERVING');
  assert.equal(await client.health('pair'), 'SERVING');
  await assert.rejects(client.health('nothing'), NotFoundError);
});

const matrix = tensor(new Float32Array(1500 * 1500).fill(1e-4), undefined, [1500, 1500]);

test('deadlines and signals end calls', async () => {
  await assert.rejects(client.call('slow', '', [matrix], { timeout: 200 }), DeadlineExceededError);
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('enough')), 100);
  await assert.rejects(client.call('slow', '', [matrix], { signal: controller.signal }), (error) => {
    assert.ok(error instanceof CancelledError);
    assert.equal((error.cause as Error).message, 'enough');
    return true;
  });
  await assert.rejects(client.models({ signal: AbortSignal.abort() }), CancelledError);
  const fast = connect(server.address, { timeout: 50 });
  await assert.rejects(fast.call('slow', '', [matrix]), DeadlineExceededError);
  await fast.close();
});

test('streams yield results in order', async () => {
  function* numbers() {
    for (let i = 0; i < 300; ++i) yield [Float32Array.of(i)];
  }
  let count = 0;
  for await (const [sum] of client.stream<[number]>('half_plus_two', 'predict', numbers(), { maxInFlight: 16 })) {
    assert.equal(sum, count / 2 + 2);
    count += 1;
  }
  assert.equal(count, 300);

  // Each call depends on the result of the previous one.
  const results: number[] = [];
  async function* dependent() {
    for (let i = 0; i < 5; ++i) {
      while (results.length < i) await pause(1);
      yield [[i === 0 ? 0 : results[i - 1]!]];
    }
  }
  for await (const [sum] of client.stream<[number]>('half_plus_two', 'predict', dependent())) results.push(sum);
  assert.deepEqual(results, [2, 3, 3.5, 3.75, 3.875]);
  for await (const none of client.stream('half_plus_two', 'predict', [])) assert.fail(String(none));
});

test('errors of a stream are thrown or yielded', async () => {
  const calls = [[[1]], [['x']], [[3]]];
  const outcomes = [];
  for await (const outcome of client.stream('half_plus_two', 'predict', calls, { errors: 'yield' })) outcomes.push(outcome);
  assert.deepEqual([outcomes[0], outcomes[2]], [[2.5], [3.5]]);
  assert.ok(outcomes[1] instanceof InvalidArgumentError);
  assert.equal(outcomes[1].field, 'x[0]');
  const seen: unknown[] = [];
  await assert.rejects((async () => {
    for await (const result of client.stream('half_plus_two', 'predict', calls)) seen.push(result);
  })(), InvalidArgumentError);
  assert.deepEqual(seen, [[2.5]]);

  let isClosed = false;
  function* endless() {
    try {
      for (;;) yield [[1]];
    } finally {
      isClosed = true;
    }
  }
  for await (const result of client.stream('half_plus_two', 'predict', endless())) {
    assert.deepEqual(result, [2.5]);
    break;
  }
  assert.ok(isClosed);
  await assert.rejects((async () => {
    for await (const result of client.stream('slow', '', [[matrix]], { timeout: 200 })) assert.fail(String(result));
  })(), DeadlineExceededError);
  await assert.rejects((async () => {
    for await (const result of client.stream('slow', '', [[matrix]], { signal: AbortSignal.timeout(200) })) assert.fail(String(result));
  })(), CancelledError);
  function* failing() {
    yield [[1]];
    throw new RangeError('no more');
  }
  await assert.rejects((async () => {
    for await (const result of client.stream('half_plus_two', 'predict', failing())) assert.deepEqual(result, [2.5]);
  })(), /no more/);
});

test('responses that the client cannot read are errors', async () => {
  const proto = `${process.env.SIGNET_SOURCE_DIR}/proto`;
  const { signet } = grpc.loadPackageDefinition(
    loader.loadSync('signet/v1/service.proto', { includeDirs: [proto], keepCase: true, enums: String })) as any;
  let result: object = {};
  let attempts = 0;
  let pushback = '';
  const fake = new grpc.Server();
  fake.addService(signet.v1.TensorService.service, {
    Call: (_: unknown, respond: grpc.sendUnaryData<object>) => {
      attempts += 1;
      if (!pushback) return respond(null, { result });
      const trailer = new grpc.Metadata();
      trailer.set('grpc-retry-pushback-ms', pushback);
      if (attempts > 1) pushback = '';
      return respond({ code: grpc.status.RESOURCE_EXHAUSTED, details: 'full' }, null, trailer);
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    fake.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) => { error ? reject(error) : resolve(bound); });
  });
  const victim = connect(`127.0.0.1:${port}`);
  const data = Buffer.alloc(8);
  const isBad = { code: 'INTERNAL', reason: 'BAD_RESPONSE', message: /^the response of the server: expected / };
  for (const wrong of [
    {}, { tensor: {} }, { tensor: { dtype: 'DTYPE_FLOAT32', shape: [3], data } }, { tensor: { dtype: 'DTYPE_FLOAT32', shape: [-2, -1], data } },
    { tensor: { dtype: 'DTYPE_INT64', shape: [1], data: Buffer.alloc(7) } }, { tensor: { dtype: 'DTYPE_FLOAT64', shape: ['1000000000000'], data } },
    { tensor: { dtype: 'DTYPE_STRING', shape: [1], string_offsets: Buffer.alloc(16, 1), data } },
    { ragged: {} }, { ragged: { values: { dtype: 'DTYPE_FLOAT32', shape: [2], data }, row_splits: [{ dtype: 'DTYPE_FLOAT32', shape: [2], data }] } },
    { ragged: { values: { dtype: 'DTYPE_FLOAT32', shape: [2], data }, row_splits: [splits(0n, 3n)] } },
    { ragged: { values: { dtype: 'DTYPE_FLOAT32', shape: [2], data }, row_splits: [splits(0n, 2n, 1n)] } },
    { encoded: { format: 'JSON', data: Buffer.from('[1]') } },
  ]) {
    result = wrong;
    await assert.rejects(victim.call('m', 'f', [], { result: 'values' }), isBad, JSON.stringify(wrong));
  }
  for (const wrong of [{}, { tensor: { dtype: 'DTYPE_FLOAT32', shape: [2], data } }, { encoded: { format: 'JSON', data: Buffer.from('[1') } }]) {
    result = wrong;
    await assert.rejects(victim.call('m', 'f'), isBad, JSON.stringify(wrong));
  }

  // The client waits as long as the server requests, and does not repeat the call if the server forbids it.
  result = { encoded: { format: 'JSON', data: Buffer.from('[1]') } };
  [attempts, pushback] = [0, '150'];
  const begin = Date.now();
  assert.deepEqual(await victim.call('m', 'f'), [1]);
  assert.ok(Date.now() - begin >= 290 && attempts === 3, `${Date.now() - begin} ms, ${attempts} attempts`);
  [attempts, pushback] = [0, '-1'];
  await assert.rejects(victim.call('m', 'f'), { code: 'RESOURCE_EXHAUSTED', message: 'full' });
  assert.equal(attempts, 1);
  await victim.close();
  fake.forceShutdown();
});

function splits(...numbers: bigint[]) {
  return { dtype: 'DTYPE_INT64', shape: [numbers.length], data: Buffer.from(BigInt64Array.from(numbers).buffer) };
}

test('TLS and tokens', async () => {
  const { ca, certificate, key } = makeCertificate();
  const tokens = join(folder, 'tokens');
  const policy = join(folder, 'policy.textproto');
  writeFileSync(tokens, `ci ${createHash('sha256').update('secret').digest('hex')}\n`);
  writeFileSync(policy, 'roles { name: "ci" members: "token:ci" }\nrules { roles: "ci" rpcs: [CALL, LIST_MODELS] models: "*" }\n');
  const secure = await startServer([
    '--tls_certificate', certificate, '--tls_key', key, '--tokens_file', tokens, '--policy_file', policy]);
  const address = `localhost:${secure.port}`;
  const pem = readFileSync(ca);
  const good = connect(address, { ca: pem, token: 'secret' });
  assert.deepEqual(await good.call('half_plus_two', 'predict', [[1]]), [2.5]);
  for await (const result of good.stream('half_plus_two', 'predict', [[[1]]])) assert.deepEqual(result, [2.5]);
  const renewed = connect(`127.0.0.1:${secure.port}`, { ca: pem, serverName: 'localhost', token: async () => 'secret\n' });
  assert.deepEqual(await renewed.call('half_plus_two', 'predict', [[1]]), [2.5]);
  const wrong = connect(address, { ca: pem, token: 'other' });
  await assert.rejects(wrong.call('half_plus_two', 'predict', [[1]]), UnauthenticatedError);
  const unknown = connect(address, { tls: true, token: 'secret', maxAttempts: 1 });
  await assert.rejects(unknown.models(), UnavailableError);
  await Promise.all([good, renewed, wrong, unknown].map((each) => each.close()));
  await secure.stop();

  const mutual = await startServer([
    '--tls_certificate', certificate, '--tls_key', key, '--tls_client_ca', ca, '--tls_require_client_certificate']);
  const identified = connect(`localhost:${mutual.port}`, { ca: pem, cert: readFileSync(certificate), key: readFileSync(key) });
  assert.deepEqual(await identified.call('half_plus_two', 'predict', [[1]]), [2.5]);
  const anonymous = connect(`localhost:${mutual.port}`, { ca: pem, maxAttempts: 1 });
  await assert.rejects(anonymous.models(), UnavailableError);
  await Promise.all([identified.close(), anonymous.close()]);
  await mutual.stop();
});

test('streams survive a restart of the server', async () => {
  const first = await startServer();
  const moving = connect(first.address);
  let second: Server | undefined;
  async function* numbers() {
    for (let i = 0; i < 40; ++i) {
      if (i === 20) {
        await first.stop();
        second = await startServer([], first.port);
      }
      yield [[i]];
    }
  }
  const sums: number[] = [];
  for await (const [sum] of moving.stream<[number]>('half_plus_two', 'predict', numbers())) sums.push(sum);
  assert.deepEqual(sums, Array.from({ length: 40 }, (_, i) => i / 2 + 2));
  await moving.close();
  await second!.stop();
});

test('killing one of two servers fails no call', async () => {
  // A server that hangs, and one that is lost, answer no pings. Without pings, calls to it would last until their deadline.
  const lost = await startServer();
  const healthy = await startServer();
  const balanced = connect([lost.address, healthy.address], { timeout: 60_000 });
  for (let i = 0; i < 4; ++i) assert.deepEqual(await balanced.call('half_plus_two', 'predict', [[1]]), [2.5]);
  lost.process.kill('SIGSTOP');
  const results = await Promise.all(Array.from({ length: 8 }, () => balanced.call('half_plus_two', 'predict', [[1]])));
  assert.deepEqual(results, Array(8).fill([2.5]));
  await balanced.close();
  await lost.stop();
  await healthy.stop();

  const servers = [await startServer(), await startServer()];
  const both = connect(servers.map(({ address }) => address));
  await Promise.all(servers.map(async ({ address }) => {
    const one = connect(address);
    await one.waitUntilServing(30_000);
    await one.close();
  }));
  let isOver = false;
  let calls = 0;
  const work = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      assert.deepEqual(await both.call('half_plus_two', 'predict', [[1]]), [2.5]);
      calls += 1;
    }
  });
  await pause(500);
  await servers[0]!.stop('SIGKILL');
  const before = calls;
  await pause(1500);
  isOver = true;
  await Promise.all(work);
  assert.ok(before > 0 && calls > before + 50, `${before} calls before, ${calls - before} after`);
  await both.close();
  await servers[1]!.stop();
});
