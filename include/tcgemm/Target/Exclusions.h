//===- Exclusions.h - Features that exclude each other ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some features of a product cannot be together in one kernel. The table in
// Exclusions.cpp has all such pairs with the reasons. The dialect's verifier,
// the reader of manifests, problems and legality all ask it: each of them only
// lists the features that its product has. The same file has a row for each
// feature, with the legality rule of schedules that do not compute it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_EXCLUSIONS_H
#define TCGEMM_TARGET_EXCLUSIONS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tcgemm {

/// The order is that of the rows in Exclusions.cpp.
enum class Feature {
  Scales,       ///< Of blocks or groups, with zero points or without.
  GroupsOfRows, ///< Contiguous or padded.
  SecondB,
  OtherAlgebra,
  FunctionOfA,
  FunctionOfB,
  SplitOperands,
  BandOfA,
  BandOfB,
  SymmetricResult,
  Convolution,
  SummedDimension,
  Representation, ///< B is the representation of numbers.
  Reductions,
  EpilogueTensors, ///< The epilogue reads vectors or matrices.
  GroupsAlongK     ///< Each group has a part of the terms of sums.
};
inline constexpr unsigned kNumFeatures = 16;

/// A set of features.
class FeatureSet {
public:
  constexpr FeatureSet() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a feature is a set of one.
  constexpr FeatureSet(Feature feature)
      : bits(uint32_t(1) << static_cast<unsigned>(feature)) {}

  constexpr FeatureSet operator|(FeatureSet other) const {
    FeatureSet result;
    result.bits = bits | other.bits;
    return result;
  }
  /// Adds the feature if the product has it.
  void add(Feature feature, bool isThere) {
    if (isThere)
      *this = *this | feature;
  }
  constexpr bool has(Feature feature) const {
    return (bits & FeatureSet(feature).bits) != 0;
  }
  /// The first feature, in the order of the enumeration, of both sets.
  std::optional<Feature> findCommon(FeatureSet other) const;

private:
  uint32_t bits = 0;
};

constexpr FeatureSet operator|(Feature a, Feature b) {
  return FeatureSet(a) | b;
}

/// Returns the feature's name, as in "a kernel has a second B".
llvm::StringRef getFeatureName(Feature feature);

/// Returns the name of the legality rule that a schedule breaks if it does not
/// compute the feature. Empty if each schedule has rules of its own for it.
llvm::StringRef getFeatureRule(Feature feature);

/// Returns why no kernel has all these features: `has a second B, and so it
/// cannot have scales: …`. Empty if the table excludes none of them.
std::string findExclusion(FeatureSet features);

} // namespace tcgemm

#endif // TCGEMM_TARGET_EXCLUSIONS_H
