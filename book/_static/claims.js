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
  for (const button of document.querySelectorAll("button.svt-cite")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const here = location.href.split("#")[0] + button.dataset.at;
      const text = button.dataset.cite.replaceAll("@@address@@", here);
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
})();
