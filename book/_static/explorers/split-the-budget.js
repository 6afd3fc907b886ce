// What a split of the budget costs, beside the best one and the published ones.
svtExplorer("split-the-budget", ({ controls, texts, numbers }, { shown, fill, titled, plot }) => (state) => {
  const found = numbers.curves[`${state.c} ${state.kind} ${state.measure}`], split = Number(state.split), [best, least] = found.best;
  const own = found.values[controls.find(({ name }) => name === "split").options.findIndex(([value]) => value === state.split)];
  const times = (value) => shown(value / least), kinds = { any: "queries of any kind", monotonic: "monotonic queries" };
  const what = fill(texts[state.measure], { value: shown(own), below: numbers.below, c: state.c });
  const rows = found.published.map(([name, , value]) => fill(texts[times(value) === "1" ? "same" : "row"], { name, times: times(value) }));
  const low = Math.min(...found.values), high = Math.min(Math.max(...found.values), 12 * low), shapes = ["square", "triangle", "cross", "tick"];
  const ticks = [1, 2, 5, 10].filter((v) => v * low <= high).map((v) => [v * low, v === 1 ? "best" : `× ${v}`]);
  return {
    sentence: fill(texts.sentence, {
      split: shown(split), c: state.c, kind: kinds[state.kind], best: shown(best), what,
      lost: times(own) === "1" ? texts["as good"] : fill(texts.times, { times: times(own) }),
    }),
    warns: own > 1.25 * least,
    draw: (width) => [
      titled("What is needed, beside the best split", ...plot(Math.min(width, 680), {
        height: 290,
        x: { min: numbers.splits[0], max: numbers.splits.at(-1), log: true, label: "split ε₂/ε₁", ticks: [0.25, 1, 4, 16, 64, 256].map((v) => [v, v === 0.25 ? "1/4" : v]) },
        y: { min: 0.93 * low, max: high, log: true, ticks },
        lines: [{ x: numbers.splits, y: found.values, color: numbers.color }],
        rules: [{ x: split }],
        points: [
          { x: best, y: least, shape: "diamond", color: numbers.color, name: `the best, ${shown(best)}` },
          ...found.published.filter(([, , y]) => y <= high).map(([name, x, y], i) => ({ x, y, name, shape: shapes[i], hollow: true })),
          { x: split, y: own, shape: "dot", name: `yours, ${shown(split)}` },
        ],
      })),
    ],
    details: [fill(texts.best, { value: shown(least) }), fill(texts.published, { rows: rows.join(", ") })],
  };
});
