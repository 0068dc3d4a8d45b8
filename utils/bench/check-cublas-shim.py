#!/usr/bin/env python3
"""Compares products of PyTorch through libtcgemm_cublas.so with exact ones.

  check-cublas-shim.py SHIM [--count N] [--seed S] [--mode compile|background]
                       [--largest N] [--device cuda|cpu]

Draws N random torch.mm, torch.addmm and torch.bmm of bf16, f16, f32, tf32 and
f64, with random sizes, strides, transpositions, offsets and factors. One process
computes them with LD_PRELOAD=SHIM, and one without. Both results are compared
with products in f64 on the CPU. An element may differ by two roundings of the
result's type, and by the type's share of |alpha| |A| |B| + |beta| |C|.

The script prints how many results are wrong, and how many calls of cuBLAS tcgemm
has served. It exits with 1 if a result through SHIM is wrong or if none was
served. Needs torch and a GPU; `--device=cpu` tries the script itself.
"""

import argparse
import ctypes
import os
import random
import subprocess
import sys
import tempfile

import torch

# Name: type, whether tf32 is allowed, the rounding of a result, and the share of
# the sum of absolute values by which a sum may be wrong.
TYPES = {"bf16": (torch.bfloat16, False, 2.0 ** -8, 2.0 ** -19),
         "f16": (torch.float16, False, 2.0 ** -11, 2.0 ** -19),
         "f32": (torch.float32, False, 2.0 ** -24, 2.0 ** -19),
         "tf32": (torch.float32, True, 2.0 ** -24, 2.0 ** -10),
         "f64": (torch.float64, False, 2.0 ** -53, 2.0 ** -48)}


def draw_size(draw, largest):
    """Small and large sizes, often multiples of 8."""
    size = max(1, round(largest ** draw.random()))
    return size if draw.random() < 0.5 else (size + 7) // 8 * 8


class Case:
    """A random product. The same seed and number give the same one."""

    def __init__(self, seed, number, largest):
        draw = random.Random(seed * 1000003 + number)
        self.name = draw.choice(["mm", "addmm", "bmm"])
        self.type = draw.choice(list(TYPES))
        self.m, self.n, self.k = (draw_size(draw, largest) for _ in range(3))
        self.batch = draw.randint(1, 5) if self.name == "bmm" else 0
        self.alpha = draw.choice([1, 1, -0.5, 2.25])
        self.beta = draw.choice([0, 1, 1, 0.75])
        self.has_row = draw.random() < 0.5
        self.layouts = [{"transposed": draw.random() < 0.5,
                         "gap": draw.choice([0, 0, 1, 3, 8]),
                         "offset": draw.choice([0, 0, 0, 1, 4]),
                         "shared": draw.random() < 0.2} for _ in range(2)]
        self.generator = torch.Generator().manual_seed(seed * 1000003 + number)

    def __str__(self):
        return "%s %s m=%d n=%d k=%d batch=%d alpha=%g beta=%g %s" % (
            self.name, self.type, self.m, self.n, self.k, self.batch, self.alpha,
            self.beta, self.layouts)

    def draw_matrix(self, rows, columns, layout, device):
        """A view of random values with the layout."""
        if layout["transposed"]:
            rows, columns = columns, rows
        matrices = 1 if layout["shared"] or not self.batch else self.batch
        pitch = columns + layout["gap"]
        count = layout["offset"] + matrices * rows * pitch
        memory = torch.randn(count, generator=self.generator,
                             dtype=torch.float64).to(TYPES[self.type][0]).to(device)
        view = memory[layout["offset"]:].view(matrices, rows, pitch)[:, :, :columns]
        if layout["transposed"]:
            view = view.mT
        return view.expand(self.batch, -1, -1) if self.batch else view[0]

    def draw_operands(self, device):
        a = self.draw_matrix(self.m, self.k, self.layouts[0], device)
        b = self.draw_matrix(self.k, self.n, self.layouts[1], device)
        shape = (self.n,) if self.has_row else (self.m, self.n)
        c = torch.randn(shape, generator=self.generator, dtype=torch.float64)
        return a, b, c.to(TYPES[self.type][0]).to(device)

    def compute(self, device):
        """The result of PyTorch, on the CPU."""
        a, b, c = self.draw_operands(device)
        torch.backends.cuda.matmul.allow_tf32 = TYPES[self.type][1]
        if self.name == "addmm":
            result = torch.addmm(c, a, b, beta=self.beta, alpha=self.alpha)
        else:
            result = (torch.mm if self.name == "mm" else torch.bmm)(a, b)
        return result.cpu()

    def is_right(self, result):
        a, b, c = (x.to(torch.float64) for x in self.draw_operands("cpu"))
        exact, absolute = a @ b, a.abs() @ b.abs()
        if self.name == "addmm":
            exact = self.alpha * exact + self.beta * c
            absolute = abs(self.alpha) * absolute + abs(self.beta) * c.abs()
        _, _, rounding, share = TYPES[self.type]
        error = (result.to(torch.float64) - exact).abs()
        # A comparison with NaN is false.
        return result.shape == exact.shape and bool(
            (error <= 2 * rounding * exact.abs() + share * absolute).all())


def compute_all(arguments):
    """Writes the results of all cases, and what the library has counted."""
    results = [Case(arguments.seed, i, arguments.largest).compute(arguments.device)
               for i in range(arguments.count)]
    counts = (ctypes.c_uint64(), ctypes.c_uint64())
    if "libtcgemm_cublas" in os.environ.get("LD_PRELOAD", ""):
        count = ctypes.CDLL(os.environ["LD_PRELOAD"]).tcgemmCublasGetCounts
        count(ctypes.byref(counts[0]), ctypes.byref(counts[1]))
    torch.save((results, [c.value for c in counts]), arguments.results)


def run(arguments, path, preload):
    environment = dict(os.environ)
    if preload:
        environment.update(LD_PRELOAD=os.path.abspath(arguments.shim),
                           TCGEMM_CUBLAS=arguments.mode,
                           TCGEMM_CUBLAS_SUMMARY="-")
    options = ["--%s=%s" % (name, getattr(arguments, name))
               for name in ("count", "seed", "largest", "device")]
    subprocess.run([sys.executable, __file__, arguments.shim, *options,
                    "--results=" + path], env=environment, check=True)
    return torch.load(path)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("shim")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 20))
    parser.add_argument("--largest", type=int, default=700)
    parser.add_argument("--mode", choices=["compile", "background"],
                        default="compile")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--results", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.results:
        compute_all(arguments)
        return 0
    if not os.path.exists(arguments.shim):
        parser.error("there is no file '%s'" % arguments.shim)
    print("seed %d" % arguments.seed, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        plain, _ = run(arguments, os.path.join(folder, "plain"), False)
        served, counts = run(arguments, os.path.join(folder, "served"), True)
    wrong = {"cuBLAS": 0, "tcgemm_cublas": 0}
    for number in range(arguments.count):
        for name, result in (("cuBLAS", plain[number]),
                             ("tcgemm_cublas", served[number])):
            case = Case(arguments.seed, number, arguments.largest)
            if not case.is_right(result):
                wrong[name] += 1
                print("wrong: %s: number %d: %s" % (name, number, case))
    print("%d products: %d wrong through tcgemm_cublas, %d wrong without; "
          "%d calls served, %d forwarded"
          % (arguments.count, wrong["tcgemm_cublas"], wrong["cuBLAS"], *counts))
    return 1 if wrong["tcgemm_cublas"] or counts[0] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
