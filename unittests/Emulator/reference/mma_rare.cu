//===- mma_rare.cu - Reference kernels: mma.sync of less used types -------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp each; a thread loads its fragments as they are, register by register,
// and stores its results in the same way. So the kernels know no layout, and
// the results show whether the emulator's is right.
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#define LIST1(c, v) c(v[0])
#define LIST2(c, v) c(v[0]), c(v[1])
#define LIST4(c, v) LIST2(c, v), c(v[2]), c(v[3])
#define LIST8(c, v) LIST4(c, v), c(v[4]), c(v[5]), c(v[6]), c(v[7])

/// `NA`, `NB`, `NC`: registers of the fragments; `text`: their places.
#define MMA(name, op, Word, w, Acc, f, NA, NB, NC, text)                       \
  extern "C" __global__ void name(const Word *a, const Word *b, const Acc *c,  \
                                  Acc *d) {                                    \
    uint32_t i = threadIdx.x;                                                  \
    Word x[NA], y[NB];                                                         \
    Acc z[NC], r[NC];                                                          \
    for (int k = 0; k != NA; ++k)                                              \
      x[k] = a[i * NA + k];                                                    \
    for (int k = 0; k != NB; ++k)                                              \
      y[k] = b[i * NB + k];                                                    \
    for (int k = 0; k != NC; ++k)                                              \
      z[k] = c[i * NC + k];                                                    \
    asm volatile("mma.sync.aligned." op " " text                               \
                 : LIST##NC("=" f, r)                                          \
                 : LIST##NA(w, x), LIST##NB(w, y), LIST##NC(f, z));            \
    for (int k = 0; k != NC; ++k)                                              \
      d[i * NC + k] = r[k];                                                    \
  }

#define PLACES_1_1_2 "{%0, %1}, {%2}, {%3}, {%4, %5};"
#define PLACES_2_1_4 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
#define PLACES_2_2_4 "{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11};"
#define PLACES_2_2_8                                                           \
  "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, "   \
  "%15, %16, %17, %18, %19};"
#define PLACES_4_2_2 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
#define PLACES_4_2_4                                                           \
  "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"

MMA(mma_m8n8k32_s4, "m8n8k32.row.col.s32.s4.s4.s32", uint32_t, "r", uint32_t,
    "r", 1, 1, 2, PLACES_1_1_2)
MMA(mma_m16n8k32_s4, "m16n8k32.row.col.s32.s4.s4.s32", uint32_t, "r", uint32_t,
    "r", 2, 1, 4, PLACES_2_1_4)
MMA(mma_m16n8k64_s4_u4, "m16n8k64.row.col.s32.s4.u4.s32", uint32_t, "r",
    uint32_t, "r", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k64_u4_satfinite, "m16n8k64.row.col.satfinite.s32.u4.u4.s32",
    uint32_t, "r", uint32_t, "r", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k256_b1_xor, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", uint32_t,
    "r", uint32_t, "r", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k128_b1_and, "m16n8k128.row.col.s32.b1.b1.s32.and.popc", uint32_t,
    "r", uint32_t, "r", 2, 1, 4, PLACES_2_1_4)
MMA(mma_m8n8k128_b1_and, "m8n8k128.row.col.s32.b1.b1.s32.and.popc", uint32_t,
    "r", uint32_t, "r", 1, 1, 2, PLACES_1_1_2)
MMA(mma_m16n8k16_f32_e4m3_e5m2, "m16n8k16.row.col.f32.e4m3.e5m2.f32", uint32_t,
    "r", float, "f", 2, 1, 4, PLACES_2_1_4)
MMA(mma_m16n8k32_f16_e4m3, "m16n8k32.row.col.f16.e4m3.e4m3.f16", uint32_t, "r",
    uint32_t, "r", 4, 2, 2, PLACES_4_2_2)
MMA(mma_m8n8k4_row_row_f32_f16, "m8n8k4.row.row.f32.f16.f16.f32", uint32_t, "r",
    float, "f", 2, 2, 8, PLACES_2_2_8)
MMA(mma_m8n8k4_row_col_f32_f16, "m8n8k4.row.col.f32.f16.f16.f32", uint32_t, "r",
    float, "f", 2, 2, 8, PLACES_2_2_8)
MMA(mma_m8n8k4_col_row_f32_f16, "m8n8k4.col.row.f32.f16.f16.f32", uint32_t, "r",
    float, "f", 2, 2, 8, PLACES_2_2_8)
MMA(mma_m8n8k4_col_col_f32_f16, "m8n8k4.col.col.f32.f16.f16.f32", uint32_t, "r",
    float, "f", 2, 2, 8, PLACES_2_2_8)
MMA(mma_m8n8k4_row_col_f16_f16, "m8n8k4.row.col.f16.f16.f16.f16", uint32_t, "r",
    uint32_t, "r", 2, 2, 4, PLACES_2_2_4)
