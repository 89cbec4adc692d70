// Writes files in Arrow, and prints their rows: arrow_files.mjs write|print FILE NODE_MODULES_FOLDER
//
// python_arrow.py uses it, so that the Arrow code of the Python package is tested with streams of another library.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';

const [command, path, modules] = process.argv.slice(2);
const arrow = createRequire(`${modules}/package.json`)('apache-arrow');

if (command === 'write') {
  const { Field } = arrow;
  const fields = [
    new Field('name', new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()), true),
    new Field('balances', new arrow.List(new Field('item', new arrow.Float32(), true)), true)];
  const rows = Array.from({ length: 1000 }, (_, i) => ({
    name: `person ${i % 7}`, balances: Array.from({ length: i % 5 }, (_, k) => 100 * i + k) }));
  const schema = new arrow.Schema(fields);
  const { data } = arrow.vectorFromArray(rows, new arrow.Struct(fields));
  const table = new arrow.Table(schema, data.map((part) => new arrow.RecordBatch(schema, part)));
  writeFileSync(path, arrow.tableToIPC(table, 'stream'));
  process.stdout.write(JSON.stringify(rows));
} else {
  process.stdout.write(JSON.stringify(arrow.tableFromIPC(readFileSync(path)).toArray()));
}
