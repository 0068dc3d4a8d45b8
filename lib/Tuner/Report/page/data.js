// What the tool wrote: a summary of all groups, and for each group a block with
// columns of its records. A group is a problem on a platform: the unit that has a
// best configuration. The block of a group is unpacked when the group is shown.

const raw = JSON.parse(document.getElementById("data").textContent);

/// The group whose block is unpacked, with its columns; records are numbered in
/// the order in which they were tried.
let shown = null;
let records = {time: []};

const isSuccess = i => raw.outcomes[records.outcome[i]] === "success";
/// Pruned candidates were not tried; they have not failed.
const isFailure = outcome => outcome !== "success" && outcome !== "pruned";
const isTimed = i => isSuccess(i) && records.time[i] > 0;
const tflopsOf = i => shown.problem.flops / records.time[i] * 1e-6;
const stageOf = i => raw.stages[records.stage[i]];
const hashOf = i => shown.block.configs.hash[i];
const messageOf = i => shown.block.messages[records.message[i]];
const variantOf = i => shown.block.variants[records.variant[i]];

/// The text of a parameter of configuration `i` of some columns.
function valueIn(configs, i, name) {
  const column = configs.values[name];
  return column.names[column.index.length ? column.index[i] : 0];
}
const parameterOf = (i, name) => valueIn(shown.block.configs, i, name);
const listVarying = configs => raw.parameters.filter(name => configs.values[name]?.names.length > 1);

/// The data of a block: base 64 of text, or of text in zlib's format.
async function unpack(text) {
  const [method, data] = text.split(":");
  const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0));
  if (method === "plain") return JSON.parse(new TextDecoder().decode(bytes));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/// The block of a group whose records are not in the page: its best one.
function makeBlock(group) {
  const {top} = group, empty = {configs: {hash: [], values: {}}, messages: [], variants: [], records: {time: []}};
  if (!top) return empty;
  const values = Object.fromEntries(raw.parameters.map(name =>
    [name, {names: [valueIn(raw.configs, top.config, name)], index: []}]));
  const none = ["registers", "spill", "shared", "threads", "workspace", "compile", "verify", "measure", "seconds", "message", "variant"];
  return {start: group.last, configs: {hash: [raw.configs.hash[top.config]], values}, messages: [""], variants: [""],
    records: {...Object.fromEntries(none.map(name => [name, [0]])), outcome: [raw.outcomes.indexOf("success")],
      stage: [raw.stages.indexOf(top.stage)], time: [top.time], below: [top.time - top.low], above: [top.high - top.time]}};
}

/// Unpacks the records of a group and makes it the shown one; false if another
/// one was asked for meanwhile.
let asked = null;
async function loadGroup(group) {
  asked = group;
  const node = document.getElementById(`group-${group.index}`);
  const block = node ? await unpack(node.textContent) : makeBlock(group);
  if (asked !== group) return false;
  shown = group;
  group.block = block;
  group.varying = listVarying(block.configs);
  records = block.records;
  let second = block.start;
  records.timestamp = (records.seconds ?? []).map(step => second += step);
  // Less than 0: the limit is not known.
  records.low = records.time.map((time, i) => records.below[i] < 0 ? 0 : time - records.below[i]);
  records.high = records.time.map((time, i) => records.above[i] < 0 ? 0 : time + records.above[i]);
  group.all = records.time.map((_, i) => i);
  /// `timed` are those of them that the reader wants: parameters.js.
  group.measured = group.timed = group.all.filter(isTimed);
  // Finalists were measured best.
  const finals = group.timed.filter(i => stageOf(i) === "final");
  const among = finals.length ? finals : group.timed;
  group.best = among.reduce((a, b) => a < 0 || records.time[b] < records.time[a] ? b : a, -1);
  return true;
}

/// A triple as `128×64×32`; words as they are.
const readable = value => value.replace(/[[\] ]/g, "").replace(/,/g, "×");

/// Numbers by size, triples by their parts, words by letter.
function compareValues(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const x = String(a).match(/\d+/g) ?? [], y = String(b).match(/\d+/g) ?? [];
  for (let i = 0; i < Math.min(x.length, y.length); ++i)
    if (+x[i] !== +y[i]) return x[i] - y[i];
  return a < b ? -1 : a > b ? 1 : 0;
}

/// All parameters as `tcgemm-run --config` takes them.
const configText = i =>
  raw.parameters.map(name => `${name}=${parameterOf(i, name).replace(/ /g, "")}`).join(",");

/// The given parameters of a configuration, in few words.
const shortText = (names, valueOf) =>
  (names.length ? names : ["schedule", "cta"])
    // With wgmma the tile decides it.
    .filter(name => name !== "instruction" || valueOf("schedule") !== "wgmma")
    .map(name => name === "schedule" ? valueOf(name) : `${name}=${readable(valueOf(name))}`).join(" ");
/// A configuration among those of its group, and a group's best among all best.
const shortConfig = i => shortText(shown.varying, name => parameterOf(i, name));
const varyingBest = listVarying(raw.configs);
const bestConfig = group => shortText(varyingBest, name => valueIn(raw.configs, group.top.config, name));

function shapeText(problem) {
  const sizes = [problem.m, problem.n, problem.k];
  if (problem.batch !== 1) sizes.unshift(problem.batch);
  return sizes.join("×");
}

/// The command that compiles, checks and measures a record's configuration.
function commandOf(i) {
  const {problem: p, platform} = shown;
  const words = ["tcgemm-run", `--m=${p.m}`, `--n=${p.n}`, `--k=${p.k}`];
  if (p.batch !== 1) words.push(`--batch=${p.batch}`);
  words.push(`--layout=${p.layout}`, `--type=${p.type}`, `--out-type=${p.out}`);
  if (p.epilogue !== "none") words.push(`--epilogue=${p.epilogue}`);
  if (p.alpha) words.push("--alpha=1.5");
  if (p.beta) words.push("--beta=0.5");
  if (p.static) words.push("--static");
  if (platform.device === "emulator") words.push("--device=emulator", `--chip=${platform.chip}`);
  words.push(`--config='${configText(i)}'`);
  if (platform.device !== "emulator") words.push("--bench");
  return words.join(" ");
}

/// Problems on platforms. `top` is the best result; none is null.
const groups = (() => {
  const columns = raw.groups, places = new Map(raw.baselines.map(b => [`${b.problem} ${b.platform}`, b.us]));
  return (columns.problem ?? []).map((p, index) => {
    const problem = raw.problems[p], platform = raw.platforms[columns.platform[index]];
    const {flops, bytes} = problem, {peak, bandwidth} = platform;
    const time = columns.time[index];
    return {
      index, problem, platform, all: [], timed: [], best: -1, varying: [],
      counts: raw.outcomes.map(name => columns[name][index]),
      tried: raw.outcomes.reduce((sum, name) => sum + (name === "pruned" ? 0 : columns[name][index]), 0),
      numTimed: columns.timed[index], ties: columns.ties[index], last: columns.last[index],
      top: columns.best[index] < 0 ? null : {time, low: columns.low[index], high: columns.high[index],
        stage: raw.stages[columns.stage[index]], config: columns.best[index], tflops: flops / time * 1e-6},
      baseline: places.get(`${p} ${columns.platform[index]}`) ?? 0,
      /// Microseconds that the chip cannot do without.
      limit: peak > 0 && bandwidth > 0 ? Math.max(flops / peak * 1e-6, bytes / bandwidth * 1e-3) : 0,
    };
  });
})();
const numRecords = groups.reduce((sum, g) => sum + g.tried, 0);
/// By outcome, in all groups.
const allCounts = raw.outcomes.map((_, o) => groups.reduce((sum, g) => sum + g.counts[o], 0));

const severalKernels = new Set(raw.problems.map(p => p.kernel)).size > 1;
const severalPlatforms = raw.platforms.length > 1;
function groupText(group) {
  let text = shapeText(group.problem);
  if (group.problem.tag) text += ` (${group.problem.tag})`;
  if (severalKernels) text += `, ${group.problem.kernel}`;
  if (severalPlatforms)
    text += `, ${group.platform.device} ${group.platform.chip}, tcgemm ${group.platform.tcgemm}`;
  return text;
}

/// What a plot can lie along or be coloured by, for one group: parameters that
/// vary there, parts of those that are triples, and what was measured.
function listAxes(group) {
  const axes = [], among = group.timed;
  const add = (name, get) => {
    const values = new Set(among.map(get));
    if (values.size < 2) return;
    const isNumeric = [...values].every(v => typeof v === "number" || /^-?\d+(\.\d+)?$/.test(v));
    axes.push({name, isNumeric, get: isNumeric ? i => +get(i) : get, count: values.size});
  };
  for (const name of group.varying) {
    add(name, i => parameterOf(i, name));
    if (!/^\[/.test(parameterOf(among[0] ?? 0, name))) continue;
    ["m", "n", "k"].forEach((part, index) =>
      add(`${name}.${part}`, i => parameterOf(i, name).match(/-?\d+/g)[index]));
  }
  add("threads", i => records.threads[i]);
  add("registers", i => records.registers[i]);
  add("spilled bytes", i => records.spill[i]);
  add("shared memory", i => records.shared[i]);
  add("workspace", i => records.workspace[i]);
  add("variant", variantOf);
  add("measured", stageOf);
  add("compile ms", i => records.compile[i]);
  return axes;
}
