"""Draws kernels for random_cases.py: a function in MLIR and a configuration.

A kernel depends on a random.Random only, so that a seed reproduces it.
"""

import collections
import math
import random

import random_gemv
import random_mma_sync
import random_simt
import random_wgmma
import random_wmma
from random_epilogues import (EXACT, INDICES, INEXACT, REDUCTIONS, STATES, Body,
                              write_reduction, write_states)

# Each module has ELEMENTS, RUNS_ON (chips), HAS_DEPENDENT_LAUNCH, PARAMETERS,
# format_config and draw_config.
SCHEDULES = {"mma_sync": random_mma_sync, "wgmma": random_wgmma,
             "wmma": random_wmma, "simt": random_simt, "gemv": random_gemv}

# The properties that determine legality: whether k is the innermost dimension of A
# and of B, whether TMA can store the outputs, whether all of them have 16 bits, the
# number of the epilogue's inputs that TMA can copy, the type of A and B.
Problem = collections.namedtuple(
    "Problem", "k_inner tma_outputs narrow_outputs stageable element")


class Kernel:
    """A function of one contraction, or two in a chain, and its text."""

    # The divisor that all sizes, pitches and offsets need; whether other contents than
    # small integers hide defects; the operands whose type has an infinity.
    least_unit, needs_integers, infinite = 1, False, "ab"

    def __init__(self, rng, elements, scale=1):
        self.rng, self.elements, self.scale = rng, elements, scale
        self.arguments = []  # (name, element, dims or None for a scalar)
        self.lines, self.results, self.outputs = [], [], []
        self.reducible = []  # (value, dims) of tensors of f32
        self.uses_index = False
        self.features = {}
        self.draw()

    # Drawn parts ----------------------------------------------------------

    def draw(self):
        rng = self.rng
        self.element = rng.choice(self.elements)
        self.out = rng.choice([self.element, self.element, "f32",
                               rng.choice(["f16", "bf16"])])
        batch = rng.choices(["none", "static", "dynamic"], [6, 1, 2])[0]
        is_chain = batch == "none" and rng.random() < 0.06
        if is_chain:
            self.out = self.element
        self.dims = "mn" if batch == "none" else "bmn"
        self.loops = "".join(rng.sample(self.dims, len(self.dims))
                             if rng.random() < 0.2 else self.dims)
        self.draw_sizes(batch, rng.choices(["dynamic", "partly", "static"],
                                           [14, 4, 2])[0])
        self.draw_operands(batch)
        parts = self.draw_parts()
        source, source_type = self.add_product(parts)
        value, dims = self.add_epilogue(source, source_type, parts)
        self.problems = [self.describe()]
        if is_chain:
            self.add_second(value, dims)
        else:
            self.add_reductions()
        self.features.update(
            element=self.element, out=self.out, batch=batch, sizes=self.mode,
            chain=is_chain, outputs=len(self.results),
            layout="".join("tn"[x.endswith("k") ^ (x is self.a)]
                           for x in (self.a, self.b)))
        # The second product of a chain reads the rounded result of the first.
        self.is_exact = not is_chain and self.is_exact

    def describe(self):
        """The problem as raised: where all outputs are transposed, M and N
        change places."""
        along_n = [dims.endswith("n") for _, dims in self.outputs]
        swaps = not any(along_n)
        k_inner = [self.a.endswith("k"), self.b.endswith("k")]
        return Problem(k_inner[::-1] if swaps else k_inner,
                       swaps or all(along_n),
                       all(element != "f32" for element, _ in self.outputs),
                       self.count_stageable("m" if swaps else "n"),
                       self.element)

    def count_stageable(self, inner):
        """Matrices of 16 bits with rows along `inner`."""
        return sum(1 for name, element, dims in self.arguments[2:]
                   if dims and element != "f32" and "m" in dims and
                   "n" in dims and dims[-1] == inner)

    def draw_sizes(self, batch, mode):
        rng = self.rng
        self.mode, self.sizes = mode, {"b": None}
        if batch == "static":
            self.sizes["b"] = rng.choice([1, 2, 3, 5])
        for letter, most in (("m", 600), ("n", 600), ("k", 1500), ("p", 300)):
            is_fixed = mode == "static" or (mode == "partly" and
                                            rng.random() < 0.5)
            most = max(16, most * self.scale)
            size = int(math.exp(rng.uniform(0, math.log(most))))
            if rng.random() < 0.5:
                size = (size + 7) // 8 * 8
            self.sizes[letter] = size if is_fixed else None

    def draw_operands(self, batch):
        rng = self.rng
        a, b = rng.choice(["mk", "km"]), rng.choice(["nk", "kn"])
        forms = ["matmul", "generic", "contract"]
        if batch == "none":
            self.form = rng.choices(forms, [6, 2, 2])[0]
        else:
            forms[0] = "batch_matmul"
            self.form = rng.choices(forms, [6, 3, 3])[0]
            a, b = "b" + a, "b" + b
            if self.form != "batch_matmul":
                shape = rng.choice(["each", "share_a", "share_b", "inside"])
                self.features["sharing"] = shape
                if shape == "share_a":
                    a = a[1:]
                elif shape == "share_b":
                    b = b[1:]
                elif shape == "inside":
                    a = a[1] + "b" + a[2]
        self.a, self.b = a, b
        self.features["form"] = self.form

    def draw_parts(self):
        rng = self.rng
        parts = []
        if rng.random() < 0.3:
            parts.append("alpha")
        if rng.random() < 0.3:
            parts.append("beta")
        rest = [name for name in EXACT if name not in ("alpha", "beta")]
        parts += rng.sample(rest, rng.choice([0, 0, 1, 1, 2, 3]))
        if rng.random() < 0.28:
            parts.append(rng.choice(list(INEXACT)))
            if rng.random() < 0.3:
                parts.append("residual")
        self.is_exact = not any(part in INEXACT for part in parts)
        self.features["parts"] = "+".join(parts) or "none"
        return parts

    # The text -------------------------------------------------------------

    def add_argument(self, name, element, dims):
        name = "%s%d" % (name, len(self.arguments))
        self.arguments.append((name, element, dims))
        return "%" + name

    def tensor(self, element, dims):
        return "tensor<%sx%s>" % ("x".join(
            "?" if self.sizes[d] is None else str(self.sizes[d])
            for d in dims), element)

    def empty(self, name, element, dims):
        sizes = ", ".join("%size_" + d for d in dims if self.sizes[d] is None)
        self.lines.append("%s = tensor.empty(%s) : %s" %
                          (name, sizes, self.tensor(element, dims)))

    def zeros(self, element, dims, suffix=""):
        self.empty("%init" + suffix, element, dims)
        kind = self.tensor(element, dims)
        self.lines.append("%%zero%s = arith.constant 0.0 : %s" %
                          (suffix, element))
        self.lines.append(
            "%%zeros%s = linalg.fill ins(%%zero%s : %s) outs(%%init%s : %s) -> "
            "%s" % (suffix, suffix, element, suffix, kind, kind))
        return "%zeros" + suffix

    def add_dim(self, letter, name, element, dims):
        """Makes %size_<letter> known, if it is dynamic."""
        if self.sizes[letter] is not None:
            return
        position = dims.index(letter)
        self.lines.append("%%at_%s = arith.constant %d : index" %
                          (letter, position))
        self.lines.append("%%size_%s = tensor.dim %s, %%at_%s : %s" %
                          (letter, name, letter, self.tensor(element, dims)))

    def widen(self, name):
        """The line that computes %<name>32 from an operand's element, if any."""
        if self.element == "f32":
            return []
        return ["  %%%s32 = arith.extf %%%s : %s to f32" %
                (name, name, self.element)]

    def add_product(self, parts):
        rng = self.rng
        a = self.add_argument("a", self.element, self.a)
        b = self.add_argument("b", self.element, self.b)
        for letter in self.dims:
            source, dims = (a, self.a) if letter in self.a else (b, self.b)
            self.add_dim(letter, source, self.element, dims)
        accumulator = "f32"
        # (Of f16 to bf16 linalg's named operations make invalid bodies.)
        if (self.form != "generic" and self.out == self.element and
                rng.random() < 0.2):
            # Rounded before the following operations: exact only if there are none.
            accumulator = self.out
            self.is_exact = self.is_exact and not parts
        if rng.random() < 0.08:
            self.features["onto"] = "tensor"
            init = self.add_argument("onto", accumulator, self.dims)
        else:
            init = self.zeros(accumulator, self.dims)
        loops = self.dims + "k"
        if self.form in ("generic", "contract") and rng.random() < 0.4:
            loops = "".join(rng.sample(loops, len(loops)))
        inputs = [(a, self.a), (b, self.b)]
        if self.form == "generic" and rng.random() < 0.3:
            inputs.reverse()
        maps = "indexing_maps = [%s]" % ", ".join(
            affine_map(loops, d) for d in (inputs[0][1], inputs[1][1],
                                           self.dims))
        kind = self.tensor(accumulator, self.dims)
        tensors = "ins(%s, %s : %s, %s) outs(%s : %s)" % (
            inputs[0][0], inputs[1][0], self.tensor(self.element, inputs[0][1]),
            self.tensor(self.element, inputs[1][1]), init, kind)
        if self.form == "generic":
            kinds = ", ".join('"reduction"' if d == "k" else '"parallel"'
                              for d in loops)
            self.lines += [
                "%%acc = linalg.generic {%s, iterator_types = [%s]}" %
                (maps, kinds), "    " + tensors + " {",
                "^bb0(%%x: %s, %%y: %s, %%s: f32):" %
                (self.element, self.element),
                *self.widen("x"), *self.widen("y"),
                "  %%xy = arith.mulf %s : f32" % (
                    "%x, %y" if self.element == "f32" else "%x32, %y32"),
                "  %sum = arith.addf %s, %xy : f32",
                "  linalg.yield %sum : f32", "} -> " + kind]
        else:
            self.lines.append("%%acc = linalg.%s %s %s -> %s" %
                              (self.form, maps, tensors, kind))
        if accumulator == "f32":
            self.reducible.append(("%acc", self.dims))
        return "%acc", accumulator

    def add_epilogue(self, source, source_type, parts):
        """One generic for all parts or one for each; the last computes D."""
        rng = self.rng
        out_dims = self.dims
        if rng.random() < 0.12:
            out_dims = out_dims.replace("mn", "nm")
            self.features["transposed"] = True
        if not parts and source_type == self.out and out_dims == self.dims:
            self.add_result(source, self.out, self.dims)
            return source, self.dims
        is_split = len(parts) > 1 and rng.random() < 0.3
        groups = [[part] for part in parts] if is_split else [parts]
        for number, group in enumerate(groups):
            is_last = number == len(groups) - 1
            body = Body(self, source, source_type)
            tap = None
            for part in group:
                if tap is None and rng.random() < 0.05:
                    tap = body.current
                (EXACT.get(part) or INEXACT[part])(body, rng)
            outs = [(body.current, self.out if is_last else "f32",
                     out_dims if is_last else self.dims)]
            if tap is not None:
                outs.append((tap, "f32", self.dims))
            names = self.add_generic(body, outs, number)
            source, source_type = names[0], outs[0][1]
            if is_last or rng.random() < 0.15:
                self.add_result(source, source_type, outs[0][2])
            if tap is not None:
                self.add_result(names[1], "f32", self.dims)
        self.features["generics"] = len(groups)
        return source, out_dims

    def add_generic(self, body, outs, number):
        yields = []
        for value, element, _ in outs:
            yields.append((value if element == "f32" else body.op(
                "arith.truncf %s : f32 to %s" % (value, element)), element))
        targets, kinds = [], []
        for i, (_, element, dims) in enumerate(outs):
            targets.append("%%empty%d_%d" % (number, i))
            self.empty(targets[-1], element, dims)
            kinds.append(self.tensor(element, dims))
        block = ["%s: %s" % (name, element)
                 for _, element, _, name in body.inputs]
        block += ["%%o%d: %s" % (i, out[1]) for i, out in enumerate(outs)]
        maps = [affine_map(self.loops, i[2]) for i in body.inputs]
        maps += [affine_map(self.loops, o[2]) for o in outs]
        many = ":%d" % len(outs) if len(outs) > 1 else ""
        result = "%%d%d" % number
        self.lines += [
            "%s%s = linalg.generic {indexing_maps = [%s]," %
            (result, many, ", ".join(maps)),
            "    iterator_types = [%s]}" %
            ", ".join(['"parallel"'] * len(self.loops)),
            "    ins(%s : %s) outs(%s : %s) {" % (
                ", ".join(i[0] for i in body.inputs),
                ", ".join(self.tensor(i[1], i[2]) for i in body.inputs),
                ", ".join(targets), ", ".join(kinds)),
            "^bb0(%s):" % ", ".join(block)]
        self.lines += ["  " + line for line in body.lines]
        self.lines += ["  linalg.yield %s : %s" % (
            ", ".join(y[0] for y in yields), ", ".join(y[1] for y in yields)),
            "} -> " + (kinds[0] if len(outs) == 1 else
                       "(%s)" % ", ".join(kinds))]
        names = [result] if len(outs) == 1 else [
            "%s#%d" % (result, i) for i in range(len(outs))]
        self.reducible += [(value, dims) for value, (_, element, dims)
                           in zip(names, outs) if element == "f32"]
        return names

    def add_result(self, value, element, dims):
        self.results.append((value, self.tensor(element, dims)))
        self.outputs.append((element, dims))

    def add_reductions(self):
        """Up to two reductions of tensors of f32. The text so far is the seed, so
        that kernels without reductions remain what they were."""
        rng = random.Random("\n".join(self.lines))
        if not self.reducible or rng.random() < 0.75:
            return
        kinds = []
        for number in range(rng.choice([1, 1, 2])):
            value, dims = rng.choice(self.reducible)
            kind = rng.choice(list(REDUCTIONS) + list(STATES))
            kept = rng.choice(["", "m", "n"])
            if "b" in dims and rng.random() < 0.6:
                kept = rng.choice(["b" + kept, kept + "b"])
            if kind in INDICES:  # along one dimension
                kept = rng.choice(["m", "n"])
                if "b" in dims:
                    kept = rng.choice(["b" + kept, kept + "b"])
            kinds.append(kind + ":" + kept)
            element = "tensor<f32>" if not kept else self.tensor("f32", kept)
            sizes = ", ".join("%size_" + d for d in kept
                              if self.sizes[d] is None)
            loops = "".join(rng.sample(dims, len(dims)))
            maps = [affine_map(loops, dims), affine_map(loops, kept)]
            types = ["parallel" if d in kept else "reduction" for d in loops]
            name = "%%r%d" % number
            if kind in STATES:
                lines, name, element = write_states(
                    name, kind, value, self.tensor("f32", dims),
                    lambda t: "tensor<%s>" % t if not kept else self.tensor(
                        t, kept), maps, types, sizes)
                self.lines += lines
            else:
                self.lines += write_reduction(
                    name, kind, value, self.tensor("f32", dims), element, maps,
                    types, sizes)
            self.results.append((name, element))
        self.features["reductions"] = "+".join(kinds)

    def add_second(self, value, dims):
        """A product of D and a further operand; D may remain a result."""
        rng = self.rng
        if rng.random() < 0.6:
            self.results = [r for r in self.results if r[0] != value]
        weights = rng.choice(["np", "pn"])
        other = self.add_argument("w", self.element, weights)
        self.add_dim("p", other, self.element, weights)
        init = self.zeros("f32", "mp", "2")
        self.lines.append(
            "%%second = linalg.matmul indexing_maps = [%s] ins(%s, %s : %s, %s)"
            " outs(%s : %s) -> %s" % (
                ", ".join(affine_map("mpn", d) for d in (dims, weights, "mp")),
                value, other, self.tensor(self.element, dims),
                self.tensor(self.element, weights), init,
                self.tensor("f32", "mp"), self.tensor("f32", "mp")))
        self.results.append(("%second", self.tensor("f32", "mp")))
        self.problems.append(Problem(
            [dims.endswith("n"), weights.endswith("n")], True, False, 0,
            self.element))

    def text(self):
        arguments = ", ".join(
            "%%%s: %s" % (name, element if dims is None else
                          self.tensor(element, dims))
            for name, element, dims in self.arguments)
        kinds = ", ".join(kind for _, kind in self.results)
        lines = ["func.func @main(%s) -> (%s) {" % (arguments, kinds)]
        lines += ["  " + line for line in self.lines]
        lines.append("  return %s : %s" %
                     (", ".join(value for value, _ in self.results), kinds))
        return "\n".join(lines + ["}", ""])

    def plan_flags(self):
        """Shapes that --plan accepts for the function."""
        return ["--shape=arg%d=%s" % (i, "x".join(
            str(64 if self.sizes[d] is None else self.sizes[d]) for d in dims))
                for i, (_, _, dims) in enumerate(self.arguments) if dims]

    def find(self, name):
        """`arg<i>` of the argument that a part has added, or None."""
        for i, argument in enumerate(self.arguments):
            if argument[0].rstrip("0123456789") == name:
                return "arg%d" % i
        return None


def affine_map(loops, dims):
    return "affine_map<(%s) -> (%s)>" % (", ".join(loops), ", ".join(dims))


def draw_kernel(rng, schedule, target, options):
    """A kernel, and a configuration that has the target's value."""
    stress = {"stress": True} if options.stress else {}
    for _ in range(1000):
        kernel = Kernel(rng, SCHEDULES[schedule].ELEMENTS, options.scale)
        config = SCHEDULES[schedule].draw_config(
            rng, options.chip, kernel.problems, target, **stress)
        if config:
            return kernel, config
    raise RuntimeError("no legal configuration has %s = %s" % target)
