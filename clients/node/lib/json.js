// toJson: writes arguments as JSON text, including numbers that JSON.stringify loses.

/** Returns the JSON text of a value. A BigInt is written with all digits, and NaN and Infinity as Signet reads them. */
export function toJson(value) {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
  if (value === null || value === undefined) return 'null';
  if (typeof value !== 'object') {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError(`expected a value that JSON can represent, found a ${typeof value}`);
    return text;
  }
  if (typeof value.toJSON === 'function') return toJson(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (ArrayBuffer.isView(value)) return `[${Array.from(value, toJson).join(',')}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`).join(',')}}`;
}
