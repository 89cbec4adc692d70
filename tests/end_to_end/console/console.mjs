// A person who has only the console finds a model, fills in the form, gets an answer, and learns what is wrong with a bad
// record. Elements are found by role and accessible name only. Screenshots are kept in build/console/screenshots.

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdirSync, renameSync, writeFileSync} from "node:fs";
import {checkNames, checkWidth, newPage, openBrowser} from "./browser.mjs";

// `models` is a directory of models of the server, to which this test adds versions.
const [url, modules, models] = process.argv.slice(2);
const browser = await openBrowser(modules);
const faults = [];

const shot = (page, name) => page.screenshot({path: `${modules}/screenshots/${name}.png`});
const result = (page) => page.getByRole("region", {name: "Result", exact: true});
const cells = async (table) => (await table.getByRole("row").all()).reduce(
  async (rows, row) => [...await rows, await row.getByRole("cell").allInnerTexts()], Promise.resolve([]));

async function openFees(page) {
  await page.goto(url);
  await page.getByRole("searchbox", {name: "Filter models"}).fill("sav");
  await page.getByRole("list", {name: "Models"}).getByRole("link", {name: "savings"}).click();
  await page.getByRole("link", {name: "fees"}).click();
  await page.getByRole("heading", {name: "fees", level: 1}).waitFor();
}

async function findsAModelAndCallsIt() {
  const page = await newPage(browser, {}, faults);
  await page.goto(url);
  await page.getByRole("heading", {name: "Models"}).waitFor();
  await page.getByRole("listitem").filter({hasText: "savings"}).getByText("version 1: available").waitFor();
  await checkNames(page, "models");
  await shot(page, "models");
  await openFees(page);
  await page.getByRole("textbox", {name: "name, row 1"}).fill("Ann");
  await page.getByRole("textbox", {name: "balances, row 1"}).fill("[800, 400]");
  await page.getByRole("button", {name: "Add row"}).click();
  await page.getByRole("textbox", {name: "name, row 2"}).fill("Bo");
  await page.getByRole("textbox", {name: "balances, row 2"}).fill("[]");
  await page.getByRole("button", {name: "Call", exact: true}).click();
  const table = result(page).getByRole("table");
  await table.waitFor();
  assert.deepEqual((await cells(table)).slice(1), [["Ann", "12"], ["Bo", "0"]]);
  await checkNames(page, "function");
  await shot(page, "call");
  return page;
}

async function learnsWhatIsWrong(page) {
  const input = page.getByRole("textbox", {name: "balances, row 2"});
  await input.fill("many");
  await page.getByRole("button", {name: "Call", exact: true}).click();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /accounts\[1\]\.balances/);
  assert.equal(await input.getAttribute("aria-invalid"), "true");
  assert.equal(await page.getByRole("textbox", {name: "balances, row 1"}).getAttribute("aria-invalid"), null);
  await page.getByRole("textbox", {name: "balances, row 2", description: /expected a list for ragged float32.*found text/}).waitFor();
  assert.equal(await input.evaluate((element) => element === document.activeElement), true, "the faulty input has the focus");
  await shot(page, "fault");
  await page.getByRole("button", {name: "Explain"}).click();
  await page.getByText("The call does not fit the function.").waitFor();
  assert.equal(await input.getAttribute("aria-invalid"), "true");
  await input.fill("[100]");
  await page.getByRole("button", {name: "Explain"}).click();
  await page.getByRole("region", {name: "Arguments"}).getByRole("rowheader", {name: "accounts"}).waitFor();
  assert.equal(await input.getAttribute("aria-invalid"), null);
  await shot(page, "explanation");
}

async function seesThePlan(page) {
  await page.getByRole("tab", {name: "Plan"}).click();
  await page.getByRole("button", {name: "Profile a call"}).click();
  const graph = page.getByRole("region", {name: "Graph of the plan"});
  const nodes = graph.getByRole("button", {name: /, .*s, .* % of the time, /});
  await nodes.first().waitFor();
    await nodes.first().focus();
  await page.keyboard.press("Enter");
  await page.getByText("attributes").waitFor();
  await page.getByText("Nodes as a table").click();
  const rows = page.getByRole("region", {name: "Nodes"}).getByRole("row");
  assert.ok(await rows.count() > await nodes.count() + 1, "the table also has the nodes of the loop");
  await page.getByRole("region", {name: "Graph of body 1 of loop"}).getByRole("button", {name: /% of the time/}).first().waitFor();
  await checkNames(page, "plan");
  await shot(page, "plan");
}

async function seesConcreteFunctions(page) {
  await page.getByRole("tab", {name: "Concrete functions"}).click();
  const table = page.getByRole("region", {name: "Concrete functions", exact: true}).getByRole("table");
  await table.waitFor();
  const hits = async () => (await cells(table)).slice(1).reduce((sum, row) => sum + Number(row[2]), 0);
  const before = await hits();
  await page.getByRole("tab", {name: "Call"}).click();
  await page.getByRole("button", {name: "Call", exact: true}).click();
  await result(page).getByText("2 records").waitFor();
  await page.getByRole("tab", {name: "Concrete functions"}).click();
  await page.getByRole("button", {name: "Refresh"}).click();
  for (let i = 0; i < 100 && await hits() <= before; ++i) await page.waitForTimeout(50);
  assert.ok(await hits() > before, "the hits of a concrete function are counted");
  await shot(page, "concrete");
}

async function seesTypes(page) {
  await page.getByRole("tab", {name: "Types"}).click();
  const tree = page.getByRole("list", {name: "Parameters"});
  await tree.getByText("accounts", {exact: true}).waitFor();
  await tree.getByText("float32[(?)]", {exact: true}).waitFor();
  await page.getByRole("list", {name: "Result"}).getByText("fee", {exact: true}).waitFor();
  await shot(page, "types");
}

async function copiesTheCall(page) {
  await page.getByRole("tab", {name: "Copy as"}).click();
  const text = async (kind) => page.getByLabel(`The call as ${kind}`).innerText();
  const expected = [{name: "Ann", fee: 12}, {name: "Bo", fee: 0}];
  assert.deepEqual(JSON.parse(execFileSync("sh", ["-c", await text("curl")])), expected);
  const cli = (await text("CLI")).replace(/^signet/, process.env.SIGNET_CLI);
  assert.deepEqual(JSON.parse(execFileSync("sh", ["-c", cli])), expected);
  const python = (await text("Python")).replace("print(result)", "import json; print(json.dumps(result.to_py()))");
  assert.deepEqual(JSON.parse(execFileSync("/usr/bin/python3", ["-c", python])), expected);
  await page.getByRole("button", {name: "Copy as curl"}).waitFor();
  await shot(page, "copy");
}

async function showsRowsAndHistograms() {
  const page = await newPage(browser, {}, faults);
  await page.goto(`${url}/#/models/half_plus_two/functions/predict`);
  const input = page.getByRole("textbox", {name: "x"});
  await input.fill(JSON.stringify(Array.from({length: 400}, (_, i) => Math.sin(i) * 10)));
  await page.keyboard.press("Control+Enter");
  await page.getByRole("img", {name: /^Histogram of value: 400 values from -3.00 to 7.00/}).waitFor();
  await shot(page, "histogram");
  // A file in place of the text.
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", {name: "Load x from a file"}).click();
  await (await chooser).setFiles({name: "x.json", mimeType: "application/json", buffer: Buffer.from("[1, 3]")});
  await page.getByText("x.json, 6 B").waitFor();
  await page.getByRole("button", {name: "Call", exact: true}).click();
  // The result of the call before is shown until then.
  await page.getByRole("img", {name: /^Histogram/}).waitFor({state: "detached"});
  await result(page).getByRole("rowheader", {name: "2", exact: true}).waitFor();
  assert.deepEqual((await cells(result(page).getByRole("table"))).slice(1), [["2.5"], ["3.5"]]);
  assert.equal(await page.getByRole("img", {name: /^Histogram/}).count(), 0, "two numbers have no histogram");
  await page.getByRole("button", {name: "Remove the file of x"}).click();
  await input.fill("[1, \"a\"]");
  await page.getByRole("button", {name: "Call", exact: true}).click();
  await page.getByRole("textbox", {name: "x", description: /expected a number/}).waitFor();
  await page.goto(`${url}/#/models/cookbook/functions/share_of_total`);
  await page.getByRole("heading", {name: "share_of_total", level: 1}).waitFor();
  await page.getByRole("button", {name: "Fill in the example"}).click();
  await page.getByRole("button", {name: "Call", exact: true}).click();
  await result(page).getByText("2 rows of varying length").waitFor();
  await page.goto(`${url}/#/models/text/functions/topics`);
  await page.getByRole("heading", {name: "topics", level: 1}).waitFor();
  await page.getByRole("button", {name: "Fill in the example"}).click();
  await page.getByRole("button", {name: "Call", exact: true}).click();
  await result(page).getByText("scores", {exact: true}).waitFor();
  await shot(page, "nest");
  await page.context().close();
}

async function showsStatistics() {
  const page = await newPage(browser, {}, faults);
  await page.goto(`${url}/#/statistics`);
  await page.getByRole("rowheader", {name: "savings/fees"}).waitFor();
  const throughput = page.getByRole("img", {name: /^Throughput, calls per second: calls [\d.]*[1-9]/});
  for (let i = 0; i < 200 && !await throughput.isVisible(); ++i) {
    await fetch(`${url}/v1/models/half_plus_two/functions/predict`, {method: "POST", body: "[1, 2]"});
    await page.waitForTimeout(20);
  }
  await throughput.waitFor();
  for (const name of [/^Latency: p50 [\d.]+ [µm]s/, /^Queue depth.*: waiting 0, running/, /^Batch size/]) await page.getByRole("img", {name}).waitFor();
  await page.getByRole("combobox", {name: "Function"}).selectOption("half_plus_two/predict");
  await checkNames(page, "statistics");
  for (let i = 0; i < 150; ++i) {
    await fetch(`${url}/v1/models/half_plus_two/functions/predict`, {method: "POST", body: "[1, 2]"});
    await page.waitForTimeout(i % 40);
  }
  await shot(page, "statistics");
  await page.context().close();
}

// No mouse: Tab and Enter reach a function, fill in its form, and call it.
async function worksWithTheKeyboard() {
  const page = await newPage(browser, {}, faults);
  await page.goto(url);
  await page.getByRole("link", {name: "half_plus_two"}).waitFor();
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") || document.activeElement.innerText);
  async function tabTo(name) {
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press("Tab");
      if ((await focused()).trim() === name) return;
    }
    assert.fail(`Tab does not reach ${name}`);
  }
  await tabTo("half_plus_two");
  await page.keyboard.press("Enter");
  await page.getByRole("link", {name: "predict"}).waitFor();
  await tabTo("predict");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", {name: "x"}).waitFor();
  await tabTo("x");
  await page.keyboard.type("[2, 4]");
  await tabTo("Call");
  await page.keyboard.press("Enter");
  await result(page).getByRole("cell", {name: "4"}).waitFor();
  await page.getByRole("tab", {name: "Call"}).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab", {name: "Plan"}).getAttribute("aria-selected"), "true");
  await page.context().close();
}

// Returns the contrast of the text of an element with the background behind it.
function contrastOf(element) {
  return element.evaluate((node) => {
    const numbers = (color) => color.match(/[\d.]+/g).map(Number);
    const luminance = (color) => numbers(color).slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    let behind = node;
    while (behind && (numbers(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
    const [a, b] = [luminance(getComputedStyle(node).color), luminance(getComputedStyle(behind ?? document.body).backgroundColor)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}

async function worksInBothModesAndOnNarrowScreens() {
  for (const colorScheme of ["light", "dark"]) {
    const page = await newPage(browser, {colorScheme}, faults);
    await openFees(page);
    await page.getByRole("button", {name: "Fill in the example"}).click();
    await page.getByRole("button", {name: "Call", exact: true}).click();
    await result(page).getByRole("table").waitFor();
    for (const element of [page.getByRole("heading", {level: 1}), page.getByRole("button", {name: "Call", exact: true}), page.getByRole("tab", {name: "Plan"}), page.getByRole("columnheader").first()]) {
      assert.ok(await contrastOf(element) >= 4.5, `the text ${await element.innerText()} is readable in ${colorScheme} mode`);
    }
    await shot(page, `call_${colorScheme}`);
    await page.getByRole("button", {name: "Color mode: system"}).click();
    await page.getByRole("button", {name: "Color mode: light"}).click();
    await page.getByRole("button", {name: "Color mode: dark"}).waitFor();
    assert.ok((await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === "rgb(17, 20, 27)", "the button selects dark mode");
    await page.context().close();
  }
  const narrow = await newPage(browser, {viewport: {width: 360, height: 740}, colorScheme: "dark"}, faults);
  await openFees(narrow);
  await narrow.getByRole("button", {name: "Fill in the example"}).click();
  await narrow.getByRole("button", {name: "Call", exact: true}).click();
  await result(narrow).getByRole("table").waitFor();
  await checkWidth(narrow, "a function");
  await shot(narrow, "narrow_call");
  await narrow.getByRole("tab", {name: "Plan"}).click();
  await narrow.getByRole("button", {name: "Profile a call"}).click();
  await narrow.getByRole("region", {name: "Graph of the plan"}).waitFor();
  await checkWidth(narrow, "a plan");
  await shot(narrow, "narrow_plan");
  for (const [name, path] of [["models", ""], ["model", "#/models/recipes"], ["statistics", "#/statistics"]]) {
    await narrow.goto(`${url}/${path}`);
    await narrow.getByRole("heading", {level: 1}).waitFor();
    await narrow.waitForTimeout(300);
    await checkWidth(narrow, name);
    await shot(narrow, `narrow_${name}`);
  }
  await narrow.context().close();
}

async function showsAModelAndFaults() {
  const page = await newPage(browser, {}, faults);
  await page.goto(`${url}/#/models/recipes`);
  await page.getByRole("heading", {name: "Functions"}).waitFor();
  await page.getByRole("region", {name: "Settings"}).getByRole("rowheader", {name: /scheduling\.priority/}).waitFor();
  await page.getByRole("region", {name: "Versions"}).getByText("available").waitFor();
  await shot(page, "model");
  await page.goto(`${url}/#/models/recipe`);
  await page.getByRole("alert").filter({hasText: "did you mean"}).or(page.getByRole("alert").filter({hasText: "not found"})).first().waitFor();
  await page.context().close();
}

// Adds a version at once, as a deployment does.
function addVersion(name, version, text) {
  const folder = `${models}/${name}`;
  mkdirSync(`${models}/../new`, {recursive: true});
  writeFileSync(`${models}/../new/model.signet`, text);
  mkdirSync(folder, {recursive: true});
  renameSync(`${models}/../new`, `${folder}/${version}`);
}

// The page of a model follows the versions while they are loaded. Without a mouse, in dark mode, on a narrow screen.
async function followsVersions() {
  addVersion("growing", 1, "def f(x: float32[]):\n    return nothing\n");
  const options = {viewport: {width: 360, height: 740}, colorScheme: "dark"};
  const page = await newPage(browser, options, faults, /status of (400|404|503)/);
  await page.goto(url);
  await page.getByRole("link", {name: "growing"}).waitFor();
  await page.goto(`${url}/#/models/growing`);
  const versions = page.getByRole("region", {name: "Versions"});
  await versions.getByRole("row").filter({hasText: "Version 1"}).filter({hasText: "failed"}).filter({hasText: "nothing"}).waitFor();
  await page.getByRole("alert").waitFor();
  await checkWidth(page, "a model that is not loaded");
  addVersion("growing", 2, "def f(x: float32[]):\n    return x\n");
  await versions.getByRole("row").filter({hasText: "Version 2"}).filter({hasText: "available"}).waitFor();
  const news = page.getByRole("status").getByRole("link", {name: "Version 2 is loaded now."});
  await news.waitFor();
  await news.focus();
  assert.ok(await contrastOf(news) >= 4.5, "the link is readable in dark mode");
  await shot(page, "narrow_versions");
  await page.keyboard.press("Enter");
  await page.getByRole("list", {name: "Functions"}).getByRole("link", {name: "f"}).waitFor();
  await page.goto(`${url}/#/models/growing`);
  await page.reload();  // otherwise, the elements of the page before could be found
  await page.getByRole("heading", {name: "Functions"}).waitFor();
  // The focus stays where it is while the table changes.
  const link = versions.getByRole("link", {name: "Version 2"});
  await link.focus();
  addVersion("growing", 3, "def f(x: float32[]):\n    return x + 1.0\n");
  await versions.getByRole("link", {name: "Version 3"}).waitFor();
  assert.equal(await link.evaluate((element) => element === document.activeElement), true, "the focus is kept");
  await checkNames(page, "versions");
  await page.context().close();
}

const page = await findsAModelAndCallsIt();
await learnsWhatIsWrong(page);
await seesThePlan(page);
await seesConcreteFunctions(page);
await seesTypes(page);
await copiesTheCall(page);
await page.context().close();
await showsRowsAndHistograms();
await showsAModelAndFaults();
await followsVersions();
await showsStatistics();
await worksWithTheKeyboard();
await worksInBothModesAndOnNarrowScreens();
assert.deepEqual(faults, []);
await browser.close();
console.log("the console works");
