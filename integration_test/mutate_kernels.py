#!/usr/bin/env python3
"""Mutations of generated kernels that the emulator must notice.

  mutate_kernels.py --out DIR --tcgemm-run PATH
      [--schedule wgmma|types|results|parts|persistent|forms|groups|numbers] [--seed 2026]
      [--mutations 200] [--kernels 48] [--variants 2] [--only NUMBER]

Compiles random kernels, runs problems of each with a forced variant (see
mutation_targets.py), and draws mutations of executed instructions, evenly over the
classes of ptx_mutations.py and over the kernels. They are drawn from --variants
variants of each kernel. Only mutants that the emulator's parser rejects are drawn
again. Each mutant runs the problems, with all checks and verification, until a problem
fails, and then those of the kernel's other variants. DIR/mutants has the mutants.

benign-mutations.json lists for each schedule, with reasons, the mutations without an
effect. An entry applies to one line of one PTX text, so that it must be reviewed
after a change of the compiler. Ends with 1 if more than 5 % of the other mutants
survive, or if more than 10 % of all mutants are benign.
"""

import argparse
import collections
import hashlib
import json
import os
import re
import shlex
import shutil
import sys
import time

import ptx_mutations
import random_cases
import random_kernels
import random_running
from mutation_targets import Target
from mutation_forms import FormBuilder, GroupsBuilder, NumbersBuilder
from mutation_types import SETS, TypeBuilder

MOST_SURVIVORS, MOST_BENIGN = 0.05, 0.10
BENIGN = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "benign-mutations.json")
# The builders of kernels that are no kernels of one schedule.
BUILDERS = {**{name: TypeBuilder for name in SETS}, "forms": FormBuilder,
            "groups": GroupsBuilder, "numbers": NumbersBuilder}
REFUSED = "the emulator does not take the PTX"
MOST_INSTRUCTIONS = 4  # Times those of the unmutated kernels.


def rank(*words):
    """A number from 0 to 2^64 that looks random and depends on the words."""
    return int(hashlib.sha256("/".join(map(str, words)).encode()
                              ).hexdigest()[:16], 16)


# Running --------------------------------------------------------------------

class Collector(random_running.Summary):
    """Stores the result of every case."""

    def __init__(self, options):
        super().__init__(options.tcgemm_run, options.out, "emulator")
        self.records = {}

    def add_record(self, case, record):
        self.records[case["id"]] = record

    def add_locked(self, case, status, what, variants):
        self.records[case["id"]] = {"status": "died", "error": what}


def run_cases(options, cases, *flags):
    collector = Collector(options)
    options.flags = list(flags)
    random_running.run_all(options, cases, collector)
    return collector.records


def find_targets(options):
    """The drawn targets, those of the kernels' other variants, and the maximum number of
    instructions of a problem."""
    build = BUILDERS.get(options.schedule, random_cases.Builder)
    packs = build(options).run()
    drawn, others = [], []
    for pack in packs:
        first = next(pack.launches())[0]
        variants = sorted((v["name"] for v in first["variants"]
                           if v["name"] != "empty_k"),
                          key=lambda name: rank(options.seed, pack.name, name))
        found = [target for target in
                 (Target(options.seed, pack, name) for name in variants)
                 if target.cases]
        drawn += found[:options.variants]
        others += found[options.variants:]
    records = run_unmutated(options, drawn, "--profile")
    for target in drawn:
        target.find_sites(options.out, records, options.classes)
    return drawn, others, count_instructions(records)


def count_instructions(records):
    """The most instructions of a launch."""
    return max((launch["instructions"] for record in records.values()
                for launch in record.get("launches", [])), default=0)


def run_unmutated(options, targets, *flags):
    """Runs the problems without a mutation, and drops those that reveal nothing."""
    records = run_cases(options, [c for t in targets for c in t.cases], *flags)
    for target in targets:
        target.drop_nan(records)
    return records


# Mutants --------------------------------------------------------------------

class Mutant:
    def __init__(self, number, target, file, site, change):
        self.number, self.target, self.file = number, target, file
        self.site, self.change = site, change
        self.name = site.name
        # Exactly this mutation of exactly this line.
        self.key = (target.pack.name, file, site.line, site.original,
                    change or "removed")
        self.how, self.cases, self.done, self.last = set(), [], 0, None

    def write(self, folder):
        self.pack = "mutants/%03d" % self.number
        source = os.path.join(folder, "packs", self.target.pack.name)
        copy = os.path.join(folder, self.pack)
        shutil.rmtree(copy, ignore_errors=True)
        os.makedirs(copy)
        for name in os.listdir(source):
            if name != self.file:
                os.symlink(os.path.join(source, name),
                           os.path.join(copy, name))
        with open(os.path.join(source, self.file)) as file:
            text = file.read()
        with open(os.path.join(copy, self.file), "w") as file:
            file.write(ptx_mutations.apply(text, self.site, self.change))

    def add_cases(self, targets):
        """Problems of targets that may launch the same kernels."""
        self.cases += [{**case, "id": "%03d:%d" % (self.number, i), "pack": self.pack}
                       for i, case in enumerate(
                           (case for target in targets for case in target.cases),
                           len(self.cases))]

    def note(self, case, record):
        self.done += 1
        self.last, self.how = case, judge(record)
        if self.how == {"error"}:
            print("%d is an error: %s" % (self.number, record.get("error")))


class Drawer:
    """Draws a mutant for a number: always the same for the same kernels, and
    mostly the same after a small change of the compiler."""

    def __init__(self, seed, targets, classes):
        self.seed, self.targets, self.known = seed, targets, set()
        self.classes = [name for name, _, _ in classes
                        if any(name in target.sites for target in targets)]

    def open_changes(self, target, name):
        """The (file, site, change)s that were not drawn yet."""
        return [(file, site, change)
                for file, site in target.sites.get(name, ())
                for change in site.changes
                if (target.pack.name, file, site.line, change)
                not in self.known]

    def draw(self, number, attempt=0):
        words = self.seed, number, attempt
        for i in range(len(self.classes)):
            name = self.classes[(number + i) % len(self.classes)]
            for target in sorted(self.targets, key=lambda t: (
                    t.uses, rank(*words, t.name))):
                changes = self.open_changes(target, name)
                if changes:
                    break
            if changes:
                break
        else:
            sys.exit("mutate_kernels.py: nothing is left to mutate")
        file, site, change = min(changes, key=lambda c: (
            rank(*words, c[1].key), rank(*words, c[1].key, c[2])))
        self.known.add((target.pack.name, file, site.line, change))
        target.uses += 1
        return Mutant(number, target, file, site, change)


def judge(record):
    """How a mutation was noticed: the kinds of findings and other words."""
    launches = record.get("launches", [])
    how = {finding["kind"] for part in launches + [record]
           for finding in part.get("findings", ())}
    if any(launch["wrong"] or launch["nan"] or launch["damage"] or
           launch["unwritten"] or launch["missed"] for launch in launches):
        how.add("verification")
    if record["status"] == "died":
        how.add("died")
    elif re.search(r"more than \d+ warp instructions|timed? ?out",
                   record.get("error", "")):
        how.add("limit")
    return how if how or record["status"] == "pass" else {"error"}


class Runner:
    """Runs the next problem of mutants, with a limit on instructions."""

    def __init__(self, options, most):
        self.options, self.most = options, most

    def run_next(self, mutants):
        """The results of the mutants' next problems."""
        cases = [mutant.cases[mutant.done] for mutant in mutants]
        records = run_cases(self.options, cases, "--max-instructions=%d" %
                            (MOST_INSTRUCTIONS * self.most))
        return [(mutant, case, records[case["id"]])
                for mutant, case in zip(mutants, cases)]

    def run_rest(self, mutants):
        """Runs problems of each mutant until one fails."""
        while True:
            left = [mutant for mutant in mutants
                    if not mutant.how and mutant.done < len(mutant.cases)]
            if not left:
                return
            print("a further problem of %d mutants" % len(left), flush=True)
            for mutant, case, record in self.run_next(left):
                mutant.note(case, record)


def run_mutants(options, drawer, others, numbers, most):
    """The mutants, with how they were noticed, and how many were refused."""
    runner = Runner(options, most)
    mutants = [drawer.draw(number) for number in range(options.mutations)]
    mutants = {number: mutants[number] for number in numbers}
    refused, attempt, drawn = 0, 0, list(numbers)
    while drawn:
        for number in drawn:
            mutants[number].write(options.out)
            mutants[number].add_cases([mutants[number].target])
        results = runner.run_next([mutants[number] for number in drawn])
        attempt, drawn = attempt + 1, []
        for mutant, case, record in results:
            if REFUSED in record.get("error", ""):
                mutants[mutant.number] = drawer.draw(mutant.number, attempt)
                drawn.append(mutant.number)
                refused += 1
            else:
                mutant.note(case, record)
    mutants = [mutants[number] for number in numbers]
    runner.run_rest(mutants)
    # The other variants may launch the same kernels in another way.
    left = [mutant for mutant in mutants if not mutant.how]
    packs = {mutant.target.pack for mutant in left}
    others = [target for target in others if target.pack in packs]
    runner.most = max(most, count_instructions(run_unmutated(options, others)))
    for mutant in left:
        mutant.add_cases([target for target in drawer.targets + others
                          if target.pack is mutant.target.pack and
                          target is not mutant.target])
    runner.run_rest(left)
    return mutants, refused


# The report -----------------------------------------------------------------

def write_report(options, mutants, benign):
    """The table and the survivors. The mutations that count as missed."""
    kinds = collections.Counter(what for m in mutants for what in m.how)
    rows = collections.OrderedDict()
    missed = []
    for mutant in mutants:
        row = rows.setdefault(mutant.name, collections.Counter())
        row["drawn"] += 1
        row.update(mutant.how)
        reason = benign.get(mutant.key)
        if mutant.how and "died" not in mutant.how:
            row["noticed"] += 1
            row["only"] += mutant.how == {"verification"}
            if reason:
                print("NOTE: called benign, but noticed: %d" % mutant.number)
            continue
        row["benign" if reason else "missed"] += 1
        if not reason:
            missed.append(mutant)
        print("%s %d: %s, %s of %s\n  %s\n%s" % (
            "BENIGN" if reason else "SURVIVOR", mutant.number, mutant.name,
            mutant.site.entry, mutant.target.pack.name,
            json.dumps(mutant.key),
            "  because " + reason if reason else "  again: " + shlex.join(
                random_running.reproduce(options.tcgemm_run, options.out,
                                         mutant.last, "emulator"))))
    columns = ["drawn", "noticed", "benign", "missed"]
    print("%-16s" % "class" + "".join("%9s" % c for c in columns) +
          "  noticed by")
    total = collections.Counter()
    for name, row in sorted(rows.items()):
        total.update({c: row[c] for c in columns + ["only"]})
        print("%-16s" % name + "".join("%9d" % row[c] for c in columns) + "  " +
              ", ".join("%s %d" % (kind, row[kind]) for kind in
                        sorted(kinds, key=lambda k: -row[k]) if row[kind]))
    print("%-16s" % "all" + "".join("%9d" % total[c] for c in columns) + "  " +
          ", ".join("%s %d" % item for item in kinds.most_common()))
    print("%d kernels; %d were noticed by verification alone" % (
        len({m.target.pack.name for m in mutants}), total["only"]))
    return missed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tcgemm-run", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--mutations", type=int, default=200)
    parser.add_argument("--kernels", type=int, default=48)
    parser.add_argument("--variants", type=int, default=2,
                        help="of a kernel that are run")
    parser.add_argument("--schedule", default="mma_sync",
                        choices=[*random_kernels.SCHEDULES, *BUILDERS],
                        help="of the kernels; types: kernels of mma_sync and wgmma\n"
                        "for other types than f16 and bf16; results: those of wgmma\n"
                        "whose results have 8 bits; forms: reductions, dual products,\n"
                        "groups, bands, symmetric results, algebras, contractions and\n"
                        "convolutions; numbers: complex numbers and quaternions of f64")
    parser.add_argument("--chip", help="default: sm_90; sm_90a for wgmma")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=60,
                        help="seconds for one problem")
    parser.add_argument("--only", type=int, help="run one mutation")
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    options.ptx, options.scale, options.device = True, 0.4, "emulator"
    options.stress = False
    options.classes = (ptx_mutations.TYPE_CLASSES if options.schedule in BUILDERS
                       else ptx_mutations.CLASSES)
    if not options.chip:
        options.chip = "sm_90" if options.schedule == "mma_sync" else "sm_90a"
    for folder in ("kernels", "packs", "mutants"):
        os.makedirs(os.path.join(options.out, folder), exist_ok=True)
    start = time.time()
    targets, others, most = find_targets(options)
    print("%d kernels, %d of %d variants, %d problems, at most %d instructions: %d s" %
          (len({t.pack.name for t in targets}), len(targets),
           len(targets + others), sum(len(t.cases) for t in targets + others), most,
           time.time() - start),
          flush=True)
    numbers = range(options.mutations)
    if options.only is not None:
        numbers = [options.only]
    drawer = Drawer(options.seed, targets, options.classes)
    mutants, refused = run_mutants(options, drawer, others, numbers, most)
    with open(BENIGN) as file:
        benign = {tuple(entry["mutation"]): entry["reason"]
                  for entry in json.load(file).get(options.schedule, [])}
    missed = write_report(options, mutants, benign)
    num_benign = sum(m.key in benign and not m.how for m in mutants)
    others = len(mutants) - num_benign
    print("%d mutations, %d benign, %d of %d noticed (%.1f %%), %d redrawn: "
          "%d s" % (len(mutants), num_benign, others - len(missed), others,
                    100 * (1 - len(missed) / max(1, others)), refused,
                    time.time() - start))
    if len(missed) > MOST_SURVIVORS * others:
        print("FAILURE: more than 5 % survive")
    if num_benign > MOST_BENIGN * len(mutants):
        print("FAILURE: more than 10 % are benign")
    died = any("died" in mutant.how for mutant in mutants)
    if died:
        print("FAILURE: tcgemm-run died")
    sys.exit(int(died or len(missed) > MOST_SURVIVORS * others or
                 num_benign > MOST_BENIGN * len(mutants)))


if __name__ == "__main__":
    main()
