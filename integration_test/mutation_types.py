"""Random kernels for mutations of the instructions that multiply other types than
f16 and bf16 with sums of f32: integers, FP8, tf32, f64, split f32, mixed and packed
operands, and sums of f16. Those of random_kernels.py have the other types.

Only these lists and this file decide what is drawn, so that the kernels stay the same if
other random tests get more types: benign-mutations.json has lines of these kernels.
"""

import concurrent.futures
import os
import random
import re
import shlex
import sys

from ptx_mutations import join_lines
from random_cases import Pack
from random_running import run_tool

ATTEMPTS = 100
SIDES = [1, 7, 16, 33, 64, 100, 128, 160]
DEPTHS = [16, 48, 64, 100, 128, 256]
# Type, schedule, and what else is fixed. A kernel is drawn of each in turn.
KINDS = [
    ("s8", "wgmma", {}), ("e4m3", "wgmma", {"promote_sums": "false"}),
    ("tf32", "wgmma", {}), ("f64", "mma_sync", {}), ("bf16xs8", "mma_sync", {}),
    ("s8", "mma_sync", {}), ("e4m3", "wgmma", {"block_scales": "ab"}),
    ("tf32x3", "wgmma", {}), ("bf16xs4", "mma_sync", {}),
    ("f16acc16", "wgmma", {"promote_sums": "false"}), ("tf32", "mma_sync", {}),
    ("u8", "wgmma", {}), ("e5m2xe4m3", "wgmma", {"promote_sums": "true"}),
    ("bf16x6", "mma_sync", {}), ("f16xe4m3", "mma_sync", {}), ("s4", "mma_sync", {}),
    ("u8xs8", "mma_sync", {}), ("f16acc16", "mma_sync", {}), ("bf16x3", "wgmma", {}),
    ("s8xs4", "mma_sync", {}), ("e4m3", "mma_sync", {}), ("s8xu8", "wgmma", {}),
    ("f16acc16", "wgmma", {"promote_sums": "true"}), ("f16xu4", "mma_sync", {}),
    ("tf32x3", "mma_sync", {})]
# Kernels whose results have 8 bits, too.
RESULTS = [
    ("s8", "wgmma", {"output": "s8"}),
    ("e4m3", "wgmma", {"output": "e4m3", "promote_sums": "false"}),
    ("u8xs8", "wgmma", {"output": "s8"}),
    ("e5m2", "wgmma", {"output": "e5m2", "promote_sums": "true"})]
# Operands whose elements of 4 bits are interleaved.
INTERLEAVED = [
    ("bf16xu4i", "wgmma", {"group_scales": "128xf16xu8"}),
    ("s4ixf16", "wgmma", {"promote_sums": "false"}),
    ("bf16xs4i", "wgmma", {"group_scales": "64"}),
    ("u4ixbf16", "wgmma", {"promote_sums": "false"})]
# Warpgroups that divide the depth of stages.
PARTS = [
    ("bf16xu4i", "wgmma", {"group_scales": "128xf16xu8", "parts": 2}),
    ("s8xbf16", "wgmma", {"promote_sums": "false", "parts": 2}),
    ("bf16xs4", "wgmma", {"group_scales": "64", "parts": 4}),
    ("e4m3xf16", "wgmma", {"promote_sums": "true", "parts": 4})]
# Persistent CTAs of mma_sync.
PERSISTENT = [
    ("f64", "mma_sync", {"persistent": True}), ("s8", "mma_sync", {"persistent": True}),
    ("bf16xs8", "mma_sync", {"persistent": True}),
    ("tf32", "mma_sync", {"persistent": True})]
INTERLEAVED_DEPTHS = [128, 256, 384]  # Groups divide a static K.
PERSISTENT_SIDES = [64, 100, 128, 160]  # They give each CTA several tiles.
PARTS_DEPTHS = [640, 1024, 1280]  # They reach all parts of several stages.
SETS = {"types": KINDS, "results": RESULTS, "interleaved": INTERLEAVED,
        "parts": PARTS, "persistent": PERSISTENT}
# Parameters that decide on problems, with the values that they have if not drawn.
DEFAULTS = {"raster": "along_m", "raster_group": 8, "min_ctas": 0,
            "cluster": "1x1x1", "split_k": 1}


def is_interleaved(kind):
    return any(word in ("s4i", "u4i") for word in kind.split("x"))


def is_packed(kind):
    return is_interleaved(kind) or any(
        word.endswith("4") and word[0] in "su" for word in kind.split("x"))


def get_operands(kind):
    """The types of A and B."""
    a, _, b = kind.partition("x")
    # `tf32x3` is one type.
    return (kind, kind) if not b or b.isdigit() else (a, b)


def get_bits(kind):
    """The width of an element of the instruction."""
    if kind == "f64":
        return 64
    if "tf32" in kind or kind in ("f32", "s32"):
        return 32
    return 16 if "bf16" in kind or "f16" in kind else 8


class GeneratedKernel:
    """What a product has that tcgemm-run generates. Small integers make results that
    are compared by equality."""

    def __init__(self, kind):
        self.is_exact = True
        # The tolerance of FP8 and of sums of f16 hides defects of other contents.
        self.needs_integers = "e4m3" in kind or "e5m2" in kind or kind == "f16acc16"
        # The operands, of `a` and `b`, whose type has an infinity.
        self.infinite = [name for name, type in zip("ab", get_operands(kind)) if type in
                         ("f64", "tf32", "f16acc16", "e5m2", "f16", "bf16")]
        self.least_unit = 32 if is_interleaved(kind) else 2 if is_packed(kind) else 1

    def find(self, _):
        return None  # No alpha and beta.


def draw_mma_sync(rng, kind):
    shape = [16, 8, 256 // get_bits(kind)]
    config = {"schedule": "mma_sync"}
    if kind == "f64":
        shape = rng.choice([[8, 8, 4], [16, 8, 4], [16, 8, 8], [16, 8, 16]])
        config["instruction"] = "x".join(map(str, shape))
    elif is_packed(kind):
        shape[2] *= 2  # Two instructions share a word.
    warps = rng.choice([(1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 1), (1, 1, 2)])
    cta = [16 * count * rng.choice([1, 1, 2]) for count in warps[:2]]
    cta.append(shape[2] * warps[2] * rng.choice([1, 2, 4]))
    return {**config, "cta": "%dx%dx%d" % tuple(cta), "warps": "%dx%dx%d" % warps,
            "stages": rng.choice([2, 3, 4]), "split_k": rng.choice([1, 1, 2]),
            "copy_a": rng.choice([16, 16, 8]), "copy_b": rng.choice([16, 16, 8]),
            "unaligned": rng.choice(["pack", "copy_8"]),
            "shared": rng.choice(["xor", "pad", "sectors"]),
            "fragment_buffers": rng.choice([1, 2]),
            "epilogue": rng.choice(["direct", "staged"])}


def count_products(kind):
    """The products of parts that the depth of a stage of wgmma counts."""
    return 3 if kind.endswith("x3") else 1


def draw_wgmma(rng, kind):
    groups = rng.choice([1, 1, 2])
    cta = [64 * groups, rng.choice([8, 16, 32, 48, 64]),
           rng.choice([2, 4, 4]) * 256 // get_bits(kind)]
    cta[2] *= count_products(kind)
    config = {"schedule": "wgmma", "cta": "%dx%dx%d" % tuple(cta),
              "warps": "%dx1x1" % (4 * groups), "stages": rng.choice([2, 3, 4]),
              "split_k": rng.choice([1, 1, 2]),
              "persistent": rng.choice(["true", "false"]),
              "cluster": rng.choice(["1x1x1", "1x1x1", "2x1x1", "1x2x1", "1x1x2"]),
              "epilogue": rng.choice(["direct", "staged", "tma"]),
              "swap_ab": rng.choice(["false", "false", "true"])}
    if "x3" not in kind and rng.random() < 0.3:
        config.update(producer="cp_async", cluster="1x1x1",
                      copy_a=rng.choice([16, 8, 4]), copy_b=rng.choice([16, 8, 4]))
    return config


def divide_depth(config, kind, parts):
    """Lets so many warpgroups divide the depth of each stage."""
    rows, columns, depth = map(int, config["cta"].split("x"))
    # The operand with fewer bits is converted and takes the rows.
    a, b = get_operands(kind)
    swap = b[0] in "sue"
    depth = max(depth, 64) * parts
    sides = (columns, rows, depth) if swap else (rows, columns, depth)
    config.update(cta="%dx%dx%d" % sides, swap_ab=str(swap).lower(),
                  warps=config["warps"].rsplit("x", 1)[0] + "x%d" % parts,
                  persistent="false")


def make_persistent(rng, config):
    """Lets the CTAs of a kernel of mma_sync compute several tiles. The stages hold all
    of K or a part of it."""
    m, n, k = map(int, config["cta"].split("x"))
    warps = config["warps"].split("x")
    depth = k // int(warps[2])
    config.update(cta="%dx%dx%d" % (m, n, depth), warps="x".join(warps[:2] + ["1"]),
                  split_k=1, epilogue="direct", persistent="true",
                  stages=rng.choice([2, 4, 6]), raster=rng.choice(["along_m", "along_n"]),
                  tile_order=rng.choice(["sequential", "sequential", "strided"]))


def draw_config(rng, kind, schedule):
    draw = draw_wgmma if schedule == "wgmma" else draw_mma_sync
    return draw(rng, kind)


def draw_layout(rng, kind):
    layouts = ["tn", "nn", "nt", "tt"]
    if is_packed(kind):  # Operands of 4 bits have rows along k.
        a, b = get_operands(kind)
        layouts = [layout for layout in layouts
                   if (not is_packed(a) or layout[0] == "t")
                   and (not is_packed(b) or layout[1] == "n")]
    return rng.choice(layouts)


def split_config(config):
    """The configuration as other random kernels have it: a key for each side."""
    result = {**DEFAULTS, **config}
    for side, size in zip("mnk", config["cta"].split("x")):
        result["cta_" + side] = int(size)
    return result


class TypeBuilder:
    """Draws and compiles kernels."""

    def __init__(self, options):
        self.options = options

    def draw(self, rng, index):
        """The kind of a kernel, its configuration, and arguments of tcgemm-run."""
        kinds = SETS[self.options.schedule]
        kind, schedule, fixed = kinds[index % len(kinds)]
        config = draw_config(rng, kind, schedule)
        arguments = ["--type=" + kind, "--layout=" + draw_layout(rng, kind)]
        if "output" in fixed:
            arguments.append("--out-type=" + fixed["output"])
        if "block_scales" in fixed:
            arguments.append("--block-scales=" + fixed["block_scales"])
            config.update(promote_sums="true", swap_ab="false",
                          cta=config["cta"].rsplit("x", 1)[0] + "x128")
        elif "group_scales" in fixed:
            arguments.append("--group-scales=" + fixed["group_scales"])
            config["promote_sums"] = "true"
        elif "promote_sums" in fixed:
            config["promote_sums"] = fixed["promote_sums"]
        if "parts" in fixed:
            divide_depth(config, kind, fixed["parts"])
        if "persistent" in fixed:
            make_persistent(rng, config)
        depths = (PARTS_DEPTHS if "parts" in fixed else
                  INTERLEAVED_DEPTHS if is_interleaved(kind) else DEPTHS)
        sides = PERSISTENT_SIDES if "persistent" in fixed else SIDES
        arguments += ["--m=%d" % rng.choice(sides), "--n=%d" % rng.choice(sides),
                      "--k=%d" % rng.choice(depths)]
        if rng.random() < 0.25:
            arguments.append("--static")
        return kind, config, arguments

    def describe(self, _, kind):
        return GeneratedKernel(kind)

    def build(self, index):
        """The pack of one index."""
        options = self.options
        name = "k%04d" % index
        folder = os.path.join(options.out, "packs", name)
        for attempt in range(ATTEMPTS):
            rng = random.Random("%d/%s/%d/%d" % (options.seed, options.schedule,
                                                 index, attempt))
            kind, config, arguments = self.draw(rng, index)
            text = " ".join("%s=%s" % item for item in config.items())
            command = [options.tcgemm_run, *arguments, "--chip=" + options.chip,
                       "--records=none", "--config=" + text, "--save-pack=" + folder,
                       "--plan", "--pipeline-options=format=ptx"]
            status, output = run_tool(command)
            if status == 0:
                break
            if not re.search("illegal config|allow-spills|and this configuration",
                             output):
                sys.exit("mutate_kernels.py: exit %s: %s\n  again: %s" % (
                    status, output.strip()[-2000:], shlex.join(command)))
        else:
            sys.exit("mutate_kernels.py: no legal draw of %s" % name)
        for file in os.listdir(folder):
            if file.endswith(".ptx"):
                self.join(os.path.join(folder, file))
        pack = Pack(name, folder, self.describe(index, kind), split_config(config),
                    options.scale)
        depth = pack.config["cta_k"]
        if pack.config["schedule"] == "wgmma":
            depth //= count_products(kind)
        pack.row_bytes = depth * get_bits(kind) // 8
        return pack

    @staticmethod
    def join(path):
        with open(path) as file:
            text = join_lines(file.read())
        with open(path, "w") as file:
            file.write(text)

    def run(self):
        jobs = self.options.jobs or os.cpu_count()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(self.build, range(self.options.kernels)))
