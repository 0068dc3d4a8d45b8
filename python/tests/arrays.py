"""Arrays for the tests of the package."""

import ctypes

import numpy
from tcgemm import _arrays, _library

driver = _library.Driver()
driver.push(driver.retain(0))


def draw(shape, dtype=numpy.float32, seed=0):
    """Small integers, which all types hold without an error."""
    count = int(numpy.prod(shape))
    values = (numpy.arange(count) * 7 + seed) % 5 - 2
    return values.reshape(shape).astype(dtype)


def draw_scales(shape, seed=0):
    """Powers of two."""
    return numpy.exp2(draw(shape, seed=seed)).astype("float32")


def to_e4m3(values):
    """Bytes of -2, -1, 0, 1 and 2."""
    codes = numpy.array([0xc0, 0xb8, 0x00, 0x38, 0x40], "uint8")
    return codes[values.astype("int32") + 2]


class DeviceArray:
    """An array on the device with __cuda_array_interface__."""

    def __init__(self, array, stream=None):
        self.array, self.stream = array, stream
        self.address = driver.allocate(array.nbytes)
        driver.upload(self.address, array.ctypes.data, array.nbytes)

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.array.shape, "typestr": self.array.dtype.str,
                "strides": self.array.strides, "data": (self.address, False),
                "version": 3, "stream": self.stream}

    def get(self):
        result = numpy.empty_like(self.array)
        driver.download(result.ctypes.data, self.address, result.nbytes)
        return result


class DLPackArray:
    """An array on the device with __dlpack__."""

    CODES = {"f": 2, "i": 0, "u": 1, "c": 5}
    E4M3 = 10
    make_capsule = ctypes.pythonapi.PyCapsule_New
    make_capsule.restype = ctypes.py_object
    make_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

    def __init__(self, array, device_type=2, code=None, device=0):
        self.inner = DeviceArray(array)
        rank = array.ndim
        self.shape = (ctypes.c_int64 * rank)(*array.shape)
        self.strides = (ctypes.c_int64 * rank)(
            *(stride // array.itemsize for stride in array.strides))
        self.tensor = _arrays._DLTensor(
            self.inner.address - 32, device_type, device, rank,
            self.CODES[array.dtype.kind] if code is None else code,
            array.itemsize * 8, 1, self.shape, self.strides, 32)
        self.streams = []

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.make_capsule(ctypes.addressof(self.tensor), b"dltensor", None)


def pack(values):
    """Two elements of 4 bits in a byte along the last dimension."""
    nibbles = values.astype("int32") & 15
    return (nibbles[..., 0::2] | nibbles[..., 1::2] << 4).astype("uint8")


def lay_out_scales(operand, values):
    """The scales or zero points of an operand of 4 bits, with k last, as Python's
    functions take them. In memory A's have m innermost, and those of B have k."""
    turned = values.swapaxes(-1, -2)
    if operand == "b":
        return turned
    return numpy.ascontiguousarray(turned).swapaxes(-1, -2)
