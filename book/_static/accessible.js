// What readers with a keyboard or a screen reader need and the theme does not give.
(() => {
  // A region that scrolls sideways must be reachable from the keyboard: give those that overflow a place in the tab order.
  const regions =
    "div.cell_output, div.cell_output .output, div.math, div.svt-table, div.highlight pre, div.pst-scrollable-table-container";
  const mark = () => {
    for (const region of document.querySelectorAll(regions)) {
      const style = getComputedStyle(region).overflowX;
      if (region.scrollWidth > region.clientWidth + 1 && (style === "auto" || style === "scroll")) {
        region.tabIndex = 0;
      }
    }
  };
  addEventListener("load", () => {
    mark();
    const ready = window.MathJax && window.MathJax.startup && window.MathJax.startup.promise;
    if (ready) ready.then(mark);
  });
  addEventListener("resize", mark);

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
