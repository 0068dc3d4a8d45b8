"""A product of a generated library from Python, and those that it does not have."""
import numpy
import tcgemm

draw = numpy.random.default_rng(1)
a = draw.integers(-2, 3, (33, 96)).astype(numpy.float16)
b = draw.integers(-2, 3, (96, 40)).astype(numpy.float16)
print("equal" if numpy.array_equal(tcgemm.matmul(a, b), a @ b) else "different")
for call in (lambda: tcgemm.matmul(a[:32], b),
             lambda: tcgemm.einsum("mk,kn->mn", a, b)):
    try:
        call()
    except tcgemm.Error as error:
        print(error)
