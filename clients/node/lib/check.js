// Checks the parts of values in responses. A server that is faulty must not cause wrong values, or need more memory than its messages have.
import { badResponse } from './errors.js';

const MAX_RANK = 32;
// Rows that have no bytes in a message, such as those of a tensor of the shape [1000000000, 0]. As arrays, each needs memory.
const MAX_EMPTY_ROWS = 2 ** 22;

const isSize = (size) => Number.isSafeInteger(size) && size >= 0;

function checkEmptyRows(count) {
  if (count > MAX_EMPTY_ROWS) throw badResponse(`expected at most ${MAX_EMPTY_ROWS} rows without content, found ${count}`);
}

/** Returns the sizes of a tensor, of which the message has texts. */
export function checkedShape(sizes = []) {
  const shape = sizes.slice(0, MAX_RANK + 1).map(Number);
  if (shape.length > MAX_RANK || !shape.every(isSize)) {
    throw badResponse(`expected at most ${MAX_RANK} sizes of at least 0, found [${shape}]`);
  }
  const end = shape.indexOf(0);
  if (end > 0) shape.slice(0, end).reduce((rows, size) => (checkEmptyRows(rows * size), rows * size), 1);
  return shape;
}

export function checkBools(bytes) {
  if (bytes.some((byte) => byte > 1)) throw badResponse('expected 0 or 1 for each bool');
}

/** Checks the offsets of strings in `size` bytes. */
export function checkOffsets(offsets, size) {
  if (offsets[0] !== 0 || offsets.at(-1) !== size || offsets.some((offset, i) => offset < (offsets[i - 1] ?? 0))) {
    throw badResponse(`expected offsets of strings that begin with 0, do not decrease, and end with ${size}`);
  }
}

/** Checks the row splits of a number of rows, or of any number, and returns the number of values. */
export function checkSplits(splits, rows) {
  if (splits.length === 0 || splits[0] !== 0n || splits.some((split, i) => i > 0 && split < splits[i - 1])) {
    throw badResponse('expected row splits that begin with 0 and do not decrease');
  }
  if (rows !== undefined && splits.length !== rows + 1) throw badResponse(`expected row splits of ${rows} rows, found ${splits.length - 1}`);
  return Number(splits.at(-1));
}

/** Checks that all rows have a length, unless it is -1. */
function checkUniform(splits, length, axis) {
  if (length === -1) return;
  if (splits.some((split, i) => i > 0 && Number(split - splits[i - 1]) !== length)) {
    throw badResponse(`expected rows of ${length} elements in dimension ${axis}`);
  }
}

/** Checks a ragged value. `shared` has the row splits of the records of which it is a field, and `dims` the sizes of its type, if stated. */
export function checkRagged({ values, rowSplits }, dims, shared = []) {
  const inner = values.shape.length;
  let all = [...shared, ...rowSplits];
  if (dims) {
    const rank = dims.length - inner;
    const own = Math.max(rank - shared.length, 0);
    if (rank < 0 || dims.length > MAX_RANK || rowSplits.length !== own) throw badResponse(`expected ${own} row splits for the shape [${dims}]`);
    all = all.slice(0, rank);
  }
  if (all.length > 0 && inner === 0) throw badResponse('expected values of rows with at least one dimension');
  let rows = all.length > 0 ? all[0].length - 1 : values.shape[0];
  const first = rows;
  for (const splits of all) rows = checkSplits(splits, rows);
  if (all.length > 0 && rows !== values.shape[0]) throw badResponse(`expected row splits that end with ${values.shape[0]}, the number of values`);
  if (!dims) return;
  if (dims.length > 0 && dims[0] !== -1 && dims[0] !== first) throw badResponse(`expected ${dims[0]} rows, found ${first}`);
  all.forEach((splits, i) => checkUniform(splits, dims[i + 1], i + 1));
  if (dims.slice(all.length + 1).some((size, i) => size !== -1 && size !== values.shape[i + 1])) {
    throw badResponse(`expected the shape [${dims}], found values of the shape [${values.shape}]`);
  }
}

/** Checks a sparse value. */
export function checkSparse({ indices, values, denseShape }) {
  const rank = denseShape.length;
  if (rank > MAX_RANK || !denseShape.every(isSize)) throw badResponse(`expected sizes of at least 0, found [${denseShape}]`);
  const [count, width] = indices.shape;
  if (indices.dtype !== 'int64' || indices.shape.length !== 2 || width !== rank || values.shape.length !== 1 || values.shape[0] !== count) {
    throw badResponse(`expected int64 indices of ${values.shape[0]} values with ${rank} dimensions, found ${indices.dtype}[${indices.shape}]`);
  }
  const at = (row, axis) => indices.data[row * rank + axis];
  for (let row = 0; row < count; ++row) {
    let isAfter = row === 0;
    for (let axis = 0; axis < rank; ++axis) {
      if (at(row, axis) < 0n || at(row, axis) >= BigInt(denseShape[axis])) throw badResponse(`expected indices within [${denseShape}]`);
      if (isAfter) continue;
      if (at(row, axis) < at(row - 1, axis)) break;
      isAfter = at(row, axis) > at(row - 1, axis);
    }
    if (!isAfter) throw badResponse('expected each index once, in row-major order');
  }
}

// The number of rows of a column; undefined if it has none. A column that is ragged or records may have shared row splits only.
const rowsOf = (column, shared) => (column.dtype ? column.shape[0] : shared.length > 0 ? shared[0].length - 1
  : column.fields ? column.shape[0] : column.rowSplits.length > 0 ? column.rowSplits[0].length - 1 : column.values.shape[0]);

/**
 * Checks records. `outer` has the rank and the row splits of the records of which they are a field. Returns the row splits of all dimensions.
 */
export function checkRecords({ shape, rowSplits }, outer) {
  const rank = shape.length;
  const shared = outer?.splits ?? [];
  if (rank > MAX_RANK || rank < (outer?.rank ?? 0) || !shape.every((size) => size === -1 || isSize(size))) {
    throw badResponse(`expected records of the shape [${shape}]`);
  }
  const all = [...shared, ...rowSplits];
  if (all.length !== Math.max(rank - 1, 0)) throw badResponse(`expected ${rank - 1} row splits for the shape [${shape}], found ${all.length}`);
  let rows = shape[0];
  all.forEach((splits, i) => {
    rows = checkSplits(splits, rows);
    checkUniform(splits, shape[i + 1], i + 1);
  });
  return all;
}

/** Checks that the columns have the rows of their records. `splits` has the row splits of all dimensions. */
export function checkColumns({ fields, shape }, splits, optional = []) {
  const rank = shape.length;
  if (rank === 1 && Object.keys(fields).length === 0) checkEmptyRows(shape[0]);
  for (const [name, column] of Object.entries(fields)) {
    const isTensor = column?.dtype !== undefined;
    if (!isTensor && !column?.fields && !(column?.values && column.rowSplits)) throw badResponse(`field ${name}: expected a column`);
    if (rank === 0) continue;
    const rows = rowsOf(column, splits);
    if (rows !== shape[0]) throw badResponse(`field ${name}: expected ${shape[0]} rows, found ${rows ?? 'a scalar'}`);
    if (!isTensor) continue;
    if (column.shape.length < rank) throw badResponse(`field ${name}: expected ${rank} dimensions, found ${column.shape.length}`);
    splits.forEach((each, i) => checkUniform(each, column.shape[i + 1], i + 1));
  }
  for (const name of optional) {
    if (Object.hasOwn(fields, name) && !hasAtMostOne(fields[name], rank, splits)) {
      throw badResponse(`field ${name}: expected 0 or 1 value in each record, because it is optional`);
    }
  }
}

// Whether the rows of a dimension of a column have at most one element.
function hasAtMostOne(column, axis, shared) {
  const splits = column.dtype ? [] : [...shared, ...column.rowSplits];
  if (axis > 0 && axis <= splits.length) return splits[axis - 1].every((split, i) => i === 0 || split - splits[axis - 1][i - 1] <= 1n);
  const shape = axis === 0 && splits.length > 0 ? [splits[0].length - 1] : column.values && !column.dtype ? column.values.shape : column.shape;
  const size = shape[axis === 0 ? 0 : axis - splits.length];
  return size !== undefined && size <= 1;
}
