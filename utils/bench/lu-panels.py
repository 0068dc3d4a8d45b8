#!/usr/bin/env python3
"""The panel products of an LU factorisation, and the figures of the note on them.

usage: lu-panels.py OUT [--figures=2,3] [--types=f64,f32] [--budget=LIMITS]
           [--space=NAMES] [--rounds=COUNT] [--sizes=COUNT] [--seconds=LIMIT]
           [--tools=DIR] [--device=DEVICE] [--chip=CHIP] [--tables-only]

Y. Li, J. Dongarra and S. Tomov, "A Note on Auto-tuning GEMM for GPUs" (2009). All
matrices are row-major. Figure 2 has the squares A B with N = 512, 1024, ..., 6144.
Figure 3 has C - A B for the shapes of tuning/lu-panels.txt: C is read and written in
place, alpha = -1 and beta = 1.

With --budget each size is tuned first, into OUT/records.db. Without it the
configurations are those of the shipped records. Each size is then measured against
cuBLASLt, which reads C too, in random order in one process. Writes to the folder OUT:

  times.csv                 a row for each size, with both times in microseconds
  figure-2.svg, figure-3.svg  GFLOP/s by N, a panel of the chart for each list of sizes
  tables.md                 times and ratios, and the geometric means of each list

A second run continues where the first one ended. --seconds ends the run after the
size that exceeds the limit, with exit code 130. Another exit code than 0 and 130 is
that of a tool that failed.
"""
import argparse
import collections
import csv
import math
import os
import sys
import time

import bench_common
from bench_common import INTERRUPTED, ROOT, find_mean

COLUMNS = ["figure", "type", "list", "M", "N", "K", "tcgemm_us", "cublaslt_us", "ratio"]
Size = collections.namedtuple("Size", ["figure", "type", "list", "m", "n", "k"])
# The sixteen rows of docs/performance.md are the panels with these N.
ROWS_OF_PERFORMANCE = (1024, 2048, 4096, 6144)


def read_panels():
    """(tag, M, N, K) of each line of the shipped list."""
    with open(os.path.join(ROOT, "tuning", "lu-panels.txt"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not line.startswith("#"):
                yield (words[0], *map(int, words[1:4]))


def list_sizes(figures, types, count):
    shapes = {2: [("square", n, n, n) for n in range(512, 6145, 512)],
              3: list(read_panels())}
    for figure in figures:
        for kind in types:
            for shape in shapes[figure][:count or None]:
                yield Size(figure, kind, *shape)


# Measurement ----------------------------------------------------------------

class Runner:
    def __init__(self, options):
        self.options = options
        self.times = bench_common.Table(os.path.join(options.out, "times.csv"), COLUMNS)
        self.records = os.path.join(options.out, "records.db")
        self.end = bench_common.get_end(options.seconds)

    def run(self, tool, arguments):
        return bench_common.run_tool(
            self.options, tool,
            [*arguments, *bench_common.get_device_flags(self.options)])

    def tune(self, size):
        """Tunes one size; the tuner continues a search that was interrupted."""
        problem = os.path.join(self.options.out, "problem.csv")
        with open(problem, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["M", "N", "K", "dtype", "layout", "alpha", "beta"])
            scalars = (-1, 1) if size.figure == 3 else (1, 0)
            writer.writerow([size.m, size.n, size.k, size.type, "tt", *scalars])
        arguments = ["--problems=" + problem, "--strategy=ranked",
                     "--budget=" + self.options.budget, "--db=" + self.records]
        if self.options.space:
            arguments.append("--space=" + self.options.space)
        status, text = self.run("tcgemm-tune", arguments)
        sys.stderr.write(text)
        # 1: some space has no valid configuration of the size.
        if status not in (0, 1):
            sys.exit(status if status > 0 else 1)

    def measure(self, size):
        """tcgemm's and cuBLASLt's time in microseconds."""
        arguments = ["--m=%d" % size.m, "--n=%d" % size.n, "--k=%d" % size.k,
                     "--size-hint=%dx%dx%d" % size[3:], "--type=" + size.type,
                     "--layout=tt", "--bench", "--compare=cublaslt-fused",
                     "--rounds=%d" % self.options.rounds, "--no-verify",
                     "--format=csv"]
        if size.figure == 3:
            arguments += ["--alpha=-1", "--beta=1"]
        if os.path.exists(self.records):
            arguments.append("--records=" + self.records)
        status, text = self.run("tcgemm-run", arguments)
        if status != 0:
            sys.exit(status if status > 0 else 1)
        times = {row["contender"]: float(row["cold_us"])
                 for row in csv.DictReader(text.splitlines())}
        best = list(filter(bench_common.is_best, times))
        if "tcgemm" not in times or not best:
            sys.exit("lu-panels.py: tcgemm-run printed no time of both for %s"
                     % (size,))
        return times["tcgemm"], times[best[0]]

    def read_times(self):
        return {Size(int(row["figure"]), row["type"], row["list"], int(row["M"]),
                     int(row["N"]), int(row["K"])):
                (float(row["tcgemm_us"]), float(row["cublaslt_us"]))
                for row in self.times.read()}

    def run_all(self, sizes):
        """Measures what is missing; returns whether that was all."""
        known = self.read_times()
        missing = [size for size in sizes if size not in known]
        print("%d sizes, %d of them measured before" % (
            len(sizes), len(sizes) - len(missing)), flush=True)
        for size in missing:
            if time.monotonic() >= self.end:
                return False
            if self.options.budget:
                self.tune(size)
            ours, theirs = self.measure(size)
            self.times.add([*size, "%.3f" % ours, "%.3f" % theirs,
                            "%.4f" % (theirs / ours)])
        return True


# Tables and figures ---------------------------------------------------------

def group(times, *names):
    """The sizes with equal fields, in the order of the figures."""
    groups = collections.defaultdict(list)
    for size in sorted(times):
        groups[tuple(getattr(size, name) for name in names)].append(size)
    return groups


def write_tables(out, times):
    ratios = {size: theirs / ours for size, (ours, theirs) in times.items()}
    with open(os.path.join(out, "tables.md"), "w", encoding="utf-8") as file:
        file.write("| figure | type | list | sizes | geometric mean of the ratios |\n"
                   "|---|---|---|---|---|\n")
        for (figure, kind), sizes in group(times, "figure", "type").items():
            lists = group(sizes, "list")
            for (name,), members in lists.items():
                file.write("| %d | %s | %s | %d | %.3f |\n" % (
                    figure, kind, name, len(members),
                    find_mean([ratios[size] for size in members])))
            if len(lists) > 1:
                file.write("| %d | %s | all | %d | %.3f |\n" % (
                    figure, kind, len(sizes),
                    find_mean([ratios[size] for size in sizes])))
            rows = [size for size in sizes
                    if figure == 3 and size.m in ROWS_OF_PERFORMANCE]
            if rows:
                file.write("| %d | %s | N of %s | %d | %.3f |\n" % (
                    figure, kind, ", ".join(map(str, ROWS_OF_PERFORMANCE)), len(rows),
                    find_mean([ratios[size] for size in rows])))
        file.write("\n| type | M×N×K | tcgemm, µs | cuBLASLt, µs | ratio |\n"
                   "|---|---|---|---|---|\n")
        for sizes in group(times, "figure", "type").values():
            for size in sizes:
                file.write("| %s | %d×%d×%d | %.2f | %.2f | %.3f |\n" % (
                    size.type, *size[3:], *times[size], ratios[size]))


WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 250, 60, 40, 34
COLORS = (("tcgemm", "#d95f02"), ("cuBLASLt", "#1f6fb4"))


def round_up(value):
    """The next 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value)


def draw_chart(add, place, title, sizes, times):
    """GFLOP/s by N of both contenders; `place` is the chart's upper left corner."""
    speeds = [[2e-3 * size.m * size.n * size.k / times[size][i] for size in sizes]
              for i in range(len(COLORS))]
    top, right = round_up(max(map(max, speeds))), max(size.m for size in sizes)
    x0, y0 = place[0] + LEFT, place[1] + HEIGHT - BOTTOM
    across, up = WIDTH - LEFT - 20, HEIGHT - BOTTOM - TOP
    add('<text x="%d" y="%d" font-weight="bold">%s</text>' % (x0, place[1] + 18, title))
    for part in range(5):
        y, x = y0 - up * part / 4, x0 + across * part / 4
        add('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#dddddd"/>'
            % (x0, y, x0 + across, y))
        add('<text x="%d" y="%.1f" text-anchor="end">%g</text>'
            % (x0 - 6, y + 4, top * part / 4))
        add('<text x="%.1f" y="%d" text-anchor="middle">%g</text>'
            % (x, y0 + 16, right * part / 4))
    for number, (name, color) in enumerate(COLORS):
        points = ["%.1f,%.1f" % (x0 + across * size.m / right, y0 - up * speed / top)
                  for size, speed in zip(sizes, speeds[number])]
        add('<polyline points="%s" fill="none" stroke="%s" stroke-width="2">'
            '<title>%s</title></polyline>' % (" ".join(points), color, name))
        add('<text x="%d" y="%d" fill="%s">%s</text>'
            % (x0 + 90 * number, y0 + 32, color, name))


def write_figure(out, figure, times):
    charts = group([size for size in times if size.figure == figure], "type", "list")
    columns = 2
    rows = -(-len(charts) // columns)
    lines = []
    lines.append('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
                 'font-family="DejaVu Sans, Helvetica, Arial, sans-serif" '
                 'font-size="12">' % (columns * WIDTH, rows * HEIGHT))
    lines.append('<title>GFLOP/s by N</title>')
    lines.append('<rect width="100%" height="100%" fill="#ffffff"/>')
    for number, ((kind, name), sizes) in enumerate(charts.items()):
        place = (number % columns * WIDTH, number // columns * HEIGHT)
        draw_chart(lines.append, place, "%s, %s: GFLOP/s by N" % (kind, name), sizes,
                   times)
    lines.append("</svg>")
    with open(os.path.join(out, "figure-%d.svg" % figure), "w",
              encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def parse_list(parser, text, option, convert, legal):
    try:
        values = [convert(part) for part in text.split(",")]
    except ValueError:
        values = [None]
    if any(value not in legal for value in values):
        parser.error("--%s=%s: it must be one or more of %s, separated by commas"
                     % (option, text, ", ".join(map(str, legal))))
    return values


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0],
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--figures", default="3,2")
    parser.add_argument("--types", default="f64,f32")
    parser.add_argument("--budget", default="")
    parser.add_argument("--space", default="")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--sizes", type=int, default=0)
    bench_common.add_tool_options(parser)
    parser.add_argument("--tables-only", action="store_true")
    options = parser.parse_args()
    bench_common.check_least(parser, options,
                             (("rounds", 1), ("sizes", 0), ("seconds", 0)))
    figures = parse_list(parser, options.figures, "figures", int, (2, 3))
    types = parse_list(parser, options.types, "types", str, ("f64", "f32"))
    os.makedirs(options.out, exist_ok=True)
    runner = Runner(options)
    is_complete = options.tables_only or runner.run_all(
        list(list_sizes(figures, types, options.sizes)))
    times = runner.read_times()
    if not times:
        sys.exit("lu-panels.py: no size was measured")
    write_tables(options.out, times)
    for figure in sorted({size.figure for size in times}):
        write_figure(options.out, figure, times)
    sys.exit(0 if is_complete else INTERRUPTED)


if __name__ == "__main__":
    main()
