"""A product with weights of 4 bits of a generated library from Python."""
import numpy
import tcgemm

draw = numpy.random.default_rng(1)
a = draw.integers(-2, 3, (24, 256)).astype(numpy.float16)
w = draw.integers(-8, 8, (40, 256))
packed = ((w[:, 0::2] & 15) | (w[:, 1::2] & 15) << 4).astype(numpy.uint8)
exact = a.astype(numpy.float32) @ w.T.astype(numpy.float32)
# Rows with a gap behind them, too.
gap = numpy.zeros((40, 131), numpy.uint8)
gap[:, :128] = packed
for weights in (packed, gap[:, :128]):
    result = tcgemm.matmul(a, weights.T, dtype_b="int4")
    print("equal" if numpy.array_equal(result, exact.astype(numpy.float16))
          else "different")
try:
    tcgemm.matmul(a, packed.T, dtype_b="int4", group_size=128,
                  scale_b=numpy.ones((2, 40), numpy.float32, order="F"))
except tcgemm.Error as error:
    print(error)
