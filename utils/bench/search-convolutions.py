#!/usr/bin/env python3
"""Searches configurations of wgmma for the convolutions of a list. Needs a Hopper GPU.

  search-convolutions.py BIN_DIR [LIST] [--device cuda] > found.txt

BIN_DIR has tcgemm-run. The output is the list with the fastest configuration of each
row, as benchmark-convolutions.sh takes it. A row whose default configuration is the
fastest has none. Times are those with a cold L2.
"""

import argparse
import csv
import itertools
import os
import subprocess
import sys

# Rows and columns of a tile, warps, and further parameters of each shape.
SHAPES = [(64, 64, 4), (128, 64, 4), (128, 64, 8), (128, 128, 8), (192, 64, 12),
          (192, 128, 12), (256, 64, 8), (256, 128, 8), (128, 256, 8), (64, 128, 4),
          (64, 256, 4), (96, 128, 8), (104, 64, 4), (112, 128, 8)]
OPTIONS = ["", "persistent=true", "persistent=true,pingpong=true",
           "cluster=2x1x1", "cluster=1x2x1"]
DEPTHS = [64, 128]


def get_configs():
    for (m, n, warps), options, depth in itertools.product(SHAPES, OPTIONS, DEPTHS):
        swap = m % 64 != 0
        stages = min(8, 200000 // ((m + n) * depth * 2))
        if stages < 2 or (options.endswith("pingpong=true") and warps != 8):
            continue
        config = "schedule=wgmma,cta=%dx%dx%d,warps=%dx1x1,stages=%d,epilogue=tma" % (
            m, n, depth, warps, stages)
        yield ",".join([config] + ["swap_ab=true"] * swap + [options] * bool(options))


def measure(options, row, config):
    """The time in microseconds; none if the configuration is not legal or fails."""
    images, filters, stride, padding, dilation = row[1:6]
    command = [os.path.join(options.bin, "tcgemm-run"),
               "--conv=%s,%s" % (images, filters), "--strides=" + stride,
               "--padding=" + padding, "--dilations=" + dilation, "--type=bf16",
               "--device=" + options.device, "--bench", "--format=csv"]
    if config:
        command.append("--config=" + config)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    for line in csv.DictReader(done.stdout.splitlines()):
        if line["contender"] == "tcgemm" and line["status"] == "pass":
            return float(line["cold_us"])
    return None


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin")
    parser.add_argument("list", nargs="?", default=os.path.join(
        here, "..", "..", "tuning", "convolutions.txt"))
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    with open(options.list) as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    for row in filter(None, rows):
        best, time = "", measure(options, row, "")
        first = time
        for config in get_configs():
            own = measure(options, row, config)
            if own is not None and (time is None or own < time):
                best, time = config, own
        print(" ".join(row[:6] + [best] * bool(best)), flush=True)
        print("%s: default %s us, best %s us %s" % (row[0], first, time, best),
              file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
