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
import os
import sys

from timing.chart import write_chart
from timing.limited import INTERRUPTED, Clock
from timing.table import Table, check_least, find_mean, parse_list
from timing.tools import (ROOT, add_tool_options, get_device_flags, is_best,
                          run_tool)

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
        self.times = Table(os.path.join(options.out, "times.csv"), COLUMNS, 6)
        self.records = os.path.join(options.out, "records.db")
        self.clock = Clock(options.seconds)

    def run(self, tool, arguments):
        return run_tool(self.options, tool,
                        [*arguments, *get_device_flags(self.options)])

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
        best = list(filter(is_best, times))
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
            if self.clock.is_over():
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


def write_figure(out, figure, times):
    panels = {}
    sizes_of = group([size for size in times if size.figure == figure], "type", "list")
    for (kind, name), sizes in sizes_of.items():
        panels["%s, %s: GFLOP/s by N" % (kind, name)] = {
            contender: [(size.m, 2e-3 * size.m * size.n * size.k / times[size][i])
                        for size in sizes]
            for i, contender in enumerate(("tcgemm", "cuBLASLt"))}
    write_chart(os.path.join(out, "figure-%d.svg" % figure), "GFLOP/s by N", panels)


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
    add_tool_options(parser)
    parser.add_argument("--tables-only", action="store_true")
    options = parser.parse_args()
    check_least(parser, options, ("rounds", 1), ("sizes", 0), ("seconds", 0))
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
