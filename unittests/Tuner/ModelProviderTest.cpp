//===- ModelProviderTest.cpp - Configurations from models ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/ModelProvider.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Store/Problems.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Store/ShippedMachines.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

class ModelProviderTest : public ::testing::Test {
protected:
  void SetUp() override { llvm::cantFail(provider.prepare()); }

  static ProblemInfo makeProblem(int64_t m, int64_t n, int64_t k,
                                 ScalarType type = ScalarType::BF16) {
    ProblemInfo problem;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.batch = 1;
    problem.typeA = problem.typeB = type;
    return problem;
  }

  std::optional<KernelConfig> ask(const ProblemInfo &problem,
                                  llvm::StringRef chip = "sm_90a",
                                  std::string overrides = "") {
    return provider.lookup({llvm::cantFail(lookupChip(chip)), problem, "matmul",
                            std::move(overrides)});
  }

  ModelProvider provider{readShippedConstants};
};

TEST_F(ModelProviderTest, ChoicesAreLegal) {
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  for (int64_t m : {8, 16, 144, 1000, 4096, 131072})
    for (int64_t n : {8, 100, 4096, 28672})
      for (int64_t k : {16, 64, 4100, 16384})
        for (bool isTransposed : {false, true}) {
          ProblemInfo problem = makeProblem(m, n, k);
          problem.aKContiguous = !isTransposed;
          std::optional<KernelConfig> config = ask(problem);
          ASSERT_TRUE(config) << m << " " << n << " " << k;
          EXPECT_TRUE(findViolations(*config, chip, problem).empty())
              << m << " " << n << " " << k << ": " << config->str();
        }
}

/// None of the candidates has less time under the model, if it is legal.
TEST_F(ModelProviderTest, ChoosesTheLeastTime) {
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  llvm::StringMap<ModelConstants> all = llvm::cantFail(readShippedConstants());
  const ModelConstants &constants = all.find("sm_90a")->second;
  ProblemInfo problem = makeProblem(144, 4096, 14336);
  std::optional<ModelChoice> choice =
      chooseByModel(constants, {chip, problem, "matmul", ""}, problem);
  ASSERT_TRUE(choice);
  size_t numLegal = 0;
  for (const KernelConfig &config :
       getFamily(Schedule::Wgmma).listCandidates(chip, problem)) {
    if (!findViolations(config, chip, problem).empty())
      continue;
    ++numLegal;
    double time = estimateTime(describeWork(config, chip, problem),
                               *constants.find(Schedule::Wgmma));
    EXPECT_GE(time / 1000, choice->microseconds) << config.str();
  }
  EXPECT_GT(numLegal, 100u);
}

TEST_F(ModelProviderTest, UsesTheRowsOfASmallM) {
  // B's 4096 columns take the instruction's rows, so that no row is idle.
  std::optional<KernelConfig> config = ask(makeProblem(144, 6144, 4096));
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->swapAB);
  EXPECT_EQ(config->cta[0], 144);
}

TEST_F(ModelProviderTest, ObeysTheUsersParameters) {
  std::optional<KernelConfig> config =
      ask(makeProblem(512, 4096, 4096), "sm_90a", "swap_ab=true,stages=3");
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->swapAB);
  EXPECT_EQ(config->stages, 3);
  EXPECT_FALSE(ask(makeProblem(512, 4096, 4096), "sm_90a", "warps=5x1x1"));
}

TEST_F(ModelProviderTest, LeavesWhatItDoesNotDescribe) {
  EXPECT_FALSE(ask(makeProblem(512, 4096, 4096), "sm_80"));
  EXPECT_FALSE(ask(makeProblem(512, 4096, 4096, ScalarType::F32)));
  EXPECT_FALSE(ask(makeProblem(-1, 4096, 4096)));
  // gemv has a measured default for one row.
  EXPECT_FALSE(ask(makeProblem(1, 4096, 4096)));
}

class SimulatorProviderTest : public ModelProviderTest {
protected:
  void SetUp() override { llvm::cantFail(simulator.prepare()); }

  std::optional<KernelConfig> ask(const ProblemInfo &problem,
                                  llvm::StringRef chip = "sm_90a",
                                  std::string overrides = "") {
    return simulator.lookup({llvm::cantFail(lookupChip(chip)), problem,
                             "matmul", std::move(overrides)});
  }

  SimulatorProvider simulator{readShippedMachinesByChip};
};

/// None of the candidates has less simulated time, if it is legal.
TEST_F(SimulatorProviderTest, ChoosesTheLeastTime) {
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  auto machines = llvm::cantFail(readShippedMachinesByChip());
  const Machine &machine = machines.find("sm_90a")->second;
  for (auto [spec, m, n, k] :
       {std::tuple("e4m3 tn bf16 none", 512, 4096, 14336),
        std::tuple("s8 tn s32 none", 4096, 4096, 4096),
        std::tuple("tf32 tn f32 none", 1000, 2048, 512)}) {
    ProblemInfo problem =
        TuningProblem{llvm::cantFail(KernelSpec::parse(spec)), {m, n, k}, ""}
            .getInfo();
    std::optional<ModelChoice> choice =
        chooseBySimulator(machine, {chip, problem, "matmul", ""}, problem);
    ASSERT_TRUE(choice) << spec;
    EXPECT_TRUE(findViolations(choice->config, chip, problem).empty());
    EXPECT_EQ(ask(problem)->str(), choice->config.str());
    size_t numSimulated = 0;
    for (const KernelConfig &config :
         getFamily(Schedule::Wgmma).listCandidates(chip, problem)) {
      llvm::Expected<KernelPrediction> prediction =
          predictKernel(machine, chip, config, problem);
      if (!prediction) {
        consumeError(prediction.takeError());
        continue;
      }
      ++numSimulated;
      EXPECT_GE(double(prediction->getTotal()) * 1.000001e-6,
                choice->microseconds)
          << config.str();
    }
    EXPECT_GT(numSimulated, 50u) << spec;
  }
}

TEST_F(SimulatorProviderTest, ObeysTheUsersParameters) {
  std::optional<KernelConfig> config =
      ask(makeProblem(512, 4096, 4096, ScalarType::E4M3), "sm_90a", "stages=3");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->stages, 3);
  EXPECT_FALSE(ask(makeProblem(512, 4096, 4096, ScalarType::E4M3), "sm_90a",
                   "warps=5x1x1"));
}

TEST_F(SimulatorProviderTest, LeavesWhatItDoesNotDescribe) {
  EXPECT_FALSE(ask(makeProblem(512, 4096, 4096)));
  EXPECT_FALSE(ask(makeProblem(512, 4096, 4096, ScalarType::F64)));
  EXPECT_FALSE(ask(makeProblem(512, 4096, 4096, ScalarType::E4M3), "sm_89"));
  EXPECT_FALSE(ask(makeProblem(-1, 4096, 4096, ScalarType::E4M3)));
  // Operands that another kernel packs.
  EXPECT_FALSE(ask(makeProblem(512, 4096, 4097, ScalarType::E4M3)));
}

} // namespace
