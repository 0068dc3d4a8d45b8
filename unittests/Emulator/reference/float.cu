//===- float.cu - Reference kernels: f32 and f64 --------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#define F1(op) ROW(op, PTX1(op, float, "f", "f", x))
#define F2(op) ROW(op, PTX2(op, float, "f", "f", x, "f", y))
#define F3(op) ROW(op, PTX3(op, float, "f", "f", x, "f", y, "f", z))

KERNEL3(f32_arith, float, uint32_t) {
  ROWS;
  EACH_ROUNDING(F2, "add", ".f32");
  EACH_ROUNDING(F2, "add", ".ftz.f32");
  EACH_ROUNDING(F2, "add", ".sat.f32");
  EACH_ROUNDING(F2, "sub", ".f32");
  EACH_ROUNDING(F2, "sub", ".ftz.f32");
  F2("sub.rn.ftz.sat.f32");
  EACH_ROUNDING(F2, "mul", ".f32");
  EACH_ROUNDING(F2, "mul", ".ftz.f32");
  EACH_ROUNDING(F2, "mul", ".sat.f32");
  EACH_ROUNDING(F3, "fma", ".f32");
  EACH_ROUNDING(F3, "fma", ".ftz.f32");
  EACH_ROUNDING(F3, "fma", ".sat.f32");
  F3("fma.rn.ftz.sat.f32");
  F3("mad.rn.f32");
}

KERNEL3(f32_divide, float, uint32_t) {
  ROWS;
  EACH_ROUNDING(F2, "div", ".f32");
  EACH_ROUNDING(F2, "div", ".ftz.f32");
  EACH_ROUNDING(F1, "sqrt", ".f32");
  EACH_ROUNDING(F1, "sqrt", ".ftz.f32");
  EACH_ROUNDING(F1, "rcp", ".f32");
  EACH_ROUNDING(F1, "rcp", ".ftz.f32");
  CPP(x / y);
  CPP(sqrtf(x));
  CPP(1.0f / x);
  CPP(__fdiv_rn(x, z));
  CPP(__frcp_rz(y));
  CPP(__fsqrt_ru(z));
}

#define TEST(bit, kind, type, c)                                               \
  asm("{.reg .pred p; testp." kind "." type " p, %1; @p or.b32 %0, %0, %2;}"   \
      : "+r"(r_)                                                               \
      : c(x), "n"(1 << bit))
#define TESTP_ROW(type, c)                                                     \
  ROW("testp finite infinite number notanumber normal subnormal ." type, ({    \
        uint32_t r_ = 0;                                                       \
        TEST(0, "finite", type, c);                                            \
        TEST(1, "infinite", type, c);                                          \
        TEST(2, "number", type, c);                                            \
        TEST(3, "notanumber", type, c);                                        \
        TEST(4, "normal", type, c);                                            \
        TEST(5, "subnormal", type, c);                                         \
        r_;                                                                    \
      }))

KERNEL3(f32_misc, float, uint32_t) {
  ROWS;
  F2("min.f32");
  F2("max.f32");
  F2("min.ftz.f32");
  F2("max.ftz.f32");
  F2("min.NaN.f32");
  F2("max.NaN.f32");
  F2("min.ftz.NaN.f32");
  F2("max.ftz.NaN.f32");
  F2("min.xorsign.abs.f32");
  F2("max.xorsign.abs.f32");
  F2("min.NaN.xorsign.abs.f32");
  F2("max.ftz.NaN.xorsign.abs.f32");
  F2("copysign.f32");
  F1("abs.f32");
  F1("abs.ftz.f32");
  F1("neg.f32");
  F1("neg.ftz.f32");
  TESTP_ROW("f32", "f");
  ROW("slct.f32.s32",
      PTX3("slct.f32.s32", float, "f", "f", x, "f", y, "r", __float_as_int(z)));
  ROW("slct.f32.f32", PTX3("slct.f32.f32", float, "f", "f", x, "f", y, "f", z));
  ROW("slct.ftz.f32.f32",
      PTX3("slct.ftz.f32.f32", float, "f", "f", x, "f", y, "f", z));
  CPP(x + y);
  CPP(x * y + z);
  CPP(fmaf(x, y, z));
  CPP(fabsf(x));
  CPP(-x);
  CPP(fminf(x, y));
  CPP(fmaxf(x, y));
  CPP(copysignf(x, y));
  CPP(floorf(x));
  CPP(ceilf(x));
  CPP(truncf(x));
  CPP(rintf(x));
  CPP(roundf(x));
  CPP(fmodf(x, 3.0f));
  CPP(__saturatef(x));
  CPP(isnan(x));
  CPP(isinf(x));
  CPP(signbit(x) != 0);
  CPP(x == x ? y : z);
  CPP(ldexpf(y, int(i) - 60));
  CPP(fdimf(x, y));
  CPP(nextafterf(x, y));
}

#define SETP(bit, cmp, type, c)                                                \
  asm("{.reg .pred p; setp." cmp "." type " p, %1, %2; @p or.b32 %0, %0, %3;}" \
      : "+r"(r_)                                                               \
      : c(x), c(y), "n"(1 << bit))
#define SETP_ROW(type, c)                                                      \
  ROW("setp eq ne lt le gt ge equ neu ltu leu gtu geu num nan ." type, ({      \
        uint32_t r_ = 0;                                                       \
        SETP(0, "eq", type, c);                                                \
        SETP(1, "ne", type, c);                                                \
        SETP(2, "lt", type, c);                                                \
        SETP(3, "le", type, c);                                                \
        SETP(4, "gt", type, c);                                                \
        SETP(5, "ge", type, c);                                                \
        SETP(6, "equ", type, c);                                               \
        SETP(7, "neu", type, c);                                               \
        SETP(8, "ltu", type, c);                                               \
        SETP(9, "leu", type, c);                                               \
        SETP(10, "gtu", type, c);                                              \
        SETP(11, "geu", type, c);                                              \
        SETP(12, "num", type, c);                                              \
        SETP(13, "nan", type, c);                                              \
        r_;                                                                    \
      }))
#define SETP_BOOL(cmp, boolOp, type, c)                                        \
  ROW("setp." cmp "." boolOp "." type, ({                                      \
        uint32_t r_ = 0;                                                       \
        asm("{.reg .pred p, q, s; setp.ne.u32 s, %3, 0; "                      \
            "setp." cmp "." boolOp "." type " p|q, %1, %2, s; "                \
            "@p or.b32 %0, %0, 1; @q or.b32 %0, %0, 2;}"                       \
            : "+r"(r_)                                                         \
            : c(x), c(y), "r"(i & 1));                                         \
        r_;                                                                    \
      }))
#define SET(op, c) ROW(op, PTX2(op, uint32_t, "r", c, x, c, y))
#define SETF(op, c) ROW(op, PTX2(op, float, "f", c, x, c, y))

KERNEL3(f32_compare, float, uint32_t) {
  ROWS;
  SETP_ROW("f32", "f");
  // Subnormals are zero.
#undef SETP
#define SETP(bit, cmp, type, c)                                                \
  asm("{.reg .pred p; setp." cmp ".ftz." type                                  \
      " p, %1, %2; @p or.b32 %0, %0, %3;}"                                     \
      : "+r"(r_)                                                               \
      : c(x), c(y), "n"(1 << bit))
  SETP_ROW("f32", "f");
  SETP_BOOL("lt", "and", "f32", "f");
  SETP_BOOL("geu", "or", "f32", "f");
  SETP_BOOL("neu", "xor", "f32", "f");
  SET("set.lt.u32.f32", "f");
  SET("set.geu.ftz.u32.f32", "f");
  SET("set.nan.s32.f32", "f");
  SETF("set.gtu.f32.f32", "f");
  SETF("set.num.ftz.f32.f32", "f");
  CPP(x < y);
  CPP(!(x < y));
  CPP(x <= y && y != z);
  CPP(x != x || y != y);
  ROW("selp.f32", ({
        float r;
        asm("{.reg .pred p; setp.gtu.f32 p, %1, %2; selp.f32 %0, %1, %2, p;}"
            : "=f"(r)
            : "f"(x), "f"(z));
        r;
      }));
}

#define D1(op) ROW(op, PTX1(op, double, "d", "d", x))
#define D2(op) ROW(op, PTX2(op, double, "d", "d", x, "d", y))
#define D3(op) ROW(op, PTX3(op, double, "d", "d", x, "d", y, "d", z))

KERNEL3(f64_arith, double, uint64_t) {
  ROWS;
  EACH_ROUNDING(D2, "add", ".f64");
  EACH_ROUNDING(D2, "sub", ".f64");
  EACH_ROUNDING(D2, "mul", ".f64");
  EACH_ROUNDING(D3, "fma", ".f64");
  EACH_ROUNDING(D2, "div", ".f64");
  EACH_ROUNDING(D1, "sqrt", ".f64");
  EACH_ROUNDING(D1, "rcp", ".f64");
  D3("mad.rn.f64");
}

KERNEL3(f64_misc, double, uint64_t) {
  ROWS;
  D2("min.f64");
  D2("max.f64");
  D2("copysign.f64");
  D1("abs.f64");
  D1("neg.f64");
  TESTP_ROW("f64", "d");
#undef SETP
#define SETP(bit, cmp, type, c)                                                \
  asm("{.reg .pred p; setp." cmp "." type " p, %1, %2; @p or.b32 %0, %0, %3;}" \
      : "+r"(r_)                                                               \
      : c(x), c(y), "n"(1 << bit))
  SETP_ROW("f64", "d");
  SETP_BOOL("lt", "and", "f64", "d");
  SETP_BOOL("equ", "xor", "f64", "d");
  SET("set.leu.u32.f64", "d");
  ROW("slct.f64.s32", PTX3("slct.f64.s32", double, "d", "d", x, "d", y, "r",
                           int(__double_as_longlong(z))));
  CPP(x + y * z);
  CPP(x / y);
  CPP(floor(x));
  CPP(ceil(x));
  CPP(trunc(x));
  CPP(rint(x));
  CPP(round(x));
  CPP(fmin(x, y));
  CPP(copysign(x, y));
  CPP(isnan(x));
  CPP(fmod(x, 3.0));
  CPP(x < y ? x : z);
  CPP(__double2hiint(x) ^ __double2loint(y));
  CPP(__hiloint2double(__double2loint(x), __double2hiint(y)));
}
