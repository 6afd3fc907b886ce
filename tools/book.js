// What `make pdf` does inside the page before it prints.  `width` is the room between the margins.
globalThis.book = {
  // Wait for the formulas, make smaller what is wider than the page, and say what is wrong.
  async prepare(width) {
    await window.MathJax?.startup?.promise;
    await document.fonts.ready;
    for (const box of document.querySelectorAll("table, div.math mjx-container, svg, img")) {
      if (box.closest("mjx-container") && box.localName !== "mjx-container") continue;
      const room = box.parentElement.clientWidth || width;
      const taken = Math.max(box.scrollWidth ?? 0, box.getBoundingClientRect().width);
      if (taken > room + 1) box.style.zoom = Math.max(0.5, room / taken);
    }
    const words = document.body.cloneNode(true);
    for (const code of words.querySelectorAll("pre, code, style, script, mjx-container")) code.remove();
    const unset = [...document.querySelectorAll(".math")].filter((e) => !e.querySelector("mjx-container"));
    return {
      formulas: document.querySelectorAll("mjx-container").length,
      unset: unset.map((e) => e.textContent),
      errors: [...document.querySelectorAll("mjx-merror, [data-mjx-error]")].map((e) => e.textContent),
      stray: words.textContent.match(/\$\$|:::|\{(?:prf|cite|ref|exercise|solution)[:}]|\\[([]|\bundefined\b/g) ?? [],
    };
  },
  headings() {
    const found = document.querySelectorAll("h1, h2, h3, h4, h5, h6");
    return [...found].map((e) => e.textContent.trim().replace(/\s+/g, " "));
  },
  // Write the page on which each entry of the contents begins.
  number(pages) {
    for (const place of document.querySelectorAll("[data-for]")) place.textContent = pages[place.dataset.for] ?? "";
  },
};
