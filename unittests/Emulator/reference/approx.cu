//===- approx.cu - Reference kernels: approximate functions ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

#define F1(op) ROW(op, PTX1(op, float, "f", "f", x))
#define F2(op) ROW(op, PTX2(op, float, "f", "f", x, "f", y))

KERNEL3(approx_f32, float, uint32_t) {
  ROWS;
  F1("ex2.approx.f32");
  F1("ex2.approx.ftz.f32");
  F1("rcp.approx.f32");
  F1("rcp.approx.ftz.f32");
  F1("rsqrt.approx.f32");
  F1("rsqrt.approx.ftz.f32");
  F1("sqrt.approx.f32");
  F1("sqrt.approx.ftz.f32");
  F2("div.approx.f32");
  F2("div.approx.ftz.f32");
  F2("div.full.f32");
  F2("div.full.ftz.f32");
  CPP(__expf(x));
  CPP(__fdividef(x, y));
  CPP(rsqrtf(x));
}

// Their error is absolute near 1, and relative elsewhere.
KERNEL1(approx_log, float, uint32_t) {
  ROWS;
  F1("lg2.approx.f32");
  F1("lg2.approx.ftz.f32");
  CPP(__logf(x));
  CPP(__log10f(x));
}

KERNEL1(approx_tanh, float, uint32_t) {
  ROWS;
  F1("tanh.approx.f32");
}

// Their error is absolute, and specified near zero.
KERNEL1(approx_trig, float, uint32_t) {
  ROWS;
  F1("sin.approx.f32");
  F1("cos.approx.f32");
  F1("sin.approx.ftz.f32");
  F1("cos.approx.ftz.f32");
  CPP(__sinf(x));
  CPP(__cosf(x));
}

#define D1(op) ROW(op, PTX1(op, double, "d", "d", x))

KERNEL1(approx_f64, double, uint64_t) {
  ROWS;
  D1("rcp.approx.ftz.f64");
  D1("rsqrt.approx.f64");
  D1("rsqrt.approx.ftz.f64");
  CPP(rsqrt(x));
}

#define H1(op) ROW(op, PTX1(op, uint16_t, "h", "h", x))

KERNEL1(approx_f16, uint16_t, uint16_t) {
  ROWS;
  H1("ex2.approx.f16");
  H1("tanh.approx.f16");
  ROW("ex2.approx.f16x2", ({
        uint32_t r;
        asm("ex2.approx.f16x2 %0, %1;" : "=r"(r) : "r"(x << 16 | 0x3c00));
        r >> 16;
      }));
  ROW("tanh.approx.f16x2", ({
        uint32_t r;
        asm("tanh.approx.f16x2 %0, %1;" : "=r"(r) : "r"(x << 16 | 0x3c00));
        r >> 16;
      }));
}

KERNEL1(approx_bf16, uint16_t, uint16_t) {
  ROWS;
  H1("ex2.approx.ftz.bf16");
  H1("tanh.approx.bf16");
  ROW("ex2.approx.ftz.bf16x2", ({
        uint32_t r;
        asm("ex2.approx.ftz.bf16x2 %0, %1;" : "=r"(r) : "r"(x << 16 | 0x3f80));
        r >> 16;
      }));
  ROW("tanh.approx.bf16x2", ({
        uint32_t r;
        asm("tanh.approx.bf16x2 %0, %1;" : "=r"(r) : "r"(x << 16 | 0x3f80));
        r >> 16;
      }));
}

// The library's functions: long sequences of integer and floating-point code
// around the approximations, with branches and local tables.
KERNEL3(math_f32, float, uint32_t) {
  ROWS;
  CPP(expf(x));
  CPP(exp2f(x));
  CPP(expm1f(x));
  CPP(logf(x));
  CPP(log1pf(x));
  CPP(log10f(x));
  CPP(sinf(x));
  CPP(cosf(x));
  CPP(tanf(x));
  CPP(atanf(x));
  CPP(atan2f(x, y));
  CPP(asinf(x));
  CPP(tanhf(x));
  CPP(sinhf(x));
  CPP(powf(x, y));
  CPP(erff(x));
  CPP(erfcf(x));
  CPP(tgammaf(x));
  CPP(cbrtf(x));
  CPP(hypotf(x, y));
  CPP(normcdff(x));
}

KERNEL3(math_f64, double, uint64_t) {
  ROWS;
  CPP(exp(x));
  CPP(log(x));
  CPP(sin(x));
  CPP(cos(x));
  CPP(atan2(x, y));
  CPP(tanh(x));
  CPP(pow(x, y));
  CPP(erf(x));
  CPP(cbrt(x));
}
