//===- ChoiceCacheTest.cpp - Tests of ChoiceCache ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ChoiceCache.h"

#include "gtest/gtest.h"

#include <atomic>
#include <functional>
#include <thread>

using namespace tcgemm;
using llvm::cantFail;

namespace {

/// Answers with as many stages as it was asked before.
class CountingProvider : public ConfigProvider {
public:
  llvm::StringRef getName() const override { return "counter"; }
  std::optional<KernelConfig> lookup(const ConfigRequest &) override {
    KernelConfig config;
    config.stages = ++numQuestions;
    return config;
  }
  std::atomic<int64_t> numQuestions = 0;
};

class ChoiceCacheTest : public ::testing::Test {
protected:
  int64_t choose(const ProblemInfo &problem, std::string overrides = "",
                 llvm::StringRef chip = "sm_90a") {
    ConfigRequest request{cantFail(lookupChip(chip)), problem, "",
                          std::move(overrides)};
    std::shared_ptr<const ChosenConfig> choice =
        cantFail(cache.choose(providers, request));
    EXPECT_EQ(cache.find(request), choice);
    EXPECT_EQ(choice->source, "counter");
    return choice->config.stages;
  }
  static ProblemInfo makeProblem(int64_t m = 1, int64_t n = 2, int64_t k = 3,
                                 int64_t batch = 1) {
    ProblemInfo problem;
    problem.setSizes({m, n, k, batch});
    return problem;
  }

  std::shared_ptr<CountingProvider> provider =
      std::make_shared<CountingProvider>();
  ConfigProviders providers = {provider};
  ChoiceCache cache;
};

TEST_F(ChoiceCacheTest, AsksOnceForASize) {
  EXPECT_EQ(choose(makeProblem(1, 2, 3)), 1);
  EXPECT_EQ(choose(makeProblem(3, 2, 1)), 2);
  EXPECT_EQ(choose(makeProblem(2, 1, 3)), 3);
  EXPECT_EQ(choose(makeProblem(1, 2, 3, 2)), 4);
  EXPECT_EQ(choose(makeProblem(1, 2, 3)), 1);
  EXPECT_EQ(choose(makeProblem(1, 2, 3, 2)), 4);
  EXPECT_EQ(provider->numQuestions, 4);
  cache.clear();
  EXPECT_EQ(choose(makeProblem(1, 2, 3)), 5);
}

TEST_F(ChoiceCacheTest, TellsRequestsApart) {
  using Change = std::function<void(ProblemInfo &)>;
  const Change changes[] = {
      [](ProblemInfo &p) { p.typeA = ScalarType::F16; },
      [](ProblemInfo &p) { p.typeB = ScalarType::F16; },
      [](ProblemInfo &p) { p.accumulator = ScalarType::F16; },
      [](ProblemInfo &p) { p.output = ScalarType::F32; },
      [](ProblemInfo &p) { p.aKContiguous = false; },
      [](ProblemInfo &p) { p.bKContiguous = false; },
      [](ProblemInfo &p) { p.hasAlpha = true; },
      [](ProblemInfo &p) { p.hasBeta = true; },
      [](ProblemInfo &p) { p.hasScalesA = true; },
      [](ProblemInfo &p) { p.hasScalesB = true; },
      [](ProblemInfo &p) { p.transformA.isOther = true; },
      [](ProblemInfo &p) { p.transformB.parts = {TransformPart::Relu}; },
      [](ProblemInfo &p) { p.groups.depth = 32; },
      [](ProblemInfo &p) { p.algebra.reduce = AlgebraOperation::Max; },
      [](ProblemInfo &p) { p.isGrouped = true; },
      [](ProblemInfo &p) { p.groupKind = GroupKind::Padded; },
      [](ProblemInfo &p) { p.dual = DualKind::Other; },
      [](ProblemInfo &p) { p.convolution.emplace(); },
      [](ProblemInfo &p) { p.bands[0] = cantFail(Band::parse("lower")); },
      [](ProblemInfo &p) { p.bands[1] = cantFail(Band::parse("lower")); },
      [](ProblemInfo &p) { p.isSymmetric = true; },
      [](ProblemInfo &p) { p.epilogue.parts = {EpiloguePart::Relu}; },
      [](ProblemInfo &p) { p.reductions.hasOther = true; },
      [](ProblemInfo &p) { p.tmaOutputs = false; },
      [](ProblemInfo &p) { p.leastOutputBytes = 1; },
      [](ProblemInfo &p) { p.mostOutputBytes = 4; },
      [](ProblemInfo &p) { p.stageableInputs = 1; },
      [](ProblemInfo &p) { p.readsInputs = true; },
      [](ProblemInfo &p) { p.epilogueBytes = 4; },
      [](ProblemInfo &p) { p.plainEpilogue = false; },
      [](ProblemInfo &p) { p.summedValues = 2; },
      [](ProblemInfo &p) { p.coefficients[0] = 2; },
      [](ProblemInfo &p) { p.coefficients[1] = 2; }};
  int64_t expected = 1;
  EXPECT_EQ(choose(makeProblem()), expected);
  for (const Change &change : changes) {
    ProblemInfo changed = makeProblem();
    change(changed);
    EXPECT_EQ(choose(changed), ++expected);
  }
  EXPECT_EQ(choose(makeProblem(), "split_k=1"), ++expected);
  EXPECT_EQ(choose(makeProblem(), "", "sm_90"), ++expected);
  EXPECT_EQ(choose(makeProblem()), 1);
  EXPECT_EQ(choose(makeProblem(), "split_k=1"), expected - 1);
}

TEST_F(ChoiceCacheTest, KeepsNoErrors) {
  ConfigRequest request{cantFail(lookupChip("sm_90a")), makeProblem(), "",
                        "stagse=3"};
  for (int i = 0; i != 2; ++i) {
    auto choice = cache.choose(providers, request);
    EXPECT_FALSE(choice);
    consumeError(choice.takeError());
    EXPECT_EQ(cache.find(request), nullptr);
  }
  EXPECT_EQ(provider->numQuestions, 2);
}

TEST_F(ChoiceCacheTest, IsBounded) {
  auto most = static_cast<int64_t>(ChoiceCache::kMostChoices);
  for (int64_t m = 1; m <= most; ++m)
    choose(makeProblem(m));
  EXPECT_EQ(choose(makeProblem(1)), 1);
  EXPECT_EQ(choose(makeProblem(most + 1)), most + 1);
  EXPECT_EQ(choose(makeProblem(1)), most + 2);
}

TEST_F(ChoiceCacheTest, ServesThreads) {
  constexpr int64_t numThreads = 4, numSizes = 50, rounds = 200;
  std::vector<std::thread> threads;
  for (int64_t i = 0; i != numThreads; ++i)
    threads.emplace_back([&, i] {
      for (int64_t round = 0; round != rounds; ++round)
        for (int64_t m = 1; m <= numSizes; ++m)
          choose(makeProblem(m + i % 2));
    });
  for (std::thread &thread : threads)
    thread.join();
  // Threads may ask for the same size at the same time.
  EXPECT_GE(provider->numQuestions, numSizes + 1);
  EXPECT_LE(provider->numQuestions, numThreads * numSizes);
}

} // namespace
