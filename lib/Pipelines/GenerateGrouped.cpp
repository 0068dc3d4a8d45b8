//===- GenerateGrouped.cpp - The MLIR of products of groups ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateGrouped.h"
#include "GenerateBand.h"
#include "ProductIndices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;

std::string tcgemm::writeGroupedProduct(const GenerateOptions &options,
                                        const GroupedTypes &types,
                                        const std::string &attributes) {
  const MatmulProblem &problem = options.problem;
  std::string keywords;
  if (!problem.aKContiguous)
    keywords += " transpose_a";
  if (problem.bKContiguous)
    keywords += " transpose_b";
  // Scaled operands are f32.
  if (isUnsignedType(problem.typeA) && !problem.hasScales())
    keywords += " unsigned_a";
  if (isUnsignedType(problem.typeB) && !problem.hasScales())
    keywords += " unsigned_b";
  if (options.checksOffsets)
    keywords += " check_offsets";
  auto getName = [&](unsigned operand) {
    return problem.hasScales() ? getMatrixName(problem, operand) + "_scaled"
                               : getFactor(problem, operand);
  };
  return "  %acc = tcgemm.grouped_matmul ins(" + getName(0) + ", " +
         getName(1) + ", %offsets : " + types.a + ", " + types.b + ",\n      " +
         types.offsets + ") outs(%init : " + types.result + ")" + keywords +
         attributes + " -> " + types.result + "\n";
}

/// The values with which A (0) or B (1) is scaled, in the order of the
/// product's operands.
static llvm::SmallVector<ScaledOperand, 2>
getScalesOf(const MatmulProblem &problem, unsigned operand) {
  llvm::SmallVector<ScaledOperand, 2> own = getScaledOperands(problem);
  llvm::erase_if(own, [&](const ScaledOperand &scaled) {
    return scaled.operand != operand;
  });
  return own;
}

/// The body that converts an element of `type`, subtracts its zero point and
/// multiplies it by its scales, all in f32.
static std::string writeScalingBody(ScalarType type,
                                    llvm::ArrayRef<ScaledOperand> scales) {
  constexpr ScalarType f32 = ScalarType::F32;
  std::string arguments = "%x: " + getElementName(type).str(), text;
  auto extend = [&](const std::string &name, ScalarType from) -> std::string {
    std::string extension = writeExtension(name + "_w", name, from, f32);
    text += extension;
    return extension.empty() ? name : name + "_w";
  };
  std::string value = extend("%x", type);
  // Zero points are subtracted first, but are the last operands.
  for (bool isZeroPoint : {true, false})
    for (const ScaledOperand &scaled : scales) {
      if (scaled.scales->isZeroPoint != isZeroPoint)
        continue;
      std::string name = "%" + scaled.scales->name.str() + "_e";
      std::string factor = extend(name, scaled.type);
      std::string result = name + "_y";
      text += llvm::formatv("    {0} = arith.{1} {2}, {3} : f32\n", result,
                            isZeroPoint ? "subf" : "mulf", value, factor)
                  .str();
      value = result;
    }
  for (const ScaledOperand &scaled : scales)
    arguments += ", %" + scaled.scales->name.str() +
                 "_e: " + getElementName(scaled.type).str();
  return " {\n  ^bb0(" + arguments + ", %o: f32):\n" + text +
         "    linalg.yield " + value + " : f32\n  }";
}

/// The operation that scales A (0) or B (1).
static std::string writeScaling(const TensorTypes &tensors,
                                const MatmulProblem &problem, unsigned operand,
                                llvm::ArrayRef<ScaledOperand> scales,
                                const std::string &letters) {
  ScalarType element = operand ? problem.typeB : problem.typeA;
  std::string name = getMatrixName(problem, operand),
              type = tensors.getMatrixType(operand),
              result = tensors.getType(letters, "f32"), sizes, text, loops;
  for (auto [i, letter] : llvm::enumerate(letters)) {
    loops += std::string(loops.empty() ? "" : ", ") + "\"parallel\"";
    if (tensors.isFixed(letter))
      continue;
    std::string size = name + "_" + letter;
    text += llvm::formatv("  {0}_c = arith.constant {1} : index\n"
                          "  {0} = tensor.dim {2}, {0}_c : {3}\n",
                          size, i, name, type)
                .str();
    sizes += (sizes.empty() ? "" : ", ") + size;
  }
  std::string map = "affine_map<(" + separate(letters) + ") -> (";
  std::string own = map + separate(letters) + ")>";
  std::string maps = own, values = getFactor(problem, operand), types = type;
  for (const ScaledOperand &scaled : scales) {
    maps += ", " + map + tensors.getScalesIndices(scaled) + ")>";
    values += ", %" + scaled.scales->name.str();
    types += ", " + tensors.getScalesType(scaled);
  }
  return text + "  " + name + "_empty = tensor.empty(" + sizes +
         ") : " + result + "\n  " + name +
         "_scaled = linalg.generic {\n    indexing_maps = [" + maps + ", " +
         own + "],\n    iterator_types = [" + loops + "]}\n    ins(" + values +
         " : " + types + ") outs(" + name + "_empty : " + result + ")" +
         writeScalingBody(element, scales) + " -> " + result + "\n";
}

std::string
tcgemm::writeScaledFactors(const TensorTypes &tensors,
                           const MatmulProblem &problem,
                           const std::array<std::string, 2> &letters) {
  std::string text;
  for (unsigned operand : {0, 1}) {
    std::string name = getMatrixName(problem, operand);
    llvm::SmallVector<ScaledOperand, 2> scales = getScalesOf(problem, operand);
    if (!scales.empty())
      text += writeScaling(tensors, problem, operand, scales, letters[operand]);
    else if (problem.hasScales())
      text += llvm::formatv("  {0}_scaled = arith.extf {0} : {1} to {2}\n",
                            name, tensors.getMatrixType(operand),
                            tensors.getType(letters[operand], "f32"))
                  .str();
  }
  return text;
}

std::string tcgemm::writeGroupBroadcast(const std::string &name,
                                        const std::string &sizes,
                                        const GroupBroadcastTypes &types) {
  return "  %" + name + "_empty = tensor.empty(" + sizes + ") : " + types.rows +
         "\n  %" + name + "_rows = tcgemm.group_broadcast ins(%" + name +
         ", %offsets : " + types.values + ",\n      " + types.offsets +
         ") outs(%" + name + "_empty : " + types.rows + ") -> " + types.rows +
         "\n";
}
