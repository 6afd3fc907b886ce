// The search of the whole book is a quarter of a megabyte: it is loaded when someone opens the search, not with every page.
(() => {
  const root = document.documentElement.dataset.content_root ?? "./";
  const fetch = (file) =>
    new Promise((done, failed) => {
      const script = Object.assign(document.createElement("script"), { src: root + file, onload: done, onerror: failed });
      document.head.append(script);
    });
  let loaded = null;
  const load = () =>
    (loaded ??= Promise.all([fetch("_static/language_data.js"), fetch("_static/searchtools.js")]).then(() => fetch("searchindex.js")));
  const dialog = document.getElementById("pst-search-dialog");
  if (!dialog || location.pathname.endsWith("/search.html")) return;
  // The theme asks this one until Sphinx's own `Search`, a constant of the same name, stands before it.
  window.Search = { performSearch: (query) => load().then(() => Search.performSearch(query)) }; // eslint-disable-line no-undef
  dialog.addEventListener("focusin", load, { once: true });
})();
