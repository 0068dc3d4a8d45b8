"""Runs random contractions and compares D with the index string's
definition, by equality: the elements are small integers.

  random_contractions.py --tcgemm-run PATH [--cases N] [--seed N] [--only N]
      [--device emulator]

A GPU executes the configurations of every chip as its own ones.
"""

import itertools
import math
import os
import random
import sys

from npy_files import write_npy
from random_exact import check_result, run_cases

CONFIGS = {
    "sm_80": [None, "schedule=mma_sync,cta=32x32x32,warps=2x2x1,stages=2",
              "schedule=mma_sync,cta=16x32x32,warps=1x1x2,stages=3",
              "schedule=mma_sync,cta=32x32x32,warps=1x1x1,stages=2,split_k=2",
              "schedule=wmma,cta=32x32x32,warps=2x2x1"],
    "sm_90a": [None, "schedule=wgmma,cta=64x64x64,warps=4x1x1",
               "schedule=wgmma,cta=128x64x64,warps=8x1x1,persistent=false",
               "schedule=wgmma,cta=64x128x64,warps=4x1x1,swap_ab=true",
               "schedule=wgmma,cta=64x64x64,warps=4x1x1,split_k=2"],
}
MOST_TERMS = 60000  # products of elements in a case


class Case:
    """An index string with extents."""

    def __init__(self, rng, number):
        self.number = number
        # One k at least. Some results are numbers, or those of batches.
        kinds = ["k", rng.choice("mn")]
        kinds += [rng.choice("bmmnnk") for _ in range(rng.randint(0, 4))]
        if number % 6 == 5:
            kinds = [kind for kind in kinds if kind not in "mn"]
        kinds = [k for i, k in enumerate(kinds)
                 if k == "k" or kinds[:i].count(k) < 2]
        letters = rng.sample("abcdefghijklmnopqrstuvwxyz", len(kinds))
        self.extents = {}
        for letter in letters:
            self.extents[letter] = rng.choice([1, 2, 3, 4, 5, 8, 16, 24, 33])
        while math.prod(self.extents.values()) > MOST_TERMS:
            letter = rng.choice(letters)
            self.extents[letter] = max(1, self.extents[letter] // 2)
        self.operands = []
        for lacking in "nmk":
            own = [l for l, kind in zip(letters, kinds) if kind != lacking]
            if rng.random() < 0.7:
                rng.shuffle(own)
            self.operands.append("".join(own))
        self.chip = rng.choice(list(CONFIGS))
        self.config = rng.choice(CONFIGS[self.chip])
        self.is_static = rng.random() < 0.5
        self.relu = rng.random() < 0.2
        # A vector along m or n, with all indices of D of the kind. The text so far
        # is the seed, so that cases without a vector remain what they were.
        self.bias, self.vector = self.draw_bias(random.Random(
            " ".join(self.arguments())))

    def draw_bias(self, rng):
        """The name of the vector's part, and its letters; none for most cases."""
        a, b, d = self.operands
        kinds = {"bias": [l for l in d if l not in a],
                 "rowbias": [l for l in d if l not in b]}
        possible = sorted(name for name in kinds if kinds[name])
        if not possible or rng.random() < 0.5:
            return None, ""
        name = rng.choice(possible)
        return name, "".join(kinds[name])

    def shape(self, operand):
        return tuple(self.extents[l] for l in self.operands[operand])

    def strides(self, operand):
        strides, stride = {}, 1
        for letter in reversed(self.operands[operand]):
            strides[letter] = stride
            stride *= self.extents[letter]
        return strides

    def evaluate(self, a, b, bias):
        """D, as the index string says."""
        d = [0] * math.prod(self.shape(2))
        letters = list(self.extents)
        strides = [[self.strides(x).get(l, 0) for l in letters] for x in range(3)]
        ranges = [range(self.extents[l]) for l in letters]
        for at in itertools.product(*ranges):
            i, j, o = (sum(x * s for x, s in zip(at, row)) for row in strides)
            d[o] += a[i] * b[j]
        return self.finish(d, bias if self.bias else None)

    def finish(self, d, bias):
        """D after the epilogue."""
        if bias is not None:
            shape = [self.extents[l] for l in self.operands[2]]
            for o, at in enumerate(itertools.product(*map(range, shape))):
                place = 0
                for letter in self.vector:
                    place = (place * self.extents[letter] +
                             at[self.operands[2].index(letter)])
                d[o] += bias[place]
        return [max(0, x) for x in d] if self.relu else d

    def arguments(self, device="emulator"):
        text = "%s,%s->%s" % tuple(self.operands)
        sizes = ",".join("%s=%d" % item for item in self.extents.items())
        chip = self.chip if device == "emulator" else "sm_90a"
        arguments = ["--einsum=" + text, "--sizes=" + sizes, "--type=f16",
                     "--out-type=f32", "--chip=" + chip]
        if self.config:
            arguments.append("--config=" + self.config)
        if self.is_static:
            arguments.append("--static")
        parts = [getattr(self, "bias", None), "relu" if self.relu else None]
        if any(parts):
            arguments.append("--epilogue=" + "_".join(filter(None, parts)))
        return arguments + ["--device=" + device, "--records=none"]


def check(options, folder, case, rng):
    """Returns a description of the failure; empty if there is none."""
    a, b = ([rng.randint(-3, 3) for _ in range(math.prod(case.shape(x)))]
            for x in (0, 1))
    paths = [os.path.join(folder, name + ".npy") for name in "abd"]
    write_npy(paths[0], "f16", case.shape(0), a)
    write_npy(paths[1], "f16", case.shape(1), b)
    shape = tuple(case.extents[l] for l in case.vector)
    bias = [rng.randint(-9, 9) for _ in range(math.prod(shape))]
    fills = ["--fill=arg0=" + paths[0], "--fill=arg1=" + paths[1]]
    if case.bias:
        paths.append(os.path.join(folder, "bias.npy"))
        write_npy(paths[3], "f32", shape, bias)
        fills.append("--fill=arg2=" + paths[3])
    command = [options.tcgemm_run] + case.arguments(options.device) + fills + [
        "--output=arg%d=%s" % (len(fills), paths[2])]
    return check_result(command, paths[2], "f32", case.evaluate(a, b, bias))


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, lambda rng, number, options: Case(rng, number),
                       check,
                       lambda parser: parser.add_argument("--device",
                                                          default="emulator")))
