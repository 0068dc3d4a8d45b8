"""Counts the instructions with an opcode in the code of cubins.

  count-opcode.py OPCODE CUBIN... [--function=NAME]

An instruction of sm_70 and later has 16 bytes, and its lowest 12 bits are the opcode.
The count of all files goes to stdout, or that of one function.
"""

import argparse
import struct
import sys


def read_code(data, function):
    """The contents of the sections of an ELF file of 64 bits named .text.*, where the rest
    of the name is `function` if it is given."""
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, start + i * size)
                for i in range(count)]
    strings = sections[names][4]
    for name, _, _, _, offset, length in sections:
        begin = strings + name
        kind, _, rest = data[begin:data.index(b"\0", begin)].partition(b".text.")
        if not kind and rest and function in ("", rest.decode()):
            yield data[offset:offset + length]


parser = argparse.ArgumentParser()
parser.add_argument("opcode", type=lambda text: int(text, 0))
parser.add_argument("cubins", nargs="+")
parser.add_argument("--function", default="")
options = parser.parse_args()
total = 0
for path in options.cubins:
    with open(path, "rb") as file:
        for code in read_code(file.read(), options.function):
            total += sum(1 for i in range(0, len(code), 16)
                         if struct.unpack_from("<H", code, i)[0] & 0xFFF == options.opcode)
print(total)
