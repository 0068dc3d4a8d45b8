"""What is mutated: a variant of a random kernel, and the problems that it is run
on, which are drawn so that all of a kernel matters to some of them."""

import json
import os
import random
import sys

import ptx_mutations
from random_problems import CaseDrawer

# whole       whole tiles only, more of K than the ring of stages holds
# most        the last tile of M and N is nearly full; little of K
# short       one element, or as many as divide all sizes, less than whole tiles
# little      a little of a tile more than none or one
# infinite_a  as `short`, A infinite and B one: what is read of A beyond K must
#             be zero, or infinity times B's zero makes the sum NaN
# infinite_b  the other way round
KINDS = ("whole", "most", "short", "little", "infinite_a", "infinite_b")


class ProblemDrawer(CaseDrawer):
    """Draws a problem of a kind for a variant."""

    kind = "whole"

    def draw_limit(self):
        return 3e7

    def draw_size(self, letter, unit):
        if letter == "b":
            return super().draw_size(letter, unit)
        rng, config = self.rng, self.pack.config
        tile = config["cta_" + letter]
        part = max(1, rng.choice([1, rng.randrange(1, tile // 2 + 1)]) //
                   unit) * unit
        if self.kind == ("most" if letter == "k" else "little"):
            return tile * rng.choice([0, 0, 1]) + part
        size = tile * rng.choice([1, 2])
        if letter == "k":
            size = tile * config["split_k"] * (config["stages"] +
                                               rng.choice([1, 2]))
        if self.kind not in ("most", "little"):
            part = unit
        return size - part * (self.kind != "whole" and part < size)

    def draw_for(self, variant, kind):
        """A case that may take the variant, or None if none was found."""
        self.kind = kind
        for _ in range(60):
            case, possible = self.draw_once()
            if all(variant in names for names in possible):
                case["variant"] = variant
                case = self.add_values(case, kind in ("whole", "most"))
                if kind.startswith("infinite"):
                    self.make_infinite(case, kind[-1])
                return case
        return None

    def make_infinite(self, case, which):
        for operand, ref in next(self.pack.launches())[1]:
            if operand["role"] in ("a", "b"):
                case.setdefault("fills", {})[ref] = (
                    "constant:inf" if operand["role"] == which
                    else "constant:1")
        alpha = self.pack.kernel.find("alpha")
        if alpha:
            case["scalars"][alpha] = 1


class Target:
    """A variant of a pack, its problems, and what they execute."""

    def __init__(self, seed, pack, variant):
        self.pack, self.name = pack, "%s/%s" % (pack.name, variant)
        self.cases, self.uses, self.sites = [], 0, {}
        for kind in KINDS:
            rng = random.Random("%d/%s/%s" % (seed, self.name, kind))
            case = ProblemDrawer(rng, pack).draw_for(variant, kind)
            if case:
                self.cases.append({"id": "%s/%s" % (self.name, kind), **case})

    def drop_nan(self, records):
        """Drops infinite problems whose results are NaN: nothing can be told
        from those. Fails otherwise if a kernel is not right unmutated."""
        kept = []
        for case in self.cases:
            record = records[case["id"]]
            findings = [finding for part in record.get("launches", []) + [record]
                        for finding in part.get("findings", ())]
            if record["status"] == "pass":
                kept.append(case)
            elif ("/infinite" not in case["id"] or findings or
                  record["status"] != "fail"):
                sys.exit("mutate_kernels.py: %s fails unmutated: %s" %
                         (case["id"], json.dumps(record)[:2000]))
        self.cases = kept

    def find_sites(self, folder, records):
        """Reads which lines the unmutated kernels execute. Of each class the
        sites, with the file that they are in."""
        executed = {(profile["kernel"], site["line"])
                    for case in self.cases
                    for launch in records[case["id"]]["launches"]
                    for profile in launch["profiles"]
                    for site in profile["sites"] if site["executed"]}
        folder = os.path.join(folder, "packs", self.pack.name)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".ptx"):
                with open(os.path.join(folder, name)) as file:
                    sites = ptx_mutations.find_sites(
                        file.read(), 2 * self.pack.config["cta_k"], executed)
                for site in sites:
                    self.sites.setdefault(site.name, []).append((name, site))
