"""Contenders of a row: sequences of launches of packs, of kernels of tcgemm-to-device and
of calls of PyTorch or cuTENSOR. Needs a GPU and torch."""

import ctypes
import json
import os

import torch

import pack_launcher

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32,
          "f64": torch.float64, "e4m3": torch.float8_e4m3fn, "i32": torch.int32}


class Unavailable(Exception):
    """A library that a contender needs is not there."""


def draw_ends(groups, rows, seed):
    """The ends of groups of rows. Their sizes are multinomial, with probabilities of a
    Dirichlet distribution, as routers of experts draw them."""
    import numpy
    generator = numpy.random.default_rng(seed)
    sizes = generator.multinomial(rows, generator.dirichlet(numpy.ones(groups)))
    return torch.tensor(numpy.cumsum(sizes), dtype=torch.int32, device="cuda")


def make_operand(spec, others):
    """A tensor of ["bf16", [4096, 4096]]. A third item may be "lower" for a triangle, the
    name of an operand for a copy, or {"rows": 1024, "seed": 1} for ends of groups."""
    kind, shape = spec[:2]
    content = spec[2] if len(spec) > 2 else "normal"
    if isinstance(content, dict):
        return draw_ends(shape[0], **content)
    if content in ("normal", "lower"):
        # FP8 has no random numbers of its own.
        drawn = torch.randn(shape, device="cuda",
                            dtype=DTYPES["f16" if kind == "e4m3" else kind])
        return (drawn.tril() if content == "lower" else drawn).to(DTYPES[kind])
    return others[content].clone()


def make_operands(specs):
    operands = {}
    for name, spec in specs.items():
        operands[name] = make_operand(spec, operands)
    return operands


class DeviceModule:
    """The kernel of FOLDER/kernel.ptx, as FOLDER/kernel.json describes it."""

    def __init__(self, folder):
        torch.cuda.current_stream()  # Creates the context.
        with open(os.path.join(folder, "kernel.json"), encoding="utf-8") as file:
            self.launch = json.load(file)
        with open(os.path.join(folder, "kernel.ptx"), "rb") as file:
            image = file.read() + b"\0"
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        driver, check = pack_launcher.driver, pack_launcher.check
        check(driver.cuModuleLoadData(ctypes.byref(self.module), image),
              "cannot load " + folder)
        check(driver.cuModuleGetFunction(
            ctypes.byref(self.function), self.module, self.launch["kernel"].encode()),
            "no symbol " + self.launch["kernel"])

    def plan(self, values):
        """A launch on tensors, the arguments of the function in MLIR."""
        memory = []
        for number in self.launch["arguments"]:
            value = values[number]
            # A memref's two pointers, offset, sizes and strides.
            memory += [ctypes.c_int64(word) for word in (
                value.data_ptr(), value.data_ptr(), 0, *value.shape, *value.stride())]
        step = {"symbol": self.launch["kernel"], "cluster": [1, 1, 1],
                "block": [self.launch["block"], 1, 1], "shared_memory": 0}
        planned = pack_launcher.Step(
            self.function, step, [self.launch["grid"], 1, 1],
            [(word, ctypes.addressof(word)) for word in memory])
        return lambda: planned.launch(torch.cuda.current_stream().cuda_stream)


# Calls of PyTorch and cuTENSOR -------------------------------------------------------

def as_matrices(a, b, layout):
    """A as M x K and B as K x N; their memory is that of the layout of BLAS."""
    return a if layout[0] == "t" else a.t(), b.t() if layout[1] == "n" else b


def make_mm(step, a, b, d):
    a, b = as_matrices(a, b, step["layout"])
    return lambda: torch.mm(a, b, out=d)


def make_addmm(step, a, b, d):
    """D = A B + D, by one call of cuBLAS."""
    a, b = as_matrices(a, b, step["layout"])
    return lambda: d.addmm_(a, b)


def make_diagonal_mm(step, vector, b, d):
    return lambda: torch.mm(torch.diag(vector), b, out=d)


def make_scale_rows(step, vector, b, d):
    return lambda: torch.mul(vector[:, None], b, out=d)


def make_copy(step, source, target):
    return lambda: target.copy_(source)


def make_einsum(step, a, b, _):
    """The result is a new tensor."""
    return lambda: torch.einsum(step["index"], a, b)


def make_complex_mm(step, a, b, d):
    """A times the transpose of B; the last extent has the components."""
    a, b, d = map(torch.view_as_complex, (a, b, d))

    def run():
        # The option is read where the call is captured.
        torch.backends.cuda.matmul.allow_tf32 = step["tf32"]
        torch.mm(a, b.t(), out=d)
        torch.backends.cuda.matmul.allow_tf32 = False
    return run


def make_dual_mm(step, a, b, d):
    """Three real products of the two planes of A and B: A times the transpose of B."""
    first, second = b[0].t(), b[1].t()

    def run():
        torch.mm(a[0], first, out=d[0])
        torch.mm(a[0], second, out=d[1])
        d[1].addmm_(a[1], first)
    return run


def make_grouped_mm(step, a, b, ends, d):
    right = b.transpose(1, 2)
    return lambda: torch._grouped_mm(a, right, offs=ends, out_dtype=d.dtype)


def make_cutensor(step, a, b, d):
    """A contraction by one algorithm of cuTENSOR: TTGT or GETT."""
    inputs, output = step["index"].split("->")
    left, right = inputs.split(",")
    try:
        import cupy
        import cupyx.cutensor
        from cupy_backends.cuda.libs import cutensor
        algorithm = getattr(cutensor, "ALGO_" + step["algorithm"])
        a, b, d = map(cupy.asarray, (a, b, d))

        def run():
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                cupyx.cutensor.contraction(1, a, left, b, right, 0, d, output,
                                           algo=algorithm)
        run()
    except (ImportError, AttributeError, TypeError, ValueError, RuntimeError) as error:
        # cupy lists the folders that it searched on further lines.
        reason = str(error).partition("\n")[0]
        raise Unavailable("cuTENSOR by cupy is not at hand: " + reason) from error
    return run


CALLS = {"copy": make_copy, "mm": make_mm, "addmm": make_addmm,
         "diagonal-mm": make_diagonal_mm, "scale-rows": make_scale_rows, "einsum": make_einsum,
         "complex-mm": make_complex_mm, "dual-mm": make_dual_mm,
         "grouped-mm": make_grouped_mm, "cutensor": make_cutensor}


class Contender:
    """The steps of a contender on operands with names."""

    def __init__(self, description, folder):
        self.name = description["name"]
        self.steps = description["steps"]
        self.loaded = {}
        for step in self.steps:
            for kind, loader in (("pack", pack_launcher.Pack),
                                 ("module", DeviceModule)):
                if kind in step and step[kind] not in self.loaded:
                    self.loaded[step[kind]] = loader(os.path.join(folder, step[kind]))

    def get_names(self):
        """The operands that the steps read or write."""
        return {name for step in self.steps for name in step["arguments"]
                if isinstance(name, str)}

    def plan(self, operands):
        """A function without arguments, and what it returned last: the result of a call
        that allocates one."""
        calls = []
        for step in self.steps:
            values = [operands[name] if isinstance(name, str) else name
                      for name in step["arguments"]]
            if "call" in step:
                calls.append(CALLS[step["call"]](step, *values))
            else:
                calls.append(self.loaded[step.get("pack") or step["module"]].plan(values))

        def run():
            for call in calls:
                returned = call()
            return returned
        return run
