//===- RaiseGroupedMatmul.cpp - Products of groups ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroupedMatmul.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

std::string raise::checkGroupedMatmul(GroupedMatmulOp op,
                                      const ScaledFactors &factors,
                                      Precision precision) {
  Type a = getElementTypeOrSelf(factors[0].matrix);
  Type b = getElementTypeOrSelf(factors[1].matrix);
  Type d = op.getOutput().getType().getElementType();
  std::optional<ScalarType> typeA = getOperand(a, op.getUnsignedA(), precision),
                            typeB = getOperand(b, op.getUnsignedB(), precision);
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

/// Replaces the operation by a linalg.generic with the factors, their scales,
/// and loops m, n, k and b, which stands for it in the group. Its body is not
/// that of the product and never executed: kernels take the place of the
/// operation.
static linalg::GenericOp createStandIn(GroupedMatmulOp op,
                                       const ScaledFactors &factors) {
  OpBuilder builder(op);
  constexpr StringLiteral loops = "mnkb";
  auto getMap = [&](StringRef dims) {
    SmallVector<unsigned> positions;
    for (char dim : dims)
      positions.push_back(loops.find(dim));
    return AffineMap::getMultiDimMapWithTargets(loops.size(), positions,
                                                op.getContext());
  };
  SmallVector<utils::IteratorType> iterators;
  for (char loop : loops)
    iterators.push_back(StringRef(op.getDims(2)).contains(loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (unsigned operand : {0, 1}) {
    inputs.push_back(factors[operand].matrix);
    maps.push_back(getMap(op.getDims(operand)));
  }
  for (unsigned operand : {0, 1})
    if (Value scales = factors[operand].scales) {
      inputs.push_back(scales);
      maps.push_back(
          getScalesMap(factors[operand], operand, loops, op.getContext()));
    }
  maps.push_back(getMap(op.getDims(2)));
  auto standIn = linalg::GenericOp::create(
      builder, op.getLoc(), op->getResultTypes(), inputs,
      ValueRange{op.getOutput()}, maps, iterators,
      [](OpBuilder &b, Location loc, ValueRange elements) {
        linalg::YieldOp::create(b, loc, elements.back());
      });
  standIn->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(standIn->getResults());
  return standIn;
}

Group raise::matchGroupedMatmul(GroupedMatmulOp op,
                                const ScaledFactors &factors,
                                Precision precision) {
  Group group;
  group.precision = precision;
  group.letters = "mnkb";
  group.numOuter = 1;
  group.a = factors[0].matrix;
  group.b = factors[1].matrix;
  for (unsigned operand : {0, 1})
    if (Value scales = factors[operand].scales)
      group.scales.values[operand] =
          Source{Source::Input, scales, factors[operand].dims, {}};
  group.offsets = op.getOffsets();
  group.division = {*op.findGroupKind(), op.getCheckOffsets()};
  group.aDims = op.getDims(0);
  group.bDims = op.getDims(1);
  auto isBit = [](Value matrix) {
    return getElementTypeOrSelf(matrix).isInteger(1);
  };
  group.isUnsigned = {op.getUnsignedA() || isBit(group.a),
                      op.getUnsignedB() || isBit(group.b)};
  std::string dims = op.getDims(2);
  group.contraction = createStandIn(op, factors);
  group.values[group.contraction->getResult(0)] = dims;
  group.members.insert(group.contraction);
  SetVector<Operation *> producers;
  for (Value factor : {op.getA(), op.getB()})
    if (Operation *producer = factor.getDefiningOp())
      producers.insert(producer);
  op->erase();
  eraseDead(std::move(producers));
  return group;
}
