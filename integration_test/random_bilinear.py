"""Runs random products by structure constants, and of complex numbers, and compares
D with its definition, by equality: the elements are small integers.

  random_bilinear.py --tcgemm-run PATH [--cases N] [--seed N] [--only N] [--device cuda]
"""

import itertools
import math
import os
import sys

from npy_files import write_npy
from random_exact import check_result, run_cases

# Element type, type of D, precision.
TYPES = [("f16", "f32", None), ("bf16", "f32", None), ("f32", "f32", None),
         ("f32", "f32", "tf32"), ("f32", "f32", "tf32x3"), ("f64", "f64", None)]
# Terms (q, r, p, sign): component q times component r gives component p.
ALGEBRAS = {
    "complex": (2, [(0, 0, 0, 1), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, -1)]),
    "split": (2, [(0, 0, 0, 1), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1)]),
    "dual": (2, [(0, 0, 0, 1), (0, 1, 1, 1), (1, 0, 1, 1)]),
    "quaternion": (4, [(0, 0, 0, 1), (0, 1, 1, 1), (0, 2, 2, 1), (0, 3, 3, 1),
                       (1, 0, 1, 1), (1, 1, 0, -1), (1, 2, 3, 1), (1, 3, 2, -1),
                       (2, 0, 2, 1), (2, 1, 3, -1), (2, 2, 0, -1), (2, 3, 1, 1),
                       (3, 0, 3, 1), (3, 1, 2, 1), (3, 2, 1, -1), (3, 3, 0, -1)]),
}
LOOPS = "mnpkqr"
# States whether the product of complex tensors has the conjugate of A or of B.
CONJUGATES = list(itertools.product([False, True], repeat=2))


class Case:
    """A product with random layouts, sizes, types and constants."""

    def __init__(self, rng, number):
        name = rng.choice(list(ALGEBRAS) + ["dual", "random"])
        self.extents = {l: rng.choice([1, 2, 5, 8, 16, 24, 33]) for l in "mnk"}
        if name == "random":
            self.extents.update({l: rng.choice([2, 3]) for l in "pqr"})
        else:
            self.extents.update({l: ALGEBRAS[name][0] for l in "pqr"})
        sizes = [self.extents[l] for l in "qrp"]
        self.constants = {
            at: rng.randint(-2, 2) if name == "random" else 0
            for at in itertools.product(*map(range, sizes))}
        for q, r, p, sign in ALGEBRAS.get(name, (0, []))[1]:
            self.constants[q, r, p] = sign
        self.operands = ["mkq", "knr", "mnp"]
        if rng.random() < 0.6:
            self.operands = ["".join(rng.sample(x, 3)) for x in self.operands]
        self.element, self.out, self.precision = rng.choice(TYPES)
        self.chip = rng.choice(["sm_80", "sm_90a"])
        self.is_static = rng.random() < 0.5
        self.is_filled = rng.random() < 0.6
        # Large sizes let the compiler separate interleaved components. They also let
        # it transpose the result, where kernels take no initial value but a fill.
        self.has_hint = (self.is_filled and not self.is_static
                         and rng.random() < 0.9)

    def shape(self, operand):
        return tuple(self.extents[l] for l in self.operands[operand])

    def tensor(self, operand):
        sizes = ["?" if l in "mnk" and not self.is_static
                 else str(self.extents[l]) for l in self.operands[operand]]
        return "tensor<%sx%s>" % ("x".join(sizes),
                                  self.out if operand == 2 else self.element)

    def write(self):
        """The product as MLIR, added to C."""
        a, b, d = (self.tensor(x) for x in range(3))
        extents = [self.extents[l] for l in "qrp"]
        t = "tensor<%sx%s>" % ("x".join(map(str, extents)), self.element)

        def dense(at):
            if len(at) == 3:
                return "%d.0" % self.constants[at]
            return "[%s]" % ", ".join(dense(at + (i,)) for i in range(extents[len(at)]))

        maps = ", ".join("affine_map<(%s) -> (%s)>" % (", ".join(LOOPS), ", ".join(x))
                         for x in (self.operands[0], self.operands[1], "qrp",
                                   self.operands[2]))
        body, names = "", []
        for name in "xyt":
            names.append("%" + name)
            if self.element != self.out:
                names[-1] += "w"
                body += "  %%%sw = arith.extf %%%s : %s to %s\n" % (
                    name, name, self.element, self.out)
        attributes = []
        if self.precision:
            attributes.append('tcgemm.precision = "%s"' % self.precision)
        if self.has_hint:
            attributes.append("tcgemm.size_hint = array<i64: %s>" % ", ".join(
                str(self.extents[l] if l in "pqr" else 8192) for l in LOOPS))
        attribute = " {%s}" % ", ".join(attributes)
        fill, init = "", "%C"
        if self.is_filled:
            init = "%init"
            fill = (f"%one = arith.constant 1.0 : {self.out}\n{init} = linalg.fill "
                    f"ins(%one : {self.out}) outs(%C : {d}) -> {d}\n")
        return f"""func.func @main(%A: {a}, %B: {b}, %C: {d}) -> {d} {{
%T = arith.constant dense<{dense(())}> : {t}
{fill}%D = linalg.generic {{indexing_maps = [{maps}], iterator_types = [
  "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}}
  ins(%A, %B, %T : {a}, {b}, {t}) outs({init} : {d}) attrs ={attribute} {{
^bb0(%x: {self.element}, %y: {self.element}, %t: {self.element}, %s: {self.out}):
{body}  %0 = arith.mulf {names[0]}, {names[1]} : {self.out}
  %1 = arith.mulf %0, {names[2]} : {self.out}
  %2 = arith.addf %s, %1 : {self.out}
  linalg.yield %2 : {self.out}
}} -> {d}
return %D : {d}
}}
"""

    def evaluate(self, a, b, c):
        """D, as the constants say."""
        def index(operand, at):
            place = 0
            for letter in self.operands[operand]:
                place = place * self.extents[letter] + at[letter]
            return place

        d = [1] * len(c) if self.is_filled else list(c)
        terms = [item for item in self.constants.items() if item[1]]
        for m, n, k in itertools.product(*(range(self.extents[l]) for l in "mnk")):
            for (q, r, p), factor in terms:
                at = dict(m=m, n=n, k=k, q=q, r=r, p=p)
                d[index(2, at)] += factor * a[index(0, at)] * b[index(1, at)]
        return d


class ComplexCase(Case):
    """A product of tensors of complex elements."""

    def __init__(self, rng, number):
        super().__init__(rng, number)
        self.extents.update({l: 2 for l in "pqr"})
        self.operands = [rng.choice(x) for x in
                         (["mkq", "kmq"], ["knr", "nkr"], ["mnp", "nmp"])]
        self.conjugates = rng.choice(CONJUGATES)
        self.is_named = (self.element == self.out and not any(self.conjugates)
                         and rng.random() < 0.5)
        self.is_subtracted = not self.is_named and rng.random() < 0.3
        self.adds_later = rng.random() < 0.4
        self.is_filled = False
        self.constants = {}
        for q, r, p, sign in ALGEBRAS["complex"][1]:
            sign = -sign if self.is_subtracted else sign
            for component, is_conjugate in zip((q, r), self.conjugates):
                sign = -sign if component and is_conjugate else sign
            self.constants[q, r, p] = sign

    def complex_tensor(self, operand):
        sizes, element = self.tensor(operand)[len("tensor<"):-1].rsplit("x", 1)
        return "tensor<%sxcomplex<%s>>" % (sizes[:-len("x2")], element)

    def widen(self, name):
        """An operand of the body as a complex number of the sums' type."""
        conjugate = self.conjugates["ab".index(name)]
        kind = "complex<%s>" % self.element
        text, value = "", "%" + name
        if conjugate:
            text, value = f"  %{name}j = complex.conj %{name} : {kind}\n", f"%{name}j"
        if self.element == self.out:
            return text, value
        for part in ("re", "im"):
            text += (f"  %{name}{part} = complex.{part} {value} : {kind}\n"
                     f"  %{name}{part}w = arith.extf %{name}{part} : "
                     f"{self.element} to {self.out}\n")
        text += (f"  %{name}w = complex.create %{name}rew, %{name}imw : "
                 f"complex<{self.out}>\n")
        return text, f"%{name}w"

    def write_product(self, init):
        a, b, d = (self.complex_tensor(x) for x in range(3))
        maps = ", ".join("affine_map<(m, n, k) -> (%s)>" % ", ".join(x[:2])
                         for x in self.operands)
        attribute = ""
        if self.precision:
            attribute = 'tcgemm.precision = "%s"' % self.precision
        operands = f"ins(%A, %B : {a}, {b}) outs({init} : {d})"
        if self.is_named:
            return (f"%P = linalg.contract indexing_maps = [{maps}] {{{attribute}}} "
                    f"{operands} -> {d}\n")
        (left, x), (right, y) = self.widen("a"), self.widen("b")
        kind, word = "complex<%s>" % self.out, "sub" if self.is_subtracted else "add"
        return f"""%P = linalg.generic {{indexing_maps = [{maps}], iterator_types = [
  "parallel", "parallel", "reduction"]}} {operands} attrs = {{{attribute}}} {{
^bb0(%a: complex<{self.element}>, %b: complex<{self.element}>, %s: {kind}):
{left}{right}  %0 = complex.mul {x}, {y} : {kind}
  %1 = complex.{word} %s, %0 : {kind}
  linalg.yield %1 : {kind}
}} -> {d}
"""

    def write(self):
        a, b, d = (self.complex_tensor(x) for x in range(3))
        head = f"func.func @main(%A: {a}, %B: {b}, %C: {d}) -> {d} {{\n"
        if not self.adds_later:
            return head + self.write_product("%C") + f"return %P : {d}\n}}\n"
        kind = "complex<%s>" % self.out
        sizes = "".join(
            f"%i{i} = arith.constant {i} : index\n%d{i} = tensor.dim %C, %i{i} : {d}\n"
            for i in range(2))
        identity = "affine_map<(i, j) -> (i, j)>"
        return f"""{head}{sizes}%zero = complex.constant [0.0 : {self.out}, 0.0 : {self.out}] : {kind}
%empty = tensor.empty({"" if self.is_static else "%d0, %d1"}) : {d}
%zeros = linalg.fill ins(%zero : {kind}) outs(%empty : {d}) -> {d}
{self.write_product("%zeros")}%D = linalg.generic {{indexing_maps = [{identity}, {identity}, {identity}],
  iterator_types = ["parallel", "parallel"]}} ins(%P, %C : {d}, {d}) outs(%empty : {d}) {{
^bb0(%x: {kind}, %y: {kind}, %o: {kind}):
  %0 = complex.add %x, %y : {kind}
  linalg.yield %0 : {kind}
}} -> {d}
return %D : {d}
}}
"""


class SeparatedCase(Case):
    """A large product by the hint of dual numbers, whose interleaved components are
    separated by copies."""

    def __init__(self, rng, number):
        super().__init__(rng, number)
        self.extents.update({l: 2 for l in "pqr"})
        self.constants = dict.fromkeys(itertools.product(range(2), repeat=3), 0)
        for q, r, p, sign in ALGEBRAS["dual"][1]:
            self.constants[q, r, p] = sign
        self.operands = rng.choice([("mkq", "knr", "mnp"), ("mkq", "nkr", "mnp"),
                                    ("mkq", "nrk", "mpn"), ("kmq", "knr", "mnp"),
                                    ("mqk", "nkr", "nmp"), ("kqm", "rkn", "mnp")])
        self.is_static, self.has_hint, self.is_filled = False, True, True


def make_case(rng, number, options):
    kinds = [ComplexCase, Case, SeparatedCase]
    return rng.choices(kinds, weights=[3, 4, 3])[0](rng, number)


def check(options, folder, case, rng):
    """Returns a description of the failure; empty if there is none."""
    path = os.path.join(folder, "product.mlir")
    with open(path, "w") as file:
        file.write(case.write())
    values = [[rng.randint(-3, 3) for _ in range(math.prod(case.shape(x)))]
              for x in range(3)]
    command = [options.tcgemm_run, path, "--device=" + options.device,
               "--records=none"]
    if options.device == "emulator": # A GPU decides the chip itself.
        command.append("--chip=" + case.chip)
    for x in range(3):
        npy = os.path.join(folder, "%d.npy" % x)
        write_npy(npy, case.out if x == 2 else case.element, case.shape(x), values[x])
        command += ["--fill=arg%d=%s" % (x, npy)]
    result = os.path.join(folder, "d.npy")
    command += ["--output=arg3=" + result]
    if not case.is_static:
        command += ["--shape=arg%d=%s" % (x, "x".join(map(str, case.shape(min(x, 2)))))
                    for x in range(4)]
    def refuse(output):
        # One kernel may read numbers of f64 as blocks.
        least = 1 if case.element == "f64" else 2
        return ("" if output.count("elements") >= least
                else "not %d kernels\n%s" % (least, output))

    return check_result(command, result, case.out, case.evaluate(*values), refuse)


if __name__ == "__main__":
    sys.exit(run_cases(
        __doc__, make_case, check,
        lambda parser: parser.add_argument("--device", default="emulator")))
