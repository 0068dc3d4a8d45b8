#!/usr/bin/env python3
"""The experiments of GemmKernels.jl (docs/experiments/gemmkernels), one command for all.

usage: gemmkernels.py OUT [--experiment=NAMES] [--rounds=COUNT] [--seconds=LIMIT]
           [--rows=COUNT] [--jobs=COUNT] [--tools=DIR] [--chip=CHIP] [--timer=FILE]
           [--compile-only] [--tables-only] [--list]

T. Faingnaert, T. Besard and B. De Sutter, "Flexible Performant GEMM Kernels on GPUs"
(2022). --experiment has some of table1, table2, table3, figure8, figure9, and of
contractions, numbers, max-plus, structured, grouped, dual-product and reductions, which
are other products of tcgemm; all by default. Compiles their kernels, then measures them
against each other and against cuBLAS, cuTENSOR and PyTorch by time-rows.py, cold and
interleaved. Writes to the folder OUT:

  packs/, modules/          kernels
  times.csv                 a line for each contender of each row
  tables.md                 times, ratios and targets of each experiment
  figure-8.svg, figure-9.svg  TFLOP/s by N

A second run continues where the first one ended. --compile-only needs no GPU; the folder
OUT then continues on another machine, which needs tcgemm-run and tcgemm-opt only for
kernels that are missing. --rows=COUNT takes the first rows of each experiment. --list
prints the rows. --seconds ends the run after the row that exceeds the limit, with exit
code 130. 1: a kernel or a row failed, which is named; the others are measured. cuobjdump,
if it is there, counts the instructions of max-plus.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import sys

from rows import gemmkernels, operators
from timing.chart import write_chart
from timing.device_modules import extract
from timing.limited import INTERRUPTED, Clock
from timing.table import Table, check_least, find_mean, parse_list

FOLDER = os.path.dirname(os.path.abspath(__file__))
EXPERIMENTS = {**gemmkernels.EXPERIMENTS, **operators.EXPERIMENTS}
COLUMNS = ["experiment", "row", "contender", "us", "p10_us", "p90_us", "ratio", "note"]
# The configuration of another pack in a pack's flags.
CONFIG_OF = r"\{config:(.*?)\}"
# Element types of operands as manifests name them; others have the same names.
MANIFEST_TYPES = {"e4m3": "f8E4M3FN"}
# FMNMX has half the rate of FADD: as many terms a clock and multiprocessor.
TERMS_A_CLOCK = 64


def warn(message):
    print("gemmkernels.py: " + message, file=sys.stderr, flush=True)


# Kernels -----------------------------------------------------------------------------

def fits(arguments, operands):
    """Returns whether a manifest's arguments have the types and fixed extents of
    operands; a number has no operand."""
    if len(arguments) != len(operands):
        return False
    for argument, operand in zip(arguments, operands):
        if (argument["access"] == "scalar") != (operand is None):
            return False
        if operand is None:
            continue
        kind, shape = operand[:2]
        if argument["type"] != MANIFEST_TYPES.get(kind, kind):
            return False
        if len(shape) != len(argument["shape"]) or any(
                known not in (None, extent)
                for known, extent in zip(argument["shape"], shape)):
            return False
    return True


class Compiler:
    """Compiles packs and modules that are not in OUT yet, or were made otherwise."""

    def __init__(self, options):
        self.options = options
        self.failed = set()

    def path(self, *names):
        return os.path.join(self.options.out, *names)

    def run(self, folder, tool, *arguments):
        """Returns whether the tool succeeded."""
        path = os.path.join(self.options.tools, tool)
        try:
            result = subprocess.run([path, *arguments], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                    text=True, check=False)
        except OSError as error:
            return self.fail(folder, "%s: %s" % (path, error.strerror))
        if result.returncode:
            return self.fail(folder, "%s ended with %d: %s" % (
                tool, result.returncode, result.stderr.strip()))
        return True

    def fail(self, folder, message):
        warn("%s: %s" % (folder, message))
        self.failed.add(folder)
        return False

    def read_config(self, folder):
        """The configuration of a pack's kernel."""
        with open(self.path(folder, "manifest.json"), encoding="utf-8") as file:
            variant = json.load(file)["kernels"][0]["variants"][0]
        return re.fullmatch(r"#tcgemm.config<(.*)>", variant["config"])[1]

    def is_made(self, folder, source):
        """Returns whether the folder has the kernels of `source`, which it keeps."""
        path = self.path(folder, "source.txt")
        if not os.path.exists(path):
            return False
        with open(path, encoding="utf-8") as file:
            return file.read() == source

    def finish(self, folder, new, source):
        with open(os.path.join(new, "source.txt"), "w", encoding="utf-8") as file:
            file.write(source)
        shutil.rmtree(self.path(folder), ignore_errors=True)
        os.rename(new, self.path(folder))

    def compile_pack(self, folder, flags):
        for needed in re.findall(CONFIG_OF, "\n".join(flags)):
            if needed in self.failed:
                self.fail(folder, "it needs the configuration of " + needed)
                return
        flags = [re.sub(CONFIG_OF, lambda found: self.read_config(found[1]), flag)
                 for flag in flags]
        source = "\n".join(flags)
        if self.is_made(folder, source):
            return
        new = self.path(folder + ".new")
        shutil.rmtree(new, ignore_errors=True)
        if self.run(folder, "tcgemm-run", *flags, "--chip=" + self.options.chip,
                    "--plan", "--save-pack=" + new):
            self.finish(folder, new, source)

    def compile_module(self, folder, text):
        if self.is_made(folder, text):
            return
        new = self.path(folder + ".new")
        shutil.rmtree(new, ignore_errors=True)
        os.makedirs(new)
        source, made = os.path.join(new, "source.mlir"), os.path.join(new, "made.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        if not self.run(folder, "tcgemm-opt", source, "-o", made,
                        "--tcgemm-to-device=chip=%s format=ptx" % self.options.chip):
            return
        with open(made, encoding="utf-8") as file:
            ptx, launch = extract(file.read())
        with open(os.path.join(new, "kernel.ptx"), "w", encoding="utf-8") as file:
            file.write(ptx)
        with open(os.path.join(new, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump(launch, file)
        self.finish(folder, new, text)

    def compile_all(self, rows):
        """Packs whose flags name another pack's configuration come last."""
        packs, modules, rows = {}, {}, list(rows)
        for row in rows:
            packs.update(row.packs)
            modules.update(row.modules)
        os.makedirs(self.path("packs"), exist_ok=True)
        for needs_others in (False, True):
            jobs = [(self.compile_pack, *item) for item in packs.items()
                    if needs_others == any(re.search(CONFIG_OF, flag) for flag in item[1])]
            if not needs_others:
                jobs += [(self.compile_module, *item) for item in modules.items()]
            with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                for future in [pool.submit(*job) for job in jobs]:
                    future.result()
        for row in rows:
            self.check_arguments(row)
        print("%d packs and %d modules, %d failed" % (len(packs), len(modules),
                                                      len(self.failed)), flush=True)

    def check_arguments(self, row):
        """A pack's arguments must be the operands that a row's steps give it."""
        for contender in row.contenders:
            for step in contender["steps"]:
                if "pack" not in step or step["pack"] in self.failed:
                    continue
                with open(self.path(step["pack"], "manifest.json"),
                          encoding="utf-8") as file:
                    function, = json.load(file)["functions"]
                given = [row.operands.get(name) for name in step["arguments"]]
                if not fits(function["arguments"], given):
                    warn("%s, %s: %s has other arguments than %s" % (
                        row.name, contender["name"], step["pack"],
                        ", ".join(map(str, step["arguments"]))))
                    self.failed.add(step["pack"])

    def has_all(self, row):
        return not self.failed & {*row.packs, *row.modules}


# Measurement -------------------------------------------------------------------------

def measure_all(options, table, experiments, usable, clock):
    """Measures the rows that are missing; returns the exit code."""
    known = table.read_keys()
    missing = {(name, row.name): row for name, rows in experiments.items()
               for row in rows if (name, row.name) not in known and usable(row)}
    count = sum(map(len, experiments.values()))
    print("%d rows, %d to measure" % (count, len(missing)), flush=True)
    if not missing:
        return 0
    if clock.is_over():
        return INTERRUPTED
    path = os.path.join(options.out, "rows.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for (experiment, name), row in missing.items():
            file.write(json.dumps({
                "name": experiment + "/" + name, "operands": row.operands,
                "contenders": row.contenders, **row.rest}) + "\n")
    process = subprocess.Popen(
        [sys.executable, options.timer, path, "--rounds=%d" % options.rounds,
         "--folder=" + options.out, "--seconds=%d" % clock.get_rest()],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in csv.reader(process.stdout):
        experiment, _, name = line[0].partition("/") if line else ("", "", "")
        if len(line) != len(COLUMNS) - 1 or (experiment, name) not in missing:
            warn("the timer printed: " + ",".join(line))  # A library's message.
            continue
        lines.append([experiment, name, *line[1:]])
        # The lines of a row are added together.
        if len(lines) == len(missing[experiment, name].contenders):
            table.add(*lines)
            print("%s, %s: %s us" % (experiment, name, lines[0][3]), flush=True)
            lines = []
    return process.wait()


# Tables and figures ------------------------------------------------------------------

def read_files(out, folder, ending):
    """The paths of a folder's files with that ending."""
    path = os.path.join(out, folder)
    if not os.path.isdir(path):
        return []
    return [os.path.join(path, file) for file in sorted(os.listdir(path))
            if file.endswith(ending)]


def count_instructions(out, folder):
    """(language, {instruction: count}) of the additions and maxima of a pack's kernel;
    those of SASS only with cuobjdump."""
    text = ""
    for path in read_files(out, folder, ".ptx"):
        with open(path, encoding="utf-8") as file:
            text += file.read()
    yield "PTX", collections.Counter(re.findall(r"\b(?:add|max)\.\w+\.f32\b", text))
    tool = shutil.which("cuobjdump")
    if tool:
        text = "".join(subprocess.run([tool, "-sass", path], stdout=subprocess.PIPE,
                                      text=True, check=True).stdout
                       for path in read_files(out, folder, ".cubin"))
        yield "SASS", collections.Counter(re.findall(r"\b(?:FADD|FMNMX)\b", text))


def describe_terms(out, row, line):
    """The part of the instructions' limit that an algebra of f32 reaches."""
    found = re.search(r"(\d+) MHz, (\d+) SMs", line["note"])
    if not found:
        return ""
    clock, processors = map(int, found.groups())
    limit = row.work / (TERMS_A_CLOCK * processors * clock)
    text = ("\n%s: at %d MHz, %d terms a clock on each of %d SMs take %.0f µs, which is "
            "%.3f of the time (target: at least 0.7).\n" % (
                row.name, clock, TERMS_A_CLOCK, processors, limit,
                limit / float(line["us"])))
    for language, counts in count_instructions(out, next(iter(row.packs))):
        text += "%s: %s.\n" % (language, ", ".join(
            "%d %s" % (count, name) for name, count in sorted(counts.items())))
    return text


def describe_bytes(_, row, line):
    """The time over that of the row's bytes."""
    limit = row.work / operators.BYTES * 1e6
    return "\n%s: the bytes take %.1f µs at %.1f TB/s, and the time is %.3f of it.\n" % (
        row.name, limit, operators.BYTES / 1e12, float(line["us"]) / limit)


# The limits of rows whose work is not counted in floating-point operations.
LIMITS = {"terms": describe_terms, "bytes": describe_bytes}


def format_target(target, ratio):
    comparison, value = target
    is_met = ratio >= value if comparison == ">=" else ratio <= value
    return "%s %.3f: %s" % ("≥" if comparison == ">=" else "≤", value,
                            "met" if is_met else "missed")


def write_rows(file, rows, lines):
    """The table of an experiment; returns the ratios of each contender."""
    ratios = {}
    unit = "TFLOP/s" if "unit" not in rows[0].rest else "T%s/s" % rows[0].rest["unit"]
    file.write("| row | contender | µs | 10–90 % | " + unit +
               " | time / tcgemm's | target |\n|---|---|---|---|---|---|---|\n")
    for row in rows:
        for line in lines.get(row.name, ()):
            name = line["contender"]
            if not line["us"]:
                file.write("| %s | %s | %s | | | | |\n" % (row.name, name, line["note"]))
                continue
            time, ratio = float(line["us"]), float(line["ratio"])
            ratios.setdefault(name, []).append(ratio)
            target = row.targets.get(name)
            # The operations are those of the first contender.
            is_first = line is lines[row.name][0]
            speed = "%.1f" % (row.work / time / 1e6) if is_first else ""
            file.write("| %s | %s | %.2f | %s–%s | %s | %.3f | %s |\n" % (
                row.name, name, time, line["p10_us"], line["p90_us"], speed, ratio,
                format_target(target, ratio) if target else ""))
    return ratios


def write_tables(out, experiments, table):
    known = {}
    for line in table.read():
        known.setdefault(line["experiment"], {}).setdefault(line["row"], []).append(line)
    with open(os.path.join(out, "tables.md"), "w", encoding="utf-8") as file:
        for name, rows in experiments.items():
            lines = known.get(name)
            if not lines:
                continue
            file.write("## %s\n\n" % name)
            for contender, ratios in write_rows(file, rows, lines).items():
                if len(ratios) > 1 and contender != "tcgemm":
                    file.write("\nGeometric mean of %d rows with %s: %.3f\n" % (
                        len(ratios), contender, find_mean(ratios)))
            for row in rows:
                describe = LIMITS.get(row.rest.get("unit"))
                if describe and row.name in lines:
                    file.write(describe(out, row, lines[row.name][0]))
            file.write("\n")
    for name in ("figure8", "figure9"):
        if name in experiments and name in known:
            write_figure(out, name, experiments[name], known[name])


def write_figure(out, name, rows, lines):
    """TFLOP/s by N, a panel for each kind of rows."""
    panels = {}
    for row in rows:
        panel = panels.setdefault(row.name.rpartition(",")[0] + ": TFLOP/s by N", {})
        for line in lines.get(row.name, ()):
            if line["us"]:
                panel.setdefault(line["contender"], []).append(
                    (row.size, row.work / float(line["us"]) / 1e6))
    panels = {title: panel for title, panel in panels.items() if panel}
    write_chart(os.path.join(out, "figure-%s.svg" % name[len("figure"):]),
                "TFLOP/s by N", panels)


def parse_options():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0], description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--experiment", default=",".join(EXPERIMENTS))
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tools", default=os.path.join(FOLDER, "..", "..",
                                                        "build/release/bin"))
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--timer", default=os.path.join(FOLDER, "time-rows.py"))
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--tables-only", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    check_least(parser, options, ("rounds", 1), ("seconds", 0), ("rows", 0), ("jobs", 1))
    options.experiment = parse_list(parser, options.experiment, "experiment", str,
                                    EXPERIMENTS)
    return options


def check_chip(options):
    """Kernels of a folder are of one chip."""
    path = os.path.join(options.out, "chip.txt")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(options.chip + "\n")
    with open(path, encoding="utf-8") as file:
        chip = file.read().strip()
    if chip != options.chip:
        warn("--chip=%s: the folder %s has kernels of %s" % (options.chip, options.out,
                                                            chip))
        sys.exit(2)


def main():
    options = parse_options()
    experiments = {name: list(EXPERIMENTS[name]())[:options.rows or None]
                   for name in options.experiment}
    if options.list:
        for name, rows in experiments.items():
            for row in rows:
                print("%s, %s: %s" % (name, row.name, ", ".join(
                    contender["name"] for contender in row.contenders)))
        return 0
    os.makedirs(options.out, exist_ok=True)
    clock, code = Clock(options.seconds), 0
    table = Table(os.path.join(options.out, "times.csv"), COLUMNS, 2)
    if not options.tables_only:
        check_chip(options)
        compiler = Compiler(options)
        compiler.compile_all(row for rows in experiments.values() for row in rows)
        if not options.compile_only:
            code = measure_all(options, table, experiments, compiler.has_all, clock)
        code = code or bool(compiler.failed)
    if not options.compile_only:
        if not table.read():
            warn("no row was measured")
            return code or 1
        write_tables(options.out, experiments, table)
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
