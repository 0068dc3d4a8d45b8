#!/usr/bin/env python3
"""A table in Markdown of what benchmark-suite.sh measured, and the geometric mean.

usage: suite-table.py SUITE.csv [RECORDS.jsonl]

The ratio is cuBLASLt's time over ours, for the best of all its answers: the median
over rounds in which the contenders run in random order.
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


def main():
    ours, best, configs = {}, {}, {}
    with open(sys.argv[1]) as file:
        for row in csv.DictReader(file):
            key = (row["tag"], row["M"], row["N"], row["K"])
            if row["contender"] == "tcgemm":
                ours[key] = float(row["cold_us"])
            elif row["contender"].endswith("best"):
                best[key] = float(row["cold_us"]), float(row["cold_ratio"])
    if len(sys.argv) > 2:
        with open(sys.argv[2]) as file:
            for record in map(json.loads, file):
                configs[record["sizes"]] = describe(record["config"])
    print("| Group | M×N×K | Tile, stages | Ours, µs | cuBLASLt best, µs | Ratio |")
    print("|---|---|---|---|---|---|")
    for key, time in ours.items():
        sizes = key[1:]
        print("| %s | %s | %s | %.2f | %.2f | %.3f |" % (
            key[0], "×".join(sizes), configs.get("x".join(sizes), ""), time,
            *best[key]))
    ratios = [best[key][1] for key in ours]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print("\ngeometric mean, %d shapes, bf16 TN: %.2f" % (len(ratios), mean))


if __name__ == "__main__":
    main()
