// Look at every page of the built site twice: wide and light, narrow and dark, every second page the other way round.
//
// A page must weigh little and stay where it is, ask no other host for anything, keep its console clean, fit its window, pass axe-core's WCAG 2.2 A and AA rules,
// typeset its mathematics, describe its figures, and run its programs.
import { press } from "./alive.mjs";
import { operate } from "./explorers.mjs";
import { readClaims, readErrata, readPreviews } from "./reading.mjs";
import { PATIENCE, accessible, keep, pagesOf, site, unfold, visit } from "./site.mjs";
import { summary } from "./speed.mjs";

const TALLEST = 14000; // a lesson, solutions folded
const WITH_PROGRAMS = /^chapters\/(0[13-9]|1[0-6])_/;
// Written by the theme and by Sphinx, not by the course: listings, search and index pages are checked for everything but axe.
const GENERATED = /^(_modules\/|(search|genindex|py-modindex)\.html)/;

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
    out: [...document.querySelectorAll("article :not(pre) > code")]
      .filter((e) => e.checkVisibility() && !e.closest("pre, table") && [...e.getClientRects()].some((box) => box.right > e.closest("article").getBoundingClientRect().right + 1))
      .map((e) => e.textContent.slice(0, 40)),
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
async function answer(page, say) {
  for (const question of await page.locator("fieldset.svt-question").all()) {
    const options = await question.getByRole("radio").all();
    if (await question.locator(".svt-reason:visible").count()) say("question: a reason before an answer");
    for (const [i, option] of options.entries()) {
      if (i) await page.keyboard.press("ArrowDown");
      else await option.check();
      const shown = await question.locator(".svt-reason:visible").allTextContents();
      if (!(await option.isChecked()) || shown.length !== 1) say(`question: option ${i + 1} shows ${shown.length} reasons`);
    }
    const yes = await question.locator(".svt-reason-right").allTextContents();
    if (options.length < 2 || yes.length !== 1 || !yes[0].trim().startsWith("Yes.")) say("question: not one right answer");
  }
}

// The programs of a page run as they are printed.
async function runPrograms(page, name, say) {
  const bars = await page.locator(".svt-program").all();
  if (WITH_PROGRAMS.test(name) && !bars.length) say("no program");
  for (const bar of bars) {
    await press(bar, "Run");
    await bar.locator(".svt-run").waitFor({ timeout: PATIENCE }).catch(() => say("a program does not run"));
  }
}

const dark = (page) => page.waitForFunction(() => ["dark", ""].includes(document.documentElement.dataset.theme ?? "")); // the page for wrong addresses has no theme

const speeds = [];
let formulas = 0;
async function arrive(desk, name, width, scheme) {
  const page = await visit(desk, name, { width, scheme });
  await page.waitForURL((url) => name !== "index.html" || !url.pathname.endsWith("/index.html"), { waitUntil: "load" }); // the front door forwards
  await page.evaluate(() => window.MathJax?.startup?.promise);
  await page.waitForTimeout(200); // what still moves
  return desk.measured(site);
}

async function check(desk, name, width, scheme, say, shots) {
  const { page } = desk, wide = width === 1400, lesson = name.startsWith("chapters/");
  let speed = await arrive(desk, name, width, scheme);
  if (speed.faults.length) speed = await arrive(desk, name, width, scheme); // a page that loads for half a minute moves more
  if (name !== "index.html") speed.faults.forEach(say); // which asks twice for the icon, as it forwards
  speeds.push(speed);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (/^chapters\/[0-8]\d_/.test(name) && wide && height > TALLEST) say(`a lesson of ${height} pixels, more than ${TALLEST}`);
  const both = await page.evaluate(() => [...document.querySelectorAll("details:not([open]) > summary > .expanded")].filter((label) => label.checkVisibility()).length);
  if (both) say(`${both} folded cells say "show" and "hide" at once`);
  await unfold(page);
  await page.waitForTimeout(100);
  if (wide) {
    await answer(page, say);
    if (lesson) await runPrograms(page, name, say);
    if (name.startsWith("chapters/04_")) (await readPreviews(page)).forEach(say);
    if (name === "book/claims.html") (await readClaims(page)).forEach(say);
    if (name === "book/errata.html") (await readErrata(page)).forEach(say);
  }
  // An explorer on its own page wide, inside a lesson narrow.
  if (wide !== lesson && (await page.locator("[data-svt-explorer]").count())) (await operate(page)).forEach(say);
  const seen = await page.evaluate(inspect);
  formulas += seen.math;
  if (seen.overflow > 0) say(`${seen.overflow} px wider than the window: ${seen.wide.join(", ")}`);
  if (seen.unset.length) say(`${seen.unset.length} of ${seen.math} formulas are not typeset: ${seen.unset[0]}`);
  if (seen.mathErrors.length) say(`formulas with errors: ${seen.mathErrors.join(" | ")}`);
  if (seen.dumb.length) say(`figures without a text alternative: ${seen.dumb.join(" | ")}`);
  if (seen.out.length) say(`${seen.out.length} words of code stand out of the page: ${seen.out.slice(0, 3).join("; ")}`);
  if (seen.cut.length) say(`${seen.cut.length} outputs are cut: ${seen.cut.slice(0, 3).join("; ")}`);
  if (seen.stray) say(`${seen.stray} pieces of markup shown as text`);
  if (scheme === "dark") await dark(page);
  if (!GENERATED.test(name)) await accessible(page, say);
  await keep(page, shots, `${name}.${width}.${scheme}`);
  if (name === "book/intro.html" && scheme === "light") {
    await page.emulateMedia({ colorScheme: "dark" }); // while one reads
    await dark(page);
    await page.waitForTimeout(400); // colours that fade
    await accessible(page, say);
  }
}

export const looks = (shots) => pagesOf().flatMap((name, k) => [[1400, k % 2], [390, 1 - k % 2]].map(([width, k]) => {
  const scheme = ["light", "dark"][k];
  return { name: `${name} at ${width} px, ${scheme}`, look: (desk, say) => check(desk, name, width, scheme, say, shots) };
}));

// A site without a single formula would mean that this script looks for the wrong elements.
export function afterwards() {
  if (speeds.length) console.log(summary(speeds));
  return formulas ? [] : ["no formula was found on any page"];
}
