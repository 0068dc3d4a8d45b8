// The whole report at a glance: figures, every problem's best against the
// baseline and the roofline, and the table.

function drawHeader() {
  const named = raw.platforms.slice(0, 6);
  const rest = raw.platforms.length - named.length;
  byId("platforms").replaceChildren(...named.map(p => make("span", {
    text: `${p.device} (${p.chip}), ${p.driver}${p.ptxas ? `, ptxas ${p.ptxas}` : ""}, tcgemm ${p.tcgemm}`
      + (p.device === "emulator" ? ": times are a model's, not measured" : "")})).flatMap(node => [node, make("br")]), rest ? `and ${formatNumber(rest)} more platforms` : "");
  byId("footer").textContent =
    `Made ${raw.made} by tcgemm ${raw.tcgemm} from ${raw.sources.join(", ")}. ` +
    `Limit of a problem: the longer of its products at ${raw.platforms.map(p => `${formatNumber(p.peak)} TFLOP/s`)[0]} ` +
    `and its bytes at ${raw.platforms.map(p => `${formatNumber(p.bandwidth)} GB/s`)[0]}. ` +
    "Intervals are of 95 %, of the median.";
}

function drawTiles() {
  const successes = allCounts[raw.outcomes.indexOf("success")];
  const compared = groups.filter(g => g.baseline && g.top);
  const ratios = compared.map(g => g.baseline / g.top.time);
  const tiles = [
    ["Problems", formatNumber(groups.length), `${formatNumber(groups.filter(g => g.top).length)} with a result`],
    ["Candidates tried", formatNumber(numRecords), `on ${formatNumber(raw.platforms.length)} platform${raw.platforms.length === 1 ? "" : "s"}`],
    ["Right", numRecords ? `${(100 * successes / numRecords).toFixed(1)} %` : "–", `${formatNumber(numRecords - successes)} failed`],
  ];
  if (ratios.length) {
    const mean = Math.exp(ratios.reduce((sum, r) => sum + Math.log(r), 0) / ratios.length);
    tiles.push([`Against ${raw.baseline}`, `${mean.toFixed(3)}×`, `geometric mean of ${ratios.length}`],
      ["At least as fast", `${ratios.filter(r => r >= 1).length}`, `of ${ratios.length}; least ${least(ratios).toFixed(2)}×`]);
  }
  const limited = groups.filter(g => g.limit && g.top && g.top.stage !== "model").map(g => g.top.time / g.limit);
  if (limited.length)
    tiles.push(["Over the chip's limit", `${Math.exp(limited.reduce((s, r) => s + Math.log(r), 0) / limited.length).toFixed(2)}×`, "geometric mean"]);
  byId("tiles").replaceChildren(...tiles.map(([name, value, detail]) =>
    make("div", {}, make("dt", {text: name}), make("dd", {text: value + " "}, make("br"), make("small", {text: detail})))));
}

const describeGroup = g => `${groupText(g)}\n${formatMicroseconds(g.top.time)}, ` +
  `${formatNumber(g.top.tflops)} TFLOP/s` +
  (g.baseline ? `\n${raw.baseline} ${formatMicroseconds(g.baseline)}: ${(g.baseline / g.top.time).toFixed(3)}×` : "") +
  (g.limit ? `\n${(g.top.time / g.limit).toFixed(2)} times the chip's limit` : "");

/// At most so many of a list, evenly.
const mostMarks = 1500;
const thin = list => list.length <= mostMarks ? list
  : Array.from({length: mostMarks}, (_, i) => list[Math.floor(i * list.length / mostMarks)]);
const describeThinned = list => list.length <= mostMarks ? "" : `; ${formatNumber(mostMarks)} of ${formatNumber(list.length)} are drawn`;

function drawRatios(choose) {
  const all = groups.filter(g => g.baseline && g.top), shown = thin(all);
  if (!shown.length) {
    setCaption("ratios", "Against another library");
    return showEmpty("ratios", "No times of another library for these problems: give them with --baseline.");
  }
  setCaption("ratios", `Time of ${raw.baseline} over ours`, "above 1: ours is faster; a bar for each problem, in the table's order" + describeThinned(all));
  drawRatioBars("ratios", `Ratio of ${raw.baseline}'s time to ours for ${shown.length} problems`, shown.map(group =>
    ({problem: group.problem, value: group.baseline / group.top.time, text: describeGroup(group), choose: () => choose(group)})));
}

function drawRoofline(choose) {
  const all = groups.filter(g => g.top), shown = thin(all);
  setCaption("roofline", "Roofline", "TFLOP/s over floating-point operations for each byte that must move" +
    (shown.some(g => g.baseline) ? `; circles: ${raw.baseline}` : "") + describeThinned(all));
  if (!shown.length) return showEmpty("roofline", "Nothing was measured.");
  const holder = byId("roofline").querySelector(".plot"), box = makeBox(holder, 300);
  const {peak, bandwidth} = shown[0].platform;
  const intensity = g => g.problem.flops / g.problem.bytes;
  const speeds = shown.flatMap(g => [g.top.tflops, ...(g.baseline ? [g.problem.flops / g.baseline * 1e-6] : [])]);
  // With both sides of the ridge, where the two limits meet.
  const ridge = peak && bandwidth ? peak / bandwidth * 1e3 : 0;
  const places = [...shown.map(intensity), ...(ridge ? [ridge / 4, ridge * 2] : [])];
  const x = makeScale(least(places) / 1.5, most(places) * 1.5, box.left, box.right, true);
  const y = makeScale(Math.min(least(speeds), ridge ? peak / 8 : Infinity) / 1.5, Math.max(most(speeds), peak || 0) * 1.4, box.bottom, box.top, true);
  const svg = makeSvg(box, {"aria-label": `Roofline of ${shown.length} problems`});
  drawAxes(svg, box, x, y, {xLabel: "FLOP/byte", yLabel: "TFLOP/s"});
  if (ridge) {
    const slope = v => bandwidth * v * 1e-3;
    const start = Math.max(x.low, y.low / slope(1));
    svg.append(make("path", {class: "roof", d: `M${x(start)},${y(slope(start))}L${x(ridge)},${y(peak)}L${box.right},${y(peak)}`}),
      make("text", {x: x(ridge) - 6, y: y(peak) - 6, "text-anchor": "end", text: `${formatNumber(peak)} TFLOP/s`}));
    const middle = Math.sqrt(start * ridge);
    svg.append(make("text", {x: x(middle) - 8, y: y(slope(middle)) - 8, "text-anchor": "end", text: `${formatNumber(bandwidth)} GB/s`}));
  }
  for (const g of shown.filter(g => g.baseline))
    svg.append(make("circle", {class: "ring", cx: x(intensity(g)), cy: y(g.problem.flops / g.baseline * 1e-6), r: 4.5}));
  const marks = shown.map(group => {
    const node = make("circle", {class: "dot", cx: x(intensity(group)), cy: y(group.top.tflops), r: 4});
    svg.append(node);
    return {node, text: describeGroup(group), choose: () => choose(group)};
  });
  addMarks(svg, marks);
  holder.replaceChildren(svg);
}

//--- Devices and versions ----------------------------------------------------//

/// By platform: its groups, and how its times are above the least of the device.
function comparePlatforms() {
  const least = new Map(), rows = raw.platforms.map(platform => ({platform, groups: [], logs: []}));
  const keyOf = g => `${raw.groups.problem[g.index]} ${g.platform.device} ${g.platform.chip}`;
  for (const g of groups.filter(g => g.top)) {
    const key = keyOf(g);
    least.set(key, Math.min(least.get(key) ?? Infinity, g.top.time));
  }
  for (const g of groups) {
    const row = rows[raw.groups.platform[g.index]];
    row.groups.push(g);
    if (g.top) row.logs.push(Math.log(g.top.time / least.get(keyOf(g))));
  }
  return rows;
}

function drawPlatforms() {
  byId("versions").hidden = !severalPlatforms;
  if (!severalPlatforms) return;
  const count = (row, get) => row.groups.reduce((sum, g) => sum + get(g), 0), success = raw.outcomes.indexOf("success");
  const columns = [
    ["Device", row => row.platform.device], ["Chip", row => row.platform.chip],
    ["tcgemm", row => row.platform.tcgemm], ["Driver", row => row.platform.driver], ["ptxas", row => row.platform.ptxas],
    ["Last record", row => new Date(row.groups.reduce((last, g) => Math.max(last, g.last), 0) * 1000).toISOString().slice(0, 10)],
    ["Problems", row => formatNumber(row.groups.length), true],
    ["Candidates", row => formatNumber(count(row, g => g.tried)), true],
    ["Right", row => `${(100 * count(row, g => g.counts[success]) / count(row, g => g.tried)).toFixed(1)} %`, true],
    ["Over the least time", row => row.logs.length
      ? `${Math.exp(row.logs.reduce((a, b) => a + b) / row.logs.length).toFixed(3)}×` : "", true],
  ];
  const table = byId("platform-table");
  table.tHead.replaceChildren(make("tr", {}, ...columns.map(([name, , isNumber]) =>
    make("th", {scope: "col", class: isNumber ? "number" : undefined, text: name}))));
  const choose = row => {
    byId("filter").value = `${row.platform.device} ${row.platform.chip} ${row.platform.tcgemm}`;
    byId("filter").dispatchEvent(new Event("input"));
    byId("best").scrollIntoView();
  };
  table.tBodies[0].replaceChildren(...comparePlatforms().map(row => make("tr", {tabindex: 0, onclick: () => choose(row),
    onkeydown: event => { if (event.key === "Enter") choose(row); }},
    ...columns.map(([, text, isNumber]) => make("td", {class: isNumber ? "number" : undefined, text: text(row)})))));
}

//--- The table ---------------------------------------------------------------//

const tableColumns = [
  {name: "Problem", text: g => shapeText(g.problem), sort: g => g.problem.flops},
  {name: "Tag", text: g => g.problem.tag, isShown: () => raw.problems.some(p => p.tag)},
  {name: "Kernel", text: g => g.problem.kernel, isShown: () => severalKernels},
  {name: "Platform", text: g => `${g.platform.device}, ${g.platform.chip}, ${g.platform.tcgemm}`, isShown: () => severalPlatforms},
  {name: "Time µs", isNumber: true, sort: g => g.top?.time ?? Infinity,
    text: g => !g.top ? "none" : formatNumber(g.top.time)},
  {name: "± %", isNumber: true, sort: g => !g.top ? Infinity : g.top.high - g.top.low,
    text: g => !g.top ? "" : (50 * (g.top.high - g.top.low) / g.top.time).toFixed(1)},
  {name: "TFLOP/s", isNumber: true, sort: g => !g.top ? 0 : g.top.tflops, text: g => !g.top ? "" : formatNumber(g.top.tflops)},
  {name: "of limit", isNumber: true, isShown: () => groups.some(g => g.limit),
    sort: g => !g.top || !g.limit ? 0 : g.limit / g.top.time,
    text: g => !g.top || !g.limit ? "" : `${(100 * g.limit / g.top.time).toFixed(0)} %`},
  {name: () => `${raw.baseline} µs`, isNumber: true, isShown: () => raw.baselines.length, sort: g => g.baseline,
    text: g => g.baseline ? formatNumber(g.baseline) : ""},
  {name: "faster", isNumber: true, isShown: () => raw.baselines.length, sort: g => g.top ? g.baseline / g.top.time : 0,
    text: g => g.baseline && g.top ? `${(g.baseline / g.top.time).toFixed(3)}×` : "",
    style: g => g.baseline && g.top ? (g.baseline >= g.top.time ? "win" : "loss") : ""},
  {name: "Tried", isNumber: true, sort: g => g.tried, text: g => formatNumber(g.tried)},
  {name: "Ties", isNumber: true, sort: g => g.ties, text: g => String(g.ties)},
  {name: "Configuration", isConfig: true, text: g => !g.top ? "" : bestConfig(g)},
];

function drawTable(choose) {
  const columns = tableColumns.filter(c => !c.isShown || c.isShown()), texts = new Map();
  const textOf = group => normalise(columns.map(c => c.text(group)).join(""));
  let found = groups;
  const fill = makeTable(byId("best-table"), columns, {list: () => found, choose,
    rowAttributes: group => ({"data-group": group.index, class: state.group === group ? "chosen" : undefined})});
  const filter = () => {
    const words = splitWords(byId("filter").value);
    found = groups.filter(group => matchesWords(words, cached(texts, group, textOf)));
    fill();
    byId("filter-count").textContent = `${found.length} of ${groups.length}`;
  };
  byId("filter").addEventListener("input", filter);
  filter();
}
