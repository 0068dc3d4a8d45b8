"""Random grouped products of all kinds, against NumPy. All elements are small integers,
so that results are compared by equality. GPUs other than sm_90a have no such products.

Usage: random_groups.py SEED COUNT
"""

import sys

import cases
import numpy
import tcgemm
from arrays import lay_out_scales, pack

FUNCTIONS = {"contiguous": tcgemm.grouped_matmul,
             "padded": tcgemm.grouped_matmul_padded,
             "along k": tcgemm.grouped_matmul_along_k}
# Types of A, B and the result, and the precision.
TYPES = [("float16", "float16", "float32", "ieee"),
         ("float16", "float16", "float16", "ieee"),
         ("int8", "int8", "int32", "ieee"), ("uint8", "int8", "float32", "ieee"),
         ("float16", "int8", "float32", "ieee"),
         ("float32", "float32", "float32", "tf32"),
         ("float16", "int4", "float32", "ieee"),
         ("float16", "uint4", "float32", "ieee"),
         ("int4", "float16", "float32", "ieee")]
PACKED = ("int4", "uint4")
# Its value where nothing is written.
UNTOUCHED = 77


class Case(cases.Case):
    """A call of one of the functions."""

    def __init__(self, number):
        super().__init__(number)
        self.kind = self.choose.choice(list(FUNCTIONS))
        self.types = self.choose.choice(TYPES)
        self.groups = self.choose.choice([1, 2, 3, 5])
        self.m = self.choose.choice([1, 7, 40, 72, 130])
        self.n = self.choose.choice([1, 8, 33, 72, 136])
        self.k = self.choose.choice([0, 1, 16, 40, 72, 130])
        self.turns = []
        self.named = {"precision": self.types[3]}
        if any(dtype in PACKED for dtype in self.types):
            self.kind = self.choose.choice(["contiguous", "padded"])
            self.named["group_size"] = size = self.choose.choice([32, 64, 128])
            self.k = size * self.choose.choice([1, 2, 3])
        self.draw_sizes()

    def draw_sizes(self):
        """The sizes of groups, and the parts that they name: the rows of A and of the
        result in their matrices, and the terms."""
        most = self.k if self.kind == "along k" else self.m
        numbers = [self.choose.choice([0, most, self.choose.randint(0, most)])
                   for _ in range(self.groups)]
        if self.kind != "padded":
            numbers.sort()
        self.sizes = numpy.array(numbers, "int32")
        starts = [0, *numbers]
        rows, terms = slice(0, self.m), slice(0, self.k)
        self.parts = [
            (slice(0, end), terms) if self.kind == "padded"
            else (slice(start, end), terms) if self.kind == "contiguous"
            else (rows, slice(start, end)) for start, end in zip(starts, numbers)]

    def lay_out(self, values, may_turn=True):
        """The values with a random order and random gaps in memory."""
        turn = may_turn and self.choose.random() < 0.5
        self.turns.append(turn)
        if turn:
            values = values.swapaxes(-1, -2)
        gap = self.choose.choice([0, 0, 1, 8])
        whole = numpy.zeros((*values.shape[:-1], values.shape[-1] + gap), values.dtype)
        result = whole[..., :values.shape[-1]]
        result[:] = values
        return result.swapaxes(-1, -2) if turn else result

    def draw_operand(self, shape, dtype, may_turn=True):
        least = 0 if dtype == "uint8" else -3
        return self.lay_out(self.draw(shape, least).astype(dtype), may_turn)

    def draw_packed(self, name, shape, dtype):
        """An operand of 4 bits with scales and perhaps zero points, and its values. The
        last dimension of the shape is k."""
        least = 0 if dtype == "uint4" else -3
        elements = self.draw(shape, least)
        size = self.named["group_size"]
        counts = (*shape[:-1], shape[-1] // size)
        scales = 2.0 ** self.draw(counts, -1, 1)
        zeros = self.draw(counts, 0, 2) if self.choose.random() < 0.5 else 0 * scales
        self.named["dtype_" + name] = dtype
        self.named["scale_" + name] = lay_out_scales(
            name, scales.astype(self.choose.choice(["float16", "float32"])))
        if zeros.any():
            self.named["zero_points"] = lay_out_scales(name, zeros.astype("int8"))
        values = (elements - numpy.repeat(zeros, size, -1)) * numpy.repeat(
            scales, size, -1)
        stored = self.lay_out(pack(elements), may_turn=False)
        if name == "b":
            return stored.swapaxes(-1, -2), values.swapaxes(-1, -2)
        return stored, values

    def make_result(self, shape):
        values = numpy.full(shape, UNTOUCHED, self.types[2])
        return self.lay_out(values, may_turn=False)

    def draw_epilogue(self, product):
        """Adds arguments, and returns the result that they make of the products."""
        value = product
        if self.types[2] == "int32":
            return value
        if self.choose.random() < 0.3:
            self.named["alpha"] = 2
            value = 2 * value
        if self.choose.random() < 0.3:
            c = self.draw_operand(product.shape, self.types[2], may_turn=False)
            self.named.update(beta=-1, c=c)
            value = value - c
        if self.choose.random() < 0.4:
            bias = self.draw(self.n).astype("float32")
            rows = self.draw(self.m).astype("float32")
            self.named.update(bias=bias, epilogue="rowscale_relu", operands=(rows,))
            value = numpy.maximum((value + bias) * rows[:, None], 0)
        return value

    def run(self):
        batch, along_k = (self.groups,), self.kind == "along k"
        of_a = batch if self.kind == "padded" else ()
        of_result = () if self.kind == "contiguous" else batch
        of_b = () if along_k else batch
        if self.types[0] in PACKED:
            a, left_values = self.draw_packed("a", (*of_a, self.m, self.k),
                                              self.types[0])
        else:
            a = left_values = self.draw_operand((*of_a, self.m, self.k), self.types[0],
                                                along_k)
        if self.types[1] in PACKED:
            b, right_values = self.draw_packed("b", (*of_b, self.n, self.k),
                                               self.types[1])
        else:
            b = right_values = self.draw_operand((*of_b, self.k, self.n), self.types[1])
        out = self.make_result((*of_result, self.m, self.n))
        product = numpy.zeros(out.shape)
        written = numpy.zeros(out.shape, bool)
        for i, (rows, terms) in enumerate(self.parts):
            left = (left_values[i] if of_a else left_values)[rows, terms]
            right = (right_values if along_k else right_values[i])[terms]
            (product[i] if of_result else product)[rows] = (
                left.astype("float64") @ right.astype("float64"))
            (written[i] if of_result else written)[rows] = True
        value = self.draw_epilogue(product)
        expected = numpy.where(written, value, UNTOUCHED)
        if self.types[2] == "float16" and abs(expected).max() > 2048:
            return True  # These are not exact.
        result = FUNCTIONS[self.kind](a, b, self.sizes, out, **self.named)
        return result is out and numpy.array_equal(out, expected)

    def __str__(self):
        return "%s, %s, %dx%dx%d, sizes %s, transposed %s, %s" % (
            self.kind, self.types, self.m, self.n, self.k, self.sizes, self.turns,
            sorted(self.named))


if __name__ == "__main__":
    sys.exit(cases.run_cases(Case))
