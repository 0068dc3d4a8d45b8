"""Runs random products of f64, and compares them with the reference.

  random_double.py --cases N [--seed S] [--tcgemm-run PATH] [--device emulator]

A case draws a schedule, layouts, sizes, an epilogue and a configuration. Draws
that the compiler rejects as illegal are repeated. A failure prints the command
that repeats it; the last line counts the cases of each schedule and chip.
"""

from random_drawing import draw_simt_options
from random_narrow import run_cases

SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 96, 129]


def draw_common(rng):
    return {"stages": rng.choice([2, 3, 4]),
            "copy_a": rng.choice([16, 16, 8]),
            "copy_b": rng.choice([16, 16, 8]),
            "unaligned": rng.choice(["pack", "copy_8"]),
            "fragment_buffers": rng.choice([1, 2]),
            "spread_copies": rng.choice(["true", "false"]),
            "loads_first": rng.choice(["true", "false"]),
            "split_k": rng.choice([1, 1, 2, 3])}


def draw_mma_sync(rng, chip):
    warps = rng.choice([(1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 1), (1, 1, 2),
                        (2, 2, 2)])
    cta = [16 * count * rng.choice([1, 2, 3]) for count in warps[:2]]
    shape = rng.choice(["8x8x4"] if chip == "sm_80" else
                       ["8x8x4", "16x8x4", "16x8x8", "16x8x16", "16x8x16"])
    # Some steps of each warp along k.
    step = int(shape.split("x")[2]) * warps[2]
    cta.append(min(64, step * rng.choice([1, 2, 4])))
    return {"schedule": "mma_sync", **draw_common(rng),
            "cta": "%dx%dx%d" % tuple(cta),
            "warps": "%dx%dx%d" % warps,
            "instruction": shape,
            "shared": rng.choice(["xor", "xor", "pad", "sectors"]),
            "epilogue": rng.choice(["direct", "staged"])}


def draw_simt(rng):
    threads = rng.choice([(8, 4), (4, 8), (8, 8), (16, 8), (8, 16), (2, 16),
                          (16, 16), (12, 8)])
    cta = [count * rng.choice([1, 2, 3, 4, 5, 6, 8]) for count in threads]
    options = draw_simt_options(rng)
    return {"schedule": "simt", **draw_common(rng),
            "cta": "%dx%dx%d" % (*cta, rng.choice([2, 4, 8, 16, 32])),
            "threads": "%dx%dx%d" % (*threads, options.pop("groups")), **options,
            "transpose_staging": rng.choice(["true", "false"])}


def draw_early_inputs(rng, config, arguments):
    """Lets half of the products that can read inputs early do so."""
    reads = any(text.startswith("--beta") or "bias" in text or "residual" in text
                for text in arguments)
    parts = config.get("warps", config.get("threads")).split("x")[2]
    if (reads and parts == "1" and config["split_k"] == 1
            and rng.random() < 0.5):
        config["early_inputs"] = "true"


def draw_streaming(rng, config):
    """Lets half of the kernels that can stream their epilogue's matrices do so."""
    if (config["split_k"] == 1 and config.get("epilogue", "direct") == "direct"
            and rng.random() < 0.5):
        config["stream_epilogue"] = "true"


def draw_persistent(rng, config):
    """Lets half of the kernels that can have persistent CTAs have them."""
    parts = config.get("warps", config.get("threads")).split("x")[2]
    if (parts == "1" and config["split_k"] == 1 and config["stages"] > 1
            and config.get("epilogue", "direct") == "direct" and rng.random() < 0.5):
        config.update(persistent="true", min_ctas=rng.choice([0, 1, 2]),
                      stages=rng.choice([2, 3, 6]),
                      raster=rng.choice(["along_m", "along_n"]),
                      raster_group=rng.choice([1, 2, 8]),
                      tile_order=rng.choice(["sequential", "sequential", "strided"]))


def draw_command(rng, options):
    """The tool's arguments, and what the case counts as."""
    schedule = rng.choice(["mma_sync"] * 4 + ["simt"] * 4 + ["default"])
    chip = rng.choice(["sm_80", "sm_90", "sm_90a", "sm_120"])
    # A GPU does not load the code of another architecture.
    if options.device == "cuda":
        chip = "sm_90"
    config = {}
    if schedule == "mma_sync":
        config = draw_mma_sync(rng, chip)
    elif schedule == "simt":
        config = draw_simt(rng)
    m, n, k = (rng.choice(SIZES) for _ in range(3))
    arguments = ["--records=none", "--chip=" + chip, "--type=f64",
                 "--layout=" + rng.choice(["tn", "nn", "nt", "tt"]),
                 "--m=%d" % m, "--n=%d" % n, "--k=%d" % (k * rng.choice([1, 3])),
                 "--ld-pad=%d" % rng.choice([0, 0, 1, 2]),
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "normal", "int", "special"])]
    if rng.random() < 0.2:
        arguments.append("--batch=%d" % rng.choice([2, 3]))
    if rng.random() < 0.5:
        arguments += ["--out-type=" + rng.choice(["f64", "f64", "f32", "bf16"]),
                      "--epilogue=" + rng.choice(["none", "bias", "bias_relu",
                                                  "rowbias", "relu_residual"])]
    if rng.random() < 0.3:
        arguments += ["--alpha=%g" % rng.choice([-1, 0.3, 2]),
                      "--beta=%g" % rng.choice([0, 1, 0.7])]
    if rng.random() < 0.3:
        arguments.append("--static")
    if config:
        draw_early_inputs(rng, config, arguments)
        draw_persistent(rng, config)
        draw_streaming(rng, config)
        # CTAs have several tiles on a device with few multiprocessors.
        if "persistent" in config and options.device == "emulator":
            arguments.append("--emulator-sm-count=%d" % rng.choice([1, 2, 3]))
        arguments.append("--config=" + " ".join("%s=%s" % item
                                                for item in config.items()))
    return arguments, (schedule, chip)


if __name__ == "__main__":
    run_cases("random_double.py", __doc__, draw_command)
