"""Mutations of PTX instructions of Hopper: mbarriers, tensor copies, wgmma, clusters,
named barriers. See ptx_mutations.py."""

import re

from ptx_instruction import ADDRESS, INTEGER

BARRIER_BYTES = 8
# Steps that preserve the alignment of a box in shared memory: TMA needs 128 bytes,
# and the pattern of the widest swizzle has 1024.
BOX_STEPS = 128, 1024
# Fields of wgmma's descriptors (PTX ISA, "Matrix-descriptor format"): start
# address, leading and stride byte offset in 16 bytes, base offset; the swizzle.
LEADING_OFFSET = 16
DESCRIPTOR_FIELDS = 0, LEADING_OFFSET, 32, 49
SWIZZLE_BITS = 62, 63


def change_count(instruction, i, step):
    """Operand i, a number or a register, is `step` more, and less."""
    operand = instruction.operands[i]
    if INTEGER.match(operand):
        return [instruction.replace(i, str(int(operand, 0) + delta))
                for delta in (step, -step)]
    return [instruction.compute(i, operand, "add.s32", delta)
            for delta in (step, -step)]


def change_named_barrier(instruction):
    """Another barrier, or another number of threads."""
    if len(instruction.operands) < 2:
        return []
    return change_count(instruction, 0, 1) + change_count(instruction, 1, 32)


def change_initial_count(instruction):
    return [""] + change_count(instruction, 1, 1)


def change_arrivals(instruction):
    """No arrival or two."""
    operands = instruction.operands
    if len(operands) == 2:
        return ["", instruction.text(operands=operands + ["2"])]
    return ["", change_count(instruction, 2, 1)[0]]


def change_bytes(instruction):
    """Expects 16 bytes more or less; or none, without an arrival."""
    return [""] + change_count(instruction, len(instruction.operands) - 1, 16)


def pass_wait(instruction):
    """As if the phase were over."""
    return ["setp.eq.b32 %s, 0, 0;" % instruction.operands[0]]


def change_parity(instruction):
    return [instruction.compute(2, instruction.operands[2], "xor.b32", 1)]


def move_mbarrier(instruction):
    """The neighbouring mbarrier."""
    return [instruction.move(i, step)
            for i, operand in enumerate(instruction.operands)
            if ADDRESS.fullmatch(operand) and (
                i > 1 or instruction.opcode.startswith("mbarrier"))
            for step in (BARRIER_BYTES, -BARRIER_BYTES)]


def change_rank(instruction):
    """Two blocks' ranks become one of them; others would only change places."""
    return [instruction.compute(2, instruction.operands[2], opcode, value)
            for opcode, value in (("and.b32", -2), ("or.b32", 1))]


def change_copy(instruction):
    """No copy, or one to other blocks of the cluster."""
    last = len(instruction.operands) - 1
    mask = instruction.operands[last]
    if not mask.startswith("%"):
        return [""]
    return [""] + [instruction.compute(last, mask, "xor.b16", bit)
                   for bit in (1, 2, 4)]


def move_box(instruction):
    """A box at another place in shared memory."""
    # A store has the map first.
    i = int(".global.shared" in instruction.opcode)
    return [instruction.move(i, sign * step)
            for step in BOX_STEPS for sign in (1, -1)]


def change_coordinates(instruction):
    """A box one element further along each dimension, and one less far."""
    for i, operand in enumerate(instruction.operands):
        match = re.match(r"\[.*\{(.*)\}", operand)
        if match:
            return [instruction.compute(i, coordinate.strip(), "add.s32", delta)
                    for coordinate in match.group(1).split(",")
                    for delta in (1, -1)]
    return []


def change_descriptor(instruction):
    """Fields of A's or B's. A swizzled operand has no use for the leading byte
    offset unless it is transposed, which only operands of 16 bits can be."""
    texts = []
    for i in (1, 2):
        if not instruction.operands[i].startswith("%"):
            continue
        transposes = instruction.operands[5 + i:6 + i] == ["1"]
        bits = [bit for bit in DESCRIPTOR_FIELDS
                if transposes or bit != LEADING_OFFSET]
        texts += [instruction.compute(i, instruction.operands[i], "add.s64",
                                      1 << bit) for bit in bits]
        texts += [instruction.compute(i, instruction.operands[i], "xor.b64",
                                      1 << bit) for bit in SWIZZLE_BITS]
    return texts


def change_product(instruction):
    """No product, or one that adds or does not, with the opposite sign or the
    other layout. Integers have no sign, and only 16 bits have layouts."""
    operands = instruction.operands
    flipped = {"0": "1", "1": "0"}
    texts = ["", instruction.replace(3, flipped[operands[3]])]
    if len(operands) > 4:
        texts.append(instruction.replace(4, str(-int(operands[4]))))
    return texts + [instruction.replace(i, flipped[operands[i]])
                    for i in range(6, len(operands))]


def change_registers(instruction):
    """Releases fewer registers or requests more. A request for fewer is not a
    defect: ptxas uses the available registers."""
    if ".dec" in instruction.opcode:
        return ["", change_count(instruction, 0, 8)[0]]
    return [change_count(instruction, 0, 8)[0]]
