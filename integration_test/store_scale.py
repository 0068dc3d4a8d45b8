#!/usr/bin/env python3
"""Measures the tuner's store with many records, and prints the bars that it meets.

Databases are filled, some merges are killed, all are merged into one, and records are
looked up in it. Each step appends a line of JSON to FOLDER/log.jsonl when it is done:
its times, the date and the load of the machine. A second run with the same folder and
sizes does the steps that are left. No kernel is run.

    store_scale.py --tcgemm-tune build/release/bin/tcgemm-tune \\
      --store-scale build/release/unittests/bin/store-scale --folder /tmp/scale \\
      --databases 10 --records 1010000
"""

import argparse
import datetime
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

# The limits of the bars.
LEAST_INSERTS = 20000
MOST_LOOK_UP_US = 50
MOST_BEST_SECONDS = 1
MOST_OPEN_SECONDS = 5
MOST_MERGE_US = 30  # For each record: 10^7 records in 300 s.


class Steps:
    """Runs steps that are not in the log."""

    def __init__(self, folder, sizes):
        self.path = folder / "log.jsonl"
        self.done = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                entry = json.loads(line)
                if entry["sizes"] != sizes:
                    sys.exit("%s is of other sizes: %s" % (self.path, entry["sizes"]))
                self.done[entry["step"]] = entry
        self.sizes = sizes

    def run(self, name, action):
        """`action` returns a dictionary of results."""
        if name not in self.done:
            entry = {"step": name, "sizes": self.sizes,
                     "date": datetime.datetime.now().isoformat(timespec="seconds"),
                     "load": round(os.getloadavg()[0], 2), **action()}
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
            self.done[name] = entry
        print(json.dumps(self.done[name]), flush=True)
        return self.done[name]


def remove(path):
    for suffix in ("", "-wal", "-shm"):
        pathlib.Path(str(path) + suffix).unlink(missing_ok=True)


def run(command):
    """The output of a command, with its wall-clock and CPU seconds."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("exit code %d: %s" % (process.returncode, command))
    return output, {"seconds": round(time.monotonic() - start, 3),
                    "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
                    "most_memory_mib": usage.ru_maxrss // 1024}


class Scale:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder
        self.all = self.folder / "all.db"
        self.sources = [self.folder / ("%d.db" % i) for i in range(options.databases)]

    def size_options(self, number):
        return ["--records=%d" % self.options.records,
                "--problems=%d" % self.options.problems, "--number=%d" % number]

    def fill(self, number):
        remove(self.sources[number])  # What an interrupted run left.
        output, _ = run([self.options.store_scale, "fill", str(self.sources[number]),
                         *self.size_options(number)])
        return json.loads(output)

    def count(self, database):
        output, _ = run([self.options.tcgemm_tune, "db", "stats", str(database)])
        return sum(int(line.split()[1]) for line in output.splitlines()
                   if line.startswith("records_"))

    def count_expected(self):
        """The first hundredth of the problems is in all databases."""
        options = self.options
        each = -(-options.records // options.problems)
        shared = min(options.records, options.problems // 100 * each)
        return shared + options.databases * (options.records - shared)

    def verify(self, database):
        output, times = run([self.options.tcgemm_tune, "db", "verify", str(database)])
        if output != "ok\n":
            sys.exit("%s is damaged: %s" % (database, output))
        return times

    def merge_command(self, target, source):
        return [self.options.tcgemm_tune, "db", "merge", str(target), str(source)]

    def merge(self, number):
        output, times = run(self.merge_command(self.all, self.sources[number]))
        return {"added": int(output.split(": ")[1].split()[0]), **times}

    def kill_merges(self):
        """A merge that is killed has added nothing or everything."""
        target = self.folder / "killed.db"
        remove(target)
        _, times = run(self.merge_command(target, self.sources[0]))
        chooser = random.Random(1)
        killed = 0
        for _ in range(self.options.kills):
            remove(target)
            if self.options.databases > 1:
                run(self.merge_command(target, self.sources[1]))
            before = self.count(target) if target.exists() else 0
            process = subprocess.Popen(self.merge_command(target, self.sources[0]),
                                       stdout=subprocess.DEVNULL)
            time.sleep(chooser.uniform(0, times["seconds"]))
            process.send_signal(signal.SIGKILL)
            killed += process.wait() != 0
            self.verify(target)
            after = self.count(target)
            run(self.merge_command(target, self.sources[0]))
            whole = self.count(target)
            if after not in (before, whole):
                sys.exit("a killed merge left %d records; before it there were %d, "
                         "with all of them %d" % (after, before, whole))
            self.verify(target)
        remove(target)
        return {"kills": self.options.kills, "in_time": killed}

    def look_up(self):
        number = self.options.databases - 1
        output, _ = run([self.options.store_scale, "look-up", str(self.all),
                         "--look-ups=%d" % self.options.look_ups,
                         *self.size_options(number)])
        return json.loads(output)

    def find_best(self):
        """The best of 1,000 problems: the shortest of three runs."""
        count = min(1000, self.options.problems)
        problems = self.folder / "problems.txt"
        problems.write_text("".join(
            "- %d %d %d\n" % (64 * (1 + i % 100), 64 * (1 + i // 100 % 100),
                              64 * (1 + i // 10000 % 100)) for i in range(count)))
        command = [self.options.tcgemm_tune, "best", "--db=%s" % self.all,
                   "--problems=%s" % problems, "--format=jsonl"]
        runs = [run(command) for _ in range(3)]
        records = [json.loads(line) for line in runs[0][0].splitlines()]
        if len({record["sizes"] for record in records}) != count:
            sys.exit("not all problems have a best record")
        return {"problems": count, "found": len(records),
                **min((times for _, times in runs), key=lambda t: t["seconds"])}


    def report(self):
        """The page about the first database."""
        page = self.folder / "report.html"
        _, times = run([self.options.tcgemm_tune, "report", str(self.sources[0]),
                        "-o", str(page)])
        return {"bytes": page.stat().st_size, **times}

    def open_report(self):
        script = pathlib.Path(__file__).with_name("report_browser.py")
        output, _ = run([sys.executable, str(script), "--time", "--browser",
                         self.options.browser, "--report",
                         str(self.folder / "report.html")])
        return json.loads(output)


def print_bars(bars):
    print("%-36s %12s %12s" % ("bar", "measured", "limit"))
    missed = 0
    for name, value, limit, is_least in bars:
        is_met = value >= limit if is_least else value <= limit
        missed += not is_met
        print("%-36s %12.4g %s %9.4g  %s" % (name, value, ">=" if is_least else "<=",
                                            limit, "met" if is_met else "missed"))
    return missed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tcgemm-tune", required=True)
    parser.add_argument("--store-scale", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--databases", type=int, default=10)
    parser.add_argument("--records", type=int, default=1010000,
                        help="of each database; one in a hundred is in all")
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--look-ups", type=int, default=100000)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--browser", help="a Chromium, to open a report")
    parser.add_argument("--any-time", action="store_true",
                        help="missed bars are no failure: for a test")
    options = parser.parse_args()
    if options.databases < 1 or options.records < 1 or options.problems < 1:
        parser.error("the sizes must be at least 1")
    options.folder.mkdir(parents=True, exist_ok=True)
    steps = Steps(options.folder, [options.databases, options.records, options.problems])
    scale = Scale(options)
    fills = [steps.run("fill %d" % i, lambda i=i: scale.fill(i))
             for i in range(options.databases)]
    if options.kills:
        steps.run("kills", scale.kill_merges)
    merges = [steps.run("merge %d" % i, lambda i=i: scale.merge(i))
              for i in range(options.databases)]
    total = steps.run("count", lambda: {"records": scale.count(scale.all)})["records"]
    if total != scale.count_expected():
        sys.exit("there are %d records, but there must be %d"
                 % (total, scale.count_expected()))
    look_up = steps.run("look-up", scale.look_up)
    best = steps.run("best", scale.find_best)
    steps.run("verify", lambda: scale.verify(scale.all))
    bars = []
    if options.browser:
        steps.run("report", scale.report)
        opened = steps.run("open report", scale.open_report)
        bars = [("open a report of %d records, s" % options.records,
                 opened["seconds"], MOST_OPEN_SECONDS, False)]
    read = options.databases * options.records
    print("%d databases, %d records read, %d in the merged one"
          % (options.databases, read, total))
    missed = print_bars([
        ("inserts a second, batches of 10,000",
         max(fill["records"] / fill["seconds"] for fill in fills), LEAST_INSERTS, True),
        ("exact look-up, mean, us", look_up["mean_us"], MOST_LOOK_UP_US, False),
        ("best of %d problems, s" % best["problems"], best["seconds"],
         MOST_BEST_SECONDS, False),
        ("merge, us for each record",
         1e6 * sum(merge["seconds"] for merge in merges) / read, MOST_MERGE_US, False),
        *bars])
    print("merges: %.1f s, %.1f s of CPU time"
          % (sum(merge["seconds"] for merge in merges),
             sum(merge["cpu_seconds"] for merge in merges)))
    if missed and not options.any_time:
        sys.exit("%d bars are missed" % missed)


if __name__ == "__main__":
    main()
