//===- GenerateGrouped.cpp - The MLIR of products of groups ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateGrouped.h"

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
  return "  %acc = tcgemm.grouped_matmul ins(%A, %B, %offsets : " + types.a +
         ", " + types.b + ",\n      " + types.offsets +
         ") outs(%init : " + types.result + ")" + keywords + attributes +
         " -> " + types.result + "\n";
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
