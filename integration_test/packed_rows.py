"""Runs only the program that packs A and B, with any strides.

Usage:
  packed_rows.py --pack DIR --tcgemm-run PATH

DIR is a pack of one kernel of f16 or f32 with PTX only. Its program is launched on
the emulator like in each variant that packs, but with special arrays: the sources
have exactly the required bytes, numbers between the elements, and strides that
problems of tcgemm-run do not have. The packed arrays are compared by equality.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

from npy_files import read_npy, write_npy
from random_problems import evaluate

# M, N, K; the innermost stride; elements after each row, or None if columns, not
# rows, have a stride of 1.
CASES = [
    ((3, 9, 1), 1, 0), ((7, 5, 7), 1, 0), ((8, 1, 8), 1, 0), ((1, 3, 9), 1, 3),
    ((70, 65, 20), 1, 1), ((2, 9, 64), 1, 1), ((3, 9, 65), 1, 0),
    ((9, 2, 128), 1, 3), ((2, 9, 129), 1, 0), ((17, 9, 131), 1, 2),
    ((5, 2, 513), 1, 0), ((2, 2, 512), 1, 0), ((2, 1, 1024), 1, 1),
    ((1, 3, 1025), 1, 0), ((1, 2, 1039), 1, 1), ((2, 1, 2111), 1, 0),
    ((130, 1031, 3), 1, 0), ((1027, 131, 9), 1, 2),
    ((3, 9, 20), 2, 0), ((9, 3, 513), 2, 1), ((140, 9, 133), 3, 0),
    ((3, 9, 20), None, None), ((9, 131, 150), None, None),
]


class Operand:
    """A or B as one case has it."""

    def __init__(self, info, sizes, inner, pad):
        self.name, self.type = info["name"], info["type"]
        self.dims = info["dims"]
        shape = [sizes[d] for d in self.dims]
        self.batch = shape[0] if len(shape) == 3 else 1
        self.rows, self.columns = shape[-2:]
        if pad is None:
            self.inner, self.pitch = self.rows, 1
            plane = self.rows * self.columns
        else:
            self.inner = inner
            self.pitch = plane = self.columns * inner + pad
            plane *= self.rows
        self.plane = plane + 5
        self.strides = [self.plane, self.pitch, self.inner][-len(shape):]
        count = 1 + self.get_index(self.batch - 1, self.rows - 1,
                                   self.columns - 1)
        # Small integers but 0, which both types have.
        self.values = [1 + i * 37 % 2039 for i in range(count)]

    def get_index(self, batch, row, column):
        return batch * self.plane + row * self.pitch + column * self.inner

    def get_packed(self, rows):
        pitch = -(-self.columns // 8) * 8
        return [self.values[self.get_index(b, r, c)]
                if r < self.rows and c < self.columns else 0
                for b in range(self.batch) for r in range(rows)
                for c in range(pitch)]


def run(options, kernel, step, packs, case, folder):
    """Whether the step packs the case correctly; prints a message if not."""
    (m, n, k), inner, pad = case
    batched = any("b" in o["dims"] for o in kernel["operands"])
    sizes = {"b": 2 if batched else 1, "m": m, "n": n, "k": k}
    symbols = {"batch": sizes["b"], "M": m, "N": n, "K": k}
    operands = [Operand(o, sizes, inner, pad) for o in kernel["operands"][:2]]
    for o in operands:
        for i, stride in enumerate(o.strides):
            symbols["%s_stride%d" % (o.name, i)] = stride
    contiguous = any(o["dims"][-1] == "k" for o in kernel["operands"][:2])
    vector = 8 if operands[0].type == "f16" else 1
    expected, arguments, outputs = [], [], []
    for o, is_packed in zip(operands, packs):
        rows = o.rows
        if contiguous and o.dims[-2] == "k":
            rows = -(-rows // vector) * vector
        expected.append(o.get_packed(rows) if is_packed else [math.nan])
    for argument in step["arguments"]:
        if argument["kind"] == "pointer":
            o = operands["AB".index(argument["operand"])]
            path = os.path.join(folder, o.name + ".npy")
            write_npy(path, o.type, (len(o.values),), o.values)
            arguments.append("in:%s[%d]:%s" % (o.type, len(o.values), path))
        elif argument["kind"] == "workspace":
            name = "AB"[len(outputs)]
            outputs.append(os.path.join(folder, "packed%s.npy" % name))
            arguments.append("%s=out:%s[%d]" % (name, operands[0].type,
                                                len(expected[len(outputs) - 1])))
        else:
            arguments.append("%s:%d" % (argument["kind"], evaluate(
                argument["value"], symbols)))
    ptx = os.path.join(options.pack, step["module"] + ".ptx")
    command = [options.tcgemm_run, ptx, "--device=emulator",
               "--kernel=" + step["symbol"], "--block=%d" % step["block"][0],
               "--grid=%d" % evaluate(step["grid"][0], symbols)]
    command += ["--arg=" + a for a in arguments]
    command += ["--output=%s=%s" % (name, path)
                for name, path in zip("AB", outputs)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print("FAILURE", case, packs, done.stdout, done.stderr, sep="\n")
        return False
    for o, wanted, path in zip(operands, expected, outputs):
        found = read_npy(path, o.type)
        wrong = [i for i, (x, y) in enumerate(zip(found, wanted))
                 if x != y and not (math.isnan(x) and math.isnan(y))]
        if len(found) != len(wanted) or wrong:
            i = wrong[0] if wrong else 0
            print("FAILURE", case, packs, "%s[%d] is %r, not %r, %d are wrong"
                  % (o.name, i, found[i], wanted[i], len(wrong)))
            print(" ".join(command))
            return False
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pack", required=True)
    parser.add_argument("--tcgemm-run", required=True)
    options = parser.parse_args()
    with open(os.path.join(options.pack, "manifest.json")) as file:
        kernel, = json.load(file)["kernels"]
    passed = launches = 0
    steps = {v["name"]: v["steps"][0] for v in kernel["variants"]}
    with tempfile.TemporaryDirectory() as folder:
        for i, case in enumerate(CASES):
            # Both together, and alternately one of them.
            one = "pack_" + "ab"[i % 2]
            for name, packs in (("pack_ab", (True, True)),
                                (one, (one == "pack_a", one == "pack_b"))):
                launches += 1
                passed += run(options, kernel, steps[name], packs, case, folder)
    print("%d launches, %d passed" % (launches, passed))
    return passed != launches


if __name__ == "__main__":
    sys.exit(main())
