//===- BilinearFlags.cpp - Numbers of several components ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BilinearFlags.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;

/// A flag that contradicts numbers with components, if it is given.
static std::string findFlagWithoutComponents(const Flags &flags) {
  const cl::Option *others[] = {
      &flags.input.problems,       &flags.input.groupSizes,
      &flags.convolution.conv,     &flags.generate.blockScales,
      &flags.generate.groupScales, &flags.generate.transformA,
      &flags.generate.transformB,  &flags.generate.transformC,
      &flags.generate.dual,        &flags.generate.reduce,
      &flags.actions.compare,      &flags.numerics.numerics};
  return findGivenFlag(others);
}

/// The indices of the product without components.
static llvm::Expected<Contraction> describe(GenerateOptions generate,
                                            const MatmulSizes &sizes) {
  generate.problem.setSizes(sizes);
  Contraction product = describeProduct(generate);
  for (auto [letter, extent] : product.extents)
    if (extent < 1)
      return llvm::createStringError(
          "--algebra: numbers with components need sizes from 1 on, but " +
          std::string(1, letter) + " is " + std::to_string(extent));
  return product;
}

static bool hasComponents(const MatmulProblem &problem) {
  ScalarType type = problem.typeA;
  return type == problem.typeB &&
         (type == ScalarType::F16 || type == ScalarType::BF16 ||
          type == ScalarType::F32 || type == ScalarType::F64);
}

Error tcgemm::readBilinear(const Flags &flags, SessionOptions &options) {
  GenerateOptions &generate = options.generate;
  if (!generate.bilinear) {
    if (flags.generate.components.getNumOccurrences())
      return llvm::createStringError(
          "--components needs numbers with components, as of "
          "--algebra=complex");
    return Error::success();
  }
  std::string name = "--algebra=" + generate.bilinear->algebra.str();
  if (std::string given = findFlagWithoutComponents(flags); !given.empty())
    return llvm::createStringError(name + " does not go with " + given);
  if (!hasComponents(generate.problem))
    return llvm::createStringError(
        name + " is for operands of f16, bf16, f32 or f64, not of " +
        generate.problem.getOperandTypeText());
  if (!generate.contraction) {
    NamedProblem &named = options.problems.front();
    for (Dim dim : {Dim::M, Dim::N, Dim::K})
      if (!named.sizes[unsigned(dim)])
        return llvm::createStringError(name + " needs --m, --n and --k");
    llvm::Expected<Contraction> product = describe(generate, named.getSizes());
    if (!product)
      return product.takeError();
    generate.contraction = std::move(*product);
    MatmulSizes sizes = named.getSizes();
    named.tag =
        llvm::formatv("{0} {1}x{2}x{3}", generate.bilinear->algebra.str(),
                      sizes.m, sizes.n, sizes.k);
  }
  llvm::Expected<ComponentLetters> letters =
      addComponents(*generate.contraction, generate.bilinear->algebra,
                    flags.generate.components);
  if (!letters)
    return letters.takeError();
  generate.bilinear->letters = *letters;
  options.problem.sizes = {};
  options.problem.shapes["arg0"] = generate.contraction->getShape(0);
  options.problem.shapes["arg1"] = generate.contraction->getShape(1);
  return Error::success();
}
