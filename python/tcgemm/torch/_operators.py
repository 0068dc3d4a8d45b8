"""The operators of tcgemm.torch, with fake kernels and gradients."""

from typing import Optional

import torch

from .._einsum import einsum as _einsum
from .._einsum import split as _split
from .._matmul import matmul as _matmul
from .._tools import make_call


def _run(function, *arguments, **named):
    """Runs a call, whose last argument is the result, in the current stream. Its
    workspace is PyTorch's, so that a CUDA graph has no nodes that allocate."""
    out = arguments[-1]
    stream = torch.cuda.current_stream(out.device).cuda_stream or None
    call = make_call(function, arguments, dict(named, stream=stream))
    call.make_workspace = lambda size: out.new_empty(size, dtype=torch.uint8)
    call.run()


@torch.library.custom_op("tcgemm::matmul", mutates_args=(), device_types="cuda")
def _operator(a: torch.Tensor, b: torch.Tensor, bias: Optional[torch.Tensor],
              epilogue: str) -> torch.Tensor:
    out = _make_result(a, b)
    if bias is not None:
        # Kernels read a bias of the result's type or of the sums'.
        sums = torch.promote_types(a.dtype, torch.float32)
        bias = bias if bias.dtype in (out.dtype, sums) else bias.to(sums)
        bias = bias.detach().contiguous()
    _multiply(_prepare(a), _prepare(b), out, bias=bias, epilogue=epilogue)
    return out


def _multiply(a, b, out, **named):
    """Layers are chains of short kernels, so that each starts while the preceding
    kernel ends."""
    _run(_matmul, a, b, out, dependent_launch=True, **named)


def _make_result(a, b):
    batch = a.shape[:-2] or b.shape[:-2]
    return a.new_empty((*batch, a.shape[-2], b.shape[-1]))


def _prepare(tensor):
    """A tensor with strides that `matmul` takes, which DLPack exports."""
    tensor = tensor.detach()
    (rows, columns), (row, column) = tensor.shape[-2:], tensor.stride()[-2:]
    along_rows = column == 1 and (row >= columns or rows <= 1)
    along_columns = row == 1 and (column >= rows or columns <= 1)
    return tensor if along_rows or along_columns else tensor.contiguous()


@_operator.register_fake
def _(a, b, bias, epilogue):
    return _make_result(a, b)


def _set_up(ctx, inputs, output):
    # PyTorch passes the context by this name.
    a, b, bias, epilogue = inputs
    ctx.epilogue, ctx.has_bias = epilogue, bias is not None
    ctx.save_for_backward(a, b)


def _differentiate(ctx, gradient):
    if ctx.epilogue != "none":
        raise NotImplementedError("tcgemm.torch.matmul has gradients for the "
                                  "epilogue 'none', not for '%s'"
                                  % ctx.epilogue)
    a, b = ctx.saved_tensors
    of_a = of_b = of_bias = None
    if ctx.needs_input_grad[0]:
        of_a = _sum_batch(_operator(gradient, b.mT, None, "none"), a)
    if ctx.needs_input_grad[1]:
        of_b = _differentiate_b(a, b, gradient)
    if ctx.has_bias and ctx.needs_input_grad[2]:
        of_bias = _sum_rows(gradient)
    return of_a, of_b, of_bias, None


def _differentiate_b(a, b, gradient):
    if b.dim() == 2 and b.stride(0) == 1 and gradient.dim() == 2:
        # b is the transpose of a weight, whose gradient has the weight's strides.
        return _operator(gradient.mT, a, None, "none").mT
    return _sum_batch(_operator(a.mT, gradient, None, "none"), b)


def _sum_rows(gradient):
    """The sum of a bias's gradients: the product of a row of ones."""
    rows = gradient.flatten(0, -2)
    ones = rows.new_ones((1, rows.shape[0]))
    return _operator(ones, rows, None, "none").reshape(-1)


def _sum_batch(gradient, operand):
    """An operand without batches was used by all products."""
    return gradient.sum(0) if gradient.dim() > operand.dim() else gradient


_operator.register_autograd(_differentiate, setup_context=_set_up)


def matmul(a, b, bias=None, epilogue="none"):
    """Returns epilogue(a @ b + bias), of a's type.

    Args:
      a: shape (m, k) or (batch, m, k), on a GPU.
      b: shape (k, n) or (batch, k, n), on the same GPU, of the same type.
      bias: shape (n,), of any float type.
      epilogue: relu, gelu, gelutanh, silu, or several joined by "_".

    Errors:
      those of tcgemm.matmul; NotImplementedError for gradients of an epilogue.
    """
    return _operator(a, b, bias, epilogue)


# Gated layers

# Fewer rows are two products by kernels for few rows.
_LEAST_DUAL_ROWS = 64


@torch.library.custom_op("tcgemm::gated_matmul", mutates_args=(),
                         device_types="cuda")
def _multiply_gated(a: torch.Tensor, b: torch.Tensor, b2: torch.Tensor,
                    activation: str, kernels: int) -> torch.Tensor:
    out = _make_result(a, b)
    a, b, b2 = _prepare(a), _prepare(b), _prepare(b2)
    if b.stride() != b2.stride():
        b, b2 = b.contiguous(), b2.contiguous()
    if (kernels or _count_kernels(a)) == 1:
        _multiply(a, b, out, b2=b2, dual=activation + "-mul")
        return out
    gate = torch.empty_like(out)
    _multiply(a, b, gate, epilogue=activation)
    _multiply(a, b2, out, epilogue="gate", operands=(gate,))
    return out


def _count_kernels(a):
    """The number of kernels that compute a gated layer: only sm_90a has kernels of
    two products, for types of tensor cores."""
    has_dual = (torch.cuda.get_device_capability(a.device) == (9, 0)
                and a.dtype in (torch.bfloat16, torch.float16))
    return 1 if has_dual and a.shape[-2] >= _LEAST_DUAL_ROWS else 2


@_multiply_gated.register_fake
def _(a, b, b2, activation, kernels):
    return _make_result(a, b)


def gated_matmul(a, b, b2, activation="silu", kernels=0):
    """Returns activation(a @ b) * (a @ b2), of a's type, without gradients.

    Args:
      a: shape (m, k) or (batch, m, k), on a GPU.
      b, b2: shape (k, n) or (batch, k, n), on the same GPU, of the same type.
      activation: relu, gelu, gelutanh or silu.
      kernels: 1 for one kernel, which GPUs of sm_90a have; 2 for two kernels, of
        which the second one multiplies by the result of the first one; 0 for the
        one that is chosen by the GPU, the type and the rows.

    Errors:
      those of tcgemm.matmul.
    """
    return _multiply_gated(a, b, b2, activation, kernels)


# Products by index string


@torch.library.custom_op("tcgemm::einsum", mutates_args=(), device_types="cuda")
def _contract(indices: str, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    out = _make_contracted(indices, a, b)
    _run(_einsum, indices, a.detach(), b.detach(), out)
    return out


def _make_contracted(indices, a, b):
    left, right, result = _split(indices)
    sizes = {**dict(zip(left, a.shape)), **dict(zip(right, b.shape))}
    return a.new_empty([sizes[letter] for letter in result])


_contract.register_fake(_make_contracted)


def _set_up_contraction(ctx, inputs, output):
    ctx.letters = _split(inputs[0])
    ctx.save_for_backward(*inputs[1:])


def _differentiate_contraction(ctx, gradient):
    a, b = ctx.saved_tensors
    left, right, result = ctx.letters
    of_a = of_b = None
    # Every letter is in two operands, so that the other two have it.
    if ctx.needs_input_grad[1]:
        of_a = _contract("%s,%s->%s" % (result, right, left), gradient, b)
    if ctx.needs_input_grad[2]:
        of_b = _contract("%s,%s->%s" % (left, result, right), a, gradient)
    return None, of_a, of_b


_contract.register_autograd(_differentiate_contraction,
                            setup_context=_set_up_contraction)


def einsum(indices, a, b):
    """Returns the product of a and b by an index string, of a's type.

    Args:
      indices: as in tcgemm.einsum, such as "bqhd,bkhd->bhqk".
      a, b: tensors on one GPU, of one type, with any strides.

    Errors:
      those of tcgemm.einsum.
    """
    return _contract(indices, a, b)
