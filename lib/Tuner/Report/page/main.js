// What is shown, and what happens when something is chosen.

const state = {group: null, axes: []};

function chooseRecord(i) {
  scatter.selected = i;
  markSelected();
  drawDetails(i);
}

function drawDetails(i) {
  const details = byId("details");
  if (i < 0) return details.replaceChildren(make("h3", {text: "Configuration"}), make("p", {class: "quiet", text: "Nothing was measured for this problem."}));
  const group = state.group, best = group.best;
  const rows = (list, differs = () => false) => list.filter(([, value]) => value !== "" && value !== undefined).map(([name, value]) =>
    make("tr", {class: differs(name) ? "differs" : undefined}, make("th", {scope: "row", text: name}), make("td", {text: value})));
  const bytes = value => value ? `${formatNumber(value)} B` : "0";
  const time = records.time[i], place = group.timed.indexOf(i) < 0 ? 0
    : 1 + group.measured.filter(j => records.time[j] < time).length;
  const slower = 100 * (time / records.time[best] - 1);
  const comparison = i === best ? "" : slower >= 0 ? `, ${slower.toFixed(1)} % slower than the best`
    : `, ${(-slower).toFixed(1)} % faster than the best, but measured less well`;
  const command = commandOf(i);
  const copy = make("button", {type: "button", text: "Copy the command", onclick: async () => {
    try { await navigator.clipboard.writeText(command); copy.textContent = "Copied"; }
    catch { getSelection().selectAllChildren(details.querySelector("pre")); copy.textContent = "Selected: press Ctrl-C"; }
  }});
  details.replaceChildren(
    make("h3", {text: i === best ? "The best configuration" : "Configuration"}),
    isTimed(i)
      ? make("p", {class: "headline", text: `${formatMicroseconds(time)}, ${formatNumber(tflopsOf(i))} TFLOP/s`})
      : make("p", {class: "headline failure", text: raw.outcomes[records.outcome[i]].replace("_", " ")}),
    make("p", {class: "quiet", text: isTimed(i)
      ? `${formatNumber(place)}. of ${formatNumber(group.timed.length)}` + comparison +
        (group.baseline ? `, ${(group.baseline / time).toFixed(3)}× ${raw.baseline}` : "") : ""}),
    ...(messageOf(i) ? [make("pre", {class: "failure", text: messageOf(i)})] : []),
    make("div", {class: "columns"}, make("table", {}, make("tbody", {}, ...rows([
      ["interval", isTimed(i) && records.high[i] ? `${formatNumber(records.low[i])} to ${formatNumber(records.high[i])} µs` : ""],
      ["measured", stageOf(i)], ["variant", variantOf(i)],
      ["registers", records.registers[i] || ""], ["spilled", records.registers[i] ? bytes(records.spill[i]) : ""],
      ["shared memory", records.threads[i] ? bytes(records.shared[i]) : ""], ["threads", records.threads[i] || ""],
      ["workspace", records.threads[i] ? bytes(records.workspace[i]) : ""],
      ["compile", `${formatNumber(records.compile[i])} ms`], ["check, measure", `${formatNumber(records.verify[i])}, ${formatNumber(records.measure[i])} ms`],
      ["tried", new Date(records.timestamp[i] * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC"],
      ["hash", hashOf(i)]]),
    make("tr", {}, make("td", {colspan: 2, class: "quiet", text: i === best ? "Parameters" : "Parameters (bold: other than the best's)"})),
    ...rows(raw.parameters.map(name => [name, parameterOf(i, name)]), name => best >= 0 && parameterOf(i, name) !== parameterOf(best, name))))),
    make("p", {class: "quiet", text: "Compiles, checks and measures it again:"}), make("pre", {class: "command", text: command}), copy);
}

function fillAxes() {
  state.axes = listAxes(state.group);
  const fill = (id, wanted, empty) => {
    const select = byId(id), before = select.value;
    select.replaceChildren(...(empty ? [make("option", {value: "", text: empty})] : []), ...state.axes.map(a => make("option", {value: a.name, text: a.name})));
    const value = [before, ...wanted].find(name => name && state.axes.some(a => a.name === name));
    if (value) select.value = value;
  };
  fill("scatter-x", ["cta", "cta.n", "stages"]);
  fill("scatter-colour", ["stages", "cluster", "schedule"], "nothing");
}

function drawGroup() {
  const group = state.group, metric = metrics[byId("metric").value];
  drawHistogram(group, metric, chooseRecord);
  drawConvergence(group, metric, chooseRecord);
  drawScatter(group, metric, state.axes, chooseRecord);
  drawFailures(group, chooseRecord);
  drawImportance(group, name => { byId("scatter-x").value = name; drawGroup(); });
}

/// After a change of the conditions.
function drawConditioned() {
  applyConditions(state.group);
  drawConditions(state.group, drawConditioned);
  drawGroup();
}

const makeOption = group => make("option", {value: group.index, text: groupText(group)});
/// Thousands of options take seconds to lay out: they are made when they are
/// asked for.
function fillProblems() {
  const select = byId("problem"), chosen = select.value;
  if (select.options.length === groups.length) return;
  select.replaceChildren(...groups.map(makeOption));
  select.value = chosen;
}

async function chooseGroup(group, isJump = false) {
  if (!byId("problem").querySelector(`option[value="${group.index}"]`)) byId("problem").append(makeOption(group));
  byId("problem").value = group.index;
  byId("explore-name").textContent = groupText(group);
  for (const row of byId("best-table").tBodies[0].rows) row.classList.toggle("chosen", +row.dataset.group === group.index);
  try {
    if (!await loadGroup(group)) return;
  } catch (error) {
    byId("problem-note").textContent = `The records cannot be unpacked (${error.message}): try a newer browser.`;
    return;
  }
  state.group = group;
  byId("problem-note").textContent = `${formatNumber(group.tried)} candidates, ${formatNumber(group.numTimed)} measured, ` +
    `${formatNumber(group.ties)} tied with the best` +
    (group.all.length < group.tried ? `; the fastest ${formatNumber(group.all.length)} are in this page` : "");
  fillAxes();
  scatter.selected = group.best;
  drawConditioned();
  drawDetails(group.best);
  if (isJump) { byId("explore").scrollIntoView(); byId("problem").focus({preventScroll: true}); }
  // For tests.
  document.documentElement.dataset.shown = group.index;
}

//--- Themes ------------------------------------------------------------------//

const dark = matchMedia("(prefers-color-scheme: dark)");
let theme = "system";
try { theme = localStorage.getItem("tcgemm-theme") ?? theme; } catch { /* A file may not have any storage. */ }
function applyTheme() {
  document.documentElement.dataset.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  byId("theme").textContent = `Theme: ${theme}`;
}
function drawOverview() {
  drawRatios(group => chooseGroup(group, true));
  drawRoofline(group => chooseGroup(group, true));
  drawWaves(group => chooseGroup(group, true));
  sideBySide.redraw();
}
function redraw() {
  drawOverview();
  if (state.group) drawGroup();
}
byId("theme").addEventListener("click", () => {
  theme = {system: "light", light: "dark", dark: "system"}[theme];
  try { localStorage.setItem("tcgemm-theme", theme); } catch { /* Not kept, then. */ }
  applyTheme(); redraw();
});
dark.addEventListener("change", () => { applyTheme(); redraw(); });
// Paper is white, whatever the screen is.
addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; redraw(); });
addEventListener("afterprint", () => { applyTheme(); redraw(); });

//--- Start ---------------------------------------------------------------------//

applyTheme();
drawHeader();
drawTiles();
drawPlatforms();
drawTable(group => chooseGroup(group, true));
const sideBySide = makeComparison(group => chooseGroup(group, true));
if (groups.length <= 500) fillProblems();
for (const event of ["pointerdown", "keydown"]) byId("problem").addEventListener(event, fillProblems);
const step = by => chooseGroup(groups[(+byId("problem").value + by + groups.length) % groups.length]);
byId("problem").addEventListener("change", () => chooseGroup(groups[+byId("problem").value]));
byId("previous").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
byId("metric").addEventListener("change", drawGroup);
for (const id of ["scatter-x", "scatter-colour"])
  byId(id).addEventListener("change", () => drawScatter(state.group, metrics[byId("metric").value], state.axes, chooseRecord));
addEventListener("keydown", event => { if (event.key === "Escape") hideTooltip(); });

/// A page that loads itself again shows what it has shown before.
const kept = (() => {
  try { return raw.reload ? JSON.parse(sessionStorage.getItem("tcgemm-report")) ?? {} : {}; } catch { return {}; }
})();
if (raw.reload)
  addEventListener("pagehide", () => {
    const seen = {group: state.group ? groupText(state.group) : "", filter: byId("filter").value, metric: byId("metric").value,
      along: byId("scatter-x").value, colour: byId("scatter-colour").value, conditions: [...conditions],
      comparison: sideBySide.getState()};
    try { sessionStorage.setItem("tcgemm-report", JSON.stringify(seen)); } catch { /* Not kept, then. */ }
  });
for (const [id, value] of [["filter", kept.filter], ["metric", kept.metric]]) if (value) byId(id).value = value;
if (kept.filter) byId("filter").dispatchEvent(new Event("input"));
for (const [name, value] of kept.conditions ?? []) conditions.set(name, value);
if (kept.comparison) sideBySide.setState(kept.comparison);

drawOverview();
let width = innerWidth;
addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
// The problem with most candidates has most to show.
const first = groups.length ? chooseGroup(groups.find(group => kept.group && groupText(group) === kept.group) ??
  groups.reduce((a, b) => b.tried > a.tried ? b : a)) : Promise.resolve();
first.then(() => {
  if (!kept.group) return;
  for (const [id, value] of [["scatter-x", kept.along], ["scatter-colour", kept.colour]])
    if ([...byId(id).options].some(option => option.value === value)) byId(id).value = value;
  redraw();
}).finally(() => { document.documentElement.dataset.ready = "true"; });
