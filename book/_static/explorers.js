// Bring <div data-svt-explorer="..."> to life from numbers computed beforehand.  Without this script its text stays as it is.
(() => {
  const home = document.currentScript.src;
  const SVG = "http://www.w3.org/2000/svg";

  const make = (tag, attributes = {}, ...children) => {
    const drawn = ["svg", "g", "rect", "line", "text", "path"].includes(tag);
    const element = drawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const figures = (value, digits) => {
    const short = Number(value.toPrecision(digits));
    if (short === 0 || Math.abs(short) >= 1e-4) return String(short);
    const [front, power] = short.toExponential().split("e");
    return `${front} × 10${power.replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}`;
  };
  const select = (id, label, options, chosen) => {
    const control = make("select", { id });
    for (const [value, text] of options) control.append(make("option", { value }, text));
    control.value = chosen;
    return [make("span", { class: "svt-control" }, make("label", { for: id }, label), control), control];
  };
  // Bars that lie, with their numbers at the end: [name, share of the width, number].
  const bars = (title, rows, color, mark, left = 44, step = 34, width = 176) => {
    const height = 22 + rows.length * step + (mark ? 18 : 0);
    const svg = make("svg", { viewBox: `0 0 320 ${height}`, "aria-hidden": "true", focusable: "false" });
    svg.append(make("text", { x: 0, y: 14, class: "svt-title" }, title));
    rows.forEach(([name, share, number, open, own], i) => {
      const y = 24 + i * step, end = left + share * width, tall = step - 10;
      svg.append(
        make("text", { x: 0, y: y + tall - 7 }, name),
        make("rect", { x: left, y, width: Math.max(share * width, 1), height: tall, fill: own || color }),
        make("text", { x: end + (open ? 18 : 6), y: y + tall - 6, class: "svt-number" }, number),
      );
      if (open) svg.append(make("path", { d: `M${end} ${y}l14 12l-14 12z`, fill: color }));
    });
    if (mark) {
      const x = left + mark[0] * width;
      svg.append(
        make("line", { x1: x, x2: x, y1: 20, y2: height - 16, stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": "5 3" }),
        make("text", { x, y: height - 3, "text-anchor": "middle" }, mark[1]),
      );
    }
    return svg;
  };

  function breakIt(place, data, index) {
    const id = (name) => `svt-break-it-${index}-${name}`;
    const [variantBox, variant] = select(
      id("variant"), "Variant", Object.entries(data.variants).map(([key, v]) => [key, v.name]), "alg4");
    const [nBox, n] = select(id("n"), "Queries, n", data.n.map((value, i) => [i, value]), data.n.indexOf(16));
    const [cBox, c] = select(id("c"), "Paid for, c", [], "");
    const [epsilonBox, epsilon] = select(id("epsilon"), "Claimed ε", data.epsilon.map((value) => [value, value]), 1);
    const sentence = make("p", { class: "svt-sentence", "aria-live": "polite" });
    const drawing = make("div", { class: "svt-drawing" });
    const details = make("div", { class: "svt-details" });

    const offer = () => {
      const cs = data.variants[variant.value].c, before = c.value || "2";
      c.replaceChildren(...(cs.length ? cs : ["–"]).map((value) => make("option", { value }, value)));
      c.value = cs.includes(Number(before)) ? before : cs.length ? cs[0] : "–";
      c.disabled = !cs.length;
    };
    let kept = "2"; // the c that the reader chose, while a variant without c is shown
    const show = () => {
      const chosen = data.variants[variant.value], claim = Number(epsilon.value), count = data.n[n.value];
      const paid = chosen.c.length ? Number(c.value) : 1;
      const [largest, visible] = data.cells[`${variant.value} ${paid} ${epsilon.value}`][n.value].map((i) => data.pairs[i]);
      const who = chosen.name + (chosen.c.length ? ` with c = ${paid}` : ""), queries = count === 1 ? "1 query" : `${count} queries`;
      const loss = largest[3], infinite = loss === null, broken = infinite || loss > claim * (1 + 1e-6);
      const [here, there, outcome, visibleLoss, p, q, density] = visible;
      const kind = density ? "density" : "probability", top = Math.max(infinite ? 3 * claim : loss, claim), most = Math.max(p, q);
      drawing.replaceChildren(
        bars("Largest loss", [["", infinite ? 1 : loss / top, infinite ? "∞" : figures(loss, 4), infinite]],
          chosen.color, [claim / top, `claims ${claim}`]),
        bars(density ? "Density of one output" : "Probability of one output",
          [["on D", p / most, figures(p, 3)], ["on D′", q / most, figures(q, 3)]], chosen.color),
      );
      const holds = chosen.holds[chosen.c.length ? chosen.c.indexOf(paid) : 0];
      const ratio = visibleLoss === null
        ? "The output is impossible on D′."
        : `That is a factor of ${figures(Math.exp(visibleLoss), 3)}; the claim allows ${figures(Math.exp(claim), 3)}.`;
      const rows = [["Answers on D", here], ["Answers on D′", there], ["Output", outcome]];
      details.replaceChildren(
        make("p", {}, `One output: its ${kind} is ${figures(p, 3)} on D and ${figures(q, 3)} on D′. ${ratio}`),
        make("dl", {}, ...rows.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)])),
        make("p", {}, `The pair with the largest loss: answers ${largest[0]} on D and ${largest[1]} on D′, output ${largest[2]}.`),
        make("p", {}, holds === null
          ? "For this variant no ε is known that holds for every number of queries."
          : `For every number of queries, ε = ${figures(holds * claim, 4)} holds.`),
      );
      const text = infinite
        ? `${who} has an infinite loss on ${queries}: an output that D can produce is impossible on D′; it claims ${claim}.`
        : `${who} loses ${figures(loss, 4)} on ${queries}${broken ? `; it claims ${claim}.` : `, not more than the ${claim} that it claims.`}`;
      if (sentence.textContent !== text) sentence.textContent = text;
      sentence.classList.toggle("svt-broken", broken);
    };
    variant.addEventListener("change", () => {
      if (!c.disabled) kept = c.value;
      offer();
      if (!c.disabled) c.value = kept;
      show();
    });
    for (const control of [n, c, epsilon]) control.addEventListener("change", show);
    offer();
    show();
    place.replaceChildren(make("div", { class: "svt-controls" }, variantBox, nBox, cBox, epsilonBox), sentence, drawing, details);
    place.classList.add("svt-alive");
  }

  // One curve over c: the chosen method, and the exponential mechanism to compare with.
  const curves = (title, xs, lines) => {
    const left = 34, right = 300, top = 24, bottom = 190, last = xs.length - 1;
    const svg = make("svg", { viewBox: "0 0 320 230", "aria-hidden": "true", focusable: "false" });
    const x = (i) => left + (i / last) * (right - left), y = (value) => bottom - value * (bottom - top);
    svg.append(make("text", { x: 0, y: 14, class: "svt-title" }, title));
    for (const value of [0, 0.5, 1]) {
      svg.append(
        make("line", { x1: left, x2: right, y1: y(value), y2: y(value), stroke: "currentColor", "stroke-opacity": 0.3 }),
        make("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, value),
      );
    }
    for (const i of [0, last]) svg.append(make("text", { x: x(i), y: bottom + 18, "text-anchor": "middle" }, xs[i]));
    svg.append(make("text", { x: (left + right) / 2, y: bottom + 18, "text-anchor": "middle" }, "c"));
    lines.forEach(([values, color, dash, name], k) => {
      const points = values.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join("");
      const look = { fill: "none", stroke: color, "stroke-width": 2.5, "stroke-dasharray": dash };
      svg.append(make("path", { d: points, ...look }), make("path", { d: `M${left + k * 150} 222h24`, ...look }));
      svg.append(make("text", { x: left + 30 + k * 150, y: 226 }, name));
    });
    return svg;
  };

  function errors(place, data, index) {
    const id = (name) => `svt-errors-${index}-${name}`, names = Object.keys(data.methods);
    const [datasetBox, dataset] = select(id("dataset"), "Dataset", Object.keys(data.datasets).map((name) => [name, name]), "Kosarak");
    const [epsilonBox, epsilon] = select(id("epsilon"), "ε", data.epsilon.map((value) => [value, value]), 0.1);
    const [cBox, c] = select(id("c"), "Wanted, c", data.c.map((value, i) => [i, value]), data.c.indexOf(100));
    const [measureBox, measure] = select(id("measure"), "Measure", Object.keys(data.measures).map((key, i) => [i, key.toUpperCase()]), 0);
    const [methodBox, method] = select(id("method"), "Method", names.map((name, i) => [i, name]), names.indexOf("SVT-S-1:c^(2/3)"));
    const sentence = make("p", { class: "svt-sentence", "aria-live": "polite" });
    const drawing = make("div", { class: "svt-drawing" });
    const details = make("div", { class: "svt-details" });
    const show = () => {
      const table = data.cells[`${dataset.value} ${epsilon.value}`], shift = 2 * Number(measure.value);
      const row = table[c.value], chosen = names[method.value], em = names.indexOf("EM");
      const [mean, spread] = row[method.value].slice(shift, shift + 2), [meaning, what] = Object.values(data.measures)[measure.value].split(": ");
      const text = `${chosen} on ${dataset.value} at ε = ${epsilon.value}, c = ${data.c[c.value]}: ${meaning} ${figures(mean, 3)}, ` +
        (Number(method.value) === em ? "the exponential mechanism itself." : `the exponential mechanism ${figures(row[em][shift], 3)}.`);
      drawing.replaceChildren(
        bars(`${meaning}, every method`, names.map((name, i) => [name, row[i][shift], figures(row[i][shift], 3), false, data.methods[name]]),
          "currentColor", null, 148, 26, 124),
        curves(`${meaning} by c`, data.c, [
          [table.map((one) => one[method.value][shift]), data.methods[chosen], "none", chosen.replace("SVT-", "")],
          ...(Number(method.value) === em ? [] : [[table.map((one) => one[em][shift]), data.methods.EM, "5 3", "EM"]]),
        ]),
      );
      details.replaceChildren(
        make("p", {}, `${meaning} is the ${what}. Over ${data.trials} runs of ${chosen} its mean is ${figures(mean, 3)}, its standard deviation ${figures(spread, 3)}.`),
        make("p", {}, data.datasets[dataset.value] === "estimate"
          ? `${dataset.value} is an estimate: its scores are off by about 2 %.`
          : `The scores of ${dataset.value} are ${data.datasets[dataset.value] === "exact" ? "exact" : "exact at the head, the tail is a model"}.`),
      );
      if (sentence.textContent !== text) sentence.textContent = text;
    };
    for (const control of [dataset, epsilon, c, measure, method]) control.addEventListener("change", show);
    show();
    place.replaceChildren(make("div", { class: "svt-controls" }, datasetBox, epsilonBox, cBox, measureBox, methodBox), sentence, drawing, details);
    place.classList.add("svt-alive");
  }

  // One run of a variant, step by step: the noise is the same for all, at each one's own scale.
  function oneRun(place, data, index) {
    const id = (name) => `svt-one-run-${index}-${name}`;
    const [variantBox, variant] = select(
      id("variant"), "Version", Object.entries(data.variants).map(([key, v]) => [key, v.name]), place.dataset.variant || "alg3");
    const button = (text) => make("button", { type: "button", class: "svt-button" }, text);
    const back = button("Back"), next = button("Next answer"), all = button("To the end");
    const sentence = make("p", { class: "svt-sentence", "aria-live": "polite" });
    const drawing = make("div", { class: "svt-drawing svt-wide" });
    let shown = 0;
    const draw = (run, color) => {
      const left = 40, right = 590, top = 14, bottom = 210;
      const heights = run.flatMap(([, noisy, bar]) => [noisy, bar]), low = Math.min(-4, ...heights), high = Math.max(8, ...heights);
      const x = (k) => left + ((k + 0.5) / run.length) * (right - left), y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
      const svg = make("svg", { viewBox: "0 0 600 250", role: "img", "aria-label": "The run as a picture; the sentence below says the same." });
      const line = (x1, x2, v, look) => svg.append(make("line", { x1, x2, y1: y(v), y2: y(v), stroke: "currentColor", ...look }));
      line(left, right, data.threshold, { "stroke-dasharray": "5 4", "stroke-opacity": 0.7 });
      svg.append(make("text", { x: left - 6, y: y(data.threshold) + 4, "text-anchor": "end" }, "T"));
      run.slice(0, shown).forEach(([answer, noisy, bar, said], k) => {
        const yes = said !== "⊥", wide = (right - left) / run.length / 2;
        line(x(k) - wide, x(k) + wide, bar, { "stroke-width": 3, stroke: color });
        svg.append(
          make("line", { x1: x(k), x2: x(k), y1: y(answer), y2: y(noisy), stroke: "currentColor", "stroke-opacity": 0.4 }),
          make("rect", { x: x(k) - 2.5, y: y(answer) - 2.5, width: 5, height: 5, fill: "currentColor" }),
          make("path", { d: `M${x(k) - 6} ${y(noisy)}l6 -6l6 6l-6 6z`, fill: yes ? color : "none", stroke: color, "stroke-width": 2 }),
          make("text", { x: x(k), y: 236, "text-anchor": "middle", class: yes ? "svt-number" : "" }, said),
        );
      });
      return svg;
    };
    const show = () => {
      const chosen = data.variants[variant.value], run = chosen.steps;
      drawing.replaceChildren(draw(run, chosen.color));
      back.disabled = shown === 0;
      next.disabled = all.disabled = shown === run.length;
      let text = `${run.length} questions will be asked: is the count at least T? Press “Next answer”.`, broken = false;
      if (shown) {
        const [, , , said, loss] = run[shown - 1], told = said === "⊥" || said === "⊤" ? `says ${said}` : `prints ${said}`;
        const factor = loss === null ? Infinity : Math.exp(Math.abs(loss));
        broken = loss === null || Math.abs(loss) > data.epsilon * (1 + 1e-9);
        const likelier = loss === null
          ? "With one person more in every question answered ⊥ this could not have happened"
          : `All answers so far are ${figures(factor, 3)} times likelier ${loss < 0 ? "with" : "without"} one person who counts in every question answered ⊥`;
        text = `Answer ${shown} of ${run.length}: ${chosen.name} ${told}. ${likelier}; ε = ${data.epsilon} allows ${figures(Math.exp(data.epsilon), 3)}.`;
      }
      sentence.textContent = text;
      sentence.classList.toggle("svt-broken", broken);
    };
    variant.addEventListener("change", () => { shown = 0; show(); });
    back.addEventListener("click", () => { shown -= 1; show(); });
    next.addEventListener("click", () => { shown += 1; show(); });
    all.addEventListener("click", () => { shown = data.variants[variant.value].steps.length; show(); });
    show();
    place.replaceChildren(make("div", { class: "svt-controls" }, variantBox, make("span", { class: "svt-buttons" }, back, next, all)), drawing, sentence);
    place.classList.add("svt-alive");
  }

  const explorers = {
    "one-run": ["one_run", (place, index) => oneRun(place, window.svtOneRun, index)],
    "break-it": ["break_it", (place, index) => breakIt(place, window.svtBreakIt, index)],
    errors: ["errors", (place, index) => errors(place, window.svtErrors, index)],
  };
  for (const [name, [file, start]] of Object.entries(explorers)) {
    const places = document.querySelectorAll(`[data-svt-explorer="${name}"]`);
    if (!places.length) continue;
    // A script and not a request: the site also works when it is opened as files.
    const numbers = make("script", { src: new URL(`explorers/${file}.js`, home).href });
    numbers.addEventListener("load", () => places.forEach(start));
    document.head.append(numbers);
  }
})();
