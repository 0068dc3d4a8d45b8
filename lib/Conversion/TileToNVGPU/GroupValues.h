//===- GroupValues.h - Scales and zero points of groups ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_GROUPVALUES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_GROUPVALUES_H

#include "LoweringContext.h"

namespace tcgemm {

/// Lowers scales and zero points of groups that the lanes of a row share. A
/// lane loads those of one of four groups, long before they are used, and no
/// shared memory is needed for them.
class GroupValues : public Lowering {
public:
  using Lowering::Lowering;
  void lower(GroupValuesLoadOp op);
  void lower(ScalesSelectOp op);
  void lower(ZeroPointsSelectOp op);

private:
  /// The bits that the lane of `group` has of each row.
  Values select(mlir::Value values, mlir::Value group);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_GROUPVALUES_H
