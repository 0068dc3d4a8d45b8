//===- EmulatedKernels.h - PTX for tests of the emulated device -*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handwritten kernels, with a place in which a test inserts its fault.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_RUNTIME_EMULATEDKERNELS_H
#define TCGEMM_UNITTESTS_RUNTIME_EMULATEDKERNELS_H

#include "TestKernels.h"

namespace tcgemm {

/// `copy`: each thread of the block copies a word of x to y.
inline constexpr const char *kCopyPTX = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.b32 %r1, [%rd1];
  st.global.b32 [%rd2], %r1;
  ret;
}
)";

inline constexpr const char *kEndlessPTX = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry endless()
{
L:
  bra L;
}
)";

/// The general kernel of makeTestPack, a block of one thread for each element.
/// Addresses of the element's row of A, of B and of itself are in %rd6, %rd7
/// and %rd8 when `fault` runs, m and n in %r1 and %r2, the result in %h1.
inline std::string makeGemmPTX(const std::string &fault) {
  return R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry gemm_general(.param .u64 a, .param .u64 b, .param .u64 d,
  .param .u32 k, .param .u64 lda, .param .u64 ldb, .param .u64 ldd)
{
  .reg .pred %p<3>;
  .reg .b16 %h<4>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<12>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  cvt.u64.u32 %rd1, %r1;
  cvt.u64.u32 %rd2, %r2;
  ld.param.u64 %rd3, [lda];
  ld.param.u64 %rd4, [ldb];
  ld.param.u64 %rd5, [ldd];
  mul.lo.s64 %rd6, %rd1, %rd3;
  mul.lo.s64 %rd7, %rd2, %rd4;
  mul.lo.s64 %rd8, %rd1, %rd5;
  add.s64 %rd8, %rd8, %rd2;
  ld.param.u64 %rd3, [a];
  ld.param.u64 %rd4, [b];
  ld.param.u64 %rd5, [d];
  shl.b64 %rd6, %rd6, 1;
  shl.b64 %rd7, %rd7, 1;
  shl.b64 %rd8, %rd8, 1;
  add.s64 %rd6, %rd6, %rd3;
  add.s64 %rd7, %rd7, %rd4;
  add.s64 %rd8, %rd8, %rd5;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r3, 0;
  mov.b64 %rd9, %rd6;
  mov.b64 %rd10, %rd7;
  ld.param.u32 %r5, [k];
LOOP:
  setp.ge.s32 %p1, %r3, %r5;
  @%p1 bra DONE;
  ld.global.b16 %h1, [%rd9];
  ld.global.b16 %h2, [%rd10];
  cvt.u32.u16 %r4, %h1;
  shl.b32 %r4, %r4, 16;
  mov.b32 %f2, %r4;
  cvt.u32.u16 %r4, %h2;
  shl.b32 %r4, %r4, 16;
  mov.b32 %f3, %r4;
  fma.rn.f32 %f1, %f2, %f3, %f1;
  add.s64 %rd9, %rd9, 2;
  add.s64 %rd10, %rd10, 2;
  add.s32 %r3, %r3, 1;
  bra LOOP;
DONE:
  cvt.rn.bf16.f32 %h1, %f1;
)" + fault +
         R"(
  st.global.b16 [%rd8], %h1;
  ret;
}
)";
}

/// makeTestPack with that kernel in it.
inline KernelPack makeEmulatedPack(const std::string &fault = "") {
  KernelPack pack = makeTestPack();
  auto expr = [](const char *text) {
    return llvm::cantFail(Expr::parse(text));
  };
  Step &step = pack.manifest.kernels[0].variants[1].steps[0];
  step.grid = {expr("M"), expr("N"), Expr(1)};
  step.block = {1, 1, 1};
  step.sharedMemory = 0;
  step.arguments = {Argument::pointer("A"),
                    Argument::pointer("B"),
                    Argument::pointer("out0"),
                    Argument::i32(expr("K")),
                    Argument::i64(expr("A.stride0")),
                    Argument::i64(expr("B.stride0")),
                    Argument::i64(expr("out0.stride0"))};
  pack.images[0].ptx = makeGemmPTX(fault);
  return pack;
}

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_RUNTIME_EMULATEDKERNELS_H
