#!/usr/bin/env python3
"""Measures kernels of packs against operations of PyTorch or against each other, in
one process.

  benchmark-torch.py [--rounds N] ROWS.jsonl > table.csv

A line of ROWS.jsonl is a row:

  {"name": "rows 512x7168x4096", "pack": "packs/1", "peer": "scaled_mm",
   "sizes": [512, 7168, 4096], "fast": true}
  {"name": "table3", "pack": "packs/2", "peer": "einsum", "index": "adb,cd->cba",
   "sizes": {"a": 64, "b": 32, "c": 2048, "d": 2048}, "type": "bf16"}
  {"name": "experts", "pack": "packs/5", "peer": "grouped_mm", "groups": 8,
   "rows": 1024, "n": 14336, "k": 4096, "seed": 1, "type": "bf16"}
  {"name": "3x3", "pack": "packs/6", "peer": "conv", "images": [32, 56, 56, 64],
   "filters": [64, 3, 3], "strides": [1, 1], "padding": [1, 1], "dilations": [1, 1],
   "type": "bf16"}
  {"name": "blocks over tensors", "pack": "packs/3", "peer": "pack",
   "peer_pack": "packs/4", "sizes": {"M": 512, "N": 7168, "K": 4096}}
  {"name": "dual over wide", "pack": "packs/6", "peer": "pack",
   "peer_pack": "packs/7", "sizes": {"M": 2048, "N": 11008, "K": 4096},
   "peer_sizes": {"M": 2048, "N": 22016, "K": 4096}}

The results of PyTorch are compared with those of the pack; those of two packs are not.
A round runs both in random order, each as a linear chain in a CUDA graph over sets of
buffers that are together more than twice the L2. The figures are medians over rounds; the ratio is the
peer's time over tcgemm's, round by round. Needs torch and a GPU.
"""

import argparse
import json
import random
import statistics
import sys

import torch

import pack_launcher
from timing.contenders import draw_ends
from timing.graphs import compare, find_ratio, make_sets, time_chains

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def draw(shape, dtype):
    if dtype == torch.float8_e4m3fn:
        return torch.randn(shape, device="cuda").to(dtype)
    return torch.randn(shape, device="cuda", dtype=dtype)


class ScaledMm:
    """bf16 products of e4m3 with a scale for each row of A and each column of B."""

    def __init__(self, row):
        self.sizes, self.fast = row["sizes"], row["fast"]

    def make(self):
        m, n, k = self.sizes
        return [draw((m, k), torch.float8_e4m3fn),
                draw((n, k), torch.float8_e4m3fn),
                torch.rand(m, device="cuda") + 0.5,
                torch.rand(n, device="cuda") + 0.5,
                torch.empty(m, n, device="cuda", dtype=torch.bfloat16)]

    def run(self, values):
        a, b, rows, columns, _ = values
        return torch._scaled_mm(a, b.t(), scale_a=rows[:, None],
                                scale_b=columns[None, :],
                                out_dtype=torch.bfloat16,
                                use_fast_accum=self.fast)


class Einsum:
    def __init__(self, row):
        self.index, self.dtype = row["index"], TYPES[row["type"]]
        inputs, output = self.index.split("->")
        self.shapes = [[row["sizes"][letter] for letter in letters]
                       for letters in inputs.split(",") + [output]]

    def make(self):
        return [draw(shape, self.dtype) for shape in self.shapes]

    def run(self, values):
        return torch.einsum(self.index, values[0], values[1])


class GroupedMm:
    """Rows of groups, of drawn sizes, by a matrix of each group."""

    def __init__(self, row):
        self.dtype, self.row = TYPES[row["type"]], row

    def make(self):
        groups, rows, n, k = (self.row[name] for name in ("groups", "rows", "n", "k"))
        ends = draw_ends(groups, rows, self.row["seed"])
        return [draw((rows, k), self.dtype), draw((groups, n, k), self.dtype), ends,
                torch.empty(rows, n, device="cuda", dtype=self.dtype)]

    def run(self, values):
        a, b, ends, _ = values
        return torch._grouped_mm(a, b.transpose(1, 2), offs=ends,
                                 out_dtype=self.dtype)


class Conv:
    """A convolution of images N x H x W x C by filters F x R x S x C, which PyTorch
    has with its format channels_last."""

    def __init__(self, row):
        self.dtype, self.row = TYPES[row["type"]], row
        torch.backends.cudnn.benchmark = True

    def make(self):
        images, filters = self.row["images"], self.row["filters"]
        sizes = [(images[1 + i] + 2 * self.row["padding"][i]
                  - self.row["dilations"][i] * (filters[1 + i] - 1) - 1)
                 // self.row["strides"][i] + 1 for i in range(2)]
        return [draw(images, self.dtype),
                draw(filters + [images[3]], self.dtype),
                torch.empty([images[0]] + sizes + [filters[0]], device="cuda",
                            dtype=self.dtype)]

    def run(self, values):
        images, filters = (value.permute(0, 3, 1, 2) for value in values[:2])
        return torch.conv2d(
            images, filters, stride=self.row["strides"],
            padding=self.row["padding"],
            dilation=self.row["dilations"]).permute(0, 2, 3, 1)


class OtherPack:
    """Another pack on buffers of its own."""

    def __init__(self, row):
        self.sizes = row.get("peer_sizes", row["sizes"])
        self.pack = pack_launcher.Pack(row["peer_pack"])

    def make(self):
        return self.pack.make_values(self.sizes)

    def plan(self, values):
        return self.pack.plan(values)


PEERS = {"scaled_mm": ScaledMm, "einsum": Einsum, "grouped_mm": GroupedMm,
         "conv": Conv, "pack": OtherPack}


def make_chains(row):
    """The calls of both contenders, one for each set of buffers."""
    peer = PEERS[row["peer"]](row)
    pack = pack_launcher.Pack(row["pack"])
    if isinstance(peer, OtherPack):
        return ([pack.plan(values)
                 for values in make_sets(pack.make_values(row["sizes"]))],
                [peer.plan(values) for values in make_sets(peer.make())])
    sets = make_sets(peer.make())
    plans = [pack.plan(values) for values in sets]
    plans[0]()
    error = compare(sets[0][-1], peer.run(sets[0]))
    if not error < 0.02:
        raise ValueError("the results differ by %g" % error)
    return plans, [lambda values=values: peer.run(values) for values in sets]


def measure(row, options):
    times = time_chains(make_chains(row), options.rounds)
    return [*map(statistics.median, times), find_ratio(*times)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    random.seed(1)
    torch.manual_seed(1)
    ratios, failed = [], 0
    print("name,tcgemm_us,peer_us,ratio")
    with open(options.rows) as file:
        for line in file:
            row = json.loads(line)
            try:
                ours, peer, ratio = measure(row, options)
            except (RuntimeError, ValueError, KeyError) as error:
                print("%s: %s" % (row["name"], error), file=sys.stderr)
                failed += 1
                continue
            ratios.append(ratio)
            print("%s,%.2f,%.2f,%.3f" % (row["name"], ours, peer, ratio),
                  flush=True)
    if ratios:
        print("geometric mean of %d rows: %.3f" %
              (len(ratios), statistics.geometric_mean(ratios)))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
