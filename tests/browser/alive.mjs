// The programs on the pages in a real Chromium: twenty are typed and judged, the chapters' are run as printed, and each way in and out is tried.
//
// What svtlib says of the twenty is held by tests/test_alive.py.  `--shots DIR` keeps pictures.
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, serve, site, watch } from "./site.mjs";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const twenty = JSON.parse(readFileSync(new URL("twenty.json", import.meta.url), "utf8"));
const shots = process.argv.includes("--shots") ? process.argv[process.argv.indexOf("--shots") + 1] : null;
const PAGE = "book/is_your_svt_private.html";
const MOST = 700_000; // bytes that the first click may bring
const LATE = 10_000; // milliseconds for one verdict, on a slow machine with other work
const MARKS = { true: "✓ private", false: "✗ not private" };

const { server, origin } = await serve();
const browser = await launch();
const faults = [];
const fault = (where, what) => faults.push(`${where}: ${what}`);

async function opened(name, { width = 1400, scheme = "light", script = true, hash = "", prepare, context: same } = {}) {
  const context = same ?? await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, javaScriptEnabled: script });
  const page = await context.newPage();
  watch(page, origin, (what) => fault(name, what));
  await prepare?.(page, context);
  await page.goto(`${origin}/${name}${hash}`, { waitUntil: "load" });
  return page;
}
const program = (page, name) => page.locator(".svt-program", { has: page.getByRole("group", { name: new RegExp(`Program .*\\b${name}\\b`) }) }).first();
const press = (bar, name) => bar.getByRole("button", { name, exact: true }).first().click();
const verdict = async (bar) => {
  await bar.locator(".svt-verdict-box:not(.svt-stale) :is(strong), .svt-verdict-box.svt-open:not(.svt-stale)").first().waitFor({ timeout: LATE });
  return bar.locator(".svt-verdict-box").textContent();
};
async function type(bar, text) {
  const area = bar.locator("textarea");
  await area.focus();
  await area.press("Control+a");
  await bar.page().keyboard.insertText(text);
}
async function axe(page, where) {
  if (!(await page.evaluate(() => window.axe))) await page.evaluate(axeSource);
  const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"] }));
  for (const rule of found.violations) fault(where, `axe ${rule.id}: ${rule.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(" | ")}`);
}

// Nothing before the first click, and not much after it; then twenty programs, typed.
let first = 0, longest = 0;
{
  let bytes = 0;
  const loaded = [];
  const page = await opened(PAGE, { prepare: (one) => one.on("response", (response) => {
    if (!/_static\/(alive|vendor\/micropython)\//.test(response.url()) || response.url().includes("alive.js")) return;
    loaded.push(response.url());
    bytes += statSync(join(site, new URL(response.url()).pathname)).size;
  }) });
  if (loaded.length) fault("first click", `loaded before it: ${loaded[0]}`);
  const bar = program(page, "my_svt");
  await press(bar, "Judge");
  await verdict(bar);
  first = bytes;
  if (!loaded.length || first > MOST) fault("first click", `brings ${first} bytes`);
  for (const one of twenty) {
    await type(bar, `${one.text.join("\n")}\n`);
    await bar.getByLabel("c", { exact: true }).fill(String(one.c));
    const started = Date.now();
    await press(bar, "Judge");
    const said = await verdict(bar);
    longest = Math.max(longest, Date.now() - started);
    if (!said.startsWith(MARKS[one.private])) fault(one.name, said.slice(0, 200));
    if (one.private === false && !/on D and .* on D′/.test(said)) fault(one.name, "no pair");
  }

  // A loop without end is stopped, an error has its line, and the page goes on.
  await type(bar, "def f(answers, rng):\n    while True:\n        pass\n");
  await press(bar, "Run");
  const ended = await verdict(bar);
  if (!/^Line \d: It does not end|within two seconds/.test(ended)) fault("endless", ended);
  await type(bar, "def f(answers, rng):\n    said = []\n    return sayd\n");
  await press(bar, "Run");
  const said = await verdict(bar);
  if (!/^Line 3: It uses sayd/.test(said) || !(await bar.locator(".svt-fault").count())) fault("error", said);

  // By keyboard: into the text, a new line with its indent, and out again.
  await bar.locator("textarea").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("def f(answers, rng):\nreturn [a + rng.laplace(0, 1) >= 0 for a in answers]");
  if (!(await bar.locator("textarea").inputValue()).includes("\n    return")) fault("keyboard", "no indent");
  await page.keyboard.press("Tab");
  if (await page.evaluate(() => document.activeElement.matches("textarea"))) fault("keyboard", "Tab does not leave the text");

  // A repair is remembered, and the address carries a program.
  const mend = program(page, "no_stop");
  await press(mend, "Edit");
  await type(mend, (await mend.locator("textarea").inputValue()).replace("    return said", "        if sum(said) == c:\n            break\n    return said"));
  await press(mend, "Judge");
  if (!(await verdict(mend)).startsWith("✓ private for every number of queries")) fault("repair", await verdict(mend));
  await press(mend, "Link");
  await page.waitForFunction(() => location.hash.includes("program="));
  const hash = new URL(page.url()).hash;
  await page.reload();
  if (!(await page.locator("#svt-progress").textContent()).startsWith("1 of 10")) fault("repair", "is forgotten");
  const again = await opened(PAGE, { context: page.context() });
  await press(program(again, "no_stop"), "Judge"); // what is shown is judged, and not what was typed last time
  if (!(await verdict(program(again, "no_stop"))).startsWith("✗")) fault("reload", await verdict(program(again, "no_stop")));
  await press(program(again, "no_stop"), "Last time’s");
  if (!(await program(again, "no_stop").locator("textarea").inputValue()).includes("sum(said) == c")) fault("repair", "its text is forgotten");
  await press(program(again, "no_stop"), "As it was");
  if ((await program(again, "no_stop").locator("textarea").inputValue()).includes("sum(said) == c")) fault("repair", "As it was");
  await again.close();
  const arrived = await opened(PAGE, { hash });
  const there = program(arrived, "no_stop");
  if (!(await verdict(there)).startsWith("✓ private")) fault("link", "another verdict");
  if (!(await there.locator("textarea").inputValue()).includes("sum(said) == c")) fault("link", "another program");
  if (await arrived.locator("#svt-progress").textContent()) fault("link", "somebody's program counts as a repair");
  await arrived.context().close();
  await page.context().close();
}

// The chapters' programs run as printed; one is judged and broken on each width, in each scheme, and axe looks.
const chapters = ["01_threshold_questions", "03_above_threshold", "04_standard_svt", "05_refreshing", "06_releasing", "07_noise_without_c", "08_no_noise_no_cutoff", "09_refutation_refuted", "10_inside_the_absolute_value", "11_which_svts_are_private", "12_in_the_wild", "13_spending_the_budget", "14_monotonic_and_numbers", "15_exponential_noise", "16_correcting_the_threshold"];
for (const chapter of chapters) {
  const page = await opened(`chapters/${chapter}.html`);
  await page.evaluate(() => {
    for (const box of document.querySelectorAll("details")) box.open = true;
    for (const box of document.querySelectorAll(".toggle-hidden")) box.classList.remove("toggle-hidden");
  });
  const listings = await page.locator(".svt-program").all();
  if (!listings.length) fault(chapter, "no program");
  for (const bar of listings) {
    await press(bar, "Run");
    await bar.locator(".svt-run").waitFor({ timeout: LATE }).catch(() => fault(chapter, "does not run"));
  }
  await page.context().close();
}
for (const [name, edit] of [["chapters/04_standard_svt.html", "leave out c"], [PAGE, null]]) {
  for (const [width, scheme] of [[1400, "light"], [1400, "dark"], [390, "light"], [390, "dark"]]) {
    const where = `${name} at ${width} px, ${scheme}`;
    const page = await opened(name, { width, scheme });
    const bar = page.locator(".svt-program").first();
    await press(bar, edit ? "Edit" : "Judge");
    if (edit) await press(bar, edit);
    await verdict(bar);
    await page.waitForTimeout(300);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) fault(where, `${wide} px wider than the window`);
    await axe(page, where);
    if (shots) {
      mkdirSync(shots, { recursive: true });
      await bar.scrollIntoViewIfNeeded();
      await page.screenshot({ path: join(shots, `${name.replaceAll("/", "_")}.${width}.${scheme}.png`), fullPage: name === PAGE });
      await bar.screenshot({ path: join(shots, `${name.replaceAll("/", "_")}.${width}.${scheme}.program.png`) });
    }
    await page.context().close();
  }
}

// A strict policy of the host is enough; without a script the listing stands; from a disk the page says what it needs.
{
  const policy = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:";
  const strict = await opened(PAGE, { prepare: (page, context) => context.route("**/*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  }) });
  await press(program(strict, "my_svt"), "Judge");
  if (!(await verdict(program(strict, "my_svt"))).startsWith(MARKS.false)) fault("policy", "no verdict");
  await strict.context().close();
  const plain = await opened(PAGE, { script: false });
  if (await plain.locator(".svt-program").count()) fault("without a script", "there are buttons");
  if (!(await plain.getByText("def counts_down").isVisible())) fault("without a script", "no listing");
  await plain.context().close();
  const context = await browser.newContext();
  const disk = await context.newPage();
  disk.on("pageerror", (error) => fault("from a disk", error.message));
  await disk.goto(pathToFileURL(join(site, PAGE)).href, { waitUntil: "load" });
  await press(program(disk, "my_svt"), "Judge");
  if (!(await program(disk, "my_svt").textContent()).includes("python -m http.server")) fault("from a disk", "it is not said what to do");
  await context.close();
}

await browser.close();
server.close();
for (const one of faults) console.log(`FAILED ${one}`);
console.log(`Programs on the pages: ${(first / 1000).toFixed(0)} kB at the first click, the slowest of ${twenty.length} verdicts after ${longest} ms, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
