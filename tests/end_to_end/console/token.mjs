// A server with tokens: the console asks for one, says when it is wrong, and works with the right one.

import assert from "node:assert/strict";
import {newPage, openBrowser} from "./browser.mjs";

const [url, modules] = process.argv.slice(2);
const browser = await openBrowser(modules);
const faults = [];
const page = await newPage(browser, {}, faults);
await page.goto(url);
const dialog = page.getByRole("dialog", {name: "Token"});
await dialog.waitFor();
await dialog.getByLabel("Bearer token").fill("not-the-token");
await dialog.getByRole("button", {name: "Use token"}).click();
await dialog.getByRole("alert").waitFor();
await page.screenshot({path: `${modules}/screenshots/token.png`});
await dialog.getByLabel("Bearer token").fill("secret-of-ann");
await page.keyboard.press("Enter");
await page.getByRole("link", {name: "savings"}).click();
await page.getByRole("link", {name: "fees"}).click();
await page.getByRole("button", {name: "Fill in the example"}).click();
await page.getByRole("button", {name: "Call", exact: true}).click();
await page.getByRole("region", {name: "Result"}).getByRole("table").waitFor();
assert.deepEqual(faults, []);
await browser.close();
