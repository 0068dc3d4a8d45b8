"""Kernels that tcgemm-to-device makes of elementwise operations. Needs no package."""

import re


def read_ptx(text):
    """The PTX of a module that tcgemm-opt made by --tcgemm-to-device="format=ptx"."""
    escaped = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', text).group(1)
    return re.sub(r"\\([0-9A-F]{2})", lambda found: chr(int(found.group(1), 16)), escaped)


def extract(text):
    """(PTX, description) of a module's one function. Of its launches the first is taken,
    which is for buffers at multiples of 16 bytes."""
    launch = re.search(
        r"launch_func\s+@\w+::@(\w+) blocks in \(%c(\d+), %c1\w*, %c1\w*\) "
        r"threads in \(%c(\d+), %c1\w*, %c1\w*\)\s+args\((.*)\)", text)
    if not launch:
        raise ValueError("the module has no launch of one dimension")
    arguments = re.findall(r"%arg(\d+) :", launch[4])
    return read_ptx(text), {
        "kernel": launch[1], "grid": int(launch[2]), "block": int(launch[3]),
        "arguments": [int(number) for number in arguments]}
