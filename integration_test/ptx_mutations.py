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
CLASSES = [(name, re.compile(pattern), function)
           for name, pattern, function in CLASSES]


# Sites ----------------------------------------------------------------------

def normalise(text):
    """The text without the numbers of registers and labels, which change with
    the compiler."""
    return " ".join(re.sub(r"(%[a-z]+|\$L__BB)\d+(_\d+)?", r"\1", text).split())


def find_entries(text):
    return [match.group(1) for match in map(ENTRY.match, text.split("\n"))
            if match]


def find_sites(text, row, executed):
    """The sites of mutations in executed (entry, line)s, lines from 1. A site's key is
    unique and does not depend on other parts of the kernel."""
    sites, entry, uses = [], None, collections.Counter()
    for number, line in enumerate(text.split("\n"), 1):
        match = ENTRY.match(line)
        entry = match.group(1) if match else entry
        match = LINE.match(line)
        if not match or line.count(";") != 1:
            continue
        instruction = Instruction(*match.groups(), row)
        original = line.strip()
        for name, pattern, function in CLASSES:
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
