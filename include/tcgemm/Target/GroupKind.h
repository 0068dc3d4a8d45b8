//===- GroupKind.h - How products are divided into groups -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grouped product computes one product for each group. The sizes of groups
// along m or k are in device memory, and only the device knows them. The table
// in GroupKind.cpp has a row for each kind: the operands with a matrix for each
// group, and the meaning of the sizes.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_GROUPKIND_H
#define TCGEMM_TARGET_GROUPKIND_H

#include "tcgemm/Target/Exclusions.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <optional>

namespace tcgemm {

/// The order is that of the rows in GroupKind.cpp.
enum class GroupKind {
  Contiguous, ///< The rows of A and D, one group after the other.
  Padded,     ///< A and D have a matrix for each group, with rows left over.
  RaggedK     ///< The terms of the sums, one group after the other.
};

struct GroupKindInfo {
  llvm::StringLiteral name; ///< In flags and records: `contiguous`.
  /// The name of the operand in messages of verifiers: `offsets`.
  llvm::StringLiteral sizes;
  /// True if A, B and the outputs have the dimension b.
  std::array<bool, 3> hasBatch;
  /// The dimension whose elements are divided among the groups: `m` or `k`; 0
  /// if each group has all of them.
  char divided;
  /// True if the sizes are numbers of rows. Otherwise they are the ends of
  /// groups: that of group i is the start of group i + 1.
  bool hasCounts;
  Feature feature;
  /// The rule that the sizes obey, which the device checks by option.
  llvm::StringLiteral rule;

  /// Returns whether groups have a number of rows that the device knows.
  bool hasRows() const { return feature == Feature::GroupsOfRows; }
  /// The dimension whose size no offset and no count exceeds: `m` or `k`.
  char getBoundDim() const { return hasRows() ? 'm' : 'k'; }
  /// The dims of A (0), B (1) or an output (2), whose two innermost ones are
  /// `inner`: `bmk`.
  std::string getDims(unsigned operand, llvm::StringRef inner) const {
    return (hasBatch[operand] ? "b" : "") + inner.str();
  }
};

const GroupKindInfo &getGroupKindInfo(GroupKind kind);

/// The kind with this name. The error names the word and all kinds.
llvm::Expected<GroupKind> parseGroupKind(llvm::StringRef name);
/// The kind of which the sizes are counts, or not, and B has the dimension b,
/// or not; none if there is no such kind.
std::optional<GroupKind> findGroupKind(bool hasCounts, bool hasBatchOfB);
/// The kind of which A, B and the outputs have these ranks, if there is one.
std::optional<GroupKind> findGroupKind(const std::array<int64_t, 3> &ranks);
/// `2, 3, 2 (contiguous) or …`: the ranks of all kinds.
std::string listGroupRanks();

} // namespace tcgemm

#endif // TCGEMM_TARGET_GROUPKIND_H
