"""Tries tcgemm.torch on a GPU: results, gradients, torch.compile, CUDA graphs.

Usage: PYTHONPATH=python TCGEMM_LIBRARY=…/libtcgemm.so python3 try_torch.py
"""

import copy

import tcgemm
import tcgemm.torch
import torch


def compare(name, result, expected, tolerance=2e-2):
    error = (result.float() - expected.float()).abs().max().item()
    scale = expected.float().abs().max().item()
    print("%-24s largest error %.2e of %.2e" % (name, error, scale))
    assert error <= tolerance * scale, name


def draw(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def compare_gradients(name, function, expected, *inputs):
    """Of functions of the inputs that are floats."""
    results = []
    for each in (function, expected):
        leaves = [x.clone().requires_grad_() for x in inputs]
        result = each(*leaves)
        result.float().square().mean().backward()
        results.append([result, *(leaf.grad for leaf in leaves)])
    for part, (ours, theirs) in enumerate(zip(*results)):
        compare("%s, %s" % (name, ["result", "a", "b"][part]), ours, theirs)


def try_einsum():
    for indices, left, right in (
            ("bqhd,bkhd->bhqk", (2, 40, 3, 32), (2, 24, 3, 32)),
            ("bhqk,bkhd->bqhd", (2, 3, 40, 24), (2, 24, 3, 32)),
            ("mkb,knb->mnb", (24, 32, 5), (32, 16, 5)),
            ("aebf,fdec->abcd", (4, 6, 5, 8), (8, 3, 6, 7)),
            ("mk,k->m", (24, 32), (32,)), ("bk,bk->b", (24, 32), (24, 32))):
        compare_gradients(
            indices, lambda a, b, i=indices: tcgemm.torch.einsum(i, a, b),
            lambda a, b, i=indices: torch.einsum(i, a, b), draw(*left),
            draw(*right))
    a, b = draw(2, 40, 3, 32), draw(2, 24, 3, 32)
    torch.library.opcheck(torch.ops.tcgemm.einsum.default,
                          ("bqhd,bkhd->bhqk", a, b))
    compiled = torch.compile(
        lambda a, b: tcgemm.torch.einsum("bqhd,bkhd->bhqk", a, b).relu(),
        fullgraph=True)
    compare("einsum, torch.compile", compiled(a, b),
            torch.einsum("bqhd,bkhd->bhqk", a, b).relu())
    strided = draw(80, 128)[::2, 3:99:3]
    compare("einsum, strides", tcgemm.torch.einsum("mk,nk->nm", strided, strided),
            strided @ strided.mT)


def multiply_groups(a, b, ends):
    rows = [a[begin:end] @ matrix
            for begin, end, matrix in zip([0, *ends], ends, b)]
    return torch.cat([*rows, a.new_zeros(a.shape[0] - ends[-1], b.shape[2])])


def multiply_along_k(a, b, ends):
    return torch.stack([a[:, begin:end] @ b[begin:end]
                        for begin, end in zip([0, *ends], ends)])


def multiply_padded(a, b, counts):
    rows = torch.arange(a.shape[1], device=a.device)
    is_left_out = rows >= torch.tensor(counts, device=a.device)[:, None]
    return (a @ b).masked_fill(is_left_out[:, :, None], 0)


def try_groups():
    ends, counts = [100, 100, 133, 200], [50, 0, 1, 33]
    for name, reference, sizes, a, b in (
            ("grouped_matmul", multiply_groups, ends, (210, 72), (4, 72, 136)),
            ("grouped_matmul_along_k", multiply_along_k, ends, (72, 210), (210, 136)),
            ("grouped_matmul_padded", multiply_padded, counts, (4, 50, 72),
             (4, 72, 136))):
        function = getattr(tcgemm.torch, name)
        numbers = torch.tensor(sizes, device="cuda", dtype=torch.int32)
        a, b = draw(*a), draw(*b)
        for what, right in ((name, b), ("  transposed", b.mT.contiguous().mT)):
            compare_gradients(what, lambda a, b: function(a, b, numbers),
                              lambda a, b: reference(a, b, sizes), a, right)
        torch.library.opcheck(getattr(torch.ops.tcgemm, name).default,
                              (a.requires_grad_(), b.requires_grad_(), numbers))
        a, b = a.detach(), b.detach()
        compiled = torch.compile(lambda a, b: function(a, b, numbers).relu(),
                                 fullgraph=True)
        compare("  torch.compile", compiled(a, b), reference(a, b, sizes).relu())
        compare("  graph", capture(lambda: function(a, b, numbers)),
                reference(a, b, sizes))
    try_values_left_out()
    try_no_terms()


def try_values_left_out():
    """Values that no group has do not reach gradients."""
    a, b = draw(2, 50, 72), draw(2, 72, 136)
    a[1, 9:] = torch.nan
    counts = torch.tensor([50, 9], device="cuda", dtype=torch.int32)
    a, b = a.requires_grad_(), b.requires_grad_()
    tcgemm.torch.grouped_matmul_padded(a, b, counts).float().sum().backward()
    for name, part in (("a", a.grad), ("b", b.grad)):
        assert part.isfinite().all(), "the gradient of " + name
    compare("values left out", b.grad[1], a[1, :9].sum(0)[:, None].expand(72, 136))


def try_no_terms():
    offsets = torch.zeros(3, device="cuda", dtype=torch.int32)
    d = tcgemm.torch.grouped_matmul_along_k(draw(72, 0), draw(0, 136), offsets)
    assert d.shape == (3, 72, 136) and not d.any()
    d = tcgemm.torch.grouped_matmul(draw(5, 0), draw(3, 0, 136), offsets)
    assert d.shape == (5, 136) and not d.any()


class GatedBlock(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = torch.nn.Linear(512, 768, bias=False)
        self.up = torch.nn.Linear(512, 768, bias=False)
        self.down = torch.nn.Linear(768, 512, bias=False)

    def forward(self, x):
        return self.down(torch.nn.functional.silu(self.gate(x)) * self.up(x))


class ChangedInput(torch.nn.Module):
    """The layers have different inputs, though the tensor is the same."""

    def __init__(self):
        super().__init__()
        self.gate = torch.nn.Linear(512, 512, bias=False)
        self.up = torch.nn.Linear(512, 512, bias=False)

    def forward(self, x):
        x = x * 2
        gate = self.gate(x)
        x.add_(1)
        return torch.nn.functional.silu(gate) * self.up(x)


def capture(function):
    """The replay of a graph of the function, which returns its result."""
    function()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = function()
    graph.replay()
    return out


def try_fusion():
    gelu = torch.nn.Sequential(torch.nn.Linear(512, 768),
                               torch.nn.GELU(approximate="tanh"),
                               torch.nn.Linear(768, 512))
    for name, model in (("gated", GatedBlock()), ("gelu", gelu)):
        model = model.to("cuda", torch.bfloat16).eval()
        fused = tcgemm.torch.replace_linears(copy.deepcopy(model), fuse=True)
        assert any(module.__class__.__name__ == "GatedLinear"
                   or getattr(module, "epilogue", "none") == "gelutanh"
                   for module in fused.modules()), name
        for rows in (1, 40, 300):
            x = draw(2, rows, 512)
            with torch.no_grad():
                compare("%s, %d rows" % (name, rows), fused(x), model(x))
                compiled = torch.compile(fused, fullgraph=True, dynamic=False)
                compare("  torch.compile", compiled(x), model(x))
                compare("  graph", capture(lambda: fused(x)), model(x))
        x = draw(40, 512)
        model(x).float().square().mean().backward()
        fused(x).float().square().mean().backward()
        ours = [p.grad for p in fused.parameters()]
        theirs = [p.grad for p in model.parameters()]
        assert all(p.grad.stride() == p.stride() for p in fused.parameters())
        for part, pair in enumerate(zip(ours, theirs)):
            compare("  gradient %d" % part, *pair)
    model = ChangedInput().to("cuda", torch.bfloat16).eval()
    fused = tcgemm.torch.replace_linears(copy.deepcopy(model), fuse=True)
    with torch.no_grad():
        compare("an input that changes", fused(x), model(x))
    a, b, b2 = draw(300, 512), draw(512, 768) / 20, draw(512, 768) / 20
    expected = torch.nn.functional.silu((a @ b).float()) * (a @ b2).float()
    has_dual = torch.cuda.get_device_capability() == (9, 0)
    for kernels in ((0, 1, 2) if has_dual else (0, 2)):
        compare("gated_matmul, kernels %d" % kernels, tcgemm.torch.gated_matmul(
            a, b, b2, "silu", kernels), expected)
    torch.library.opcheck(torch.ops.tcgemm.gated_matmul.default,
                          (a, b, b2, "silu", 0),
                          test_utils=("test_schema", "test_faketensor"))


def try_quantized():
    k, n, size = 512, 200, 128
    x, bias = draw(2, 40, k), draw(n)
    for dtype, least in (("int4", -8), ("uint4", 0)):
        w = torch.randint(least, least + 16, (n, k), device="cuda")
        bits = w & 15
        weight = (bits[:, 0::2] | bits[:, 1::2] << 4).to(torch.uint8)
        scales = torch.rand(n, k // size, device="cuda") / 16
        zeros = torch.randint(0, 5, (n, k // size), device="cuda").to(
            torch.int8 if dtype == "int4" else torch.uint8)
        wide = ((w - zeros.int().repeat_interleave(size, 1))
                * scales.repeat_interleave(size, 1))
        arguments = (x, weight, scales, zeros, size, dtype, bias)
        compare("quantized, " + dtype,
                torch.ops.tcgemm.quantized_matmul(*arguments),
                x.float() @ wide.mT + bias)
        compare("  without zero points",
                tcgemm.torch.quantized_matmul(x, weight, scales, size, dtype=dtype),
                x.float() @ (w * scales.repeat_interleave(size, 1)).mT)
    torch.library.opcheck(torch.ops.tcgemm.quantized_matmul.default, arguments,
                          test_utils=("test_schema", "test_faketensor"))
    compiled = torch.compile(lambda x: tcgemm.torch.quantized_matmul(
        x, weight, scales, size, zeros, dtype, bias).relu(), fullgraph=True)
    compare("  torch.compile", compiled(x), (x.float() @ wide.mT + bias).relu())


def try_features():
    """Results of reductions, and complex tensors."""
    a, b = draw(300, 512), draw(512, 200)
    d, maxima = tcgemm.matmul(a, b, reductions="row-max")
    compare("row-max", maxima, d.float().amax(1))
    z = torch.randn(300, 512, device="cuda", dtype=torch.complex64)
    w = torch.randn(512, 200, device="cuda", dtype=torch.complex64)
    compare("complex", torch.view_as_real(tcgemm.matmul(z, w)),
            torch.view_as_real(z @ w))


def try_autocast():
    linear = torch.nn.Linear(512, 256).to("cuda")
    ours = tcgemm.torch.replace_linears(copy.deepcopy(linear))
    x = torch.randn(300, 512, device="cuda")
    for layer in (linear, ours):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            layer.result = layer(x)
        assert layer.result.dtype == torch.bfloat16
        layer.result.float().square().mean().backward()
    compare("autocast", ours.result, linear.result)
    compare("autocast, weight", ours.weight.grad, linear.weight.grad)
    compare("autocast, bias", ours.bias.grad, linear.bias.grad)


def main():
    torch.manual_seed(0)
    try_fusion()
    try_autocast()
    try_einsum()
    try_quantized()
    try_features()
    if torch.cuda.get_device_capability() == (9, 0):
        try_groups()
    a = torch.randn(300, 512, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(512, 200, device="cuda", dtype=torch.bfloat16)
    bias = torch.randn(200, device="cuda", dtype=torch.bfloat16)
    compare("matmul", tcgemm.matmul(a, b), a @ b)
    compare("operator", tcgemm.torch.matmul(a, b, bias), a @ b + bias)
    compare("epilogue", tcgemm.torch.matmul(a, b, bias, "relu"),
            torch.relu(a @ b + bias))
    compare("transposed", tcgemm.torch.matmul(b.mT, a.mT), b.mT @ a.mT)
    batch = torch.randn(3, 300, 512, device="cuda", dtype=torch.bfloat16)
    compare("batch", tcgemm.torch.matmul(batch, b), batch @ b)

    left, right = a.clone().requires_grad_(), b.clone().requires_grad_()
    left2, right2 = a.clone().requires_grad_(), b.clone().requires_grad_()
    tcgemm.torch.matmul(left, right).square().mean().backward()
    (left2 @ right2).square().mean().backward()
    compare("gradient of a", left.grad, left2.grad)
    compare("gradient of b", right.grad, right2.grad)
    torch.library.opcheck(torch.ops.tcgemm.matmul.default, (a, b, bias, "none"))

    model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.GELU(),
                                torch.nn.Linear(1024, 512))
    model = model.to("cuda", torch.bfloat16)
    expected = model(a)
    model = tcgemm.torch.replace_linears(model)
    compare("replace_linears", model(a), expected)
    compiled = torch.compile(model, fullgraph=True)
    compare("torch.compile", compiled(a), expected)

    graph = torch.cuda.CUDAGraph()
    with torch.no_grad():
        out = model(a)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            out = model(a)
        a.copy_(torch.randn_like(a))
        graph.replay()
        compare("CUDA graph", out, model(a))


if __name__ == "__main__":
    main()
