"""Products of arrays by index string."""

import re

from . import _context
from . import _features
from ._library import MAX_INDICES
from ._product import Product, fail

_INDICES = re.compile(r"\s*([A-Za-z]+)\s*,\s*([A-Za-z]+)\s*->\s*([A-Za-z]+)\s*")


def split(indices):
    """The letters of a, b and D. Errors: ValueError."""
    match = _INDICES.fullmatch(indices)
    if not match:
        raise ValueError("index string '%s': expected the letters of A, B and D, as "
                         "in 'mk,kn->mn'" % indices)
    for name, letters in zip(("A", "B", "D"), match.groups()):
        if len(letters) > MAX_INDICES:
            raise ValueError("'%s': %s has %d indices, but must have from 1 to %d"
                             % (indices, name, len(letters), MAX_INDICES))
    return match.groups()


class _Contraction(Product):
    """A call of einsum."""

    kind = _context.CONTRACTION

    def __init__(self, indices, *arguments):
        super().__init__(*arguments)
        *factors, self.letters = split(indices)
        self.fields["indices"] = indices
        sizes = {}
        for name, view, letters in zip("ab", (self.a, self.b), factors):
            self.check_rank(name, view, letters)
            self.fields["sizes" + name.upper()] = view.shape
            self.fields["strides" + name.upper()] = view.strides
            # The library compares those of a and b.
            sizes.update(zip(letters, view.shape))
        for letter in self.letters:
            if letter not in sizes:
                raise ValueError("'%s': index '%s' of D is neither in A nor in B"
                                 % (indices, letter))
        self.shape = tuple(sizes[letter] for letter in self.letters)
        # A vector has the letters of D that the other operand lacks.
        self.vectors = {
            name: tuple(sizes[letter] for letter in self.letters
                        if letter not in other)
            for name, other in zip("nm", factors)}

    def check_rank(self, name, view, letters):
        if len(view.shape) != len(letters):
            fail("the number of dimensions of " + name, len(view.shape),
                 "%d, that of the letters '%s'" % (len(letters), letters))
        if any(stride < 0 for stride in view.strides):
            fail("the strides of " + name, view.strides, "0 or more")

    def describe_result(self, view, name, letter):
        self.check_rank(name, view, self.letters)
        if view.shape != self.shape:
            fail("the shape of " + name, view.shape, self.shape)
        self.fields["strides" + letter.upper()] = view.strides


def einsum(indices, a, b, out=None, *, bias=None, epilogue=None,
           epilogue_body=None, operands=(), alpha=1.0, beta=0.0, c=None, out_dtype=None,
           precision="ieee", config=None, algebra=None, stream=None, device=None):
    """Returns epilogue(alpha * D + beta * c), where D is the product of a and b by
    an index string.

    An element of D is the sum of a's elements times b's, over all letters that D
    does not have: `einsum("bqhd,bkhd->bhqk", q, k)`. Arrays are as in matmul, but
    with any strides of 0 or more. Those that no kernel takes as they are, are
    copied to a workspace, or D from it.

    Args:
      indices: the letters of a, b and D, each outermost first. Each letter is in
        two of them at least, and once in each.
      a, b: a dimension for each letter. Types: those of matmul.
      out: a dimension for each letter of D. No two elements may have one address.
        A new array of a's package if it is left out.
      bias: dense, with a dimension for each letter of b and D that a does not have,
        in D's order; types as in matmul. It is added first.
      epilogue: names of parts that follow the bias, joined by "_": relu, gelu,
        gelutanh, silu, or those that read an operand: bias, colscale, outbias (as
        the bias), rowbias, rowscale, outrowbias (with the letters of a and D that b
        does not have), scale (), residual, gate (as the result).
      epilogue_body: as in matmul.
      operands: the operands of the epilogue's parts, in their order; types as in
        matmul. Matrices have shape, strides and type of the result.
      alpha, beta, out_dtype, precision, config, stream, device: as in matmul.
      algebra: as in matmul, but without complex numbers.
      c: shape and type of the result, with any strides; it may be `out`.

    Errors:
      TypeError: an array of another kind or type.
      ValueError: a string that is no index string, dimensions, strides or devices
        that do not fit.
      tcgemm.Error: an error of the library, with the name of its status:
        TCGEMM_INVALID_VALUE for letters in one operand only and for sizes that
        disagree, TCGEMM_NOT_SUPPORTED for types that no kernel multiplies.
    """
    return make(**locals()).run()


def make(*, indices, a, b, out, bias, epilogue, epilogue_body, operands, alpha,
         beta, c, out_dtype, precision, config, algebra, stream, device):
    """The call with these arguments."""
    product = _Contraction(indices, a, b, config, stream, device)
    product.set_precision(precision)
    product.set_out(out, a, out_dtype)
    product.set_scalars(alpha, beta, c)
    product.set_epilogue(epilogue, epilogue_body, operands, bias)
    _features.set_algebra(product, algebra)
    return product
