// The error of every method of selecting the top c, and how that of one grows with c. Sentences: book/explorers/top_c.py.
svtExplorer("top-c", (numbers, { titled, bars, shown, plot, half }) => (state, cell) => {
  const names = Object.keys(numbers.methods), { dataset, method } = state, measure = state.measure.toUpperCase();
  const c = Number(state.c), row = cell[numbers.c.indexOf(c)], place = names.indexOf(method), em = names.indexOf("EM");
  const column = measure === "SER" ? 0 : 2, along = (i) => cell.map((one) => one[i][column]), [error, spread] = row[place].slice(column);
  return {
    parts: { error, spread, em: row[em][column], status: numbers.datasets[dataset] },
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
          points: [{ x: c, y: error, shape: "dot", color: color(method) }],
        })),
        titled(`${measure} of all methods`, bars(each, names.map((name, i) => ({
          name: `${i === place ? "▸ " : ""}${name}`, share: row[i][column], number: shown(row[i][column]), color: color(name),
        })), { left: 168, step: 23 })),
      ];
    },
  };
});
