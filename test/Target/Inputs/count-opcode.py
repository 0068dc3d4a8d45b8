"""Counts the instructions with an opcode in the code of cubins.

  count-opcode.py OPCODE CUBIN...

An instruction of sm_70 and later has 16 bytes, and its lowest 12 bits are the opcode.
The count of all files goes to stdout.
"""

import struct
import sys


def read_code(data):
    """The contents of the sections of an ELF file of 64 bits named .text.*."""
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, start + i * size)
                for i in range(count)]
    strings = sections[names][4]
    for name, _, _, _, offset, length in sections:
        begin = strings + name
        if data[begin:data.index(b"\0", begin)].startswith(b".text."):
            yield data[offset:offset + length]


opcode = int(sys.argv[1], 0)
total = 0
for path in sys.argv[2:]:
    with open(path, "rb") as file:
        for code in read_code(file.read()):
            total += sum(1 for i in range(0, len(code), 16)
                         if struct.unpack_from("<H", code, i)[0] & 0xFFF == opcode)
print(total)
