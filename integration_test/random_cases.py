#!/usr/bin/env python3
"""Random kernels and problems: generated anywhere, run on a GPU or an emulator.

  random_cases.py generate --seed 1 --cases 3000 --out DIR \\
      --tcgemm-run PATH [--ptx] [--scale 0.1]
  random_cases.py run --cases DIR/cases.jsonl --tcgemm-run PATH \\
      [--plan | --device emulator]

`generate` compiles kernels to DIR/packs and writes DIR/cases.jsonl and
DIR/coverage.txt. A case's id is number:pack:variants, the variants being those
that its guards choose. `--scale` makes all sizes smaller: an emulator takes
long for large ones. `run` checks every case, `run --plan` all but the launch.
Both end with 1 on any failure, and print a line that repeats it.
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
import subprocess
import sys
import threading

import random_kernels
from random_problems import CaseDrawer

MIN_CASES = 20  # Of every value of a configuration, from 3000 cases on.


def run_tool(command, timeout=300):
    """Exit status and output; a time-out is a status of its own."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=timeout,
                              stderr=subprocess.STDOUT, text=True,
                              errors="replace")
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return "time-out", ""


# Packs --------------------------------------------------------------------

class Pack:
    """A compiled kernel: its manifest, and how it was drawn."""

    def __init__(self, name, folder, kernel, config, scale=1):
        self.name, self.kernel, self.config = name, kernel, config
        self.scale = scale
        with open(os.path.join(folder, "manifest.json")) as file:
            manifest = json.load(file)
        self.kernels = {k["name"]: k for k in manifest["kernels"]}
        self.function = manifest["functions"][0]
        self.cubins = []
        for module in manifest["modules"]:
            path = module.get("cubin") or module["ptx"]
            with open(os.path.join(folder, path), "rb") as file:
                self.cubins.append(hashlib.sha256(file.read()).hexdigest())
        self.key = hashlib.sha256("".join(sorted(self.cubins)).encode()
                                  ).hexdigest()

    def launches(self):
        for launch in self.function["launches"]:
            kernel = self.kernels[launch["kernel"]]
            yield kernel, list(zip(kernel["operands"], launch["operands"]))


class Builder:
    """Draws and compiles kernels until one is accepted."""

    def __init__(self, options):
        self.options = options
        self.counts = collections.Counter()
        self.failures = []
        rng = random.Random("%d/targets" % options.seed)
        self.targets = [(key, value) for key, values in
                        random_kernels.PARAMETERS.items() for value in values]
        rng.shuffle(self.targets)

    def build(self, index):
        """The pack of one index, its statistics and failures."""
        options = self.options
        counts, failures = collections.Counter(), []
        name = "k%04d" % index
        source = os.path.join(options.out, "kernels", name)
        folder = os.path.join(options.out, "packs", name)
        target = self.targets[index % len(self.targets)]
        for attempt in range(25):
            rng = random.Random("%d/%d/%d" % (options.seed, index, attempt))
            kernel, config = random_kernels.draw_kernel(rng, options.chip,
                                                        target, options.scale)
            path = "%s_%d.mlir" % (source, attempt)
            text = random_kernels.format_config(config)
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
            if status == 0 and len(kernel.layouts) == output.count("kernel "):
                pack = Pack(name, folder, kernel, config, options.scale)
                return pack, counts, failures
            if "illegal config" in output:
                counts["illegal"] += 1
            elif re.search(r": spills \d+", output):
                counts["spills"] += 1
            else:
                counts["failed"] += 1
                what = output.strip() if status else "not raised as one kernel"
                failures.append("exit %s: %s\n  again: %s" %
                                (status, what[-2000:], line))
                continue
            os.remove(path)
        failures.append("%s: no kernel in 25 draws with %s = %s" %
                        ((name,) + target))
        return None, counts, failures

    def run(self):
        """As many packs with different cubins as asked for."""
        packs, known, start = [], set(), 0
        wanted = self.options.kernels
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            while len(packs) < wanted and start < 2 * wanted + 10:
                indices = range(start, start + wanted - len(packs))
                start = indices.stop
                for pack, counts, failures in pool.map(self.build, indices):
                    self.counts += counts
                    self.failures += failures
                    if pack and pack.key in known:
                        self.counts["duplicates"] += 1
                    elif pack:
                        known.add(pack.key)
                        packs.append(pack)
        return packs


# Cases --------------------------------------------------------------------

def count_values():
    return sum(map(len, random_kernels.PARAMETERS.values()))


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
        # Some exact kernels get no integers, as far as that leaves half.
        wants = 2 * num_exact <= number + 0.1 * count or rng.random() < 0.5
        case, variants = CaseDrawer(rng, packs[i]).draw(wants)
        num_exact += case["fill"] == "int"
        uses[i] += 1
        used.update(packs[i].config.items())
        cases.append({"id": "%d:%s:%s" % (number, packs[i].name,
                                          "+".join(variants)), **case})
    return cases, uses, used


def write_coverage(path, packs, cases, uses, used, counts):
    """The table, and the values that too few cases use: at least one if every
    value was the target of a kernel."""
    least = (MIN_CASES if len(cases) >= 3000 else
             int(len(cases) >= len(packs) >= count_values()))
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
    for key, values in random_kernels.PARAMETERS.items():
        for value in values:
            item = (key, value)
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
    if not options.kernels:
        options.kernels = min(options.cases,
                              max(count_values(), options.cases // 5))
    for folder in ("kernels", "packs"):
        os.makedirs(os.path.join(options.out, folder), exist_ok=True)
    builder = Builder(options)
    packs = builder.run()
    for failure in builder.failures:
        print("FAILURE: " + failure)
    if not packs:
        sys.exit("random_cases.py: no kernel was compiled")
    cases, uses, used = draw_cases(options.seed, options.cases, packs)
    with open(os.path.join(options.out, "cases.jsonl"), "w") as file:
        file.writelines(json.dumps(case) + "\n" for case in cases)
    missing = write_coverage(os.path.join(options.out, "coverage.txt"), packs,
                             cases, uses, used, builder.counts)
    for what in missing:
        print("FAILURE: not covered: " + what)
    if len(packs) < options.kernels:
        missing.append("kernels")
        print("FAILURE: only %d kernels were found" % len(packs))
    return 1 if builder.failures or missing else 0


# Running ------------------------------------------------------------------

def reproduce(tool, folder, case, device=None):
    """The command that runs one case alone."""
    command = [tool, os.path.join(folder, case["pack"])]
    command += ["--device=" + device] if device else []
    command += ["--%s=%d" % (name[0].lower() if name != "batch" else name, size)
                for name, size in case.get("sizes", {}).items()]
    command += ["--shape=%s=%s" % (name, "x".join(map(str, shape)))
                for name, shape in case.get("shapes", {}).items()]
    for flag, one, many in (("fill", "fill", "fills"),
                            ("ld-pad", "ld_pad", "ld_pads"),
                            ("offset", "offset", "offsets"),
                            ("scalar", None, "scalars")):
        command += ["--%s=%s" % (flag, case[one])] if one in case else []
        command += ["--%s=%s=%s" % ((flag,) + item)
                    for item in case.get(many, {}).items()]
    if "variant" in case:
        command.append("--variant=" + case["variant"])
    return command + ["--seed=%d" % case["seed"]]


class Summary:
    def __init__(self, tool, folder, device):
        self.tool, self.folder, self.device = tool, folder, device
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.variants = collections.Counter()

    def add(self, case, status, what="", variants=()):
        """What came of a case; the chosen variants must be the expected."""
        with self.lock:
            self.add_locked(case, status, what, variants)

    def add_locked(self, case, status, what, variants):
        expected = case["id"].split(":")[2]
        if status == "passed" and "+".join(variants) != expected:
            status, what = "errors", "it took the variant %s, not %s" % (
                "+".join(variants), expected)
        self.counts["cases"] += 1
        self.counts[status] += 1
        self.variants["+".join(variants) or "none", status] += 1
        if status != "passed":
            print("FAILURE: case %s (seed %d): %s\n  again: %s" % (
                case["id"], case["seed"], what, shlex.join(
                    reproduce(self.tool, self.folder, case, self.device))),
                  flush=True)

    def add_record(self, case, record):
        """What tcgemm-run tells of a case."""
        launches = record.get("launches", [])
        status = {"pass": "passed", "fail": "wrong"}.get(record["status"],
                                                         "errors")
        what = record.get("error") or json.dumps(launches)
        # An exact case is one whose elements were all compared by equality.
        with self.lock:
            self.counts["exact"] += status == "passed" and all(
                launch["exact"] == launch["checked"] for launch in launches)
            self.counts["findings"] += sum(
                len(launch.get("findings", ())) for launch in
                launches + [record])
        self.add(case, status, what[:2000],
                 [launch["variant"] for launch in launches])

    def finish(self):
        for (variant, status), n in sorted(self.variants.items()):
            print("%-32s %-8s %6d" % (variant, status, n))
        print(", ".join("%d %s" % (self.counts[what], what) for what in (
            "cases", "passed", "wrong", "errors", "exact", "findings")))
        return int(self.counts["passed"] != self.counts["cases"] or
                   not self.counts["cases"])


def plan_all(options, cases, summary):
    def plan(case):
        return run_tool(reproduce(options.tcgemm_run, summary.folder, case) +
                        ["--plan"])
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (status, output) in zip(cases, pool.map(plan, cases)):
            variants = re.findall(r"^  variant (\S+)", output, re.M)
            summary.add(case, "errors" if status else "passed",
                        "exit %s: %s" % (status, output.strip()), variants)


def run_all(options, cases, summary):
    """A GPU is used by one process at a time; emulators work side by side, each
    in one thread, since the grids of small problems hardly need more."""
    jobs = options.jobs if options.device == "emulator" else 1

    def run_slice(i):
        # Beside the packs, so that the relative paths hold.
        path = os.path.join(summary.folder,
                            ".remaining-%d-%d.jsonl" % (os.getpid(), i))
        try:
            run_remaining(options, cases[i::jobs], summary, path)
        finally:
            if os.path.exists(path):
                os.remove(path)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(run_slice, range(jobs)):
            pass


def run_remaining(options, cases, summary, path):
    """Goes on behind a case that ends the tool."""
    while cases:
        with open(path, "w") as file:
            file.writelines(json.dumps(case) + "\n" for case in cases)
        command = [options.tcgemm_run, "--cases=" + path, "--format=json",
                   "--timeout=%d" % options.timeout]
        if options.device:
            command.append("--device=" + options.device)
        if options.device == "emulator":
            command.append("--emulator-threads=1")
        command += options.flags
        tool = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        done = 0
        for line in tool.stdout:
            try:
                record = json.loads(line)
            except ValueError:
                continue  # The tool died within the line.
            if "tag" not in record:
                continue
            if record["tag"] != cases[done]["id"]:
                sys.exit("random_cases.py: unexpected case " + record["tag"])
            summary.add_record(cases[done], record)
            done += 1
        code = tool.wait()
        cases = cases[done:]
        if code == 3 or (code == 2 and not done):
            sys.exit("random_cases.py: tcgemm-run cannot run the cases")
        # Device errors that the tool reported are counted already.
        if cases and not (code == 4 and done):
            summary.add(cases[0], "errors",
                        "tcgemm-run ended with exit code %d" % code)
            cases = cases[1:]


def run(options):
    with open(options.cases) as file:
        cases = [json.loads(line) for line in file if line.strip()]
    summary = Summary(options.tcgemm_run,
                      os.path.dirname(os.path.abspath(options.cases)),
                      options.device)
    (plan_all if options.plan else run_all)(options, cases, summary)
    return summary.finish()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, function in (("generate", generate), ("run", run)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("--tcgemm-run", required=True)
        command.add_argument("--jobs", type=int, default=os.cpu_count())
        if name == "generate":
            command.add_argument("--seed", type=int, default=1)
            command.add_argument("--kernels", type=int,
                                 help="default: a fifth of the cases, and one "
                                 "for each value of a parameter")
            command.add_argument("--cases", type=int, default=3000)
            command.add_argument("--out", required=True)
            command.add_argument("--chip", default="sm_90",
                                 choices=sorted(random_kernels.CHIPS))
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
