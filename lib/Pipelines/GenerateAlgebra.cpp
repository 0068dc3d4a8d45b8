//===- GenerateAlgebra.cpp - Bodies that do not multiply and add ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateAlgebra.h"

namespace tcgemm {

std::string writeAlgebraBody(const Algebra &algebra,
                             const std::vector<std::string> &factors,
                             ScalarType type) {
  auto getName = [&](AlgebraOperation operation) {
    return "arith." + getArithName(operation, isFloatType(type)).str();
  };
  std::string suffix = " : " + getTypeName(type).str() + "\n";
  return "    %combined = " + getName(algebra.combine) + " " + factors[0] +
         ", " + factors[1] + suffix + "    %next = " + getName(algebra.reduce) +
         " %sum, %combined" + suffix + "    linalg.yield %next" + suffix +
         "  }";
}

} // namespace tcgemm
