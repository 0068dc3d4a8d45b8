//===- RaiseScales.h - Scales of blocks and groups --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISESCALES_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISESCALES_H

#include "Raise/RaiseGroup.h"
#include "tcgemm/Target/GroupTypes.h"

namespace tcgemm::raise {

/// One dimension of scales: a letter, and the elements that have one scale.
struct ScaleDim {
  char letter;
  int64_t block;
};

/// Reads the dimensions of one operand with scales. Returns why that is not
/// possible; empty if it is.
std::string readDims(mlir::AffineMap map, llvm::StringRef letters,
                     llvm::SmallVectorImpl<ScaleDim> &dims);
/// Returns why the operand cannot have these dimensions; empty if it can.
std::string checkLetters(const BlockScales &scales, llvm::StringRef letters);

/// An element of 4 bits that a body converts to a float, and the zero point
/// that it subtracts; null if it does not.
struct ShiftedElement {
  mlir::BlockArgument element, zeroPoint;
  bool isUnsigned = false, isZeroUnsigned = false;
};
std::optional<ShiftedElement> readShifted(mlir::Value value);
/// The element of 4 bits in a body, with its zero point.
std::optional<ShiftedElement> findShifted(mlir::Block *body);
/// The row of elements of 4 bits that are multiplied by `partner`; null if
/// they have no scales.
const GroupType *findGroupRow(mlir::Type partner);

/// Determines the scales and zero points of an operand of 4 bits. Returns why a
/// kernel does not support them; empty if it does.
std::string matchGroups(Group &group);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISESCALES_H
