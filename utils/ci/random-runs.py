#!/usr/bin/env python3
"""Runs many random cases, in batches, with a table of their coverage.

  random-runs.py --state DIR --cases N [--device emulator] [--chip CHIP ...]
  random-runs.py --state DIR --cases N --prepare     compile only, for a GPU
  random-runs.py --state DIR --prepared --device cuda   run compiled batches
  random-runs.py --state DIR --status

A batch is one call of integration_test/random_cases.py for a schedule and a chip,
with its own seed. DIR/batches.jsonl has a line for each finished batch. The next
call continues after the last one, so that a run may be stopped at any time.
DIR/batch-NUMBER is removed if all of its cases have passed. Otherwise it remains,
and DIR/failures.txt has the command that repeats each failure.

A machine with a GPU needs DIR (created by --prepare with cubins), this script,
integration_test/ and tcgemm-run.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
TESTS = os.path.join(ROOT, "integration_test")
CASES = os.path.join(TESTS, "random_cases.py")
sys.path.insert(0, TESTS)
sys.dont_write_bytecode = True

import random_kernels  # noqa: E402, in the folder above

# The schedules alternate; for each schedule, its chips alternate.
SCHEDULES = {name: module.RUNS_ON
             for name, module in random_kernels.SCHEDULES.items()}

FAILURE = re.compile(r"^FAILURE: (.*)$")
CASE = re.compile(r"case (\d+):([^: ]+):")
COLUMNS = ("schedule", "type", "layout", "variant", "epilogue", "chip")


class State:
    """The folder with the state of the run."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "batches.jsonl")
        self.batches = []
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.batches = [json.loads(line) for line in file
                                if line.endswith("\n")]

    def get_folder(self, number):
        return os.path.join(self.folder, "batch-%05d" % number)

    def count(self, key="cases"):
        return sum(batch[key] for batch in self.batches)

    def is_done(self, number):
        return any(batch["number"] == number for batch in self.batches)

    def add(self, batch, failures):
        """The batch counts once its line is written."""
        with open(os.path.join(self.folder, "failures.txt"), "a") as file:
            file.writelines(failure + "\n" for failure in failures)
        self.batches.append(batch)
        with open(self.path, "a") as file:
            file.write(json.dumps(batch) + "\n")


class Runner:
    def __init__(self, options, state):
        self.options, self.state = options, state

    def describe(self, number):
        """Schedule and chip of a batch."""
        names = [name for name in SCHEDULES
                 if name in self.options.schedule or not self.options.schedule]
        schedule = names[number % len(names)]
        chips = [chip for chip in SCHEDULES[schedule]
                 if chip in self.options.chip or not self.options.chip]
        if not chips:
            sys.exit("random-runs.py: schedule %s is not drawn for %s" %
                     (schedule, ", ".join(self.options.chip)))
        return schedule, chips[number // len(names) % len(chips)]

    def call(self, *arguments):
        command = [sys.executable, CASES, *arguments, "--tcgemm-run",
                   self.options.tcgemm_run, "--jobs", str(self.options.jobs)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, errors="replace")
        return done.stdout.splitlines()

    def is_generated(self, folder):
        return os.path.exists(os.path.join(folder, "generated.txt"))

    def generate(self, number):
        """Compiles a batch. The file generated.txt is written last."""
        folder = self.state.get_folder(number)
        if self.is_generated(folder):
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        schedule, chip = self.describe(number)
        options = self.options
        arguments = ["generate", "--seed", str(options.seed + number),
                     "--cases", str(options.batch), "--kernels",
                     str(max(1, options.batch // options.problems)),
                     "--schedule", schedule, "--chip", chip,
                     "--scale", str(options.scale),
                     "--special", str(options.special), "--out", folder]
        if options.device == "emulator" and not options.prepare:
            arguments.append("--ptx")
        lines = self.call(*arguments)
        # A batch is small: that it misses some parameter's value is expected.
        failures = [line for line in lines if FAILURE.match(line) and
                    "not covered" not in line]
        if not os.path.exists(os.path.join(folder, "cases.jsonl")):
            sys.exit("random-runs.py: batch %d cannot be generated:\n%s" %
                     (number, "\n".join(lines[-5:])))
        with open(os.path.join(folder, "generated.txt"), "w") as file:
            file.writelines(line + "\n" for line in failures)
        return folder

    def run(self, number):
        folder = self.generate(number)
        lines = self.call("run", "--cases", os.path.join(folder, "cases.jsonl"),
                          "--timeout", "300", *(
                              ["--device", self.options.device]
                              if self.options.device else []))
        match = re.search(r"(\d+) cases, (\d+) passed, (\d+) wrong, (\d+) errors"
                          r".* (\d+) findings", lines[-1] if lines else "")
        if not match:
            sys.exit("random-runs.py: batch %d cannot be run:\n%s" %
                     (number, "\n".join(lines[-5:])))
        failures = self.collect_failures(folder, number, lines)
        keys = ("cases", "passed", "wrong", "errors", "findings")
        batch = {"number": number, "seed": self.options.seed + number,
                 **dict(zip(keys, map(int, match.groups()))),
                 "failures": len(failures), "counts": self.count(folder)}
        self.state.add(batch, failures)
        if not failures:
            shutil.rmtree(folder)
        return batch

    def collect_failures(self, folder, number, lines):
        """A line for each failure: the defect, and the command that repeats it."""
        with open(os.path.join(folder, "generated.txt")) as file:
            lines = file.read().splitlines() + lines
        failures = []
        for line, following in zip(lines, lines[1:] + [""]):
            if FAILURE.match(line):
                again = re.sub(r"^  again: ", "  # again: ", following)
                failures.append("batch %d: %s%s" % (
                    number, line, again if again != following else ""))
        return failures

    def count(self, folder):
        """The number of cases for each combination of COLUMNS."""
        with open(os.path.join(folder, "packs.json")) as file:
            packs = json.load(file)
        counts = collections.Counter()
        with open(os.path.join(folder, "cases.jsonl")) as file:
            for line in file:
                case = json.loads(line)
                pack = packs[os.path.basename(case["pack"])]
                kinds = sorted(set(pack["parts"].split("+")))
                counts["|".join((
                    pack["schedule"], "%s-%s" % (pack["element"], pack["out"]),
                    pack["layout"], case["id"].split(":")[2],
                    "+".join(kinds), pack["chip"]))] += 1
        return counts


def print_status(state):
    """Cases by each column's values, then by pairs of schedule and the rest."""
    combinations = collections.Counter()
    for batch in state.batches:
        combinations.update(batch["counts"])
    single, pairs = collections.Counter(), collections.Counter()
    for key, n in combinations.items():
        values = dict(zip(COLUMNS, key.split("|")))
        for column, text in values.items():
            # Every part of an epilogue is counted.
            for value in text.split("+") if column == "epilogue" else [text]:
                single[column, value] += n
                pairs[values["schedule"], column, value] += n
    schedules = sorted(v for c, v in single if c == "schedule")
    print("%-10s %-24s %8s" % ("", "", "all") +
          "".join(" %9s" % name for name in schedules))
    for column, value in sorted(single, key=lambda item: (
            COLUMNS.index(item[0]), item[1])):
        print("%-10s %-24s %8d" % (column, value, single[column, value]) +
              "".join(" %9d" % pairs[name, column, value]
                      for name in schedules))
    print("%d different combinations of %s" % (len(combinations),
                                               ", ".join(COLUMNS)))
    print("%d batches, %d cases, %d passed, %d wrong, %d errors, %d findings, "
          "%d failures" % ((len(state.batches),) + tuple(
              state.count(key) for key in ("cases", "passed", "wrong", "errors",
                                           "findings", "failures"))))
    return 1 if state.count("failures") else 0


def keep_tool(tool, state):
    """Copies the tool to the folder. If it were rebuilt meanwhile, the run would end,
    or a failure would be repeated with other code."""
    copy = os.path.join(os.path.abspath(state.folder), "tcgemm-run")
    if os.path.abspath(tool) != copy:
        shutil.copy2(tool, copy)
    return copy


def find_prepared(state):
    numbers = sorted(int(name[6:]) for name in os.listdir(state.folder)
                     if re.fullmatch(r"batch-\d+", name))
    return [n for n in numbers if not state.is_done(n)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--state", required=True, help="folder to keep all in")
    parser.add_argument("--cases", type=int, default=100000,
                        help="how many, those of earlier calls included")
    parser.add_argument("--batch", type=int, default=250, help="cases a batch")
    parser.add_argument("--problems", type=int, default=5,
                        help="problems of a kernel")
    parser.add_argument("--seed", type=int, default=1000000,
                        help="of batch 0; that of batch n is n more")
    parser.add_argument("--device", help="as tcgemm-run takes it")
    parser.add_argument("--chip", action="append", default=[])
    parser.add_argument("--schedule", action="append", default=[],
                        choices=SCHEDULES)
    parser.add_argument("--scale", type=float, help="factor on all sizes "
                        "(default: 0.1 on the emulator, else 1)")
    parser.add_argument("--special", type=float, default=0.25,
                        help="share of cases with NaN, infinities and so on")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tcgemm-run", default=os.path.join(
        ROOT, "build/release/bin/tcgemm-run"))
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--prepared", action="store_true")
    parser.add_argument("--status", action="store_true")
    options = parser.parse_args()
    if options.scale is None:
        is_emulated = options.device == "emulator" and not options.prepare
        options.scale = 0.1 if is_emulated else 1
    state = State(options.state)
    if options.status:
        sys.exit(print_status(state))
    options.tcgemm_run = keep_tool(options.tcgemm_run, state)
    runner = Runner(options, state)
    if options.prepared:
        for number in find_prepared(state):
            runner.run(number)
        sys.exit(print_status(state))
    number = 0
    if options.prepare:
        for number in range(-(-options.cases // options.batch)):
            if not state.is_done(number):
                runner.generate(number)
        sys.exit(0)
    while state.count() < options.cases:
        if not state.is_done(number):
            runner.run(number)
        number += 1
    sys.exit(print_status(state))


if __name__ == "__main__":
    main()
