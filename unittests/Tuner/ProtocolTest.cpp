//===- ProtocolTest.cpp - Tensile's steps ---------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Protocol.h"
#include "TunerTestUtils.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/Strategy.h"

#include <set>

using namespace tcgemm;

namespace {

constexpr llvm::StringLiteral kSpace = R"(
name: test
fixed:
  - {name: cta.k, value: 64}
parameters:
  - {name: cta.m, values: [32, 64, 128]}
  - {name: cta.n, values: [64, 128]}
  - {name: stages, values: [2, 3, 4, 5]}
  - {name: raster, values: [along_m, along_n]}
restrictions:
  - {name: small-rings, require: cta.m * stages <= 256}
)";

constexpr llvm::StringLiteral kProtocol = R"(
name: steps
space: test
groups:
  - name: small
    when: M < 256 && batch == 1
    fork:
      - {name: cta.m, values: [32]}
  - name: large
    benchmark: [512x512x512]
    initial:
      - {name: cta.m, value: 64}
      - {name: stages, value: 3}
    common:
      - {name: raster, values: [along_m, along_n]}
    fork:
      - {name: cta.m, values: [32, 128]}
      - {name: cta.n, values: [64, 128]}
    benchmark_fork:
      - {name: stages, values: [2, 4]}
    join: [cta.n]
    benchmark_join:
      - {name: stages, values: [3, 5]}
    final:
      exact: [512x512x512, 256x512x512]
      ranges:
        - {m: "1024:2048:1024", n: "512", k: "64,128"}
)";

class ProtocolTest : public testing::Test {
protected:
  /// Follows the protocol where the time of a configuration is `getTime`'s;
  /// returns the configurations in the order of their proposals.
  std::vector<KernelConfig>
  follow(const TuningProblem &problem,
         llvm::function_ref<double(const KernelConfig &)> getTime) {
    SearchSpace space =
        unwrap(SearchSpace::create(declared, *lookupChip("sm_90a"), problem));
    StrategyOptions options;
    options.protocol = run;
    auto strategy = unwrap(createStrategy("steps", space, options));
    std::vector<KernelConfig> tried;
    while (true) {
      std::vector<SpacePoint> points = strategy->propose(3);
      if (points.empty())
        break;
      for (const SpacePoint &point : points) {
        EXPECT_TRUE(space.isLegal(point));
        KernelConfig config = space.getConfig(point);
        double time = getTime(config);
        strategy->report(
            {point, time > 0 ? Outcome::Success : Outcome::Timeout, time});
        tried.push_back(config);
      }
    }
    return tried;
  }

  Space declared = unwrap(Space::parse(kSpace, "test"));
  std::shared_ptr<ProtocolRun> run = std::make_shared<ProtocolRun>(
      ProtocolRun{unwrap(Protocol::parse(kProtocol, "test")), {}});
};

TEST_F(ProtocolTest, FindsGroups) {
  const Protocol &protocol = run->protocol;
  EXPECT_EQ(protocol.getSpaceName(), "test");
  EXPECT_EQ(protocol.findGroup({128, 512, 64})->name, "small");
  EXPECT_EQ(protocol.findGroup({128, 512, 64, 2})->name, "large");
  EXPECT_EQ(protocol.findGroup({256, 512, 64})->name, "large");
}

TEST_F(ProtocolTest, OrdersProblems) {
  auto getTexts = [&](llvm::ArrayRef<TuningProblem> given) {
    std::vector<std::string> texts;
    for (const TuningProblem &problem :
         unwrap(orderProblems(run->protocol, given, {})))
      texts.push_back(problem.sizes.str());
    return texts;
  };
  EXPECT_EQ(
      getTexts({makeProblem(256, 256, 256), makeProblem(64, 64, 64)}),
      (std::vector<std::string>{"512x512x512", "256x256x256", "64x64x64"}));
  EXPECT_EQ(getTexts({}), (std::vector<std::string>{
                              "512x512x512", "256x512x512", "1024x512x64",
                              "1024x512x128", "2048x512x64", "2048x512x128"}));
}

TEST_F(ProtocolTest, FollowsTheSteps) {
  // along_n is faster, 128 rows are, and deep rings.
  auto getTime = [](const KernelConfig &config) {
    double time = config.raster == RasterOrder::AlongN ? 10 : 20;
    return time + (config.cta[0] == 128 ? 0 : 2) +
           (config.cta[1] == 128 ? 0 : 3) -
           0.1 * static_cast<double>(config.stages);
  };
  std::vector<KernelConfig> tried = follow(makeProblem(512, 512, 512), getTime);
  // The common step: both rasters with the initial tile.
  ASSERT_GE(tried.size(), 2u);
  EXPECT_EQ(tried[0].cta[0], 64);
  EXPECT_EQ(tried[1].cta[0], 64);
  EXPECT_NE(tried[0].raster, tried[1].raster);
  // From then on the better one, and the fork's tiles only: 32 rows with two
  // depths, 128 with the one that is legal, twice for N; then depths 3 and 5
  // for the best with each N, which has 128 rows and so none of them.
  unsigned forked = 0;
  for (const KernelConfig &config : llvm::drop_begin(tried, 2)) {
    EXPECT_EQ(config.raster, RasterOrder::AlongN);
    EXPECT_NE(config.cta[0], 64);
    ++forked;
  }
  EXPECT_EQ(forked, 6u);
  // The winners for each N.
  const std::vector<KernelConfig> &solutions = run->solutions["large"];
  ASSERT_EQ(solutions.size(), 2u);
  for (const KernelConfig &config : solutions) {
    EXPECT_EQ(config.cta[0], 128);
    EXPECT_EQ(config.stages, 2);
  }
}

TEST_F(ProtocolTest, OtherSizesGetTheSolutions) {
  auto getTime = [](const KernelConfig &config) {
    return static_cast<double>(config.cta[0] + config.stages);
  };
  follow(makeProblem(512, 512, 512), getTime);
  std::vector<KernelConfig> solutions = run->solutions["large"];
  std::vector<KernelConfig> tried = follow(makeProblem(2048, 512, 64), getTime);
  EXPECT_EQ(tried, solutions);
  EXPECT_EQ(run->solutions["large"], solutions);
}

TEST_F(ProtocolTest, JoinsAfterTheSecondDepth) {
  // 32 rows are fastest, so that depths 3 and 5 follow for each N.
  auto getTime = [](const KernelConfig &config) {
    return static_cast<double>(config.cta[0] - config.stages);
  };
  follow(makeProblem(512, 512, 512), getTime);
  for (const KernelConfig &config : run->solutions["large"])
    EXPECT_EQ(config.stages, 5);
  EXPECT_EQ(run->solutions["large"].size(), 2u);
}

TEST_F(ProtocolTest, FailuresDropOut) {
  auto getTime = [](const KernelConfig &config) {
    return config.cta[0] == 128 || config.cta[1] == 64 ? -1.0 : 5.0;
  };
  follow(makeProblem(512, 512, 512), getTime);
  ASSERT_EQ(run->solutions["large"].size(), 1u);
  EXPECT_EQ(run->solutions["large"][0].cta[0], 32);
  // A group without sizes to measure on: each problem itself.
  EXPECT_EQ(
      follow(makeProblem(64, 64, 64), [](const KernelConfig &) { return 1.0; })
          .size(),
      1u);
}

TEST_F(ProtocolTest, ErrorsNameTheStep) {
  auto parse = [](llvm::StringRef group) {
    return getError(Protocol::parse(
        ("{name: p, space: s, groups: [{name: g, " + group + "}]}").str(),
        "f"));
  };
  EXPECT_EQ(parse("fork: [{name: cat, values: [1]}]").substr(0, 47),
            "f: group 'g': fork: unknown parameter 'cat'; kn");
  EXPECT_EQ(parse("fork: [{name: stages, values: []}]"),
            "f: group 'g': fork: parameter 'stages' has no values");
  EXPECT_EQ(parse("fork: [{name: stages, values: [x]}]").substr(0, 20),
            "f: group 'g': fork: ");
  EXPECT_EQ(parse("fork: [{name: stages, values: [2]}, "
                  "{name: stages, values: [3]}]"),
            "f: group 'g': fork: parameter 'stages' is declared twice");
  EXPECT_EQ(parse("fork: [{name: stages, values: [2]}], join: [cta.m]"),
            "f: group 'g': join: parameter 'cta.m' is not one of the fork");
  EXPECT_EQ(parse("when: stages > 2, fork: []"),
            "f: group 'g': when: unknown name 'stages'; known are M, N, K, "
            "batch");
  EXPECT_EQ(parse("fork: [], benchmark: [2x2]").substr(0, 27),
            "f: group 'g': shape '2x2': ");
  EXPECT_EQ(
      parse("fork: [], initial: [{name: raster, value: up}]").substr(0, 23),
      "f: group 'g': initial: ");
  EXPECT_EQ(
      parse("fork: [], final: {ranges: [{m: 5:1, n: 1, k: 1}]}").substr(0, 28),
      "f: group 'g': sizes '5:1': e");
  EXPECT_EQ(parse("fork: []}, {name: g, fork: []"),
            "f: group 'g' is declared twice");
  EXPECT_EQ(parse("spoon: []").substr(0, 4), "f:1:");
  Protocol narrow = unwrap(Protocol::parse(
      "{name: p, space: s, groups: [{name: g, when: M > 9, fork: []}]}", "f"));
  EXPECT_EQ(getError(orderProblems(narrow, {makeProblem(9, 9, 9)}, {})),
            "no group of protocol 'p' takes 9x9x9");
}

TEST_F(ProtocolTest, TheSpaceMustHaveTheParameters) {
  SearchSpace space = unwrap(SearchSpace::create(
      declared, *lookupChip("sm_90a"), makeProblem(512, 512, 512)));
  auto create = [&](llvm::StringRef fork) {
    StrategyOptions options;
    options.protocol = std::make_shared<ProtocolRun>(ProtocolRun{
        unwrap(Protocol::parse(
            ("{name: p, space: s, groups: [{name: g, fork: [" + fork + "]}]}")
                .str(),
            "f")),
        {}});
    return getError(createStrategy("p", space, options));
  };
  EXPECT_EQ(create("{name: split_k, values: [2]}"),
            "protocol 'p', group 'g': 'split_k' is no parameter of space "
            "'test'");
  EXPECT_EQ(create("{name: stages, values: [2, 9]}"),
            "protocol 'p', group 'g': stages = 9 is no value of space 'test'");
}

TEST(Protocols, ShippedOnesFitTheirSpaces) {
  for (const char *name : {"tensile-wgmma", "tensile-mma_sync"})
    for (const TuningProblem &problem :
         {makeProblem(4096, 4096, 4096), makeProblem(16, 4096, 4096)}) {
      Protocol protocol = unwrap(readProtocol(name));
      SearchSpace space =
          unwrap(SearchSpace::create(unwrap(readSpace(protocol.getSpaceName())),
                                     *lookupChip("sm_90a"), problem));
      StrategyOptions options;
      options.protocol =
          std::make_shared<ProtocolRun>(ProtocolRun{protocol, {}});
      auto strategy = unwrap(createStrategy(name, space, options));
      EXPECT_FALSE(strategy->propose(1).empty()) << name;
    }
}

} // namespace
