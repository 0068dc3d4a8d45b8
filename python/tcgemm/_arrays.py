"""Arrays of other packages as an address, a shape and strides."""

import ctypes

# The names of types, with the number of tcgemmType.
TYPES = {"float16": 1, "bfloat16": 2, "float32": 3, "float64": 4,
         "float8_e4m3fn": 5, "float8_e5m2": 6, "int8": 7, "uint8": 8, "int32": 9}
# Types of two elements in a byte, of arrays of uint8.
PACKED_TYPES = {"int4": 10, "uint4": 11, "int4_interleaved": 12,
                "uint4_interleaved": 13}
SIZES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8,
         "float8_e4m3fn": 1, "float8_e5m2": 1, "int8": 1, "uint8": 1, "int32": 4,
         "int64": 8, "complex64": 8, "complex128": 16}
# The types of the two components of a complex number.
COMPONENTS = {"complex64": "float32", "complex128": "float64"}
# By typestr without its byte order.
_INTERFACE_TYPES = {"f2": "float16", "f4": "float32", "f8": "float64",
                    "i1": "int8", "u1": "uint8", "i4": "int32", "i8": "int64",
                    "c8": "complex64", "c16": "complex128"}
# By DLDataType's code and bits.
_DLPACK_TYPES = {(0, 8): "int8", (0, 32): "int32", (0, 64): "int64", (1, 8): "uint8",
                 (2, 16): "float16", (2, 32): "float32", (2, 64): "float64",
                 (4, 16): "bfloat16", (5, 64): "complex64",
                 (5, 128): "complex128", (10, 8): "float8_e4m3fn",
                 (12, 8): "float8_e5m2"}
# The default stream by its number in these interfaces.
DEFAULT_STREAM = 1
_DLPACK_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged


def get_dense_strides(shape):
    """Those of a row-major array without gaps."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return tuple(strides)


class View:
    """An array.

    Attributes:
      address: of the first element: on the device, or on the host.
      dtype:   a key of TYPES.
      shape, strides: tuples, in elements.
      on_host: whether it is a NumPy array.
      device:  the number of the device, or None if the array does not tell.
      stream:  the number of the stream that may still write it, or None.
      is_read_only: whether it must not be written.
      owner:   what must live as long as the address.
    """

    def __init__(self, address, dtype, shape, strides, owner, on_host=False,
                 device=None, stream=None, is_read_only=False):
        self.address, self.dtype, self.owner = address, dtype, owner
        self.stream, self.is_read_only = stream, is_read_only
        self.shape, self.on_host, self.device = tuple(shape), on_host, device
        if strides is None:
            strides = get_dense_strides(shape)
        self.strides = tuple(strides)

    @property
    def extent(self):
        """Bytes from the first element to one past the last."""
        if 0 in self.shape:
            return 0
        last = sum((n - 1) * s for n, s in zip(self.shape, self.strides))
        return (last + 1) * SIZES[self.dtype]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _view_dlpack(array, name, stream):
    # The array's package makes this stream wait for its own.
    capsule = array.__dlpack__(stream=stream or DEFAULT_STREAM)
    # The capsule is not consumed: its destructor frees what it has.
    tensor = _DLTensor.from_address(_get_pointer(capsule, b"dltensor"))
    dtype = _DLPACK_TYPES.get((tensor.code, tensor.bits))
    if dtype is None or tensor.lanes != 1:
        raise TypeError("%s has elements of DLPack's type code %d with %d bits, "
                        "which is none of %s" % (name, tensor.code, tensor.bits,
                                                 ", ".join(TYPES)))
    if tensor.device_type not in _DLPACK_CUDA:
        raise TypeError("%s is on a device of DLPack's type %d, but must be on a "
                        "GPU or a NumPy array" % (name, tensor.device_type))
    shape = tensor.shape[:tensor.ndim]
    strides = tensor.strides[:tensor.ndim] if tensor.strides else None
    return View((tensor.data or 0) + tensor.byte_offset, dtype, shape, strides,
                (array, capsule), device=tensor.device_id)


def _to_elements(strides, size, name):
    if strides is None:
        return None
    if any(stride % size for stride in strides):
        raise ValueError("the strides of %s are %s bytes, but must be multiples "
                         "of the size of an element, %d" % (name, strides, size))
    return [stride // size for stride in strides]


def _view_interface(array, name, interface, on_host):
    text = interface["typestr"]
    dtype = _INTERFACE_TYPES.get(text[1:])
    if on_host and dtype is None:
        # The types of the package ml_dtypes.
        name_of_type = getattr(getattr(array, "dtype", None), "name", None)
        dtype = name_of_type if name_of_type in TYPES else None
    if dtype is None or text[0] == ">":
        raise TypeError("%s has elements of type %s, which is none of %s"
                        % (name, text, ", ".join(TYPES)))
    strides = _to_elements(interface.get("strides"), SIZES[dtype], name)
    address, is_read_only = interface["data"]
    return View(address or 0, dtype, interface["shape"], strides, array,
                on_host=on_host, stream=interface.get("stream"),
                is_read_only=is_read_only)


def view(array, name, stream=None):
    """The view of a NumPy array, or of an array on a GPU.

    Errors: TypeError if it is neither, or has elements of another type.
    """
    if hasattr(array, "__dlpack__") and not hasattr(array, "__array_interface__"):
        return _view_dlpack(array, name, stream)
    if hasattr(array, "__cuda_array_interface__"):
        return _view_interface(array, name, array.__cuda_array_interface__, False)
    if hasattr(array, "__array_interface__"):
        return _view_interface(array, name, array.__array_interface__, True)
    raise TypeError("%s is a %s, which has neither __dlpack__ nor "
                    "__cuda_array_interface__, and is no NumPy array"
                    % (name, type(array).__name__))


def get_type(view, name):
    """The number of tcgemmType. Neither int64, the type of indices, nor complex
    numbers have one."""
    if view.dtype not in TYPES:
        raise TypeError("%s has elements of type %s, which is none of %s"
                        % (name, view.dtype, ", ".join(TYPES)))
    return TYPES[view.dtype]


def _empty_numpy(like, shape, dtype):
    import numpy
    if dtype in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        import ml_dtypes
        return numpy.empty(shape, getattr(ml_dtypes, dtype))
    return numpy.empty(shape, dtype)


def _empty_torch(like, shape, dtype):
    import torch
    return torch.empty(shape, dtype=getattr(torch, dtype), device=like.device)


def _empty_cupy(like, shape, dtype):
    import cupy
    return cupy.empty(shape, dtype)


# By the package of the type of an operand.
_EMPTY = {"numpy": _empty_numpy, "torch": _empty_torch, "cupy": _empty_cupy}


def empty(like, shape, dtype):
    """A new array of the package of `like`.

    Errors: TypeError if the package is not known.
    """
    package = type(like).__module__.split(".")[0]
    if package not in _EMPTY:
        raise TypeError("a %s gives no new arrays: pass out="
                        % type(like).__name__)
    return _EMPTY[package](like, shape, dtype)
