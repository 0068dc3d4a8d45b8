//===- ScaleOperands.cpp - Operands with scales and zero points -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/ScaleOperands.h"
#include "tcgemm/Target/GroupTypes.h"

using namespace mlir;
using namespace tcgemm;

/// Checks the types of the operands with scales of groups. Zero points have
/// scales.
static LogicalResult verifyGroups(KernelOp op, unsigned index) {
  const BlockScales *scales = op.getOperandInfo(index).getScales();
  unsigned operand = scales->matrix == kBlockScales[1].matrix ? 1 : 0;
  Type type = op.getOperandInfo(operand).getElementType();
  Type other = op.getOperandInfo(1 - operand).getElementType();
  std::optional<ScalarType> element = getScalarType(type),
                            factor = getScalarType(other);
  const GroupType *row =
      element && factor ? findGroupType(*element, *factor) : nullptr;
  if (!row)
    return op.emitOpError()
           << "operand " << index << ": only elements of 4 bits whose partner "
           << "is f16, bf16 or FP8 have groups, but " << scales->matrix
           << " is " << type << " and its partner " << other;
  std::optional<unsigned> partner = op.findScales(operand);
  if (!partner || op.getOperandInfo(*partner).getGroup() !=
                      op.getOperandInfo(index).getGroup())
    return op.emitOpError()
           << "operand " << index << ": the zero points of " << scales->matrix
           << " need scales with the same group";
  if (scales->isZeroPoint && !row->takesZeroPoints)
    return op.emitOpError()
           << "operand " << index << ": " << scales->matrix << " is " << type
           << " and its partner " << other
           << ", so that it has no zero points: f8E4M3FN would not represent "
              "the differences";
  // Their difference might have more bits than bf16.
  if (scales->isZeroPoint && !isUnsignedType(*element) &&
      op.getOperandInfo(index).getElementType().isUnsignedInteger())
    return op.emitOpError() << "operand " << index
                            << ": the zero points of signed elements must be "
                               "signed";
  return success();
}

LogicalResult tcgemm::verifyScales(KernelOp op, unsigned index) {
  OperandAttr operand = op.getOperandInfo(index);
  const BlockScales *scales = operand.getScales();
  if (!scales)
    return success();
  const BlockScales *before = op.getOperandInfo(index - 1).getScales();
  // The sizes of groups are between B and the scales.
  unsigned first = op.findOffsets() ? 3 : 2;
  if (index > first && !(before && before < scales))
    return op.emitOpError()
           << "operand " << index << ": the "
           << (scales->isZeroPoint ? "zero points" : "scales") << " of "
           << scales->matrix << " must follow B, and those of A come first";
  if (operand.getGroup())
    return verifyGroups(op, index);
  for (unsigned i : {0, 1}) {
    Type type = op.getOperandInfo(i).getElementType();
    if (std::optional<ScalarType> scalar = getScalarType(type);
        !scalar || !isFP8(*scalar))
      return op.emitOpError()
             << "operand " << index << ": only FP8 has scales of blocks, but "
             << kBlockScales[i].matrix << " is " << type;
  }
  return success();
}
