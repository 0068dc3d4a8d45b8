"""Draws configurations of the schedule gemv."""

import random_drawing
from random_drawing import CHIPS, UNALIGNED_WIDTH, draw_values

ELEMENTS = ["bf16", "f16", "bf16", "f16", "f32"]
RUNS_ON = list(CHIPS)
HAS_DEPENDENT_LAUNCH = True
PARAMETERS = {
    "schedule": ["gemv"],
    "swap_ab": ["false", "true"],
    # Rows of the small operand, and of the large one for a group of warps.
    "few": [1, 2, 3, 4], "rows": [1, 2, 4],
    "groups": [1, 2, 3, 4, 8], "slices": [1, 2, 3, 4, 8],
    "ahead": [1, 2, 3, 4, 8],
    # Of a large operand that is not contiguous along k.
    "lanes": [1, 2, 4, 8, 16, 32],
    "split_k": [1, 2, 3],
    "copy_a": [16, 8, 4, 2], "copy_b": [16, 8, 4, 2],
    "unaligned": ["pack", "copy_8", "copy_4", "registers"],
    "min_ctas": [0, 1, 2, 4], "max_registers": [0, 128, 168, 248],
}
# Values that are drawn more often than others.
FAVOURED = {"copy_a": 16, "copy_b": 16, "min_ctas": 0, "max_registers": 0,
            "split_k": 1}
# The names of these values in this file.
MEANINGS = ("few", "rows", "groups", "slices", "ahead", "vector", "lanes", "across")


def is_across(c, problem):
    """Whether the rows of the large operand are neighbours in memory."""
    return not problem.k_inner[0 if c["swap_ab"] == "true" else 1]


def add_shape(c, problem):
    """Sets `cta` and `warps`, which problems are drawn for, too, and what else the
    layout decides."""
    c["vector"] = 4 if problem.element == "f32" else 8
    c["across"] = is_across(c, problem)
    few, many = "nm" if c["swap_ab"] == "true" else "mn"
    c["cta_" + few], c["warps_" + few] = c["few"], 1
    c["cta_" + many] = c["groups"] * c["rows"]
    c["warps_" + many] = c["groups"]
    c["cta_k"] = 32 * c["vector"] * c["slices"] * c["ahead"]
    c["warps_k"] = c["slices"]
    if not c["across"]:
        return
    c["cta_" + many] = c["groups"] * c["lanes"] * c["vector"]
    c["cta_k"] = 32 // c["lanes"] * c["slices"] * c["ahead"]
    c["copy_b" if few == "n" else "copy_a"] = 16


def format_config(c):
    return random_drawing.format_config(
        {key: value for key, value in c.items() if key not in MEANINGS})


def is_legal(c, chip, problem):
    """The rules of Gemv/Legality.cpp, so that the compiler rejects few draws."""
    if is_across(c, problem) != c["across"]:
        return False
    threads = 32 * c["groups"] * c["slices"]
    widths = [c["copy_a"], c["copy_b"],
              UNALIGNED_WIDTH.get(c["unaligned"], 16)]
    if problem.element == "f32" and min(widths) < 4:
        return False
    words = 8 if min(widths) == 2 else 4
    # More than the rule's 40, and all vectors at once: a kernel that spills is
    # refused, after a long compilation.
    ahead = c["ahead"] * (8 // c["vector"])
    need = ((c["rows"] * ahead + c["few"]) * words + c["few"] * c["rows"] +
            2 * (c["few"] + c["rows"]) + 64)
    if not all(problem.k_inner):
        # Single elements of the small operand.
        need += 8 * c["few"]
    if c["across"]:
        need = (c["ahead"] * (4 + c["few"]) + c["few"] * (c["vector"] + 3) +
                4 * c["vector"] + 64)
        results = c["cta_m"] * c["cta_n"]
        if results > threads * (1 if c["swap_ab"] == "true" else 4):
            return False
    ctas = max(1, c["min_ctas"])
    limit = min(255, 65536 // (threads * ctas) // 8 * 8,
                c["max_registers"] or 255)
    return (threads <= 1024 and need <= limit and
            ctas * threads <= CHIPS[chip][2] and
            c["max_registers"] * threads <= 65536)


def draw_config(rng, chip, problems, target):
    """A configuration that is legal for all problems and has the target's value, or
    None if none is found quickly."""
    for _ in range(200):
        config = draw_values(rng, PARAMETERS, FAVOURED)
        config[target[0]] = target[1]
        add_shape(config, problems[0])
        if all(is_legal(config, chip, problem) for problem in problems):
            return config
    return None
