// The page of one function: the form and its result, the plan, the concrete functions, the types,
// and the call as code.

import {functionPath, get, request} from "./api.js";
import {snippets} from "./copy.js";
import {el, formatBytes, formatNumber, formatSeconds, freshId} from "./dom.js";
import {makeForm} from "./form.js";
import {functionLink, modelLink} from "./model_pages.js";
import {showPlan} from "./plan.js";
import {parseExact, showResult} from "./result.js";
import {breakSignature, prose} from "./text.js";
import {typeTree} from "./types.js";

// Tabs by the pattern of the ARIA Authoring Practices: arrow keys move between them. `entries` is
// [{id, name, panel, open}]; `open` is called each time the tab is selected.
function tabs(label, entries, first) {
  const buttons = entries.map((entry) => {
    entry.key = freshId("tab");
    entry.panel.id = `${entry.key}-panel`;
    entry.panel.setAttribute("role", "tabpanel");
    entry.panel.setAttribute("aria-label", entry.name);
    return el("button", {type: "button", role: "tab", id: entry.key, "aria-controls": entry.panel.id}, entry.name);
  });
  function select(number, focus) {
    entries.forEach((entry, i) => {
      buttons[i].setAttribute("aria-selected", String(i === number));
      buttons[i].tabIndex = i === number ? 0 : -1;
      entry.panel.hidden = i !== number;
    });
    if (focus) buttons[number].focus();
    entries[number].open?.();
  }
  buttons.forEach((button, i) => {
    button.addEventListener("click", () => select(i));
    button.addEventListener("keydown", (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (step) select((i + step + entries.length) % entries.length, true);
    });
  });
  select(Math.max(0, entries.findIndex((entry) => entry.id === first)));
  return [el("div", {class: "tabs", role: "tablist", "aria-label": label}, buttons), entries.map((entry) => entry.panel)];
}

// The port of the server for gRPC, which the server writes into the page.
const grpcPort = document.querySelector("meta[name=signet-grpc-port]").content;

function facts(pairs) {
  return el("dl", {class: "facts"}, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

const NUMBERS = ["Hits", "Time to make", "Memory", "Kernels", "Estimated run"];  // columns

function scrollTable(label, heads, rows) {
  return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label},
    el("table", {}, el("thead", {}, el("tr", {}, heads.map((name) => el("th", {scope: "col", class: NUMBERS.includes(name) ? "number" : undefined}, name)))), el("tbody", {}, rows)));
}

// Browsers offer the clipboard only to pages over HTTPS and of localhost.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const OUTCOMES = {
  EXACT: "A concrete function has exactly the types of the call.",
  SUPERTYPE: "A concrete function accepts the types of the call.",
  SPECIALIZED: "A concrete function was compiled for the types of the call.",
  REFUSED: "The call does not fit the function.",
};

function faultBox(problem, isMarked) {
  return el("div", {class: "faultbox", role: "alert"},
    el("h3", {}, problem.title ?? "Error"),
    el("p", {}, prose(problem.detail)),
    problem.field ? el("p", {}, "Argument: ", el("code", {}, problem.field), isMarked ? " – it is marked in the form." : "") : null,
    el("p", {class: "muted"}, [problem.code, problem.reason].filter(Boolean).join(" · ")));
}

function explanationParts(explanation, form) {
  const parts = [];
  if (explanation.error) parts.push(faultBox(explanation.error, form.mark(explanation.error)));
  parts.push(facts([
    ["outcome", el("span", {}, el("span", {class: `badge ${explanation.error ? "bad" : "good"}`}, explanation.outcome.toLowerCase()), " ", OUTCOMES[explanation.outcome] ?? "")],
    ...(explanation.request_type ? [["types of the call", el("code", {}, explanation.request_type)]] : []),
    ...(explanation.result ? [["result", el("code", {}, explanation.result)]] : []),
  ]));
  if (explanation.arguments?.length > 0) {
    parts.push(el("h3", {}, "Arguments"), scrollTable("Arguments", ["Parameter", "Source", "Given", "Used as"], explanation.arguments.map((argument) => el("tr", {},
      el("th", {scope: "row"}, argument.parameter), el("td", {}, argument.source.toLowerCase()),
      el("td", {}, el("code", {}, argument.given ?? "")), el("td", {}, el("code", {}, argument.bound ?? ""), argument.cast_by ? ` by ${argument.cast_by}` : "")))));
  }
  if (explanation.candidates?.length > 0) {
    parts.push(el("h3", {}, "Concrete functions"), scrollTable("Candidates", ["Type", "Selected", "Why"], explanation.candidates.map((candidate) => el("tr", {},
      el("td", {}, el("code", {}, candidate.type)), el("td", {}, candidate.chosen ? "yes" : "no"), el("td", {}, candidate.why ?? "")))));
  }
  if (explanation.plan) parts.push(el("details", {}, el("summary", {}, "Plan as text"), el("pre", {class: "code"}, explanation.plan)));
  return parts;
}

function stageTimes(headers) {
  const text = headers.get("signet-stage-times");
  if (!text) return null;
  // `decode=0.000080;run=0.000063`, in seconds
  const times = text.split(";").map((part) => part.split("=")).map(([name, seconds]) => `${name} ${formatSeconds(Number(seconds))}`);
  return el("p", {class: "muted stages"}, `On the server: ${times.join(", ")}`);
}

export async function showFunction({model, version, name, tab}, isShown) {
  const path = functionPath(model, version, name);
  const info = await get(path);
  const form = makeForm(info.parameters);
  const output = el("div", {class: "output"}, el("p", {class: "muted"}, "The result appears here. Ctrl+Enter calls the function."));
  const status = el("span", {class: "muted", role: "status"});

  // Runs one request at a time, and shows what `show` returns.
  let running;
  async function run(action, show) {
    form.clear();
    const aborted = {};
    running = aborted;
    status.textContent = "Running…";
    const start = performance.now();
    let parts;
    try {
      const response = await request(path + action, {method: "POST", body: form.body(), headers: {"Signet-Stage-Times": "1"}});
      if (running !== aborted || !isShown()) return undefined;
      status.textContent = `Done in ${formatSeconds((performance.now() - start) / 1000)}`;
      parts = show(response);
    } catch (error) {
      if (!error.title) throw error;
      if (running !== aborted || !isShown()) return undefined;
      status.textContent = "The call failed";
      parts = [faultBox(error, form.mark(error))];
    }
    return parts;
  }

  async function call() {
    const parts = await run("", ({text, headers}) => {
      const value = parseExact(text);
      const json = el("details", {}, el("summary", {}, "JSON"), el("pre", {class: "code"}, text.length > 100000 ? `${text.slice(0, 100000)}…` : JSON.stringify(value, null, 1)));
      return [...showResult(value), json, stageTimes(headers)];
    });
    if (parts) output.replaceChildren(...parts.filter(Boolean));
  }
  async function explain() {
    const parts = await run("/explain", ({json}) => explanationParts(json, form));
    if (parts) output.replaceChildren(...parts);
  }

  const examples = info.example_bodies ?? [];
  const fill = (body) => {
    form.clear();
    form.fill(body);
  };
  const buttons = [
    el("button", {type: "submit", class: "primary"}, "Call"),
    el("button", {type: "button", onclick: explain}, "Explain"),
    ...examples.map((body, i) => el("button", {type: "button", class: "quiet", onclick: () => fill(body)}, examples.length === 1 ? "Fill in the example" : `Fill in example ${i + 1}`)),
  ];
  const callPanel = el("div", {class: "split"},
    el("form", {class: "card", "aria-label": "Arguments", novalidate: true}, form.element, el("div", {class: "row"}, buttons, status)),
    el("section", {class: "card", "aria-label": "Result"}, el("h2", {}, "Result"), output));
  callPanel.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    call();
  });
  callPanel.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      call();
    }
  });

  // The plan of a call with the arguments in the form.
  const plan = el("div", {});
  const planPanel = el("section", {class: "card"},
    el("div", {class: "row"}, el("h2", {}, "Plan"), el("span", {class: "space"}), el("button", {type: "button", class: "primary", onclick: profile}, "Profile a call")),
    el("p", {class: "muted"}, "Calls the function with the arguments of the form, and measures each node of its plan."), plan);
  async function profile() {
    const parts = await run("/profile", ({json, headers}) => [...showPlan(json.plan), stageTimes(headers)]);
    if (parts) plan.replaceChildren(...parts.filter(Boolean));
  }

  const concrete = el("div", {});
  const concretePanel = el("section", {class: "card"},
    el("div", {class: "row"}, el("h2", {}, "Concrete functions"), el("span", {class: "space"}), el("button", {type: "button", onclick: loadConcrete}, "Refresh")), concrete);
  async function loadConcrete() {
    try {
      const found = await get(`${path}/concrete_functions`);
      const purposes = {CALLS: "calls", PARTIAL_CALLS: "calls, needed columns", BATCHES: "batches"};
      concrete.replaceChildren(
        facts([["hits", formatNumber(found.hits + found.supertype_hits)], ["made", formatNumber(found.specializations)], ["dropped", formatNumber(found.evictions)], ["time to make", formatSeconds(found.making_seconds)], ["memory", formatBytes(found.bytes)]]),
        found.concrete_functions.length === 0 ? el("p", {class: "muted"}, "None yet: the first call makes one.") :
          scrollTable("Concrete functions", ["Type", "For", "Hits", "Time to make", "Memory", "Kernels", "Estimated run"], found.concrete_functions.map((one) => el("tr", {},
            el("td", {}, el("code", {}, one.type)), el("td", {}, purposes[one.purpose] ?? one.purpose), el("td", {class: "number"}, formatNumber(one.hits)),
            el("td", {class: "number"}, formatSeconds(one.making_seconds)), el("td", {class: "number"}, formatBytes(one.bytes)), el("td", {class: "number"}, String(one.kernels)),
            el("td", {class: "number"}, formatSeconds(one.estimated_seconds))))));
    } catch (error) {
      concrete.replaceChildren(el("p", {class: "fault", role: "alert"}, error.detail ?? error.message));
    }
  }

  const typesPanel = el("section", {class: "card"}, el("h2", {}, "Parameters"),
    typeTree("Parameters", info.parameters.map((parameter) => [parameter.name, parameter.schema, !parameter.optional])),
    el("h2", {}, "Result"),
    info.result_schema ? typeTree("Result", [["result", info.result_schema, true]]) : el("p", {class: "muted"}, "The type of the result depends on the arguments."));

  const codePanel = el("section", {class: "card"}, el("h2", {}, "The call as code"), el("p", {class: "muted"}, `With the arguments of the form. The command line and Python use gRPC, on port ${grpcPort}.`));
  const codes = el("div", {});
  codePanel.append(codes);
  function showCode() {
    const [positional, keyword] = form.given();
    const all = snippets({origin: location.origin, grpc: `${location.hostname}:${grpcPort}`, path, model, version, name, positional, keyword, body: form.body()});
    codes.replaceChildren(...Object.entries(all).map(([kind, text]) => {
      const copy = el("button", {type: "button", class: "small", onclick: async () => {
        copy.textContent = (await copyText(text)) ? "Copied" : "Select the text, and copy it";
        setTimeout(() => { copy.textContent = `Copy as ${kind}`; }, 1500);
      }}, `Copy as ${kind}`);
      return el("div", {class: "snippet"}, el("div", {class: "row"}, el("h3", {}, kind), el("span", {class: "space"}), copy), el("pre", {class: "code", tabindex: "0", "aria-label": `The call as ${kind}`}, text));
    }));
  }

  const [bar, panels] = tabs("Views of the function", [
    {id: "call", name: "Call", panel: callPanel},
    {id: "plan", name: "Plan", panel: planPanel},
    {id: "concrete", name: "Concrete functions", panel: concretePanel, open: loadConcrete},
    {id: "types", name: "Types", panel: typesPanel},
    {id: "code", name: "Copy as", panel: codePanel, open: showCode},
  ], tab);
  const [title, ...rest] = (info.doc ?? "").split("\n");
  return [`${name} – ${model}`, [
    el("nav", {class: "crumbs", "aria-label": "Path"}, el("a", {href: "#/models"}, "Models"), el("span", {"aria-hidden": "true"}, "/"),
      el("a", {href: modelLink(model, version)}, version ? `${model} version ${version}` : model), el("span", {"aria-hidden": "true"}, "/"), el("a", {href: functionLink(model, version, name), "aria-current": "page"}, name)),
    el("h1", {}, name),
    title ? el("p", {class: "lead"}, prose(title)) : null,
    rest.join("\n").trim() ? el("p", {class: "doc"}, prose(rest.join("\n").trim())) : null,
    el("pre", {class: "signature", tabindex: "0", "aria-label": "Signature"}, el("code", {}, breakSignature(info.signature))),
    bar, ...panels,
  ].filter(Boolean)];
}
