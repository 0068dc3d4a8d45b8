"""tcgemm for PyTorch: operators that torch.compile takes as they are.

    import tcgemm.torch
    d = tcgemm.torch.matmul(a, b, bias, "gelu")
    layer = tcgemm.torch.Linear(linear, "relu")

The operators run on the current stream, and can be captured in a CUDA graph after
one call with the same sizes. They have gradients for the epilogue "none".
"""

from typing import Optional

try:
    import torch
except ImportError as error:
    raise ImportError("tcgemm.torch needs PyTorch: pip install torch") from error

from ._matmul import matmul as _matmul


@torch.library.custom_op("tcgemm::matmul", mutates_args=(), device_types="cuda")
def _operator(a: torch.Tensor, b: torch.Tensor, bias: Optional[torch.Tensor],
              epilogue: str) -> torch.Tensor:
    out = _make_result(a, b)
    if bias is not None:
        # Kernels add the bias to the sums, which are f32 or f64.
        bias = bias.to(torch.promote_types(a.dtype, torch.float32)).contiguous()
    stream = torch.cuda.current_stream(a.device).cuda_stream
    _matmul(_prepare(a), _prepare(b), out, bias=bias, epilogue=epilogue,
            stream=stream or None)
    return out


def _make_result(a, b):
    batch = a.shape[:-2] or b.shape[:-2]
    return a.new_empty((*batch, a.shape[-2], b.shape[-1]))


def _prepare(tensor):
    """A tensor with a stride of 1 along rows or columns, which DLPack exports."""
    tensor = tensor.detach()
    return tensor if 1 in tensor.stride()[-2:] else tensor.contiguous()


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
        of_b = _sum_batch(_operator(a.mT, gradient, None, "none"), b)
    if ctx.has_bias and ctx.needs_input_grad[2]:
        of_bias = gradient.flatten(0, -2).sum(0)
    return of_a, of_b, of_bias, None


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


class Linear(torch.nn.Module):
    """A torch.nn.Linear whose product is tcgemm's, with the same parameters.

    Its input has shape (…, in_features), its result (…, out_features).
    """

    def __init__(self, linear, epilogue="none"):
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias
        self.epilogue = epilogue

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        result = matmul(rows, self.weight.mT, self.bias, self.epilogue)
        return result.reshape(*x.shape[:-1], self.weight.shape[0])


def replace_linears(model):
    """Replaces every torch.nn.Linear of a model by a Linear, and returns the
    model."""
    for name, child in model.named_children():
        if type(child) is torch.nn.Linear:
            setattr(model, name, Linear(child))
        else:
            replace_linears(child)
    return model
