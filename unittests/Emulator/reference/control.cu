//===- control.cu - Reference kernels: branches, loops and calls ----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

extern "C" __global__ void ctl_nested(const int *in, int *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int x = in[i], r = 0;
  if (x & 1) {
    r += 1;
    if (x & 2) {
      r += 10;
      if (x & 4)
        r += __popc(__activemask()) * 100;
      else
        r -= x;
    } else if (x & 8) {
      r = r * x + 3;
    }
    r ^= 0x55;
  } else {
    if (!(x & 16)) {
      out[i] = -1;
      return;
    }
    r = x >> 3;
  }
  out[i] = r;
}

// Trip counts that differ between lanes; break, continue, return in a loop.
extern "C" __global__ void ctl_loops(const uint32_t *in, uint32_t *out,
                                     uint32_t count) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t x = in[i] & 0xffff, steps = 0, peak = 0;
  // Collatz.
  for (uint32_t v = x + 1; v != 1; ++steps) {
    if (v > peak)
      peak = v;
    if (steps == 300)
      break;
    if (v & 1) {
      v = v * 3 + 1;
      continue;
    }
    v >>= 1;
  }
  out[i] = steps;
  out[count + i] = peak;
  uint32_t sum = 0;
  for (uint32_t a = 0; a != (x & 15); ++a)
    for (uint32_t b = a; b < (x >> 4 & 15); ++b) {
      if ((a * b + x) % 7 == 3)
        break;
      sum += a * b + 1;
      if (sum > 900) {
        out[2 * count + i] = sum + 0x10000;
        return;
      }
    }
  uint32_t n = x;
  do {
    sum += n & 3;
    n >>= 2;
  } while (n && sum % 5);
  out[2 * count + i] = sum;
}

extern "C" __global__ void ctl_switch(const uint32_t *in, uint32_t *out,
                                      uint32_t count) {
  uint32_t i = threadIdx.x;
  uint32_t x = in[i], r = 0;
  // Dense: a jump table.
  switch (x % 13) {
  case 0:
    r = x + 1;
    break;
  case 1:
    r = x * 3;
    break;
  case 2:
    r = __popc(x);
    [[fallthrough]];
  case 3:
    r ^= x << 2;
    break;
  case 4:
    r = __brev(x);
    break;
  case 5:
    r = x / 5;
    break;
  case 6:
    r = ~x;
    break;
  case 7:
    r = x * x;
    break;
  case 8:
    for (uint32_t k = 0; k < (x & 7); ++k)
      r += in[(i + k) & 63];
    break;
  case 9:
    out[i] = 0xabcd;
    out[count + i] = 1;
    return;
  case 10:
    r = __clz(x);
    break;
  case 11:
    r = x - 77;
    break;
  default:
    r = 5;
  }
  out[i] = r;
  // Sparse: a tree of comparisons.
  switch (x & 1023) {
  case 1:
  case 100:
    r = 2;
    break;
  case 515:
    r = 3;
    break;
  case 900 ... 1020:
    r = 4;
    break;
  default:
    break;
  }
  out[count + i] = r;
}

// A small machine: a loop around a switch of many cases.
extern "C" __global__ void ctl_machine(const uint32_t *program, uint32_t *out) {
  uint32_t i = threadIdx.x;
  uint32_t x = i + 1, y = i * 77;
  for (uint32_t at = i & 15, step = 0; step != 50; ++step) {
    uint32_t code = program[at];
    switch (code & 31) {
    case 0:
      x = x + y;
      out[1 * 64 + i] = x;
      break;
    case 1:
      x = x - y;
      out[2 * 64 + i] = x;
      break;
    case 2:
      x = x * y;
      out[3 * 64 + i] = x;
      break;
    case 3:
      x = x ^ y;
      out[4 * 64 + i] = x;
      break;
    case 4:
      x = x & y;
      out[5 * 64 + i] = x;
      break;
    case 5:
      x = x | y;
      out[6 * 64 + i] = x;
      break;
    case 6:
      x = x / (y | 1);
      out[7 * 64 + i] = x;
      break;
    case 7:
      x = x << (y & 7);
      out[8 * 64 + i] = x;
      break;
    case 8:
      x = x >> (y & 7);
      out[9 * 64 + i] = x;
      break;
    case 9:
      x = ~x;
      out[10 * 64 + i] = x;
      break;
    case 10:
      x = y;
      out[11 * 64 + i] = x;
      break;
    case 11:
      x = x * x;
      out[12 * 64 + i] = x;
      break;
    case 12:
      x = __popc(x) + y;
      out[13 * 64 + i] = x;
      break;
    case 13:
      x = __clz(x) - y;
      out[14 * 64 + i] = x;
      break;
    case 14:
      x = x % (y | 3);
      out[15 * 64 + i] = x;
      break;
    case 15:
      x = x + 2 * y;
      out[16 * 64 + i] = x;
      break;
    case 16:
      x = x - 3 * y;
      out[17 * 64 + i] = x;
      break;
    case 17:
      x = y * y - x;
      out[18 * 64 + i] = x;
      break;
    case 18:
      x = x * 5;
      out[19 * 64 + i] = x;
      break;
    case 19:
      x = max(x, y);
      out[20 * 64 + i] = x;
      break;
    case 20:
      x = min(x, y);
      out[21 * 64 + i] = x;
      break;
    case 21:
      x = __brev(x);
      out[22 * 64 + i] = x;
      break;
    case 22:
      at = x & 31;
      break;
    case 23:
      y = x;
      break;
    default:
      if (x & 1)
        at = (at + 3) & 63;
      y += x;
    }
    at = (at + 1) & 63;
  }
  out[i] = x ^ y;
}

// A jump table in PTX, with the branch uniform and not.
extern "C" __global__ void ctl_brx(const uint32_t *in, uint32_t *out) {
  uint32_t i = threadIdx.x;
  uint32_t r = 0;
  asm volatile("{\n"
               "  .reg .pred p;\n"
               "  setp.gt.u32 p, %1, 2;\n"
               "  table: .branchtargets L0, L1, L2;\n"
               "  @p bra L3;\n"
               "  brx.idx %1, table;\n"
               "L0: mov.u32 %0, 111; bra.uni L4;\n"
               "L1: mov.u32 %0, 222; bra.uni L4;\n"
               "L2: mov.u32 %0, 333;\n"
               "L3: add.u32 %0, %0, 5;\n"
               "L4:\n"
               "}"
               : "+r"(r)
               : "r"(in[i] & 3));
  out[i] = r;
}

__device__ __noinline__ uint32_t ackermann(uint32_t m, uint32_t n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ uint32_t isOdd(uint32_t n);
__device__ __noinline__ uint32_t isEven(uint32_t n) {
  return n == 0 ? 1 : isOdd(n - 1);
}
__device__ __noinline__ uint32_t isOdd(uint32_t n) {
  return n == 0 ? 0 : isEven(n - 1);
}

struct Vector {
  float x, y, z;
  uint8_t tag;
};
__device__ __noinline__ Vector combine(Vector a, Vector b, float scale) {
  return {a.x + b.x * scale, a.y - b.y * scale, a.z * b.z,
          uint8_t(a.tag + b.tag)};
}
__device__ __noinline__ void swap(uint32_t &a, uint32_t &b) {
  uint32_t t = a;
  a = b;
  b = t;
}
__device__ __noinline__ int8_t narrow(int8_t a, uint16_t b, bool c, double d) {
  return c ? a - b : a + int(d);
}
__device__ __noinline__ uint64_t fibonacci(uint32_t n) {
  uint64_t memo[2] = {0, 1};
  for (uint32_t k = 0; k != n; ++k)
    memo[k & 1] += memo[~k & 1];
  return n < 2 ? n : fibonacci(n - 2) + memo[n & 1];
}

extern "C" __global__ void ctl_calls(const uint32_t *in, uint32_t *out,
                                     uint32_t count) {
  uint32_t i = threadIdx.x;
  uint32_t x = in[i];
  out[i] = ackermann(x & 1, (x >> 4) % 5) + ackermann(2, (x >> 8) % 3);
  out[count + i] = isEven(x % 23);
  Vector a{float(x & 15), 2.0f, 3.0f, uint8_t(x)};
  Vector b{1.0f, float(x >> 28), -0.5f, 200};
  Vector c = combine(a, b, 0.25f);
  if (x & 32)
    c = combine(c, a, 2.0f);
  out[2 * count + i] = __float_as_uint(c.x + c.y) ^ __float_as_uint(c.z);
  out[3 * count + i] = c.tag;
  uint32_t u = x, v = ~x;
  if (x & 64)
    swap(u, v);
  out[4 * count + i] = u - v * 3;
  out[5 * count + i] = narrow(int8_t(x), uint16_t(x >> 8), x & 128, x * 0.001);
  out[6 * count + i] = uint32_t(fibonacci(x % 30));
}

using Function = uint32_t (*)(uint32_t, uint32_t);
__device__ __noinline__ uint32_t fAdd(uint32_t a, uint32_t b) { return a + b; }
__device__ __noinline__ uint32_t fXor(uint32_t a, uint32_t b) { return a ^ b; }
__device__ __noinline__ uint32_t fMix(uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k != (a & 7); ++k)
    b = b * 5 + a;
  return b;
}
__device__ Function functions[3] = {fAdd, fXor, fMix};

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual uint32_t corners() const { return 0; }
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
  __device__ uint32_t corners() const override { return 4; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

extern "C" __global__ void ctl_pointers(const uint32_t *in, uint32_t *out,
                                        uint32_t count) {
  uint32_t i = threadIdx.x;
  uint32_t x = in[i];
  out[i] = functions[x % 3](x, i);
  Function f = x & 1 ? fAdd : fMix;
  out[count + i] = f(i, x);
  Square square(float(x & 7));
  Circle circle(0.5f + (x & 3));
  const Shape *shape = x & 16 ? static_cast<const Shape *>(&square) : &circle;
  out[2 * count + i] = __float_as_uint(shape->area());
  out[3 * count + i] = shape->corners();
}

// Threads that leave early, before barriers of the rest of their block.
extern "C" __global__ void ctl_exit(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t sum[96];
  uint32_t i = threadIdx.x;
  uint32_t x = in[blockIdx.x * 128 + i];
  if (i >= 96)
    return;
  sum[i] = x;
  __syncthreads();
  uint32_t r = sum[(i + 37) % 96];
  if (x & 1) {
    out[blockIdx.x * 96 + i] = r;
    return;
  }
  uint32_t lanes = __activemask();
  for (uint32_t k = 0; k != 40 && (r & 3); ++k) {
    r = r * 5 + (r >> 7);
    if (r % 11 == 0)
      asm volatile(
          "st.global.u32 [%0], 77; exit;" ::"l"(out + blockIdx.x * 96 + i)
          : "memory");
  }
  out[blockIdx.x * 96 + i] = r + __popc(lanes);
}

// The state after a divergent part is whole again: lanes exchange values.
extern "C" __global__ void ctl_reconverge(const uint32_t *in, uint32_t *out,
                                          uint32_t count) {
  uint32_t i = threadIdx.x;
  uint32_t x = in[i], total = 0;
  for (uint32_t round = 0; round != 4; ++round) {
    uint32_t v = x >> (round * 4);
    if (v & 1)
      for (uint32_t k = 0; k != (v & 7); ++k)
        total += k * v;
    else if (v & 2)
      total ^= v;
    __syncwarp();
    total += __shfl_xor_sync(0xffffffff, total, 1 << round);
    if (__any_sync(0xffffffff, (total & 31) == 7))
      total += 1;
  }
  out[i] = total;
  out[count + i] = __ballot_sync(0xffffffff, total & 1);
}
