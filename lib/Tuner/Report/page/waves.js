// Waves: how often a GPU's places are filled with tiles, and how full the last time.

/// The waves of a group's best configuration; null if its chip is not known.
function countWaves(group) {
  const tiles = raw.groups.tiles[group.index], places = raw.groups.places[group.index];
  if (!group.top || !(places > 0) || !(tiles > 0)) return null;
  const waves = tiles / places, whole = Math.ceil(waves - 1e-9);
  return {tiles, places, waves, last: waves - whole + 1, used: waves / whole};
}

/// A kernel that leaves more of its places empty, over all waves, is marked.
const mostEmpty = 0.1;

const describeWaves = (group, count) => `${groupText(group)}\n` +
  `${formatNumber(count.tiles)} tiles on ${formatNumber(count.places)} places: ${formatNumber(count.waves)} waves\n` +
  `the last wave fills ${(100 * count.last).toFixed(0)} %, all waves ${(100 * count.used).toFixed(0)} %\n${bestConfig(group)}`;

function drawWaves(choose) {
  const all = groups.map(group => ({group, count: countWaves(group)})).filter(entry => entry.count), shown = thin(all);
  setCaption("waves", "Waves", "places that the last wave fills, over tiles for each place of the GPU; " +
    `another colour: over all waves more than ${100 * mostEmpty} % of the places stay empty` + describeThinned(all));
  if (!shown.length) return showEmpty("waves", "No tiles are known for these records.");
  const holder = byId("waves").querySelector(".plot"), box = makeBox(holder, 260);
  const places = shown.map(entry => entry.count.waves);
  const x = makeScale(least(places) / 1.2, Math.max(2, most(places)) * 1.2, box.left, box.right, true);
  const y = makeScale(0, 1.05, box.bottom, box.top);
  const svg = makeSvg(box, {"aria-label": `Waves of ${shown.length} best configurations`});
  drawAxes(svg, box, x, y, {xLabel: "waves", yLabel: "last wave",
    yTicks: [0, .25, .5, .75, 1].map(part => [part, `${100 * part} %`])});
  // The line on which all points lie; where waves are too close it would be an area.
  let line = "";
  for (let wave = 1; wave <= 12 && wave <= x.high; ++wave) {
    const from = Math.max(wave - 1 + 1e-3, x.low), to = Math.min(wave, x.high);
    for (let i = 0; from < to && i <= 16; ++i) {
      const at = from + (to - from) * i / 16;
      line += `${i ? "L" : "M"}${x(at).toFixed(1)},${y(at - wave + 1).toFixed(1)}`;
    }
  }
  if (line) svg.append(make("path", {class: "grid", fill: "none", d: line}));
  const marks = shown.map(({group, count}) => {
    const node = make("circle", {class: 1 - count.used > mostEmpty ? "dot loss" : "dot", cx: x(count.waves), cy: y(count.last), r: 4});
    svg.append(node);
    return {node, text: describeWaves(group, count), choose: () => choose(group)};
  });
  addMarks(svg, marks);
  holder.replaceChildren(svg);
}
