// A client in JavaScript: stubs made at run time from the .proto files by @grpc/proto-loader.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { checkArrow } from './arrow.mjs';

const [address, source, modules] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const definition = loader.loadSync('signet/v1/service.proto', {
  includeDirs: [`${source}/proto`], keepCase: true, longs: Number, enums: String, oneofs: true,
});
const { signet } = grpc.loadPackageDefinition(definition);
const client = new signet.v1.TensorService(address, grpc.credentials.createInsecure());
const call = (method, request) => new Promise((resolve, reject) =>
  client[method](request, { deadline: Date.now() + 10000 }, (error, response) =>
    error ? reject(error) : resolve(response)));

const floats = (elements) => ({ tensor: {
  dtype: 'DTYPE_FLOAT32', shape: [elements.length], data: Buffer.from(new Float32Array(elements).buffer) } });
const elements = ({ tensor }) =>
  Array.from({ length: tensor.data.length / 4 }, (_, i) => tensor.data.readFloatLE(4 * i));
const predict = (...args) => ({ model: { name: 'half_plus_two' }, function: 'predict', args });

const answer = await call('Call', predict(floats([1, 2, 5])));
assert.deepEqual(elements(answer.result), [2.5, 3, 4.5]);
assert.equal(answer.model_version, 1);

const text = { encoded: { format: 'JSON', data: Buffer.from('[1, 2]') } };
assert.deepEqual(elements((await call('Call', predict(text))).result), [2.5, 3]);

const weather = await call('Call', {
  model: { name: 'weather' }, args: [floats([31, 8]), floats([0.6, 0.5])],
  kwargs: [{ name: 'wind', value: { encoded: { format: 'JSON', data: Buffer.from('5') } } }] });
const feelsLike = elements(weather.result.dict.items.feels_like);
assert.deepEqual(feelsLike.map((x) => x.toFixed(1)), ['32.4', '2.3']);

await assert.rejects(call('Call', predict()), (error) => {
  assert.equal(error.code, grpc.status.INVALID_ARGUMENT);
  assert.ok(error.metadata.get('grpc-status-details-bin')[0].includes('MISSING_REQUIRED'));
  return true;
});

const models = await call('ListModels', {});
assert.ok(models.models.some(({ name }) => name === 'half_plus_two'));

const answers = new Map();
await new Promise((resolve, reject) => {
  const stream = client.CallStream();
  stream.on('data', ({ id, response }) => answers.set(id, elements(response.result)[0]));
  stream.on('error', reject);
  stream.on('end', resolve);
  for (let id = 0; id < 100; ++id) stream.write({ id, call: predict(floats([id])) });
  stream.end();
});
assert.equal(answers.size, 100);
assert.equal(answers.get(40), 22);

await checkArrow(require('apache-arrow'), call);
client.close();
console.log('node client: ok');
