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
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: k is 0, but it must be 1 "
                    "to 2147483647", a[:, :0], b[:, :0], offsets)
        self.refuse(tcgemm.Error, "TCGEMM_NOT_SUPPORTED: types of A and B: groups "
                    "of rows have floats, not s8", a.astype("int8"),
                    b.astype("int8"), offsets)


if __name__ == "__main__":
    unittest.main()
