#!/usr/bin/env python3
"""Runs random products of operands with bands, and products with symmetric results.

  random_structured.py --cases N [--seed N] [--seconds N]
      [--tcgemm-run PATH] [--device emulator] [--prepare DIR]

--prepare is that of random_narrow.py.
"""

from random_narrow import run_cases

TYPES = ["bf16", "bf16", "f16", "e4m3", "s8", "tf32"]
OUTPUTS = {"bf16": ["bf16", "bf16", "f32"], "f16": ["f16", "f32"],
           "e4m3": ["bf16", "f32"], "s8": ["s32"], "tf32": ["f32"]}
EPILOGUES = ["none", "none", "relu", "gelu", "bias", "residual"]
SYMMETRIC_EPILOGUES = ["none", "none", "relu", "gelu"]
DEPTHS = {"bf16": 64, "f16": 64, "e4m3": 128, "s8": 128, "tf32": 32}


def draw_config(rng, kind, is_symmetric, is_narrow):
    """Not all draws are legal; run_cases draws again."""
    shares = rng.choice([1, 2])
    rows = 64 * shares
    columns = rng.choice([16, 32, 48, 64, 128, 192, 256])
    swap = not is_symmetric and rng.random() < 0.25
    epilogues = ["direct", "tma", "tma"]
    if not is_symmetric:
        epilogues.append("staged")
    elif not is_narrow:
        epilogues = ["direct"]
    config = {"schedule": "wgmma",
              "cta": "%dx%dx%d" % (columns if swap else rows,
                                   rows if swap else columns,
                                   DEPTHS[kind] * rng.choice([1, 1, 2])),
              "warps": "%dx1x1" % (4 * shares),
              "stages": rng.choice([2, 3, 4]),
              "epilogue": rng.choice(epilogues),
              "raster": rng.choice(["along_m", "along_n"]),
              "raster_group": rng.choice([1, 2, 8])}
    if swap:
        config["swap_ab"] = "true"
    if rng.random() < 0.5:
        config["persistent"] = "true"
    if rng.random() < 0.25:
        config["cluster"] = rng.choice(["2x1x1", "1x2x1", "2x2x1"])
    elif kind in ("bf16", "f16") and rng.random() < 0.2:
        config["producer"] = "cp_async"
        config["copy_a"] = config["copy_b"] = rng.choice([4, 8, 16])
    if kind in ("bf16", "f16", "e4m3") and rng.random() < 0.15:
        config["promote_sums"] = "true"
    if rng.random() < 0.15:
        config["dependent_launch"] = "true"
    if is_symmetric and config.get("persistent") and rng.random() < 0.3:
        config["pingpong"] = "true"
    return config


def draw_band(rng, most, may_be_unit):
    names = ["lower", "upper", "strict-lower", "strict-upper"]
    if may_be_unit:
        names += ["unit-lower", "unit-upper"]
    if rng.random() < 0.6:
        band = rng.choice(names)
    else:
        below, above = rng.randint(-most, most), rng.randint(-most, most)
        if below + above < 0:
            below, above = -above, -below
        band = "band:%s:%s" % (below, above)
        if rng.random() < 0.3:
            band = rng.choice(["band:*:%d" % above, "band:%d:*" % below])
    if not band.startswith("unit") and rng.random() < 0.25:
        band += ":zeros"
    return band


def draw_command(rng, options):
    kind = rng.choice(TYPES)
    alignment = {"e4m3": 16, "s8": 16, "tf32": 4}.get(kind, 8)
    most = 900 if options.device == "cuda" else 300
    is_symmetric = rng.random() < 0.4
    output = rng.choice(OUTPUTS[kind])
    config = draw_config(rng, kind, is_symmetric, output in ("bf16", "f16"))

    def draw_size():
        return rng.choice([1, 64, 136, 256, rng.randint(1, most),
                           rng.randint(1, most // alignment) * alignment])

    m, n, k = draw_size(), draw_size(), draw_size()
    arguments = ["--records=none", "--chip=sm_90a", "--out-type=" + output,
                 "--k=%d" % k, "--ld-pad=%d" % rng.choice([0, 0, alignment, 3]),
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "int"]),
                 "--config=" + " ".join("%s=%s" % item
                                        for item in config.items())]
    if kind == "tf32":
        arguments += ["--type=f32", "--precision=tf32"]
    else:
        arguments.append("--type=" + kind)
    if is_symmetric:
        arguments += ["--symmetric", "--m=%d" % m, "--n=%d" % m,
                      "--layout=" + rng.choice(["tn", "nt"]),
                      "--epilogue=" + ("none" if kind == "s8" else
                                       rng.choice(SYMMETRIC_EPILOGUES))]
        if rng.random() < 0.2:
            arguments.append("--band-a=" + draw_band(rng, most, False))
    else:
        arguments += ["--m=%d" % m, "--n=%d" % n,
                      "--layout=" + rng.choice(["tn", "tn", "tt", "nn", "nt"]),
                      "--epilogue=" + ("none" if kind == "s8" else
                                       rng.choice(EPILOGUES))]
        which = rng.choice(["a", "a", "b", "ab"])
        for operand in which:
            arguments.append("--band-%s=%s" % (
                operand, draw_band(rng, most, len(which) == 1)))
    if options.device == "emulator" and rng.random() < 0.5:
        # Several tiles for each CTA.
        arguments.append("--emulator-sm-count=%d" % rng.choice([1, 2, 3, 8]))
    if rng.random() < 0.2:
        arguments.append("--batch=2")
    if rng.random() < 0.3:
        arguments.append("--static")
    return arguments, ("symmetric" if is_symmetric else "band", kind)


if __name__ == "__main__":
    run_cases("random_structured.py", __doc__, draw_command)
