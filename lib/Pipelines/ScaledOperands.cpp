//===- ScaledOperands.cpp - Scales of a generated product ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaledOperands.h"

using namespace tcgemm;

llvm::SmallVector<ScaledOperand, 2>
tcgemm::getScaledOperands(const MatmulProblem &problem) {
  llvm::SmallVector<ScaledOperand, 2> operands;
  auto add = [&](unsigned row, ScalarType type) {
    operands.push_back({row % 2, &kBlockScales[row], type});
  };
  if (problem.hasScalesA)
    add(0, ScalarType::F32);
  if (problem.hasScalesB)
    add(1, ScalarType::F32);
  if (!problem.hasGroupScales())
    return operands;
  unsigned grouped = problem.getGroupedOperand();
  add(grouped, problem.groups.type);
  if (problem.groups.zeroPoints)
    add(2 + grouped, *problem.groups.zeroPoints);
  return operands;
}

llvm::StringRef tcgemm::getElementName(ScalarType type) {
  return getTypeName(getBufferType(type));
}

std::string tcgemm::writeExtension(llvm::StringRef name, llvm::StringRef value,
                                   ScalarType type, ScalarType sums) {
  if (getElementName(type) == getTypeName(sums))
    return "";
  llvm::StringRef extension = isFloatType(type) ? "extf"
                              : isFloatType(sums)
                                  ? (isUnsignedType(type) ? "uitofp" : "sitofp")
                              : isUnsignedType(type) ? "extui"
                                                     : "extsi";
  return ("    " + name + " = arith." + extension + " " + value + " : " +
          getElementName(type) + " to " + getTypeName(sums) + "\n")
      .str();
}
