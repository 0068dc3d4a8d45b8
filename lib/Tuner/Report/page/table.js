// Tables that can be sorted and filtered, and plots of ratios.

/// In filters, a `×` may be written as `x`.
const normalise = text => text.toLowerCase().replace(/×/g, "x");
/// Returns whether a text has all words of a filter.
const matchesWords = (words, text) => words.every(word => text.includes(word));
const splitWords = text => normalise(text).split(/\s+/).filter(Boolean);

/// The value for an item, made when it is asked for the first time.
function cached(values, item, get) {
  if (!values.has(item)) values.set(item, get(item));
  return values.get(item);
}

/// A table whose heads sort it. A column has `name` (a text or a function), `text`,
/// and optionally `sort`, `title`, `isNumber`, `isConfig` and `style`; `list` returns
/// the items to show, `rowAttributes` the attributes of an item's row. The result
/// fills the table again. Thousands of rows take seconds to lay out: they follow as
/// one scrolls.
function makeTable(table, columns, {list, rowAttributes = () => ({}), choose}) {
  const body = table.tBodies[0], head = table.tHead, rows = new WeakMap();
  let order = {column: -1, sign: 1}, listed = [];
  const makeRow = item => make("tr", {tabindex: 0, ...rowAttributes(item), onclick: () => choose(item),
    onkeydown: event => { if (event.key === "Enter") choose(item); }},
    ...columns.map(c => make("td", {class: [c.isNumber ? "number" : "", c.isConfig ? "config" : "", c.style?.(item) ?? ""].join(" ").trim() || undefined,
      title: c.title?.(item) ?? (c.isConfig ? c.text(item) : undefined), text: c.text(item)})));
  const extend = () => body.append(...listed.slice(body.rows.length, body.rows.length + 150).map(item => cached(rows, item, makeRow)));
  const fill = () => {
    listed = list();
    if (order.column >= 0) {
      const key = columns[order.column].sort ?? columns[order.column].text;
      listed = [...listed].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * order.sign);
    }
    body.replaceChildren();
    extend();
  };
  const scroller = table.parentElement;
  scroller.addEventListener("scroll", () => {
    if (scroller.scrollTop + 2 * scroller.clientHeight > scroller.scrollHeight) extend();
  });
  addEventListener("beforeprint", () => { while (body.rows.length < listed.length) extend(); });
  head.replaceChildren(make("tr", {}, ...columns.map((column, index) =>
    make("th", {scope: "col", class: column.isNumber ? "number" : undefined}, make("button", {type: "button",
      text: typeof column.name === "function" ? column.name() : column.name, onclick: () => {
        order = {column: index, sign: order.column === index ? -order.sign : 1};
        [...head.rows[0].cells].forEach((cell, i) => i === index
          ? cell.setAttribute("aria-sort", order.sign > 0 ? "ascending" : "descending") : cell.removeAttribute("aria-sort"));
        fill();
      }})))));
  return fill;
}

/// Bars of ratios above and below 1, on a logarithmic scale. An entry has `problem`,
/// `value`, `text` and `choose`.
function drawRatioBars(id, label, shown) {
  const values = shown.map(entry => entry.value);
  const holder = byId(id).querySelector(".plot"), box = makeBox(holder, 300, 70);
  const low = Math.min(0.8, least(values)), high = Math.max(1.25, most(values)) * 1.05;
  const y = makeScale(low * 0.97, high, box.bottom, box.top, true);
  const x = makeScale(0, shown.length, box.left, box.right);
  const svg = makeSvg(box, {"aria-label": label});
  const yTicks = [];
  for (const t of [1, 0.8, 0.5, 0.25, 1.2, 1.5, 2, 3, 5, 10, 20])
    if (t >= low * 0.97 && t <= high && yTicks.every(other => Math.abs(y(t) - y(other)) > 13)) yTicks.push(t);
  const starts = shown.map(({problem}, i) => [i, problem.tag]).filter(([i, tag]) => tag && tag !== shown[i - 1]?.problem.tag);
  const room = (box.right - box.left) / shown.length;
  // A name under the middle of its bars, if there is room for one.
  const ends = starts.map((_, at) => starts[at + 1]?.[0] ?? shown.length);
  const xTicks = starts.length === 0 && shown.length <= 16
    ? shown.map(({problem}, i) => [i + .5, shapeText(problem)])
    : starts.map(([i, tag], at) => [(i + ends[at]) / 2, tag, (ends[at] - i) * room]).filter(([, , space]) => space > 12);
  drawAxes(svg, box, x, y, {xTicks, yTicks});
  for (const [i] of starts.filter(([i], at) => i > 0 && (ends[at] - i) * room > 12))
    svg.append(make("line", {class: "grid", x1: x(i), x2: x(i), y1: box.top, y2: box.bottom + 6}));
  const marks = shown.map(({value, text, choose}, i) => {
    const width = Math.min(40, Math.max(1, room * .76));
    const node = make("rect", {class: value >= 1 ? "bar" : "bar loss", x: x(i + .5) - width / 2, width,
      y: Math.min(y(value), y(1)), height: Math.max(1.5, Math.abs(y(value) - y(1)))});
    svg.append(node);
    return {node, text, choose};
  });
  svg.append(make("line", {class: "roof", x1: box.left, x2: box.right, y1: y(1), y2: y(1)}));
  addMarks(svg, marks);
  holder.replaceChildren(svg);
}
