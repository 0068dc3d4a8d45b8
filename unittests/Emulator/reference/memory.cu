//===- memory.cu - Reference kernels: state spaces and accesses -----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

// Every width and vector. A block is one thread's 64 bytes.
extern "C" __global__ void mem_widths(const uint8_t *in, uint8_t *out) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint8_t *p = in + i * 64;
  uint8_t *q = out + i * 384;
  auto s8 = reinterpret_cast<const int8_t *>(p);
  auto u16 = reinterpret_cast<const uint16_t *>(p);
  auto s16 = reinterpret_cast<const int16_t *>(p);
  // Extension to the register.
  auto w = reinterpret_cast<uint32_t *>(q);
  w[0] = p[0];
  w[1] = s8[1];
  w[2] = u16[1];
  w[3] = s16[2];
  auto l = reinterpret_cast<uint64_t *>(q);
  l[2] = p[7];
  l[3] = s8[8];
  l[4] = s16[5];
  l[5] = int64_t(reinterpret_cast<const int *>(p)[3]);
  // Copies: bytes, halves, words, and vectors of each.
  q[48] = p[16];
  reinterpret_cast<uint16_t *>(q)[25] = u16[9];
  reinterpret_cast<uint32_t *>(q)[13] =
      reinterpret_cast<const uint32_t *>(p)[5];
  l[7] = reinterpret_cast<const uint64_t *>(p)[3];
  auto c2 = reinterpret_cast<const uchar2 *>(p)[16];
  reinterpret_cast<uchar2 *>(q)[32] = make_uchar2(c2.y, c2.x);
  auto c4 = reinterpret_cast<const char4 *>(p)[9];
  reinterpret_cast<char4 *>(q)[17] = make_char4(c4.w, c4.z, c4.y, c4.x);
  auto h2 = reinterpret_cast<const ushort2 *>(p)[10];
  reinterpret_cast<ushort2 *>(q)[18] = make_ushort2(h2.y, h2.x);
  auto h4 = reinterpret_cast<const short4 *>(p)[6];
  reinterpret_cast<short4 *>(q)[10] = make_short4(h4.y, h4.x, h4.w, h4.z);
  auto i2 = reinterpret_cast<const int2 *>(p)[7];
  reinterpret_cast<int2 *>(q)[11] = make_int2(i2.y, i2.x);
  auto i4 = reinterpret_cast<const uint4 *>(p)[1];
  reinterpret_cast<uint4 *>(q)[6] = make_uint4(i4.w, i4.z, i4.y, i4.x);
  auto f2 = reinterpret_cast<const float2 *>(p)[2];
  reinterpret_cast<float2 *>(q)[14] = make_float2(f2.y, f2.x);
  auto f4 = reinterpret_cast<const float4 *>(p)[2];
  reinterpret_cast<float4 *>(q)[8] = make_float4(f4.z, f4.y, f4.x, f4.w);
  auto d = reinterpret_cast<const double *>(p)[1];
  reinterpret_cast<double *>(q)[18] = d;
  auto d2 = reinterpret_cast<const double2 *>(p)[3];
  reinterpret_cast<double2 *>(q)[10] = make_double2(d2.y, d2.x);
  auto l2 = reinterpret_cast<const ulonglong2 *>(p)[2];
  reinterpret_cast<ulonglong2 *>(q)[11] = make_ulonglong2(l2.y, l2.x);
  // Cache operators, and accesses with a memory order.
  auto words = reinterpret_cast<const uint32_t *>(p);
  w[48] = __ldg(words + 1);
  w[49] = __ldca(words + 2);
  w[50] = __ldcg(words + 3);
  w[51] = __ldcs(words + 4);
  w[52] = __ldlu(words + 5);
  w[53] = __ldcv(words + 6);
  __stwb(w + 54, words[7]);
  __stcg(w + 55, words[8]);
  __stcs(w + 56, words[9]);
  __stwt(w + 57, words[10]);
  w[58] = __ldg(p + 44);
  w[59] = __ldg(s16 + 23);
  reinterpret_cast<uint4 *>(q)[15] =
      __ldg(reinterpret_cast<const uint4 *>(p) + 3);
  reinterpret_cast<double2 *>(q)[16] =
      __ldcs(reinterpret_cast<const double2 *>(p) + 2);
  __stcs(reinterpret_cast<float4 *>(q) + 17,
         __ldcg(reinterpret_cast<const float4 *>(p) + 1));
  uint32_t a, b, c, e;
#define LOAD(op, r, k) asm volatile(op " %0, [%1];" : "=r"(r) : "l"(words + k))
#define STORE(op, r, k) asm volatile(op " [%0], %1;" ::"l"(w + k), "r"(r))
  LOAD("ld.volatile.global.u32", a, 1);
  LOAD("ld.relaxed.gpu.global.u32", b, 2);
  LOAD("ld.acquire.sys.global.u32", c, 3);
  LOAD("ld.global.L1::no_allocate.L2::128B.b32", e, 4);
  STORE("st.volatile.global.u32", a, 72);
  STORE("st.relaxed.cta.global.u32", b, 73);
  STORE("st.release.gpu.global.u32", c, 74);
  STORE("st.global.L1::evict_last.b32", e, 75);
  LOAD("ld.global.nc.L1::evict_first.u32", a, 5);
  LOAD("ld.b32", b, 6);
  LOAD("ld.relaxed.sys.u32", c, 7);
  LOAD("ld.global.ca.s32", e, 8);
  STORE("st.b32", a, 76);
  STORE("st.global.wb.s32", b, 77);
  STORE("st.global.cg.f32", c, 78);
  STORE("st.relaxed.sys.u32", e, 79);
  asm volatile(
      "{.reg .b32 x, y, z, v; ld.global.v4.b32 {x, y, z, v}, [%0+16]; "
      "st.global.v2.b32 [%1], {z, x}; "
      "st.global.v2.b32 [%1+8], {v, y}; "
      "ld.global.nc.v2.u32 {x, y}, [%0+40]; "
      "st.global.v4.b32 [%1+16], {y, y, x, x}; prefetch.global.L2 [%0]; "
      "ld.global.v2.b32 {_, z}, [%0+24]; st.global.u32 [%1+32], z; "
      "st.global.u8 [%1+36], z; ld.global.s8 x, [%0+3]; "
      "st.global.b16 [%1+38], x;}" ::"l"(words),
      "l"(w + 80));
}

// Arrays that must be in local memory, of words, bytes and vectors.
extern "C" __global__ void mem_local(const uint32_t *in, uint32_t *out,
                                     uint32_t count) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t table[16];
  uint8_t bytes[40];
  float4 vectors[5];
  uint32_t x = in[i];
  for (uint32_t k = 0; k != 16; ++k)
    table[(k * 7 + x) & 15] = x * (k + 1);
  for (uint32_t k = 0; k != 40; ++k)
    bytes[(k * 3 + x) % 40] = table[k & 15] >> (k & 7);
  for (uint32_t k = 0; k != 5; ++k)
    vectors[(k + x) % 5] = make_float4(k, k + 0.5f, float(x & 255), -1.0f);
  uint32_t sum = 0;
  for (uint32_t k = 0; k != x % 37 + 3; ++k)
    sum = sum * 31 + bytes[k] + table[(sum + k) & 15];
  float4 v = vectors[sum % 5];
  out[i] = sum;
  out[count + i] = __float_as_uint(v.x * v.y + v.z * v.w);
  // Insertion sort, in place.
  for (uint32_t k = 1; k != 16; ++k)
    for (uint32_t j = k; j && table[j - 1] > table[j]; --j) {
      uint32_t t = table[j];
      table[j] = table[j - 1];
      table[j - 1] = t;
    }
  out[2 * count + i] = table[x & 15];
}

struct Record {
  uint8_t tag;
  uint16_t half;
  uint32_t word;
  double value;
  int8_t bytes[5];
};

__constant__ uint32_t primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ Record records[2] = {{1, 2, 3, 4.5, {-1, 2, -3, 4, -5}},
                                  {250, 65000, 0xdeadbeef, -0.25, {9}}};
__device__ float weights[4] = {0.5f, -1.5f, 1e-40f, 3e38f};
__device__ uint64_t counters[3] = {1, ~0ull};
__device__ const char text[] = "reference";
__device__ uint32_t zeros[16];
__device__ const uint32_t *const pointers[3] = {primes + 2, zeros, zeros + 5};
__device__ const char *const words[2] = {"first\n", "second \"quoted\""};

extern "C" __global__ void mem_variables(const uint32_t *in, uint64_t *out) {
  uint32_t i = threadIdx.x;
  uint32_t x = in[i];
  const Record &record = records[x & 1];
  uint64_t sum = primes[x & 7] * 1000 + record.tag + record.half + record.word;
  sum += uint64_t(int64_t(record.bytes[x % 5])) +
         uint64_t(__double_as_longlong(record.value));
  sum ^= uint64_t(__float_as_uint(weights[x & 3])) << 20;
  sum += counters[x % 3] * 3 + text[x % 10];
  sum += *pointers[x % 3];
  sum += words[x & 1][x % 6] << 8;
  __syncthreads();
  if (i < 16)
    zeros[i] = x;
  __syncthreads();
  sum += static_cast<volatile uint32_t *>(zeros)[(x >> 4) & 15];
  out[i] = sum;
  __syncthreads();
  // A second launch finds what the first one did.
  if (i < 16)
    zeros[i] = 0;
}

__device__ __noinline__ uint32_t sumOf(const uint32_t *p, uint32_t n) {
  uint32_t sum = 0;
  for (uint32_t k = 0; k != n; ++k)
    sum = sum * 3 + p[k];
  return sum;
}

__constant__ uint32_t constants[4] = {10, 20, 30, 40};
__device__ uint32_t globals[4] = {1, 2, 3, 4};

// Generic addresses of all state spaces, chosen at run time.
extern "C" __global__ void mem_generic(const uint32_t *in, uint32_t *out,
                                       uint32_t count) {
  __shared__ uint32_t shared[64];
  uint32_t local[4];
  uint32_t i = threadIdx.x;
  uint32_t x = in[i];
  if (i < 64)
    shared[i] = i;
  for (uint32_t k = 0; k != 4; ++k)
    local[k] = x + k;
  __syncthreads();
  const uint32_t *p = x % 5 == 0   ? constants
                      : x % 5 == 1 ? shared + (x & 31)
                      : x % 5 == 2 ? local
                      : x % 5 == 3 ? globals
                                   : in;
  out[i] = sumOf(p, 4);
  uint32_t kind = __isGlobal(p) | __isShared(p) << 1 | __isLocal(p) << 2 |
                  __isConstant(p) << 3;
  out[count + i] = kind;
  uint64_t fromShared = __cvta_generic_to_shared(shared + (x & 31));
  auto back =
      static_cast<const uint32_t *>(__cvta_shared_to_generic(fromShared));
  out[2 * count + i] = *back;
  uint32_t viaShared, viaLocal, viaConst;
  asm volatile("ld.shared.u32 %0, [%1];"
               : "=r"(viaShared)
               : "r"(uint32_t(fromShared)));
  asm volatile("{.reg .u64 a; cvta.to.local.u64 a, %1; ld.local.u32 %0, [a+4];}"
               : "=r"(viaLocal)
               : "l"(local));
  asm volatile("{.reg .u64 a; cvta.to.const.u64 a, %1; ld.const.u32 %0, [a+8];}"
               : "=r"(viaConst)
               : "l"(constants));
  out[3 * count + i] = viaShared + viaLocal * 3 + viaConst;
}

// Static and dynamic shared memory side by side; bytes of one as words.
extern __shared__ uint4 dynamic[];
extern "C" __global__ void mem_shared(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t tile[8][33];
  __shared__ uint8_t bytes[256];
  __shared__ double2 pairs[16];
  uint32_t x = threadIdx.x, y = threadIdx.y;
  uint32_t i = blockIdx.x * 256 + y * 32 + x;
  auto words = reinterpret_cast<uint32_t *>(dynamic);
  tile[y][x] = in[i];
  bytes[y * 32 + x] = in[i] >> 8;
  words[(y * 32 + x) ^ 5] = ~in[i];
  if (y == 0 && x < 16)
    pairs[x] = make_double2(x * 0.5, -int(x));
  __syncthreads();
  uint32_t v = tile[x & 7][(x >> 3) | y << 2];
  v += reinterpret_cast<uint32_t *>(bytes)[(x + y * 8) & 63];
  v ^= dynamic[(x + y) & 63].z;
  double2 d = pairs[(x + y) & 15];
  out[i] = v + int(d.x * 2 + d.y);
  __syncthreads();
  reinterpret_cast<uint16_t *>(words)[y * 32 + x] = v;
  reinterpret_cast<uint16_t *>(words)[256 + y * 32 + x] = v >> 16;
  __syncthreads();
  out[gridDim.x * 256 + i] = words[y * 32 + x];
}

struct __attribute__((packed)) Packed {
  uint8_t tag;
  uint32_t word;
  uint16_t half;
  double value;
};

// Accesses of packed structs: nvcc makes bytes of them.
extern "C" __global__ void mem_packed(const Packed *in, Packed *out) {
  uint32_t i = threadIdx.x;
  Packed p = in[i ^ 1];
  p.word = p.word * 3 + p.tag;
  p.half = ~p.half;
  p.tag += 1;
  out[i] = p;
  uint8_t *bytes = reinterpret_cast<uint8_t *>(out + blockDim.x);
  memcpy(bytes + i * 15 + 1, reinterpret_cast<const uint8_t *>(in) + i * 15,
         13);
  bytes[i * 15] = bytes[i * 15 + 14] = 0xee;
}

struct Inner {
  uint8_t a;
  uint64_t b;
  uint16_t c[3];
};
struct Arguments {
  uint32_t first;
  Inner inner[2];
  double last;
};

extern "C" __global__ void mem_arguments(uint8_t a, int16_t b, Arguments s,
                                         float c, uint64_t *out, bool d,
                                         double e, uint4 f, int8_t g,
                                         const __grid_constant__ Arguments t) {
  uint32_t i = threadIdx.x;
  const Inner &inner = s.inner[i & 1];
  uint64_t v = a + b + s.first + inner.b + inner.c[i % 3] + inner.a * 7;
  v += uint64_t(c * 2) + (d ? 1000000 : 0) + uint64_t(e * 4) + f.x + f.w + g;
  v += uint64_t(s.last) * 3;
  const Arguments *p = &t;
  v ^= p->inner[(i >> 1) & 1].b << (i & 7);
  v += t.inner[i & 1].c[2];
  out[i] = v;
}

// Volatile and vectorised accesses of shared memory in inline PTX.
extern "C" __global__ void mem_shared_ptx(const uint4 *in, uint4 *out) {
  __shared__ alignas(16) uint8_t space[2048];
  uint32_t i = threadIdx.x;
  uint32_t base = uint32_t(__cvta_generic_to_shared(space)) + i * 16;
  uint4 v = in[i];
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(base), "r"(v.x),
               "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
  __syncwarp();
  uint32_t other = base ^ 16;
  uint32_t a, b, c, d;
  asm volatile("{.reg .b16 s, t; .reg .b64 l; ld.volatile.shared.u8 %0, [%4]; "
               "ld.shared.s16 %1, [%4+2]; ld.shared.v2.u32 {%2, %3}, [%4+8]; "
               "ld.shared.v2.u16 {s, t}, [%4+4]; mov.b32 %2, {t, s}; "
               "ld.shared.b64 l, [%4+8]; cvt.u32.u64 %3, l;}"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(other)
               : "memory");
  out[i] = make_uint4(a, b, c, d);
}
