//===- async.cu - Reference kernels: cp.async -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#include <cuda_pipeline.h>

#define COPY(op, dst, src, size)                                               \
  asm volatile(op " [%0], [%1], " #size ";" ::"r"(dst), "l"(src) : "memory")
#define COPY_PART(op, dst, src, size, part)                                    \
  asm volatile(op " [%0], [%1], " #size ", %2;" ::"r"(dst), "l"(src),          \
               "r"(part)                                                       \
               : "memory")

// All sizes, whole and in part, behind one wait.
extern "C" __global__ void async_sizes(const uint4 *in, uint4 *out) {
  __shared__ uint4 space[4][64];
  uint32_t i = threadIdx.x;
  for (uint32_t k = 0; k != 4; ++k)
    space[k][i] = make_uint4(i, k, ~i, ~k);
  __syncthreads();
  uint32_t base = uint32_t(__cvta_generic_to_shared(&space[0][i]));
  const uint8_t *p = reinterpret_cast<const uint8_t *>(in + i);
  uint32_t row = 64 * 16;
  COPY("cp.async.cg.shared.global", base, p, 16);
  COPY("cp.async.ca.shared.global", base + row, p + 4, 4);
  COPY("cp.async.ca.shared.global", base + row + 8, p + 8, 8);
  COPY_PART("cp.async.ca.shared.global", base + 2 * row, p, 4, i % 5);
  COPY_PART("cp.async.ca.shared.global", base + 2 * row + 8, p + 8, 8, i % 9);
  COPY_PART("cp.async.cg.shared.global.L2::128B", base + 3 * row, p, 16,
            i % 17);
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (uint32_t k = 0; k != 4; ++k)
    out[k * 64 + i] = space[k][i];
  // With a predicate to leave the source alone.
  asm volatile("{.reg .pred p; setp.lt.u32 p, %2, 20; "
               "cp.async.ca.shared.global [%0], [%1], 16, p;}" ::"r"(base),
               "l"(p), "r"(i)
               : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  out[256 + i] = space[0][i];
}

// Groups in flight: the oldest are waited for, the newest not.
extern "C" __global__ void async_groups(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t ring[4][128];
  uint32_t i = threadIdx.x, sum = 0;
  uint32_t base = uint32_t(__cvta_generic_to_shared(&ring[0][i]));
  for (uint32_t k = 0; k != 3; ++k) {
    COPY("cp.async.ca.shared.global", base + k * 512, in + k * 128 + i, 4);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  for (uint32_t k = 0; k != 10; ++k) {
    asm volatile("cp.async.wait_group 2;" ::: "memory");
    __syncthreads();
    sum = sum * 7 + ring[k & 3][i ^ 77];
    // An empty group keeps the count.
    if (k + 3 < 10)
      COPY("cp.async.ca.shared.global", base + ((k + 3) & 3) * 512,
           in + (k + 3) * 128 + i, 4);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  out[i] = sum;
}

// The C++ interface.
extern "C" __global__ void async_cpp(const uint4 *in, uint32_t *out) {
  __shared__ uint4 tile[64];
  uint32_t i = threadIdx.x;
  __pipeline_memcpy_async(tile + i, in + i, 16, i & 7);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[i ^ 63].y + tile[i ^ 1].w;
}
