//===- ModuleProblemsTest.cpp - The problems of an MLIR module ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/ModuleProblems.h"
#include "TunerTestUtils.h"

using namespace tcgemm;

namespace {

/// The problem of a generated module is the one from which it was generated.
TEST(ModuleProblems, GeneratedKernelsAreReadBack) {
  for (const char *text :
       {"bf16 tn bf16 none",
        "f16 nt f32 none",
        "bf16 nn bf16 bias",
        "f16 tt f16 rowbias",
        "bf16 tn bf16 bias_gelu",
        "bf16 tn bf16 bias_gelutanh",
        "f16 nn f32 bias_silu",
        "bf16 tn bf16 bias_relu_residual",
        "f16 tt f32 residual_silu",
        "bf16 tn bf16 bias_silu_gate",
        "f16 nn f16 gate alpha beta",
        "bf16 tn bf16 none alpha beta",
        "bf16 nt f16 bias alpha beta batched",
        "f16 tn f16 rowbias_residual beta",
        "e4m3 tn bf16 scale_scale",
        "e4m3 tn bf16 rowscale_colscale_bias",
        "s8 tn s8 scale",
        "e4m3 tn bf16 none scales_a scales_b",
        "e4m3xe5m2 tn f32 bias scales_b",
        "bf16 tn bf16 none reduce=row-max",
        "bf16 nn f32 bias_relu batched reduce=amax_column-sum_row-sumsq",
        "e4m3 tn e4m3 gelu_scale reduce=amax",
        "s8 tn s32 none reduce=row-min",
        "bf16 tn bf16 none dual=silu-mul",
        "f16 tt f32 bias_residual batched dual=relu-mul",
        "bf16 nn bf16 bias_gelu dual=mul",
        "e4m3 tn bf16 none dual=add reduce=amax",
        "bf16 tn bf16 gelu band_a=lower",
        "bf16 nt f32 none batched band_a=unit-upper band_b=band:3:5:zeros"}) {
    TuningProblem problem{unwrap(KernelSpec::parse(text)), {64, 72, 96, 1}, ""};
    problem.sizes.batch = problem.kernel.isBatched ? 3 : 1;
    problem.kernel.isStatic = true;
    ModuleProblems found =
        unwrap(extractProblems(problem.getSource(), "f.mlir", {}));
    ASSERT_EQ(found.problems.size(), 1u) << text;
    EXPECT_EQ(found.problems[0].kernel.str(), text);
    EXPECT_EQ(found.problems[0].sizes.str(), problem.sizes.str());
    EXPECT_EQ(found.problems[0].tag, "main_0");
    EXPECT_TRUE(found.notes.empty()) << found.notes[0];
  }
}

TEST(ModuleProblems, ComplexProductsAreReal) {
  ModuleProblems found = unwrap(extractProblems(R"(
    func.func @f(%a: tensor<64x96xcomplex<f16>>, %b: tensor<96x72xcomplex<f16>>,
                 %c: tensor<64x72xcomplex<f16>>)
        -> tensor<64x72xcomplex<f16>> {
      %0 = linalg.matmul
          ins(%a, %b : tensor<64x96xcomplex<f16>>, tensor<96x72xcomplex<f16>>)
          outs(%c : tensor<64x72xcomplex<f16>>) -> tensor<64x72xcomplex<f16>>
      return %0 : tensor<64x72xcomplex<f16>>
    })",
                                                "f.mlir", {}));
  // B's representation, and the product with it.
  ASSERT_EQ(found.problems.size(), 2u);
  EXPECT_EQ(found.problems[1].kernel.str(), "f16 tt f16 residual");
  EXPECT_EQ(found.problems[1].sizes.str(), "64x144x192");
}

TEST(ModuleProblems, OpenSizesAreAskedFor) {
  TuningProblem problem = makeProblem(64, 72, 96);
  std::string source = problem.getSource();
  std::string error = getError(extractProblems(source, "f.mlir", {}));
  EXPECT_EQ(error.substr(0, 7), "f.mlir:");
  EXPECT_NE(error.find(": kernel 'main_0': its size M is not known before run "
                       "time: give sizes by --m"),
            std::string::npos)
      << error;
  ModuleProblemOptions options;
  options.m = {16, 32};
  options.n = {8};
  EXPECT_NE(getError(extractProblems(source, "f.mlir", options))
                .find("give sizes by --k"),
            std::string::npos);
  options.k = {64};
  options.isStatic = true;
  auto problems = unwrap(extractProblems(source, "f.mlir", options)).problems;
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].str(), "bf16 tn bf16 none static 16x8x64");
  EXPECT_EQ(problems[1].str(), "bf16 tn bf16 none static 32x8x64");
}

/// Records have sizes from 1 on, so that no other problem may get one.
TEST(ModuleProblems, EmptyProductsAreLeftOut) {
  auto getSource = [](const std::string &m, const std::string &k) {
    std::string a = "tensor<" + m + "x" + k + "xf16>",
                b = "tensor<" + k + "x72xf16>", d = "tensor<" + m + "x72xf32>";
    return "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + d + ") -> " + d +
           " {\n%0 = linalg.matmul ins(%a, %b : " + a + ", " + b +
           ") outs(%c : " + d + ") -> " + d + "\nreturn %0 : " + d + "\n}";
  };
  for (auto [m, k] : {std::pair("0", "96"), {"64", "0"}})
    EXPECT_NE(getError(extractProblems(getSource(m, k), "f.mlir", {}))
                  .find("kernel 'f_0': one of its sizes is 0, and sizes from 1 "
                        "on are tuned; it is left out"),
              std::string::npos);
  EXPECT_EQ(unwrap(extractProblems(getSource("64", "96"), "f.mlir", {}))
                .problems.size(),
            1u);
}

TEST(ModuleProblems, ASharedMatrixIsNoted) {
  auto [problems, notes] = unwrap(extractProblems(R"(
func.func @f(%a: tensor<64x32xbf16>, %b: tensor<3x32x48xbf16>,
             %c: tensor<3x64x48xf32>) -> tensor<3x64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<3x64x48xf32>)
    -> tensor<3x64x48xf32>
  %d = linalg.generic {
    indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>,
                     affine_map<(b, m, n, k) -> (b, k, n)>,
                     affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<64x32xbf16>, tensor<3x32x48xbf16>)
    outs(%z : tensor<3x64x48xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<3x64x48xf32>
  return %d : tensor<3x64x48xf32>
})",
                                                  "f.mlir", {}));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].str(), "bf16 tt f32 none batched 3x64x48x32");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(
      notes[0].find("kernel 'f_0': a matrix of it is shared by the batch"),
      std::string::npos);
}

TEST(ModuleProblems, WhatIsNoModuleIsRefused) {
  EXPECT_NE(getError(extractProblems("func.func @f(", "f.mlir", {}))
                .find("f.mlir:1:"),
            std::string::npos);
  EXPECT_EQ(
      getError(extractProblems("func.func @f() { return }", "f.mlir", {})),
      "f.mlir: no operation of it becomes a kernel; `tcgemm-opt "
      "--tcgemm-raise` says why");
}

} // namespace
