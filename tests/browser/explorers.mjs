// Drive the explorers as a reader would: by their controls, by an address, by keyboard only, and without JavaScript.
//
// What they must say is not written here: svtcourse keeps some states with their sentences in the data of each explorer.
import { PATIENCE, apart } from "./site.mjs";

const SEEN = ".svt-alive .svt-sentence";
const spaced = (text) => text.replaceAll("\u00a0", " "); // the site keeps "ε = 1" on one line

// Every explorer of the page, in one that is open already.
export async function operate(page) {
  const faults = [];
  const place = page.locator("[data-svt-explorer]").first();
  await place.scrollIntoViewIfNeeded();
  await page.locator(SEEN).first().waitFor({ timeout: PATIENCE });
  const name = await place.getAttribute("data-svt-explorer");
  const { controls, examples } = await page.evaluate((one) => window.svtNumbers[one], name);
  const fault = (what, got) => faults.push(`explorer ${name}, ${what}: ${got}`);
  const says = async (what, wanted) => {
    const got = spaced(await page.locator(SEEN).first().textContent());
    if (got !== wanted) fault(what, `${got} (not: ${wanted})`);
  };
  if (examples.length < 3) fault("examples", examples.length);
  const state = (chosen) => Object.fromEntries(controls.map((control) => [control.name, chosen[control.name] ?? control.start]));

  // Each state by its controls: the sentence, the details, the mark of bad news, the text of every slider.
  const begun = await page.locator("[data-svt-explorer]").first().evaluate((place) => Object.keys(place.dataset).length > 1);
  if (!begun) await says("at first", examples[0][1]);
  for (const [chosen, sentence, warns, details] of examples) {
    const wanted = state(chosen);
    // A slider of steps stands last and is as long as the run.
    for (const control of controls) await choose(page, control, wanted[control.name]);
    await says(JSON.stringify(chosen), sentence);
    const shown = spaced(await page.locator(".svt-details").first().textContent());
    for (const text of details) if (!shown.includes(text)) fault(`${JSON.stringify(chosen)}, details`, `${shown} (without: ${text})`);
    if ((await page.locator(`${SEEN}.svt-broken`).count()) !== warns) fault(JSON.stringify(chosen), "the mark of bad news is wrong");
    if (!(await page.locator(".svt-drawing svg").count())) fault(JSON.stringify(chosen), "no drawing");
    for (const control of controls.filter(({ slider }) => slider)) {
      const slider = page.getByRole("slider", { name: control.label, exact: true });
      const text = await slider.getAttribute("aria-valuetext");
      if (!text || text !== (await page.locator(`output[for="${await slider.getAttribute("id")}"]`).textContent())) fault(control.label, `says ${text}`);
    }
  }

  // Inside a lesson the address stays, and a link leads to the same choice on the explorer's own page.
  if (page.url().includes("/chapters/")) {
    const link = await page.locator(".svt-alone").first().getAttribute("href");
    const [address, hash] = link.split("#"), chosen = Object.fromEntries(new URLSearchParams(hash));
    const wanted = state(examples.at(-1)[0]);
    if (!address.endsWith(`/book/explore/${name.replaceAll("-", "_")}.html`)) fault("the link to its page", link);
    for (const [key, value] of Object.entries(chosen)) if (value !== wanted[key]) fault("the link to its page", `${key} is ${value}, not ${wanted[key]}`);
    if (await page.evaluate(() => location.hash)) fault("the address of the lesson", await page.evaluate(() => location.hash));
    return faults;
  }

  // The address follows the choice, without a new entry in the history, and brings it back.
  const sentence = examples.at(-1)[1], entries = await page.evaluate(() => history.length);
  await page.waitForFunction(() => location.hash.includes("="), null, { timeout: PATIENCE });
  await page.waitForTimeout(300);
  if ((await page.evaluate(() => history.length)) !== entries) fault("history", "grows with every choice");
  await page.reload({ waitUntil: "load" });
  await page.locator(SEEN).first().waitFor({ timeout: PATIENCE });
  await says(`restored from ${new URL(page.url()).hash}`, sentence);
  const other = new URLSearchParams(state(examples[1][0]));
  await page.evaluate((hash) => { location.hash = hash; }, String(other));
  await page.waitForTimeout(100);
  await says("another address on the open page", examples[1][1]);

  await byKeyboard(page, controls, fault);
  if (name === "one-run") faults.push(...(await stepThrough(page)));
  faults.push(...(await withoutScript(page.context().browser(), page.url())));
  return faults;
}

async function choose(page, { label, options, slider, only }, value) {
  const control = page.getByLabel(label, { exact: true });
  if (only && (await control.isDisabled())) return;
  const place = options.findIndex(([one]) => one === value);
  if (slider) await control.fill(String(Math.min(place, Number(await control.getAttribute("max")))));
  else await control.selectOption({ index: place });
}

// From one control to the next with the Tab key, each moved by an arrow or a letter: the sentence has to follow.
async function byKeyboard(page, controls, fault) {
  const first = page.getByLabel(controls[0].label, { exact: true });
  await first.focus();
  const seen = new Set([await page.locator(SEEN).first().textContent()]);
  for (let i = 0; i < controls.length; i += 1) {
    const here = await page.evaluate(() => document.activeElement.labels?.[0]?.textContent);
    if (here !== controls[i].label) {
      if (controls[i].only) continue;
      fault("by keyboard", `Tab leads to ${here}, not to ${controls[i].label}`);
      return;
    }
    for (const key of ["ArrowDown", "ArrowUp", "ArrowUp"]) {
      await page.keyboard.press(key);
      seen.add(await page.locator(SEEN).first().textContent());
    }
    await page.keyboard.press("Tab");
  }
  if (seen.size < 4) fault("by keyboard", `${seen.size} sentences in all`);
}

// One run has buttons too: the keyboard alone leads through it, and the ends are closed.
async function stepThrough(page) {
  const faults = [], button = (name) => page.getByRole("button", { name, exact: true });
  await page.waitForTimeout(400); // the address follows a choice a little later
  await page.evaluate(() => { history.replaceState(null, "", "#step=0"); });
  await page.reload({ waitUntil: "load" });
  await page.locator(SEEN).first().waitFor({ timeout: PATIENCE });
  if (await button("Back").isEnabled()) faults.push("one run: Back before the first answer");
  const { steps } = await page.evaluate(() => window.svtNumbers["one-run"].numbers.cells["alg3 below"]);
  await button("Next answer").focus();
  for (let i = 0; i < steps.length - 1; i += 1) await page.keyboard.press("Enter");
  if (!(await page.locator(SEEN).textContent()).startsWith(`Question ${steps.length - 1} of`)) faults.push("one run: Enter does not lead on");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  if (!(await page.locator(SEEN).textContent()).startsWith(`Question ${steps.length} of`)) faults.push("one run: no way to the end");
  if (await button("Next answer").isEnabled()) faults.push("one run: goes on after its end");
  if (await page.evaluate(() => document.activeElement === document.body)) faults.push("one run: the focus is lost at the end");
  return faults;
}

// Without JavaScript the place says in words what it would show.
async function withoutScript(browser, address) {
  const page = await apart(browser, { javaScriptEnabled: false });
  await page.goto(address, { waitUntil: "load" });
  const text = await page.locator("[data-svt-explorer]").first().innerText();
  await page.context().close();
  return /needs JavaScript/.test(text) && text.length > 150 ? [] : [`without JavaScript the explorer says: ${text}`];
}
