#!/usr/bin/env python3
"""Prints records whose times depend on parameters in a known way.

usage: report_parameters.py FILE.jsonl

They are derived from one record: 120 configurations with 4 numbers of stages, 3
clusters and 10 raster groups. The logarithm of a time is 2 times that of the stages,
plus a random part that repeats; nothing else has an effect.
"""

import itertools
import json
import random
import re
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        base = next(record for record in map(json.loads, file)
                    if record["outcome"] == "success")
    parameters = dict(pair.split(" = ") for pair in
                      re.split(r", (?=[a-z][a-z0-9_]* =)", base["config"]))
    draw = random.Random(1)
    points = itertools.product([2, 3, 4, 6], ["[1, 1, 1]", "[2, 1, 1]", "[1, 2, 1]"],
                               range(1, 11))
    for number, (stages, cluster, group) in enumerate(points):
        parameters.update(stages=str(stages), cluster=cluster, raster_group=str(group))
        time = 100.0 * stages ** 2 * draw.lognormvariate(0, 0.05)
        print(json.dumps(dict(
            base, config=", ".join("%s = %s" % p for p in parameters.items()),
            timestamp=base["timestamp"] + number, stage="screened", microseconds=time,
            low=time * 0.99, high=time * 1.01, samples=[time])))


if __name__ == "__main__":
    main()
