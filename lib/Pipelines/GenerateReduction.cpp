//===- GenerateReduction.cpp - Reductions as MLIR text --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateReduction.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tcgemm;
using llvm::StringRef;

/// The value with which a reduction starts. MLIR writes infinities as bits.
static std::string getInitial(const NamedReduction &reduction, bool isFloat,
                              bool isDouble) {
  if (reduction.startsWithZero())
    return isFloat ? "0.0" : "0";
  ScalarType type = !isFloat   ? ScalarType::I32
                    : isDouble ? ScalarType::F64
                               : ScalarType::F32;
  ScalarConstant neutral = getNeutral(reduction.getCombiner(isFloat), type);
  if (const auto *integer = std::get_if<int64_t>(&neutral))
    return std::to_string(*integer);
  bool isNegative = std::signbit(std::get<double>(neutral));
  if (isDouble)
    return isNegative ? "0xFFF0000000000000" : "0x7FF0000000000000";
  return isNegative ? "0xFF800000" : "0x7F800000";
}

std::string GeneratedReduction::write(const NamedReduction &reduction) const {
  bool isFloat = StringRef(element).starts_with("f");
  std::string kind = isFloat ? "f" : "i", value = "%v", function;
  switch (reduction.getFunction()) {
  case ReducedFunction::Identity:
    break;
  case ReducedFunction::Square:
    function = "arith.mul" + kind + " %v, %v";
    break;
  case ReducedFunction::Absolute:
    function = "math.abs" + kind + " %v";
    break;
  }
  if (!function.empty()) {
    value = "%w";
    function = "    %w = " + function + " : " + element + "\n";
  }
  std::string combiner = getCombinerName(reduction.getCombiner(isFloat)).str();
  std::string initial = getInitial(reduction, isFloat, element == "f64");
  return "  " + name + "_c = arith.constant " + initial + " : " + element +
         "\n  " + name + "_e = tensor.empty(" + sizes + ") : " + type + "\n  " +
         name + "_i = linalg.fill ins(" + name + "_c : " + element + ") outs(" +
         name + "_e : " + type + ") -> " + type + "\n  " + name +
         " = linalg.generic {\n    indexing_maps = [" + maps +
         "],\n    iterator_types = [" + iteratorTypes + "]}\n    ins(" +
         source + " : " + sourceType + ") outs(" + name + "_i : " + type +
         ") {\n  ^bb0(%v: " + element + ", %t: " + element + "):\n" + function +
         "    %u = arith." + combiner + " %t, " + value + " : " + element +
         "\n    linalg.yield %u : " + element + "\n  } -> " + type + "\n";
}
