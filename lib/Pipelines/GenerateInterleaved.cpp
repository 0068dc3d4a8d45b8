//===- GenerateInterleaved.cpp - MLIR for interleaved operands ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Place lane * 8 + half * 4 + pair of a block of 32 has element pair * 8 +
// lane * 2 + half: see getInterleavedPlace.
//
//===----------------------------------------------------------------------===//

#include "GenerateInterleaved.h"
#include "GenerateBand.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::StringRef;

/// Writes the operations for one operand. They divide k into the number of the
/// block of 32, the lane, the half and the pair.
static std::string writeInOrder(const std::string &name, StringRef type,
                                StringRef element,
                                llvm::ArrayRef<std::string> sizes) {
  std::string shape, text, outputShape, emptySizes, permutation, groups;
  size_t outer = sizes.size() - 1;
  for (size_t i = 0; i <= outer; ++i) {
    bool isLast = i == outer, isDynamic = sizes[i] == "?";
    std::string size = sizes[i];
    if (isDynamic) {
      text += llvm::formatv("  {0}_c{1} = arith.constant {1} : index\n"
                            "  {0}_{1} = tensor.dim {0}, {0}_c{1} : {2}\n",
                            name, i, type)
                  .str();
      size = name + "_" + std::to_string(i);
    }
    if (isLast && isDynamic) {
      text += llvm::formatv("  {0}_c32 = arith.constant {1} : index\n"
                            "  {0}_blocks = arith.divui {2}, {0}_c32 : index\n",
                            name, kInterleavedDepth, size)
                  .str();
      size = name + "_blocks";
    } else if (isLast) {
      size = std::to_string(std::stoll(size) / kInterleavedDepth);
    }
    StringRef comma = i ? ", " : "";
    outputShape += (comma + size).str();
    if (isDynamic)
      emptySizes += ((emptySizes.empty() ? "" : ", ") + size);
    shape += (isDynamic ? "?" : size) + "x";
    permutation += (comma + std::to_string(i)).str();
    groups += (comma + "[" + std::to_string(i) + (isLast ? "" : "]")).str();
  }
  for (size_t i = 1; i <= 3; ++i)
    groups += ", " + std::to_string(outer + i);
  groups += "]";
  for (size_t i : {3, 1, 2})
    permutation += ", " + std::to_string(outer + i);
  std::string parts = "tensor<" + shape + "4x2x4x" + element.str() + ">";
  std::string ordered = "tensor<" + shape + "4x4x2x" + element.str() + ">";
  return text +
         llvm::formatv(
             "  {0}_parts = tensor.expand_shape {0} [{1}] output_shape "
             "[{2}, 4, 2, 4] : {3} into {4}\n"
             "  {0}_order = tensor.empty({5}) : {6}\n"
             "  {0}_transposed = linalg.transpose ins({0}_parts : {4}) "
             "outs({0}_order : {6}) permutation = [{7}]\n"
             "  {0}_in_order = tensor.collapse_shape {0}_transposed [{1}] : "
             "{6} into {3}\n",
             name, groups, outputShape, type, parts, emptySizes, ordered,
             permutation)
             .str();
}

std::string tcgemm::writeInterleaved(const MatmulProblem &problem,
                                     const TensorTypes &tensors,
                                     const Contraction &contraction) {
  std::string text;
  for (unsigned operand : {0, 1}) {
    if (!isInterleaved(operand ? problem.typeB : problem.typeA))
      continue;
    std::vector<std::string> sizes;
    for (char letter : contraction.operands[operand].letters)
      sizes.push_back(tensors.isFixed(letter)
                          ? std::to_string(contraction.extents.at(letter))
                          : "?");
    auto write = [&](const std::string &name) {
      text += writeInOrder(name, tensors.getMatrixType(operand),
                           tensors.getElement(operand), sizes);
    };
    write(getMatrixName(problem, operand));
    if (operand && problem.isDual())
      write("%B2");
  }
  return text;
}
