"""A product of the library with descriptors of NVIDIA's own cuBLASLt, which makes and
reads them without a GPU. The device is the emulated driver.

Usage: cublas-descriptors.py DRIVER CUBLASLT SHIM
"""

import ctypes
import sys
from ctypes import byref, c_float, c_int64, c_size_t, c_uint64, c_void_p

M, N, K = 24, 40, 16
COMPUTE_32F, R_32F = 68, 0
TRANSC, EPILOGUE, BIAS_POINTER, RELU_BIAS = 5, 7, 8, 6

driver, real, shim = (ctypes.CDLL(path) for path in sys.argv[1:])


def check(code):
    if code:
        sys.exit("a call has failed: %d" % code)


def upload(values):
    data, address = (c_float * len(values))(*values), c_uint64()
    check(driver.cuMemAlloc_v2(byref(address), c_size_t(4 * len(values))))
    check(driver.cuMemcpyHtoD_v2(address, data, c_size_t(4 * len(values))))
    return address


def make_layout(rows, columns):
    layout = c_void_p()
    check(real.cublasLtMatrixLayoutCreate(byref(layout), R_32F, c_uint64(rows),
                                          c_uint64(columns), c_int64(rows)))
    return layout


def set_attribute(desc, attribute, value):
    check(real.cublasLtMatmulDescSetAttribute(desc, attribute, byref(value),
                                              c_size_t(ctypes.sizeof(value))))


def main():
    context = c_void_p()
    check(driver.cuInit(0))
    check(driver.cuDevicePrimaryCtxRetain(byref(context), 0))
    check(driver.cuCtxSetCurrent(context))
    a = [float(i % 5) for i in range(M * K)]
    b = [float(i % 7) - 3 for i in range(K * N)]
    bias = [float(i % 3) for i in range(M)]
    on_a, on_b, on_d, on_bias = map(upload, (a, b, [0.0] * (M * N), bias))
    desc = c_void_p()
    check(real.cublasLtMatmulDescCreate(byref(desc), COMPUTE_32F, R_32F))
    set_attribute(desc, EPILOGUE, ctypes.c_uint32(RELU_BIAS))
    set_attribute(desc, BIAS_POINTER, on_bias)
    layout_a, layout_b, layout_d = (make_layout(*s) for s in ((M, K), (K, N), (M, N)))
    one, zero = c_float(1), c_float(0)
    # A served call does not use the handle. A forwarded one fails with it.
    handle = c_void_p()

    def multiply(handle):
        return shim.cublasLtMatmul(
            handle, desc, byref(one), c_void_p(on_a.value), layout_a,
            c_void_p(on_b.value), layout_b, byref(zero), c_void_p(on_d.value), layout_d,
            c_void_p(on_d.value), layout_d, None, None, c_size_t(0), None)

    check(multiply(c_void_p(4096)))
    found = (c_float * (M * N))()
    check(driver.cuMemcpyDtoH_v2(found, on_d, c_size_t(4 * M * N)))
    wrong = sum(found[j * M + i] != max(0, bias[i] + sum(
        a[k * M + i] * b[j * K + k] for k in range(K)))
                for i in range(M) for j in range(N))
    print("%d of %d elements are wrong" % (wrong, M * N))
    # An attribute without its default value: cuBLASLt gets the call, and refuses the
    # handle.
    set_attribute(desc, TRANSC, ctypes.c_int32(1))
    print("forwarded:", multiply(handle))


if __name__ == "__main__":
    main()
