// A server that is faulty or lies: each answer is a value or a SignetError, at once, and in little memory.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import * as grpc from '@grpc/grpc-js';
import * as loader from '@grpc/proto-loader';
import { connect, DeadlineExceededError, InternalError, SignetError, Tensor, type Client } from 'signet-client';

const bytes = (...numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer);
const longs = (numbers: number[], shape = [numbers.length]) => (
  { dtype: 'DTYPE_INT64', shape, data: Buffer.from(BigInt64Array.from(numbers, BigInt).buffer) });
const floats = (shape: number[], ...numbers: number[]) => ({ dtype: 'DTYPE_FLOAT32', shape, data: bytes(...numbers) });
const two = floats([2], 1, 2);
const texts = (shape: number[], offsets: number[], text = 'abc') => (
  { dtype: 'DTYPE_STRING', shape, data: Buffer.from(text), string_offsets: longs(offsets).data });
const records = (dims: number[], nrows: number, fields: object, more: object = {}) => ({ structured: { shape: { dims }, nrows, fields, ...more } });
const sparse = (indices: object, values: object, shape: object) => ({ sparse: { indices, values, dense_shape: shape } });
const deep = Array.from({ length: 3000 }).reduce<object>((inner) => ({ list: { elements: [inner] } }), { tensor: two });

const LIES: Record<string, object | undefined> = {
  'more elements than bytes': { tensor: floats([3], 1, 2) }, 'a negative size': { tensor: floats([-2], 1, 2) },
  'an unknown dtype': { tensor: { ...two, dtype: 99 } }, 'no dtype': { tensor: { shape: [2], data: two.data } },
  'many dimensions': { tensor: floats(Array(70).fill(1), 1) }, 'rows without elements': { tensor: floats([2 ** 40, 0]) },
  'half an element': { tensor: { ...two, data: two.data.subarray(0, 7) } }, 'a bool of 2': { tensor: { dtype: 'DTYPE_BOOL', shape: [1], data: Buffer.of(2) } },
  'offsets that decrease': { tensor: texts([2], [0, 3, 1]) }, 'offsets after the end': { tensor: texts([1], [0, 300]) },
  'negative offsets': { tensor: texts([1], [-5, 3]) }, 'offsets before the end': { tensor: texts([1], [0, 2]) },
  'splits that decrease': { ragged: { values: two, row_splits: [longs([0, 2, 1, 2])] } },
  'splits after the end': { ragged: { values: two, row_splits: [longs([0, 5])] } }, 'splits of floats': { ragged: { values: two, row_splits: [two] } },
  'a matrix of splits': { ragged: { values: two, row_splits: [longs([0, 2], [1, 2])] } },
  'a ragged shape of other sizes': { ragged: { values: two, row_splits: [longs([0, 2])], shape: { dims: [7, -1] } } },
  'a ragged shape of another rank': { ragged: { values: two, row_splits: [longs([0, 2])], shape: { dims: [1] } } },
  'a sparse index outside': sparse(longs([5, 5], [1, 2]), floats([1], 1), longs([2, 2])),
  'sparse indices that repeat': sparse(longs([0, 1, 0, 1], [2, 2]), two, longs([2, 2])),
  'sparse indices in another order': sparse(longs([1, 0, 0, 1], [2, 2]), two, longs([2, 2])),
  'sparse indices of another rank': sparse(longs([0, 1], [2, 1]), two, longs([2, 2])), 'a negative sparse size': sparse(longs([], [0, 1]), floats([0]), longs([-9])),
  'sparse scalars': sparse(longs([], [2, 0]), two, longs([])),
  'records without fields': records([2 ** 40], 2 ** 40, {}), 'a negative number of records': records([-1], -3, {}),
  'records of another shape': records([3], 2, { x: { tensor: two } }), 'unequal columns': records([2], 2, { x: { tensor: two }, y: { tensor: floats([1], 1) } }),
  'a scalar column': records([2], 2, { x: { tensor: floats([], 1) } }), 'a literal column': records([2], 2, { x: { literal: { int: 1 } } }),
  'an unknown field in the order': records([2], 2, { x: { tensor: two } }, { field_order: ['zz'] }),
  'a field of every object in the order': records([2], 2, { x: { tensor: two } }, { field_order: ['x', 'constructor'] }),
  'row splits of other records': records([2, -1], 2, { x: { tensor: two } }, { row_splits: [longs([0, 1])] }),
  'row splits that are missing': records([2, -1], 2, { x: { tensor: two } }),
  'an optional field without its dimension': records([2], 2, { x: { tensor: two } }, { optional_fields: ['x'] }),
  'an optional field with two values': records([1], 1, { x: { ragged: { values: two, row_splits: [longs([0, 2])] } } }, { optional_fields: ['x'] }),
  'a deep list': deep, 'an unknown key in the order': { dict: { items: { a: { tensor: two } }, key_order: ['b'] } },
  'JSON that was not requested': { encoded: { format: 'JSON', data: Buffer.from('[1]') } }, 'no value': {}, 'no result': undefined,
};

type Responses = (call: grpc.ServerDuplexStream<{ id: string }, object>) => void;
let server: grpc.Server;
let client: Client;
let stream: Responses;
let definitions: loader.PackageDefinition;

before(async () => {
  const protos = ['../node_modules/signet-client/proto', '../../../proto'].map((folder) => new URL(`${folder}/`, import.meta.url).pathname);
  definitions = loader.loadSync('signet/v1/service.proto', {
    includeDirs: [protos.find((folder) => existsSync(folder))!], keepCase: true, longs: String, enums: String, oneofs: true });
  server = new grpc.Server();
  const call: grpc.handleUnaryCall<{ model: { name: string } }, object> = ({ request }, answer) => {
    const { name } = request.model;
    if (name === 'wrong status') answer({ code: 77 as grpc.status, details: 'text' });
    else if (name !== 'silent') answer(null, { result: LIES[name] ?? (name === 'good' ? { tensor: two } : undefined), model_version: 1 });
  };
  server.addService(definitions['signet.v1.TensorService'] as grpc.ServiceDefinition, {
    Call: call, CallStream: ((duplex) => stream(duplex)) as Responses as grpc.UntypedHandleCall,
    GetModel: ((_, answer) => answer(null, { functions: [{ type: { parameters: [{ kind: 77 }] } }] })) as grpc.handleUnaryCall<object, object>,
    ListModels: ((_, answer) => answer(null, { models: [{ versions: [{ state: 77 }] }] })) as grpc.handleUnaryCall<object, object>,
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, found) => (error ? reject(error) : resolve(found)));
  });
  client = connect(`127.0.0.1:${port}`, { timeout: 2000, maxAttempts: 1 });
});
after(async () => {
  await client.close();
  server.forceShutdown();
});

test('values that are not valid are rejected', async () => {
  const good = await client.call('good', 'f', [], { result: 'values' }) as Tensor<'float32'>;
  assert.deepEqual(good.data, Float32Array.of(1, 2));
  for (const name of Object.keys(LIES)) {
    await assert.rejects(client.call(name, 'f', [], { result: 'values' }), InternalError, name);
    await assert.rejects(client.call(name === 'JSON that was not requested' ? 'good' : name, 'f'), InternalError, name);
  }
  await assert.rejects(client.call('wrong status', 'f'), SignetError);
  await assert.rejects(client.call('silent', 'f', [], { timeout: 100 }), DeadlineExceededError);
  assert.equal((await client.describe('good')).functions.length, 1);
  assert.equal((await client.models()).length, 1);
});

test('random bytes in place of a response are values or errors', async () => {
  const serialize = (definitions['signet.v1.TensorService'] as grpc.ServiceDefinition).Call!.responseSerialize;
  let state = 7;
  const random = (count: number) => (state = state * 48271 % 0x7fffffff) % count;
  const valid = [
    { tensor: two }, { tensor: texts([2], [0, 1, 3]) }, { ragged: { values: two, row_splits: [longs([0, 1, 2])] } },
    sparse(longs([0, 1, 1, 0], [2, 2]), two, longs([2, 2])), records([2], 2, { x: { tensor: two }, y: { tensor: texts([2], [0, 0, 3]) } }),
    { dict: { items: { a: { tensor: two }, b: { literal: { int: 5 } } }, key_order: ['b', 'a'] } }, { list: { elements: [{ tensor: two }] } },
  ].map((value) => serialize({ result: value, model_version: 1 }));
  const rewritten = new grpc.Server();
  let answer: Buffer;
  const identity = (data: Buffer) => data;
  rewritten.addService({ Call: {
    path: '/signet.v1.TensorService/Call', requestStream: false, responseStream: false, requestSerialize: identity, requestDeserialize: identity,
    responseSerialize: identity, responseDeserialize: identity } }, { Call: ((_, reply) => reply(null, answer)) as grpc.handleUnaryCall<Buffer, Buffer> });
  const port = await new Promise<number>((resolve) => {
    rewritten.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_, found) => resolve(found));
  });
  const other = connect(`127.0.0.1:${port}`, { timeout: 10_000, maxAttempts: 1 });
  let accepted = 0;
  for (let i = 0; i < 1500; ++i) {
    answer = Buffer.from(valid[random(valid.length)]!);
    for (let changes = 1 + random(3); changes > 0; --changes) {
      const at = random(answer.length);
      if (random(3) === 0) answer = Buffer.concat([answer.subarray(0, at), answer.subarray(at + 1 + random(4))]);
      else answer[at] = [0, 1, 127, 128, 255, random(256)][random(6)]!;
      if (answer.length === 0) answer = Buffer.of(10);
    }
    try {
      await other.call('m', 'f', [], { result: 'values' });
      accepted += 1;
    } catch (error) {
      assert.ok(error instanceof SignetError, `${error} for ${answer.toString('hex')}`);
    }
  }
  assert.ok(accepted > 50, `${accepted}`);
  await other.close();
  rewritten.forceShutdown();
});

test('streams of a server that lies', async () => {
  const read = async (options: object = {}) => {
    const out: unknown[] = [];
    for await (const result of client.stream('m', 'f', [[1], [2]], { result: 'values', timeout: 300, ...options })) out.push(result);
    return out;
  };
  stream = () => undefined;
  await assert.rejects(read(), DeadlineExceededError);
  stream = (duplex) => duplex.on('data', () => duplex.write({ id: 99, response: { result: { tensor: two } } }));
  await assert.rejects(read(), (error) => error instanceof InternalError && /in flight/.test(error.message));
  stream = (duplex) => duplex.on('data', ({ id }) => duplex.write({ id, response: { result: LIES['unequal columns'] } }));
  await assert.rejects(read(), InternalError);
  const yielded = await read({ errors: 'yield' });
  assert.ok(yielded.length === 2 && yielded.every((each) => each instanceof InternalError));
  stream = (duplex) => duplex.on('data', ({ id }) => duplex.write({ id }));
  await assert.rejects(read(), InternalError);
  stream = (duplex) => duplex.on('data', ({ id }) => duplex.write({ id, error: { code: 99, message: 'text' } }));
  await assert.rejects(read(), { code: 'UNKNOWN', message: 'text' });
});
