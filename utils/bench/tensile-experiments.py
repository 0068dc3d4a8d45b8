#!/usr/bin/env python3
"""Tensile's two experiments (docs/guide/tensile.md), and their figures and tables.

usage: tensile-experiments.py OUT [--tools=DIR] [--experiment=1|2] [--kernels=COUNT]
           [--thin=STEP] [--sizes=COUNT] [--measure=quick|usual] [--limit=SECONDS]
           [--device=DEVICE] [--chip=CHIP] [--compile-only] [--tables-only]

Imports the benchmark files of tuning/, tunes their sizes, and writes to the folder
OUT:

  experiment-1.csv, experiment-1.md   figures 3 and 4 and table I
  experiment-2.csv, experiment-2.md   figure 5 and tables II and III

Kernels have sizes at run time: each is compiled once and measured for all sizes of its
layout. Experiment 1 measures its 180 kernels for each size. Experiment 2 measures
--kernels (300) of a layout's for each size: the first ones of all sizes in the order of
the model, then the second ones, until they are so many. --compile-only compiles all of
them and needs --chip but no device; the same folder then continues elsewhere.

A run that ends by --limit has the exit code 75, and the same command continues.
--thin=3 keeps the sizes of experiment 1 whose n, in 16 + 8 n (n + 1), is a multiple of
3 for M and N. Experiment 1 has its sizes in a fixed pseudo-random order, so that the
tables of an unfinished run (--tables-only) are of a fair sample. The numbers of sizes
and kernels are printed. --sizes=COUNT takes the first sizes only. --measure is that of
tcgemm-tune, by default quick.

The single kernel of experiment 2 has macro tiles of 128 x 128, DepthU = 8,
VectorWidth = 4 and WorkGroupMapping = 8. The kernel of a size is the fastest one of the
search, the single kernel included. Ends with tcgemm-tune's status if that is neither 0
nor 1 (no kernel for a size).
"""
import argparse
import collections
import csv
import hashlib
import json
import os
import re
import sqlite3
import sys

from timing.limited import INTERRUPTED, UNFINISHED, Clock, run_limited
from timing.table import find_mean

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LAYOUTS = ("nn", "nt", "tn")
SINGLE = """name: tensile-single
fixed:
  - {name: schedule, value: simt}
  - {name: unaligned, value: copy_4}
  - {name: threads, value: 16x16x1}
  - {name: stages, value: 2}
  - {name: raster_group, value: 8}
  - {name: row_copies_a, value: 0}
  - {name: row_copies_b, value: 0}
parameters:
  - {name: cta, values: [128x128x8]}
"""
QUERY = """
    SELECT problems.m, problems.n, problems.k, problems.kernel, configs.text,
           records.median, records.stage
    FROM records
    JOIN problems ON problems.id = records.problem
    JOIN configs ON configs.id = records.config
    WHERE configs.text LIKE 'schedule = simt,%' AND records.outcome = 'success'"""
Kernel = collections.namedtuple(
    "Kernel", ["mt", "du", "gsu", "tt", "wg", "lsu", "wgm", "pgr"])


def read_kernel(text):
    """The parameters in Tensile's names: d0 is tcgemm's N, d1 its M."""
    values = dict(re.findall(r"(\w+) = (\[[^\]]*\]|[^,]+)", text))
    cta, threads = ([int(n) for n in re.findall(r"\d+", values[key])]
                    for key in ("cta", "threads"))
    return Kernel("%dx%d" % (cta[1], cta[0]), cta[2], int(values["split_k"]),
                  "%dx%d" % (cta[1] // threads[1], cta[0] // threads[0]),
                  "%dx%d" % (threads[1], threads[0]), threads[2],
                  int(values["raster_group"]), int(values["stages"]) > 1)


def is_single(kernel):
    return kernel == Kernel("128x128", 8, 1, "8x8", "16x16", 1, 8, True)


def read_layout(kernel):
    """TA and TB of `f32 tn f32 none`, the transposed product's."""
    a, b = kernel.split()[1]
    flip = {"n": "T", "t": "N"}
    return flip[b], flip[a]


def read_records(path):
    """(TA, TB, M, N, K) -> {kernel: microseconds}."""
    problems = collections.defaultdict(dict)
    if not os.path.exists(path):
        return problems
    database = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    for m, n, k, kernel, text, median, stage in database.execute(QUERY):
        if stage == "model":
            continue
        parameters = read_kernel(text)
        times = problems[(*read_layout(kernel), n, m, k)]
        times[parameters] = min(median, times.get(parameters, median))
    database.close()
    return problems


def get_gflops(size, microseconds):
    return 2 * size[2] * size[3] * size[4] / microseconds / 1e3


# Experiments ----------------------------------------------------------------

class Runner:
    def __init__(self, options):
        self.options = options
        self.tune = os.path.join(options.tools, "tcgemm-tune")
        self.clock = Clock(options.limit)

    def path(self, name):
        return os.path.join(self.options.out, name)

    def run(self, *arguments, output=None):
        """Runs tcgemm-tune; `output` takes its lines."""
        status = run_limited([self.tune, *arguments], self.clock, output)
        if status == INTERRUPTED and self.options.limit:
            print("unfinished; the same command continues", flush=True)
            sys.exit(UNFINISHED)
        # Some sizes may have no legal kernel.
        if status not in (0, 1):
            sys.exit(status if status > 0 else 1)

    def import_file(self, name):
        """Writes the space and the sizes; returns the lines of the sizes."""
        self.run("import", os.path.join(ROOT, "tuning", name + ".benchmark.yaml"),
                 "-o", self.path(name + ".yaml"),
                 "--sizes-output=" + self.path(name + ".txt"))
        with open(self.path(name + ".txt"), encoding="utf-8") as file:
            return file.read().splitlines()

    def write_sizes(self, name, lines, is_mixed=False):
        if self.options.sizes:
            lines = lines[:self.options.sizes]
        if is_mixed:
            lines = sorted(lines, key=lambda line:
                           hashlib.sha256(line.encode()).digest())
        with open(self.path(name + ".txt"), "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        print("%s: %d sizes" % (name, len(lines)), flush=True)

    def search(self, sizes, database, *which, compile_only=False, output=None):
        options = self.options
        arguments = ["--problems=" + self.path(sizes + ".txt"), "--dtype=f32",
                     "--records=none", "--device=" + options.device,
                     "--db=" + self.path(database), "--finalists=0",
                     "--measure=" + options.measure, *which]
        if options.chip:
            arguments.append("--chip=" + options.chip)
        if compile_only:
            arguments.append("--compile-only")
        self.run(*arguments, output=output)

    def rank(self, sizes, space, count):
        """The first `count` kernels of each size in the order of the model, which are
        compiled too."""
        ranks = []

        def read(line):
            event = json.loads(line)
            if event.get("event") == "problem":
                ranks.append([])
            elif "config" in event:
                ranks[-1].append(event["config"])

        self.search(sizes, "experiment-2.db", "--space=" + space,
                    "--strategy=estimated", "--budget=%d" % count,
                    "--format=jsonl", compile_only=True, output=read)
        return ranks

    def choose_kernels(self, sizes, space, file):
        """Writes the kernels that are measured for all sizes of a layout."""
        if os.path.exists(file):
            return
        wanted, kernels, known = self.options.kernels, {}, 0
        with open(self.path(sizes + ".txt"), encoding="utf-8") as lines:
            # The first kernels of the sizes have many in common.
            count = 3 * wanted // max(1, sum(1 for _ in lines)) + 1
        while len(kernels) < wanted:
            ranks = self.rank(sizes, space, count)
            kernels = dict.fromkeys(
                own[place] for place in range(count) for own in ranks
                if place < len(own))
            if len(kernels) == known:
                break  # There are no others.
            known, count = len(kernels), 2 * count
        with open(file + ".new", "w", encoding="utf-8") as output:
            output.write("".join(text + "\n" for text in list(kernels)[:wanted]))
        os.rename(file + ".new", file)
        print("%s: %d kernels" % (sizes, min(wanted, len(kernels))), flush=True)

    def run_first(self):
        lines = self.import_file("tensile-experiment-1")
        kept = [16 + 8 * n * (n + 1) for n in range(0, 27, self.options.thin)]
        kept = [line for line in lines
                if all(int(size) in kept for size in line.split()[1:3])]
        self.write_sizes("tensile-experiment-1", kept, is_mixed=True)
        self.search("tensile-experiment-1", "experiment-1.db",
                    "--space=" + self.path("tensile-experiment-1.yaml"),
                    "--strategy=exhaustive",
                    compile_only=self.options.compile_only)

    def run_second(self):
        single = self.path("tensile-single.yaml")
        with open(single, "w", encoding="utf-8") as file:
            file.write(SINGLE)
        for layout in LAYOUTS:
            name = "tensile-experiment-2-" + layout
            self.write_sizes(name, self.import_file(name))
            kernels = self.path("kernels-" + layout + ".txt")
            self.choose_kernels(name, self.path(name + ".yaml"), kernels)
            for which in (["--space=" + single, "--strategy=exhaustive"],
                          ["--configs=" + kernels]):
                self.search(name, "experiment-2.db", *which,
                            compile_only=self.options.compile_only)


# Figures and tables ---------------------------------------------------------

def write_first(out, problems):
    """Figure 3: speeds; figure 4 and table I: the fastest kernels."""
    best = {size: min(times.items(), key=lambda item: item[1])
            for size, times in problems.items()}
    wins = collections.Counter(kernel for kernel, _ in best.values())
    numbers = {kernel: i for i, (kernel, _) in enumerate(wins.most_common())}
    with open(os.path.join(out, "experiment-1.csv"), "w", newline="",
              encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["M", "N", "K", "us", "GFLOPS", "kernel"])
        for size in sorted(best):
            kernel, time = best[size]
            writer.writerow([*size[2:], "%.3f" % time,
                             "%.1f" % get_gflops(size, time), numbers[kernel]])
    with open(os.path.join(out, "experiment-1.md"), "w", encoding="utf-8") as file:
        counts = [len(times) for times in problems.values()]
        file.write("%d sizes, %d to %d kernels each, %d of them the fastest of some "
                   "size\n\n" % (len(problems), min(counts), max(counts), len(wins)))
        file.write("| Id | MT | DU | GSU | TT | WG | LSU | sizes |\n"
                   "|---|---|---|---|---|---|---|---|\n")
        for kernel, number in numbers.items():
            file.write("| %d | %s | %d | %d | %s | %s | %d | %d |\n" % (
                number, *kernel[:6], wins[kernel]))


def write_second(out, problems):
    """Figure 5: speed-ups over the single kernel; tables II and III."""
    rows = []
    for size, times in problems.items():
        single = [time for kernel, time in times.items() if is_single(kernel)]
        kernel, time = min(times.items(), key=lambda item: item[1])
        if single:
            rows.append((min(single) / time, size, kernel, min(single), time))
    if not rows:
        sys.exit("tensile-experiments.py: no size has a time of the single kernel")
    with open(os.path.join(out, "experiment-2.csv"), "w", newline="",
              encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["TA", "TB", "M", "N", "K", "single_us", "us", "speedup"])
        # The figure sorts from the smallest to the largest problem.
        for speedup, size, _, single, time in sorted(
                rows, key=lambda row: row[1][2] * row[1][3] * row[1][4]):
            writer.writerow([*size, "%.3f" % single, "%.3f" % time,
                             "%.4f" % speedup])
    mean = find_mean([row[0] for row in rows])
    with open(os.path.join(out, "experiment-2.md"), "w", encoding="utf-8") as file:
        file.write("%d sizes, %d fastest kernels, speed-up %.2f (geometric mean)\n\n"
                   % (len(rows), len({row[2] for row in rows}), mean))
        file.write("| TA | TB | M | N | K | MT | DU | GSU | TT | WG | LSU | WGM | F/B "
                   "| Single | Size | Speedup |\n" + "|---" * 16 + "|\n")
        for speedup, size, kernel, single, time in sorted(rows, reverse=True):
            m, n = (int(side) for side in kernel.mt.split("x"))
            # Multiply-adds of a tile by the bytes that it reads, as the paper has it.
            intensity = m * n / (2 * (m + n))
            file.write("| %s | %s | %d | %d | %d | %s | %d | %d | %s | %s | %d | %d | "
                       "%.0f | %.0f | %.0f | %.0f%% |\n" % (
                           *size, *kernel[:7], intensity, get_gflops(size, single),
                           get_gflops(size, time), 100 * speedup))


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0],
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--tools", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--experiment", type=int, choices=(1, 2), default=None)
    parser.add_argument("--kernels", type=int, default=300)
    parser.add_argument("--measure", choices=("quick", "usual"), default="quick")
    parser.add_argument("--limit", type=float, default=0)
    parser.add_argument("--thin", type=int, default=1)
    parser.add_argument("--sizes", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--chip", default="")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--tables-only", action="store_true")
    options = parser.parse_args()
    if options.thin < 1 or options.kernels < 1 or options.sizes < 0 or options.limit < 0:
        parser.error("--thin and --kernels must be at least 1, --sizes and --limit at "
                     "least 0")
    if options.compile_only and not options.chip:
        parser.error("--compile-only needs --chip")
    os.makedirs(options.out, exist_ok=True)
    runner = Runner(options)
    for number, run, write in ((1, runner.run_first, write_first),
                               (2, runner.run_second, write_second)):
        if options.experiment not in (None, number):
            continue
        if not options.tables_only:
            run()
        if options.compile_only:
            continue
        problems = read_records(runner.path("experiment-%d.db" % number))
        if not problems:
            sys.exit("tensile-experiments.py: experiment %d has no measured record"
                     % number)
        write(options.out, problems)


if __name__ == "__main__":
    main()
