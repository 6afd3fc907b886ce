// The frame of the explorers: <div data-svt-explorer="name"> gets controls, a sentence, a drawing and details.
//
// What an explorer can be asked, its sentences and its numbers come from explorers/NAME.data.js, which svtcourse writes;
// what the sentences say of the numbers of a choice, and how these are drawn, is in explorers/NAME.js.  Both are loaded when
// the explorer comes near the window.  Without this script the text of the place stays as it is.
(() => {
  const places = document.querySelectorAll("[data-svt-explorer]");
  if (!places.length) return;
  const home = document.currentScript.src;
  const SVG = "http://www.w3.org/2000/svg";
  const DRAWN = new Set(["svg", "g", "rect", "line", "text", "path", "circle"]);

  const make = (tag, attributes = {}, ...children) => {
    const element = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  // A number as svtcourse.explorers.frame.shown writes it; null is infinite.
  const shown = (given, digits = 3) => {
    const value = Number(given ?? Infinity);
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const sign = value < 0 ? "−" : "", size = Number(Math.abs(value).toPrecision(digits));
    if (size >= 1e-4) return sign + size;
    const [front, power] = size.toExponential().split("e");
    return `${sign}${front} × 10${power.replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}`;
  };
  // A line does not break inside "ε = 1" or "3 Δ/ε".
  const tight = (text) => text.replace(/ (=|Δ\/ε)( ?)/g, (_, sign, after) => `\u00a0${sign}${sign === "=" && after ? "\u00a0" : after}`);
  // Parts and other texts in the places of a text, as svtcourse.explorers.frame.fill puts them there.
  const fill = (texts, text, parts, own) => text.replace(/\{(?:([\w ]+)\|)?(\w*)(?::(\d))?\}/g, (_, words, part, digits) => {
    const value = part ? parts[part] : own, said = typeof value === "string" ? value : shown(value, digits);
    return words ? fill(texts, texts[`${words} ${said}`] ?? texts[words] ?? "{}", parts, said) : said;
  });

  const canvas = (width, height) =>
    make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true", focusable: "false" });

  // A drawing under its title.
  const titled = (title, ...drawn) => make("div", { class: "svt-panel" }, make("p", { class: "svt-title", "aria-hidden": "true" }, title), ...drawn);

  // Bars that lie: {name, share, number, open, color}, their numbers at the end, and a mark [share, text] across them.
  const bars = (width, rows, { left = 52, right = 62, step = 34, mark = null } = {}) => {
    const span = width - left - right, height = rows.length * step + (mark ? 20 : 2);
    const svg = canvas(width, height);
    rows.forEach(({ name, share, number, open, color }, i) => {
      const y = 2 + i * step, end = left + share * span, tall = step - 9;
      svg.append(
        make("text", { x: 0, y: y + tall / 2 + 5 }, name),
        make("rect", { x: left, y, width: Math.max(share * span, 1), height: tall, rx: 2, fill: color }),
        make("text", { x: end + (open ? 16 : 6), y: y + tall / 2 + 5, class: "svt-number" }, number),
      );
      if (open) svg.append(make("path", { d: `M${end} ${y}l12 ${tall / 2}l-12 ${tall / 2}z`, fill: color }));
    });
    if (mark) {
      const x = left + mark[0] * span;
      svg.append(
        make("line", { x1: x, x2: x, y1: 0, y2: height - 18, class: "svt-rule" }),
        make("text", { x, y: height - 4, "text-anchor": "middle" }, mark[1]),
      );
    }
    return svg;
  };

  // Small drawings, each with what it stands for.
  const legend = (entries) => make("ul", { class: "svt-legend", "aria-hidden": "true" }, ...entries.map(([name, drawn]) => {
    const swatch = canvas(28, 16);
    swatch.append(drawn);
    return make("li", {}, swatch, name);
  }));

  const SHAPES = {
    dot: (x, y) => make("circle", { cx: x, cy: y, r: 5.5 }),
    diamond: (x, y) => make("path", { d: `M${x - 7} ${y}l7 -7l7 7l-7 7z` }),
    square: (x, y) => make("rect", { x: x - 5, y: y - 5, width: 10, height: 10 }),
    triangle: (x, y) => make("path", { d: `M${x - 6} ${y + 5}h12l-6 -11z` }),
    cross: (x, y) => make("path", { d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` }),
    tick: (x, y) => make("path", { d: `M${x} ${y - 9}v18` }),
  };
  const marker = (shape, x, y, color, hollow) => {
    const drawn = SHAPES[shape](x, y);
    drawn.setAttribute("fill", hollow ? "var(--pst-color-background)" : color);
    drawn.setAttribute("stroke", color);
    drawn.setAttribute("stroke-width", 2);
    return drawn;
  };

  // Curves in a frame, with a legend below.
  // x, y: {min, max, log, ticks: [[value, text]], label}; lines: {x, y, color, dash, name}; points: {x, y, shape, color, hollow, name};
  // rules: {y, name} across, {x, name} upright.
  const plot = (width, { height = 250, x, y, lines = [], points = [], rules = [] }) => {
    const left = 48, right = width - 10, top = 8, bottom = height - 40;
    const along = ({ min, max, log }, from, to) => (value) => {
      const of = log ? Math.log : Number;
      return from + ((of(Math.min(Math.max(value, min), max)) - of(min)) / (of(max) - of(min))) * (to - from);
    };
    const px = along(x, left, right), py = along(y, bottom, top), svg = canvas(width, height);
    for (const [value, text] of y.ticks) {
      svg.append(
        make("line", { x1: left, x2: right, y1: py(value), y2: py(value), class: "svt-grid" }),
        make("text", { x: left - 6, y: py(value) + 4, "text-anchor": "end" }, text),
      );
    }
    for (const [value, text] of x.ticks) {
      svg.append(
        make("line", { x1: px(value), x2: px(value), y1: bottom, y2: bottom + 5, class: "svt-axis" }),
        make("text", { x: px(value), y: bottom + 18, "text-anchor": "middle" }, text),
      );
    }
    svg.append(
      make("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "svt-axis" }),
      make("text", { x: (left + right) / 2, y: height - 4, "text-anchor": "middle" }, x.label),
    );
    const explained = [];
    const explain = (name, drawn) => { if (name) explained.push([name, drawn]); };
    for (const rule of rules) {
      const across = "y" in rule;
      const place = across
        ? { x1: left, x2: right, y1: py(rule.y), y2: py(rule.y) }
        : { x1: px(rule.x), x2: px(rule.x), y1: top, y2: bottom };
      svg.append(make("line", { ...place, class: "svt-rule" }));
      explain(rule.name, make("line", { x1: 2, x2: 26, y1: 8, y2: 8, class: "svt-rule" }));
    }
    for (const line of lines) {
      const look = { fill: "none", stroke: line.color, "stroke-width": 2.5, "stroke-dasharray": line.dash ?? "none", "stroke-linejoin": "round" };
      // What is infinite, or above the frame, is not drawn.
      const inside = line.y.map((value) => value !== null && value <= y.max * (1 + 1e-9));
      const way = line.x.map((value, i) => (inside[i] ? `${inside[i - 1] ? "L" : "M"}${px(value).toFixed(1)} ${py(line.y[i]).toFixed(1)}` : "")).join("");
      svg.append(make("path", { d: way, ...look }));
      explain(line.name, make("path", { d: "M2 8h24", ...look }));
    }
    for (const point of points) {
      const color = point.color ?? "currentColor";
      svg.append(marker(point.shape, px(point.x), py(point.y ?? y.max), color, point.hollow));
      if (point.text) svg.append(make("text", { x: px(point.x), y: py(point.y ?? y.max) + (point.y === null ? 24 : -12), "text-anchor": "middle", class: "svt-number" }, point.text));
      explain(point.name, marker(point.shape, 14, 8, color, point.hollow));
    }
    return [svg, legend(explained)];
  };

  // Round values from 0 to at most `top`, four or so.
  const ticks = (top) => {
    const rough = top / 4, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((one) => one * power >= rough * 0.999) * power;
    return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => [i * step, shown(i * step)]);
  };

  // How wide two panels are that stand side by side, or one below the other where there is no room.
  const half = (width) => (width > 600 ? (width - 48) / 2 : width);

  const tools = { make, shown, canvas, titled, legend, bars, plot, marker, ticks, half };
  const views = {};
  window.svtExplorer = (name, view) => { views[name] = view; };

  // On its own page an explorer keeps its choice in the address; inside a lesson it leads to that page.
  const alone = !location.pathname.includes("/chapters/");
  const inAddress = () => {
    if (!alone) return {};
    const found = new URLSearchParams(location.hash.slice(1));
    return location.hash.includes("=") ? Object.fromEntries(found) : {};
  };

  function start(place, index) {
    const name = place.dataset.svtExplorer, data = window.svtNumbers[name], { texts, numbers } = data;
    const view = views[name](numbers, tools);
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    const state = {}, controls = {};
    const sentence = make("p", { class: "svt-sentence", "aria-live": "polite" });
    const drawing = make("div", { class: "svt-drawing" });
    const details = make("div", { class: "svt-details" });
    const panel = make("div", { class: "svt-controls" });

    const offered = ({ only }) => !only || only[1].includes(state[only[0]]);
    const places_ = (control) => control.options.findIndex(([value]) => value === state[control.name]);

    for (const control of data.controls) {
      const id = `svt-${name}-${index}-${control.name}`, box = make("div", { class: "svt-control" });
      const label = make("label", { for: id }, control.label);
      let input, output;
      if (control.slider) {
        input = make("input", { id, type: "range", min: 0, max: control.options.length - 1, step: 1 });
        output = make("output", { for: id });
        box.classList.add("svt-slider");
        box.append(make("span", { class: "svt-label" }, label, output), input);
        input.addEventListener("input", () => choose(control, Number(input.value)));
      } else {
        input = make("select", { id }, ...control.options.map(([value, text]) => make("option", { value }, text)));
        box.append(label, input);
        input.addEventListener("change", () => choose(control, input.selectedIndex));
      }
      controls[control.name] = { control, input, output };
      panel.append(box);
      if (control.steps) {
        const button = (text, to) => {
          const pressed = make("button", { type: "button", class: "svt-button" }, text);
          pressed.addEventListener("click", () => choose(control, to(Number(input.value), Number(input.max))));
          return pressed;
        };
        const back = button("Back", (at) => at - 1), next = button("Next answer", (at) => at + 1), end = button("To the end", (_, most) => most);
        next.classList.add("svt-primary");
        controls[control.name].ends = { low: [back], high: [next, end] };
        panel.append(make("div", { class: "svt-buttons" }, back, next, end));
      }
    }

    const set = (chosen) => {
      for (const { control } of Object.values(controls)) {
        const known = control.options.some(([value]) => value === chosen[control.name]);
        state[control.name] = known ? chosen[control.name] : (state[control.name] ?? control.start);
      }
    };

    // The address follows the choice, a little later: browsers refuse many changes at once.  The history is left alone.
    const address = () => {
      const kept = Object.values(controls).filter(({ control }) => offered(control)).map(({ control }) => [control.name, state[control.name]]);
      return `#${new URLSearchParams(kept)}`;
    };
    let waiting;
    const remember = () => {
      page.href = ownPage + address();
      if (!alone) return;
      clearTimeout(waiting);
      waiting = setTimeout(() => history.replaceState(history.state, "", address()), 200);
    };
    const choose = (control, place) => {
      state[control.name] = control.options[Math.min(Math.max(place, 0), control.options.length - 1)][0];
      show();
      remember();
    };

    const ownPage = new URL(`../book/explore/${name.replaceAll("-", "_")}.html`, home).href;
    const page = make("a", { class: "svt-alone" }, "On a page of its own");
    const copy = make("button", { type: "button", class: "svt-button svt-copy" }, "Copy link");
    const copied = make("span", { class: "svt-copied", role: "status" });
    copy.addEventListener("click", async () => {
      const link = location.href.split("#")[0] + address();
      try {
        await navigator.clipboard.writeText(link);
        copied.textContent = "The link to this choice is copied.";
      } catch {
        copied.textContent = `The link to this choice: ${link}`;
      }
    });

    let width = 0;
    const show = () => {
      const held = document.activeElement;
      const chosen = {}, labels = {};
      for (const control of data.controls) {
        // Where the reader has no choice, it is the first one.
        [chosen[control.name], labels[control.name]] = control.options[offered(control) ? places_(control) : 0];
      }
      const seen = view(chosen, numbers.cells[data.by.map((one) => chosen[one]).join(" ")], labels);
      const parts = { ...labels, ...seen.parts }, say = (name) => tight(fill(texts, texts[name], parts));
      for (const { control, input, output, ends } of Object.values(controls)) {
        const open = offered(control), most = seen.most?.[control.name] ?? control.options.length - 1;
        const at = Math.min(places_(control), most), text = open ? control.options[at][1] : "no choice";
        input.disabled = !open;
        if (control.slider) {
          input.max = most;
          input.value = at;
          output.textContent = text;
          input.setAttribute("aria-valuetext", text);
          input.style.setProperty("--svt-part", most ? at / most : 0);
          if (at < places_(control)) state[control.name] = control.options[at][0];
        } else {
          input.selectedIndex = at;
        }
        for (const button of ends?.low ?? []) button.disabled = at === 0;
        for (const button of ends?.high ?? []) button.disabled = at === most;
        if (held?.disabled && place.contains(held)) input.focus({ preventScroll: true });
      }
      const said = say("sentence");
      if (sentence.textContent !== said) sentence.textContent = said;
      sentence.classList.toggle("svt-broken", Boolean(parts.warns));
      drawing.replaceChildren(...seen.draw(Math.max(width, 240)));
      details.replaceChildren(...say("details").split("\n").filter(Boolean).map((line) => make("p", {}, line)));
      copied.textContent = "";
    };

    set({ ...place.dataset });
    set(inAddress());
    place.replaceChildren(panel, sentence, drawing, details, make("p", { class: "svt-foot" }, ...(alone ? [copy, copied] : [page])));
    place.classList.add("svt-alive");
    width = drawing.clientWidth;
    show();
    page.href = ownPage + address();
    new ResizeObserver(() => {
      if (drawing.clientWidth === width) return;
      width = drawing.clientWidth;
      show();
    }).observe(drawing);
    addEventListener("hashchange", () => {
      if (!alone || !location.hash.includes("=")) return;
      set(inAddress());
      show();
      place.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
    });
  }

  // A script and not a request: the site also works when it is opened as files.
  const loaded = {};
  const load = (file) => (loaded[file] ??= new Promise((done, failed) => {
    const script = make("script", { src: new URL(`explorers/${file}.js`, home).href });
    script.addEventListener("load", done);
    script.addEventListener("error", failed);
    document.head.append(script);
  }));
  const wake = async (place) => {
    const name = place.dataset.svtExplorer;
    await Promise.all([load(`${name}.data`), load(name)]);
    start(place, [...places].indexOf(place));
  };
  const watch = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      wake(target);
    }
  }, { rootMargin: "300px" });
  for (const place of places) watch.observe(place);
})();
