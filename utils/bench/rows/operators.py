"""Rows of products that tcgemm has beside those of the paper's tables: contractions,
numbers with components, other algebras, bands, groups, two products, reductions. They are
in the form of rows/gemmkernels.py."""

from rows.gemmkernels import (give_call, give_pack, give_sizes, make_contender,
                              make_contraction, make_numbers_row, make_row)

# The index string, the extents, and the limit of torch.einsum's time over tcgemm's.
CONTRACTIONS = (
    ("adb,cd->cba", "a=64 b=32 c=2048 d=2048", 1.49),
    ("bda,dc->abc", "a=64 b=32 c=2048 d=2048", 1.66),
    ("bqhd,bkhd->bhqk", "b=16 q=2048 k=2048 h=32 d=128", 1.76),
    ("bhqk,bkhd->bqhd", "b=16 q=2048 k=2048 h=32 d=128", 0.98),
    ("mab,anb->mn", "m=4096 n=4096 a=64 b=64", 0.98),
    ("xky,zkw->xyzw", "x=64 y=64 z=64 w=64 k=1024", 0.98),
    ("abc,cd->abd", "a=256 b=256 c=256 d=512", 0.98),
    ("mk,nk->nm", "m=4096 n=2048 k=4096", 0.98),
    ("mkb,knb->mnb", "m=256 n=256 k=256 b=64", 0.98),
    ("xyzmk,xyzkn->xyzmn", "x=4 y=8 z=4 m=512 n=512 k=128", 0.98),
    ("aebf,fdec->abcd", "a=48 b=48 c=48 d=48 e=32 f=32", 0.98),
    ("mkab,nkcb->mnac", "m=64 n=64 k=64 a=64 c=64 b=64", 0.98),
    ("bhwc,ck->bhwk", "b=32 h=56 w=56 c=256 k=512", 0.98),
    ("lmjino,lkmjno->lkji", "l=4 m=8 j=8 i=512 n=8 o=8 k=512", 0.98))
# Groups, rows in all, N and K of products of a mixture of experts.
GROUPS = ((8, 1024, 14336, 4096), (8, 4096, 14336, 4096), (256, 4096, 4096, 7168),
          (256, 16384, 4096, 7168), (64, 8192, 2048, 7168), (32, 8192, 7168, 2048),
          (128, 4096, 1536, 2048))
# The speeds of the limits of bf16.
FLOPS, BYTES = 750e12, 4.3e12


def list_contractions():
    for index, extents, limit in CONTRACTIONS:
        sizes = {item[0]: int(item[2:]) for item in extents.split()}
        yield make_contraction(index, "bf16", sizes, limit)


def list_numbers(size=4096):
    def give_cublas(tf32):
        return [make_contender("cuBLAS", [
            give_call("complex-mm", "A", "B", "D", tf32=tf32)], "D")]

    for precision, tf32 in (("tf32", True), ("tf32x3", False), ("bf16x6", False)):
        yield make_numbers_row(
            "c64 by %s, N = %d" % (precision, size),
            ("complex", "f32", precision, "interleaved"), size, give_cublas(tf32),
            targets={"cuBLAS": (">=", 1.9)})
    for small in (1024, 2048, 4096):
        yield make_numbers_row("c128, N = %d" % small,
                               ("complex", "f64", "", "interleaved"), small,
                               give_cublas(False), targets={"cuBLAS": (">=", 0.97)})
    real = "packs/real-%d" % size
    name = "tcgemm, real %dx%dx%d" % (size, 2 * size, 2 * size)
    for numbers, limit in (("complex", 0.9), ("dual", 1 / 0.87)):
        for components in ("interleaved", "rows", "planes"):
            yield make_numbers_row(
                "%s f16, %s, N = %d" % (numbers, components, size),
                (numbers, "f16", "", components), size,
                [make_contender(name, [give_pack(real, "X", "W", "Z")])],
                {"X": ["f16", [size, 2 * size]], "W": ["f16", [2 * size, 2 * size]],
                 "Z": ["f16", [size, 2 * size]]},
                {real: ["--type=f16", *give_sizes(size, 2 * size, 2 * size)]},
                {name: (">=", limit)})


def list_maxplus(size=4096):
    square, pack = ["f32", [size, size]], "packs/max-plus-%d" % size
    yield make_row(
        "max-plus f32, N = %d" % size, {"A": square, "B": square, "D": square},
        [make_contender("tcgemm", [give_pack(pack, "A", "B", "D")])],
        {pack: ["--type=f32", "--out-type=f32", "--algebra=max-plus",
                "--config=schedule=simt cta=256x128x8 threads=16x16x1 stages=4",
                *give_sizes(size, size, size)]},
        work=size ** 3, clock=True, unit="terms")


def list_structured(size=8192):
    square = ["bf16", [size, size]]
    sizes, dense = give_sizes(size, size, size), "packs/dense-bf16-%d" % size
    for name, flag in (("triangular A", "--band-a=lower"),
                       ("triangular A, zeros in memory", "--band-a=lower:zeros"),
                       ("A·Aᵀ by halves", "--symmetric")):
        pack = "packs/" + flag.strip("-").replace("=", "-").replace(":", "-")
        # The dense product multiplies the same elements, of which a triangle is zero.
        is_symmetric = flag == "--symmetric"
        operands = {"A": square + ([] if is_symmetric else ["lower"]), "B": square,
                    "D": square}
        right = "A" if is_symmetric else "B"
        arguments = ["A", "D"] if is_symmetric else ["A", "B", "D"]
        yield make_row(
            "%s, N = %d" % (name, size), operands,
            [make_contender("tcgemm", [give_pack(pack, *arguments)], "D"),
             make_contender("tcgemm, dense", [give_pack(dense, "A", right, "D")], "D")],
            {pack: [flag, "--type=bf16", *sizes], dense: ["--type=bf16", *sizes]},
            targets={"tcgemm, dense": (">=", 1 / 0.58)}, work=2 * size ** 3)


def list_grouped():
    for groups, rows, n, k in GROUPS:
        name = "%d groups, %d rows, %dx%d" % (groups, rows, n, k)
        sizes = [rows // groups] * groups  # A kernel is for all sizes of groups.
        packs = {
            "packs/grouped-%s-%d-%d-%dx%d" % (kind, groups, rows, n, k): [
                "--group-sizes=" + ",".join(map(str, sizes)), "--n=%d" % n, "--k=%d" % k,
                "--type=" + kind, "--out-type=bf16"] for kind in ("bf16", "e4m3")}
        wide, narrow = packs
        has_narrow = 2 * rows * n * k / FLOPS > 2 * (
            groups * n * k + rows * (n + k)) / BYTES
        for seed in (1, 2, 3):
            operands = {"A": ["bf16", [rows, k]], "B": ["bf16", [groups, n, k]],
                        "ends": ["i32", [groups], {"rows": rows, "seed": seed}],
                        "D": ["bf16", [rows, n]]}
            contenders = [
                make_contender("tcgemm", [give_pack(wide, "A", "B", "ends", "D")], "D"),
                make_contender("torch._grouped_mm", [
                    give_call("grouped-mm", "A", "B", "ends", "D")], "D")]
            targets = {"torch._grouped_mm": (">=", 0.98)}
            if has_narrow:
                operands.update({"P": ["e4m3", [rows, k]], "Q": ["e4m3", [groups, n, k]]})
                contenders.append(make_contender(
                    "tcgemm, e4m3", [give_pack(narrow, "P", "Q", "ends", "D")]))
                targets["tcgemm, e4m3"] = ("<=", 1 / 1.5)
            yield make_row("%s, seed %d" % (name, seed), operands, contenders,
                           packs if has_narrow else {wide: packs[wide]},
                           targets=targets, work=2 * rows * n * k)


def list_dual(m=2048, n=11008, k=4096):
    name, wide = "tcgemm, N = %d" % (2 * n), "packs/wide"
    config = "--config=schedule=wgmma cta=128x%dx64 warps=8x1x1 %s"
    for function, tile, rest in (
            ("mul", 256, "stages=4 epilogue=tma persistent=true"),
            ("silu-mul", 128, "stages=6 pingpong=true persistent=true")):
        pack = "packs/dual-" + function
        yield make_row(
            "%s %dx%dx%d" % (function, m, n, k),
            {"A": ["bf16", [m, k]], "B": ["bf16", [n, k]], "B2": ["bf16", [n, k]],
             "D": ["bf16", [m, n]], "W": ["bf16", [2 * n, k]], "Z": ["bf16", [m, 2 * n]]},
            [make_contender("tcgemm", [give_pack(pack, "A", "B", "B2", "D")]),
             make_contender(name, [give_pack(wide, "A", "W", "Z")])],
            {pack: ["--dual=" + function, "--type=bf16", *give_sizes(m, n, k),
                    config % (tile, rest)],
             wide: ["--type=bf16", *give_sizes(m, 2 * n, k)]},
            targets={name: (">=", 1 / 1.03)}, work=4 * m * n * k)


def list_reductions(m=8192, n=4096, k=1024):
    plain, flags = "packs/reduce-none", ["--type=bf16", *give_sizes(m, n, k)]
    for word, shape in (("row-max", [m]), ("row-sum", [m]), ("amax", [])):
        pack = "packs/reduce-" + word
        yield make_row(
            "%s, %dx%dx%d" % (word, m, n, k),
            {"A": ["bf16", [m, k]], "B": ["bf16", [n, k]], "D": ["bf16", [m, n]],
             "R": ["f32", shape]},
            [make_contender("tcgemm", [give_pack(pack, "A", "B", "D", "R")], "D"),
             make_contender("tcgemm, plain", [give_pack(plain, "A", "B", "D")], "D")],
            {pack: flags + ["--reduce=" + word], plain: flags},
            targets={"tcgemm, plain": (">=", 1 / 1.04)}, work=2 * m * n * k)


EXPERIMENTS = {"contractions": list_contractions, "numbers": list_numbers,
               "max-plus": list_maxplus, "structured": list_structured,
               "grouped": list_grouped, "dual-product": list_dual,
               "reductions": list_reductions}
