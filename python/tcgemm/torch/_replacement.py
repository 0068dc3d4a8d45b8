"""Replaces the layers of a model, and fuses activations into them."""

import torch

from . import _fusion
from ._layers import Linear


def replace_linears(model, fuse=False):
    """Replaces every torch.nn.Linear of a model by a Linear of this package, and
    returns the model.

    With `fuse`, activations that follow a layer become a part of its kernel:
    relu, silu and gelu, as functions, methods or modules. A product of an activated
    layer by another layer of the same input, `silu(gate(x)) * up(x)`, becomes a
    GatedLinear. Fused values are rounded once, at the end.

    Fusion traces each module's `forward` by torch.fx, its own children as they are.
    A module in which it fuses something becomes a torch.fx.GraphModule with the same
    parameters, but other names of them. A module that cannot be traced, because its
    control flow depends on data, or that has hooks, is not fused; the logger
    "tcgemm.torch" tells which and why, at the level INFO.

    Args:
      model: a module. If it is a torch.nn.Linear itself, the result is a Linear.
      fuse: whether to fuse. The model must be in the mode of evaluation, because
        tracing keeps the branches of that mode.

    Errors:
      ValueError: a model in the mode of training with `fuse`.
    """
    if fuse and any(module.training for module in model.modules()):
        raise ValueError("fuse needs a model in the mode of evaluation, but it is "
                         "in that of training: call model.eval()")
    return _Replacer(fuse).replace(model, "the model")


class _Replacer:
    """Attributes:
      results: modules and what stands in their places, by id, so that a module with
               several names stays one.
    """

    def __init__(self, fuse):
        self.fuse, self.results = fuse, {}

    def replace(self, module, name):
        if id(module) not in self.results:
            self.results[id(module)] = (module, self.make(module, name))
        return self.results[id(module)][1]

    def replace_children(self, module, are_linear):
        # named_children() would leave out second names.
        for name, child in list(module._modules.items()):
            if child is not None and (type(child)
                                      is torch.nn.Linear) == are_linear:
                setattr(module, name, self.replace(child, name))

    def make(self, module, name):
        if type(module) is torch.nn.Linear:
            return Linear(module).train(module.training)
        self.replace_children(module, are_linear=False)
        if self.fuse:
            module = _fusion.fuse(module, name)
        self.replace_children(module, are_linear=True)
        return module
