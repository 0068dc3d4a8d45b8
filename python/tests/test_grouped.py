"""Tests of groups of rows on the emulated driver; the environment is set by
integration_test/python-emulator.test."""

import os
import unittest

import numpy
import tcgemm
from arrays import DeviceArray, draw

HAS_GROUPS = os.environ["TCGEMM_DRIVER_CHIP"] == "sm_90a"


def multiply(a, b, offsets, out):
    begin = 0
    for matrix, end in zip(b, offsets):
        out[begin:end] = a[begin:end].astype("float32") @ matrix.astype("float32")
        begin = end
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


class ErrorsTest(unittest.TestCase):
    def refuse(self, kind, message, *arguments, **named):
        with self.assertRaises(kind) as caught:
            tcgemm.grouped_matmul(*arguments, **named)
        self.assertEqual(str(caught.exception), message)

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
    unittest.main()
