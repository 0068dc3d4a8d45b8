//===- SummedDimension.cpp - Kernels with two k ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/SummedDimension.h"

using namespace mlir;
using namespace tcgemm;

std::optional<char> KernelOp::findSummedDim() {
  constexpr size_t numPlain = 4;
  if (getSizes().size() <= numPlain)
    return std::nullopt;
  char last = getOuterDims().back();
  for (unsigned i = 0; i < getNumOperandInfos(); ++i)
    if (getOperandInfo(i).getDims().contains(last) != isMatrix(i))
      return std::nullopt;
  return last;
}

LogicalResult tcgemm::verifySummed(KernelOp op) {
  std::optional<char> summed = op.findSummedDim();
  if (!summed)
    return success();
  bool isPlain = !op.findScales(0) && !op.findScales(1) &&
                 !op.findTransform(0) && !op.findTransform(1) &&
                 !op.findSecond() && op.getProductAlgebra().isDefault();
  return isPlain ? success()
                 : op.emitOpError()
                       << "sums over the dimension " << *summed
                       << ", and so it cannot have scales, a second B, "
                          "functions of elements and another algebra";
}
