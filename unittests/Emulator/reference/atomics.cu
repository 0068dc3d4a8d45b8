//===- atomics.cu - Reference kernels: atomics ----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is compared does not depend on the order: final values of operations
// that commute, and sums of what they returned.
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#include <type_traits>

template <typename T> __device__ inline void integerAtomics(T *cells, T x) {
  using S = std::conditional_t<sizeof(T) == 4, int, long long>;
  atomicAdd(cells + 0, x);
  atomicAnd(cells + 1, x | T(1) << (x & 15));
  atomicOr(cells + 2, x & 0x5555);
  atomicXor(cells + 3, x);
  atomicMin(cells + 4, x);
  atomicMax(cells + 5, x);
  atomicMin(reinterpret_cast<S *>(cells + 6), S(x));
  atomicMax(reinterpret_cast<S *>(cells + 7), S(x));
}

// Eight cells of a group of threads; the rest are returned values.
extern "C" __global__ void atom_int32(const uint32_t *in, uint32_t *cells,
                                      uint32_t *out) {
  __shared__ uint32_t shared[16];
  uint32_t i = threadIdx.x, x = in[blockIdx.x * blockDim.x + i];
  if (i < 16)
    shared[i] = i * 0x11111111;
  __syncthreads();
  integerAtomics(cells + (i & 3) * 8, x);
  integerAtomics(shared + (i & 1) * 8, x);
  __syncthreads();
  if (i < 16)
    out[blockIdx.x * 16 + i] = shared[i];
}

extern "C" __global__ void atom_int64(const unsigned long long *in,
                                      unsigned long long *cells,
                                      unsigned long long *out) {
  __shared__ unsigned long long shared[16];
  uint32_t i = threadIdx.x;
  unsigned long long x = in[blockIdx.x * blockDim.x + i];
  if (i < 16)
    shared[i] = i * 0x1111111111111111;
  __syncthreads();
  integerAtomics(cells + (i & 3) * 8, x);
  integerAtomics(shared + (i & 1) * 8, x);
  __syncthreads();
  if (i < 16)
    out[blockIdx.x * 16 + i] = shared[i];
}

// A cell a thread: the returned values are known, too.
extern "C" __global__ void atom_returned(const uint32_t *in, uint32_t *cells,
                                         uint32_t *out, uint32_t count) {
  __shared__ unsigned long long wide[128];
  uint32_t i = threadIdx.x, x = in[i], r = 0;
  uint32_t *cell = cells + i;
  wide[i] = x * 0x100000001ull;
  auto put = [&](uint32_t v) { out[r++ * count + i] = v; };
  put(atomicAdd(cell, x));
  put(atomicSub(cell, 7));
  put(atomicExch(cell, x ^ 0x55));
  put(atomicCAS(cell, x ^ (i & 1 ? 0x55 : 0x54), 1000));
  put(atomicInc(cell, 1000));
  put(atomicInc(cell, 5));
  put(atomicDec(cell, 900));
  put(atomicDec(cell, x | 3));
  put(atomicMin(cell, x & 0xffff));
  put(atomicMax(reinterpret_cast<int *>(cell), -5));
  put(atomicAnd(cell, 0xfff0));
  put(atomicOr(cell, 0x10001));
  put(atomicXor(cell, x));
  put(uint32_t(atomicExch(wide + i, 12345ull << 30 | x) >> 20));
  put(uint32_t(atomicCAS(wide + i, 12345ull << 30 | x, ~0ull) >> 20));
  put(uint32_t(atomicAdd(wide + i, 2ull)));
  put(uint32_t(wide[i]));
  put(__float_as_uint(
      atomicExch(reinterpret_cast<float *>(cell), 1.5f + (x & 7))));
  put(__float_as_uint(atomicAdd(reinterpret_cast<float *>(cell), 0.25f)));
  put(atomicAdd_block(cell, 1));
  put(atomicAdd_system(cell, 2));
  put(atomicCAS(reinterpret_cast<uint16_t *>(cell) + 1, uint16_t(0x3fc0),
                uint16_t(x)));
}

// Sums of small integers: exact in any order.
extern "C" __global__ void atom_float(const int *in, float *f32, double *f64,
                                      __half2 *f16x2, __nv_bfloat162 *bf16x2,
                                      float *out) {
  __shared__ float shared[8];
  __shared__ double wide[4];
  uint32_t i = threadIdx.x;
  int x = in[blockIdx.x * blockDim.x + i];
  if (i < 8)
    shared[i] = 0.5f * i;
  if (i < 4)
    wide[i] = -1.25 * i;
  __syncthreads();
  atomicAdd(f32 + (i & 7), float(x));
  atomicAdd(f64 + (i & 3), x * 0.125);
  atomicAdd(f16x2 + (i & 7), __floats2half2_rn(x & 1, -(x & 3)));
  atomicAdd(bf16x2 + (i & 31), __floats2bfloat162_rn(x & 1, -(x & 1)));
  atomicAdd(shared + (i & 7), x * 0.5f);
  atomicAdd(wide + (i & 3), double(x));
  // A half alone: a loop of compare-and-swap.
  atomicAdd(reinterpret_cast<__half *>(f16x2 + 8) + (i & 1), __half(x & 1));
  __syncthreads();
  if (i < 8)
    out[blockIdx.x * 16 + i] = shared[i];
  if (i < 4)
    out[blockIdx.x * 16 + 8 + i] = float(wide[i]);
}

// red, scopes, memory orders, in every form of address.
extern "C" __global__ void atom_red(const uint32_t *in, uint32_t *cells,
                                    unsigned long long *wide, float *floats) {
  __shared__ uint32_t shared[4];
  uint32_t i = threadIdx.x, x = in[blockIdx.x * blockDim.x + i];
  if (i < 4)
    shared[i] = 0;
  __syncthreads();
  uint32_t address = uint32_t(__cvta_generic_to_shared(shared));
#define RED(op, p, c, v) asm volatile(op " [%0], %1;" ::"l"(p), c(v) : "memory")
  RED("red.global.add.u32", cells, "r", x);
  RED("red.relaxed.gpu.global.add.s32", cells + 1, "r", x);
  RED("red.release.sys.global.max.s32", cells + 2, "r", x);
  RED("red.global.min.u32", cells + 3, "r", x);
  RED("red.and.b32", cells + 4, "r", x | 0xf0f0);
  RED("red.global.or.b32", cells + 5, "r", x & 0xff);
  RED("red.global.gpu.xor.b32", cells + 6, "r", x);
  RED("red.global.inc.u32", cells + 7, "r", 99);
  RED("red.global.dec.u32", cells + 8, "r", 99);
  RED("red.global.add.u64", wide, "l", uint64_t(x) << 13);
  RED("red.global.max.s64", wide + 1, "l", -int64_t(x));
  RED("red.global.xor.b64", wide + 2, "l", uint64_t(x) << 30);
  RED("red.global.add.f32", floats, "f", float(x & 63));
  RED("red.add.f32", floats + 1, "f", -float(x & 7));
  RED("red.global.add.noftz.f16x2", floats + 2, "r", 0x3c00bc00);
  RED("red.global.add.noftz.bf16x2", floats + 3, "r", 0x3f80bf80);
  asm volatile("red.shared.add.u32 [%0], %1; red.shared.max.u32 [%0+4], %1; "
               "red.relaxed.cta.shared.or.b32 [%0+8], %1; "
               "red.shared::cta.inc.u32 [%0+12], 6;" ::"r"(address),
               "r"(x)
               : "memory");
  uint32_t old;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(old)
               : "l"(cells + 9)
               : "memory");
  asm volatile("atom.global.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(cells + 10), "r"(old)
               : "memory");
  asm volatile("fence.acq_rel.gpu; membar.gl; membar.cta; membar.sys; "
               "fence.sc.cta; fence.acq_rel.sys;" ::
                   : "memory");
  asm volatile(
      "{.reg .f32 a, b; atom.global.add.v2.f32 {a, b}, [%0], {%1, %2}; "
      "red.global.add.v4.f32 [%0+16], {%1, %2, %1, %2}; "
      "red.global.add.noftz.v2.f16x2 [%0+32], {%3, %3};}" ::"l"(floats + 4),
      "f"(float(x & 1)), "f"(2.0f), "r"(0x3c00bc00)
      : "memory");
  __syncthreads();
  if (i < 4)
    atomicAdd(cells + 12 + i, shared[i]);
}

// A lock by compare-and-swap, a spin by a lane of each warp in turn.
extern "C" __global__ void atom_lock(const uint32_t *in, uint32_t *lock,
                                     uint32_t *total) {
  uint32_t x = in[blockIdx.x * blockDim.x + threadIdx.x];
  if ((threadIdx.x & 31) == 0) {
    while (atomicCAS(lock, 0, 1))
      __nanosleep(20);
    __threadfence();
    volatile uint32_t *v = total;
    v[0] = v[0] + x;
    v[1] = v[1] + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

// 128-bit exchanges.
extern "C" __global__ void atom_wide(const uint4 *in, uint4 *cells,
                                     uint4 *out) {
  uint32_t i = threadIdx.x;
  uint4 x = in[i], old;
  uint64_t low = x.x | uint64_t(x.y) << 32, high = x.z | uint64_t(x.w) << 32;
  uint64_t a, b;
  asm volatile("{.reg .b128 v, r; mov.b128 v, {%2, %3}; "
               "atom.global.exch.b128 r, [%4], v; mov.b128 {%0, %1}, r;}"
               : "=l"(a), "=l"(b)
               : "l"(low), "l"(high), "l"(cells + i)
               : "memory");
  old = make_uint4(uint32_t(a), uint32_t(a >> 32), uint32_t(b),
                   uint32_t(b >> 32));
  asm volatile(
      "{.reg .b128 v, w, r; mov.b128 v, {%2, %3}; mov.b128 w, {%5, %2}; "
      "atom.global.cas.b128 r, [%4], v, w; mov.b128 {%0, %1}, r;}"
      : "=l"(a), "=l"(b)
      : "l"(low), "l"(high ^ (i & 1)), "l"(cells + i), "l"(low + 1)
      : "memory");
  old.x ^= uint32_t(a >> 32);
  old.y ^= uint32_t(b);
  out[i] = old;
}
