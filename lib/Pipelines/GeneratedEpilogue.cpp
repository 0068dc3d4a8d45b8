//===- GeneratedEpilogue.cpp - Parts of epilogues as MLIR text ------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GeneratedEpilogue.h"
#include "GenerateTransform.h"

using namespace tcgemm;

std::string GeneratedEpilogue::load(const ElementTransform &function,
                                    const std::string &element,
                                    ScalarType from) {
  std::string value = widen(element, from);
  for (TransformPart part : function.parts)
    value = writeTransformPart(part, value, type, next, body);
  return value;
}

void GeneratedEpilogue::addScaled(const std::string &element,
                                  const std::string &beta) {
  std::string without = current;
  std::string scaled = binary("arith.mulf", element, beta);
  current = binary("arith.addf", without, scaled);
  if (!scalarsInMemory)
    return;
  // BLAS's rule: where beta is 0, C may have anything in it.
  std::string isZero = binary("arith.cmpf oeq,", beta, constant("0.0"));
  current = emit("arith.select " + isZero + ", " + without + ", " + current +
                 " : " + type);
}

void GeneratedEpilogue::bind(const std::string &name,
                             const std::string &value) {
  // The operation has no effect.
  body += "    %" + name + " = arith.bitcast " + value + " : " + type + " to " +
          type + "\n";
}

void GeneratedEpilogue::addOperations(const std::string &text) {
  body += text + "\n";
  current = "%result";
}

void GeneratedEpilogue::addGelu() {
  std::string x = current;
  std::string scaled = binary("arith.mulf", x, constant("0.70710678118654752"));
  std::string sum =
      binary("arith.addf", unary("math.erf", scaled), constant("1.0"));
  std::string half = binary("arith.mulf", x, constant("0.5"));
  current = binary("arith.mulf", half, sum);
}

void GeneratedEpilogue::addGeluTanh() {
  std::string x = current;
  std::string square = binary("arith.mulf", x, x);
  std::string cube = binary("arith.mulf", square, x);
  std::string inner =
      binary("arith.addf", x, binary("arith.mulf", cube, constant("0.044715")));
  std::string scaled =
      binary("arith.mulf", inner, constant("0.79788456080286536"));
  std::string sum =
      binary("arith.addf", unary("math.tanh", scaled), constant("1.0"));
  std::string half = binary("arith.mulf", x, constant("0.5"));
  current = binary("arith.mulf", half, sum);
}

void GeneratedEpilogue::addActivation(EpiloguePart part) {
  std::string x = current;
  if (part == EpiloguePart::Relu) {
    current = binary("arith.maximumf", x, constant("0.0"));
  } else if (part == EpiloguePart::Gelu) {
    addGelu();
  } else if (part == EpiloguePart::GeluTanh) {
    addGeluTanh();
  } else { // Silu
    std::string exponential = unary("math.exp", unary("arith.negf", x));
    std::string sum = binary("arith.addf", exponential, constant("1.0"));
    current = binary("arith.divf", x, sum);
  }
}

void GeneratedEpilogue::combine(const DualInfo &dual, const std::string &second,
                                ScalarType from) {
  std::string other = widen(second, from);
  if (dual.activation)
    addActivation(*dual.activation);
  current =
      binary(dual.multiplies ? "arith.mulf" : "arith.addf", current, other);
}

/// Saturates the result.
void GeneratedEpilogue::clamp(const char *low, const char *high) {
  current = binary("arith.maximumf", current, constant(low));
  current = binary("arith.minimumf", current, constant(high));
}

/// Rounds to the nearest integer, ties to even, and saturates to 8 bits.
void GeneratedEpilogue::requantize() {
  current = unary("math.roundeven", current);
  clamp("-128.0", "127.0");
  current = emit("arith.fptosi " + current + " : f32 to i8");
}
