#!/usr/bin/env python3
"""Measures any number of contenders on the same operands, in one process.

usage: time-rows.py ROWS.jsonl [--rounds=COUNT] [--seconds=LIMIT] [--folder=DIR]

A line of ROWS.jsonl is a row:

  {"name": "tn bias", "operands": {"A": ["bf16", [4096, 4096]], ...},
   "contenders": [{"name": "tcgemm", "result": "D", "steps": [
                     {"pack": "packs/tn-bias", "arguments": ["A", "B", "D", 1.0]}]},
                  {"name": "cuBLAS", "result": "Y", "steps": [
                     {"call": "addmm", "layout": "tn", "arguments": ["A", "B", "Y"]},
                     {"module": "modules/relu", "arguments": ["Y", "Y"]}]}]}

Packs are those of tcgemm-run --save-pack, modules the kernels of gemmkernels.py; both are
in the folder --folder. CALLS of timing/contenders.py lists the calls. A contender's
`result` is compared with the first contender's; without one it computes something else.

Prints CSV: row, contender, the median and the 10th and 90th percentile of the
microseconds, the median ratio of the time to the first contender's round by round, and
a note. A contender whose library is not at hand has a note and no time. Contenders run in
random order, cold, as chains in CUDA graphs of two milliseconds or more. With "clock" a row
notes the clock of the processors while the first contender runs. Ends with 130 after the
row that exceeds --seconds, and with 1 if a row failed. Needs a GPU and torch.
"""
import argparse
import csv
import json
import math
import random
import statistics
import subprocess
import sys

import torch

from timing.contenders import Contender, Unavailable, make_operands
from timing.graphs import (capture, compare, copy_values, count_sets, find_bytes,
                           find_ratio, time_call, time_chains)
from timing.limited import INTERRUPTED, Clock

CHAIN_MICROSECONDS, MOST_CALLS = 2000, 200
CLOCK_MICROSECONDS = 3000000  # nvidia-smi needs up to a second to start.
TOLERANCE = 0.02


def make_sets(row, contenders):
    """Sets of operands; for each contender they are more than twice the L2."""
    operands = make_operands(row["operands"])
    least = min(find_bytes([operands[name] for name in contender.get_names()])
                for contender in contenders)
    return [operands] + [dict(zip(operands, copy_values(operands.values())))
                         for _ in range(count_sets(least) - 1)]


def check(row, contenders, plans, operands):
    """Runs each contender once, and compares its result with the first one's."""
    expected = None
    for contender, description in zip(contenders, row["contenders"]):
        returned = plans[contender.name][0]()
        torch.cuda.synchronize()
        if "result" not in description:
            continue
        result = operands[description["result"]]
        if isinstance(returned, torch.Tensor) and returned.dtype == result.dtype:
            result = returned
        result = result.reshape(-1)
        if expected is None:
            expected = result.clone()
            continue
        error = compare(expected, result)
        if not error < row.get("tolerance", TOLERANCE):
            raise ValueError("the result of %s differs by %g"
                             % (contender.name, error))


def make_chain(calls):
    """Calls in turn, for two milliseconds or more, as far as MOST_CALLS allow it, and for
    all sets."""
    time = max(time_call(calls[0]), 1)
    count = min(MOST_CALLS, math.ceil(CHAIN_MICROSECONDS / time))
    return calls * max(1, math.ceil(count / len(calls)))


def read_clock(calls, microseconds):
    """The clock of the processors in MHz while the calls run, each of which takes the
    given time; none without nvidia-smi."""
    graph = capture(calls)
    for _ in range(math.ceil(CLOCK_MICROSECONDS / microseconds / len(calls))):
        graph.replay()
    try:
        text = subprocess.run(
            ["nvidia-smi", "--query-gpu=clocks.sm", "--format=csv,noheader,nounits"],
            stdout=subprocess.PIPE, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    finally:
        torch.cuda.synchronize()
    return int(text.split()[0])


def measure(row, options):
    contenders = [Contender(description, options.folder)
                  for description in row["contenders"]]
    sets = make_sets(row, contenders)
    plans, notes = {}, {}
    for contender in contenders:
        try:
            plans[contender.name] = [contender.plan(operands) for operands in sets]
        except Unavailable as error:
            notes[contender.name] = str(error)
    present = [contender for contender in contenders if contender.name in plans]
    described = [description for description in row["contenders"]
                 if description["name"] in plans]
    check({**row, "contenders": described}, present, plans, sets[0])
    chains = [make_chain(plans[contender.name]) for contender in present]
    times = dict(zip((contender.name for contender in present),
                     time_chains(chains, options.rounds)))
    if row.get("clock"):
        clock = read_clock(chains[0], statistics.median(times[present[0].name]))
        processors = torch.cuda.get_device_properties(0).multi_processor_count
        notes[present[0].name] = ("%d MHz, %d SMs" % (clock, processors) if clock
                                  else "nvidia-smi is not at hand")
    first = times[present[0].name]
    for contender in contenders:
        line = [row["name"], contender.name, "", "", "", ""]
        if contender.name in times:
            own = times[contender.name]
            tenths = statistics.quantiles(own, n=10) if len(own) > 1 else own * 9
            line[2:] = ["%.3f" % statistics.median(own), "%.3f" % tenths[0],
                        "%.3f" % tenths[-1], "%.4f" % find_ratio(first, own)]
        yield line + [notes.get(contender.name, "")]


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0], description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--folder", default=".")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds=%d: it must be at least 1" % options.rounds)
    random.seed(1)
    torch.manual_seed(1)
    clock, has_failed = Clock(options.seconds), False
    writer = csv.writer(sys.stdout)
    with open(options.rows, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        if clock.is_over():
            sys.exit(INTERRUPTED)
        try:
            lines = list(measure(row, options))
        except Exception as error:  # An error of any kind leaves the other rows.
            print("time-rows.py: %s: %s: %s" % (row["name"], type(error).__name__, error),
                  file=sys.stderr)
            has_failed = True
            continue
        writer.writerows(lines)
        sys.stdout.flush()
        torch.cuda.empty_cache()
    sys.exit(1 if has_failed else 0)


if __name__ == "__main__":
    main()
