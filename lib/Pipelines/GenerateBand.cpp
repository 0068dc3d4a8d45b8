//===- GenerateBand.cpp - MLIR for operands with bands --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateBand.h"

using namespace tcgemm;

std::string tcgemm::getMatrixName(const MatmulProblem &problem,
                                  unsigned operand) {
  return operand && !problem.isSymmetric ? "%B" : "%A";
}

std::string tcgemm::getFactor(const MatmulProblem &problem, unsigned operand) {
  // Both have the band of A if the result is symmetric.
  return getMatrixName(problem, operand) +
         (problem.bands[operand]                                   ? "_band"
          : isInterleaved(operand ? problem.typeB : problem.typeA) ? "_in_order"
                                                                   : "");
}

std::string tcgemm::writeBands(const MatmulProblem &problem,
                               const std::array<std::string, 2> &types) {
  std::string text;
  for (unsigned operand : {0, 1})
    if (problem.bands[operand] && !(operand && problem.isSymmetric))
      text += "  " + getFactor(problem, operand) + " = tcgemm.band " +
              getMatrixName(problem, operand) + " <\"" +
              problem.bands[operand]->str() + "\"> : " + types[operand] + "\n";
  return text;
}
