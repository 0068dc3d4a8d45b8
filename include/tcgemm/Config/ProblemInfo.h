//===- ProblemInfo.h - The product that a configuration is for --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_PROBLEMINFO_H
#define TCGEMM_CONFIG_PROBLEMINFO_H

#include "tcgemm/Problem/MatmulProblem.h"

#include <array>

namespace tcgemm {

/// Returns whether epilogues store outputs of `type` by TMA.
inline bool isTmaOutput(ScalarType type) {
  return type == ScalarType::F16 || type == ScalarType::BF16 ||
         type == ScalarType::F32 || type == ScalarType::I32 ||
         type == ScalarType::I8 || type == ScalarType::U8 || isFP8(type);
}

/// The properties of a kernel that decide on legal and fast configurations. The
/// `n` of a dual product counts the columns of both products, as `cta` does.
struct ProblemInfo : MatmulProblem {
  /// True if TMA can store all outputs: their rows run along n and hold types
  /// of isTmaOutput.
  bool tmaOutputs = true;
  /// Bytes of an element of the narrowest and of the widest output.
  int64_t leastOutputBytes = 2, mostOutputBytes = 2;
  /// Matrices that the epilogue reads and TMA can bring: of 16 bits, with rows
  /// along n. They include one that is left out where a scalar is 0.
  int64_t stageableInputs = 0;
  /// Bytes that the epilogue reads and writes for each element (m, n).
  int64_t epilogueBytes = 2;
  /// True if it only converts the sums.
  bool plainEpilogue = true;
  /// True if it reads matrices or vectors.
  bool readsInputs = false;
  /// The values of an outer dimension that is summed over, besides k: `k`
  /// counts the elements for all of them. 0 if there is none, -1 if it is not
  /// known.
  int64_t summedValues = 0;
  /// The elements of A and of B, if all sizes along their dimensions are static
  /// and the other one has no outer dimension of them: coefficients for the
  /// other's elements. 0 otherwise, and if there is an epilogue.
  std::array<int64_t, 2> coefficients = {0, 0};

  /// Returns whether all outputs have the 16 bits that stmatrix moves.
  bool hasNarrowOutputs() const {
    return leastOutputBytes == 2 && mostOutputBytes == 2;
  }
  bool hasSummedDim() const { return summedValues != 0; }
  /// Those of MatmulKind, and the summed dimension.
  FeatureSet getFeatures() const {
    FeatureSet features = MatmulProblem::getFeatures();
    features.add(Feature::SummedDimension, hasSummedDim());
    return features;
  }
  /// The elements along k that follow each other in tiles, for one value of the
  /// summed dimension; -1 if they are not known.
  int64_t getTiledDepth() const {
    if (!hasSummedDim())
      return getDepth();
    return summedValues > 0 && k > 0 ? getDepth() / summedValues : -1;
  }

  /// Changes `n`, and the bytes for each element, from those of the output of a
  /// dual product to those of both products.
  void countBothProducts() {
    n = n > 0 ? 2 * n : n;
    epilogueBytes = (epilogueBytes + 1) / 2;
    plainEpilogue = false;
  }
};

} // namespace tcgemm

#endif // TCGEMM_CONFIG_PROBLEMINFO_H
