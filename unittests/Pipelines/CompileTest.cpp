//===- CompileTest.cpp - From MLIR text to a kernel pack --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/Compile.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tcgemm;

namespace {

constexpr char matmul[] = R"(
func.func @f(%a: tensor<?x64xbf16>, %b: tensor<64x?xbf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
})";

CompileOptions ptxOptions() {
  CompileOptions options;
  options.format = OutputFormat::PTX;
  return options;
}

TEST(Compile, GivesAPack) {
  Expected<KernelPack> pack = compileToPack(matmul, ptxOptions());
  ASSERT_TRUE(bool(pack)) << toString(pack.takeError());
  ASSERT_EQ(pack->images.size(), pack->manifest.modules.size());
  ASSERT_EQ(pack->images.size(), 1u);
  EXPECT_NE(pack->images[0].ptx.find(".target sm_90"), std::string::npos);
  EXPECT_TRUE(pack->images[0].cubin.empty());
  const KernelInfo *kernel = pack->manifest.findKernel("f_0");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->sizes[unsigned(Dim::K)], 64);
  EXPECT_FALSE(kernel->sizes[unsigned(Dim::M)]);
  EXPECT_FALSE(kernel->variants.empty());
  const FunctionInfo *function = pack->manifest.findFunction("f");
  ASSERT_TRUE(function);
  EXPECT_EQ(function->arguments.size(), 4u);
  EXPECT_EQ(function->launches.size(), 1u);
}

/// Text wins over the other options.
TEST(Compile, OptionsAsText) {
  CompileOptions options;
  options.mlirPipelineOptions =
      "format=ptx chip=sm_86 config=cta=64x64x32,warps=2x2x1,stages=2";
  Expected<KernelPack> pack = compileToPack(matmul, options);
  ASSERT_TRUE(bool(pack)) << toString(pack.takeError());
  EXPECT_EQ(pack->manifest.modules[0].chip, "sm_86");
  const KernelInfo *kernel = pack->manifest.findKernel("f_0");
  ASSERT_TRUE(kernel);
  EXPECT_NE(kernel->variants.back().config.find("stages = 2"),
            std::string::npos);
  options.mlirPipelineOptions = "no-such-option=1";
  EXPECT_NE(toString(compileToPack(matmul, options).takeError())
                .find("options of tcgemm-to-cubin 'no-such-option=1'"),
            std::string::npos);
}

TEST(Compile, TakesWhatTheFilterAccepts) {
  CompileOptions options = ptxOptions();
  options.filter = [](mlir::Operation *) { return true; };
  llvm::Expected<KernelPack> pack = compileToPack(matmul, options);
  ASSERT_TRUE(bool(pack)) << toString(pack.takeError());
  EXPECT_EQ(pack->manifest.kernels.size(), 1U);
  options.filter = [](mlir::Operation *) { return false; };
  std::string message = toString(compileToPack(matmul, options).takeError());
  EXPECT_NE(message.find("is not a launch of a kernel"), std::string::npos)
      << message;
}

TEST(Compile, RefusesDeepNesting) {
  std::string source = "module attributes {x.a = " + std::string(50000, '[') +
                       std::string(50000, ']') + "} {}";
  EXPECT_EQ(toString(compileToPack(source, ptxOptions()).takeError()),
            "<input>:1: error: brackets are nested more than 256 deep");
}

constexpr char mixed[] = R"(
func.func @foreign(%a: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func @product(%a: tensor<16x64xbf16>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<16x64xbf16>, tensor<64x16xbf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
})";

/// Functions that packs do not support are omitted; the others are in the pack.
TEST(Compile, LeavesFunctionsOut) {
  Expected<KernelPack> pack = compileToPack(mixed, ptxOptions());
  ASSERT_TRUE(bool(pack)) << toString(pack.takeError());
  EXPECT_TRUE(pack->manifest.findFunction("product"));
  EXPECT_FALSE(pack->manifest.findFunction("foreign"));
  ASSERT_EQ(pack->manifest.leftOut.size(), 1u);
  EXPECT_EQ(pack->manifest.leftOut[0].name, "foreign");
  EXPECT_NE(pack->manifest.leftOut[0].reason.find("function 'foreign': '"),
            std::string::npos);
}

TEST(Compile, TakesOneFunction) {
  Expected<KernelPack> pack = compileToPack(mixed, ptxOptions(), "product");
  ASSERT_TRUE(bool(pack)) << toString(pack.takeError());
  EXPECT_EQ(pack->manifest.functions.size(), 1u);
  EXPECT_TRUE(pack->manifest.leftOut.empty());
  auto message = [](StringRef function) {
    return toString(compileToPack(mixed, ptxOptions(), function).takeError());
  };
  EXPECT_NE(message("foreign").find("and a pack has nothing else"),
            std::string::npos);
  EXPECT_EQ(message("other"), "no function 'other' in the module; there are "
                              "foreign, product");
}

TEST(Compile, ErrorsCarryDiagnostics) {
  auto message = [](StringRef source,
                    const CompileOptions &options = ptxOptions()) {
    return toString(compileToPack(source, options).takeError());
  };
  EXPECT_NE(message("func.func @f( {").find("<input>:1:"), std::string::npos);
  CompileOptions options = ptxOptions();
  options.chip = "sm_75";
  EXPECT_NE(message(matmul, options).find("unknown chip 'sm_75'"),
            std::string::npos);
  options = ptxOptions();
  options.configText = "cta=128x100x32";
  EXPECT_NE(message(matmul, options).find("cta N = 100"), std::string::npos);
  options = CompileOptions();
  options.ptxasPath = "/no/such/ptxas";
  EXPECT_NE(message(matmul, options).find("/no/such/ptxas"), std::string::npos);
  std::string left = message(R"(
func.func @g(%a: memref<4xf32>) {
  %c = arith.constant 0 : index
  %v = memref.load %a[%c] : memref<4xf32>
  memref.store %v, %a[%c] : memref<4xf32>
  return
})");
  EXPECT_NE(left.find("'memref.load' is not a launch of a kernel"),
            std::string::npos)
      << left;
}

} // namespace
