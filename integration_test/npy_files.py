"""Reads and writes arrays in NumPy's format without NumPy."""

import struct

# The format of a type in the header, and that of struct.
FORMATS = {"f16": ("<f2", "e"), "f32": ("<f4", "f"), "f64": ("<f8", "d"),
           "s8": ("|i1", "b"), "u8": ("|u1", "B")}


def write_bytes(path, descr, shape, data):
    header = repr({"descr": descr, "fortran_order": False,
                   "shape": shape}).ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + data)


def write_npy(path, kind, shape, values):
    """Writes numbers. Those of bf16 must be exact; they are stored as words."""
    if kind == "bf16":
        data = b"".join(struct.pack("<f", value)[2:] for value in values)
        return write_bytes(path, "<u2", shape, data)
    descr, code = FORMATS[kind]
    write_bytes(path, descr, shape, struct.pack("<%d%s" % (len(values), code), *values))


def read_npy(path, kind="f32"):
    """The elements, which must be of the type."""
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    code = FORMATS[kind][1]
    count = (len(data) - start) // struct.calcsize(code)
    return list(struct.unpack("<%d%s" % (count, code), data[start:]))
