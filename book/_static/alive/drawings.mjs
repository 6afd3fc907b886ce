// What a verdict is shown with: bars, the decision tree, a run, and the table of what was tried.
const SVG = "http://www.w3.org/2000/svg";
const drawn = (name, attributes, ...children) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const html = (name, className, ...children) => {
  const made = Object.assign(document.createElement(name), { className });
  made.append(...children);
  return made;
};
const minus = (x) => String(Number(Number(x).toPrecision(6))).replace("-", "−");

// Answers in a line, runs of equal ones once.
export function runs(values) {
  const found = [];
  for (const value of values) {
    if (found.length && found.at(-1)[0] === value) found.at(-1)[1] += 1;
    else found.push([value, 1]);
  }
  const parts = found.map(([value, times]) => (times < 4 ? Array(times).fill(minus(value)).join(", ") : `${minus(value)} (${times} times)`));
  return `(${(parts.length < 12 ? parts : [...parts.slice(0, 5), "…", ...parts.slice(-4)]).join(", ")})`;
}

// Both probabilities as bars, and how long the second may be at least.
export function bars(pair, epsilon) {
  const width = (x) => `${Math.max(0.4, (100 * x) / pair.p)}%`;
  const bar = (name, x) => {
    const filled = html("span", "svt-bar");
    filled.style.inlineSize = width(x);
    return html("div", "svt-bar-row", html("span", "svt-bar-name", name), html("span", "svt-bar-room", filled), html("span", "svt-bar-number", String(Number(x.toPrecision(3)))));
  };
  const least = bar("least allowed on D′", pair.p * Math.exp(-epsilon));
  least.classList.add("svt-bar-least");
  const box = html("div", "svt-bars", bar("on D", pair.p), bar("on D′", pair.q), least);
  box.setAttribute("aria-hidden", "true"); // the verdict says it in words
  return box;
}

const ROW = 30, COLUMN = 176, LAST = 66;

// The program's decision tree for a few queries: what is asked, and what each way says.
export function tree(root, queries) {
  const leaves = (node) => (node.output === undefined ? leaves(node.no) + leaves(node.yes) : 1);
  const depth = (node) => (node.output === undefined ? 1 + Math.max(depth(node.no), depth(node.yes)) : 0);
  const count = leaves(root);
  const title = html("p", "svt-tree-title", `Its decision tree for ${queries} queries, thick where the answer to a comparison is yes: ${count} ways to answer`);
  if (count > 16) return html("div", "svt-tree", title);
  const width = depth(root) * COLUMN + LAST + 60, height = count * ROW + 10;
  const drawing = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  const words = [];
  let next = 0;
  const place = (node, x, path) => {
    if (node.output !== undefined) {
      const y = (next += 1) * ROW - ROW / 2 + 5;
      drawing.append(drawn("text", { x: x + 8, y: y + 5, class: "svt-tree-output" }, node.output || "(nothing)"));
      words.push(`${path.join(", ")}: ${node.output || "nothing"}`);
      return y;
    }
    const low = place(node.yes, x + COLUMN, [...path, `${node.asks} yes`]);
    const high = place(node.no, x + COLUMN, [...path, `${node.asks} no`]);
    const y = (low + high) / 2;
    for (const [end, sign, kind] of [[low, "yes", "svt-tree-yes"], [high, "no", "svt-tree-no"]]) {
      drawing.prepend(drawn("path", { d: `M${x + 148} ${y}H${x + 156}L${x + COLUMN - 8} ${end}H${x + COLUMN + 2}`, class: `svt-tree-way ${kind}` }, drawn("title", {}, sign)));
    }
    drawing.append(
      drawn("rect", { x: x + 1, y: y - 12, width: 147, height: 24, rx: 4, class: "svt-tree-box" }),
      drawn("text", { x: x + 74, y: y + 5, class: "svt-tree-asks" }, node.asks.length > 21 ? `${node.asks.slice(0, 20)}…` : node.asks),
    );
    return y;
  };
  place(root, 0, []);
  drawing.setAttribute("aria-label", `Decision tree. ${words.join("; ")}`);
  const scroll = html("div", "svt-tree-scroll", drawing);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Decision tree");
  return html("div", "svt-tree", title, scroll);
}

// One run: true answers as squares, the threshold as a line, and what was said below.
export function picture(answers, threshold, said) {
  const step = 46, height = 150, width = answers.length * step + 20;
  const all = [...answers, threshold], low = Math.min(...all), high = Math.max(...all);
  const y = (value) => 14 + ((high - value) / (high - low || 1)) * 88;
  const words = answers.map((a, i) => `${minus(a)} ${said[i] === undefined ? "not asked" : said[i] === true ? "⊤" : said[i] === false ? "⊥" : minus(Number(said[i]).toPrecision(3))}`);
  const drawing = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "svt-run", "aria-label": `Answers and what was said, threshold ${minus(threshold)}: ${words.join(", ")}` });
  drawing.append(drawn("path", { d: `M0 ${y(threshold)}H${width}`, class: "svt-run-threshold" }));
  answers.forEach((answer, i) => {
    const x = 10 + step * (i + 0.5), one = said[i];
    drawing.append(drawn("rect", { x: x - 5, y: y(answer) - 5, width: 10, height: 10, class: one === undefined ? "svt-run-unasked" : "svt-run-answer" }));
    const text = one === undefined ? "" : one === true ? "⊤" : one === false ? "⊥" : minus(Number(one).toPrecision(3));
    drawing.append(drawn("text", { x, y: height - 20, class: one === false ? "svt-run-no" : "svt-run-yes" }, text), drawn("text", { x, y: height - 4, class: "svt-run-number" }, minus(answer)));
  });
  return html("div", "svt-tree-scroll", drawing);
}

// What was tried, and what it loses: filled by breaking things.
export function history() {
  const body = document.createElement("tbody");
  const head = html("thead", "", html("tr", "", ...["Tried", "Verdict", "Loss"].map((name) => Object.assign(html("th", "", name), { scope: "col" }))));
  const table = html("table", "svt-tried", head, body);
  table.hidden = true;
  return {
    table,
    add(label, verdict, loss) {
      for (const row of [...body.rows]) if (row.cells[0].textContent === label) row.remove();
      body.append(html("tr", "", html("td", "", label), html("td", "", verdict), html("td", "", loss)));
      table.hidden = false;
    },
  };
}
