#!/usr/bin/env python3
"""Measures choices without tuning against tuning, for random sizes of several types.

usage: selection-quality.py OUT [--types=bf16,e4m3,f64] [--choices=model,logic]
           [--count=60] [--seed=2029] [--budget=24] [--limit=SECONDS] [--tools=DIR]
           [--device=DEVICE] [--chip=CHIP] [--samples=N] [--list]

Sizes are drawn as those of tuning/random-60.txt, with another seed: M is a multiple of
16 from 16 to 1024, N and K are multiples of 64 from 1024 to 16384, log-uniform. The
layout is tn. --choices are some of:

  model    no record (--records=none)
  logic    rules that tcgemm-tune learns from the shipped records, and from a model's
           times for random sizes (--samples; default: tcgemm-tune's)
  shipped  what tcgemm uses by itself: shipped records and predictions from them

Each size is tuned with --budget candidates, and each choice is compared with the best
of them, interleaved. Everything is kept in the folder OUT, and a run that ends by
--limit has the exit code 75; the same command then continues. The last run prints for
each type the geometric means of the time of the choice over that of the tuned one.
Needs tcgemm-tune and tcgemm-run in --tools, and no other part of tcgemm.
"""
import argparse
import concurrent.futures
import json
import math
import os
import random
import re
import subprocess
import sys

from timing.limited import INTERRUPTED, UNFINISHED, Clock, run_limited

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# The records that answer, by the name of the choice.
CHOICES = {"model": "none", "logic": "shipped.logic.json", "shipped": ""}


def fail(message):
    sys.exit("selection-quality.py: " + message)


def draw_sizes(count, seed):
    source = random.Random(seed)

    def draw(unit, low, high):
        size = math.exp(source.uniform(math.log(low), math.log(high)))
        return max(low, round(size / unit) * unit)

    sizes = []
    while len(sizes) < count:
        size = (draw(16, 16, 1024), draw(64, 1024, 16384), draw(64, 1024, 16384))
        if size not in sizes:
            sizes.append(size)
    return sizes


def format_size(size):
    return "%dx%dx%d" % size


class Results:
    """Finished parts of the work, a line of JSON each. The last line may be torn."""

    def __init__(self, path):
        self.path, self.values = path, {}
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    key, value = json.loads(line)
                    self.values[tuple(key)] = value

    def add(self, key, value):
        self.values[key] = value
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps([key, value]) + "\n")


class Measurement:
    def __init__(self, options):
        self.options = options
        self.clock = Clock(options.limit)
        self.sizes = draw_sizes(options.count, options.seed)
        # Another seed, another file.
        self.results = Results(self.path("results-%d.jsonl" % options.seed))

    def path(self, name):
        return os.path.join(self.options.out, name)

    def tool(self, name):
        return os.path.join(self.options.tools, name)

    def stop_at_limit(self):
        if self.clock.is_over():
            self.stop()

    def stop(self):
        done = sum(key[0] == "cost" and key[1] in self.options.types and
                   key[3] in self.options.choices for key in self.results.values)
        print("unfinished: %d of %d comparisons; the same command continues" % (
            done, len(self.options.choices) * len(self.sizes) *
            len(self.options.types)),
              flush=True)
        sys.exit(UNFINISHED)

    # Choices ----------------------------------------------------------------

    def learn(self):
        logic = self.path(CHOICES["logic"])
        if os.path.exists(logic):
            return
        arguments = ["logic", "shipped", "-o", logic + ".new"]
        if self.options.samples is not None:
            arguments.append("--samples=%d" % self.options.samples)
        done = subprocess.run([self.tool("tcgemm-tune"), *arguments],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            fail("tcgemm-tune logic: " + done.stderr.strip())
        os.rename(logic + ".new", logic)

    def choose(self, kind, size, name):
        """The configuration that tcgemm-run would use, and which kind of answer it is."""
        records = CHOICES[name]
        if name == "logic":
            records = self.path(records)
        m, n, k = size
        folder = self.path("pack-%s-%s-%s" % (kind, format_size(size), name))
        arguments = ["--m=%d" % m, "--n=%d" % n, "--k=%d" % k, "--type=" + kind,
                     "--layout=tn", "--chip=" + self.options.chip,
                     "--size-hint=" + format_size(size), "--plan",
                     "--device=emulator", "--pipeline-options=format=ptx",
                     "--save-pack=" + folder]
        if records:
            arguments.append("--records=" + records)
        done = subprocess.run([self.tool("tcgemm-run"), *arguments],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            fail("tcgemm-run: " + done.stderr.strip())
        with open(folder + "/manifest.json", encoding="utf-8") as file:
            manifest = json.load(file)
        for file in os.listdir(folder):
            os.remove(os.path.join(folder, file))
        os.rmdir(folder)
        # The first variant is that for K = 0, which has the chosen configuration.
        config = manifest["kernels"][0]["variants"][0]["config"]
        answer = re.search(r"(?:records|logic) of [^,]*, (\w+)", done.stderr)
        return (re.fullmatch(r"#tcgemm.config<(.*)>", config)[1],
                answer[1] if answer else "model")

    def choose_all(self):
        self.learn()
        jobs = [(kind, size, name) for kind in self.options.types
                for size in self.sizes for name in self.options.choices
                if ("choice", kind, format_size(size), name)
                not in self.results.values]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for first in range(0, len(jobs), 64):
                self.stop_at_limit()
                part = jobs[first:first + 64]
                for (kind, size, name), choice in zip(
                        part, pool.map(lambda job: self.choose(*job), part)):
                    self.results.add(("choice", kind, format_size(size), name),
                                     choice)

    # Tuning -----------------------------------------------------------------

    def database(self, kind):
        return self.path(kind + ".db")

    def tune(self, kind):
        """Tunes the sizes of a type that are not tuned yet, in one run: its kernels are
        compiled once for all of them."""
        waiting = [size for size in self.sizes
                   if ("tuned", kind, format_size(size)) not in self.results.values]
        if not waiting:
            return
        problems = self.path(kind + ".txt")
        with open(problems, "w", encoding="utf-8") as file:
            for size in waiting:
                file.write("random %d %d %d\n" % size)
        options = self.options
        arguments = ["--problems=" + problems, "--layout=tn", "--dtype=" + kind,
                     "--strategy=ranked", "--budget=%d" % options.budget,
                     "--device=" + options.device, "--chip=" + options.chip,
                     "--db=" + self.database(kind), "--format=jsonl"]
        self.stop_at_limit()
        size = None

        def read(line):
            nonlocal size
            event = json.loads(line)
            if event.get("event") == "problem":
                size = event["sizes"]
            if event.get("event") == "result" and event["end"] != "interrupted":
                self.results.add(("tuned", kind, size), event["end"])

        code = run_limited([self.tool("tcgemm-tune"), *arguments], self.clock, read)
        if code == INTERRUPTED:
            self.stop()
        if code not in (0, 1):
            fail("tcgemm-tune ended with %d" % code)

    def read_best(self, kind):
        done = subprocess.run([self.tool("tcgemm-tune"), "best",
                               "--db=" + self.database(kind), "--format=jsonl"],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            fail("tcgemm-tune best: " + done.stderr.strip())
        records = map(json.loads, done.stdout.splitlines())
        return {record["sizes"]: record["config"] for record in records}

    # Comparison -------------------------------------------------------------

    def compare(self, kind, size, choice, best):
        """Microseconds of both; equal ones for the same configuration."""
        done = subprocess.run(
            [self.tool("tcgemm-tune"), "compare", choice, best, size, "--layout=tn",
             "--dtype=" + kind, "--db=" + self.database(kind) + ".compared",
             "--device=" + self.options.device, "--chip=" + self.options.chip,
             "--format=jsonl"], capture_output=True, text=True, check=False)
        if "both are the same configuration" in done.stderr:
            return [1, 1]
        if done.returncode:
            fail("tcgemm-tune compare: " + done.stderr.strip())
        pair = json.loads(done.stdout.splitlines()[-1])
        for side in ("a", "b"):
            if pair[side]["outcome"] != "success":
                fail("%s %s: %s: %s" % (kind, size, pair[side]["config"],
                                        pair[side]["message"]))
        return [pair[side]["microseconds"] for side in ("a", "b")]

    def compare_all(self, kind):
        best = self.read_best(kind)
        for size in map(format_size, self.sizes):
            # No configuration may be legal.
            if size not in best:
                continue
            known = {}
            for name in self.options.choices:
                choice = self.results.values["choice", kind, size, name][0]
                key = ("cost", kind, size, name)
                if key not in self.results.values:
                    self.stop_at_limit()
                    if choice not in known:
                        known[choice] = self.compare(kind, size, choice, best[size])
                    self.results.add(key, known[choice])
                known[choice] = self.results.values[key]

    # Output -----------------------------------------------------------------

    def print_list(self):
        for kind in self.options.types:
            for size in self.sizes:
                print(kind, *size)

    def print_tables(self):
        with open(self.path("selection.csv"), "w", encoding="utf-8") as file:
            file.write("type,M,N,K,choice,answer,chosen_us,tuned_us,cost\n")
            for (part, *key), value in self.results.values.items():
                if part != "cost":
                    continue
                kind, size, name = key
                if (kind not in self.options.types or
                        name not in self.options.choices):
                    continue
                answer = self.results.values["choice", kind, size, name][1]
                file.write("%s,%s,%s,%s,%.3f,%.3f,%.4f\n" % (
                    kind, size.replace("x", ","), name, answer, *value,
                    value[0] / value[1]))
        print("| type | choice | sizes | choice / tuned | at least 1 | worst |\n"
              "|---|---|---|---|---|---|")
        for kind in self.options.types:
            for name in self.options.choices:
                costs = []
                for size in map(format_size, self.sizes):
                    pair = self.results.values.get(("cost", kind, size, name))
                    if pair:
                        costs.append((pair[0] / pair[1], size))
                if not costs:
                    fail("no size of %s has a tuned configuration" % kind)
                # The choice may be faster than the best of the tuned ones.
                means = [math.exp(sum(math.log(max(least, cost))
                                      for cost, _ in costs) / len(costs))
                         for least in (0, 1)]
                print("| %s | %s | %d | %.3f | %.3f | %.3f (%s) |" % (
                    kind, name, len(costs), *means, *max(costs)))

    def run(self):
        self.choose_all()
        for kind in self.options.types:
            self.tune(kind)
        for kind in self.options.types:
            self.compare_all(kind)
        self.print_tables()


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0], description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--types", default="bf16,e4m3,f64",
                        type=lambda text: text.split(","))
    parser.add_argument("--choices", default="model,logic",
                        type=lambda text: text.split(","))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=2029)
    parser.add_argument("--budget", type=int, default=24)
    parser.add_argument("--limit", type=float, default=0)
    parser.add_argument("--tools", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.count < 1 or options.budget < 1 or options.limit < 0:
        parser.error("--count and --budget must be at least 1, --limit at least 0")
    for name in options.choices:
        if name not in CHOICES:
            parser.error("--choices: '%s' is none of %s" % (name, ", ".join(CHOICES)))
    os.makedirs(options.out, exist_ok=True)
    measurement = Measurement(options)
    if options.list:
        measurement.print_list()
    else:
        measurement.run()


if __name__ == "__main__":
    main()
