#!/usr/bin/env python3
# Part of the tcgemm project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records the results of the emulator's reference kernels on a GPU.

  record-emulator-reference.py [--output DIR] [--values DIR] [--module NAME]
                               [--only NAME] DIRECTORY
  record-emulator-reference.py --ptx DIR DIRECTORY

DIRECTORY is unittests/Emulator/reference. Its JSON files describe launches of the
kernels, and its generated.tar.xz has the kernels' PTX and the recorded outputs. The
outputs of a launch are in expected/NAME.bin, or in expected/NAME.hash (a hash for
each row) if they are long; its README.md describes the formats. Each launch is made
twice, and the results must be the same. This needs the CUDA driver and an sm_90 GPU.

With --ptx the PTX in the archive is replaced by DIR/*.ptx, without a GPU.
"""

import argparse
import ctypes
import glob
import io
import json
import math
import os
import re
import struct
import sys
import tarfile

MASK = (1 << 64) - 1
# Longer outputs are stored as a hash of each row.
LONGEST = 20 << 10

# Bytes, exponent bits, mantissa bits. tf32 is an f32 whose lower mantissa is 0.
FLOATS = {
    "f16": (2, 5, 10),
    "bf16": (2, 8, 7),
    "f32": (4, 8, 23),
    "tf32": (4, 8, 23),
    "f64": (8, 11, 52),
    "e4m3": (1, 4, 3),
    "e5m2": (1, 5, 2),
}
# The digits of a significand that `unit` fills.
DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "tf32": 11, "f64": 53,
          "e4m3": 4, "e5m2": 3}


def get_bytes(type_name):
    if type_name in FLOATS:
        return FLOATS[type_name][0]
    return int(type_name[1:]) // 8


def splitmix64(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def encode(value, type_name):
    """The bits of a number that the type has exactly."""
    size, exponent_bits, mantissa_bits = FLOATS[type_name]
    sign = 1 if math.copysign(1.0, value) < 0 else 0
    value = abs(value)
    if value == 0:
        return sign << (size * 8 - 1)
    fraction, exponent = math.frexp(value)
    bias = (1 << (exponent_bits - 1)) - 1
    exponent += bias - 1
    mantissa = math.ldexp(fraction, mantissa_bits + 1)
    if exponent <= 0:
        mantissa = math.ldexp(mantissa, exponent - 1)
        exponent = 0
    assert mantissa == int(mantissa), (value, type_name)
    mantissa = int(mantissa) & ((1 << mantissa_bits) - 1)
    return sign << (size * 8 - 1) | exponent << mantissa_bits | mantissa


class Generator:
    """Fills buffers as ReferenceInputs.cpp does."""

    def __init__(self, tables):
        self.tables = tables

    def get_element(self, argument, i):
        type_name = argument["type"]
        fill = argument.get("fill", "zero")
        bits = get_bytes(type_name) * 8
        h = splitmix64((argument["seed"] * 0x9E3779B97F4A7C15 + i) & MASK)

        def get_raw(h):
            return h >> (64 - bits)

        def get_near(h):
            _, exponent_bits, mantissa_bits = FLOATS[type_name]
            bias = (1 << (exponent_bits - 1)) - 1
            exponent = bias - 8 + (h >> 4 & 15)
            return ((h & 1) << (bits - 1) | exponent << mantissa_bits |
                    h >> (64 - mantissa_bits))

        if fill == "zero":
            return 0
        if fill == "value":
            return int(argument["value"], 16)
        if fill == "raw":
            return get_raw(h)
        if fill == "near":
            return get_near(h)
        if fill == "range":
            low, high = argument["min"], argument["max"]
            value = low + h % (high - low + 1)
            if type_name in FLOATS:
                return encode(float(value), type_name)
            return value & ((1 << bits) - 1)
        if fill == "unit":
            digits = DIGITS[type_name]
            value = float((h >> (64 - digits)) - (1 << (digits - 1)))
            return encode(math.ldexp(value, argument.get("log2", 0) + 1 - digits),
                          type_name)
        table = self.tables[argument.get("table", type_name)]
        if fill == "pick":
            return table[(h >> 8) % len(table)]
        if fill == "mixed":
            if h & 1:
                return table[(h >> 8) % len(table)]
            return get_raw(splitmix64(h))
        assert fill == "edges", fill
        divisor = argument.get("divisor", 1)
        if i < argument.get("until", len(table)):
            return table[i // divisor % len(table)]
        if type_name in FLOATS and i & 1:
            return get_near(h)
        return get_raw(h)

    def fill(self, argument):
        size = get_bytes(argument["type"])
        return b"".join(
            self.get_element(argument, i).to_bytes(size, "little")
            for i in range(argument["count"]))


def get_rows(ptx, entry):
    """The number of rows that an entry writes."""
    body = ptx.split(".entry " + entry + "(")[1].split(".entry ")[0]
    numbers = [
        int(n) for n in re.findall(r"^\s*// row (\d+):", body, re.MULTILINE)
    ]
    return max(numbers) - min(numbers) + 1 if numbers else 1


def canonicalize(data, type_name):
    """Replaces every NaN by one NaN."""
    size, exponent_bits, mantissa_bits = FLOATS[type_name]
    infinity = ((1 << exponent_bits) - 1) << mantissa_bits
    magnitude = (1 << (size * 8 - 1)) - 1
    result = bytearray(data)
    for at in range(0, len(data), size):
        value = int.from_bytes(data[at:at + size], "little")
        if value & magnitude > infinity:
            result[at:at + size] = magnitude.to_bytes(size, "little")
    return bytes(result)


def hash_bytes(data):
    """FNV-1a, 64 bits."""
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return h


class Driver:

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        print("device:", name.value.decode())
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, function, *arguments):
        result = getattr(self.cuda, function)(*arguments)
        if result:
            raise RuntimeError("%s: error %d" % (function, result))

    def load(self, ptx):
        log = ctypes.create_string_buffer(1 << 14)
        # CU_JIT_ERROR_LOG_BUFFER and its size.
        options = (ctypes.c_int * 2)(5, 6)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        module = ctypes.c_void_p()
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module),
                      ptx.encode() + b"\0", 2, options, values)
        except RuntimeError:
            print(log.value.decode(), file=sys.stderr)
            raise
        return module

    def run(self, module, case, generator):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module,
                  case["entry"].encode())
        shared = case.get("shared", 0)
        # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.
        self.call("cuFuncSetAttribute", function, 8, shared)
        values, outputs, buffers = [], [], []
        for argument in case["arguments"]:
            if "bytes" in argument:
                data = bytes.fromhex(argument["bytes"])
                values.append(ctypes.create_string_buffer(data, len(data)))
                continue
            data = generator.fill(argument)
            pointer = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(pointer),
                      ctypes.c_size_t(len(data)))
            self.call("cuMemcpyHtoD_v2", pointer, data,
                      ctypes.c_size_t(len(data)))
            values.append(pointer)
            buffers.append(pointer)
            if argument.get("output"):
                outputs.append((argument, pointer, len(data)))
        pointers = (ctypes.c_void_p * len(values))(
            *[ctypes.addressof(v) for v in values])
        for _ in range(case.get("repeat", 1)):
            self.call("cuLaunchKernel", function, *case["grid"], *case["block"],
                      shared, None, pointers, None)
            self.call("cuCtxSynchronize")
        results = []
        for argument, pointer, size in outputs:
            data = ctypes.create_string_buffer(size)
            self.call("cuMemcpyDtoH_v2", data, pointer, ctypes.c_size_t(size))
            results.append(data.raw)
        for pointer in buffers:
            self.call("cuMemFree_v2", pointer)
        return results


def read_cases(path, ptx):
    """The launches of a file, with their default values."""
    with open(path) as file:
        cases = json.load(file)["launches"]
    for case in cases:
        case.setdefault("entry", case["name"])
        for number, argument in enumerate(case["arguments"]):
            argument.setdefault("seed", number + 1)
            if "rowLength" in argument and "count" not in argument:
                argument["count"] = (argument["rowLength"] *
                                     get_rows(ptx, case["entry"]))
    return cases


class Archive:
    """generated.tar.xz: files by name. Equal contents make equal archives."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "generated.tar.xz")
        with tarfile.open(self.path) as archive:
            self.files = {
                member.name: archive.extractfile(member).read()
                for member in archive.getmembers() if member.isfile()
            }

    def write(self):
        with tarfile.open(self.path, "w:xz", preset=9) as archive:
            for name, data in sorted(self.files.items()):
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))

    def replace_ptx(self, directory):
        self.files = {
            name: data for name, data in self.files.items()
            if not name.endswith(".ptx")
        }
        for path in glob.glob(os.path.join(directory, "*.ptx")):
            with open(path, "rb") as file:
                self.files[os.path.basename(path)] = file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory")
    parser.add_argument("--ptx", help="replace the archive's PTX by DIR/*.ptx")
    parser.add_argument("--output", help="default: the archive")
    parser.add_argument("--values", help="directory for all values, unhashed")
    parser.add_argument("--module", help="launches of NAME.json only")
    parser.add_argument("--only", help="launches whose name has this")
    options = parser.parse_args()
    directory = options.directory
    archive = Archive(directory)
    if options.ptx:
        archive.replace_ptx(options.ptx)
        archive.write()
        return 0
    for folder in (options.output, options.values):
        if folder:
            os.makedirs(folder, exist_ok=True)
    with open(os.path.join(directory, "tables.json")) as file:
        tables = {
            name: [int(v, 16) for v in values]
            for name, values in json.load(file).items()
        }
    generator = Generator(tables)
    driver = Driver()
    bad = 0
    for path in sorted(glob.glob(os.path.join(directory, "*.json"))):
        module_name = os.path.basename(path)[:-len(".json")]
        if module_name == "tables" or options.module not in (None, module_name):
            continue
        ptx = archive.files[module_name + ".ptx"].decode()
        cases = [
            case for case in read_cases(path, ptx)
            if not options.only or options.only in case["name"]
        ]
        if not cases:
            continue
        module = driver.load(ptx)
        for case in cases:
            first = driver.run(module, case, generator)
            if first != driver.run(module, case, generator):
                print("NOT DETERMINISTIC:", case["name"])
                bad += 1
            outputs = [a for a in case["arguments"] if a.get("output")]
            data = b"".join(first)
            if options.values:
                with open(os.path.join(options.values, case["name"] + ".bin"),
                          "wb") as file:
                    file.write(data)
            is_long = len(data) > LONGEST and not any(
                "tolerance" in a for a in outputs)
            if is_long:
                hashes = []
                for argument, part in zip(outputs, first):
                    row = (argument.get("rowLength", argument["count"]) *
                           get_bytes(argument["type"]))
                    if argument.get("nan") == "any":
                        part = canonicalize(part, argument["type"])
                    hashes += [
                        hash_bytes(part[at:at + row])
                        for at in range(0, len(part), row)
                    ]
                data = struct.pack("<%dQ" % len(hashes), *hashes)
            name = case["name"] + (".hash" if is_long else ".bin")
            if options.output:
                with open(os.path.join(options.output, name), "wb") as file:
                    file.write(data)
            else:
                for old in (".bin", ".hash"):
                    archive.files.pop("expected/" + case["name"] + old, None)
                archive.files["expected/" + name] = data
            print("%-40s %7d bytes" % (name, len(data)))
        driver.call("cuModuleUnload", module)
    if not options.output and not bad:
        archive.write()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
