// The list of models, and the page of one model.

import {get} from "./api.js";
import {el, formatBytes} from "./dom.js";
import {breakSignature, prose} from "./text.js";

const POLL = 2000;  // milliseconds

export const modelLink = (name, version) => `#/models/${encodeURIComponent(name)}${version ? `/versions/${version}` : ""}`;
export const functionLink = (model, version, name) => `${modelLink(model, version)}/functions/${encodeURIComponent(name)}`;

const STATES = {AVAILABLE: "good", LOADING: "busy", UNLOADING: "busy", FAILED: "bad", NOT_LOADED: "idle"};

const stateName = (state) => state.toLowerCase().replace("_", " ");

function versionBadge(version) {
  const detail = version.progress ? ` · ${version.progress}` : "";
  return el("span", {class: `badge ${STATES[version.state] ?? ""}`, title: version.reason}, `version ${version.version}: ${stateName(version.state)}${detail}`);
}

function firstLine(text) {
  return (text ?? "").split("\n")[0];
}

function modelCard(model) {
  const faults = model.versions.filter((version) => version.reason).map((version) => el("p", {class: "fault"}, `Version ${version.version}: ${version.reason}`));
  if (model.settings_error) faults.push(el("p", {class: "fault"}, `Settings: ${model.settings_error}`));
  return el("li", {class: "card model"},
    el("h2", {}, el("a", {href: modelLink(model.name)}, model.name)),
    model.doc ? el("p", {class: "muted"}, prose(firstLine(model.doc))) : null,
    el("div", {class: "chips"}, model.versions.map(versionBadge), Object.entries(model.labels ?? {}).map(([label, version]) => el("span", {class: "badge"}, `${label} → ${version}`))),
    faults);
}

export async function showModels(isShown) {
  let models = (await get("/v1/models")).models;
  const list = el("ul", {class: "models", "aria-label": "Models"});
  const filter = el("input", {id: "filter", type: "search", placeholder: "Filter", autocomplete: "off", oninput: () => render()});
  const count = el("span", {class: "muted", role: "status"});
  let last;
  function render() {
    const wanted = filter.value.toLowerCase();
    const selected = models.filter((model) => `${model.name} ${model.doc ?? ""}`.toLowerCase().includes(wanted));
    const text = JSON.stringify([selected, wanted]);
    if (text === last) return;  // keeps the focus
    last = text;
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : undefined;
    list.replaceChildren(...selected.map(modelCard));
    if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    count.textContent = `${selected.length} of ${models.length}`;
  }
  render();
  const timer = setInterval(async () => {
    try {
      models = (await get("/v1/models")).models;
      if (isShown()) render();
    } catch {
      // The badge in the header shows that there is no connection.
    }
  }, POLL);
  const elements = [
    el("div", {class: "row head"}, el("h1", {}, "Models"), el("span", {class: "space"}), count, el("label", {for: "filter", class: "hidden"}, "Filter models"), filter),
    models.length === 0 ? el("p", {class: "muted"}, "The server has no models that you may use.") : null,
    list,
  ].filter(Boolean);
  return ["Models", elements, () => clearInterval(timer)];
}

// Returns [[path, value]] of settings, sorted.
function settingRows(settings, prefix = "") {
  return Object.entries(settings).flatMap(([name, value]) => {
    const path = prefix ? `${prefix}.${name}` : name;
    return value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0 ? settingRows(value, path) : [[path, value]];
  });
}

function originOf(origins, path) {
  const found = Object.keys(origins).filter((one) => path === one || path.startsWith(`${one}.`)).sort((a, b) => b.length - a.length)[0];
  return found ? origins[found].toLowerCase().replace("_", " ") : "";
}

function settingsTable(model) {
  const rows = settingRows(model.settings ?? {});
  if (rows.length === 0) return null;
  return el("section", {class: "card"}, el("h2", {}, "Settings"),
    el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Settings"},
      el("table", {}, el("thead", {}, el("tr", {}, ["Setting", "Value", "Origin"].map((name) => el("th", {scope: "col"}, name)))),
        el("tbody", {}, rows.map(([path, value]) => el("tr", {}, el("th", {scope: "row"}, el("code", {}, path)), el("td", {}, typeof value === "object" ? JSON.stringify(value) : String(value)), el("td", {class: "muted"}, originOf(model.setting_origins ?? {}, path))))))));
}

function functionItem(model, version, info) {
  return el("li", {class: "card"},
    el("h3", {}, el("a", {href: functionLink(model, version, info.name)}, info.name)),
    info.doc ? el("p", {class: "muted"}, prose(firstLine(info.doc))) : null,
    el("pre", {class: "signature"}, el("code", {}, breakSignature(info.signature))));
}

function versionRow(model, one) {
  const isLink = one.state === "AVAILABLE";
  const text = `Version ${one.version}`;
  return el("tr", {},
    el("th", {scope: "row"}, isLink ? el("a", {href: modelLink(model.name, one.version), "aria-current": one.version === model.version ? "true" : undefined}, text) : text),
    el("td", {}, el("span", {class: `badge ${STATES[one.state] ?? ""}`}, stateName(one.state)), one.progress ? ` ${one.progress}` : ""),
    el("td", {}, Object.entries(model.labels ?? {}).filter(([, number]) => number === one.version).map(([label]) => el("span", {class: "badge"}, label))),
    el("td", {class: "number"}, one.memory_bytes ? formatBytes(one.memory_bytes) : ""),
    el("td", {class: one.reason ? "fault" : ""}, one.reason ?? (one.on_demand ? "loaded at its first call" : "")));
}

// Returns [section, update]. `update(model)` shows the versions as they are now.
function versionsTable(model) {
  const rows = el("tbody", {});
  let last;
  function update(now) {
    const text = JSON.stringify([now.versions, now.labels, now.version]);
    if (text === last) return;
    last = text;
    const focused = rows.contains(document.activeElement) ? document.activeElement.getAttribute("href") : undefined;
    rows.replaceChildren(...now.versions.map((one) => versionRow(now, one)));
    if (focused) rows.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }
  update(model);
  const section = el("section", {class: "card"}, el("h2", {}, "Versions"),
    el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Versions"},
      el("table", {}, el("thead", {}, el("tr", {}, ["Version", "State", "Labels", "Memory", "Note"].map((one) => el("th", {scope: "col"}, one)))), rows)));
  return [section, update];
}

// Returns the model, or what the list of models says about it if no version can be described yet.
async function getModel(path, name) {
  try {
    return await get(path);
  } catch (error) {
    const listed = error.status === 401 || error.status === 0 ? undefined : (await get("/v1/models")).models.find((one) => one.name === name);
    if (!listed) throw error;
    return {...listed, fault: error};
  }
}

export async function showModel({model: name, version}, isShown) {
  const path = `/v1/models/${encodeURIComponent(name)}${version ? `/versions/${version}` : ""}/functions`;
  const model = await getModel(path, name);
  const [title, ...rest] = (model.doc ?? "").split("\n");
  const [versions, update] = versionsTable(model);
  const news = el("p", {role: "status"});
  const alert = el("p", {class: "fault", role: "alert", hidden: true});
  // Says why no version can be called. The table says how a load goes on.
  function showFault(now) {
    const isUsable = Boolean(model.functions) || now.versions.some((one) => one.state === "AVAILABLE" || one.state === "LOADING");
    const reason = now.versions.map((one) => one.reason).filter(Boolean).pop();
    const text = isUsable ? "" : reason ?? model.fault?.detail ?? "";
    if (alert.textContent !== text) alert.textContent = text;
    alert.hidden = text === "";
  }
  showFault(model);
  const timer = setInterval(async () => {
    try {
      // The list has the states, and not the functions, which are large.
      const now = (await get("/v1/models")).models.find((one) => one.name === name);
      if (!isShown() || !now) return;
      update({...now, version: model.version});
      showFault(now);
      const newest = Math.max(0, ...now.versions.filter((one) => one.state === "AVAILABLE").map((one) => one.version));
      if (version || newest <= (model.version ?? 0)) return;
      news.replaceChildren(el("a", {href: modelLink(name, newest)}, `Version ${newest} is loaded now.`));
    } catch {
      // The badge in the header shows that there is no connection.
    }
  }, POLL);
  const elements = [
    el("nav", {class: "crumbs", "aria-label": "Path"}, el("a", {href: "#/models"}, "Models"), el("span", {"aria-hidden": "true"}, "/"), el("span", {"aria-current": "page"}, name)),
    el("h1", {}, name, model.version ? el("span", {class: "muted"}, ` version ${model.version}`) : null),
    title ? el("p", {class: "lead"}, title) : null,
    rest.join("\n").trim() ? el("p", {class: "doc"}, prose(rest.join("\n").trim())) : null,
    news,
    alert,
    model.settings_error ? el("p", {class: "fault", role: "alert"}, `Settings: ${model.settings_error}`) : null,
    model.functions ? el("h2", {}, "Functions") : null,
    model.functions ? el("ul", {class: "functions", "aria-label": "Functions"}, model.functions.map((info) => functionItem(name, version, info))) : null,
    versions,
    settingsTable(model),
    model.metadata ? el("section", {class: "card"}, el("h2", {}, "Metadata"), el("dl", {class: "facts"}, Object.entries(model.metadata).map(([key, value]) => [el("dt", {}, key), el("dd", {}, value)]))) : null,
  ].filter(Boolean);
  return [name, elements, () => clearInterval(timer)];
}
