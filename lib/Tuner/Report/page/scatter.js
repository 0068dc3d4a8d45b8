// Speed by any parameter, coloured by another. Points are on a canvas, which
// takes twenty thousand of them; axes are SVG above it.

const scatter = {group: null, metric: null, points: [], selected: -1, choose: null};

/// Values in order; numbers by size.
const sortedValues = (axis, among) => [...new Set(among.map(axis.get))]
  .sort(compareValues);

/// Gives each record a colour and a symbol, and draws what they mean.
function makeColouring(axis, among) {
  const legend = byId("scatter-legend");
  legend.replaceChildren();
  if (!axis) return () => ({colour: colourOf("--accent"), symbol: 0});
  const values = sortedValues(axis, among);
  legend.append(make("strong", {text: axis.name}));
  if (axis.isNumeric && values.length > 8) {
    const low = values[0], high = values.at(-1);
    const ramp = Array.from({length: 9}, (_, i) => rampColour(i / 8)).join(",");
    legend.append(make("span", {text: formatNumber(low)}), make("span", {class: "ramp", style: `background:linear-gradient(90deg,${ramp})`}),
      make("span", {text: formatNumber(high)}));
    return i => ({colour: rampColour((axis.get(i) - low) / (high - low)), symbol: 0});
  }
  // More kinds than can be told apart: the frequent ones have their own.
  const counts = new Map();
  among.forEach(i => counts.set(axis.get(i), (counts.get(axis.get(i)) ?? 0) + 1));
  const named = values.length <= 8 ? values
    : [...counts].sort((a, b) => b[1] - a[1]).slice(0, 7).map(([value]) => value).sort(compareValues);
  const styles = new Map(named.map((value, at) => [value, {symbol: at,
    colour: axis.isNumeric ? rampColour(named.length > 1 ? at / (named.length - 1) : 0) : colourOf(`--c${at}`)}]));
  const other = {colour: colourOf("--c7"), symbol: 7};
  const add = (style, text) => {
    const shape = document.createElement("canvas"), ratio = 2;
    shape.width = shape.height = 14 * ratio; shape.style.width = "14px";
    const c = shape.getContext("2d");
    c.scale(ratio, ratio); c.translate(7, 7); c.beginPath(); symbols[style.symbol](c, 4.2); c.fillStyle = style.colour; c.fill();
    legend.append(make("span", {}, shape, text));
  };
  named.forEach(value => add(styles.get(value), readable(String(value))));
  if (named.length < values.length) add(other, `${values.length - named.length} others`);
  return i => styles.get(axis.get(i)) ?? other;
}

/// A fixed scatter between -0.5 and 0.5 for a record: nothing jumps when drawn again.
const jitter = i => { const s = Math.sin(i * 12.9898) * 43758.5453; return s - Math.floor(s) - 0.5; };

function drawScatter(group, metric, axes, choose) {
  Object.assign(scatter, {group, metric, choose, points: []});
  const holder = byId("scatter").querySelector(".plot");
  const xAxis = axes.find(a => a.name === byId("scatter-x").value) ?? axes[0];
  const colourAxis = axes.find(a => a.name === byId("scatter-colour").value);
  setCaption("scatter", xAxis ? `${metric.label} by ${xAxis.name}` : "By parameter",
    xAxis ? "a point for each configuration; lines: medians" : "");
  const colouring = makeColouring(colourAxis, group.timed);
  if (!xAxis) return showEmpty("scatter", "All configurations that were measured are alike.");
  if (!group.timed.length) return showEmpty("scatter", "No configuration has these values.");
  const values = sortedValues(xAxis, group.timed), isCategorical = !xAxis.isNumeric || values.length <= 24;
  const longest = most(values.map(v => readable(String(v)).length));
  const box = makeBox(holder, innerWidth > 960 ? 540 : 380, isCategorical && longest * 7 > holder.clientWidth / values.length ? 36 + Math.min(90, longest * 5) : 40);
  const place = new Map(values.map((v, at) => [v, at + 0.5]));
  const x = isCategorical ? makeScale(0, values.length, box.left, box.right)
    : makeScale(values[0] - (values.at(-1) - values[0]) * .02, values.at(-1) + (values.at(-1) - values[0]) * .02, box.left, box.right);
  const all = group.timed.map(metric.of), isLog = !metric.isHigherBetter;
  const y = isLog ? makeScale(least(all) / 1.05, most(all) * 1.05, box.bottom, box.top, true) : makeScale(0, most(all) * 1.06, box.bottom, box.top);
  const svg = makeSvg(box, {class: "over"});
  const every = Math.ceil(values.length * 15 / (box.right - box.left));
  drawAxes(svg, box, x, y, {yLabel: metric.label, xLabel: isCategorical ? "" : xAxis.name,
    xTicks: isCategorical ? values.map((v, at) => [at + 0.5, typeof v === "number" ? formatTick(v) : readable(v)]).filter((_, at) => at % every === 0) : undefined});
  const band = isCategorical ? (box.right - box.left) / values.length : 0;
  scatter.points = group.timed.map((i, at) => ({i, y: y(all[at]),
    x: isCategorical ? x(place.get(xAxis.get(i))) + jitter(i) * Math.min(band * .8, 90) : x(xAxis.get(i)), ...colouring(i)}));
  if (isCategorical) drawMedians(svg, values, xAxis, metric, group.timed, x, y, band);
  svg.append(make("circle", {class: "hot", fill: "none", r: 7, id: "scatter-ring", visibility: "hidden"}));
  const canvas = make("canvas", {tabindex: 0, role: "img", "aria-label":
    `${group.timed.length} configurations by ${xAxis.name}. Left and right: neighbours; up and down: faster and slower; Home: the best.`});
  const ratio = Math.min(3, devicePixelRatio || 1);
  canvas.width = box.width * ratio; canvas.height = box.height * ratio;
  canvas.style.width = `${box.width}px`; canvas.style.height = `${box.height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const size = scatter.points.length > 4000 ? 2.2 : scatter.points.length > 500 ? 3 : 4;
  context.globalAlpha = scatter.points.length > 2000 ? 0.6 : 0.85;
  for (const p of scatter.points) {
    context.save(); context.translate(p.x, p.y); context.beginPath(); symbols[p.symbol](context, size);
    context.fillStyle = p.colour; context.fill(); context.restore();
  }
  holder.replaceChildren(canvas, svg);
  listen(canvas);
  markSelected();
}

function drawMedians(svg, values, axis, metric, among, x, y, band) {
  const byValue = new Map(values.map(v => [v, []]));
  among.forEach(i => byValue.get(axis.get(i)).push(metric.of(i)));
  values.forEach((value, at) => {
    const sorted = byValue.get(value).sort((a, b) => a - b), middle = sorted[sorted.length >> 1];
    if (sorted.length < 3) return;
    const half = Math.min(band * .42, 48);
    // Among many points a line is only seen with a border.
    for (const style of among.length > 500 ? ["halo", "median"] : ["median"])
      svg.append(make("line", {class: style, x1: x(at + .5) - half, x2: x(at + .5) + half, y1: y(middle), y2: y(middle)}));
  });
}

function markSelected() {
  const ring = byId("scatter-ring"), point = scatter.points.find(p => p.i === scatter.selected);
  if (!ring) return;
  ring.setAttribute("visibility", point ? "visible" : "hidden");
  if (point) { ring.setAttribute("cx", point.x); ring.setAttribute("cy", point.y); }
}

function listen(canvas) {
  const nearest = event => {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = null, least = 14 * 14;
    for (const p of scatter.points) {
      const d = (p.x - x) ** 2 + (p.y - y) ** 2;
      if (d < least) { least = d; best = p; }
    }
    return best;
  };
  canvas.addEventListener("pointermove", event => {
    const p = nearest(event);
    canvas.style.cursor = p ? "pointer" : "";
    p ? showTooltip(`${formatMicroseconds(records.time[p.i])}, ${formatNumber(tflopsOf(p.i))} TFLOP/s\n${shortConfig(p.i)}`, event.clientX, event.clientY) : hideTooltip();
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  canvas.addEventListener("click", event => { const p = nearest(event); if (p) scatter.choose(p.i); });
  canvas.addEventListener("keydown", event => {
    const bySpeed = [...scatter.points].sort((a, b) => records.time[a.i] - records.time[b.i]);
    const byPlace = [...scatter.points].sort((a, b) => a.x - b.x || a.y - b.y);
    const move = (list, step) => {
      const at = list.findIndex(p => p.i === scatter.selected);
      return list[Math.min(list.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
    };
    const target = {ArrowUp: () => move(bySpeed, -1), ArrowDown: () => move(bySpeed, 1), ArrowLeft: () => move(byPlace, -1),
      ArrowRight: () => move(byPlace, 1), Home: () => scatter.points.find(p => p.i === scatter.group.best), End: () => bySpeed.at(-1)}[event.key]?.();
    if (!target) return;
    event.preventDefault();
    scatter.choose(target.i);
  });
}
