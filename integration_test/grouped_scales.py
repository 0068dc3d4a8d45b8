#!/usr/bin/env python3
"""Checks the scales of grouped products without the tools' own reference.

  grouped_scales.py [--tcgemm-run PATH] [--seed N] DIR

All elements of A are 1. Elements of B, scales and zero points are small
integers, so that each result is an integer. Those of FP8 are 1, too: a result is
the sum over the blocks of k of their depths times scales.
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


class Case:
    """The sizes and the places of a grouped product."""

    def __init__(self, options, groups, sizes, n, k):
        self.options, self.groups, self.sizes, self.n, self.k = options, groups, sizes, n, k
        padded = groups == "padded"
        self.matrices = len(sizes) if padded else 1
        self.rows = max(sizes) if padded else sum(sizes)
        self.firsts = [i * self.rows if padded else sum(sizes[:i]) for i in range(len(sizes))]
        self.arguments = []

    def fill(self, operand, kind, shape, values):
        name = os.path.join(self.options.dir, operand + ".npy")
        write_npy(name, kind, shape, values)
        self.arguments.append("--fill=%s=%s" % (operand, name))

    def run(self, *arguments):
        name = os.path.join(self.options.dir, "result.npy")
        subprocess.run(
            [self.options.tcgemm_run, "--device=emulator", "--records=none", "--chip=sm_90a",
             "--out-type=f32", "--groups=" + self.groups,
             "--group-sizes=" + ",".join(map(str, self.sizes)), "--n=%d" % self.n, "--k=%d" % self.k,
             "--fill=arg0=constant:1", "--output=out0=" + name, *self.arguments, *arguments],
            check=True, stdout=subprocess.DEVNULL)
        return read_npy(name)

    def compare(self, name, result, expect):
        """`expect` computes an element of its group, its row and its column."""
        wrong = 0
        for group, size in enumerate(self.sizes):
            for row, column in itertools.product(range(size), range(self.n)):
                place = self.firsts[group] + row
                wrong += result[place * self.n + column] != expect(group, place, column)
        print("%s%s: %d of %d wrong, seed %d" % (name, self.groups, wrong, sum(self.sizes) * self.n,
                                                 self.options.seed))
        return wrong


def check_blocks(options, rng, *sizes):
    case = Case(options, *sizes)
    depth, columns = divide(case.k), divide(case.n)
    ofA = draw(rng, case.matrices * depth * case.rows)
    ofB = draw(rng, len(case.sizes) * columns * depth)
    shape = (depth, case.rows)
    case.fill("arg3", "f32", (case.matrices, *shape) if case.groups == "padded" else shape, ofA)
    case.fill("arg4", "f32", (len(case.sizes), columns, depth), ofB)

    def expect(group, place, column):
        matrix, line = divmod(place, case.rows)
        return sum(
            min(BLOCK, case.k - BLOCK * block)
            * ofA[(matrix * depth + block) * case.rows + line]
            * ofB[(group * columns + column // BLOCK) * depth + block]
            for block in range(depth))

    result = case.run("--type=e4m3", "--block-scales=ab", "--fill=arg1=constant:1")
    return case.compare("", result, expect)


def check_groups(options, rng, depth, *sizes):
    """Elements of 4 bits with scales and zero points of `depth` elements along k."""
    case = Case(options, *sizes)
    n, k, count, parts = case.n, case.k, len(case.sizes), -(-case.k // depth)
    b = [rng.randrange(-8, 8) for _ in range(count * n * k)]
    scales = draw(rng, count * n * parts)
    zeros = [rng.randrange(-9, 10) for _ in scales]
    case.fill("arg1", "s8", (count, n, k), b)
    case.fill("arg3", "f16", (count, n, parts), scales)
    case.fill("arg4", "s8", (count, n, parts), zeros)

    sums = [0] * (count * n)
    for line in range(count * n):
        for i in range(k):
            part = line * parts + i // depth
            sums[line] += (b[line * k + i] - zeros[part]) * scales[part]
    result = case.run("--type=bf16xs4", "--group-scales=%dxf16xs8" % depth)
    return case.compare("groups of %d, " % depth, result,
                        lambda group, place, column: sums[group * n + column])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tcgemm-run", default="tcgemm-run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("dir")
    options = parser.parse_args()
    os.makedirs(options.dir, exist_ok=True)
    rng = random.Random(options.seed)
    sys.exit(any([check_blocks(options, rng, "contiguous", [2, 0, 7, 70], 200, 300),
                  check_blocks(options, rng, "padded", [9, 0, 3], 136, 270),
                  check_groups(options, rng, 64, "contiguous", [2, 0, 7, 70], 40, 320),
                  check_groups(options, rng, 128, "padded", [9, 0, 3], 136, 270)]))
