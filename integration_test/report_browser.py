#!/usr/bin/env python3
"""Opens a report in a browser without a screen and operates it like a user.

usage: report_browser.py --browser PROGRAM --report FILE [--width N] [--time]
                         [--probe FILE.js]

A script is added to a copy of the page. It clicks, presses keys and records the
displayed values, which are printed as lines `name: value`. Errors of the page's own
scripts are printed as `error: ...`.

--probe names a file with another function probe().

With --time it only opens the page, three times, and prints the shortest time as JSON:
from the start of the browser until the first problem is drawn (`seconds`), and how
much of this an empty page takes (`empty_seconds`).
"""

import argparse
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import time

PROBE = """
<script>
const notes = [];
const note = (name, value) => notes.push(`${name}: ${value}`);
const one = selector => document.querySelector(selector);
const all = selector => [...document.querySelectorAll(selector)];
const press = (node, key) => node.dispatchEvent(
  new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
const change = (selector, value) => {
  one(selector).value = value;
  one(selector).dispatchEvent(new Event("change", {bubbles: true}));
};
const details = () => one("#details .headline").textContent;
const hash = () => all("#details tr").find(row => row.cells[0].textContent === "hash").cells[1].textContent;
const colour = () => getComputedStyle(document.body).backgroundColor;

const pause = () => new Promise(resolve => setTimeout(resolve, 5));
/// Records are unpacked when their problem is chosen.
async function until(name, value) {
  for (let i = 0; document.documentElement.dataset[name] !== String(value); ++i) {
    if (i > 2000) throw new Error(`${name} is not ${value}`);
    await pause();
  }
}

async function probe() {
  await until("ready", true);
  note("ready", document.documentElement.dataset.ready);
  note("tiles", all("#tiles dd").map(tile => tile.firstChild.textContent.trim()).join(" | "));
  note("rows", all("#best-table tbody tr").length);
  note("columns", all("#best-table th").map(cell => cell.textContent).join(" | "));
  note("ratio bars", all("#ratios rect").length);
  note("roofline dots", all("#roofline circle.dot").length);
  note("wave dots", all("#waves circle.dot").length);
  note("histogram", all("#histogram rect").length > 0);
  note("improvements", all("#convergence circle").length);
  note("failure classes", all("#failures rect.loss").length);
  note("overflow", document.documentElement.scrollWidth > innerWidth);

  // The table: sorted by a click on a head, filtered by words.
  const times = () => all("#best-table tbody tr").map(row => parseFloat(row.cells[2].textContent.replace(/,/g, "")));
  all("#best-table th button").find(b => b.textContent === "Time µs").click();
  note("sorted", times().every((t, i, list) => i === 0 || list[i - 1] <= t));
  one("#filter").value = "no such thing";
  one("#filter").dispatchEvent(new Event("input"));
  note("filtered", one("#filter-count").textContent);
  one("#filter").value = "";
  one("#filter").dispatchEvent(new Event("input"));

  // Long lists are made when they are needed.
  const options = () => one("#problem").options.length, before = options();
  one("#problem").dispatchEvent(new Event("pointerdown"));
  note("problems", `${before}, then ${options()}`);
  const scroller = one("#best .scroll"), rows = all("#best-table tbody tr").length;
  scroller.scrollTop = scroller.scrollHeight;
  scroller.dispatchEvent(new Event("scroll"));
  note("rows after scrolling", `${rows}, then ${all("#best-table tbody tr").length}`);

  // Devices and versions: a row of the table is a filter.
  note("platforms", one("#versions").hidden ? "one" : all("#platform-table tbody tr").map(row =>
    [row.cells[2], row.cells[6], row.cells[9]].map(cell => cell.textContent).join(" ")).join(" | "));
  if (!one("#versions").hidden) {
    press(all("#platform-table tbody tr").at(-1), "Enter");
    note("of a platform", one("#filter-count").textContent);
    one("#filter").value = "";
    one("#filter").dispatchEvent(new Event("input"));
  }

  // A row chooses its problem, by mouse and by keyboard.
  const last = all("#best-table tbody tr").at(-1);
  press(last, "Enter");
  await until("shown", last.dataset.group);
  note("chosen", one("#problem").selectedOptions[0].textContent === groupName(last));
  note("details", details());
  note("best of its row", details().includes(last.cells[4].textContent));

  // Points: the keyboard walks, and what is chosen is shown.
  const canvas = one("#scatter canvas"), best = hash();
  press(canvas, "End");
  note("slowest differs", hash() !== best);
  press(canvas, "Home");
  note("best again", hash() === best);
  press(canvas, "ArrowDown");
  note("second", hash() !== best && /slower than the best/.test(one("#details").textContent));
  note("ring", one("#scatter-ring").getAttribute("visibility"));
  note("command", one("#details .command").textContent.replace(/config='.*'/, "config=…"));
  note("run", one("#details .command").textContent);
  for (const option of [...one("#scatter-x").options].map(o => o.value)) {
    change("#scatter-x", option);
    change("#scatter-colour", option);
  }
  change("#metric", "time");
  note("histogram by time", all("#histogram rect").length > 0);
  const bars = one("#histogram svg");
  press(bars, "ArrowRight");
  note("tooltip", /of \\d+: /.test(one("#tooltip").textContent) && !one("#tooltip").hidden);
  press(bars, "Escape");
  note("tooltip hidden", one("#tooltip").hidden);

  // Themes: light and dark differ, and the choice is named.
  const seen = new Set();
  for (let i = 0; i < 3; ++i) { one("#theme").click(); seen.add(`${one("#theme").textContent} ${colour()}`); }
  note("themes", [...seen].length);
  note("colours", new Set([...seen].map(text => text.replace(/.*(rgb)/, "$1"))).size);
  note("labels", all("#scatter canvas[aria-label], svg[aria-label]").length > 3 && all("select, input").every(n => n.closest("label")));
}
const groupName = row => {
  const tag = row.cells[1].textContent;
  return row.cells[0].textContent + (tag && !/^[\\d,.]+$/.test(tag) ? ` (${tag})` : "");
};
probe().catch(error => note("error", error.stack)).finally(() => {
  const out = document.createElement("pre");
  out.id = "notes";
  out.textContent = notes.join("\\n");
  document.body.append(out);
});
</script>
"""

CATCH = """<script>
const failures = [];
addEventListener("error", event => {
  const node = document.createElement("pre");
  node.className = "page-error";
  node.textContent = `${event.message} (line ${event.lineno})`;
  document.documentElement.append(node);
});
</script>
"""


# Ends with a small page, so that its text takes no time.
WAIT = """<script>
(async () => {
  while (document.documentElement.dataset.ready !== "true")
    await new Promise(resolve => setTimeout(resolve, 5));
  document.body.innerHTML = `<pre id="notes">rows: ${document.querySelectorAll("#best-table tbody tr").length}</pre>`;
})();
</script>
"""
EMPTY = '<!doctype html><html data-ready="true"><body></body></html>'


def open_page(args, page):
    """What the browser made of a page, and its wall-clock seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "probe.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        start = time.monotonic()
        result = subprocess.run(
            [args.browser, "--headless", "--no-sandbox", "--disable-gpu",
             "--user-data-dir=" + os.path.join(folder, "profile"),
             "--window-size=%d,900" % args.width,
             "--virtual-time-budget=20000", "--dump-dom", "file://" + path],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300,
            env={**os.environ, "HOME": folder}, check=False)
        seconds = time.monotonic() - start
    dom = result.stdout.decode("utf-8", "replace")
    notes = re.search(r'<pre id="notes">(.*?)</pre>', dom, re.S)
    if not notes:
        sys.exit("the page did not run: exit code %d" % result.returncode)
    return dom, html.unescape(notes.group(1)), seconds


def measure(args, page):
    def least(text):
        runs = [open_page(args, text.replace("</body>", WAIT + "</body>", 1))
                for _ in range(3)]
        return runs[0][1], min(seconds for _, _, seconds in runs)
    rows, seconds = least(page)
    print(json.dumps({"seconds": round(seconds, 2),
                      "empty_seconds": round(least(EMPTY)[1], 2),
                      "rows": int(rows.split()[1]), "bytes": os.path.getsize(args.report)}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--browser", required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--probe")
    args = parser.parse_args()
    with open(args.report, encoding="utf-8") as file:
        page = file.read()
    if args.time:
        return measure(args, page)
    page = page.replace("<body>", "<body>" + CATCH, 1)
    probe = PROBE
    if args.probe:
        with open(args.probe, encoding="utf-8") as file:
            body = file.read()
        probe = re.sub(r"async function probe\(\) \{.*?\n\}\n", lambda _: body, PROBE,
                       count=1, flags=re.S)
    page = page.replace("</body>", probe + "</body>", 1)
    dom, notes, _ = open_page(args, page)
    for message in re.findall(r'<pre class="page-error">(.*?)</pre>', dom, re.S):
        print("error: " + html.unescape(message))
    print(notes)


if __name__ == "__main__":
    main()
