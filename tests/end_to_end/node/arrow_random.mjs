// Random Arrow tables, as apache-arrow writes them, through a server that gives them back: types within types, several
// batches, empty ones, slices; and columns of nulls through a type that has room for them.
import assert from 'node:assert/strict';

// Numbers of a seed: mulberry32.
function makeRandom(seed) {
  return (most) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % most;
  };
}

// What is in a table, as plain rows: bytes and text alike are text, integers are text.
function plain(value) {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return value === null || typeof value !== 'object' ? value : [...value].map(plain);  // a struct is pairs
}
const rowsOf = (table) => [...table].map(plain);

export async function checkRandomArrow(arrow, ask, asArgument, seed) {
  const random = makeRandom(seed);
  const pick = (choices) => choices[random(choices.length)];
  const many = (count, make) => Array.from({ length: count }, make);
  const { Field } = arrow;

  // Each kind: a type, and how to make a value of it.
  const scalars = [
    () => [new arrow.Bool(), () => random(2) === 1],
    () => [new arrow.Int8(), () => random(256) - 128],
    () => [new arrow.Uint16(), () => random(65536)],
    () => [new arrow.Int32(), () => random(2 ** 32) - 2 ** 31],
    () => [new arrow.Int64(), () => BigInt(random(2 ** 32)) * 2n ** 30n],
    () => [new arrow.Uint64(), () => 2n ** 64n - 1n - BigInt(random(9))],
    () => [new arrow.Float32(), () => random(1000) / 8],
    () => [new arrow.Float64(), () => random(1000) / 7],
    () => [new arrow.Utf8(), () => 'é'.repeat(random(4))],
    () => [new arrow.LargeUtf8(), () => 'x'.repeat(random(4))],
    () => [new arrow.Binary(), () => Uint8Array.from(many(random(4), () => 65 + random(26)))],
    () => [new arrow.LargeBinary(), () => Uint8Array.from(many(random(4), () => 65 + random(26)))],
    () => [new arrow.FixedSizeBinary(3), () => Uint8Array.from(many(3, () => 65 + random(26)))],
  ];
  const dictionary = () => [
    new arrow.Dictionary(new arrow.Utf8(), pick([new arrow.Int8(), new arrow.Uint16(), new arrow.Int32()])),
    () => pick(['red', 'green', '', 'blue'])];
  const struct = (depth) => {
    const parts = many(1 + random(3), (_, i) => [String.fromCharCode(97 + i), ...kind(depth - 1)]);
    return [new arrow.Struct(parts.map(([name, type]) => new Field(name, type))),
            () => Object.fromEntries(parts.map(([name, , make]) => [name, make()]))];
  };
  const list = (depth) => {
    const [type, make] = kind(depth - 1);
    const item = new Field('item', type);
    const size = 1 + random(3);
    return pick([
      () => [new arrow.List(item), () => many(random(4), make)],
      () => [new arrow.LargeList(item), () => many(random(4), make)],
      () => [new arrow.FixedSizeList(size, item), () => many(size, make)],
    ])();
  };
  function kind(depth) {
    if (depth > 0 && random(2)) return random(2) ? struct(depth) : list(depth);
    return random(6) ? pick(scalars)() : dictionary();
  }
  // A table of as many rows in each batch, or a slice of it.
  const makeTable = (fields, sizes, make) => {
    const schema = new arrow.Schema(fields);
    const table = new arrow.Table(schema, sizes.flatMap((size) =>
      arrow.vectorFromArray(many(size, make), new arrow.Struct(fields)).data.map((part) =>
        new arrow.RecordBatch(schema, part))));
    return random(2) ? table.slice(random(table.numRows + 1), random(table.numRows + 1)) : table;
  };
  const check = async (model, table, expected, place) => {
    // A file has one dictionary for all of its batches; the writer makes one for each.
    const form = table.batches.length > 1 ? 'stream' : pick(['stream', 'file']);
    const result = await ask(model, asArgument(table, form)).catch((error) => {
      throw new Error(`${place}: ${error.message}`);
    });
    assert.deepEqual(rowsOf(result), expected, place);
  };

  for (let round = 0; round < 300; ++round) {
    const parts = many(1 + random(4), (_, i) => [`c${i}`, ...kind(3)]);
    const table = makeTable(parts.map(([name, type]) => new Field(name, type)), many(1 + random(3), () => random(20)),
                            () => Object.fromEntries(parts.map(([name, , make]) => [name, make()])));
    await check('echo', table, rowsOf(table), `seed ${seed}, round ${round}: ${table.schema}`);
  }

  // A null is a row of length 0, a value one of length 1.
  const optional = (name, type) => new Field(name, type, true);
  const fields = [
    optional('a', new arrow.Int64()), optional('b', new arrow.Bool()), optional('c', new arrow.Utf8()),
    optional('d', new arrow.Dictionary(new arrow.LargeUtf8(), new arrow.Int8())),
    optional('e', new arrow.Struct([optional('f', new arrow.Float64())])),
    optional('g', new arrow.List(optional('item', new arrow.Int32()))),
  ];
  const orNull = (make) => random(3) ? make() : null;
  const rows = (value, of = (part) => part) => value === null ? [] : [of(value)];
  for (let round = 0; round < 100; ++round) {
    const table = makeTable(fields, many(1 + random(3), () => random(40)), () => ({
      a: orNull(() => BigInt(random(99))), b: orNull(() => random(2) === 1), c: orNull(() => 'x'.repeat(random(3))),
      d: orNull(() => pick(['red', '', 'blue'])), e: orNull(() => ({ f: orNull(() => random(9) / 8) })),
      g: orNull(() => many(random(4), () => orNull(() => random(99)))),
    }));
    const expected = rowsOf(table).map((row) => row.map(([name, value]) => [name,
      name === 'e' ? rows(value, ([[f, part]]) => [[f, rows(part)]])
        : name === 'g' ? rows(value, (items) => items.map((item) => rows(item))) : rows(value)]));
    await check('optional', table, expected, `seed ${seed}, round ${round} of nulls`);
  }
}
