// Two runs side by side: the best times of the problems, their ratios, and what
// has changed in the configurations. A run is the records of a file on a platform,
// before or since a given time.

const runs = (() => {
  const list = raw.runs.list, sizeOf = get => new Set(list.map(get)).size;
  // A run is named by what differs.
  const parts = [run => run.source, run => run.device, run => run.chip, run => `tcgemm ${run.tcgemm}`,
    run => run.driver, run => run.ptxas && `ptxas ${run.ptxas}`, run => run.period].filter(get => sizeOf(get) > 1);
  return list.map((run, index) => ({...run, index,
    name: parts.map(get => get(run)).filter(Boolean).join(", ") || run.source,
    best: new Map(run.problem.map((problem, i) => [problem,
      {time: run.time[i], low: run.low[i], high: run.high[i], stage: raw.stages[run.stage[i]], config: run.config[i]}]))}));
})();
const bestIn = (problem, run) => run.best.get(problem);

/// Where two intervals overlap, no time is less than the other.
const areTied = (a, b) => a.low > 0 && b.low > 0 && a.low <= b.high && b.low <= a.high;
function listChanges(a, b) {
  const {configs} = raw.runs;
  return raw.parameters.map(name => [name, valueIn(configs, a.config, name), valueIn(configs, b.config, name)])
    .filter(([, before, after]) => before !== after)
    .map(([name, before, after]) => `${name} ${readable(before)} → ${readable(after)}`);
}

/// A row for each problem of either run, in the order of the page's problems.
function compareRuns(left, right) {
  return raw.problems.map((problem, index) => ({problem, index, a: bestIn(index, left), b: bestIn(index, right)}))
    .filter(({a, b}) => a || b).map(row => {
      const {a, b} = row;
      if (!a || !b) return {...row, verdict: a ? "only in A" : "only in B", changes: []};
      const ratio = a.time / b.time, verdict = areTied(a, b) || ratio === 1 ? "tied" : ratio > 1 ? "B faster" : "A faster";
      return {...row, ratio, verdict, changes: listChanges(a, b)};
    });
}

/// Which rows the reader can choose.
const comparisonChoices = {
  all: ["all problems", () => true],
  slower: ["A is faster", row => row.verdict === "A faster"],
  faster: ["B is faster", row => row.verdict === "B faster"],
  tied: ["intervals overlap", row => row.verdict === "tied"],
  changed: ["another configuration", row => row.changes.length > 0],
  a: ["only in A", row => row.verdict === "only in A"],
  b: ["only in B", row => row.verdict === "only in B"],
};

const comparison = {left: null, right: null, rows: [], listed: []};

const intervalText = best => best && best.high > 0
  ? `${formatNumber(best.low)} to ${formatNumber(best.high)} µs, measured: ${best.stage}` : undefined;
const changesText = row => row.changes.length ? row.changes.join(", ") : row.ratio === undefined ? "" : "the same";
const comparisonColumns = [
  {name: "Problem", text: row => shapeText(row.problem), sort: row => row.problem.flops},
  {name: "Tag", text: row => row.problem.tag, isShown: () => raw.problems.some(p => p.tag)},
  {name: "Kernel", text: row => row.problem.kernel, isShown: () => severalKernels},
  {name: "A µs", isNumber: true, sort: row => row.a?.time ?? Infinity, text: row => row.a ? formatNumber(row.a.time) : "none",
    title: row => intervalText(row.a)},
  {name: "B µs", isNumber: true, sort: row => row.b?.time ?? Infinity, text: row => row.b ? formatNumber(row.b.time) : "none",
    title: row => intervalText(row.b)},
  {name: "A / B", isNumber: true, sort: row => row.ratio ?? 0, text: row => row.ratio ? `${row.ratio.toFixed(3)}×` : "",
    style: row => ({"B faster": "win", "A faster": "loss"})[row.verdict] ?? ""},
  {name: "Result", text: row => row.verdict},
  {name: "Changed parameters (A → B)", isConfig: true, text: changesText, sort: row => row.changes.length},
];

const geometricMean = values => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
function describeComparison(rows) {
  const both = rows.filter(row => row.ratio), count = name => rows.filter(comparisonChoices[name][1]).length;
  const single = `${formatNumber(count("a"))} only in A, ${formatNumber(count("b"))} only in B`;
  if (!both.length) return `No problem is in both runs; ${single}.`;
  return `${formatNumber(both.length)} problems in both: A / B is ${geometricMean(both.map(row => row.ratio)).toFixed(3)} (geometric mean). ` +
    `B is faster in ${formatNumber(count("faster"))}, A in ${formatNumber(count("slower"))}; intervals overlap in ${formatNumber(count("tied"))}. ` +
    `${formatNumber(count("changed"))} have another configuration; ${single}.`;
}

/// The two runs that are shown first: the last one, and the one that shares most
/// problems with it, preferably on the same device and with the same tools.
function chooseRuns() {
  const right = runs.at(-1), countEqual = (run, keys) => keys.filter(key => run[key] === right[key]).length;
  const score = run => [run.problem.filter(problem => right.best.has(problem)).length,
    countEqual(run, ["chip", "device"]), countEqual(run, ["driver", "ptxas", "tcgemm"]), run.index];
  const left = runs.slice(0, -1).reduce((best, run) => compareLists(score(run), score(best)) > 0 ? run : best);
  return [left, right];
}
function compareLists(a, b) {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}

function drawComparedRatios(choose) {
  const all = comparison.listed.filter(row => row.ratio), shown = thin(all);
  setCaption("compared", "Time of A over time of B", "above 1: B is faster; a bar for each problem of the list" + describeThinned(all));
  if (!shown.length) return showEmpty("compared", "No problem of the list is in both runs.");
  drawRatioBars("compared", `Ratio of A's time to B's for ${shown.length} problems`, shown.map(row => ({problem: row.problem, value: row.ratio,
    text: `${shapeText(row.problem)}${row.problem.tag ? ` (${row.problem.tag})` : ""}\nA ${formatMicroseconds(row.a.time)}, ` +
      `B ${formatMicroseconds(row.b.time)}: ${row.ratio.toFixed(3)}×\n${changesText(row)}`,
    choose: () => choose(row)})));
}

/// The section. `choose` gets the group of a row: the problem on the platform of B,
/// or of A if B does not have the problem. The result draws the plot again, and
/// reads and sets what the reader has chosen.
function makeComparison(choose) {
  byId("compare").hidden = runs.length < 2;
  if (runs.length < 2) return {redraw() {}, getState: () => undefined, setState() {}};
  const columns = comparisonColumns.filter(c => !c.isShown || c.isShown()), texts = new WeakMap();
  const textOf = row => normalise(columns.map(c => c.text(row)).join(" "));
  const chooseRow = row => {
    const run = row.b ? comparison.right : comparison.left;
    const group = groups.find(g => g.problem === row.problem &&
      ["chip", "device", "driver", "ptxas", "tcgemm"].every(key => g.platform[key] === run[key]));
    if (group) choose(group);
  };
  const fillTable = makeTable(byId("compare-table"), columns, {list: () => comparison.listed, choose: chooseRow});
  const list = () => {
    const words = splitWords(byId("compare-filter").value), [, isWanted] = comparisonChoices[byId("compare-show").value];
    comparison.listed = comparison.rows.filter(row => isWanted(row) && matchesWords(words, cached(texts, row, textOf)));
    byId("compare-count").textContent = `${comparison.listed.length} of ${comparison.rows.length}`;
    byId("compare-summary").textContent = describeComparison(comparison.listed);
    fillTable();
    drawComparedRatios(chooseRow);
  };
  const compare = () => {
    comparison.left = runs[byId("run-a").value];
    comparison.right = runs[byId("run-b").value];
    comparison.rows = compareRuns(comparison.left, comparison.right);
    list();
  };
  for (const id of ["run-a", "run-b"]) {
    byId(id).replaceChildren(...runs.map(run => make("option", {value: run.index,
      text: `${run.name} (${new Date(run.last * 1000).toISOString().slice(0, 10)}, ${formatNumber(run.problem.length)} problems)`})));
    byId(id).addEventListener("change", compare);
  }
  [byId("run-a").value, byId("run-b").value] = chooseRuns().map(run => run.index);
  byId("run-swap").addEventListener("click", () => {
    [byId("run-a").value, byId("run-b").value] = [byId("run-b").value, byId("run-a").value];
    compare();
  });
  byId("compare-show").replaceChildren(...Object.entries(comparisonChoices).map(([value, [text]]) => make("option", {value, text})));
  byId("compare-show").addEventListener("change", list);
  byId("compare-filter").addEventListener("input", list);
  compare();
  const controls = ["compare-show", "compare-filter"];
  return {
    redraw: () => drawComparedRatios(chooseRow),
    getState: () => ({runs: [comparison.left.name, comparison.right.name], controls: controls.map(id => byId(id).value)}),
    setState(kept) {
      const chosen = kept.runs.map(name => runs.find(run => run.name === name));
      if (chosen.every(Boolean)) [byId("run-a").value, byId("run-b").value] = chosen.map(run => run.index);
      controls.forEach((id, i) => { byId(id).value = kept.controls[i]; });
      compare();
    },
  };
}
