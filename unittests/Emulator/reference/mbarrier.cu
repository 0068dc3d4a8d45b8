//===- mbarrier.cu - Reference kernels: mbarrier
//-----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#define BARRIER                                                                \
  asm volatile(                                                                \
      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::       \
          : "memory")

// mbarrier: phases by parity, expected arrivals that drop.
extern "C" __global__ void mbar_phases(const uint32_t *in, uint32_t *out) {
  __shared__ alignas(8) uint64_t barrier;
  __shared__ uint32_t values[128];
  uint32_t i = threadIdx.x;
  uint32_t address = uint32_t(__cvta_generic_to_shared(&barrier));
  if (i == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(address)
                 : "memory");
  __syncthreads();
  uint32_t x = in[i];
  for (uint32_t k = 0; k != 4; ++k) {
    values[i] = x;
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(address)
                 : "memory");
    uint32_t done = 0;
    while (!done)
      asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; "
                   "selp.u32 %0, 1, 0, p;}"
                   : "=r"(done)
                   : "r"(address), "l"(state)
                   : "memory");
    x = x * 3 + values[(i + 45) & 127];
    // The other phase, by its parity.
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address)
                 : "memory");
    do
      asm volatile(
          "{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], "
          "1; selp.u32 %0, 1, 0, p;}"
          : "=r"(done)
          : "r"(address)
          : "memory");
    while (!done);
  }
  out[i] = x;
}

// One that copies of all threads arrive at.
extern "C" __global__ void mbar_async(const uint4 *in, uint32_t *out) {
  __shared__ uint4 tile[64];
  __shared__ alignas(8) uint64_t barrier;
  uint32_t i = threadIdx.x;
  uint32_t address = uint32_t(__cvta_generic_to_shared(&barrier));
  if (i == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address)
                 : "memory");
  __syncthreads();
  uint32_t to = uint32_t(__cvta_generic_to_shared(tile + i));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16; "
               "cp.async.mbarrier.arrive.noinc.shared.b64 [%2];" ::"r"(to),
               "l"(in + (i ^ 5)), "r"(address)
               : "memory");
  uint32_t done;
  do
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], "
                 "0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(address)
                 : "memory");
  while (!done);
  out[i] = tile[i ^ 32].x;
}

// An mbarrier of block 0 that the threads of all blocks arrive at.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    mbar_cluster(const uint32_t *in, uint32_t *out) {
  __shared__ alignas(8) uint64_t barrier;
  __shared__ uint32_t values[64];
  uint32_t i = threadIdx.x, rank = blockIdx.x & 1;
  uint32_t own = uint32_t(__cvta_generic_to_shared(&barrier)), first, slot;
  if (i == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 64; "
                 "fence.mbarrier_init.release.cluster;" ::"r"(own)
                 : "memory");
  BARRIER;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(own));
  asm volatile(
      "mapa.shared::cluster.u32 %0, %1, 0;"
      : "=r"(slot)
      : "r"(uint32_t(__cvta_generic_to_shared(values + rank * 32 + i))));
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(slot),
               "r"(in[blockIdx.x * 32 + i])
               : "memory");
  asm volatile(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
          first)
      : "memory");
  uint32_t sum = 0;
  if (rank == 0) {
    uint32_t done;
    do
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster."
                   "shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                   : "=r"(done)
                   : "r"(own)
                   : "memory");
    while (!done);
    for (uint32_t k = 0; k != 64; ++k)
      sum = sum * 3 + values[(i + k) & 63];
  }
  out[blockIdx.x * 32 + i] = sum;
  BARRIER;
}
