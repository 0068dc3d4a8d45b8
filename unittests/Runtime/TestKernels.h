//===- TestKernels.h - Kernels for the runtime's tests ----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Manifests that are built in code.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_RUNTIME_TESTKERNELS_H
#define TCGEMM_UNITTESTS_RUNTIME_TESTKERNELS_H

#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

/// D = A·B with bf16 operands and result, K contiguous, sizes free: a variant
/// for K a multiple of 8 (with a workspace and a second step), and a general
/// one. The function `main` takes A, B and D.
inline KernelPack makeTestPack() {
  auto expr = [](const char *text) {
    return llvm::cantFail(Expr::parse(text));
  };
  KernelInfo kernel;
  kernel.name = "gemm";
  kernel.operands = {
      {"A", OperandUse::A, ScalarType::BF16, {Dim::M, Dim::K}},
      {"B", OperandUse::B, ScalarType::BF16, {Dim::N, Dim::K}},
      {"out0", OperandUse::Output, ScalarType::BF16, {Dim::M, Dim::N}}};
  kernel.epilogue.ops = {{"argument", ScalarType::F32},
                         {"arith.truncf", ScalarType::BF16, {0}}};
  kernel.epilogue.yields = {1};
  Variant aligned;
  aligned.name = "aligned";
  aligned.guard = expr("K % 8 == 0 && A.stride0 % 8 == 0");
  aligned.workspace = expr("M * N * 4");
  Step step;
  step.module = "mod";
  step.symbol = "gemm_main";
  step.grid = {expr("ceildiv(M, 128)"), expr("min(N, sm_count)"), Expr(1)};
  step.block = {256, 1, 1};
  step.sharedMemory = 4096;
  step.arguments = {Argument::pointer("A"), Argument::pointer("out0"),
                    Argument::i32(expr("M")), Argument::i64(expr("A.stride0")),
                    Argument::workspace(expr("M * 4"))};
  aligned.steps = {step};
  step.symbol = "gemm_reduce";
  step.when = expr("K > 100");
  step.arguments.clear();
  aligned.steps.push_back(step);
  Variant general = aligned;
  general.name = "general";
  general.guard = 1;
  general.workspace = 0;
  general.steps.resize(1);
  general.steps[0].symbol = "gemm_general";
  general.steps[0].arguments.pop_back();
  kernel.variants = {aligned, general};

  FunctionInfo function;
  function.name = "main";
  std::vector<std::optional<int64_t>> any(2);
  function.arguments = {{ScalarType::BF16, any, AccessKind::Read},
                        {ScalarType::BF16, any, AccessKind::Read},
                        {ScalarType::BF16, any, AccessKind::Write}};
  function.launches = {LaunchInfo{"gemm", {"arg0", "arg1", "arg2"}}};
  KernelPack pack;
  pack.manifest.modules.resize(1);
  pack.manifest.modules[0].name = "mod";
  pack.manifest.modules[0].chip = "sm_90";
  pack.manifest.modules[0].ptx = "mod.ptx";
  pack.manifest.kernels = {kernel};
  pack.manifest.functions = {function};
  pack.images.resize(1);
  return pack;
}

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_RUNTIME_TESTKERNELS_H
