"""Measures the kernels of benchmark-rows.mlir on a GPU, and those of PyTorch.

    tcgemm-opt utils/bench/benchmark-rows.mlir \\
        --tcgemm-to-device="chip=sm_90 format=ptx" -o rows.mlir
    python3 utils/bench/benchmark-rows.py rows.mlir

The bandwidth counts one read of the input and one write of the result. Both are
larger than the GPU's L2 cache. Runs of both programs alternate; the median of each
is printed. Needs torch and cupy.
"""

import re
import statistics
import sys

import cupy
import numpy
import torch

from timing.device_modules import read_ptx

ROWS, COLUMNS = 8192, 4096
ROUNDS, REPEATS = 9, 20


def read_module(path):
    """The PTX, and of each function the kernel with its grid and the number of
    its arguments."""
    text = open(path).read()
    launches = {}
    for function, body in re.findall(r"func\.func @(\w+)\((.*?)\n  }", text,
                                     re.S):
        (kernel, grid, arguments), = re.findall(
            r"launch_func\s+@\w+::@(\w+) blocks in \(%c(\d+),.*?args\((.*)\)",
            body)
        launches[function] = (kernel, int(grid), arguments)
    return read_ptx(text), launches


def describe(tensor):
    """A memref's parts as kernel arguments."""
    return [numpy.uint64(tensor.data_ptr())] * 2 + [numpy.int64(0)] + \
        [numpy.int64(v) for v in (*tensor.shape, *tensor.stride())]


def make_call(module, launch, parameters):
    """`parameters` are the function's arguments, in order. Temporary buffers are
    vectors with the length of a row."""
    kernel, grid, arguments = launch
    function = module.get_function(kernel)
    values, own = [], []
    for name in re.findall(r"(%\w+) :", arguments):
        if name.startswith("%arg"):
            values += describe(parameters[int(name[4:])])
        else:
            own.append(torch.empty(ROWS, device="cuda"))
            values += describe(own[-1])

    # The default argument keeps the buffers alive.
    return lambda own=own: function((grid,), (256,), tuple(values))


def time_once(call):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(REPEATS):
        call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / REPEATS * 1e3


def main():
    ptx, launches = read_module(sys.argv[1])
    module = cupy.cuda.function.Module()
    module.load(ptx.encode())
    torch.manual_seed(1)
    x = torch.randn(ROWS, COLUMNS, device="cuda")
    gamma, beta = (torch.randn(COLUMNS, device="cuda") for _ in range(2))
    y, yt = torch.empty_like(x), torch.empty(COLUMNS, ROWS, device="cuda")
    norm = torch.nn.functional.layer_norm
    cases = {
        "softmax": ([x, y], y, lambda: torch.softmax(x, 1)),
        "transpose": ([x, yt], yt, lambda: x.t().contiguous()),
        "layernorm": ([x, gamma, beta, y], y,
                      lambda: norm(x, (COLUMNS,), gamma, beta)),
    }
    print(torch.cuda.get_device_name())
    print("%-10s %10s %8s %12s %8s %14s" % ("", "us", "TB/s", "PyTorch us",
                                            "TB/s", "largest error"))
    with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
        for name, (parameters, result, reference) in cases.items():
            call = make_call(module, launches[name], parameters)
            call()
            error = (result - reference()).abs().max().item()
            times = [(time_once(call), time_once(reference))
                     for _ in range(ROUNDS)]
            ours, theirs = (statistics.median(t) for t in zip(*times))
            rate = 8e-6 * ROWS * COLUMNS
            print("%-10s %10.1f %8.2f %12.1f %8.2f %14.2e" %
                  (name, ours, rate / ours, theirs, rate / theirs, error))


if __name__ == "__main__":
    main()
