//===- SummedDimension.cpp - Kernels with two k ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/TcgemmDialect.h"

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
