//===- TcgemmDialect.cpp - Registration -------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/TcgemmDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "tcgemm/Dialect/TraceOps.h"
#include "tcgemm/Target/Precision.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tcgemm;

#include "tcgemm/Dialect/TcgemmDialect.cpp.inc"
#include "tcgemm/Dialect/TcgemmEnums.cpp.inc"

void TcgemmDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tcgemm/Dialect/TcgemmOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tcgemm/Dialect/TcgemmTraceOps.cpp.inc"
      >();
}

static LogicalResult verifyPrecision(Operation *op, Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  if (!text)
    return op->emitOpError()
           << kPrecisionAttrName << " must be a string, but is " << value;
  llvm::Expected<Precision> precision = parsePrecision(text.getValue());
  if (!precision)
    return op->emitOpError() << llvm::toString(precision.takeError());
  if (*precision == Precision::IEEE)
    return success();
  unsigned matrices = std::min(2U, op->getNumOperands());
  for (Value operand : op->getOperands().take_front(matrices))
    if (Type type = getElementTypeOrSelf(operand);
        !hasPrecision(type, *precision))
      return op->emitOpError()
             << "has the precision '" << text.getValue()
             << "', which operands of type " << type << " do not have";
  return success();
}

/// Raise verifies that there is an extent for each loop.
static LogicalResult verifySizeHint(Operation *op, Attribute value) {
  auto extents = dyn_cast<DenseI64ArrayAttr>(value);
  if (!extents)
    return op->emitOpError()
           << kSizeHintAttrName << " must be an array<i64>, but is " << value;
  for (int64_t extent : extents.asArrayRef())
    if (extent < 1 || extent > kMaxSize)
      return op->emitOpError() << kSizeHintAttrName << " has the extent "
                               << extent << "; the range is 1 to " << kMaxSize;
  return success();
}

/// Verifies the attributes that users set on linalg operations. A misspelt
/// attribute would be ignored otherwise.
LogicalResult
TcgemmDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName();
  bool isConfig = name == kConfigAttrName;
  bool isMark = name == kTakeAttrName || name == kSkipAttrName ||
                name == kSymmetricAttrName;
  bool isPrecision = name == kPrecisionAttrName;
  bool isHint = name == kSizeHintAttrName;
  bool isLinalg = op->getName().getDialectNamespace() == "linalg";
  bool isGrouped =
      isa<GroupedMatmulOp>(op) &&
      (isConfig || isPrecision || (isMark && name != kSymmetricAttrName));
  if (!isLinalg && !isGrouped) {
    if (isConfig || isMark || isPrecision || isHint)
      return op->emitOpError() << "has the attribute '" << name
                               << "', which only linalg operations may have";
    return success();
  }
  if (isPrecision)
    return verifyPrecision(op, attribute.getValue());
  if (isHint)
    return verifySizeHint(op, attribute.getValue());
  if (!isConfig && !isMark)
    return op->emitOpError()
           << "has the unknown attribute '" << name << "'; known are "
           << kConfigAttrName << ", " << kPrecisionAttrName << ", "
           << kSizeHintAttrName << ", " << kSkipAttrName << ", "
           << kSymmetricAttrName << " and " << kTakeAttrName;
  if (isConfig && !isa<ConfigAttr>(attribute.getValue()))
    return op->emitOpError() << name << " must be a #tcgemm.config, but is "
                             << attribute.getValue();
  if (isMark && !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << name << " must be a unit attribute, but is "
                             << attribute.getValue();
  if (op->hasAttr(kSkipAttrName) && name != kSkipAttrName)
    return op->emitOpError() << "has both " << kSkipAttrName << " and " << name;
  return success();
}

/// The planner relies on the types of bindings.
LogicalResult
TcgemmDialect::verifyRegionArgAttribute(Operation *op, unsigned /*region*/,
                                        unsigned argument,
                                        NamedAttribute attribute) {
  if (attribute.getName() == kBindingAttrName &&
      !isa<BindingAttr, TensorMapAttr>(attribute.getValue()))
    return op->emitOpError()
           << "argument " << argument << ": " << kBindingAttrName
           << " must be a #tcgemm.binding or a #tcgemm.tensor_map, but is "
           << attribute.getValue();
  return success();
}
