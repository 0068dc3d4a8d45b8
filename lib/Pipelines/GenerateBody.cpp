//===- GenerateBody.cpp - The body of a generated product -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateBody.h"
#include "GenerateAlgebra.h"
#include "GenerateTransform.h"
#include "ScaledOperands.h"
#include "tcgemm/Target/Precision.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace tcgemm;

namespace {
class BodyWriter {
public:
  explicit BodyWriter(const GenerateOptions &options)
      : options(options), problem(options.problem),
        scaled(getScaledOperands(problem)),
        accumulator(getTypeName(problem.accumulator)) {}

  std::string write();

private:
  void writeArguments();
  void writeFactors();
  void subtractZeroPoints();
  /// The argument `name` in the type of the sums.
  std::string extend(const std::string &name, ScalarType type);
  void multiply(const std::string &name, const std::string &factor);

  const GenerateOptions &options;
  const MatmulProblem &problem;
  decltype(getScaledOperands(MatmulProblem())) scaled;
  std::string accumulator, text;
  /// The elements of A and B that are multiplied, and their product so far.
  std::vector<std::string> factors;
  std::string product;
};
} // namespace

void BodyWriter::writeArguments() {
  text = " {\n  ^bb0(%left: " + getElementName(problem.typeA).str() +
         ", %right: " + getElementName(problem.typeB).str();
  for (const ScaledOperand &operand : scaled)
    text +=
        (", %" + operand.scales->name + "_e: " + getElementName(operand.type))
            .str();
  if (options.bilinear)
    text += (", %t_e: " + getElementName(problem.typeB)).str();
  text += ", %sum: " + accumulator + "):\n";
}

void BodyWriter::writeFactors() {
  unsigned next = 0;
  for (auto [name, type, transform] :
       {std::tuple("left", problem.typeA, &problem.transformA),
        std::tuple("right", problem.typeB, &problem.transformB)}) {
    std::string value = "%" + std::string(name);
    for (TransformPart part : transform->parts)
      value = writeTransformPart(part, value, getElementName(type), next, text);
    std::string wide = "%wide_" + std::string(name);
    std::string extension =
        writeExtension(wide, value, type, problem.accumulator);
    text += extension;
    factors.push_back(extension.empty() ? value : wide);
  }
}

std::string BodyWriter::extend(const std::string &name, ScalarType type) {
  std::string value = "%" + name + "_e", wide = "%" + name + "_w";
  std::string extension =
      writeExtension(wide, value, type, problem.accumulator);
  text += extension;
  return extension.empty() ? value : wide;
}

void BodyWriter::subtractZeroPoints() {
  for (const ScaledOperand &operand : scaled) {
    if (!operand.scales->isZeroPoint)
      continue;
    std::string &factor = factors[operand.operand];
    std::string zero = extend(operand.scales->name.str(), operand.type);
    text += (llvm::Twine("    %shifted = arith.subf ") + factor + ", " + zero +
             " : " + accumulator + "\n")
                .str();
    factor = "%shifted";
  }
}

/// Multiplies the product by an argument, which gives `%times_NAME`.
void BodyWriter::multiply(const std::string &name, const std::string &factor) {
  text += "    %times_" + name + " = arith.mulf " + product + ", " + factor +
          " : " + accumulator + "\n";
  product = "%times_" + name;
}

std::string BodyWriter::write() {
  writeArguments();
  writeFactors();
  subtractZeroPoints();
  if (!problem.algebra.isDefault())
    return text +
           writeAlgebraBody(problem.algebra, factors, problem.accumulator);
  const char *kind = isFloatType(problem.accumulator) ? "f" : "i";
  product = "%product";
  text += "    %product = arith.mul" + std::string(kind) + " " + factors[0] +
          ", " + factors[1] + " : " + accumulator + "\n";
  for (const ScaledOperand &operand : scaled)
    if (!operand.scales->isZeroPoint) {
      std::string name = operand.scales->name.str();
      multiply(name, extend(name, operand.type));
    }
  if (options.bilinear)
    multiply("t", extend("t", problem.typeB));
  return text + "    %next = arith.add" + kind + " %sum, " + product + " : " +
         accumulator + "\n    linalg.yield %next : " + accumulator + "\n  }";
}

std::string tcgemm::writeProductBody(const GenerateOptions &options) {
  return BodyWriter(options).write();
}

std::string tcgemm::writeConstant(const ScalarConstant &constant,
                                  ScalarType type) {
  if (const auto *integer = std::get_if<int64_t>(&constant))
    return std::to_string(*integer);
  double value = std::get<double>(constant);
  if (std::isinf(value))
    return "0x" + (type == ScalarType::F64
                       ? llvm::utohexstr(llvm::bit_cast<uint64_t>(value))
                       : llvm::utohexstr(llvm::bit_cast<uint32_t>(
                             static_cast<float>(value))));
  assert(value == std::trunc(value) && "no whole number");
  return std::to_string(static_cast<int64_t>(value)) + ".0";
}
