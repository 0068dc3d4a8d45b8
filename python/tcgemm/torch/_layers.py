"""Layers with the parameters of torch.nn.Linear."""

import functools

import torch
from torch.nn import functional

from ._operators import gated_matmul, matmul

# The activations of epilogues, as PyTorch computes them.
ACTIVATIONS = {"relu": functional.relu, "silu": functional.silu,
               "gelu": functional.gelu,
               "gelutanh": functools.partial(functional.gelu,
                                             approximate="tanh")}


# torch.compile traces the functions below, also with fullgraph=True.


def _cast(*tensors):
    """The tensors in the type of torch.autocast, if it is enabled."""
    device = tensors[0].device.type
    if not torch.is_autocast_enabled(device):
        return tensors
    dtype = torch.get_autocast_dtype(device)
    # Autocast leaves float64 as it is.
    return [tensor if tensor is None or tensor.dtype == torch.float64
            else tensor.to(dtype) for tensor in tensors]


def _needs_gradients(*tensors):
    if not torch.is_grad_enabled():
        return False
    for tensor in tensors:
        if tensor is not None and tensor.requires_grad:
            return True
    return False


def _check_activations(names):
    for name in names:
        if name not in ACTIVATIONS:
            raise ValueError("the activation is %r, but must be one of %s"
                             % (name, ", ".join(ACTIVATIONS)))


class Linear(torch.nn.Module):
    """A torch.nn.Linear whose product is tcgemm's, with the same parameters.

    Its input has shape (…, in_features), its result (…, out_features). Where
    gradients are needed, PyTorch computes the activations. torch.autocast has the
    effect that it has on torch.nn.Linear.

    Args:
      linear: the layer whose parameters it shares.
      epilogue: "none", or relu, gelu, gelutanh and silu, joined by "_".

    Errors:
      ValueError: another epilogue.
    """

    def __init__(self, linear, epilogue="none"):
        super().__init__()
        self.activations = [] if epilogue == "none" else epilogue.split("_")
        _check_activations(self.activations)
        self.weight, self.bias = linear.weight, linear.bias
        self.epilogue = epilogue

    def forward(self, x):
        x, weight, bias = _cast(x, self.weight, self.bias)
        rows = x.reshape(-1, x.shape[-1])
        if self.activations and _needs_gradients(x, weight, bias):
            result = matmul(rows, weight.mT, bias)
            for name in self.activations:
                result = ACTIVATIONS[name](result)
        else:
            result = matmul(rows, weight.mT, bias, self.epilogue)
        return result.reshape(*x.shape[:-1], weight.shape[0])

    def extra_repr(self):
        return "in_features=%d, out_features=%d, bias=%s, epilogue=%s" % (
            self.weight.shape[1], self.weight.shape[0], self.bias is not None,
            self.epilogue)


class GatedLinear(torch.nn.Module):
    """activation(gate(x)) * up(x) for two torch.nn.Linear without biases, with the
    same parameters. Shapes, gradients and autocast are as in Linear.

    Args:
      gate, up: layers of the same sizes without biases.
      activation: relu, gelu, gelutanh or silu.
      kernels: as in gated_matmul.

    Errors:
      ValueError: another activation, other sizes, or a bias.
    """

    def __init__(self, gate, up, activation="silu", kernels=0):
        super().__init__()
        _check_activations([activation])
        if gate.weight.shape != up.weight.shape:
            raise ValueError("the weight of gate is %s, but that of up is %s"
                             % (tuple(gate.weight.shape),
                                tuple(up.weight.shape)))
        if gate.bias is not None or up.bias is not None:
            raise ValueError("gate or up has a bias, but neither may have one")
        self.gate_weight, self.up_weight = gate.weight, up.weight
        self.activation, self.kernels = activation, kernels

    def forward(self, x):
        x, gate, up = _cast(x, self.gate_weight, self.up_weight)
        rows = x.reshape(-1, x.shape[-1])
        if _needs_gradients(x, gate, up):
            result = (ACTIVATIONS[self.activation](matmul(rows, gate.mT))
                      * matmul(rows, up.mT))
        else:
            result = gated_matmul(rows, gate.mT, up.mT, self.activation,
                                  self.kernels)
        return result.reshape(*x.shape[:-1], gate.shape[0])

    def extra_repr(self):
        return "in_features=%d, out_features=%d, activation=%s" % (
            self.gate_weight.shape[1], self.gate_weight.shape[0],
            self.activation)
