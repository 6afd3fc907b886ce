// What a split of the budget costs, beside the best one and the published ones. Sentences: book/explorers/split_the_budget.py.
svtExplorer("split-the-budget", (numbers, { shown, titled, plot }) => (state, found) => {
  const split = Number(state.split), own = found.values[numbers.splits.indexOf(split)], [best, least] = found.best;
  const published = found.published.flatMap(([name, , there], i) => [[`name${i + 1}`, name], [`times${i + 1}`, there / least]]);
  const low = Math.min(...found.values), high = Math.min(Math.max(...found.values), 12 * low), shapes = ["square", "triangle", "cross", "tick"];
  const ticks = [1, 2, 5, 10].filter((v) => v * low <= high).map((v) => [v * low, v === 1 ? "best" : `× ${v}`]);
  return {
    parts: {
      kind: state.kind, measure: state.measure, own, best, least, ...Object.fromEntries(published),
      times: own / least, warns: own > 1.25 * least,
    },
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
  };
});
