"""Grouped products, whose sizes only the GPU knows, with gradients."""

import torch

from .._grouped import grouped_matmul as _grouped_matmul
from .._grouped import grouped_matmul_along_k as _grouped_matmul_along_k
from .._grouped import grouped_matmul_padded as _grouped_matmul_padded
from ._operators import _prepare, _run, matmul


def _save_inputs(ctx, inputs, output):
    # PyTorch passes the context by this name.
    ctx.save_for_backward(*inputs)


# Groups of rows


@torch.library.custom_op("tcgemm::grouped_matmul", mutates_args=(),
                         device_types="cuda")
def _multiply_groups(a: torch.Tensor, b: torch.Tensor,
                     offsets: torch.Tensor) -> torch.Tensor:
    # The kernel writes rows of groups only.
    out = a.new_zeros((a.shape[0], b.shape[2]))
    _run(_grouped_matmul, a.detach().contiguous(), _prepare(b), offsets, out)
    return out


@_multiply_groups.register_fake
def _(a, b, offsets):
    return a.new_empty((a.shape[0], b.shape[2]))


def _differentiate_groups(ctx, gradient):
    a, b, offsets = ctx.saved_tensors
    of_a = of_b = None
    if ctx.needs_input_grad[0]:
        of_a = _multiply_groups(gradient, b.mT, offsets)
    if ctx.needs_input_grad[1]:
        of_b = _multiply_along_k(a.mT, gradient, offsets)
    return of_a, of_b, None


_multiply_groups.register_autograd(_differentiate_groups, setup_context=_save_inputs)


def grouped_matmul(a, b, offsets):
    """Returns the products of groups of a's rows by the matrices of b, of a's type.
    Rows behind the last group are 0.

    Args:
      a: shape (m, k), on a GPU of sm_90a.
      b: shape (groups, k, n), on the same GPU, of the same type.
      offsets: shape (groups,), int32: the ends of the groups.

    Errors:
      those of tcgemm.grouped_matmul.
    """
    return _multiply_groups(a, b, offsets)


# Groups along k


@torch.library.custom_op("tcgemm::grouped_matmul_along_k", mutates_args=(),
                         device_types="cuda")
def _multiply_along_k(a: torch.Tensor, b: torch.Tensor,
                      offsets: torch.Tensor) -> torch.Tensor:
    out = _make_along_k(a, b, offsets)
    _run(_grouped_matmul_along_k, _prepare(a), _prepare(b), offsets, out)
    return out


@_multiply_along_k.register_fake
def _make_along_k(a, b, offsets):
    return a.new_empty((offsets.shape[0], a.shape[0], b.shape[1]))


def _differentiate_along_k(ctx, gradient):
    a, b, offsets = ctx.saved_tensors
    of_a = of_b = None
    # The terms of a group are rows of a.mT and of b. Those of no group have no effect.
    if ctx.needs_input_grad[0]:
        of_a = _multiply_groups(b, gradient.mT, offsets).mT
    if ctx.needs_input_grad[1]:
        of_b = _multiply_groups(a.mT, gradient, offsets)
    return of_a, of_b, None


_multiply_along_k.register_autograd(_differentiate_along_k, setup_context=_save_inputs)


def grouped_matmul_along_k(a, b, offsets):
    """Returns the products of parts of a's columns by the same parts of b's rows, of
    a's type: shape (groups, m, n). A group without columns has a product of 0.

    It is the gradient of grouped_matmul of b: grouped_matmul_along_k(a.mT, gradient,
    offsets).

    Args:
      a: shape (m, k), on a GPU of sm_90a.
      b: shape (k, n), on the same GPU, of the same type.
      offsets: shape (groups,), int32: the ends of the groups.

    Errors:
      those of tcgemm.grouped_matmul_along_k.
    """
    return _multiply_along_k(a, b, offsets)


# Padded groups


@torch.library.custom_op("tcgemm::grouped_matmul_padded", mutates_args=(),
                         device_types="cuda")
def _multiply_padded(a: torch.Tensor, b: torch.Tensor,
                     counts: torch.Tensor) -> torch.Tensor:
    # The kernel writes rows that are counted only.
    out = a.new_zeros((*a.shape[:2], b.shape[2]))
    _run(_grouped_matmul_padded, a.detach().contiguous(), _prepare(b), counts, out)
    return out


@_multiply_padded.register_fake
def _(a, b, counts):
    return a.new_empty((*a.shape[:2], b.shape[2]))


def _keep_rows(matrices, counts):
    """The matrices with zeros in the rows that the counts leave out, which may have
    any values."""
    rows = torch.arange(matrices.shape[1], device=matrices.device)
    return matrices.masked_fill((rows >= counts[:, None])[:, :, None], 0)


def _differentiate_padded(ctx, gradient):
    a, b, counts = ctx.saved_tensors
    of_a = of_b = None
    if ctx.needs_input_grad[0]:
        of_a = _multiply_padded(gradient, b.mT, counts)
    if ctx.needs_input_grad[1]:
        of_b = matmul(_keep_rows(a, counts).mT, _keep_rows(gradient, counts))
    return of_a, of_b, None


_multiply_padded.register_autograd(_differentiate_padded, setup_context=_save_inputs)


def grouped_matmul_padded(a, b, counts):
    """Returns the products of the first counts[i] rows of a[i] by b[i], of a's type.
    The other rows are 0.

    Args:
      a: shape (groups, m, k), on a GPU of sm_90a.
      b: shape (groups, k, n), on the same GPU, of the same type.
      counts: shape (groups,), int32: the numbers of rows, each 0 to m.

    Errors:
      those of tcgemm.grouped_matmul_padded.
    """
    return _multiply_padded(a, b, counts)
