// Drive the explorers of a page as a reader would: every choice must change the sentence, and say what the module says.

export async function operate(page) {
  const faults = [], sentence = page.locator(".svt-sentence").first();
  const expect = async (what, ...words) => {
    const text = await sentence.textContent({ timeout: 5000 });
    if (!words.every((word) => text.includes(word))) faults.push(`explorer, ${what}: ${text}`);
  };
  const kind = await page.locator("[data-svt-explorer]").first().getAttribute("data-svt-explorer");
  await { "break-it": operateBreakIt, errors: operateErrors, "one-run": operateOneRun }[kind](page, expect, faults);
  return faults;
}

async function operateOneRun(page, expect, faults) {
  const press = (name) => page.getByRole("button", { name, exact: true }).click();
  await expect("at first", "20 questions will be asked");
  if (await page.getByRole("button", { name: "Back", exact: true }).isEnabled()) faults.push("explorer: Back before the first step");
  await press("Next answer");
  await expect("one step", "Answer 1 of 20: Alg. 3 says ⊥.");
  await press("To the end");
  await expect("the end", "Answer 20 of 20: Alg. 3 prints 2.5.", "20.9 times likelier without", "allows 2.72");
  if (!(await page.locator(".svt-sentence.svt-broken").count())) faults.push("explorer: a leak that is not marked");
  await page.getByLabel("Version", { exact: true }).selectOption({ label: "Alg. 1" });
  await page.getByRole("button", { name: "Next answer", exact: true }).focus();
  for (let i = 0; i < 20; i += 1) await page.keyboard.press("Enter");
  await expect("by keyboard", "Answer 20 of 20: Alg. 1 says ⊤.", "1.95 times likelier without");
}

async function operateErrors(page, expect) {
  const choose = (label, option) => page.getByLabel(label, { exact: true }).selectOption({ label: option });
  await expect("at first", "SVT-S-1:c^(2/3) on Kosarak at ε = 0.1, c = 100: SER 0.368, the exponential mechanism 0.0343.");
  await choose("Measure", "FNR");
  await expect("the other measure", "FNR 0.435", "the exponential mechanism 0.211");
  await choose("Dataset", "BMS-POS");
  if (!(await page.locator(".svt-details").textContent()).includes("estimate")) throw new Error("BMS-POS is not called an estimate");
  await choose("Method", "EM");
  await choose("ε", "0.5");
  await choose("Wanted, c", "300");
  await expect("the exponential mechanism", "EM on BMS-POS at ε = 0.5, c = 300", "the exponential mechanism itself.");
}

async function operateBreakIt(page, expect, faults) {
  await expect("at first", "Alg. 4 with c = 2 loses 3.25 on 16 queries; it claims 1.");
  await page.getByLabel("Queries, n").selectOption({ label: "1" });
  await expect("one query", "loses 0.25 on 1 query, not more than the 1 that it claims.");
  await page.getByLabel("Variant").selectOption({ label: "Alg. 5" });
  await page.getByLabel("Queries, n").selectOption({ label: "2" });
  await expect("Alg. 5", "Alg. 5 has an infinite loss on 2 queries");
  if (await page.getByLabel("Paid for, c").isEnabled()) faults.push("explorer: Alg. 5 offers a choice of c");
  await page.getByLabel("Variant").selectOption({ label: "Alg. 4" });
  await page.getByLabel("Queries, n").focus();
  for (let i = 0; i < 6; i += 1) await page.keyboard.press("ArrowDown");
  await page.getByLabel("Paid for, c").selectOption({ label: "1" });
  await page.getByLabel("Claimed ε").selectOption({ label: "0.5" });
  await expect("by keyboard", "Alg. 4 with c = 1 loses 0.875 on 16 queries");
}
