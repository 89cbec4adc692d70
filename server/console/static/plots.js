// Plots in SVG: lines over time, and histograms. Colors come from the style sheet.

import {el, formatNumber, svg} from "./dom.js";

const WIDTH = 460;
const HEIGHT = 170;
const LEFT = 58;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 22;

// Returns about four round numbers from 0 to at least `most`, or to 1 if all values are 0.
function ticks(values) {
  const most = Math.max(0, ...values) || 1;
  const rough = most / 3;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => unit * factor >= rough * 0.999);
  const out = [];
  for (let i = 0; i === 0 || out[out.length - 1] < most * 0.999; ++i) out.push(i * step);
  return out;
}

function yAxis(marks, format) {
  const top = marks[marks.length - 1];
  const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const parts = marks.map((mark) => [
    svg("line", {class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(mark), y2: y(mark)}),
    svg("text", {class: "tick", x: LEFT - 6, y: y(mark) + 4, "text-anchor": "end"}, format(mark)),
  ]);
  return {y, parts};
}

// `series` is [{name, values}], oldest value first; values may be NaN. `seconds` is the time between
// two values, and `length` the number of values that fill the plot.
export function linePlot(title, series, {format = formatNumber, seconds = 1, length = 60} = {}) {
  const known = series.flatMap(({values}) => values).filter(Number.isFinite);
  const {y, parts} = yAxis(ticks(known), format);
  const x = (i, count) => WIDTH - RIGHT - ((count - 1 - i) / Math.max(1, length - 1)) * (WIDTH - LEFT - RIGHT);
  const lines = series.map(({values}, number) => {
    let path = "";
    let is_open = false;
    const shown = values.slice(-length);
    shown.forEach((value, i) => {
      if (!Number.isFinite(value)) {
        is_open = false;
        return;
      }
      path += `${is_open ? "L" : "M"}${x(i, shown.length).toFixed(1)} ${y(value).toFixed(1)}`;
      is_open = true;
    });
    return svg("path", {class: `line line-${number}`, d: path});
  });
  const now = series.map(({name, values}) => `${name} ${format(values.at(-1))}`);
  return el("figure", {class: "plot"},
    el("figcaption", {}, title),
    svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${now.join(", ")}`},
      parts, lines,
      svg("text", {class: "tick", x: LEFT, y: HEIGHT - 6}, `${Math.round((length - 1) * seconds)} s ago`),
      svg("text", {class: "tick", x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end"}, "now")),
    el("ul", {class: "legend"}, series.map(({name, values}, number) =>
      el("li", {class: `key-${number}`}, name, el("b", {}, format(values.at(-1)))))));
}

export function histogram(name, numbers) {
  const least = Math.min(...numbers.slice(0, 100000));
  const most = Math.max(...numbers.slice(0, 100000));
  const bins = Math.max(2, Math.min(24, Math.ceil(Math.sqrt(numbers.length)) + 1));
  const counts = new Array(bins).fill(0);
  for (const number of numbers) {
    counts[Math.min(bins - 1, Math.max(0, Math.floor(((number - least) / (most - least)) * bins)))] += 1;
  }
  const {y, parts} = yAxis(ticks(counts), formatNumber);
  const width = (WIDTH - LEFT - RIGHT) / bins;
  return el("figure", {class: "plot"},
    el("figcaption", {}, name),
    svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Histogram of ${name}: ${numbers.length} values from ${formatNumber(least)} to ${formatNumber(most)}`},
      parts,
      counts.map((count, i) => svg("rect", {class: "bin", x: LEFT + i * width + 1, y: y(count), width: Math.max(1, width - 2), height: HEIGHT - BOTTOM - y(count)},
        svg("title", {}, `${count} from ${formatNumber(least + ((most - least) * i) / bins)}`))),
      svg("text", {class: "tick", x: LEFT, y: HEIGHT - 6}, formatNumber(least)),
      svg("text", {class: "tick", x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end"}, formatNumber(most))));
}
