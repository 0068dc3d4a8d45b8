//===- ProductTerms.cpp - Products in the terms of the C API --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTerms.h"
#include "tcgemm/Version.h"

#include "llvm/Support/ErrorHandling.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Expected;
using llvm::StringRef;

namespace {

struct TypeTerm {
  tcgemmType type;
  ScalarType scalar;
  llvm::StringLiteral name;
};
constexpr TypeTerm kTypes[] = {
    {TCGEMM_F16, ScalarType::F16, "f16"},
    {TCGEMM_BF16, ScalarType::BF16, "bf16"},
    {TCGEMM_F32, ScalarType::F32, "f32"},
    {TCGEMM_F64, ScalarType::F64, "f64"},
    {TCGEMM_E4M3, ScalarType::E4M3, "e4m3"},
    {TCGEMM_E5M2, ScalarType::E5M2, "e5m2"},
    {TCGEMM_S8, ScalarType::I8, "s8"},
    {TCGEMM_U8, ScalarType::U8, "u8"},
    {TCGEMM_S32, ScalarType::I32, "s32"},
    {TCGEMM_S4, ScalarType::I4, "s4"},
    {TCGEMM_U4, ScalarType::U4, "u4"},
    {TCGEMM_S4_INTERLEAVED, ScalarType::I4Interleaved, "s4i"},
    {TCGEMM_U4_INTERLEAVED, ScalarType::U4Interleaved, "u4i"},
};

} // namespace

StringRef library::getVersionText() { return TCGEMM_VERSION_STRING; }

int library::getVersionNumber() {
  int number = 0;
  StringRef rest = getVersionText();
  for (int i = 0; i != 3; ++i) {
    int part = 0;
    auto [head, tail] = rest.split('.');
    head.getAsInteger(10, part);
    number = number * 100 + part;
    rest = tail;
  }
  return number;
}

static const TypeTerm &getTerm(tcgemmType type) {
  for (const TypeTerm &each : kTypes)
    if (each.type == type)
      return each;
  llvm_unreachable("unknown type");
}

StringRef library::getTypeName(tcgemmType type) { return getTerm(type).name; }

ScalarType library::getScalarType(tcgemmType type) {
  return getTerm(type).scalar;
}

std::optional<tcgemmType> library::findType(ScalarType type) {
  for (const TypeTerm &each : kTypes)
    if (each.scalar == type)
      return each.type;
  return std::nullopt;
}

tcgemmType library::getSumType(const KernelSpec &kernel) {
  return kernel.accumulator == ScalarType::F64 ? TCGEMM_F64 : TCGEMM_F32;
}

std::vector<tcgemmOperandShape>
library::getOperandShapes(const NamedEpilogue &epilogue) {
  std::vector<tcgemmOperandShape> shapes;
  for (EpiloguePart part : epilogue.parts)
    switch (getPartOperand(part)) {
    case EpilogueOperand::None:
      break;
    case EpilogueOperand::Number:
      shapes.push_back(isOfGroups(part) ? TCGEMM_OPERAND_GROUPS_NUMBER
                                        : TCGEMM_OPERAND_NUMBER);
      break;
    case EpilogueOperand::AlongN:
      shapes.push_back(isOfGroups(part)      ? TCGEMM_OPERAND_GROUPS_ALONG_N
                       : hasOutputType(part) ? TCGEMM_OPERAND_OUT_ALONG_N
                                             : TCGEMM_OPERAND_ALONG_N);
      break;
    case EpilogueOperand::AlongM:
      shapes.push_back(hasOutputType(part) ? TCGEMM_OPERAND_OUT_ALONG_M
                                           : TCGEMM_OPERAND_ALONG_M);
      break;
    case EpilogueOperand::Matrix:
      shapes.push_back(TCGEMM_OPERAND_MATRIX);
      break;
    }
  return shapes;
}

/// The type of an operand in memory; u8 is i8 there, but has a name.
static std::optional<tcgemmType> findMemoryType(ScalarType type) {
  if (std::optional<tcgemmType> found = findType(type))
    return found;
  return getPackedElements(type) == 1 ? findType(getBufferType(type))
                                      : std::nullopt;
}

/// Returns whether a descriptor of these terms is one of the kernel.
static bool describes(const ProductTerms &terms, const KernelSpec &kernel) {
  KernelSpec same;
  std::string operands = getTypeName(terms.typeA).str();
  if (terms.typeA != terms.typeB)
    operands += "x" + getTypeName(terms.typeB).str();
  llvm::Error error = llvm::Error::success();
  auto apply = [&](llvm::Error next) {
    error = joinErrors(std::move(error), std::move(next));
  };
  apply(same.setOperandTypes(operands));
  apply(same.setPrecision(terms.precision));
  apply(same.setOutputType(getTypeName(terms.typeD)));
  if (error) {
    llvm::consumeError(std::move(error));
    return false;
  }
  same.aKContiguous = kernel.aKContiguous;
  same.bKContiguous = kernel.bKContiguous;
  same.epilogue = kernel.epilogue;
  same.hasAlpha = kernel.hasAlpha;
  same.hasBeta = kernel.hasBeta;
  same.isBatched = kernel.isBatched;
  same.isStatic = kernel.isStatic;
  same.isApproximate = kernel.isApproximate;
  return same == kernel && (kernel.hasAlpha || !kernel.hasBeta);
}

Expected<ProductTerms> library::getProductTerms(const KernelSpec &kernel) {
  std::optional<tcgemmType> a = findMemoryType(kernel.typeA),
                            b = findMemoryType(kernel.typeB),
                            d = findType(kernel.output);
  ProductTerms terms;
  if (a && b && d) {
    terms.typeA = *a;
    terms.typeB = *b;
    terms.typeD = *d;
    terms.sums = getSumType(kernel);
    terms.transA = kernel.aKContiguous ? TCGEMM_N : TCGEMM_T;
    terms.transB = kernel.bKContiguous ? TCGEMM_T : TCGEMM_N;
    terms.scaling = kernel.hasBeta    ? TCGEMM_ALPHA_BETA
                    : kernel.hasAlpha ? TCGEMM_ALPHA
                                      : TCGEMM_UNSCALED;
    terms.precision = getPrecisionName(getPrecision(kernel.typeA)).str();
    terms.epilogue = kernel.epilogue.str();
    terms.shapes = getOperandShapes(kernel.epilogue);
    if (describes(terms, kernel) &&
        terms.shapes.size() <= TCGEMM_MAX_EPILOGUE_OPERANDS)
      return terms;
  }
  return llvm::createStringError("a generated library has no product " +
                                 kernel.str());
}
