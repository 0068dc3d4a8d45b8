"""Tests of products by index string on the emulated driver; the environment is
set by integration_test/python-emulator.test."""

import unittest

import numpy
import tcgemm
from tcgemm._einsum import split
from arrays import DeviceArray, DLPackArray, draw


class EinsumTest(unittest.TestCase):
    def check(self, indices, a, b, out=None, **named):
        result = tcgemm.einsum(indices, a, b, out, **named)
        expected = numpy.einsum(indices, a, b)
        numpy.testing.assert_array_equal(result, expected)
        self.assertEqual(result.dtype, expected.dtype)
        if out is not None:
            self.assertIs(result, out)

    def test_strings(self):
        for indices, a, b in (
                ("mk,kn->mn", (12, 16), (16, 20)),
                (" mk , nk -> nm ", (12, 16), (20, 16)),
                ("bqhd,bkhd->bhqk", (2, 12, 3, 8), (2, 8, 3, 8)),
                ("bhqk,bkhd->bqhd", (2, 3, 12, 8), (2, 8, 3, 8)),
                ("aebf,fdec->abcd", (2, 4, 3, 8), (8, 2, 4, 4)),
                ("mkb,knb->mnb", (8, 8, 3), (8, 12, 3)),
                ("Xk,kn->Xn", (1, 16), (16, 20)),
                ("k,kn->n", (8,), (8, 12)),
                ("bk,bk->b", (5, 8), (5, 8)),
                ("m,n->mn", (5,), (8,)),
                ("m,mn->mn", (5,), (5, 8)),
                ("mk,kn->mn", (0, 16), (16, 20)),
                ("amk,kn->amn", (2, 3, 0), (0, 20))):
            with self.subTest(indices):
                self.check(indices, draw(a), draw(b, seed=1))

    def test_types(self):
        for dtype, result in (("float16", "float16"), ("float64", "float64"),
                              ("int8", "int32")):
            with self.subTest(dtype):
                a, b = draw((2, 8, 32), dtype), draw((2, 12, 32), dtype, seed=3)
                d = tcgemm.einsum("bmk,bnk->bmn", a, b)
                numpy.testing.assert_array_equal(
                    d, numpy.einsum("bmk,bnk->bmn", a.astype("float64"),
                                    b.astype("float64")))
                self.assertEqual(d.dtype, result)

    def test_broadcast(self):
        # Strides of 0 along both m and both k.
        a = numpy.broadcast_to(draw((1, 1, 1, 1)), (4, 8, 24, 2))
        for b in (draw((24, 2, 20)), draw((20, 24, 2)).transpose(1, 2, 0),
                  numpy.broadcast_to(draw((1, 1, 20)), (24, 2, 20))):
            self.check("abkl,kln->abn", a, b)

    def test_strides(self):
        a, b = draw((4, 8, 24)), draw((24, 20), seed=1)
        indices = "amk,kn->amn"
        for left in (a, a.transpose(1, 2, 0).copy().transpose(2, 0, 1),
                     draw((4, 8, 48))[:, :, ::2], draw((8, 8, 30))[::2, :, 6:],
                     numpy.broadcast_to(draw((8, 24)), (4, 8, 24))):
            for right in (b, numpy.asfortranarray(b), draw((48, 30))[::2, 3:23]):
                self.check(indices, left, right)
                self.check(indices, left, right,
                           numpy.empty((4, 8, 40), "float32")[:, :, ::2])
                self.check(indices, left, right,
                           numpy.empty((20, 8, 4), "float32").T)

    def test_gaps_are_kept(self):
        whole = numpy.full((8, 50), 77, "float32")
        a, b = draw((8, 16)), draw((16, 20))
        self.check("mk,kn->mn", a, b, whole[:, 4:44:2])
        expected = numpy.full((8, 50), 77, "float32")
        expected[:, 4:44:2] = a @ b
        numpy.testing.assert_array_equal(whole, expected)

    def test_epilogues(self):
        indices = "bmk,kn->mbn"
        a, b, c = draw((3, 8, 16)), draw((16, 20)), draw((8, 3, 20), seed=2)
        d = numpy.einsum(indices, a, b)
        numpy.testing.assert_array_equal(
            tcgemm.einsum(indices, a, b, epilogue="relu"), numpy.maximum(d, 0))
        numpy.testing.assert_array_equal(
            tcgemm.einsum(indices, a, b, epilogue="residual_scale",
                          operands=(c, numpy.array(3, "float32"))),
            (d + c) * 3)
        numpy.testing.assert_array_equal(
            tcgemm.einsum(indices, a, b, alpha=2, beta=-1, c=c), 2 * d - c)

    def test_vectors(self):
        """Those of b's letters and of a's, where each becomes the kernel's n."""
        sizes = dict(b=3, m=8, p=4, n=20, q=6, k=16)
        for indices in ("mk,kn->mn", "mk,nk->nm", "bmk,bkn->bmn", "bmk,bkn->nbm",
                        "mpk,knq->mpnq", "mpk,knq->nmqp", "kpm,qnk->mqpn",
                        "mk,k->m", "k,kn->n"):
            left, right, result = split(indices)
            a, b = (draw([sizes[x] for x in letters]) for letters in (left, right))
            columns = [x for x in result if x not in left]
            rows = [x for x in result if x not in right]

            def spread(vector, letters):
                return vector.reshape([sizes[x] if x in letters else 1
                                       for x in result])
            bias = draw([sizes[x] for x in columns], seed=3)
            scale = draw([sizes[x] for x in rows], seed=4)
            d = numpy.einsum(indices, a, b)
            with self.subTest(indices):
                numpy.testing.assert_array_equal(
                    tcgemm.einsum(indices, a, b, bias=bias,
                                  epilogue="rowscale_relu", operands=(scale,)),
                    numpy.maximum((d + spread(bias, columns))
                                  * spread(scale, rows), 0))
                body = ("%0 = arith.mulf %sum, %colscale : f32\n"
                        "%result = arith.subf %0, %rowbias : f32")
                numpy.testing.assert_array_equal(
                    tcgemm.einsum(indices, a, b, epilogue="colscale_rowbias",
                                  operands=(bias, scale), epilogue_body=body),
                    d * spread(bias, columns) - spread(scale, rows))
                narrow = [x.astype("float16") for x in (a, b, bias)]
                numpy.testing.assert_array_equal(
                    tcgemm.einsum(indices, *narrow[:2], bias=narrow[2]),
                    (d + spread(bias, columns)).astype("float16"))

    def test_epilogue_bodies(self):
        for indices, left, right in (("bmk,kn->mbn", (3, 8, 16), (16, 20)),
                                     ("mkb,knb->mnb", (8, 8, 3), (8, 12, 3))):
            a, b = draw(left), draw(right)
            numpy.testing.assert_array_equal(
                tcgemm.einsum(indices, a, b,
                              epilogue_body="%result = math.absf %sum : f32"),
                abs(numpy.einsum(indices, a, b)))

    def test_device_arrays(self):
        a, b = draw((4, 8, 24)).transpose(2, 0, 1), draw((24, 20))
        out = DeviceArray(numpy.zeros((4, 8, 20), "float32"))
        tcgemm.einsum("kam,kn->amn", DeviceArray(a), DLPackArray(b), out)
        numpy.testing.assert_array_equal(out.get(),
                                         numpy.einsum("kam,kn->amn", a, b))


class ErrorsTest(unittest.TestCase):
    def refuse(self, kind, message, *arguments, **named):
        with self.assertRaises(kind) as caught:
            tcgemm.einsum(*arguments, **named)
        self.assertEqual(str(caught.exception), message)

    def test_strings(self):
        a, b = draw((8, 16)), draw((16, 20))
        for text in ("mk,kn", "mk->m", "mk,kn->", "mk,kn,nl->ml", "m1,1n->mn"):
            self.refuse(ValueError, "index string '%s': expected the letters of A, "
                        "B and D, as in 'mk,kn->mn'" % text, text, a, b)
        long = "abcdefghijklmnopq,qr->abcdefghijklmnopr"
        self.refuse(ValueError, "'%s': A has 17 indices, but must have from 1 to 16"
                    % long, long, numpy.ones(17 * [1], "float16"), draw((1, 2)))
        self.refuse(ValueError, "'mk,kn->mx': index 'x' of D is neither in A nor "
                    "in B", "mk,kn->mx", a, b)
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: 'mk,kn->n': index 'm' is "
                    "only in A; sums of one operand are not supported",
                    "mk,kn->n", a, b)
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: 'mm,mn->n': index 'm' is "
                    "repeated in A; diagonals are not supported",
                    "mm,mn->n", draw((16, 16)), b)

    def test_shapes(self):
        a, b = draw((8, 16)), draw((16, 20))
        self.refuse(ValueError, "the number of dimensions of a must be 3, that of "
                    "the letters 'bmk', not 2", "bmk,kn->bmn", a, b)
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: 'mk,nk->mn': the size of "
                    "'k' is 16 in A, but 20 in B", "mk,nk->mn", a, b)
        self.refuse(ValueError, "the strides of a must be 0 or more, not (-16, 1)",
                    "mk,kn->mn", a[::-1], b)
        self.refuse(ValueError, "the shape of out must be (8, 20), not (8, 21)",
                    "mk,kn->mn", a, b, numpy.empty((8, 21), "float32"))
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: 'mk,kn->mn': with stridesD "
                    "elements of D have the same address", "mk,kn->mn", a, b,
                    numpy.lib.stride_tricks.as_strided(
                        numpy.empty(20, "float32"), (8, 20), (0, 4)))

    def test_types(self):
        self.refuse(tcgemm.Error, "TCGEMM_NOT_SUPPORTED: types of A and B: no "
                    "instruction multiplies f64 by s8", "mk,kn->mn",
                    draw((8, 16), "float64"), draw((16, 20), "int8"))

    def test_epilogues(self):
        a, b = draw((8, 16)), draw((16, 20))
        self.refuse(ValueError, "the shape of bias must be (20,), not (8,)",
                    "mk,kn->mn", a, b, bias=draw((8,)))
        self.refuse(ValueError, "the shape of rowscale must be (8,), not (20,)",
                    "mk,kn->mn", a, b, epilogue="rowscale",
                    operands=(draw((20,)),))
        wide = draw((16, 4, 5))
        self.refuse(ValueError, "the shape of bias must be (4, 5), not (20,)",
                    "mk,kpq->mpq", a, wide, bias=draw((20,)))
        self.refuse(ValueError, "the strides of bias must be (5, 1), not (1, 4)",
                    "mk,kpq->mpq", a, wide, bias=draw((5, 4)).T)
        self.refuse(ValueError, "the type of bias must be float32, not float64",
                    "mk,kn->mn", a, b, bias=draw((20,), "float64"))
        self.refuse(ValueError, "epilogue scale reads 1 operands, but there are 0",
                    "mk,kn->mn", a, b, epilogue="scale")


if __name__ == "__main__":
    unittest.main()
