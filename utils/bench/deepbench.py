#!/usr/bin/env python3
"""Measures the matrix products of DeepBench with column-major results.

usage: deepbench.py OUT [--seconds=LIMIT] [--products=COUNT] [--layouts=nnn,ntn,tnn]
           [--rounds=COUNT] [--warm-up=MS] [--jobs=COUNT] [--records=FILE|none]
           [--type=TYPE] [--tools=DIR] [--device=DEVICE] [--chip=CHIP]
           [--compile-only] [--tables-only] [--ptx]

The products are those of tuning/deepbench-columns.txt, each once, against the fastest
answer of cuBLASLt, interleaved. A product with a column-major result is the transposed
one: M and N change places, and so do A and B. tcgemm chooses by its records and models
for the product's sizes; nothing is tuned.

All products have a fixed pseudo-random order, so that a part of them is a fair sample:
--products=COUNT takes the first ones. First, --jobs processes compile the kernels, which
needs no device: --compile-only ends then, and the same command continues on another
machine. Then one process measures all of them, so that the device and cuBLASLt are
loaded once. Writes to the folder OUT:

  packs/       the kernels of each product
  compiled.txt the build of tcgemm-run, the type, chip and records of the packs; a run
               with others is refused
  times.csv    a row for each product, with both times in microseconds
  tables.md    geometric means by layout, and the products below 0.97

A second run continues where the first one ended. --seconds ends a run after the product
that exceeds the limit, with exit code 130. Other exit codes: 0; 1 if a product failed; 2
for options or a folder that do not fit.

The warm-up is shorter than that of tcgemm-run, because the product before has warmed the
device, and there are fewer rounds: --warm-up=300 --rounds=21 is the protocol of
docs/performance.md. --ptx writes PTX, for the emulated driver.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys

from timing.limited import INTERRUPTED, Clock
from timing.table import Table, check_least, find_mean, parse_list
from timing.tools import ROOT, add_tool_options, is_best, run_tool

COLUMNS = ["layout", "M", "N", "K", "tcgemm_us", "cublaslt_us", "ratio"]
LAYOUTS = ("nnn", "ntn", "tnn")
BAR = 0.97
# The letter that tcgemm has for an operand which changes places: `n` of BLAS is
# contiguous along K for B, but along M for A.
FLIPPED = {"n": "t", "t": "n"}


def fail(message, status=2):
    print("deepbench.py: " + message, file=sys.stderr)
    sys.exit(status)


def read_products(layouts):
    """(layout, M, N, K) of each different product, in the pseudo-random order."""
    products = set()
    with open(os.path.join(ROOT, "tuning", "deepbench-columns.txt"),
              encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not line.startswith("#") and words[5] in layouts:
                products.add((words[5], *map(int, words[1:4])))
    return sorted(products, key=lambda product: hashlib.sha256(
        get_name(product).encode()).digest())


def get_name(product):
    return "%s-%dx%dx%d" % product


def get_sizes(product):
    """M, N and K of the transposed product."""
    return product[2], product[1], product[3]


def get_layout(product):
    """The layout of the transposed product: A is the transposed B, B is the transposed
    A."""
    a, b, _ = product[0]
    return FLIPPED[b] + FLIPPED[a]


class Runner:
    def __init__(self, options):
        self.options = options
        self.times = Table(os.path.join(options.out, "times.csv"), COLUMNS, 4)
        self.clock = Clock(options.seconds)
        self.failed = []

    def get_pack(self, product):
        return os.path.join("packs", get_name(product))

    def check_folder(self):
        """Refuses a folder with packs of another build or for other options."""
        options = self.options
        tool = os.path.join(options.tools, "tcgemm-run")
        try:
            with open(tool, "rb") as file:
                build = hashlib.sha256(file.read()).hexdigest()
        except OSError as error:
            fail("%s: %s" % (tool, error.strerror))
        text = "tcgemm-run %s\ntype %s\nchip %s\nrecords %s\nformat %s\n" % (
            build[:16], options.type, options.chip, options.records or "shipped",
            "ptx" if options.ptx else "cubin")
        path = os.path.join(options.out, "compiled.txt")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                known = file.read()
            if known != text:
                fail("the packs in '%s' are of\n%sbut these options are of\n%stake "
                     "another folder" % (options.out, known, text))
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def compile(self, product):
        """Returns the tool's exit code."""
        m, n, k = get_sizes(product)
        pack = os.path.join(self.options.out, self.get_pack(product))
        arguments = ["--m=%d" % m, "--n=%d" % n, "--k=%d" % k,
                     "--layout=" + get_layout(product), "--type=" + self.options.type,
                     "--size-hint=%dx%dx%d" % (m, n, k), "--chip=" + self.options.chip,
                     "--plan", "--save-pack=" + pack + ".new"]
        if self.options.records:
            arguments.append("--records=" + self.options.records)
        if self.options.ptx:
            arguments.append("--pipeline-options=format=ptx")
        status, _ = run_tool(self.options, "tcgemm-run", arguments)
        if status == 0:
            os.rename(pack + ".new", pack)
        return status

    def compile_all(self, products):
        """Returns the products that have packs."""
        missing = [product for product in products if not os.path.exists(
            os.path.join(self.options.out, self.get_pack(product)))]
        os.makedirs(os.path.join(self.options.out, "packs"), exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for product, status in zip(missing, pool.map(self.compile, missing)):
                if status != 0:
                    self.report(product, "tcgemm-run ended with %d" % status)
        return [product for product in products if product not in self.failed]

    def report(self, product, problem):
        self.failed.append(product)
        print("deepbench.py: %s: %s" % (get_name(product), problem), file=sys.stderr)

    def read_times(self):
        """Product -> (tcgemm's time, cuBLASLt's time, ratio)."""
        return {(row["layout"], int(row["M"]), int(row["N"]), int(row["K"])):
                tuple(float(row[name]) for name in COLUMNS[4:])
                for row in self.times.read()}

    def write_cases(self, products):
        path = os.path.join(self.options.out, "cases.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for product in products:
                m, n, k = get_sizes(product)
                file.write(json.dumps({"id": get_name(product),
                                       "pack": self.get_pack(product),
                                       "sizes": {"M": m, "N": n, "K": k}}) + "\n")
        return path

    def measure_all(self, products):
        """Measures the products; returns whether the time sufficed."""
        if not products:
            return True
        if self.clock.is_over():
            return False
        options = self.options
        command = [os.path.join(options.tools, "tcgemm-run"),
                   "--cases=" + self.write_cases(products), "--bench",
                   "--compare=cublaslt", "--no-verify", "--format=csv",
                   "--rounds=%d" % options.rounds, "--warm-up=%g" % options.warm_up,
                   "--device=" + options.device]
        left = {get_name(product): product for product in products}
        is_late = False
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE) as process:
            for name, problem, row in read_results(process.stdout):
                product = left.pop(name)
                if problem:
                    self.report(product, problem)
                else:
                    self.times.add([*product, *row])
                is_late = bool(left) and self.clock.is_over()
                if is_late:
                    process.terminate()
                    break
        # The other products have no row: the process ended before.
        if left and not is_late:
            fail("tcgemm-run ended with %d before %d products" % (
                process.returncode, len(left)),
                process.returncode if process.returncode > 0 else 1)
        if process.returncode != 0 and not (self.failed or is_late):
            fail("tcgemm-run ended with %d" % process.returncode, 1)
        return not is_late


def read_results(lines):
    """The results of tcgemm-run's rows as they come: a name, and either a problem or both
    times and their ratio."""
    names, time_of_ours, pending = None, "", None
    for line in lines:
        values = line.rstrip("\n").split(",")
        if names is None:
            names = values
            continue
        row = dict(zip(names, values))
        if pending and row["tag"] != pending:
            yield pending, "no time of cuBLASLt", None
        pending = row["tag"]
        if row["status"] == "fail":
            if is_best(row["contender"]):
                pending = None
                yield row["tag"], "its result differs from cuBLASLt's", None
        elif row["contender"] == "tcgemm":
            time_of_ours = row["cold_us"]
        elif is_best(row["contender"]):
            pending = None
            yield row["tag"], "", (time_of_ours, row["cold_us"], row["cold_ratio"])
        elif not row["contender"]:
            pending = None
            yield row["tag"], "tcgemm-run's status is '%s'" % row["status"], None
    if pending:
        yield pending, "no time of cuBLASLt", None


def format_tables(times, count):
    lines = ["| layout | products | geometric mean |", "|---|---|---|"]
    for layout in [*sorted({product[0] for product in times}), "all"]:
        ratios = [time[2] for product, time in times.items()
                  if layout in (product[0], "all")]
        lines.append("| %s | %d | %.3f |" % (layout, len(ratios), find_mean(ratios)))
    slow = sorted((time[2], product) for product, time in times.items()
                  if time[2] < BAR)
    lines += ["", "%d of %d products measured, %d of them below %.2f%s" % (
        len(times), count, len(slow), BAR, ":" if slow else "")]
    if slow:
        lines += ["", "| M×N×K, layout | tcgemm, µs | cuBLASLt, µs | ratio |",
                  "|---|---|---|---|"]
    for ratio, product in slow:
        lines.append("| %d×%d×%d `%s` | %.2f | %.2f | %.3f |" % (
            *product[1:], product[0], *times[product][:2], ratio))
    return "\n".join(lines) + "\n"


def parse_options():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0],
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out")
    add_tool_options(parser, chip="sm_90a")
    parser.add_argument("--products", type=int, default=0)
    parser.add_argument("--layouts", default=",".join(LAYOUTS))
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--warm-up", type=float, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--records", default="")
    parser.add_argument("--type", default="bf16")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--tables-only", action="store_true")
    parser.add_argument("--ptx", action="store_true")
    options = parser.parse_args()
    check_least(parser, options, ("products", 0), ("rounds", 1), ("warm_up", 0),
                ("jobs", 1), ("seconds", 0))
    options.layouts = parse_list(parser, options.layouts, "layouts", str, LAYOUTS)
    return options


def main():
    options = parse_options()
    os.makedirs(options.out, exist_ok=True)
    runner = Runner(options)
    products = read_products(options.layouts)[:options.products or None]
    is_complete = True
    if not options.tables_only:
        runner.check_folder()
        known = runner.read_times()
        missing = [product for product in products if product not in known]
        print("%d products, %d of them measured before" % (
            len(products), len(products) - len(missing)), flush=True)
        missing = runner.compile_all(missing)
        if options.compile_only:
            sys.exit(1 if runner.failed else 0)
        is_complete = runner.measure_all(missing)
    known = runner.read_times()
    times = {product: known[product] for product in products if product in known}
    if not times:
        fail("no product was measured", 1)
    tables = format_tables(times, len(products))
    with open(os.path.join(options.out, "tables.md"), "w", encoding="utf-8") as file:
        file.write(tables)
    print(tables, end="")
    sys.exit(1 if runner.failed else 0 if is_complete else INTERRUPTED)


if __name__ == "__main__":
    main()
