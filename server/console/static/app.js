// The console: reads the address after `#` and shows a page.
//
//   #/models                                    the models
//   #/models/M[/versions/V]                     one model
//   #/models/M[/versions/V]/functions/F[/TAB]   one function
//   #/statistics                                plots

import {storeToken, storedToken, whenUnauthenticated} from "./api.js";
import {el} from "./dom.js";
import {showFunction} from "./function_page.js";
import {showModel, showModels} from "./model_pages.js";
import {showStatistics} from "./statistics_page.js";

const main = document.getElementById("main");
let leave = () => {};
let shown = 0;

function parseRoute() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (parts[0] === "statistics") return {page: "statistics"};
  const route = {page: "models", model: parts[1]};
  let next = 2;
  if (parts[next] === "versions") {
    route.version = parts[next + 1];
    next += 2;
  }
  if (parts[next] === "functions") {
    route.name = parts[next + 1];
    route.tab = parts[next + 2];
  }
  return route;
}

function fault(error) {
  return el("section", {class: "card"}, el("h1", {}, error.title ?? "Error"), el("p", {class: "fault", role: "alert"}, error.detail ?? error.message),
    el("button", {type: "button", onclick: () => show()}, "Try again"));
}

async function show() {
  const route = parseRoute();
  shown += 1;
  const number = shown;
  leave();
  leave = () => {};
  document.querySelectorAll("nav a").forEach((link) => {
    if (link.dataset.page === route.page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  // A page receives `isShown`, and returns [title, elements, leave].
  const isShown = () => number === shown;
  try {
    let page;
    if (route.page === "statistics") page = await showStatistics(isShown);
    else if (route.name) page = await showFunction(route, isShown);
    else if (route.model) page = await showModel(route, isShown);
    else page = await showModels(isShown);
    if (!isShown()) return page[2]?.();
    leave = page[2] ?? leave;
    document.title = `${page[0]} – Signet console`;
    main.replaceChildren(...page[1]);
  } catch (error) {
    if (isShown()) main.replaceChildren(fault(error));
    if (!error.title) console.error(error);
  }
}

function askForToken(problem) {
  const input = el("input", {id: "token-input", type: "password", autocomplete: "off", value: storedToken()});
  const dialog = el("dialog", {"aria-label": "Token"},
    el("form", {method: "dialog"},
      el("h2", {}, "Token"),
      el("p", {}, "The server checks who calls. The token is kept until this tab is closed."),
      problem ? el("p", {class: "fault", role: "alert"}, problem.detail) : null,
      el("label", {for: "token-input"}, "Bearer token"), input,
      el("div", {class: "row end"},
        el("button", {type: "button", class: "quiet", onclick: () => dialog.close("cancel")}, "Cancel"),
        el("button", {type: "submit", value: "save", class: "primary"}, "Use token"))));
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue !== "save") return;
    storeToken(input.value.trim());
    show();
    checkHealth();
  });
  const holder = document.getElementById("dialogs");
  if (holder.querySelector("dialog")) return;
  holder.append(dialog);
  dialog.showModal();
}

const MODES = ["system", "light", "dark"];
const ICONS = {system: "◐", light: "☀", dark: "☾"};

function setMode(mode) {
  const button = document.getElementById("theme");
  if (mode === "system") {
    delete document.documentElement.dataset.mode;
    localStorage.removeItem("signet-mode");
  } else {
    document.documentElement.dataset.mode = mode;
    localStorage.setItem("signet-mode", mode);
  }
  button.textContent = ICONS[mode];
  button.setAttribute("aria-label", `Color mode: ${mode}`);
  button.onclick = () => setMode(MODES[(MODES.indexOf(mode) + 1) % MODES.length]);
}

async function checkHealth() {
  const health = document.getElementById("health");
  try {
    const response = await fetch("/readyz", {cache: "no-store"});
    health.textContent = response.ok ? "ready" : "not ready";
    health.className = response.ok ? "badge good" : "badge bad";
    health.title = (await response.text()).trim();
  } catch {
    health.textContent = "no connection";
    health.className = "badge bad";
  }
}

whenUnauthenticated(askForToken);
setMode(localStorage.getItem("signet-mode") ?? "system");
document.getElementById("token").addEventListener("click", () => askForToken());
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => {
  show().then(() => main.focus({preventScroll: true}));
  scrollTo(0, 0);
});
show();
checkHealth();
setInterval(checkHealth, 5000);

