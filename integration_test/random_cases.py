#!/usr/bin/env python3
"""Random kernels and problems: generated anywhere, run on a GPU or an emulator.

  random_cases.py generate --seed 1 --cases 3000 --out DIR \\
      --tcgemm-run PATH [--ptx] [--scale 0.1] [--schedule=wgmma]
  random_cases.py run --cases DIR/cases.jsonl --tcgemm-run PATH \\
      [--plan | --device emulator]

`generate` compiles kernels to DIR/packs and writes DIR/cases.jsonl and
DIR/coverage.txt. A case's id is number:pack:variants, the variants being those
that its guards choose. `--scale` reduces all sizes, because an
emulator needs much time for large ones. `--special` is the fraction of cases with
NaN, infinities, signed zeros and subnormal numbers among their operands and scalars.
`run` checks every case, `run --plan` everything except the launch. Both end with 1 on
any failure, and print the command that repeats it.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shlex
import sys

import random_kernels
from random_kernels import SCHEDULES
from random_drawing import CHIPS
from random_problems import CaseDrawer
from random_running import run, run_tool

MIN_CASES = 20  # For every value of a configuration, from 3000 cases on.


# Packs --------------------------------------------------------------------

class Pack:
    """A compiled kernel: its manifest, and how it was drawn."""

    def __init__(self, name, folder, kernel, config, scale=1):
        self.name, self.kernel, self.config = name, kernel, config
        self.scale = scale
        self.row_bytes = 2 * config["cta_k"]  # Of a block's tile of A.
        with open(os.path.join(folder, "manifest.json")) as file:
            manifest = json.load(file)
        self.kernels = {k["name"]: k for k in manifest["kernels"]}
        self.function = manifest["functions"][0]
        self.views = {"view%d" % i: view for i, view in
                      enumerate(self.function.get("views", []))}
        self.cubins = []
        for module in manifest["modules"]:
            path = module.get("cubin") or module["ptx"]
            with open(os.path.join(folder, path), "rb") as file:
                self.cubins.append(hashlib.sha256(file.read()).hexdigest())
        self.key = hashlib.sha256("".join(sorted(self.cubins)).encode()
                                  ).hexdigest()

    def factors(self, ref):
        """For each dimension of a view, the factors of its size."""
        if ref not in self.views:
            return []
        return [text.split(" * ") for text in self.views[ref]["sizes"]]

    def launches(self):
        for launch in self.function["launches"]:
            kernel = self.kernels[launch["kernel"]]
            yield kernel, list(zip(kernel["operands"], launch["operands"]))


class Builder:
    """Draws and compiles kernels until one is accepted."""

    def __init__(self, options):
        self.options = options
        self.counts = collections.Counter()
        self.failures, self.notes = [], []
        rng = random.Random("%d/targets" % options.seed)
        self.targets = list_targets(options)
        rng.shuffle(self.targets)

    def build(self, index):
        """The pack of one index, its statistics and failures."""
        options = self.options
        counts, failures, notes = collections.Counter(), [], []
        name = "k%04d" % index
        source = os.path.join(options.out, "kernels", name)
        folder = os.path.join(options.out, "packs", name)
        schedule, *target = self.targets[index % len(self.targets)]
        for attempt in range(25):
            rng = random.Random("%d/%d/%d" % (options.seed, index, attempt))
            kernel, config = random_kernels.draw_kernel(
                rng, schedule, tuple(target), options)
            path = "%s_%d.mlir" % (source, attempt)
            self.draw_dependence(config, index, attempt)
            text = SCHEDULES[schedule].format_config(config)
            command = [options.tcgemm_run, path, "--chip=" + options.chip,
                       "--config=" + text, "--save-pack=" + folder, "--plan"]
            command += kernel.plan_flags()
            if options.ptx:
                command.append("--pipeline-options=format=ptx")
            line = shlex.join(command)
            with open(path, "w") as file:
                file.write("// %s\n%s" % (line, kernel.text()))
            counts["drawn"] += 1
            status, output = run_tool(command)
            if status == 0 and len(kernel.problems) == output.count("kernel "):
                pack = Pack(name, folder, kernel, config, options.scale)
                return pack, counts, failures, notes
            if "illegal config" in output:
                counts["illegal"] += 1
                os.remove(path)
            elif re.search(r": spills \d+", output):
                counts["spills"] += 1
                notes.append("%s\n  again: %s" % (output.strip()[-300:], line))
            else:
                counts["failed"] += 1
                what = output.strip() if status else "not raised as one kernel"
                failures.append("exit %s: %s\n  again: %s" %
                                (status, what[-2000:], line))
        failures.append("%s: no kernel in 25 draws with %s = %s" %
                        (name, *target))
        return None, counts, failures, notes

    def draw_dependence(self, config, index, attempt):
        """Uses separate random numbers, so that other draws do not depend on it."""
        values = list_dependence(self.options, config["schedule"])
        if values:
            rng = random.Random("%d/%d/%d/dependence" % (
                self.options.seed, index, attempt))
            config["dependent_launch"] = rng.choice(values)

    def run(self):
        """The requested number of packs with different cubins."""
        packs, known, start = [], set(), 0
        wanted = self.options.kernels
        jobs = self.options.jobs or os.cpu_count()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            while len(packs) < wanted and start < 2 * wanted + 10:
                indices = range(start, start + wanted - len(packs))
                start = indices.stop
                for pack, counts, failures, notes in pool.map(self.build,
                                                              indices):
                    self.counts += counts
                    self.failures += failures
                    self.notes += notes
                    if pack and pack.key in known:
                        self.counts["duplicates"] += 1
                    elif pack:
                        known.add(pack.key)
                        packs.append(pack)
        return packs


# Cases --------------------------------------------------------------------

def list_values(options):
    """All values of parameters: (schedule, parameter, value)."""
    names = (SCHEDULES if options.schedule == "any" else [options.schedule])
    return [(name, key, value) for name in names
            for key, values in SCHEDULES[name].PARAMETERS.items()
            for value in values]


def list_dependence(options, schedule):
    """The values of dependent_launch; none if it is left out."""
    has_waits = int(re.match(r"sm_(\d+)", options.chip).group(1)) >= 90
    if (getattr(options, "command", "") == "generate" and has_waits and
            SCHEDULES[schedule].HAS_DEPENDENT_LAUNCH):
        return ["false", "true"]
    return []


def list_targets(options):
    """The values that kernels are drawn for, one each."""
    if options.stress:
        return [("wgmma", "schedule", "wgmma")]
    return list_values(options)


def draw_cases(seed, count, packs):
    """Every pack at least once if there are enough cases, then those with the
    values that are used least. Half of them with small integers."""
    by_value = collections.defaultdict(list)
    for i, pack in enumerate(packs):
        for item in pack.config.items():
            by_value[item].append(i)
    is_exact = [pack.kernel.is_exact for pack in packs]
    used, uses = collections.Counter(), [0] * len(packs)
    cases, num_exact = [], 0
    for number in range(count):
        rng = random.Random("%d/case/%d" % (seed, number))
        rare = min(by_value, key=lambda value: used[value])
        choice = range(len(packs))
        if number >= len(packs):
            if used[rare] < MIN_CASES:
                choice = by_value[rare]
            if 2 * num_exact < number:
                choice = [i for i in choice if is_exact[i]] or choice
        i = min(choice, key=lambda j: uses[j])
        # Some exact kernels get no integers, if at least half of them do.
        wants = 2 * num_exact <= number + 0.1 * count or rng.random() < 0.5
        case, variants = CaseDrawer(rng, packs[i]).draw(wants)
        num_exact += case["fill"] == "int"
        uses[i] += 1
        used.update(packs[i].config.items())
        cases.append({"id": "%d:%s:%s" % (number, packs[i].name,
                                          "+".join(variants)), **case})
    return cases, uses, used


SPECIAL_SCALARS = ["nan", "inf", "-inf", 0.0, -0.0, 1e-40, -3e38, 1]


def add_special(options, cases, packs):
    """Special values in some cases. Uses separate random numbers, so that other draws
    do not depend on them."""
    by_name = {pack.name: pack for pack in packs}
    for number, case in enumerate(cases):
        rng = random.Random("%d/case/%d/special" % (options.seed, number))
        if rng.random() >= options.special:
            continue
        case["fill"] = "special"
        kernel = by_name[os.path.basename(case["pack"])].kernel
        for name in ("alpha", "beta"):
            if kernel.find(name) and rng.random() < 0.4:
                case["scalars"][kernel.find(name)] = rng.choice(SPECIAL_SCALARS)


def write_packs(path, options, packs):
    """Writes the columns for the table of many runs."""
    with open(path, "w") as file:
        json.dump({pack.name: {"schedule": pack.config["schedule"],
                               "chip": options.chip, **pack.kernel.features}
                   for pack in packs}, file, indent=1)


def write_coverage(path, values, least, packs, cases, uses, used, counts):
    """The table, and the values that less than `least` cases use."""
    kernels = collections.Counter()
    features = collections.Counter()
    for pack, use in zip(packs, uses):
        kernels.update(pack.config.items())
        for key, value in pack.kernel.features.items():
            for word in str(value).split("+"):
                kernels[key, word] += 1
                features[key, word] += use
    missing = []
    lines = ["%-18s %-16s %8s %8s" % ("parameter", "value", "kernels", "cases")]
    # Two schedules may have a value in common.
    for item in dict.fromkeys(value[1:] for value in values):
        if used[item] < least:
            missing.append("%s = %s: %d cases" % (item + (used[item],)))
        lines.append("%-18s %-16s %8d %8d" %
                     (item + (kernels[item], used[item])))
    for item in sorted(features):
        lines.append("%-18s %-16s %8d %8d" %
                     (item + (kernels[item], features[item])))
    for key in ("fill", "ld_pad", "offset"):
        for value, n in sorted(collections.Counter(
                str(case[key]) for case in cases).items()):
            lines.append("%-18s %-16s %8s %8d" % (key, value, "", n))
    for value, n in sorted(collections.Counter(
            case["id"].split(":")[2] for case in cases).items()):
        lines.append("%-18s %-16s %8s %8d" % ("variants", value, "", n))
    cubins = len({c for pack in packs for c in pack.cubins})
    lines.append("%d kernels, %d distinct cubins, %d cases; %s" % (
        len(packs), cubins, len(cases),
        ", ".join("%d %s" % (n, what) for what, n in sorted(counts.items()))))
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    return missing


def generate(options):
    if options.stress:
        options.schedule = "wgmma"
    if not options.chip:
        needs_wgmma = options.schedule in ("wgmma", "any")
        options.chip = "sm_90a" if needs_wgmma else "sm_90"
    targets = list_targets(options)
    if not options.kernels:
        options.kernels = min(options.cases,
                              max(len(targets), options.cases // 5))
    for folder in ("kernels", "packs"):
        os.makedirs(os.path.join(options.out, folder), exist_ok=True)
    builder = Builder(options)
    packs = builder.run()
    for failure in builder.failures:
        print("FAILURE: " + failure)
    for note in builder.notes:
        print("refused: " + note)
    if not packs:
        sys.exit("random_cases.py: no kernel was compiled")
    cases, uses, used = draw_cases(options.seed, options.cases, packs)
    add_special(options, cases, packs)
    write_packs(os.path.join(options.out, "packs.json"), options, packs)
    if options.repeat > 1:
        for case in cases:
            case["repeat"] = options.repeat
    with open(os.path.join(options.out, "cases.jsonl"), "w") as file:
        file.writelines(json.dumps(case) + "\n" for case in cases)
    # At least one case of a value if each was the target of a kernel.
    least = int(len(cases) >= len(packs) >= len(targets))
    if options.stress:
        least = 0
    elif len(cases) >= 3000:
        least = MIN_CASES
    values = list_values(options)
    for schedule in dict.fromkeys(value[0] for value in values):
        values += [(schedule, "dependent_launch", value)
                   for value in list_dependence(options, schedule)]
    missing = write_coverage(os.path.join(options.out, "coverage.txt"),
                             values, least, packs, cases, uses,
                             used, builder.counts)
    for what in missing:
        print("FAILURE: not covered: " + what)
    if len(packs) < options.kernels:
        missing.append("kernels")
        print("FAILURE: only %d kernels were found" % len(packs))
    return 1 if builder.failures or missing else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, function in (("generate", generate), ("run", run)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("--tcgemm-run", required=True)
        command.add_argument("--jobs", type=int,
                             help="processes at a time (default: one a "
                             "processor; on a GPU one)")
        if name == "generate":
            command.add_argument("--seed", type=int, default=1)
            command.add_argument("--kernels", type=int,
                                 help="default: a fifth of the cases, and one "
                                 "for each value of a parameter")
            command.add_argument("--cases", type=int, default=3000)
            command.add_argument("--out", required=True)
            command.add_argument("--schedule", default="mma_sync",
                                 choices=[*SCHEDULES, "any"])
            command.add_argument("--stress", action="store_true",
                                 help="wgmma with clusters and more than 200 "
                                 "KiB of shared memory only")
            command.add_argument("--repeat", type=int, default=1,
                                 help="launches of a case, all of which must "
                                 "give the same")
            command.add_argument("--special", type=float, default=0,
                                 help="share of cases with NaN, infinities, "
                                 "-0 and subnormal numbers")
            command.add_argument("--chip", choices=sorted(CHIPS),
                                 help="default: sm_90; sm_90a for wgmma")
            command.add_argument("--ptx", action="store_true",
                                 help="stop at PTX; needs no ptxas")
            command.add_argument("--scale", type=float, default=1,
                                 help="factor on all sizes")
        else:
            command.set_defaults(flags=[])
            command.add_argument("--cases", required=True)
            command.add_argument("--plan", action="store_true",
                                 help="all but the launch; needs no device")
            command.add_argument("--device",
                                 help="as tcgemm-run takes it")
            command.add_argument("--timeout", type=int, default=120,
                                 help="seconds for one case")
    options = parser.parse_args()
    sys.exit(options.function(options))


if __name__ == "__main__":
    main()
