//===- GenerateGrouped.cpp - The MLIR of products of groups ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateGrouped.h"
#include "ProductIndices.h"

#include "llvm/ADT/STLExtras.h"

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
  if (isUnsignedType(problem.typeA))
    keywords += " unsigned_a";
  if (isUnsignedType(problem.typeB))
    keywords += " unsigned_b";
  if (options.checksOffsets)
    keywords += " check_offsets";
  std::string suffix = problem.hasBlockScales() ? "_scaled" : "";
  return "  %acc = tcgemm.grouped_matmul ins(%A" + suffix + ", %B" + suffix +
         ", %offsets : " + types.a + ", " + types.b + ",\n      " +
         types.offsets + ") outs(%init : " + types.result + ")" + keywords +
         attributes + " -> " + types.result + "\n";
}

/// The operation that multiplies A (0) or B (1) by its scales.
static std::string writeScaling(const TensorTypes &tensors,
                                const ScaledOperand &scaled,
                                const std::string &letters) {
  std::string name = scaled.operand ? "%B" : "%A",
              type = tensors.getMatrixType(scaled.operand),
              result = tensors.getType(letters, "f32"), sizes, text, loops;
  for (auto [i, letter] : llvm::enumerate(letters)) {
    loops += std::string(loops.empty() ? "" : ", ") + "\"parallel\"";
    if (tensors.isFixed(letter))
      continue;
    std::string size = name + "_" + letter;
    text += "  " + size + "_c = arith.constant " + std::to_string(i) +
            " : index\n  " + size + " = tensor.dim " + name + ", " + size +
            "_c : " + type + "\n";
    sizes += (sizes.empty() ? "" : ", ") + size;
  }
  std::string element = tensors.getElement(scaled.operand);
  std::string map = "affine_map<(" + separate(letters) + ") -> (";
  std::string own = map + separate(letters) + ")>";
  return text + "  " + name + "_empty = tensor.empty(" + sizes +
         ") : " + result + "\n  " + name +
         "_scaled = linalg.generic {\n    indexing_maps = [" + own + ", " +
         map + tensors.getScalesIndices(scaled) + ")>, " + own +
         "],\n    iterator_types = [" + loops + "]}\n    ins(" + name + ", %" +
         scaled.scales->name.str() + " : " + type + ", " +
         tensors.getScalesType(scaled) + ") outs(" + name +
         "_empty : " + result + ") {\n  ^bb0(%x: " + element +
         ", %s: f32, %o: f32):\n" + "    %y = arith.extf %x : " + element +
         " to f32\n" +
         "    %z = arith.mulf %y, %s : f32\n    linalg.yield %z : f32\n  } "
         "-> " +
         result + "\n";
}

std::string
tcgemm::writeScaledFactors(const TensorTypes &tensors,
                           const MatmulProblem &problem,
                           const std::array<std::string, 2> &letters) {
  if (!problem.hasBlockScales())
    return "";
  std::array<std::string, 2> texts;
  for (unsigned operand : {0, 1})
    texts[operand] = std::string(operand ? "  %B" : "  %A") +
                     "_scaled = arith.extf " + (operand ? "%B" : "%A") + " : " +
                     tensors.getMatrixType(operand) + " to " +
                     tensors.getType(letters[operand], "f32") + "\n";
  for (const ScaledOperand &scaled : getScaledOperands(problem))
    texts[scaled.operand] =
        writeScaling(tensors, scaled, letters[scaled.operand]);
  return texts[0] + texts[1];
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
