// A program on a page gets Edit, Run and Judge.  What they need is loaded at the first click.
(() => {
  const base = document.currentScript.src;
  const data = JSON.parse(document.getElementById("svt-programs").textContent);
  const names = (text) => [...text.matchAll(/^(?:def|class) (\w+)/gm)].map((found) => found[1]);
  const bars = new Map();
  for (const listing of document.querySelectorAll("article div.highlight pre")) {
    const programs = data.filter((one) => names(listing.textContent).includes(one.function) && !bars.has(one.function));
    if (!programs.length) continue;
    const place = listing.closest("div.cell_input") ?? listing.closest("div.highlight");
    const bar = Object.assign(document.createElement("div"), { className: "svt-program" });
    const buttons = Object.assign(document.createElement("div"), { className: "svt-buttons svt-program-bar" });
    buttons.setAttribute("role", "group");
    buttons.setAttribute("aria-label", `Program ${programs.map((one) => one.function).join(", ")}`);
    let begun;
    const open = (action, text) => {
      if (location.protocol === "file:") {
        const told = bar.querySelector("p") ?? bar.appendChild(document.createElement("p"));
        told.setAttribute("role", "status");
        told.textContent = "From a disk a page may not start Python. Open the site from a server: python -m http.server in its folder, then http://localhost:8000/.";
        return;
      }
      begun ??= import(new URL("widget.mjs", base)).then(({ widget }) => widget(bar, place, listing.textContent, programs));
      begun.then((one) => one(action, text));
    };
    for (const [action, label] of [["edit", "Edit"], ["run", "Run"], ["judge", "Judge"]]) {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "svt-button", textContent: label });
      button.addEventListener("click", () => open(action));
      buttons.append(button);
    }
    bar.append(buttons);
    place.after(bar);
    for (const one of programs) bars.set(one.function, open);
  }

  // An address with a program opens it: #program=name~text, deflated and in base 64.
  const arrive = async () => {
    const [name, text] = (new URLSearchParams(location.hash.slice(1)).get("program") ?? "").split("~");
    if (!text || !bars.has(name)) return;
    try {
      const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      bars.get(name)("arrive", await new Response(stream).text());
    } catch {
      // A damaged address: the page is what it is without one.
    }
  };
  addEventListener("hashchange", arrive);
  arrive();

  // Programs to repair: how many are, as this device remembers.
  const told = document.getElementById("svt-progress");
  const count = () => {
    if (!told) return;
    let done = [];
    try { done = JSON.parse(localStorage.getItem("svt-repaired") ?? "[]"); } catch { /* no storage */ }
    const all = data.filter((one) => one.repair).map((one) => one.function);
    const mended = all.filter((name) => done.includes(name));
    told.textContent = mended.length ? `${mended.length} of ${all.length} repaired.` : "";
    for (const name of mended) document.getElementById(`repair-${name.replaceAll("_", "-")}`)?.closest("section")?.classList.add("svt-repaired");
  };
  addEventListener("svt-repaired", count);
  count();
})();
