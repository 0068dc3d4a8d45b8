"""Tries tcgemm.torch on a GPU: results, gradients, torch.compile, CUDA graphs.

Usage: PYTHONPATH=python TCGEMM_LIBRARY=…/libtcgemm.so python3 try_torch.py
"""

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


def try_groups():
    ends = [100, 100, 133, 200]
    offsets = torch.tensor(ends, device="cuda", dtype=torch.int32)
    a, b = draw(210, 72), draw(4, 72, 136)
    compare_gradients("groups",
                      lambda a, b: tcgemm.torch.grouped_matmul(a, b, offsets),
                      lambda a, b: multiply_groups(a, b, ends), a, b)
    torch.library.opcheck(torch.ops.tcgemm.grouped_matmul.default,
                          (a, b, offsets))
    compiled = torch.compile(
        lambda a, b: tcgemm.torch.grouped_matmul(a, b, offsets).relu(),
        fullgraph=True)
    compare("groups, torch.compile", compiled(a, b),
            multiply_groups(a, b, ends).relu())


def main():
    torch.manual_seed(0)
    try_einsum()
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
