#!/usr/bin/env python3
"""Compares tcgemm-tune solve with a simulation of all legal tilings.

Usage: check-solver.py LOG [--tool=PATH] [--machine=FILE] [--random=SEED]

The sizes are M, N and K of 32 to 1024 in steps of 32, or with --random 200 sizes
to 8192. Each size is solved for both objectives. LOG gets a line for each: the
size, the objective and `equal`, or the error. A second run with the same LOG goes
on where the first one ended. The exit status is 1 if a line is not `equal`.
"""

import argparse
import itertools
import random
import subprocess
import sys


def list_sizes(seed):
    if seed is None:
        return itertools.product(range(32, 1025, 32), repeat=3)
    generator = random.Random(seed)
    return [tuple(generator.randint(1, 8192) for _ in range(3)) for _ in range(200)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("log")
    parser.add_argument("--tool", default="build/release/bin/tcgemm-tune")
    parser.add_argument("--machine", default="nvidia-h200")
    parser.add_argument("--random", type=int, metavar="SEED")
    options = parser.parse_args()
    known, failures = set(), 0
    try:
        with open(options.log, encoding="utf-8") as log:
            for line in log:
                size, objective, result = line.rstrip("\n").split(" ", 2)
                known.add((size, objective))
                failures += result != "equal"
    except FileNotFoundError:
        pass
    with open(options.log, "a", encoding="utf-8", buffering=1) as log:
        for sizes in list_sizes(options.random):
            shape = "x".join(map(str, sizes))
            for objective in ("time", "wait"):
                if (shape, objective) in known:
                    continue
                run = subprocess.run(
                    [options.tool, "solve", shape, "--machine=" + options.machine,
                     "--objective=" + objective, "--most-tile=128", "--check"],
                    capture_output=True, text=True)
                proven = "  proven: " in run.stdout and "  checked: " in run.stdout
                equal = run.returncode == 0 and proven
                failures += not equal
                message = (run.stderr or run.stdout).replace("\n", " ")
                log.write("%s %s %s\n" % (shape, objective,
                                          "equal" if equal else message))
    print("%d results differ" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
