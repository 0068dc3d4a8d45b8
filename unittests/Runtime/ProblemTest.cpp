//===- ProblemTest.cpp - Tests of running and checking a whole problem ----===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fake device computes the product on the host, rightly or with a fault.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "TestKernels.h"

#include "tcgemm/Runtime/Benchmark.h"
#include "tcgemm/Runtime/ProblemCost.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <set>

using namespace tcgemm;

namespace {

uint8_t *at(uint64_t address) { return reinterpret_cast<uint8_t *>(address); }

class ProblemTest : public testing::Test {
protected:
  ProblemTest() : pack(makeTestPack()) {
    options.sizes = {int64_t(33), int64_t(17), int64_t(21), std::nullopt};
    // The general kernel has no pointer to B, so that the tests add one.
    pack.manifest.kernels[0].variants[1].steps[0].arguments = {
        Argument::pointer("A"), Argument::pointer("B"),
        Argument::pointer("out0")};
    options.variant = "general";
  }

  /// Computes D with the strides of the padding.
  void multiply(const RecordedLaunch &launch) {
    int64_t m = 33, n = 17, k = 21, pad = options.defaultRowPadding;
    for (int64_t i = 0; i != m; ++i)
      for (int64_t j = 0; j != n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l != k; ++l)
          sum +=
              float(loadElement(ScalarType::BF16, at(launch.get<uint64_t>(0)) +
                                                      (i * (k + pad) + l) * 2) *
                    loadElement(ScalarType::BF16, at(launch.get<uint64_t>(1)) +
                                                      (j * (k + pad) + l) * 2));
        storeElement(ScalarType::BF16, sum,
                     at(launch.get<uint64_t>(2)) + (i * (n + pad) + j) * 2);
      }
  }

  LaunchResult run() {
    device.onLaunch = [&](const RecordedLaunch &launch) {
      multiply(launch);
      if (fault)
        fault(launch);
    };
    llvm::Expected<Problem> problem = Problem::create(pack, options);
    EXPECT_TRUE(bool(problem));
    EXPECT_FALSE(bool(problem->fill()));
    Executor executor(device, pack);
    llvm::Expected<RunResult> result =
        runAndVerify(device, executor, *problem, {});
    EXPECT_TRUE(bool(result));
    return result->launches.at(0);
  }
  std::string getError() {
    llvm::Expected<Problem> problem = Problem::create(pack, options);
    return problem ? "" : llvm::toString(problem.takeError());
  }

  KernelPack pack;
  ProblemOptions options;
  FakeDevice device;
  std::function<void(const RecordedLaunch &)> fault;
};

TEST_F(ProblemTest, RightKernelsPass) {
  for (auto [padding, offset] :
       {std::pair(0, 0), std::pair(3, 0), std::pair(5, 1)})
    for (auto kind : {FillOptions::Normal, FillOptions::Integers}) {
      options.defaultRowPadding = padding;
      options.defaultOffset = offset;
      options.defaultFill.kind = kind;
      LaunchResult result = run();
      EXPECT_TRUE(result.passed())
          << result.report.summarize() << result.damage;
      EXPECT_EQ(result.variant, "general");
      uint64_t address = device.launches.back().get<uint64_t>(0);
      EXPECT_EQ(address % 256, offset * 2U);
    }
  EXPECT_EQ(device.numAllocations, 0);
}

TEST_F(ProblemTest, RepetitionsMustGiveTheSame) {
  options.repeat = 5;
  LaunchResult result = run();
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(device.launches.size(), 5U);
  int64_t number = 0;
  fault = [&](const RecordedLaunch &launch) {
    if (++number == 4)
      storeElement(ScalarType::BF16, 1000, at(launch.get<uint64_t>(2)) + 10);
  };
  result = run();
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.damage, "launch 4 gave another out0 than the first");
  EXPECT_EQ(result.report.numWrong, 0);
}

TEST_F(ProblemTest, WrongElementsAreFound) {
  options.defaultFill.kind = FillOptions::Integers;
  fault = [](const RecordedLaunch &launch) {
    storeElement(ScalarType::BF16, 1000, at(launch.get<uint64_t>(2)) + 10);
  };
  LaunchResult result = run();
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.report.numWrong, 1);
}

TEST_F(ProblemTest, WritesOutsideAreFound) {
  fault = [](const RecordedLaunch &launch) {
    at(launch.get<uint64_t>(2))[-1] = 0;
  };
  EXPECT_NE(run().damage.find("1 bytes before it"), std::string::npos);
  fault = [](const RecordedLaunch &launch) {
    at(launch.get<uint64_t>(2))[33 * 17 * 2] = 0;
  };
  EXPECT_NE(run().damage.find("0 bytes after its end"), std::string::npos);
  options.defaultRowPadding = 2;
  fault = [](const RecordedLaunch &launch) {
    at(launch.get<uint64_t>(2))[17 * 2] = 0;
  };
  EXPECT_NE(run().damage.find("in the padding at element offset 17"),
            std::string::npos);
}

TEST_F(ProblemTest, WrittenInputsAreFound) {
  fault = [](const RecordedLaunch &launch) {
    at(launch.get<uint64_t>(0))[0] ^= 1;
  };
  EXPECT_NE(run().damage.find("arg0 (A) is an input and was written"),
            std::string::npos);
}

TEST_F(ProblemTest, ReadingThePaddingGivesNaN) {
  options.defaultRowPadding = 1;
  fault = [](const RecordedLaunch &launch) {
    double past =
        loadElement(ScalarType::BF16, at(launch.get<uint64_t>(0)) + 21 * 2);
    storeElement(ScalarType::BF16, past, at(launch.get<uint64_t>(2)));
  };
  LaunchResult result = run();
  EXPECT_EQ(result.report.numNaN, 1);
  EXPECT_FALSE(result.passed());
}

TEST_F(ProblemTest, BadOptionsAreNamed) {
  options.sizes[2] = std::nullopt;
  EXPECT_EQ(getError(), "K of kernel 'gemm' is not known: give it, or the "
                        "shape of arg0");
  options.shapes["A"] = {33, 21};
  EXPECT_EQ(getError(), "");
  options.shapes["A"] = {34, 21};
  EXPECT_EQ(getError(), "M is fixed to 34, not 33");
  options.shapes = {{"X", {1}}};
  EXPECT_NE(getError().find("shape: no argument 'X'; there are arg0 (A)"),
            std::string::npos);
  options.shapes.clear();
  options.function = "other";
  EXPECT_EQ(getError(), "no function 'other' in the pack");
  pack.manifest.leftOut = {{"other", "it has 'linalg.exp'"}};
  EXPECT_EQ(getError(),
            "the pack does not have function 'other': it has 'linalg.exp'");
}

TEST_F(ProblemTest, BenchmarkCountsAndRotates) {
  llvm::Expected<Problem> problem = Problem::create(pack, options);
  ASSERT_TRUE(bool(problem));
  ASSERT_FALSE(bool(problem->fill()));
  Executor executor(device, pack);
  BenchmarkOptions bench;
  bench.minRotatedBytes = 20000;
  bench.rounds = 5;
  llvm::Expected<BenchmarkReport> report =
      runBenchmark(device, executor, *problem, bench);
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  int64_t bytes = (33 * 21 + 17 * 21 + 33 * 17) * 2;
  EXPECT_EQ(report->bytes, bytes);
  EXPECT_EQ(report->numSets, (20000 + bytes - 1) / bytes);
  EXPECT_EQ(report->flops, 2.0 * 33 * 17 * 21);
  ASSERT_EQ(report->contenders.size(), 1U);
  // The fake needs 10 ms for each graph.
  EXPECT_DOUBLE_EQ(report->contenders[0].cold.median,
                   10000.0 / report->chainLength);
  EXPECT_EQ(report->contenders[0].coldRatio.median, 1);
  // Different sets have different addresses.
  std::set<uint64_t> addresses;
  for (const RecordedLaunch &launch : device.launches)
    addresses.insert(launch.get<uint64_t>(0));
  EXPECT_EQ(static_cast<int64_t>(addresses.size()), report->numSets);
}

TEST_F(ProblemTest, Spreads) {
  Spread spread = summarize({5, 1, 2, 4, 3});
  EXPECT_EQ(spread.median, 3);
  EXPECT_DOUBLE_EQ(spread.low, 1.4);
  EXPECT_DOUBLE_EQ(spread.high, 4.6);
}

/// Products of sizes that exceed 64 bits are detected before they are computed.
TEST_F(ProblemTest, SizesBeyondTheAddressSpaceAreRefused) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  auto getError = [&] {
    llvm::Expected<Problem> problem = Problem::create(pack, options);
    return problem ? "none" : llvm::toString(problem.takeError());
  };
  options.sizes[0] = most;
  EXPECT_EQ(getError(),
            "arg0 (A) of 9223372036854775807 x 21 bf16 with 0 elements after "
            "each row and 0 before the first takes more bytes than the limit "
            "of 2^63 - 1");
  options.sizes[0] = int64_t(1) << 32;
  options.sizes[2] = int64_t(1) << 32;
  EXPECT_NE(getError().find("4294967296 x 4294967296 bf16"), std::string::npos);
  options.sizes[0] = 33;
  options.sizes[2] = 21;
  options.defaultRowPadding = int64_t(1) << 62;
  EXPECT_NE(getError().find("4611686018427387904 elements after each row"),
            std::string::npos);
  options.defaultRowPadding = 0;
  options.defaultOffset = most / 2;
  EXPECT_NE(getError().find("4611686018427387903 before the first"),
            std::string::npos);
  options.defaultOffset = 0;
  EXPECT_EQ(getError(), "none");
}

TEST_F(ProblemTest, MemoryIsCheckedBeforeItIsTaken) {
  DeviceProperties gpu, emulator;
  gpu.name = "GPU";
  gpu.globalMemory = 4096;
  emulator.isEmulated = true;
  auto getError = [&](const DeviceProperties *device) {
    llvm::Expected<Problem> problem = Problem::create(pack, options);
    EXPECT_TRUE(bool(problem));
    llvm::Error error = checkMemory(*problem, device);
    return error ? llvm::toString(std::move(error)) : "none";
  };
  EXPECT_EQ(getError(nullptr), "none");
  EXPECT_EQ(getError(&emulator), "none");
  EXPECT_EQ(getError(&gpu),
            "the problem's arrays take 0.0 GiB of the device's memory; the "
            "limit is what GPU has: 0.0 GiB");
  // More than any machine has: A has 2^58 bytes.
  options.sizes[0] = int64_t(1) << 29;
  options.sizes[2] = int64_t(1) << 28;
  std::string limit = "; the limit is what is available: ";
  EXPECT_NE(getError(nullptr).find(limit), std::string::npos);
  EXPECT_NE(getError(&emulator).find("with the emulator's" + limit),
            std::string::npos);
}

TEST_F(ProblemTest, TheEmulatorsTimeGrowsWithTheWork) {
  auto estimate = [&](unsigned threads) {
    llvm::Expected<Problem> problem = Problem::create(pack, options);
    EXPECT_TRUE(bool(problem));
    return estimateEmulatorSeconds(*problem, threads);
  };
  double small = estimate(1);
  EXPECT_GT(small, 0);
  EXPECT_DOUBLE_EQ(estimate(4), small / 4);
  *options.sizes[0] *= 1000;
  EXPECT_NEAR(estimate(1), 1000 * small, small);
}

} // namespace
