"""Fuses activations and gates into layers, in graphs of torch.fx."""

import logging
import operator

import torch
from torch import fx
from torch.nn import functional

from ._layers import GatedLinear, Linear

_logger = logging.getLogger("tcgemm.torch")

_FUNCTIONS = {torch.relu: "relu", functional.relu: "relu",
              functional.silu: "silu", functional.gelu: "gelu"}
_MODULES = {torch.nn.ReLU: "relu", torch.nn.SiLU: "silu", torch.nn.GELU: "gelu"}
_PRODUCTS = {operator.mul, torch.mul}
# The epilogue for the kind of gelu's approximation.
_GELUS = {"none": "gelu", "tanh": "gelutanh"}


class _Tracer(fx.Tracer):
    """Traces the forward of one module. Of its children, it traces those without
    parameters and children of their own that are no modules of PyTorch, such as
    activations that are written in Python."""

    def is_leaf_module(self, module, name):
        is_plain = (next(module.parameters(), None) is None
                    and next(module.children(), None) is None)
        return super().is_leaf_module(module, name) or not is_plain


def _has_hooks(module):
    return bool(module._forward_hooks or module._forward_pre_hooks
                or module._backward_hooks)


def _calls_function(node, functions):
    return node.op == "call_function" and node.target in functions


class _Fuser:
    """The graph of a module.

    Attributes:
      names: those of the layers that were fused.
    """

    def __init__(self, module):
        self.graph = _Tracer().trace(module)
        self.module, self.names = module, []

    def get_module(self, node):
        return (self.module.get_submodule(node.target)
                if node.op == "call_module" else None)

    def is_linear(self, node, with_bias=True):
        """A call of a layer whose result has no other use."""
        if not isinstance(node, fx.Node) or len(node.users) != 1:
            return False
        layer = self.get_module(node)
        return (type(layer) is torch.nn.Linear and not _has_hooks(layer)
                and len(node.args) == 1 and not node.kwargs
                and (with_bias or layer.bias is None))

    def find_activation(self, node):
        """The epilogue of a call of an activation, or None."""
        options = node.kwargs
        if _calls_function(node, _FUNCTIONS):
            name = _FUNCTIONS[node.target]
        elif node.op == "call_method" and node.target == "relu":
            name = "relu"
        else:
            module = self.get_module(node)
            name = _MODULES.get(type(module))
            if name is None or _has_hooks(module):
                return None
            options = {"approximate": getattr(module, "approximate", "none")}
        if name == "gelu":
            return _GELUS.get(options.get("approximate", "none"))
        return name

    def find_activated(self, node):
        """The layer whose result a node activates, and the epilogue; or None."""
        if not isinstance(node, fx.Node):
            return None
        name = self.find_activation(node)
        if name and node.args and self.is_linear(node.args[0]):
            return node.args[0], name
        return None

    def find_gate(self, node):
        """(activation(gate(x)), gate(x), up(x), name of the activation) of their
        product, or None."""
        is_product = (_calls_function(node, _PRODUCTS)
                      or node.op == "call_method" and node.target == "mul")
        if not is_product or len(node.args) != 2 or node.kwargs:
            return None
        for activated, up in (node.args, node.args[::-1]):
            found = self.find_activated(activated)
            if (found and len(activated.users) == 1
                    and self.is_linear(up, with_bias=False)
                    and self.is_linear(found[0], with_bias=False)
                    and found[0].args == up.args
                    and self.have_equal_weights(found[0], up)):
                return activated, found[0], up, found[1]
        return None

    def have_equal_weights(self, *nodes):
        first, second = (self.get_module(node).weight for node in nodes)
        return (first.shape == second.shape and first.dtype == second.dtype
                and first.stride() == second.stride())

    def are_alone(self, nodes):
        """Whether nothing between the first and the last of the nodes could change
        what the first one reads: nothing but layers is between them."""
        order = list(self.graph.nodes)
        places = [order.index(node) for node in nodes]
        between = [node for node in order[min(places):max(places)]
                   if node not in nodes]
        return all(node.op in ("placeholder", "get_attr")
                   or type(self.get_module(node)) is torch.nn.Linear
                   for node in between)

    def replace(self, nodes, layer, value):
        """Calls a new layer in the place of the first node; the others have no
        further use."""
        name = "fused_%d" % len(self.names)
        while hasattr(self.module, name):
            name += "_"
        self.names.append(name)
        self.module.add_module(name, layer.train(self.module.training))
        with self.graph.inserting_before(nodes[0]):
            call = self.graph.call_module(name, (value,))
        nodes[0].replace_all_uses_with(call)
        for node in nodes:
            self.graph.erase_node(node)

    def make_module(self):
        """The module with the graph. The traced one gets back its own children."""
        fused = fx.GraphModule(self.module, self.graph,
                               type(self.module).__name__)
        for name in self.names:
            delattr(self.module, name)
        return fused.train(self.module.training)

    def fuse_gates(self):
        for node in list(self.graph.nodes):
            found = self.find_gate(node)
            if found:
                activated, gate, up, activation = found
                nodes = [node, activated, gate, up]
                if self.are_alone(nodes):
                    self.replace(nodes, GatedLinear(self.get_module(gate),
                                                    self.get_module(up),
                                                    activation), gate.args[0])

    def fuse_activations(self):
        for node in list(self.graph.nodes):
            found = self.find_activated(node)
            if found:
                linear, activation = found
                if self.are_alone([node, linear]):
                    self.replace([node, linear],
                                 Linear(self.get_module(linear), activation),
                                 linear.args[0])


def fuse(module, name):
    """The module, or a GraphModule with fused layers if it has something to fuse.
    Only calls of its own children are fused."""
    if not any(type(child) is torch.nn.Linear for child in module.children()):
        return module
    if _has_hooks(module):
        _logger.info("%s (%s) is not fused: it has hooks", name,
                     type(module).__name__)
        return module
    try:
        fuser = _Fuser(module)
    except Exception as error:  # Code of the model can raise anything.
        _logger.info("%s (%s) is not fused: torch.fx does not trace it: %s", name,
                     type(module).__name__, error)
        return module
    # Gates have activations in them.
    fuser.fuse_gates()
    fuser.fuse_activations()
    return fuser.make_module() if fuser.names else module
