"""Rows for gemmkernels.py whose packs fail or have other arguments: wrong-packs.py
UTILS_BENCH TOOLS OUT."""

import argparse
import sys

bench, tools, out = sys.argv[1:]
sys.path.insert(0, bench)
import gemmkernels  # noqa: E402
from rows import gemmkernels as paper  # noqa: E402

sizes = paper.give_sizes(64, 32, 16)
operands = {"A": ["f16", [64, 16]], "B": ["f16", [32, 16]], "D": ["f16", [64, 32]]}
packs = {"packs/bad": ["--type=f16", *sizes, "--config=cta=63x64x64"],
         "packs/needs": ["--type=f16", *sizes, "--config={config:packs/bad}"],
         "packs/good": ["--type=f16", "--static", *sizes]}
row = paper.make_row(
    "swapped", operands,
    [paper.make_contender("tcgemm", [paper.give_pack("packs/good", "D", "B", "A")])], packs)
gemmkernels.Compiler(argparse.Namespace(out=out, tools=tools, chip="sm_90a",
                                        jobs=1)).compile_all([row])
