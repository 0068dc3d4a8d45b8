"""The order of weights in memory."""

import math

from . import _arrays
from ._library import DENSE, check, library
from ._product import fail


def interleave(weights):
    """Returns weights of "int4" or "uint4" in the order of "int4_interleaved" or
    "uint4_interleaved", which GPUs of sm_90a multiply faster.

    Args:
      weights: a NumPy array of shape (..., k / 2), of uint8. A byte has two elements,
        the first one in its lower half.

    Element 8 * p + 2 * l + h of each 32 (p, l < 4, h < 2) goes to place
    8 * l + 4 * h + p. The result has the shape and the type of the weights.

    Errors:
      TypeError: the weights are no NumPy array.
      ValueError: they have no dimension, or another type.
      Error: TCGEMM_INVALID_VALUE, where k is no multiple of 32.
    """
    view = _arrays.view(weights, "weights")
    if not view.on_host:
        raise TypeError("weights are on a GPU, but must be a NumPy array")
    if view.dtype != "uint8":
        fail("the type of weights", view.dtype, "uint8")
    if not view.shape:
        fail("the number of dimensions of weights", 0, "1 or more")
    import numpy
    source = numpy.ascontiguousarray(weights)
    result = numpy.empty_like(source)
    check(library.tcgemmInterleave(math.prod(view.shape[:-1]), 2 * view.shape[-1],
                                   source.ctypes.data, DENSE, result.ctypes.data,
                                   DENSE))
    return result
