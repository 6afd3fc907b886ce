// The site as some read it: without JavaScript, with the keyboard alone, through the search; and ten views that must look as they did.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apart, pagesOf, visit } from "./site.mjs";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;

// Text, figures and the source of formulas are there without a script, and what a script would bring to life says so.
async function withoutScripts(desk, name, say) {
  desk.plain ??= await apart(desk.browser, { viewport: { width: 390, height: 900 }, javaScriptEnabled: false });
  await desk.plain.goto(`${desk.origin}/${name}`, { waitUntil: "load" });
  // Scripts of the page are off, but the protocol may still look at it.
  const seen = await desk.plain.locator("article").first().evaluate((root) => ({
    text: root.innerText.trim().length,
    figures: [...root.querySelectorAll("svg.svt-figure")].filter((figure) => figure.checkVisibility?.() && !figure.getBoundingClientRect().width).length,
    formulas: [...root.querySelectorAll("span.math, div.math")].filter((formula) => !formula.textContent.trim()).length,
    explorers: [...root.querySelectorAll("[data-svt-explorer]")].filter((place) => place.innerText.trim().length < 60).length,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }));
  if (seen.text < 100) say(`${seen.text} characters of text`);
  if (seen.figures) say(`${seen.figures} figures without a width`);
  if (seen.formulas) say(`${seen.formulas} formulas without their source`);
  if (seen.explorers) say("an explorer that says nothing");
  if (seen.wide > 0) say(`${seen.wide} px wider than the window`);
}

// From the top of a lesson to an answer and to a solution, without a mouse.
async function withTheKeyboard(desk, say) {
  const page = await visit(desk, "chapters/03_above_threshold.html");
  await page.waitForFunction(() => window.MathJax?.startup?.promise);
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement.textContent.trim());
  if (!first.startsWith("Skip to main content")) say(`the first stop is ${JSON.stringify(first)}`);
  await page.keyboard.press("Enter");
  const until = async (what, reached, most = 400) => {
    for (let i = 0; i < most; i += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(reached)) return true;
    }
    say(`${most} stops and no ${what}`);
    return false;
  };
  if (await until("question", () => document.activeElement.matches("fieldset.svt-question input"))) {
    await page.keyboard.press("Space");
    const shown = await page.evaluate(() => [...document.activeElement.closest("fieldset").querySelectorAll(".svt-reason")].filter((reason) => reason.checkVisibility()).length);
    if (shown !== 1) say(`an answer by keyboard shows ${shown} reasons`);
  }
  const outlined = () => {
    const style = getComputedStyle(document.activeElement);
    return style.outlineStyle !== "none" || style.boxShadow !== "none";
  };
  if (await until("solution", () => document.activeElement.closest(".solution") && document.activeElement.matches("summary, button"))) {
    if (!(await page.evaluate(outlined))) say("the focus on a solution cannot be seen");
    const height = () => page.evaluate(() => document.activeElement.closest(".solution").getBoundingClientRect().height);
    const folded = await height();
    await page.keyboard.press("Enter");
    await page.waitForTimeout(400);
    if ((await height()) <= folded + 40) say("Enter does not unfold a solution");
  }
}

// What a reader types first, and the page or section that is among the first three found.
const ASKED = {
  gumbel: "18_svt_against_em", "how many queries": "92_questions.html#how-many-queries", "DP-SGD": "25_auditing",
  "which noise": "15_exponential_noise.html#which-noise", OpenDP: "24_from_paper_to_production", sensitivity: "glossary.html#term-global-sensitivity",
  "threshold too low": "21_clipping_bound.html#too-late", "number of yeses": "01_threshold_questions.html#pay-only", "proof of Alg. 1": "04_standard_svt.html#the-proof",
  exercise: "#exercises", "exponential mechanism": "02_computable_privacy.html#tool-2", "monotonic counts": "14_monotonic_and_numbers", "free gap": "17_gaps_gaussians_renyi",
  "split the budget": "13_spending_the_budget", audit: "25_auditing", alignment: "glossary.html#term-alignment", composition: "02_computable_privacy.html#tool-3",
  "floating point": "92_questions.html#does-integer", "Alg. 5": "08_no_noise_no_cutoff.html#alg-5", Renyi: "17_gaps_gaussians_renyi", "clipping bound": "21_clipping_bound",
  "report noisy max": "92_questions.html#why-not-report",
};
async function throughTheSearch(desk, say) {
  const page = await visit(desk, "search.html?q=exponential+mechanism");
  for (const [words, right] of Object.entries(ASKED)) {
    await page.locator(".bd-search-container input[name=q]").fill(words);
    await page.waitForFunction((asked) => document.querySelector("#search-results")?.dataset.asked === asked, words);
    const found = await page.locator("#search-results li > a").evaluateAll((links) => links.slice(0, 3).map((link) => link.getAttribute("href")));
    if (!found.some((address) => address.includes(right))) say(`"${words}" finds ${found.join(", ")}`);
  }
  await page.goto(`${desk.origin}/chapters/04_standard_svt.html`, { waitUntil: "load" });
  await page.keyboard.press("Control+k");
  await page.locator("#pst-search-dialog input").focus();
  await page.keyboard.type("exponential mechanism", { delay: 20 });
  await page.waitForFunction(() => [...document.querySelectorAll("#pst-search-dialog li")].some((row) => /SVT against the exponential mechanism/.test(row.textContent)));
}

// What a view looks like from afar: the lightness of squares of twenty pixels.
const VIEWS = [
  ["book/intro.html", 1400, "light"], ["book/intro.html", 390, "dark"], ["chapters/03_above_threshold.html", 1400, "light"],
  ["chapters/04_standard_svt.html", 390, "light"], ["chapters/12_in_the_wild.html", 1400, "dark"], ["chapters/19_reproducing_lyu_su_li.html", 390, "dark"],
  ["book/claims.html", 1400, "light"], ["book/errata.html", 1400, "dark"], ["book/glossary.html", 390, "light"], ["chapters/91_which_svt.html", 1400, "light"],
];
const SQUARE = 20, DIFFERENT = 32, MOST = 0.04; // of 255, of the squares
async function squaresOf(desk, address, width, scheme) {
  const page = await visit(desk, address, { width, scheme, motion: "reduce" });
  await page.evaluate(() => window.MathJax?.startup?.promise);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(300);
  const picture = (await page.screenshot()).toString("base64");
  return page.evaluate(async ([data, square]) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const [across, down] = [Math.floor(image.width / square), Math.floor(image.height / square)];
    const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const found = [];
    for (let y = 0; y < down; y += 1) {
      for (let x = 0; x < across; x += 1) {
        const { data: pixels } = pen.getImageData(x * square, y * square, square, square);
        let sum = 0;
        for (let i = 0; i < pixels.length; i += 4) sum += 0.299 * pixels[i] + 0.587 * pixels[i + 1] + 0.114 * pixels[i + 2];
        found.push(Math.round(sum / (square * square)));
      }
    }
    return found;
  }, [picture, SQUARE]);
}
const kept = join(here, "looks.json"), now = {};
const before = existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : {};
async function asBefore(desk, address, width, scheme, say) {
  const view = `${address} ${width} ${scheme}`, squares = await squaresOf(desk, address, width, scheme), then = [...Buffer.from(before[view] ?? "", "base64")];
  now[view] = squares;
  const off = squares.filter((value, i) => Math.abs(value - (then[i] ?? 999)) > DIFFERENT).length / squares.length;
  if (then.length !== squares.length || off > MOST) say(`${(100 * off).toFixed(1)} % of the squares look otherwise (if that is wanted: sh tests/browser/run.sh --update)`);
}

// After a change of looks that is wanted.
export function update() {
  const rows = VIEWS.map((view) => view.join(" ")).map((view) => `${JSON.stringify(view)}: ${JSON.stringify(Buffer.from(now[view]).toString("base64"))}`);
  writeFileSync(kept, `{\n${rows.join(",\n")}\n}\n`);
  console.log(`${VIEWS.length} looks are written to tests/browser/looks.json`);
}

export const views = VIEWS.map((view) => ({ name: `as before: ${view.join(" ")}`, look: (desk, say) => asBefore(desk, ...view, say) }));
export const looks = () => [
  { name: "with the keyboard alone", look: withTheKeyboard },
  { name: "through the search", look: throughTheSearch },
  ...pagesOf().filter((name) => /^(book|chapters)\//.test(name)).map((name) => ({ name: `without JavaScript: ${name}`, look: (desk, say) => withoutScripts(desk, name, say) })),
  ...views,
];
