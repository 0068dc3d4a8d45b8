//===- special.cu - Reference kernels: special registers ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#define SPECIAL(name)                                                          \
  asm volatile("mov.u32 %0, %%" name ";" : "=r"(v));                           \
  out[i * 26 + k++] = v

extern "C" __global__ void special_registers(uint32_t *out) {
  uint32_t block =
      (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  uint32_t thread =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  uint32_t i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  uint32_t v, k = 0;
  SPECIAL("tid.x");
  SPECIAL("tid.y");
  SPECIAL("tid.z");
  SPECIAL("ntid.x");
  SPECIAL("ntid.y");
  SPECIAL("ntid.z");
  SPECIAL("ctaid.x");
  SPECIAL("ctaid.y");
  SPECIAL("ctaid.z");
  SPECIAL("nctaid.x");
  SPECIAL("nctaid.y");
  SPECIAL("nctaid.z");
  SPECIAL("laneid");
  SPECIAL("lanemask_eq");
  SPECIAL("lanemask_lt");
  SPECIAL("lanemask_le");
  SPECIAL("lanemask_gt");
  SPECIAL("lanemask_ge");
  SPECIAL("dynamic_smem_size");
  SPECIAL("total_smem_size");
  SPECIAL("cluster_ctaid.x");
  SPECIAL("cluster_nctaid.x");
  SPECIAL("cluster_ctarank");
  SPECIAL("nclusterid.x");
  // Placement is not specified: no warp can be in a slot that is not there.
  uint32_t warp, warps, sm, sms;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
  out[i * 26 + k++] = (warp < warps) + (sm < sms) * 2;
  uint64_t before, after, time;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(before)::"memory");
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(after)::"memory");
  out[i * 26 + k++] = (after >= before) + (time != 0) * 2;
}
