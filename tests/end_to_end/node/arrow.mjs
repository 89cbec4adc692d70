// Arrow both ways: tables as apache-arrow writes them, and results that it reads. `call` calls a method of the service.
import assert from 'node:assert/strict';
import { checkRandomArrow } from './arrow_random.mjs';

export async function checkArrow(arrow, call) {
  const { Field } = arrow;
  const float = new arrow.Float32();
  const asTable = (rows, fields) => {
    const schema = new arrow.Schema(fields);
    const { data } = arrow.vectorFromArray(rows, new arrow.Struct(fields));
    return new arrow.Table(schema, data.map((part) => new arrow.RecordBatch(schema, part)));
  };
  const asArgument = (table, kind = 'stream') =>
    ({ encoded: { format: 'ARROW_IPC', data: Buffer.from(arrow.tableToIPC(table, kind)) } });
  const ask = async (model, ...args) => {
    const { result } = await call('Call', {
      model: { name: model }, function: model === 'savings' ? 'fees' : '', args,
      result_format: { format: 'ARROW_IPC' } });
    assert.equal(result.encoded.format, 'ARROW_IPC');
    return arrow.tableFromIPC(result.encoded.data);
  };
  // Rows as plain objects, keys in order.
  const rowsOf = (table) => {
    const text = JSON.stringify(table.toArray(), (_, value) => typeof value === 'bigint' ? String(value) : value);
    return JSON.parse(text, (_, value) => value && !Array.isArray(value) && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).sort()) : value);
  };

  const people = [{ name: 'Ann', balances: [800, 400] }, { name: 'Bo', balances: [] }, { name: 'Ann', balances: [50] }];
  const json = { encoded: { format: 'JSON', data: Buffer.from(JSON.stringify(people)) } };
  const fees = rowsOf(await ask('savings', json));
  assert.deepEqual(fees.map(({ name }) => name), ['Ann', 'Bo', 'Ann']);
  const accounts = asTable(people.map((person) => ({ id: null, ...person })), [
    new Field('id', new arrow.Int64(), true),  // passed over
    new Field('name', new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()), true),
    new Field('balances', new arrow.List(new Field('item', float, true)), true)]);
  for (const kind of ['stream', 'file']) {
    assert.deepEqual(rowsOf(await ask('savings', asArgument(accounts, kind))), fees);
  }
  assert.deepEqual(rowsOf(await ask('savings', asArgument(accounts.concat(accounts)))), [...fees, ...fees]);
  assert.deepEqual(rowsOf(await ask('savings', asArgument(accounts.slice(1)))), fees.slice(1));

  // Every kind of column, through a function that gives back what it takes.
  const kinds = asTable([
    { b: true, i: 1, l: 2n ** 60n, f: 0.5, s: 'x', n: [1, 2], k: [[1], []], p: [3, 4], d: { e: 'y', g: [{ h: 7 }] } },
    { b: false, i: -1, l: -1n, f: -0.5, s: '', n: [], k: [], p: [5, 6], d: { e: 'z', g: [] } },
  ], [
    new Field('b', new arrow.Bool()), new Field('i', new arrow.Int8()), new Field('l', new arrow.Int64()),
    new Field('f', new arrow.Float64()), new Field('s', new arrow.Utf8()),
    new Field('n', new arrow.List(new Field('item', new arrow.Uint16()))),
    new Field('k', new arrow.LargeList(new Field('item', new arrow.List(new Field('item', float))))),
    new Field('p', new arrow.FixedSizeList(2, new Field('item', new arrow.Int32()))),
    new Field('d', new arrow.Struct([
      new Field('e', new arrow.LargeUtf8()),
      new Field('g', new arrow.List(new Field('item', new arrow.Struct([new Field('h', new arrow.Int32())]))))])),
  ]);
  assert.deepEqual(rowsOf(await ask('echo', asArgument(kinds))), rowsOf(kinds));

  // What a number or a list stands for is not kept.
  const meant = asTable([{ at: new Date(1500), day: new Date(3 * 86400000), half: 0.5, map: new Map([['k', 7]]) }], [
    new Field('at', new arrow.TimestampMillisecond()), new Field('day', new arrow.DateDay()),
    new Field('half', new arrow.Float16()),
    new Field('map', new arrow.Map_(new Field('entries', new arrow.Struct([
      new Field('key', new arrow.Utf8()), new Field('value', new arrow.Int32())]))))]);
  assert.deepEqual(rowsOf(await ask('echo', asArgument(meant))),
                   [{ at: '1500', day: 3, half: 0.5, map: [{ key: 'k', value: 7 }] }]);

  // A null is rejected where the type has no room for it.
  const nulls = asTable([{ name: null, balances: [1] }], [
    new Field('name', new arrow.Utf8(), true), new Field('balances', new arrow.List(new Field('item', float)))]);
  await assert.rejects(ask('savings', asArgument(nulls)), /argument `accounts`: `name`: expected `string\[\?\]` without nulls, found 1 null;/);

  await checkRandomArrow(arrow, ask, asArgument, 20260101);
}
