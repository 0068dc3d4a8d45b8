//===- integer.cu - Reference kernels: integer instructions ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#define I1(op) ROW(op, PTX1(op, uint32_t, "r", "r", x))
#define I2(op) ROW(op, PTX2(op, uint32_t, "r", "r", x, "r", y))
#define I3(op) ROW(op, PTX3(op, uint32_t, "r", "r", x, "r", y, "r", z))

KERNEL3(int_arith32, uint32_t, uint32_t) {
  ROWS;
  // Division by zero has no specified result.
  uint32_t d = y ? y : 7;
  int sx = x, sy = y, sz = z;
  CPP(x + y);
  CPP(x - y);
  CPP(x * y);
  CPP(-sx);
  CPP(~x);
  CPP(x & y);
  CPP(x | y);
  CPP(x ^ y);
  CPP(x / d);
  ROW("x rem d", x % d);
  CPP(abs(sx));
  CPP(min(sx, sy));
  CPP(max(sx, sy));
  CPP(min(x, y));
  CPP(max(x, y));
  CPP(__mulhi(sx, sy));
  CPP(__umulhi(x, y));
  CPP(__mul24(sx, sy));
  CPP(__umul24(x, y));
  CPP(__sad(sx, sy, z));
  CPP(__usad(x, y, z));
  CPP(__hadd(sx, sy));
  CPP(__rhadd(sx, sy));
  CPP(__uhadd(x, y));
  CPP(__urhadd(x, y));
  CPP(sx * sy + sz);
  CPP(sx / 7);
  CPP(x / 1000u);
  CPP(x == y);
  CPP(x < y);
  CPP(sx < sy);
  CPP(sx < 0 ? y : z);
  ROW("div.s32", PTX2("div.s32", int, "r", "r", x, "r", d));
  ROW("rem.s32", PTX2("rem.s32", int, "r", "r", x, "r", d));
  I1("cnot.b32");
  I1("abs.s32");
  I1("neg.s32");
  I2("add.sat.s32");
  I2("sub.sat.s32");
  I2("mul.hi.s32");
  I2("mul.hi.u32");
  I2("mul24.lo.s32");
  I2("mul24.hi.s32");
  I2("mul24.lo.u32");
  I2("mul24.hi.u32");
  I2("min.relu.s32");
  I2("max.relu.s32");
  I3("mad.lo.s32");
  I3("mad.hi.s32");
  I3("mad.hi.u32");
  I3("mad.hi.sat.s32");
  I3("mad24.lo.s32");
  I3("mad24.hi.s32");
  I3("mad24.lo.u32");
  I3("mad24.hi.u32");
  I3("mad24.hi.sat.s32");
  I3("sad.s32");
  I3("sad.u32");
}

#define L1(op) ROW(op, PTX1(op, uint64_t, "l", "l", x))
#define L2(op) ROW(op, PTX2(op, uint64_t, "l", "l", x, "l", y))
#define L3(op) ROW(op, PTX3(op, uint64_t, "l", "l", x, "l", y, "l", z))

KERNEL3(int_arith64, uint64_t, uint64_t) {
  ROWS;
  uint64_t d = y ? y : 7;
  int64_t sx = x, sy = y;
  uint32_t x32 = x, y32 = y;
  CPP(x + y);
  CPP(x - y);
  CPP(x * y);
  CPP(-sx);
  CPP(~x);
  CPP((x & y) | (x ^ z));
  CPP(x / d);
  ROW("x rem d", x % d);
  CPP(x / 1000000007u);
  CPP(llabs(sx));
  CPP(min(sx, sy));
  CPP(max(sx, sy));
  CPP(min(x, y));
  CPP(max(x, y));
  CPP(__mul64hi(sx, sy));
  CPP(__umul64hi(x, y));
  CPP(int64_t(int(x32)) * int(y32));
  CPP(uint64_t(x32) * y32);
  CPP(x * y + z);
  CPP(x < y);
  CPP(sx < sy);
  ROW("div.s64", PTX2("div.s64", uint64_t, "l", "l", x, "l", d));
  ROW("rem.s64", PTX2("rem.s64", uint64_t, "l", "l", x, "l", d));
  L1("cnot.b64");
  L1("abs.s64");
  L2("mul.hi.s64");
  L2("mul.hi.u64");
  L3("mad.hi.s64");
  L3("mad.hi.u64");
  L3("mad.lo.s64");
  L3("sad.s64");
  L3("sad.u64");
  ROW("mul.wide.s32", PTX2("mul.wide.s32", uint64_t, "l", "r", x32, "r", y32));
  ROW("mul.wide.u32", PTX2("mul.wide.u32", uint64_t, "l", "r", x32, "r", y32));
  ROW("mad.wide.s32",
      PTX3("mad.wide.s32", uint64_t, "l", "r", x32, "r", y32, "l", z));
  ROW("mad.wide.u32",
      PTX3("mad.wide.u32", uint64_t, "l", "r", x32, "r", y32, "l", z));
}

#define S1(op) ROW(op, PTX1(op, uint16_t, "h", "h", x))
#define S2(op) ROW(op, PTX2(op, uint16_t, "h", "h", x, "h", y))
#define S3(op) ROW(op, PTX3(op, uint16_t, "h", "h", x, "h", y, "h", z))
#define P2(op) ROW(op, PTX2(op, uint32_t, "r", "r", xx, "r", yy))

KERNEL3(int_arith16, uint16_t, uint32_t) {
  ROWS;
  uint16_t d = y ? y : 7;
  uint32_t n = y;
  uint32_t xx = x | uint32_t(z) << 16, yy = y | uint32_t(x) << 16;
  CPP(uint16_t(x + y));
  CPP(int16_t(x) * int16_t(y));
  CPP(int8_t(x) * int8_t(y));
  CPP(int8_t(x) + uint8_t(y));
  CPP(int16_t(x) / int16_t(d));
  S1("not.b16");
  S1("cnot.b16");
  S1("neg.s16");
  S1("abs.s16");
  S2("add.s16");
  S2("add.u16");
  S2("sub.s16");
  S2("mul.lo.s16");
  S2("mul.lo.u16");
  S2("mul.hi.s16");
  S2("mul.hi.u16");
  S3("mad.lo.s16");
  S3("mad.lo.u16");
  S3("mad.hi.s16");
  S3("mad.hi.u16");
  S3("sad.s16");
  S3("sad.u16");
  ROW("div.u16", PTX2("div.u16", uint16_t, "h", "h", x, "h", d));
  ROW("div.s16", PTX2("div.s16", uint16_t, "h", "h", x, "h", d));
  ROW("rem.u16", PTX2("rem.u16", uint16_t, "h", "h", x, "h", d));
  ROW("rem.s16", PTX2("rem.s16", uint16_t, "h", "h", x, "h", d));
  S2("min.s16");
  S2("max.s16");
  S2("min.u16");
  S2("max.u16");
  S2("and.b16");
  S2("or.b16");
  S2("xor.b16");
  ROW("shl.b16", PTX2("shl.b16", uint16_t, "h", "h", x, "r", n));
  ROW("shr.u16", PTX2("shr.u16", uint16_t, "h", "h", x, "r", n));
  ROW("shr.s16", PTX2("shr.s16", uint16_t, "h", "h", x, "r", n));
  ROW("shl.b16 small", PTX2("shl.b16", uint16_t, "h", "h", x, "r", n & 31));
  ROW("shr.s16 small", PTX2("shr.s16", uint16_t, "h", "h", x, "r", n & 31));
  ROW("mul.wide.s16", PTX2("mul.wide.s16", uint32_t, "r", "h", x, "h", y));
  ROW("mul.wide.u16", PTX2("mul.wide.u16", uint32_t, "r", "h", x, "h", y));
  ROW("mad.wide.s16",
      PTX3("mad.wide.s16", uint32_t, "r", "h", x, "h", y, "r", yy));
  ROW("mad.wide.u16",
      PTX3("mad.wide.u16", uint32_t, "r", "h", x, "h", y, "r", yy));
  P2("add.s16x2");
  P2("add.u16x2");
  P2("min.s16x2");
  P2("max.s16x2");
  P2("min.u16x2");
  P2("max.u16x2");
  P2("min.relu.s16x2");
  P2("max.relu.s16x2");
}

// The carry lives between instructions of one asm statement.
#define CHAIN(name, text)                                                      \
  ROW(name, ({                                                                 \
        uint32_t lo_, hi_;                                                     \
        asm("{" text "}"                                                       \
            : "=&r"(lo_), "=&r"(hi_)                                           \
            : "r"(x), "r"(y), "r"(z), "r"(w));                                 \
        lo_ | uint64_t(hi_) << 32;                                             \
      }))
#define CHAIN64(name, text)                                                    \
  ROW(name, ({                                                                 \
        uint64_t lo_, hi_;                                                     \
        asm("{" text "}"                                                       \
            : "=&l"(lo_), "=&l"(hi_)                                           \
            : "l"(lx), "l"(ly), "l"(lz));                                      \
        lo_ ^ (hi_ << 1 | hi_ >> 63);                                          \
      }))

KERNEL3(int_carry, uint32_t, uint64_t) {
  ROWS;
  uint32_t w = x ^ __brev(y);
  uint64_t lx = x | uint64_t(y) << 32, ly = y | uint64_t(z) << 32, lz = ~lx + y;
  CHAIN("add.cc addc", "add.cc.u32 %0, %2, %3; addc.u32 %1, %4, %5;");
  CHAIN("add.cc.s32 addc.s32", "add.cc.s32 %0, %2, %3; addc.s32 %1, %4, %5;");
  CHAIN("add.cc addc.cc addc",
        "add.cc.u32 %0, %2, %3; addc.cc.u32 %1, %4, %5; addc.u32 %1, %1, %3;");
  CHAIN("carry out", "add.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;");
  CHAIN("sub.cc subc", "sub.cc.u32 %0, %2, %3; subc.u32 %1, %4, %5;");
  CHAIN("sub.cc.s32 subc.s32", "sub.cc.s32 %0, %2, %3; subc.s32 %1, %4, %5;");
  CHAIN("sub.cc subc.cc subc",
        "sub.cc.u32 %0, %2, %3; subc.cc.u32 %1, %4, %5; subc.u32 %1, %1, %3;");
  CHAIN("borrow out", "sub.cc.u32 %0, %2, %3; subc.u32 %1, 0, 0;");
  CHAIN("mad.lo.cc madc.hi",
        "mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;");
  CHAIN("mad.hi.cc madc.lo",
        "mad.hi.cc.u32 %0, %2, %3, %4; madc.lo.u32 %1, %4, %5, %2;");
  CHAIN("mad.lo.cc.s32 madc.hi.s32",
        "mad.lo.cc.s32 %0, %2, %3, %4; madc.hi.s32 %1, %2, %3, %5;");
  CHAIN("madc.lo.cc", "add.cc.u32 %0, %2, %3; madc.lo.cc.u32 %0, %4, %5, %3; "
                      "madc.hi.cc.u32 %1, %4, %5, %2; addc.u32 %1, %1, 0;");
  CHAIN("addc keeps the carry",
        "add.cc.u32 %0, %2, %3; addc.u32 %1, %4, %5; addc.u32 %1, %1, %1;");
  CHAIN64("add.cc.u64", "add.cc.u64 %0, %2, %3; addc.u64 %1, %4, %2;");
  CHAIN64("sub.cc.u64", "sub.cc.u64 %0, %2, %3; subc.cc.u64 %1, %4, %2;");
  CHAIN64("add.cc.s64", "add.cc.s64 %0, %2, %3; addc.cc.s64 %1, %4, %2; "
                        "addc.s64 %1, %1, 0;");
  CHAIN64("mad.lo.cc.u64",
          "mad.lo.cc.u64 %0, %2, %3, %4; madc.hi.u64 %1, %2, %3, %4;");
  unsigned __int128 wide = lx, other = ly;
  wide = wide * lz + (other << 40) - lx;
  ROW("u128 low", uint64_t(wide));
  ROW("u128 high", uint64_t(wide >> 64));
  ROW("u128 shift", uint64_t(wide >> (z & 127)));
  CPP(wide < (other << 57));
}

KERNEL3(int_bits32, uint32_t, uint32_t) {
  ROWS;
  uint32_t pos = y & 63, len = z & 63, n = y & 127;
  int sx = x;
  CPP(__clz(sx));
  CPP(__popc(x));
  CPP(__brev(x));
  CPP(__ffs(sx));
  CPP(__byte_perm(x, y, z));
  CPP(__funnelshift_l(x, y, z));
  CPP(__funnelshift_lc(x, y, z));
  CPP(__funnelshift_r(x, y, z));
  CPP(__funnelshift_rc(x, y, z));
  CPP((x << (y & 31)) + (sx >> (z & 31)));
  CPP(__fns(x, y & 31, int(z & 15) - 7));
  CPP((x & y) ^ (~z | y));
  I1("clz.b32");
  I1("popc.b32");
  I1("brev.b32");
  I1("bfind.u32");
  I1("bfind.s32");
  I1("bfind.shiftamt.u32");
  I1("bfind.shiftamt.s32");
  I2("shl.b32");
  I2("shr.u32");
  I2("shr.s32");
  I2("shr.b32");
  ROW("shl.b32 small", PTX2("shl.b32", uint32_t, "r", "r", x, "r", n));
  ROW("shr.u32 small", PTX2("shr.u32", uint32_t, "r", "r", x, "r", n));
  ROW("shr.s32 small", PTX2("shr.s32", uint32_t, "r", "r", x, "r", n));
  I3("bfe.u32");
  I3("bfe.s32");
  ROW("bfe.u32 small",
      PTX3("bfe.u32", uint32_t, "r", "r", x, "r", pos, "r", len));
  ROW("bfe.s32 small",
      PTX3("bfe.s32", uint32_t, "r", "r", x, "r", pos, "r", len));
  ROW("bfi.b32", ({
        uint32_t r;
        asm("bfi.b32 %0, %1, %2, %3, %4;"
            : "=r"(r)
            : "r"(x), "r"(y), "r"(pos), "r"(len));
        r;
      }));
  ROW("bfi.b32 large", ({
        uint32_t r;
        asm("bfi.b32 %0, %1, %2, %3, %4;"
            : "=r"(r)
            : "r"(x), "r"(z), "r"(y), "r"(x ^ z));
        r;
      }));
  I3("prmt.b32");
  I3("prmt.b32.f4e");
  I3("prmt.b32.b4e");
  I3("prmt.b32.rc8");
  I3("prmt.b32.ecl");
  I3("prmt.b32.ecr");
  I3("prmt.b32.rc16");
  I3("shf.l.wrap.b32");
  I3("shf.l.clamp.b32");
  I3("shf.r.wrap.b32");
  I3("shf.r.clamp.b32");
  I2("bmsk.clamp.b32");
  I2("bmsk.wrap.b32");
  I2("szext.clamp.u32");
  I2("szext.clamp.s32");
  I2("szext.wrap.u32");
  I2("szext.wrap.s32");
#define LOP3(lut)                                                              \
  ROW("lop3 " lut, ({                                                          \
        uint32_t r;                                                            \
        asm("lop3.b32 %0, %1, %2, %3, " lut ";"                                \
            : "=r"(r)                                                          \
            : "r"(x), "r"(y), "r"(z));                                         \
        r;                                                                     \
      }))
  LOP3("0x80");
  LOP3("0xfe");
  LOP3("0x96");
  LOP3("0xca");
  LOP3("0xe8");
  LOP3("0x01");
  LOP3("0x72");
  LOP3("0x00");
  LOP3("0xff");
  LOP3("0x2d");
  ROW("lop3.or with predicate", ({
        uint32_t r;
        asm("{.reg .pred p, q; setp.gt.u32 q, %3, 99; "
            "lop3.or.b32 %0|p, %1, %2, %3, 0x90, q; "
            "@p xor.b32 %0, %0, 1;}"
            : "=r"(r)
            : "r"(x), "r"(y), "r"(z));
        r;
      }));
  CPP(__dp4a(sx, int(y), int(z)));
  CPP(__dp4a(x, y, z));
  CPP(__dp2a_lo(sx, int(y), int(z)));
  CPP(__dp2a_hi(sx, int(y), int(z)));
  CPP(__dp2a_lo(x, y, z));
  CPP(__dp2a_hi(x, y, z));
  I3("dp4a.s32.u32");
  I3("dp4a.u32.s32");
  I3("dp2a.lo.s32.u32");
  I3("dp2a.hi.u32.s32");
}

KERNEL3(int_bits64, uint64_t, uint64_t) {
  ROWS;
  uint32_t n = uint32_t(y), pos = y & 127, len = z & 127;
  CPP(__clzll(x));
  CPP(__popcll(x));
  CPP(__brevll(x));
  CPP(__ffsll(x));
#define W1(op) ROW(op, PTX1(op, uint32_t, "r", "l", x))
  W1("clz.b64");
  W1("popc.b64");
  L1("brev.b64");
  W1("bfind.u64");
  W1("bfind.s64");
  W1("bfind.shiftamt.u64");
  W1("bfind.shiftamt.s64");
  ROW("shl.b64", PTX2("shl.b64", uint64_t, "l", "l", x, "r", n));
  ROW("shr.u64", PTX2("shr.u64", uint64_t, "l", "l", x, "r", n));
  ROW("shr.s64", PTX2("shr.s64", uint64_t, "l", "l", x, "r", n));
  ROW("shl.b64 small", PTX2("shl.b64", uint64_t, "l", "l", x, "r", pos));
  ROW("shr.u64 small", PTX2("shr.u64", uint64_t, "l", "l", x, "r", pos));
  ROW("shr.s64 small", PTX2("shr.s64", uint64_t, "l", "l", x, "r", pos));
  ROW("bfe.u64", PTX3("bfe.u64", uint64_t, "l", "l", x, "r", pos, "r", len));
  ROW("bfe.s64", PTX3("bfe.s64", uint64_t, "l", "l", x, "r", pos, "r", len));
  ROW("bfi.b64", ({
        uint64_t r;
        asm("bfi.b64 %0, %1, %2, %3, %4;"
            : "=l"(r)
            : "l"(x), "l"(y), "r"(pos), "r"(len));
        r;
      }));
  L2("and.b64");
  L2("or.b64");
  L2("xor.b64");
  L1("not.b64");
  CPP((x << (y & 63)) + (int64_t(x) >> (z & 63)));
  ROW("mov unpack pack", ({
        uint64_t r;
        asm("{.reg .b32 lo, hi; .reg .b16 a, b, c, d; mov.b64 {lo, hi}, %1; "
            "mov.b32 {a, b}, lo; mov.b64 {_, hi}, %1; mov.b32 {c, d}, hi; "
            "mov.b64 %0, {d, a, c, b};}"
            : "=l"(r)
            : "l"(x));
        r;
      }));
}

// What nvcc makes of its packed integer intrinsics.
KERNEL3(int_simd, uint32_t, uint32_t) {
  ROWS;
  int sx = x, sy = y, sz = z;
  CPP(__vadd2(x, y));
  CPP(__vadd4(x, y));
  CPP(__vaddss2(x, y));
  CPP(__vaddus4(x, y));
  CPP(__vsub4(x, y));
  CPP(__vsubss4(x, y));
  CPP(__vavgu4(x, y));
  CPP(__vavgs2(x, y));
  CPP(__vcmpgts4(x, y));
  CPP(__vcmpltu2(x, y));
  CPP(__vmaxs2(x, y));
  CPP(__vmaxu4(x, y));
  CPP(__vmins4(x, y));
  CPP(__vneg2(x));
  CPP(__vseteq4(x, y));
  CPP(__viaddmax_s32(sx, sy, sz));
  CPP(__viaddmin_u32(x, y, z));
  CPP(__vimax3_s32(sx, sy, sz));
  CPP(__vimin3_u32(x, y, z));
  CPP(__vimax_s32_relu(sx, sy));
  CPP(__viaddmax_s16x2(x, y, z));
  CPP(__viaddmin_u16x2(x, y, z));
  CPP(__vimax3_s16x2(x, y, z));
  CPP(__viaddmax_s16x2_relu(x, y, z));
  bool high, low;
  uint32_t m = __vibmax_s16x2(x, y, &high, &low);
  ROW("__vibmax_s16x2", m ^ (high ? 0x80000000u : 0) ^ low);
}

// A bit for each comparison.
#define SETP(bit, cmp, type, c)                                                \
  asm("{.reg .pred p; setp." cmp "." type " p, %1, %2; @p or.b32 %0, %0, %3;}" \
      : "+r"(r_)                                                               \
      : c(x), c(y), "n"(1 << bit))
#define SETP_ROW(type, c)                                                      \
  ROW("setp eq ne lt le gt ge ." type, ({                                      \
        uint32_t r_ = 0;                                                       \
        SETP(0, "eq", type, c);                                                \
        SETP(1, "ne", type, c);                                                \
        SETP(2, "lt", type, c);                                                \
        SETP(3, "le", type, c);                                                \
        SETP(4, "gt", type, c);                                                \
        SETP(5, "ge", type, c);                                                \
        r_;                                                                    \
      }))
#define SETP_UNSIGNED(type, c)                                                 \
  ROW("setp eq ne lt le gt ge lo ls hi hs ." type, ({                          \
        uint32_t r_ = 0;                                                       \
        SETP(0, "eq", type, c);                                                \
        SETP(1, "ne", type, c);                                                \
        SETP(2, "lt", type, c);                                                \
        SETP(3, "le", type, c);                                                \
        SETP(4, "gt", type, c);                                                \
        SETP(5, "ge", type, c);                                                \
        SETP(6, "lo", type, c);                                                \
        SETP(7, "ls", type, c);                                                \
        SETP(8, "hi", type, c);                                                \
        SETP(9, "hs", type, c);                                                \
        r_;                                                                    \
      }))
#define SETP_BITS(type, c)                                                     \
  ROW("setp eq ne ." type, ({                                                  \
        uint32_t r_ = 0;                                                       \
        SETP(0, "eq", type, c);                                                \
        SETP(1, "ne", type, c);                                                \
        r_;                                                                    \
      }))
// Both predicates of a comparison that is combined with a third one.
#define SETP_BOOL(boolOp, type, c)                                             \
  ROW("setp.lt." boolOp "." type, ({                                           \
        uint32_t r_ = 0;                                                       \
        asm("{.reg .pred p, q, s; setp.ne.u32 s, %3, 0; "                      \
            "setp.lt." boolOp "." type " p|q, %1, %2, s; "                     \
            "@p or.b32 %0, %0, 1; @q or.b32 %0, %0, 2; "                       \
            "setp.ge." boolOp "." type " p|q, %1, %2, !s; "                    \
            "@p or.b32 %0, %0, 4; @q or.b32 %0, %0, 8;}"                       \
            : "+r"(r_)                                                         \
            : c(x), c(y), "r"(uint32_t(z) & 1));                               \
        r_;                                                                    \
      }))

KERNEL3(int_compare32, uint32_t, uint32_t) {
  ROWS;
  SETP_ROW("s32", "r");
  SETP_UNSIGNED("u32", "r");
  SETP_BITS("b32", "r");
  SETP_BOOL("and", "s32", "r");
  SETP_BOOL("or", "u32", "r");
  SETP_BOOL("xor", "s32", "r");
  I2("set.eq.u32.u32");
  I2("set.lt.u32.s32");
  I2("set.hi.u32.u32");
  I2("set.ge.s32.s32");
  I2("set.ne.f32.b32");
  I2("set.le.f32.s32");
  ROW("set.gt.and.u32.s32", ({
        uint32_t r;
        asm("{.reg .pred s; setp.ne.u32 s, %3, 0; "
            "set.gt.and.u32.s32 %0, %1, %2, !s;}"
            : "=r"(r)
            : "r"(x), "r"(y), "r"(z & 1));
        r;
      }));
  I3("slct.s32.s32");
  I3("slct.u32.s32");
  I3("slct.b32.s32");
  ROW("slct.b32.f32", PTX3("slct.b32.f32", uint32_t, "r", "r", x, "r", y, "f",
                           __uint_as_float(z)));
  ROW("slct.ftz.b32.f32", PTX3("slct.ftz.b32.f32", uint32_t, "r", "r", x, "r",
                               y, "f", __uint_as_float(z)));
  ROW("predicate logic", ({
        uint32_t r = 0;
        asm("{.reg .pred p, q, s, t; setp.lt.u32 p, %1, %2; "
            "setp.gt.s32 q, %1, %3; "
            "and.pred s, p, q; or.pred t, p, q; @s or.b32 %0, %0, 1; "
            "@t or.b32 %0, %0, 2; xor.pred s, p, t; not.pred t, q; "
            "@s or.b32 %0, %0, 4; @!t or.b32 %0, %0, 8; mov.pred s, t; "
            "@s or.b32 %0, %0, 16; selp.b32 %0, %0, %2, p;}"
            : "+r"(r)
            : "r"(x), "r"(y), "r"(z));
        r;
      }));
}

KERNEL3(int_compare64, uint64_t, uint64_t) {
  ROWS;
  SETP_ROW("s64", "l");
  SETP_UNSIGNED("u64", "l");
  SETP_BITS("b64", "l");
  SETP_BOOL("and", "u64", "l");
  SETP_BOOL("xor", "s64", "l");
  ROW("set.lt.u32.s64", PTX2("set.lt.u32.s64", uint32_t, "r", "l", x, "l", y));
  ROW("set.hs.u32.u64", PTX2("set.hs.u32.u64", uint32_t, "r", "l", x, "l", y));
  ROW("slct.s64.s32",
      PTX3("slct.s64.s32", uint64_t, "l", "l", x, "l", y, "r", int(z)));
  ROW("slct.u64.f32", PTX3("slct.u64.f32", uint64_t, "l", "l", x, "l", y, "f",
                           __uint_as_float(uint32_t(z))));
  ROW("selp.b64", ({
        uint64_t r;
        asm("{.reg .pred p; setp.gt.s64 p, %1, %2; selp.b64 %0, %1, %2, p;}"
            : "=l"(r)
            : "l"(x), "l"(z));
        r;
      }));
}

KERNEL3(int_compare16, uint16_t, uint32_t) {
  ROWS;
  SETP_ROW("s16", "h");
  SETP_UNSIGNED("u16", "h");
  SETP_BITS("b16", "h");
  SETP_BOOL("or", "s16", "h");
  ROW("set.lt.u32.s16", PTX2("set.lt.u32.s16", uint32_t, "r", "h", x, "h", y));
  ROW("set.lt.u32.u16", PTX2("set.lt.u32.u16", uint32_t, "r", "h", x, "h", y));
  ROW("slct.b16.s32", PTX3("slct.b16.s32", uint16_t, "h", "h", x, "h", y, "r",
                           int(int16_t(z))));
  ROW("selp.s16", ({
        uint16_t r;
        asm("{.reg .pred p; setp.gt.s16 p, %1, %2; selp.s16 %0, %1, %2, p;}"
            : "=h"(r)
            : "h"(x), "h"(z));
        r;
      }));
}
