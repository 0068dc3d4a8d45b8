"""Computes ONNX's QLinearMatMul with NumPy as its specification says, and compares
the result of a tcgemm kernel with it.

  qlinear_matmul.py --out DIR [--cases N] [--seed S] [--tcgemm-run PATH]
      [--device emulator] [--chip sm_90a] [--config TEXT] [--check-module PATH]

The specification (operator QLinearMatMul, version 21): the product of the integers
without their zero points, x = (A - a_zero_point) (B - b_zero_point) a_scale b_scale,
becomes y = saturate(round(x / y_scale) + y_zero_point), where round takes the nearest
integer and the even one of two. The zero points have the types of their tensors.

The kernel multiplies A and B. Its epilogue adds the terms of the zero points, which
are a vector along the rows and one along the columns, multiplies by a_scale b_scale /
y_scale, rounds, adds y_zero_point and saturates: in f32, or from the rounding on in
i32. Scales are powers of two for half of the cases: then no multiplication rounds,
and many sums are halfway between two integers. A failing case prints the command that
runs its kernel; its operands stay in DIR.

With --check-module, tcgemm-check-module runs whole modules: linalg.quantized_matmul
has the zero points, and kernels on the device compute their terms. That operation is
for signed integers. Unsigned ones are reduced by 128, and so are their zero points.
"""

import argparse
import os
import random
import shlex
import subprocess
import sys

import numpy

TYPES = {"s8": numpy.int8, "u8": numpy.uint8}

MAPS = """\
#rows = affine_map<(m, n) -> (m)>
#columns = affine_map<(m, n) -> (n)>
#all = affine_map<(m, n) -> (m, n)>
"""

PRODUCT = """\
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> ({b_dims})>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @main(%A: tensor<?x?xi8>, %B: tensor<?x?xi8>, %of_rows: tensor<?xi32>,
                %of_columns: tensor<?xi32>, %scale: {scale_type},
                %zero_point: {zero_type}) -> tensor<?x?xi8> {{
  %c0 = arith.constant 0 : index
  %cn = arith.constant {n_position} : index
  %m = tensor.dim %A, %c0 : tensor<?x?xi8>
  %n = tensor.dim %B, %cn : tensor<?x?xi8>
  %zero = arith.constant 0 : i32
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %sums = linalg.generic {{indexing_maps = [#a, #b, #d],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%A, %B : tensor<?x?xi8>, tensor<?x?xi8>) outs(%zeros : tensor<?x?xi32>) {{
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.{extend_a} %x : i8 to i32
    %v = arith.{extend_b} %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }} -> tensor<?x?xi32>
"""

QUANTIZED = """\
func.func @main(%A: tensor<?x?xi8>, %B: tensor<?x?xi8>, %scale: {scale_type},
                %zero_point: {zero_type}) -> tensor<?x?xi8> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xi8>
  %n = tensor.dim %B, %c1 : tensor<?x?xi8>
  %zero = arith.constant 0 : i32
  %zero_a = arith.constant {zero_a} : i32
  %zero_b = arith.constant {zero_b} : i32
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %sums = linalg.quantized_matmul
      ins(%A, %B, %zero_a, %zero_b : tensor<?x?xi8>, tensor<?x?xi8>, i32, i32)
      outs(%zeros : tensor<?x?xi32>) -> tensor<?x?xi32>
"""

REQUANTISE = """\
  %low = arith.constant {low} : {zero_type}
  %high = arith.constant {high} : {zero_type}
  %out = tensor.empty(%m, %n) : tensor<?x?xi8>
  %D = linalg.generic {{indexing_maps = [#all, {term_maps}{scale_map}#all],
      iterator_types = ["parallel", "parallel"]}}
      ins(%sums{term_inputs}{scale_input} : tensor<?x?xi32>{term_types}{scale_types})
      outs(%out : tensor<?x?xi8>) {{
  ^bb0(%s: i32, {term_arguments}{scale_argument}%o: i8):
{terms}    %f = arith.sitofp {sum} : i32 to f32
    %x = arith.mulf %f, {scale_value} : f32
    %q = math.roundeven %x : f32
{end}
    linalg.yield %y : i8
  }} -> tensor<?x?xi8>
  return %D : tensor<?x?xi8>
}}
"""

# Of the zero points, where the product does not have them.
TERMS = {"term_maps": "#rows, #columns, ", "term_inputs": ", %of_rows, %of_columns",
         "term_types": ", tensor<?xi32>, tensor<?xi32>",
         "term_arguments": "%r: i32, %c: i32, ",
         "terms": "    %s1 = arith.addi %s, %r : i32\n"
                  "    %s2 = arith.addi %s1, %c : i32\n",
         "sum": "%s2"}
NO_TERMS = {**dict.fromkeys(TERMS, ""), "sum": "%s"}

IN_FLOATS = """\
    %z = arith.addf %q, %zero_point : f32
    %z1 = arith.maximumf %z, %low : f32
    %z2 = arith.minimumf %z1, %high : f32
    %y = arith.{convert} %z2 : f32 to i8"""

IN_INTEGERS = """\
    %i = arith.fptosi %q : f32 to i32
    %z = arith.addi %i, %zero_point : i32
    %z1 = arith.maxsi %z, %low : i32
    %z2 = arith.minsi %z1, %high : i32
    %y = arith.trunci %z2 : i32 to i8"""


class Case:
    """The operands of one QLinearMatMul."""

    def __init__(self, rng):
        self.types = {name: rng.choice(list(TYPES)) for name in "aby"}
        self.sizes = [rng.choice([1, 7, 16, 33, 64, 100]) for _ in "mn"]
        self.sizes.append(rng.choice([16, 48, 83, 160]))
        self.b_dims = rng.choice(["k, n", "n, k"])
        self.per_column = rng.random() < 0.5
        self.in_integers = rng.random() < 0.5
        self.is_exact = rng.random() < 0.5
        draw = numpy.random.default_rng(rng.randrange(1 << 32))
        m, n, k = self.sizes
        self.zero_points = {name: self.draw_integers(draw, name, ())
                            for name in "aby"}
        self.a = self.draw_integers(draw, "a", (m, k))
        self.b = self.draw_integers(draw, "b", (k, n))
        # The scales of B are one for each column, or one.
        count = n if self.per_column else 1
        if self.is_exact:
            self.a_scale, self.y_scale = (numpy.float32(2.0 ** draw.integers(-4, 5))
                                          for _ in range(2))
            exponents = draw.integers(-4, 0, count)
            self.b_scale = (numpy.exp2(exponents) * self.y_scale /
                            self.a_scale).astype(numpy.float32)
        else:
            self.a_scale, self.y_scale = (numpy.float32(draw.uniform(0.01, 0.2))
                                          for _ in range(2))
            self.b_scale = (draw.uniform(0.5, 2, count) * self.y_scale /
                            self.a_scale / 1000).astype(numpy.float32)

    def draw_integers(self, draw, name, shape):
        limits = numpy.iinfo(TYPES[self.types[name]])
        low, high = limits.min, limits.max
        if self.is_exact and shape:  # Near the zero point: sums of about 8 bits.
            zero = int(self.zero_points[name])
            low, high = max(low, zero - 4), min(high, zero + 4)
        return draw.integers(low, high + 1, shape).astype(TYPES[self.types[name]])

    def get_multiplier(self):
        """a_scale b_scale / y_scale in f32: a number for each column, or one."""
        return (self.a_scale * self.b_scale / self.y_scale).astype(numpy.float32)

    def get_sums(self):
        a, b = (matrix.astype(numpy.int64) - int(self.zero_points[name])
                for name, matrix in (("a", self.a), ("b", self.b)))
        return a @ b

    def compute(self, scaled):
        """The result for values of x / y_scale."""
        limits = numpy.iinfo(TYPES[self.types["y"]])
        rounded = numpy.rint(scaled).astype(numpy.int64)
        return numpy.clip(rounded + int(self.zero_points["y"]), limits.min,
                          limits.max).astype(TYPES[self.types["y"]])

    def compute_by_specification(self):
        """The result, and where roundings of f32 before the last one may change it:
        the specification leaves their number open."""
        scaled = self.get_sums() * (
            self.a_scale.astype(numpy.float64) * self.b_scale.astype(numpy.float64) /
            self.y_scale.astype(numpy.float64))
        from_tie = numpy.abs(scaled - numpy.floor(scaled) - 0.5)
        is_open = from_tie <= numpy.abs(scaled) * 2.0 ** -21
        if self.is_exact:
            is_open[:] = False
        return self.compute(scaled), is_open

    def compute_in_f32(self):
        """The result with the multiplier and its product rounded to f32."""
        return self.compute(self.get_sums().astype(numpy.float32) *
                            self.get_multiplier())

    def count_ties(self):
        scaled = self.get_sums() * self.get_multiplier().astype(numpy.float64)
        return int(numpy.sum(scaled - numpy.floor(scaled) == 0.5))

    def get_module(self, is_whole):
        limits = numpy.iinfo(TYPES[self.types["y"]])
        extensions = {"s8": "extsi", "u8": "extui"}
        is_unsigned = self.types["y"] == "u8"
        form = IN_INTEGERS if self.in_integers else IN_FLOATS
        suffix = "" if self.in_integers else ".0"
        vector = self.per_column
        text = MAPS + (QUANTIZED if is_whole else PRODUCT) + REQUANTISE
        return text.format(
            **(NO_TERMS if is_whole else TERMS),
            zero_a=self.get_signed("a", self.zero_points["a"]),
            zero_b=self.get_signed("b", self.zero_points["b"]),
            b_dims=self.b_dims, n_position=0 if self.b_dims[0] == "n" else 1,
            extend_a=extensions[self.types["a"]], extend_b=extensions[self.types["b"]],
            zero_type="i32" if self.in_integers else "f32",
            low=str(limits.min) + suffix, high=str(limits.max) + suffix,
            scale_type="tensor<?xf32>" if vector else "f32",
            scale_map="#columns, " if vector else "",
            scale_input=", %scale" if vector else "",
            scale_types=", tensor<?xf32>" if vector else "",
            scale_argument="%w: f32, " if vector else "",
            scale_value="%w" if vector else "%scale",
            end=form.format(convert="fptoui" if is_unsigned else "fptosi"))

    def get_signed(self, name, values):
        """The values of an operand as linalg.quantized_matmul takes them."""
        values = values.astype(numpy.int32)
        return (values - 128 if self.types[name] == "u8" else values).astype(
            numpy.int8)

    def write_module(self, folder, is_whole):
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "module.mlir")
        with open(path, "w") as file:
            file.write(self.get_module(is_whole))
        self.output = os.path.join(folder, "y.npy")
        return path

    @staticmethod
    def save(folder, arrays):
        """Writes the arrays. Their flags."""
        flags = []
        for i, array in enumerate(arrays):
            path = os.path.join(folder, "arg%d.npy" % i)
            numpy.save(path, numpy.ascontiguousarray(array))
            flags.append("--fill=arg%d=%s" % (i, path))
        return flags

    def write_whole(self, folder):
        """Writes the files. The arguments of tcgemm-check-module."""
        module = self.write_module(folder, is_whole=True)
        m, n, k = self.sizes
        arrays = [self.get_signed("a", self.a), self.get_signed("b", self.b)]
        arguments = [module, "--function=main", "--size=arg0=%dx%d" % (m, k),
                     "--size=arg1=%dx%d" % (k, n)]
        if self.per_column:
            arrays.append(self.get_multiplier())
            arguments.append("--size=arg2=%d" % n)
        else:
            arguments.append("--scalar=arg2=%r" % float(self.get_multiplier()[0]))
        arguments.append("--scalar=arg3=%d" % self.zero_points["y"])
        return arguments + self.save(folder, arrays) + [
            "--output=result0=" + self.output]

    def write(self, folder):
        """Writes the files. The arguments of tcgemm-run."""
        module = self.write_module(folder, is_whole=False)
        k = self.sizes[2]
        a, b = self.a.astype(numpy.int64), self.b.astype(numpy.int64)
        zero_a, zero_b, zero_y = (int(self.zero_points[name]) for name in "aby")
        arrays = [self.a, self.b if self.b_dims[0] == "k" else self.b.T,
                  (k * zero_a * zero_b - zero_b * a.sum(1)).astype(numpy.int32),
                  (-zero_a * b.sum(0)).astype(numpy.int32)]
        arguments = [module, *("--%s=%d" % item for item in zip("mnk", self.sizes))]
        if self.per_column:
            arrays.append(self.get_multiplier())
        else:
            arguments.append("--scalar=arg4=%r" % float(self.get_multiplier()[0]))
        arguments.append("--scalar=arg5=%d" % zero_y)
        return arguments + self.save(folder, arrays) + ["--output=out0=" + self.output]

    def find_difference(self):
        """Text about the first difference; empty if there is none."""
        actual = numpy.load(self.output).view(TYPES[self.types["y"]])
        expected = self.compute_in_f32()
        by_specification, is_open = self.compute_by_specification()
        for name, values, checked in (
                ("f32", expected, numpy.ones_like(is_open)),
                ("the specification", by_specification, ~is_open)):
            for m, n in numpy.argwhere((actual != values) & checked):
                return "y[%d, %d] is %d, but %d by %s" % (
                    m, n, actual[m, n], values[m, n], name)
        return ""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tcgemm-run", default="tcgemm-run")
    parser.add_argument("--device", default="emulator")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--config", help="the kernels' configuration")
    parser.add_argument("--check-module", help="run whole modules by this tool")
    options = parser.parse_args()
    if options.config and options.check_module:
        parser.error("--config is for single kernels")
    failures, ties, edges = 0, 0, 0
    for number in range(options.cases):
        case = Case(random.Random("%d/%d" % (options.seed, number)))
        folder = os.path.join(options.out, str(number))
        command = ([options.check_module, *case.write_whole(folder)]
                   if options.check_module else
                   [options.tcgemm_run, *case.write(folder)])
        command += ["--device=" + options.device, "--chip=" + options.chip]
        if options.config:
            command.append("--config=" + options.config)
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        what = done.stdout if done.returncode else case.find_difference()
        if what:
            failures += 1
            print("FAILURE: seed %d, case %d: %s\n  again: %s" % (
                options.seed, number, what, shlex.join(command)))
            continue
        result, limits = case.compute_in_f32(), numpy.iinfo(TYPES[case.types["y"]])
        ties += case.count_ties()
        edges += int(numpy.sum((result == limits.min) | (result == limits.max)))
    print("%d cases, %d failures, %d ties, %d results at the limits of their type" %
          (options.cases, failures, ties, edges))
    # Cases without ties or saturation test nothing.
    sys.exit(int(failures > 0 or not ties or not edges))


if __name__ == "__main__":
    main()
