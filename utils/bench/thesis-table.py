#!/usr/bin/env python3
"""The thesis's Table 3 and histograms, in Markdown, of sweeps of wmma-thesis.

usage: thesis-table.py DATABASE... [--bins=20] [--configs=FILE.csv]

Reads records of `tcgemm-tune --space=wmma-thesis`. Prints for every problem the
fastest configuration in the thesis's parameters, the number of configurations with
each outcome, and a histogram of their speed relative to the fastest. --configs
writes a row for each configuration, with those parameters, for plots such as the
thesis's figures 9 to 15.
"""
import argparse
import collections
import csv
import re
import sqlite3
import sys

COLUMNS = ["WM", "WN", "TC", "TR", "TPC", "BI", "ST", "WC", "WR", "TS", "FAS",
           "FBS"]
ORDERS = {"along_m": "C", "diagonal": "D", "along_n": "T"}
QUERY = """
    SELECT problems.m, problems.n, problems.k, problems.batch, problems.kernel,
           platforms.device, configs.text, records.outcome, records.median,
           records.stage, records.spill_bytes
    FROM records
    JOIN problems ON problems.id = records.problem
    JOIN configs ON configs.id = records.config
    JOIN platforms ON platforms.id = records.platform
    WHERE configs.text LIKE 'schedule = wmma,%'"""
BAR = 40  # Characters of the highest bin.


def read_config(text):
    """The parameters of a configuration, in the thesis's names."""
    values = dict(re.findall(r"(\w+) = (\[[^\]]*\]|[^,]+)", text))
    lists = {key: [int(n) for n in re.findall(r"\d+", values[key])]
             for key in ("cta", "warps", "instruction")}
    (rows, columns, _), (warps_m, warps_n, _) = lists["cta"], lists["warps"]
    m, n, _ = lists["instruction"]
    flags = [values["epilogue"] == "staged", values["stage_a"] == "true",
             values["stage_b"] == "true"]
    return [m, n, columns, rows, int(values["tiles_per_cta"]),
            ORDERS[values["raster"]], int(values["tile_order"] == "sequential"),
            columns // (n * warps_n), rows // (m * warps_m),
            *[int(flag) for flag in flags]]


def read_records(paths):
    """(device, kernel, sizes) -> rows of parameters, outcome, µs, spills."""
    problems = collections.defaultdict(dict)
    for path in paths:
        database = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        for (m, n, k, batch, kernel, device, text, outcome, median, stage,
             spills) in database.execute(QUERY):
            if stage == "model" or batch != 1:
                continue
            # A later database has the last word on a configuration.
            problems[device, kernel, (m, n, k)][text] = (
                read_config(text), outcome, median, spills)
        database.close()
    return {key: list(rows.values()) for key, rows in problems.items()}


def get_tflops(sizes, microseconds):
    m, n, k = sizes
    return 2 * m * n * k / microseconds / 1e6


def print_winners(problems):
    print("| GPU and sizes | " + " | ".join(COLUMNS) + " | µs | TFLOP/s |")
    print("|---" * (len(COLUMNS) + 3) + "|")
    for (device, _, sizes), rows in problems.items():
        timed = [row for row in rows if row[1] == "success"]
        if not timed:
            continue
        config, _, best, _ = min(timed, key=lambda row: row[2])
        print("| %s, %s | %s | %.2f | %.1f |" % (
            device, "×".join(map(str, sizes)), " | ".join(map(str, config)),
            best, get_tflops(sizes, best)))


def print_histogram(device, sizes, rows, bins):
    outcomes = collections.Counter(row[1] for row in rows)
    spilled = sum(row[3] > 0 for row in rows if row[1] == "success")
    print("\n### %s, %s\n" % (device, "×".join(map(str, sizes))))
    print("%d configurations: %s; %d of them spill registers.\n" % (
        len(rows), ", ".join("%d %s" % (count, outcome) for outcome, count
                             in outcomes.most_common()), spilled))
    times = [row[2] for row in rows if row[1] == "success"]
    if not times:
        return
    best = min(times)
    counts = [0] * bins
    for time in times:
        counts[min(bins - 1, int(best / time * bins))] += 1
    print("```")
    print("TFLOP/s          configurations")
    top = get_tflops(sizes, best)
    for i, count in enumerate(counts):
        bar = "#" * round(count / max(counts) * BAR)
        print(("%6.1f - %6.1f %6d %s" % (
            top * i / bins, top * (i + 1) / bins, count, bar)).rstrip())
    print("```")


def write_configs(path, problems):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["device", "M", "N", "K", *COLUMNS, "outcome", "us",
                         "tflops", "spill_bytes"])
        for (device, _, sizes), rows in problems.items():
            for config, outcome, time, spills in rows:
                is_timed = outcome == "success"
                writer.writerow([
                    device, *sizes, *config, outcome,
                    "%.3f" % time if is_timed else "",
                    "%.2f" % get_tflops(sizes, time) if is_timed else "",
                    spills])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("databases", nargs="+", metavar="DATABASE")
    parser.add_argument("--bins", type=int, default=20)
    parser.add_argument("--configs", metavar="FILE.csv")
    options = parser.parse_args()
    if options.bins < 1:
        parser.error("--bins must be at least 1")
    try:
        problems = read_records(options.databases)
    except sqlite3.Error as error:
        sys.exit("thesis-table.py: %s" % error)
    if not problems:
        sys.exit("thesis-table.py: no measured record of schedule wmma")
    print_winners(problems)
    for (device, _, sizes), rows in problems.items():
        print_histogram(device, sizes, rows, options.bins)
    if options.configs:
        write_configs(options.configs, problems)


if __name__ == "__main__":
    main()
