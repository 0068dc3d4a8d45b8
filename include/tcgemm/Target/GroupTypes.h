//===- GroupTypes.h - Types of products with scales of groups ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of 4 bits may have scales of groups, and zero points, if their
// partner is a float. The dialect, raising and problems ask this table.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_GROUPTYPES_H
#define TCGEMM_TARGET_GROUPTYPES_H

#include "tcgemm/Target/Instructions.h"

namespace tcgemm {

/// A type that elements of 4 bits with scales of groups are converted to.
struct GroupType {
  ScalarType multiplied;
  /// True if it represents the differences of such elements and zero points.
  bool takesZeroPoints;
};

inline constexpr GroupType kGroupTypes[] = {{ScalarType::F16, true},
                                            {ScalarType::BF16, true},
                                            {ScalarType::E4M3, false}};

/// The row of elements of `type` that are multiplied by those of `partner`;
/// null if they have no scales of groups.
inline const GroupType *findGroupType(ScalarType type, ScalarType partner) {
  if (getPackedElements(type) == 1 || getBitWidth(type) != 4)
    return nullptr;
  for (const GroupType &row : kGroupTypes)
    if (row.multiplied == getMultipliedTypes(type, partner).first)
      return &row;
  return nullptr;
}

/// The same for elements of `type` that may have zero points.
inline bool takesZeroPoints(ScalarType type, ScalarType partner) {
  const GroupType *row = findGroupType(type, partner);
  return row && row->takesZeroPoints;
}

} // namespace tcgemm

#endif // TCGEMM_TARGET_GROUPTYPES_H
