//===- GenerateBilinear.cpp - Texts of structure constants ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateBilinear.h"
#include "tcgemm/Target/Precision.h"

using namespace tcgemm;

std::string tcgemm::getConstantsType(const GenerateOptions &options) {
  std::string size =
      std::to_string(options.bilinear->algebra.info->numComponents) + "x";
  return "tensor<" + size + size + size +
         getTypeName(getBufferType(options.problem.typeB)).str() + ">";
}

std::string tcgemm::writeConstants(const GenerateOptions &options) {
  const BilinearAlgebra &algebra = options.bilinear->algebra;
  unsigned count = algebra.info->numComponents;
  auto list = [&](auto &&write) {
    std::string text;
    for (unsigned i = 0; i != count; ++i)
      text += (i ? ", " : "") + write(i);
    return "[" + text + "]";
  };
  std::string constants = list([&](unsigned q) {
    return list([&](unsigned r) {
      return list([&](unsigned p) {
        return std::to_string(algebra.getConstant(q, r, p)) + ".0";
      });
    });
  });
  return "  %T = arith.constant dense<" + constants +
         "> : " + getConstantsType(options) + "\n";
}
