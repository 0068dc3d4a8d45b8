#!/usr/bin/env python3
"""Measures the error of products of f32 or f16 by precision and by K.

  utils/bench/measure-numerics.py [--type=f32|f16] [--csv=FILE]
      [--run=build/release/bin/tcgemm-run]

The error of C is the greatest |C - C64| / (|A| |B|) over the elements, C64 and
|A| |B| in f64. It is compared with that of a loop that adds products in the order of
k by fused multiply-adds of f32. Needs NumPy, and a GPU for more than a few sizes:
--device=emulator runs small ones without.
"""

import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy

PRECISIONS = {"f32": ["ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"],
              "f16": ["ieee", "f16"]}
ELEMENTS = {"f32": numpy.float32, "f16": numpy.float16}


def draw_normal(rng, shape):
    return rng.standard_normal(shape)


def draw_wide(rng, shape):
    """Normal numbers times powers of 2, over 40 binades."""
    return rng.standard_normal(shape) * numpy.exp2(rng.uniform(-20, 20, shape))


def draw_cancelling(rng, shape):
    """Rows that nearly cancel: each number is followed by almost its negative."""
    half = rng.standard_normal((shape[0], shape[1] // 2))
    noise = 1 + 1e-4 * rng.standard_normal(half.shape)
    return numpy.stack([half, -half * noise], axis=2).reshape(shape)


DATA = {"normal": (draw_normal, draw_normal), "wide": (draw_wide, draw_wide),
        # B repeats each column, so that the terms of A cancel.
        "cancelling": (draw_cancelling,
                       lambda rng, shape: numpy.repeat(
                           rng.standard_normal((shape[0], shape[1] // 2)), 2, axis=1))}


def add_in_order(a, b):
    """The sum over k by fused multiply-adds of f32: products of f32 are exact in
    f64, and so are nearly all sums of a product and an f32."""
    total = numpy.zeros((a.shape[0], b.shape[0]), numpy.float32)
    wide_a, wide_b = a.astype(numpy.float64), b.astype(numpy.float64)
    for k in range(a.shape[1]):
        product = wide_a[:, k, None] * wide_b[None, :, k]
        total = (product + total).astype(numpy.float32)
    return total


def get_error(result, exact, scale):
    return float(numpy.max(numpy.abs(result - exact) / scale))


def run(options, folder, size, k, precision):
    command = [
        options.run, f"--type={options.type}", "--out-type=f32",
        f"--precision={precision}", f"--m={size}", f"--n={size}", f"--k={k}",
        f"--device={options.device}", f"--chip={options.chip}",
        f"--fill=A={folder}/a.npy", f"--fill=B={folder}/b.npy",
        f"--output=out0={folder}/d.npy"]
    if precision != "ieee" and options.config:
        command.append(f"--config={options.config}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(" ".join(command) + "\n" + done.stdout + done.stderr)
    return numpy.load(folder / "d.npy").astype(numpy.float64)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--run", default="build/release/bin/tcgemm-run")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--config", default="", help="configuration of the products")
    parser.add_argument("--size", type=int, default=256, help="M and N")
    parser.add_argument("--k", default="64,256,1024,4096,16384")
    parser.add_argument("--data", default=",".join(DATA))
    parser.add_argument("--type", default="f32", choices=PRECISIONS)
    parser.add_argument("--precisions", help="default: all of the type")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv")
    options = parser.parse_args()
    precisions = (options.precisions.split(",") if options.precisions else
                  PRECISIONS[options.type])
    rows = [["data", "k", "loop"] + precisions]
    print(("{:>11} {:>6}" + " {:>9}" * (1 + len(precisions))).format(*rows[0]))
    for data in options.data.split(","):
        for k in map(int, options.k.split(",")):
            rng = numpy.random.default_rng(options.seed)
            stored = [draw(rng, (options.size, k)).astype(ELEMENTS[options.type])
                      for draw in DATA[data]]
            a, b = (each.astype(numpy.float32) for each in stored)
            exact = a.astype(numpy.float64) @ b.T.astype(numpy.float64)
            scale = numpy.abs(a.astype(numpy.float64)) @ numpy.abs(b.T)
            errors = [get_error(add_in_order(a, b), exact, scale)]
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                numpy.save(folder / "a.npy", stored[0])
                numpy.save(folder / "b.npy", stored[1])
                errors += [get_error(run(options, folder, options.size, k, each), exact,
                                     scale) for each in precisions]
            rows.append([data, k] + [f"{error:.2e}" for error in errors])
            print(("{:>11} {:>6}" + " {:>9}" * len(errors)).format(*rows[-1]),
                  flush=True)
    if options.csv:
        with open(options.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)


if __name__ == "__main__":
    main()
