// Chips above the claims show some of them; the address keeps which.  A claim that the address names is unfolded.
// "Cite" beside a claim copies its citation, in words and for BibTeX, with the address of this page.
(() => {
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A page from a disk has no clipboard of its own.
      const field = document.body.appendChild(document.createElement("textarea"));
      field.value = text;
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  };
  const template = document.querySelector("[data-cite]")?.dataset.cite ?? "";
  for (const button of document.querySelectorAll("button.svt-cite")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const here = location.href.split("#")[0] + button.dataset.at;
      const { id, dataset, firstElementChild } = button.closest(".svt-claim");
      const locator = firstElementChild.querySelector("summary cite").textContent;
      const what = `claim ${id} (${dataset.source}, ${locator}): ${dataset.verdict}`;
      const parts = { what, key: id.replace(/[^a-z0-9]+/g, "-"), "what-tex": what.replaceAll("&", "\\&"), address: here };
      const text = template.replace(/@@([a-z-]+)@@/g, (_, part) => parts[part]);
      await copy(text);
      let told = button.nextElementSibling;
      if (!told) {
        told = document.createElement("output");
        told.className = "svt-cited";
        button.after(told);
      }
      told.textContent = `Copied:\n${text}`;
    });
  }

  const claims = [...document.querySelectorAll(".svt-claim[data-verdict]")];
  const unfold = () => {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (named?.matches(".svt-claim")) named.querySelector("details").open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();

  const kinds = ["verdict", "source", "how", "chapter"];
  const chosen = new URLSearchParams(location.search);
  const values = (claim, kind) => (kind === "how" ? claim.dataset.how.split(" ") : [claim.dataset[kind]]);
  const told = document.createElement("output");
  const show = () => {
    let count = 0;
    for (const claim of claims) {
      claim.hidden = kinds.some((kind) => chosen.has(kind) && !values(claim, kind).includes(chosen.get(kind)));
      count += !claim.hidden;
    }
    for (const section of new Set(claims.map((claim) => claim.closest("section")))) {
      section.hidden = !section.querySelector(".svt-claim:not([hidden])");
    }
    told.textContent = `${count} of ${claims.length} claims`;
    const query = chosen.toString();
    history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
  };
  const bar = document.createElement("div");
  bar.className = "svt-chips";
  for (const kind of kinds) {
    const row = document.createElement("div");
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", kind);
    row.append(`${kind === "how" ? "decided by" : kind} `);
    const found = [...new Set(claims.flatMap((claim) => values(claim, kind)))];
    if (kind === "chapter") found.sort((a, b) => a - b);
    for (const value of found) {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.textContent = value;
      const press = () => chip.setAttribute("aria-pressed", String(chosen.get(kind) === value));
      chip.addEventListener("click", () => {
        if (chosen.get(kind) === value) chosen.delete(kind);
        else chosen.set(kind, value);
        for (const other of row.querySelectorAll("button")) other.dispatchEvent(new Event("press"));
        show();
      });
      chip.addEventListener("press", press);
      press();
      row.append(chip);
    }
    bar.append(row);
  }
  bar.append(told);
  claims[0]?.closest("section").before(bar);
  show();
})();
