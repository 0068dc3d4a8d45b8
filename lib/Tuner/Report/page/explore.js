// One problem: how its configurations are distributed, how the search got on,
// and what failed.

const metrics = {
  tflops: {label: "TFLOP/s", of: tflopsOf, ofTime: (us, g) => g.problem.flops / us * 1e-6, isHigherBetter: true},
  time: {label: "µs", of: i => records.time[i], ofTime: us => us, isHigherBetter: false},
};

/// Every configuration that was right and measured, by its speed.
function drawHistogram(group, metric, choose) {
  setCaption("histogram", "All configurations", `how many reach which speed: ${formatNumber(group.timed.length)} measured`);
  if (!group.timed.length) return showEmpty("histogram", group.measured.length ? "No configuration has these values." : "Nothing was measured.");
  const holder = byId("histogram").querySelector(".plot"), box = makeBox(holder, 260);
  const values = group.timed.map(metric.of), isLog = !metric.isHigherBetter;
  const lines = [["best", metric.of(group.best), "mark best"]];
  if (group.baseline) lines.push([raw.baseline, metric.ofTime(group.baseline, group), "mark"]);
  const x = makeScale(Math.min(isLog ? least(values) * .97 : 0, ...lines.map(l => l[1] * (isLog ? .97 : 1))),
    Math.max(most(values), ...lines.map(l => l[1])) * 1.03, box.left, box.right, isLog);
  const numBins = Math.max(12, Math.min(60, Math.round(Math.sqrt(values.length) * 2), Math.floor((box.right - box.left) / 8)));
  const bins = Array.from({length: numBins}, () => []);
  group.timed.forEach((i, at) => {
    const place = (x(values[at]) - box.left) / (box.right - box.left);
    bins[Math.min(numBins - 1, Math.max(0, Math.floor(place * numBins)))].push(i);
  });
  const y = makeScale(0, Math.max(...bins.map(b => b.length)) * 1.12, box.bottom, box.top);
  const svg = makeSvg(box, {"aria-label": `Histogram of ${values.length} configurations`});
  const yTicks = y.ticks(4).filter(Number.isInteger);
  drawAxes(svg, box, x, y, {yTicks, xLabel: metric.label, yLabel: "configurations"});
  const width = (box.right - box.left) / numBins, marks = [];
  bins.forEach((bin, at) => {
    if (!bin.length) return;
    const node = make("rect", {class: "bar", x: box.left + at * width + .5, width: Math.max(1, width - 1), y: y(bin.length), height: box.bottom - y(bin.length)});
    svg.append(node);
    const sorted = bin.sort((a, b) => records.time[a] - records.time[b]);
    marks.push({node, choose: () => choose(sorted[0]),
      text: `${bin.length} of ${values.length}: ${formatNumber(metric.of(sorted[0]))} to ${formatNumber(metric.of(sorted.at(-1)))} ${metric.label}`});
  });
  // The labels of lines that are close go to different heights.
  lines.sort((a, b) => a[1] - b[1]).forEach(([name, value, style], at) => {
    const px = x(value), isRight = px > (box.left + box.right) / 2;
    svg.append(make("line", {class: style, x1: px, x2: px, y1: box.top - 8, y2: box.bottom}),
      make("text", {x: px + (isRight ? -5 : 5), y: box.top + 2 + at * 14, "text-anchor": isRight ? "end" : "start", class: "strong",
        text: `${name} ${formatNumber(value)}`}));
  });
  addMarks(svg, marks);
  holder.replaceChildren(svg);
}

/// Best so far by candidate, in the order in which they were tried.
function drawConvergence(group, metric, choose) {
  setCaption("convergence", "Convergence", "best so far by candidate, failures included; candidates of one second are in no order");
  if (!group.measured.length) return showEmpty("convergence", "Nothing was measured.");
  const holder = byId("convergence").querySelector(".plot"), box = makeBox(holder, 260);
  const steps = [];
  let best = Infinity;
  group.all.forEach((i, at) => {
    if (isTimed(i) && records.time[i] < best) { best = records.time[i]; steps.push({at: at + 1, i}); }
  });
  const values = steps.map(s => metric.of(s.i));
  const x = makeScale(1, Math.max(2, group.all.length), box.left, box.right, group.all.length > 40);
  const first = values[0], last = values.at(-1), margin = Math.abs(last - first) * .12 || last * .1;
  const y = makeScale(Math.max(0, Math.min(first, last) - margin), Math.max(first, last) + margin, box.bottom, box.top);
  const svg = makeSvg(box, {"aria-label": `Best so far over ${group.all.length} candidates: ${steps.length} improvements`});
  drawAxes(svg, box, x, y, {xLabel: "candidates", yLabel: metric.label});
  const within = metric.ofTime(records.time[steps.at(-1).i] * 1.03, group);
  if (within >= y.low && within <= y.high)
    svg.append(make("line", {class: "mark", x1: box.left, x2: box.right, y1: y(within), y2: y(within)}),
      make("text", {x: box.left + 6, y: y(within) + (metric.isHigherBetter ? -6 : 14), text: "3 % from the best"}));
  const path = steps.map((s, k) => (k ? `H${x(s.at)}V` : `M${x(s.at)},`) + y(values[k])).join("") + `H${x(group.all.length)}`;
  svg.append(make("path", {class: "line", d: path}));
  addMarks(svg, steps.map((s, k) => {
    const node = make("circle", {class: "dot", cx: x(s.at), cy: y(values[k]), r: 4.5});
    svg.append(node);
    return {node, choose: () => choose(s.i), text: `candidate ${s.at}: ${formatNumber(values[k])} ${metric.label}\n${shortConfig(s.i)}`};
  }));
  holder.replaceChildren(svg);
}

/// What went wrong, by class, and the messages that are most frequent.
function drawFailures(group, choose) {
  const failed = group.all.filter(i => isFailure(raw.outcomes[records.outcome[i]])), here = new Map();
  for (const i of failed) here.set(records.outcome[i], here.get(records.outcome[i]) ?? i);
  const kinds = raw.outcomes.map((_, kind) => kind).filter(kind => isFailure(raw.outcomes[kind]));
  const count = counts => kinds.reduce((sum, kind) => sum + counts[kind], 0), total = count(allCounts);
  setCaption("failures", "Failures by class",
    `${formatNumber(count(group.counts))} of ${formatNumber(group.tried)} candidates of this problem; ${formatNumber(total)} of ${formatNumber(numRecords)} in all`);
  const messages = byId("failures").querySelector(".messages");
  messages.replaceChildren();
  if (!total) return showEmpty("failures", "No candidate failed.");
  const holder = byId("failures").querySelector(".plot"), classes = kinds.filter(kind => allCounts[kind]);
  const box = {...makeBox(holder, 34 + classes.length * 26, 30), left: 104, top: 4};
  const x = makeScale(0, most(allCounts.filter((_, kind) => kinds.includes(kind))), box.left, box.right - 130);
  const svg = makeSvg(box, {"aria-label": "Failures by class"}), marks = [];
  drawAxes(svg, box, x, v => v, {yTicks: [], xTicks: x.ticks(6).filter(Number.isInteger)});
  classes.forEach((kind, at) => {
    const number = group.counts[kind], all = allCounts[kind], top = box.top + at * 26;
    const node = make("rect", {class: "bar loss", x: box.left, y: top + 3, height: 18, width: Math.max(0, x(number) - box.left)});
    svg.append(make("text", {x: box.left - 8, y: top + 16, "text-anchor": "end", text: raw.outcomes[kind].replace("_", " ")}),
      make("rect", {class: "all", x: box.left, y: top + 3, height: 18, width: x(all) - box.left}), node,
      make("text", {x: x(all) + 6, y: top + 16, text: `${formatNumber(number)} here, ${formatNumber(all)} in all`}));
    if (here.has(kind)) marks.push({node, choose: () => choose(here.get(kind)), text: `${number} × ${raw.outcomes[kind]}`});
  });
  addMarks(svg, marks);
  holder.replaceChildren(svg);
  const counts = new Map();
  for (const i of failed) {
    const key = `${records.outcome[i]} ${records.message[i]}`;
    counts.has(key) ? ++counts.get(key).count : counts.set(key, {count: 1, i});
  }
  const rows = [...counts.values()].sort((a, b) => b.count - a.count).slice(0, 10);
  if (rows.length)
    messages.replaceChildren(make("div", {class: "scroll"}, make("table", {}, make("tbody", {}, ...rows.map(({count, i}) =>
      make("tr", {tabindex: 0, onclick: () => choose(i), onkeydown: event => { if (event.key === "Enter") choose(i); }},
        make("td", {class: "number", text: formatNumber(count)}), make("td", {text: raw.outcomes[records.outcome[i]]}),
        make("td", {class: "config", text: messageOf(i), title: messageOf(i)})))))));
}
