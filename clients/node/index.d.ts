// Types of signet-client. test/client.test.ts checks them with the TypeScript compiler, and runs against a server.

/** A text that JSON can represent. A bigint is sent with all of its digits. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [name: string]: Json | undefined };

export type TypedArray =
  | Int8Array | Int16Array | Int32Array | BigInt64Array | Uint8Array | Uint8ClampedArray | Uint16Array | Uint32Array | BigUint64Array
  | Float32Array | Float64Array;

/** The arrays of the dtypes. A bool is a byte, 0 or 1. float16 and bfloat16 are bits. A complex number is two floats. */
export interface ArrayOf {
  bool: Uint8Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  float16: Uint16Array;
  bfloat16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
  complex64: Float32Array;
  complex128: Float64Array;
  string: string[];
}
export type DType = keyof ArrayOf;

/** A dense array, in row-major order. */
export class Tensor<D extends DType = DType> {
  constructor(dtype: D, shape: readonly number[], data: ArrayOf[D]);
  readonly dtype: D;
  readonly shape: number[];
  readonly data: ArrayOf[D];
  /** The elements as nested arrays; the element itself for a scalar. */
  toArray(): unknown;
}

export type Nested = number | bigint | boolean | string | readonly Nested[];
/**
 * Makes a tensor of a typed array, or of nested arrays of equal lengths. By default, numbers are float32, and bigints int64. The
 * default shape is that of the elements.
 */
export function tensor<D extends DType = DType>(elements: TypedArray | Nested, dtype?: D, shape?: readonly number[]): Tensor<D>;

/** Rows of varying length: flat values, and the splits of each ragged dimension, the outermost first. */
export class Ragged {
  constructor(values: Tensor, rowSplits: readonly (BigInt64Array | readonly number[])[]);
  readonly values: Tensor;
  readonly rowSplits: BigInt64Array[];
  /** The rows as nested arrays. */
  toArray(): unknown;
}

/** A sparse array: int64 indices [n, rank] in row-major order, values [n], and the dense shape. */
export class Sparse {
  constructor(indices: Tensor, values: Tensor, denseShape: readonly number[]);
  readonly indices: Tensor;
  readonly values: Tensor;
  readonly denseShape: number[];
}

/** Records, stored as columns. `shape` has -1 for dimensions whose rows vary. */
export class Columns {
  constructor(fields: { readonly [name: string]: Value }, shape: readonly number[], rowSplits?: readonly BigInt64Array[]);
  readonly fields: { readonly [name: string]: Value };
  readonly shape: number[];
  readonly rowSplits: BigInt64Array[];
}

/** A value of a type that a model defines. */
export class Extension {
  constructor(typeName: string, components: { readonly [name: string]: Value }, statics?: object);
  readonly typeName: string;
  readonly components: { readonly [name: string]: Value };
  readonly statics: object;
}

/** A result that is requested with `result: 'values'`. Dicts and named tuples are objects; lists and tuples are arrays. */
export type Value =
  | Tensor | Ragged | Sparse | Columns | Extension | null | boolean | number | bigint | string | readonly Value[]
  | { readonly [name: string]: Value };

/**
 * An argument of a call. A typed array is a tensor with one dimension. All other values without a class of this package are sent
 * as JSON, which the server reads under the type of the parameter.
 */
export type Argument = Tensor | Ragged | Sparse | Columns | Extension | TypedArray | Json | object;

export interface Waiting {
  /** Milliseconds until the call fails with DeadlineExceededError, with all attempts. */
  timeout?: number;
  /** Cancels the call, which then fails with CancelledError. */
  signal?: AbortSignal;
}
export interface CallOptions extends Waiting {
  /** Arguments by name. */
  kwargs?: { readonly [name: string]: Argument };
  /** 'records': the result as JSON. 'values': with tensors, whose numbers are exact. */
  result?: 'records' | 'values';
  priority?: 'high' | 'normal' | 'low';
  /** Rejects fields that the type of a parameter does not have. */
  rejectUnknownFields?: boolean;
}
export interface StreamOptions extends CallOptions {
  /** The number of calls without a result; default 32. */
  maxInFlight?: number;
  /** 'throw': the first error of a call ends the stream. 'yield': errors take the place of results. */
  errors?: 'throw' | 'yield';
}

export interface ClientOptions {
  /** Milliseconds for each call; default 30000. */
  timeout?: number;
  /** How often a call is sent at most, 1 to 5, if a server cannot be reached or requests another attempt; default 4. */
  maxAttempts?: number;
  /** Spreads calls over all addresses of the host name. Calls are always spread over a list. */
  roundRobin?: boolean;
  /** Uses TLS. `ca`, `cert`, and `serverName` imply it. */
  tls?: boolean;
  /** PEM: the certificates that sign those of servers; default: those of the system. */
  ca?: string | Uint8Array;
  /** PEM: a certificate that identifies the client, and its key. */
  cert?: string | Uint8Array;
  key?: string | Uint8Array;
  /** The name that the certificate of the server must have, if it is not that of the address. */
  serverName?: string;
  /** A bearer token, or a function that returns one for each call. */
  token?: string | (() => string | Promise<string>);
  /** Sends the token without TLS to other machines, too. */
  plaintextToken?: boolean;
}

export interface Model {
  name: string;
  doc: string;
  /** The versions that can be called. */
  versions: number[];
  labels: { [label: string]: number };
}
export interface ModelFunction {
  name: string;
  doc: string;
  /** With types and default values. */
  signature: string;
  parameters: { name: string; kind: string; optional: boolean; doc: string }[];
  examples: string[];
}
export interface ModelDescription extends Model {
  version: number;
  functions: ModelFunction[];
}

/**
 * A client of a server, or of several servers in turn. `model` is `recipes`, `recipes/3` (a version), or `recipes:stable` (a
 * label). `functionName` may be empty if the model has only one function.
 */
export class Client {
  constructor(address?: string | readonly string[], options?: ClientOptions);
  readonly address: string;
  /** Calls a function with positional arguments and returns its result. */
  call(model: string, functionName: string, args: readonly Argument[], options: CallOptions & { result: 'values' }): Promise<Value>;
  call<Result = any>(model: string, functionName: string, args?: readonly Argument[], options?: CallOptions): Promise<Result>;
  /** Returns a JavaScript function that calls a function of the server. */
  function<Args extends readonly Argument[] = Argument[], Result = any>(
    model: string, functionName?: string, options?: CallOptions): (...args: Args) => Promise<Result>;
  /** Makes a call for each array of arguments over one stream, and yields the results in the order of the calls. */
  stream<Result = any>(
    model: string, functionName: string, calls: Iterable<readonly Argument[]> | AsyncIterable<readonly Argument[]>,
    options?: StreamOptions): AsyncGenerator<Result, void, undefined>;
  /** Returns the models of the server, sorted by name. */
  models(options?: Waiting): Promise<Model[]>;
  /** Returns a model with its functions. */
  describe(model: string, options?: Waiting): Promise<ModelDescription>;
  /** Returns the health of the server, or of a model. */
  health(model?: string, options?: Waiting): Promise<'UNKNOWN' | 'SERVING' | 'NOT_SERVING' | 'SERVICE_UNKNOWN'>;
  /** Waits until the server serves calls. */
  waitUntilServing(timeout?: number): Promise<void>;
  /** Closes the connections. Calls in flight are canceled. */
  close(): Promise<void>;
}

/**
 * Returns a client of the servers at an address: HOST:PORT, unix:PATH, or a list of HOST:PORT, as an array or separated by commas.
 * Nothing is sent before the first call.
 */
export function connect(address?: string | readonly string[], options?: ClientOptions): Client;

export type Code =
  | 'CANCELLED' | 'UNKNOWN' | 'INVALID_ARGUMENT' | 'DEADLINE_EXCEEDED' | 'NOT_FOUND' | 'ALREADY_EXISTS' | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED' | 'FAILED_PRECONDITION' | 'ABORTED' | 'OUT_OF_RANGE' | 'UNIMPLEMENTED' | 'INTERNAL' | 'UNAVAILABLE'
  | 'DATA_LOSS' | 'UNAUTHENTICATED';

/** An error of a call. */
export class SignetError extends Error {
  readonly code: Code;
  /** A word such as MISSING_REQUIRED; may be empty. NOT_CONNECTED and BAD_RESPONSE are errors of the client. */
  readonly reason: string;
  /** The path of the argument that caused the error, such as `recipe.ids`; may be empty. */
  readonly field: string;
  /** The constraint of an op that the call violates; may be empty. */
  readonly constraint: string;
}
export class CancelledError extends SignetError {}
export class InvalidArgumentError extends SignetError {}
export class DeadlineExceededError extends SignetError {}
export class NotFoundError extends SignetError {}
export class PermissionDeniedError extends SignetError {}
export class ResourceExhaustedError extends SignetError {}
export class FailedPreconditionError extends SignetError {}
export class OutOfRangeError extends SignetError {}
export class UnimplementedError extends SignetError {}
export class InternalError extends SignetError {}
export class UnavailableError extends SignetError {}
export class DataLossError extends SignetError {}
export class UnauthenticatedError extends SignetError {}
