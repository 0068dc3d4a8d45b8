"""Products of groups of rows."""

from . import _arrays
from . import _context
from ._matmul import describe_factor
from ._product import Product, fail


class _Groups(Product):
    """A call of grouped_matmul."""

    kind = _context.GROUPED

    def __init__(self, offsets, *arguments):
        super().__init__(*arguments)
        self.offsets = _arrays.view(offsets, "offsets", self.stream)
        self.views["offsets"] = self.offsets
        for name, view, rank in (("a", self.a, 2), ("b", self.b, 3),
                                 ("offsets", self.offsets, 1)):
            if len(view.shape) != rank:
                fail("the number of dimensions of " + name, len(view.shape), rank)
        m, k = self.a.shape
        groups, depth, n = self.b.shape
        if depth != k:
            raise ValueError("a has %d columns, but the matrices of b have %d rows"
                             % (k, depth))
        self.check_offsets(groups)
        trans, lda, _ = describe_factor(self.a, "a")
        if trans:
            fail("the strides of a", self.a.strides, "1 along rows")
        trans, ldb, stride = describe_factor(self.b, "b")
        self.fields.update(transB=trans, m=m, n=n, k=k, groups=groups, lda=lda,
                           ldb=ldb, strideB=stride)
        self.vectors = {"m": (m,), "n": (n,)}
        self.shape = (m, n)

    def check_offsets(self, groups):
        if self.offsets.shape != (groups,):
            fail("the shape of offsets", self.offsets.shape,
                 "%s, a number for each matrix of b" % ((groups,),))
        if self.offsets.dtype != "int32":
            fail("the type of offsets", self.offsets.dtype, "int32")
        if groups > 1 and self.offsets.strides != (1,):
            fail("the stride of offsets", self.offsets.strides[0], 1)

    def describe_result(self, view, name, letter):
        if view.shape != self.shape:
            fail("the shape of " + name, view.shape, self.shape)
        trans, ld, _ = describe_factor(view, name)
        if trans:
            fail("the strides of " + name, view.strides, "1 along rows")
        self.fields["ld" + letter] = ld


def grouped_matmul(a, b, offsets, out=None, *, bias=None, epilogue=None,
                   epilogue_body=None, operands=(), alpha=1.0, beta=0.0, c=None,
                   out_dtype=None, precision="ieee", config=None, stream=None,
                   device=None):
    """Returns epilogue(alpha * p + beta * c), where p are the products of groups of
    a's rows by the matrices of b.

    Group i has the rows from offsets[i - 1], or 0 for the first group, up to
    offsets[i]. They are multiplied by b[i]. Only the device reads the offsets, so
    that the call does not wait for their values.

    Args:
      a: shape (m, k), the rows of all groups, with a stride of 1 along rows. Types:
        float16, bfloat16, float8_e4m3fn, float8_e5m2, int8, uint8, and float32 with
        a precision.
      b: shape (groups, k, n), with a stride of 1 along rows or columns.
      offsets: shape (groups,), of int32. They must not decrease or exceed m: wrong
        offsets give wrong results, but no access outside of the arrays.
      out: shape (m, n), with a stride of 1 along rows. A new array of a's package if
        it is left out. Rows behind the last group are not written.
      bias, epilogue, epilogue_body, operands, alpha, beta, c: as in matmul, for all
        rows as those of one product: vectors along m have an element for each row,
        and those along n are the same for all groups.
      out_dtype, precision, config, stream, device: as in matmul.

    Errors:
      TypeError: an array of another kind or type.
      ValueError: shapes, strides or devices that do not fit.
      tcgemm.Error: an error of the library: TCGEMM_NOT_SUPPORTED on GPUs other than
        sm_90a and for other types, TCGEMM_INVALID_VALUE for k = 0.
    """
    return make(**locals()).run()


def make(*, a, b, offsets, out, bias, epilogue, epilogue_body, operands, alpha,
         beta, c, out_dtype, precision, config, stream, device):
    """The call with these arguments."""
    product = _Groups(offsets, a, b, config, stream, device)
    product.set_precision(precision)
    product.set_out(out, a, out_dtype)
    product.set_scalars(alpha, beta, c)
    product.set_epilogue(epilogue, epilogue_body, operands, bias)
    return product
