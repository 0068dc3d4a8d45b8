//===- ProductIndices.cpp - Indices of generated products -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductIndices.h"
#include "tcgemm/Target/Precision.h"

using namespace tcgemm;
using llvm::StringRef;

std::string tcgemm::separate(StringRef letters) {
  std::string text;
  for (char letter : letters)
    text += (text.empty() ? "" : ", ") + std::string(1, letter);
  return text;
}

Contraction tcgemm::describeProduct(const GenerateOptions &options) {
  const MatmulProblem &problem = options.problem;
  auto getBatch = [&](unsigned operand) -> std::string {
    bool has = problem.isGrouped ? problem.hasMatrixOfGroup(operand)
                                 : options.isBatched;
    return has ? "b" : "";
  };
  Contraction product;
  product.operands[0].letters =
      getBatch(0) + (problem.aKContiguous ? "mk" : "km");
  product.operands[1].letters =
      getBatch(1) + (problem.bKContiguous ? "nk" : "kn");
  product.operands[2].letters = getBatch(2) + "mn";
  product.extents = {{'m', problem.m}, {'n', problem.n}, {'k', problem.k}};
  if (problem.isGrouped || options.isBatched)
    product.extents['b'] = problem.batch;
  return product;
}

std::string tcgemm::getSumIndices(const Contraction &contraction) {
  std::string letters;
  for (char letter : contraction.operands[0].letters)
    if (contraction.getKind(letter) == IndexKind::K)
      letters += letter;
  // The components of B's numbers, which only B has.
  for (char letter : contraction.operands[1].letters)
    if (contraction.getKind(letter) == IndexKind::K &&
        !contraction.operands[0].has(letter))
      letters += letter;
  return letters;
}

/// Returns whether all extents are known.
static bool hasExtents(const Contraction &contraction) {
  return llvm::all_of(contraction.extents,
                      [](const auto &extent) { return extent.second >= 0; });
}

/// The extents of the loops, those of D first: `64, 64, 128`.
static std::string getExtentList(const Contraction &contraction) {
  std::string text;
  for (char letter :
       contraction.operands[2].letters + getSumIndices(contraction))
    text += (text.empty() ? "" : ", ") +
            std::to_string(contraction.extents.at(letter));
  return text;
}

std::string tcgemm::getProductAttributes(const GenerateOptions &options,
                                         const Contraction &contraction) {
  std::string text;
  if (Precision precision = getPrecision(options.problem.typeA);
      precision != Precision::IEEE)
    text = "tcgemm.precision = \"" + getPrecisionName(precision).str() + "\"";
  if (options.contraction && !options.isStatic && hasExtents(contraction))
    text +=
        (text.empty() ? "" : ", ") +
        ("tcgemm.size_hint = array<i64: " + getExtentList(contraction) + ">");
  if (options.problem.isSymmetric)
    text += (text.empty() ? "" : ", ") + std::string("tcgemm.symmetric");
  return text.empty() ? "" : " {" + text + "}";
}
