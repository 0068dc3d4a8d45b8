//===- Contraction.h - Products with any number of indices ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D[...] = sum over k of A[...] B[...], as an index string such as
// `bqhd,bkhd->bhqk` describes it. Each letter is an index. The operands that
// have an index decide its kind:
//
//   batch  A, B and D        m  A and D
//   n      B and D           k  A and B, which is summed over
//
// A kernel tiles one m, one n and one k. Folding joins indices that are one in
// memory, and chooses which of them are tiled.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PROBLEM_CONTRACTION_H
#define TCGEMM_PROBLEM_CONTRACTION_H

#include "tcgemm/Problem/MatmulSizes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tcgemm {

enum class IndexKind { Batch, M, N, K };
llvm::StringRef getKindName(IndexKind kind);

/// The most indices of an operand.
inline constexpr size_t kMaxOperandIndices = 16;

/// An operand of a contraction.
struct IndexedOperand {
  /// Its indices, outermost first.
  std::string letters;
  /// The stride of each index in elements, -1 where it is unknown; empty if the
  /// operand is dense and row-major.
  std::vector<int64_t> strides;

  bool has(char letter) const {
    return letters.find(letter) != std::string::npos;
  }
};

/// The operands are A, B and D, in this order everywhere.
inline constexpr unsigned kNumContracted = 3;
llvm::StringRef getContractedName(unsigned operand);

struct Contraction {
  std::array<IndexedOperand, kNumContracted> operands;
  /// Elements along each index; -1 where they are known at run time only.
  std::map<char, int64_t> extents;
  /// True if a kernel can have a second k, which it does not tile.
  bool mayHaveSummed = false;

  /// Reads `bqhd,bkhd->bhqk`, and `b=16,q=2048,...` with blanks or commas.
  /// Errors: a letter is repeated, unknown, missing or in one operand only; an
  /// extent is not from 1 to 2^31 - 1.
  static llvm::Expected<Contraction> parse(llvm::StringRef indices,
                                           llvm::StringRef sizes);
  /// Reads the index string alone: the result has no extents.
  static llvm::Expected<Contraction> parseIndices(llvm::StringRef indices);
  /// Fails if an index is repeated in an operand or is in one operand only, or
  /// if an operand has none or too many.
  llvm::Error verify() const;

  /// `bqhd,bkhd->bhqk`.
  std::string str() const;
  /// The kind of an index, which verify() has accepted.
  IndexKind getKind(char letter) const;
  /// The extents along the operand's indices.
  std::vector<int64_t> getShape(unsigned operand) const;
  /// The stride of an index in elements: 0 if the operand does not have it,
  /// none if it depends on unknown extents.
  std::optional<int64_t> getStride(unsigned operand, char letter) const;
  /// 2 times the product of all extents, which must be known.
  double getFlops() const;
};

/// Indices that are one index: in each operand that has them, the stride of
/// each is that of the next one times the extent of that.
struct FoldedIndex {
  std::string letters; ///< Outermost first.
  IndexKind kind = IndexKind::Batch;
  int64_t extent = 1; ///< -1: known at run time only.
  /// In A, B and D: 0 if the operand does not have it, none if it is unknown.
  std::array<std::optional<int64_t>, kNumContracted> strides;

  /// Returns whether its elements are contiguous in an operand.
  bool isUnit(unsigned operand, const Contraction &of) const;
};

/// The most indices that are not tiled: a tensor map has five dimensions.
inline constexpr size_t kMaxOuterIndices = 3;

/// A contraction as one product for each value of the outer indices.
struct FoldedContraction {
  /// The tiled indices. A product without an m or n has none: its size is 1.
  std::optional<FoldedIndex> m, n;
  FoldedIndex k;
  /// A k that is not tiled: the product is summed over it, too.
  std::optional<FoldedIndex> summed;
  /// The batch and the m and n that are not tiled, in the order of D.
  std::vector<FoldedIndex> outer;

  /// The sizes of the product that a kernel computes: m is outside n in D, so
  /// that A and B may have changed places. Needs known extents.
  MatmulSizes getSizes() const;
  /// Equal for contractions that are the same product in memory: sizes,
  /// strides and kinds of the folded indices. Needs known extents.
  std::string str() const;
};

/// Folds a contraction that verify() accepts. Of several m and n, and of two k,
/// those are tiled that let each operand have a tiled innermost index, and
/// among these the largest. Fails, with the reason, if no kernel has the
/// result.
llvm::Expected<FoldedContraction> fold(const Contraction &contraction);

/// A contraction of operands of which some are transposed before, or D behind.
struct TransposedContraction {
  std::array<bool, kNumContracted> isTransposed{};
  /// With the indices of transposed operands in their new order: those that are
  /// outer, then m or n, then k; of D outer, m, n.
  Contraction contraction;
  FoldedContraction folded;
};

/// Chooses the operands to transpose, if any: those with the least estimated
/// time, or the fewest operands if an extent is unknown. Fails, with the
/// reason, if no transposition makes fold() succeed.
llvm::Expected<TransposedContraction>
foldTransposed(const Contraction &contraction);

} // namespace tcgemm

#endif // TCGEMM_PROBLEM_CONTRACTION_H
