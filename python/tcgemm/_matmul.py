"""Matrix products of arrays."""

from . import _arrays
from . import _context
from . import _features
from ._product import Product, fail


def describe_factor(view, name, is_transposed=False):
    """(trans, leading dimension, batch stride) of A or B. `is_transposed` decides
    for arrays that may be seen both ways."""
    if len(view.shape) not in (2, 3):
        fail("the number of dimensions of " + name, len(view.shape), "2 or 3")
    rows, columns = view.shape[-2:]
    row, column = view.strides[-2:]
    stride = view.strides[0] if len(view.shape) == 3 else 0
    if stride < 0 or row < 0 or column < 0:
        fail("the strides of " + name, view.strides, "0 or more")
    # The distance along a dimension of one element is of no importance.
    ways = []
    if (column == 1 or columns <= 1) and (row >= columns or rows <= 1):
        ways.append((0, max(row if rows > 1 else columns, columns, 1), stride))
    if (row == 1 or rows <= 1) and (column >= rows or columns <= 1):
        ways.append((1, max(column if columns > 1 else rows, rows, 1), stride))
    if ways:
        return ways[-1 if is_transposed else 0]
    return fail("the strides of " + name, view.strides,
                 "1 along rows or along columns")


def _get_batch(a, b):
    sizes = {v.shape[0] for v in (a, b) if len(v.shape) == 3}
    if len(sizes) > 1:
        raise ValueError("a has %d products, but b has %d"
                         % (a.shape[0], b.shape[0]))
    return sizes.pop() if sizes else None


class _MatrixProduct(Product):
    """A call of matmul."""

    kind = _context.MATMUL

    def __init__(self, dtype_a, dtype_b, *arguments):
        super().__init__(*arguments)
        packed = _features.set_packed_types(self, dtype_a, dtype_b)
        for name, view in (("A", self.a), ("B", self.b)):
            # Elements of 4 bits have k innermost.
            is_transposed = name == "B" and packed["b"] > 1
            trans, ld, stride = describe_factor(view, name.lower(), is_transposed)
            self.fields.update({"trans" + name: trans, "ld" + name.lower(): ld,
                                "stride" + name: stride})
        batch = _get_batch(self.a, self.b)
        m, k = self.a.shape[-2], self.a.shape[-1] * packed["a"]
        rows = self.b.shape[-2] * packed["b"]
        if rows != k:
            raise ValueError("a has %d columns, but b has %d rows" % (k, rows))
        n = self.b.shape[-1]
        self.vectors = {"m": (m,), "n": (n,)}
        self.fields.update(m=m, n=n, k=k, batch=1 if batch is None else batch)
        self.shape = (m, n) if batch is None else (batch, m, n)

    def get_type(self, view, name):
        component = _arrays.COMPONENTS.get(view.dtype)
        return (_arrays.TYPES[component] if component
                else super().get_type(view, name))

    def set_dual(self, dual, b2):
        """The second B of a dual product is as the first one."""
        if (dual in (None, "none")) != (b2 is None):
            raise ValueError("dual is %r, %s b2: both or neither must be given"
                             % (dual, "but there is no" if b2 is None
                                else "but there is a"))
        if b2 is None:
            return
        view = _arrays.view(b2, "b2", self.stream)
        expected = (self.b.shape, self.b.strides, self.b.dtype)
        if (view.shape, view.strides, view.dtype) != expected:
            fail("the shape, strides and type of b2",
                 (view.shape, view.strides, view.dtype),
                 "those of b, %s" % (expected,))
        self.views["b2"] = view
        self.fields["dual"] = dual

    def describe_result(self, view, name, letter):
        if view.shape != self.shape:
            fail("the shape of " + name, view.shape, self.shape)
        trans, ld, stride = describe_factor(view, name)
        if trans:
            fail("the strides of " + name, view.strides, "1 along rows")
        self.fields.update({"ld" + letter: ld,
                            "stride" + letter.upper(): stride})


def matmul(a, b, out=None, *, bias=None, epilogue=None, epilogue_body=None,
           operands=(), alpha=1.0, beta=0.0, c=None, out_dtype=None,
           precision="ieee", config=None, b2=None, dual=None,
           dependent_launch=False, dtype_a=None, dtype_b=None, scale_a=None,
           scale_b=None, group_size=None, zero_points=None, reductions=None,
           reduction_outs=None, algebra=None, stream=None, device=None):
    """Returns epilogue(alpha * a @ b + beta * c), or, with `reductions`, a tuple of
    it and their results.

    Arrays are on a GPU (torch, CuPy and others with DLPack or
    `__cuda_array_interface__`), or all of them are NumPy arrays, which are copied
    to the device and back.

    Args:
      a: shape (m, k) or (batch, m, k), with a stride of 1 along its rows or
        columns. Types: float16, bfloat16, float32, float64, int8, uint8,
        float8_e4m3fn, float8_e5m2, complex64, complex128.
      b: shape (k, n) or (batch, k, n). An array without batch is used for all
        products.
      out: shape (m, n) or (batch, m, n), with a stride of 1 along its rows. A new
        array of a's package if it is left out.
      bias: shape (n,), of the result's type or that of the sums: float64 for
        operands of float64, else float32. It is added first.
      epilogue: names of parts that follow the bias, joined by "_": relu, gelu,
        gelutanh, silu, or those that read an operand: bias, colscale, outbias
        (n,), rowbias, rowscale, outrowbias (m,), scale (), residual, gate (as the
        result).
      epilogue_body: MLIR text in the place of what the parts compute; they then name
        the operands alone. It computes %result from %sum, which is
        alpha * a @ b + beta * c, and %bias, %residual and so on, all of the type
        of the sums: "%result = arith.maximumf %sum, %bias : f32". A bias of the
        result's type is %outbias. Names of further values begin with a digit.
      operands: the operands of the epilogue's parts, in their order. Vectors have
        the type of the sums, those of outbias and outrowbias that of the result.
        Matrices have shape, strides and type of the result.
      alpha, beta: numbers.
      c: shape and type of the result, with a beta that is not 0; it may be `out`.
      out_dtype: type of the result, if there is no `out`: "float32" and so on.
        a's type by default; int32 for operands of 8-bit integers, bfloat16 for
        those of FP8.
      precision: "ieee", or how products of float32 are computed: "tf32",
        "tf32x3", "bf16x3", "bf16x6". With "f16", instructions add products of
        float16 in float16.
      config: parameters of the kernel instead of chosen ones, as text.
      b2: a second matrix, with shape, strides and type of b. One kernel computes x
        = a @ b and y = a @ b2, and a function of both stands in the place of a @ b.
        Only GPUs of sm_90a have such kernels.
      dual: that function: "silu-mul" for silu(x) * y, "gelu-mul", "gelutanh-mul",
        "relu-mul", "mul" or "add".
      dependent_launch: True for kernels that start while the preceding kernel of
        the stream ends, and wait for its end before they access memory, where the
        GPU (sm_90 or later) and the schedule have such launches.
      dtype_a, dtype_b: "int4" or "uint4" for an operand of uint8 whose bytes have two
        elements each, the first one in the lower half. They are neighbours along k,
        which has a stride of 1: a has shape (m, k / 2), and b is the transpose of an
        array (n, k / 2). The other operand is float16, bfloat16, int8 or uint8.
        "int4_interleaved" and "uint4_interleaved" are those that tcgemm.interleave
        has permuted, for GPUs of sm_90a and another operand of float16 or bfloat16.
      scale_a, scale_b: scales of float32 for blocks of operands of FP8, or, with
        group_size, for groups of the operand of 4 bits, which the other one, of
        float16 or bfloat16, has not. An operand with a batch has scales with a batch.
        K is k / 128 or k / group_size, rounded up:
          scale_a: shape (m, K), with a stride of 1 along m.
          scale_b: shape (K, n / 128, rounded up), and (K, n) for groups, with a stride
            of 1 along K.
      group_size: 32, 64, 128 or 256 elements along k with one scale, of float32,
        float16 or bfloat16.
      zero_points: shape and strides of the scales of groups, of int8, or uint8 for
        elements of uint4. They are subtracted before elements are scaled.
      reductions: names of further results, joined by "_": max, min, sum, sumsq (of
        squares), amax (of absolute values), argmax, sumexp (of exp(x - max)), mean,
        variance of the whole result, or behind "row-" or "column-" of each row or
        column. They reduce values of the type of the sums, ahead of a last "scale"
        and the conversion to the result's type.
      reduction_outs: arrays for their results. New ones if left out: shape (), (m,)
        or (n,), behind a batch for rows, columns and argmax. Their type is that of
        the sums, or int32 for a result of int32 without scalars and epilogue; int32
        for argmax of rows and columns; int64 for argmax of all.
      algebra: the operations that reduce and combine elements in the place of sums
        of products: any two of times, plus, max, min, for integers also maxu, minu,
        and, or, xor, for floats also maxnum, minnum. "max-plus" is the greatest sum.
        a and b have one type: float32, float64 or int32, or int8 and uint8 for some.
        For complex a, b and out, "complex" (default), or "complex-conj-a", "-conj-b"
        or "-conj-ab" behind it for the conjugates of a's and b's elements. Alpha, beta
        and the epilogue apply to real and imaginary parts; vectors and reductions do
        not go with complex numbers.
      stream: the number of a CUDA stream; the default stream if left out.
      device: the number of the device, for arrays that do not tell it.

    Errors:
      TypeError: an array of another kind or type.
      ValueError: shapes, strides or devices that do not fit, and arguments that the
        call would not use.
      tcgemm.Error: an error of the library, with the name of its status.
    """
    return make(**locals()).run()


def make(*, a, b, out, bias, epilogue, epilogue_body, operands, alpha, beta, c,
         out_dtype, precision, config, b2, dual, dependent_launch, dtype_a, dtype_b,
         scale_a, scale_b, group_size, zero_points, reductions, reduction_outs, algebra,
         stream, device):
    """The call with these arguments."""
    product = _MatrixProduct(dtype_a, dtype_b, a, b, config, stream, device)
    product.set_precision(precision)
    product.set_dual(dual, b2)
    product.fields["dependentLaunch"] = int(bool(dependent_launch))
    product.set_out(out, a, out_dtype)
    product.set_scalars(alpha, beta, c)
    product.set_epilogue(epilogue, epilogue_body, operands, bias)
    _features.set_scales(product, scale_a, scale_b, group_size, zero_points)
    _features.set_algebra(product, algebra)
    _features.set_reductions(product, reductions, reduction_outs)
    return product
