// What helps while one reads: previews of what a link leads to, and citations of claims.
// Every preview is shown by the pointer and by the keyboard, stays while the pointer is on it, and Escape closes it.

import { PATIENCE } from "./site.mjs";

const preview = (page) => page.locator("#svt-preview");

async function shows(page, link, words, mathematics) {
  const faults = [];
  const address = await link.getAttribute("href");
  await link.scrollIntoViewIfNeeded();
  await link.hover();
  await preview(page).waitFor({ timeout: PATIENCE }).catch(() => faults.push(`preview: ${address} shows none`));
  if (faults.length) return faults;
  await page.waitForTimeout(400);
  const text = await preview(page).innerText();
  if (!words.test(text)) faults.push(`preview: ${address} shows ${JSON.stringify(text.slice(0, 60))}`);
  if (mathematics && !(await preview(page).locator("mjx-container").count())) faults.push(`preview: ${address} without mathematics`);
  if (/\\\(|\\\[/.test(text)) faults.push(`preview: ${address} shows the source of a formula`);
  if ((await link.getAttribute("aria-describedby")) !== "svt-preview") faults.push(`preview: ${address} is not described`);
  const box = await preview(page).boundingBox(), room = page.viewportSize();
  if (box.x < 0 || box.x + box.width > room.width) faults.push(`preview: ${address} leaves the window`);
  await preview(page).hover();
  await page.waitForTimeout(500);
  if (!(await preview(page).count())) faults.push(`preview: ${address} goes when it is pointed at`);
  await page.keyboard.press("Escape");
  if (await preview(page).count()) faults.push(`preview: ${address} stays after Escape`);
  await page.mouse.move(0, 0);
  return faults;
}

// A statement of another page, a work, a claim, and a place on the same page, by pointer; one by keyboard.
export async function readPreviews(page) {
  const links = (selector) => page.locator(`article ${selector}`).first();
  const faults = [
    ...(await shows(page, links("a[href*='03_above_threshold.html#lem-negatives']:not(.svt-used a)"), /Lemma 3\.1/, true)),
    ...(await shows(page, links(".bibtex-citation a"), /\d{4}/, false)),
    ...(await shows(page, links("a[href='#thm-alg-1']"), /Theorem 4\.1/, true)),
  ];
  // By the keyboard: the focus comes by Tab.
  await links("a[href='#thm-alg-1']").evaluate((link) => {
    const before = document.createElement("button");
    before.id = "before-the-link";
    link.before(before);
    before.focus();
  });
  await page.keyboard.press("Tab");
  await preview(page).waitFor({ timeout: PATIENCE }).catch(() => faults.push("preview: none by keyboard"));
  await page.keyboard.press("Tab");
  await page.waitForTimeout(600);
  // The next link may have a preview of its own.
  if (await links("a[href='#thm-alg-1']").getAttribute("aria-describedby")) faults.push("preview: stays when the focus has gone");
  await page.keyboard.press("Escape");
  await page.locator("#before-the-link").evaluate((button) => button.remove());
  return faults;
}

// A reference to a claim shows its card.
export async function readErrata(page) {
  return shows(page, page.locator("article a[href*='claims.html#']").first(), /confirmed|refuted|corrected/i, false);
}

// The button of a claim copies words and BibTeX with the address of its row.
export async function readClaims(page) {
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => (window.copied = text) } });
  });
  const row = page.locator('.svt-claim[data-source*="&"]').nth(3);
  await row.locator("details").first().evaluate((details) => (details.open = true));
  const button = row.locator("button.svt-cite");
  const id = await button.getAttribute("data-at");
  await button.click();
  const text = await page.evaluate(() => window.copied ?? "");
  const here = page.url().split("#")[0] + id;
  const right = text.includes(`claim ${id.slice(1)} `) && text.split(here).length === 3 && text.includes("@misc{svt-course-") && /[a-z] \\& /i.test(text) && !text.includes("@@");
  const told = (await button.locator("+ output").textContent()) ?? "";
  return right && told.includes(text.split("\n")[0]) ? [] : [`claims: ${id} is cited as ${JSON.stringify(text)}`];
}
