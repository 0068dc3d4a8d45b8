//===- ModelProviderTest.cpp - Configurations from models ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/ModelProvider.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Config/WorkTerms.h"
#include "tcgemm/Model/CandidateBound.h"
#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Store/Problems.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Store/ShippedMachines.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

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
    double time =
        estimateTime(describeWork(config, chip, problem),
                     *constants.find(Schedule::Wgmma), BoardLoad::Loaded);
    EXPECT_GE(time / 1000, choice->microseconds) << config.str();
  }
  EXPECT_GT(numLegal, 100u);
}

/// Those that break a rule cost a choice time, because they may seem fast.
TEST_F(ModelProviderTest, CandidatesAreLegal) {
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  for (llvm::StringRef kernel :
       {"bf16 tn bf16 none", "bf16 nt bf16 none", "e4m3 tn bf16 none",
        "s8 tn s32 none", "tf32 tn f32 none"})
    for (auto [m, n, k] :
         {std::tuple<int64_t, int64_t, int64_t>(512, 4096, 14336),
          {1000, 2048, 512}}) {
      ProblemInfo problem =
          TuningProblem{
              llvm::cantFail(KernelSpec::parse(kernel)), {m, n, k}, ""}
              .getInfo();
      size_t count = 0;
      for (const KernelConfig &config :
           getFamily(Schedule::Wgmma).listCandidates(chip, problem)) {
        ++count;
        EXPECT_TRUE(isLegal(config, chip, problem))
            << kernel.str() << ": " << config.str();
      }
      EXPECT_GT(count, 100u) << kernel.str();
    }
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

/// Draws products of all sizes. Many of them are multiples of 8 and 64.
class RandomProducts {
public:
  ProblemInfo draw(llvm::ArrayRef<llvm::StringLiteral> kernels) {
    llvm::StringRef text = kernels[engine() % kernels.size()];
    KernelSpec kernel = llvm::cantFail(KernelSpec::parse(text));
    int64_t batch = engine() % 5 ? 1 : 1 + int64_t(engine() % 64);
    MatmulSizes sizes{drawSize(), drawSize(), drawSize(), batch};
    return TuningProblem{kernel, sizes, ""}.getInfo();
  }

private:
  int64_t drawSize() {
    constexpr double mostDoublings = 15;
    double doublings =
        std::uniform_real_distribution<>(0, mostDoublings)(engine);
    auto size = static_cast<int64_t>(std::exp2(doublings));
    constexpr int64_t steps[] = {1, 8, 16, 64};
    return int64_t(llvm::alignTo(size, steps[engine() % 4]));
  }

  std::mt19937_64 engine{1};
};

std::string describe(const ProblemInfo &problem) {
  return llvm::formatv("{0} {1}x{2}x{3}, batch {4}", problem.MatmulKind::str(),
                       problem.m, problem.n, problem.k, problem.batch)
      .str();
}

/// The choice without bounds: the first legal candidate of the least time, and
/// that time in nanoseconds.
std::optional<ModelChoice> choosePlainly(
    const ChipInfo &chip, const ProblemInfo &problem,
    llvm::function_ref<std::optional<double>(const KernelConfig &)> getTime) {
  std::optional<ModelChoice> best;
  for (const KernelConfig &config :
       getFamily(Schedule::Wgmma).listCandidates(chip, problem))
    if (std::optional<double> time = getTime(config))
      if ((!best || *time < best->microseconds) &&
          findViolations(config, chip, problem).empty())
        best = ModelChoice{config, *time};
  return best;
}

TEST_F(ModelProviderTest, RandomChoicesEqualPlainOnes) {
  constexpr llvm::StringLiteral kernels[] = {
      "bf16 tn bf16 none", "f16 nn f16 none", "bf16 nt f32 none",
      "bf16 tt bf16 bias_gelu", "f16 tn f16 residual"};
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  llvm::StringMap<ModelConstants> all = llvm::cantFail(readShippedConstants());
  const ModelConstants &constants = all.find("sm_90a")->second;
  const ScheduleConstants &own = *constants.find(Schedule::Wgmma);
  RandomProducts random;
  size_t numChoices = 0;
  for (int i = 0; i != 2000; ++i) {
    ProblemInfo problem = random.draw(kernels);
    std::optional<ModelChoice> choice =
        chooseByModel(constants, {chip, problem, "", ""}, problem);
    if (!choice) // gemv's default was measured to be faster.
      continue;
    ++numChoices;
    std::optional<ModelChoice> plain =
        choosePlainly(chip, problem, [&](const KernelConfig &config) {
          return estimateTime(describeWork(config, chip, problem), own,
                              BoardLoad::Loaded);
        });
    ASSERT_TRUE(plain) << describe(problem);
    EXPECT_EQ(choice->config.str(), plain->config.str()) << describe(problem);
    EXPECT_EQ(choice->microseconds, plain->microseconds / 1000);
  }
  EXPECT_GT(numChoices, 1500u);
}

TEST_F(SimulatorProviderTest, RandomChoicesEqualPlainOnes) {
  constexpr llvm::StringLiteral kernels[] = {
      "e4m3 tn bf16 none", "s8 tn s32 none", "tf32 tn f32 none",
      "e5m2 tn f32 none"};
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  auto machines = llvm::cantFail(readShippedMachinesByChip());
  const Machine &machine = machines.find("sm_90a")->second;
  RandomProducts random;
  size_t numChoices = 0;
  for (int i = 0; i != 500; ++i) {
    ProblemInfo problem = random.draw(kernels);
    // Another kernel packs other operands.
    problem.k = int64_t(llvm::alignTo(problem.k, 16));
    std::optional<ModelChoice> choice =
        chooseBySimulator(machine, {chip, problem, "", ""}, problem);
    if (!choice)
      continue;
    ++numChoices;
    std::optional<ModelChoice> plain =
        choosePlainly(chip, problem,
                      [&](const KernelConfig &config) -> std::optional<double> {
                        auto prediction =
                            predictKernel(machine, chip, config, problem);
                        if (prediction)
                          return double(prediction->getTotal()) * 1e-3;
                        consumeError(prediction.takeError());
                        return std::nullopt;
                      });
    ASSERT_TRUE(plain) << describe(problem);
    EXPECT_EQ(choice->config.str(), plain->config.str()) << describe(problem);
    EXPECT_EQ(choice->microseconds, plain->microseconds / 1000);
  }
  EXPECT_GT(numChoices, 350u);
}

/// Bounds that are too high could also hide behind equal choices.
TEST_F(SimulatorProviderTest, BoundsAreBelowTimes) {
  constexpr llvm::StringLiteral kernels[] = {
      "bf16 tn bf16 none", "f16 nn f16 bias_gelu", "e4m3 tn bf16 none",
      "tf32 tn f32 none"};
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  auto machines = llvm::cantFail(readShippedMachinesByChip());
  const Machine &machine = machines.find("sm_90a")->second;
  llvm::StringMap<ModelConstants> all = llvm::cantFail(readShippedConstants());
  const ScheduleConstants &constants =
      *all.find("sm_90a")->second.find(Schedule::Wgmma);
  const ScheduleFamily &family = getFamily(Schedule::Wgmma);
  const std::pair<BoardLoad, TimeBounds> boundsOfLoads[] = {
      {BoardLoad::Rested, TimeBounds(constants, BoardLoad::Rested)},
      {BoardLoad::Loaded, TimeBounds(constants, BoardLoad::Loaded)}};
  constexpr Picoseconds unlimited = std::numeric_limits<Picoseconds>::max();
  RandomProducts random;
  // The least part of a time that the candidates' bound is.
  double least = 1;
  for (int i = 0; i != 60; ++i) {
    ProblemInfo problem = random.draw(kernels);
    SCOPED_TRACE(describe(problem));
    WorkTerms terms(family, chip, problem);
    for (const KernelConfig &tile : family.listTiles(chip, problem)) {
      KernelWork ofTile = family.describeWith(terms, tile, /*residents=*/1);
      Picoseconds leastTotal = boundTileTotal(machine, tile, problem, ofTile);
      CandidateBound candidates(machine, tile, problem, ofTile);
      auto check = [&](const KernelConfig &config, int64_t residents) {
        KernelWork work = family.describeWith(terms, config, residents);
        for (const auto &[load, bounds] : boundsOfLoads) {
          double time = estimateTime(work, constants, load);
          double close = bounds.getClose(work);
          EXPECT_LE(bounds.getLeastOfTile(ofTile, TileVariants()), time)
              << config.str();
          EXPECT_LE(bounds.getCoarse(work), close * (1 + 1e-12));
          EXPECT_LE(close, time) << config.str();
          EXPECT_GE(close, 0.99 * time) << config.str();
        }
        auto total = predictTotal(machine, config, problem, work);
        if (!total)
          return consumeError(total.takeError());
        EXPECT_LE(leastTotal, *total) << config.str();
        EXPECT_LE(boundTileTotal(machine, tile, problem, ofTile, *total),
                  *total)
            << config.str();
        for (Picoseconds limit : {*total, 2 * *total, unlimited})
          EXPECT_LE(candidates.find(config, residents, limit), *total)
              << config.str();
        least =
            std::min(least, double(candidates.find(config, residents, *total)) /
                                double(*total));
        auto limited = llvm::cantFail(
            predictTotal(machine, config, problem, work, *total));
        EXPECT_EQ(limited, *total) << config.str();
        limited = llvm::cantFail(
            predictTotal(machine, config, problem, work, *total - 1));
        EXPECT_GT(limited, *total - 1) << config.str();
      };
      family.visitTile(tile, chip, problem, check);
    }
  }
  EXPECT_GT(least, 0.1);
}

TEST_F(ModelProviderTest, LegalityNeedsNoMessages) {
  constexpr llvm::StringLiteral kernels[] = {
      "bf16 nt bf16 none", "f64 tn f64 none", "e4m3 tn bf16 none"};
  const ChipInfo &chip = llvm::cantFail(lookupChip("sm_90a"));
  RandomProducts random;
  size_t numLegal = 0, numIllegal = 0;
  for (int i = 0; i != 20; ++i) {
    ProblemInfo problem = random.draw(kernels);
    for (KernelConfig config :
         getFamily(Schedule::Wgmma)
             .listCandidates(chip,
                             TuningProblem{llvm::cantFail(KernelSpec::parse(
                                               "bf16 tn bf16 none")),
                                           problem, ""}
                                 .getInfo())) {
      bool isExpected = findViolations(config, chip, problem).empty();
      EXPECT_EQ(isLegal(config, chip, problem), isExpected) << config.str();
      ++(isExpected ? numLegal : numIllegal);
    }
  }
  EXPECT_GT(numLegal, 100u);
  EXPECT_GT(numIllegal, 100u);
}

} // namespace
