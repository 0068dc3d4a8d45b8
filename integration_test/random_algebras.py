"""Runs random products that combine and reduce by other operations than multiplication
and addition, and compares them with the reference bit by bit.

  random_algebras.py --cases N [--seed S] [--tcgemm-run PATH] [--device emulator]

A case draws a type, an algebra, layouts, sizes, an epilogue and a configuration of
simt. Draws that the compiler rejects as illegal are repeated. A failure prints the
command that repeats it; the last line counts the cases of each algebra and type.
"""

from random_drawing import draw_simt_options
from random_narrow import run_cases

FLOATS = ["times", "plus", "max", "min", "maxnum", "minnum"]
INTEGERS = ["times", "plus", "max", "min", "maxu", "minu", "and", "or", "xor"]
# Of bytes: zeros beyond K are neutral.
BYTES = ["or-and", "xor-and", "plus-max", "maxu-or", "or-times", "plus-plus"]
# Most algebras in use select elements; these come more often.
USUAL = ["max-plus", "min-plus", "max-min", "min-max"]
SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 96, 129]


def draw_algebra(rng, kind):
    if kind in ("s8", "u8"):
        return rng.choice(BYTES)
    if rng.random() < 0.3:
        return rng.choice(USUAL)
    words = INTEGERS if kind == "s32" else FLOATS
    while True:
        algebra = "%s-%s" % (rng.choice(words), rng.choice(words))
        if algebra != "plus-times" or kind == "s32":
            return algebra


def is_ordered(algebra, kind):
    return kind[0] == "f" and algebra.split("-")[0] in ("plus", "times")


def draw_config(rng, kind, algebra):
    if rng.random() < 0.15:
        return None
    threads = rng.choice([(8, 4), (4, 8), (8, 8), (16, 8), (8, 16), (2, 16),
                          (16, 16)])
    cta = [count * rng.choice([1, 2, 3, 4, 5, 8]) for count in threads]
    is_byte = kind in ("s8", "u8")
    widths = [16, 16, 8] if kind == "f64" else [16, 16, 8, 4]
    options = draw_simt_options(rng)
    return {"schedule": "simt",
            "cta": "%dx%dx%d" % (*cta, rng.choice([16, 32, 64] if is_byte else
                                                  [4, 8, 16, 32])),
            "threads": "%dx%dx%d" % (*threads, options.pop("groups")),
            "transpose_staging": "false" if is_byte else
                                 rng.choice(["true", "false"]), **options,
            "copy_a": rng.choice(widths), "copy_b": rng.choice(widths),
            "unaligned": rng.choice(["pack", "copy_8"] if kind == "f64" else
                                    ["pack", "copy_8", "copy_4"]),
            "fragment_buffers": rng.choice([1, 2]),
            "spread_copies": rng.choice(["true", "false"]),
            "split_k": 1 if is_ordered(algebra, kind) else
                       rng.choice([1, 1, 2, 3])}


def draw_command(rng, options):
    """The tool's arguments, and what the case counts as."""
    kind = rng.choice(["f32", "f32", "f64", "s32", "s32", "s8", "u8"])
    algebra = draw_algebra(rng, kind)
    config = draw_config(rng, kind, algebra)
    chip = "sm_90" if options.device == "cuda" else rng.choice(
        ["sm_80", "sm_90", "sm_120"])
    m, n, k = (rng.choice(SIZES) for _ in range(3))
    arguments = ["--records=none", "--chip=" + chip, "--type=" + kind,
                 "--algebra=" + algebra,
                 "--out-type=" + ("s32" if kind in ("s8", "u8") else kind),
                 "--layout=" + rng.choice(["tn", "nn", "nt", "tt"]),
                 "--m=%d" % m, "--n=%d" % n,
                 "--k=%d" % rng.choice([0, k, k, k, 3 * k]),
                 "--ld-pad=%d" % rng.choice([0, 0, 1, 4]),
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "normal", "int", "special"]
                                        if kind[0] == "f" else ["int"])]
    if config:
        arguments.append("--config=" + " ".join("%s=%s" % item
                                                for item in config.items()))
    if rng.random() < 0.2:
        arguments.append("--batch=%d" % rng.choice([2, 3]))
    if rng.random() < 0.3 and kind[0] == "f":
        arguments.append("--epilogue=" + rng.choice(["bias", "relu_residual"]))
    if rng.random() < 0.3:
        arguments.append("--static")
    return arguments, (algebra, kind)


if __name__ == "__main__":
    run_cases("random_algebras.py", __doc__, draw_command)
