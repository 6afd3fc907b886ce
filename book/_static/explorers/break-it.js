// The largest loss that was found for a variant, and an output that shows it. Sentences: book/explorers/break_it.py.
svtExplorer("break-it", (numbers, { make, shown, canvas, titled, legend, bars, plot, marker, ticks, half }) => {
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
  const explain = (color) => legend([
    ["answer on D", make("rect", { x: 10, y: 4, width: 8, height: 8, fill: "currentColor" })],
    ["on D′", marker("dot", 14, 8, color, true)],
  ]);

  return (state, cell, seen) => {
    const kind = numbers.kinds[state.variant], color = numbers.colors[state.variant], claim = Number(state.epsilon), n = Number(state.n);
    const [far, near] = cell[numbers.n.indexOf(n)].map((place) => numbers.pairs[place].map((value) => value ?? Infinity));
    const [far_here, far_there, far_outcome, largest] = far, infinite = largest === Infinity;
    const [here, there, outcome, loss, p, density] = near, q = p * Math.exp(-loss);
    const losses = cell.map(([place]) => numbers.pairs[place][3]);
    const top = 1.15 * Math.max(claim * 1.5, ...losses.map((one) => one ?? 0));
    return {
      parts: {
        ...kind, largest, close: shown(largest, 4) === shown(claim, 4), warns: largest > claim * (1 + 1e-5),
        here, there, outcome, density, p, q, loss, factor: Math.exp(loss), allowed: Math.exp(claim),
        far_here, far_there, far_outcome, holds: (numbers.holds[`${state.variant} ${state.c}`] ?? Infinity) * claim,
      },
      draw: (width) => {
        const each = half(width), share = Math.max(p, q);
        return [
          titled("Largest loss, by number of questions", ...plot(each, {
            height: 230,
            x: { min: 1, max: 24, log: true, label: "questions, n", ticks: [1, 2, 4, 8, 16, 24].map((v) => [v, v]) },
            y: { min: 0, max: top, ticks: ticks(top) },
            rules: [{ y: claim, name: `ε = ${shown(claim)}, ${kind.claims ? "claimed" : "by its noise"}` }],
            lines: [{ x: numbers.n, y: losses, color, name: seen.variant }],
            points: [
              ...numbers.n.map((one, i) => ({ x: one, y: losses[i], shape: losses[i] === null ? "triangle" : "dot", color, hollow: true })),
              { x: n, y: infinite ? null : largest, shape: infinite ? "triangle" : "dot", color, text: shown(largest, 4) },
            ],
          })),
          titled(density ? "Density of one output" : "Probability of one output", bars(each, [
            { name: "on D", share: p / share, number: shown(p), color },
            { name: "on D′", share: q / share, number: shown(q), color },
          ], { right: 104 }), picture(each, here, there, outcome, color), explain(color)),
        ];
      },
    };
  };
});
