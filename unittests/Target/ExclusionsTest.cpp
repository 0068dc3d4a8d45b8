//===- ExclusionsTest.cpp -------------------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Exclusions.h"
#include "gtest/gtest.h"

namespace tcgemm {
namespace {

using F = Feature;

TEST(Exclusions, OneFeatureIsNotExcluded) {
  EXPECT_EQ(findExclusion({}), "");
  for (unsigned i = 0; i != kNumFeatures; ++i)
    EXPECT_EQ(findExclusion(Feature(i)), "") << i;
}

TEST(Exclusions, TextNamesBothFeaturesAndTheReason) {
  EXPECT_EQ(findExclusion(F::Scales | F::SecondB),
            "has a second B, and so it cannot have scales: the sums of both "
            "products would need scales of their own");
  EXPECT_EQ(findExclusion(F::BandOfB | F::FunctionOfB),
            "has a band of B, and so it cannot have a function of B's "
            "elements: the function of a zero outside the band may be another "
            "number");
}

TEST(Exclusions, FeaturesOfSomeSchedulesHaveRules) {
  for (F feature : {F::BandOfA, F::BandOfB, F::SymmetricResult})
    EXPECT_EQ(getFeatureRule(feature), "structure");
  EXPECT_EQ(getFeatureRule(F::Representation), "representation");
  EXPECT_EQ(getFeatureRule(F::SecondB), "dual");
  EXPECT_EQ(getFeatureName(F::SecondB), "a second B");
  EXPECT_EQ(getFeatureRule(F::Scales), "");
}

/// These exist together.
TEST(Exclusions, OthersAreAllowed) {
  for (FeatureSet set :
       {F::BandOfA | F::BandOfB, F::BandOfA | F::FunctionOfB,
        F::BandOfA | F::SymmetricResult, F::BandOfA | F::Reductions,
        F::Convolution | F::FunctionOfB, F::GroupsOfRows | F::FunctionOfA,
        F::GroupsAlongK | F::EpilogueTensors,
        F::Representation | F::FunctionOfA, F::Representation | F::Reductions,
        F::SecondB | F::Reductions, F::Scales | F::EpilogueTensors,
        F::Scales | F::GroupsOfRows, F::SplitOperands | F::SummedDimension,
        F::OtherAlgebra | F::Reductions})
    EXPECT_EQ(findExclusion(set), "");
}

/// All pairs that are excluded, in the order of the enumeration.
TEST(Exclusions, Pairs) {
  unsigned number = 0;
  for (unsigned i = 0; i != kNumFeatures; ++i)
    for (unsigned j = i + 1; j != kNumFeatures; ++j)
      number += !findExclusion(Feature(i) | Feature(j)).empty();
  // 5 of a second B, 8 of another algebra, 15 of bands and symmetry, 4 within
  // structures and with epilogues, 3 of convolutions, 6 of a summed dimension,
  // 11 of representations, and 13 of groups along k.
  EXPECT_EQ(number, 65U);
}

TEST(FeatureSet, Members) {
  FeatureSet set;
  set.add(F::Scales, false);
  EXPECT_FALSE(set.has(F::Scales));
  set.add(F::Reductions, true);
  EXPECT_TRUE(set.has(F::Reductions));
  EXPECT_EQ(set.findCommon(F::Reductions | F::Scales), F::Reductions);
  EXPECT_EQ(set.findCommon(F::Scales), std::nullopt);
}

} // namespace
} // namespace tcgemm
