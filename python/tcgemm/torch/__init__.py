"""tcgemm for PyTorch: operators that torch.compile takes as they are.

    import tcgemm.torch
    d = tcgemm.torch.matmul(a, b, bias, "gelu")
    d = tcgemm.torch.gated_matmul(a, b, b2, "silu")
    d = tcgemm.torch.einsum("bqhd,bkhd->bhqk", a, b)
    d = tcgemm.torch.grouped_matmul(a, b, offsets)
    d = tcgemm.torch.grouped_matmul_padded(a, b, counts)
    d = tcgemm.torch.grouped_matmul_along_k(a, b, offsets)
    d = tcgemm.torch.quantized_matmul(a, weight, scales, 128)
    layer = tcgemm.torch.Linear(linear, "relu")
    model = tcgemm.torch.replace_linears(model, fuse=True)

The operators run on the current stream, and can be captured in a CUDA graph after
one call with the same sizes. They have gradients for the epilogue "none", and
layers have gradients for all.
"""

try:
    import torch
except ImportError as error:
    raise ImportError("tcgemm.torch needs PyTorch: pip install torch") from error

from ._groups import grouped_matmul, grouped_matmul_along_k, grouped_matmul_padded
from ._layers import GatedLinear, Linear
from ._operators import einsum, gated_matmul, matmul
from ._quantized import quantized_matmul
from ._replacement import replace_linears

__all__ = ["GatedLinear", "Linear", "einsum", "gated_matmul", "grouped_matmul",
           "grouped_matmul_along_k", "grouped_matmul_padded", "matmul",
           "quantized_matmul", "replace_linears"]
