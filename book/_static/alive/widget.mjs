// One program that can be changed, run and judged: editor, settings, verdict, tree, and what a reader has tried.
import { bars, history, picture, runs, tree } from "./drawings.mjs";

const here = import.meta.url;
document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL("alive.css", here) }));

export const element = (name, properties = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) key in made ? (made[key] = value) : made.setAttribute(key, value);
  made.append(...children);
  return made;
};

// The worker: a program that says nothing for two seconds is stopped, and the next request gets a new one.
const LOADING = 60000, SILENT = 2000;
let worker, waiting = null, number = 0;
const free = [];
function start() {
  worker = new Worker(new URL("worker.mjs", here), { type: "module" });
  worker.started = new Promise((ready, failed) => {
    worker.onerror = (error) => failed(new Error(error.message || "it could not be loaded"));
    worker.onmessage = ({ data }) => {
      if (data.ready) ready();
      else if (data.beat) waiting?.alive();
      else if (data.id === waiting?.id) waiting.done(data.answer);
    };
    setTimeout(() => failed(new Error("it did not load within a minute")), LOADING);
  });
}
const stopped = () => {
  worker?.terminate();
  worker = null;
};
async function ask(request) {
  if (waiting) await new Promise((next) => free.push(next));
  const id = (number += 1);
  waiting = { id, alive() {}, done() {} };
  try {
    if (!worker) start();
    await worker.started;
    return await new Promise((done) => {
      let timer;
      const alive = () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          stopped();
          if (request.do !== "judge") return done({ failed: "stopped: it did not end within two seconds", line: 0 });
          const sentence = "it was not read to its end within two seconds: it has many ways to answer, or no end";
          done({ private: null, name: request.function, line: 0, tree: null, notes: {}, pair: null, mend: "", n: 0, sentence });
        }, SILENT);
      };
      waiting = { id, alive, done: (answer) => { clearTimeout(timer); done(answer); } };
      alive();
      worker.postMessage({ id, request });
    });
  } catch (error) {
    stopped();
    return { failed: `Python did not start here: ${error.message}`, line: 0 };
  } finally {
    waiting = null;
    free.shift()?.();
  }
}

const WORDS = /(#[^\n]*)|("""[\s\S]*?"""|'[^'\n]*'|"[^"\n]*")|\b(and|as|assert|break|class|continue|def|elif|else|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|False|while|yield)\b|\b(\d[\d_.e]*)\b/g;
const KINDS = ["", "comment", "text", "word", "number"];
function coloured(text) {
  const found = [];
  let at = 0;
  for (const match of text.matchAll(WORDS)) {
    found.push(text.slice(at, match.index));
    const kind = match.findIndex((part, i) => i && part !== undefined);
    match[0].split("\n").forEach((part, i) => found.push(...(i ? ["\n"] : []), element("span", { className: `svt-code-${KINDS[kind]}` }, part)));
    at = match.index + match[0].length;
  }
  return [...found, text.slice(at)];
}

// A textarea over its own coloured text, with what each line does beside it.
function editor(label, changed, judge) {
  const mirror = element("pre", { "aria-hidden": "true" });
  const area = element("textarea", { spellcheck: false, autocapitalize: "off", autocomplete: "off", "aria-label": label, wrap: "off" });
  const box = element("div", { className: "svt-editor" }, element("div", { className: "svt-editor-inner" }, mirror, area));
  let notes = {}, fault = 0;
  const draw = () => {
    const lines = [element("span", { className: "svt-line" })];
    for (const part of coloured(area.value)) {
      if (typeof part !== "string") lines.at(-1).append(part);
      else part.split("\n").forEach((text, i) => { if (i) lines.push(element("span", { className: "svt-line" })); lines.at(-1).append(text); });
    }
    lines.forEach((line, i) => {
      if (notes[i + 1]) line.append(element("span", { className: "svt-note", textContent: `← ${notes[i + 1]}` }));
      line.classList.toggle("svt-fault", fault === i + 1);
      line.append("\n");
    });
    mirror.replaceChildren(...lines);
    area.rows = lines.length;
  };
  area.addEventListener("input", () => { notes = {}; fault = 0; draw(); changed(); });
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    if (event.ctrlKey || event.metaKey) return judge();
    const before = area.value.slice(0, area.selectionStart), line = before.slice(before.lastIndexOf("\n") + 1);
    event.preventDefault();
    insert("\n" + line.match(/^\s*/)[0] + (line.trimEnd().endsWith(":") ? "    " : ""));
  });
  function insert(text, back = 0) {
    area.focus();
    // So the browser's own undo takes it back; where that is gone, plainly.
    if (!document.execCommand("insertText", false, text)) area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    area.selectionStart = area.selectionEnd -= back;
    area.dispatchEvent(new Event("input"));
  }
  return {
    box, area, insert,
    get text() { return area.value; },
    set text(value) { area.value = value; notes = {}; fault = 0; draw(); },
    mark(newNotes, line) { notes = newNotes; fault = line; draw(); },
  };
}

const INSERTED = [["ε", "epsilon"], ["⊤", "True"], ["⊥", "False"], ["rng.laplace", "rng.laplace(0, )", 1], ["answer", "answer"], ["threshold", "threshold"], ["c", "c"]];
const MARKS = { true: "✓ private", false: "✗ not private", null: "? not decided here" };
let serial = 0;

// Returns what the buttons of the bar call: edit, run, judge, or arrive with the text of an address.
export function widget(bar, place, original, programs) {
  const id = `svt-program-${(serial += 1)}`;
  const status = element("div", { className: "svt-verdict-box", role: "status" });
  const details = element("div", { className: "svt-verdict-details" });
  const tried = history();
  let one = programs[0], opened = false, own = true;
  const printed = original.replace(/\n+$/, "");
  const kept = `svt-text ${location.pathname} ${one.function}`; // what was typed here is still here after a reload
  const code = editor(`Program ${programs.map((p) => p.function).join(", ")}`, () => { own = true; remember(code.text); stale(); }, () => act("judge"));
  function remember(text) {
    try { text === printed ? localStorage.removeItem(kept) : localStorage.setItem(kept, text); } catch { /* no storage */ }
  }
  code.text = printed;
  let last = null; // what is shown is what is judged: this is brought back by Edit, or when it is asked for
  try { last = localStorage.getItem(kept); } catch { /* no storage */ }

  const field = (label, name, properties) => {
    const input = element("input", { id: `${id}-${name}`, className: "svt-field", ...properties });
    return [element("label", { htmlFor: input.id }, label), input];
  };
  const [epsilonLabel, epsilon] = field("ε", "epsilon", { type: "number", min: "0.01", step: "any", value: String(one.epsilon ?? 1) });
  const [cLabel, c] = field("c", "c", { type: "number", min: "1", max: "5", step: "1", value: String(one.c ?? 1) });
  const [monotonicLabel, monotonic] = field("answers only move together", "monotonic", { type: "checkbox", checked: one.monotonic ?? false });
  const which = element("select", { id: `${id}-which`, className: "svt-field" }, ...programs.map((p) => element("option", {}, p.function)));
  const settings = element("div", { className: "svt-settings" },
    ...(programs.length > 1 ? [element("label", { htmlFor: which.id }, "Function"), which] : []),
    epsilonLabel, epsilon, cLabel, c, monotonic, monotonicLabel);
  const keys = element("div", { className: "svt-keys", role: "group", "aria-label": "Insert" },
    ...INSERTED.map(([label, text, back]) => {
      const key = element("button", { type: "button", textContent: label });
      key.addEventListener("click", () => code.insert(text, back));
      return key;
    }));
  const button = (label, act) => {
    const made = element("button", { type: "button", className: "svt-button", textContent: label });
    made.addEventListener("click", act);
    return made;
  };
  const edits = element("div", { className: "svt-buttons svt-tries" });
  const offered = () => {
    one = programs[which.selectedIndex] ?? programs[0];
    epsilon.value = String(one.epsilon ?? 1);
    c.value = String(one.c ?? 1);
    edits.replaceChildren(...(one.edit ?? []).map((edit) => button(edit.label, () => {
      code.text = printed.replace(edit.find, () => edit.replace);
      act("judge", edit.label);
    })));
    edits.hidden = !one.edit;
    trying.hidden = !one.edit;
  };
  const trying = element("p", { className: "svt-trying", id: `${id}-tries` }, "Try this:");
  edits.setAttribute("role", "group");
  edits.setAttribute("aria-labelledby", trying.id);
  which.addEventListener("change", () => { offered(); say("", []); });
  for (const setting of [epsilon, c, monotonic]) setting.addEventListener("input", () => { code.mark({}, 0); say("", []); });
  const body = element("div", { className: "svt-program-body", hidden: true }, code.box, keys, settings, trying, edits, status, details, tried.table);
  bar.append(body);
  offered();

  const back = button("As it was", () => { code.text = printed; remember(printed); say("", []); code.area.focus(); });
  const link = button("Link", share);
  function show(action) {
    if (opened) return;
    opened = true;
    place.hidden = true; // the editor takes the listing's place
    body.hidden = false;
    bar.querySelector(".svt-program-bar").append(back, link);
    if (last === null || action === "arrive") return;
    const recall = () => {
      code.text = last;
      say("", ["Your program of last time is back; “As it was” brings the printed one."]);
    };
    if (action === "edit") recall();
    else bar.querySelector(".svt-program-bar").append(button("Last time’s", recall));
  }

  const stale = () => {
    if (status.childElementCount) status.classList.add("svt-stale");
  };
  const say = (kind, lines, ...more) => {
    status.className = `svt-verdict-box ${kind}`;
    status.replaceChildren(...lines.map((line) => (typeof line === "string" ? element("p", {}, line) : line)));
    details.replaceChildren(...more);
  };
  const failed = ({ failed: reason, line }) => {
    code.mark({}, line);
    say("svt-open", [line ? `Line ${line}: ${reason}` : `${reason[0].toUpperCase()}${reason.slice(1)}`]);
  };

  async function act(action, label = "") {
    show(own ? action : "arrive");
    if (action === "edit") return code.area.focus();
    const text = code.text, defined = new RegExp(`^(def|class) ${one.function}\\b`, "m").test(text);
    const asked = {
      text, epsilon: Number(epsilon.value), c: Number(c.value), monotonic: monotonic.checked, sensitivity: one.sensitivity ?? 1,
      given: one.given ?? {}, function: defined ? one.function : "",
    };
    bar.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => say("", [action === "run" ? "Running…" : "Reading every way to answer…"]), 250);
    if (action === "run") {
      const { monotonic: _, ...request } = asked;
      const answer = await ask({ do: "run", answers: one.answers, threshold: one.threshold, ...request });
      clearTimeout(slow);
      bar.removeAttribute("aria-busy");
      if (answer.failed) return failed(answer);
      code.mark({}, 0);
      const said = answer.said.map((a) => (a === true ? "⊤" : a === false ? "⊥" : Number(a.toPrecision(3))));
      say("", [`It answers ${said.join(" ") || "nothing"}. Run it again: the noise is new each time.`], picture(one.answers, one.threshold, answer.said));
      return;
    }
    const answer = await ask({ do: "judge", ...asked });
    clearTimeout(slow);
    bar.removeAttribute("aria-busy");
    if (answer.failed) {
      failed(answer);
      if (label || code.text !== printed) tried.add(label || "your own change", "not judged", "");
      return;
    }
    verdict(answer, asked, label);
  }

  function verdict(answer, asked, label) {
    const kind = { true: "svt-yes", false: "svt-no", null: "svt-open" }[answer.private];
    const upTo = answer.private ? " for every number of queries" : "";
    code.mark(answer.notes, answer.line);
    const lines = [element("p", {}, element("strong", {}, `${MARKS[answer.private]}${upTo}`), ` at ε = ${asked.epsilon}: ${answer.line ? `line ${answer.line}: ` : ""}${answer.sentence}.`)];
    if (answer.pair) lines.push(...told(answer.pair, asked.epsilon));
    if (answer.mend && answer.private === false && !one.repair) lines.push(`To mend this: ${answer.mend}.`);
    const more = [];
    if (answer.pair) more.push(bars(answer.pair, asked.epsilon));
    const notes = Object.entries(answer.notes).sort((a, b) => a[0] - b[0]);
    const cut = code.box.scrollWidth > code.box.clientWidth; // then the notes stand below, too
    if (notes.length) more.push(element("ul", { className: cut ? "svt-notes svt-cut" : "svt-notes" }, ...notes.map(([line, note]) => element("li", {}, `line ${line}: ${note}`))));
    if (answer.tree) more.push(tree(answer.tree, answer.small));
    if (answer.private === null) {
      const command = `python -m svtlib audit file.py:${answer.name || "f"} --epsilon ${asked.epsilon} --c ${asked.c}`;
      const why = "What this page cannot decide, your own Python may: ";
      more.push(element("p", { className: "svt-command" }, why, element("code", {}, command)));
    }
    say(kind, lines, ...more);
    if (innerWidth < 600) status.scrollIntoView({ block: "nearest" });
    if (label || code.text !== printed) {
      const loss = answer.pair ? (answer.pair.loss === null ? "∞" : answer.pair.loss.toFixed(2)) : "";
      tried.add(label || "your own change", MARKS[answer.private], loss);
    }
    const asAsked = asked.epsilon <= (one.epsilon ?? 1) && asked.c === (one.c ?? 1) && !asked.monotonic;
    if (answer.private && one.repair && asAsked && own) repaired(one.function);
  }

  const told = (pair, budget) => {
    const what = pair.density ? "density" : "probability";
    const times = pair.loss === null ? "impossible on D′" : `${Math.exp(pair.loss).toPrecision(3)} times as likely, loss ${pair.loss.toFixed(3)}`;
    const limit = `exp(ε) = ${Math.exp(budget).toPrecision(3)}`;
    return [`Neighbours D with answers ${runs(pair.answers)} and D′ with ${runs(pair.neighbour)}, threshold ${pair.threshold}: the output ${pair.output} has ${what} ${Number(pair.p.toPrecision(3))} on D and ${Number(pair.q.toPrecision(3))} on D′ (${times}; ${limit} is allowed).`];
  };

  function repaired(name) {
    try {
      const done = JSON.parse(localStorage.getItem("svt-repaired") ?? "[]");
      if (!done.includes(name)) localStorage.setItem("svt-repaired", JSON.stringify([...done, name]));
    } catch { /* no storage: nothing is remembered */ }
    dispatchEvent(new Event("svt-repaired"));
  }

  async function share() {
    if (!window.CompressionStream) return say("svt-open", ["This browser cannot pack a program into an address."]);
    const stream = new Blob([code.text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const packed = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    const settings = `epsilon=${epsilon.value}&c=${c.value}${monotonic.checked ? "&monotonic=1" : ""}`;
    window.history.replaceState(null, "", `#program=${one.function}~${packed}&${settings}`);
    let copied = "The address of this page now carries the program";
    try {
      await navigator.clipboard.writeText(location.href);
      copied += ", and is copied";
    } catch { /* no clipboard: the address bar has it */ }
    say("", [`${copied}.`]);
  }

  return (action, text) => {
    if (action !== "arrive") return act(action);
    const sent = new URLSearchParams(location.hash.slice(1));
    if (programs.length > 1) {
      const name = sent.get("program").split("~")[0];
      which.selectedIndex = Math.max(0, programs.findIndex((p) => p.function === name));
      offered();
    }
    epsilon.value = sent.get("epsilon") ?? epsilon.value;
    c.value = sent.get("c") ?? c.value;
    monotonic.checked = sent.has("epsilon") ? sent.has("monotonic") : monotonic.checked;
    code.text = text;
    own = false;
    bar.scrollIntoView({ block: "center" });
    return act("judge");
  };
}
