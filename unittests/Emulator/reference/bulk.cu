//===- bulk.cu - Reference kernels: cp.async.bulk -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

__device__ inline void wait(uint32_t barrier, uint32_t parity) {
  uint32_t done;
  do
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, "
                 "[%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  while (!done);
}

// One thread copies tiles in and out; a barrier counts the bytes.
extern "C" __global__ void bulk_copy(const uint32_t *in, uint32_t *out,
                                     uint32_t *sums) {
  __shared__ alignas(128) uint32_t tile[2][128];
  __shared__ alignas(128) uint32_t result[128];
  __shared__ alignas(8) uint64_t barriers[2];
  uint32_t i = threadIdx.x;
  uint32_t barrier = uint32_t(__cvta_generic_to_shared(barriers));
  uint32_t space = uint32_t(__cvta_generic_to_shared(tile));
  auto copy = [&](uint32_t k) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(
            barrier + (k & 1) * 8)
        : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1], 512, [%2];" ::"r"(space + (k & 1) * 512),
                 "l"(in + k * 128), "r"(barrier + (k & 1) * 8)
                 : "memory");
  };
  if (i == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; "
                 "mbarrier.init.shared.b64 [%0+8], 1; "
                 "fence.mbarrier_init.release.cluster; "
                 "fence.proxy.async.shared::cta;" ::"r"(barrier)
                 : "memory");
    copy(0);
    copy(1);
  }
  __syncthreads();
  uint32_t sum = 0;
  for (uint32_t k = 0; k != 6; ++k) {
    wait(barrier + (k & 1) * 8, k >> 1 & 1);
    sum = sum * 7 + tile[k & 1][i ^ 3];
    // Before it is written again, the last tile out of it has to be read.
    if (i == 0)
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    __syncthreads();
    result[i] = tile[k & 1][127 - i] + k;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0) {
      if (k + 2 < 6)
        copy(k + 2);
      asm volatile(
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512; "
          "cp.async.bulk.commit_group;" ::"l"(out + k * 128),
          "r"(uint32_t(__cvta_generic_to_shared(result)))
          : "memory");
    }
  }
  if (i == 0)
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  sums[i] = sum;
}
