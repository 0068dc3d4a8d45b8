//===- RaiseGroupedMatmul.cpp - Products of groups ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroupedMatmul.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "tcgemm/Target/Instructions.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The type of an operand's elements, as products of this precision take them;
/// none if there are no such products.
static std::optional<ScalarType> getOperand(Type type, bool isUnsigned,
                                            Precision precision) {
  if (isUnsigned)
    type = IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(),
                            IntegerType::Unsigned);
  std::optional<ScalarType> scalar = getMatrixScalar(type);
  if (!scalar || !isOperandType(*scalar))
    return std::nullopt;
  return hasPrecision(type, precision) ? getOperandType(*scalar, precision)
                                       : *scalar;
}

/// Returns why no kernel computes the operation with these factors; empty if
/// one does.
static std::string checkGroupedMatmul(GroupedMatmulOp op,
                                      const ScaledFactors &factors,
                                      Precision precision) {
  Type a = getElementTypeOrSelf(factors[0].matrix);
  Type b = getElementTypeOrSelf(factors[1].matrix);
  Type d = op.getOutput().getType().getElementType();
  std::optional<ScalarType> typeA =
                                getOperand(a, factors[0].isUnsigned, precision),
                            typeB =
                                getOperand(b, factors[1].isUnsigned, precision);
  if (!typeA || !typeB || getAccumulatorTypes(*typeA, *typeB).empty())
    return llvm::formatv("its operands have the types {0} and {1}, which no "
                         "instruction multiplies",
                         a, b)
        .str();
  ScalarType sumType = getAccumulatorTypes(*typeA, *typeB).front();
  if (!findInstruction(InstructionKind::Wgmma, *typeA, *typeB, sumType))
    return llvm::formatv("its operands have the types {0} and {1}, but groups "
                         "need types that wgmma multiplies",
                         a, b)
        .str();
  Type sum = getElementType(sumType, op.getContext());
  bool isNarrow = sum.isF32() && (d.isF16() || d.isBF16());
  if (d != sum && !isNarrow)
    return llvm::formatv("its result is {0}; only {1} supported", d,
                         sum.isF32() ? std::string("f32, f16 and bf16 are")
                                     : llvm::formatv("{0} is", sum).str())
        .str();
  if (!getGroupKindInfo(*op.findGroupKind()).hasRows())
    for (ScalarType type : {*typeA, *typeB})
      if (getPackedElements(type) > 1 || isSplitType(type))
        return "its operands share bytes or are split into parts, which "
               "kernels "
               "for groups along k do not multiply";
  std::string reason = checkPackedMatrix(factors[0].matrix, op.getDims(0), 'm');
  return reason.empty()
             ? checkPackedMatrix(factors[1].matrix, op.getDims(1), 'n')
             : reason;
}

/// Copies the operation that scales A (0) or B (1), if there is one, to a body
/// with these arguments, of which `next` is its first scale or zero point.
static void cloneScaling(OpBuilder &b, const ScaledFactor &factor,
                         unsigned operand, ValueRange arguments,
                         unsigned &next) {
  linalg::GenericOp scaling = factor.scaling;
  if (!scaling)
    return;
  Block *body = scaling.getBlock();
  IRMapping mapping;
  mapping.map(body->getArgument(factor.place), arguments[operand]);
  for (OpOperand *scales : factor.getScales())
    mapping.map(body->getArgument(scales->getOperandNumber()),
                arguments[next++]);
  mapping.map(body->getArguments().back(), arguments.back());
  for (Operation &inner : body->without_terminator())
    b.clone(inner, mapping);
}

namespace {
/// The inputs of a linalg operation with loops m, n, k and b, and their maps.
struct StandInOperands {
  static constexpr StringLiteral loops = "mnkb";
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;

  AffineMap getMap(StringRef dims, MLIRContext *context) const {
    SmallVector<unsigned> positions;
    for (char dim : dims)
      positions.push_back(loops.find(dim));
    return AffineMap::getMultiDimMapWithTargets(loops.size(), positions,
                                                context);
  }
  /// Adds the scales and zero points of an operand with these dims.
  void addScales(const ScaledFactor &factor, StringRef dims) {
    linalg::GenericOp scaling = factor.scaling;
    for (OpOperand *scales : factor.getScales()) {
      inputs.push_back(scales->get());
      maps.push_back(scaling.getMatchingIndexingMap(scales).compose(
          getMap(dims, scaling.getContext())));
    }
  }
};
} // namespace

/// Creates a linalg.generic with the factors and their scales, which stands for
/// the operation in the group. Its body has what scales the factors, but not
/// the product, and is never executed: kernels take the place of the operation.
static linalg::GenericOp createStandIn(GroupedMatmulOp op,
                                       const ScaledFactors &factors) {
  OpBuilder builder(op);
  SmallVector<utils::IteratorType> iterators;
  for (char loop : StandInOperands::loops)
    iterators.push_back(StringRef(op.getDims(2)).contains(loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  StandInOperands operands;
  for (unsigned operand : {0, 1}) {
    operands.inputs.push_back(factors[operand].matrix);
    operands.maps.push_back(
        operands.getMap(op.getDims(operand), op.getContext()));
  }
  for (unsigned operand : {0, 1})
    operands.addScales(factors[operand], op.getDims(operand));
  operands.maps.push_back(operands.getMap(op.getDims(2), op.getContext()));
  auto standIn = linalg::GenericOp::create(
      builder, op.getLoc(), op->getResultTypes(), operands.inputs,
      ValueRange{op.getOutput()}, operands.maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        unsigned next = 2;
        for (unsigned operand : {0, 1})
          cloneScaling(b, factors[operand], operand, elements, next);
        linalg::YieldOp::create(b, loc, elements.back());
      });
  standIn->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return standIn;
}

std::optional<Group> raise::matchGroupedMatmul(GroupedMatmulOp op,
                                               const ScaledFactors &factors,
                                               Precision precision,
                                               std::string &reason) {
  reason = checkGroupedMatmul(op, factors, precision);
  if (!reason.empty())
    return std::nullopt;
  Group group;
  group.precision = precision;
  group.letters = StandInOperands::loops;
  group.numOuter = 1;
  group.a = factors[0].matrix;
  group.b = factors[1].matrix;
  group.offsets = op.getOffsets();
  group.division = {*op.findGroupKind(), op.getCheckOffsets()};
  group.aDims = op.getDims(0);
  group.bDims = op.getDims(1);
  auto isBit = [](Value matrix) {
    return getElementTypeOrSelf(matrix).isInteger(1);
  };
  group.formats[0].isUnsigned = factors[0].isUnsigned || isBit(group.a);
  group.formats[1].isUnsigned = factors[1].isUnsigned || isBit(group.b);
  group.contraction = createStandIn(op, factors);
  for (unsigned operand : {0, 1})
    readInterleaved(group, operand);
  if (factors.isScaled())
    reason = matchGroupedScales(group);
  if (!reason.empty()) {
    group.contraction->erase();
    return std::nullopt;
  }
  op->replaceAllUsesWith(group.contraction->getResults());
  group.values[group.contraction->getResult(0)] = op.getDims(2);
  group.members.insert(group.contraction);
  SetVector<Operation *> producers;
  for (Value factor : {op.getA(), op.getB()})
    if (Operation *producer = factor.getDefiningOp())
      producers.insert(producer);
  op->erase();
  eraseDead(std::move(producers));
  return group;
}
