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


def main():
    torch.manual_seed(0)
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
