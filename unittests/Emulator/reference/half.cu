//===- half.cu - Reference kernels: f16, bf16 and their pairs -------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

// The inputs are pairs; the scalar instructions take the lower halves.
#define H1(op) ROW(op, PTX1(op, uint16_t, "h", "h", hx))
#define H2(op) ROW(op, PTX2(op, uint16_t, "h", "h", hx, "h", hy))
#define H3(op) ROW(op, PTX3(op, uint16_t, "h", "h", hx, "h", hy, "h", hz))
#define P1(op) ROW(op, PTX1(op, uint32_t, "r", "r", x))
#define P2(op) ROW(op, PTX2(op, uint32_t, "r", "r", x, "r", y))
#define P3(op) ROW(op, PTX3(op, uint32_t, "r", "r", x, "r", y, "r", z))

KERNEL3(f16_arith, uint32_t, uint32_t) {
  ROWS;
  uint16_t hx = x, hy = y, hz = z;
  H2("add.f16");
  H2("add.rn.f16");
  H2("add.ftz.f16");
  H2("add.sat.f16");
  H2("sub.f16");
  H2("sub.rn.ftz.sat.f16");
  H2("mul.f16");
  H2("mul.rn.ftz.f16");
  H2("mul.sat.f16");
  H3("fma.rn.f16");
  H3("fma.rn.ftz.f16");
  H3("fma.rn.sat.f16");
  H3("fma.rn.relu.f16");
  H3("fma.rn.ftz.relu.f16");
  H1("neg.f16");
  H1("neg.ftz.f16");
  H1("abs.f16");
  H1("abs.ftz.f16");
  H2("min.f16");
  H2("max.f16");
  H2("min.ftz.f16");
  H2("min.NaN.f16");
  H2("max.ftz.NaN.f16");
  H2("min.xorsign.abs.f16");
  H2("max.NaN.xorsign.abs.f16");
  P2("add.f16x2");
  P2("add.rn.ftz.sat.f16x2");
  P2("sub.rn.f16x2");
  P2("mul.f16x2");
  P2("mul.rn.sat.f16x2");
  P3("fma.rn.f16x2");
  P3("fma.rn.ftz.sat.f16x2");
  P3("fma.rn.relu.f16x2");
  P1("neg.f16x2");
  P1("abs.ftz.f16x2");
  P2("min.f16x2");
  P2("max.NaN.f16x2");
  P2("max.ftz.xorsign.abs.f16x2");
}

KERNEL3(bf16_arith, uint32_t, uint32_t) {
  ROWS;
  uint16_t hx = x, hy = y, hz = z;
  H2("add.rn.bf16");
  H2("sub.rn.bf16");
  H2("mul.rn.bf16");
  H3("fma.rn.bf16");
  H3("fma.rn.relu.bf16");
  H1("neg.bf16");
  H1("abs.bf16");
  H2("min.bf16");
  H2("max.bf16");
  H2("min.NaN.bf16");
  H2("max.NaN.bf16");
  H2("min.xorsign.abs.bf16");
  H2("max.NaN.xorsign.abs.bf16");
  P2("add.rn.bf16x2");
  P2("sub.rn.bf16x2");
  P2("mul.rn.bf16x2");
  P3("fma.rn.bf16x2");
  P3("fma.rn.relu.bf16x2");
  P1("neg.bf16x2");
  P1("abs.bf16x2");
  P2("min.bf16x2");
  P2("max.NaN.bf16x2");
  P2("min.NaN.xorsign.abs.bf16x2");
}

#define SETP_ROW(type, c, a, b)                                                \
  ROW("setp eq ne lt le gt ge equ neu ltu leu gtu geu num nan ." type, ({      \
        uint32_t r_ = 0;                                                       \
        ONE(0, "eq", type, c, a, b);                                           \
        ONE(1, "ne", type, c, a, b);                                           \
        ONE(2, "lt", type, c, a, b);                                           \
        ONE(3, "le", type, c, a, b);                                           \
        ONE(4, "gt", type, c, a, b);                                           \
        ONE(5, "ge", type, c, a, b);                                           \
        ONE(6, "equ", type, c, a, b);                                          \
        ONE(7, "neu", type, c, a, b);                                          \
        ONE(8, "ltu", type, c, a, b);                                          \
        ONE(9, "leu", type, c, a, b);                                          \
        ONE(10, "gtu", type, c, a, b);                                         \
        ONE(11, "geu", type, c, a, b);                                         \
        ONE(12, "num", type, c, a, b);                                         \
        ONE(13, "nan", type, c, a, b);                                         \
        r_;                                                                    \
      }))
#define ONE(bit, cmp, type, c, a, b)                                           \
  asm("{.reg .pred p; setp." cmp "." type " p, %1, %2; @p or.b32 %0, %0, %3;}" \
      : "+r"(r_)                                                               \
      : c(a), c(b), "n"(1 << bit))

KERNEL3(half_compare, uint32_t, uint32_t) {
  ROWS;
  uint16_t hx = x, hy = y;
  SETP_ROW("f16", "h", hx, hy);
  SETP_ROW("bf16", "h", hx, hy);
  SETP_ROW("ftz.f16", "h", hx, hy);
#undef ONE
#define ONE(bit, cmp, type, c, a, b)                                           \
  asm("{.reg .pred p, q; setp." cmp "." type " p|q, %1, %2; "                  \
      "@p or.b32 %0, %0, %3; @q or.b32 %0, %0, %4;}"                           \
      : "+r"(r_)                                                               \
      : c(a), c(b), "n"(1 << bit), "n"(1 << (16 + bit)))
  SETP_ROW("f16x2", "r", x, y);
  SETP_ROW("bf16x2", "r", x, y);
#define SET2(op) ROW(op, PTX2(op, uint32_t, "r", "r", x, "r", y))
  SET2("set.lt.f16x2.f16x2");
  SET2("set.geu.ftz.f16x2.f16x2");
  SET2("set.gt.bf16x2.bf16x2");
  SET2("set.nan.u32.f16x2");
// ptxas takes the upper half of the result's 32-bit register for zero, which it
// is not: the result is packed by hand.
#define SET1(op)                                                               \
  ROW(op, ({                                                                   \
        uint32_t r_;                                                           \
        asm("{.reg .b16 t; " op " t, %1, %2; mov.b32 %0, {t, %2};}"            \
            : "=r"(r_)                                                         \
            : "h"(hx), "h"(hy));                                               \
        r_;                                                                    \
      }))
  SET1("set.lt.f16.f16");
  ROW("set.neu.u32.f16",
      PTX2("set.neu.u32.f16", uint32_t, "r", "h", hx, "h", hy));
  SET1("set.leu.bf16.bf16");
}

__device__ inline __half2 pair(uint32_t v) {
  return *reinterpret_cast<__half2 *>(&v);
}
__device__ inline __nv_bfloat162 bpair(uint32_t v) {
  return *reinterpret_cast<__nv_bfloat162 *>(&v);
}

// The headers' own functions.
KERNEL3(half_cpp, uint32_t, uint32_t) {
  ROWS;
  __half2 a = pair(x), b = pair(y), c = pair(z);
  __nv_bfloat162 p = bpair(x), q = bpair(y), r = bpair(z);
  CPP(__hadd2(a, b));
  CPP(__hadd2_rn(a, b));
  CPP(__hsub2(a, b));
  CPP(__hmul2_sat(a, b));
  CPP(__hfma2(a, b, c));
  CPP(__hfma2_relu(a, b, c));
  CPP(__hmax2(a, b));
  CPP(__hmin2_nan(a, b));
  CPP(__habs2(a));
  CPP(__hneg2(a));
  CPP(__lowhigh2highlow(a));
  CPP(__hgt2(a, b));
  CPP(__hleu2(a, b));
  CPP(__hisnan2(a));
  CPP(__hbne2(a, b));
  CPP(__hbltu2(a, b));
  CPP(__low2float(a) + __high2float(b));
  CPP(__floats2half2_rn(__low2float(a), __low2float(p)));
  CPP(a.x + b.y);
  CPP(a.x * b.x);
  CPP(a.x < b.x);
  CPP(hfloor(a.x));
  CPP(hrint(a.x));
  CPP(__half2int_rn(a.x));
  CPP(__half2ull_rz(a.x));
  CPP(__int2half_rn(int(x)));
  CPP(__hadd2(p, q));
  CPP(__hmul2(p, q));
  CPP(__hfma2(p, q, r));
  CPP(__hfma2_relu(p, q, r));
  CPP(__hmax2_nan(p, q));
  CPP(__hmin2(p, q));
  CPP(__habs2(p));
  CPP(__hgt2(p, q));
  CPP(__hbequ2(p, q));
  CPP(__low2float(p));
  CPP(p.x - q.y);
  CPP(hceil(p.x));
  CPP(__bfloat162int_rz(p.x));
  CPP(__float2bfloat16_rz(__low2float(a)));
  CPP(__float2bfloat16_rn(__low2float(a)));
}
