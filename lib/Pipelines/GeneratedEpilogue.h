//===- GeneratedEpilogue.h - The epilogue of generated text -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEDEPILOGUE_H
#define TCGEMM_LIB_PIPELINES_GENERATEDEPILOGUE_H

#include "tcgemm/Problem/ElementTransform.h"
#include "tcgemm/Problem/NamedDual.h"
#include "tcgemm/Problem/NamedEpilogue.h"
#include "tcgemm/Target/ScalarType.h"

#include <string>
#include <vector>

namespace tcgemm {

/// Collects the generic's inputs and body.
struct GeneratedEpilogue {
  std::vector<std::string> maps, values, types, blockArguments;
  std::string body;
  std::string current = "%x";
  std::string type; ///< In which it computes: that of float sums, or f32.
  /// True if alpha and beta are tensors without dimensions.
  bool scalarsInMemory = false;
  unsigned next = 0;

  std::string addInput(const std::string &name, const std::string &map,
                       const std::string &tensorType, const std::string &type) {
    maps.push_back(map);
    values.push_back("%" + name);
    types.push_back(tensorType);
    blockArguments.push_back("%" + name + "_e: " + type);
    return "%" + name + "_e";
  }
  std::string emit(const std::string &text) {
    std::string name = "%v" + std::to_string(next++);
    body += "    " + name + " = " + text + "\n";
    return name;
  }
  std::string constant(const char *value) {
    return emit("arith.constant " + std::string(value) + " : " + type);
  }
  std::string binary(const char *op, const std::string &a,
                     const std::string &b) {
    return emit(std::string(op) + " " + a + ", " + b + " : " + type);
  }
  std::string unary(const char *op, const std::string &a) {
    return emit(std::string(op) + " " + a + " : " + type);
  }
  /// `value` of type `from` in the epilogue's type.
  std::string widen(const std::string &value, ScalarType from) {
    if (getTypeName(from) == type)
      return value;
    bool isFloat = isFloatType(from);
    return emit(std::string(isFloat ? "arith.extf " : "arith.sitofp ") + value +
                " : " + getTypeName(from).str() + " to " + type);
  }
  /// The function of `element` of type `from`, in the epilogue's type.
  std::string load(const ElementTransform &function, const std::string &element,
                   ScalarType from);
  /// The type of the parameters alpha and beta.
  std::string getFactorType() const {
    return scalarsInMemory ? "tensor<" + type + ">" : type;
  }
  /// The value of alpha or beta; `map` is that of a tensor without dimensions.
  std::string addFactor(const std::string &name, const std::string &map) {
    return scalarsInMemory ? addInput(name, map, getFactorType(), type)
                           : "%" + name;
  }
  /// Gives a value a name that a user's operations have for it.
  void bind(const std::string &name, const std::string &value);
  /// Adds a user's operations, which compute `%result`.
  void addOperations(const std::string &text);
  /// Adds `element`, an element of C, times `beta`.
  void addScaled(const std::string &element, const std::string &beta);
  /// Applies a part that reads no operand.
  void addActivation(EpiloguePart part);
  /// Applies the function of the sums of a dual product to the value and
  /// `second`, of type `from`.
  void combine(const DualInfo &dual, const std::string &second,
               ScalarType from);
  /// Saturates the value.
  void clamp(const char *low, const char *high);
  /// Rounds to the nearest integer, ties to even, and saturates to 8 bits.
  void requantize();

private:
  void addGelu();
  void addGeluTanh();
};

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEDEPILOGUE_H
