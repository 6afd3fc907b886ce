// The search: sections ranked by title, heading and text.  Its index is loaded when someone searches, not with every page.
(() => {
  const root = document.documentElement.dataset.content_root ?? "./";
  let loaded = null;
  const load = () =>
    (loaded ??= new Promise((done, failed) => {
      const script = Object.assign(document.createElement("script"), { src: `${root}searchindex.js`, onload: done, onerror: failed });
      document.head.append(script);
    }).then(() => prepare(window.svtSections)));

  const COMMON = new Set("a an and are as at be by can do does for from has have how i in is it its many much of on or that the there this to was what when where which who why with".split(" "));
  const stem = (word) => word.replace(/(?<=..[^s])s$|(?<=...)(?:ing|ed)$|ies$/u, (end) => (end === "ies" ? "y" : ""));
  const split = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
  const words = (text) => split(text).flatMap((word) => [word, ...(word.includes("-") ? word.split("-") : [])]).map(stem);

  function prepare(rows) {
    const count = new Map();
    const all = rows.map(([url, page, heading, text]) => {
      const fields = [words(page), words(heading), words(text)];
      for (const word of new Set(fields.flat())) count.set(word, (count.get(word) ?? 0) + 1);
      return { url, page, heading, text, fields, whole: `${page} ${heading} ${text}`.toLowerCase() };
    });
    return { all, rare: (word) => Math.log(1 + all.length / (1 + (count.get(word) ?? 0))) };
  }

  // How well a word is met in a field: whole, or begun by the last word, which may still be typed.
  const met = (field, word, open) => field.reduce((sum, w) => sum + (w === word ? 1 : open && word.length > 2 && w.startsWith(word) ? 0.4 : 0), 0);

  // The lessons first, then what is looked up, then the record.
  const WEIGHTS = [["book/glossary", 1.1], ["book/api", 0.25], ["book/performance", 0.4], ["book/em_proofs", 0.4], ["book/", 0.6], ["", 1]];

  function rank({ all, rare }, query) {
    const typed = [...new Set(words(query))];
    const asked = typed.filter((word) => !COMMON.has(word));
    const wanted = asked.length ? asked : typed;
    const phrase = query.trim().toLowerCase();
    return all
      .map((row) => {
        let score = 0, missing = 0;
        wanted.forEach((word, k) => {
          const [page, heading, text] = row.fields.map((field) => met(field, word, k === wanted.length - 1));
          const often = text / (text + 1 + row.fields[2].length / 300);
          if (!page && !heading && !text) missing += 1;
          score += rare(word) * (3 * Math.min(page, 1) * (row.heading ? 0.4 : 1) + 4 * Math.min(heading, 1) + 2 * often);
        });
        if (phrase.includes(" ") && row.whole.includes(phrase)) score *= 1.6;
        score *= WEIGHTS.find(([place]) => row.url.startsWith(place))[1];
        return { row, score: score * 0.25 ** missing };
      })
      .filter(({ score }) => score > 0)
      .sort((one, two) => two.score - one.score)
      .slice(0, 30)
      .map(({ row }) => ({ ...row, wanted }));
  }

  const element = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text ?? "" });

  function marked(text, wanted) {
    const line = element("p", "context");
    for (const part of text.split(/([\p{L}\p{N}]+)/u)) {
      const hit = wanted.some((word) => stem(part.toLowerCase()) === word);
      line.append(hit ? element("mark", "", part) : part);
    }
    return line;
  }

  function excerpt({ text, wanted }) {
    const at = Math.max(0, ...wanted.map((word) => text.toLowerCase().search(new RegExp(`(?<![\\p{L}])${word}`, "u"))));
    const start = at < 90 ? 0 : text.lastIndexOf(" ", at - 70) + 1;
    const end = text.length <= start + 220 ? text.length : text.lastIndexOf(" ", start + 220);
    return marked(`${start ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`, wanted);
  }

  async function performSearch(query) {
    const found = rank(await load(), query);
    const place = document.getElementById("search-results");
    if (!place) return;
    const list = element("ul", "search");
    for (const row of found) {
      const link = Object.assign(element("a", "", row.heading || row.page), { href: root + row.url });
      const item = element("li", "");
      item.append(link);
      if (row.heading) item.append(element("span", "svt-found-in", row.page));
      item.append(excerpt(row));
      list.append(item);
    }
    const said = element("p", "search-summary", found.length ? "" : "Nothing found. Other words, or fewer?");
    place.replaceChildren(said, list);
    place.dataset.asked = query;
  }

  window.Search = { performSearch };
  document.getElementById("pst-search-dialog")?.addEventListener("focusin", load, { once: true });
  const input = location.pathname.endsWith("/search.html") && document.querySelector(".bd-search-container input[name=q]");
  if (!input) return;
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  input.addEventListener("input", () => performSearch(input.value));
  if (input.value) performSearch(input.value);
})();
