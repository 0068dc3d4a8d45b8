"""Runs random products that combine and reduce by other operations than multiplication
and addition, and compares them with the reference bit by bit.

  random_algebras.py --cases N [--seed S] [--tcgemm-run PATH] [--device emulator]

A case draws an algebra, a type, layouts, sizes, an epilogue and a configuration of
simt. Draws that the compiler rejects as illegal are repeated. A failure prints the
command that repeats it; the last line counts the cases of each algebra and type.
"""

from random_drawing import draw_simt_options
from random_narrow import run_cases

ALGEBRAS = ["max-plus", "min-plus", "max-min", "min-max", "maxnum-plus",
            "minnum-plus", "maxnum-minnum", "minnum-maxnum"]
SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 96, 129]


def draw_config(rng, kind):
    if rng.random() < 0.15:
        return None
    threads = rng.choice([(8, 4), (4, 8), (8, 8), (16, 8), (8, 16), (2, 16),
                          (16, 16)])
    cta = [count * rng.choice([1, 2, 3, 4, 5, 8]) for count in threads]
    widths = [16, 16, 8, 4] if kind == "f32" else [16, 16, 8]
    options = draw_simt_options(rng)
    return {"schedule": "simt",
            "cta": "%dx%dx%d" % (*cta, rng.choice([4, 8, 16, 32])),
            "threads": "%dx%dx%d" % (*threads, options.pop("groups")),
            "transpose_staging": rng.choice(["true", "false"]), **options,
            "copy_a": rng.choice(widths), "copy_b": rng.choice(widths),
            "unaligned": rng.choice(["pack", "copy_8"] if kind == "f64" else
                                    ["pack", "copy_8", "copy_4"]),
            "fragment_buffers": rng.choice([1, 2]),
            "spread_copies": rng.choice(["true", "false"]),
            "split_k": rng.choice([1, 1, 2, 3])}


def draw_command(rng, options):
    """The tool's arguments, and what the case counts as."""
    kind = rng.choice(["f32", "f32", "f64"])
    algebra = rng.choice(ALGEBRAS)
    config = draw_config(rng, kind)
    chip = "sm_90" if options.device == "cuda" else rng.choice(
        ["sm_80", "sm_90", "sm_120"])
    m, n, k = (rng.choice(SIZES) for _ in range(3))
    arguments = ["--records=none", "--chip=" + chip, "--type=" + kind,
                 "--algebra=" + algebra,
                 "--out-type=" + kind,
                 "--layout=" + rng.choice(["tn", "nn", "nt", "tt"]),
                 "--m=%d" % m, "--n=%d" % n,
                 "--k=%d" % rng.choice([0, k, k, k, 3 * k]),
                 "--ld-pad=%d" % rng.choice([0, 0, 1, 4]),
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "normal", "int", "special"])]
    if config:
        arguments.append("--config=" + " ".join("%s=%s" % item
                                                for item in config.items()))
    if rng.random() < 0.2:
        arguments.append("--batch=%d" % rng.choice([2, 3]))
    if rng.random() < 0.3:
        arguments.append("--epilogue=" + rng.choice(["bias", "relu_residual"]))
    if rng.random() < 0.3:
        arguments.append("--static")
    return arguments, (algebra, kind)


if __name__ == "__main__":
    run_cases("random_algebras.py", __doc__, draw_command)
