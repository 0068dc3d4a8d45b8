"""Draws configurations of the schedule simt."""

import random_drawing
from random_drawing import CHIPS, UNALIGNED_WIDTH, draw_values

ELEMENTS = ["f32"]
RUNS_ON = list(CHIPS)
HAS_DEPENDENT_LAUNCH = False
PARAMETERS = {
    "schedule": ["simt"],
    "cta_m": [4, 8, 12, 16, 20, 32, 48, 64, 80, 96, 128, 192, 256],
    "cta_n": [4, 8, 12, 16, 20, 32, 48, 64, 80, 96, 128, 192, 256],
    "cta_k": [1, 2, 3, 4, 8, 12, 16, 32, 64],
    "threads_m": [1, 2, 3, 4, 5, 8, 12, 16, 32],
    "threads_n": [1, 2, 3, 4, 5, 8, 12, 16, 32],
    "threads_k": [1, 2, 4, 8],
    "transpose_staging": ["true", "false"],
    "stage_a": ["true", "false"], "stage_b": ["true", "false"],
    "row_copies_a": [0, 1, 2, 3, 4, 8],
    "row_copies_b": [0, 1, 2, 3, 4, 8],
    "stages": [1, 2, 3, 4, 5, 6, 8, 12],
    "raster": ["along_m", "along_n"], "raster_group": [1, 2, 3, 5, 8, 16, 64],
    "split_k": [1, 2, 3, 4, 5, 6, 7, 8], "slice_order": ["outer", "inner"],
    "copy_a": [16, 8, 4], "copy_b": [16, 8, 4],
    "unaligned": ["pack", "copy_8", "copy_4"], "fragment_buffers": [1, 2, 3],
    "spread_copies": ["true", "false"], "loads_first": ["true", "false"],
    "epilogue": ["direct"], "min_ctas": [0, 1, 2, 3, 4],
    "max_registers": [0, 96, 128, 168, 200, 232, 248],
}
# Values that are drawn more often than others.
FAVOURED = {"split_k": 1, "min_ctas": 0, "max_registers": 0, "threads_k": 1,
            "stage_a": "true", "stage_b": "true", "row_copies_a": 1,
            "row_copies_b": 1}


def format_config(c):
    return random_drawing.format_config(c, "threads")


def copies_fit(rows, columns, threads, width, row_copies):
    chunks = columns * 4 // width
    if row_copies == 0:
        return True
    sharers = chunks // row_copies
    return chunks % row_copies == 0 and (
        rows * sharers <= threads or threads % sharers == 0)


def is_legal(c, chip, k_inner):
    """The rules of Simt/Legality.cpp, so that the compiler rejects few draws."""
    block_shared, sm_shared, sm_threads = CHIPS[chip]
    m, n, k = c["cta_m"], c["cta_n"], c["cta_k"]
    group, groups = c["threads_m"] * c["threads_n"], c["threads_k"]
    threads = group * groups
    if m % c["threads_m"] or n % c["threads_n"] or threads % 32:
        return False
    if (group % 32 and 32 % group) or threads > 1024:
        return False
    if threads % k and c["row_copies_a"] == c["row_copies_b"] == 1:
        return False
    if c["stage_a"] == c["stage_b"] == "false":
        return False
    turns = c["transpose_staging"] == "true"
    depth = 4 if any(k_inner) and not turns else 1
    if (k % (depth * groups) or
            c["fragment_buffers"] - 1 > max(1, k // (depth * groups))):
        return False
    ring = 0
    for side, inner, key, rows_key in (
            (m, k_inner[0], "copy_a", "row_copies_a"),
            (n, k_inner[1], "copy_b", "row_copies_b")):
        rows, columns = (side, k) if inner and not turns else (k, side)
        if columns % 4:
            return False
        ring += (rows * (columns * 4 + 16 * inner) + 127) // 128 * 128
        for width in {c[key], UNALIGNED_WIDTH.get(c["unaligned"], c[key])}:
            copied = (side, k, threads, 4) if inner and turns else (
                rows, columns, threads, width)
            if not copies_fit(*copied, c[rows_key]):
                return False
    ring = max(ring * c["stages"], (groups - 1) * m * n * 4)
    thread_m, thread_n = m // c["threads_m"], n // c["threads_n"]
    ctas = max(1, c["min_ctas"])
    limit = min(255, 65536 // (threads * ctas) // 8 * 8)
    # More than the rule's 40, and max_registers counts: a kernel that spills is
    # refused, after a long compilation.
    fetched = [held for held, key in ((thread_m, "stage_a"),
                                      (thread_n, "stage_b"))
               if c[key] == "false"]
    need = (thread_m * thread_n + 72 + 2 * sum(fetched) +
            (thread_m + thread_n) * depth * c["fragment_buffers"])
    return (need <= min(limit, c["max_registers"] or 255) and
            ring <= block_shared and ctas * threads <= sm_threads and
            c["min_ctas"] * (ring + 1024) <= sm_shared)


def draw_config(rng, chip, problems, target):
    """A configuration that is legal for all problems and has the target's value,
    or None if none is found quickly."""
    for _ in range(600):
        config = draw_values(rng, PARAMETERS, FAVOURED)
        # Powers of two fit more often.
        for key in ("threads_m", "threads_n"):
            if rng.random() < 0.6:
                config[key] = rng.choice([4, 8, 16])
        if rng.random() < 0.6:
            config["cta_k"] = rng.choice([4, 8, 16])
        config[target[0]] = target[1]
        # Enforces divisibility without changing the target.
        for side in "mn":
            tile, threads = "cta_" + side, "threads_" + side
            if target[0] != tile:
                fitting = [value for value in PARAMETERS[tile]
                           if value % config[threads] == 0]
                config[tile] = rng.choice(fitting)
            else:
                config[threads] = rng.choice(
                    [value for value in PARAMETERS[threads]
                     if target[1] % value == 0])
        if config["max_registers"] and target[0] != "max_registers":
            config["max_registers"] = rng.choice([0, 128, 168, 200, 232, 248])
        if all(is_legal(config, chip, problem.k_inner)
               for problem in problems):
            return config
    return None
