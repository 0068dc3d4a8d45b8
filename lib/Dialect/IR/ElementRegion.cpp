//===- ElementRegion.cpp - Scalar functions of operands' elements ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/ElementRegion.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

bool tcgemm::hasElementRegions(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

/// Describes an operation that is no scalar arithmetic; empty for one that is.
static std::string findUnscalar(Operation &op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  StringRef dialect = op.getName().getDialectNamespace();
  if ((dialect != "arith" && dialect != "math") || op.getNumResults() != 1 ||
      op.getNumRegions() != 0 || !isMemoryEffectFree(&op) ||
      !llvm::all_of(op.getOperandTypes(), isScalar) ||
      !isScalar(op.getResult(0).getType()))
    return llvm::formatv("'{0}', which is not scalar arith or math",
                         op.getName())
        .str();
  Type type = op.getResult(0).getType();
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() > kMaxScalarBits)
    return llvm::formatv("a value of type {0}; at most {1} bits are supported",
                         type, kMaxScalarBits)
        .str();
  return "";
}

bool tcgemm::isScalarBody(Block &body, std::string &reason) {
  for (Operation &op : body.without_terminator()) {
    reason = findUnscalar(op);
    if (!reason.empty())
      return false;
  }
  return true;
}

LogicalResult tcgemm::verifyElementRegion(Operation *op, Region &region,
                                          StringRef name, TypeRange arguments) {
  if (!region.hasOneBlock())
    return op->emitOpError() << name << " must have one block";
  Block &body = region.front();
  if (body.getArgumentTypes() != arguments)
    return op->emitOpError()
           << name << " must have arguments of the types (" << arguments << ")";
  auto yield = body.empty() ? nullptr : dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getOperandTypes() != arguments.take_front())
    return op->emitOpError()
           << name << " must end with a tcgemm.yield of one value of type "
           << arguments.front();
  if (std::string reason; !isScalarBody(body, reason))
    return op->emitOpError() << name << " has " << reason;
  return success();
}

bool tcgemm::isIdentityRegion(Region &region) {
  return region.hasOneBlock() && region.getNumArguments() > 0 &&
         region.front().getTerminator()->getOperands() ==
             ValueRange(region.getArgument(0));
}

bool tcgemm::hasPairs(Block &body) {
  constexpr llvm::StringLiteral names[] = {"arith.constant", "arith.addf",
                                           "arith.subf",     "arith.mulf",
                                           "arith.maximumf", "arith.minimumf"};
  Type type = body.getArgument(0).getType();
  auto isKnown = [&](Value value) {
    return value.getParentBlock() == &body || matchPattern(value, m_Constant());
  };
  return (type.isF16() || type.isBF16()) && body.getNumArguments() == 1 &&
         llvm::all_of(body.getTerminator()->getOperands(), isKnown) &&
         llvm::all_of(body.without_terminator(), [&](Operation &op) {
           return llvm::is_contained(names, op.getName().getStringRef()) &&
                  op.getResult(0).getType() == type &&
                  llvm::all_of(op.getOperands(), isKnown);
         });
}

/// Makes the result of an operation on vectors of this shape one, too.
static void vectorize(Operation *op, VectorType shape) {
  OpResult result = op->getResult(0);
  auto type = VectorType::get(shape.getShape(), result.getType());
  TypedAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    op->setAttr("value", DenseElementsAttr::get(type, constant));
  result.setType(type);
}

Value tcgemm::inlineElementRegion(OpBuilder &builder, Block &body,
                                  ValueRange arguments) {
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  auto shape = dyn_cast<VectorType>(arguments.front().getType());
  auto copyCaptured = [&](ValueRange values) {
    for (Value value : values)
      if (shape && !mapping.contains(value)) {
        Operation *constant = builder.clone(*value.getDefiningOp());
        vectorize(constant, shape);
        mapping.map(value, constant->getResult(0));
      }
  };
  for (Operation &op : body.without_terminator()) {
    copyCaptured(op.getOperands());
    Operation *copy = builder.clone(op, mapping);
    if (shape)
      vectorize(copy, shape);
  }
  ValueRange results = body.getTerminator()->getOperands();
  copyCaptured(results);
  return mapping.lookupOrDefault(results.front());
}

/// The attribute as a number of `type`, if it is a float.
static Attribute convert(Attribute value, Type type) {
  auto number = dyn_cast_or_null<FloatAttr>(value);
  if (!number)
    return {};
  APFloat converted = number.getValue();
  bool losesInfo;
  converted.convert(cast<FloatType>(type).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
  return FloatAttr::get(type, converted);
}

/// The result of folding a copy, which that may change, with a result of
/// `type`.
static Attribute foldCopy(Operation &op, ArrayRef<Attribute> operands,
                          Type type,
                          llvm::SmallDenseMap<Value, Attribute> &known) {
  SmallVector<OpFoldResult> results;
  Operation *copy = op.clone();
  copy->getResult(0).setType(type);
  bool isFolded = succeeded(copy->fold(operands, results)) && !results.empty();
  copy->erase();
  if (!isFolded)
    return {};
  if (auto value = dyn_cast<Value>(results.front()))
    return known.lookup(value);
  return cast<Attribute>(results.front());
}

/// The operation's value for these operands; null where it is not known.
static Attribute evaluate(Operation &op,
                          llvm::SmallDenseMap<Value, Attribute> &known) {
  TypedAttr constant;
  if (matchPattern(&op, m_Constant(&constant)))
    return constant;
  SmallVector<Attribute> operands;
  for (Value operand : op.getOperands())
    operands.push_back(known.lookup(operand));
  Type type = op.getResult(0).getType();
  Attribute folded = foldCopy(op, operands, type, known);
  bool isMath = op.getName().getDialectNamespace() == "math";
  if (folded || !isMath || !(type.isF16() || type.isBF16()))
    return folded;
  // MLIR folds functions of f32 and f64 only.
  Type wide = Float32Type::get(op.getContext());
  for (Attribute &operand : operands)
    operand = convert(operand, wide);
  return convert(foldCopy(op, operands, wide, known), type);
}

bool tcgemm::isFiniteAtZero(Region &region) {
  Block &body = region.front();
  llvm::SmallDenseMap<Value, Attribute> known;
  BlockArgument element = body.getArgument(0);
  known[element] = FloatAttr::get(element.getType(), 0.0);
  for (Operation &op : body.without_terminator())
    if (Attribute value = evaluate(op, known))
      known[op.getResult(0)] = value;
  auto result = dyn_cast_or_null<FloatAttr>(
      known.lookup(body.getTerminator()->getOperand(0)));
  return result && result.getValue().isFinite();
}
