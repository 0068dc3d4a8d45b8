//===- RaiseGroupedScales.cpp - Scales of grouped products ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grouped product has no body that could scale its elements. Elementwise
// operations compute its f32 operands: they convert FP8 or elements of 4 bits,
// subtract zero points, and multiply by scales.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroupedScales.h"
#include "Raise/RaiseScales.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

static bool isFP8Element(Type type) {
  std::optional<ScalarType> scalar = getScalarType(type);
  return scalar && isFP8(*scalar);
}

SmallVector<OpOperand *> ScaledFactor::getScales() const {
  SmallVector<OpOperand *> scales;
  if (linalg::GenericOp op = scaling)
    for (OpOperand *input : op.getDpsInputOperands())
      if (input->getOperandNumber() != place)
        scales.push_back(input);
  return scales;
}

/// Returns whether an operation with `others` inputs beside elements of `type`
/// may compute an operand. FP8 may have scales, elements of 4 bits have scales
/// and may have zero points, and floats of 16 bits have neither.
static bool isFactor(Type type, unsigned others) {
  if (type.isInteger(4))
    return others == 1 || others == 2;
  if (isFP8Element(type))
    return others <= 1;
  return (type.isF16() || type.isBF16()) && others == 0;
}

/// The elements of which an elementwise operation computes `factor`, in their
/// order. An operand that no such operation computes is the factor itself.
static ScaledFactor findFactor(Value factor) {
  ScaledFactor own{factor, /*isUnsigned=*/false, {}};
  if (!getElementTypeOrSelf(factor).isF32())
    return own;
  if (auto extension = factor.getDefiningOp<arith::ExtFOp>();
      extension && isFactor(getElementTypeOrSelf(extension.getIn()), 0))
    return {extension.getIn(), /*isUnsigned=*/false, {}};
  auto op = factor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      op.getNumDpsInputs() == 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !isProductOfInputs(op.getBlock()->getTerminator()->getOperand(0),
                         op.getBlock()))
    return own;
  unsigned others = op.getNumDpsInputs() - 1;
  std::optional<ShiftedElement> shifted = findShifted(op.getBlock());
  for (OpOperand *input : op.getDpsInputOperands())
    if (isFactor(getElementTypeOrSelf(input->get()), others) &&
        op.getMatchingIndexingMap(input).isIdentity())
      return {input->get(), shifted && shifted->isUnsigned,
              others ? op : linalg::GenericOp(), input->getOperandNumber()};
  return own;
}

/// Returns whether a kernel multiplies the elements of A (0) or B (1) by those
/// of the other operand, or there are no elements of 4 bits with scales.
static bool canScale(const ScaledFactors &factors, unsigned operand) {
  linalg::GenericOp scaling = factors[operand].scaling;
  if (!scaling || !getElementTypeOrSelf(factors[operand].matrix).isInteger(4))
    return true;
  const GroupType *row =
      findGroupRow(getElementTypeOrSelf(factors[1 - operand].matrix));
  return row &&
         (row->takesZeroPoints || !findShifted(scaling.getBlock())->zeroPoint);
}

std::string raise::findScaledFactors(GroupedMatmulOp op,
                                     ScaledFactors &factors) {
  factors[0] = findFactor(op.getA());
  factors[1] = findFactor(op.getB());
  // Kernels read f32 operands that others computed as they are.
  if (!factors.isScaled() || !canScale(factors, 0) || !canScale(factors, 1)) {
    factors[0] = {op.getA(), op.getUnsignedA(), {}};
    factors[1] = {op.getB(), op.getUnsignedB(), {}};
    return "";
  }
  factors[0].isUnsigned |= op.getUnsignedA();
  factors[1].isUnsigned |= op.getUnsignedB();
  const GroupKindInfo &kind = getGroupKindInfo(*op.findGroupKind());
  return kind.hasRows()
             ? ""
             : llvm::formatv("it has scales and {0} groups, but a block of k "
                             "could be of two groups",
                             kind.name)
                   .str();
}

std::string raise::matchGroupedScales(Group &group) {
  std::string reason = matchScales(group);
  if (!reason.empty())
    return reason;
  const GroupKindInfo &kind = getGroupKindInfo(group.division.kind);
  for (auto [info, source] :
       llvm::zip_equal(kBlockScales, group.scales.values)) {
    bool isOfB = info.matrix == kBlockScales[1].matrix;
    if (source && kind.hasBatch[isOfB] &&
        !StringRef(source->dims).contains('b'))
      return llvm::formatv("all groups share the {0} of {1}, but each group "
                           "needs its own",
                           info.isZeroPoint ? "zero points" : "scales",
                           info.matrix)
          .str();
  }
  return "";
}
