"""Tests of grouped products on the emulated driver; the environment is set by
integration_test/python-emulator.test."""

import os
import subprocess
import sys
import unittest

import numpy
import tcgemm
from arrays import (DeviceArray, DLPackArray, draw, draw_scales, lay_out_scales, pack,
                    to_e4m3)

HAS_GROUPS = os.environ["TCGEMM_DRIVER_CHIP"] == "sm_90a"


def multiply(a, b, offsets, out):
    begin = 0
    for matrix, end in zip(b, offsets):
        out[begin:end] = a[begin:end].astype("float32") @ matrix.astype("float32")
        begin = end
    return out


def multiply_padded(a, b, counts, out):
    for left, right, count, result in zip(a, b, counts, out):
        result[:count] = left[:count].astype("float32") @ right.astype("float32")
    return out


class GroupedTest(unittest.TestCase):
    def test_products(self):
        if not HAS_GROUPS:
            with self.assertRaises(tcgemm.Error) as caught:
                tcgemm.grouped_matmul(draw((4, 16), "float16"),
                                      draw((1, 16, 8), "float16"),
                                      numpy.array([4], "int32"))
            self.assertEqual(caught.exception.status, "TCGEMM_NOT_SUPPORTED")
            self.assertIn("has no wgmma", str(caught.exception))
            return
        for ends in ((70, 70, 100), (0, 1, 110), (0, 0, 0)):
            offsets = numpy.array(ends, "int32")
            a, b = draw((110, 24), "float16"), draw((3, 24, 40), "float16", seed=1)
            for right in (b, b.transpose(0, 2, 1).copy().transpose(0, 2, 1)):
                out = numpy.full((110, 40), 77, "float16")
                expected = multiply(a, right, offsets, out.copy())
                self.assertIs(tcgemm.grouped_matmul(a, right, offsets, out), out)
                numpy.testing.assert_array_equal(out, expected)

    def test_new_array(self):
        if not HAS_GROUPS:
            return
        offsets = numpy.array([3, 8], "int32")
        a, b = draw((8, 24), "float16"), draw((2, 24, 40), "float16", seed=1)
        d = tcgemm.grouped_matmul(a, b, offsets, out_dtype="float32")
        numpy.testing.assert_array_equal(
            d, multiply(a, b, offsets, numpy.empty((8, 40), "float32")))
        empty = tcgemm.grouped_matmul(a[:0], b, offsets * 0)
        self.assertEqual((empty.shape, empty.dtype), ((0, 40), "float16"))

    def test_device_arrays(self):
        if not HAS_GROUPS:
            return
        offsets = numpy.array([3, 8], "int32")
        a, b = draw((8, 24), "float16"), draw((2, 24, 40), "float16", seed=1)
        out = DeviceArray(numpy.zeros((8, 40), "float16"))
        tcgemm.grouped_matmul(DeviceArray(a), DeviceArray(b), DeviceArray(offsets),
                              out)
        numpy.testing.assert_array_equal(
            out.get(), multiply(a, b, offsets, numpy.zeros((8, 40), "float16")))

    def test_types(self):
        """Integers, FP8's partner of 16 bits, and tf32 of whole numbers."""
        if not HAS_GROUPS:
            return
        offsets = numpy.array([30, 30, 68], "int32")
        for a_type, b_type, d_type, options in (
                ("int8", "int8", "int32", {}), ("uint8", "uint8", "int32", {}),
                ("uint8", "int8", "float32", {"alpha": 0.5}),
                ("float16", "int8", "float32", {}),
                ("float32", "float32", "float32", {"precision": "tf32"})):
            with self.subTest(a=a_type, b=b_type, d=d_type):
                a, b = draw((70, 32), a_type), draw((3, 32, 40), b_type, seed=1)
                # k is innermost in b.
                b = b.transpose(0, 2, 1).copy().transpose(0, 2, 1)
                out = numpy.full((70, 40), 77, d_type)
                expected = out.copy()
                product = multiply(a, b, offsets, numpy.zeros((70, 40), "float32"))
                expected[:68] = product[:68] * options.get("alpha", 1)
                tcgemm.grouped_matmul(a, b, offsets, out, **options)
                numpy.testing.assert_array_equal(out, expected)

    def test_epilogue(self):
        """Vectors along both dimensions, a matrix, C, and operations as text."""
        if not HAS_GROUPS:
            return
        offsets = numpy.array([3, 3, 68], "int32")
        a, b = draw((70, 24), "float16"), draw((3, 24, 40), "float16", seed=1)
        bias, rows = draw((40,), "float32", seed=2), draw((70,), "float32", seed=3)
        residual, c = (draw((70, 40), "float32", seed=seed) for seed in (4, 5))
        product = multiply(a, b, offsets, numpy.zeros((70, 40), "float32"))
        out = numpy.full((70, 40), 77, "float32")

        def check(expected, **options):
            out[:] = 77
            tcgemm.grouped_matmul(a, b, offsets, out, **options)
            numpy.testing.assert_array_equal(out[:68], expected[:68])
            numpy.testing.assert_array_equal(out[68:], 77)

        check(numpy.maximum((product + bias) * rows[:, None], 0) + residual,
              bias=bias, epilogue="rowscale_relu_residual",
              operands=(rows, residual))
        check(2 * product - 0.5 * c, alpha=2, beta=-0.5, c=c)
        check(2 * product, alpha=2)
        check(numpy.minimum(product * 3, residual), epilogue="residual",
              operands=(residual,),
              epilogue_body="%0 = arith.constant 3.0 : f32\n"
              "%1 = arith.mulf %sum, %0 : f32\n"
              "%result = arith.minimumf %1, %residual : f32")


    def test_values_of_groups(self):
        if not HAS_GROUPS:
            return
        ends = (3, 3, 7)
        a, b = draw((8, 24), "float16"), draw((3, 24, 40), "float16", seed=1)
        offsets = numpy.array(ends, "int32")
        scale = numpy.array([2, 5, -1], "float32")
        columns, bias = draw((3, 40), "float32"), draw((3, 40), "float32", seed=2)
        expected = multiply(a, b, ends, numpy.zeros((8, 40), "float32"))
        for group, (begin, end) in enumerate(zip((0,) + ends, ends)):
            expected[begin:end] = (expected[begin:end] * scale[group]
                                   * columns[group] + bias[group])
        d = tcgemm.grouped_matmul(
            a, b, offsets, out_dtype="float32",
            epilogue="groupscale_groupcolscale_groupbias",
            operands=(scale, columns, bias))
        numpy.testing.assert_array_equal(d[:7], expected[:7])
        with self.assertRaisesRegex(
                ValueError, r"the shape of groupbias must be \(3, 40\), not \(40,\)"):
            tcgemm.grouped_matmul(a, b, offsets, epilogue="groupbias",
                                  operands=(bias[0],))
        with self.assertRaisesRegex(
                ValueError, "groupscale reads values of groups, but the product has no "
                "groups"):
            tcgemm.matmul(a, b[0], epilogue="groupscale", operands=(scale,))

    def test_no_terms(self):
        """The product is 0, and rows of no group are not written."""
        if not HAS_GROUPS:
            return
        a, b = numpy.empty((8, 0), "float16"), numpy.empty((2, 0, 40), "float16")
        out, bias = numpy.full((8, 40), 77, "float32"), draw((40,), "float32")
        tcgemm.grouped_matmul(a, b, numpy.array([3, 6], "int32"), out, bias=bias)
        numpy.testing.assert_array_equal(out[:6], numpy.tile(bias, (6, 1)))
        numpy.testing.assert_array_equal(out[6:], 77)


def widen(scales, blocks, shape):
    """A scale for each element of an operand of that shape."""
    for axis, size in enumerate(blocks):
        scales = numpy.repeat(scales, size, axis)
    return scales[tuple(slice(0, size) for size in shape)]


class PackedTest(unittest.TestCase):
    """Products with an operand of 4 bits."""

    m, n, k, groups, size = 40, 72, 256, 3, 64

    def draw_weights(self, shape, dtype):
        """Elements as they are in memory, scales, zero points, and values."""
        elements = draw((*shape, self.k), seed=3) + (5 if dtype == "uint4" else 0)
        counts = (*shape, self.k // self.size)
        scales = draw_scales(counts).astype("float16")
        zeros = abs(draw(counts, seed=1))
        widened = numpy.repeat(scales, self.size, -1).astype("float32")
        values = (elements - numpy.repeat(zeros, self.size, -1)) * widened
        return pack(elements), scales, zeros, values

    def check(self, function, shape, sizes, multiply_groups):
        """A has that shape without k."""
        offsets = numpy.array(sizes, "int32")
        for dtype, zero_type, name in (("int4", "int8", "b"), ("uint4", "uint8", "b"),
                                       ("uint4", "int8", "a")):
            with self.subTest(dtype, zero_points=zero_type, operand=name):
                other = (self.groups, self.n)
                packed, scales, zeros, values = self.draw_weights(
                    shape if name == "a" else other, dtype)
                wide = draw((*(other if name == "a" else shape), self.k), "float16")
                factors = (packed, wide) if name == "a" else (wide, packed)
                exact = (values, wide) if name == "a" else (wide, values)
                out = numpy.full((*shape, self.n), 77, "float32")
                expected = multiply_groups(exact[0], exact[1].swapaxes(-1, -2), sizes,
                                           out.copy())
                named = {"dtype_" + name: dtype,
                         "scale_" + name: lay_out_scales(name, scales),
                         "zero_points": lay_out_scales(name, zeros.astype(zero_type))}
                function(factors[0], factors[1].swapaxes(-1, -2), offsets, out,
                         group_size=self.size, **named)
                numpy.testing.assert_array_equal(out, expected)

    def test_contiguous(self):
        if HAS_GROUPS:
            self.check(tcgemm.grouped_matmul, (self.m,), (7, 7, 38), multiply)

    def test_padded(self):
        if HAS_GROUPS:
            self.check(tcgemm.grouped_matmul_padded, (self.groups, self.m),
                       (40, 0, 33), multiply_padded)

    def test_result_type(self):
        if not HAS_GROUPS:
            return
        packed, scales, _, _ = self.draw_weights((self.m,), "int4")
        b = draw((1, self.k, 16), "float16")
        result = tcgemm.grouped_matmul(
            packed, b, numpy.array([self.m], "int32"), dtype_a="int4",
            scale_a=numpy.asfortranarray(scales), group_size=self.size)
        self.assertEqual(result.dtype, "float16")

    def test_errors(self):
        a, b = draw((8, 128), "float16"), pack(draw((2, 40, 128))).swapaxes(1, 2)
        offsets = numpy.array([3, 8], "int32")
        scales = numpy.ones((2, 2, 40), "float32")
        def refuse(message, **named):
            with self.assertRaises(ValueError) as caught:
                tcgemm.grouped_matmul(a, b, offsets, **named)
            self.assertEqual(str(caught.exception), message)
        refuse("a has 128 columns, but the matrices of b have 64 rows")
        refuse("group_size is 64, so that there must be a scale_b, and no other scales",
               dtype_b="int4", group_size=64)
        refuse("the strides of scale_b must be (80, 1, 2), not (80, 40, 1)",
               dtype_b="int4", group_size=64, scale_b=scales)
        refuse("the type of a must be uint8, whose bytes have two elements of int4, "
               "not float16", dtype_a="int4")
        refuse("there are zero_points, but there is no group_size", dtype_b="int4",
               zero_points=scales)
        with self.assertRaises(TypeError):
            tcgemm.grouped_matmul_along_k(a, b[0], offsets, dtype_b="int4")


class ScalesTest(unittest.TestCase):
    """Products of FP8 whose blocks have scales."""

    m, n, k, groups = 40, 136, 272, 3

    def check(self, function, a, sizes, multiply_groups):
        """`a` has a matrix for all groups, or one for each."""
        b = draw((self.groups, self.n, self.k), seed=1)
        # The scales of A have m innermost, and those of B have K.
        scale_a = draw_scales((*a.shape[:-2], 3, self.m)).swapaxes(-1, -2)
        scale_b = draw_scales((self.groups, 2, 3), seed=2).swapaxes(-1, -2)
        scaled = (a * widen(scale_a, (1,) * (a.ndim - 1) + (128,), a.shape),
                  b * widen(scale_b.swapaxes(-1, -2), (1, 128, 128), b.shape))
        factors = [DLPackArray(to_e4m3(each), code=DLPackArray.E4M3)
                   for each in (a, b.swapaxes(-1, -2))]
        offsets = DLPackArray(numpy.array(sizes, "int32"))
        for has_a, has_b in ((True, True), (True, False), (False, True)):
            named = {"scale_a": DLPackArray(scale_a)} if has_a else {}
            if has_b:
                named["scale_b"] = DLPackArray(scale_b)
            out = DeviceArray(numpy.full((*a.shape[:-1], self.n), 77, "float32"))
            left, right = scaled[0] if has_a else a, scaled[1] if has_b else b
            expected = multiply_groups(left, right.swapaxes(-1, -2), sizes,
                                       out.array.copy())
            function(*factors, offsets, out, **named)
            numpy.testing.assert_array_equal(out.get(), expected)

    def test_contiguous(self):
        if HAS_GROUPS:
            self.check(tcgemm.grouped_matmul, draw((self.m, self.k)), (7, 7, 38),
                       multiply)

    def test_padded(self):
        if HAS_GROUPS:
            self.check(tcgemm.grouped_matmul_padded,
                       draw((self.groups, self.m, self.k)), (40, 0, 33),
                       multiply_padded)

    def test_errors(self):
        a, b = draw((8, 128), "float16"), draw((2, 128, 40), "float16")
        offsets, scales = numpy.array([3, 8], "int32"), numpy.ones((1, 8), "float32")
        with self.assertRaisesRegex(
                ValueError, r"the shape of scale_a must be \(8, 1\), not \(1, 8\)"):
            tcgemm.grouped_matmul(a, b, offsets, scale_a=scales)
        with self.assertRaisesRegex(
                ValueError, r"the shape of scale_b must be \(2, 1, 1\), not \(1, 8\)"):
            tcgemm.grouped_matmul(a, b, offsets, scale_b=scales)
        with self.assertRaisesRegex(tcgemm.Error, "TCGEMM_NOT_SUPPORTED"):
            tcgemm.grouped_matmul(a, b, offsets, scale_a=scales.T)
        with self.assertRaises(TypeError):
            tcgemm.grouped_matmul_along_k(a, b[0], offsets, scale_a=scales.T)


# A process whose assertion failed cannot use its device any more.
WRONG_SIZES = """
import numpy, tcgemm
a, b = numpy.ones((2, 8, 16), "float16"), numpy.ones((2, 16, 8), "float16")
sizes = numpy.array([5, 4], "int32")
try:
    %s
except tcgemm.Error as error:
    print(error)
"""


class CheckedTest(unittest.TestCase):
    def check(self, call, rule):
        text = WRONG_SIZES % call
        done = subprocess.run([sys.executable, "-c", text], check=True,
                              capture_output=True, text=True)
        self.assertIn("TCGEMM_DRIVER: cuStreamSynchronize: 710", done.stdout)
        self.assertIn(rule, done.stdout)

    def test_right_sizes(self):
        if not HAS_GROUPS:
            return
        a, b = draw((8, 24), "float16"), draw((2, 24, 40), "float16", seed=1)
        offsets = numpy.array([3, 8], "int32")
        numpy.testing.assert_array_equal(
            tcgemm.grouped_matmul(a, b, offsets, check_offsets=True),
            tcgemm.grouped_matmul(a, b, offsets))

    def test_wrong_sizes(self):
        if not HAS_GROUPS:
            return
        self.check("tcgemm.grouped_matmul(a[0], b, sizes, check_offsets=True)",
                   "offsets of groups must not decrease or exceed the rows of A")
        self.check("tcgemm.grouped_matmul_padded(a[:, :4], b, sizes, check_offsets=True)",
                   "counts of groups must be from 0 to the rows of each matrix of A")
        self.check("tcgemm.grouped_matmul_along_k(a[0], b[0], sizes, check_offsets=True)",
                   "offsets of groups must not decrease or exceed k")


def swap(array):
    """The same elements, with the other one of the last two dimensions innermost."""
    return array.swapaxes(-1, -2).copy().swapaxes(-1, -2)


class PaddedTest(unittest.TestCase):
    def test_products(self):
        a, b = draw((3, 70, 24), "float16"), draw((3, 24, 40), "float16", seed=1)
        a[1, 5:] = numpy.nan  # No result depends on rows that are left out.
        for counts in ((70, 5, 33), (0, 0, 1), (0, 0, 0)):
            counts = numpy.array(counts, "int32")
            for right in (b, swap(b)):
                out = numpy.full((3, 70, 40), 77, "float16")
                expected = multiply_padded(a, right, counts, out.copy())
                self.assertIs(tcgemm.grouped_matmul_padded(a, right, counts, out),
                              out)
                numpy.testing.assert_array_equal(out, expected)

    def test_strides(self):
        """Matrices with gaps between them and between their rows."""
        a, b = (draw(shape, "float16", seed)[1::2, :, 3:-5] for shape, seed in
                (((6, 33, 32), 0), ((6, 24, 48), 1)))
        counts = numpy.array([33, 0, 20], "int32")
        whole = numpy.full((3, 40, 56), 77, "float32")
        expected = whole.copy()
        multiply_padded(a, b, counts, expected[:, 4:37, 8:48])
        tcgemm.grouped_matmul_padded(a, b, counts, whole[:, 4:37, 8:48])
        numpy.testing.assert_array_equal(whole, expected)

    def test_counts_out_of_range(self):
        a, b = draw((2, 8, 24), "float16"), draw((2, 24, 40), "float16", seed=1)
        out = numpy.full((2, 8, 40), 77, "float32")
        tcgemm.grouped_matmul_padded(a, b, numpy.array([-3, 9], "int32"), out)
        numpy.testing.assert_array_equal(
            out, multiply_padded(a, b, [0, 8], numpy.full((2, 8, 40), 77, "float32")))

    def test_epilogue(self):
        a, b = draw((2, 8, 24), "float16"), draw((2, 24, 40), "float16", seed=1)
        bias, rows = draw((40,), "float32", seed=2), draw((8,), "float32", seed=3)
        residual, c = (draw((2, 8, 40), "float32", seed=seed) for seed in (4, 5))
        counts, out = [8, 3], numpy.full((2, 8, 40), 77, "float32")
        product = multiply_padded(a, b, [8, 8], numpy.empty_like(out))
        expected = (numpy.maximum((2 * product - 0.5 * c + bias) * rows[:, None], 0)
                    + residual)
        expected[1, 3:] = 77
        tcgemm.grouped_matmul_padded(
            a, b, numpy.array(counts, "int32"), out, alpha=2, beta=-0.5, c=c,
            bias=bias, epilogue="rowscale_relu_residual", operands=(rows, residual))
        numpy.testing.assert_array_equal(out, expected)

    def test_no_terms(self):
        out = numpy.full((2, 8, 40), 77, "float32")
        tcgemm.grouped_matmul_padded(
            numpy.empty((2, 8, 0), "float16"), numpy.empty((2, 0, 40), "float16"),
            numpy.array([3, 8], "int32"), out)
        expected = numpy.zeros_like(out)
        expected[0, 3:] = 77
        numpy.testing.assert_array_equal(out, expected)

    def test_device_arrays(self):
        a, b = draw((2, 8, 24), "float16"), draw((2, 24, 40), "float16", seed=1)
        counts = numpy.array([8, 3], "int32")
        out = DeviceArray(numpy.full((2, 8, 40), 77, "float16"))
        tcgemm.grouped_matmul_padded(DeviceArray(a), DeviceArray(b),
                                     DeviceArray(counts), out)
        numpy.testing.assert_array_equal(
            out.get(),
            multiply_padded(a, b, counts, numpy.full((2, 8, 40), 77, "float16")))


class AlongKTest(unittest.TestCase):
    def multiply(self, a, b, offsets, shape):
        out = numpy.zeros(shape, "float32")
        begin = 0
        for result, end in zip(out, offsets):
            result[:] = (a[:, begin:end].astype("float32")
                         @ b[begin:end].astype("float32"))
            begin = end
        return out

    def test_products(self):
        a, b = draw((40, 110), "float16"), draw((110, 72), "float16", seed=1)
        for ends in ((70, 70, 100), (1, 4, 110), (0, 0, 0)):
            offsets = numpy.array(ends, "int32")
            for left in (a, swap(a)):
                for right in (b, swap(b)):
                    d = tcgemm.grouped_matmul_along_k(left, right, offsets,
                                                      out_dtype="float32")
                    numpy.testing.assert_array_equal(
                        d, self.multiply(a, b, offsets, (3, 40, 72)))

    def test_values_of_other_groups(self):
        """Infinities and NaN stay in their group, or have no effect in none."""
        ends = numpy.array([9, 13, 27], "int32")
        for turn in (swap, numpy.copy):
            a, b = draw((40, 30), "float16"), draw((30, 72), "float16", seed=1)
            expected = self.multiply(a, b, ends, (3, 40, 72))
            for terms in (slice(9, 13), slice(27, 30)):
                a[:, terms], b[terms] = numpy.nan, numpy.inf
            d = tcgemm.grouped_matmul_along_k(turn(a), turn(b), ends,
                                              out_dtype="float32")
            self.assertTrue(numpy.isnan(d[1]).all())
            numpy.testing.assert_array_equal(d[::2], expected[::2])

    def test_epilogue(self):
        a, b = draw((40, 30), "float16"), draw((30, 72), "float16", seed=1)
        bias, c = draw((72,), "float32", seed=2), draw((2, 40, 72), "float32", seed=3)
        d = tcgemm.grouped_matmul_along_k(
            a, b, numpy.array([30, 30], "int32"), out_dtype="float32", alpha=2,
            beta=0.5, c=c, bias=bias, epilogue="relu")
        numpy.testing.assert_array_equal(
            d, numpy.maximum(2 * self.multiply(a, b, (30, 30), (2, 40, 72))
                             + 0.5 * c + bias, 0))

    def test_sums_in_place(self):
        """Gradients of several steps are added: c is out."""
        a, b = draw((40, 30), "float16"), draw((30, 72), "float16", seed=1)
        total = draw((2, 40, 72), "float32", seed=2)
        total = DeviceArray(total)
        expected = total.array + self.multiply(a, b, (9, 30), (2, 40, 72))
        tcgemm.grouped_matmul_along_k(
            DeviceArray(a), DeviceArray(b), DeviceArray(numpy.array([9, 30], "int32")),
            total, beta=1, c=total)
        numpy.testing.assert_array_equal(total.get(), expected)

    def test_no_terms(self):
        d = tcgemm.grouped_matmul_along_k(
            numpy.empty((40, 0), "float16"), numpy.empty((0, 72), "float16"),
            numpy.zeros(3, "int32"))
        numpy.testing.assert_array_equal(d, numpy.zeros((3, 40, 72), "float16"))


class ErrorsTest(unittest.TestCase):
    function = staticmethod(tcgemm.grouped_matmul)

    def refuse(self, kind, message, *arguments, **named):
        with self.assertRaises(kind) as caught:
            self.function(*arguments, **named)
        self.assertEqual(str(caught.exception), message)

    def test_padded(self):
        self.function = tcgemm.grouped_matmul_padded
        a, b = draw((2, 8, 24), "float16"), draw((2, 24, 40), "float16")
        counts = numpy.array([3, 8], "int32")
        self.refuse(ValueError, "the number of dimensions of a must be 3, not 2",
                    a[0], b, counts)
        self.refuse(ValueError, "a has 1 matrices, but b has 2", a[:1], b, counts)
        self.refuse(ValueError, "the matrices of a have 23 columns, but those of b "
                    "have 24 rows", a[:, :, :23], b, counts)
        self.refuse(ValueError, "the shape of counts must be (2,), a number for "
                    "each matrix of b, not (1,)", a, b, counts[:1])
        self.refuse(ValueError, "the type of counts must be int32, not int64",
                    a, b, counts.astype("int64"))
        self.refuse(ValueError, "the strides of a must be 1 along rows, not "
                    "(192, 1, 8)", swap(a), b, counts)
        self.refuse(ValueError, "the shape of out must be (2, 8, 40), not (8, 40)",
                    a, b, counts, numpy.empty((8, 40), "float16"))

    def test_along_k(self):
        self.function = tcgemm.grouped_matmul_along_k
        a, b = draw((24, 8), "float16"), draw((8, 40), "float16")
        offsets = numpy.array([3, 8], "int32")
        self.refuse(ValueError, "the number of dimensions of b must be 2, not 3",
                    a, b[None], offsets)
        self.refuse(ValueError, "a has 7 columns, but b has 8 rows", a[:, :7], b,
                    offsets)
        self.refuse(ValueError, "the number of dimensions of offsets must be 1, not "
                    "2", a, b, offsets[None])
        self.refuse(ValueError, "the type of offsets must be int32, not float32",
                    a, b, offsets.astype("float32"))
        self.refuse(ValueError, "the shape of out must be (2, 24, 40), not (24, 40)",
                    a, b, offsets, numpy.empty((24, 40), "float16"))
        self.refuse(tcgemm.Error, "TCGEMM_NOT_SUPPORTED: groups along k: the types "
                    "must be those that wgmma multiplies, but are f32",
                    a.astype("float32"), b.astype("float32"), offsets)

    def test_arrays(self):
        a, b = draw((8, 24), "float16"), draw((2, 24, 40), "float16")
        offsets = numpy.array([3, 8], "int32")
        self.refuse(ValueError, "the number of dimensions of b must be 3, not 2",
                    a, b[0], offsets)
        self.refuse(ValueError, "a has 23 columns, but the matrices of b have 24 "
                    "rows", a[:, :23], b, offsets)
        self.refuse(ValueError, "the shape of offsets must be (2,), a number for "
                    "each matrix of b, not (1,)", a, b, offsets[:1])
        self.refuse(ValueError, "the type of offsets must be int32, not float32",
                    a, b, offsets.astype("float32"))
        self.refuse(ValueError, "the stride of offsets must be 1, not 2",
                    a, b, numpy.array([3, 0, 8, 0], "int32")[::2])
        self.refuse(ValueError, "the strides of a must be 1 along rows, not (1, 8)",
                    numpy.asfortranarray(a), b, offsets)
        self.refuse(ValueError, "the shape of out must be (8, 40), not (8, 41)",
                    a, b, offsets, numpy.empty((8, 41), "float16"))
        self.refuse(tcgemm.Error, "TCGEMM_NOT_SUPPORTED: groups of rows: the types "
                    "must be those that wgmma multiplies, but are f32",
                    a.astype("float32"), b.astype("float32"), offsets)
        self.refuse(ValueError, "epilogue bias reads 1 operands, but there are 0",
                    a, b, offsets, epilogue="bias")
        self.refuse(ValueError, "the shape of rowbias must be (8,), not (40,)",
                    a, b, offsets, epilogue="rowbias",
                    operands=(draw((40,), "float32"),))
        self.refuse(ValueError, "beta is 1, but there is no c", a, b, offsets,
                    beta=1)


if __name__ == "__main__":
    # GroupedTest tests that other chips have no grouped products.
    unittest.main(defaultTest=None if HAS_GROUPS else ["GroupedTest", "ErrorsTest"])
