//===- StrategyTest.cpp - Strategies and budgets --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Strategy.h"
#include "TunerTestUtils.h"
#include "tcgemm/Store/Shipped.h"

#include <cmath>
#include <set>

using namespace tcgemm;

namespace {

std::vector<uint64_t> runAll(llvm::StringRef name, const SearchSpace &space,
                             uint64_t seed) {
  StrategyOptions options;
  options.seed = seed;
  options.model = [](const SearchSpace &, const KernelConfig &config) {
    return static_cast<double>(config.cta[0] * config.cta[1] % 7);
  };
  auto strategy = unwrap(createStrategy(name, space, options));
  EXPECT_EQ(strategy->getName(), name);
  std::vector<uint64_t> proposed;
  while (true) {
    std::vector<SpacePoint> points = strategy->propose(3);
    EXPECT_LE(points.size(), 3u);
    if (points.empty())
      return proposed;
    for (const SpacePoint &point : points) {
      EXPECT_TRUE(space.isLegal(point));
      proposed.push_back(space.getIndex(point));
      // A time that differs from point to point.
      strategy->report({point, Outcome::Success,
                        1.0 + static_cast<double>(proposed.back() % 97)});
    }
  }
}

class StrategyTest : public testing::TestWithParam<std::string> {
protected:
  bool isRandom() const {
    return llvm::any_of(getStrategies(), [&](const StrategyInfo &info) {
      return info.name == GetParam() && info.isRandom;
    });
  }
  SearchSpace space = unwrap(
      SearchSpace::create(unwrap(readSpace("mma_sync-quick")),
                          *lookupChip("sm_90a"), makeProblem(512, 512, 512)));
};

TEST_P(StrategyTest, ProposesEachLegalPointAtMostOnce) {
  std::vector<uint64_t> proposed = runAll(GetParam(), space, 1);
  std::set<uint64_t> different(proposed.begin(), proposed.end());
  EXPECT_EQ(different.size(), proposed.size());
  EXPECT_GT(proposed.size(), space.getLegal().size() / 4);
}

TEST_P(StrategyTest, IsReproducible) {
  EXPECT_EQ(runAll(GetParam(), space, 7), runAll(GetParam(), space, 7));
  if (isRandom())
    EXPECT_NE(runAll(GetParam(), space, 7), runAll(GetParam(), space, 8));
}

std::vector<std::string> getNames() {
  std::vector<std::string> names;
  for (const StrategyInfo &info : getStrategies())
    names.push_back(info.name.str());
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, StrategyTest, testing::ValuesIn(getNames()),
                         [](const auto &info) { return info.param; });

TEST(Strategies, ExhaustiveAndRandomAreComplete) {
  SearchSpace space = unwrap(
      SearchSpace::create(unwrap(readSpace("mma_sync-quick")),
                          *lookupChip("sm_90a"), makeProblem(512, 512, 512)));
  EXPECT_EQ(runAll("exhaustive", space, 1), space.getLegal().vec());
  std::vector<uint64_t> random = runAll("random", space, 1);
  llvm::sort(random);
  EXPECT_EQ(random, space.getLegal().vec());
}

static void expectToFollowItsModel(llvm::StringRef name) {
  SearchSpace space = unwrap(
      SearchSpace::create(unwrap(readSpace("mma_sync-quick")),
                          *lookupChip("sm_90a"), makeProblem(512, 512, 512)));
  StrategyOptions options;
  EXPECT_EQ(getError(createStrategy(name, space, options).takeError()),
            ("strategy '" + name + "' needs a model of costs").str());
  // Narrow tiles are said to be twice as fast as any others.
  options.model = [](const SearchSpace &, const KernelConfig &config) {
    return config.cta[1] == 64 ? 1.0 : 2.0;
  };
  auto strategy = unwrap(createStrategy(name, space, options));
  std::set<std::array<int64_t, 3>> tiles;
  for (const SpacePoint &point : strategy->propose(8)) {
    KernelConfig config = space.getConfig(point);
    EXPECT_EQ(config.cta[1], 64);
    tiles.insert(config.cta);
  }
  // Points with equal estimates alternate.
  EXPECT_GT(tiles.size(), 1u);
}

TEST(Strategies, RankedFollowsItsModel) { expectToFollowItsModel("ranked"); }
TEST(Strategies, EstimatedFollowsItsModel) {
  expectToFollowItsModel("estimated");
}

TEST(Strategies, RankedLearnsAndEstimatedDoesNot) {
  SearchSpace space = unwrap(
      SearchSpace::create(unwrap(readSpace("mma_sync-quick")),
                          *lookupChip("sm_90a"), makeProblem(512, 512, 512)));
  StrategyOptions options;
  options.model = [](const SearchSpace &, const KernelConfig &) { return 10; };
  // Narrow tiles are twice as fast, contrary to the model.
  auto countNarrow = [&](llvm::StringRef name) {
    auto strategy = unwrap(createStrategy(name, space, options));
    unsigned narrow = 0;
    for (unsigned i = 0; i != 24; ++i)
      for (const SpacePoint &point : strategy->propose(1)) {
        bool isNarrow = space.getConfig(point).cta[1] <= 64;
        narrow += isNarrow;
        strategy->report({point, Outcome::Success, isNarrow ? 5.0 : 10.0});
      }
    return narrow;
  };
  EXPECT_GT(countNarrow("ranked"), countNarrow("estimated") + 2);
}

/// The model does not know that deep rings are slower: one feature of it says
/// how deep they are.
TEST(Strategies, ModelledCorrectsWhatFeaturesExplain) {
  SearchSpace space = unwrap(
      SearchSpace::create(unwrap(readSpace("mma_sync-quick")),
                          *lookupChip("sm_90a"), makeProblem(512, 512, 512)));
  StrategyOptions options;
  options.model = [](const SearchSpace &, const KernelConfig &config) {
    return 10.0 - 0.1 * double(config.stages);
  };
  options.features = [](const SearchSpace &, const KernelConfig &config) {
    return std::vector<double>{double(config.stages)};
  };
  auto countDeep = [&](llvm::StringRef name) {
    auto strategy = unwrap(createStrategy(name, space, options));
    unsigned deep = 0;
    for (unsigned i = 0; i != 12; ++i)
      for (const SpacePoint &point : strategy->propose(1)) {
        int64_t stages = space.getConfig(point).stages;
        deep += stages > 3;
        strategy->report(
            {point, Outcome::Success, 10.0 * std::exp(0.3 * double(stages))});
      }
    return deep;
  };
  EXPECT_LE(countDeep("modelled"), 4u);
  EXPECT_EQ(countDeep("estimated"), 12u);
}

TEST(Strategies, UnknownOnesAreNamed) {
  EXPECT_EQ(getError(checkStrategy("guess")).substr(0, 34),
            "unknown strategy 'guess'; known ar");
}

TEST(Budget, IsReadAndWritten) {
  EXPECT_EQ(unwrap(Budget::parse("30s")).seconds, 30);
  EXPECT_EQ(unwrap(Budget::parse("2m")).seconds, 120);
  EXPECT_EQ(unwrap(Budget::parse("0.5h")).seconds, 1800);
  Budget both = unwrap(Budget::parse("200, 5%"));
  EXPECT_EQ(both.candidates, 200u);
  EXPECT_EQ(both.percent, 5);
  EXPECT_EQ(both.str(), "200,5%");
  for (const char *text :
       {"", "0", "-1", "101%", "1.5", "3d", "s", "%", "1e400"})
    EXPECT_NE(getError(Budget::parse(text)).find("expected a time"),
              std::string::npos)
        << text;
}

} // namespace
