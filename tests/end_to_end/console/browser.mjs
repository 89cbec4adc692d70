// Starts headless Chromium, and reports faults of the page: errors, and violations of its policy.

import assert from "node:assert/strict";
import {createRequire} from "node:module";

export async function openBrowser(modules) {
  const {chromium} = createRequire(`${modules}/`)("playwright-core");
  return chromium.launch({
    executablePath: process.env.SIGNET_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
}

// Returns a page. `faults` receives what went wrong; `expected` is a pattern of messages that the test causes.
export async function newPage(browser, options, faults, expected = /status of (400|401|404)/) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, reducedMotion: "reduce", ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !expected.test(message.text())) faults.push(message.text());
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(page.url() === "about:blank" ? request.url() : page.url()).origin) faults.push(`request to ${request.url()}`);
  });
  return page;
}

// Checks that nothing is wider than the screen, so that the page need not be moved sideways.
export async function checkWidth(page, what) {
  const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(content <= screen, `${what}: ${content} pixels on a screen of ${screen}`);
}

// Checks that each control has an accessible name. One snapshot of the whole page is read, because the page may replace its elements at any time.
export async function checkNames(page, what) {
  const nameless = /^\s*- '?(button|link|textbox|combobox|tab|img|searchbox)\b(?! ")/;
  const snapshot = await page.locator("body").ariaSnapshot();
  assert.match(snapshot, /- '?(button|link) "/, `${what}: the snapshot contains no control: ${snapshot}`);
  for (const line of snapshot.split("\n")) assert.doesNotMatch(line, nameless, `${what}: a control has no accessible name: ${line}`);
}
