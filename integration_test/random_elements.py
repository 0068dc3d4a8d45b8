"""Runs random products of functions of A's and B's elements, and compares them with
the reference.

  random_elements.py --cases N [--seed S] [--tcgemm-run PATH] [--device emulator]

A case draws types, layouts, sizes, the functions, an epilogue and a configuration.
The sizes of K are often no multiples of what a kernel copies: the functions of the
zeros beyond K must not count. Draws that the compiler rejects as illegal are
repeated. A failure prints the command that repeats it; the last line counts the
cases of each schedule and type.
"""

from random_drawing import draw_simt_options
from random_narrow import SPLIT, draw_mma_sync, draw_wgmma, run_cases

TYPES = {"mma_sync": ["bf16", "f16", "tf32", "f64", "tf32x3", "bf16x3"],
         "wgmma": ["bf16", "f16", "tf32", "tf32x3"],
         "wmma": ["f16"], "simt": ["f32", "f64"], "gemv": ["bf16", "f32"]}
CHIPS = {"mma_sync": ["sm_80", "sm_90"], "wgmma": ["sm_90a"],
         "wmma": ["sm_80", "sm_90"], "simt": ["sm_80", "sm_90"],
         "gemv": ["sm_80", "sm_90"]}
SIZES = [1, 2, 15, 16, 17, 33, 48, 63, 65, 96, 129]
DEPTHS = [1, 3, 16, 33, 40, 65, 127, 160, 192]
# The last ones are infinite or NaN for 0.
FUNCTIONS = ["relu", "add1", "add1_relu", "silu", "exp", "exp_add1", "inverse",
             "add1_inverse_relu"]
# Those without math that f64 does not have.
DOUBLE_FUNCTIONS = ["relu", "add1", "add1_relu", "inverse", "add1_inverse_relu"]
EPILOGUES = ["none", "relu", "bias", "scale_scale", "rowscale"]


def draw_wmma(rng):
    return {"schedule": "wmma", "instruction": "16x16x16",
            "cta": "%dx%dx%d" % (rng.choice([32, 64]), rng.choice([32, 64]),
                                 rng.choice([16, 32])),
            "warps": rng.choice(["1x1x1", "2x1x1", "2x2x1"]),
            "stages": rng.choice([2, 3])}


def draw_simt(rng, kind):
    threads = rng.choice([(8, 8), (8, 16), (16, 8), (16, 16)])
    options = draw_simt_options(rng)
    return {"schedule": "simt",
            "threads": "%dx%dx%d" % (*threads, options.pop("groups")), **options,
            "cta": "%dx%dx%d" % (threads[0] * rng.choice([2, 4]),
                                 threads[1] * rng.choice([2, 4]),
                                 rng.choice([8, 16])),
            "copy_a": rng.choice([8, 16] if kind == "f64" else [4, 16]),
            "copy_b": rng.choice([8, 16] if kind == "f64" else [4, 16])}


def draw_gemv(rng, kind):
    groups, vector = rng.choice([1, 2, 4]), 8 if kind == "bf16" else 4
    return {"schedule": "gemv",
            "cta": "%dx%dx%d" % (rng.choice([1, 2]), groups * rng.choice([1, 2]),
                                 32 * vector * rng.choice([1, 2])),
            "warps": "1x%dx1" % groups}


def draw_config(rng, schedule, kind):
    if schedule == "mma_sync":
        return draw_mma_sync(rng, kind)
    if schedule == "wgmma":
        return draw_wgmma(rng, kind)
    return {"wmma": lambda: draw_wmma(rng), "simt": lambda: draw_simt(rng, kind),
            "gemv": lambda: draw_gemv(rng, kind)}[schedule]()


def draw_command(rng, options):
    """The tool's arguments, and what the case counts as."""
    # Most configurations of the first two are illegal, and drawn again.
    schedule = rng.choice(8 * ["mma_sync"] + 8 * ["wgmma"] + ["simt", "wmma", "gemv"])
    kind = rng.choice(TYPES[schedule])
    config = draw_config(rng, schedule, kind)
    chip = rng.choice(CHIPS[schedule])
    # A GPU does not load the code of an older architecture.
    if options.device == "cuda" and schedule != "wgmma":
        chip = "sm_90"
    layouts = ["tn"] if schedule == "gemv" else ["tn", "nn", "nt", "tt"]
    known = DOUBLE_FUNCTIONS if kind == "f64" else FUNCTIONS
    if kind in SPLIT:  # The parts of an infinite element are NaN.
        known = [name for name in known if "inverse" not in name]
    functions = [rng.choice(known), rng.choice(known)]
    if rng.random() < 0.6:
        functions[rng.randrange(2)] = "none"
    arguments = ["--records=none", "--chip=" + chip, "--type=" + kind,
                 "--layout=" + rng.choice(layouts),
                 "--m=%d" % (rng.choice([1, 2, 3]) if schedule == "gemv"
                             else rng.choice(SIZES)),
                 "--n=%d" % rng.choice(SIZES), "--k=%d" % rng.choice(DEPTHS),
                 "--ld-pad=%d" % rng.choice([0, 0, 1, 16]),
                 "--transform-a=" + functions[0],
                 "--transform-b=" + functions[1],
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "normal", "int"]),
                 "--epilogue=" + rng.choice(EPILOGUES),
                 "--config=" + " ".join("%s=%s" % item
                                        for item in config.items())]
    if rng.random() < 0.2:
        arguments.append("--batch=%d" % rng.choice([2, 3]))
    if rng.random() < 0.3:
        arguments.append("--static")
    return arguments, (schedule, kind)


if __name__ == "__main__":
    run_cases("random_elements.py", __doc__, draw_command)
