//===- SolverTest.cpp - Tests of the solver ---------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Solver.h"
#include "ModelTestUtils.h"

#include "llvm/Support/Compiler.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <ctime>
#include <functional>

using namespace tcgemm;
using llvm::cantFail;

namespace {

using V = TilingVariable;

TilingProblem makeProblem(int64_t m, int64_t n, int64_t k) {
  TilingProblem problem;
  problem.product.m = m;
  problem.product.n = n;
  problem.product.k = k;
  problem.product.batch = 1;
  problem.product.typeA = problem.product.typeB = ScalarType::BF16;
  problem.chip = &cantFail(lookupChip("sm_90a"));
  auto buffer = llvm::MemoryBuffer::getFile(
      TCGEMM_SOURCE_DIR "/unittests/Model/Inputs/fitted.machine.yaml");
  problem.machine = cantFail(parseMachine((*buffer)->getBuffer(), "h200"));
  problem.space = TilingSpace::ofWgmma(128, 1, 1);
  problem.base = chooseBase(problem.product);
  return problem;
}

/// Of code with sanitizers.
constexpr double kSlowdown =
    LLVM_ADDRESS_SANITIZER_BUILD || LLVM_THREAD_SANITIZER_BUILD ? 10 : 1;

std::string describe(const TilingSolution &solution) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (size_t i = 0; i < kNumTilingVariables; ++i)
    out << getName(V(i)) << '=' << solution.tiling.values[i] << ' ';
  out << solution.objective << " ps, " << solution.numChecks << " checks";
  return text;
}

void setQuantity(Machine &machine, Quantity quantity, double value) {
  machine.values[size_t(quantity)].value = value;
}

/// The solver's objective must be that of the best simulated tiling.
void expectBest(const TilingProblem &problem) {
  TilingSolution expected = cantFail(enumerateTilings(problem));
  TilingSolution solution = cantFail(solveTiling(problem, {}));
  EXPECT_TRUE(solution.isProven);
  EXPECT_EQ(solution.objective, expected.objective)
      << describe(solution) << "; " << describe(expected);
  EXPECT_EQ(cantFail(simulateTiling(problem, solution.tiling)),
            solution.objective);
  EXPECT_TRUE(findViolations(problem, solution.tiling).empty());
}

/// The five sizes of the paper's Table 1, whose solver took 0.2 to 0.6 s.
TEST(Solver, Table1OfThePaper) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{1024, 1024, 1024},
                         {1024, 512, 1024},
                         {1024, 1024, 512},
                         {1024, 512, 512},
                         {512, 512, 512}})
    for (TilingObjective objective :
         {TilingObjective::Time, TilingObjective::Wait}) {
      TilingProblem problem = makeProblem(m, n, k);
      problem.objective = objective;
      SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k);
      expectBest(problem);
      std::clock_t start = std::clock();
      cantFail(solveTiling(problem, {}));
      double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
      EXPECT_LE(seconds, kSlowdown * 0.2);
    }
}

/// The space of the exhaustive tests.
TilingSpace makeSmallSpace() {
  TilingSpace space = TilingSpace::ofWgmma(128, 1, 1);
  space.values[size_t(V::TileN)] = {32, 64, 96, 128};
  space.values[size_t(V::Depth)] = {2, 3, 5, 8};
  return space;
}

/// 8 * 8 * 8 sizes on three machines.
void expectBestOnAll(const std::function<void(Machine &)> &change) {
  TilingProblem problem = makeProblem(1, 1, 1);
  change(problem.machine);
  problem.space = makeSmallSpace();
  for (int64_t m = 128; m <= 1024; m += 128)
    for (int64_t n = 128; n <= 1024; n += 128)
      for (int64_t k = 128; k <= 1024; k += 128) {
        problem.product.m = m;
        problem.product.n = n;
        problem.product.k = k;
        // Both objectives, each for half of the sizes.
        problem.objective = (m + n + k) / 128 % 2 ? TilingObjective::Time
                                                  : TilingObjective::Wait;
        SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k);
        expectBest(problem);
      }
}

TEST(Solver, EqualsBruteForceOnTheH200) {
  expectBestOnAll([](Machine &) {});
}

TEST(Solver, EqualsBruteForceWithSlowCopies) {
  expectBestOnAll([](Machine &machine) {
    setQuantity(machine, Quantity::CopyRate, 5);
    setQuantity(machine, Quantity::CopyStartup, 77);
    setQuantity(machine, Quantity::Processors, 84);
  });
}

TEST(Solver, EqualsBruteForceWithSlowProducts) {
  expectBestOnAll([](Machine &machine) {
    setQuantity(machine, Quantity::MathRate, 300);
    setQuantity(machine, Quantity::Processors, 16);
  });
}

template <typename Values>
std::vector<int64_t> drawSome(RandomNumbers &random, const Values &values) {
  std::vector<int64_t> some;
  while (some.empty())
    for (int64_t value : values)
      if (random.draw(0, 2) == 0)
        some.push_back(value);
  return some;
}

/// Also rings of one slot and two copy warps, which no kernel has yet.
TilingProblem drawProblem(RandomNumbers &random) {
  TilingProblem problem = makeProblem(
      random.draw(1, 3000), random.draw(1, 3000), random.draw(1, 1500));
  problem.product.batch = random.draw({1, 1, 3});
  problem.objective =
      random.draw(0, 1) ? TilingObjective::Time : TilingObjective::Wait;
  setQuantity(problem.machine, Quantity::Processors, random.draw(1, 132));
  setQuantity(problem.machine, Quantity::CopyRate,
              double(random.draw({3, 30, 300})));
  setQuantity(problem.machine, Quantity::CopyStartup,
              double(random.draw({0, 50})));
  TilingSpace &space = problem.space;
  if (random.draw(0, 1)) {
    space = TilingSpace::ofWgmma(256, 4, 4);
  } else {
    problem.chip = nullptr;
    space.values = {{{8, 24, 48, 64, 100},
                     {8, 16, 72, 128},
                     {16, 32, 96},
                     {1, 2, 3},
                     {1, 2},
                     {1, 2},
                     {1, 2, 4},
                     {1, 2},
                     {1, 2, 5}}};
  }
  for (auto &values : space.values)
    values = drawSome(random, values);
  return problem;
}

TEST(Solver, EqualsBruteForceOnRandomProblems) {
  RandomNumbers random;
  int solved = 0;
  for (int64_t i = 0; i < 300; ++i) {
    TilingProblem problem = drawProblem(random);
    SCOPED_TRACE(random.describe(i));
    llvm::Expected<TilingSolution> expected = enumerateTilings(problem);
    llvm::Expected<TilingSolution> solution = solveTiling(problem, {});
    ASSERT_EQ(bool(expected), bool(solution));
    if (!expected) {
      ASSERT_EQ(toString(expected.takeError()), toString(solution.takeError()));
      continue;
    }
    ++solved;
    ASSERT_TRUE(solution->isProven);
    ASSERT_EQ(solution->objective, expected->objective)
        << describe(*solution) << "; " << describe(*expected);
  }
  EXPECT_GT(solved, 200);
}

TEST(Solver, TakesTheDeepestRingOfEqualOnes) {
  TilingProblem problem = makeProblem(512, 512, 512);
  problem.space.values = {
      {{128}, {128}, {64}, {2, 5, 6, 3, 12}, {1}, {2}, {1}, {1}, {1}}};
  // Seven stages of 32 KiB do not fit.
  EXPECT_EQ(cantFail(solveTiling(problem, {})).tiling.get(V::Depth), 6);
}

TEST(Solver, ReturnsTheBestSoFar) {
  TilingProblem problem = makeProblem(4096, 4096, 4096);
  problem.space = TilingSpace::ofWgmma(256, 1, 1);
  SolverOptions options;
  options.timeLimit = std::chrono::milliseconds(1);
  TilingSolution solution = cantFail(solveTiling(problem, options));
  EXPECT_FALSE(solution.isProven);
  EXPECT_EQ(cantFail(simulateTiling(problem, solution.tiling)),
            solution.objective);
  EXPECT_TRUE(findViolations(problem, solution.tiling).empty());
  // One tiling of 10,000 is legal: none of those that are tried at first.
  problem.space.values = {{{64}, {8}, {64}, {2}, {1}, {1}, {1}, {1}, {1}}};
  for (int64_t other = 3; other < 22; ++other) {
    problem.space.values[size_t(V::TileM)].push_back(other * 64 + 1);
    problem.space.values[size_t(V::TileN)].push_back(other * 8 + 1);
  }
  for (int64_t other : {3, 5, 6, 7}) {
    problem.space.values[size_t(V::ClusterM)].push_back(other);
    problem.space.values[size_t(V::ClusterN)].push_back(other);
  }
  options.timeLimit = std::chrono::milliseconds(0);
  EXPECT_EQ(toString(solveTiling(problem, options).takeError()),
            "no legal tiling was found within 0 ms");
  expectBest(problem);
}

std::string getError(const TilingProblem &problem,
                     const SolverOptions &options = {}) {
  return toString(solveTiling(problem, options).takeError());
}

TEST(Solver, RefusesBadProblems) {
  TilingProblem problem = makeProblem(0, 64, 64);
  EXPECT_EQ(getError(problem), "M = 0, but it must be 1 to 16777216");
  problem = makeProblem(64, 64, 64);
  problem.space.values[size_t(V::Depth)] = {};
  EXPECT_EQ(getError(problem), "depth has no values");
  problem.space.values[size_t(V::Depth)] = {65};
  EXPECT_EQ(getError(problem), "depth = 65, but it must be 1 to 64");
  problem.space.values[size_t(V::Depth)] = {1};
  EXPECT_NE(getError(problem).find(
                "no tiling of the space is legal. The first is tm = 64"),
            std::string::npos);
  EXPECT_NE(getError(problem).find("; stages = 1"), std::string::npos);
  // A time that the simulator refuses.
  problem = makeProblem(4096, 4096, 4096);
  setQuantity(problem.machine, Quantity::MathRate, 1e-6);
  EXPECT_NE(getError(problem).find("T_MATH = "), std::string::npos);
}

TEST(Solver, KnowsRulesThatAllTilingsBreak) {
  TilingProblem problem = makeProblem(256, 256, 256);
  problem.chip = &cantFail(lookupChip("sm_80"));
  EXPECT_NE(getError(problem).find("no wgmma"), std::string::npos);
  problem = makeProblem(256, 256, 256);
  problem.product.typeA = problem.product.typeB = ScalarType::E4M3;
  problem.product.hasScalesA = problem.product.hasScalesB = true;
  problem.base = chooseBase(problem.product);
  expectBest(problem);
}

TEST(Solver, NeedsZ3) {
  SolverOptions options;
  options.library = "/nowhere/libz3.so";
  EXPECT_NE(getError(makeProblem(64, 64, 64), options)
                .find("cannot load Z3: /nowhere/libz3.so: cannot open"),
            std::string::npos);
  options.library = "libm.so.6";
  EXPECT_EQ(getError(makeProblem(64, 64, 64), options),
            "'libm.so.6' is not Z3, or too old: it has no Z3_mk_config");
}

} // namespace
