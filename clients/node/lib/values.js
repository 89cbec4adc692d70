// Values: tensors and values that contain tensors, to and from the messages of signet.v1.
import { checkBools, checkColumns, checkedShape, checkOffsets, checkRagged, checkRecords, checkSparse, checkSplits } from './check.js';
import { toJson } from './json.js';
import { badResponse } from './errors.js';

// The array of each dtype, and its number of array elements per element of the tensor.
const ARRAYS = {
  bool: [Uint8Array, 1], int8: [Int8Array, 1], int16: [Int16Array, 1], int32: [Int32Array, 1], int64: [BigInt64Array, 1],
  uint8: [Uint8Array, 1], uint16: [Uint16Array, 1], uint32: [Uint32Array, 1], uint64: [BigUint64Array, 1],
  float16: [Uint16Array, 1], bfloat16: [Uint16Array, 1], float32: [Float32Array, 1], float64: [Float64Array, 1],
  complex64: [Float32Array, 2], complex128: [Float64Array, 2],
};
const DTYPES = [...Object.keys(ARRAYS), 'string'];
// The dtype of a typed array that is an argument itself.
const DTYPE_OF_ARRAY = new Map([
  [Int8Array, 'int8'], [Int16Array, 'int16'], [Int32Array, 'int32'], [BigInt64Array, 'int64'], [Uint8Array, 'uint8'],
  [Uint8ClampedArray, 'uint8'], [Uint16Array, 'uint16'], [Uint32Array, 'uint32'], [BigUint64Array, 'uint64'],
  [Float32Array, 'float32'], [Float64Array, 'float64']]);

const product = (sizes) => sizes.reduce((count, size) => count * size, 1);

/** A dense array. `data` is a typed array in row-major order, or an array of strings. */
export class Tensor {
  constructor(dtype, shape, data) {
    if (!DTYPES.includes(dtype)) throw new TypeError(`expected a dtype (${DTYPES.join(', ')}), found ${dtype}`);
    if (!shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
      throw new RangeError(`expected sizes of at least 0, found [${shape}]`);
    }
    const [Type, perElement] = ARRAYS[dtype] ?? [Array, 1];
    if (!(data instanceof Type)) throw new TypeError(`${dtype}: expected a ${Type.name}, found a ${data?.constructor?.name}`);
    const expected = product(shape) * perElement;
    if (data.length !== expected) {
      throw new RangeError(`${dtype}[${shape}]: expected ${expected} elements in the array, found ${data.length}`);
    }
    this.dtype = dtype;
    this.shape = [...shape];
    this.data = data;
  }

  /** The elements as nested arrays; the element itself for a scalar. A bool is true or false. */
  toArray() {
    const { dtype, shape, data } = this;
    const perElement = ARRAYS[dtype]?.[1] ?? 1;
    const element = (i) => {
      if (dtype === 'bool') return data[i] !== 0;
      return perElement === 1 ? data[i] : Array.from(data.subarray(perElement * i, perElement * (i + 1)));
    };
    const nested = (axis, begin, count) => {
      if (axis === shape.length) return element(begin);
      const step = shape[axis] === 0 ? 0 : count / shape[axis];
      return Array.from({ length: shape[axis] }, (_, i) => nested(axis + 1, begin + i * step, step));
    };
    return nested(0, 0, product(shape));
  }
}

/** Makes a tensor of a typed array, or of nested arrays. */
export function tensor(elements, dtype, shape) {
  if (ArrayBuffer.isView(elements)) {
    const found = dtype ?? DTYPE_OF_ARRAY.get(elements.constructor);
    return new Tensor(found, shape ?? [elements.length / (ARRAYS[found]?.[1] ?? 1)], elements);
  }
  const sizes = [];
  for (let rows = elements; Array.isArray(rows); rows = rows[0]) sizes.push(rows.length);
  const flat = [];
  const collect = (rows, axis) => {
    if (axis === sizes.length) {
      flat.push(rows);
      return;
    }
    if (!Array.isArray(rows) || rows.length !== sizes[axis]) {
      throw new RangeError(`expected lists of ${sizes[axis]} elements in dimension ${axis}; use records or Ragged for rows of other lengths`);
    }
    for (const row of rows) collect(row, axis + 1);
  };
  collect(elements, 0);
  const kinds = { string: 'string', boolean: 'bool', bigint: 'int64', number: 'float32' };
  const found = dtype ?? kinds[typeof flat[0]] ?? 'float32';
  const [Type] = ARRAYS[found] ?? [Array];
  const is64 = Type === BigInt64Array || Type === BigUint64Array;
  return new Tensor(found, shape ?? sizes, Type.from(flat, is64 ? BigInt : found === 'string' ? String : Number));
}

/** Rows of varying length: flat values, and for each ragged dimension, outermost first, the splits of its rows. */
export class Ragged {
  constructor(values, rowSplits) {
    this.values = values;
    this.rowSplits = rowSplits.map((splits) => (splits instanceof BigInt64Array ? splits : BigInt64Array.from(splits, BigInt)));
  }

  /** The rows as nested arrays. */
  toArray() {
    return this.rowSplits.reduceRight((rows, splits) =>
      Array.from({ length: splits.length - 1 }, (_, i) => rows.slice(Number(splits[i]), Number(splits[i + 1]))), this.values.toArray());
  }
}

/** A sparse array: int64 indices [n, rank] in row-major order, values [n], and the dense shape. */
export class Sparse {
  constructor(indices, values, denseShape) {
    Object.assign(this, { indices, values, denseShape: [...denseShape] });
  }
}

/**
 * Records, stored as columns. `shape` has -1 for dimensions whose rows vary, which `rowSplits` contains for dimensions 1 and
 * later. A column does not repeat the splits that it shares with the records.
 */
export class Columns {
  constructor(fields, shape, rowSplits = []) {
    Object.assign(this, { fields, shape: [...shape], rowSplits });
  }
}

/** A value of a type that a model defines. */
export class Extension {
  constructor(typeName, components, statics = {}) {
    Object.assign(this, { typeName, components, statics });
  }
}

const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const splitsMessage = (splits) => ({ dtype: 'DTYPE_INT64', shape: [splits.length], data: bytesOf(splits) });

function tensorMessage({ dtype, shape, data }) {
  const message = { dtype: `DTYPE_${dtype.toUpperCase()}`, shape };
  if (dtype === 'string') return { ...message, strings: data.map((text) => Buffer.from(text)) };
  return { ...message, data: bytesOf(data) };
}

/** The message of an argument. Values without a type of their own are sent as JSON. */
export function argumentMessage(value, rejectUnknownFields = false) {
  if (value instanceof Tensor) return { tensor: tensorMessage(value) };
  if (ArrayBuffer.isView(value) && DTYPE_OF_ARRAY.has(value.constructor)) return { tensor: tensorMessage(tensor(value)) };
  if (Buffer.isBuffer(value)) throw new TypeError('expected a Uint8Array or a string, found a Buffer');
  if (value instanceof Ragged) {
    return { ragged: { values: tensorMessage(value.values), row_splits: value.rowSplits.map(splitsMessage) } };
  }
  if (value instanceof Sparse) {
    const rank = BigInt64Array.from(value.denseShape, BigInt);
    return { sparse: {
      indices: tensorMessage(value.indices), values: tensorMessage(value.values), dense_shape: splitsMessage(rank) } };
  }
  if (value instanceof Columns) {
    const fields = Object.fromEntries(Object.entries(value.fields).map(([name, field]) => [name, argumentMessage(field)]));
    const nrows = value.shape.length > 0 ? value.shape[0] : 0;
    return { structured: { shape: { dims: value.shape }, nrows, row_splits: value.rowSplits.map(splitsMessage), fields } };
  }
  if (value instanceof Extension) {
    const components = Object.entries(value.components).map(([name, part]) => ({ name, value: argumentMessage(part) }));
    return { extension: { name: value.typeName, components, statics: value.statics } };
  }
  return { encoded: { format: 'JSON', data: Buffer.from(toJson(value)), reject_unknown_fields: rejectUnknownFields } };
}

// A typed array over received bytes. They are copied, because they are part of a larger buffer and need not be aligned.
function typedArray(Type, bytes = Buffer.alloc(0)) {
  if (bytes.length % Type.BYTES_PER_ELEMENT !== 0) {
    throw badResponse(`expected a multiple of ${Type.BYTES_PER_ELEMENT} bytes, found ${bytes.length}`);
  }
  return new Type(Uint8Array.prototype.slice.call(bytes).buffer);
}

function tensorOf(message) {
  const dtype = String(message.dtype ?? 'none').replace('DTYPE_', '').toLowerCase();
  const shape = checkedShape(message.shape);
  let data;
  if (dtype !== 'string') {
    if (!Object.hasOwn(ARRAYS, dtype)) throw badResponse(`expected a dtype, found ${message.dtype}`);
    data = typedArray(ARRAYS[dtype][0], message.data);
    if (dtype === 'bool') checkBools(data);
  } else if (message.strings?.length) {
    data = message.strings.map((bytes) => bytes.toString());
  } else {
    const offsets = message.string_offsets?.length > 0 ? Array.from(typedArray(BigInt64Array, message.string_offsets), Number) : [0];
    const bytes = message.data ?? Buffer.alloc(0);
    checkOffsets(offsets, bytes.length);
    data = offsets.slice(1).map((end, i) => bytes.toString('utf8', offsets[i], end));
  }
  const expected = product(shape) * (ARRAYS[dtype]?.[1] ?? 1);
  if (data.length !== expected) throw badResponse(`expected ${expected} elements for ${dtype}[${shape}], found ${data.length}`);
  return new Tensor(dtype, shape, data);
}

function splitsOf(message) {
  const { dtype, shape, data } = tensorOf(message);
  if ((dtype !== 'int64' && dtype !== 'int32') || shape.length !== 1) {
    throw badResponse(`expected a vector of int32 or int64 as row splits, found ${dtype}[${shape}]`);
  }
  const splits = dtype === 'int64' ? data : BigInt64Array.from(data, BigInt);
  checkSplits(splits);
  return splits;
}

const dimsOf = (shape) => (shape?.unknown_rank ? undefined : (shape?.dims ?? []).map(Number).map((size) => (size < 0 ? -1 : size)));

function raggedOf({ values, row_splits: messages = [], shape }, outer) {
  const out = new Ragged(tensorOf(values ?? {}), messages.map(splitsOf));
  checkRagged(out, shape && dimsOf(shape), outer?.splits);
  return out;
}

function sparseOf({ indices = {}, values = {}, dense_shape: shape = {} }) {
  const sizes = tensorOf(shape ?? {});
  if (sizes.dtype !== 'int64' || sizes.shape.length !== 1) throw badResponse('expected an int64 vector as the shape of a sparse value');
  const out = new Sparse(tensorOf(indices ?? {}), tensorOf(values ?? {}), Array.from(sizes.data, Number));
  checkSparse(out);
  return out;
}

// `outer` has the rank and the row splits of the records of which these records are a field.
function columnsOf({ shape, nrows, row_splits: messages = [], fields, field_order: order, optional_fields: optional }, outer) {
  const dims = dimsOf(shape) ?? [];
  const count = outer?.rank > 0 ? outer.rows : Number(nrows ?? 0);
  if (dims.length > 0 && dims[0] !== -1 && dims[0] !== count) throw badResponse(`expected ${dims[0]} records, found ${count}`);
  if (dims.length > 0) dims[0] = count;
  const splits = messages.map(splitsOf);
  const all = checkRecords({ shape: dims, rowSplits: splits }, outer);
  const inner = { rank: dims.length, rows: count, splits: all };
  const out = new Columns(orderedEntries(fields, order, inner), dims, splits);
  checkColumns(out, all, optional);
  return out;
}

function literalOf(message) {
  switch (message.value) {
    case 'int': {
      const number = BigInt(message.int);
      return Number.isSafeInteger(Number(number)) ? Number(number) : number;
    }
    case 'uint': return BigInt(message.uint);
    case 'string': return message.string.toString();
    case undefined: return null;
    default: return message[message.value];
  }
}

// Entries in the order of the type, which the message states unless it is the order of their bytes.
function orderedEntries(map = {}, order = [], outer = undefined) {
  const stated = new Set(order);
  if (stated.size < order.length || !order.every((name) => Object.hasOwn(map, name))) {
    throw badResponse('expected an order that has each name once, and names of fields only');
  }
  const others = Object.keys(map).filter((name) => !stated.has(name)).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return Object.fromEntries([...order, ...others].map((name) => [name, valueOf(map[name], outer)]));
}

function partsOf(named = []) {
  const parts = named.map(({ name = '', value }) => [name, valueOf(value)]);
  if (new Set(parts.map(([name]) => name)).size < parts.length) throw badResponse('expected parts with different names');
  return Object.fromEntries(parts);
}

/** The value of a message. `outer` has the rank and the row splits of the records of which it is a field. */
export function valueOf(message, outer = undefined) {
  switch (message?.kind) {
    case 'tensor': return tensorOf(message.tensor);
    case 'ragged': return raggedOf(message.ragged, outer);
    case 'sparse': return sparseOf(message.sparse);
    case 'structured': return columnsOf(message.structured, outer);
    case 'literal': return literalOf(message.literal);
    case 'list': return (message.list.elements ?? []).map((each) => valueOf(each));
    case 'tuple': return (message.tuple.elements ?? []).map((each) => valueOf(each));
    case 'dict': return orderedEntries(message.dict.items, message.dict.key_order);
    case 'named_tuple': return partsOf(message.named_tuple.fields);
    case 'extension': {
      const { name, statics = {}, components } = message.extension;
      return new Extension(name, partsOf(components), statics);
    }
    default: throw badResponse(`expected a value, found ${message?.kind ?? 'none'}`);
  }
}
