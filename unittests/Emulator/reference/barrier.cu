//===- barrier.cu - Reference kernels: barriers of blocks -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

extern "C" __global__ void bar_sync(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t values[2][256];
  uint32_t i = threadIdx.x, n = blockDim.x;
  uint32_t x = in[blockIdx.x * n + i];
  for (uint32_t k = 0; k != 6; ++k) {
    values[k & 1][i] = x;
    __syncthreads();
    x = x * 5 + values[k & 1][(i + 1 + k * 37) % n];
  }
  __syncthreads();
  // A reduction whose halves get smaller.
  values[0][i] = x;
  __syncthreads();
  for (uint32_t s = 128; s; s >>= 1) {
    if (i < s && i + s < n)
      values[0][i] += values[0][i + s];
    __syncthreads();
  }
  out[blockIdx.x * n + i] = x ^ values[0][0];
}

extern "C" __global__ void bar_red(const uint32_t *in, uint32_t *out) {
  uint32_t i = threadIdx.x, n = blockDim.x;
  uint32_t x = in[blockIdx.x * n + i];
  uint32_t r = __syncthreads_count(x & 1);
  r = r * 8 + (__syncthreads_and(x & 0xff) ? 1 : 0) +
      (__syncthreads_or(x == 12345) ? 2 : 0);
  r = r * 8 + (__syncthreads_and(i < 1000) ? 1 : 0) +
      (__syncthreads_or(i == 77) ? 2 : 0);
  uint32_t part;
  // The two halves of the block, each with a barrier of its own.
  uint32_t id = i < n / 2 ? 3 : 4;
  asm volatile("{.reg .pred p; setp.gt.u32 p, %1, 99; "
               "barrier.red.popc.u32 %0, %2, %3, p;}"
               : "=r"(part)
               : "r"(x & 255), "r"(id), "r"(n / 2));
  out[blockIdx.x * n + i] = r * 512 + part;
}

// A producer warp and consumer warps, by arrive and sync of two barriers.
extern "C" __global__ void bar_named(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t slot[32];
  uint32_t i = threadIdx.x, warp = i / 32, lane = i & 31;
  if (warp == 0) {
    for (uint32_t k = 0; k != 4; ++k) {
      slot[lane] = in[k * 32 + lane];
      __threadfence_block();
      asm volatile("bar.arrive 1, 128;" ::: "memory");
      asm volatile("bar.sync 2, 128;" ::: "memory");
    }
  } else {
    uint32_t sum = 0;
    for (uint32_t k = 0; k != 4; ++k) {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      sum = sum * 3 + slot[(lane + warp) & 31];
      asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
    out[(warp - 1) * 32 + lane] = sum;
  }
}

// Barriers of warp pairs, by a number in a register.
extern "C" __global__ void bar_subsets(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t values[256];
  uint32_t i = threadIdx.x, pair = i / 64;
  values[i] = in[i];
  uint32_t x = 0;
  for (uint32_t k = 0; k != pair * 2 + 1; ++k) {
    asm volatile("barrier.sync %0, %1;" ::"r"(pair + 1), "r"(64) : "memory");
    x += values[i ^ 32];
    asm volatile("barrier.sync.aligned %0, 64;" ::"r"(pair + 1) : "memory");
    values[i] = x + k;
  }
  asm volatile("barrier.cta.sync 0;" ::: "memory");
  out[i] = x + values[(i + 64) & 255];
}

// Barriers of warps that have diverged: the unaligned form.
extern "C" __global__ void bar_diverged(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t values[64];
  uint32_t i = threadIdx.x;
  uint32_t x = in[i];
  if (x & 1) {
    values[i] = x;
    asm volatile("barrier.sync 0;" ::: "memory");
    x = values[i ^ 33] + 1;
  } else {
    values[i] = ~x;
    asm volatile("barrier.sync 0;" ::: "memory");
    x = values[i ^ 33] * 2;
  }
  out[i] = x;
}
