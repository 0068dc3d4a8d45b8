//===- OperandAttribute.cpp - The attribute of operands -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/EpilogueTypes.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Instructions.h"

using namespace mlir;
using namespace tcgemm;

static LogicalResult verifyScales(function_ref<InFlightDiagnostic()> emitError,
                                  const BlockScales &scales, Type type,
                                  StringRef dims, int64_t group) {
  StringRef what = scales.isZeroPoint ? "zero points" : "scales";
  bool fits =
      llvm::all_of(scales.dims, [&](char c) { return dims.contains(c); }) &&
      dims.size() == 2 + size_t(dims.contains('b'));
  if (!fits)
    return emitError() << "dims of the " << what << " of " << scales.matrix
                       << " must be " << scales.dims[0]
                       << ", k and perhaps b, but are '" << dims << "'";
  if (!group && scales.isZeroPoint)
    return emitError() << "zero points need a group";
  if (group && !isGroupDepth(group))
    return emitError() << "a group must have 32, 64, 128 or 256 elements, but "
                          "has "
                       << group;
  if (scales.isZeroPoint && !type.isSignlessInteger(8) &&
      !type.isUnsignedInteger(8))
    return emitError() << "zero points must be i8 or ui8, but are " << type;
  if (!scales.isZeroPoint && !type.isF32() &&
      !(group && (type.isF16() || type.isBF16())))
    return emitError() << (group ? "scales of groups must be f32, f16 or bf16"
                                 : "scales of blocks must be f32")
                       << ", but are " << type;
  return success();
}

static LogicalResult
verifyReduction(function_ref<InFlightDiagnostic()> emitError, OperandRole role,
                Type type, StringRef dims, ReductionAttr reduction) {
  if (role != OperandRole::Output)
    return emitError() << "reduction is for outputs, but not for "
                       << stringifyOperandRole(role);
  if (dims.contains('k') || (dims.contains('m') && dims.contains('n')))
    return emitError() << "an output with a reduction may have b, and m or n, "
                          "but has '"
                       << dims << "'";
  if (reduction.getInitial().getType() != type)
    return emitError() << "the reduction's initial value has the type "
                       << reduction.getInitial().getType()
                       << ", but the output has " << type;
  return success();
}

static LogicalResult verifyNumber(function_ref<InFlightDiagnostic()> emitError,
                                  Type type) {
  if (!isEpilogueType(type))
    return emitError() << "element type must be one of " << listEpilogueTypes()
                       << ", but is " << type;
  return success();
}

static LogicalResult verifySizes(function_ref<InFlightDiagnostic()> emitError,
                                 OperandRole role, Type type, StringRef dims) {
  if (!type.isSignlessInteger(32) || dims != "b")
    return emitError() << stringifyOperandRole(role)
                       << " must be i32 with the dims 'b', but are " << type
                       << " with '" << dims << "'";
  return success();
}

static LogicalResult
verifyConvolutionOperand(function_ref<InFlightDiagnostic()> emitError,
                         OperandRole role, Type type, StringRef dims) {
  if (role != OperandRole::A || dims != "mk" ||
      !(type.isF16() || type.isBF16() || type.isF32() || type.isTF32()))
    return emitError() << "convolution is for an A with the dims 'mk' and "
                          "elements of f16, bf16, f32 or tf32, but not for "
                       << stringifyOperandRole(role) << " with '" << dims
                       << "' and " << type;
  return success();
}

static LogicalResult
verifyRepresented(function_ref<InFlightDiagnostic()> emitError,
                  OperandRole role, Type type, StringRef dims) {
  bool hasBlocks = dims.size() >= 2 && dims.take_back(2).contains('k') &&
                   dims.take_back(2).contains('n');
  if (role != OperandRole::B || !hasBlocks || !isa<FloatType>(type))
    return emitError() << "representation is for a B of floats whose innermost "
                          "dims are k and n, but not for "
                       << stringifyOperandRole(role) << " with '" << dims
                       << "' and " << type;
  return success();
}

static LogicalResult verifyMatrix(function_ref<InFlightDiagnostic()> emitError,
                                  OperandRole role, Type type, StringRef dims) {
  bool isA = role == OperandRole::A;
  auto holds = [&](char c) { return dims.contains(c); };
  if (!llvm::all_of(StringRef(isA ? "mk" : "nk"), holds) ||
      dims.contains(isA ? 'n' : 'm') || isOuter(dims.back()))
    return emitError() << "dims of "
                       << (isA ? "A must be m, k" : "B must be n, k")
                       << " and perhaps b to d, the innermost none of "
                          "these, but are '"
                       << dims << "'";
  std::optional<ScalarType> scalar = getScalarType(type);
  if (!scalar || !isOperandType(*scalar))
    return emitError() << "element type of A and B must be one of "
                       << getOperandTypeNames() << ", but is " << type;
  return success();
}

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  OperandRole role, Type type, StringRef dims,
                                  int64_t group, ReductionAttr reduction,
                                  ConvolutionAttr convolution, BandAttr band,
                                  RepresentationAttr representation) {
  llvm::SmallDenseSet<char> seen;
  for (char dim : dims)
    if (!findDim(dim) || !seen.insert(dim).second)
      return emitError() << "operand dims '" << dims
                         << "' must be distinct letters of b, c, d, m, n, k";
  auto holds = [&](StringRef letters) {
    return llvm::all_of(letters, [&](char c) { return dims.contains(c); });
  };
  if (group && !findBlockScales(role))
    return emitError() << "group is for scales and zero points, but not for "
                       << stringifyOperandRole(role);
  if (reduction)
    return verifyReduction(emitError, role, type, dims, reduction);
  if (convolution)
    if (failed(verifyConvolutionOperand(emitError, role, type, dims)))
      return failure();
  if (representation && failed(verifyRepresented(emitError, role, type, dims)))
    return failure();
  if (band && role != OperandRole::A && role != OperandRole::B)
    return emitError() << "band is for A and B, but not for "
                       << stringifyOperandRole(role);
  switch (role) {
  case OperandRole::A:
  case OperandRole::B:
  case OperandRole::B2:
    return verifyMatrix(emitError, role, type, dims);
  case OperandRole::Input:
  case OperandRole::Output:
    // Inputs of element regions may have it.
    if (role == OperandRole::Output && dims.contains('k'))
      return emitError() << "an output cannot have the dimension k";
    if (role == OperandRole::Output && !holds("mn"))
      return emitError()
             << "an output must have the dimensions m and n, but has '" << dims
             << "'";
    break;
  case OperandRole::Scalar:
    if (!dims.empty())
      return emitError() << "a scalar has no dimensions, but got '" << dims
                         << "'";
    break;
  case OperandRole::ScaleA:
  case OperandRole::ScaleB:
  case OperandRole::ZeroA:
  case OperandRole::ZeroB:
    return verifyScales(emitError, *findBlockScales(role), type, dims, group);
  case OperandRole::Offsets:
  case OperandRole::Counts:
    return verifySizes(emitError, role, type, dims);
  }
  return verifyNumber(emitError, type);
}

const BlockScales *OperandAttr::getScales() const {
  return findBlockScales(getRole());
}
