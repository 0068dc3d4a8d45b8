"""The parts of PyTorch that utils/bench/time-rows.py uses, on the driver libcuda.so.1,
which is the emulated one in tests. Tensors are in the driver's memory; operations read
them, compute in Python, and write. Graphs run their calls when they are captured."""

import ctypes
import itertools
import random
import struct
import types

driver = ctypes.CDLL("libcuda.so.1")


def check(code):
    if code:
        raise RuntimeError("the driver's code is %d" % code)


def make_context():
    device, context = ctypes.c_int(), ctypes.c_void_p()
    check(driver.cuInit(0))
    check(driver.cuDeviceGet(ctypes.byref(device), 0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(driver.cuCtxSetCurrent(context))


make_context()


class dtype:
    def __init__(self, size, code):
        self.size, self.code = size, code

    def pack(self, values):
        if self is not bfloat16:
            return struct.pack("<%d%s" % (len(values), self.code), *values)
        # Round to nearest, ties to even.
        words = struct.unpack("<%dI" % len(values),
                              struct.pack("<%df" % len(values), *values))
        return struct.pack("<%dH" % len(values), *(
            (word + 0x7fff + (word >> 16 & 1)) >> 16 & 0xffff for word in words))

    def unpack(self, data):
        count = len(data) // self.size
        if self is not bfloat16:
            return list(struct.unpack("<%d%s" % (count, self.code), data))
        words = struct.unpack("<%dH" % count, data)
        return list(struct.unpack("<%df" % count, struct.pack(
            "<%dI" % count, *(word << 16 for word in words))))


float16, bfloat16, float32, float64 = (dtype(2, "e"), dtype(2, ""), dtype(4, "f"),
                                       dtype(8, "d"))
int32, int8, uint8, float8_e4m3fn, float8_e5m2 = (
    dtype(4, "i"), dtype(1, "b"), dtype(1, "B"), dtype(1, "x"), dtype(1, "x"))


def count_elements(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def find_strides(shape):
    strides = []
    for i in range(len(shape)):
        strides.append(count_elements(shape[i + 1:]))
    return tuple(strides)


class Tensor:
    def __init__(self, shape, kind, values=None, address=None, strides=None):
        self.shape, self.dtype = tuple(shape), kind
        self.strides = strides or find_strides(self.shape)
        if address is None:
            memory = ctypes.c_uint64()
            check(driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(
                max(1, count_elements(self.shape)) * kind.size)))
            address = memory.value
        self.address = address
        if values is not None:
            self.write(values)

    def data_ptr(self):
        return self.address

    def stride(self):
        return self.strides

    def numel(self):
        return count_elements(self.shape)

    def element_size(self):
        return self.dtype.size

    def list_places(self):
        for place in itertools.product(*map(range, self.shape)):
            yield sum(i * stride for i, stride in zip(place, self.strides))

    def read_span(self):
        count = 1 + sum((extent - 1) * stride
                        for extent, stride in zip(self.shape, self.strides))
        data = ctypes.create_string_buffer(count * self.dtype.size)
        check(driver.cuMemcpyDtoH_v2(data, ctypes.c_uint64(self.address),
                                     ctypes.c_size_t(len(data))))
        return self.dtype.unpack(data.raw)

    def read(self):
        """The elements in the order of the indices."""
        span = self.read_span()
        return [span[place] for place in self.list_places()]

    def write(self, values):
        places = list(self.list_places())
        span = values if places == list(range(len(places))) else self.read_span()
        if span is not values:
            for place, value in zip(places, values):
                span[place] = value
        data = self.dtype.pack(span)
        check(driver.cuMemcpyHtoD_v2(ctypes.c_uint64(self.address), data,
                                     ctypes.c_size_t(len(data))))
        return self

    def make(self, values, kind=None):
        return Tensor(self.shape, kind or self.dtype, values)

    def clone(self):
        return self.make(self.read())

    def cuda(self):
        return self

    def to(self, kind):
        return self.make(self.read(), kind)

    def double(self):
        return self.to(float64)

    def copy_(self, other):
        return self.write(other.read())

    def t(self):
        return Tensor(self.shape[::-1], self.dtype, None, self.address,
                      self.strides[::-1])

    def reshape(self, *shape):
        shape = shape[0] if isinstance(shape[0], (list, tuple)) else shape
        shape = [self.numel()] if shape == (-1,) else shape
        return Tensor(shape, self.dtype, self.read())

    def split(self, size):
        assert self.numel() <= size
        return [self]

    def __getitem__(self, index):
        if isinstance(index, int):
            return Tensor(self.shape[1:], self.dtype, None,
                          self.address + index * self.strides[0] * self.dtype.size,
                          self.strides[1:])
        assert index == (slice(None), None)
        return Tensor((*self.shape, 1), self.dtype, None, self.address,
                      (*self.strides, 0))

    def __sub__(self, other):
        return self.make([a - b for a, b in zip(self.read(), other.read())])

    def tril(self):
        columns = self.shape[1]
        return self.make([value if place % columns <= place // columns else 0
                          for place, value in enumerate(self.read())])

    def abs(self):
        return self.make(list(map(abs, self.read())))

    def max(self):
        return Tensor((), self.dtype, [max(self.read())])

    def item(self):
        return self.read()[0]

    def addmm_(self, a, b):
        product = multiply(a, b)
        return self.write([c + p for c, p in zip(self.read(), product)])


def multiply(a, b):
    rows, depth, columns = *a.shape, b.shape[1]
    left, right = a.read(), b.t().read()
    return [sum(map(lambda x, y: x * y, left[m * depth:(m + 1) * depth],
                    right[n * depth:(n + 1) * depth]))
            for m in range(rows) for n in range(columns)]


def mm(a, b, out):
    return out.write(multiply(a, b))


def mul(vector, matrix, out):
    columns = matrix.shape[1]
    factors, values = vector.read(), matrix.read()
    return out.write([factors[i // columns] * value for i, value in enumerate(values)])


def diag(vector):
    size = vector.shape[0]
    values = [0.0] * size ** 2
    values[::size + 1] = vector.read()
    return Tensor((size, size), vector.dtype, values)


def einsum(index, a, b):
    inputs, output = index.split("->")
    extents = {}
    for letters, tensor in zip(inputs.split(","), (a, b)):
        extents.update(zip(letters, tensor.shape))
    letters = output + "".join(set(extents) - set(output))
    shape = [extents[letter] for letter in output]
    result, strides = [0.0] * count_elements(shape), find_strides(shape)
    values = [tensor.read_span() for tensor in (a, b)]
    for place in itertools.product(*(range(extents[letter]) for letter in letters)):
        at = dict(zip(letters, place))
        left, right = (
            span[sum(at[letter] * stride for letter, stride in zip(names, tensor.strides))]
            for names, tensor, span in zip(inputs.split(","), (a, b), values))
        result[sum(at[letter] * stride for letter, stride in zip(output, strides))] += (
            left * right)
    return Tensor(shape, a.dtype, result)


def randn(*shape, device=None, dtype=float32):
    shape = shape[0] if isinstance(shape[0], (list, tuple)) else shape
    return Tensor(shape, dtype, [random.gauss(0, 1)
                                 for _ in range(count_elements(shape))])


def full(shape, value, device=None, dtype=float32):
    return Tensor(shape, dtype, [value] * count_elements(shape))


def empty(*shape, device=None, dtype=float32):
    shape = shape[0] if isinstance(shape[0], (list, tuple)) else shape
    return Tensor(shape, dtype)


def frombuffer(data, dtype):
    return Tensor([len(data) // dtype.size], dtype, dtype.unpack(bytes(data)))


def manual_seed(seed):
    random.seed(seed)


class Stream:
    cuda_stream = None

    def wait_stream(self, other):
        pass


class Event:
    def __init__(self, enable_timing):
        pass

    def record(self):
        pass

    def synchronize(self):
        check(driver.cuCtxSynchronize())

    def elapsed_time(self, other):
        return 0.5


class CUDAGraph:
    def replay(self):
        pass


class Context:
    def __init__(self, *arguments, **options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        return None


stream = Stream()
cuda = types.SimpleNamespace(
    Stream=Stream, Event=Event, CUDAGraph=CUDAGraph, graph=Context, stream=Context,
    current_stream=lambda: stream, synchronize=lambda: check(driver.cuCtxSynchronize()),
    empty_cache=lambda: None,
    get_device_properties=lambda device: types.SimpleNamespace(
        L2_cache_size=20000, multi_processor_count=132))
