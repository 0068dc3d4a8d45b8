"""Random products with operands of 4 bits, scales, reductions, algebras and complex
numbers, against NumPy. All elements are small integers or powers of two, so that results
are compared by equality.

Usage: random_features.py SEED COUNT
"""

import sys

import cases
import numpy
import tcgemm

OPERATIONS = {"plus": numpy.add, "times": numpy.multiply, "min": numpy.minimum,
              "max": numpy.maximum}


class Case(cases.Case):
    """A product with one of the features."""

    def __init__(self, number):
        super().__init__(number)
        self.m = self.choose.choice([1, 3, 17, 40, 64, 100])
        self.n = self.choose.choice([1, 5, 24, 33, 72, 130])

    def turn(self, array):
        """The array, with one of both orders in memory."""
        return array if self.choose.random() < 0.5 else numpy.asfortranarray(array)

    def pack(self, values):
        """Two elements in a byte, with a gap behind each row of bytes."""
        bits = values & 15
        used = values.shape[1] // 2
        whole = numpy.zeros((len(values), used + self.choose.choice([0, 0, 1, 8])),
                            "uint8")
        whole[:, :used] = bits[:, 0::2] | bits[:, 1::2] << 4
        return whole[:, :used]

    def try_narrow(self):
        is_a = self.choose.random() < 0.4
        name = "a" if is_a else "b"
        rows, others = (self.m, self.n) if is_a else (self.n, self.m)
        dtype, least = self.choose.choice([("int4", -8), ("uint4", 0)])
        size = self.choose.choice([None, 32, 64, 128])
        k = (self.choose.choice([2, 6, 64, 192]) if size is None
             else size * self.choose.choice([1, 2, 3]))
        narrow = self.draw((rows, k), least, least + 15)
        wide = self.draw((others, k), -2, 2).astype("float16")
        named = {"dtype_" + name: dtype, "out_dtype": "float32"}
        values = narrow.astype("float64")
        if size:
            named["group_size"] = size
            scales = 2.0 ** self.draw((rows, k // size), -1, 1)
            if self.choose.random() < 0.6:
                zeros = self.draw(scales.shape, min(least, 0) // 3, 3)
                values -= numpy.repeat(zeros, size, 1)
                named["zero_points"] = self.lay_out(
                    zeros.astype("int8" if least else "uint8"), is_a)
            values *= numpy.repeat(scales, size, 1)
            named["scale_" + name] = self.lay_out(
                scales.astype(self.choose.choice(["float32", "float16"])), is_a)
        packed, wide = self.pack(narrow), self.turn(wide)
        result = tcgemm.matmul(*((packed, wide.T) if is_a else (wide, packed.T)),
                               **named)
        left, right = (values, wide) if is_a else (wide, values)
        return [(result, left @ right.T.astype("float64"))]

    @staticmethod
    def lay_out(scales, is_a):
        """Those of A have m innermost, those of B have k."""
        return (numpy.asfortranarray(scales) if is_a
                else numpy.ascontiguousarray(scales).T)

    def get_batch(self):
        return self.choose.choice([(), (), (2,)])

    def try_reductions(self):
        batch, k = self.get_batch(), self.choose.choice([1, 8, 40, 72])
        a = self.draw((*batch, self.m, k)).astype("float16")
        b = self.draw((*self.choose.choice([batch, ()]), k, self.n)).astype("float16")
        results = tcgemm.matmul(
            a, b, out_dtype="float32",
            reductions="row-max_column-min_sum_row-argmax_argmax_sumsq")
        d = a.astype("float64") @ b.astype("float64")
        return list(zip(results, (d, d.max(-1), d.min(-2), d.sum(), d.argmax(-1),
                                  d.reshape((*batch, -1)).argmax(-1), (d * d).sum())))

    def try_algebra(self):
        k = self.choose.choice([1, 8, 40, 72])
        a, b = (self.turn(self.draw(shape).astype("float32"))
                for shape in ((self.m, k), (k, self.n)))
        algebra = self.choose.choice(["max-plus", "min-plus", "max-min", "min-max",
                                      "max-times"])
        reduce, combine = (OPERATIONS[word] for word in algebra.split("-"))
        return [(tcgemm.matmul(a, b, algebra=algebra),
                 reduce.reduce(combine(a[:, :, None], b[None]), 1))]

    def try_complex(self):
        batch, k = self.get_batch(), self.choose.choice([1, 7, 8, 40])
        dtype = self.choose.choice(["complex64", "complex128"])
        a, b = ((self.draw(shape) + 1j * self.draw(shape)).astype(dtype)
                for shape in ((*batch, self.m, k),
                              (*self.choose.choice([batch, ()]), k, self.n)))
        algebra = self.choose.choice(["complex", "complex-conj-a", "complex-conj-b",
                                      "complex-conj-ab"])
        conjugated = algebra[len("complex-conj-"):]
        expected = ((a.conj() if "a" in conjugated else a)
                    @ (b.conj() if "b" in conjugated else b))
        if not batch:
            a, b = self.turn(a), self.turn(b)
        return [(tcgemm.matmul(a, b, algebra=algebra), expected)]

    def run(self):
        attempt = self.choose.choice([self.try_narrow, self.try_reductions,
                                      self.try_algebra, self.try_complex])
        return all(numpy.array_equal(result, expected)
                   for result, expected in attempt())


if __name__ == "__main__":
    sys.exit(cases.run_cases(Case))
