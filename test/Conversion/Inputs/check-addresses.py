"""Runs lowered address arithmetic, thread by thread, and checks what it does.

  check-addresses.py TOOL copies   what every copy writes is what ldmatrix reads,
                                   without bank conflicts; with `sectors`, the
                                   halves of a sector of global memory are
                                   neighbours in shared memory
  check-addresses.py TOOL doubles  the same for f64, which plain loads read
  check-addresses.py TOOL raster   every output tile is visited exactly once
  check-addresses.py TOOL reciprocals   by multiplications as by divisions

Each case is a small program that TOOL (tcgemm-opt) lowers; the arith operations
that come out are interpreted here.
"""

import itertools
import math
import random
import re
import subprocess
import sys

PASSES = "--pass-pipeline=builtin.module(gpu.module(tcgemm-lower-tiles,cse))"


def shift(x, by):
    assert 0 <= x < 1 << 64, "the product before the shift is too large"
    return x >> by


BINARY = {
    "addi": lambda x, y: x + y, "subi": lambda x, y: x - y,
    "muli": lambda x, y: x * y, "divui": lambda x, y: x // y,
    "remui": lambda x, y: x % y, "xori": lambda x, y: x ^ y,
    "andi": lambda x, y: x & y, "ori": lambda x, y: x | y,
    "minsi": min, "maxsi": max, "minui": min, "maxui": max,
    "shrui": lambda x, y: shift(x, y),
}
COMPARE = {
    "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
    "slt": lambda x, y: x < y, "ult": lambda x, y: x < y,
    "sgt": lambda x, y: x > y, "ugt": lambda x, y: x > y,
    "sle": lambda x, y: x <= y, "ule": lambda x, y: x <= y,
    "sge": lambda x, y: x >= y, "uge": lambda x, y: x >= y,
}


def lower(tool, program):
    done = subprocess.run([tool, PASSES], input=program, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        sys.exit(done.stderr + program)
    lines = [line.strip() for line in done.stdout.splitlines()]
    start = next(i for i, l in enumerate(lines) if l.startswith("tcgemm.program"))
    return lines[start + 1:]


class Thread:
    """One thread's run: copies, stores and matrix addresses, in order."""

    def __init__(self, lines, arguments, thread):
        self.lines, self.thread = lines, thread
        self.values = {f"%arg{i}": v for i, v in enumerate(arguments)}
        self.copies, self.matrices, self.stores = [], [], []
        self.loads = []
        self.run(0)

    def get(self, name):
        return self.values.get(name)

    def skip(self, at):
        """The line after the block that the line before `at` opens."""
        depth = 1
        while depth:
            depth += self.lines[at].endswith("{") - self.lines[at].startswith("}")
            if depth == 1 and self.lines[at] == "} else {":
                return at + 1, True
            at += 1
            if depth == 0:
                return at, False
        return at, False

    def run(self, at):
        """Runs a block; returns the line after its end and what it yields."""
        yielded = []
        while True:
            line = self.lines[at]
            at += 1
            if line in ("}", "} else {", "tcgemm.return"):
                return at, yielded, line
            if line.startswith("scf.yield"):
                yielded = [self.get(n) for n in re.findall(r"%[\w#]+", line)]
                continue
            branch = re.match(r"(?:(%\w+)(?::\d+)? = )?scf\.if (%\w+)", line)
            if branch:
                at = self.branch(at, branch.group(1), self.get(branch.group(2)))
                continue
            self.step(line)

    def branch(self, at, result, condition):
        if condition:
            at, values, end = self.run(at)
            if end == "} else {":
                at, _ = self.skip(at)
        else:
            at, has_else = self.skip(at)
            values = []
            if has_else:
                at, values, _ = self.run(at)
        if result and values:
            self.values[result] = values[0]
        return at

    def step(self, line):
        get, values = self.get, self.values
        if m := re.match(r"(%\S+) = arith\.constant (-?\d+|true|false)\b(?!\.)", line):
            text = m.group(2)
            values[m.group(1)] = {"true": 1, "false": 0}.get(text) if text in (
                "true", "false") else int(text)
        elif m := re.match(r"(%\S+) = arith\.constant ", line):
            values[m.group(1)] = "zero"
        elif m := re.match(r"(%\S+) = memref\.extract_aligned_pointer_as_index", line):
            values[m.group(1)] = 0
        elif m := re.match(r"(%\S+) = gpu\.thread_id", line):
            values[m.group(1)] = self.thread
        elif m := re.match(r"(%\S+) = arith\.(?:extui|trunci|index_cast(?:ui)?) (%\S+) ", line):
            values[m.group(1)] = get(m.group(2))
        elif m := re.match(r"(%\S+) = arith\.cmpi (\w+), (%\S+), (%\S+) ", line):
            values[m.group(1)] = int(COMPARE[m.group(2)](get(m.group(3)), get(m.group(4))))
        elif m := re.match(r"(%\S+) = arith\.select (%\S+), (%\S+), (%\S+) ", line):
            values[m.group(1)] = get(m.group(3)) if get(m.group(2)) else get(m.group(4))
        elif (m := re.match(r"(%\S+) = arith\.(\w+) (%\S+), (%\S+) ", line)) and (
                m.group(2) in BINARY):
            values[m.group(1)] = BINARY[m.group(2)](get(m.group(3)), get(m.group(4)))
        elif m := re.match(r"%\S+ = nvgpu\.device_async_copy %\w+\[(%\w+)\], %\w+\[(%\w+)\], (\d+), (%\w+)", line):
            self.copies.append((get(m.group(1)), get(m.group(2)), int(m.group(3)),
                                get(m.group(4))))
        elif m := re.match(r"(%\S+) = memref\.load %\w+\[(%\w+)\]", line):
            values[m.group(1)] = ("element", get(m.group(2)))
            self.loads.append(get(m.group(2)))
        elif m := re.match(r"memref\.store (%\S+), %\w+\[(%\w+)\]", line):
            self.stores.append((get(m.group(1)), get(m.group(2))))
        elif m := re.match(r"%\S+ = nvgpu\.ldmatrix %\w+\[(%\w+)\].*transpose = (\w+)", line):
            self.matrices.append((get(m.group(1)), m.group(2) == "true"))


def copy_case(rows, columns, swizzle, width, k_contiguous, threads, role,
              element="bf16", fragment_depth=16, shape="", sums=""):
    """A tile copied whole, then all of its fragments: one warp, 16 wide."""
    side, depth = (rows, columns) if k_contiguous else (columns, rows)
    sum_type = element if element == "f64" else "f32"
    phase, loader = (" phase %phase", " from %l(!loader)") if (
        swizzle == "sectors") else ("", "")
    text = f"""
!tile = !tcgemm.tile<{rows} x {columns} x {element}, {swizzle}>
!ring = !tcgemm.ring<2, cp_async, [!tile]>
!loader = !tcgemm.loader<!tile, bytes = {width}, k_contiguous = {str(k_contiguous).lower()}, threads = {threads}>
!global = memref<?x{element}, #gpu.address_space<global>>
!frag = !tcgemm.fragment<{role}, {side} x {fragment_depth} x {element}>
!other = !tcgemm.fragment<{'b' if role == 'a' else 'a'}, {side} x {fragment_depth} x {element}>
!acc = !tcgemm.acc<{side} x {side}{sums}, mma_sync>
gpu.module @m {{
  tcgemm.program @p(%p: !global, %stride: i64, %origin: i32, %extent: i32, %k_valid: i32, %warp: i32, %phase: i64, %out: memref<?x{sum_type}, #gpu.address_space<global>>) attributes {{threads = {threads} : i64, chip = "sm_90"}} {{
    %c0 = arith.constant 0 : i32
    %none = arith.constant 0 : i64
    %l = tcgemm.loader.create %p stride %stride at %origin of %extent{phase} : !global -> !loader
    %at = tcgemm.loader.start %l batch %none k %c0 : !loader
    %ring = tcgemm.ring.create : !ring
    %s = tcgemm.ring.start %ring : !ring
    %w = tcgemm.ring.acquire %ring, %s : !ring -> !tcgemm.token<write>
    tcgemm.loader.copy %l, %at to %ring, %s, %w tile 0 part 0 of 1 k_valid %k_valid : !loader, !ring, !tcgemm.token<write>
    %g = tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write> -> !tcgemm.token<in_flight>
    %r = tcgemm.ring.wait %ring, %s, %g : !tcgemm.token<in_flight> pending 0 : !ring -> !tcgemm.token<read>
    %z = tcgemm.acc.zero : !acc
"""
    last = "%z"
    for step in range(depth // fragment_depth):
        for name, r in (("x", role), ("y", "b" if role == "a" else "a")):
            kind = "!frag" if name == "x" else "!other"
            text += f"    %{name}{step} = tcgemm.fragment.load %ring, %s, %r warp %warp tile 0 k_step {step} transposed {str(not k_contiguous).lower()}{loader} : !ring, !tcgemm.token<read> -> {kind}\n"
        a, b = ("x", "y") if role == "a" else ("y", "x")
        ta, tb = ("!frag", "!other") if role == "a" else ("!other", "!frag")
        text += f"    %s{step} = tcgemm.mma %{a}{step}, %{b}{step}, {last}{shape} : {ta}, {tb}, !acc\n"
        last = f"%s{step}"
    return text + f"""    tcgemm.ring.drain %ring, %r : !ring, !tcgemm.token<read>
    tcgemm.epilogue {last} at (%c0, %c0, %c0) of (%c0, %c0) outputs(%out : memref<?x{sum_type}, #gpu.address_space<global>>) dims ["n"] arguments [] guards [] {{
    ^bb0(%v: {sum_type}):
      tcgemm.yield %v : {sum_type}
    }} : !acc
    tcgemm.return
  }}
}}
"""


def check_sectors(shared, stride, phase):
    """The two 16-byte halves of a sector go to one sector of shared memory."""
    places = {source: target for target, source in shared.items()
              if source is not None}
    pairs = 0
    for source, target in places.items():
        is_half = (source + phase) % 16 == 0 and target % 8 == 0
        if is_half and source + 8 in places:
            assert target // 16 == places[source + 8] // 16, (source, target)
            pairs += 1
    assert pairs, (stride, phase)


def divides_copies(rows, chunks, threads):
    """The legality rules copy-threads and copy-rows."""
    return rows * chunks <= threads or not (
        threads % chunks or rows % (threads // chunks))


def collect_copies(runs, width, element_bytes):
    """The source of each element that the threads copy; None where it is zero."""
    shared = {}
    for run in runs:
        for source, target, count, valid in run.copies:
            assert target * element_bytes % width == 0, "misaligned copy"
            for e in range(count):
                assert target + e not in shared, "written twice"
                shared[target + e] = source + e if e < valid else None
    return shared


def check_copies(tool):
    cases = 0
    sides = [(32, 32, 64, "a"), (16, 64, 64, "b"), (16, 32, 96, "a"),
             (32, 128, 128, "b")]
    # Rows that start in the middle of a sector: by turns, all, or none.
    layouts = [("xor", 1000, 0), ("pad", 1000, 0), ("sectors", 1000, 1000),
               ("sectors", 1000, 16), ("sectors", 1008, 24), ("sectors", 1008, 0)]
    for (side, depth, threads, role), layout, width, kc in itertools.product(
            sides, layouts, [16, 8, 4, 2], [True, False]):
        swizzle, stride, phase = layout
        if swizzle == "sectors" and (not kc or depth < 64):
            continue
        rows, columns = (side, depth) if kc else (depth, side)
        if not divides_copies(rows, columns * 2 // width, threads):
            continue
        # Part of the tile is beyond the operand's side, part beyond K.
        origin, extent, k_valid = 3 * side, 3 * side + side - 5, depth - 7
        lines = lower(tool, copy_case(rows, columns, swizzle, width, kc, threads, role))
        runs = [Thread(lines, [None, stride, origin, extent, k_valid, 0, phase, None], t)
                for t in range(threads)]
        shared = collect_copies(runs, width, 2)
        for run in runs:
            for value, target in run.stores:
                if value is None:
                    continue  # a sum, which the epilogue stores
                assert target not in shared, "written twice"
                shared[target] = None if value == "zero" else value[1]
        assert len(shared) == side * depth, (len(shared), side * depth)
        if swizzle == "sectors":
            check_sectors(shared, stride, phase)
        # The address of element (s, k) of the operand, or None where it is zero.
        def want(s, k):
            if origin + s >= extent or k >= k_valid:
                return None
            return (origin + s) * stride + k if kc else k * stride + origin + s
        pieces = side // 16
        loads = len(runs[0].matrices) // (depth // 16)
        assert loads == 2 * pieces
        for step, which in itertools.product(range(depth // 16), range(loads)):
            # The fragment of `role` is loaded first, then that of the other.
            as_a = (which < pieces) == (role == "a")
            piece = which % pieces
            for matrix in range(4):
                lanes = range(8 * matrix, 8 * matrix + 8)
                starts = [runs[l].matrices[step * loads + which][0] for l in lanes]
                banks = {start * 2 % 128 // 16 for start in starts}
                assert len(banks) == 8, f"bank conflict in {swizzle} {rows}x{columns}"
                side8 = matrix % 2 if as_a else matrix // 2
                k8 = matrix // 2 if as_a else matrix % 2
                for i, e in itertools.product(range(8), range(8)):
                    s = piece * 16 + side8 * 8 + (i if kc else e)
                    k = step * 16 + k8 * 8 + (e if kc else i)
                    assert shared[starts[i] + e] == want(s, k), (s, k)
        cases += 1
    print(cases, "tiles copied and read")


def check_doubles(tool):
    """Sixteen lanes at a time read elements of different banks."""
    cases = 0
    tiles = [(32, 4, 32), (32, 8, 64), (16, 16, 64), (32, 32, 128)]
    for (side, depth, threads), swizzle, width, kc, k in itertools.product(
            tiles, ["xor", "pad", "sectors"], [16, 8], [True, False],
            [4, 8, 16]):
        if k > depth or (swizzle == "sectors" and (not kc or depth < 16)):
            continue
        rows, columns = (side, depth) if kc else (depth, side)
        if not divides_copies(rows, columns * 8 // width, threads):
            continue
        origin, extent, k_valid = 3 * side, 3 * side + side - 5, depth - 3
        stride = 1001 if width == 8 else 1002
        lines = lower(tool, copy_case(
            rows, columns, swizzle, width, kc, threads, "a", "f64", k,
            "" if k == 16 else f" shape [16, 8, {k}]", " of f64"))
        runs = [Thread(lines, [None, stride, origin, extent, k_valid, 0, 2, None], t)
                for t in range(threads)]
        shared = collect_copies(runs, width, 8)
        assert len(shared) == side * depth, (len(shared), side * depth)
        # A's and B's fragments of a step are the same loads of one tile.
        order = [(step, piece, first, half) for step in range(depth // k)
                 for piece in range(side // 16)
                 for first in range(0, k, 4) for half in (0, 8)]
        assert all(len(run.loads) == len(order) for run in runs)
        for number, (step, piece, first, half) in enumerate(order):
            for lane in range(32):
                s, at = piece * 16 + half + lane // 4, step * k + first + lane % 4
                inside = origin + s < extent and at < k_valid
                want = (((origin + s) * stride + at if kc else
                         at * stride + origin + s) if inside else None)
                assert shared[runs[lane].loads[number]] == want, (s, at)
            for lanes in (range(16), range(16, 32)) if swizzle == "xor" else ():
                banks = {runs[lane].loads[number] % 16 for lane in lanes}
                assert len(banks) == 16, f"bank conflict in {rows}x{columns}"
        cases += 1
    print(cases, "tiles of f64 copied and read")


def lower_bands(tool, group, more):
    return lower(tool, f"""
gpu.module @m {{
  tcgemm.program @p(%i: i32, %tm: i32, %tn: i32, %band: i64, %last: i64, %out: memref<?xi32, #gpu.address_space<global>>)
      attributes {{threads = 32 : i64, chip = "sm_80"}} {{
    %one = arith.constant 1 : i32
    %b, %m, %n, %s = tcgemm.raster %i of %tm x %tn slices %one along_m true group {group} slices_inner false batched false {more}
    %c0 = arith.constant 0 : index
    memref.store %m, %out[%c0] : memref<?xi32, #gpu.address_space<global>>
    memref.store %n, %out[%c0] : memref<?xi32, #gpu.address_space<global>>
    tcgemm.return
  }}
}}""")


def check_reciprocals(tool):
    """Multiplications give what divisions do, up to the largest numbers of tiles."""
    rng, cases = random.Random(1), 0
    for group in (1, 3, 8, 64):
        divides = lower_bands(tool, group, "")
        multiplies = lower_bands(tool, group, "reciprocals(%band, %last)")
        assert not any("divui" in line for line in multiplies
                       if f"%c{group}_i32" not in line)
        for _ in range(200):
            tm = int(2 ** rng.uniform(0, 31))
            tn = int(2 ** rng.uniform(0, 31 - math.log2(tm)))
            band, last = tn * group, (tm - 1) % group + 1
            tile = rng.choice([0, 1, tm * tn - 1, rng.randrange(tm * tn),
                               max(0, rng.randrange(-(-tm // group)) * band - 1)])
            arguments = [tile, tm, tn, -(-2**62 // band), -(-2**62 // last), None]
            found = [[v for v, _ in Thread(lines, arguments, 0).stores]
                     for lines in (divides, multiplies)]
            assert found[0] == found[1], (group, tm, tn, tile, found)
            cases += 1
    print(cases, "tiles found without divisions")


def check_raster(tool):
    cases = 0
    for along, group, inner, batched in itertools.product(
            ["true", "false"], [1, 4, 8], ["true", "false"], ["true", "false"]):
        lines = lower(tool, f"""
gpu.module @m {{
  tcgemm.program @p(%i: i32, %tm: i32, %tn: i32, %slices: i32, %out: memref<?xi32, #gpu.address_space<global>>)
      attributes {{threads = 32 : i64, chip = "sm_80"}} {{
    %b, %m, %n, %s = tcgemm.raster %i of %tm x %tn slices %slices along_m {along} group {group} slices_inner {inner} batched {batched}
    %c0 = arith.constant 0 : index
    memref.store %b, %out[%c0] : memref<?xi32, #gpu.address_space<global>>
    memref.store %m, %out[%c0] : memref<?xi32, #gpu.address_space<global>>
    memref.store %n, %out[%c0] : memref<?xi32, #gpu.address_space<global>>
    memref.store %s, %out[%c0] : memref<?xi32, #gpu.address_space<global>>
    tcgemm.return
  }}
}}""")
        for tm, tn, slices in [(1, 1, 1), (3, 5, 1), (9, 17, 3), (16, 8, 2), (1, 11, 4)]:
            batches = 3 if batched == "true" else 1
            seen = {tuple(v for v, _ in Thread(lines, [i, tm, tn, slices, None], 0).stores)
                    for i in range(batches * tm * tn * slices)}
            assert seen == set(itertools.product(
                range(batches), range(tm), range(tn), range(slices))), (along, group)
            cases += 1
    print(cases, "grids covered")


if __name__ == "__main__":
    {"copies": check_copies, "raster": check_raster,
     "doubles": check_doubles, "reciprocals": check_reciprocals}[sys.argv[2]](sys.argv[1])
