// Scales, axes, colours and the small parts that all plots share.

const svgNamespace = "http://www.w3.org/2000/svg";
function make(name, attributes = {}, ...children) {
  const isSvg = /^(svg|g|rect|line|path|circle|text|title)$/.test(name);
  const node = isSvg ? document.createElementNS(svgNamespace, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  node.append(...children);
  return node;
}
const byId = id => document.getElementById(id);
const colourOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Of lists that are too long for the arguments of a call.
const least = values => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = values => values.reduce((a, b) => Math.max(a, b), -Infinity);

const formatNumber = value => {
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
  return size >= 100 ? value.toFixed(1) : size >= 1 ? value.toFixed(2) : value.toPrecision(3);
};
/// Ticks have as many digits as they need.
const formatTick = value => Math.abs(value) >= 1000 ? formatNumber(value) : String(+value.toPrecision(3));
const formatMicroseconds = us => us >= 1e4 ? `${formatNumber(us / 1000)} ms` : `${formatNumber(us)} µs`;

//--- Scales: from values to pixels ---------------------------------------//

/// Steps of 1, 2 or 5 times a power of ten.
function linearTicks(low, high, count) {
  const rough = (high - low) / Math.max(1, count) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(s => s * power).find(s => s >= rough * 0.999);
  const ticks = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-6; t += step)
    ticks.push(Math.abs(t) < step * 1e-6 ? 0 : t);
  return ticks;
}
function logTicks(low, high, count) {
  const decades = Math.log10(high / low), ticks = [];
  const factors = decades * 3 <= count * 1.4 ? [1, 2, 5] : [1];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e)
    for (const f of factors)
      if (f * 10 ** e >= low * 0.999 && f * 10 ** e <= high * 1.001) ticks.push(f * 10 ** e);
  return ticks.length > 1 ? ticks : linearTicks(low, high, count).filter(t => t > 0);
}
function makeScale(low, high, from, to, isLog = false) {
  if (!(high > low)) { high = low + (Math.abs(low) || 1) * 0.5; low -= (Math.abs(low) || 1) * (isLog ? 0.2 : 0.5); }
  const f = isLog ? Math.log : x => x;
  const scale = v => from + (f(v) - f(low)) / (f(high) - f(low)) * (to - from);
  scale.low = low; scale.high = high; scale.from = from; scale.to = to;
  scale.ticks = count => (isLog ? logTicks : linearTicks)(low, high, count);
  return scale;
}

/// Axes with their grid. A tick is a number or [value, text].
function drawAxes(svg, box, x, y, {xTicks, yTicks, xLabel, yLabel}) {
  const pair = tick => Array.isArray(tick) ? tick : [tick, formatTick(tick)];
  for (const [value, text] of (yTicks ?? y.ticks(5)).map(pair)) {
    svg.append(make("line", {class: "grid", x1: box.left, x2: box.right, y1: y(value), y2: y(value)}),
      make("text", {x: box.left - 6, y: y(value) + 4, "text-anchor": "end", text}));
  }
  const ticks = (xTicks ?? x.ticks(Math.max(2, (box.right - box.left) / 80))).map(pair);
  // Names that would overlap are turned.
  const space = ticks.length > 1 ? Math.abs(x(ticks[1][0]) - x(ticks[0][0])) : Infinity;
  const isTurned = ticks.some(([, text]) => text.length * 7 > space);
  for (const [value, text] of ticks) {
    const at = x(value), label = make("text", {text});
    if (isTurned) {
      label.setAttribute("transform", `translate(${at + 4},${box.bottom + 10}) rotate(-40)`);
      label.setAttribute("text-anchor", "end");
    } else {
      label.setAttribute("x", at); label.setAttribute("y", box.bottom + 17);
      label.setAttribute("text-anchor", "middle");
    }
    svg.append(make("line", {class: "axis", x1: at, x2: at, y1: box.bottom, y2: box.bottom + 4}), label);
  }
  svg.append(make("line", {class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom}));
  if (xLabel) svg.append(make("text", {x: box.right, y: box.height - 3, "text-anchor": "end", class: "strong", text: xLabel}));
  if (yLabel) svg.append(make("text", {x: box.left - 44, y: 11, class: "strong", text: yLabel}));
}

/// A plot's rectangle; `under` is the room for the ticks of x.
function makeBox(holder, height, under = 40) {
  const width = Math.max(240, holder.clientWidth || 600);
  return {width, height, left: 52, right: width - 12, top: 24, bottom: height - under};
}
const makeSvg = (box, attributes = {}) =>
  make("svg", {viewBox: `0 0 ${box.width} ${box.height}`, height: box.height, ...attributes});

function setCaption(id, title, detail = "") {
  byId(id).querySelector("figcaption").replaceChildren(title, make("small", {text: detail}));
}
function showEmpty(id, text) {
  byId(id).querySelector(".plot").replaceChildren(make("p", {class: "empty", text}));
}

//--- Colours ---------------------------------------------------------------//

// Seven samples of viridis (Smith and van der Walt): even steps of lightness,
// so that it can be read without hues.
const viridis = [[68, 1, 84], [70, 50, 127], [54, 92, 141], [39, 127, 142], [31, 161, 135], [74, 194, 109], [159, 218, 58]];
function rampColour(part) {
  const at = Math.min(Math.max(part, 0), 1) * (viridis.length - 1), low = Math.min(Math.floor(at), viridis.length - 2);
  const mix = viridis[low].map((c, i) => Math.round(c + (viridis[low + 1][i] - c) * (at - low)));
  // Its dark end is lifted where the page is dark.
  const lift = document.documentElement.dataset.theme === "dark" ? 0.25 : 0;
  return `rgb(${mix.map(c => Math.round(c + (255 - c) * lift)).join(",")})`;
}

/// Symbols differ too: colour alone tells nothing apart.
const symbols = [
  (c, r) => c.arc(0, 0, r, 0, 7), (c, r) => c.rect(-r * .85, -r * .85, r * 1.7, r * 1.7),
  (c, r) => { c.moveTo(0, -r * 1.2); c.lineTo(r * 1.1, r * .8); c.lineTo(-r * 1.1, r * .8); c.closePath(); },
  (c, r) => { c.moveTo(0, -r * 1.25); c.lineTo(r * 1.25, 0); c.lineTo(0, r * 1.25); c.lineTo(-r * 1.25, 0); c.closePath(); },
  (c, r) => { c.moveTo(0, r * 1.2); c.lineTo(r * 1.1, -r * .8); c.lineTo(-r * 1.1, -r * .8); c.closePath(); },
  (c, r) => { const t = r * .4; c.rect(-r, -t, 2 * r, 2 * t); c.rect(-t, -r, 2 * t, 2 * r); },
  (c, r) => { c.moveTo(-r, -r); c.lineTo(r, -r); c.lineTo(-r, r); c.lineTo(r, r); c.closePath(); },
  (c, r) => { c.moveTo(-r, -r); c.lineTo(-r, r); c.lineTo(r, -r); c.lineTo(r, r); c.closePath(); },
];

//--- Tooltips and walking through marks ------------------------------------//

function showTooltip(text, x, y) {
  const tip = byId("tooltip");
  tip.textContent = text; tip.hidden = false;
  const {width, height} = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - width - 8))}px`;
  tip.style.top = `${y + height + 20 < innerHeight ? y + 14 : Math.max(4, y - height - 10)}px`;
}
const hideTooltip = () => { byId("tooltip").hidden = true; };

/// Marks of an SVG that can be hovered, clicked, and walked through by arrow
/// keys. A mark is {node, text, choose}.
function addMarks(svg, marks) {
  let current = -1;
  const show = (index, focus) => {
    if (current >= 0) marks[current].node.classList.remove("hot");
    current = index;
    if (index < 0) return hideTooltip();
    marks[index].node.classList.add("hot");
    const box = marks[index].node.getBoundingClientRect();
    if (focus) showTooltip(marks[index].text, box.right, box.top);
  };
  marks.forEach((mark, index) => {
    mark.node.classList.add("pick");
    mark.node.addEventListener("pointermove", event => { show(index); showTooltip(mark.text, event.clientX, event.clientY); });
    mark.node.addEventListener("pointerleave", () => show(-1));
    mark.node.addEventListener("click", () => mark.choose?.());
  });
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "group");
  svg.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key];
    if (step && marks.length) show((current + step + marks.length + (current < 0 && step < 0 ? 1 : 0)) % marks.length, true);
    else if ((event.key === "Enter" || event.key === " ") && current >= 0) marks[current].choose?.();
    else if (event.key === "Escape") show(-1);
    else return;
    event.preventDefault();
  });
  svg.addEventListener("blur", () => show(-1));
}
