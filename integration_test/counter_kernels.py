"""Small kernels that each repeat one instruction, for counters.py.

A table, which is an argument of the kernel, has the addresses of the warp's lanes.
One kernel therefore has many patterns.
"""

import dataclasses
import re
import struct

LANES = range(32)
REPEATS = 16
SHARED_STEP = 2048    # From one repetition's shared memory to the next's.
GLOBAL_STEP = 16384   # Likewise in global memory: past what a pattern spans.
BLOCK_STEP = REPEATS * GLOBAL_STEP
GRID = 8
GLOBAL_WORDS = (GRID + 1) * BLOCK_STEP // 4

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"

# %r2 is the address in shared memory, %rd1 the address in global memory, and %r4 the
# table's value, an operand of some instructions. Each is loaded only by kernels that
# use it: ptxas removes unused loads, and the emulator would count them. Inactive
# lanes exit at once.
PROLOGUE = """
.visible .entry {name}(.param .u64 a, .param .u64 t)
{{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<64>;
  .reg .b64 %rd<64>;
  .shared .align 128 .b8 {name}_s[40960];
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [t];
  mov.u32 %r1, %laneid;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd2, %rd2, %rd3;
{loads}  ld.global.u32 %r5, [%rd2+384];
  setp.ne.u32 %p1, %r5, 0;
  mov.u32 %r6, {name}_s;
  add.u32 %r2, %r2, %r6;
  cvt.u64.u32 %rd4, %r3;
  mov.u32 %r7, %ctaid.x;
  mul.wide.u32 %rd5, %r7, {block_step};
  add.u64 %rd1, %rd1, %rd5;
  add.u64 %rd1, %rd1, %rd4;
  mov.u64 %rd6, 3;
  @!%p1 bra END;
"""

# A store that is never executed uses the loaded values. Otherwise ptxas would remove
# the loads.
SINK = """  setp.eq.u32 %p2, %r40, 0x12345677;
  @%p2 st.global.u32 [%rd2], %r40;
"""

COPIES = {"cg16": ("cg", 16), "ca16": ("ca", 16), "ca8": ("ca", 8),
          "ca4": ("ca", 4)}

# {d} is a register of the repetition, {s} and {g} are its offsets.
REPEATED = {
    "ld_u16": "ld.volatile.shared.u16 %h1, [%r2+{s}];",
    "ld_u32": "ld.volatile.shared.u32 %r30, [%r2+{s}];",
    "ld_v2": "ld.volatile.shared.v2.u32 {{%r30, %r31}}, [%r2+{s}];",
    "ld_v4": "ld.volatile.shared.v4.u32 {{%r30, %r31, %r32, %r33}}, [%r2+{s}];",
    "st_u16": "st.volatile.shared.u16 [%r2+{s}], 7;",
    "st_u32": "st.volatile.shared.u32 [%r2+{s}], %r4;",
    "st_v2": "st.volatile.shared.v2.u32 [%r2+{s}], {{%r4, %r4}};",
    "st_v4": "st.volatile.shared.v4.u32 [%r2+{s}], {{%r4, %r4, %r4, %r4}};",
    "ldmatrix_x1": "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r{d}}}, "
                   "[%r2+{s}];",
    "ldmatrix_x2": "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{%r{d}, %r31}}, "
                   "[%r2+{s}]; xor.b32 %r{d}, %r{d}, %r31;",
    "ldmatrix_x4": "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r{d}, %r31, "
                   "%r32, %r33}}, [%r2+{s}]; xor.b32 %r{d}, %r{d}, %r31;",
    "ldmatrix_x4_trans": "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                         "{{%r{d}, %r31, %r32, %r33}}, [%r2+{s}]; "
                         "xor.b32 %r{d}, %r{d}, %r31;",
    "stmatrix_x1": "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2+{s}], "
                   "{{%r4}};",
    "stmatrix_x4": "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r2+{s}], "
                   "{{%r4, %r4, %r4, %r4}};",
    "atom_add": "atom.shared.add.u32 %r{d}, [%r2+{s}], %r4;",
    "atom_inc": "atom.shared.add.u32 %r{d}, [%r2+{s}], 1;",
    "atom_max": "atom.shared.max.s32 %r{d}, [%r2+{s}], %r4;",
    "atom_cas": "atom.shared.cas.b32 %r{d}, [%r2+{s}], %r4, %r5;",
    "atom_exch": "atom.shared.exch.b32 %r{d}, [%r2+{s}], %r4;",
    "atom_add64": "atom.shared.add.u64 %rd6, [%r2+{s}], %rd4;",
    "atom_cas64": "atom.shared.cas.b64 %rd6, [%r2+{s}], %rd4, %rd5;",
    "red_add": "red.shared.add.u32 [%r2+{s}], %r4;",
    "red_inc": "red.shared.add.u32 [%r2+{s}], 1;",
    "gld_u32": "ld.global.u32 %r{d}, [%rd1+{g}];",
    "gld_v4": "ld.global.v4.u32 {{%r{d}, %r31, %r32, %r33}}, [%rd1+{g}]; "
              "xor.b32 %r{d}, %r{d}, %r31; xor.b32 %r{d}, %r{d}, %r32; "
              "xor.b32 %r{d}, %r{d}, %r33;",
    "gst_u16": "st.global.u16 [%rd1+{g}], 7;",
    "gst_u32": "st.global.u32 [%rd1+{g}], %r4;",
    "gst_v4": "st.global.v4.u32 [%rd1+{g}], {{%r4, %r4, %r4, %r4}};",
    "gred_add": "red.global.add.u32 [%rd1+{g}], %r4;",
    "gatom_add": "atom.global.add.u32 %r{d}, [%rd1+{g}], %r4;",
    "bar": "bar.sync 0;",
    "bar_warp": "bar.warp.sync 0xffffffff;",
    "shfl": "shfl.sync.idx.b32 %r{d}, %r4, %r1, 31, 0xffffffff;",
    "vote": "vote.sync.ballot.b32 %r{d}, %p1, 0xffffffff;",
    "wait_all": "cp.async.wait_all;",
    "fence": "membar.cta;",
}


# By the register that the loads compute.
LOADS = {"%r2": "  ld.global.u32 %r2, [%rd2];\n",
         "%rd[14]": "  ld.global.u32 %r3, [%rd2+128];\n",
         "%r4": "  ld.global.u32 %r4, [%rd2+256];\n"}

# The loaded values are not used, so that ptxas keeps only the last load.
ONCE = {"ld_u16", "ld_u32", "ld_v2", "ld_v4"}


def repeat(name):
    """The instruction, each time elsewhere, and a use of its results."""
    line = REPEATED[name]
    text = ""
    for i in range(REPEATS - 1 if name in ONCE else 0, REPEATS):
        text += "  %s\n" % line.format(d=40 + i, s=i * SHARED_STEP,
                                       g=i * GLOBAL_STEP)
    if "{d}" in line:
        for i in range(1, REPEATS):
            text += "  xor.b32 %%r40, %%r40, %%r%d;\n" % (40 + i)
        text += SINK
    elif "%rd6," in line:
        text += "  cvt.u32.u64 %r40, %rd6;\n" + SINK
    return text


def make_body(name):
    base, _, suffix = name.partition("_")
    if base not in COPIES:
        return repeat(name) if name in REPEATED else ""
    cache, size = COPIES[base]
    text = ""
    for i in range(REPEATS):
        source = 0 if suffix == "again" else i * GLOBAL_STEP
        text += "  cp.async.%s.shared.global [%%r2+%d], [%%rd1+%d], %d%s;\n" % (
            cache, i * SHARED_STEP, source, size,
            ", %r4" if suffix == "part" else "")
    return text + "  cp.async.wait_all;\n"


def make_ptx(name):
    """`return` is empty, `nothing` has only the prologue of the others."""
    if name == "return":
        return HEAD + ".visible .entry return_now(.param .u64 a, " \
            ".param .u64 t)\n{\n  ret;\n}\n"
    body = make_body(name)
    loads = "".join(load for register, load in LOADS.items()
                    if re.search(register + r"\b", body))
    return HEAD + PROLOGUE.format(name=name, block_step=BLOCK_STEP,
                                  loads=loads) + body + "END:\n  ret;\n}\n"


def get_entry(name):
    return "return_now" if name == "return" else name


# Places by lane, in bytes.
PATTERNS = {
    "by4": [4 * l for l in LANES],
    "by8": [8 * l for l in LANES],
    "by16": [16 * l for l in LANES],
    "by32": [32 * l for l in LANES],
    "by64": [64 * l for l in LANES],
    "by128": [128 * l for l in LANES],
    "by144": [144 * l for l in LANES],
    "by512": [512 * l for l in LANES],
    "from16": [16 * l + 16 for l in LANES],
    "same": [0 for l in LANES],
    "two": [128 * (l % 2) for l in LANES],
    "two_near": [4 * (l % 2) for l in LANES],
    "reversed": [16 * (31 - l) for l in LANES],
    "pairs": [16 * (l // 2) for l in LANES],
    "pairs4": [4 * (l // 2) for l in LANES],
    "fours": [16 * (l // 4) for l in LANES],
    "eights": [16 * (l // 8) for l in LANES],
    "halves": [16 * (l % 16) for l in LANES],
    # Rows of 128 bytes, read by eight lanes: unchanged, permuted by the row's index
    # (starting at 0 and at 3), padded, and by columns.
    "xor": [128 * (l // 8) + 16 * (l % 8 ^ l // 8) for l in LANES],
    "xor3": [128 * (l // 8) + 16 * (l % 8 ^ (l // 8 + 3)) for l in LANES],
    "turned": [128 * (l // 8) + 16 * ((l + 1) % 8) for l in LANES],
    "padded": [144 * (l // 8) + 16 * (l % 8) for l in LANES],
    "padded64": [80 * (l // 4) + 16 * (l % 4) for l in LANES],
    "columns": [256 * (l % 4) + 16 * (l // 4) for l in LANES],
    "rows": [128 * (l % 8) + 16 * (l // 8) for l in LANES],
    # Pieces of longer rows.
    "far2": [512 * (l // 2) + 16 * (l % 2) for l in LANES],
    "far4": [512 * (l // 4) + 16 * (l % 4) for l in LANES],
    "far8": [512 * (l // 8) + 16 * (l % 8) for l in LANES],
    "far16": [512 * (l // 16) + 16 * (l % 16) for l in LANES],
    "odd8": [528 * (l // 8) + 16 * (l % 8) for l in LANES],
    "k1000_8": [2000 * (l // 8) + 16 * (l % 8) for l in LANES],
    "k1000_16": [2000 * (l // 16) + 16 * (l % 16) for l in LANES],
    "words8": [512 * (l // 8) + 4 * (l % 8) for l in LANES],
    "words16": [512 * (l // 16) + 4 * (l % 16) for l in LANES],
}

MASKS = {"all": [1] * 32, "half": [l < 16 for l in LANES],
         "eight": [l < 8 for l in LANES], "odd": [l % 2 for l in LANES],
         "one": [l == 0 for l in LANES]}

# Bytes that copies read of 16; the rest is zeros.
PARTS = {"none": [0] * 32, "quarter": [4] * 32, "eight": [8] * 32,
         "whole": [16] * 32,
         "half_lanes": [16 * (l < 16) for l in LANES],
         "odd_lanes": [16 * (l % 2) for l in LANES],
         "most_lanes": [16 * (l < 24) for l in LANES]}


@dataclasses.dataclass(frozen=True)
class Experiment:
    """One launch of a kernel; targets are shared, sources global memory."""
    kernel: str
    target: str = "by16"
    source: str = "by16"
    mask: str = "all"
    part: str = ""
    grid: int = GRID
    warps: int = 1

    @property
    def name(self):
        name = "%s %s" % (self.kernel, self.target)
        if self.source != "by16":
            name += " <- " + self.source
        for word in (self.part, self.mask if self.mask != "all" else ""):
            if word:
                name += " " + word
        if (self.grid, self.warps) != (GRID, 1):
            name += " %dx%d" % (self.grid, self.warps)
        return name

    def table(self):
        value = PARTS[self.part] if self.part else [3] * 32
        words = PATTERNS[self.target] + PATTERNS[self.source] + value + \
            [int(x) for x in MASKS[self.mask]]
        return struct.pack("<128I", *words)


def list_copies(add):
    for kernel in ("cg16", "ca16"):
        for target in ("by16", "by128", "by144", "by64", "by32", "xor", "xor3",
                       "turned", "padded", "padded64", "same", "reversed",
                       "halves", "pairs", "columns", "rows"):
            add(kernel, target)
        for source in ("by32", "by64", "by128", "by512", "far8", "far4", "odd8",
                       "far2", "same", "far16", "from16", "k1000_8", "k1000_16",
                       "reversed", "rows"):
            add(kernel, "by16", source)
        for target, source in (
                ("xor", "far8"), ("xor3", "far8"), ("turned", "far8"),
                ("padded", "far8"), ("padded64", "far4"), ("by128", "by512"),
                ("xor", "odd8"), ("xor", "k1000_8"), ("xor", "k1000_16"),
                ("turned", "k1000_8"), ("by128", "by128"), ("rows", "far8"),
                ("columns", "far8"), ("rows", "rows"), ("reversed", "reversed"),
                ("xor", "xor")):
            add(kernel, target, source)
        for mask in ("half", "odd", "eight", "one"):
            add(kernel, mask=mask)
        add(kernel, "xor", "far8", mask="half")
        for part in ("none", "eight", "whole", "half_lanes", "odd_lanes"):
            add(kernel + "_part", part=part)
        add(kernel + "_part", "xor", "far8", part="most_lanes")
        for target, source in (("by16", "by16"), ("by128", "by16"),
                               ("xor", "by16"), ("same", "by16"),
                               ("xor", "far8"), ("by128", "by512")):
            add(kernel + "_again", target, source)
    for target in ("by4", "by128", "by64", "by8", "pairs4", "same", "by16",
                   "by32", "by144"):
        add("ca4", target, "by4")
    for source in ("by16", "by32", "by128", "by512", "same", "by8", "words8",
                   "words16"):
        add("ca4", "by4", source)
    for target, source in (("by128", "by128"), ("by128", "by512"),
                           ("by16", "by16"), ("by128", "by16")):
        add("ca4", target, source)
    add("ca4", "by4", "by4", mask="half")
    for part in ("none", "quarter"):
        add("ca4_part", "by4", "by4", part=part)
    for target, source in (("by4", "by4"), ("by128", "by4"), ("by4", "by128")):
        add("ca4_again", target, source)
    for target in ("by8", "by128", "by64", "by16", "same", "by32"):
        add("ca8", target, "by8")
    for source in ("by16", "by32", "by128", "by512", "same"):
        add("ca8", "by8", source)


def list_shared(add):
    for kernel in ("ld_v4", "st_v4"):
        for target in ("by16", "by128", "pairs", "fours", "eights", "halves",
                       "same", "reversed", "by32", "by64", "xor", "padded64",
                       "two", "rows", "columns"):
            add(kernel, target)
        add(kernel, mask="odd")
        add(kernel, "by128", mask="eight")
    for kernel in ("ld_v2", "st_v2"):
        for target in ("by8", "by128", "pairs", "same", "halves", "by16",
                       "by32", "two", "fours"):
            add(kernel, target)
    for kernel in ("ld_u32", "st_u32"):
        for target in ("by4", "by128", "by8", "same", "pairs4", "two_near"):
            add(kernel, target)
    for kernel in ("ld_u16", "st_u16"):
        for target in ("by4", "by128"):
            add(kernel, target)
    for kernel in ("ldmatrix_x4", "ldmatrix_x2", "ldmatrix_x4_trans",
                   "stmatrix_x4"):
        for target in ("by16", "by128", "by144", "xor", "padded64", "same",
                       "by64"):
            add(kernel, target)
    for kernel in ("ldmatrix_x1", "stmatrix_x1"):
        for target in ("by16", "by128"):
            add(kernel, target)
    for kernel in ("atom_add", "atom_inc", "atom_max", "atom_cas", "atom_exch",
                   "red_add", "red_inc"):
        for target in ("by4", "same", "pairs4", "by8", "by128", "two_near",
                       "two"):
            add(kernel, target)
    for kernel in ("atom_add64", "atom_cas64"):
        for target in ("by8", "same", "by16", "by128", "two"):
            add(kernel, target)


def list_others(add):
    for kernel in ("gld_u32", "gld_v4", "gst_u16", "gst_u32", "gst_v4",
                   "gred_add", "gatom_add"):
        for source in ("by16", "by4", "by32", "by128", "same"):
            if source != "by4" or "v4" not in kernel:
                add(kernel, source=source)
    for kernel in ("bar", "bar_warp", "shfl", "vote", "wait_all", "fence"):
        add(kernel)
    for kernel in ("return", "nothing"):
        for grid, warps in ((1, 1), (16, 1), (8, 4), (8, 8), (200, 1)):
            add(kernel, grid=grid, warps=warps)
    for kernel in ("bar", "ld_u32", "cg16", "wait_all"):
        add(kernel, "by16", grid=8, warps=4)


def list_experiments():
    experiments = []

    def add(*arguments, **keywords):
        experiments.append(Experiment(*arguments, **keywords))

    list_copies(add)
    list_shared(add)
    list_others(add)
    return experiments
