#!/usr/bin/env python3
"""Median wall time of tcgemm-opt from MLIR to a cubin, including ptxas.

usage: compile-time.py [TCGEMM_OPT [CHIP]]

Compiles a bf16 matmul with run-time sizes for each layout and for size hints that
select different default configurations. Pins the process to one core and uses the
best of three runs of each.
"""
import os
import statistics
import subprocess
import sys
import time

HINTS = ["4096x4096x4096", "8192x8192x8192", "1000x1000x1000", "777x1333x2111",
         "1024x16x500000", "16x4096x4096", "512x512x512", "256x256x1024",
         "2048x2048x2048", "64x8192x8192"]
LAYOUTS = {"tn": ("m, k", "n, k"), "tt": ("m, k", "k, n"),
           "nn": ("k, m", "n, k"), "nt": ("k, m", "k, n")}


def module(layout):
    a, b = LAYOUTS[layout]
    maps = ", ".join(f"affine_map<(m, n, k) -> ({dims})>" for dims in (a, b, "m, n"))
    t = "tensor<?x?xbf16>"
    return f"""
func.func @mm(%a: {t}, %b: {t}, %d: {t}) -> {t} {{
  %z = arith.constant 0.0 : bf16
  %i = linalg.fill ins(%z : bf16) outs(%d : {t}) -> {t}
  %r = linalg.matmul indexing_maps = [{maps}]
    ins(%a, %b : {t}, {t}) outs(%i : {t}) -> {t}
  return %r : {t}
}}
"""


def measure(tool, chip, layout, hint):
    # Configurations of the default model, without records.
    options = f"chip={chip} size-hint={hint} records=none"
    command = [tool, f"--tcgemm-to-cubin={options}", "-o", os.devnull]
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(command, input=module(layout), text=True, check=True)
        best = min(best, time.perf_counter() - start)
    return best


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/tcgemm-opt"
    chip = sys.argv[2] if len(sys.argv) > 2 else "sm_90"
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    times = []
    for layout in LAYOUTS:
        for hint in HINTS:
            times.append(measure(tool, chip, layout, hint))
            print(f"{layout} {hint:>16}: {times[-1]:.3f} s")
    print(f"median {statistics.median(times):.3f} s, largest {max(times):.3f} s")


if __name__ == "__main__":
    main()
