// The programs on the pages in a real Chromium: twenty are typed and judged, and each way in and out is tried.
//
// What svtlib says of the twenty is held by tests/test_alive.py; that the chapters' own run as printed, by pages.mjs.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PATIENCE, accessible, apart, keep, site, visit, watch } from "./site.mjs";

const twenty = JSON.parse(readFileSync(new URL("twenty.json", import.meta.url), "utf8"));
const PAGE = "book/is_your_svt_private.html";
const MOST = 700_000; // bytes that the first click may bring
const MARKS = { true: "✓ private", false: "✗ not private" };

const program = (page, name) => page.locator(".svt-program", { has: page.getByRole("group", { name: new RegExp(`Program .*\\b${name}\\b`) }) }).first();
export const press = (bar, name) => bar.getByRole("button", { name, exact: true }).first().click();
const textOf = (bar) => bar.locator("textarea").inputValue();
async function verdict(bar) {
  await bar.locator(".svt-verdict-box:not(.svt-stale) :is(strong), .svt-verdict-box.svt-open:not(.svt-stale)").first().waitFor({ timeout: PATIENCE });
  return bar.locator(".svt-verdict-box").textContent();
}
async function type(bar, text) {
  const area = bar.locator("textarea");
  await area.focus();
  await area.press("Control+a");
  await bar.page().keyboard.insertText(text);
}

// Nothing before the first click, and not much after it; then twenty programs, typed.
let first = 0, longest = 0;
async function typing(desk, say) {
  const loaded = [];
  const hear = (request) => /_static\/(alive|vendor\/micropython)\/(?!alive\.js)/.test(request.url()) && loaded.push(new URL(request.url()).pathname);
  desk.page.on("request", hear);
  const page = await visit(desk, PAGE);
  if (loaded.length) say(`loaded before the first click: ${loaded[0]}`);
  const bar = program(page, "my_svt");
  await press(bar, "Judge");
  await verdict(bar);
  desk.page.off("request", hear);
  first = loaded.reduce((sum, path) => sum + statSync(join(site, path)).size, 0);
  if (!loaded.length || first > MOST) say(`the first click brings ${first} bytes`);
  for (const one of twenty) {
    let said = "within two seconds";
    for (let tries = 0; tries < 4 && said.includes("within two seconds"); tries += 1) { // a page gives up on its clock, which says nothing where others work too
      await type(bar, `${one.text.join("\n")}\n`);
      await bar.getByLabel("c", { exact: true }).fill(String(one.c));
      const started = Date.now();
      await press(bar, "Judge");
      said = await verdict(bar);
      longest = Math.max(longest, Date.now() - started);
    }
    if (!said.startsWith(MARKS[one.private])) say(`${one.name}: ${said.slice(0, 200)}`);
    if (one.private === false && !/on D and .* on D′/.test(said)) say(`${one.name}: no pair`);
  }

  // A loop without end is stopped, an error has its line, and the page goes on.
  await type(bar, "def f(answers, rng):\n    while True:\n        pass\n");
  await press(bar, "Run");
  const ended = await verdict(bar);
  if (!/^Line \d: It does not end|within two seconds/.test(ended)) say(`endless: ${ended}`);
  await type(bar, "def f(answers, rng):\n    said = []\n    return sayd\n");
  await press(bar, "Run");
  const said = await verdict(bar);
  if (!/^Line 3: It uses sayd/.test(said) || !(await bar.locator(".svt-fault").count())) say(`error: ${said}`);

  // By keyboard: into the text, a new line with its indent, and out again.
  await bar.locator("textarea").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("def f(answers, rng):\nreturn [a + rng.laplace(0, 1) >= 0 for a in answers]");
  if (!(await textOf(bar)).includes("\n    return")) say("keyboard: no indent");
  await page.keyboard.press("Tab");
  if (await page.evaluate(() => document.activeElement.matches("textarea"))) say("keyboard: Tab does not leave the text");
}

// A repair is remembered, and the address carries a program.
async function repair(desk, say) {
  const page = await visit(desk, PAGE), mend = program(page, "no_stop");
  await press(mend, "Edit");
  await type(mend, (await textOf(mend)).replace("    return said", "        if sum(said) == c:\n            break\n    return said"));
  await press(mend, "Judge");
  if (!(await verdict(mend)).startsWith("✓ private for every number of queries")) say(`repair: ${await verdict(mend)}`);
  await press(mend, "Link");
  await page.waitForFunction(() => location.hash.includes("program="));
  const { hash } = new URL(page.url());
  await page.goto("about:blank");
  await page.goto(`${desk.origin}/${PAGE}`, { waitUntil: "load" });
  if (!(await page.locator("#svt-progress").textContent()).startsWith("1 of 10")) say("the repair is forgotten");
  await press(mend, "Judge"); // what is shown is judged, and not what was typed last time
  if (!(await verdict(mend)).startsWith("✗")) say(`reload: ${await verdict(mend)}`);
  await press(mend, "Last time’s");
  if (!(await textOf(mend)).includes("sum(said) == c")) say("the text of the repair is forgotten");
  await press(mend, "As it was");
  if ((await textOf(mend)).includes("sum(said) == c")) say("As it was: it is not");

  const there = program(await visit(desk, `${PAGE}${hash}`), "no_stop");
  if (!(await verdict(there)).startsWith("✓ private")) say("link: another verdict");
  if (!(await textOf(there)).includes("sum(said) == c")) say("link: another program");
  if (await page.locator("#svt-progress").textContent()) say("link: somebody's program counts as a repair");
}

// Judged, or broken by one edit, on each width and in each scheme: axe looks.
async function judged(desk, name, edit, width, scheme, say, shots) {
  const page = await visit(desk, name, { width, scheme }), bar = page.locator(".svt-program").first();
  await press(bar, edit ? "Edit" : "Judge");
  if (edit) await press(bar, edit);
  await verdict(bar);
  await page.waitForTimeout(300);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) say(`${wide} px wider than the window`);
  await accessible(page, say);
  await keep(page, shots, `${name}.${width}.${scheme}.judged`);
}

// A strict policy of the host is enough; without a script the listing stands; from a disk the page says what it needs.
async function hosts(desk, say) {
  const policy = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:";
  const opened = async (options, address, prepare) => {
    const page = await apart(desk.browser, options);
    if (address.startsWith("http")) watch(page, desk.origin, say);
    else page.on("pageerror", (error) => say(`from a disk: ${error.message}`));
    await prepare?.(page);
    await page.goto(address, { waitUntil: "load" });
    return page;
  };
  const strict = await opened({}, `${desk.origin}/${PAGE}`, (page) => page.route("**/*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  }));
  await press(program(strict, "my_svt"), "Judge");
  if (!(await verdict(program(strict, "my_svt"))).startsWith(MARKS.false)) say("policy: no verdict");
  await strict.context().close();
  const plain = await opened({ javaScriptEnabled: false }, `${desk.origin}/${PAGE}`);
  if (await plain.locator(".svt-program").count()) say("without a script there are buttons");
  if (!(await plain.getByText("def counts_down").isVisible())) say("without a script there is no listing");
  await plain.context().close();
  const disk = await opened({}, pathToFileURL(join(site, PAGE)).href);
  await press(program(disk, "my_svt"), "Judge");
  if (!(await program(disk, "my_svt").textContent()).includes("python -m http.server")) say("from a disk it is not said what to do");
  await disk.context().close();
}

export const looks = (shots) => [
  { name: "programs: twenty typed", look: typing },
  { name: "programs: a repair and its link", look: repair },
  { name: "programs: other hosts", look: hosts },
  ...[["chapters/04_standard_svt.html", "leave out c", 1400, "light"], ["chapters/04_standard_svt.html", "leave out c", 390, "dark"], [PAGE, null, 1400, "dark"], [PAGE, null, 390, "light"]].map(
    ([name, edit, width, scheme]) => ({ name: `programs: ${name} at ${width} px, ${scheme}`, look: (desk, say) => judged(desk, name, edit, width, scheme, say, shots) })),
];
export const afterwards = () => first && console.log(`Programs: ${(first / 1000).toFixed(0)} kB at the first click, the slowest of ${twenty.length} verdicts after ${longest} ms`);
