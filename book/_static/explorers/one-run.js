// One run of a variant, step by step: the noise is the same for all, at each one's own scale.
svtExplorer("one-run", ({ texts, numbers }, { make, shown, fill, canvas, titled, bars, marker, ticks }) => (state) => {
  const asked = numbers.lists[state.list], chosen = numbers.variants[state.variant], run = numbers.runs[`${state.variant} ${state.list}`];
  const { steps } = run, k = Math.min(Number(state.step), steps.length), { epsilon } = numbers;
  const threshold = shown(asked.threshold), allowed = shown(Math.exp(epsilon));

  const picture = (width) => {
    const n = asked.answers.length, left = 40, right = width - 8, top = 12, bottom = 214, svg = canvas(width, 262);
    const heights = steps.flatMap(([noisy, bar]) => [noisy, bar, chosen.absolute ? -bar : bar]).concat(asked.answers, asked.threshold);
    const low = Math.min(...heights), high = Math.max(...heights), wide = (right - left) / n / 2;
    const x = (i) => left + (i + 0.5) * 2 * wide, y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
    svg.append(
      make("line", { x1: left, x2: right, y1: y(asked.threshold), y2: y(asked.threshold), class: "svt-rule" }),
      make("text", { x: left - 8, y: y(asked.threshold) + 4, "text-anchor": "end" }, "T"),
    );
    const step = ticks(high - low)[1][0];
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
      if (Math.abs(y(v) - y(asked.threshold)) < 15) continue;
      svg.append(make("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end", class: "svt-faint" }, shown(v)));
    }
    asked.answers.forEach((answer, i) => {
      if (i >= k) {
        svg.append(make("rect", { x: x(i) - 2, y: y(answer) - 2, width: 4, height: 4, class: "svt-later" }));
        return;
      }
      const [noisy, bar, said] = steps[i], yes = said !== "⊥", now = i === k - 1;
      if (now) svg.append(make("rect", { x: x(i) - wide, y: 2, width: 2 * wide, height: 240, class: "svt-now" }));
      for (const level of chosen.absolute ? [bar, -bar] : [bar]) {
        svg.append(make("line", { x1: x(i) - wide, x2: x(i) + wide, y1: y(level), y2: y(level), "stroke-width": 3, stroke: chosen.color }));
      }
      const small = Math.min(6, wide - 0.5);
      svg.append(
        make("line", { x1: x(i), x2: x(i), y1: y(answer), y2: y(noisy), class: "svt-noise" }),
        make("rect", { x: x(i) - 2.5, y: y(answer) - 2.5, width: 5, height: 5, fill: "currentColor" }),
        make("path", { d: `M${x(i) - small} ${y(noisy)}l${small} -${small}l${small} ${small}l-${small} ${small}z`, fill: yes ? chosen.color : "none", stroke: chosen.color, "stroke-width": 2 }),
        // A number is wider than a sign: it has a line of its own.
        make("text", { x: Math.min(x(i), right - 4 * said.length), y: said.length > 1 ? 254 : 235, "text-anchor": "middle", class: yes ? "svt-number" : "" }, said),
      );
    });
    return svg;
  };

  const legend = () => {
    const entry = (name, ...drawn) => {
      const swatch = canvas(28, 16);
      swatch.append(...drawn);
      return make("li", {}, swatch, name);
    };
    return make(
      "ul", { class: "svt-legend", "aria-hidden": "true" },
      entry("true answer", make("rect", { x: 11, y: 5, width: 6, height: 6, fill: "currentColor" })),
      entry("with noise", marker("diamond", 14, 8, chosen.color, true)),
      entry("answered ⊤", marker("diamond", 14, 8, chosen.color, false)),
      entry("threshold with noise", make("line", { x1: 2, x2: 26, y1: 8, y2: 8, stroke: chosen.color, "stroke-width": 3 })),
    );
  };

  const bills = steps.flatMap(([, , , lost, pays]) => [Math.abs(lost ?? 0), pays ?? 0]);
  const most = Math.max(2 * epsilon, ...bills), spent = (name, value) => ({
    name, color: chosen.color, open: value === null || value > most,
    share: value === null ? 1 : Math.min(value / most, 1), number: value === null ? "∞" : shown(value),
  });
  const draw = (given, paid) => (width) => [
    titled("The run", picture(width), legend()),
    titled("The budget", bars(Math.min(width, 460), [spent("given away", given), spent("paid in the proof", paid)], {
      left: 120, step: 30, mark: [epsilon / most, `ε = ${epsilon}`],
    })),
  ];

  if (!k) {
    return {
      sentence: fill(texts.waiting, { n: asked.answers.length, threshold }), warns: false, details: [texts["nothing paid"]],
      draw: draw(0, 0), most: { step: steps.length },
    };
  }
  const [noisy, bar, said, loss, paid] = steps[k - 1], count = steps.slice(0, k).filter(([, , one]) => one !== "⊥").length;
  const kind = asked.leaves ? "moved" : "below", side = (kind === "moved" ? ["⊤", "⊥"] : ["without", "with"])[Number(loss < 0)];
  const factor = shown(Math.exp(Math.abs(loss)));
  const likelier = loss === null ? texts[`${kind} never`] : fill(texts[`${kind} ${factor === "1" ? "same" : "more"}`], { factor, side });
  const told = fill(texts["⊥⊤".includes(said) ? "says" : said === "abort" ? "aborts" : "prints"], { said });
  const [plural, single] = chosen.shows === "fresh" ? ["numbers", "one number"] : ["positives", "one positive"];
  const positives = count === 1 ? texts[single] : fill(texts[plural], { count });
  const shows = "⊤⊥".includes(said) || said === "abort" ? said : fill(texts[chosen.shows], { said });
  const price = paid === null ? "unpaid" : paid > epsilon * (1 + 1e-9) ? "overpaid" : count ? "paid" : "paid once";
  const details = [
    fill(texts[chosen.absolute ? "step absolute" : "step"], {
      answer: shown(asked.answers[k - 1], 4), noisy: shown(noisy, 4), threshold, bar: shown(bar, 4), shows,
    }),
    fill(texts[price], { paid: paid === null ? "" : shown(paid), epsilon: shown(epsilon), positives }),
  ];
  if (run.stopped && k === steps.length) details.push(fill(texts.ended, { c: run.c }));
  return {
    sentence: fill(texts.sentence, { k, n: asked.answers.length, who: chosen.name, told, likelier, epsilon: shown(epsilon), allowed }),
    warns: loss === null || paid === null || Math.max(Math.abs(loss), paid) > epsilon * (1 + 1e-9),
    details,
    draw: draw(loss === null ? null : Math.abs(loss), paid),
    most: { step: steps.length },
  };
});
