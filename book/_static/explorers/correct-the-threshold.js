// How likely a run is right, against the correction of its threshold; beside it the product of its comparisons. Sentences: book/explorers/correct_the_threshold.py.
svtExplorer("correct-the-threshold", (numbers, { shown, titled, plot, ticks }) => (state, found) => {
  const c = Number(state.c), at = numbers.r.map((value) => value * c), place = numbers.r.indexOf(Number(state.r));
  const p = found.run[place], product = found.product[place], without = found.run[numbers.r.indexOf(0)];
  const [best, most] = found.best, [other, there] = found.other, [mean, at_mean] = found.mean, color = numbers.colors[state.variant];
  const top = 1.1 * Math.max(...found.run, ...found.product, most);
  return {
    parts: {
      at: at[place], away: state.alpha * c, p, product, without, best, most, other, there, mean, at_mean,
      warns: p < 0.8 * most,
    },
    draw: (width) => [
      titled("Probability that the whole run is right", ...plot(Math.min(width, 680), {
        height: 290,
        x: { min: at[0], max: at.at(-1), label: "correction r, in Δ/ε", ticks: [0, 10, 20, 30].map((v) => [v * c, v * c]) },
        y: { min: 0, max: top, ticks: ticks(top) },
        lines: [
          { x: at, y: found.run, color, name: "the run" },
          { x: at, y: found.product, color: "currentColor", dash: "5 4", name: "product of its comparisons" },
        ],
        rules: [{ x: at[place] }],
        points: [
          { x: mean, y: at_mean, shape: "square", hollow: true, name: `mean of the noise, ${shown(mean)}` },
          { x: other, y: there, shape: "triangle", hollow: true, name: `best for the product, ${shown(other)}` },
          { x: best, y: most, shape: "diamond", color, name: `best for the run, ${shown(best)}` },
          { x: at[place], y: p, shape: "dot", name: `yours, ${shown(at[place], 4)}` },
        ],
      })),
    ],
  };
});
