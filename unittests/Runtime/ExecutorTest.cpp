//===- ExecutorTest.cpp - Tests of planning and launching -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, variants, arguments and steps, against a device that records.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "TestKernels.h"

#include "tcgemm/Runtime/Executor.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

class ExecutorTest : public testing::Test {
protected:
  ExecutorTest() : pack(makeTestPack()) { setSizes(300, 20, 128); }

  void setSizes(int64_t m, int64_t n, int64_t k, int64_t padding = 0) {
    operands.resize(3);
    operands[0] = {StridedShape::rowMajor({m, k}, padding), 0x10000, 0};
    operands[1] = {StridedShape::rowMajor({n, k}, padding), 0x20000, 0};
    operands[2] = {StridedShape::rowMajor({m, n}, padding), 0x30000, 0};
  }
  KernelInfo &getKernel() { return pack.manifest.kernels[0]; }
  llvm::Expected<LaunchPlan> plan(const char *variant = "") {
    return planLaunch(getKernel(), operands, {10, variant});
  }
  std::string getError(const char *variant = "") {
    llvm::Expected<LaunchPlan> result = plan(variant);
    return result ? "" : llvm::toString(result.takeError());
  }

  KernelPack pack;
  std::vector<BoundOperand> operands;
};

TEST_F(ExecutorTest, PlansTheFirstVariantThatFits) {
  LaunchPlan result = llvm::cantFail(plan());
  EXPECT_EQ(result.variant->name, "aligned");
  EXPECT_EQ(result.sizes, makeSizes(300, 20, 128));
  EXPECT_EQ(result.workspaceBytes, 300 * 20 * 4);
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[0].config.grid,
            (std::array<uint32_t, 3>{3, 10, 1})); // min(N, sm_count)
  EXPECT_TRUE(result.steps[1].runs);
  setSizes(300, 20, 127);
  EXPECT_EQ(llvm::cantFail(plan()).variant->name, "general");
  setSizes(300, 20, 128, 1); // The padded stride is not a multiple of 8.
  EXPECT_EQ(llvm::cantFail(plan()).variant->name, "general");
}

TEST_F(ExecutorTest, WhenAndEmptyGridsSkipSteps) {
  setSizes(300, 20, 96);
  LaunchPlan result = llvm::cantFail(plan());
  EXPECT_TRUE(result.steps[0].runs);
  EXPECT_FALSE(result.steps[1].runs);
  setSizes(0, 20, 128);
  EXPECT_FALSE(llvm::cantFail(plan()).steps[0].runs);
}

TEST_F(ExecutorTest, OuterDimensions) {
  KernelInfo &kernel = getKernel();
  kernel.operands[0].dims = {Dim::BatchC, Dim::M, Dim::Batch, Dim::K};
  kernel.operands[2].dims = {Dim::Batch, Dim::BatchC, Dim::M, Dim::N};
  kernel.variants[0].workspace = llvm::cantFail(Expr::parse("batch * batch_c"));
  operands[0] = {StridedShape::rowMajor({4, 300, 7, 128}), 0x10000, 0};
  operands[2] = {StridedShape::rowMajor({7, 4, 300, 20}), 0x30000, 0};
  LaunchPlan result = llvm::cantFail(plan("aligned"));
  EXPECT_EQ(result.sizes[unsigned(Dim::Batch)], 7);
  EXPECT_EQ(result.sizes[unsigned(Dim::BatchC)], 4);
  EXPECT_EQ(countProducts(result.sizes), 28);
  EXPECT_EQ(result.workspaceBytes, 28);
  operands[2] = {StridedShape::rowMajor({7, 5, 300, 20}), 0x30000, 0};
  EXPECT_NE(getError().find("batch_c = 5, but operand 'A' has batch_c = 4"),
            std::string::npos);
}

TEST_F(ExecutorTest, ForcedVariants) {
  EXPECT_EQ(llvm::cantFail(plan("general")).variant->name, "general");
  EXPECT_NE(getError("other").find("has no variant 'other', only 'aligned', "
                                   "'general'"),
            std::string::npos);
  setSizes(300, 20, 127);
  EXPECT_NE(getError("aligned").find("does not take this problem: its guard"),
            std::string::npos);
}

TEST_F(ExecutorTest, RefusesSizesThatDisagree) {
  operands[1].shape = StridedShape::rowMajor({20, 64});
  EXPECT_EQ(getError(), "kernel 'gemm': operand 'B' has K = 64, but operand "
                        "'A' has K = 128");
  setSizes(300, 20, 128);
  getKernel().sizes[unsigned(Dim::K)] = 64;
  EXPECT_EQ(getError(), "kernel 'gemm': operand 'A' has K = 128, but the "
                        "kernel is compiled for K = 64");
  operands.pop_back();
  EXPECT_EQ(getError(), "kernel 'gemm': has 3 operands, 2 given");
}

TEST_F(ExecutorTest, RefusesWhatDoesNotFit) {
  getKernel().variants[0].steps[0].grid[1] = 70000;
  EXPECT_NE(getError().find("is not in 0 to 65535"), std::string::npos);
  getKernel().variants[0].steps[0].grid[1] = Expr(1) / 0;
  EXPECT_NE(getError().find("division by zero"), std::string::npos);
  getKernel().variants[0].steps[0].grid[1] = 1;
  getKernel().variants[0].steps[0].arguments[2] =
      Argument::i32(Expr::symbol("M") * 100000000);
  EXPECT_NE(getError().find("does not fit 32 bits"), std::string::npos);
  getKernel().variants.clear();
  EXPECT_NE(getError().find("no variant takes this problem"),
            std::string::npos);
}

TEST_F(ExecutorTest, LaunchesWithArguments) {
  FakeDevice device;
  Executor executor(device, pack);
  LaunchPlan result = llvm::cantFail(plan());
  ASSERT_FALSE(bool(executor.launch(result, 0x900000)));
  ASSERT_EQ(device.launches.size(), 2U);
  const RecordedLaunch &launch = device.launches[0];
  EXPECT_EQ(launch.symbol, "gemm_main");
  EXPECT_EQ(launch.config.sharedMemory, 4096U);
  EXPECT_EQ(launch.config.block[0], 256U);
  EXPECT_EQ(launch.get<uint64_t>(0), 0x10000U);
  EXPECT_EQ(launch.get<uint64_t>(1), 0x30000U);
  EXPECT_EQ(launch.get<int32_t>(2), 300);
  EXPECT_EQ(launch.get<int64_t>(3), 128);
  EXPECT_EQ(launch.get<uint64_t>(4), 0x900000U + 300 * 4);
  EXPECT_EQ(device.launches[1].symbol, "gemm_reduce");
  ASSERT_FALSE(bool(executor.launch(result, 0)));
  EXPECT_EQ(device.numModules, 1U);
}

/// A variant that reads A by a tensor map, in clusters of two, and packed data
/// in the workspace by another map.
class TensorMapExecutorTest : public ExecutorTest {
protected:
  TensorMapExecutorTest() {
    Step &step = getKernel().variants[0].steps[0];
    auto expr = [](const char *text) {
      return llvm::cantFail(Expr::parse(text));
    };
    TensorMapInfo a{"A",
                    ScalarType::BF16,
                    Argument::pointer("A"),
                    {expr("K"), expr("M")},
                    {expr("A.stride0 * 2")},
                    {64, 128},
                    128,
                    256};
    TensorMapInfo packed = a;
    packed.name = "packed";
    packed.base = Argument::workspace(expr("K * 2"));
    step.tensorMaps = {a, packed};
    step.arguments = {Argument::tensorMap(1), Argument::i32(expr("M")),
                      Argument::tensorMap(0)};
    step.cluster = {1, 2, 1};
    getKernel().variants[0].steps.resize(1);
    getKernel().variants[0].guard = 1;
  }
  static TensorMapDescription decode(const KernelArgument &argument) {
    return llvm::cantFail(decodeEmulatedTensorMap(argument));
  }
};

TEST_F(TensorMapExecutorTest, EncodesAtTheLaunch) {
  FakeDevice device;
  Executor executor(device, pack);
  LaunchPlan result = llvm::cantFail(plan());
  ASSERT_FALSE(bool(executor.launch(result, 0x900000)));
  ASSERT_EQ(device.launches.size(), 1U);
  const RecordedLaunch &launch = device.launches[0];
  ASSERT_EQ(launch.arguments.size(), 3U);
  EXPECT_EQ(launch.config.cluster, (std::array<uint32_t, 3>{1, 2, 1}));
  TensorMapDescription expected;
  expected.type = ScalarType::BF16;
  expected.base = 0x10000;
  expected.dims = {128, 300};
  expected.strides = {256};
  expected.box = {64, 128};
  expected.swizzle = 128;
  expected.l2Promotion = 256;
  EXPECT_TRUE(decode(launch.arguments[2]) == expected);
  expected.base = 0x900000 + 256;
  EXPECT_TRUE(decode(launch.arguments[0]) == expected);
  EXPECT_EQ(launch.get<int32_t>(1), 300);
  // Another workspace, another map.
  ASSERT_FALSE(bool(executor.launch(result, 0xa00000)));
  EXPECT_EQ(decode(device.launches[1].arguments[0]).base, 0xa00000U + 256);
  EXPECT_NE(describePlan(result).find(
                "tensor_map A dims 128x300 strides 256 box 64x128 swizzle 128"),
            std::string::npos);
}

TEST_F(TensorMapExecutorTest, RefusesWhatCannotBeEncoded) {
  setSizes(300, 20, 128, 1);
  EXPECT_EQ(getError(), "kernel 'gemm': tensor map 'A' of 'gemm_main': "
                        "strides[0]: 258 bytes, must be a multiple of 16");
  setSizes(300, 20, 0);
  EXPECT_EQ(getError(), "kernel 'gemm': tensor map 'A' of 'gemm_main': "
                        "dims[0]: 0 elements, must be 1 to 4294967296");
  setSizes(300, 20, 128);
  operands[0].address = 0x10008;
  EXPECT_EQ(getError(), "kernel 'gemm': tensor map 'A' of 'gemm_main': "
                        "base: 65544 must be a multiple of 16");
  operands[0].address = 0x10000;
  // Values that no block reads are arbitrary.
  setSizes(0, 20, 128);
  EXPECT_EQ(getError(), "");
}

TEST_F(TensorMapExecutorTest, GuardsRefuseWhatCannotBeEncoded) {
  Variant &variant = getKernel().variants[0];
  variant.guard = getTensorMapGuard(variant.steps[0].tensorMaps[0]);
  EXPECT_EQ(llvm::cantFail(plan()).variant->name, "aligned");
  setSizes(300, 20, 128, 1);
  EXPECT_EQ(llvm::cantFail(plan()).variant->name, "general");
  setSizes(300, 20, 0);
  EXPECT_EQ(llvm::cantFail(plan()).variant->name, "general");
  setSizes(300, 20, 128);
  operands[0].address = 0x10008;
  EXPECT_EQ(llvm::cantFail(plan()).variant->name, "general");
}

TEST_F(TensorMapExecutorTest, ClustersDivideTheGrid) {
  setSizes(300, 7, 128);
  EXPECT_EQ(getError(), "kernel 'gemm': grid 'min(N, sm_count)' = 7 of "
                        "'gemm_main' is not a multiple of its cluster's 2");
}

TEST_F(TensorMapExecutorTest, DevicesWithoutTensorMapsAreErrors) {
  FakeDevice device;
  device.hasTensorMaps = false;
  Executor executor(device, pack);
  EXPECT_EQ(llvm::toString(executor.launch(llvm::cantFail(plan()), 0)),
            "tensor map 'packed' of 'gemm_main': the device 'fake' has no "
            "tensor maps");
}

TEST_F(ExecutorTest, MissingFunctionsAreErrors) {
  FakeDevice device;
  Executor executor(device, pack);
  getKernel().variants[0].steps[0].symbol = "missing";
  LaunchPlan result = llvm::cantFail(plan());
  EXPECT_EQ(llvm::toString(executor.launch(result, 0)),
            "no function 'missing'");
}

TEST_F(ExecutorTest, DescribesItself) {
  std::string text = describePlan(llvm::cantFail(plan()));
  EXPECT_NE(text.find("variant aligned"), std::string::npos);
  EXPECT_NE(text.find("grid 3x10x1"), std::string::npos);
  EXPECT_NE(text.find("A.stride0 = 128"), std::string::npos);
}

} // namespace
