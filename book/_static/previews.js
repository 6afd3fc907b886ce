// Previews: what a link leads to, shown beside it while it is pointed at or has the focus.
//
// Theorems, definitions, algorithms, exercises, claims, works, terms and formulas.  The pointer may move onto the preview,
// Escape closes it (WCAG 1.4.13), a finger sees none.  What stands on another page is fetched from this site, where it is
// served; from a disk a page cannot read another one, and links are links.
(() => {
  const DELAY = 250, TALLEST = 2400; // milliseconds; characters of words
  const BOXES = "div.proof, div.exercise, div.svt-claim, div.citation, div.math, dt";
  const pages = new Map();
  let shown = null, waiting = 0, asked = 0;

  const page = (address) => {
    if (!pages.has(address)) {
      const read = fetch(address).then((answer) => (answer.ok ? answer.text() : ""));
      pages.set(address, read.then((text) => new DOMParser().parseFromString(text, "text/html")).catch(() => null));
    }
    return pages.get(address);
  };

  // The box at a place: around it, itself, or, for the target of a claim, the card that has its name.
  const boxAt = (where, id) => {
    const place = where.getElementById(id);
    if (place?.matches("section, article, main, h1, h2, h3, h4")) return null;
    const box = place?.closest(BOXES) ?? place?.querySelector(BOXES);
    if (box) return box;
    const claim = id.startsWith("claim-") ? id.slice(6).replace(/[^\w]/g, "-") : "";
    return [...where.querySelectorAll("[data-claim]")].find((card) => claim && card.dataset.claim.replace(/[^\w]/g, "-") === claim);
  };

  // A copy that can stand beside the link: no identifiers, nothing to press, addresses that hold here.
  const copyOf = (box, base) => {
    const made = document.createElement("div");
    const parts = [box];
    if (box.localName === "dt") {
      while (parts.at(-1).nextElementSibling?.localName === "dt") parts.push(parts.at(-1).nextElementSibling);
      if (parts.at(-1).nextElementSibling) parts.push(parts.at(-1).nextElementSibling);
    }
    for (const part of parts) made.append(document.importNode(part, true));
    for (const gone of made.querySelectorAll(".headerlink, .svt-used, .svt-cite, button, script, .svt-computed, .svt-why, details > summary:not(.svt-claim *), mjx-assistive-mml")) {
      gone.remove();
    }
    for (const fold of made.querySelectorAll(".svt-claim details")) fold.open = true;
    for (const picture of made.querySelectorAll("img")) picture.src = new URL(picture.getAttribute("src"), base).href;
    for (const one of made.querySelectorAll("*")) {
      one.removeAttribute("id");
      one.removeAttribute("tabindex");
      if (one.localName === "a") one.removeAttribute("href");
    }
    if (made.textContent.length > TALLEST) return null;
    return made.innerHTML.trim() ? made : null;
  };

  const hide = () => {
    clearTimeout(waiting);
    asked += 1;
    if (!shown) return;
    shown.link.removeAttribute("aria-describedby");
    if (shown.title) shown.link.title = shown.title;
    shown.box.remove();
    shown = null;
  };

  const put = (link, box) => {
    const at = link.getClientRects()[0] ?? link.getBoundingClientRect();
    const width = box.offsetWidth, height = box.offsetHeight, room = document.documentElement;
    const left = Math.max(8, Math.min(at.left, room.clientWidth - width - 8));
    // Touching the link, so that the pointer gets there; above it where there is no room below.
    const below = at.bottom + height + 8 <= room.clientHeight || at.top < height;
    box.style.left = `${left + scrollX}px`;
    box.style.top = `${(below ? at.bottom : at.top - height) + scrollY}px`;
  };

  const show = async (link) => {
    hide();
    const mine = asked;
    const [address, id] = [link.href.split("#")[0], decodeURIComponent(link.hash.slice(1))];
    const here = address === location.href.split("#")[0];
    const where = here ? document : await page(address);
    const found = where && boxAt(where, id);
    const inside = found && !(here && found.contains(link)) && copyOf(found, address);
    if (!inside || mine !== asked) return;
    const box = document.createElement("div");
    box.className = "svt-preview bd-content tex2jax_ignore mathjax_ignore";
    box.id = "svt-preview";
    box.setAttribute("role", "tooltip");
    box.append(inside);
    document.body.append(box);
    shown = { link, box, title: link.title };
    link.removeAttribute("title");
    link.setAttribute("aria-describedby", box.id);
    box.addEventListener("pointerenter", () => clearTimeout(waiting));
    box.addEventListener("pointerleave", () => leave());
    put(link, box);
    if (!here) {
      await window.MathJax?.typesetPromise?.([box]);
      if (shown?.box === box) put(link, box);
    }
  };

  const leave = () => {
    clearTimeout(waiting);
    waiting = setTimeout(hide, DELAY);
  };

  const previewed = (target) => {
    const link = target.closest?.("article a.internal[href*='#']");
    if (!link || link.matches(".headerlink") || link.closest(".svt-preview, .svt-used")) return null;
    const other = link.href.split("#")[0] !== location.href.split("#")[0];
    return other && !/^https?:$/.test(location.protocol) ? null : link;
  };
  const soon = (link) => {
    clearTimeout(waiting);
    if (shown?.link !== link) waiting = setTimeout(() => show(link), DELAY);
  };

  addEventListener("pointerover", (event) => {
    const link = event.pointerType !== "touch" && previewed(event.target);
    if (link) soon(link);
  });
  addEventListener("pointerout", (event) => {
    if (previewed(event.target)) leave();
  });
  addEventListener("focusin", (event) => {
    const link = previewed(event.target);
    if (link?.matches(":focus-visible")) soon(link);
  });
  addEventListener("focusout", (event) => previewed(event.target) && leave());
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
})();
