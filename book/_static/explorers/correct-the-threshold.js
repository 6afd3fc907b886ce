// How likely a run is right, against the correction of its threshold; beside it the product of its comparisons.
svtExplorer("correct-the-threshold", ({ texts, numbers }, { shown, fill, titled, plot, ticks }) => (state) => {
  const [c, k, alpha, r] = [state.c, state.k, state.alpha, state.r].map(Number), chosen = numbers.variants[state.variant];
  const found = numbers.curves[`${state.variant} ${c} ${k} ${alpha}`], place = numbers.r.indexOf(r), p = found.run[place];
  const [best, most] = found.best, [other, there] = found.other, [mean, atMean] = found.mean;
  const chance = (value) => (value ? shown(value, 4) : texts.tiny), at = numbers.r.map((value) => value * c);
  const top = 1.1 * Math.max(...found.run, ...found.product, most);
  return {
    sentence: fill(texts.sentence, {
      who: chosen.name, c, r: shown(r * c, 4), p: chance(p), best: shown(best), most: chance(most),
      k: k === 1 ? texts.one : fill(texts.many, { k }), where: alpha ? fill(texts.away, { alpha: alpha * c }) : texts.at,
    }),
    warns: p < 0.8 * most,
    draw: (width) => [
      titled("Probability that the whole run is right", ...plot(Math.min(width, 680), {
        height: 290,
        x: { min: at[0], max: at.at(-1), label: "correction r, in Δ/ε", ticks: [0, 10, 20, 30].map((v) => [v * c, v * c]) },
        y: { min: 0, max: top, ticks: ticks(top) },
        lines: [
          { x: at, y: found.run, color: chosen.color, name: "the run" },
          { x: at, y: found.product, color: "currentColor", dash: "5 4", name: "product of its comparisons" },
        ],
        rules: [{ x: r * c }],
        points: [
          { x: mean, y: atMean, shape: "square", hollow: true, name: `mean of the noise, ${shown(mean)}` },
          { x: other, y: there, shape: "triangle", hollow: true, name: `best for the product, ${shown(other)}` },
          { x: best, y: most, shape: "diamond", color: chosen.color, name: `best for the run, ${shown(best)}` },
          { x: r * c, y: p, shape: "dot", name: `yours, ${shown(r * c, 4)}` },
        ],
      })),
    ],
    details: [
      fill(texts.product, { p: chance(found.product[place]), best: shown(other), there: chance(there) }),
      fill(texts.mean, { mean: shown(mean), p: chance(atMean) }),
      fill(texts.zero, { p: chance(found.run[numbers.r.indexOf(0)]) }),
    ],
  };
});
