"""An instruction of PTX, and texts that differ from it in one operand."""

import re
import struct

OPERAND = re.compile(r"(?:\{[^}]*\}|\[[^\]]*\]|[^,\s])+")
ADDRESS = re.compile(r"\[([%\w$]+)(?:\+(-?\w+))?\]")
INTEGER = re.compile(r"-?\d+$|0x[0-9A-Fa-f]+$")
WIDTHS = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}


class Instruction:
    def __init__(self, guard, opcode, operands, row):
        self.guard, self.opcode = guard, opcode
        self.operands = OPERAND.findall(operands)
        self.row = row  # Bytes of a row of the block's tile of A.

    def text(self, opcode=None, operands=None, guard=True):
        operands = ", ".join(self.operands if operands is None else operands)
        guard = "@%s " % self.guard if guard and self.guard else ""
        return (guard + (opcode or self.opcode) + " " + operands).strip() + ";"

    def replace(self, i, operand):
        return self.text(operands=self.operands[:i] + [operand] +
                         self.operands[i + 1:])

    def width(self):
        """Bytes of an element of the last type of the opcode."""
        found = re.findall(r"\.[a-z]+(8|16|32|64|128)\b", self.opcode)
        return WIDTHS[found[-1]] if found else 2

    def move(self, i, step):
        """Operand i is an address; returns one that is `step` bytes after it."""
        match = ADDRESS.match(self.operands[i])
        return self.replace(i, "[%s+%d]" % (
            match.group(1), int(match.group(2) or "0", 0) + step))

    def compute(self, i, register, opcode, value):
        """`opcode` is applied to a register, or number, of operand i and to the
        value before the instruction uses it."""
        width = re.search(r"\d+$", opcode).group()
        return "{ .reg .b%s %%other; %s %%other, %s, %s; %s }" % (
            width, opcode, register, value,
            self.replace(i, re.sub(re.escape(register) + r"\b", "%other",
                                   self.operands[i], count=1)))


def change_number(text):
    """A number one more, one less and twice as large; of a float its value."""
    if re.match(r"0f[0-9A-Fa-f]{8}$", text):
        value, = struct.unpack(">f", bytes.fromhex(text[2:]))
        results = []
        for other in (value + 1, value - 1, 2 * value):
            try:
                results.append("0f%s" % struct.pack(">f", other).hex().upper())
            except OverflowError:
                pass
        return results
    if not INTEGER.match(text):
        return []
    value = int(text, 0)
    return [str(other) for other in (value + 1, value - 1, 2 * value)
            if other != value]
