// What readers with a keyboard or a screen reader need and the theme does not give.
(() => {
  // A region that scrolls sideways must be reachable from the keyboard: those that overflow get a place in the tab order,
  // a table also a name, and the columns that say what a row is stay where they are if half of the room is left.
  const regions =
    "div.cell_output, div.cell_output .output, div.math, div.svt-table, div.highlight pre, div.pst-scrollable-table-container";
  const named = (table, region) => {
    const words = table.caption?.textContent ?? [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim()).filter(Boolean).join(", ");
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", `Table, scrolls sideways: ${words.replace(/#$/, "").replace(/\s+/g, " ").trim()}`);
  };
  const stay = (table, region) => {
    const edge = table.getBoundingClientRect().left, right = (cell) => cell.getBoundingClientRect().right - edge;
    const leads = (cell) => (cell.closest("tbody")?.querySelector("th") ? cell.tagName === "TH" : cell.cellIndex === 0);
    const room = Math.max(0, ...[...table.querySelectorAll("tbody :is(th, td)")].filter(leads).map(right).filter((end) => end < region.clientWidth / 2));
    for (const row of table.rows) {
      const kept = [...row.cells].filter((cell) => right(cell) <= room + 1);
      for (const cell of kept) {
        cell.style.left = `${cell.getBoundingClientRect().left - edge}px`;
        cell.classList.add("svt-stays");
      }
      kept.at(-1)?.classList.add("svt-stays-last");
    }
  };
  const mark = () => {
    for (const region of document.querySelectorAll(regions)) {
      const style = getComputedStyle(region).overflowX;
      if (region.tabIndex === 0 || region.scrollWidth <= region.clientWidth + 1 || (style !== "auto" && style !== "scroll")) continue;
      region.tabIndex = 0;
      const table = region.querySelector("table");
      if (!table) continue;
      named(table, region);
      stay(table, region);
    }
  };
  addEventListener("load", () => {
    mark();
    const ready = window.MathJax && window.MathJax.startup && window.MathJax.startup.promise;
    if (ready) ready.then(mark);
  });
  addEventListener("resize", mark);

  // Numbers stand under each other: a column of a data frame in which every cell is one goes to the right, with its head.
  const number = /^[-−+±]?[\d., ]*(\d%?|∞|inf|nan|–)$/i;
  for (const table of document.querySelectorAll("table.dataframe")) {
    const columns = []; // counted from the right, where every row has its cells
    for (const row of table.rows) {
      let place = 0;
      for (const cell of [...row.cells].reverse()) {
        if (cell.colSpan === 1) (columns[place] ??= []).push(cell);
        place += cell.colSpan;
      }
    }
    for (const column of columns.filter(Boolean)) {
      const body = column.filter((cell) => cell.tagName === "TD");
      if (body.length && body.every((cell) => number.test(cell.textContent.trim()))) {
        for (const cell of column) cell.classList.add("svt-number");
      }
    }
  }

  // On a phone a table of sentences is a list of cards (custom.css); each cell then says of which column it is.
  for (const table of document.querySelectorAll("table.table:has(thead th:nth-child(3))")) {
    for (const row of table.tBodies[0]?.rows ?? []) {
      for (const cell of row.cells) {
        const head = table.tHead.rows[0].cells[cell.cellIndex]?.textContent.trim();
        if (head) cell.dataset.head = head;
      }
    }
  }

  // The search button is labelled "Search" but reads "Search Ctrl+K", and a folded cell is labelled "Toggle hidden content"
  // but reads "Show code cell content": whoever steers by voice says what they see.
  for (const control of document.querySelectorAll("button.search-button-field, details > summary")) {
    control.removeAttribute("aria-label");
  }

  // What folds the pages below a chapter in the list of pages is an arrow without a name.
  for (const arrow of document.querySelectorAll("nav.bd-links details > summary")) {
    arrow.setAttribute("aria-label", `Pages below ${arrow.closest("li")?.querySelector("a")?.textContent.trim() ?? "this one"}`);
  }
})();
