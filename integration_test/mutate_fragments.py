"""Mutations of kernels of wgmma that convert A in registers. The emulator must notice
each of them: hazards of registers by its checks, others by a wrong result.

  mutate_fragments.py --out DIR --tcgemm-opt PATH --tcgemm-run PATH

Mutated is the code behind the first wait for products: the loop over the stages. A
mutation before it may have no effect, because the first stage has registers of its own.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys

# Type, configuration, and M, N, K: several stages.
KERNELS = [
    ("bf16xs8", "cta=16x64x64,warps=4x1x1,swap_ab=true,stages=3", (16, 64, 512)),
    ("f16xu4", "cta=16x128x128,warps=8x1x1,swap_ab=true,stages=2", (16, 128, 768)),
    ("e4m3xbf16", "cta=64x16x64,warps=4x1x1,stages=3", (64, 16, 512)),
]
MOST_OF_CLASS = 4


def remove(line):
    return ""


def wait_less(line):
    return re.sub(r"\d+;", lambda match: "%d;" % (int(match[0][:-1]) + 1), line)


def move_load(line):
    """The neighbouring 16 bytes of a row."""
    match = re.search(r"\+(\d+)\]", line)
    if match:
        return line.replace(match[0], "+%d]" % (int(match[1]) ^ 16))
    return line.replace("];", "+16];")


def swap_words(line):
    """Selects from the words in the other order."""
    match = re.match(r"(\s*prmt\.b32 \S+), (\S+), (\S+), (\S+);", line)
    if not match or match[2] == match[3]:
        return line
    return "%s, %s, %s, %s;" % (match[1], match[3], match[2], match[4])


def change_bits(line):
    return re.sub(r", (\d+);", lambda match: ", %d;" % (int(match[1]) ^ 1), line)


def swap_registers(line, first, second):
    """Exchanges two registers of A."""
    start, names, end = re.match(r"(.*\}, \{)([^}]*)(\}.*)", line).groups()
    names = names.split(", ")
    names[first], names[second] = names[second], names[first]
    return start + ", ".join(names) + end


# A class's name, what its lines contain, and its mutation.
CLASSES = [
    ("no wait", r"wgmma\.wait_group", remove),
    ("shorter wait", r"wgmma\.wait_group", wait_less),
    ("no fence", r"wgmma\.fence", remove),
    ("no group", r"wgmma\.commit_group", remove),
    ("no product", r"wgmma\.mma_async", remove),
    ("rows", r"wgmma\.mma_async", lambda line: swap_registers(line, 0, 1)),
    ("order of k", r"wgmma\.mma_async", lambda line: swap_registers(line, 1, 3)),
    ("load", r"ld\.shared\.v4", move_load),
    ("selection", r"prmt\.b32", swap_words),
    ("bits", r"(and|or|xor)\.b32.*, \d{7,};", change_bits),
]


def run_kernel(options, folder, sizes):
    """Whether the pack passes, and what the tool prints."""
    m, n, k = sizes
    command = [options.tcgemm_run, folder, "--device=emulator",
               "--variant=aligned", "--fill=normal"]
    for name, shape in (("arg0", (m, k)), ("arg1", (n, k)), ("arg2", (m, n))):
        command.append("--shape=%s=%dx%d" % (name, *shape))
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode not in (0, 1, 2, 3, 5, 6):
        sys.exit("%s\nexit code %d\n%s" % (" ".join(command), done.returncode,
                                           done.stdout))
    return done.returncode == 0, done.stdout


def find_mutants(lines):
    """Pairs of a class's name and (line's number, new text)."""
    entry = next(i for i, line in enumerate(lines)
                 if re.search(r"\.entry main_0_main\(", line))
    end = next((i for i in range(entry + 1, len(lines))
                if ".entry" in lines[i]), len(lines))
    start = next(i for i in range(entry, end) if "wgmma.wait_group" in lines[i])
    for name, pattern, mutate in CLASSES:
        found = [(i, mutate(lines[i])) for i in range(start + 1, end)
                 if re.search(pattern, lines[i])
                 and "wait_group.sync.aligned 0" not in lines[i]]
        found = [(i, text) for i, text in found if text != lines[i]]
        random.Random(name).shuffle(found)
        for mutant in found[:MOST_OF_CLASS]:
            yield name, mutant


def check_kernel(options, number, kernel):
    """Returns the numbers of mutants and of survivors."""
    kind, config, sizes = kernel
    folder = os.path.join(options.out, str(number))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    module, pack = os.path.join(folder, "x.mlir"), os.path.join(folder, "pack")
    with open(module, "w") as file:
        subprocess.run([options.tcgemm_run, "--emit-mlir", "--type=" + kind],
                       check=True, stdout=file)
    subprocess.run([options.tcgemm_opt, "--tcgemm-to-cubin=format=ptx pack=%s "
                    "chip=sm_90a records=none config=schedule=wgmma,"
                    "persistent=false,%s" % (pack, config), module, "-o",
                    os.devnull], check=True)
    name = next(name for name in os.listdir(pack) if name.endswith(".ptx"))
    path = os.path.join(pack, name)
    with open(path) as file:
        lines = file.read().split("\n")
    passes, output = run_kernel(options, pack, sizes)
    if not passes:
        sys.exit("%s without a mutation: %s" % (kind, output))
    mutants = survivors = 0
    for name, (i, text) in find_mutants(lines):
        with open(path, "w") as file:
            file.write("\n".join(lines[:i] + [text] + lines[i + 1:]))
        mutants += 1
        if run_kernel(options, pack, sizes)[0]:
            survivors += 1
            print("SURVIVES: %s %s: %s, line %d: %s" % (kind, config, name, i + 1,
                                                        lines[i].strip()))
    return mutants, survivors


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("--out", "--tcgemm-opt", "--tcgemm-run"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    counts = [check_kernel(options, number, kernel)
              for number, kernel in enumerate(KERNELS)]
    mutants, survivors = (sum(column) for column in zip(*counts))
    print("%d mutants, %d survive" % (mutants, survivors))
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
