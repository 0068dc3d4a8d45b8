// Which parameters matter, and the configurations that have given values.

/// Conditions of the reader: values by the parameter's name. They stay when another
/// problem is chosen, as far as its configurations have these values.
const conditions = new Map();

/// Restricts the measured configurations of the group to those that the reader wants.
function applyConditions(group) {
  for (const [name, value] of conditions)
    if (!group.varying.includes(name) || !group.measured.some(i => parameterOf(i, name) === value)) conditions.delete(name);
  group.timed = group.measured.filter(i => [...conditions].every(([name, value]) => parameterOf(i, name) === value));
}

/// The controls of the conditions. `changed` is called after a change.
function drawConditions(group, changed) {
  const name = byId("condition-name"), value = byId("condition-value"), before = name.value;
  name.replaceChildren(...group.varying.map(each => make("option", {value: each, text: each})));
  if (group.varying.includes(before)) name.value = before;
  const fillValues = () => {
    const values = [...new Set(group.measured.map(i => parameterOf(i, name.value)))].sort(compareValues);
    value.replaceChildren(make("option", {value: "", text: "any"}), ...values.map(each => make("option", {value: each, text: readable(each)})));
    value.value = conditions.get(name.value) ?? "";
  };
  if (group.varying.length) fillValues(); else value.replaceChildren();
  name.onchange = fillValues;
  value.onchange = () => {
    if (value.value) conditions.set(name.value, value.value); else conditions.delete(name.value);
    changed();
  };
  byId("conditions").replaceChildren(...[...conditions].map(([each, wanted]) =>
    make("button", {type: "button", "aria-label": `Remove the condition ${each} = ${readable(wanted)}`, text: `${each} = ${readable(wanted)} ✕`,
      onclick: () => { conditions.delete(each); changed(); }})));
  byId("condition-count").textContent = conditions.size
    ? `${formatNumber(group.timed.length)} of ${formatNumber(group.measured.length)} measured configurations` : "";
}

/// The part of the variance of the logarithms of times that a parameter explains
/// alone: Kelley's epsilon squared (An Unbiased Correlation Ratio Measure, 1935).
/// Unlike the plain ratio of variances, it does not grow with the number of values.
function explainedPart(among, valueAt) {
  const groups = new Map();
  let sum = 0;
  for (const i of among) {
    const key = valueAt(i), time = Math.log(records.time[i]);
    if (!groups.has(key)) groups.set(key, {count: 0, sum: 0, squares: 0});
    const entry = groups.get(key);
    entry.count += 1; entry.sum += time; entry.squares += time * time;
    sum += time;
  }
  const mean = sum / among.length;
  let within = 0, between = 0;
  for (const {count, sum: total, squares} of groups.values()) {
    within += Math.max(0, squares - total * total / count);
    between += count * (total / count - mean) ** 2;
  }
  const freedom = among.length - groups.size, total = within + between;
  if (groups.size < 2 || freedom < 1 || !(total > 1e-12)) return null;
  return Math.max(0, (between - (groups.size - 1) * within / freedom) / total);
}

/// Fewer configurations say nothing about parameters.
const leastForImportance = 8;

function drawImportance(group, choose) {
  setCaption("importance", "Importance of parameters",
    "part of the variance of the logarithms of times that each parameter explains alone, of the measured configurations here");
  const found = group.timed.length < leastForImportance ? [] : group.varying
    .map(name => ({name, part: explainedPart(group.timed, i => parameterOf(i, name))})).filter(entry => entry.part !== null)
    .sort((a, b) => b.part - a.part);
  if (!found.length) return showEmpty("importance", `Fewer than ${leastForImportance} measured configurations, or all alike.`);
  const holder = byId("importance").querySelector(".plot");
  const box = {...makeBox(holder, 34 + found.length * 22, 30), left: 150, top: 4};
  const x = makeScale(0, 1, box.left, box.right - 60), svg = makeSvg(box, {"aria-label": `Importance of ${found.length} parameters`}), marks = [];
  drawAxes(svg, box, x, v => v, {yTicks: [], xTicks: [0, .25, .5, .75, 1].map(part => [part, `${100 * part} %`])});
  found.forEach(({name, part}, at) => {
    const top = box.top + at * 22, text = `${(100 * part).toFixed(1)} %`;
    const node = make("rect", {class: "bar", x: box.left, y: top + 3, height: 15, width: Math.max(1, x(part) - box.left)});
    svg.append(make("text", {x: box.left - 8, y: top + 15, "text-anchor": "end", text: name}), node,
      make("text", {x: Math.max(box.left + 1, x(part)) + 6, y: top + 15, text}));
    marks.push({node, choose: () => choose(name), text: `${name}: ${text}`});
  });
  addMarks(svg, marks);
  holder.replaceChildren(svg);
}
