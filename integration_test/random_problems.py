"""Draws problems for compiled kernels, from the manifest, and predicts the
variants that they take."""

import math
import re

SIZES = {"b": "batch", "m": "M", "n": "N", "k": "K"}
BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i4": 0.5, "ui4": 0.5, "s4i": 0.5, "u4i": 0.5,
         "i8": 1, "ui8": 1, "f8E4M3FN": 1, "f8E5M2": 1, "i32": 4, "tf32": 4,
         "tf32x3": 4, "bf16x3": 4, "bf16x6": 4, "f16acc16": 2, "f64": 8, "i64": 8}
# The elements along a dimension that share a scale.
SCALE_BLOCKS = {"scale_a": {"k": 128}, "scale_b": {"n": 128, "k": 128}}

# Expressions of the manifest ----------------------------------------------

COMPILED = {}


def evaluate(text, symbols):
    if text not in COMPILED:
        code = text.replace("&&", " and ").replace("||", " or ")
        code = re.sub(r"!(?!=)", " not ", code).replace("/", "//")
        code = re.sub(r"([A-Za-z_]\w*)\.(\w+)", r"\1_\2", code)
        COMPILED[text] = compile(code.strip(), text, "eval")
    functions = {"ceildiv": lambda a, b: -(-a // b), "min": min, "max": max,
                 "select": lambda c, a, b: a if c else b, "sm_count": 132}
    return eval(COMPILED[text], {"__builtins__": {}, **functions}, symbols)


# Problems ------------------------------------------------------------------

def is_prime(n):
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


class CaseDrawer:
    """Draws one problem for a pack."""

    def __init__(self, rng, pack):
        self.rng, self.pack = rng, pack
        self.is_wmma = pack.config["schedule"] == "wmma"

    def draw_size(self, letter, unit):
        rng = self.rng
        if letter == "b":
            return rng.choice([1, 2, 2, 3, 4, 5, 7])
        most = int((20000 if letter == "k" else 2100) * self.pack.scale)
        kind = rng.random()
        if kind < 0.04:
            return 0 if letter == "k" else 1
        size = int(math.exp(rng.uniform(0, math.log(most + 1))))
        if rng.random() < 0.4:
            size = rng.randrange(1, most + 1)
        if kind < 0.3:
            tile = self.pack.config["cta_" + letter]
            size = tile * rng.choice([1, 1, 2, 3, 5]) + rng.choice([-1, 0, 1])
        elif kind < 0.4:
            while not is_prime(size) and size > 1:
                size -= 1
        return max(1, min((size + unit - 1) // unit * unit, most // 8 * 8))

    def draw_limit(self):
        """The most multiplications."""
        rng = self.rng
        limit = 3e9 if rng.random() < 0.04 else 10 ** rng.uniform(5, 9.2)
        return limit * self.pack.scale ** 3

    def split(self, size, factors, shapes):
        """Sets the unknown sizes whose product is `size`; the last one gets what
        the others leave."""
        rng = self.rng
        unknown = []
        for factor in factors:
            match = re.fullmatch(r"(\w+)\.dim(\d+)", factor)
            if not match:
                size //= int(factor)
            elif shapes[match[1]][int(match[2])] is not None:
                size //= shapes[match[1]][int(match[2])] or 1
            else:
                unknown.append((match[1], int(match[2])))
        # Other operands with the same size are divided in the same way.
        parts = self.parts.setdefault((size, len(unknown)), [])
        for i, (ref, dim) in enumerate(unknown):
            if i == len(parts):
                divisors = [d for d in range(1, 9) if size % d == 0]
                parts.append(size if i == len(unknown) - 1
                             else rng.choice(divisors))
            shapes[ref][dim] = parts[i]
            size //= parts[i] or 1

    def describe_view(self, ref, shapes):
        """The sizes of a view, as far as its buffer's are known."""
        symbols = {"%s_dim%d" % (name, i): size
                   for name, shape in shapes.items()
                   for i, size in enumerate(shape) if size is not None}
        sizes = []
        for text in self.pack.views[ref]["sizes"]:
            try:
                sizes.append(evaluate(text, symbols))
            except NameError:
                sizes.append(None)
        return sizes

    def get_multiple(self, letter, operands):
        """The known factor of a size that views divide."""
        multiple = 1
        for operand, ref in operands:
            for d, factors in zip(operand["dims"], self.pack.factors(ref)):
                if d == letter:
                    multiple = math.lcm(multiple, math.prod(
                        int(factor) for factor in factors if factor.isdigit()))
        return multiple

    def assign(self, operand, ref, sizes, shapes):
        """Sets the shape of an operand, and of the buffer that it is a view of."""
        blocks = ({"k": operand["group"]} if "group" in operand else
                  SCALE_BLOCKS.get(operand["role"], {}))
        if "representation" in operand:  # A row in memory for each row of blocks.
            blocks = {operand["dims"][-2]: len(operand["representation"])}
        extents = [-(-sizes[d] // blocks.get(d, 1)) for d in operand["dims"]]
        for size, factors in zip(extents, self.pack.factors(ref)):
            self.split(size, factors, shapes)
        shapes[ref] = extents

    def draw_shapes(self, unit):
        """Shapes of all buffers, and the sizes of each launch."""
        rng = self.rng
        limit = self.draw_limit()
        self.parts = {}
        shapes = {"arg%d" % i: list(argument["shape"])
                  for i, argument in enumerate(self.pack.function["arguments"])
                  if argument["access"] != "scalar"}
        all_sizes = []
        for kernel, operands in self.pack.launches():
            sizes = {d: kernel["sizes"][name] for d, name in SIZES.items()}
            for operand, ref in operands:
                known = shapes.get(ref) or (
                    self.describe_view(ref, shapes) if ref in self.pack.views
                    else [None] * len(operand["dims"]))
                for d, size in zip(operand["dims"], known):
                    sizes[d] = size if sizes[d] is None else sizes[d]
            free = [d for d in SIZES if sizes[d] is None]
            for d in free:
                sizes[d] = self.draw_size(d, unit)
            while math.prod(sizes.values()) > limit:
                shrinkable = [d for d in free if sizes[d] > 8]
                if not shrinkable:
                    break
                d = rng.choice(shrinkable)
                sizes[d] = max(1, sizes[d] // 2 // unit * unit)
            for d in free:
                multiple = self.get_multiple(d, operands)
                sizes[d] = -(-sizes[d] // multiple) * multiple
            for operand, ref in operands:
                if operand["role"] != "scalar":
                    self.assign(operand, ref, sizes, shapes)
            all_sizes.append((free, sizes))
        return shapes, all_sizes

    def lay_out(self, case, ref, shapes):
        """The offset and the strides of a buffer or view."""
        if ref in self.pack.views:
            view = self.pack.views[ref]
            symbols = {"%s_dim%d" % (name, i): size
                       for name, shape in shapes.items()
                       for i, size in enumerate(shape)}
            offset, _ = self.lay_out(case, view["buffer"], shapes)
            return (offset + evaluate(view["offset"], symbols),
                    [evaluate(text, symbols) for text in view["strides"]])
        pad = case["ld_pads"].get(ref, case["ld_pad"])
        strides = [1]
        for i, size in enumerate(reversed(shapes[ref][1:])):
            strides.insert(0, strides[0] * size + (0 if i else pad))
        return case["offsets"].get(ref, case["offset"]), strides

    def find_variants(self, case, shapes, all_sizes):
        """For each launch, the variants whose guards hold."""
        result = []
        for (kernel, operands), (_, sizes) in zip(self.pack.launches(),
                                                  all_sizes):
            symbols = {name: sizes[d] for d, name in SIZES.items()}
            for operand, ref in operands:
                if operand["role"] == "scalar":
                    continue
                offset, strides = self.lay_out(case, ref, shapes)
                symbols[operand["name"] + "_base"] = (
                    2 ** 20 + int(offset * BYTES[operand["type"]]))
                for i, stride in enumerate(strides):
                    symbols["%s_stride%d" % (operand["name"], i)] = stride
            result.append([v["name"] for v in kernel["variants"]
                           if evaluate(v["guard"], symbols)])
        return result

    def draw_pads(self, case, shapes):
        """Pitches and offsets of some buffers that differ from the others'."""
        rng = self.rng
        for ref in shapes:
            if ref.startswith("arg") and rng.random() < 0.1:
                case["ld_pads"][ref] = rng.choice([0, 1, 2, 3, 4, 5, 8, 16])
            if ref.startswith("arg") and rng.random() < 0.1:
                case["offsets"][ref] = rng.randrange(9)
        # The rows of a buffer that has views are contiguous.
        for view in self.pack.views.values():
            if case["ld_pads"].get(view["buffer"], case["ld_pad"]):
                case["ld_pads"][view["buffer"]] = 0

    def draw_unit(self):
        """The common divisor of sizes, pitches and offsets."""
        # Fragments from global memory need rows of a multiple of 32 bytes.
        return self.rng.choice([16, 16, 16, 48, 8, 4, 1] if self.is_wmma else
                               [8, 8, 4, 2, 1, 1, 1])

    def draw_once(self):
        rng, pack = self.rng, self.pack
        unit = self.draw_unit()
        shapes, all_sizes = self.draw_shapes(unit)
        case = {"pack": "packs/" + pack.name, "fill": "normal", "fills": {},
                "scalars": {}, "ld_pads": {}, "offsets": {},
                "ld_pad": unit * rng.choice([0, 0, 0, 1, 2, 3]),
                "offset": unit * rng.choice([0, 0, 0, 1]),
                "seed": rng.randrange(1, 1 << 31)}
        self.draw_pads(case, shapes)
        if len(all_sizes) == 1 and not pack.views:
            free, sizes = all_sizes[0]
            case["sizes"] = {SIZES[d]: sizes[d] for d in free}
        else:
            case["shapes"] = {ref: shape for ref, shape in shapes.items()
                              if ref.startswith("arg")}
        return case, self.find_variants(case, shapes, all_sizes)

    def draw(self, wants_integers):
        """The case and its variants."""
        rng = self.rng
        first = next(self.pack.launches())[0]
        target = rng.choice([v["name"] for v in first["variants"]
                             if v["name"] != "empty_k" or rng.random() < 0.2])
        for _ in range(40 if self.is_wmma else 10):
            case, possible = self.draw_once()
            if possible[0][0] == target:
                break
        chosen = [names[0] for names in possible]
        forced = sorted(set(possible[0]).intersection(*possible))
        if rng.random() < 0.15 and forced:
            case["variant"] = rng.choice(forced)
            chosen = [case["variant"]] * len(chosen)
        return self.add_values(case, wants_integers), chosen

    def add_values(self, case, wants_integers):
        """The case with scalars and the contents of its inputs."""
        rng, kernel = self.rng, self.pack.kernel
        alpha, beta = kernel.find("alpha"), kernel.find("beta")
        if alpha:
            case["scalars"][alpha] = rng.choice([1, 2, -1, 0.5, -0.25, 0, 3])
        if beta:
            case["scalars"][beta] = rng.choice([0, 0, 1, -1, 0.5, 2])
            if case["scalars"][beta] == 0 and rng.random() < 0.6:
                case["fills"][kernel.find("c")] = "constant:nan"
        case["fill"] = rng.choice(["normal", "normal", "uniform"])
        if wants_integers and kernel.is_exact:
            case["fill"] = "int"
        return {key: value for key, value in case.items() if value != {}}
