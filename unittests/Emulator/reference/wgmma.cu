//===- wgmma.cu - Reference kernels: wgmma --------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp group each. The operands' bytes are copied to shared memory as they
// are, the accumulators' registers loaded and stored as they are: the results
// show whether the emulator knows the layouts and swizzles.
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

constexpr int none = 0, swizzle128 = 1, swizzle64 = 2, swizzle32 = 3;

/// Of an operand at a shared address: offsets of core matrices or swizzle atoms
/// in bytes.
__device__ inline uint64_t descriptor(const void *p, int leading, int stride,
                                      int swizzle) {
  return (uint64_t(__cvta_generic_to_shared(p)) & 0x3ffff) >> 4 |
         uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 |
         uint64_t(swizzle) << 62;
}

#define LIST4(c, v) c(v[0]), c(v[1]), c(v[2]), c(v[3])
#define LIST8(c, v) LIST4(c, v), c(v[4]), c(v[5]), c(v[6]), c(v[7])

#define PROLOGUE(Acc)                                                          \
  extern __shared__ __align__(1024) uint4 memory[];                            \
  uint4 *tileA = memory, *tileB = memory + 512;                                \
  uint32_t i = threadIdx.x;                                                    \
  for (uint32_t k = i; k < 512; k += 128) {                                    \
    tileA[k] = a[k];                                                           \
    tileB[k] = b[k];                                                           \
  }                                                                            \
  asm volatile("fence.proxy.async;" ::: "memory");                             \
  __syncthreads();                                                             \
  Acc z[8];                                                                    \
  for (int k = 0; k != 8; ++k)                                                 \
    z[k] = c[i * 8 + k];                                                       \
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define EPILOGUE                                                               \
  asm volatile("wgmma.commit_group.sync.aligned; "                             \
               "wgmma.wait_group.sync.aligned 0;" ::                           \
                   : "memory");                                                \
  for (int k = 0; k != 8; ++k)                                                 \
  d[i * 8 + k] = z[k]

/// `steps` of the depth, each `step` bytes after the last one.
#define WGMMA(name, op, Acc, f, leadingA, strideA, swizzleA, leadingB,         \
              strideB, swizzleB, steps, step, tail)                            \
  extern "C" __global__ void name(const uint4 *a, const uint4 *b,              \
                                  const Acc *c, Acc *d) {                      \
    PROLOGUE(Acc);                                                             \
    for (int s = 0; s != steps; ++s)                                           \
      asm volatile(                                                            \
          "{.reg .pred p; setp.ne.u32 p, %10, 0; "                             \
          "wgmma.mma_async.sync.aligned." op                                   \
          " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p" tail ";}"             \
          : LIST8("+" f, z)                                                    \
          : "l"(descriptor(reinterpret_cast<uint8_t *>(tileA) + s * step,      \
                           leadingA, strideA, swizzleA)),                      \
            "l"(descriptor(reinterpret_cast<uint8_t *>(tileB) + s * step,      \
                           leadingB, strideB, swizzleB)),                      \
            "r"(1));                                                           \
    EPILOGUE;                                                                  \
  }

#define F16 "m64n16k16.f32.f16.f16"
WGMMA(wgmma_plain, F16, float, "f", 128, 256, none, 128, 256, none, 1, 0,
      ", 1, 1, 0, 0")
WGMMA(wgmma_strides, F16, float, "f", 1024, 128, none, 2048, 144, none, 1, 0,
      ", 1, 1, 0, 0")
WGMMA(wgmma_negated, F16, float, "f", 128, 256, none, 128, 256, none, 1, 0,
      ", -1, 1, 0, 0")
WGMMA(wgmma_swizzle32, F16, float, "f", 16, 256, swizzle32, 16, 256, swizzle32,
      1, 0, ", 1, 1, 0, 0")
WGMMA(wgmma_swizzle64, F16, float, "f", 16, 512, swizzle64, 16, 512, swizzle64,
      2, 32, ", 1, -1, 0, 0")
WGMMA(wgmma_swizzle128, F16, float, "f", 16, 1024, swizzle128, 16, 1024,
      swizzle128, 4, 32, ", 1, 1, 0, 0")
// Operands whose rows run along m and n.
WGMMA(wgmma_trans_b, F16, float, "f", 16, 1024, swizzle128, 256, 256, swizzle32,
      1, 0, ", 1, 1, 0, 1")
WGMMA(wgmma_trans_a, F16, float, "f", 1024, 1024, swizzle128, 16, 1024,
      swizzle128, 1, 0, ", 1, 1, 1, 0")
WGMMA(wgmma_bf16, "m64n16k16.f32.bf16.bf16", float, "f", 16, 1024, swizzle128,
      16, 1024, swizzle128, 4, 32, ", 1, 1, 0, 0")
WGMMA(wgmma_f16_acc, "m64n32k16.f16.f16.f16", uint32_t, "r", 16, 1024,
      swizzle128, 16, 1024, swizzle128, 2, 32, ", 1, 1, 0, 0")
WGMMA(wgmma_tf32, "m64n16k8.f32.tf32.tf32", float, "f", 16, 1024, swizzle128,
      16, 1024, swizzle128, 4, 32, ", 1, 1")
WGMMA(wgmma_e4m3_e5m2, "m64n16k32.f32.e4m3.e5m2", float, "f", 16, 1024,
      swizzle128, 16, 1024, swizzle128, 4, 32, ", 1, 1")
WGMMA(wgmma_s8, "m64n16k32.s32.s8.s8", uint32_t, "r", 16, 1024, swizzle128, 16,
      1024, swizzle128, 4, 32, "")
WGMMA(wgmma_u8_s8_satfinite, "m64n16k32.s32.u8.s8.satfinite", uint32_t, "r", 16,
      512, swizzle64, 16, 1024, swizzle128, 2, 32, "")

// A from registers; no accumulator at first.
extern "C" __global__ void wgmma_registers(const uint4 *a, const uint4 *b,
                                           const float *c, float *d) {
  PROLOGUE(float);
  uint4 x = a[i];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (uint32_t s = 0; s != 2; ++s)
    asm volatile("{.reg .pred p; setp.ne.u32 p, %13, 0; "
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, "
                 "p, 1, 1, 0;}"
                 : LIST8("+f", z)
                 : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w),
                   "l"(descriptor(tileB + s * 2, 16, 1024, swizzle128)),
                   "r"(s));
  EPILOGUE;
}
