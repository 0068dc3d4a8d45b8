"""Mutations of PTX: the instructions of each class and their replacements.

A class is a row of CLASSES: a name, a pattern for the start of the opcode, and a
function of an Instruction that lists the possible replacements. Classes without an
instruction in the kernels are not drawn.
"""

import collections
import re

import ptx_mutations_hopper as hopper
from ptx_instruction import ADDRESS, Instruction, change_number

LINE = re.compile(r"\s*(?:@(!?%p\w+)\s+)?([a-z][\w.:]*)\s*([^;]*);\s*$")
ENTRY = re.compile(r"\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+([\w$]+)")

Site = collections.namedtuple("Site", "entry line name key original changes")


# Replacements of an instruction ---------------------------------------------

def remove(_):
    return [""]


def weaken(instruction):
    """One group more may be pending, or any number."""
    return ["" if not instruction.operands else instruction.replace(
        0, str(int(instruction.operands[0]) + 1)), ""]


def force_guard(instruction):
    return [instruction.text(guard=False), ""] if instruction.guard else []


def force_choice(instruction):
    d, a, b, _ = instruction.operands
    opcode = instruction.opcode.replace("selp", "mov")
    return [instruction.text(opcode, [d, a]), instruction.text(opcode, [d, b])]


def move_address(instruction):
    return [instruction.move(i, sign * step)
            for i, operand in enumerate(instruction.operands)
            if ADDRESS.match(operand)
            for step in (instruction.width(), 16, instruction.row)
            for sign in (1, -1)]


def change_constant(instruction):
    return [instruction.replace(i, number)
            for i, operand in enumerate(instruction.operands) if i
            for number in change_number(operand)]


def change_fragment(instruction):
    """No product, or one of A's or B's elements in another order."""
    d, a, b, c = (re.findall(r"%\w+", operand) for operand in instruction.operands)
    move = "mov.b64" if instruction.opcode.endswith("f64") else "mov.b32"
    texts = ["{ %s }" % " ".join("%s %s, %s;" % (move, to, source)
                                 for to, source in zip(d, c))]
    for i, registers in ((1, a), (2, b)):
        for j in range(len(registers) - 1):
            if registers[j] != registers[j + 1]:
                order = list(registers)
                order[j], order[j + 1] = order[j + 1], order[j]
                texts.append(instruction.replace(i, "{%s}" % ", ".join(order)))
    return texts


def drop_operand(instruction):
    """The first operand or the second instead of the result."""
    width = {"f64": 64, "f16": 16, "bf16": 16}.get(
        instruction.opcode.rsplit(".", 1)[1], 32)
    return ["mov.b%d %s, %s;" % (width, instruction.operands[0], operand)
            for operand in instruction.operands[1:3] if operand.startswith("%")]


def swap_operands(instruction):
    d, *sources = instruction.operands
    return [instruction.text(operands=[d, *reversed(sources)])]


def change_stride(instruction):
    """The factor of a product (one more if it is in a register)."""
    operands = instruction.operands
    if instruction.opcode.startswith("shl"):
        return [instruction.replace(2, n) for n in change_number(operands[2])]
    numbers = change_number(operands[2])
    if numbers:
        return [instruction.replace(2, number) for number in numbers]
    width = re.search(r"\.[us](16|32|64)$", instruction.opcode)
    if not width or instruction.guard:
        return []
    return ["{ .reg .b%s %%factor; add.s%s %%factor, %s, 1; %s }" % (
        width.group(1), width.group(1), operands[2],
        instruction.replace(2, "%factor"))]


CLASSES = [
    ("wait_group", r"cp\.async\.wait_(group|all)", weaken),
    ("commit_group", r"cp\.async\.commit_group", remove),
    ("barrier", r"(bar|barrier)\.(cta\.)?(sync|red|arrive)", remove),
    ("named_barrier", r"(bar|barrier)\.(cta\.)?(sync|red|arrive)",
     hopper.change_named_barrier),
    ("cluster_barrier", r"barrier\.cluster", remove),
    ("warp_barrier", r"bar\.warp\.sync", remove),
    ("fence", r"membar\b|fence\.(acq_rel|sc)", remove),
    ("proxy_fence", r"fence\.proxy", remove),
    ("mbarrier_fence", r"fence\.mbarrier_init", remove),
    ("wgmma_fence", r"wgmma\.fence", remove),
    ("wgmma_wait", r"wgmma\.wait_group", weaken),
    ("wgmma_commit", r"wgmma\.commit_group", remove),
    ("bulk_wait", r"cp\.async\.bulk\.wait_group", weaken),
    ("bulk_commit", r"cp\.async\.bulk\.commit_group", remove),
    ("mbarrier_init", r"mbarrier\.init", hopper.change_initial_count),
    ("mbarrier_wait", r"mbarrier\.(try|test)_wait", hopper.pass_wait),
    ("parity", r"mbarrier\.(try|test)_wait\.parity", hopper.change_parity),
    ("mbarrier_arrive", r"mbarrier\.arrive(?!.*expect_tx)",
     hopper.change_arrivals),
    ("bytes", r"mbarrier\..*expect_tx", hopper.change_bytes),
    ("mbarrier", r"mbarrier\.|cp\.async\.bulk\.tensor.*mbarrier",
     hopper.move_mbarrier),
    ("rank", r"mapa\.", hopper.change_rank),
    ("copy", r"cp\.async\.bulk\.tensor", hopper.change_copy),
    ("box", r"cp\.async\.bulk\.tensor", hopper.move_box),
    ("coordinate", r"cp\.async\.bulk\.tensor", hopper.change_coordinates),
    ("descriptor", r"wgmma\.mma_async", hopper.change_descriptor),
    ("product", r"wgmma\.mma_async", hopper.change_product),
    ("registers", r"setmaxnreg", hopper.change_registers),
    ("guard", r"", force_guard),
    ("choice", r"selp\.", force_choice),
    ("address", r"(ld|st|atom|red)\.(?!param)|cp\.async\.c|ldmatrix|stmatrix",
     move_address),
    ("constant", r"(add|sub|mul|mad|fma|div|rem|shl|shr|and|or|xor|min|max|setp|"
     r"selp|mov|bfe|bfi)\.", change_constant),
    ("stride", r"(mul\.(lo|wide)|mad\.lo|shl)\.", change_stride),
]
# For kernels that convert operands, scale sums or add them outside of instructions.
TYPE_CLASSES = CLASSES + [
    ("fragment", r"mma\.sync", change_fragment),
    ("permutation", r"(prmt|lop3|shf)\.", change_constant),
    ("conversion", r"cvt\.[\w.]+x2\.", swap_operands),
    ("sum", r"(add|sub|mul|fma)\.(rn\.)?(f|bf)\w+$", drop_operand),
]
CLASSES, TYPE_CLASSES = (
    [(name, re.compile(pattern), function) for name, pattern, function in classes]
    for classes in (CLASSES, TYPE_CLASSES))


# Sites ----------------------------------------------------------------------

def join_lines(text):
    """Instructions of several lines on their first one. Other lines keep their
    numbers."""
    lines, start = text.split("\n"), None
    for i, line in enumerate(lines):
        if start is None and re.match(r"\s*mma\.sync[\w.]*\s*$", line):
            start = i
        elif start is not None:
            lines[start] += " " + line.strip()
            lines[i] = ""
            if ";" in line:
                start = None
    return "\n".join(lines)


def normalise(text):
    """The text without the numbers of registers and labels, which change with
    the compiler."""
    return " ".join(re.sub(r"(%[a-z]+|\$L__BB)\d+(_\d+)?", r"\1", text).split())


def find_entries(text):
    return [match.group(1) for match in map(ENTRY.match, text.split("\n"))
            if match]


def find_sites(text, row, executed, classes=None):
    """The sites of mutations in executed (entry, line)s, lines from 1. A site's key is
    unique and does not depend on other parts of the kernel."""
    classes = classes or CLASSES
    sites, entry, uses = [], None, collections.Counter()
    for number, line in enumerate(text.split("\n"), 1):
        match = ENTRY.match(line)
        entry = match.group(1) if match else entry
        match = LINE.match(line)
        if not match or line.count(";") != 1:
            continue
        instruction = Instruction(*match.groups(), row)
        original = line.strip()
        for name, pattern, function in classes:
            if not pattern.match(instruction.opcode):
                continue
            changes = [change for change in dict.fromkeys(function(instruction))
                       if change.split() != original.split()]
            key = "%s %s: %s" % (entry, name, normalise(original))
            uses[key] += 1
            if changes and (entry, number) in executed:
                sites.append(Site(entry, number, name,
                                  "%s #%d" % (key, uses[key]), original,
                                  changes))
    return sites


def apply(text, site, change):
    """The mutated PTX; the numbers of lines do not change."""
    lines = text.split("\n")
    lines[site.line - 1] = "\t" + (change or "// removed")
    return "\n".join(lines)
