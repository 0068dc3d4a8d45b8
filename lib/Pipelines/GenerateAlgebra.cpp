//===- GenerateAlgebra.cpp - Bodies that do not multiply and add ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateAlgebra.h"

#include "llvm/ADT/Twine.h"

namespace tcgemm {

static llvm::StringRef getOperationName(AlgebraOperation operation) {
  switch (operation) {
  case AlgebraOperation::Times:
    return "arith.mulf";
  case AlgebraOperation::Plus:
    return "arith.addf";
  case AlgebraOperation::Max:
    return "arith.maximumf";
  case AlgebraOperation::Min:
    return "arith.minimumf";
  case AlgebraOperation::MaxNum:
    return "arith.maxnumf";
  case AlgebraOperation::MinNum:
    return "arith.minnumf";
  }
  return "";
}

std::string writeAlgebraBody(const Algebra &algebra,
                             const std::vector<std::string> &factors,
                             llvm::StringRef type) {
  return ("    %combined = " + getOperationName(algebra.combine) + " " +
          factors[0] + ", " + factors[1] + " : " + type + "\n    %next = " +
          getOperationName(algebra.reduce) + " %sum, %combined : " + type +
          "\n    linalg.yield %next : " + type + "\n  }")
      .str();
}

std::string getNeutralText(const Algebra &algebra, ScalarType type) {
  if (!isFloatType(type))
    return "0";
  double neutral = algebra.getNeutral();
  if (neutral == 0)
    return "0.0";
  // MLIR writes infinities by their bits.
  return std::string(neutral < 0 ? "0xFF" : "0x7F") +
         (type == ScalarType::F64 ? "F0000000000000" : "800000");
}

} // namespace tcgemm
