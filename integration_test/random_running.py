"""Runs the cases of random_cases.py, or plans them, and counts the results."""

import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import threading

# Multiprocessors of the emulated device: few, so that a block of a persistent kernel
# has several tiles even in small problems.
PROCESSORS = 2


def run_tool(command, timeout=300):
    """Exit status and output; a time-out has a separate status."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=timeout,
                              stderr=subprocess.STDOUT, text=True,
                              errors="replace")
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return "time-out", ""


def device_flags(device):
    flags = ["--device=" + device] if device else []
    if device == "emulator":
        flags.append("--emulator-sm-count=%d" % PROCESSORS)
    return flags


def reproduce(tool, folder, case, device=None):
    """The command that runs only one case."""
    command = [tool, os.path.join(folder, case["pack"])]
    command += device_flags(device)
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
    if "repeat" in case:
        command.append("--repeat=%d" % case["repeat"])
    return command + ["--seed=%d" % case["seed"]]


class Summary:
    def __init__(self, tool, folder, device):
        self.tool, self.folder, self.device = tool, folder, device
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.variants = collections.Counter()

    def add(self, case, status, what="", variants=()):
        """The result of a case; the chosen variants must be the expected ones."""
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
        """Adds tcgemm-run's result of a case."""
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
    with concurrent.futures.ThreadPoolExecutor(options.jobs or
                                               os.cpu_count()) as pool:
        for case, (status, output) in zip(cases, pool.map(plan, cases)):
            variants = re.findall(r"^  variant (\S+)", output, re.M)
            summary.add(case, "errors" if status else "passed",
                        "exit %s: %s" % (status, output.strip()), variants)


def run_all(options, cases, summary):
    """By default, one process at a time uses a GPU. Several emulators run at the same
    time with one thread each, which suffices for the grids of small problems."""
    jobs = options.jobs or (os.cpu_count() if options.device == "emulator"
                            else 1)

    def run_slice(i):
        # In the folder of the packs, so that the relative paths are valid.
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
    """Continues after a case that ends the tool."""
    while cases:
        with open(path, "w") as file:
            file.writelines(json.dumps(case) + "\n" for case in cases)
        command = [options.tcgemm_run, "--cases=" + path, "--format=json",
                   "--timeout=%d" % options.timeout]
        command += device_flags(options.device)
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
