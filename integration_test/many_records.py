#!/usr/bin/env python3
"""Prints many records, derived from one, which resemble a large sweep.

usage: many_records.py FILE.jsonl COUNT

Parameters and times vary; one in twelve has failed. No kernel is run.
"""

import itertools
import json
import random
import re
import sys

VALUES = {
    "cta": ["[64, 64, 64]", "[64, 128, 64]", "[128, 128, 64]", "[128, 192, 64]",
            "[128, 256, 64]", "[256, 128, 64]", "[192, 160, 64]"],
    "stages": [str(n) for n in range(2, 13)],
    "cluster": ["[1, 1, 1]", "[2, 1, 1]", "[1, 2, 1]"],
    "raster_group": ["1", "2", "4", "8", "16"],
    "split_k": ["1", "2", "4"],
    "persistent": ["true", "false"],
    "raster": ["along_m", "along_n"],
    "swap_ab": ["true", "false"],
    "epilogue_buffers": ["1", "2", "4"],
}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        base = next(record for record in map(json.loads, file)
                    if record["outcome"] == "success")
    parameters = dict(pair.split(" = ") for pair in
                      re.split(r", (?=[a-z][a-z0-9_]* =)", base["config"]))
    draw = random.Random(1)
    points = list(itertools.product(*VALUES.values()))
    draw.shuffle(points)
    for number, point in enumerate(points[:int(sys.argv[2])]):
        parameters.update(zip(VALUES, point))
        time = base["microseconds"] * draw.lognormvariate(0.5, 0.3)
        record = dict(
            base, config=", ".join("%s = %s" % p for p in parameters.items()),
            timestamp=base["timestamp"] + number // 30, stage="screened",
            microseconds=time, low=time * 0.99, high=time * 1.01, samples=[time])
        if number % 12 == 11:
            record.update(outcome="compile", stage="none", microseconds=0, low=0,
                          high=0, samples=[], message="spills %d bytes" % (number % 5))
        print(json.dumps(record))


if __name__ == "__main__":
    main()
