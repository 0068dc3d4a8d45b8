"""Random kernels for mutations of what products are besides a matrix product of two
operands: reductions in the epilogue, dual products, groups, scales of groups,
operands with bands, symmetric results, other algebras, contractions and convolutions.

NUMBERS has kernels that read numbers with components as blocks, and FUSED_GROUPS those
of groups of rows with epilogues.

A row of FORMS is a name, the function that draws a kernel, and the class that draws its
problems. A drawn kernel is the type, the configuration, and the arguments of tcgemm-run.
"""

import math

import random_algebras
import random_contractions
import random_convolutions
import random_dual
import random_grouped
import random_structured
from mutation_targets import ProblemDrawer
from mutation_types import (DEPTHS, SIDES, GeneratedKernel, TypeBuilder, draw_mma_sync,
                            draw_wgmma)
from random_problems import SIZES

LAYOUTS = ["tn", "nn", "nt", "tt"]
REDUCTIONS = ["row-max", "column-sum", "amax", "row-sumexp", "column-mean", "sumsq",
              "row-argmax", "column-argmax", "row-max_column-sum", "row-variance",
              "max_min", "argmax"]
INDEX_STRINGS = ["abk,kc->abc", "abk,kc->cab", "akb,ck->acb", "xak,xkc->xac",
                 "axk,xkc->xac", "akl,klc->ac", "abkl,ckl->abc", "ka,kbc->abc"]


# Kernels --------------------------------------------------------------------

def draw_product(rng, kind, config, *arguments, layouts=LAYOUTS, depths=DEPTHS):
    return kind, config, [
        "--type=" + kind, "--layout=" + rng.choice(layouts), "--m=%d" % rng.choice(SIDES),
        "--n=%d" % rng.choice(SIDES), "--k=%d" % rng.choice(depths), *arguments]


def draw_reduction(rng):
    kind = rng.choice(["bf16", "f16"])
    draw = rng.choice([draw_mma_sync, draw_wgmma])
    return draw_product(rng, kind, draw(rng, kind), "--reduce=" + rng.choice(REDUCTIONS),
                        "--out-type=f32")


def draw_dual(rng):
    kind = rng.choice(["bf16", "f16"])
    return draw_product(rng, kind, random_dual.draw_config(rng, kind),
                        "--dual=" + rng.choice(random_dual.FUNCTIONS),
                        "--epilogue=" + rng.choice(random_dual.EPILOGUES))


def draw_grouped(rng, groups="contiguous"):
    kind = rng.choice(["bf16", "f16"])
    along_k = groups == "ragged-k"
    return kind, random_grouped.draw_config(rng, kind, groups), [
        "--type=" + kind,
        "--layout=" + rng.choice(["tn", "tt"] + ["nt", "nn"] * along_k),
        "--groups=" + groups, "--group-sizes=3,64,0,70", "--n=%d" % rng.choice(SIDES),
        "--m=%d" % rng.choice(SIDES) if along_k else "--k=%d" % rng.choice(DEPTHS)]


def draw_padded(rng):
    return draw_grouped(rng, "padded")


def draw_along_k(rng):
    return draw_grouped(rng, "ragged-k")


# The last terms of a function's series change less than the output's rounding.
FUSED = [epilogue for epilogue in random_grouped.EPILOGUES
         if "silu" not in epilogue and "gelu" not in epilogue] + ["rowbias_bias_relu"]


def draw_fused_groups(rng):
    """Groups of rows whose result an epilogue consumes, of integers and tf32 too."""
    kind = rng.choice(["bf16", "f16", "s8", "tf32"])
    return kind, random_grouped.draw_config(rng, kind, "contiguous"), [
        "--type=" + kind, "--layout=" + rng.choice(["tn", "tt"]), "--out-type=" +
        rng.choice(random_grouped.list_outputs(kind)), "--group-sizes=3,64,0,70",
        "--n=%d" % rng.choice(SIDES), "--k=%d" % rng.choice(DEPTHS),
        "--epilogue=" + rng.choice(FUSED)]


def draw_group_scales(rng):
    kind, zeros = rng.choice([("bf16xs4", ""), ("f16xu4", "xu8"), ("f16xs4", ""),
                              ("bf16xu4", "xu8")])
    group = rng.choice([32, 64, 128])
    return draw_product(
        rng, kind, draw_mma_sync(rng, kind), "--group-scales=%dxf16%s" % (group, zeros),
        layouts=["tn"], depths=[group, 2 * group, 3 * group])


def draw_band(rng):
    kind = rng.choice(["bf16", "f16"])
    return draw_product(
        rng, kind, random_structured.draw_config(rng, kind, False, True),
        *("--band-%s=%s" % (operand, random_structured.draw_band(rng, 100, False))
          for operand in rng.choice(["a", "b", "ab"])))


def draw_symmetric(rng):
    kind = rng.choice(["bf16", "f16"])
    side = rng.choice(SIDES)
    return kind, random_structured.draw_config(rng, kind, True, True), [
        "--type=" + kind, "--symmetric", "--layout=" + rng.choice(["tn", "nt"]),
        "--m=%d" % side, "--n=%d" % side, "--k=%d" % rng.choice(DEPTHS)]


def draw_algebra(rng):
    kind = rng.choice(["f32", "s32"])
    algebra = random_algebras.draw_algebra(rng, kind)
    config = None
    while not config:
        config = random_algebras.draw_config(rng, kind, algebra)
    return draw_product(rng, kind, config, "--algebra=" + algebra, "--out-type=" + kind)


NUMBER_CONFIGS = [
    "cta=32x32x16,warps=1x1x1,stages=3,instruction=16x8x4",
    "cta=32x64x16,warps=1x2x1,stages=2,instruction=16x8x8,epilogue=staged",
    "cta=64x32x16,warps=2x1x1,stages=4,instruction=8x8x4,unaligned=copy_8",
    "cta=32x32x32,warps=1x1x2,stages=3,instruction=16x8x4,shared=sectors",
    "cta=32x32x16,warps=2x2x1,stages=3,instruction=16x8x16,split_k=7,fragment_buffers=1",
    "cta=16x32x32,warps=1x2x1,stages=3,instruction=16x8x8,shared=pad,copy_b=8"]


def draw_numbers(rng):
    config = {"schedule": "mma_sync", **parse_config(rng.choice(NUMBER_CONFIGS))}
    algebra = rng.choice(["complex", "complex-conj-a", "complex-conj-b", "quaternion",
                          "split-complex"])
    return "f64", config, [
        "--type=f64", "--algebra=" + algebra, "--layout=" + rng.choice(["tn", "tt"]),
        *("--%s=%d" % (letter, rng.choice([33, 50, 64, 70])) for letter in "mnk")]


def parse_config(text):
    config = {"stages": 3, **dict(item.split("=") for item in text.split(","))}
    return {key: int(value) if str(value).isdigit() else value
            for key, value in config.items()}


def draw_contraction(rng):
    text = rng.choice(INDEX_STRINGS)
    letters = sorted(set(text) & set("abcdefghijklmnopqrstuvwxyz"))
    sizes = ",".join("%s=%d" % (letter, rng.choice([2, 3, 8, 16])) for letter in letters)
    config = rng.choice([config for configs in random_contractions.CONFIGS.values()
                         for config in configs if config and "wmma," not in config])
    return "f16", parse_config(config), [
        "--type=f16", "--out-type=f32", "--einsum=" + text, "--sizes=" + sizes]


def draw_convolution(rng):
    configs = ["schedule=wgmma," + config for config in random_convolutions.WGMMA] + [
        config for config in random_convolutions.CONFIGS["sm_80"]
        if config and "wmma," not in config]
    image, filters = rng.randint(3, 7), rng.choice([8, 16, 40])
    taps = rng.choice([1, 2, 3])
    return "f16", parse_config(rng.choice(configs)), [
        "--type=f16", "--out-type=f32", "--conv=2x%dx%dx%d,%dx%dx%d" % (
            image, rng.randint(3, 7), rng.choice([8, 24, 64]), filters, taps, taps),
        "--strides=%d" % rng.choice([1, 1, 2]), "--padding=%d" % rng.choice([0, 1, 1]),
        "--dilations=%d" % rng.choice([1, 1, 2]),
        "--conv-layout=" + rng.choice(["nhwc_fhwc", "nhwc_hwcf"]),
        "--epilogue=" + rng.choice(["none", "bias", "relu"])]


# Problems -------------------------------------------------------------------

class SquareDrawer(ProblemDrawer):
    """M and N are equal."""

    def draw_size(self, letter, unit):
        if letter == "n":
            return self.side
        size = super().draw_size(letter, unit)
        if letter == "m":
            self.side = size
        return size


class GroupScalesDrawer(ProblemDrawer):
    """K is a multiple of the elements that share a scale."""

    def draw_size(self, letter, unit):
        size = super().draw_size(letter, unit)
        if letter != "k":
            return size
        kernel = next(self.pack.launches())[0]
        group = next(operand["group"] for operand in kernel["operands"]
                     if operand["role"] == "scale_b")
        return -(-size // group) * group


class ConvolutionDrawer(ProblemDrawer):
    """Only the number of images is drawn: about as many pixels as a kind has rows."""

    def draw_shapes(self, _):
        kernel, operands = next(self.pack.launches())
        shapes = {"arg%d" % i: list(argument["shape"])
                  for i, argument in enumerate(self.pack.function["arguments"])}
        pixels = math.prod(shapes["arg%d" % (len(shapes) - 1)][1:3])
        rows = self.draw_size("m", 1)
        images = kernel["sizes"]["M"] or -(-rows // pixels) * pixels
        images //= pixels
        for shape in shapes.values():
            shape[0] = shape[0] or images
        shapes.update({ref: self.describe_view(ref, shapes)
                       for ref in self.pack.views})
        sizes = {letter: kernel["sizes"][name] for letter, name in SIZES.items()}
        sizes["m"] = images * pixels
        return shapes, [([], sizes)]


class GroupedDrawer(ProblemDrawer):
    """Adds the ends of groups of rows: empty groups, and groups that end anywhere."""

    divided, tile = "M", "cta_m"

    def draw_values(self, size, groups):
        return sorted(draw_end(self.rng, size, self.pack.config[self.tile])
                      for _ in range(groups - 1)) + [size]

    def draw_once(self):
        case, possible = super().draw_once()
        kernel, operands = next(self.pack.launches())
        ref = next(ref for operand, ref in operands
                   if operand["role"] in ("offsets", "counts"))
        sizes = case.get("sizes", {})
        size = sizes.get(self.divided, kernel["sizes"][self.divided])
        groups = sizes.get("batch", kernel["sizes"]["batch"])
        case["fills"][ref] = "values:" + ",".join(
            map(str, self.draw_values(size, groups)))
        # Kernels read the sizes as a contiguous vector.
        case["ld_pads"][ref] = case["offsets"][ref] = 0
        return case, possible


class PaddedDrawer(GroupedDrawer):
    """Adds the numbers of rows of padded groups."""

    def draw_values(self, size, groups):
        return [draw_end(self.rng, size, self.pack.config[self.tile])
                for _ in range(groups)]


class AlongKDrawer(GroupedDrawer):
    """Adds the ends of groups along k."""

    divided, tile = "K", "cta_k"


def draw_end(rng, rows, tile):
    """The end of a group of rows; half of the ends are those of tiles."""
    end = rng.randint(0, rows)
    return end // tile * tile if rng.random() < 0.5 else end


FORMS = [
    ("reduction", draw_reduction, ProblemDrawer), ("dual", draw_dual, ProblemDrawer),
    ("grouped", draw_grouped, GroupedDrawer), ("padded", draw_padded, PaddedDrawer),
    ("along_k", draw_along_k, AlongKDrawer),
    ("group_scales", draw_group_scales, GroupScalesDrawer),
    ("band", draw_band, ProblemDrawer), ("symmetric", draw_symmetric, SquareDrawer),
    ("algebra", draw_algebra, ProblemDrawer),
    ("contraction", draw_contraction, ProblemDrawer),
    ("convolution", draw_convolution, ConvolutionDrawer)]


NUMBERS = [("numbers", draw_numbers, ProblemDrawer)]
FUSED_GROUPS = [("fused_groups", draw_fused_groups, GroupedDrawer)]


class FormBuilder(TypeBuilder):
    """Draws and compiles kernels, of each form in turn."""

    forms = FORMS

    def draw(self, rng, index):
        name, draw, _ = self.forms[index % len(self.forms)]
        kind, config, arguments = draw(rng)
        if rng.random() < 0.25:
            arguments.append("--static")
        return kind, config, arguments

    def describe(self, index, kind):
        kernel = GeneratedKernel(kind)
        name, _, drawer = self.forms[index % len(self.forms)]
        kernel.drawer = drawer
        if name == "algebra":  # Other algebras have other neutral elements.
            kernel.infinite = ""
        return kernel


class GroupsBuilder(FormBuilder):
    """Draws and compiles kernels of groups of rows with epilogues."""

    forms = FUSED_GROUPS


class NumbersBuilder(FormBuilder):
    """Draws and compiles kernels that read numbers as blocks."""

    forms = NUMBERS

    def __init__(self, options):
        super().__init__(options)
        self.algebras = {}

    def draw(self, rng, index):
        drawn = super().draw(rng, index)
        self.algebras[index] = next(argument for argument in drawn[2]
                                    if argument.startswith("--algebra="))
        return drawn

    def describe(self, index, kind):
        kernel = super().describe(index, kind)
        # The products of other numbers are subtracted, which gives NaN.
        if self.algebras[index] != "--algebra=split-complex":
            kernel.infinite = ""
        return kernel
