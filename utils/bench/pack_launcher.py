"""Launches the kernels of a pack on buffers of PyTorch, as docs/reference/manifest.md
describes.

Needs a GPU and torch. The launches go to the current stream of torch, so that they
can be captured in a graph. Copies without a launch of their own are those of torch.
Fills are not supported. With TCGEMM_PTX in the environment the driver gets PTX instead
of cubins, as the emulated driver needs it.
"""

import ctypes
import json
import os
import re

import torch

DATA_TYPES = {"i1": 0, "i8": 0, "ui8": 0, "f8E4M3FN": 0, "f8E5M2": 0, "i16": 1,
              "i32": 3, "i64": 5, "index": 5, "f16": 6, "f32": 7, "f64": 8,
              "bf16": 9, "tf32": 11}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
PROMOTIONS = {0: 0, 64: 1, 128: 2, 256: 3}
MAX_DYNAMIC_SHARED_MEMORY = 8  # CUfunction_attribute
NON_PORTABLE_CLUSTER = 14
CLUSTER, SERIALIZATION = 4, 6  # CUlaunchAttributeID
SIZES = {"b": "batch", "c": "batch_c", "d": "batch_d", "m": "M", "n": "N",
         "k": "K"}
INTEGERS = {"i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
            "i64": ctypes.c_int64, "index": ctypes.c_int64}


class Attribute(ctypes.Structure):
    """CUlaunchAttribute"""
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int),
                ("value", ctypes.c_uint32 * 16)]


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig"""
    _fields_ = [("sizes", ctypes.c_uint * 6), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p),
                ("count", ctypes.c_uint)]


driver = ctypes.CDLL("libcuda.so.1")


def check(code, what):
    if code:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError("%s: %s" % (what, (text.value or b"?").decode()))


compiled = {}


def evaluate(text, symbols):
    """The value of an expression of the manifest."""
    if text not in compiled:
        code = text.replace("&&", " and ").replace("||", " or ")
        code = re.sub(r"!(?!=)", " not ", code).replace("/", "//")
        code = re.sub(r"([A-Za-z_]\w*)\.(\w+)", r"\1_\2", code)
        compiled[text] = compile(code.strip(), text, "eval")
    functions = {"ceildiv": lambda a, b: -(-a // b), "min": min, "max": max,
                 "select": lambda c, a, b: a if c else b}
    return int(eval(compiled[text], {"__builtins__": {}, **functions}, symbols))


class Packed:
    """A row-major tensor of 4-bit elements, two in a byte."""

    def __init__(self, shape, data=None):
        self.shape = shape
        rows, columns = shape[:-1], shape[-1]
        self.data = data if data is not None else torch.randint(
            0, 256, (*rows, -(-columns // 2)), dtype=torch.uint8, device="cuda")

    def clone(self):
        return Packed(self.shape, self.data.clone())

    def numel(self):
        return self.data.numel()

    def element_size(self):
        return 1

    def data_ptr(self):
        return self.data.data_ptr()

    def stride(self):
        strides = [1]
        for size in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * size)
        return strides


def count(operand, dim, sizes):
    """The operand's elements along a dimension; scales count blocks."""
    size = sizes.get(SIZES[dim], 1)
    if not operand["role"].startswith(("scale_", "zero_")):
        return size
    group = operand.get("group")
    block = {"k": group or 128, "n": 1 if group else 128, "m": 1}[dim]
    return -(-size // block)


def get_dtype(kind):
    return {"f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2,
            "f16": torch.float16, "bf16": torch.bfloat16,
            "f64": torch.float64}.get(kind, torch.float32)


def make_value(operand, shape):
    kind, role = operand["type"], operand["role"]
    if role == "scalar":
        return 0.5
    if kind in ("i4", "ui4"):
        return Packed(shape)
    if kind in ("i8", "ui8", "i32"):
        return torch.randint(0, 8, shape, device="cuda", dtype={
            "i8": torch.int8, "ui8": torch.uint8, "i32": torch.int32}[kind])
    dtype = get_dtype(kind)
    if role.startswith("scale_"):
        return (torch.rand(shape, device="cuda") + 0.5).to(dtype)
    return torch.randn(shape, device="cuda").to(dtype)


def read_constant(folder, constant):
    """A constant's elements on the device."""
    dtype, shape = get_dtype(constant["type"]), constant["shape"]
    if "file" not in constant:
        return torch.full(shape, float(constant["value"]), dtype=dtype, device="cuda")
    with open(os.path.join(folder, constant["file"]), "rb") as file:
        elements = torch.frombuffer(bytearray(file.read()), dtype=dtype)
    return elements.reshape(shape).cuda()


class Pack:
    def __init__(self, folder):
        with open(os.path.join(folder, "manifest.json")) as file:
            self.manifest = json.load(file)
        torch.cuda.current_stream()  # Creates the context.
        self.kernels = {kernel["name"]: kernel
                        for kernel in self.manifest["kernels"]}
        self.constants = [read_constant(folder, constant)
                          for constant in self.manifest.get("constants", ())]
        self.modules, self.symbols = {}, {}
        for module in self.manifest["modules"]:
            name = module["ptx" if os.environ.get("TCGEMM_PTX") else "cubin"]
            with open(os.path.join(folder, name), "rb") as file:
                image = file.read() + b"\0"  # The end of PTX.
            handle = ctypes.c_void_p()
            check(driver.cuModuleLoadData(ctypes.byref(handle), image),
                  "cannot load " + name)
            self.modules[module["name"]] = handle

    def get_function(self, step):
        key = step["module"], step["symbol"]
        if key not in self.symbols:
            function = ctypes.c_void_p()
            check(driver.cuModuleGetFunction(
                ctypes.byref(function), self.modules[key[0]],
                key[1].encode()), "no symbol " + key[1])
            check(driver.cuFuncSetAttribute(
                function, MAX_DYNAMIC_SHARED_MEMORY, step["shared_memory"]),
                "shared memory of " + key[1])
            blocks = step["cluster"]
            if blocks[0] * blocks[1] * blocks[2] > 8:
                check(driver.cuFuncSetAttribute(
                    function, NON_PORTABLE_CLUSTER, 1), "cluster")
            self.symbols[key] = function
        return self.symbols[key]

    def make_values(self, sizes):
        """Random arguments of the first function for `sizes` of M, N and K, if it
        launches one kernel."""
        launch, = self.manifest["functions"][0]["launches"]
        kernel, values = self.kernels[launch["kernel"]], {}
        for operand, name in zip(kernel["operands"], launch["operands"]):
            shape = [count(operand, dim, sizes) for dim in operand["dims"]]
            values[name] = make_value(operand, shape)
        return [values["arg%d" % i] for i in range(len(values))]

    def plan(self, values):
        """The launches of the first function on `values`: row-major tensors, Packed
        ones, or numbers for scalars. Returns a function without arguments."""
        function = self.manifest["functions"][0]
        buffers = self.make_buffers(function, values)
        steps, keep = [], [values, buffers]
        for launch in function["launches"]:
            if "copy" in launch:
                steps.append(self.plan_copy(launch, buffers))
            elif "kernel" in launch:
                steps += self.plan_kernel(
                    self.kernels[launch["kernel"]],
                    [buffers[name] for name in launch["operands"]], keep)
            else:
                raise ValueError("fills are not supported")

        def run():
            stream = torch.cuda.current_stream().cuda_stream
            for step in steps:
                step.launch(stream)
        run.keep = keep
        return run

    def make_buffers(self, function, values):
        """The function's arguments, temporaries and views by their names, and the
        values of `symbols`."""
        symbols = {"arg%d_dim%d" % (i, j): size
                   for i, value in enumerate(values)
                   for j, size in enumerate(getattr(value, "shape", ()))}
        buffers = {"arg%d" % i: Buffer.of(value)
                   for i, value in enumerate(values)}
        buffers["symbols"] = symbols
        for i, temporary in enumerate(function["temporaries"]):
            shape = [evaluate(str(size), symbols)
                     for size in temporary["shape"]]
            buffers["tmp%d" % i] = Buffer.of(torch.empty(
                shape, dtype=get_dtype(temporary["type"]), device="cuda"))
        for i, constant in enumerate(self.constants):
            buffers["const%d" % i] = Buffer.of(constant)
        for i, view in enumerate(function.get("views", ())):
            source = buffers[view["buffer"]]
            numbers = {key: [evaluate(text, symbols) for text in view[key]]
                       for key in ("sizes", "strides")}
            buffers["view%d" % i] = source.get_view(
                evaluate(view["offset"], symbols), **numbers)
        return buffers

    def plan_copy(self, launch, buffers):
        source, target = buffers[launch["copy"]], buffers[launch["to"]]
        step = launch.get("step")
        if not step:
            return Copy(source, target)
        symbols = buffers["symbols"]
        grid = [evaluate(text, symbols) for text in step["grid"]]
        named = {"from": (None, source), "to": (None, target)}
        arguments = [bind(argument, symbols, named, 0, ())
                     for argument in step["arguments"]]
        return Step(self.get_function(step), step, grid, arguments)

    def plan_kernel(self, kernel, operands, keep):
        symbols = {"sm_count": torch.cuda.get_device_properties(
            0).multi_processor_count, "batch": 1, "batch_c": 1, "batch_d": 1}
        named = {}
        for operand, buffer in zip(kernel["operands"], operands):
            name = operand["name"]
            named[name] = operand, buffer
            if operand["role"] == "scalar":
                continue
            symbols[name + "_base"] = buffer.address
            for i, stride in enumerate(buffer.strides):
                symbols["%s_stride%d" % (name, i)] = stride
            if (operand["role"] in ("a", "b", "output")
                    and "convolution" not in operand):
                for dim, size in zip(operand["dims"], buffer.sizes):
                    symbols[SIZES[dim]] = size
        for variant in kernel["variants"]:
            if evaluate(variant["guard"], symbols):
                break
        else:
            raise ValueError("no variant accepts the sizes")
        workspace = torch.empty(
            max(evaluate(variant["workspace"], symbols), 1) + 256,
            dtype=torch.uint8, device="cuda")
        keep.append(workspace)
        base = -(-workspace.data_ptr() // 256) * 256
        steps = []
        for step in variant["steps"]:
            grid = [evaluate(text, symbols) for text in step["grid"]]
            if 0 in grid or not evaluate(step.get("when", "1"), symbols):
                continue
            maps = [encode(spec, symbols, named, base)
                    for spec in step.get("tensor_maps", ())]
            arguments = [bind(argument, symbols, named, base, maps)
                         for argument in step["arguments"]]
            steps.append(Step(self.get_function(step), step, grid, arguments))
        return steps


class Buffer:
    """A part of a tensor; sizes, strides and offset count elements."""

    def __init__(self, tensor, offset, sizes, strides, value=None):
        self.tensor, self.offset = tensor, offset
        self.sizes, self.strides, self.value = sizes, strides, value
        self.address = 0
        if tensor is not None:
            self.address = tensor.data_ptr() + offset * tensor.element_size()

    @staticmethod
    def of(value):
        if not hasattr(value, "data_ptr"):
            return Buffer(None, 0, (), (), value)
        return Buffer(value, 0, tuple(value.shape), tuple(value.stride()))

    def get_view(self, offset, sizes, strides):
        return Buffer(self.tensor, self.offset + offset, sizes, strides)

    def as_tensor(self):
        return self.tensor.as_strided(self.sizes, self.strides, self.offset)


class Copy:
    """An entry of a function that copies a buffer to another."""

    def __init__(self, source, target):
        self.source, self.target = source.as_tensor(), target.as_tensor()

    def launch(self, stream):
        self.target.copy_(self.source)


def get_address(argument, symbols, named, workspace):
    if argument["kind"] == "workspace":
        return workspace + evaluate(argument["value"], symbols)
    return named[argument["operand"]][1].address


def encode_window(spec, dims, strides, address, base):
    """A map in im2col mode: C, W, H, N."""
    window = spec["window"]
    check(driver.cuTensorMapEncodeIm2col(
        ctypes.c_void_p(address), DATA_TYPES[spec["type"]], 4,
        ctypes.c_void_p(base), (ctypes.c_uint64 * 4)(*dims),
        (ctypes.c_uint64 * 3)(*strides), (ctypes.c_int * 2)(*window["lower"]),
        (ctypes.c_int * 2)(*window["upper"]), *spec["box"],
        (ctypes.c_uint32 * 4)(1, *window["steps"], 1), 0,
        SWIZZLES[spec["swizzle"]], PROMOTIONS[spec["l2_promotion"]], 0),
        "tensor map " + spec["name"])


def encode(spec, symbols, named, workspace):
    dims = [evaluate(text, symbols) for text in spec["dims"]]
    strides = [evaluate(text, symbols) for text in spec["strides"]]
    rank = len(dims)
    memory = ctypes.create_string_buffer(128 + 64)
    address = -(-ctypes.addressof(memory) // 64) * 64
    if "window" in spec:
        encode_window(spec, dims, strides, address,
                      get_address(spec["base"], symbols, named, workspace))
        return memory, address
    check(driver.cuTensorMapEncodeTiled(
        ctypes.c_void_p(address), DATA_TYPES[spec["type"]], rank,
        ctypes.c_void_p(get_address(spec["base"], symbols, named, workspace)),
        (ctypes.c_uint64 * rank)(*dims),
        (ctypes.c_uint64 * max(rank - 1, 1))(*strides),
        (ctypes.c_uint32 * rank)(*spec["box"]),
        (ctypes.c_uint32 * rank)(*[1] * rank), 0, SWIZZLES[spec["swizzle"]],
        PROMOTIONS[spec["l2_promotion"]], 0), "tensor map " + spec["name"])
    return memory, address


def bind(argument, symbols, named, workspace, maps):
    """The memory of an argument, and its address."""
    kind = argument["kind"]
    if kind == "tensor_map":
        return maps[argument["index"]]
    if kind == "scalar":
        operand, buffer = named[argument["operand"]]
        memory = {"f32": ctypes.c_float, "f64": ctypes.c_double}[
            operand["type"]](buffer.value)
    elif kind in INTEGERS:
        memory = INTEGERS[kind](evaluate(argument["value"], symbols))
    else:
        memory = ctypes.c_uint64(get_address(argument, symbols, named,
                                             workspace))
    return memory, ctypes.addressof(memory)


class Step:
    def __init__(self, function, step, grid, arguments):
        self.function, self.arguments = function, arguments
        self.symbol = step["symbol"]
        self.pointers = (ctypes.c_void_p * len(arguments))(
            *[address for _, address in arguments])
        attributes = []
        if step["cluster"] != [1, 1, 1]:
            attributes.append(Attribute(CLUSTER, 0, (ctypes.c_uint32 * 16)(
                *step["cluster"])))
        if step.get("dependent"):
            attributes.append(Attribute(SERIALIZATION, 0,
                                        (ctypes.c_uint32 * 16)(1)))
        self.attributes = (Attribute * max(len(attributes), 1))(*attributes)
        self.config = LaunchConfig(
            (ctypes.c_uint * 6)(*grid, *step["block"]), step["shared_memory"],
            None, ctypes.addressof(self.attributes), len(attributes))

    def launch(self, stream):
        self.config.stream = stream
        check(driver.cuLaunchKernelEx(ctypes.byref(self.config), self.function,
                                      self.pointers, None), self.symbol)
