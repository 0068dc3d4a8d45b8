#!/usr/bin/env python3
"""Lists the instructions of SASS that multiply matrices, for each type and chip.

usage: list-sass-products.py [--chips=sm_80,sm_89,sm_90a] [--tools=DIR]
           [--cuobjdump=FILE]

Compiles a product of each type by `mma_sync`, `wgmma` and `wmma`, as far as the chip has
it, and counts the instructions of its cubin whose name has MMA. An instruction of PTX
that becomes others, such as HMMA of f16 for FP8, is emulated: isEmulated of
lib/Target/Instructions.cpp lists these for `tcgemm-tune types`. Needs cuobjdump of CUDA,
and no device. Exit codes: 0, 1 without cuobjdump, 2 if nothing could be compiled.
"""
import argparse
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# The flags of a type, and the depth of a tile.
TYPES = {"f16": ("", 32), "bf16": ("", 32), "f32": ("--precision=tf32", 32),
         "f64": ("", 16), "s8": ("", 128), "u8": ("", 128), "e4m3": ("", 128),
         "e5m2": ("", 128), "b1": ("", 1024)}
SCHEDULES = {"mma_sync": "cta=64x64x%d warps=2x2x1 stages=3",
             "wgmma": "cta=64x64x%d warps=4x1x1 stages=3",
             "wmma": "cta=64x64x%d warps=2x2x1 stages=2"}


def count(options, chip, kind, schedule, folder):
    flags, depth = TYPES[kind]
    config = "schedule=%s %s epilogue=direct" % (schedule, SCHEDULES[schedule] % depth)
    arguments = [os.path.join(options.tools, "tcgemm-run"), "--chip=" + chip,
                 "--m=256", "--n=256", "--k=2048", "--type=" + kind, "--records=none",
                 "--config=" + config, "--plan", "--save-pack=" + folder]
    arguments += [flags] if flags else []
    compiled = subprocess.run(arguments, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False)
    if compiled.returncode != 0:
        return None
    names = collections.Counter()
    for cubin in glob.glob(os.path.join(folder, "*.cubin")):
        text = subprocess.run([options.cuobjdump, "-sass", cubin], text=True,
                              stdout=subprocess.PIPE, check=True).stdout
        names.update(re.findall(r"\b[A-Z]*MMA\.[A-Z0-9_.]+", text))
    return names


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0],
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--chips", default="sm_80,sm_89,sm_90a")
    parser.add_argument("--tools", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--cuobjdump", default="cuobjdump")
    options = parser.parse_args()
    if not shutil.which(options.cuobjdump):
        sys.exit("list-sass-products.py: '%s' is not there" % options.cuobjdump)
    found = False
    for chip in options.chips.split(","):
        for kind in TYPES:
            for schedule in SCHEDULES:
                with tempfile.TemporaryDirectory() as folder:
                    names = count(options, chip, kind, schedule, folder)
                if names is None:
                    continue
                found = True
                print("%-8s %-5s %-9s %s" % (chip, kind, schedule, ", ".join(
                    "%s %d" % item for item in names.most_common(4))), flush=True)
    if not found:
        print("list-sass-products.py: nothing could be compiled", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
