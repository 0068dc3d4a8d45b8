#!/usr/bin/env python3
"""Prints a Markdown table of benchmark-suite.sh's results, and geometric means.

usage: suite-table.py SUITE.csv [RECORDS.jsonl]

The ratio is the time of cuBLASLt's fastest algorithm over tcgemm's: the median over
rounds in which the contenders run in random order. The limit is the time at 750
TFLOP/s or 4.3 TB/s, or a kernel's minimum of 2 µs.
"""
import csv
import json
import math
import re
import sys


def describe(config):
    values = dict(re.findall(r"(\w+) = (\[[^\]]*\]|[^,]+)", config))
    sizes = {key: re.findall(r"\d+", values[key]) for key in ("cta", "cluster")}
    schedule = values["schedule"]
    parts = [schedule] * (schedule != "wgmma") + ["×".join(sizes["cta"])]
    parts += [values["stages"]] * (schedule != "gemv")
    if sizes["cluster"] != ["1", "1", "1"]:
        shown = 3 if sizes["cluster"][2] != "1" else 2
        parts.append("cluster " + "×".join(sizes["cluster"][:shown]))
    if values["split_k"] != "1":
        parts.append("split-K " + values["split_k"])
    parts += [name for name in ("swap_ab", "pingpong") if values[name] == "true"]
    return ", ".join(parts)


def limit(m, n, k):
    """In µs, for elements of two bytes."""
    return max(2 * m * n * k / 750e6, 2 * (m * k + n * k + m * n) / 4.3e6, 2)


def is_odd(group, sizes):
    """Whether pitches or sides are not multiples of vectors or tiles."""
    return ((group == "odd" and sizes != (8191, 8192, 8192)) or
            (group == "deepbench" and bool({5124, 1500, 35} & set(sizes))))


CLASSES = [
    ("all", lambda group, sizes: True),
    ("M, N, K >= 2048 and multiples of 8",
     lambda group, sizes: min(sizes) >= 2048 and all(s % 8 == 0 for s in sizes)),
    ("M <= 128", lambda group, sizes: sizes[0] <= 128),
    ("odd", is_odd),
]


def main():
    ours, first, best, configs = {}, {}, {}, {}
    with open(sys.argv[1]) as file:
        for row in csv.DictReader(file):
            key = (row["tag"], tuple(int(row[name]) for name in "MNK"))
            time = float(row["cold_us"])
            if row["contender"] == "tcgemm":
                ours[key] = time
            if "first" in row["contender"]:
                first[key] = time
            if row["contender"].endswith("best"):
                best[key] = time, float(row["cold_ratio"])
    if len(sys.argv) > 2:
        with open(sys.argv[2]) as file:
            for record in map(json.loads, file):
                if record["kernel"] == "bf16 tn bf16 none":
                    configs[record["sizes"]] = describe(record["config"])
    print("| Group | M×N×K | Tile, stages | Limit, µs | Ours, µs | "
          "cuBLASLt first, µs | best, µs | Ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for key, time in ours.items():
        group, sizes = key
        names = list(map(str, sizes))
        print("| %s | %s | %s | %.2f | %.2f | %.2f | %.2f | %.3f |" % (
            group, "×".join(names), configs.get("x".join(names), ""),
            limit(*sizes), time, first[key], *best[key]))
    print()
    for name, contains in CLASSES:
        ratios = [best[key][1] for key in ours if contains(*key)]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print("%s: %d shapes, geometric mean %.3f" % (name, len(ratios), mean))


if __name__ == "__main__":
    main()
