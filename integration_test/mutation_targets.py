"""The targets of mutations: a variant of a random kernel, and its problems, which are
drawn so that each part of a kernel affects some of them."""

import json
import math
import os
import random
import sys

import ptx_mutations
from random_problems import BYTES, SIZES, CaseDrawer
from random_running import PROCESSORS

# whole       whole tiles only, more of K than the ring of stages holds
# many        wgmma only: more tiles than a raster's group has and than can be
#             resident, so that persistent blocks have several; small K
# most        the last tile of M and N is nearly full; small K
# short       one element, or the common divisor of all sizes, less than whole tiles
# little      a small part of the first or second tile
# few         simt only: fewer tiles along k in each slice than the ring has stages
# infinite_a  as `short`, A infinite and B one: elements of A beyond K must be read
#             as zero, or infinity times B's zero makes the sum NaN
# infinite_b  the same with A and B swapped
# over        one element more than whole tiles, or one common divisor; K is one element
#             if the variant takes it, and otherwise the common divisor
# smallest    M, N and K are one element, or one common divisor
# rows        all sizes are 129 to 256 bytes of A's elements: eight lanes pack such
#             rows, in more than one step
KINDS = ("whole", "many", "most", "short", "little", "infinite_a", "infinite_b",
         "few", "over", "smallest", "rows")
# The kinds that only one schedule has.
SCHEDULES = {"many": "wgmma", "few": "simt"}

MOST_TILES = 24


class ProblemDrawer(CaseDrawer):
    """Draws a problem of a kind for a variant."""

    def __init__(self, rng, pack, kind):
        super().__init__(rng, pack)
        self.kind, self.is_wgmma = kind, pack.config["schedule"] == "wgmma"
        self.aligns = self.has_whole_k = self.has_one_k = False
        # Variants that fetch fragments from global memory need whole tiles along k.
        self.fetches = "false" in (pack.config.get("stage_a"),
                                   pack.config.get("stage_b"))
        known = next(pack.launches())[0]["sizes"]
        self.static_sizes = {letter: known[SIZES[letter]] for letter in "mn"}

    def draw_unit(self):
        return max(super().draw_unit(), self.pack.kernel.least_unit)

    def draw_limit(self):
        return 3e8 if self.is_wgmma else 3e7

    def count_tiles(self, letter):
        """The tiles of `many` along M or N: more than a group has, unless that takes
        long, and a total of five for each resident cluster, because warpgroups
        alternate in ping-pong."""
        config = self.pack.config
        clusters = [int(size) for size in config["cluster"].split("x")]
        size = clusters["mn".index(letter)]
        other = "n" if letter == "m" else "m"
        across = self.static_sizes[other]
        is_along = config["raster"] == "along_" + letter
        if not is_along and not across:
            return 2 * size  # The other one is the larger.
        across = -(-across // (config["cta_" + other] *
                               clusters["mn".index(other)])) if across else 2
        resident = max(1, PROCESSORS * max(1, config["min_ctas"]) //
                       math.prod(clusters))
        count = -(-5 * resident // across)
        group = config["raster_group"]
        if is_along and (group + 1) * math.prod(clusters) <= MOST_TILES:
            count = max(count, group + 1)
        return count * size

    def draw_size(self, letter, unit):
        rng, config = self.rng, self.pack.config
        if self.kind == "many" and letter != "k":
            return (rng.choice([1, 2]) if letter == "b" else
                    config["cta_" + letter] * self.count_tiles(letter))
        if letter == "b":
            return super().draw_size(letter, unit)
        tile = config["cta_" + letter]
        if self.kind in EDGES:
            return EDGES[self.kind](self, letter, unit)
        part = max(1, rng.choice([1, rng.randrange(1, max(1, tile // 2) + 1)]) //
                   unit) * unit
        has_whole_tiles = letter == "k" and self.has_whole_k
        if self.kind in (("most", "many") if letter == "k" else ("little",)):
            return (tile * rng.choice([1, 2]) if has_whole_tiles else
                    tile * rng.choice([0, 0, 1]) + part)
        size = tile * rng.choice([1, 2])
        if letter == "k":
            # A stage of mbarriers is reused after its second phase.
            stages = config["stages"] * (2 if self.is_wgmma else 1)
            tiles = (rng.randrange(1, stages + 1) if self.kind == "few" else
                     stages + rng.choice([1, 2]))
            size = tile * config["split_k"] * tiles
        if self.kind not in ("most", "little"):
            part = unit
        if self.kind == "whole" or has_whole_tiles or part >= size:
            return size
        return size - part

    def draw_over(self, letter, unit):
        if letter == "k":
            return self.draw_smallest(letter, unit)
        return self.pack.config["cta_" + letter] * self.rng.choice([1, 2]) + unit

    def draw_smallest(self, letter, unit):
        if letter == "k" and self.has_whole_k:
            return self.pack.config["cta_k"]
        if letter == "k" and self.has_one_k:
            return self.pack.kernel.least_unit
        return unit

    def draw_row(self, _, unit):
        elements = int(128 / next(BYTES[operand["type"]] for operand, _ in
                                  next(self.pack.launches())[1]
                                  if operand["role"] == "a"))
        return self.rng.randrange(elements, 2 * elements) // unit * unit + unit

    def draw_pads(self, case, shapes):
        if self.pack.kernel.least_unit > 1:
            return
        if not self.aligns:
            return super().draw_pads(case, shapes)
        case["offset"] = 0
        buffers = {view["buffer"] for view in self.pack.views.values()}
        for ref in shapes:
            if ref.startswith("arg") and shapes[ref]:
                # The rows of a buffer that has views are contiguous.
                case["ld_pads"][ref] = 0 if ref in buffers else -shapes[ref][-1] % 8

    def draw_for(self, variant):
        """A case that may take the variant, or None if none was found."""
        kind = self.kind
        if SCHEDULES.get(kind, self.pack.config["schedule"]) != \
                self.pack.config["schedule"]:
            return None
        for attempt in range(60):
            # Ensures that variants without packing have problems of every kind.
            self.aligns = self.is_wgmma and attempt >= 30
            self.has_whole_k = self.fetches and attempt >= 30
            self.has_one_k = attempt < 30
            case, possible = self.draw_once()
            if all(variant in names for names in possible):
                case["variant"] = variant
                case = self.add_values(case, kind in ("whole", "most"))
                if kind.startswith("infinite"):
                    self.make_infinite(case, kind[-1])
                return case
        return None

    def add_values(self, case, wants_integers):
        """Nonzero values for the factors of the product."""
        wants_integers |= self.pack.kernel.needs_integers
        case = super().add_values(case, wants_integers)
        alpha = self.pack.kernel.find("alpha")
        if alpha and case["scalars"][alpha] == 0:
            case["scalars"][alpha] = 3
        return case

    def make_infinite(self, case, which):
        for operand, ref in next(self.pack.launches())[1]:
            if operand["role"] in ("a", "b"):
                ref = self.pack.views.get(ref, {"buffer": ref})["buffer"]
                case.setdefault("fills", {})[ref] = (
                    "constant:inf" if operand["role"] == which
                    else "constant:1")
        alpha = self.pack.kernel.find("alpha")
        if alpha:
            case["scalars"][alpha] = 1


# Draws of sizes that do not depend on the other kinds' parts of tiles.
EDGES = {"over": ProblemDrawer.draw_over, "smallest": ProblemDrawer.draw_smallest,
         "rows": ProblemDrawer.draw_row}


class Target:
    """A variant of a pack, its problems, and the executed instructions."""

    def __init__(self, seed, pack, variant):
        self.pack, self.name = pack, "%s/%s" % (pack.name, variant)
        self.cases, self.uses, self.sites = [], 0, {}
        for kind in KINDS:
            if (kind.startswith("infinite") and
                    kind[-1] not in pack.kernel.infinite):
                continue
            rng = random.Random("%d/%s/%s" % (seed, self.name, kind))
            drawer = getattr(pack.kernel, "drawer", ProblemDrawer)
            case = drawer(rng, pack, kind).draw_for(variant)
            if case:
                self.cases.append({"id": "%s/%s" % (self.name, kind), **case})

    def drop_nan(self, records):
        """Drops infinite problems whose results are NaN, which reveal nothing.
        Fails if the result of an unmutated kernel is wrong."""
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

    def find_sites(self, folder, records, classes):
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
                        file.read(), self.pack.row_bytes, executed, classes)
                for site in sites:
                    self.sites.setdefault(site.name, []).append((name, site))
