// Shows a result: a scalar, a table of records, rows of varying length, and histograms of numbers.

import {el} from "./dom.js";
import {histogram} from "./plots.js";

const PAGE = 100;  // rows that are shown at first
const FEWEST_FOR_HISTOGRAM = 8;  // numbers

// Parses JSON. Integers that a double cannot hold become text.
export function parseExact(text) {
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (token) => (token[0] === '"' ? token : `"${token}"`)));
}

const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function inline(value) {
  if (value === null) return el("span", {class: "muted"}, "null");
  if (Array.isArray(value)) {
    if (value.length === 0) return el("span", {class: "muted"}, "empty");
    const shown = value.slice(0, 24).map((one) => el("span", {class: "chip"}, inline(one)));
    if (value.length > shown.length) shown.push(el("span", {class: "muted"}, `… ${value.length} values`));
    return el("span", {class: "chips"}, shown);
  }
  if (isRecord(value)) return el("code", {}, JSON.stringify(value));
  return String(value);
}

function cell(value) {
  return el("td", {class: typeof value === "number" ? "number" : undefined}, inline(value));
}

function table(caption, heads, rows) {
  const body = el("tbody");
  let shown = 0;
  const more = el("button", {type: "button", class: "small", onclick: () => show()}, "Show more rows");
  function show() {
    const next = rows.slice(shown, shown + PAGE);
    body.append(...next.map((row, i) => el("tr", {}, el("th", {scope: "row"}, String(shown + i + 1)), row.map(cell))));
    shown += next.length;
    more.hidden = shown >= rows.length;
  }
  show();
  return el("div", {},
    el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads.map((name, i) => el("th", {scope: "col", class: i > 0 && rows.length > 0 && typeof rows[0][i - 1] === "number" ? "number" : undefined}, name)))), body)),
    more);
}

function numbersIn(value, into = []) {
  if (typeof value === "number") into.push(value);
  else if (Array.isArray(value)) value.forEach((one) => numbersIn(one, into));
  return into;
}

function histograms(columns) {
  const plots = columns
    .map(([name, values]) => [name, numbersIn(values)])
    .filter(([, numbers]) => numbers.length >= FEWEST_FOR_HISTOGRAM && numbers.some((one) => one !== numbers[0]))
    .map(([name, numbers]) => histogram(name, numbers));
  return plots.length > 0 ? el("div", {class: "plots"}, plots) : null;
}

function records(value) {
  const names = [...new Set(value.flatMap((record) => Object.keys(record)))];
  return [
    table(`${value.length} ${value.length === 1 ? "record" : "records"}`, ["#", ...names], value.map((record) => names.map((name) => record[name] ?? null))),
    histograms(names.map((name) => [name, value.map((record) => record[name])])),
  ];
}

function rows(value) {
  const width = Math.max(...value.map((row) => row.length));
  const isFlat = value.every((row) => row.every((one) => !Array.isArray(one))) && width <= 32;
  const is_ragged = value.some((row) => row.length !== width);
  const caption = is_ragged ? `${value.length} rows of varying length` : `${value.length} × ${width} values`;
  if (!isFlat) return [table(caption, ["#", "values"], value.map((row) => [row])), histograms([["values", value]])];
  const heads = ["#", ...Array.from({length: width}, (_, i) => String(i))];
  return [table(caption, heads, value), histograms([["values", value]])];
}

export function showResult(value) {
  if (Array.isArray(value) && value.length > 0) {
    if (value.every(isRecord)) return records(value);
    if (value.every(Array.isArray)) return rows(value);
    return [table(`${value.length} ${value.length === 1 ? "value" : "values"}`, ["#", "value"], value.map((one) => [one])), histograms([["value", value]])];
  }
  if (Array.isArray(value)) return [el("p", {class: "muted"}, "The result is empty.")];
  if (isRecord(value)) {
    return [el("dl", {class: "parts"}, Object.entries(value).map(([name, part]) => [
      el("dt", {}, name),
      el("dd", {}, Array.isArray(part) || isRecord(part) ? showResult(part) : inline(part)),
    ]))];
  }

  return [el("p", {class: "scalar"}, inline(value))];
}
