//===- TensorTypes.cpp - Tensors of a generated product -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTypes.h"
#include "ProductIndices.h"
#include "tcgemm/Target/BlockScales.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tcgemm;
using llvm::StringRef;

bool TensorTypes::isFixed(char letter) const {
  return options.isStatic ||
         (options.bilinear && options.bilinear->has(letter));
}

std::string TensorTypes::getShape(std::vector<int64_t> sizes) const {
  return getShape(std::move(sizes), options.isBatched);
}

std::string TensorTypes::getShape(std::vector<int64_t> sizes,
                                  bool hasBatch) const {
  if (hasBatch)
    sizes.insert(sizes.begin(), options.problem.batch);
  std::string text;
  for (int64_t size : sizes)
    text += (options.isStatic ? std::to_string(size) : "?") + "x";
  return text;
}

std::string TensorTypes::getType(StringRef letters, StringRef element) const {
  std::string text = "tensor<";
  for (char letter : letters)
    text += (isFixed(letter) ? std::to_string(contraction.extents.at(letter))
                             : "?") +
            "x";
  return text + element.str() + ">";
}

std::string TensorTypes::getMatrixType(unsigned operand) const {
  return getType(contraction.operands[operand].letters, getElement(operand));
}

std::string TensorTypes::getElement(unsigned operand) const {
  const MatmulProblem &problem = options.problem;
  return getElementName(operand ? problem.typeB : problem.typeA).str();
}

std::string TensorTypes::getScalesType(const ScaledOperand &scaled) const {
  const MatmulProblem &problem = options.problem;
  auto count = [&](int64_t size, char dim) -> int64_t {
    return llvm::divideCeil(size,
                            scaled.scales->getBlock(dim, problem.groups.depth));
  };
  int64_t depth = count(problem.k, 'k');
  // Scales have a matrix for each group if their operand has one.
  bool hasBatch = contraction.operands[scaled.operand].has('b');
  std::string shape = scaled.operand
                          ? getShape({count(problem.n, 'n'), depth}, hasBatch)
                          : getShape({depth, count(problem.m, 'm')}, hasBatch);
  return "tensor<" + shape + getElementName(scaled.type).str() + ">";
}

std::string TensorTypes::map(const std::string &results, bool reduction) const {
  std::string loops = contraction.operands[2].letters;
  if (reduction)
    loops += getSumIndices(contraction);
  return "affine_map<(" + separate(loops) + ") -> (" + results + ")>";
}

std::string TensorTypes::getMap(unsigned operand, bool reduction) const {
  return map(separate(contraction.operands[operand].letters), reduction);
}

std::string TensorTypes::getScalesIndices(const ScaledOperand &scaled) const {
  auto index = [&](char dim) {
    int64_t block = scaled.scales->getBlock(dim, options.problem.groups.depth);
    return std::string(1, dim) +
           (block == 1 ? "" : " floordiv " + std::to_string(block));
  };
  bool hasBatch = contraction.operands[scaled.operand].has('b');
  return (hasBatch ? "b, " : "") + (scaled.operand
                                        ? index('n') + ", " + index('k')
                                        : index('k') + ", " + index('m'));
}

std::string TensorTypes::getScalesMap(const ScaledOperand &scaled) const {
  return map(getScalesIndices(scaled), /*reduction=*/true);
}

std::string TensorTypes::getIteratorTypes(bool reduction) const {
  std::vector<std::string> types(contraction.operands[2].letters.size(),
                                 "\"parallel\"");
  if (reduction)
    types.resize(types.size() + getSumIndices(contraction).size(),
                 "\"reduction\"");
  return "iterator_types = [" + llvm::join(types, ", ") + "]";
}
