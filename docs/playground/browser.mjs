// The page in a real browser: `node browser.mjs DIRECTORY` after build.sh, with playwright-core and the program in
// CHROMIUM. Pictures are written to the directory, and times are printed.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const TYPES = { ".html": "text/html", ".css": "text/css", ".mjs": "text/javascript", ".js": "text/javascript", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".png": "image/png" };
const root = import.meta.dirname;
const pictures = process.argv[2] ?? "pictures";
mkdirSync(pictures, { recursive: true });

const server = createServer((request, response) => {
  const path = normalize(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html");
  try {
    const body = readFileSync(join(root, path));
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    // As a host of static pages does, so that the icon is there without a network.
    response.writeHead(200, { "content-type": type, "cache-control": "max-age=600" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const address = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const faults = [];

async function open(options = {}, hash = "") {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => request.url().startsWith(address) || request.url().startsWith("data:") || faults.push(`asks for ${request.url()}`));
  const started = Date.now();
  await page.goto(address + hash);
  await shown(page, 1);
  console.log(`ready in ${Date.now() - started} ms`);
  return page;
}

/** Waits until as many answers were shown. */
const shown = (page, count) => page.waitForFunction((count) => Number(document.documentElement.dataset.shown ?? 0) >= count, count);
const answers = (page) => page.evaluate(() => Number(document.documentElement.dataset.shown ?? 0));
const picture = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });

try {
  const page = await open();
  assert.match(await page.textContent("#verdict"), /denied/);
  assert.match(await page.textContent("#report pre"), /violates PodSecurity/);
  assert.ok((await page.locator(".cm-lintRange-error").count()) > 0, "marks");
  assert.match(await page.locator(".cm-lens").first().textContent(), /2 of 2 Pods denied by PodSecurity/);
  const rows = await page.evaluate(() => {
    const report = document.querySelector("#report pre");
    const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(report);
    const height = report.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
    return [Math.round(height / parseFloat(lineHeight)), report.textContent.trimEnd().split("\n").length];
  });
  assert.ok(rows[0] <= rows[1] + 1, `${rows[1]} lines of the report take ${rows[0]} rows`);
  const bottom = async (locator) => locator.boundingBox().then(({ y, height }) => y + height);
  const numbered = page.locator("#manifests .cm-lineNumbers .cm-gutterElement", { hasText: /^8$/ });
  const apart = (await bottom(numbered)) - (await bottom(page.locator("#manifests .cm-line").nth(7)));
  assert.ok(Math.abs(apart) < 2, `the number of a line is ${apart} px from it`);
  await picture(page, "restricted-light");

  for (const name of ["quota", "LimitRange", "a policy in CEL", "SCC", "1.20 PodSecurityPolicy", "upgrade"]) {
    const before = await answers(page);
    await page.click(`#examples >> text="${name}"`);
    await shown(page, before + 1);
    await page.waitForTimeout(400);
    console.log(`${name}: ${await page.textContent("#verdict")}`);
    await picture(page, name.replaceAll(" ", "-"));
  }

  let before = await answers(page);
  await page.click('#examples >> text="a policy in CEL"');
  await shown(page, before + 1);
  await page.click('[aria-controls="policies"]');
  assert.match(await page.textContent("#policies"), /few-replicas/);
  await page.click('[aria-controls="eval"]');
  await page.waitForFunction(() => document.getElementById("value").textContent.startsWith("false"));
  await picture(page, "expression");

  before = await answers(page);
  await page.click('#examples >> text="LimitRange"');
  await shown(page, before + 1);
  await page.click('[aria-controls="stored"]');
  assert.match(await page.textContent("#stored pre"), /# LimitRanger/);
  assert.match(await page.locator(".cm-hint").first().textContent(), /‹LimitRanger›/);
  await picture(page, "stored");
  await page.locator(".cm-line", { hasText: "image: registry" }).first().hover();
  await page.waitForSelector(".cm-tooltip-hover");
  await picture(page, "hover");

  // A skip is offered at the mark, and is an edit.
  await page.mouse.move(0, 0);
  await page.locator(".cm-lintRange-error").first().hover();
  await page.locator(".cm-diagnosticAction", { hasText: "Skip LimitRanger" }).click();
  await page.waitForFunction(() => document.querySelector("#manifests .cm-content").textContent.includes("kadmit.dev/skip"));

  // A place of the report leads to its line.
  before = await answers(page);
  await page.click('#examples >> text="restricted"');
  await shown(page, before + 1);
  await page.click('[aria-controls="cluster"]');
  await page.locator("#report a").first().click();
  assert.ok(await page.isVisible("#manifests .cm-content"));

  // The menus write flags, and the answers follow. No network is needed once the page is there.
  await page.context().setOffline(true);
  const answered = async (choose) => {
    const before = await answers(page);
    await choose();
    await shown(page, before + 1);
    await page.waitForTimeout(400);
    return page.textContent("#verdict");
  };
  const typed = () => page.textContent("#flags .cm-content");
  assert.match(await answered(() => page.click('#examples >> text="restricted"')), /denied/);
  assert.match(await answered(() => page.selectOption("#plugin", "PodSecurity off")), /0 denied/);
  assert.match(await typed(), /--disable-admission-plugins=.*PodSecurity/);
  await picture(page, "flags");
  assert.match(await answered(() => page.selectOption("#plugin", "PodSecurity on")), /[1-9]\d* denied/);
  await answered(() => page.selectOption("#release", "1.30"));
  assert.match(await typed(), /--kubernetes-version=1.30/);
  assert.match(await page.textContent("#report pre"), /1\.30 is emulated/);
  await picture(page, "release-1.30");
  await page.click("#link");
  await page.waitForFunction(() => location.hash.startsWith("#z="));
  await page.context().setOffline(false);
  await answered(() => page.click('#examples >> text="restricted"'));

  // A link has the texts.
  await page.click("#link");
  await page.waitForFunction(() => document.getElementById("linked").textContent !== "");
  const hash = await page.evaluate(() => location.hash);
  assert.match(hash, /^#z=/);
  const other = await open({}, hash);
  assert.equal(await other.textContent("#manifests .cm-content"), await page.textContent("#manifests .cm-content"));
  await other.close();

  // Typing never waits for an evaluation: 500 Pods.
  const pods = Array.from({ length: 500 }, (_, number) => `apiVersion: v1\nkind: Pod\nmetadata: {name: web-${number}, namespace: shop}\nspec: {containers: [{name: web, image: nginx}]}\n`).join("---\n");
  before = await answers(page);
  await page.click("#manifests .cm-content");
  await page.keyboard.press("Control+A");
  const started = Date.now();
  await page.evaluate((text) => navigator.clipboard.writeText(text), pods);
  await page.keyboard.press("Control+V");
  await shown(page, before + 1);
  console.log(`500 Pods: answer after ${Date.now() - started} ms`);
  await page.keyboard.press("Control+Home");
  await page.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    const frame = (now) => {
      window.longest = Math.max(window.longest, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const keys = [];
  for (const letter of "# typed while it evaluates") {
    const pressed = performance.now();
    await page.keyboard.type(letter);
    keys.push(performance.now() - pressed);
    await page.waitForTimeout(100);
  }
  keys.sort((one, other) => one - other);
  const longest = await page.evaluate(() => window.longest);
  console.log(`typing in 500 Pods: keys p50 ${keys[keys.length >> 1].toFixed(0)} ms, max ${keys.at(-1).toFixed(0)} ms; longest frame ${longest.toFixed(0)} ms`);
  await page.close();

  const dark = await open({ colorScheme: "dark" });
  await picture(dark, "restricted-dark");
  await dark.close();
  const narrow = await open({ viewport: { width: 390, height: 844 } });
  const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `the page is ${width} wide`);
  await picture(narrow, "restricted-390");
  await narrow.screenshot({ path: join(pictures, "restricted-390-whole.png"), fullPage: true });
  await narrow.close();
  assert.deepEqual(faults, []);
  console.log("1 passed, 0 failed");
} finally {
  await browser.close();
  server.close();
}
