//===- numbers.h - Complex and dual numbers -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VARIANTS_NUMBERS_H
#define VARIANTS_NUMBERS_H

#include "tcgemm/Pipelines/GenerateMatmul.h"

/// A product of matrices of numbers that the structure constants multiply. The
/// components of a number are neighbours in memory.
inline llvm::Expected<std::string>
writeProduct(const tcgemm::BilinearInfo &numbers, llvm::StringRef sizes) {
  tcgemm::GenerateOptions options;
  if (llvm::Error error = options.problem.setOperandTypes("bf16"))
    return std::move(error);
  if (llvm::Error error = options.problem.setOutputType("f32"))
    return std::move(error);
  auto contraction = tcgemm::Contraction::parse("mk,kn->mn", sizes);
  if (!contraction)
    return contraction.takeError();
  tcgemm::BilinearAlgebra algebra{&numbers, {}};
  auto letters = tcgemm::addComponents(*contraction, algebra,
                                       tcgemm::ComponentLayout::Interleaved);
  if (!letters)
    return letters.takeError();
  options.contraction = *contraction;
  options.bilinear = {algebra, *letters};
  return tcgemm::generateMLIR(options);
}

// Component q times component r is `sign` times component p: {q, r, p, sign}.
inline constexpr tcgemm::StructureConstant complexConstants[] = {
    {0, 0, 0, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, -1}};
inline constexpr tcgemm::BilinearInfo complexNumbers = {"complex", 2,
                                                        complexConstants};
inline constexpr tcgemm::StructureConstant dualConstants[] = {
    {0, 0, 0, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
inline constexpr tcgemm::BilinearInfo dualNumbers = {"dual", 2, dualConstants};

#endif // VARIANTS_NUMBERS_H
