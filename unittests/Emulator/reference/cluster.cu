//===- cluster.cu - Reference kernels: clusters of blocks -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define BARRIER                                                                \
  asm volatile(                                                                \
      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::       \
          : "memory")

// Reads, writes and atomics in the other blocks' shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_memory(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t values[64], inbox[64], sum[2];
  uint32_t i = threadIdx.x, rank, size;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  uint32_t x = in[blockIdx.x * 64 + i];
  values[i] = x;
  if (i < 2)
    sum[i] = 0;
  BARRIER;
  uint32_t own = uint32_t(__cvta_generic_to_shared(values + i)), other, v;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(other)
               : "r"(own), "r"((rank + 1) % size));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(other));
  uint64_t generic;
  asm volatile("mapa.u64 %0, %1, %2;"
               : "=l"(generic)
               : "l"(inbox + (i ^ 5)), "r"(rank ^ 2));
  *reinterpret_cast<uint32_t *>(generic) = v * 3 + rank;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(other)
               : "r"(uint32_t(__cvta_generic_to_shared(sum))), "r"(x & 3));
  asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(other), "r"(x)
               : "memory");
  asm volatile("atom.shared::cluster.max.u32 %0, [%1+4], %2;"
               : "=r"(v)
               : "r"(other), "r"(x)
               : "memory");
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(v) : "r"(other));
  BARRIER;
  out[blockIdx.x * 64 + i] = inbox[i] ^ sum[i & 1] ^ v << 28;
}

// The C++ interface.
extern "C" __global__ void __cluster_dims__(2, 2, 1)
    cluster_groups(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t values[32];
  cg::cluster_group cluster = cg::this_cluster();
  uint32_t i = threadIdx.x, block = blockIdx.y * gridDim.x + blockIdx.x;
  values[i] = in[block * 32 + i];
  cluster.sync();
  uint32_t sum = 0;
  for (uint32_t k = 0; k != cluster.num_blocks(); ++k)
    sum = sum * 5 + *cluster.map_shared_rank(values + ((i + k) & 31), k);
  dim3 index = cluster.block_index();
  sum += index.x * 10 + index.y * 100 + cluster.block_rank() * 1000;
  out[block * 32 + i] = sum + cluster.thread_rank() * 10000;
  cluster.sync();
}
