//===- wmma.cu - Reference kernels: wmma ----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#include <mma.h>

using namespace nvcuda;

template <int m, int n, int k, typename Fragment, typename T, typename Acc,
          typename LayoutA, typename LayoutB>
__device__ inline void multiply(const T *a, const T *b, const Acc *c, Acc *d,
                                bool rowC, bool rowD) {
  constexpr bool rowA = std::is_same_v<LayoutA, wmma::row_major>;
  constexpr bool rowB = std::is_same_v<LayoutB, wmma::row_major>;
  wmma::fragment<wmma::matrix_a, m, n, k, Fragment, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, Fragment, LayoutB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, Acc> fc;
  wmma::load_matrix_sync(fa, a, rowA ? k : m);
  wmma::load_matrix_sync(fb, b, rowB ? n : k);
  wmma::load_matrix_sync(fc, c, rowC ? n : m,
                         rowC ? wmma::mem_row_major : wmma::mem_col_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, rowD ? n : m,
                          rowD ? wmma::mem_row_major : wmma::mem_col_major);
}

/// All layouts of the operands, and two of the accumulators.
template <int m, int n, int k, typename Fragment, typename T, typename Acc>
__device__ inline void layouts(const T *a, const T *b, const Acc *c, Acc *d) {
  using Row = wmma::row_major;
  using Col = wmma::col_major;
  multiply<m, n, k, Fragment, T, Acc, Row, Col>(a, b, c, d, true, true);
  multiply<m, n, k, Fragment, T, Acc, Row, Row>(a, b, c, d + m * n, false,
                                                true);
  multiply<m, n, k, Fragment, T, Acc, Col, Col>(a, b, c, d + 2 * m * n, true,
                                                false);
  multiply<m, n, k, Fragment, T, Acc, Col, Row>(a, b, c, d + 3 * m * n, false,
                                                false);
}

#define WMMA(name, m, n, k, Fragment, T, Acc)                                  \
  extern "C" __global__ void name(const T *a, const T *b, const Acc *c,        \
                                  Acc *d) {                                    \
    layouts<m, n, k, Fragment>(a, b, c, d);                                    \
  }
#define WMMA_SHAPES(name, Fragment, T, Acc)                                    \
  WMMA(name##_16x16x16, 16, 16, 16, Fragment, T, Acc)                          \
  WMMA(name##_32x8x16, 32, 8, 16, Fragment, T, Acc)                            \
  WMMA(name##_8x32x16, 8, 32, 16, Fragment, T, Acc)

WMMA_SHAPES(wmma_f16_f16, __half, __half, __half)
WMMA_SHAPES(wmma_f32_f16, __half, __half, float)
WMMA_SHAPES(wmma_f32_bf16, __nv_bfloat16, __nv_bfloat16, float)
WMMA_SHAPES(wmma_s8, signed char, signed char, int)
WMMA_SHAPES(wmma_u8, unsigned char, unsigned char, int)
WMMA(wmma_f32_tf32_16x16x8, 16, 16, 8, wmma::precision::tf32, float, float)
WMMA(wmma_f64_8x8x4, 8, 8, 4, double, double, double)

// A layout's pitch is larger than the matrix; from shared memory; satfinite;
// elements of fragments.
extern "C" __global__ void wmma_shared(const __half *a, const __half *b,
                                       float *d) {
  __shared__ alignas(32) __half tile[16 * 24];
  __shared__ alignas(32) float result[16 * 20];
  uint32_t lane = threadIdx.x;
  for (uint32_t k = lane; k < 256; k += 32)
    tile[k / 16 * 24 + k % 16] = a[k];
  for (uint32_t k = lane; k < 320; k += 32)
    result[k] = -7.0f;
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.5f);
  wmma::load_matrix_sync(fa, tile, 24);
  wmma::load_matrix_sync(fb, b, 40);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int k = 0; k != fc.num_elements; ++k)
    fc.x[k] = fc.x[k] * 2.0f + 1.0f;
  wmma::store_matrix_sync(result, fc, 20, wmma::mem_row_major);
  __syncwarp();
  for (uint32_t k = lane; k < 320; k += 32)
    d[k] = result[k];
}

extern "C" __global__ void wmma_satfinite(const signed char *a,
                                          const signed char *b, const int *c,
                                          int *d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc, true);
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}
