// The error of every method of selecting the top c, and how that of one grows with c.
svtExplorer("top-c", ({ texts, numbers }, { shown, fill, titled, bars, plot, half }) => (state) => {
  const names = Object.keys(numbers.methods), { dataset, method } = state, measure = state.measure.toUpperCase();
  const column = 2 * Object.keys(numbers.measures).indexOf(state.measure), cells = numbers.cells[`${dataset} ${state.epsilon}`];
  const c = Number(state.c), row = cells[numbers.c.indexOf(c)], place = names.indexOf(method), em = names.indexOf("EM");
  const parts = { method, dataset, measure }, along = (i) => cells.map((one) => one[i][column]);
  return {
    sentence: fill(texts.sentence, {
      ...parts, epsilon: shown(Number(state.epsilon)), c, error: shown(row[place][column]), other: place === em ? texts.itself : shown(row[em][column]),
    }),
    warns: false,
    draw: (width) => {
      const each = half(width), color = (name) => numbers.methods[name];
      return [
        titled(`${measure} by c`, ...plot(each, {
          height: 270,
          x: { min: 25, max: 300, label: "wanted, c", ticks: [25, 100, 200, 300].map((v) => [v, v]) },
          y: { min: 0, max: 1, ticks: [0, 0.25, 0.5, 0.75, 1].map((v) => [v, v]) },
          rules: [{ x: c }],
          lines: [
            ...(place === em ? [] : [{ x: numbers.c, y: along(place), color: color(method), name: method }]),
            { x: numbers.c, y: along(em), color: color("EM"), dash: "6 4", name: "EM" },
          ],
          points: [{ x: c, y: row[place][column], shape: "dot", color: color(method) }],
        })),
        titled(`${measure} of all methods`, bars(each, names.map((name, i) => ({
          name: `${i === place ? "▸ " : ""}${name}`, share: row[i][column], number: shown(row[i][column]), color: color(name),
        })), { left: 168, step: 23 })),
      ];
    },
    details: [
      fill(texts.spread, { ...parts, trials: numbers.trials.toLocaleString("en"), spread: shown(row[place][column + 1]) }),
      texts.note,
      fill(texts[numbers.datasets[dataset]], { dataset }),
    ],
  };
});
