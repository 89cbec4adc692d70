// Shows a plan as a graph: one box per node, in layers, with the share of the time as a bar; and as
// a table, with the bodies of branches and loops.

import {el, formatBytes, formatSeconds, svg} from "./dom.js";

const BOX_WIDTH = 168;
const BOX_HEIGHT = 50;
const GAP_X = 22;
const GAP_Y = 40;
const MOST_BOXES = 300;  // larger plans are shown as a table only

// Returns the nodes of the picture: inputs, the nodes of the plan, and the results.
function picture(plan) {
  const boxes = [];
  const maker = new Map();
  plan.inputs.forEach((edge) => {
    maker.set(edge.edge, boxes.length);
    boxes.push({kind: "input", title: "input", detail: edge.type, from: []});
  });
  plan.nodes.forEach((node) => {
    const from = [...new Set(node.inputs.map((edge) => maker.get(edge)).filter((one) => one !== undefined))];
    node.outputs.forEach((edge) => maker.set(edge.edge, boxes.length));
    boxes.push({kind: "node", title: node.op, detail: node.outputs.map((edge) => edge.type).join(", "), node, from});
  });
  const from = [...new Set(plan.results.map((edge) => maker.get(edge)).filter((one) => one !== undefined))];
  boxes.push({kind: "result", title: "result", detail: "", from});
  return boxes;
}

function place(boxes) {
  const layers = [];
  boxes.forEach((box) => {
    box.layer = box.from.length === 0 ? 0 : 1 + Math.max(...box.from.map((one) => boxes[one].layer));
    (layers[box.layer] ??= []).push(box);
  });
  const last = boxes[boxes.length - 1];
  const lowest = layers.length - 1;
  if (last.layer < lowest) {
    layers[last.layer].splice(layers[last.layer].indexOf(last), 1);
    last.layer = lowest;
    layers[lowest].push(last);
  }
  const width = Math.max(...layers.map((layer) => layer.length)) * (BOX_WIDTH + GAP_X) + GAP_X;
  layers.forEach((layer, number) => {
    const middle = (box) => (box.from.length === 0 ? 0 : box.from.reduce((sum, one) => sum + (boxes[one].x ?? 0), 0) / box.from.length);
    if (number > 0) layer.sort((a, b) => middle(a) - middle(b));
    const start = (width - layer.length * (BOX_WIDTH + GAP_X) + GAP_X) / 2;
    layer.forEach((box, i) => {
      box.x = start + i * (BOX_WIDTH + GAP_X);
      box.y = GAP_X / 2 + number * (BOX_HEIGHT + GAP_Y);
    });
  });
  return {width, height: layers.length * (BOX_HEIGHT + GAP_Y) - GAP_Y + GAP_X};
}

const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
const sumOf = (plan) => plan.nodes.reduce((sum, node) => sum + node.nanoseconds, 0) || 1;
const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

function describe(node) {
  const rows = [
    ["op", node.op],
    ["attributes", node.attributes ?? "none"],
    ["time", `${formatSeconds(node.nanoseconds * 1e-9)}${node.runs > 1 ? ` in ${node.runs} runs` : ""}`],
    ["estimate", formatSeconds(node.estimated_nanoseconds * 1e-9)],
    ["outputs", node.outputs.map((edge) => `%${edge.edge} ${edge.type} (${formatBytes(edge.bytes)})`).join(", ")],
    ["inputs", node.inputs.map((edge) => (edge < 0 ? "none" : `%${edge}`)).join(", ")],
  ];
  return el("dl", {class: "facts"}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function graph(plan, details, label) {
  const boxes = picture(plan);
  const {width, height} = place(boxes);
  const total = sumOf(plan);
  const edges = boxes.flatMap((box) => box.from.map((one) => {
    const from = boxes[one];
    const [x1, y1, x2, y2] = [from.x + BOX_WIDTH / 2, from.y + BOX_HEIGHT, box.x + BOX_WIDTH / 2, box.y];
    const bend = Math.max(18, (y2 - y1) / 2);
    return svg("path", {class: "edge", d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`});
  }));
  let selected;
  const groups = boxes.map((box) => {
    const share = box.node ? box.node.nanoseconds / total : 0;
    const time = box.node ? formatSeconds(box.node.nanoseconds * 1e-9) : "";
    const label = box.node ? `${box.title}, ${time}, ${percent(share)} of the time, ${box.detail}` : `${box.title} ${box.detail}`.trim();
    const group = svg("g", {class: `box ${box.kind}`, transform: `translate(${box.x} ${box.y})`, role: box.node ? "button" : "img", tabindex: box.node ? "0" : undefined, "aria-label": label},
      svg("rect", {width: BOX_WIDTH, height: BOX_HEIGHT, rx: 8}),
      box.node ? svg("rect", {class: "share", x: 0, y: BOX_HEIGHT - 5, width: Math.max(2, share * BOX_WIDTH), height: 5, rx: 2}) : null,
      svg("text", {x: 10, y: 20, class: "title"}, cut(box.title, 19)),
      svg("text", {x: BOX_WIDTH - 10, y: 37, class: "time", "text-anchor": "end"}, time),
      svg("text", {x: 10, y: 37, class: "detail"}, cut(box.detail, time ? 14 : 21)));
    if (box.node) {
      const select = () => {
        selected?.classList.remove("selected");
        selected = group;
        group.classList.add("selected");
        details.replaceChildren(describe(box.node));
      };
      group.addEventListener("click", select);
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        select();
      });
    }
    return group;
  });
  return el("div", {class: "scroll graph", tabindex: "0", role: "region", "aria-label": label},
    svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${plan.nodes.length} nodes`}, edges, groups));
}

function tableRows(plan, total, depth) {
  return plan.nodes.flatMap((node) => {
    const share = node.nanoseconds / total;
    const meter = el("meter", {min: 0, max: 1, value: share, "aria-label": `Share of ${node.op}`});
    const row = el("tr", {},
      el("td", {class: `depth-${Math.min(depth, 4)}`}, node.op, node.attributes ? el("small", {}, cut(node.attributes, 60)) : null),
      el("td", {class: "number"}, formatSeconds(node.nanoseconds * 1e-9)),
      el("td", {}, meter, " ", percent(share)),
      el("td", {class: "number"}, String(node.runs)),
      el("td", {}, el("code", {}, cut(node.outputs.map((edge) => edge.type).join(", "), 60))));
    return [row, ...(node.bodies ?? []).flatMap((body) => tableRows(body, total, depth + 1))];
  });
}

// Returns the graphs of the bodies of branches and loops.
function bodyGraphs(plan, details) {
  return plan.nodes.flatMap((node) => (node.bodies ?? []).flatMap((body, i) => {
    if (body.nodes.length === 0 || body.runs === 0) return [];
    const name = `Body ${i + 1} of ${node.op}`;
    const runs = `${body.runs} ${body.runs === 1 ? "run" : "runs"}, ${formatSeconds(body.nanoseconds * 1e-9)} in all`;
    return [el("h3", {}, name, el("span", {class: "muted"}, ` – ${runs}`)), body.nodes.length <= MOST_BOXES ? graph(body, details, `Graph of ${name.toLowerCase()}`) : null, ...bodyGraphs(body, details)];
  }));
}

export function showPlan(plan) {
  if (!plan || plan.nodes.length === 0) return [el("p", {class: "muted"}, "The plan has no nodes: the function returns its arguments or constants.")];
  const details = el("div", {class: "details", "aria-live": "polite"}, el("p", {class: "muted"}, "Select a node to see its types and attributes."));
  const parts = [el("p", {}, `${plan.nodes.length} ${plan.nodes.length === 1 ? "node" : "nodes"}, ${formatSeconds(plan.nanoseconds * 1e-9)} in all.`)];
  if (plan.nodes.length <= MOST_BOXES) parts.push(el("div", {class: "planview"}, el("div", {}, graph(plan, details, "Graph of the plan"), bodyGraphs(plan, details)), details));
  parts.push(el("details", {open: plan.nodes.length > MOST_BOXES}, el("summary", {}, "Nodes as a table"),
    el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Nodes"},
      el("table", {}, el("thead", {}, el("tr", {}, ["Node", "Time", "Share", "Runs", "Outputs"].map((name) => el("th", {scope: "col", class: name === "Time" || name === "Runs" ? "number" : undefined}, name)))),
        el("tbody", {}, tableRows(plan, sumOf(plan), 0))))));
  return parts;
}
