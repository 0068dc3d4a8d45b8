#!/usr/bin/env python3
"""Checks the scales of grouped products without the tools' own reference.

  grouped_scales.py [--tcgemm-run PATH] [--seed N] DIR

All elements of A and B are 1, and scales are small integers, so that each
result is an integer: a sum over the blocks of k of their depths times scales.
"""

import argparse
import itertools
import os
import random
import subprocess
import sys

from npy_files import read_npy, write_npy

BLOCK = 128


def divide(size):
    return -(-size // BLOCK)


def draw(rng, count):
    return [rng.choice([1, 2, 3, 5, 7]) for _ in range(count)]


def check(options, rng, groups, sizes, n, k):
    padded, most = groups == "padded", max(sizes)
    matrices = len(sizes) if padded else 1
    rows = most if padded else sum(sizes)
    depth, columns = divide(k), divide(n)
    ofA = draw(rng, matrices * depth * rows)
    ofB = draw(rng, len(sizes) * columns * depth)
    names = {name: os.path.join(options.dir, name + ".npy")
             for name in ("ofA", "ofB", "result")}
    shape = (matrices, depth, rows) if padded else (depth, rows)
    write_npy(names["ofA"], "f32", shape, ofA)
    write_npy(names["ofB"], "f32", (len(sizes), columns, depth), ofB)
    subprocess.run(
        [options.tcgemm_run, "--device=emulator", "--records=none", "--chip=sm_90a", "--type=e4m3",
         "--out-type=f32", "--block-scales=ab", "--groups=" + groups,
         "--group-sizes=" + ",".join(map(str, sizes)), "--n=%d" % n, "--k=%d" % k,
         "--fill=arg0=constant:1", "--fill=arg1=constant:1", "--fill=arg3=" + names["ofA"],
         "--fill=arg4=" + names["ofB"], "--output=out0=" + names["result"]],
        check=True, stdout=subprocess.DEVNULL)
    result = read_npy(names["result"])
    firsts = [i * rows if padded else sum(sizes[:i]) for i in range(len(sizes))]
    wrong = 0
    for group, size in enumerate(sizes):
        for row, column in itertools.product(range(size), range(n)):
            place = firsts[group] + row
            matrix, line = divmod(place, rows)
            expected = sum(
                min(BLOCK, k - BLOCK * block)
                * ofA[(matrix * depth + block) * rows + line]
                * ofB[(group * columns + column // BLOCK) * depth + block]
                for block in range(depth))
            wrong += result[place * n + column] != expected
    print("%s: %d of %d wrong, seed %d" % (groups, wrong, sum(sizes) * n, options.seed))
    return wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tcgemm-run", default="tcgemm-run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("dir")
    options = parser.parse_args()
    os.makedirs(options.dir, exist_ok=True)
    rng = random.Random(options.seed)
    sys.exit(any([check(options, rng, "contiguous", [2, 0, 7, 70], 200, 300),
                  check(options, rng, "padded", [9, 0, 3], 136, 270)]))
