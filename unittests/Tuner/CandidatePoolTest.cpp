//===- CandidatePoolTest.cpp - Legal points and their neighbours ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/CandidatePool.h"
#include "Search/ResidualProcess.h"
#include "TunerTestUtils.h"

#include <cmath>
#include <limits>
#include <set>

using namespace tcgemm;

namespace {

/// Tiles of M and depths; a deep ring is legal for small tiles only.
constexpr llvm::StringLiteral kSpace = R"(
name: test
fixed:
  - {name: cta.n, value: 128}
  - {name: cta.k, value: 64}
parameters:
  - {name: cta.m, values: [32, 64, 128, 256]}
  - {name: stages, values: [2, 3, 4, 5, 6]}
  - {name: raster, values: [along_m, along_n]}
restrictions:
  - {name: small-rings, require: cta.m * stages <= 256}
)";

class CandidatePoolTest : public testing::Test {
protected:
  CandidateId find(uint16_t m, uint16_t stages, uint16_t raster = 0) {
    return pool.getId({m, stages, raster});
  }
  std::set<CandidateId> getNeighbours(CandidateId id) {
    auto neighbours = pool.getNeighbours(id, random);
    std::set<CandidateId> all(neighbours.begin(), neighbours.end());
    EXPECT_EQ(all.size(), neighbours.size());
    return all;
  }

  Space declared = unwrap(Space::parse(kSpace, "test"));
  SearchSpace space = unwrap(SearchSpace::create(
      declared, *lookupChip("sm_90a"), makeProblem(512, 512, 512)));
  CandidatePool pool{space};
  Random random{1};
};

TEST_F(CandidatePoolTest, NumbersTheLegalPoints) {
  // 32: all five depths, 64: 2 to 4, 128: 2, 256: none; two rasters each.
  ASSERT_EQ(pool.size(), 18u);
  for (CandidateId id = 0; id != pool.size(); ++id)
    EXPECT_EQ(pool.getId(pool.getPoint(id)), id);
}

TEST_F(CandidatePoolTest, DistancesAreSteps) {
  EXPECT_EQ(pool.getDistance(find(0, 0), find(0, 0)), 0);
  EXPECT_EQ(pool.getDistance(find(0, 0), find(0, 3)), 3);
  EXPECT_EQ(pool.getDistance(find(0, 2), find(1, 1, 1)), 3);
}

TEST_F(CandidatePoolTest, NeighboursRepairOtherAxes) {
  // From 64x...x4 stages, the next larger tile has 2 stages only.
  auto neighbours = getNeighbours(find(1, 2));
  EXPECT_TRUE(neighbours.count(find(2, 0)));    // cta.m up, stages repaired
  EXPECT_TRUE(neighbours.count(find(0, 2)));    // cta.m down
  EXPECT_TRUE(neighbours.count(find(1, 1)));    // stages down
  EXPECT_TRUE(neighbours.count(find(0, 3)));    // stages up, cta.m repaired
  EXPECT_TRUE(neighbours.count(find(1, 2, 1))); // the other raster
  EXPECT_EQ(neighbours.size(), 5u);
}

TEST_F(CandidatePoolTest, NearestUnproposed) {
  SpacePoint illegal{3, 2, 0};
  EXPECT_EQ(pool.findNearestUnproposed(illegal, random), find(1, 2));
  pool.propose(find(1, 2));
  // Now 128x...x2, 64x...x3 and the other raster of the first are as near.
  CandidateId next = need(pool.findNearestUnproposed(illegal, random));
  EXPECT_TRUE(next == find(2, 0) || next == find(1, 1) ||
              next == find(1, 2, 1));
  while (pool.getNumUnproposed() > 0)
    pool.propose(pool.drawUnproposed(random));
  EXPECT_FALSE(pool.findNearestUnproposed(illegal, random));
}

TEST_F(CandidatePoolTest, RemembersTheBest) {
  double failed = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(pool.report(0, failed));
  EXPECT_FALSE(pool.getBest());
  EXPECT_TRUE(pool.report(1, 20));
  EXPECT_FALSE(pool.report(2, 30));
  EXPECT_TRUE(pool.report(3, 10));
  EXPECT_EQ(pool.getBest(), 3u);
}

TEST_F(CandidatePoolTest, ResidualsReachNeighbours) {
  ResidualProcess process(pool, std::vector<double>(pool.size(), 0),
                          ResidualProcess::Deviations());
  CandidateId tried = find(0, 0), near = find(0, 1), far = find(2, 0, 1);
  process.observe(tried, 1);
  process.observe(far, 0);
  EXPECT_NEAR(process.getMean(tried), 1, 0.1);
  EXPECT_NEAR(process.getMean(far), 0, 0.1);
  EXPECT_GT(process.getMean(near), 0.5);
  EXPECT_LT(process.getVariance(tried), process.getVariance(near));
  EXPECT_LT(process.getVariance(near),
            process.getCovariance(near, near) + 1e-9);
}

TEST_F(CandidatePoolTest, RestrictedSpacesHaveThoseConfigsAlone) {
  std::vector<KernelConfig> configs = {
      space.getConfig(pool.getPoint(4)), space.getConfig(pool.getPoint(2)),
      space.getConfig(pool.getPoint(4)),
      // Illegal, and none of the space.
      space.getConfig({3, 4, 0}), makeConfig("cta=16x16x16")};
  SearchSpace restricted = space.restrictTo(configs);
  std::vector<uint64_t> expected = {space.getIndex(pool.getPoint(2)),
                                    space.getIndex(pool.getPoint(4))};
  EXPECT_EQ(restricted.getLegal().vec(), expected);
  EXPECT_TRUE(restricted.isLegal(pool.getPoint(2)));
  EXPECT_FALSE(restricted.isLegal(pool.getPoint(3)));
  unsigned visited = 0;
  restricted.forEachLegal([&](const SpacePoint &) { return ++visited != 1; });
  EXPECT_EQ(visited, 1u);
  EXPECT_EQ(space.getLegal().size(), 18u);
}

} // namespace
