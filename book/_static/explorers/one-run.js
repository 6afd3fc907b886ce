// One run of a variant, step by step: the noise is the same for all, at each one's own scale. Sentences: book/explorers/one_run.py.
svtExplorer("one-run", (numbers, { make, shown, canvas, titled, legend, bars, marker, ticks }) => (state, { steps, stopped, c }) => {
  const { epsilon } = numbers, asked = numbers.lists[state.list], kind = numbers.kinds[state.variant], color = numbers.colors[state.variant];
  const k = Math.min(Number(state.step), steps.length);

  const picture = (width) => {
    const n = asked.answers.length, left = 40, right = width - 8, top = 12, bottom = 214, svg = canvas(width, 262);
    const heights = steps.flatMap(([noisy, bar]) => [noisy, bar, kind.absolute ? -bar : bar]).concat(asked.answers, asked.threshold);
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
      for (const level of kind.absolute ? [bar, -bar] : [bar]) {
        svg.append(make("line", { x1: x(i) - wide, x2: x(i) + wide, y1: y(level), y2: y(level), "stroke-width": 3, stroke: color }));
      }
      const small = Math.min(6, wide - 0.5);
      svg.append(
        make("line", { x1: x(i), x2: x(i), y1: y(answer), y2: y(noisy), class: "svt-noise" }),
        make("rect", { x: x(i) - 2.5, y: y(answer) - 2.5, width: 5, height: 5, fill: "currentColor" }),
        make("path", { d: `M${x(i) - small} ${y(noisy)}l${small} -${small}l${small} ${small}l-${small} ${small}z`, fill: yes ? color : "none", stroke: color, "stroke-width": 2 }),
        // A number is wider than a sign: it has a line of its own.
        make("text", { x: Math.min(x(i), right - 4 * said.length), y: said.length > 1 ? 254 : 235, "text-anchor": "middle", class: yes ? "svt-number" : "" }, said),
      );
    });
    return svg;
  };

  const most = Math.max(2 * epsilon, ...steps.flatMap(([, , , lost, pays]) => [Math.abs(lost ?? 0), pays ?? 0]));
  const spent = (name, value) => ({ name, color, open: value > most, share: Math.min(value / most, 1), number: shown(value) });
  const draw = (given, paid) => (width) => [
    titled("The run", picture(width), legend([
      ["true answer", make("rect", { x: 11, y: 5, width: 6, height: 6, fill: "currentColor" })],
      ["with noise", marker("diamond", 14, 8, color, true)],
      ["answered ⊤", marker("diamond", 14, 8, color, false)],
      ["threshold with noise", make("line", { x1: 2, x2: 26, y1: 8, y2: 8, stroke: color, "stroke-width": 3 })],
    ])),
    titled("The budget", bars(Math.min(width, 460), [spent("given away", given), spent("paid in the proof", paid)], {
      left: 120, step: 30, mark: [epsilon / most, `ε = ${epsilon}`],
    })),
  ];

  const begin = { k, n: asked.answers.length, threshold: asked.threshold };
  if (!k) return { parts: begin, draw: draw(0, 0), most: { step: steps.length } };
  const [noisy, bar, said, ...both] = steps[k - 1], [loss, paid] = both.map((one) => one ?? Infinity), limit = epsilon * (1 + 1e-9);
  return {
    parts: {
      ...begin, ...kind, said, epsilon, allowed: Math.exp(epsilon),
      leaves: asked.leaves, factor: Math.exp(Math.abs(loss)), fewer: loss < 0,
      answer: asked.answers[k - 1], noisy, bar,
      positives: steps.slice(0, k).filter(([, , one]) => one !== "⊥").length, paid, dear: paid > limit,
      ended: stopped && k === steps.length, c, warns: Math.max(Math.abs(loss), paid) > limit,
    },
    draw: draw(Math.abs(loss), paid),
    most: { step: steps.length },
  };
});
