"""Draws configurations of the schedule wgmma."""

import random_drawing
from random_drawing import CHIPS, draw_values

SIDES = list(range(8, 257, 8)) + [320, 384]
ELEMENTS = ["f16", "bf16"]
RUNS_ON = ["sm_90a"]
HAS_DEPENDENT_LAUNCH = True
PARAMETERS = {
    "schedule": ["wgmma"],
    "cta_m": SIDES, "cta_n": SIDES, "cta_k": [32, 64, 128],
    "warps_m": [4, 8, 12], "warps_n": [1], "warps_k": [1],
    "stages": list(range(2, 13)),
    "raster": ["along_m", "along_n"], "raster_group": [1, 2, 3, 5, 8, 16, 64],
    "split_k": [1, 2, 3, 4, 5, 6, 7, 8], "slice_order": ["outer", "inner"],
    "epilogue": ["direct", "staged", "tma"], "epilogue_buffers": [1, 2, 3, 4, 8],
    "cluster": ["1x1x1", "2x1x1", "1x2x1", "2x2x1", "4x1x1", "1x4x1", "4x2x1",
                "2x4x1", "8x1x1", "1x8x1", "1x1x2", "1x1x4", "1x1x8", "2x1x2",
                "1x2x4", "2x2x2"],
    "l2_promotion": [0, 64, 128, 256],
    "persistent": ["true", "false"], "pingpong": ["true", "false"],
    "swap_ab": ["true", "false"], "stage_inputs": ["true", "false"],
    "min_ctas": [0, 1, 2, 3, 4], "producer": ["tma", "cp_async"],
    "copy_a": [16, 8, 4, 2], "copy_b": [16, 8, 4, 2],
}
# Values that are drawn more often than others.
FAVOURED = {"split_k": 1, "min_ctas": 0, "cluster": "1x1x1", "cta_k": 64,
            "pingpong": "false", "epilogue_buffers": 2, "swap_ab": "false",
            "stage_inputs": "false", "producer": "tma", "l2_promotion": 128}
BLOCK_SHARED, SM_SHARED, SM_THREADS = CHIPS["sm_90a"]
SM_REGISTERS = 65536
STRESS_BYTES = 200 * 1024


class Shape:
    """Sizes that follow from a configuration."""

    def __init__(self, c):
        self.groups = c["warps_m"] // 4
        self.warpgroups_per_tile = 1 if c["pingpong"] == "true" else self.groups
        self.swaps = c["swap_ab"] == "true"
        sides = ("cta_n", "cta_m") if self.swaps else ("cta_m", "cta_n")
        self.row_key, self.column_key = sides
        self.cluster = [int(size) for size in c["cluster"].split("x")]
        # CTAs that store a part of the sum over the cluster's slices of k.
        self.parts = self.cluster[2]
        while self.parts > 1 and c[self.column_key] % (8 * self.parts):
            self.parts //= 2
        self.threads = 32 * c["warps_m"] + 128
        self.ctas = max(1, c["min_ctas"])
        self.copies = c["producer"] == "cp_async"
        self.width = min(c["copy_a"], c["copy_b"])


def format_config(c):
    return random_drawing.format_config(
        c, more=["instruction=64x%dx16" % c[Shape(c).column_key]])


def round_up(value, unit):
    return (value + unit - 1) // unit * unit


def ring_bytes(c, stages):
    depth = min(64, c["cta_k"])
    part = sum(round_up(c[key] * depth * 2, 1024) for key in ("cta_m", "cta_n"))
    return stages * (c["cta_k"] // depth * part + 16)


def input_bytes(c, stageable):
    """The rings of the epilogue's inputs."""
    if c["stage_inputs"] == "false":
        return 0
    box = min(64, 1 << c["cta_n"].bit_length() - 1)
    tile = c["cta_m"] * round_up(c["cta_n"], box) * 2
    roles = 2 if c["pingpong"] == "true" else 1
    return roles * (round_up(stageable * tile, 1024) + 16)


def shared_bytes(c, stages, stageable=1):
    """The rings and the tiles that are stored from."""
    shape = Shape(c)
    ring = ring_bytes(c, stages)
    if shape.cluster[2] > 1:
        ring += ((shape.cluster[2] - 1) * c["cta_m"] * c["cta_n"] //
                 shape.parts * 4 + 16)
    if c["epilogue"] == "direct" or c["split_k"] > 1:
        return ring
    stored = c[shape.column_key] // shape.parts
    rows = min(64, stored) if shape.swaps else 64
    columns = 64 if shape.swaps else stored
    width = min(128, 4 << columns.bit_length() - 1)  # of f32
    buffers = c["epilogue_buffers"] if c["epilogue"] == "tma" else 1
    return (ring + input_bytes(c, stageable) +
            c["warps_m"] // 4 * buffers * round_up(rows * width, 1024))


def launch_registers(shape):
    return min(255, SM_REGISTERS // (shape.ctas * shape.threads)) // 8 * 8


def producer_registers(shape):
    if shape.copies:
        return 40 if shape.width > 2 else 104
    return 32 if min(shape.cluster[:2]) > 1 else 24


def register_limit(shape):
    """Registers of a consumer's thread: its initial number, or more after the producer
    has released some."""
    launched = launch_registers(shape)
    given = (((shape.groups + 1) * launched - producer_registers(shape)) //
             shape.groups // 8 * 8)
    return max(launched, min(240, given))


def shape_is_legal(c, shape, k_inner):
    rows, columns = c[shape.row_key], c[shape.column_key]
    if rows % (64 * shape.warpgroups_per_tile) or columns > 256:
        return False
    if columns % (8 if k_inner[not shape.swaps] else 64):
        return False
    for side, key in enumerate(("cta_m", "cta_n")):
        share = shape.cluster[1 - side]
        # A box has at most 256 rows, in multiples of 128 bytes. If k is not innermost,
        # it is a part of the stage's k.
        if k_inner[side]:
            whole = 2 if c["cta_k"] < 64 else 1
            if c[key] % (whole * share) or c[key] // share > 256:
                return False
        elif c[key] % 64:
            return False
    return True


def is_legal(c, problem):
    """The rules of Wgmma/Legality.cpp, so that the compiler rejects few draws."""
    shape = Shape(c)
    if c["pingpong"] == "true" and (c["warps_m"] != 8 or c["split_k"] > 1 or
                                    c["persistent"] == "false"):
        return False
    if not shape_is_legal(c, shape, problem.k_inner):
        return False
    if max(shape.cluster[:2]) > 1 if shape.copies else shape.width < 16:
        return False
    if shape.cluster[2] > 1 and (c["split_k"] > 1 or c["persistent"] == "true" or
                                 c["stage_inputs"] == "true"):
        return False
    if producer_registers(shape) > launch_registers(shape):
        return False
    if c["epilogue"] != "direct" and not (
            problem.tma_outputs and (problem.narrow_outputs or
                                     not shape.swaps)):
        return False
    if c["stage_inputs"] == "true" and (
            c["epilogue"] != "tma" or c["split_k"] > 1 or shape.swaps or
            not problem.stageable):
        return False
    accumulators = c[shape.row_key] // shape.warpgroups_per_tile * c[shape.column_key] // 128
    shared = shared_bytes(c, c["stages"], problem.stageable)
    return (accumulators + 32 <= register_limit(shape) and
            c[shape.column_key] // 2 + 26 <= launch_registers(shape) and
            shared <= BLOCK_SHARED and
            c["min_ctas"] * shape.threads <= SM_THREADS and
            c["min_ctas"] * (shared + 1024) <= SM_SHARED)


def fit(rng, c, key):
    """Makes dependent parameters agree without changing the target, `key`."""
    if c["pingpong"] == "true":
        if key in ("warps_m", "split_k", "persistent"):
            c["pingpong"] = "false"
        else:
            c.update(warps_m=8, split_k=1, persistent="true")
    if c["stage_inputs"] == "true":
        if key in ("epilogue", "split_k", "swap_ab"):
            c["stage_inputs"] = "false"
        else:
            c.update(epilogue="tma", split_k=1, swap_ab="false")
    if key in ("copy_a", "copy_b"):
        c["producer"] = "cp_async"
    if key == "cluster":
        c["producer"] = "tma"
    if c["producer"] == "cp_async":
        c["cluster"] = "1x1x" + c["cluster"].split("x")[2]
    else:
        c.update(copy_a=16, copy_b=16)
    if not c["cluster"].endswith("x1"):
        if key in ("split_k", "persistent", "pingpong", "stage_inputs"):
            c["cluster"] = "1x1x1"
        else:
            c.update(split_k=1, persistent="false", pingpong="false",
                     stage_inputs="false")
    shape = Shape(c)
    unit = 64 * shape.warpgroups_per_tile
    if key != shape.row_key:
        c[shape.row_key] = unit * rng.randint(1, max(1, 256 // unit))
    if key != shape.column_key:
        unit = rng.choice([8, 64, 64])
        c[shape.column_key] = unit * rng.randint(1, 256 // unit)
    most = [n for n in PARAMETERS["stages"]
            if max(1, c["min_ctas"]) * (shared_bytes(c, n) + 1024) <= SM_SHARED]
    if key != "stages" and most and c["stages"] > most[-1]:
        c["stages"] = rng.choice(most)


def draw_config(rng, chip, problems, target, stress=False):
    """A configuration that is legal for all problems and has the target's value, or
    None if none is found quickly. With `stress` it has a cluster and the maximum
    number of stages, with at least STRESS_BYTES in total."""
    for _ in range(300):
        config = draw_values(rng, PARAMETERS, FAVOURED)
        config[target[0]] = target[1]
        if stress:
            config["producer"] = "tma"
            config["cluster"] = rng.choice(PARAMETERS["cluster"][1:])
            config["min_ctas"] = rng.choice([0, 1])
            config["stages"] = max(PARAMETERS["stages"])
        fit(rng, config, target[0])
        if stress:
            config["stages"] = max([n for n in PARAMETERS["stages"] if
                                    shared_bytes(config, n) <= BLOCK_SHARED],
                                   default=2)
            if ring_bytes(config, config["stages"]) <= STRESS_BYTES:
                continue
        if all(is_legal(config, problem) for problem in problems):
            return config
    return None
