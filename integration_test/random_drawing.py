"""The common part of the random configurations of all schedules."""

# Bytes of a copy of an operand that is not aligned.
UNALIGNED_WIDTH = {"copy_8": 8, "copy_4": 4, "registers": 2}
# All chips of lib/Target/Chip.cpp: shared memory of a block and of a
# multiprocessor, threads of one.
CHIPS = {"sm_80": (166912, 167936, 2048), "sm_86": (101376, 102400, 1536),
         "sm_87": (166912, 167936, 1536), "sm_89": (101376, 102400, 1536),
         "sm_90": (232448, 233472, 2048), "sm_90a": (232448, 233472, 2048),
         "sm_100": (232448, 233472, 2048), "sm_100a": (232448, 233472, 2048),
         "sm_120": (101376, 102400, 1536)}


def format_config(c, workers="warps", more=()):
    """The text for --config. `workers`: the key of the tile's threads or warps."""
    def triple(name):
        return "%s=%s" % (name, "x".join(str(c.get("%s_%s" % (name, side), 1))
                                         for side in "mnk"))
    return " ".join([triple("cta"), triple(workers), *more] + [
        "%s=%s" % (key, value) for key, value in c.items()
        if not key.startswith(("cta_", workers + "_"))])


def draw_values(rng, parameters, favoured):
    """A value for each parameter, some of them more often than others."""
    config = {}
    for key, values in parameters.items():
        config[key] = rng.choice(values)
        if key in favoured and rng.random() < 0.4:
            config[key] = favoured[key]
    return config


def draw_simt_options(rng):
    """What most kernels of simt do not have: groups of threads, one stage, an operand
    in global memory."""
    return {"groups": rng.choice([1, 1, 1, 2, 4]),
            "stages": rng.choice([1, 2, 2, 3, 3, 4]),
            "stage_" + rng.choice("ab"): rng.choice(["true", "true", "false"])}


def copies_fit(rows, columns, threads, width):
    """Whether the threads can share the copies of a tile of 16-bit elements."""
    chunks = columns * 2 // width
    if rows * chunks <= threads:
        return True
    return threads % chunks == 0 and rows % (threads // chunks) == 0
