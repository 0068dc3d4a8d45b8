// What the tool wrote: columns of records, and dictionaries for what repeats.
// A group is a problem on a platform: the unit that has a best configuration.

const raw = JSON.parse(document.getElementById("data").textContent);
const records = raw.records;
const numRecords = records.time.length;

const isSuccess = i => raw.outcomes[records.outcome[i]] === "success";
const isTimed = i => isSuccess(i) && records.time[i] > 0;
const problemOf = i => raw.problems[records.problem[i]];
const tflopsOf = i => problemOf(i).flops / records.time[i] * 1e-6;
const stageOf = i => raw.stages[records.stage[i]];
const hashOf = i => raw.configs.hash[records.config[i]];

/// The text of a parameter of a record's configuration.
function parameterOf(i, name) {
  const column = raw.configs.values[name];
  return column.names[column.index.length ? column.index[records.config[i]] : 0];
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

/// Those that differ somewhere in this report.
const varying = raw.parameters.filter(name => raw.configs.values[name].names.length > 1);
const shortConfig = i =>
  (varying.length ? varying : ["schedule", "cta"])
    // With wgmma the tile decides it.
    .filter(name => name !== "instruction" || parameterOf(i, "schedule") !== "wgmma")
    .map(name => {
      const value = parameterOf(i, name);
      return name === "schedule" ? value : `${name}=${readable(value)}`;
    }).join(" ");

function shapeText(problem) {
  const sizes = [problem.m, problem.n, problem.k];
  if (problem.batch !== 1) sizes.unshift(problem.batch);
  return sizes.join("×");
}

/// The command that compiles, checks and measures a record's configuration.
function commandOf(i) {
  const p = problemOf(i), platform = raw.platforms[records.platform[i]];
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

/// Problems on platforms, in the order of the first record; each with its
/// records in the order in which they were tried.
const groups = (() => {
  const found = new Map();
  for (let i = 0; i < numRecords; ++i) {
    const key = records.problem[i] * raw.platforms.length + records.platform[i];
    if (!found.has(key))
      found.set(key, {problem: problemOf(i), platform: raw.platforms[records.platform[i]], all: []});
    found.get(key).all.push(i);
  }
  const list = [...found.values()];
  list.forEach((group, index) => {
    // Within a second the order is not known: hashes favour nobody.
    group.all.sort((a, b) => records.timestamp[a] - records.timestamp[b] ||
      (hashOf(a) < hashOf(b) ? -1 : 1));
    group.index = index;
    group.timed = group.all.filter(isTimed);
    // Finalists were measured best.
    const finals = group.timed.filter(i => stageOf(i) === "final");
    const among = finals.length ? finals : group.timed;
    group.best = among.reduce((a, b) => a < 0 || records.time[b] < records.time[a] ? b : a, -1);
    group.ties = group.best < 0 ? 0 : among.filter(i =>
      i !== group.best && records.low[i] <= records.high[group.best]).length;
    const base = raw.baselines.find(b => b.problem === records.problem[group.all[0]] &&
      b.platform === records.platform[group.all[0]]);
    group.baseline = base ? base.us : 0;
    const {flops, bytes} = group.problem, {peak, bandwidth} = group.platform;
    /// Microseconds that the chip cannot do without.
    group.limit = peak > 0 && bandwidth > 0 ? Math.max(flops / peak * 1e-6, bytes / bandwidth * 1e-3) : 0;
  });
  return list;
})();

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
  for (const name of varying) {
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
  add("variant", i => raw.variants[records.variant[i]]);
  add("measured", stageOf);
  add("compile ms", i => records.compile[i]);
  return axes;
}
