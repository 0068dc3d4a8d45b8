"""Calls of tcgemm's tools, with options that scripts have in common."""

import os
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def add_tool_options(parser, device="cuda", chip=""):
    parser.add_argument("--tools", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--device", default=device)
    parser.add_argument("--chip", default=chip)
    parser.add_argument("--seconds", type=int, default=0)


def get_device_flags(options):
    flags = ["--device=" + options.device]
    return flags + ["--chip=" + options.chip] if options.chip else flags


def run_tool(options, tool, arguments):
    """The tool's exit code, and the text that it prints."""
    result = subprocess.run([os.path.join(options.tools, tool), *arguments],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            text=True, check=False)
    return result.returncode, result.stdout


def is_best(contender):
    """Returns whether the name of a contender is that of cuBLASLt's fastest answer."""
    return contender.endswith("best")
