// Two switches of the reader's: all code open or folded, on every page; and which parts of the book are listed.
(() => {
  const kept = { get: (key) => { try { return localStorage.getItem(key); } catch { return null; } }, set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* private window */ } } };

  const folded = [...document.querySelectorAll("div.cell.tag_hide-input > details")];
  const place = document.querySelector(".article-header-buttons");
  if (folded.length && place) {
    const button = Object.assign(document.createElement("button"), { className: "btn btn-sm pst-navbar-icon svt-code-switch", type: "button", textContent: "</>" });
    const show = (all) => {
      for (const cell of folded) cell.open = all;
      button.setAttribute("aria-pressed", all);
    };
    button.title = "Show all code";
    button.setAttribute("aria-label", "Show all code");
    button.addEventListener("click", () => {
      const all = button.getAttribute("aria-pressed") !== "true";
      kept.set("svt-code", all ? "open" : "");
      show(all);
    });
    place.prepend(button);
    show(kept.get("svt-code") === "open");
  }

  // A part of the list of pages folds; the part that the page is in, and on the first page every part with chapters, is open.
  for (const caption of document.querySelectorAll("nav.bd-links p.caption")) {
    const list = caption.nextElementSibling;
    const words = caption.textContent.trim();
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: words });
    const home = !document.querySelector("nav.bd-links p.caption + ul .current");
    const unfold = (open) => {
      list.hidden = !open;
      button.setAttribute("aria-expanded", open);
    };
    button.addEventListener("click", () => unfold(list.hidden));
    caption.replaceChildren(button);
    unfold(Boolean(list.querySelector(".current")) || (home && /^\d/.test(list.textContent.trim())));
  }
})();
