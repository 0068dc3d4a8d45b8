"""Scales, operands of 4 bits, reductions and algebras of matrix products."""

import operator

from . import _arrays
from ._library import MAX_REDUCTIONS, UNSCALED
from ._product import check_dense, fail

# The elements along k, and along n of b, that have one scale of FP8.
_BLOCK = 128
_SCALE_TYPES = ("float32", "float16", "bfloat16")
_ZERO_POINT_TYPES = ("int8", "uint8")
_OPERATIONS = ("times", "plus", "max", "min", "maxnum", "minnum", "maxu", "minu", "and",
               "or", "xor")


def _divide(a, b):
    return -(-a // b)


def _get_packed_type(view, dtype, name):
    """The type of an operand's elements: that of the array, or `dtype`. A byte of the
    array has two elements of such a `dtype`."""
    if dtype is None:
        return view.dtype
    if dtype not in _arrays.PACKED_TYPES:
        fail("dtype_" + name, repr(dtype),
             "None, or one of %s" % ", ".join(_arrays.PACKED_TYPES))
    if view.dtype != "uint8":
        fail("the type of " + name, view.dtype,
             "uint8, whose bytes have two elements of %s" % dtype)
    return dtype


def set_packed_types(product, dtype_a, dtype_b):
    """Sets the types of the operands' elements. Returns the number of elements in each
    element of the arrays, by the names of the operands."""
    packed = {}
    for name, view, dtype in (("a", product.a, dtype_a), ("b", product.b, dtype_b)):
        own = product.dtypes[name] = _get_packed_type(view, dtype, name)
        packed[name] = 2 if own in _arrays.PACKED_TYPES else 1
        if packed[name] > 1:
            product.fields["type" + name.upper()] = _arrays.PACKED_TYPES[own]
    return packed


def _set_block_scales(product, scale_a, scale_b):
    """Adds the scales of blocks of A and B."""
    m, n, k = (product.fields[size] for size in "mnk")
    for name, scales, side, block in (("a", scale_a, m, 1), ("b", scale_b, n, _BLOCK)):
        if scales is None:
            continue
        shape = _divide(k, _BLOCK), _divide(side, block)
        _add(product, name, "scale_" + name, "scale" + name.upper(), scales,
             shape, ("float32",))
        product.fields["hasBlockScales" + name.upper()] = 1


def set_scales(product, scale_a, scale_b, group_size, zero_points):
    """Adds the scales of A and B, of blocks or, with `group_size`, of groups."""
    if group_size is None:
        if zero_points is not None:
            raise ValueError("there are zero_points, but there is no group_size")
        _set_block_scales(product, scale_a, scale_b)
        return
    m, n, k = (product.fields[size] for size in "mnk")
    size = operator.index(group_size)
    if size < 1:
        fail("group_size", size, "1 or more")
    name = "a" if product.dtypes["a"] in _arrays.PACKED_TYPES else "b"
    scales, other = (scale_a, scale_b) if name == "a" else (scale_b, scale_a)
    if scales is None or other is not None:
        raise ValueError("group_size is %d, so that there must be a scale_%s, and no "
                         "other scales" % (size, name))
    shape = _divide(k, size), m if name == "a" else n
    product.fields["groupSize"] = size
    product.fields["groupScaleType"] = _add(
        product, name, "scale_" + name, "scale" + name.upper(), scales, shape,
        _SCALE_TYPES)
    if zero_points is not None:
        product.fields["zeroPointType"] = _add(
            product, name, "zero_points", "zeroPoints", zero_points, shape,
            _ZERO_POINT_TYPES)


def _add(product, operand, name, field, array, counts, dtypes):
    """Adds an array with blocks or groups in the place of the operand's elements.
    `counts` are the blocks along k and along m or n. A's scales have m innermost, and
    B's have k. Returns the number of the type."""
    view = _arrays.view(array, name, product.stream)
    depth, side = counts
    shape = (side, depth) if operand == "a" else (depth, side)
    strides = (1, side if operand == "a" else depth)
    if product.fields.get("stride" + operand.upper()):
        count = product.fields.get("batch", product.fields.get("groups"))
        shape = (count, *shape)
        strides = (depth * side, *strides)
    if view.shape != shape:
        fail("the shape of " + name, view.shape, shape)
    if view.dtype not in dtypes:
        fail("the type of " + name, view.dtype, " or ".join(dtypes))
    if any(size > 1 and stride != expected for size, stride, expected
           in zip(shape, view.strides, strides)):
        fail("the strides of " + name, view.strides, strides)
    product.views[field] = view
    return _arrays.TYPES[view.dtype]


def set_algebra(product, algebra):
    """Complex arrays have the algebra of complex numbers, and others a pair of
    operations: the library takes the memory of other numbers to be larger."""
    kinds = {name: product.views[field].dtype in _arrays.COMPONENTS
             for name, field in (("a", "a"), ("b", "b"), ("out", "d"))}
    if len(set(kinds.values())) > 1:
        raise ValueError("%s complex, but all of a, b and out must be, or none"
                         % " and ".join(name for name, is_complex in kinds.items()
                                        if is_complex))
    if kinds["a"]:
        names = ["complex" + suffix for suffix in ("", "-conj-a", "-conj-b", "-conj-ab")]
        if algebra not in (None, *names):
            fail("algebra", repr(algebra), "one of %s for complex arrays"
                 % ", ".join(names))
        product.fields["algebra"] = algebra or "complex"
    elif algebra is not None:
        words = algebra.split("-")
        if len(words) != 2 or not set(words) <= set(_OPERATIONS):
            fail("algebra", repr(algebra), "two of %s, joined by '-', for arrays that "
                 "are not complex" % ", ".join(_OPERATIONS))
        product.fields["algebra"] = algebra


def set_reductions(product, reductions, outs):
    """Adds the results of reductions, behind everything that decides their types.
    The call then returns a tuple."""
    words = [] if reductions in (None, "none") else reductions.split("_")
    if outs is not None and len(outs) != len(words):
        raise ValueError("reductions are %d, but there are %d arrays for them"
                         % (len(words), len(outs)))
    if not words:
        return
    if len(words) > MAX_REDUCTIONS:
        fail("the number of reductions", len(words), "%d at most" % MAX_REDUCTIONS)
    product.fields["reductions"] = reductions
    results = []
    for i, word in enumerate(words):
        shape, dtype = _describe(product, word)
        array = (_arrays.empty(product.out, shape, dtype) if outs is None
                 else outs[i])
        view = _arrays.view(array, word, product.stream)
        if view.is_read_only:
            raise ValueError("the array of %s is read-only" % word)
        check_dense(word, view, shape, dtype)
        name = "reductions%d" % i
        product.views[name] = view
        product.results.append(name)
        results.append(array)
    product.out = (product.out, *results)


def _describe(product, word):
    """The shape and the type of a reduction's result."""
    axis, _, kind = word.rpartition("-")
    shape = {"row": product.shape[:-1],
             "column": (*product.shape[:-2], product.shape[-1])}.get(axis, ())
    if kind == "argmax":
        return (shape, "int32") if axis else (product.shape[:-2], "int64")
    is_plain = (product.fields["scaling"] == UNSCALED
                and product.fields["epilogue"] == "none"
                and "epilogueBody" not in product.fields)
    if product.views["d"].dtype == "int32" and is_plain:
        return shape, "int32"
    return shape, product.get_sum_type()
