"""Random products by index string, compared with NumPy's.

Usage: random_einsum.py [SEED [COUNT]] [--cupy]

The arrays are NumPy's, for the emulated driver, or by --cupy CuPy's, for a GPU.

Each case draws a string, extents, types, strides of all arrays and an epilogue.
All values are small integers, so that results are equal. A case that differs is
printed with what it drew, and the exit status is 1.
"""

import argparse
import random
import sys

import numpy
import tcgemm

MAX_TERMS = 1000000
TYPES = [("float16", "float16"), ("float16", "float32"), ("float32", "float32"),
         ("float64", "float64"), ("int8", "int32")]


def copy_to_host(array):
    return array if isinstance(array, numpy.ndarray) else array.get()


class Case:
    """A drawn product."""

    def __init__(self, seed, library):
        self.random, self.library = random.Random(seed), library
        self.values = numpy.random.default_rng(seed)
        self.draw_letters()
        self.dtype, self.out = self.random.choice(TYPES)
        repeats = self.random.choice((0, 0, 0.2))
        self.arrays = [self.place(letters, self.dtype, repeats)
                       for letters in self.letters[:2]]
        self.named = {"out_dtype": self.out}
        self.expected = numpy.einsum(self.indices, *(
            copy_to_host(array).astype("float64") for array in self.arrays))
        if self.random.random() < 0.7:
            self.named["out"] = self.place(self.letters[2], self.out)
        if self.out == self.dtype:
            self.draw_epilogue()

    def draw_letters(self):
        pool = list("abcdefghijklmnopqrstuvwxyzABCD")
        self.random.shuffle(pool)
        batch, m, n, k = ([pool.pop() for _ in range(self.random.choice(counts))]
                          for counts in ((0, 0, 1, 2), (0, 1, 1, 2, 3),
                                         (0, 1, 1, 2, 3), (0, 1, 1, 2, 3)))
        # Each operand has a letter.
        m += [] if batch or m else [pool.pop()]
        n += [] if batch or n else [pool.pop()]
        self.extents = {x: self.random.choice((1, 2, 3, 5)) for x in batch}
        for x in m + n + k:
            self.extents[x] = self.random.choice((1, 2, 4, 7, 8, 16, 24))
        if self.random.random() < 0.05:
            self.extents[self.random.choice(list(self.extents))] = 0
        while numpy.prod([float(x) for x in self.extents.values()]) > MAX_TERMS:
            self.extents[max(self.extents, key=self.extents.get)] //= 2
        self.letters = [batch + m + k, batch + n + k, batch + m + n]
        for letters in self.letters:
            self.random.shuffle(letters)
        self.indices = "%s,%s->%s" % tuple("".join(x) for x in self.letters)

    def place(self, letters, dtype, repeats=0):
        """An array in any order of its dimensions, with gaps. `repeats` is the
        probability of a dimension with a stride of 0."""
        extents = [self.extents[letter] for letter in letters]
        shape = [1 if self.random.random() < repeats else extent
                 for extent in extents]
        order = list(range(len(shape)))
        if self.random.random() < 0.6:
            self.random.shuffle(order)
        steps = [self.random.choice((1, 1, 1, 1, 1, 1, 2, 3)) for _ in shape]
        sizes = [shape[i] * steps[i] + self.random.choice((0, 0, 0, 0, 1, 8))
                 for i in order]
        whole = self.library.asarray(
            self.values.integers(-2, 3, size=sizes).astype(dtype))
        view = whole[tuple(slice(0, shape[i] * steps[i], steps[i])
                           for i in order)]
        view = view.transpose([order.index(i) for i in range(len(order))])
        return self.library.broadcast_to(view, extents) if repeats else view

    def draw_epilogue(self):
        if self.random.random() < 0.4:
            c = self.place(self.letters[2], self.out)
            self.named.update(alpha=2.0, beta=-1.0, c=c)
            self.expected = 2 * self.expected - copy_to_host(c)
        if self.random.random() < 0.3 and "out" in self.named:
            # It has the strides of the result.
            out = self.named["out"]
            factor = self.library.asarray(numpy.array(
                2, "float64" if self.out == "float64" else "float32"))
            self.named.update(epilogue="residual_scale", operands=(out, factor))
            self.expected = (self.expected + copy_to_host(out)) * 2
        elif self.random.random() < 0.4:
            self.draw_vectors()
        elif self.random.random() < 0.3:
            self.named["epilogue"] = "relu"
            self.expected = numpy.maximum(self.expected, 0)

    def draw_vectors(self):
        """A bias along b's letters and a scale along a's."""
        dtype = "float64" if self.out == "float64" else "float32"
        a, b, d = self.letters
        bias, scale = ([self.extents[x] if x not in other else 1 for x in d]
                       for other in (a, b))
        bias, scale = (self.library.asarray(
            self.values.integers(-2, 3, size=shape).astype(dtype))
                       for shape in (bias, scale))
        self.named.update(
            bias=bias.reshape([self.extents[x] for x in d if x not in a]),
            epilogue="rowscale",
            operands=(scale.reshape([self.extents[x] for x in d if x not in b]),))
        self.expected = ((self.expected + copy_to_host(bias))
                         * copy_to_host(scale))

    def run(self):
        """Returns whether the result is right. Results beyond float16 are left out."""
        if abs(self.expected).max(initial=0) > 2048 and self.out == "float16":
            return True
        result = tcgemm.einsum(self.indices, *self.arrays, **self.named)
        return numpy.array_equal(copy_to_host(result), self.expected.astype(self.out))

    def __str__(self):
        return "%s %s %s, strides %s, %s" % (
            self.indices, self.extents, self.dtype,
            [array.strides for array in self.arrays],
            {name: getattr(value, "strides", value)
             for name, value in self.named.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("count", type=int, nargs="?", default=50)
    parser.add_argument("--cupy", action="store_true")
    arguments = parser.parse_args()
    library = numpy
    if arguments.cupy:
        import cupy as library
    first = arguments.seed * 10000
    wrong = 0
    for number in range(first, first + arguments.count):
        case = Case(number, library)
        if not case.run():
            wrong += 1
            print("wrong: case %d: %s" % (number, case))
    print("%d cases, %d wrong" % (arguments.count, wrong))
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
