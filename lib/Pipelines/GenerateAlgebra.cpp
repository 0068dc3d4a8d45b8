//===- GenerateAlgebra.cpp - Bodies that do not multiply and add ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateAlgebra.h"

#include <cmath>

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

std::string getNeutralText(const Algebra &algebra, ScalarType type) {
  ScalarConstant neutral = algebra.getNeutral(type);
  if (const int64_t *integer = std::get_if<int64_t>(&neutral))
    return std::to_string(*integer);
  double value = std::get<double>(neutral);
  if (!std::isinf(value))
    return value == 0 ? "0.0" : "1.0";
  // MLIR writes infinities by their bits.
  return std::string(value < 0 ? "0xFF" : "0x7F") +
         (type == ScalarType::F64 ? "F0000000000000" : "800000");
}

} // namespace tcgemm
