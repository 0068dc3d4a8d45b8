"""Runs random convolutions and compares the results with the definition, by equality:
the elements are small integers.

  random_convolutions.py --tcgemm-run PATH [--cases N] [--seed N] [--only N]
      [--device emulator] [--chip CHIP]
"""

import math
import os
import sys

from npy_files import write_npy
from random_exact import check_result, run_cases

WGMMA = ["cta=64x64x64,warps=4x1x1", "cta=128x64x64,warps=8x1x1,persistent=false",
         "cta=64x64x128,warps=4x1x1,stages=2", "cta=64x64x32,warps=4x1x1",
         "cta=32x64x64,warps=4x1x1,swap_ab=true,epilogue=direct",
         "cta=64x64x64,warps=4x1x1,split_k=2", "cta=64x64x64,warps=4x1x1,cluster=2x1x1",
         "cta=64x64x64,warps=4x1x1,cluster=1x2x1",
         "cta=64x64x64,warps=8x1x1,pingpong=true,persistent=true,epilogue=staged",
         "cta=64x64x64,warps=4x1x1,producer=cp_async"]
CONFIGS = {
    "sm_80": [None, "schedule=mma_sync,cta=32x32x32,warps=2x2x1,stages=2",
              "schedule=mma_sync,cta=32x32x32,warps=1x1x1,stages=2,split_k=2",
              "schedule=wmma,cta=32x32x32,warps=2x2x1"],
    "sm_90a": [None] + ["schedule=wgmma," + text for text in WGMMA],
}
LAYOUTS = {"nhwc_fhwc": ("nhwc", "fhwc", "nhwf"),
           "nhwc_hwcf": ("nhwc", "hwcf", "nhwf"),
           "nchw_fchw": ("nchw", "fchw", "nfhw")}
MOST_TERMS = 600000  # products of elements in a case


class Case:
    def __init__(self, rng, options):
        self.chip = options.chip or rng.choice(list(CONFIGS))
        self.type = rng.choice(["f16", "f16", "f16", "f32"])
        self.config = (rng.choice(CONFIGS[self.chip])
                       if self.type == "f16" and self.chip in CONFIGS else None)
        self.layout = rng.choice(list(LAYOUTS))
        while True:
            self.draw(rng)
            rows, columns = self.output()
            terms = (self.images * rows * columns * self.filters
                     * math.prod(self.filter) * self.channels)
            if rows > 0 and columns > 0 and terms <= MOST_TERMS:
                break
        self.is_static = rng.random() < 0.3
        self.epilogue = rng.choice(["none", "none", "relu", "bias", "bias_relu",
                                    "residual", "bias_residual_relu"])

    def draw(self, rng):
        self.images = rng.choice([1, 1, 2, 3])
        self.image = [rng.randint(1, 9), rng.randint(1, 9)]
        self.channels = rng.choice([1, 3, 8, 32, 64, 64, 96, 128])
        self.filters = rng.choice([1, 3, 8, 16, 40, 72])
        self.filter = [rng.choice([1, 1, 2, 3, 3, 5]) for _ in range(2)]
        self.strides = [rng.choice([1, 1, 2, 3]) for _ in range(2)]
        self.dilations = [rng.choice([1, 1, 2, 3]) for _ in range(2)]
        self.padding = [rng.choice([0, 0, 1, 2, 4]) for _ in range(4)]

    def output(self):
        return [(self.image[i] + self.padding[i] + self.padding[i + 2]
                 - self.dilations[i] * (self.filter[i] - 1) - 1)
                // self.strides[i] + 1 for i in range(2)]

    def shape(self, operand):
        dims = LAYOUTS[self.layout][operand]
        sides = [self.image, self.filter, self.output()][operand]
        sizes = {"n": self.images, "c": self.channels, "f": self.filters,
                 "h": sides[0], "w": sides[1]}
        return tuple(sizes[dim] for dim in dims)

    def strides_of(self, operand):
        strides, stride = {}, 1
        for dim, size in reversed(list(zip(LAYOUTS[self.layout][operand],
                                           self.shape(operand)))):
            strides[dim] = stride
            stride *= size
        return strides

    def inputs(self):
        """The shapes of the epilogue's inputs."""
        return [(self.filters,) if part == "bias" else self.shape(2)
                for part in self.epilogue.split("_") if part in ("bias", "residual")]

    def apply(self, value, place, channel, inputs):
        inputs = iter(inputs)
        for part in self.epilogue.split("_"):
            if part == "relu":
                value = max(0, value)
            elif part == "bias":
                value += next(inputs)[channel]
            elif part == "residual":
                value += next(inputs)[place]
        return value

    def evaluate(self, images, weights, inputs):
        """The result, by the definition."""
        a, b, d = (self.strides_of(i) for i in range(3))
        result = [0] * math.prod(self.shape(2))
        rows, columns = self.output()
        for n in range(self.images):
            for y in range(rows):
                for x in range(columns):
                    taps = []
                    for i in range(self.filter[0]):
                        for j in range(self.filter[1]):
                            h = y * self.strides[0] - self.padding[0] + i * self.dilations[0]
                            w = x * self.strides[1] - self.padding[1] + j * self.dilations[1]
                            if 0 <= h < self.image[0] and 0 <= w < self.image[1]:
                                taps.append((n * a["n"] + h * a["h"] + w * a["w"],
                                             i * b["h"] + j * b["w"]))
                    for f in range(self.filters):
                        total = sum(images[p + c * a["c"]] * weights[q + f * b["f"] + c * b["c"]]
                                    for p, q in taps for c in range(self.channels))
                        place = n * d["n"] + y * d["h"] + x * d["w"] + f * d["f"]
                        result[place] = self.apply(total, place, f, inputs)
        return result

    def arguments(self, options):
        join = lambda numbers, sign: sign.join(map(str, numbers))
        arguments = ["--conv=%dx%dx%dx%d,%dx%dx%d" % (
            self.images, *self.image, self.channels, self.filters, *self.filter),
            "--conv-layout=" + self.layout, "--strides=" + join(self.strides, ","),
            "--dilations=" + join(self.dilations, ","),
            "--padding=" + join(self.padding, ","), "--type=" + self.type,
            "--out-type=f32", "--epilogue=" + self.epilogue]
        if options.device == "emulator" or options.chip:
            arguments.append("--chip=" + self.chip)
        if self.config:
            arguments.append("--config=" + self.config)
        if self.is_static:
            arguments.append("--static")
        return arguments + ["--device=" + options.device, "--records=none"]


def check(options, folder, case, rng):
    """Returns a description of the failure; empty if there is none."""
    shapes = [case.shape(0), case.shape(1)] + case.inputs()
    values, command = [], [options.tcgemm_run] + case.arguments(options)
    for i, shape in enumerate(shapes):
        path = os.path.join(folder, "%d.npy" % i)
        values.append([rng.randint(-3, 3) for _ in range(math.prod(shape))])
        # Inputs of epilogues are f32.
        write_npy(path, case.type if i < 2 else "f32", shape, values[i])
        command.append("--fill=arg%d=%s" % (i, path))
    output = os.path.join(folder, "d.npy")
    command.append("--output=arg%d=%s" % (len(shapes), output))
    def refuse(text):
        is_checked = options.device == "emulator"
        return text if is_checked and "no findings" not in text else ""

    return check_result(command, output, "f32",
                        case.evaluate(values[0], values[1], values[2:]), refuse)


def add_options(parser):
    parser.add_argument("--device", default="emulator")
    parser.add_argument("--chip", help="of all cases; default: any")


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, lambda rng, number, options: Case(rng, options),
                       check, add_options))
