// The largest loss that was found for a variant, and an output that shows it.
svtExplorer("break-it", ({ texts, numbers }, { make, shown, fill, canvas, titled, bars, plot, marker, ticks, half }) => {
  // "2.8 (×4), −1" as values, signs as they are.
  const values = (text) => text.split(", ").flatMap((one) => {
    const [value, times] = one.split(" (×");
    return Array(parseInt(times ?? "1", 10)).fill(value);
  });
  const height = (value) => Number(value.replace("−", "-"));

  // The answers on both datasets, the threshold between them, and the output.
  const picture = (width, here, there, outcome, color) => {
    const a = values(here).map(height), b = values(there).map(height), said = values(outcome), svg = canvas(width, 150);
    const all = [...a, ...b, 0], low = Math.min(...all), high = Math.max(...all), left = 20, top = 10, bottom = 108;
    const gap = Math.min((width - left - 12) / a.length, 44), y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
    svg.append(
      make("line", { x1: left, x2: left + gap * a.length, y1: y(0), y2: y(0), class: "svt-rule" }),
      make("text", { x: left - 6, y: y(0) + 4, "text-anchor": "end" }, "T"),
    );
    a.forEach((value, i) => {
      const x = left + (i + 0.5) * gap;
      svg.append(
        make("line", { x1: x, x2: x, y1: y(value), y2: y(b[i]), class: "svt-noise" }),
        marker("dot", x, y(b[i]), color, true),
        make("rect", { x: x - 3.5, y: y(value) - 3.5, width: 7, height: 7, fill: "currentColor" }),
        make("text", { x, y: said[i].length > 1 && i % 2 ? 148 : 132, "text-anchor": "middle" }, said[i]),
      );
    });
    return svg;
  };
  const legend = (color) => make(
    "ul", { class: "svt-legend", "aria-hidden": "true" },
    ...[["answer on D", make("rect", { x: 10, y: 4, width: 8, height: 8, fill: "currentColor" })], ["on D′", marker("dot", 14, 8, color, true)]].map(([name, drawn]) => {
      const swatch = canvas(28, 16);
      swatch.append(drawn);
      return make("li", {}, swatch, name);
    }),
  );

  return (state) => {
    const chosen = numbers.variants[state.variant], c = chosen.c ? state.c : "1";
    const claim = Number(state.epsilon), n = Number(state.n), cells = numbers.cells[`${state.variant} ${c} ${state.epsilon}`];
    const pair = (place) => numbers.pairs[place].map((value, i) => (i < 3 ? numbers.texts[value] : value));
    const [largest, visible] = cells[numbers.n.indexOf(n)].map(pair), holds = numbers.holds[`${state.variant} ${c}`];
    const [here, there, outcome, loss, p, density] = visible, q = loss === null ? 0 : p * Math.exp(-loss), most = largest[3], infinite = most === null;
    const broken = infinite || most > claim * (1 + 1e-5), extra = chosen.claims ? "" : " unclaimed";
    const who = chosen.c ? fill(texts["with c"], { who: chosen.name, c }) : chosen.name;
    const kind = density ? "density" : "probability", allowed = { allowed: shown(Math.exp(claim)), claim: shown(claim) };
    const size = infinite ? "" : shown(most, 4);
    const losses = cells.map(([place]) => numbers.pairs[place][3]);
    const top = 1.15 * Math.max(claim * 1.5, ...losses.map((one) => one ?? 0));
    return {
      sentence: fill(texts[infinite ? "infinite" : (broken ? "broken" : "kept") + extra], {
        who, loss: size === shown(claim, 4) ? fill(texts.digits, { loss: size }) : size, queries: n === 1 ? texts["one query"] : fill(texts.queries, { n }), claim: shown(claim),
      }),
      warns: broken,
      draw: (width) => {
        const each = half(width), share = Math.max(p, q);
        return [
          titled("Largest loss, by number of questions", ...plot(each, {
            height: 230,
            x: { min: 1, max: 24, log: true, label: "questions, n", ticks: [1, 2, 4, 8, 16, 24].map((v) => [v, v]) },
            y: { min: 0, max: top, ticks: ticks(top) },
            rules: [{ y: claim, name: `ε = ${shown(claim)}, ${chosen.claims ? "claimed" : "by its noise"}` }],
            lines: [{ x: numbers.n, y: losses, color: chosen.color, name: chosen.name }],
            points: [
              ...numbers.n.map((one, i) => ({ x: one, y: losses[i], shape: losses[i] === null ? "triangle" : "dot", color: chosen.color, hollow: true })),
              { x: n, y: most, shape: infinite ? "triangle" : "dot", color: chosen.color, text: infinite ? "∞" : shown(most, 4) },
            ],
          })),
          titled(density ? "Density of one output" : "Probability of one output", bars(each, [
            { name: "on D", share: p / share, number: shown(p), color: chosen.color },
            { name: "on D′", share: q / share, number: shown(q), color: chosen.color },
          ], { right: 104 }), picture(each, here, there, outcome, chosen.color), legend(chosen.color)),
        ];
      },
      details: [
        fill(texts.output, {
          kind, p: shown(p), q: shown(q),
          ratio: loss === null ? texts.impossible : fill(texts[`factor${extra}`], { factor: shown(Math.exp(loss)), loss: shown(loss), ...allowed }),
        }),
        fill(texts.pair, { here, there, outcome }),
        fill(texts.largest, { here: largest[0], there: largest[1], outcome: largest[2] }),
        holds === null ? texts.never : fill(texts.holds, { epsilon: shown(holds * claim, 4) }),
      ],
    };
  };
});
