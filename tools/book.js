// What `make pdf` does inside the page before it is printed: it waits for the formulas, makes smaller what is wider than
// the page, and says on the console what is there and what is wrong.
addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  await document.fonts.ready;
  for (const box of document.querySelectorAll("table, div.math mjx-container, svg, img")) {
    if (box.closest("mjx-container") && box.localName !== "mjx-container") continue;
    const room = box.parentElement.clientWidth || innerWidth;
    const taken = Math.max(box.scrollWidth ?? 0, box.getBoundingClientRect().width);
    if (taken > room + 1) box.style.zoom = Math.max(0.5, room / taken);
  }
  const words = document.body.cloneNode(true);
  for (const code of words.querySelectorAll("pre, code, style, script, mjx-container")) code.remove();
  const texts = (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent.trim().replace(/\s+/g, " "));
  const seen = {
    headings: texts("h1, h2, h3, h4, h5, h6"),
    formulas: document.querySelectorAll("mjx-container").length,
    "not typeset": texts(".math:not(:has(mjx-container))"),
    "wrong formula": texts("mjx-merror, [data-mjx-error]"),
    "markup shown as text": words.textContent.match(/\$\$|:::|\{(?:prf|cite|ref|exercise|solution)[:}]|\\[([]|\bundefined\b/g) ?? [],
  };
  console.log(`BOOK ${JSON.stringify(seen)}`);
});
