//===- Exclusions.cpp - Features that exclude each other ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Exclusions.h"
#include "llvm/ADT/bit.h"

#include "llvm/ADT/StringRef.h"

using namespace tcgemm;

namespace {

struct FeatureInfo {
  llvm::StringLiteral name;
  llvm::StringLiteral rule = ""; ///< See getFeatureRule.
};

/// In the order of the enumeration.
constexpr FeatureInfo kFeatures[] = {
    {"scales"},
    {"groups of rows", "groups-of-rows"},
    {"a second B", "dual"},
    {"another algebra", "algebra"},
    {"a function of A's elements"},
    {"a function of B's elements"},
    {"operands that are split into parts"},
    {"a band of A", "structure"},
    {"a band of B", "structure"},
    {"a symmetric result", "structure"},
    {"a convolution"},
    {"a summed dimension", "summed-dimension"},
    {"a representation of numbers", "representation"},
    {"reductions"},
    {"an epilogue that reads tensors"},
    {"groups along k", "groups-along-k"}};
static_assert(std::size(kFeatures) == kNumFeatures);

/// Each feature of `first` excludes each of `second`.
struct Exclusion {
  FeatureSet first, second;
  llvm::StringLiteral reason;
};
using F = Feature;

constexpr FeatureSet kBands = F::BandOfA | F::BandOfB;
constexpr FeatureSet kStructure = kBands | F::SymmetricResult;
constexpr FeatureSet kFunctions = F::FunctionOfA | F::FunctionOfB;

constexpr Exclusion kExclusions[] = {
    {F::SecondB, F::Scales,
     "the sums of both products would need scales of their own"},
    {F::SecondB, F::GroupsOfRows, "the tiles of a group have one B"},
    {F::SecondB, kFunctions,
     "kernels of two products multiply the elements that are in memory"},
    {F::SecondB, F::SplitOperands, "a stage holds the parts of one B"},
    {F::OtherAlgebra, F::Scales, "scales are factors of sums of products"},
    {F::OtherAlgebra, kFunctions,
     "kernels of other algebras combine the elements that are in memory"},
    {F::OtherAlgebra, kStructure | F::SecondB | F::SummedDimension,
     "only kernels for tensor cores have it, which multiply and add"},
    {kStructure, F::Scales, "the scales of skipped steps are not skipped"},
    {kStructure, F::GroupsOfRows,
     "the diagonal starts at the first row of all, and not of a group"},
    {kStructure, F::SecondB, "a stage of such a kernel has one B"},
    {kStructure, F::Convolution, "a pixel has no place along a diagonal"},
    {kStructure, F::SummedDimension, "a diagonal counts one k"},
    {F::BandOfA, F::FunctionOfA,
     "the function of a zero outside the band may be another number"},
    {F::BandOfB, F::FunctionOfB,
     "the function of a zero outside the band may be another number"},
    {F::SymmetricResult, F::Reductions,
     "the values of one half are stored, but not computed"},
    {F::SymmetricResult, F::EpilogueTensors,
     "an element and its reflection may get different values"},
    {F::Convolution, F::Scales, "images have no scales"},
    {F::Convolution, F::GroupsOfRows, "the rows are pixels of images"},
    {F::Convolution, F::FunctionOfA,
     "the function of a zero around an image may be another number"},
    {F::SummedDimension, F::Scales, "scales count one k"},
    {F::SummedDimension, F::GroupsOfRows,
     "the outer dimension is that of the groups"},
    {F::SummedDimension, F::SecondB, "a stage of such a kernel has one B"},
    {F::SummedDimension, F::Convolution,
     "a filter has all elements of k in one row"},
    {F::SummedDimension, kFunctions,
     "TMA copies both parts of k to shared memory as they are"},
    {F::Representation, F::Scales, "numbers have no scales"},
    {F::Representation, F::GroupsOfRows,
     "only kernels of one product read numbers as blocks"},
    {F::Representation, F::SecondB, "a stage holds the numbers of one B"},
    {F::Representation, F::OtherAlgebra,
     "blocks stand for numbers where products are added"},
    {F::Representation, F::FunctionOfB,
     "a function of an element may not be that of its component"},
    {F::Representation, F::SplitOperands,
     "the parts of components are no numbers"},
    {F::Representation, kStructure, "a diagonal counts single elements"},
    {F::Representation, F::Convolution,
     "images have no components as an index"},
    {F::Representation, F::SummedDimension,
     "the rows of a block are neighbours along one k"},
    {F::GroupsAlongK, F::Scales, "a block of scales could be of two groups"},
    {F::GroupsAlongK, kFunctions,
     "the function of a zero behind a group's end may be another number"},
    {F::GroupsAlongK, F::SplitOperands,
     "the parts of an operand are apart along k"},
    {F::GroupsAlongK, F::SecondB, "a stage of such a kernel has one B"},
    {F::GroupsAlongK, F::OtherAlgebra,
     "zeros behind a group's end leave sums as they are, but not the results "
     "of other operations"},
    {F::GroupsAlongK, kStructure,
     "the diagonal starts at the first term of all, and not of a group"},
    {F::GroupsAlongK, F::Convolution, "k counts the elements of one filter"},
    {F::GroupsAlongK, F::SummedDimension,
     "the outer dimension is that of the groups"},
    {F::GroupsAlongK, F::Representation,
     "only kernels of one product read numbers as blocks"},
    {F::GroupsAlongK, F::Reductions,
     "only kernels of one product combine their values"}};

} // namespace

std::optional<Feature> FeatureSet::findCommon(FeatureSet other) const {
  uint32_t common = bits & other.bits;
  if (common == 0)
    return std::nullopt;
  return Feature(llvm::countr_zero(common));
}

llvm::StringRef tcgemm::getFeatureName(Feature feature) {
  return kFeatures[static_cast<unsigned>(feature)].name;
}

llvm::StringRef tcgemm::getFeatureRule(Feature feature) {
  return kFeatures[static_cast<unsigned>(feature)].rule;
}

std::string tcgemm::findExclusion(FeatureSet features) {
  for (const Exclusion &exclusion : kExclusions) {
    std::optional<Feature> first = features.findCommon(exclusion.first);
    std::optional<Feature> second = features.findCommon(exclusion.second);
    if (first && second)
      return ("has " + getFeatureName(*first) + ", and so it cannot have " +
              getFeatureName(*second) + ": " + exclusion.reason)
          .str();
  }
  return "";
}
