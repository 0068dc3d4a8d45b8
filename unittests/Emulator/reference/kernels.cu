//===- kernels.cu - Reference kernels: whole algorithms -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#include <mma.h>

// C = alpha A B + beta C, 64x64 tiles, 4x4 elements a thread, any sizes.
extern "C" __global__ void __launch_bounds__(256)
    sgemm(const float *a, const float *b, float *c, int m, int n, int k,
          float alpha, float beta) {
  __shared__ float tileA[16][65], tileB[16][64];
  int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
  int row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int e = threadIdx.x; e < 1024; e += 256) {
      int r = row + e / 16, kk = k0 + e % 16;
      tileA[e % 16][e / 16] = r < m && kk < k ? a[r * k + kk] : 0.0f;
      int kb = k0 + e / 64, cc = col + e % 64;
      tileB[e / 64][e % 64] = kb < k && cc < n ? b[kb * n + cc] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk != 16; ++kk) {
      float x[4], y[4];
      for (int j = 0; j != 4; ++j) {
        x[j] = tileA[kk][ty * 4 + j];
        y[j] = tileB[kk][tx * 4 + j];
      }
      for (int i = 0; i != 4; ++i)
        for (int j = 0; j != 4; ++j)
          sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i != 4; ++i)
    for (int j = 0; j != 4; ++j) {
      int r = row + ty * 4 + i, cc = col + tx * 4 + j;
      if (r < m && cc < n)
        c[r * n + cc] = fmaf(alpha, sum[i][j], beta * c[r * n + cc]);
    }
}

__device__ inline uint32_t smem(const void *p) {
  return uint32_t(__cvta_generic_to_shared(p));
}

// D = A B^T, A m x k, B n x k, all f16: 128x128x32 tiles, three stages of
// cp.async, ldmatrix of swizzled rows, mma.sync, 4 warps of 64x64. k is a
// multiple of 8, m and n are any.
constexpr int stages = 3, tile = 128, depth = 32;
extern "C" __global__ void __launch_bounds__(128)
    hgemm_mma(const __half *a, const __half *b, __half *d, int m, int n,
              int k) {
  extern __shared__ uint4 memory[];
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  int row0 = blockIdx.y * tile, col0 = blockIdx.x * tile;
  constexpr int chunks = tile * depth / 8;
  auto place = [](int row, int chunk) {
    return row * 4 + (chunk ^ (row >> 1 & 3));
  };
  auto copy = [&](int stage, int k0) {
    for (int e = threadIdx.x; e < chunks; e += 128) {
      int row = e / 4, chunk = e % 4, kk = k0 + chunk * 8;
      bool inA = row0 + row < m && kk < k, inB = col0 + row < n && kk < k;
      const __half *pa = inA ? a + (row0 + row) * k + kk : a;
      const __half *pb = inB ? b + (col0 + row) * k + kk : b;
      uint4 *to = memory + stage * 2 * chunks + place(row, chunk);
      asm volatile(
          "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(smem(to)),
          "l"(pa), "r"(inA ? 16 : 0)
          : "memory");
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                       smem(to + chunks)),
                   "l"(pb), "r"(inB ? 16 : 0)
                   : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  int steps = (k + depth - 1) / depth;
  for (int s = 0; s != stages - 1; ++s)
    copy(s, s * depth);
  float sum[4][8][4] = {};
  int wr = (warp & 1) * 64, wc = (warp >> 1) * 64;
  for (int step = 0; step != steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
    __syncthreads();
    copy((step + stages - 1) % stages, (step + stages - 1) * depth);
    const uint4 *ta = memory + (step % stages) * 2 * chunks, *tb = ta + chunks;
#pragma unroll
    for (int kk = 0; kk != 2; ++kk) {
      uint32_t fa[4][4], fb[4][4];
#pragma unroll
      for (int i = 0; i != 4; ++i) {
        uint32_t p =
            smem(ta + place(wr + i * 16 + (lane & 15), kk * 2 + (lane >> 4)));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]),
                       "=r"(fa[i][3])
                     : "r"(p));
        p = smem(tb + place(wc + i * 16 + (lane & 7) + (lane >> 4) * 8,
                            kk * 2 + (lane >> 3 & 1)));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];"
                     : "=r"(fb[i][0]), "=r"(fb[i][1]), "=r"(fb[i][2]),
                       "=r"(fb[i][3])
                     : "r"(p));
      }
#pragma unroll
      for (int i = 0; i != 4; ++i)
#pragma unroll
        for (int j = 0; j != 8; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                       "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                       "{%0, %1, %2, %3};"
                       : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]),
                         "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                       : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]),
                         "r"(fa[i][3]), "r"(fb[j / 2][j % 2 * 2]),
                         "r"(fb[j / 2][j % 2 * 2 + 1]));
    }
  }
  for (int i = 0; i != 4; ++i)
    for (int j = 0; j != 8; ++j)
      for (int e = 0; e != 4; ++e) {
        int row = row0 + wr + i * 16 + lane / 4 + e / 2 * 8;
        int col = col0 + wc + j * 8 + lane % 4 * 2 + e % 2;
        if (row < m && col < n)
          d[row * n + col] = __float2half_rn(sum[i][j][e]);
      }
}

// D = A B, a 16x16 tile a warp, sizes of multiples of 16.
extern "C" __global__ void hgemm_wmma(const __half *a, const __half *b,
                                      float *d, int m, int n, int k) {
  using namespace nvcuda;
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
  int col = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
  if (row >= m || col >= n)
    return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int kk = 0; kk < k; kk += 16) {
    wmma::load_matrix_sync(fa, a + row * k + kk, k);
    wmma::load_matrix_sync(fb, b + kk * n + col, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(d + row * n + col, fc, n, wmma::mem_row_major);
}

__device__ uint32_t finished;

// Sums by shuffles and shared memory; the block that is last adds up the
// blocks' sums.
extern "C" __global__ void reduction(const int *in, volatile int *partial,
                                     int *out, int count) {
  __shared__ int warps[32];
  __shared__ bool last;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x)
    sum += in[i];
  auto total = [&](int v) {
    for (int s = 16; s; s >>= 1)
      v += __shfl_down_sync(0xffffffff, v, s);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
      warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
      v = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
      for (int s = 16; s; s >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, s);
    }
    return v;
  };
  sum = total(sum);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last)
    return;
  __threadfence();
  sum = 0;
  for (uint32_t i = threadIdx.x; i < gridDim.x; i += blockDim.x)
    sum += partial[i];
  sum = total(sum);
  if (threadIdx.x == 0)
    out[0] = sum;
}

// Softmax of rows, a warp each: shuffles and approximate functions.
extern "C" __global__ void softmax(const float *in, float *out, int columns) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  const float *x = in + row * columns;
  float high = -INFINITY, sum = 0;
  for (int c = lane; c < columns; c += 32)
    high = fmaxf(high, x[c]);
  for (int s = 16; s; s >>= 1)
    high = fmaxf(high, __shfl_xor_sync(0xffffffff, high, s));
  for (int c = lane; c < columns; c += 32)
    sum += __expf(x[c] - high);
  for (int s = 16; s; s >>= 1)
    sum += __shfl_xor_sync(0xffffffff, sum, s);
  for (int c = lane; c < columns; c += 32)
    out[row * columns + c] = __fdividef(__expf(x[c] - high), sum);
}
