//===- GenerateGrouped.cpp - The MLIR of products of groups ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateGrouped.h"

using namespace tcgemm;

std::string tcgemm::writeGroupedProduct(const GroupedTypes &types,
                                        const MatmulProblem &problem) {
  return "  %acc = tcgemm.grouped_matmul ins(%A, %B, %offsets : " + types.a +
         ", " + types.b + ",\n      " + types.offsets +
         ") outs(%init : " + types.result + ")" +
         (problem.aKContiguous ? "" : " transpose_a") +
         (problem.bKContiguous ? " transpose_b" : "") + " -> " + types.result +
         "\n";
}
