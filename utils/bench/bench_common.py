"""Parts that the benchmark scripts have in common: a table of times that a later run
continues, calls of the tools, and checks of options."""
import csv
import math
import os
import subprocess
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# The exit code of a run that ended by its limit and can be continued.
INTERRUPTED = 130


class Table:
    """A CSV file with one row for each measurement, to which rows are added."""

    def __init__(self, path, columns):
        self.path, self.columns = path, columns

    def read(self):
        """The rows as dictionaries; none without a file."""
        if not os.path.exists(self.path):
            return []
        with open(self.path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def add(self, row):
        is_new = not os.path.exists(self.path)
        with open(self.path, "a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(self.columns)
            writer.writerow(row)


def add_tool_options(parser, device="cuda", chip=""):
    parser.add_argument("--tools", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--device", default=device)
    parser.add_argument("--chip", default=chip)
    parser.add_argument("--seconds", type=int, default=0)


def get_device_flags(options):
    flags = ["--device=" + options.device]
    return flags + ["--chip=" + options.chip] if options.chip else flags


def check_least(parser, options, limits):
    """`limits` has the name of each option and its least value."""
    for name, least in limits:
        value = getattr(options, name.replace("-", "_"))
        if value < least:
            parser.error("--%s=%s: it must be at least %d" % (name, value, least))


def get_end(seconds):
    """When a run ends by its limit; 0 seconds are no limit."""
    return time.monotonic() + seconds if seconds else math.inf


def run_tool(options, tool, arguments):
    """The tool's exit code, and the text that it prints."""
    result = subprocess.run([os.path.join(options.tools, tool), *arguments],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            text=True, check=False)
    return result.returncode, result.stdout


def is_best(contender):
    """Returns whether the name of a contender is that of cuBLASLt's fastest answer."""
    return contender.endswith("best")


def find_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))
