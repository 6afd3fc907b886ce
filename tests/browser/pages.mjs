// Drive every page of the built site in Chromium: two widths, two colour schemes.
//
// A page must ask no other host for anything, keep its console clean, fit its window, pass axe-core's WCAG 2 A and AA rules,
// typeset its mathematics and describe its figures.  `--shots DIR` keeps a picture of every view.
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, normalize, relative, resolve } from "node:path";
import { chromium } from "playwright-core";
import { operate } from "./explorers.mjs";
import { readClaims, readErrata, readPreviews } from "./reading.mjs";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const site = resolve(here, "../../_build/html");
const arguments_ = process.argv.slice(2);
const shotsAt = arguments_.indexOf("--shots");
const shots = shotsAt >= 0 ? arguments_[shotsAt + 1] : null;
const only = arguments_.filter((value, i) => shotsAt < 0 || (i !== shotsAt && i !== shotsAt + 1));
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const WIDTHS = [1400, 390];
const SCHEMES = ["light", "dark"];
const TALLEST = 14000; // a lesson, solutions folded
// Written by the theme and by Sphinx, not by the course: search and index pages are checked for everything but axe.
const GENERATED = new Set(["search.html", "genindex.html", "py-modindex.html"]);

const TYPES = {
  ".css": "text/css", ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".json": "application/json",
  ".png": "image/png", ".svg": "image/svg+xml", ".woff2": "font/woff2",
};

function pagesBelow(folder) {
  const found = [];
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) {
      if (!name.startsWith("_") || name === "_modules") found.push(...pagesBelow(path));
    } else if (name.endsWith(".html") && (name === "index.html" || !readFileSync(path, "utf8").includes('http-equiv="refresh"'))) {
      found.push(relative(site, path));
    }
  }
  return found;
}

function serve() {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(site, path.endsWith("/") ? path + "index.html" : path);
    if (path === "/favicon.ico") {
      // Chromium asks for it when index.html forwards before its own icon is loaded.
      response.writeHead(204).end();
      return;
    }
    if (!file.startsWith(site) || !existsSync(file) || statSync(file).isDirectory()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

// Everything that is looked up inside the page, in one round trip.
function inspect() {
  const root = document.documentElement;
  const wide = [];
  if (root.scrollWidth > root.clientWidth) {
    for (const element of document.querySelectorAll("body *")) {
      const box = element.getBoundingClientRect();
      if (box.width && box.right > root.clientWidth + 1) wide.push(element.tagName + "." + element.className);
    }
  }
  const mathematics = [...document.querySelectorAll("span.math, div.math")];
  return {
    overflow: root.scrollWidth - root.clientWidth,
    wide: wide.slice(0, 3),
    math: mathematics.length,
    unset: mathematics.filter((e) => !e.querySelector("mjx-container")).map((e) => e.textContent.slice(0, 60)),
    mathErrors: [...document.querySelectorAll("mjx-merror, [data-mjx-error]")].map((e) => e.textContent.slice(0, 80)),
    dumb: [...document.querySelectorAll("article svg, article img")]
      .filter((e) => !e.closest("mjx-container, button, a.headerlink, .sd-octicon") && e.getAttribute("aria-hidden") !== "true")
      .filter((e) => !(e.getAttribute("alt") || e.getAttribute("aria-label") || "").trim())
      .map((e) => e.outerHTML.slice(0, 80)),
    stray: (document.querySelector("article")?.innerText.match(/\$\$|:::|\{prf:|\{exercise|\{cite/g) ?? []).length,
  };
}

// Answer every question, each option once: its reason and no other of the question is shown.
async function answer(page) {
  const faults = [];
  for (const question of await page.locator("fieldset.svt-question").all()) {
    const options = await question.getByRole("radio").all();
    if (await question.locator(".svt-reason:visible").count()) faults.push("question: a reason before an answer");
    for (const [i, option] of options.entries()) {
      if (i) await page.keyboard.press("ArrowDown");
      else await option.check();
      const shown = await question.locator(".svt-reason:visible").allTextContents();
      if (!(await option.isChecked()) || shown.length !== 1) faults.push(`question: option ${i + 1} shows ${shown.length} reasons`);
    }
    const yes = await question.locator(".svt-reason-right").allTextContents();
    if (options.length < 2 || yes.length !== 1 || !yes[0].trim().startsWith("Yes.")) faults.push("question: not one right answer");
  }
  return faults;
}

async function check(browser, origin, name, width, scheme) {
  const faults = [];
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`script error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob|about):/.test(url)) faults.push(`asks another host: ${url}`);
  });
  page.on("response", (response) => response.status() >= 400 && faults.push(`${response.status()}: ${response.url()}`));
  await page.goto(`${origin}/${name}`, { waitUntil: "load" });
  await page.waitForURL((url) => name !== "index.html" || !url.pathname.endsWith("/index.html"), { waitUntil: "load" });
  await page.evaluate(() => window.MathJax?.startup?.promise);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (/^chapters\/[0-8]\d_/.test(name) && width === 1400 && height > TALLEST) faults.push(`a lesson of ${height} pixels, more than ${TALLEST}`);
  // Folded proofs and solutions are part of the page: open them, so that what is inside is checked too.
  await page.evaluate(() => {
    for (const box of document.querySelectorAll("details")) box.open = true;
    for (const box of document.querySelectorAll(".toggle-hidden")) box.classList.remove("toggle-hidden");
  });
  await page.waitForTimeout(100);
  if (scheme === "light") faults.push(...(await answer(page)));
  if (await page.locator("[data-svt-explorer]").count()) faults.push(...(await operate(page)));
  if (name.startsWith("chapters/04_") && width === 1400) faults.push(...(await readPreviews(page)));
  if (name === "book/claims.html") faults.push(...(await readClaims(page)));
  if (name === "book/errata.html" && width === 1400) faults.push(...(await readErrata(page)));
  const seen = await page.evaluate(inspect);
  if (seen.overflow > 0) faults.push(`${seen.overflow} px wider than the window: ${seen.wide.join(", ")}`);
  if (seen.unset.length) faults.push(`${seen.unset.length} of ${seen.math} formulas are not typeset: ${seen.unset[0]}`);
  if (seen.mathErrors.length) faults.push(`formulas with errors: ${seen.mathErrors.join(" | ")}`);
  if (seen.dumb.length) faults.push(`figures without a text alternative: ${seen.dumb.join(" | ")}`);
  if (seen.stray) faults.push(`${seen.stray} pieces of markup shown as text`);
  if (!GENERATED.has(name) && !name.startsWith("_modules/")) {
    await page.evaluate(axeSource);
    const found = await page.evaluate(() =>
      window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], resultTypes: ["violations"] }));
    for (const rule of found.violations) {
      const where = rule.nodes.slice(0, 3).map((node) => node.target.join(" ") + " " + (node.any[0]?.message ?? "")).join(" | ");
      faults.push(`axe ${rule.id} (${rule.nodes.length}): ${where}`);
    }
  }
  if (shots) {
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: join(shots, `${name.replaceAll("/", "_")}.${width}.${scheme}.png`), fullPage: true });
  }
  await context.close();
  return { faults, math: seen.math, height };
}

if (!existsSync(join(site, "index.html"))) {
  console.error("There is no site in _build/html: run 'make book' first.");
  process.exit(2);
}
const executable = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!executable) {
  console.error("No Chromium was found: install it (on Debian: apt install chromium), or say CHROMIUM=/path/to/it.");
  process.exit(2);
}
const server = await serve();
const origin = `http://127.0.0.1:${server.address().port}`;
const launch = () => chromium.launch({
  executablePath: executable,
  args: [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  ],
});
let browser = await launch(), launches = 1;
const pages = pagesBelow(site).filter((name) => !only.length || only.some((part) => name.includes(part)));
const views = pages.flatMap((name) => WIDTHS.flatMap((width) => SCHEMES.map((scheme) => [name, width, scheme])));
console.log(`Chromium ${browser.version()}: ${pages.length} pages, ${views.length} views`);
let passed = 0, failed = 0, formulas = 0;
const queue = [...views];
async function work() {
  for (let view = queue.shift(); view; view = queue.shift()) {
    let faults;
    const used = browser;
    try {
      const result = await check(used, origin, ...view);
      faults = result.faults;
      formulas += result.math;
    } catch (error) {
      // A browser that died says nothing about the page: the view is looked at again in a new one, five times in all.
      if (!used.isConnected() && launches <= 5) {
        if (browser === used) {
          launches += 1;
          console.log(`  the browser died at ${view.join(", ")}; another one goes on`);
          browser = await launch();
        }
        queue.push(view);
        continue;
      }
      faults = [`could not be checked: ${error.message.split("\n")[0]}`];
    }
    if (faults.length) {
      failed += 1;
      console.log([`FAILED ${view[0]} at ${view[1]} px, ${view[2]}`, ...new Set(faults)].join("\n    "));
    } else {
      passed += 1;
    }
    if ((passed + failed) % 20 === 0) console.log(`  ${passed + failed} of ${views.length} views`);
  }
}
await Promise.all([work(), work()]);
await browser.close();
server.close();
// A site without a single formula would mean that this script looks for the wrong elements.
if (!only.length && formulas === 0) {
  failed += 1;
  console.log("FAILED no formula was found on any page");
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
