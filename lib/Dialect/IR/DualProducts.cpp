//===- DualProducts.cpp - Kernels with a second B -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/DualProducts.h"

using namespace mlir;
using namespace tcgemm;

std::optional<unsigned> KernelOp::findSecond() {
  for (unsigned i = 0; i < getNumOperandInfos(); ++i)
    if (getOperandInfo(i).getRole() == OperandRole::B2)
      return i;
  return std::nullopt;
}

LogicalResult tcgemm::verifySecond(KernelOp op, unsigned index) {
  OperandAttr b = op.getOperandInfo(1), second = op.getOperandInfo(index);
  if (index != 2)
    return op.emitOpError()
           << "operand " << index << ": a second B must be operand 2";
  if (second.getElementType() != b.getElementType() ||
      second.getDims() != b.getDims())
    return op.emitOpError()
           << "operand " << index << ": a second B must have the type and the "
           << "dims of B, " << b.getElementType() << " and '" << b.getDims()
           << "', but has " << second.getElementType() << " and '"
           << second.getDims() << "'";
  return success();
}
