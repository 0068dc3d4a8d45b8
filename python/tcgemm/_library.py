"""The C library by ctypes: include/tcgemm.h describes every function."""

import ctypes
import os

MAX_EPILOGUE_OPERANDS = 8
MAX_REDUCTIONS = 8
MAX_INDICES = 16
DENSE = -1
UNSCALED, ALPHA, ALPHA_BETA = range(3)


class Error(RuntimeError):
    """An error of the library.

    Attributes:
      status: the name of the status, such as "TCGEMM_INVALID_VALUE".
    """

    def __init__(self, status, message):
        super().__init__("%s: %s" % (status, message))
        self.status = status


class MatmulDesc(ctypes.Structure):
    """tcgemmMatmulDesc"""
    _fields_ = (
        [("structSize", ctypes.c_size_t)]
        + [(name, ctypes.c_int) for name in
           ("typeA", "typeB", "typeD", "transA", "transB")]
        + [(name, ctypes.c_int64) for name in
           ("m", "n", "k", "batch", "lda", "ldb", "ldc", "ldd", "strideA",
            "strideB", "strideC", "strideD")]
        + [("scaling", ctypes.c_int), ("alpha", ctypes.c_double),
           ("beta", ctypes.c_double), ("precision", ctypes.c_char_p),
           ("epilogue", ctypes.c_char_p), ("alignment", ctypes.c_uint32),
           ("config", ctypes.c_char_p), ("pointerMode", ctypes.c_int),
           ("epilogueBody", ctypes.c_char_p), ("dual", ctypes.c_char_p),
           ("dependentLaunch", ctypes.c_int), ("hasBlockScalesA", ctypes.c_int),
           ("hasBlockScalesB", ctypes.c_int), ("groupSize", ctypes.c_int64),
           ("groupScaleType", ctypes.c_int), ("zeroPointType", ctypes.c_int),
           ("reductions", ctypes.c_char_p), ("algebra", ctypes.c_char_p)])


class ContractionDesc(ctypes.Structure):
    """tcgemmContractionDesc"""
    _fields_ = (
        [("structSize", ctypes.c_size_t)]
        + [(name, ctypes.c_int) for name in ("typeA", "typeB", "typeD")]
        + [("indices", ctypes.c_char_p)]
        + [(name, ctypes.c_int64 * MAX_INDICES) for name in
           ("sizesA", "sizesB", "stridesA", "stridesB", "stridesC", "stridesD")]
        + [("scaling", ctypes.c_int), ("alpha", ctypes.c_double),
           ("beta", ctypes.c_double), ("precision", ctypes.c_char_p),
           ("epilogue", ctypes.c_char_p), ("alignment", ctypes.c_uint32),
           ("config", ctypes.c_char_p), ("pointerMode", ctypes.c_int),
           ("epilogueBody", ctypes.c_char_p), ("algebra", ctypes.c_char_p)])


class GroupedDesc(ctypes.Structure):
    """tcgemmGroupedDesc"""
    _fields_ = (
        [("structSize", ctypes.c_size_t)]
        + [(name, ctypes.c_int) for name in ("typeA", "typeB", "typeD", "transB")]
        + [(name, ctypes.c_int64) for name in
           ("m", "n", "k", "groups", "lda", "ldb", "ldd", "strideB")]
        + [("alignment", ctypes.c_uint32), ("config", ctypes.c_char_p),
           ("ldc", ctypes.c_int64), ("scaling", ctypes.c_int),
           ("alpha", ctypes.c_double), ("beta", ctypes.c_double),
           ("precision", ctypes.c_char_p), ("epilogue", ctypes.c_char_p),
           ("pointerMode", ctypes.c_int), ("epilogueBody", ctypes.c_char_p),
           ("kind", ctypes.c_int), ("transA", ctypes.c_int)]
        + [(name, ctypes.c_int64) for name in ("strideA", "strideC", "strideD")]
        + [(name, ctypes.c_int) for name in
           ("checkOffsets", "hasBlockScalesA", "hasBlockScalesB")]
        + [("groupSize", ctypes.c_int64), ("groupScaleType", ctypes.c_int),
           ("zeroPointType", ctypes.c_int)])


class Operands(ctypes.Structure):
    """tcgemmOperands"""
    _fields_ = [("structSize", ctypes.c_size_t), ("a", ctypes.c_void_p),
                ("b", ctypes.c_void_p), ("c", ctypes.c_void_p),
                ("d", ctypes.c_void_p),
                ("epilogue", ctypes.c_void_p * MAX_EPILOGUE_OPERANDS),
                ("alpha", ctypes.c_double), ("beta", ctypes.c_double),
                ("alphaPointer", ctypes.c_void_p),
                ("betaPointer", ctypes.c_void_p), ("offsets", ctypes.c_void_p),
                ("b2", ctypes.c_void_p), ("scaleA", ctypes.c_void_p),
                ("scaleB", ctypes.c_void_p), ("zeroPoints", ctypes.c_void_p),
                ("reductions", ctypes.c_void_p * MAX_REDUCTIONS)]


def _find_library():
    """The path of libtcgemm.so: TCGEMM_LIBRARY, the package's own, or a name
    that the system's loader looks for."""
    path = os.environ.get("TCGEMM_LIBRARY")
    if path:
        return path
    own = os.path.join(os.path.dirname(__file__), "lib", "libtcgemm.so.0")
    return own if os.path.exists(own) else "libtcgemm.so.0"


def _load():
    library = ctypes.CDLL(_find_library())
    handle, size, count = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64
    signatures = {
        "tcgemmCreate": [ctypes.POINTER(handle), ctypes.c_int],
        "tcgemmDestroy": [handle],
        "tcgemmMatmulDescInitSized": [ctypes.POINTER(MatmulDesc), size],
        "tcgemmContractionDescInitSized": [ctypes.POINTER(ContractionDesc), size],
        "tcgemmGroupedDescInitSized": [ctypes.POINTER(GroupedDesc), size],
        "tcgemmOperandsInitSized": [ctypes.POINTER(Operands), size],
        "tcgemmPlan": [handle, ctypes.POINTER(MatmulDesc),
                       ctypes.POINTER(handle)],
        "tcgemmPlanContraction": [handle, ctypes.POINTER(ContractionDesc),
                                  ctypes.POINTER(handle)],
        "tcgemmPlanGrouped": [handle, ctypes.POINTER(GroupedDesc),
                              ctypes.POINTER(handle)],
        "tcgemmPlanDestroy": [handle],
        "tcgemmPlanWorkspaceSize": [handle, ctypes.POINTER(size)],
        "tcgemmPlanConfig": [handle, ctypes.POINTER(ctypes.c_char_p)],
        "tcgemmPlanExplain": [handle, ctypes.POINTER(ctypes.c_char_p)],
        "tcgemmTunePlan": [handle, handle],
        "tcgemmInterleave": [count, count, ctypes.c_void_p, count, ctypes.c_void_p,
                             count],
        "tcgemmRunOperands": [handle, ctypes.POINTER(Operands), ctypes.c_void_p,
                              size, ctypes.c_void_p],
    }
    for name, arguments in signatures.items():
        getattr(library, name).argtypes = arguments
    for name in ("tcgemmGetStatusName", "tcgemmGetLastErrorMessage"):
        getattr(library, name).restype = ctypes.c_char_p
    return library


library = _load()


def check(status):
    """Raises Error unless a function of the library succeeded."""
    if status:
        raise Error(library.tcgemmGetStatusName(status).decode(),
                    library.tcgemmGetLastErrorMessage().decode())


class Driver:
    """The functions of the CUDA driver for memory, of the driver that the
    library uses."""

    def __init__(self):
        path = os.environ.get("TCGEMM_CUDA_DRIVER") or "libcuda.so.1"
        self._cuda = ctypes.CDLL(path)
        self._call("cuInit", ctypes.c_uint(0))

    def _call(self, name, *arguments):
        code = getattr(self._cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self._cuda.cuGetErrorString(code, ctypes.byref(text))
            raise Error("TCGEMM_DRIVER", "%s: %d: %s" % (
                name, code, (text.value or b"?").decode()))

    def retain(self, device):
        """The primary context of a device, which lives as long as the process."""
        context, handle = ctypes.c_void_p(), ctypes.c_int()
        self._call("cuDeviceGet", ctypes.byref(handle), ctypes.c_int(device))
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
        return context

    def push(self, context):
        self._call("cuCtxPushCurrent_v2", context)

    def pop(self):
        self._call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def allocate(self, size, stream=None):
        """The address of memory that is ordered in the stream."""
        address = ctypes.c_uint64()
        self._call("cuMemAllocAsync", ctypes.byref(address),
                   ctypes.c_size_t(max(size, 1)), ctypes.c_void_p(stream))
        return address.value

    def free(self, address, stream=None):
        self._call("cuMemFreeAsync", ctypes.c_uint64(address),
                   ctypes.c_void_p(stream))

    def upload(self, address, source, size):
        if size:
            self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address),
                       ctypes.c_void_p(source), ctypes.c_size_t(size))

    def download(self, target, address, size):
        if size:
            self._call("cuMemcpyDtoH_v2", ctypes.c_void_p(target),
                       ctypes.c_uint64(address), ctypes.c_size_t(size))

    def synchronize(self, stream):
        self._call("cuStreamSynchronize", ctypes.c_void_p(stream))
