//===- CublasContenderTest.cpp - Tests of cuBLASLt as a contender ---------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that computes on the host, and a device whose memory is the host's.
//
//===----------------------------------------------------------------------===//

#include "CublasContender.h"
#include "ElementwisePtx.h"
#include "FakeDevice.h"
#include "TestKernels.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

constexpr int64_t kM = 9, kN = 24, kK = 20;

/// makeTestPack's product with D = activate(A·B + bias) · gate; arguments are
/// A, B, bias, gate, D.
KernelPack makeGatedPack(const char *activation) {
  KernelPack pack = makeTestPack();
  KernelInfo &kernel = pack.manifest.kernels[0];
  OperandInfo output = kernel.operands.back();
  kernel.operands.pop_back();
  kernel.operands.push_back(
      {"bias", OperandUse::Input, ScalarType::F32, {Dim::N}});
  kernel.operands.push_back(
      {"gate", OperandUse::Input, ScalarType::BF16, {Dim::M, Dim::N}});
  kernel.operands.push_back(output);
  kernel.epilogue.ops = {{"argument", ScalarType::F32},
                         {"argument", ScalarType::F32},
                         {"argument", ScalarType::BF16},
                         {"arith.addf", ScalarType::F32, {0, 1}},
                         {activation, ScalarType::F32, {3}},
                         {"arith.extf", ScalarType::F32, {2}},
                         {"arith.mulf", ScalarType::F32, {4, 5}},
                         {"arith.truncf", ScalarType::BF16, {6}}};
  kernel.epilogue.yields = {7};
  FunctionInfo &function = pack.manifest.functions[0];
  std::vector<std::optional<int64_t>> one(1);
  function.arguments.insert(
      function.arguments.begin() + 2,
      {{ScalarType::F32, one, AccessKind::Read}, function.arguments[0]});
  function.launches = {
      LaunchInfo{"gemm", {"arg0", "arg1", "arg2", "arg3", "arg4"}}};
  return pack;
}

/// makeTestPack's product with D = alpha·A·B + beta·C; arguments are A, B, C,
/// alpha, beta, D.
KernelPack makeFactorPack() {
  KernelPack pack = makeTestPack();
  KernelInfo &kernel = pack.manifest.kernels[0];
  OperandInfo output = kernel.operands.back();
  kernel.operands.pop_back();
  kernel.operands.push_back(
      {"C", OperandUse::Input, ScalarType::BF16, {Dim::M, Dim::N}});
  kernel.operands.push_back({"alpha", OperandUse::Scalar, ScalarType::F32, {}});
  kernel.operands.push_back({"beta", OperandUse::Scalar, ScalarType::F32, {}});
  kernel.operands.push_back(output);
  kernel.epilogue.ops = {{"argument", ScalarType::F32},
                         {"argument", ScalarType::BF16},
                         {"argument", ScalarType::F32},
                         {"argument", ScalarType::F32},
                         {"arith.mulf", ScalarType::F32, {0, 2}},
                         {"arith.extf", ScalarType::F32, {1}},
                         {"arith.mulf", ScalarType::F32, {5, 3}},
                         {"arith.addf", ScalarType::F32, {4, 6}},
                         {"arith.truncf", ScalarType::BF16, {7}}};
  kernel.epilogue.yields = {8};
  FunctionInfo &function = pack.manifest.functions[0];
  function.arguments.insert(function.arguments.begin() + 2,
                            {function.arguments[0],
                             {ScalarType::F32, {}, AccessKind::Scalar},
                             {ScalarType::F32, {}, AccessKind::Scalar}});
  function.launches = {
      LaunchInfo{"gemm", {"arg0", "arg1", "arg2", "arg3", "arg4", "arg5"}}};
  return pack;
}

class CublasContenderTest : public testing::Test {
protected:
  void SetUp() override {
    problemOptions.sizes = {kM, kN, kK, std::nullopt};
    problemOptions.defaultFill.kind = FillOptions::Integers;
    problemOptions.variant = "general";
    options.compareCublasLt = options.fuseCublasLt = true;
    options.cublasLtPath =
        TCGEMM_BINARY_DIR "/unittests/fake-driver/libcublasLt.so.1";
    options.minRotatedBytes = 1000;
    options.rounds = 3;
  }
  void make(const char *activation) {
    pack = makeGatedPack(activation);
    problem = std::make_unique<Problem>(
        llvm::cantFail(Problem::create(pack, problemOptions)));
    llvm::cantFail(problem->fill());
  }
  std::string getError() {
    auto made = CublasContender::create(device, *problem, options);
    return made ? "no error" : llvm::toString(made.takeError());
  }

  FakeDevice device;
  KernelPack pack;
  ProblemOptions problemOptions;
  BenchmarkOptions options;
  std::unique_ptr<Problem> problem;
};

TEST_F(CublasContenderTest, TheBiasIsFusedAndTheRestFollows) {
  make("math.absf");
  std::unique_ptr<CublasContender> contender =
      llvm::cantFail(CublasContender::create(device, *problem, options));
  EXPECT_TRUE(contender->isWhole());
  EXPECT_EQ(contender->getMatmul().getNumAlgorithms(), 2U);
  std::vector<uint64_t> addresses;
  for (ProblemBuffer &buffer : problem->buffers)
    addresses.push_back(reinterpret_cast<uint64_t>(buffer.image.data()));
  ASSERT_EQ(addresses.size(), 5U);
  auto at = [&](unsigned buffer, int64_t element) {
    const ProblemBuffer &b = problem->buffers[buffer];
    return loadElement(b.type, b.image.data() + b.getStart() +
                                   element * getByteSize(b.type));
  };
  // The contents of D before the elementwise kernel: the product and the bias.
  unsigned numLaunches = 0;
  device.onLaunch = [&](const RecordedLaunch &launch) {
    ++numLaunches;
    EXPECT_EQ(launch.symbol, "elementwise");
    EXPECT_EQ(launch.config.grid[0], 1U);
    EXPECT_EQ(launch.config.block[0], ElementwiseKernel::kThreads);
    ASSERT_EQ(launch.arguments.size(), 3U);
    EXPECT_EQ(launch.get<uint64_t>(0),
              addresses[4] + problem->buffers[4].getStart());
    EXPECT_EQ(launch.get<uint64_t>(1),
              addresses[3] + problem->buffers[3].getStart());
    EXPECT_EQ(launch.get<uint32_t>(2), kM * kN / 8);
    for (int64_t m = 0; m != kM; ++m)
      for (int64_t n = 0; n != kN; ++n) {
        double sum = at(2, n);
        for (int64_t k = 0; k != kK; ++k)
          sum += at(0, m * kK + k) * at(1, n * kK + k);
        EXPECT_EQ(at(4, m * kN + n), roundToType(ScalarType::BF16, sum))
            << m << ", " << n;
      }
  };
  EXPECT_FALSE(bool(contender->enqueue(1, addresses)));
  EXPECT_EQ(numLaunches, 1U);
}

TEST_F(CublasContenderTest, TheLibraryAddsC) {
  pack = makeFactorPack();
  problemOptions.scalars = {{"arg3", -1}, {"arg4", 0.5}};
  problem = std::make_unique<Problem>(
      llvm::cantFail(Problem::create(pack, problemOptions)));
  llvm::cantFail(problem->fill());
  std::unique_ptr<CublasContender> contender =
      llvm::cantFail(CublasContender::create(device, *problem, options));
  EXPECT_TRUE(contender->isWhole());
  std::vector<uint64_t> addresses;
  for (ProblemBuffer &buffer : problem->buffers)
    addresses.push_back(reinterpret_cast<uint64_t>(buffer.image.data()));
  device.onLaunch = [](const RecordedLaunch &) { ADD_FAILURE(); };
  ASSERT_FALSE(bool(contender->enqueue(0, addresses)));
  const std::vector<BufferPart> &parts = problem->launches.front().operands;
  auto at = [&](unsigned operand, int64_t element) {
    const ProblemBuffer &b = problem->buffers[parts[operand].buffer];
    return loadElement(b.type, b.image.data() + b.getStart() +
                                   element * getByteSize(b.type));
  };
  for (int64_t m = 0; m != kM; ++m)
    for (int64_t n = 0; n != kN; ++n) {
      double sum = 0.5 * at(2, m * kN + n);
      for (int64_t k = 0; k != kK; ++k)
        sum -= at(0, m * kK + k) * at(1, n * kK + k);
      EXPECT_EQ(at(5, m * kN + n), roundToType(ScalarType::BF16, sum))
          << m << ", " << n;
    }
}

TEST_F(CublasContenderTest, APlainComparisonLeavesTheEpilogueOut) {
  make("math.absf");
  options.fuseCublasLt = false;
  auto contender =
      llvm::cantFail(CublasContender::create(device, *problem, options));
  EXPECT_FALSE(contender->isWhole());
  std::vector<uint64_t> addresses;
  for (ProblemBuffer &buffer : problem->buffers)
    addresses.push_back(reinterpret_cast<uint64_t>(buffer.image.data()));
  EXPECT_FALSE(bool(contender->enqueue(0, addresses)));
  EXPECT_TRUE(device.launches.empty());
}

TEST_F(CublasContenderTest, ItIsMeasured) {
  make("math.absf");
  Executor executor(device, pack);
  BenchmarkReport report =
      llvm::cantFail(runBenchmark(device, executor, *problem, options));
  ASSERT_GE(report.contenders.size(), 2U);
  EXPECT_EQ(report.contenders[1].name.substr(0, 20), "cublaslt-fused-first");
  EXPECT_EQ(report.cublasLtVersion, "12.8.5");
  EXPECT_EQ(report.numAlgorithms, 2U);
}

TEST_F(CublasContenderTest, WhatCannotBeComparedIsNamed) {
  make("math.cbrt");
  EXPECT_EQ(getError(),
            "elementwise kernel: 'math.cbrt' to f32 has no translation");
  Executor executor(device, pack);
  BenchmarkReport report =
      llvm::cantFail(runBenchmark(device, executor, *problem, options));
  EXPECT_EQ(report.note, "no cuBLASLt comparison: elementwise kernel: "
                         "'math.cbrt' to f32 has no translation");
  EXPECT_EQ(report.contenders.size(), 1U);
  problemOptions.sizes[1] = kN + 1;
  make("math.absf");
  EXPECT_EQ(getError(), "elementwise kernel: 'gate' is not contiguous, or its "
                        "rows are not multiples of 8 elements");
  problemOptions.sizes[1] = kN;
  problemOptions.defaultRowPadding = 8;
  make("math.absf");
  EXPECT_EQ(getError(), "elementwise kernel: 'gate' is not contiguous, or its "
                        "rows are not multiples of 8 elements");
  problemOptions.defaultRowPadding = 0;
  make("math.absf");
  options.cublasLtPath = "/no/such/library.so";
  EXPECT_EQ(getError().substr(0, 21), "cannot load cuBLASLt:");
}

} // namespace
