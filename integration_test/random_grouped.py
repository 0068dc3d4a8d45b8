#!/usr/bin/env python3
"""Runs random grouped products, with their group sizes in device memory.

  random_grouped.py --cases N [--seed N] [--seconds N]
      [--types any|scaled|groups] [--tcgemm-run PATH] [--device emulator]
      [--prepare DIR]

Groups are contiguous, padded or along k; empty, tiny or of several tiles. Scaled products are those of FP8 with scales
of blocks. With `groups`, products have elements of 4 bits with scales of groups along k. A tenth each of the others has
such scales, too. --prepare is that of random_narrow.py.
"""

from random_narrow import (BITS, FLOATS, GROUPS, HALF, INTEGERS, MIXED, PACKED,
                           SPLIT, draw_groups, draw_wgmma, is_converted,
                           run_cases)

# Elements of 16 bytes, and the depth of a stage.
VECTORS = {"bf16": 8, "f16": 8, "e4m3": 16, "s8": 16, "tf32": 4}
DEPTHS = {"bf16": 64, "f16": 64, "e4m3": 128, "s8": 128, "tf32": 32}
# Half of the cases have one of these, and the others any type of wgmma.
COMMON = list(VECTORS)
TYPES = (COMMON + FLOATS + INTEGERS + HALF + MIXED + SPLIT + BITS
         + [kind for kind in PACKED if is_converted(kind)])

KINDS = ["contiguous", "padded", "ragged-k"]
EPILOGUES = ["relu", "bias_silu", "rowbias_gelu", "residual", "scale_bias_gate",
             "rowscale_colscale", "groupbias_silu", "groupscale",
             "groupcolscale_groupbias", "rowscale_groupscale_bias"]


def list_outputs(kind):
    if kind in INTEGERS + BITS:
        return ["s32", "bf16", "f32", "s8"]
    if kind == "tf32" or kind in SPLIT:
        return ["f32", "f32", "bf16"]
    return ["bf16", "f16", "f32"]


def draw_other_config(rng, kind):
    return {**draw_wgmma(rng, kind), "persistent": "true", "split_k": 1,
            "cluster": rng.choice(["1x1x1", "1x1x1", "2x1x1", "1x2x1"]),
            "epilogue": rng.choice(["direct", "staged"])}


def draw_config(rng, kind, groups):
    """Not all draws are legal; run_cases draws again."""
    if kind not in COMMON:
        return draw_other_config(rng, kind)
    shares = rng.choice([1, 1, 2])
    along_k = groups == "ragged-k"
    pingpong = shares == 2 and not along_k and rng.random() < 0.3
    m, n = rng.choice([64, 128]), rng.choice([32, 64, 128])
    swap = rng.random() < 0.25
    if swap:
        m, n = n, m
    depth = DEPTHS[kind]
    config = {"schedule": "wgmma", "cta": "%dx%dx%d" % (m, n, depth),
              "warps": "%dx1x1" % (4 * shares),
              "persistent": rng.choice(["true", "false"]) if along_k else "true",
              "stages": rng.choice([2, 3, 4]),
              "epilogue": rng.choice(["direct", "staged"] + ["tma"] * along_k),
              "raster": rng.choice(["along_m", "along_n"]),
              "raster_group": rng.choice([1, 2, 8])}
    if pingpong:
        config["pingpong"] = "true"
    if swap:
        config["swap_ab"] = "true"
    if rng.random() < 0.2:
        config["cluster"] = rng.choice(["2x1x1", "1x2x1"])
    elif rng.random() < 0.2 and not along_k:
        config["producer"] = "cp_async"
    if rng.random() < 0.2:
        config["dependent_launch"] = "true"
    return config


def draw_sizes(rng, most):
    count = rng.choice([1, 2, 3, 5, 9, 40])
    sizes = [rng.choice([0, 0, 1, 2, 7, 8, 63, 64, 65, rng.randint(1, 200)])
             for _ in range(count)]
    while sum(sizes) > most:
        sizes[rng.randrange(count)] //= 2
    return sizes


def draw_rows(rng, groups, sizes):
    """The rows of A's matrices, if the groups are padded and the rows are not the default."""
    if groups == "padded" and rng.random() < 0.5:
        return ["--m=%d" % (max(sizes) + rng.choice([0, 1, 70]))]
    return []


def format_config(config):
    return "--config=" + " ".join("%s=%s" % item for item in config.items())


def draw_scaled(rng, options):
    """A product of FP8 with scales of blocks, whose stages are blocks of k."""
    kind = rng.choice(["e4m3", "e5m2", "e4m3xe5m2", "e5m2xe4m3"])
    scales = rng.choice(["a", "b", "ab", "ab"])
    shares = rng.choice([1, 1, 2])
    pingpong = shares == 2 and rng.random() < 0.5
    config = {"schedule": "wgmma", "promote_sums": "true", "persistent": "true",
              "cta": "%dx%dx128" % (64 if pingpong else 64 * shares,
                                    rng.choice([32, 64, 128])),
              "warps": "%dx1x1" % (4 * shares), "stages": rng.choice([2, 3, 4]),
              "epilogue": rng.choice(["direct", "staged"]),
              "raster": rng.choice(["along_m", "along_n"])}
    if pingpong:
        config["pingpong"] = "true"
    if rng.random() < 0.2:
        config["cluster"] = rng.choice(["2x1x1", "1x2x1"])
    groups = rng.choice(["contiguous", "padded"])
    sizes = draw_sizes(rng, 4000 if options.device == "cuda" else 300)
    arguments = ["--records=none", "--chip=sm_90a", "--type=" + kind,
                 "--block-scales=" + scales, "--groups=" + groups,
                 "--layout=" + rng.choice(["tn", "tn", "tt"]),
                 "--out-type=" + rng.choice(["bf16", "f32"]),
                 "--group-sizes=" + ",".join(map(str, sizes)),
                 "--n=%d" % rng.choice([8, 33, 72, 136, 200, 264]),
                 "--k=%d" % rng.choice([0, 16, 40, 128, 130, 272, 400, 700]),
                 "--ld-pad=%d" % rng.choice([0, 0, 16, 3]),
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "int", "special"]),
                 format_config(config)]
    arguments += draw_rows(rng, groups, sizes)
    if rng.random() < 0.3:
        arguments.append("--static")
    if rng.random() < 0.3:
        arguments.append("--epilogue=" + rng.choice(EPILOGUES))
    return arguments, ("grouped scaled " + groups, kind)


def draw_narrow(rng, options):
    """A product of 4-bit elements with scales, and perhaps zero points, of groups along k.

    Special values are left out: in f32, sums of the largest ones are infinite before their scales make them small."""
    kind = rng.choice(GROUPS)
    config = {**draw_other_config(rng, kind), "promote_sums": "true"}
    if config["warps"] == "8x1x1" and rng.random() < 0.3:
        config["pingpong"] = "true"
    scales, depth = draw_groups(rng, kind)
    groups = rng.choice(["contiguous", "padded"])
    sizes = draw_sizes(rng, 4000 if options.device == "cuda" else 200)
    narrow_a = kind.partition("x")[0].endswith("4")
    layouts = ["tn"] if not narrow_a else ["tn", "tt"]
    static = rng.random() < 0.3
    # Each row of 4-bit elements has whole bytes; a static K has whole groups.
    k = depth * rng.choice([1, 2, 3, 5]) if static else rng.choice(
        [0, 16, 40, 130, 272, 400, 700, depth, 5 * depth])
    arguments = ["--records=none", "--chip=sm_90a", "--type=" + kind, scales,
                 "--groups=" + groups, "--layout=" + rng.choice(layouts),
                 "--out-type=" + rng.choice(["bf16", "f16", "f32"]),
                 "--group-sizes=" + ",".join(map(str, sizes)),
                 "--n=%d" % rng.choice([8, 33, 72, 136, 200]), "--k=%d" % k,
                 "--ld-pad=%d" % rng.choice([0, 0, 2, 32]),
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "normal", "int"]),
                 format_config(config)]
    arguments += draw_rows(rng, groups, sizes)
    if static:
        arguments.append("--static")
    if rng.random() < 0.3:
        arguments.append("--epilogue=" + rng.choice(EPILOGUES))
    if rng.random() < 0.2:
        arguments.append("--beta=%s" % rng.choice([0, 1, -0.5]))
    return arguments, ("grouped groups " + groups, kind)


def draw_command(rng, options):
    if options.types == "scaled" or (options.types == "any" and rng.random() < 0.1):
        return draw_scaled(rng, options)
    if options.types == "groups" or rng.random() < 0.1:
        return draw_narrow(rng, options)
    groups = rng.choice(KINDS)
    kind = rng.choice(rng.choice([COMMON, TYPES]))
    while groups == "ragged-k" and kind in PACKED + BITS + SPLIT:
        kind = rng.choice(TYPES)
    alignment = VECTORS.get(kind, 16)
    m, n = rng.choice([1, 40, 64, 136]), rng.choice([8, 33, 64, 72, 136, 200])
    k = rng.choice([0, alignment, 40, 64, 72, 130, 200])
    layouts, paddings = ["tn", "tn", "tt"], [0, 0, alignment, 3]
    if groups == "ragged-k":
        layouts = layouts + ["nt", "nt", "nn"]
    if kind in PACKED:  # Rows along k, of whole bytes.
        layouts = ["tn"] if kind.endswith("4") else layouts
        paddings = [0, 0, 2, 32]
    if kind in BITS:
        layouts, k, paddings = ["tn"], 8 * k, [0, 0, 8, 128]
    sizes = draw_sizes(rng, 4000 if options.device == "cuda" else 400)
    config = draw_config(rng, kind, groups)
    arguments = ["--records=none", "--chip=sm_90a", "--type=" + kind,
                 "--layout=" + rng.choice(layouts),
                 "--out-type=" + rng.choice(list_outputs(kind)),
                 "--groups=" + groups,
                 "--group-sizes=" + ",".join(map(str, sizes)),
                 "--n=%d" % n,
                 "--ld-pad=%d" % rng.choice(paddings),
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "int", "special"]),
                 format_config(config)]
    if groups == "ragged-k":
        arguments.append("--m=%d" % m)
    else:
        arguments.append("--k=%d" % k)
    arguments += draw_rows(rng, groups, sizes)
    if rng.random() < 0.3:
        arguments.append("--static")
    if rng.random() < 0.5:
        arguments.append("--epilogue=" + rng.choice(EPILOGUES))
    if rng.random() < 0.2:
        arguments.append("--beta=%s" % rng.choice([0, 1, -0.5]))
    if rng.random() < 0.2:
        arguments.append("--check-offsets")
    return arguments, ("grouped " + groups, kind)


if __name__ == "__main__":
    run_cases("random_grouped.py", __doc__, draw_command,
              ["any", "scaled", "groups"])
