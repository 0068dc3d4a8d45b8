//===- matrix.cu - Reference kernels: ldmatrix, stmatrix, movmatrix -------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#define LDMATRIX1(mods)                                                        \
  asm volatile("ldmatrix.sync.aligned.m8n8.x1" mods " {%0}, [%1];"             \
               : "=r"(r[0])                                                    \
               : "r"(row));                                                    \
  put(1)
#define LDMATRIX2(mods)                                                        \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2" mods " {%0, %1}, [%2];"         \
               : "=r"(r[0]), "=r"(r[1])                                        \
               : "r"(row));                                                    \
  put(2)
#define LDMATRIX4(mods)                                                        \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" mods " {%0, %1, %2, %3}, [%4];" \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                \
               : "r"(row));                                                    \
  put(4)

// Rows in an order that no layout has by itself.
extern "C" __global__ void mat_load(const uint4 *in, uint32_t *out) {
  __shared__ uint4 rows[64];
  uint32_t lane = threadIdx.x, k = 0, r[4];
  rows[lane] = in[lane];
  rows[lane + 32] = in[lane + 32];
  __syncwarp();
  uint32_t row =
      uint32_t(__cvta_generic_to_shared(rows + (lane * 11 + 5) % 64));
  auto put = [&](uint32_t n) {
    for (uint32_t j = 0; j != n; ++j)
      out[k++ * 32 + lane] = r[j];
  };
  LDMATRIX1(".shared.b16");
  LDMATRIX2(".shared.b16");
  LDMATRIX4(".shared.b16");
  LDMATRIX1(".trans.shared.b16");
  LDMATRIX2(".trans.shared.b16");
  LDMATRIX4(".trans.shared.b16");
  LDMATRIX4(".trans.shared::cta.b16");
  // Only the lanes that matter need an address.
  uint32_t whole = row;
  row = lane < 8 ? whole : 0;
  LDMATRIX1(".shared.b16");
  row = lane < 16 ? whole : 0;
  LDMATRIX2(".trans.shared.b16");
}

extern "C" __global__ void mat_store(const uint32_t *in, uint4 *out) {
  __shared__ uint4 rows[64];
  uint32_t lane = threadIdx.x, k = 0;
  uint32_t r0 = in[lane], r1 = in[lane + 32], r2 = in[lane + 64],
           r3 = in[lane + 96];
  uint32_t row =
      uint32_t(__cvta_generic_to_shared(rows + (lane * 11 + 5) % 64));
  auto clear = [&] {
    __syncwarp();
    rows[lane] = rows[lane + 32] = make_uint4(1, 2, 3, 4);
    __syncwarp();
  };
  auto put = [&] {
    __syncwarp();
    out[k * 64 + lane] = rows[lane];
    out[k * 64 + 32 + lane] = rows[lane + 32];
    ++k;
  };
#define STMATRIX(text, ...)                                                    \
  clear();                                                                     \
  asm volatile("stmatrix.sync.aligned.m8n8." text ::"r"(row), __VA_ARGS__      \
               : "memory");                                                    \
  put()
  STMATRIX("x1.shared.b16 [%0], {%1};", "r"(r0));
  STMATRIX("x2.shared.b16 [%0], {%1, %2};", "r"(r0), "r"(r1));
  STMATRIX("x4.shared.b16 [%0], {%1, %2, %3, %4};", "r"(r0), "r"(r1), "r"(r2),
           "r"(r3));
  STMATRIX("x1.trans.shared.b16 [%0], {%1};", "r"(r0));
  STMATRIX("x2.trans.shared.b16 [%0], {%1, %2};", "r"(r0), "r"(r1));
  STMATRIX("x4.trans.shared.b16 [%0], {%1, %2, %3, %4};", "r"(r0), "r"(r1),
           "r"(r2), "r"(r3));
}

extern "C" __global__ void mat_move(const uint32_t *in, uint32_t *out) {
  uint32_t i = threadIdx.x, r;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
               : "=r"(r)
               : "r"(in[i]));
  out[i] = r;
}
