//===- SpaceWalks.h - The legal points of a space ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SPACE_SPACEWALKS_H
#define TCGEMM_LIB_TUNER_SPACE_SPACEWALKS_H

#include "Space/BoundRestriction.h"

namespace tcgemm {

/// Calls `visit` with every legal point in the order of their indices, until it
/// returns false.
void walkLegal(const BoundSpace &space,
               llvm::ArrayRef<BoundRestriction> restrictions,
               llvm::function_ref<bool(const SpacePoint &)> visit);

/// The number of points that remain after each restriction and each rule, in
/// order.
SpaceCount countLegal(const BoundSpace &space,
                      llvm::ArrayRef<BoundRestriction> restrictions);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SPACE_SPACEWALKS_H
