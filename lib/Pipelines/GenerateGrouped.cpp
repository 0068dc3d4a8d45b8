//===- GenerateGrouped.cpp - The MLIR of products of groups ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateGrouped.h"

using namespace tcgemm;

static std::string getTensor(const GenerateOptions &options,
                             std::vector<int64_t> sizes, ScalarType type) {
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += (options.isStatic ? std::to_string(size) : "?") + "x";
  return text + getTypeName(getBufferType(type)).str() + ">";
}

std::string tcgemm::generateGrouped(const GenerateOptions &options) {
  const MatmulProblem &p = options.problem;
  bool alongK = p.bKContiguous;
  std::string a = getTensor(options, {p.m, p.k}, p.typeA);
  std::string b = getTensor(
      options, {p.batch, alongK ? p.n : p.k, alongK ? p.k : p.n}, p.typeB);
  std::string offsets = getTensor(options, {p.batch}, ScalarType::I32);
  std::string d = getTensor(options, {p.m, p.n}, p.output);
  std::string body, sizes;
  if (!options.isStatic) {
    std::string position = alongK ? "1" : "2";
    body = "  %c0 = arith.constant 0 : index\n"
           "  %m = tensor.dim %A, %c0 : " +
           a + "\n  %cn = arith.constant " + position +
           " : index\n  %n = tensor.dim %B, %cn : " + b + "\n";
    sizes = "%m, %n";
  }
  return "func.func @main(%A: " + a + ", %B: " + b + ", %offsets: " + offsets +
         ") -> " + d + " {\n" + body + "  %empty = tensor.empty(" + sizes +
         ") : " + d +
         "\n  %D = tcgemm.grouped_matmul ins(%A, %B, %offsets : " + a + ", " +
         b + ",\n      " + offsets + ") outs(%empty : " + d + ")" +
         (alongK ? " transpose_b" : "") + " -> " + d + "\n  return %D : " + d +
         "\n}\n";
}
