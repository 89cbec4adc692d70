// Client: calls the functions of a server.
import * as grpc from '@grpc/grpc-js';
import { channelOf, checkOptions, serversOf } from './channel.js';
import { badResponse, makeError, readResponse } from './errors.js';
import { errorOf, Health, TensorService } from './protocol.js';
import { callResults } from './stream.js';
import { argumentMessage, valueOf } from './values.js';

/** Returns a client of the servers at an address. Nothing is sent before the first call. */
export const connect = (address = 'localhost:8500', options = {}) => new Client(address, options);

// The message of a model: `recipes`, `recipes/3`, or `recipes:stable`.
function modelMessage(text) {
  const found = /^([^/:]+)(?:\/(\d+)|:(.+))?$/.exec(text);
  if (!found) throw new TypeError(`model: expected NAME, NAME/VERSION, or NAME:LABEL, found ${JSON.stringify(text)}`);
  const [, name, version, label] = found;
  return { name, ...(version && { version }), ...(label && { label }) };
}

function requestMessage(model, functionName, args, { kwargs = {}, result = 'records', rejectUnknownFields }) {
  if (!Array.isArray(args)) throw new TypeError('args: expected an array of the positional arguments');
  if (result !== 'records' && result !== 'values') throw new TypeError(`result: expected 'records' or 'values', found ${result}`);
  return {
    model: modelMessage(model),
    function: functionName,
    args: args.map((argument) => argumentMessage(argument, rejectUnknownFields)),
    kwargs: Object.entries(kwargs).map(([name, argument]) => ({ name, value: argumentMessage(argument, rejectUnknownFields) })),
    ...(result === 'records' && { result_format: { format: 'JSON' } }),
  };
}

// The result of a response, in the form that the call requests.
function resultOf(response, { result: form = 'records' }) {
  return readResponse(() => {
    const message = response?.result;
    if (form === 'values') return valueOf(message);
    if (message?.kind !== 'encoded' || message.encoded.format !== 'JSON') throw badResponse('expected JSON, found a value');
    return JSON.parse(message.encoded.data);
  });
}

// The result of a call of a stream. Throws the error of the call.
function outcomeOf({ error, response }, options) {
  if (!error) return resultOf(response, options);
  const { code, message, ...details } = error;
  throw makeError(code, message, details);
}

/** A client of a server, or of several servers in turn. */
export class Client {
  #servers;
  #options;
  #stubs;  // a promise

  constructor(address = 'localhost:8500', options = {}) {
    this.#servers = serversOf(address);
    this.#options = checkOptions(this.#servers, options);
  }

  get address() {
    return this.#servers.join(',');
  }

  /** Calls a function with positional arguments and returns its result. */
  async call(model, functionName, args = [], options = {}) {
    const request = requestMessage(model, functionName, args, options);
    return resultOf(await this.#invoke('tensors', 'Call', request, options), options);
  }

  /** Returns a JavaScript function that calls a function of the server. */
  function(model, functionName = '', options = {}) {
    return (...args) => this.call(model, functionName, args, options);
  }

  /** Makes many calls over one stream, and yields their results in the order of the calls. */
  async *stream(model, functionName, calls, options = {}) {
    const { maxInFlight = 32, errors = 'throw', timeout = this.#options.timeout, signal } = options;
    if (!(maxInFlight >= 1)) throw new RangeError(`maxInFlight: expected at least 1, found ${maxInFlight}`);
    if (errors !== 'throw' && errors !== 'yield') throw new TypeError(`errors: expected 'throw' or 'yield', found ${errors}`);
    const open = async () => (await this.#open()).tensors.CallStream(await this.#metadata(options));
    const toRequest = (args) => requestMessage(model, functionName, args, options);
    const toError = (error) => errorOf(error, this.address, timeout, signal);
    for await (const outcome of callResults({ calls, open, toRequest, toError, maxInFlight, timeout, signal })) {
      let result;
      try {
        result = outcomeOf(outcome, options);
      } catch (error) {
        if (errors === 'throw') throw error;
        result = error;
      }
      yield result;
    }
  }

  /** Returns the models of the server, sorted by name. */
  async models(options = {}) {
    const { models = [] } = await this.#invoke('tensors', 'ListModels', {}, options);
    return readResponse(() => models.map(({ name, doc = '', versions = [], labels = {} }) => ({
      name, doc,
      versions: versions.filter(({ state }) => state === 'AVAILABLE').map(({ version }) => Number(version)),
      labels: Object.fromEntries(Object.entries(labels).map(([label, version]) => [label, Number(version)])),
    })));
  }

  /** Returns a model with its functions. */
  async describe(model, options = {}) {
    const response = await this.#invoke('tensors', 'GetModel', { model: modelMessage(model) }, options);
    return readResponse(() => ({
      name: response.name,
      version: Number(response.version),
      doc: response.doc ?? '',
      versions: (response.versions ?? []).map(Number),
      labels: Object.fromEntries(Object.entries(response.labels ?? {}).map(([label, version]) => [label, Number(version)])),
      functions: (response.functions ?? []).map((info) => ({
        name: info.name,
        doc: info.doc ?? '',
        signature: info.signature ?? '',
        parameters: (info.type?.parameters ?? []).map(({ name, kind, optional = false }) => ({
          name, kind, optional, doc: info.parameter_docs?.[name] ?? '' })),
        examples: info.examples ?? [],
      })),
    }));
  }

  /** Returns the health of the server, or of a model. */
  async health(model = '', options = {}) {
    return (await this.#invoke('health', 'Check', { service: model }, options)).status ?? 'UNKNOWN';
  }

  /** Waits until the server serves calls. Throws UnavailableError after `timeout` milliseconds. */
  async waitUntilServing(timeout = this.#options.timeout) {
    const end = Date.now() + timeout;
    for (;;) {
      const state = await this.health('', { timeout: Math.max(end - Date.now(), 1) }).catch((error) => {
        if (error.code !== 'UNAVAILABLE' && error.code !== 'DEADLINE_EXCEEDED') throw error;
      });
      if (state === 'SERVING') return;
      if (Date.now() >= end) throw makeError('UNAVAILABLE', `${this.address} does not serve after ${timeout} ms`);
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
  }

  /** Closes the connections. Calls in flight are canceled. */
  async close() {
    const stubs = await this.#stubs?.catch(() => undefined);
    for (const stub of Object.values(stubs ?? {})) stub.close();
    this.#stubs = undefined;
  }

  #open() {
    this.#stubs ??= channelOf(this.#servers, this.#options).then(({ target, credentials, options }) => {
      const tensors = new TensorService(target, credentials, options);
      return { tensors, health: new Health(target, credentials, { channelOverride: tensors.getChannel() }) };
    }).catch((error) => {
      this.#stubs = undefined;
      throw error;
    });
    return this.#stubs;
  }

  async #metadata({ priority }) {
    const metadata = new grpc.Metadata();
    const { token } = this.#options;
    const text = typeof token === 'function' ? await token() : token;
    if (text) metadata.set('authorization', `Bearer ${text.trim()}`);
    if (priority) metadata.set('signet-priority', priority);
    return metadata;
  }

  async #invoke(service, method, request, options) {
    const { timeout = this.#options.timeout, signal } = options;
    const deadline = Date.now() + timeout;
    try {
      const stub = (await this.#open())[service];
      const metadata = await this.#metadata(options);
      if (signal?.aborted) throw Object.assign(new Error(), { code: grpc.status.CANCELLED });
      return await new Promise((resolve, reject) => {
        const call = stub[method](request, metadata, { deadline }, (error, response) => {
          signal?.removeEventListener('abort', cancel);
          if (error) reject(error); else resolve(response);
        });
        const cancel = () => call.cancel();
        signal?.addEventListener('abort', cancel, { once: true });
      });
    } catch (error) {
      throw typeof error.code === 'number' ? errorOf(error, this.address, timeout, signal) : error;
    }
  }
}
