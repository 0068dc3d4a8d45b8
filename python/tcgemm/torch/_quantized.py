"""Products with weights of 4 bits."""

from typing import Optional

import torch

from ._operators import _multiply, _prepare


@torch.library.custom_op("tcgemm::quantized_matmul", mutates_args=(),
                         device_types="cuda")
def _multiply_quantized(a: torch.Tensor, weight: torch.Tensor, scales: torch.Tensor,
                        zero_points: Optional[torch.Tensor], group_size: int,
                        dtype: str, bias: Optional[torch.Tensor]) -> torch.Tensor:
    out = _make_result(a, weight)
    rows = _prepare(a.reshape(-1, a.shape[-1]))
    if bias is not None:
        bias = bias.detach().to(torch.float32).contiguous()
    zeros = None if zero_points is None else zero_points.contiguous().mT
    _multiply(rows, weight.contiguous().mT, out.view(-1, out.shape[-1]), dtype_b=dtype,
              scale_b=scales.contiguous().mT, group_size=group_size, zero_points=zeros,
              bias=bias)
    return out


def _make_result(a, weight):
    return a.new_empty((*a.shape[:-1], weight.shape[0]))


@_multiply_quantized.register_fake
def _(a, weight, scales, zero_points, group_size, dtype, bias):
    return _make_result(a, weight)


def quantized_matmul(a, weight, scales, group_size, zero_points=None, dtype="int4",
                     bias=None):
    """Returns a @ w.mT + bias, of a's type, without gradients, where w is
    scales * (weight - zero_points) with a scale and a zero point for each group of
    elements along k.

    Args:
      a: shape (..., k), of float16 or bfloat16, on a GPU.
      weight: shape (n, k / 2), of uint8, on the same GPU. A byte has two elements, the
        first one in its lower half.
      scales: shape (n, k / group_size), of float32, float16 or bfloat16.
      group_size: 32, 64, 128 or 256.
      zero_points: shape of the scales, of int8, or uint8 for elements of uint4.
      dtype: the type of the elements: "int4" or "uint4", or, behind tcgemm.interleave,
        "int4_interleaved" or "uint4_interleaved".
      bias: shape (n,), of any float type.

    Errors:
      those of tcgemm.matmul.
    """
    return _multiply_quantized(a, weight, scales, zero_points, group_size, dtype, bias)
