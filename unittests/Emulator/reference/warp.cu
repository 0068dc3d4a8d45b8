//===- warp.cu - Reference kernels: exchanges within a warp ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

constexpr uint32_t full = 0xffffffff;

#define SHFL(mode, b, c)                                                       \
  ROW("shfl.sync." mode ".b32 d|p", ({                                         \
        uint32_t r_;                                                           \
        asm volatile("{.reg .pred p; shfl.sync." mode                          \
                     ".b32 %0|p, %1, %2, %3, -1; @p xor.b32 %0, %0, -1;}"      \
                     : "=r"(r_)                                                \
                     : "r"(x), "r"(b), "r"(c));                                \
        r_;                                                                    \
      }))

KERNEL3(warp_shfl, uint32_t, uint32_t) {
  ROWS;
  uint32_t lane = threadIdx.x & 31;
  CPP(__shfl_sync(full, x, y));
  CPP(__shfl_sync(full, x, y, 8));
  CPP(__shfl_up_sync(full, x, 1));
  CPP(__shfl_up_sync(full, x, 5, 16));
  CPP(__shfl_down_sync(full, x, 3));
  CPP(__shfl_down_sync(full, x, 2, 4));
  CPP(__shfl_xor_sync(full, x, 16));
  CPP(__shfl_xor_sync(full, x, 9, 8));
  CPP(__shfl_xor_sync(full, float(x), 2));
  CPP(__shfl_sync(full, x * 0x100000001ull, 7));
  // Offsets and clamps that differ between lanes.
  SHFL("idx", y, 0x1f);
  SHFL("up", y & 31, 0);
  SHFL("down", y & 31, 0x1f);
  SHFL("bfly", y & 31, 0x1f);
  SHFL("idx", y, 0x1c07);
  SHFL("up", y & 7, 0x1800);
  SHFL("down", y & 7, 0x181f);
  SHFL("bfly", y & 63, 0x1007);
  SHFL("bfly", 3, 0x0003);
  SHFL("up", 1, 12);
  SHFL("down", 1, 12);
  SHFL("idx", 40 + lane, 0x0f0f);
  // Part of the warp.
  uint32_t r = 0;
  if (lane % 3 == 0)
    r = __shfl_sync(0x49249249, x, (lane + 3) % 33);
  else if (lane & 1)
    r = __shfl_down_sync(__activemask(), x, 0);
  ROW("shfl in branches", r);
  // A scan.
  uint32_t sum = x;
  for (uint32_t k = 1; k != 32; k *= 2) {
    uint32_t v = __shfl_up_sync(full, sum, k);
    if (lane >= k)
      sum += v;
  }
  ROW("inclusive scan", sum);
}

KERNEL3(warp_vote, uint32_t, uint32_t) {
  ROWS;
  uint32_t lane = threadIdx.x & 31;
  CPP(__ballot_sync(full, x & 1));
  CPP(__all_sync(full, x & 0x10000));
  CPP(__any_sync(full, x == y));
  CPP(__all_sync(full, x == x));
  CPP(__uni_sync(full, x >> 31));
  CPP(__uni_sync(full, lane < 40));
  CPP(__activemask());
  uint32_t r = 0;
  if (lane & 2)
    r = __ballot_sync(0xcccccccc, x & 2);
  else
    r = __any_sync(0x33333333, x & 3) + 2 * __all_sync(0x33333333, x != 5);
  ROW("votes in branches", r);
  ROW("vote with negated predicates", ({
        uint32_t r_;
        asm volatile("{.reg .pred p, q; setp.lt.u32 p, %1, %2; "
                     "vote.sync.all.pred q, !p, -1; selp.u32 %0, 1, 0, q; "
                     "vote.sync.any.pred q, !p, -1; @q add.u32 %0, %0, 2; "
                     "vote.sync.uni.pred q, !p, -1; @q add.u32 %0, %0, 4; "
                     ".reg .b32 b; vote.sync.ballot.b32 b, !p, -1; "
                     "shl.b32 b, b, 3; xor.b32 %0, %0, b;}"
                     : "=r"(r_)
                     : "r"(x), "r"(y));
        r_;
      }));
  CPP(__match_any_sync(full, x & 7));
  CPP(__match_any_sync(full, uint64_t(x & 3) << 40));
  int same, warpSame;
  uint32_t matched = __match_all_sync(full, lane / 32, &same);
  ROW("match.all of equal values", matched + same);
  matched = __match_all_sync(full, x, &warpSame);
  ROW("match.all of any values", matched + warpSame);
  r = 0;
  if (lane < 20)
    r = __match_any_sync(0xfffff, y & 3);
  ROW("match.any of a part", r);
  CPP(__reduce_add_sync(full, x));
  CPP(__reduce_min_sync(full, x));
  CPP(__reduce_max_sync(full, x));
  CPP(__reduce_min_sync(full, int(x)));
  CPP(__reduce_max_sync(full, int(x)));
  CPP(__reduce_add_sync(full, int(y)));
  CPP(__reduce_and_sync(full, x | 0x1000));
  CPP(__reduce_or_sync(full, x & 0xff00));
  CPP(__reduce_xor_sync(full, x));
  r = 1;
  if (lane >= 9)
    r = __reduce_add_sync(0xfffffe00, y) ^ __reduce_max_sync(0xfffffe00, x);
  ROW("redux of a part", r);
  uint32_t leader, elected;
  asm volatile("{.reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p;}"
               : "=r"(leader), "=r"(elected)
               : "r"(full));
  // Which lane is chosen is not specified, but all hear of the same one.
  ROW("elect.sync", __popc(__ballot_sync(full, elected)) * 4 +
                        (leader == __shfl_sync(full, leader, 0)) * 2 +
                        (elected == (leader == lane)));
  ROW("lane masks", __popc(__ballot_sync(full, x & 4) & ((1u << lane) - 1)));
}

// Barriers of warps: values through shared memory without block barriers.
extern "C" __global__ void warp_sync(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t values[128];
  uint32_t i = threadIdx.x, lane = i & 31, base = i & ~31u;
  uint32_t x = in[i];
  for (uint32_t k = 0; k != 5; ++k) {
    values[i] = x;
    __syncwarp();
    x = x * 3 + values[base | ((lane + k * 5 + 1) & 31)];
    __syncwarp();
  }
  if (lane < 16) {
    values[i] = x;
    __syncwarp(0xffff);
    x ^= values[i ^ 9];
    __syncwarp(0xffff);
  } else {
    values[i] = x + 1;
    __syncwarp(0xffff0000);
    x += values[i ^ 5];
  }
  asm volatile("bar.warp.sync -1;" ::: "memory");
  out[i] = x;
}
