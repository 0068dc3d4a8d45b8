//===- GeneratedActivation.cpp - Functions without operands ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GeneratedEpilogue.h"

namespace tcgemm {

static void addGelu(GeneratedEpilogue &e) {
  std::string x = e.current;
  std::string scaled =
      e.binary("arith.mulf", x, e.constant("0.70710678118654752"));
  std::string sum =
      e.binary("arith.addf", e.unary("math.erf", scaled), e.constant("1.0"));
  std::string half = e.binary("arith.mulf", x, e.constant("0.5"));
  e.current = e.binary("arith.mulf", half, sum);
}

static void addGeluTanh(GeneratedEpilogue &e) {
  std::string x = e.current;
  std::string square = e.binary("arith.mulf", x, x);
  std::string cube = e.binary("arith.mulf", square, x);
  std::string inner = e.binary(
      "arith.addf", x, e.binary("arith.mulf", cube, e.constant("0.044715")));
  std::string scaled =
      e.binary("arith.mulf", inner, e.constant("0.79788456080286536"));
  std::string sum =
      e.binary("arith.addf", e.unary("math.tanh", scaled), e.constant("1.0"));
  std::string half = e.binary("arith.mulf", x, e.constant("0.5"));
  e.current = e.binary("arith.mulf", half, sum);
}

void addActivation(GeneratedEpilogue &e, EpiloguePart part) {
  std::string x = e.current;
  if (part == EpiloguePart::Relu) {
    e.current = e.binary("arith.maximumf", x, e.constant("0.0"));
  } else if (part == EpiloguePart::Gelu) {
    addGelu(e);
  } else if (part == EpiloguePart::GeluTanh) {
    addGeluTanh(e);
  } else { // Silu
    std::string exponential = e.unary("math.exp", e.unary("arith.negf", x));
    std::string sum = e.binary("arith.addf", exponential, e.constant("1.0"));
    e.current = e.binary("arith.divf", x, sum);
  }
}

} // namespace tcgemm
