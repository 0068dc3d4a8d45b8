//===- mma.cu - Reference kernels: mma.sync -------------------------------===//
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
#define PLACES_2_1_2 "{%0, %1}, {%2, %3}, {%4}, {%5, %6};"
#define PLACES_2_1_4 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
#define PLACES_4_2_2 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
#define PLACES_4_2_4                                                           \
  "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
#define PLACES_8_4_4                                                           \
  "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, "     \
  "%15}, {%16, %17, %18, %19};"

MMA(mma_m16n8k8_f16_f16, "m16n8k8.row.col.f16.f16.f16.f16", uint32_t, "r",
    uint32_t, "r", 2, 1, 2, PLACES_2_1_2)
MMA(mma_m16n8k8_f32_f16, "m16n8k8.row.col.f32.f16.f16.f32", uint32_t, "r",
    float, "f", 2, 1, 4, PLACES_2_1_4)
MMA(mma_m16n8k16_f16_f16, "m16n8k16.row.col.f16.f16.f16.f16", uint32_t, "r",
    uint32_t, "r", 4, 2, 2, PLACES_4_2_2)
MMA(mma_m16n8k16_f32_f16, "m16n8k16.row.col.f32.f16.f16.f32", uint32_t, "r",
    float, "f", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k8_f32_bf16, "m16n8k8.row.col.f32.bf16.bf16.f32", uint32_t, "r",
    float, "f", 2, 1, 4, PLACES_2_1_4)
MMA(mma_m16n8k16_f32_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", uint32_t, "r",
    float, "f", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k4_f32_tf32, "m16n8k4.row.col.f32.tf32.tf32.f32", uint32_t, "r",
    float, "f", 2, 1, 4, PLACES_2_1_4)
MMA(mma_m16n8k8_f32_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", uint32_t, "r",
    float, "f", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m8n8k4_f64, "m8n8k4.row.col.f64.f64.f64.f64", double, "d", double, "d",
    1, 1, 2, PLACES_1_1_2)
MMA(mma_m16n8k4_f64, "m16n8k4.row.col.f64.f64.f64.f64", double, "d", double,
    "d", 2, 1, 4, PLACES_2_1_4)
MMA(mma_m16n8k8_f64, "m16n8k8.row.col.f64.f64.f64.f64", double, "d", double,
    "d", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k16_f64, "m16n8k16.row.col.f64.f64.f64.f64", double, "d", double,
    "d", 8, 4, 4, PLACES_8_4_4)
MMA(mma_m8n8k16_s8, "m8n8k16.row.col.s32.s8.s8.s32", uint32_t, "r", uint32_t,
    "r", 1, 1, 2, PLACES_1_1_2)
MMA(mma_m16n8k16_s8, "m16n8k16.row.col.s32.s8.s8.s32", uint32_t, "r", uint32_t,
    "r", 2, 1, 4, PLACES_2_1_4)
MMA(mma_m16n8k32_s8, "m16n8k32.row.col.s32.s8.s8.s32", uint32_t, "r", uint32_t,
    "r", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k32_u8, "m16n8k32.row.col.s32.u8.u8.s32", uint32_t, "r", uint32_t,
    "r", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k32_s8_u8, "m16n8k32.row.col.s32.s8.u8.s32", uint32_t, "r",
    uint32_t, "r", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k32_u8_s8_satfinite, "m16n8k32.row.col.satfinite.s32.u8.s8.s32",
    uint32_t, "r", uint32_t, "r", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m8n8k16_s8_satfinite, "m8n8k16.row.col.satfinite.s32.s8.s8.s32",
    uint32_t, "r", uint32_t, "r", 1, 1, 2, PLACES_1_1_2)
MMA(mma_m16n8k32_f32_e4m3_e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32", uint32_t,
    "r", float, "f", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k32_f32_e4m3_e5m2, "m16n8k32.row.col.f32.e4m3.e5m2.f32", uint32_t,
    "r", float, "f", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k32_f32_e5m2_e4m3, "m16n8k32.row.col.f32.e5m2.e4m3.f32", uint32_t,
    "r", float, "f", 4, 2, 4, PLACES_4_2_4)
MMA(mma_m16n8k32_f32_e5m2_e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32", uint32_t,
    "r", float, "f", 4, 2, 4, PLACES_4_2_4)
