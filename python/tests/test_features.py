"""Tests of scales, operands of 4 bits, reductions and algebras on the emulated driver;
its environment is set by integration_test/python-emulator.test."""

import os
import unittest

import numpy
import tcgemm
from arrays import DeviceArray, DLPackArray, draw, draw_scales, pack, to_e4m3

HAS_WGMMA = os.environ["TCGEMM_DRIVER_CHIP"] == "sm_90a"


class ScalesTest(unittest.TestCase):
    def test_blocks(self):
        m, n, k = 40, 136, 272
        a, b = draw((m, k)), draw((n, k), seed=1)
        scale_a, scale_b = draw_scales((3, m)), draw_scales((2, 3), seed=2)
        wide_a = numpy.repeat(scale_a, 128, 0)[:k].T
        wide_b = numpy.repeat(numpy.repeat(scale_b, 128, 0), 128, 1)[:n, :k]
        for has_a, has_b in ((True, True), (True, False), (False, True)):
            named = {}
            left, right = a, b
            if has_a:
                left = a * wide_a
                named["scale_a"] = DLPackArray(scale_a.T)
            if has_b:
                right = b * wide_b
                named["scale_b"] = DLPackArray(scale_b.T)
            out = DeviceArray(numpy.zeros((m, n), "float32"))
            factors = [DLPackArray(each, code=DLPackArray.E4M3)
                       for each in (to_e4m3(a), to_e4m3(b).T)]
            if not HAS_WGMMA:
                with self.assertRaises(tcgemm.Error) as caught:
                    tcgemm.matmul(*factors, out, **named)
                self.assertEqual(caught.exception.status, "TCGEMM_NOT_SUPPORTED")
                continue
            tcgemm.matmul(*factors, out, **named)
            numpy.testing.assert_array_equal(out.get(), left @ right.T)

    def test_groups(self):
        m, n, k, size = 24, 40, 256, 64
        for dtype, zero_type in (("int4", None), ("int4", "int8"), ("uint4", "uint8")):
            with self.subTest(dtype, zero_points=zero_type):
                a, w = draw((m, k), "float16"), draw((n, k), seed=3)
                if dtype == "uint4":
                    w = w + 5
                scales = draw_scales((n, k // size)).astype("float16")
                zeros = abs(draw((n, k // size), seed=1))
                values = w - (numpy.repeat(zeros, size, 1) if zero_type else 0)
                values = values * numpy.repeat(scales, size, 1).astype("float32")
                named = {"zero_points": zeros.astype(zero_type).T} if zero_type else {}
                result = tcgemm.matmul(a, pack(w).T, dtype_b=dtype, scale_b=scales.T,
                                       group_size=size, out_dtype="float32", **named)
                numpy.testing.assert_array_equal(result,
                                                 a.astype("float32") @ values.T)

    def test_interleaved(self):
        m, n, k, size = 24, 40, 256, 64
        a, w = draw((m, k), "float16"), draw((n, k), seed=3) + 5
        scales = draw_scales((n, k // size)).astype("float16")
        values = w * numpy.repeat(scales, size, 1).astype("float32")
        weights = tcgemm.interleave(pack(w))
        def multiply():
            return tcgemm.matmul(a, weights.T, dtype_b="uint4_interleaved",
                                 scale_b=scales.T, group_size=size,
                                 out_dtype="float32")
        if not HAS_WGMMA:
            with self.assertRaises(tcgemm.Error) as caught:
                multiply()
            self.assertEqual(caught.exception.status, "TCGEMM_NOT_SUPPORTED")
            return
        numpy.testing.assert_array_equal(multiply(), a.astype("float32") @ values.T)

    def test_order_of_interleaved(self):
        elements = numpy.arange(64).reshape(1, 64) % 16
        places = [8 * (i % 8 // 2) + 4 * (i % 2) + i // 8 for i in range(32)]
        expected = numpy.empty_like(elements)
        for block in (0, 32):
            for i, place in enumerate(places):
                expected[0, block + place] = elements[0, block + i]
        # Rows with a gap, and several dimensions.
        gap = numpy.zeros((2, 3, 40), "uint8")
        gap[:, :, :32] = pack(elements)
        result = tcgemm.interleave(gap[:, :, :32])
        self.assertEqual((result.shape, result.dtype), ((2, 3, 32), "uint8"))
        numpy.testing.assert_array_equal(
            result, numpy.broadcast_to(pack(expected), (2, 3, 32)))

    def test_batches(self):
        batch, m, n, k, size = 2, 24, 40, 128, 64
        a, w = draw((batch, m, k), "float16"), draw((batch, n, k), seed=3)
        scales = draw_scales((batch, n, k // size))
        values = w * numpy.repeat(scales, size, 2)
        wide = a.astype("float32")
        def multiply(b, scale_b):
            return tcgemm.matmul(a, b, dtype_b="int4", scale_b=scale_b,
                                 group_size=size, out_dtype="float32")
        numpy.testing.assert_array_equal(
            multiply(pack(w).swapaxes(1, 2), scales.swapaxes(1, 2)),
            wide @ values.swapaxes(1, 2))
        # All products share a matrix, and its scales.
        numpy.testing.assert_array_equal(multiply(pack(w[0]).T, scales[0].T),
                                         wide @ values[0].T)

    def test_packed_operands(self):
        w, x = draw((24, 64)), draw((64, 40), "float16", seed=1)
        result = tcgemm.matmul(pack(w), x, dtype_a="int4")
        self.assertEqual(result.dtype, "float16")
        numpy.testing.assert_array_equal(
            result, (w @ x.astype("float32")).astype("float16"))
        # A row has a gap behind its bytes.
        gap = numpy.zeros((24, 48), "uint8")
        gap[:, :32] = pack(w)
        numpy.testing.assert_array_equal(
            tcgemm.matmul(x.T[:5], gap[:, :32].T, dtype_b="int4", out_dtype="float32"),
            x.T[:5].astype("float32") @ w.T)
        # One column, and one byte along k.
        for rows, depth in ((1, 64), (24, 2)):
            part = x.T[:5, :depth]
            numpy.testing.assert_array_equal(
                tcgemm.matmul(part, pack(w[:rows, :depth]).T, dtype_b="int4",
                              out_dtype="float32"),
                part.astype("float32") @ w[:rows, :depth].T)
        # Integers by 4 bits have sums of integers.
        y = draw((24, 64), "int8", seed=2)
        result = tcgemm.matmul(y, pack(w).T, dtype_b="int4")
        self.assertEqual(result.dtype, "int32")
        numpy.testing.assert_array_equal(result, (y @ w.T).astype("int32"))


class ReductionsTest(unittest.TestCase):
    def test_results(self):
        a, b, bias = draw((24, 64)), draw((64, 40), seed=1), draw((40,), seed=2)
        d = a @ b + bias
        results = tcgemm.matmul(
            a, b, bias=bias, reductions="row-max_column-sum_amax_row-argmax_argmax")
        expected = (d, d.max(1), d.sum(0), abs(d).max(),
                    d.argmax(1).astype("int32"), numpy.int64(d.argmax()))
        self.assertEqual(len(results), len(expected))
        for value, result in zip(expected, results):
            numpy.testing.assert_array_equal(result, value)
            self.assertEqual(result.dtype, value.dtype)

    def test_batches(self):
        a, b = draw((2, 24, 64)), draw((2, 64, 40), seed=1)
        d, sums, total = tcgemm.matmul(a, b, reductions="column-sum_sum")
        numpy.testing.assert_array_equal(sums, (a @ b).sum(1))
        self.assertEqual(total, (a @ b).sum())

    def test_arrays(self):
        a, b = draw((24, 64)), draw((64, 40), seed=1)
        out, maxima = (DeviceArray(numpy.zeros(shape, "float32"))
                       for shape in ((24, 40), (24,)))
        result = tcgemm.matmul(DeviceArray(a), DeviceArray(b), out,
                               reductions="row-max", reduction_outs=(maxima,))
        self.assertIs(result[1], maxima)
        numpy.testing.assert_array_equal(maxima.get(), (a @ b).max(1))

    def test_integers(self):
        a, b = draw((24, 64), "int8"), draw((64, 40), "int8", seed=1)
        d = a.astype("int32") @ b.astype("int32")
        _, sums = tcgemm.matmul(a, b, reductions="row-sum")
        numpy.testing.assert_array_equal(sums, d.sum(1))
        self.assertEqual(sums.dtype, "int32")
        # The epilogue computes in float32.
        _, sums = tcgemm.matmul(a, b, epilogue="relu", reductions="row-sum")
        numpy.testing.assert_array_equal(sums, numpy.maximum(d, 0).sum(1))
        self.assertEqual(sums.dtype, "float32")


class AlgebrasTest(unittest.TestCase):
    def test_algebras(self):
        a, b = draw((24, 64)), draw((64, 40), seed=1)
        pairs = a[:, :, None], b[None]
        for algebra, expected in (
                ("max-plus", (pairs[0] + pairs[1]).max(1)),
                ("min-max", numpy.maximum(*pairs).min(1)),
                ("plus-times", a @ b)):
            numpy.testing.assert_array_equal(tcgemm.matmul(a, b, algebra=algebra),
                                             expected)
        numpy.testing.assert_array_equal(
            tcgemm.einsum("mk,kn->nm", a, b, algebra="max-plus"),
            (pairs[0] + pairs[1]).max(1).T)
        d, least = tcgemm.matmul(a, b, algebra="max-plus", reductions="row-min")
        numpy.testing.assert_array_equal(least, d.min(1))
        bits = [x.astype("int32") for x in (a, b)]
        numpy.testing.assert_array_equal(
            tcgemm.matmul(*bits, algebra="or-and"),
            numpy.bitwise_or.reduce(bits[0][:, :, None] & bits[1][None], 1))


class ComplexTest(unittest.TestCase):
    def test_products(self):
        for dtype in ("complex64", "complex128"):
            a = (draw((24, 36)) + 1j * draw((24, 36), seed=1)).astype(dtype)
            b = (draw((36, 40), seed=2) + 1j * draw((36, 40), seed=3)).astype(dtype)
            c = (draw((24, 40)) + 1j * draw((24, 40), seed=1)).astype(dtype)
            # Rows of larger arrays.
            wide = numpy.zeros((36, 48), dtype)
            wide[:, 4:44] = b
            for expected, arguments, named in (
                    (a @ b, (a, b), {}),
                    (a @ b, (a, numpy.asfortranarray(b)), {}),
                    (a @ b, (numpy.asfortranarray(a), b), {}),
                    (a @ b, (a, wide[:, 4:44]), {}),
                    (a.conj() @ b, (a, b), {"algebra": "complex-conj-a"}),
                    (a.conj() @ b.conj(), (a, b), {"algebra": "complex-conj-ab"}),
                    (2 * (a @ b) - 3 * c, (a, b), {"alpha": 2, "beta": -3, "c": c}),
                    (a @ b + c, (a, b), {"epilogue": "residual", "operands": (c,)})):
                result = tcgemm.matmul(*arguments, **named)
                numpy.testing.assert_array_equal(result, expected)
                self.assertEqual(result.dtype, dtype)

    def test_batches(self):
        a, b = draw((2, 24, 36)) + 1j * draw((2, 24, 36), seed=1), draw((2, 36, 40)) - 1j
        numpy.testing.assert_array_equal(tcgemm.matmul(a, b), a @ b)
        a, b = a.astype("complex64"), b.astype("complex64")
        numpy.testing.assert_array_equal(tcgemm.matmul(a, b), a @ b)

    def test_device_arrays(self):
        a, b = draw((24, 36)) + 1j * draw((24, 36), seed=1), draw((36, 40)) - 1j
        out = DLPackArray(numpy.zeros((24, 40), "complex64"))
        tcgemm.matmul(*(DLPackArray(x.astype("complex64")) for x in (a, b)), out)
        numpy.testing.assert_array_equal(out.inner.get(), a @ b)


class ErrorsTest(unittest.TestCase):
    def refuse(self, kind, message, *arguments, **named):
        with self.assertRaises(kind) as caught:
            tcgemm.matmul(*arguments, **named)
        self.assertEqual(str(caught.exception), message)

    def test_scales(self):
        a, b, scales = draw((24, 256), "float16"), pack(draw((40, 256))), draw((40, 2))
        named = {"dtype_b": "int4", "group_size": 128}
        def refuse(message, **changed):
            self.refuse(ValueError, message, a, b.T, **{**named, **changed})
        refuse("group_size is 128, so that there must be a scale_b, and no other "
               "scales")
        refuse("group_size is 128, so that there must be a scale_b, and no other "
               "scales", scale_a=scales, scale_b=scales)
        refuse("the shape of scale_b must be (2, 40), not (40, 2)", scale_b=scales)
        refuse("the strides of scale_b must be (1, 2), not (40, 1)",
               scale_b=numpy.ascontiguousarray(scales.T))
        refuse("the type of scale_b must be float32 or float16 or bfloat16, not "
               "float64", scale_b=scales.T.astype("float64"))
        refuse("group_size must be 1 or more, not 0", scale_b=scales.T, group_size=0)
        refuse("the type of zero_points must be int8 or uint8, not int32",
               scale_b=scales.T, zero_points=scales.astype("int32").T)
        refuse("there are zero_points, but there is no group_size", group_size=None,
               zero_points=scales)
        refuse("dtype_b must be None, or one of int4, uint4, int4_interleaved, "
               "uint4_interleaved, not 'int8'",
               dtype_b="int8", group_size=None)
        refuse("the type of a must be uint8, whose bytes have two elements of int4, "
               "not float16", dtype_a="int4", group_size=None)
        refuse("a has 256 columns, but b has 128 rows", dtype_b=None, group_size=None)
        for kind, message, weights in (
                (ValueError, "the type of weights must be uint8, not float16", a),
                (ValueError, "the number of dimensions of weights must be 1 or more, "
                 "not 0", numpy.array(1, "uint8")),
                (TypeError, "weights are on a GPU, but must be a NumPy array",
                 DeviceArray(b))):
            with self.assertRaises(kind) as caught:
                tcgemm.interleave(weights)
            self.assertEqual(str(caught.exception), message)
        with self.assertRaisesRegex(tcgemm.Error, "TCGEMM_INVALID_VALUE: .*32"):
            tcgemm.interleave(b[:, :24])
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: groupSize is 100, but it must "
                    "be 0, 32, 64, 128 or 256", a, b.T, dtype_b="int4", group_size=100,
                    scale_b=draw((40, 3)).T)
        self.refuse(tcgemm.Error, "TCGEMM_NOT_SUPPORTED: block scales: A and B are of "
                    "f32, but only e4m3 and e5m2 have them", draw((24, 128)),
                    draw((128, 40)), scale_a=numpy.ones((1, 24), "float32").T)
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: transB is TCGEMM_N, but k must "
                    "be innermost in B, whose elements of 4 bits share bytes along it",
                    a, numpy.ascontiguousarray(b.T), dtype_b="int4")

    def test_reductions(self):
        a, b = draw((24, 64)), draw((64, 40))
        with self.assertRaisesRegex(tcgemm.Error, "TCGEMM_INVALID_VALUE: .*row-median"):
            tcgemm.matmul(a, b, reductions="row-median")
        self.refuse(ValueError, "reductions are 1, but there are 2 arrays for them",
                    a, b, reductions="amax", reduction_outs=(a, b))
        self.refuse(ValueError, "reductions are 0, but there are 1 arrays for them",
                    a, b, reduction_outs=(a,))
        self.refuse(ValueError, "the shape of row-max must be (24,), not (40,)", a, b,
                    reductions="row-max", reduction_outs=(draw((40,)),))
        self.refuse(ValueError, "the type of argmax must be int64, not float32", a, b,
                    reductions="argmax", reduction_outs=(draw(()),))
        self.refuse(ValueError, "the strides of row-max must be (1,), not (2,)", a, b,
                    reductions="row-max", reduction_outs=(draw((48,))[::2],))
        self.refuse(ValueError, "the number of reductions must be 8 at most, not 9", a,
                    b, reductions="_".join(["amax"] * 9))
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: reductions: D is 0x40 with "
                    "batch 1, but it must have elements that are reduced", a[:0], b,
                    reductions="amax")

    def test_algebras(self):
        a, b = draw((24, 64), "float16"), draw((64, 40), "float16")
        self.refuse(tcgemm.Error, "TCGEMM_NOT_SUPPORTED: algebra: A and B are of f16, "
                    "but only f32, f64 and s32 have max-plus", a, b, algebra="max-plus")
        operations = ("times, plus, max, min, maxnum, minnum, maxu, minu, and, or, xor, "
                      "joined by '-', for arrays that are not complex")
        for algebra in ("complex", "quaternion-conj-a", "max", "max-div"):
            self.refuse(ValueError, "algebra must be two of %s, not '%s'"
                        % (operations, algebra), a, b, algebra=algebra)

    def test_complex(self):
        a, b = draw((24, 36), "complex64"), draw((36, 40), "complex64")
        self.refuse(ValueError, "a and out complex, but all of a, b and out must be, or "
                    "none", a, b.real.copy())
        self.refuse(ValueError, "a and b complex, but all of a, b and out must be, or "
                    "none", a, b, out_dtype="float32")
        self.refuse(ValueError, "algebra must be one of complex, complex-conj-a, "
                    "complex-conj-b, complex-conj-ab for complex arrays, not "
                    "'plus-times'", a, b, algebra="plus-times")
        self.refuse(tcgemm.Error, "TCGEMM_NOT_SUPPORTED: algebra complex: numbers with "
                    "components do not go with bias", a, b,
                    bias=draw((40,), "float32"))
        self.refuse(tcgemm.Error, "TCGEMM_NOT_SUPPORTED: algebra complex: numbers with "
                    "components do not go with reductions", a, b, reductions="amax")
        names = ("float16, bfloat16, float32, float64, float8_e4m3fn, float8_e5m2, int8, "
                 "uint8, int32")
        with self.assertRaisesRegex(TypeError, "a has elements of type complex64, which "
                                    "is none of " + names):
            tcgemm.einsum("mk,kn->mn", a, b)

    def test_unused_arguments(self):
        a, b = draw((24, 64)), draw((64, 40))
        self.refuse(ValueError, "there is a c, but beta is 0", a, b, c=draw((24, 40)))
        self.refuse(ValueError, "epilogue_body is empty", a, b, epilogue_body="")
        self.refuse(ValueError, "epilogueBody has a NUL character, which ends texts: "
                    "'%result = math.absf %sum : f32\\x00x'", a, b,
                    epilogue_body="%result = math.absf %sum : f32\0x")
        self.refuse(ValueError, "precision has a NUL character, which ends texts: "
                    "'ieee\\x00'", a, b, precision="ieee\0")
        with self.assertRaisesRegex(tcgemm.Error, "TCGEMM_INVALID_VALUE: epilogue"):
            tcgemm.matmul(a, b, epilogue="")
        self.refuse(TypeError, "a has elements of type int64, which is none of float16, "
                    "bfloat16, float32, float64, float8_e4m3fn, float8_e5m2, int8, "
                    "uint8, int32", a.astype("int64"), b)
        with self.assertRaisesRegex(ValueError, "there is a c, but beta is 0"):
            tcgemm.einsum("mk,kn->mn", a, b, c=draw((24, 40)))

    def test_shared_memory(self):
        a, b = DeviceArray(draw((32, 32))), DeviceArray(draw((32, 32)))
        with self.assertRaisesRegex(tcgemm.Error, "TCGEMM_INVALID_VALUE: A at 0x.* and "
                                    "D at 0x.* share memory, but a result must have "
                                    "memory of its own"):
            tcgemm.matmul(a, b, a)


if __name__ == "__main__":
    unittest.main()
