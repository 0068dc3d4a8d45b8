"""Grouped products: one product for each group, whose size only the device knows."""

from . import _arrays
from . import _context
from . import _features
from ._matmul import describe_factor
from ._product import Product, fail


class _Groups(Product):
    """A call of a grouped product. There is a subclass for each kind of groups.

    Attributes:
      group_kind: the number of tcgemmGroupKind.
      sizes_name: the argument with the groups' sizes.
      ranks:      of a, b and the result.
      depth_text: the message for other columns of a than rows of b.
      may_transpose_a: whether columns of a may have a stride of 1.
    """

    kind = _context.GROUPED
    group_kind = sizes_name = ranks = depth_text = None
    may_transpose_a = False

    def __init__(self, dtypes, sizes, *arguments):
        super().__init__(*arguments)
        packed = _features.set_packed_types(self, *dtypes)
        self.sizes = _arrays.view(sizes, self.sizes_name, self.stream)
        # The C library has one operand for ends and numbers of rows.
        self.views["offsets"] = self.sizes
        for name, view, rank in (("a", self.a, self.ranks[0]),
                                 ("b", self.b, self.ranks[1]),
                                 (self.sizes_name, self.sizes, 1)):
            if len(view.shape) != rank:
                fail("the number of dimensions of " + name, len(view.shape), rank)
        groups = self.count_groups()
        self.check_sizes(groups)
        (m, k), (depth, n) = self.a.shape[-2:], self.b.shape[-2:]
        k, depth = k * packed["a"], depth * packed["b"]
        if k != depth:
            raise ValueError(self.depth_text % (k, depth))
        # Elements of 4 bits have k innermost.
        self.describe_factors(transposes_b=packed["b"] > 1)
        self.fields.update(kind=self.group_kind, m=m, n=n, k=k, groups=groups)
        self.vectors = {"m": (m,), "n": (n,), "g": (groups,), "gn": (groups, n)}
        self.shape = (m, n) if self.ranks[2] == 2 else (groups, m, n)

    def count_groups(self):
        """The number of groups. Errors: a and b have different ones."""
        raise NotImplementedError

    def check_sizes(self, groups):
        name = self.sizes_name
        if self.sizes.shape != (groups,):
            fail("the shape of " + name, self.sizes.shape,
                 "%s, a number for each matrix of b" % ((groups,),))
        if self.sizes.dtype != "int32":
            fail("the type of " + name, self.sizes.dtype, "int32")
        if groups > 1 and self.sizes.strides != (1,):
            fail("the stride of " + name, self.sizes.strides[0], 1)

    def describe_factors(self, transposes_b):
        for name, view in (("A", self.a), ("B", self.b)):
            trans, ld, stride = describe_factor(view, name.lower(),
                                                name == "B" and transposes_b)
            if trans and name == "A" and not self.may_transpose_a:
                fail("the strides of a", view.strides, "1 along rows")
            self.fields.update({"trans" + name: trans, "ld" + name.lower(): ld})
            if len(view.shape) == 3:
                self.fields["stride" + name] = stride

    def describe_result(self, view, name, letter):
        if view.shape != self.shape:
            fail("the shape of " + name, view.shape, self.shape)
        trans, ld, stride = describe_factor(view, name)
        if trans:
            fail("the strides of " + name, view.strides, "1 along rows")
        self.fields["ld" + letter] = ld
        if len(view.shape) == 3:
            self.fields["stride" + letter.upper()] = stride


class _Contiguous(_Groups):
    group_kind, sizes_name, ranks = 0, "offsets", (2, 3, 2)
    depth_text = "a has %d columns, but the matrices of b have %d rows"

    def count_groups(self):
        return self.b.shape[0]


class _Padded(_Groups):
    group_kind, sizes_name, ranks = 1, "counts", (3, 3, 3)
    depth_text = "the matrices of a have %d columns, but those of b have %d rows"

    def count_groups(self):
        groups = self.b.shape[0]
        if self.a.shape[0] != groups:
            raise ValueError("a has %d matrices, but b has %d"
                             % (self.a.shape[0], groups))
        return groups


class _AlongK(_Groups):
    group_kind, sizes_name, ranks = 2, "offsets", (2, 2, 3)
    depth_text = "a has %d columns, but b has %d rows"
    may_transpose_a = True

    def count_groups(self):
        return self.sizes.shape[0]


def grouped_matmul(a, b, offsets, out=None, *, bias=None, epilogue=None,
                   epilogue_body=None, operands=(), alpha=1.0, beta=0.0, c=None,
                   out_dtype=None, precision="ieee", config=None, check_offsets=False,
                   dtype_a=None, dtype_b=None, scale_a=None, scale_b=None,
                   group_size=None, zero_points=None, stream=None, device=None):
    """Returns epilogue(alpha * p + beta * c), where p are the products of groups of
    a's rows by the matrices of b.

    Group i has the rows from offsets[i - 1], or 0 for the first group, up to
    offsets[i]. They are multiplied by b[i]. Only the device reads the offsets, so
    that the call does not wait for their values.

    Args:
      a: shape (m, k), the rows of all groups, with a stride of 1 along rows. Types:
        float16, bfloat16, float8_e4m3fn, float8_e5m2, int8, uint8, and float32 with
        a precision. If k is 0, p is 0.
      b: shape (groups, k, n), with a stride of 1 along rows or columns.
      offsets: shape (groups,), of int32. They must not decrease or exceed m: wrong
        offsets give wrong results, but no access outside of the arrays.
      out: shape (m, n), with a stride of 1 along rows. A new array of a's package if
        it is left out. Rows behind the last group are not written.
      bias, epilogue, epilogue_body, operands, alpha, beta, c: as in matmul, for all
        rows as those of one product: vectors along m have an element for each row,
        and those along n are the same for all groups. Further parts have values for
        each group: groupbias and groupcolscale of shape (groups, n), and groupscale
        of shape (groups,).
      check_offsets: True to check the offsets on the device before the product. If
        they are wrong, an assertion fails: the driver reports CUDA_ERROR_ASSERT when
        the stream is synchronised, and the process cannot use the device any more.
      dtype_a, dtype_b: as in matmul, "int4" or "uint4" for an operand of uint8. The
        other one is float16 or bfloat16.
      scale_a, scale_b: scales of float32 for blocks of operands of FP8, or, with
        group_size, for groups of the operand of 4 bits, as in matmul. K is k / 128
        or k / group_size, rounded up:
          scale_a: shape (m, K), with a stride of 1 along m.
          scale_b: shape (groups, K, n / 128, rounded up), and (groups, K, n) for groups
            of elements, with a stride of 1 along K.
      group_size, zero_points: as in matmul.
      out_dtype, precision, config, stream, device: as in matmul.

    Errors:
      TypeError: an array of another kind or type.
      ValueError: shapes, strides or devices that do not fit.
      tcgemm.Error: an error of the library: TCGEMM_NOT_SUPPORTED on GPUs other than
        sm_90a and for other types.
    """
    return make(**locals()).run()


def grouped_matmul_padded(a, b, counts, out=None, *, bias=None, epilogue=None,
                          epilogue_body=None, operands=(), alpha=1.0, beta=0.0,
                          c=None, out_dtype=None, precision="ieee", config=None,
                          check_offsets=False, dtype_a=None, dtype_b=None,
                          scale_a=None, scale_b=None, group_size=None,
                          zero_points=None, stream=None, device=None):
    """Returns epilogue(alpha * p + beta * c), where p[i] is the product of the first
    counts[i] rows of a[i] by b[i].

    Only the device reads the counts, so that the call does not wait for their
    values. The rows that they leave out cost no time, and no result depends on them.

    Args:
      a: shape (groups, m, k), with a stride of 1 along rows. Types as in
        grouped_matmul. If k is 0, p is 0.
      b: shape (groups, k, n), with a stride of 1 along rows or columns.
      counts: shape (groups,), of int32, the numbers of rows, each 0 to m: others are
        taken as the nearest of these.
      out: shape (groups, m, n), with a stride of 1 along rows. A new array of a's
        package if it is left out. Rows from counts[i] on are not written.
      bias, epilogue, epilogue_body, operands, alpha, beta, c: as in matmul. All
        groups share a vector: along m it has an element for each of m rows. Each
        group has its own values of groupbias, groupscale and groupcolscale.
      check_offsets: as in grouped_matmul.
      dtype_a, dtype_b, group_size, zero_points: as in grouped_matmul.
      scale_a, scale_b: as in grouped_matmul; scale_a has shape (groups, m, K).
      out_dtype, precision, config, stream, device: as in matmul.

    Errors:
      those of grouped_matmul.
    """
    return make_padded(**locals()).run()


def grouped_matmul_along_k(a, b, offsets, out=None, *, bias=None, epilogue=None,
                           epilogue_body=None, operands=(), alpha=1.0, beta=0.0,
                           c=None, out_dtype=None, precision="ieee", config=None,
                           check_offsets=False, stream=None, device=None):
    """Returns epilogue(alpha * p + beta * c), where p[i] is the product of a part of
    a's columns by the same part of b's rows.

    Group i has those from offsets[i - 1], or 0 for the first group, up to
    offsets[i]. A group without any has a product of 0. So x.T by the gradient of
    grouped_matmul's result gives the gradients of its matrices. Only the device
    reads the offsets, so that the call does not wait for their values. Infinities
    and NaN of one group do not reach the results of another.

    Args:
      a: shape (m, k), with a stride of 1 along rows or columns; k counts the terms of
        all groups. Types as in grouped_matmul.
      b: shape (k, n), with a stride of 1 along rows or columns.
      offsets: shape (groups,), of int32. They must not decrease or exceed k: wrong
        offsets give wrong results, but no access outside of the arrays.
      out: shape (groups, m, n), with a stride of 1 along rows. A new array of a's
        package if it is left out. All of it is written.
      bias, epilogue, epilogue_body, operands, alpha, beta, c: as in matmul. All
        groups share a vector. Each group has its own values of groupbias, groupscale
        and groupcolscale.
      check_offsets: as in grouped_matmul.
      out_dtype, precision, config, stream, device: as in matmul.

    Errors:
      those of grouped_matmul.
    """
    return make_along_k(**locals()).run()


def make(*, offsets, **rest):
    """The call of grouped_matmul with these arguments."""
    return _make(_Contiguous, offsets, **rest)


def make_padded(*, counts, **rest):
    """The call of grouped_matmul_padded with these arguments."""
    return _make(_Padded, counts, **rest)


def make_along_k(*, offsets, **rest):
    """The call of grouped_matmul_along_k with these arguments."""
    return _make(_AlongK, offsets, **rest)


def _make(kind, sizes, *, a, b, out, bias, epilogue, epilogue_body, operands, alpha,
          beta, c, out_dtype, precision, config, check_offsets, stream, device,
          dtype_a=None, dtype_b=None, scale_a=None, scale_b=None, group_size=None,
          zero_points=None):
    product = kind((dtype_a, dtype_b), sizes, a, b, config, stream, device)
    product.fields["checkOffsets"] = int(bool(check_offsets))
    product.set_precision(precision)
    product.set_out(out, a, out_dtype)
    product.set_scalars(alpha, beta, c)
    product.set_epilogue(epilogue, epilogue_body, operands, bias)
    _features.set_scales(product, scale_a, scale_b, group_size, zero_points)
    return product
