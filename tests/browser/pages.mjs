// Drive every page of the built site in Chromium: two widths, two colour schemes.
//
// A page must weigh little and stay where it is, ask no other host for anything, keep its console clean, fit its window, pass axe-core's WCAG 2.2 A and AA rules,
// typeset its mathematics and describe its figures.  `--shots DIR` keeps a picture of every view.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { operate } from "./explorers.mjs";
import { readClaims, readErrata, readPreviews } from "./reading.mjs";
import { launch, pagesOf, serve, watch } from "./site.mjs";
import { measure, summary } from "./speed.mjs";

const arguments_ = process.argv.slice(2);
const shotsAt = arguments_.indexOf("--shots");
const shots = shotsAt >= 0 ? arguments_[shotsAt + 1] : null;
const only = arguments_.filter((value, i) => shotsAt < 0 || (i !== shotsAt && i !== shotsAt + 1));
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const WIDTHS = [1400, 390];
const TALLEST = 14000; // a lesson, solutions folded
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const COLOURS = ["color-contrast", "link-in-text-block"]; // what another theme can change
// Written by the theme and by Sphinx, not by the course: search and index pages are checked for everything but axe.
const GENERATED = new Set(["search.html", "genindex.html", "py-modindex.html"]);

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
    cut: [...document.querySelectorAll(".cell_output pre")]
      .filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 2)
      .map((e) => e.textContent.trim().slice(0, 40)),
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

// What axe-core finds against a set of rules, by tag or by name.
async function accessible(page, runOnly) {
  if (!(await page.evaluate(() => window.axe))) await page.evaluate(axeSource);
  const found = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules, resultTypes: ["violations"] }), runOnly);
  return found.violations.map((rule) => {
    const where = rule.nodes.slice(0, 3).map((node) => node.target.join(" ") + " " + (node.any[0]?.message ?? "")).join(" | ");
    return `axe ${rule.id} (${rule.nodes.length}): ${where}`;
  });
}

async function keep(page, name, width, scheme) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name.replaceAll("/", "_")}.${width}.${scheme}.png`), fullPage: true });
}

// One page at one width: loaded in the light theme, and turned dark where it stands.  Returns the faults of both views.
async function check(browser, origin, name, width) {
  const light = [], dark = [];
  let faults = light;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: "light" });
  const page = await context.newPage();
  watch(page, origin, (fault) => faults.push(fault));
  const measured = await measure(page);
  await page.goto(`${origin}/${name}`, { waitUntil: "load" });
  await page.waitForURL((url) => name !== "index.html" || !url.pathname.endsWith("/index.html"), { waitUntil: "load" });
  await page.evaluate(() => window.MathJax?.startup?.promise);
  await page.waitForTimeout(200); // what still moves
  const speed = await measured();
  if (name !== "index.html") faults.push(...speed.faults); // the front door forwards, and loads twice
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (/^chapters\/[0-8]\d_/.test(name) && width === 1400 && height > TALLEST) faults.push(`a lesson of ${height} pixels, more than ${TALLEST}`);
  const both = await page.evaluate(() => [...document.querySelectorAll("details:not([open]) > summary > .expanded")].filter((label) => label.checkVisibility()).length);
  if (both) faults.push(`${both} folded cells say "show" and "hide" at once`);
  // Folded proofs and solutions are part of the page: open them, so that what is inside is checked too.
  await page.evaluate(() => {
    for (const box of document.querySelectorAll("details")) box.open = true;
    for (const box of document.querySelectorAll(".toggle-hidden")) box.classList.remove("toggle-hidden");
  });
  await page.waitForTimeout(100);
  faults.push(...(await answer(page)));
  if (await page.locator("[data-svt-explorer]").count()) faults.push(...(await operate(page)));
  if (name.startsWith("chapters/04_") && width === 1400) faults.push(...(await readPreviews(page)));
  if (name === "book/claims.html") faults.push(...(await readClaims(page)));
  if (name === "book/errata.html" && width === 1400) faults.push(...(await readErrata(page)));
  const seen = await page.evaluate(inspect);
  if (seen.overflow > 0) faults.push(`${seen.overflow} px wider than the window: ${seen.wide.join(", ")}`);
  if (seen.unset.length) faults.push(`${seen.unset.length} of ${seen.math} formulas are not typeset: ${seen.unset[0]}`);
  if (seen.mathErrors.length) faults.push(`formulas with errors: ${seen.mathErrors.join(" | ")}`);
  if (seen.dumb.length) faults.push(`figures without a text alternative: ${seen.dumb.join(" | ")}`);
  if (seen.cut.length) faults.push(`${seen.cut.length} outputs are cut: ${seen.cut.slice(0, 3).join("; ")}`);
  if (seen.stray) faults.push(`${seen.stray} pieces of markup shown as text`);
  const ours = !GENERATED.has(name) && !name.startsWith("_modules/");
  if (ours) faults.push(...(await accessible(page, { type: "tag", values: WCAG })));
  await keep(page, name, width, "light");
  faults = dark;
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark" || !document.documentElement.dataset.theme, null, { timeout: 60000 });
  await page.waitForTimeout(350); // colours that fade
  if (ours) faults.push(...(await accessible(page, { type: "rule", values: COLOURS })));
  await keep(page, name, width, "dark");
  await context.close();
  return { light, dark, math: seen.math, speed };
}

const { server, origin } = await serve();
const browsers = [await launch(0), await launch(1)];
const pages = pagesOf().filter((name) => !only.length || only.some((part) => name.includes(part)));
// Source files look alike: every other one at each width.
const widths = (name, k) => (name.startsWith("_modules/") ? [WIDTHS[k % 2]] : WIDTHS);
const queue = pages.flatMap((name, k) => widths(name, k).map((width) => [name, width])), views = 2 * queue.length;
console.log(`Chromium ${browsers[0].version()}: ${pages.length} pages, ${views} views`);
let passed = 0, failed = 0, formulas = 0;
const speeds = [];
async function work(browser) {
  for (let view = queue.shift(); view; view = queue.shift()) {
    let result;
    try {
      result = await check(browser, origin, ...view);
      formulas += result.math;
      if (view[0] !== "index.html") speeds.push(result.speed);
    } catch (error) {
      const fault = [`could not be checked: ${error.message.split("\n")[0]}`];
      result = { light: fault, dark: fault };
    }
    for (const scheme of ["light", "dark"]) {
      const faults = result[scheme];
      if (faults.length) {
        failed += 1;
        console.log([`FAILED ${view[0]} at ${view[1]} px, ${scheme}`, ...new Set(faults)].join("\n    "));
      } else {
        passed += 1;
      }
    }
    if ((passed + failed) % 20 === 0) console.log(`  ${passed + failed} of ${views} views`);
  }
}
await Promise.all(browsers.map(work));
for (const browser of browsers) await browser.close();
server.close();
// A site without a single formula would mean that this script looks for the wrong elements.
if (!only.length && formulas === 0) {
  failed += 1;
  console.log("FAILED no formula was found on any page");
}
console.log(summary(speeds));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
