"""Runs random cases whose results are compared by equality."""

import argparse
import random
import shlex
import subprocess
import sys
import tempfile

from npy_files import read_npy


def compare(found, expected):
    """A description of the wrong elements; empty if there is none."""
    if len(found) != len(expected):
        return "%d elements, but %d are expected" % (len(found), len(expected))
    wrong = sum(x != y for x, y in zip(found, expected))
    return "%d of %d elements are wrong" % (wrong, len(expected)) if wrong else ""


def check_result(command, path, kind, expected, refuse=lambda output: ""):
    """Runs a command that writes elements of a type to a file. Describes the failure
    if there is one, or if `refuse` returns what is wrong with the output."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        failure = "exit code %d\n%s" % (done.returncode, done.stdout)
    else:
        failure = refuse(done.stdout) or compare(read_npy(path, kind), expected)
    return failure and "%s\n  %s" % (failure, shlex.join(command))


def run_cases(doc, make_case, check, add_options=lambda parser: None):
    """Runs `check(options, folder, case, rng)`, which describes the failure of a case,
    on `make_case(rng, number, options)` for each number. Returns the exit code."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--tcgemm-run", required=True)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="run this case only")
    add_options(parser)
    options = parser.parse_args()
    failures = 0
    numbers = range(options.cases) if options.only is None else [options.only]
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            rng = random.Random(options.seed * 1000003 + number)
            failure = check(options, folder, make_case(rng, number, options), rng)
            if not failure:
                continue
            failures += 1
            print("case %d: %s" % (number, failure))
            print("  reproduce: " + reproduce(options, number))
    print("%d cases, %d failures, seed %d" % (len(numbers), failures, options.seed))
    return 1 if failures else 0


def reproduce(options, number):
    """The command that runs one case."""
    command = [sys.argv[0]]
    for name, value in vars(options).items():
        if name not in ("cases", "only") and value is not None:
            command += ["--" + name.replace("_", "-"), str(value)]
    return shlex.join(command + ["--only", str(number)])
