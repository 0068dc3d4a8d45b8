#!/usr/bin/env python3
"""Runs random dual products: two products that share A, in one kernel.

  random_dual.py --cases N [--seed N] [--seconds N]
      [--tcgemm-run PATH] [--device emulator] [--prepare DIR]

--prepare is that of random_narrow.py.
"""

from random_narrow import run_cases

TYPES = ["bf16", "f16", "e4m3"]
OUTPUTS = {"bf16": ["bf16", "f16", "f32"], "f16": ["f16", "f32"],
           "e4m3": ["bf16", "f32"]}
FUNCTIONS = ["silu-mul", "gelu-mul", "gelutanh-mul", "relu-mul", "mul", "add"]
EPILOGUES = ["none", "none", "bias", "residual", "bias_relu", "rowscale",
             "bias_residual"]


def draw_config(rng, kind):
    """Not all draws are legal; run_cases draws again."""
    shares = rng.choice([1, 2])
    pingpong = shares == 2 and rng.random() < 0.4
    config = {"schedule": "wgmma",
              "cta": "%dx%dx%d" % (64 * shares if not pingpong else 64,
                                   rng.choice([16, 32, 48, 64, 128, 192, 256]),
                                   128 if kind == "e4m3" else 64),
              "warps": "%dx1x1" % (4 * shares),
              "stages": rng.choice([2, 3, 4]),
              "epilogue": rng.choice(["direct", "staged", "tma", "tma"]),
              "raster": rng.choice(["along_m", "along_n"]),
              "raster_group": rng.choice([1, 2, 8])}
    if pingpong:
        config["pingpong"] = "true"
    if pingpong or rng.random() < 0.4:
        config["persistent"] = "true"
    if rng.random() < 0.3:
        config["cluster"] = rng.choice(["2x1x1", "1x2x1", "2x2x1"])
    if rng.random() < 0.2:
        config["promote_sums"] = "true"
    if rng.random() < 0.2:
        config["dependent_launch"] = "true"
    return config


def draw_command(rng, options):
    kind = rng.choice(TYPES)
    alignment = 16 if kind == "e4m3" else 8
    most = 600 if options.device == "cuda" else 200
    config = draw_config(rng, kind)
    arguments = ["--records=none", "--chip=sm_90a", "--type=" + kind,
                 "--dual=" + rng.choice(FUNCTIONS),
                 "--layout=" + rng.choice(["tn", "tn", "tt", "nn", "nt"]),
                 "--out-type=" + rng.choice(OUTPUTS[kind]),
                 "--epilogue=" + rng.choice(EPILOGUES),
                 "--m=%d" % rng.choice([1, 64, 130, rng.randint(1, most)]),
                 "--n=%d" % rng.choice([8, 72, 136, rng.randint(1, most)]),
                 "--k=%d" % rng.choice([0, alignment, 64, 200,
                                        rng.randint(1, most)]),
                 "--ld-pad=%d" % rng.choice([0, 0, alignment, 3]),
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "int"]),
                 "--config=" + " ".join("%s=%s" % item
                                        for item in config.items())]
    if rng.random() < 0.2:
        arguments.append("--batch=2")
    if rng.random() < 0.2:
        arguments.append("--reduce=" + rng.choice(["row-max", "amax"]))
    if rng.random() < 0.3:
        arguments.append("--static")
    return arguments, ("dual", kind)


if __name__ == "__main__":
    run_cases("random_dual.py", __doc__, draw_command)
