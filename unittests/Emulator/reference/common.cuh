//===- common.cuh - What the reference kernels share ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most kernels apply a list of operations to the same inputs, an element a
// thread, and write a row of results for each. A row leaves a comment
// `// row 12: add.sat.s32` in the PTX; the test and the recorder count and name
// the rows by these, relative to the smallest number in the entry.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_REFERENCE_COMMON_CUH
#define TCGEMM_REFERENCE_COMMON_CUH

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ inline uint32_t raw(int v) { return v; }
__device__ inline uint32_t raw(uint32_t v) { return v; }
__device__ inline uint32_t raw(uint16_t v) { return v; }
__device__ inline uint32_t raw(bool v) { return v; }
__device__ inline uint64_t raw(long v) { return v; }
__device__ inline uint64_t raw(unsigned long v) { return v; }
__device__ inline uint64_t raw(long long v) { return v; }
__device__ inline uint64_t raw(unsigned long long v) { return v; }
__device__ inline uint32_t raw(float v) { return __float_as_uint(v); }
__device__ inline uint64_t raw(double v) {
  return static_cast<uint64_t>(__double_as_longlong(v));
}
__device__ inline uint32_t raw(__half v) { return __half_as_ushort(v); }
__device__ inline uint32_t raw(__nv_bfloat16 v) {
  return __bfloat16_as_ushort(v);
}
__device__ inline uint32_t raw(__half2 v) {
  return *reinterpret_cast<uint32_t *>(&v);
}
__device__ inline uint32_t raw(__nv_bfloat162 v) {
  return *reinterpret_cast<uint32_t *>(&v);
}

#define ROW_IMPL(n, name, ...)                                                 \
  do {                                                                         \
    asm volatile("// row " #n ": " name);                                      \
    out[(n - rowBase) * count + i] = raw(__VA_ARGS__);                         \
  } while (0)
#define ROW_EXPAND(n, name, ...) ROW_IMPL(n, name, __VA_ARGS__)
/// A row with a name, and one that is named by its expression.
#define ROW(name, ...) ROW_EXPAND(__COUNTER__, name, __VA_ARGS__)
#define CPP(...) ROW_EXPAND(__COUNTER__, #__VA_ARGS__, __VA_ARGS__)

/// `KERNEL3(name, u32, u32) { rows }`: x, y and z are a thread's inputs.
#define KERNEL3(name, In, Out)                                                 \
  static __device__ __forceinline__ void name##_rows(                          \
      In x, In y, In z, Out *out, uint32_t count, uint32_t i);                 \
  extern "C" __global__ void name(const In *a, const In *b, const In *c,       \
                                  Out *out, uint32_t count) {                  \
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                        \
    if (i < count)                                                             \
      name##_rows(a[i], b[i], c[i], out, count, i);                            \
  }                                                                            \
  static __device__ __forceinline__ void name##_rows(                          \
      In x, In y, In z, Out *out, uint32_t count, uint32_t i)
#define KERNEL1(name, In, Out)                                                 \
  static __device__ __forceinline__ void name##_rows(                          \
      In x, Out *out, uint32_t count, uint32_t i);                             \
  extern "C" __global__ void name(const In *a, Out *out, uint32_t count) {     \
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                        \
    if (i < count)                                                             \
      name##_rows(a[i], out, count, i);                                        \
  }                                                                            \
  static __device__ __forceinline__ void name##_rows(                          \
      In x, Out *out, uint32_t count, uint32_t i)
/// Opens the rows of a kernel.
#define ROWS constexpr int rowBase = __COUNTER__ + 1

// An instruction with a result `R` of constraint `rc`.
#define PTX1(op, R, rc, ac, a)                                                 \
  ({                                                                           \
    R r_;                                                                      \
    asm(op " %0, %1;" : "=" rc(r_) : ac(a));                                   \
    r_;                                                                        \
  })
#define PTX2(op, R, rc, ac, a, bc, b)                                          \
  ({                                                                           \
    R r_;                                                                      \
    asm(op " %0, %1, %2;" : "=" rc(r_) : ac(a), bc(b));                        \
    r_;                                                                        \
  })
#define PTX3(op, R, rc, ac, a, bc, b, cc, c)                                   \
  ({                                                                           \
    R r_;                                                                      \
    asm(op " %0, %1, %2, %3;" : "=" rc(r_) : ac(a), bc(b), cc(c));             \
    r_;                                                                        \
  })

#define EACH_ROUNDING(M, before, after)                                        \
  M(before ".rn" after);                                                       \
  M(before ".rz" after);                                                       \
  M(before ".rm" after);                                                       \
  M(before ".rp" after)
#define EACH_INT_ROUNDING(M, before, after)                                    \
  M(before ".rni" after);                                                      \
  M(before ".rzi" after);                                                      \
  M(before ".rmi" after);                                                      \
  M(before ".rpi" after)

#endif // TCGEMM_REFERENCE_COMMON_CUH
