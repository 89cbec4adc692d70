// Live plots of the counters of /v1/statistics: throughput, latency, queues, and batches.

import {get} from "./api.js";
import {el, formatBytes, formatNumber, formatSeconds} from "./dom.js";
import {functionLink} from "./model_pages.js";
import {linePlot} from "./plots.js";

const POLL = 1000;  // milliseconds
const KEPT = 60;    // samples

const keyOf = (one) => `${one.model}/${one.function}`;
const callsOf = (one) => Object.values(one.calls).reduce((sum, count) => sum + count, 0);
const failuresOf = (one) => callsOf(one) - (one.calls.OK ?? 0);

// Returns the sum of the counters of some functions.
function total(functions) {
  const out = {calls: 0, failures: 0, buckets: [], seconds: 0, batches: 0, rows: 0};
  for (const one of functions) {
    out.calls += callsOf(one);
    out.failures += failuresOf(one);
    out.seconds += one.duration.sum;
    one.duration.buckets.forEach((count, i) => { out.buckets[i] = (out.buckets[i] ?? 0) + count; });
    out.batches += one.batch_rows.count;
    out.rows += one.batch_rows.sum;
  }
  return out;
}

// Returns the value below which `share` of the counted values are, within its bucket by
// interpolation.
function percentile(buckets, bounds, share) {
  const count = buckets.reduce((sum, one) => sum + one, 0);
  if (count === 0) return NaN;
  let left = share * count;
  for (let i = 0; i < buckets.length; ++i) {
    if (buckets[i] >= left) {
      const low = i === 0 ? 0 : bounds[i - 1];
      const high = bounds[i] ?? bounds[bounds.length - 1];
      return low + ((high - low) * left) / Math.max(1, buckets[i]);
    }
    left -= buckets[i];
  }
  return bounds[bounds.length - 1];
}

// Returns what happened between two samples.
function between(before, after, key) {
  const selected = (sample) => total(sample.functions.filter((one) => key === "" || keyOf(one) === key));
  const [a, b] = [selected(before), selected(after)];
  const seconds = Math.max(1e-3, after.time - before.time);
  const buckets = b.buckets.map((count, i) => Math.max(0, count - (a.buckets[i] ?? 0)));
  const batches = b.batches - a.batches;
  return {
    throughput: (b.calls - a.calls) / seconds,
    failures: (b.failures - a.failures) / seconds,
    p50: percentile(buckets, after.duration_bounds, 0.5),
    p95: percentile(buckets, after.duration_bounds, 0.95),
    p99: percentile(buckets, after.duration_bounds, 0.99),
    batch: batches > 0 ? (b.rows - a.rows) / batches : NaN,
  };
}

export async function showStatistics(isShown) {
  const samples = [await get("/v1/statistics")];
  const select = el("select", {id: "function"}, el("option", {value: ""}, "all functions"));
  const plots = el("div", {class: "plots wide"});
  const numbers = el("dl", {class: "tiles"});
  const body = el("tbody");
  const note = el("span", {class: "fault", role: "status"});

  function options(functions) {
    const known = new Set([...select.options].map((option) => option.value));
    for (const one of functions) {
      if (!known.has(keyOf(one))) select.append(el("option", {value: keyOf(one)}, keyOf(one)));
    }
  }

  function render() {
    const now = samples[samples.length - 1];
    options(now.functions);
    const changes = samples.slice(1).map((sample, i) => between(samples[i], sample, select.value));
    const values = (name) => changes.map((change) => change[name]);
    const states = samples.slice(1);
    const padded = (list) => (list.length > 0 ? list : [NaN]);
    plots.replaceChildren(
      linePlot("Throughput, calls per second", [{name: "calls", values: padded(values("throughput"))}, {name: "errors", values: padded(values("failures"))}], {length: KEPT}),
      linePlot("Latency", ["p50", "p95", "p99"].map((name) => ({name, values: padded(values(name))})), {length: KEPT, format: formatSeconds}),
      linePlot("Queue depth, calls of all functions", [{name: "waiting", values: padded(states.map((sample) => Object.values(sample.queues).reduce((sum, one) => sum + one, 0)))}, {name: "running", values: padded(states.map((sample) => sample.calls_in_flight))}], {length: KEPT}),
      linePlot("Batch size, rows", [{name: "mean", values: padded(values("batch"))}], {length: KEPT}));
    const tiles = [["calls in flight", now.calls_in_flight], ["compute threads", `${now.compute_calls} of ${now.compute_threads} busy`], ["memory of models", formatBytes(now.model_memory_bytes)], ["calls since the start", formatNumber(total(now.functions).calls)]];
    numbers.replaceChildren(...tiles.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value)))));
    body.replaceChildren(...now.functions.map((one) => {
      const sum = total([one]);
      return el("tr", {}, el("th", {scope: "row"}, el("a", {href: functionLink(one.model, undefined, one.function)}, keyOf(one))),
        [formatNumber(sum.calls), formatNumber(sum.failures), formatSeconds(sum.seconds / Math.max(1, sum.calls)), formatSeconds(percentile(sum.buckets, now.duration_bounds, 0.5)), formatSeconds(percentile(sum.buckets, now.duration_bounds, 0.99)), sum.batches > 0 ? formatNumber(sum.rows / sum.batches) : "–"].map((text) => el("td", {class: "number"}, text)));
    }));
  }

  async function poll() {
    try {
      samples.push(await get("/v1/statistics"));
      if (samples.length > KEPT + 1) samples.shift();
      note.textContent = "";
    } catch (error) {
      note.textContent = error.detail ?? error.message;
    }
    if (isShown()) render();
  }
  select.addEventListener("change", render);
  render();
  let timer;
  const repeat = async () => {
    if (!document.hidden) await poll();
    if (isShown()) timer = setTimeout(repeat, POLL);
  };
  timer = setTimeout(repeat, POLL);
  return ["Statistics", [
    el("div", {class: "row head"}, el("h1", {}, "Statistics"), el("span", {class: "space"}), note, el("label", {for: "function"}, "Function"), select),
    numbers, plots,
    el("section", {class: "card"}, el("h2", {}, "Since the server started"),
      el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Functions"},
        el("table", {}, el("thead", {}, el("tr", {}, ["Function", "Calls", "Errors", "Mean", "p50", "p99", "Rows per batch"].map((name, i) => el("th", {scope: "col", class: i > 0 ? "number" : undefined}, name)))), body))),
  ], () => clearTimeout(timer)];
}
