//===- GroupKind.cpp - How products are divided into groups ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/GroupKind.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;

/// In the order of the enumeration.
static constexpr GroupKindInfo kKinds[] = {
    {"contiguous",
     "offsets",
     {false, true, false},
     'm',
     false,
     Feature::GroupsOfRows,
     "offsets of groups must not decrease or exceed the rows of A"},
    {"padded",
     "counts",
     {true, true, true},
     0,
     true,
     Feature::GroupsOfRows,
     "counts of groups must be from 0 to the rows of each matrix of A"},
    {"ragged-k",
     "offsets along k",
     {false, false, true},
     'k',
     false,
     Feature::GroupsAlongK,
     "offsets of groups must not decrease or exceed k"}};

const GroupKindInfo &tcgemm::getGroupKindInfo(GroupKind kind) {
  return kKinds[static_cast<unsigned>(kind)];
}

/// The number of the first row with the property, as a kind.
static std::optional<GroupKind>
find(llvm::function_ref<bool(const GroupKindInfo &)> hasProperty) {
  const auto *found = llvm::find_if(kKinds, hasProperty);
  if (found == std::end(kKinds))
    return std::nullopt;
  return static_cast<GroupKind>(found - std::begin(kKinds));
}

llvm::Expected<GroupKind> tcgemm::parseGroupKind(llvm::StringRef name) {
  if (std::optional<GroupKind> kind =
          find([&](const GroupKindInfo &info) { return info.name == name; }))
    return *kind;
  std::string names;
  for (const GroupKindInfo &info : kKinds)
    names += (names.empty() ? "" : ", ") + info.name.str();
  return llvm::createStringError("groups '" + name + "' are none of " + names);
}

std::optional<GroupKind> tcgemm::findGroupKind(bool hasCounts,
                                               bool hasBatchOfB) {
  return find([&](const GroupKindInfo &info) {
    return info.hasCounts == hasCounts && info.hasBatch[1] == hasBatchOfB;
  });
}

/// The ranks of A, B and the outputs.
static std::array<int64_t, 3> getRanks(const GroupKindInfo &info) {
  std::array<int64_t, 3> ranks;
  for (unsigned i : {0, 1, 2})
    ranks[i] = info.hasBatch[i] ? 3 : 2;
  return ranks;
}

std::optional<GroupKind>
tcgemm::findGroupKind(const std::array<int64_t, 3> &ranks) {
  return find(
      [&](const GroupKindInfo &info) { return getRanks(info) == ranks; });
}

std::string tcgemm::listGroupRanks() {
  std::string text;
  for (const auto &[i, info] : llvm::enumerate(kKinds)) {
    std::array<int64_t, 3> ranks = getRanks(info);
    text += llvm::formatv("{0}{1}, {2} and {3} ({4})",
                          i == 0                       ? ""
                          : i + 1 == std::size(kKinds) ? " or "
                                                       : "; ",
                          ranks[0], ranks[1], ranks[2], info.name)
                .str();
  }
  return text;
}
