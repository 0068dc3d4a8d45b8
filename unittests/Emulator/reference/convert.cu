//===- convert.cu - Reference kernels: cvt --------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#define EACH_INT(M, ...)                                                       \
  M("u8", __VA_ARGS__);                                                        \
  M("s8", __VA_ARGS__);                                                        \
  M("u16", __VA_ARGS__);                                                       \
  M("s16", __VA_ARGS__);                                                       \
  M("u32", __VA_ARGS__);                                                       \
  M("s32", __VA_ARGS__);                                                       \
  M("u64", __VA_ARGS__);                                                       \
  M("s64", __VA_ARGS__)

// Sources and results are in 64-bit registers: sources are cut to their type,
// results extended to the register.
#define LL(op) ROW(op, PTX1(op, uint64_t, "l", "l", x))
#define INT_TO_INT(from, to) LL("cvt." to "." from)
#define SAT(to, from) LL("cvt.sat." to "." from)

KERNEL1(cvt_int_int, uint64_t, uint64_t) {
  ROWS;
  EACH_INT(INT_TO_INT, "u8");
  EACH_INT(INT_TO_INT, "s8");
  EACH_INT(INT_TO_INT, "u16");
  EACH_INT(INT_TO_INT, "s16");
  EACH_INT(INT_TO_INT, "u32");
  EACH_INT(INT_TO_INT, "s32");
  EACH_INT(INT_TO_INT, "u64");
  EACH_INT(INT_TO_INT, "s64");
  // .sat is there where it makes a difference.
  SAT("u8", "s8");
  SAT("u8", "u16");
  SAT("u8", "s16");
  SAT("u8", "u32");
  SAT("u8", "s32");
  SAT("u8", "u64");
  SAT("u8", "s64");
  SAT("s8", "u8");
  SAT("s8", "u16");
  SAT("s8", "s16");
  SAT("s8", "u32");
  SAT("s8", "s32");
  SAT("s8", "u64");
  SAT("s8", "s64");
  SAT("u16", "s8");
  SAT("u16", "s16");
  SAT("u16", "u32");
  SAT("u16", "s32");
  SAT("u16", "u64");
  SAT("u16", "s64");
  SAT("s16", "u16");
  SAT("s16", "u32");
  SAT("s16", "s32");
  SAT("s16", "u64");
  SAT("s16", "s64");
  SAT("u32", "s8");
  SAT("u32", "s16");
  SAT("u32", "s32");
  SAT("u32", "u64");
  SAT("u32", "s64");
  SAT("s32", "u32");
  SAT("s32", "u64");
  SAT("s32", "s64");
  SAT("u64", "s8");
  SAT("u64", "s16");
  SAT("u64", "s32");
  SAT("u64", "s64");
  SAT("s64", "u64");
}

// Registers of the natural width.
KERNEL1(cvt_int_narrow, uint64_t, uint64_t) {
  ROWS;
  uint32_t w = x;
  uint16_t h = x;
#define WW(op) ROW(op, PTX1(op, uint32_t, "r", "r", w))
#define HW(op) ROW(op, PTX1(op, uint16_t, "h", "r", w))
#define WH(op) ROW(op, PTX1(op, uint32_t, "r", "h", h))
#define LW(op) ROW(op, PTX1(op, uint64_t, "l", "r", w))
#define WL(op) ROW(op, PTX1(op, uint32_t, "r", "l", x))
  WW("cvt.u32.u32");
  WW("cvt.sat.s8.s32");
  WW("cvt.s32.s8");
  WW("cvt.u16.u32");
  HW("cvt.u16.u32");
  HW("cvt.sat.s16.s32");
  HW("cvt.u8.u32");
  HW("cvt.s8.s32");
  WH("cvt.s32.s16");
  WH("cvt.u32.u16");
  WH("cvt.u32.u8");
  WH("cvt.s32.s8");
  LW("cvt.s64.s32");
  LW("cvt.u64.u32");
  LW("cvt.s64.s8");
  WL("cvt.u32.u64");
  WL("cvt.sat.s32.s64");
  CPP(int64_t(int(w)));
  CPP(uint64_t(w));
  CPP(int64_t(int8_t(w)));
  CPP(uint32_t(uint8_t(x)));
  CPP(int(int16_t(x)));
  CPP(uint64_t(uint16_t(w)) << 3);
}

#define INT_TO_F16(from) EACH_ROUNDING(LH, "cvt", ".f16." from)
#define INT_TO_F32(from) EACH_ROUNDING(LF, "cvt", ".f32." from)
#define INT_TO_F64(from) EACH_ROUNDING(LD, "cvt", ".f64." from)
#define LH(op) ROW(op, PTX1(op, uint16_t, "h", "l", x))
#define LF(op) ROW(op, PTX1(op, float, "f", "l", x))
#define LD(op) ROW(op, PTX1(op, double, "d", "l", x))
#define INT_TO_NARROW(from, dummy)                                             \
  INT_TO_F16(from);                                                            \
  INT_TO_F32(from)
#define INT_TO_WIDE(from, dummy) INT_TO_F64(from)

KERNEL1(cvt_int_float, uint64_t, uint32_t) {
  ROWS;
  EACH_INT(INT_TO_NARROW, 0);
  // With bf16, registers are as wide as the type, and bytes are not there.
  uint32_t w = x;
  uint16_t h = x;
#define LB(op) ROW(op, PTX1(op, uint16_t, "h", "l", x))
#define WB(op) ROW(op, PTX1(op, uint16_t, "h", "r", w))
#define HB(op) ROW(op, PTX1(op, uint16_t, "h", "h", h))
  EACH_ROUNDING(HB, "cvt", ".bf16.u16");
  EACH_ROUNDING(HB, "cvt", ".bf16.s16");
  EACH_ROUNDING(WB, "cvt", ".bf16.u32");
  EACH_ROUNDING(WB, "cvt", ".bf16.s32");
  EACH_ROUNDING(LB, "cvt", ".bf16.u64");
  EACH_ROUNDING(LB, "cvt", ".bf16.s64");
  LF("cvt.rn.sat.f32.s32");
  LF("cvt.rz.sat.f32.u64");
  LH("cvt.rn.sat.f16.s64");
  CPP(float(int(x)));
  CPP(float(uint32_t(x)));
  CPP(float(int64_t(x)));
  CPP(float(int8_t(x)));
  CPP(__uint2float_rz(x));
  CPP(__ll2float_ru(x));
}

KERNEL1(cvt_int_double, uint64_t, uint64_t) {
  ROWS;
  EACH_INT(INT_TO_WIDE, 0);
  LD("cvt.rp.sat.f64.s64");
  CPP(double(int(x)));
  CPP(double(x));
  CPP(__ll2double_rd(x));
}

// Results in 64-bit registers again.
#define FL(op) ROW(op, PTX1(op, uint64_t, "l", "f", x))
#define DL(op) ROW(op, PTX1(op, uint64_t, "l", "d", x))
#define HL(op) ROW(op, PTX1(op, uint64_t, "l", "h", x))
#define F32_TO_INT(to, dummy)                                                  \
  EACH_INT_ROUNDING(FL, "cvt", "." to ".f32");                                 \
  FL("cvt.rpi.ftz." to ".f32")
#define F64_TO_INT(to, dummy) EACH_INT_ROUNDING(DL, "cvt", "." to ".f64")
#define F16_TO_INT(to, dummy) EACH_INT_ROUNDING(HL, "cvt", "." to ".f16")

KERNEL1(cvt_f32_int, float, uint64_t) {
  ROWS;
  EACH_INT(F32_TO_INT, 0);
  FL("cvt.rzi.sat.u8.f32");
  CPP(int(x));
  CPP(uint32_t(x));
  CPP((long long)(x));
  CPP((unsigned long long)(x));
  CPP(__float2int_ru(x));
  CPP(lrintf(x));
  CPP(int(int8_t(int(x))));
}

KERNEL1(cvt_f64_int, double, uint64_t) {
  ROWS;
  EACH_INT(F64_TO_INT, 0);
  CPP(int(x));
  CPP((long long)(x));
  CPP(__double2uint_rn(x));
}

KERNEL1(cvt_f16_int, uint16_t, uint64_t) {
  ROWS;
  EACH_INT(F16_TO_INT, 0);
}

KERNEL1(cvt_bf16_int, uint16_t, uint64_t) {
  ROWS;
#define BW(op) ROW(op, PTX1(op, uint32_t, "r", "h", x))
#define BH(op) ROW(op, PTX1(op, uint16_t, "h", "h", x))
  EACH_INT_ROUNDING(BH, "cvt", ".u16.bf16");
  EACH_INT_ROUNDING(BH, "cvt", ".s16.bf16");
  EACH_INT_ROUNDING(BW, "cvt", ".u32.bf16");
  EACH_INT_ROUNDING(BW, "cvt", ".s32.bf16");
  EACH_INT_ROUNDING(HL, "cvt", ".u64.bf16");
  EACH_INT_ROUNDING(HL, "cvt", ".s64.bf16");
}

#define FF(op) ROW(op, PTX1(op, float, "f", "f", x))
#define FH(op) ROW(op, PTX1(op, uint16_t, "h", "f", x))
#define FD(op) ROW(op, PTX1(op, double, "d", "f", x))
#define FF2(op) ROW(op, PTX2(op, uint32_t, "r", "f", x, "f", y))

KERNEL3(cvt_f32_float, float, uint32_t) {
  ROWS;
  EACH_ROUNDING(FH, "cvt", ".f16.f32");
  FH("cvt.rn.ftz.f16.f32");
  FH("cvt.rn.sat.f16.f32");
  FH("cvt.rn.relu.f16.f32");
  FH("cvt.rz.relu.f16.f32");
  FH("cvt.rn.satfinite.f16.f32");
  FH("cvt.rz.relu.satfinite.f16.f32");
  EACH_ROUNDING(FH, "cvt", ".bf16.f32");
  FH("cvt.rn.relu.bf16.f32");
  FH("cvt.rz.relu.bf16.f32");
  FH("cvt.rn.satfinite.bf16.f32");
  FH("cvt.rn.relu.satfinite.bf16.f32");
  FF2("cvt.rn.f16x2.f32");
  FF2("cvt.rz.f16x2.f32");
  FF2("cvt.rn.relu.f16x2.f32");
  FF2("cvt.rz.satfinite.f16x2.f32");
  FF2("cvt.rn.bf16x2.f32");
  FF2("cvt.rz.bf16x2.f32");
  FF2("cvt.rz.relu.bf16x2.f32");
  FF2("cvt.rn.relu.satfinite.bf16x2.f32");
  EACH_INT_ROUNDING(FF, "cvt", ".f32.f32");
  EACH_INT_ROUNDING(FF, "cvt", ".ftz.f32.f32");
  FF("cvt.sat.f32.f32");
  FF("cvt.ftz.sat.f32.f32");
  FF("cvt.rni.sat.f32.f32");
  CPP(__float2half_rn(x));
  CPP(__float2bfloat16_rn(x));
  CPP(__floats2bfloat162_rn(x, y));
  CPP(__half2float(__float2half_rd(x)));
}

#define FW(op) ROW(op, PTX1(op, uint32_t, "r", "f", x))

KERNEL1(cvt_f32_tf32, float, uint32_t) {
  ROWS;
  FW("cvt.rna.tf32.f32");
  FW("cvt.rn.tf32.f32");
  FW("cvt.rz.tf32.f32");
  FW("cvt.rn.relu.tf32.f32");
  FW("cvt.rz.relu.tf32.f32");
  FW("cvt.rna.satfinite.tf32.f32");
}

KERNEL1(cvt_f32_f64, float, uint64_t) {
  ROWS;
  FD("cvt.f64.f32");
  FD("cvt.ftz.f64.f32");
  FD("cvt.sat.f64.f32");
  CPP(double(x));
}

#define DF(op) ROW(op, PTX1(op, float, "f", "d", x))
#define DH(op) ROW(op, PTX1(op, uint16_t, "h", "d", x))
#define DD(op) ROW(op, PTX1(op, double, "d", "d", x))

KERNEL1(cvt_f64_f32, double, uint32_t) {
  ROWS;
  EACH_ROUNDING(DF, "cvt", ".f32.f64");
  EACH_ROUNDING(DF, "cvt", ".ftz.f32.f64");
  DF("cvt.rn.sat.f32.f64");
  CPP(float(x));
}

KERNEL1(cvt_f64_f16, double, uint16_t) {
  ROWS;
  EACH_ROUNDING(DH, "cvt", ".f16.f64");
  CPP(__double2half(x));
}

KERNEL1(cvt_f64_bf16, double, uint16_t) {
  ROWS;
  EACH_ROUNDING(DH, "cvt", ".bf16.f64");
}

KERNEL1(cvt_f64_f64, double, uint64_t) {
  ROWS;
  EACH_INT_ROUNDING(DD, "cvt", ".f64.f64");
  DD("cvt.sat.f64.f64");
}

#define HF(op) ROW(op, PTX1(op, float, "f", "h", x))
#define HH(op) ROW(op, PTX1(op, uint16_t, "h", "h", x))
#define HD(op) ROW(op, PTX1(op, double, "d", "h", x))

KERNEL1(cvt_half_float, uint16_t, uint32_t) {
  ROWS;
  HF("cvt.f32.f16");
  HF("cvt.ftz.f32.f16");
  HF("cvt.sat.f32.f16");
  HF("cvt.f32.bf16");
  EACH_INT_ROUNDING(HH, "cvt", ".f16.f16");
  HH("cvt.sat.f16.f16");
  EACH_INT_ROUNDING(HH, "cvt", ".bf16.bf16");
  EACH_ROUNDING(HH, "cvt", ".f16.bf16");
  EACH_ROUNDING(HH, "cvt", ".bf16.f16");
  CPP(__half2float(__ushort_as_half(x)));
  CPP(__bfloat162float(__ushort_as_bfloat16(x)));
}

KERNEL1(cvt_half_f64, uint16_t, uint64_t) {
  ROWS;
  HD("cvt.f64.f16");
  HD("cvt.f64.bf16");
}

#define FE(op) ROW(op, PTX2(op, uint16_t, "h", "f", x, "f", y))
#define WE(op) ROW(op, PTX1(op, uint16_t, "h", "r", pair))
#define EW(op) ROW(op, PTX1(op, uint32_t, "r", "h", packed))

KERNEL3(cvt_fp8, float, uint32_t) {
  ROWS;
  FE("cvt.rn.satfinite.e4m3x2.f32");
  FE("cvt.rn.satfinite.e5m2x2.f32");
  FE("cvt.rn.satfinite.relu.e4m3x2.f32");
  FE("cvt.rn.satfinite.relu.e5m2x2.f32");
  // The inputs' upper halves are f16 of every kind.
  uint32_t pair = __byte_perm(__float_as_uint(x), __float_as_uint(y), 0x7632);
  WE("cvt.rn.satfinite.e4m3x2.f16x2");
  WE("cvt.rn.satfinite.e5m2x2.f16x2");
  WE("cvt.rn.satfinite.relu.e4m3x2.f16x2");
  WE("cvt.rn.satfinite.relu.e5m2x2.f16x2");
  // 256 elements have every value.
  uint16_t packed = (i & 255) | (255 - (i & 255)) << 8;
  EW("cvt.rn.f16x2.e4m3x2");
  EW("cvt.rn.f16x2.e5m2x2");
  EW("cvt.rn.relu.f16x2.e4m3x2");
  EW("cvt.rn.relu.f16x2.e5m2x2");
}
