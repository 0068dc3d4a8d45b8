"""Draws configurations of the schedule mma_sync."""

from random_drawing import (CHIPS, UNALIGNED_WIDTH, copies_fit, draw_values,
                            format_config)

ELEMENTS = ["f16", "bf16"]
RUNS_ON = list(CHIPS)
HAS_DEPENDENT_LAUNCH = True
PARAMETERS = {
    "schedule": ["mma_sync"], "instruction": ["[16, 8, 16]"],
    "cta_m": list(range(16, 257, 16)), "cta_n": list(range(16, 257, 16)),
    "cta_k": [16, 32, 64, 128],
    "warps_m": [1, 2, 3, 4, 8], "warps_n": [1, 2, 3, 4, 8],
    "warps_k": [1, 2, 4], "stages": [2, 3, 4, 5, 6, 7, 8],
    "raster": ["along_m", "along_n"], "raster_group": [1, 2, 3, 5, 8, 16, 64],
    "split_k": [1, 2, 3, 4, 5, 6, 7, 8], "slice_order": ["outer", "inner"],
    "copy_a": [16, 8, 4, 2], "copy_b": [16, 8, 4, 2],
    "unaligned": ["pack", "copy_8", "copy_4", "registers"],
    "shared": ["xor", "pad", "sectors"], "fragment_buffers": [1, 2],
    "spread_copies": ["true", "false"],
    "loads_first": ["true", "false"], "epilogue": ["direct", "staged"],
    "min_ctas": [0, 1, 2, 3, 4],
    "max_registers": [0, 96, 128, 168, 200, 232, 248],
}
# Values that are drawn more often than others.
FAVOURED = {"split_k": 1, "warps_k": 1, "min_ctas": 0, "max_registers": 0,
            "copy_a": 16, "copy_b": 16}


def is_legal(c, chip, layout):
    """The rules of MmaSync/Legality.cpp, so that the compiler rejects few draws. The
    layout of an operand is whether k is its innermost dimension."""
    block_shared, sm_shared, sm_threads = CHIPS[chip]
    m, n, k = c["cta_m"], c["cta_n"], c["cta_k"]
    wm, wn, wk = c["warps_m"], c["warps_n"], c["warps_k"]
    threads = 32 * wm * wn * wk
    if m % (16 * wm) or n % (16 * wn) or k % (16 * wk) or threads > 1024:
        return False
    pad = 16 if c["shared"] == "pad" else 0
    ring = copies = 0
    for side, k_inner, key in ((m, layout[0], "copy_a"),
                               (n, layout[1], "copy_b")):
        rows, columns = (side, k) if k_inner else (k, side)
        if not pad and columns & (columns - 1):
            return False
        if c["shared"] == "sectors" and k_inner and columns < 64:
            return False
        widths = {c[key], UNALIGNED_WIDTH.get(c["unaligned"], c[key])}
        for width in widths:
            if not copies_fit(rows, columns, threads, width):
                return False
            copies += rows * columns * 2 // (width * threads)
        ring += (rows * (columns * 2 + pad) + 127) // 128 * 128
    ring *= c["stages"]
    warp_m, warp_n = m // wm, n // wn
    ctas = max(1, c["min_ctas"])
    limit = min(255, 65536 // (threads * ctas) // 8 * 8)
    # More than the rule's 40, and max_registers counts: a kernel that spills is
    # refused, after a long compilation.
    need = (warp_m * warp_n // 32 + (warp_m + warp_n) // 8 *
            c["fragment_buffers"] + copies + 68)
    if need > min(limit, c["max_registers"] or 255):
        return False
    staging = wm * wn * wk * 16 * (warp_n * 4 + 16)
    return (ring <= block_shared and ctas * threads <= sm_threads and
            c["min_ctas"] * (ring + 1024) <= sm_shared and
            (wk - 1) * m * n * 4 <= ring and
            (c["epilogue"] == "direct" or staging <= ring))


def draw_config(rng, chip, problems, target):
    """A configuration that is legal for all problems and has the target's value,
    or None if none is found quickly."""
    for _ in range(300):
        config = draw_values(rng, PARAMETERS, FAVOURED)
        # Powers of two fit more often.
        for key in ("cta_m", "cta_n"):
            if rng.random() < 0.6:
                config[key] = rng.choice([16, 32, 64, 128, 256])
        config[target[0]] = target[1]
        # Enforces divisibility without changing the target.
        for side in "mn":
            tiles = config["cta_" + side] // 16
            fitting = [w for w in PARAMETERS["warps_" + side] if tiles % w == 0]
            if target[0] != "warps_" + side:
                config["warps_" + side] = rng.choice(fitting)
            elif target[1] not in fitting:
                config["cta_" + side] = 16 * target[1] * rng.choice([1, 2])
        if config["max_registers"] and target[0] != "max_registers":
            config["max_registers"] = rng.choice([0, 128, 168, 200, 232, 248])
        if all(is_legal(config, chip, problem.k_inner)
               for problem in problems):
            return config
    return None
