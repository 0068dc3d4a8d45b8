"""Multiplies the identity by narrow operands that have every finite value of their
type, so that each result is one converted value. Compares by equality.

  narrow_values.py --tcgemm-run PATH --config CONFIG [--chip CHIP] [--zero-points]

With --zero-points the types are those of 4 bits, and each column of B has another zero
point of 8 bits: all pairs of a value and a zero point are subtracted.
"""

import argparse
import os
import subprocess
import sys
import tempfile

from npy_files import read_npy, write_npy

SIZE = 64  # M and K; a group of them.
GROUP = 128  # The same with zero points.
WIDE = ["bf16", "f16"]


def decode(bits, exponent_bits, mantissa_bits, bias):
    """The value of FP8; None for NaN and infinities."""
    mantissa = bits & ((1 << mantissa_bits) - 1)
    exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1)
    largest = (1 << exponent_bits) - 1
    if exponent == largest and (exponent_bits == 5 or mantissa == 7):
        return None
    value = (mantissa * 2.0**(1 - bias) if exponent == 0 else
             (mantissa + (1 << mantissa_bits)) * 2.0**(exponent - bias))
    value *= 2.0**-mantissa_bits
    return -value if bits & 0x80 else value


# The type of a NumPy array, and each value as the array and the product have it.
# Buffers of unsigned numbers are signed.
TYPES = {
    "s8": ("s8", [(v, v) for v in range(-128, 128)]),
    "u8": ("s8", [(v, v % 256) for v in range(-128, 128)]),
    "s4": ("s8", [(v, v) for v in range(-8, 8)]),
    "u4": ("s8", [(v, v % 16) for v in range(-8, 8)]),
    "e4m3": ("u8", [(v, decode(v, 4, 3, 7)) for v in range(256)]),
    "e5m2": ("u8", [(v, decode(v, 5, 2, 15)) for v in range(256)]),
}


def make_groups(folder, columns, zeros):
    """The options for zero points `zeros` and scales of one."""
    scale, zero = (os.path.join(folder, name + ".npy") for name in "sz")
    write_npy(scale, "f32", (columns, 1), [1.0] * columns)
    write_npy(zero, "s8", (columns, 1), [array for array, _ in zeros])
    return ["--fill=arg2=" + scale, "--fill=arg3=" + zero]


def check(options, folder, wide, narrow, zero_type=None):
    """Returns the number of wrong results."""
    kind, values = TYPES[narrow]
    values = [(array, value) for array, value in values if value is not None]
    columns, size = 256, GROUP if zero_type else SIZE
    # Each place along k has every value.
    table = [[values[(n + 37 * k) % len(values)] for k in range(size)]
             for n in range(columns)]
    zeros = TYPES[zero_type][1] if zero_type else [(0, 0)] * columns
    a, b, d = (os.path.join(folder, name + ".npy") for name in "abd")
    write_npy(a, wide, (size, size),
              [float(i == j) for i in range(size) for j in range(size)])
    write_npy(b, kind, (columns, size),
              [array for row in table for array, _ in row])
    command = [options.tcgemm_run, "--device=emulator", "--records=none",
               "--chip=" + options.chip, "--type=%sx%s" % (wide, narrow),
               "--out-type=f32", "--m=%d" % size, "--n=%d" % columns,
               "--k=%d" % size, "--fill=arg0=" + a, "--fill=arg1=" + b,
               "--output=arg%d=%s" % (4 if zero_type else 2, d),
               "--config=" + options.config]
    if zero_type:
        command.append("--group-scales=%dxf32x%s" % (GROUP, zero_type))
        command += make_groups(folder, columns, zeros)
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join(command), done.stdout))
    wrong = 0
    for m, results in zip(range(size), zip(*[iter(read_npy(d))] * columns)):
        for n, result in enumerate(results):
            expected = table[n][m][1] - zeros[n][1]
            if result != expected:
                wrong += 1
                if wrong == 1:
                    print("%s x %s: D[%d][%d] is %r, but must be %r" %
                          (wide, narrow, m, n, result, expected))
    return wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tcgemm-run", default="tcgemm-run")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--config", required=True)
    parser.add_argument("--zero-points", action="store_true")
    options = parser.parse_args()
    kinds = ([("s4", "s8"), ("u4", "s8"), ("u4", "u8")] if options.zero_points
             else [(narrow, None) for narrow in TYPES])
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for wide in WIDE:
            for narrow, zero_type in kinds:
                wrong += check(options, folder, wide, narrow, zero_type)
    print("%d types, %d wrong values" % (len(WIDE) * len(kinds), wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
