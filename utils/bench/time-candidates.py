#!/usr/bin/env python3
"""Times hand-picked configurations of products in turns.

usage: time-candidates.py FILE... [--rounds=COUNT] [--check] [--tools=DIR]
           [--device=DEVICE] [--chip=CHIP]

A line of a FILE is NAME | FLAGS, with the flags of tcgemm-run for one candidate. A line
`common | FLAGS` has flags for all lines behind it. The first candidate is the reference.
'#' starts a comment.

Each round runs all candidates of a file in another random order, with --bench. Prints
for each file the median of each candidate's times in microseconds, the least and the
largest one, and the reference's median over the candidate's.

--check compiles every candidate and needs no device: it prints the registers of the
first program of a launch. SIGTERM ends the measurement: what was timed is printed.
Exit codes: 0, or 1 if a candidate failed, which the others do not notice; 2 for files
that cannot be read.
"""
import argparse
import csv
import os
import random
import re
import shlex
import signal
import statistics
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def fail(message):
    print("time-candidates.py: " + message, file=sys.stderr)
    sys.exit(2)


def read_candidates(path):
    """[(name, flags)] of a file."""
    candidates, common = [], []
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError as error:
        fail("%s: %s" % (path, error.strerror))
    for number, line in enumerate(lines, 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, bar, flags = (part.strip() for part in line.partition("|"))
        if not bar or not name or not flags:
            fail("%s:%d: a line must be NAME | FLAGS, but is '%s'"
                 % (path, number, line))
        if name in (known for known, _ in candidates):
            fail("%s:%d: the name '%s' is used twice" % (path, number, name))
        try:
            words = shlex.split(flags)
        except ValueError as error:
            fail("%s:%d: %s" % (path, number, str(error).lower()))
        if name == "common":
            common = words
        else:
            candidates.append((name, common + words))
    if not candidates:
        fail("%s: has no candidate" % path)
    return candidates


class Stopped(Exception):
    """SIGTERM came, as `timeout` sends it."""


def stop(signal_number, frame):
    raise Stopped()


class Runner:
    def __init__(self, options):
        self.command = [os.path.join(options.tools, "tcgemm-run"),
                        "--chip=" + options.chip]
        self.device = "--device=" + options.device
        self.failed = set()
        self.stopped = False

    def run(self, name, arguments):
        """What tcgemm-run prints; none if it fails."""
        if name in self.failed:
            return None
        result = subprocess.run(self.command + arguments, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, text=True, check=False)
        if result.returncode == 0:
            return result.stdout
        print("time-candidates.py: %s: tcgemm-run ended with %d"
              % (name, result.returncode), file=sys.stderr)
        self.failed.add(name)
        return None

    def check(self, name, flags):
        text = self.run(name, flags + ["--plan"])
        if text is None:
            return
        found = re.search(r"\bregisters (\d+)", text)
        print("  %-24s %s registers" % (name, found.group(1) if found else "?"),
              flush=True)

    def time(self, name, flags):
        """Microseconds; none if the candidate fails."""
        text = self.run(name, flags + [self.device, "--bench", "--no-verify",
                                       "--format=csv"])
        if text is None:
            return None
        rows = [row for row in csv.DictReader(text.splitlines())
                if row.get("contender") == "tcgemm"]
        return float(rows[0]["cold_us"]) if rows else None


def time_all(runner, candidates, rounds, order):
    times = {name: [] for name, _ in candidates}
    try:
        for _ in range(rounds):
            for name, flags in order.sample(candidates, len(candidates)):
                time = runner.time(name, flags)
                if time is not None:
                    times[name].append(time)
    except Stopped:
        runner.stopped = True
    reference = times[candidates[0][0]]
    for name, _ in candidates:
        if not times[name]:
            print("  %-24s %s" % (name, "not timed" if runner.stopped else "failed"))
            continue
        median = statistics.median(times[name])
        ratio = "%.3f" % (statistics.median(reference) / median) if reference else "-"
        print("  %-24s %9.2f us (%.2f to %.2f)  %s" % (
            name, median, min(times[name]), max(times[name]), ratio), flush=True)


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0],
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tools", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--chip", default="sm_90a")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds=%d: it must be at least 1" % options.rounds)
    lists = [(path, read_candidates(path)) for path in options.files]
    signal.signal(signal.SIGTERM, stop)
    has_failed = False
    for path, candidates in lists:
        print(os.path.basename(path), flush=True)
        runner = Runner(options)
        if options.check:
            for candidate in candidates:
                runner.check(*candidate)
        else:
            time_all(runner, candidates, options.rounds, random.Random(1))
        has_failed |= bool(runner.failed)
        if runner.stopped:
            break
    sys.exit(1 if has_failed else 0)


if __name__ == "__main__":
    main()
