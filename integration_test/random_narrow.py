"""Runs random products of 8-bit or 4-bit operands, of tf32, of split f32, or of f16
with sums of f16, and compares them with the reference. `groups` are 4-bit operands with
scales of groups, `interleaved` those whose elements are, `dots` products by gemv,
`bits` operands of one bit.

  random_narrow.py --cases N [--seed S]
      [--types narrow|tf32|split|mixed|half|packed|groups|interleaved|dots|bits]
      [--tcgemm-run PATH] [--device emulator] [--prepare DIR]

A case draws types, layouts, sizes, an epilogue and a configuration. Draws that
the compiler rejects as illegal are repeated. A failure prints the command that
repeats it; the last line counts the cases of each schedule and type.

--prepare compiles the cases into DIR and runs none of them. On a machine with a GPU,
`random_cases.py run --cases DIR/cases.jsonl` runs them all in one process.
"""

import argparse
import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys
import time

from random_drawing import draw_simt_options

INTEGERS = ["s8", "u8", "s8xu8", "u8xs8"]
FLOATS = ["e4m3", "e5m2", "e4m3xe5m2", "e5m2xe4m3"]
WIDE = ["tf32", "tf32x3"]  # Of 32 bits in shared memory.
SPLIT = ["tf32x3", "bf16x3", "bf16x6"]
# The depths of stages of wgmma, which count products of parts.
SPLIT_DEPTHS = {"tf32x3": [48, 96], "bf16x3": [96, 192], "bf16x6": [192, 384]}
MIXED = [a + "x" + b for wide in ["bf16", "f16"]
         for narrow in ["s8", "u8", "e4m3", "e5m2"]
         for a, b in [(wide, narrow), (narrow, wide)]]
HALF = ["f16acc16"]
PACKED = ["s4", "u4xs4", "s8xs4", "u4xu8", "bf16xs4", "f16xs4", "f16xu4",
          "bf16xu4", "s4xbf16", "u4xf16", "e4m3xs4", "e4m3xu4", "e5m2xs4",
          "s4xe4m3", "u4xe5m2"]
FP8_BY_4 = [kind for kind in PACKED if "e4m3" in kind or "e5m2" in kind]
GROUPS = [kind for kind in PACKED if "f16" in kind] + FP8_BY_4
INTERLEAVED = ["bf16xu4i", "f16xu4i", "bf16xs4i", "u4ixbf16", "s4ixf16"]
BITS = ["b1"]
DOTS = (MIXED + [kind for kind in GROUPS if kind not in FP8_BY_4] + INTEGERS +
        ["f64"])
TYPES = {"narrow": INTEGERS + FLOATS, "tf32": ["tf32"], "split": SPLIT,
         "mixed": MIXED, "half": HALF, "packed": PACKED, "groups": GROUPS,
         "interleaved": INTERLEAVED, "dots": DOTS, "bits": BITS}
SIZES = [1, 2, 15, 16, 17, 31, 33, 48, 63, 64, 65, 96, 127, 128, 129, 160]
EPILOGUES = ["none", "bias", "bias_relu", "relu_residual", "scale_scale",
             "rowscale_colscale", "scale_bias_gate"]
ATTEMPTS = 200
ILLEGAL = 2  # The exit code of a configuration that is not legal.


def draw_mma_sync(rng, kind):
    depth = ([8, 16, 32, 64] if kind in WIDE else
             [16, 32, 64, 128] if kind in SPLIT + MIXED + HALF or "f16" in kind
             else [256, 512, 1024, 2048] if kind in BITS else
             [32, 64, 128, 256])
    warps = rng.choice([(1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 1), (1, 1, 2),
                        (2, 2, 2)])
    cta = [rng.choice([16, 32, 48, 64, 128]) for _ in range(2)]
    return {"schedule": "mma_sync",
            "cta": "%dx%dx%d" % (*cta, rng.choice(depth)),
            "warps": "%dx%dx%d" % warps, "stages": rng.choice([2, 3, 4]),
            "copy_a": rng.choice([16, 16, 8, 4]),
            "copy_b": rng.choice([16, 16, 8, 4]),
            "unaligned": ("pack" if kind in SPLIT else rng.choice(
                ["pack", "copy_8", "copy_4", "registers"])),
            "shared": rng.choice(["xor", "pad", "sectors"]),
            "fragment_buffers": rng.choice([1, 2]),
            "split_k": rng.choice([1, 1, 2, 3]),
            "epilogue": rng.choice(["direct", "staged"]),
            **({"instruction": "16x8x4"}
               if kind in WIDE and rng.random() < 0.3 else {})}


def is_converted(kind):
    """Whether an operand is converted to the floats of the other."""
    return kind in MIXED + GROUPS + INTERLEAVED


def draw_wgmma(rng, kind):
    depth = (SPLIT_DEPTHS[kind] if kind in SPLIT else
             [16, 32, 64] if kind in WIDE else
             [32, 64, 128] if kind in HALF + MIXED else
             [256, 512, 1024, 2048] if kind in BITS else [64, 128, 256])
    widths = [4] if kind in WIDE else [16, 8, 4]
    consumers = rng.choice([1, 1, 2])
    swap = rng.choice(["false", "false", "true"])
    sides = [64 * consumers * rng.choice([1, 2]),
             rng.choice([8, 16, 24, 32, 48, 64, 80, 128])]
    if is_converted(kind):  # The narrow operand takes the rows.
        bits = get_bits(kind)
        swap = "false" if bits[0] < bits[1] else "true"
        if swap == "true":
            sides.reverse()
    config = {"schedule": "wgmma",
              "cta": "%dx%dx%d" % (*sides, rng.choice(depth)),
              "warps": "%dx1x1" % (4 * consumers),
              "stages": rng.choice([2, 3, 4]),
              "split_k": rng.choice([1, 1, 2]),
              "persistent": rng.choice(["true", "false"]),
              "cluster": rng.choice(["1x1x1", "1x1x1", "2x1x1", "1x2x1",
                                     "1x1x2"]),
              "epilogue": rng.choice(["direct", "staged", "tma"]),
              "swap_ab": swap}
    if (kind in FLOATS + SPLIT + HALF or is_converted(kind)) and \
            rng.random() < 0.4:
        config["promote_sums"] = "true"
    if kind not in SPLIT and rng.random() < 0.3:
        config.update(producer="cp_async", copy_a=rng.choice(widths),
                      copy_b=rng.choice(widths))
    if is_converted(kind) and rng.random() < 0.35:
        divide_depth(rng, config, consumers)
    return config


def divide_depth(rng, config, consumers):
    """Lets several warpgroups divide the depth of each stage."""
    parts = rng.choice([2, 2, 4])
    m, n, k = map(int, config["cta"].split("x"))
    config.update(warps="%dx1x%d" % (4 * consumers, parts), persistent="false",
                  cta="%dx%dx%d" % (m, n, k * parts))


def get_bits(kind):
    """Of an element of A and of B."""
    a, _, b = kind.partition("x")
    return [64 if name == "f64" else 16 if name.endswith("f16") else
            4 if name.endswith(("4", "4i")) else 8 for name in (a, b or a)]


def draw_gemv(rng, kind):
    bits = get_bits(kind)
    # The large operand is the narrower one, or any.
    swap = bits[0] < bits[1] if bits[0] != bits[1] else rng.random() < 0.5
    groups, slices = rng.choice([1, 2, 4]), rng.choice([1, 2])
    many, few = groups * rng.choice([1, 2, 4]), rng.choice([1, 1, 2])
    depth = 32 * slices * (128 // min(bits)) * rng.choice([1, 2])
    widths = [[16, 16, 8, 4] if width < 64 else [16, 16, 8] for width in bits]
    shape = "%dx%dx%d"
    math = "mma" if kind in GROUPS and rng.random() < 0.6 else "fma"
    if math == "mma":
        many, few = 16 * groups * rng.choice([1, 1, 2]), rng.choice([1, 3, 8, 13, 16])
        slices = rng.choice([1, 2, 4])
        depth = 128 * slices * rng.choice([1, 2, 3])
    copies = {}
    if math == "mma" and rng.random() < 0.5:
        copies = {"loads": "shared", "stages": rng.choice([2, 3, 4])}
    return {"schedule": "gemv", "math": math, **copies, "swap_ab": "true" if swap else "false",
            "cta": shape % ((many, few, depth) if swap else (few, many, depth)),
            "warps": shape % ((groups, 1, slices) if swap else
                              (1, groups, slices)),
            "copy_a": rng.choice(widths[0]), "copy_b": rng.choice(widths[1]),
            "unaligned": rng.choice(
                ["pack", "copy_8"] if bits[0] == 64 else
                ["pack", "copy_8", "copy_4"] if math == "mma" else
                ["pack", "copy_8", "copy_4", "registers"])}


def draw_groups(rng, kind):
    """The option for scales of groups, and elements along k of a group."""
    depth = rng.choice([32, 64, 128, 256])
    words = [str(depth)]
    if rng.random() < 0.8:
        words.append(rng.choice(["f32", "f16", "bf16"]))
        if kind not in FP8_BY_4 and rng.random() < 0.6:
            words.append(rng.choice(["s8", "u8"] if "u4" in kind else ["s8"]))
    return "--group-scales=" + "x".join(words), depth


def draw_wmma(rng, kind):
    shapes = (["16x16x8"] if kind == "tf32" else ["8x8x128"] if kind in BITS else
              ["16x16x16", "32x8x16", "8x32x16"])
    shape = rng.choice(shapes)
    units = [int(size) for size in shape.split("x")]
    warps = [rng.choice([1, 1, 2]) for _ in range(2)]
    # Multiples of the copies' rows in most cases.
    cta = [rng.choice([side for side in (16, 32, 64, 96, 128)
                       if side % (unit * count) == 0])
           for unit, count in zip(units, warps)]
    depth = units[2] * rng.choice([1, 2, 4, 8])
    tiles = rng.choice([1, 1, 3])
    return {"schedule": "wmma", "instruction": shape,
            "cta": "%dx%dx%d" % (*cta, depth), "warps": "%dx%dx1" % tuple(warps),
            "stages": rng.choice([2, 3]),
            "raster": rng.choice(["along_m", "along_n", "diagonal"]),
            "tiles_per_cta": tiles,
            "tile_order": rng.choice(["sequential", "strided"][:tiles]),
            "stage_a": rng.choice(["true", "false"]),
            "stage_b": rng.choice(["true", "false"]),
            "epilogue": rng.choice(["direct", "staged"])}


def draw_simt(rng):
    threads = rng.choice([(8, 4), (4, 8), (8, 8), (16, 8), (2, 16), (16, 16)])
    cta = [count * rng.choice([1, 2, 3, 4, 5, 8]) for count in threads]
    options = draw_simt_options(rng)
    return {"schedule": "simt",
            "cta": "%dx%dx%d" % (*cta, rng.choice([16, 32, 64])),
            "threads": "%dx%dx%d" % (*threads, options.pop("groups")),
            "transpose_staging": "false", **options,
            "copy_a": rng.choice([16, 16, 8, 4]),
            "copy_b": rng.choice([16, 16, 8, 4]),
            "unaligned": rng.choice(["pack", "copy_8", "copy_4"]),
            "fragment_buffers": rng.choice([1, 2]),
            "split_k": rng.choice([1, 1, 2, 3])}


def draw_schedule(rng, kind, types):
    if types == "dots":
        return "gemv"
    if types == "interleaved":
        return "wgmma"
    if types == "groups":
        # More draws of mma_sync are illegal.
        others = [] if kind in FP8_BY_4 else ["gemv"]
        return rng.choice(["mma_sync"] * 8 + ["wgmma"] * 2 + others)
    schedules = ["mma_sync"]
    if kind not in PACKED or is_converted(kind):
        schedules.append("wgmma")
    if kind in INTEGERS:
        schedules.append("simt")
    if kind in ["s8", "u8", "tf32"] + HALF + BITS:
        schedules.append("wmma")
    return rng.choice(schedules)


def draw_command(rng, options):
    """The tool's arguments, and what the case counts as."""
    kind = rng.choice(TYPES[options.types])
    schedule = draw_schedule(rng, kind, options.types)
    if schedule == "wgmma":
        config, chip = draw_wgmma(rng, kind), "sm_90a"
    elif schedule in ("simt", "wmma"):
        config = draw_simt(rng) if schedule == "simt" else draw_wmma(rng, kind)
        chip = "sm_90" if options.device == "cuda" else rng.choice(
            ["sm_80", "sm_89", "sm_90", "sm_120"])
    else:
        config = (draw_gemv if schedule == "gemv" else draw_mma_sync)(rng, kind)
        has_fp8 = "e4m3" in kind or "e5m2" in kind
        chip = rng.choice(["sm_89", "sm_90"] if has_fp8 else
                          ["sm_80", "sm_90"])
        # A GPU does not load the code of an older architecture.
        if options.device == "cuda":
            chip = "sm_90"
    m, n, k = (rng.choice(SIZES) for _ in range(3))
    layouts, paddings = ["tn", "tn", "nn", "nt", "tt"], [0, 0, 1, 16]
    if kind in PACKED + INTERLEAVED:  # Rows along k, of whole bytes.
        a, _, b = kind.partition("x")
        layouts = [layout for layout in layouts
                   if (not a.endswith(("4", "4i")) or layout[0] == "t")
                   and (not (b or a).endswith(("4", "4i")) or layout[1] == "n")]
        k, paddings = 2 * k, [0, 0, 2, 32]
    if kind in INTERLEAVED:
        k, paddings = 32 * rng.randint(1, 12), [0, 0, 32, 96]
    if kind in BITS:
        layouts, k, paddings = ["tn"], 8 * k, [0, 0, 8, 128]
    if schedule == "gemv":
        layouts = ["tn"]
        k *= rng.choice([1, 7])
    groups = None
    if options.types == "groups" or (kind in INTERLEAVED and
                                     rng.random() < 0.6):
        groups, depth = draw_groups(rng, kind)
        # gemv and wgmma take any K; a static one must have whole groups.
        if schedule == "wgmma":
            config["promote_sums"] = "true"
        if schedule == "mma_sync" or (schedule == "wgmma" and
                                      rng.random() < 0.3):
            k = depth * rng.choice([1, 2, 3, 5])
    k *= rng.choice([1, 3])
    if config.get("producer") == "cp_async" and kind not in PACKED + INTERLEAVED + BITS:
        # Rows of whole copies, and seldom those that TMA could copy.
        paddings = [-k % 4 + extra for extra in (0, 4, 8)]
    arguments = ["--records=none", "--chip=" + chip, "--type=" + kind,
                 "--layout=" + rng.choice(layouts),
                 "--m=%d" % m, "--n=%d" % n, "--k=%d" % k,
                 "--ld-pad=%d" % rng.choice(paddings),
                 "--seed=%d" % rng.randrange(1 << 30),
                 "--fill=" + rng.choice(["normal", "normal", "int"]),
                 "--config=" + " ".join("%s=%s" % item
                                        for item in config.items())]
    if groups:
        arguments.append(groups)
    if kind in FLOATS and "promote_sums" in config and rng.random() < 0.7:
        arguments.append("--block-scales=" + rng.choice(["a", "b", "ab"]))
    if rng.random() < 0.2:
        arguments.append("--batch=%d" % rng.choice([2, 3]))
    if rng.random() < 0.5:
        outputs = ["bf16", "f16", "f32"]
        if kind in BITS or ("f" not in kind and "e" not in kind):
            outputs.append("s8")
        elif kind == "f64":
            outputs = ["f64"]
        elif chip != "sm_80":
            outputs += ["e4m3", "e5m2"]
        arguments += ["--out-type=" + rng.choice(outputs),
                      "--epilogue=" + rng.choice(EPILOGUES)]
    if rng.random() < 0.3 and (schedule == "mma_sync" or not groups):
        arguments.append("--static")
    return arguments, (schedule, kind)


def run(options, arguments):
    command = [options.tcgemm_run, "--device=" + options.device, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return command, done


def prepare(options, arguments, number):
    """Compiles a case into a pack and adds its line to DIR/cases.jsonl."""
    pack = "case-%05d" % number
    folder = os.path.join(options.prepare, pack)
    command = [options.tcgemm_run, "--plan", "--save-pack=" + folder, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return command, done
    for file in os.listdir(folder):
        if options.device == "cuda" and file.endswith(".ptx"):
            # The cubin suffices, but the manifest names the file.
            open(os.path.join(folder, file), "w").close()
    given = dict(word[2:].split("=", 1) for word in arguments if "=" in word)
    variants = re.findall(r"^  variant (\S+)", done.stdout, re.M)
    case = {"id": "%d-%d:%s:%s" % (options.seed, number, given["type"],
                                   "+".join(variants)),
            "pack": pack, "fill": given["fill"], "seed": int(given["seed"]),
            "ld_pad": int(given["ld-pad"]),
            "sizes": {name: int(given.get(name.lower(), 1))
                      for name in ("M", "N", "K", "batch")}}
    if "group-sizes" in given:
        ends = list(itertools.accumulate(map(int, given["group-sizes"].split(","))))
        case["sizes"].update({"M": ends[-1], "batch": len(ends)})
        case["fills"] = {"arg2": "values:" + ",".join(map(str, ends))}
    with open(os.path.join(options.prepare, "cases.jsonl"), "a") as file:
        file.write(json.dumps(case) + "\n")
    return command, done


def run_cases(name, description, draw_command, types=None):
    """Runs what `draw_command` draws, and reports. `name` is the program's. `types`
    are the names of the sets of types that the option --types takes, if any."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    if types:
        parser.add_argument("--types", choices=types, default=types[0])
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="start no case after this time")
    parser.add_argument("--tcgemm-run", default="tcgemm-run")
    parser.add_argument("--device", default="emulator")
    parser.add_argument("--prepare", metavar="DIR",
                        help="compile the cases for --device into DIR")
    options = parser.parse_args()
    if options.prepare:
        os.makedirs(options.prepare)
    counts, failures = collections.Counter(), 0
    end = time.monotonic() + options.seconds
    for number in range(options.cases):
        if time.monotonic() > end:
            break
        rng = random.Random("%d/%d" % (options.seed, number))
        for _ in range(ATTEMPTS):
            arguments, kind = draw_command(rng, options)
            command, done = (prepare(options, arguments, number)
                             if options.prepare else run(options, arguments))
            # ptxas counts the registers, and so decides what spills. Some forms of
            # products have no kernel with every configuration.
            if done.returncode != ILLEGAL or not any(
                    word in done.stdout for word in
                    ("illegal config", "allow-spills", "and this configuration")):
                break
        else:
            sys.exit("%s: seed %d, case %d: no legal draw" %
                     (name, options.seed, number))
        counts[kind] += 1
        if done.returncode:
            failures += 1
            print("FAILURE: seed %d, case %d, exit code %d\n  again: %s\n%s" % (
                options.seed, number, done.returncode,
                " ".join("'%s'" % word for word in command), done.stdout))
    for (schedule, kind), count in sorted(counts.items()):
        print("%-10s %-10s %6d" % (schedule, kind, count))
    print("%d cases, %d failures, seed %d" % (sum(counts.values()), failures,
                                              options.seed))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    run_cases("random_narrow.py", __doc__, draw_command, list(TYPES))
