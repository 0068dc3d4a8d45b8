//===- GenerateTransform.cpp - MLIR for functions of elements -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateTransform.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tcgemm;
using llvm::StringRef;
using llvm::Twine;

std::string tcgemm::writeTransformPart(TransformPart part, StringRef x,
                                       StringRef type, unsigned &next,
                                       std::string &text) {
  auto emit = [&](const Twine &op) {
    std::string name = "%t" + std::to_string(next++);
    text += ("    " + name + " = " + op + " : " + type + "\n").str();
    return name;
  };
  auto constant = [&](const char *value) {
    return emit(Twine("arith.constant ") + value);
  };
  switch (part) {
  case TransformPart::Relu:
    return emit("arith.maximumf " + x + ", " + constant("0.0"));
  case TransformPart::AddOne:
    return emit("arith.addf " + x + ", " + constant("1.0"));
  case TransformPart::Silu: {
    std::string exponential = emit("math.exp " + emit("arith.negf " + x));
    std::string sum =
        emit("arith.addf " + exponential + ", " + constant("1.0"));
    return emit("arith.divf " + x + ", " + sum);
  }
  case TransformPart::Exp:
    return emit("math.exp " + x);
  case TransformPart::Inverse:
    return emit("arith.divf " + constant("1.0") + ", " + x);
  }
  llvm_unreachable("covered switch");
}
