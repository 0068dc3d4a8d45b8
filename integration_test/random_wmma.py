"""Draws configurations of the schedule wmma."""

from random_drawing import CHIPS, copies_fit, draw_values, format_config

ELEMENTS = ["f16"]
RUNS_ON = list(CHIPS)
HAS_DEPENDENT_LAUNCH = False
SIDES = [8, 16, 24, 32, 48, 64, 96, 128, 192, 256]
PARAMETERS = {
    "schedule": ["wmma"],
    "instruction": ["16x16x16", "32x8x16", "8x32x16"],
    "cta_m": SIDES, "cta_n": SIDES, "cta_k": [16, 32, 48, 64, 128],
    "warps_m": [1, 2, 3, 4, 8], "warps_n": [1, 2, 3, 4, 8], "warps_k": [1],
    "stages": [2, 3, 4, 6],
    "raster": ["along_m", "along_n", "diagonal"], "raster_group": [1, 2, 3, 8],
    "tiles_per_cta": [1, 2, 3, 4, 7],
    "tile_order": ["sequential", "strided"],
    "stage_a": ["true", "false"], "stage_b": ["true", "false"],
    "epilogue": ["direct", "staged"],
    "min_ctas": [0, 1, 2], "max_registers": [0, 168, 248],
}
# Values that are drawn more often than others: those of the thesis.
FAVOURED = {"cta_k": 16, "stages": 2, "min_ctas": 0, "max_registers": 0}
SM_REGISTERS = 65536


def shared_bytes(c, units):
    ring = sum((c[key] * c["cta_k"] * 2 + 127) // 128 * 128
               for key in ("cta_m", "cta_n")) * c["stages"]
    if c["epilogue"] == "staged":
        return max(ring, c["cta_m"] * (c["cta_n"] + 8) * 4)
    warps = c["warps_m"] * c["warps_n"]
    return max(ring, warps * units[0] * (units[1] + 8) * 4)


def is_legal(c, chip, problem):
    """The rules of Wmma/Legality.cpp, so that the compiler rejects few draws."""
    if problem.element != "f16":
        return False
    if c["tiles_per_cta"] == 1 and c["tile_order"] == "strided":
        return False
    block_shared, sm_shared, sm_threads = CHIPS[chip]
    units = [int(size) for size in c["instruction"].split("x")]
    threads = 32 * c["warps_m"] * c["warps_n"]
    ctas = max(1, c["min_ctas"])
    for side, key, k_inner, unit in zip("mn", ("cta_m", "cta_n"),
                                        problem.k_inner, units):
        if c[key] % (unit * c["warps_" + side]):
            return False
        if not k_inner and unit % 16:
            return False
        rows, columns = c[key], c["cta_k"]
        if not k_inner:
            rows, columns = columns, rows
        if not copies_fit(rows, columns, threads, 16):
            return False
    accumulators = c["cta_m"] * c["cta_n"] // threads
    # Less than the rule's 256: a kernel that spills is refused, after a long
    # compilation.
    limit = min(255, SM_REGISTERS // (threads * ctas) // 8 * 8,
                c["max_registers"] or 255)
    shared = shared_bytes(c, units)
    return (threads <= 1024 and 2 * accumulators + 72 <= limit and
            shared <= block_shared and ctas * threads <= sm_threads and
            c["max_registers"] * threads <= SM_REGISTERS and
            c["min_ctas"] * (shared + 1024) <= sm_shared)


def fit(rng, c, key):
    """Enforces divisibility without changing the target, `key`."""
    units = [int(size) for size in c["instruction"].split("x")]
    for side, unit in zip("mn", units):
        cta, warps = "cta_" + side, "warps_" + side
        if key == cta:
            fitting = [n for n in PARAMETERS[warps] if c[cta] % (unit * n) == 0]
            c[warps] = rng.choice(fitting or [1])
        else:
            fitting = [n for n in SIDES if n % (unit * c[warps]) == 0]
            c[cta] = rng.choice(fitting or [unit * c[warps]])


def draw_config(rng, chip, problems, target):
    """A configuration that is legal for all problems and has the target's value,
    or None if none is found quickly."""
    for _ in range(300):
        config = draw_values(rng, PARAMETERS, FAVOURED)
        config[target[0]] = target[1]
        fit(rng, config, target[0])
        if all(is_legal(config, chip, problem) for problem in problems):
            return config
    return None
