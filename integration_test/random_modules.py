"""Generates random modules, runs them on the device and on the CPU, and
compares the results: a resumable run.

    random_modules.py --tool build/release/bin/tcgemm-check-module \\
        --modules 2000 --out build/random-modules --device emulator

A seed determines a module: `random_module.py SEED` writes it. The folder has the list
of finished batches, and a second call continues with the next one. --generate writes
the files and runs nothing.
"""

import argparse
import json
import os
import re
import subprocess
import sys

from random_module import draw_module

BATCH = 50
TIMEOUT = 120  # Seconds for one function.


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", help="tcgemm-check-module")
    parser.add_argument("--modules", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1, help="of the first")
    parser.add_argument("--out", required=True, help="folder of the run")
    parser.add_argument("--device", default="emulator")
    parser.add_argument("--generate", action="store_true")
    parser.add_argument("--flag", action="append", default=[],
                        help="further flag of the tool")
    return parser.parse_args()


def write_modules(folder, seeds):
    names = []
    for seed in seeds:
        names.append(os.path.join(folder, "%07d.mlir" % seed))
        with open(names[-1], "w") as file:
            file.write(draw_module(seed))
    return names


def run_tool(tool, files, device, flags):
    """Output and whether all passed. A crash of the tool is a failure of the current
    file; the following files are run."""
    output, counts = "", {"pass": 0, "failed": 0}
    while files:
        command = [tool, "--device=" + device, "--timeout=%d" % TIMEOUT,
                   *flags, *files]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, errors="replace")
        output += done.stdout
        counts["pass"] += len(re.findall(r"^\S+ @\S+: pass$", done.stdout,
                                         re.M))
        if done.returncode >= 0 and re.search(r"^\d+ functions,", done.stdout,
                                              re.M):
            return output, counts
        seen = [f for f in files if f in done.stdout]
        last = files.index(seen[-1]) + 1 if seen else 0
        output += "%s: error: the tool ended with status %d\n" % (
            files[min(last, len(files) - 1)], done.returncode)
        files = files[last + 1:]
    return output, counts


def report(output, arguments):
    """One line for each failure, with the command that repeats it."""
    failures = re.findall(r"^(\S+\.mlir)(?: @(\S+))?: "
                          r"((?:fail|error|finding|time-out)\b.*)$", output,
                          re.M)
    for path, function, what in failures:
        seed = int(os.path.splitext(os.path.basename(path))[0])
        print("FAILURE seed %d%s: %s" %
              (seed, " @" + function if function else "", what[:200]))
        print("  python3 %s %d > m.mlir && %s m.mlir --device=%s%s" %
              (os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "random_module.py"), seed, arguments.tool,
               arguments.device,
               " --function=" + function if function else ""))
    return len(failures)


def main():
    arguments = parse_arguments()
    os.makedirs(arguments.out, exist_ok=True)
    seeds = range(arguments.seed, arguments.seed + arguments.modules)
    if arguments.generate:
        write_modules(arguments.out, seeds)
        print("%d modules in %s" % (arguments.modules, arguments.out))
        return 0
    state_name = os.path.join(arguments.out, "state-%s.json" %
                              arguments.device.replace(":", "-"))
    state = {}
    if os.path.exists(state_name):
        with open(state_name) as file:
            state = json.load(file)
    for first in range(0, len(seeds), BATCH):
        batch = seeds[first:first + BATCH]
        key = "%d-%d" % (batch[0], batch[-1])
        if key in state:
            continue
        files = write_modules(arguments.out, batch)
        output, counts = run_tool(arguments.tool, files, arguments.device,
                                  arguments.flag)
        counts["failed"] = report(output, arguments)
        sys.stdout.flush()
        if not counts["failed"]:
            for name in files:
                os.remove(name)
        state[key] = counts
        with open(state_name + ".new", "w") as file:
            json.dump(state, file)
        os.replace(state_name + ".new", state_name)
    failed = sum(c["failed"] for c in state.values())
    print("%d modules, %d functions passed, %d failures" %
          (arguments.modules, sum(c["pass"] for c in state.values()), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
