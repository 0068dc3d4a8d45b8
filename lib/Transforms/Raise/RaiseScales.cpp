//===- RaiseScales.cpp - Scales of blocks of A and B ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseScales.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

bool raise::isProductOfInputs(Value value, Block *body) {
  SmallVector<Value> pending{value};
  llvm::SmallDenseSet<Value> found;
  while (!pending.empty()) {
    Value factor = pending.pop_back_val();
    Operation *op = factor.getDefiningOp();
    if (isa_and_nonnull<arith::MulFOp, arith::ExtFOp>(op)) {
      llvm::append_range(pending, op->getOperands());
      continue;
    }
    auto isNew = [&](BlockArgument argument) {
      return argument.getOwner() == body && found.insert(argument).second;
    };
    if (std::optional<ShiftedElement> shifted = readShifted(factor)) {
      if (!isNew(shifted->element) ||
          (shifted->zeroPoint && !isNew(shifted->zeroPoint)))
        return false;
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(factor);
    if (!argument || argument.getOwner() != body ||
        argument.getArgNumber() + 1 == body->getNumArguments() ||
        !found.insert(factor).second)
      return false;
  }
  return found.size() + 1 == body->getNumArguments();
}

/// The dimension that `expr` selects: `m` or `k floordiv 128`.
static std::optional<ScaleDim> readDim(AffineExpr expr, StringRef letters) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return ScaleDim{letters[dim.getPosition()], 1};
  auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(quotient.getLHS());
  auto block = dyn_cast<AffineConstantExpr>(quotient.getRHS());
  if (!dim || !block)
    return std::nullopt;
  return ScaleDim{letters[dim.getPosition()], block.getValue()};
}

std::string raise::readDims(AffineMap map, StringRef letters,
                            SmallVectorImpl<ScaleDim> &dims) {
  for (AffineExpr expr : map.getResults()) {
    std::optional<ScaleDim> dim = readDim(expr, letters);
    if (!dim || llvm::any_of(dims, [&](const ScaleDim &other) {
          return other.letter == dim->letter;
        }))
      return llvm::formatv("it reads scales through {0}, whose results are "
                           "not distinct dimensions or blocks of one",
                           map)
          .str();
    dims.push_back(*dim);
  }
  return "";
}

std::string raise::checkLetters(const BlockScales &scales, StringRef letters) {
  if (letters.size() != 2 + size_t(letters.contains('b')) ||
      !llvm::all_of(scales.dims,
                    [&](char dim) { return letters.contains(dim); }))
    return llvm::formatv(
               "it reads {0} with the dimensions {1}; those of {2} have {3}, k "
               "and perhaps the batch",
               scales.isZeroPoint ? "zero points" : "scales", letters,
               scales.matrix, scales.dims[0])
        .str();
  return "";
}

/// Checks the dimensions of the scales of A (0) or B (1).
static std::string checkDims(ArrayRef<ScaleDim> dims, unsigned operand,
                             StringRef letters) {
  const BlockScales &scales = kBlockScales[operand];
  if (std::string reason = checkLetters(scales, letters); !reason.empty())
    return reason;
  for (const ScaleDim &dim : dims)
    if (int64_t block = scales.getBlock(dim.letter, /*group=*/0);
        dim.block != block)
      return llvm::formatv("it has a scale of {0} for each {1} elements along "
                           "{2}; only {3} is supported",
                           scales.matrix, dim.block, dim.letter, block)
          .str();
  return "";
}

/// Checks the types of the scales' values and of the operand that they scale.
static std::string checkScaleTypes(const Group &group, Type type) {
  if (!isa<ShapedType>(type) || !getElementTypeOrSelf(type).isF32())
    return llvm::formatv("it reads scales of type {0}; only tensors and "
                         "buffers of f32 are supported",
                         type)
        .str();
  for (Value matrix : {group.a, group.b})
    if (Type element = getElementTypeOrSelf(matrix);
        !isFP8(*getScalarType(element)))
      return llvm::formatv("it has scales of blocks and operands of {0}; "
                           "only f8E4M3FN and f8E5M2 may have scales",
                           element)
          .str();
  if (!group.units.empty())
    return "it is a product of a matrix and a vector, which has no scales of "
           "blocks";
  return "";
}

std::string raise::matchScales(Group &group) {
  linalg::LinalgOp op = group.contraction;
  bool hasGroups = llvm::any_of(ArrayRef{group.a, group.b}, [](Value matrix) {
    return getPackedElements(getElementTypeOrSelf(matrix)) > 1;
  });
  if (hasGroups && op.getNumDpsInputs() > 2)
    return matchGroups(group);
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (input->getOperandNumber() < 2)
      continue;
    Value value = input->get();
    std::string reason = checkScaleTypes(group, value.getType());
    SmallVector<ScaleDim> dims;
    if (reason.empty())
      reason = readDims(op.getMatchingIndexingMap(input), group.letters, dims);
    std::string letters;
    for (const ScaleDim &dim : dims)
      letters += dim.letter;
    unsigned operand = StringRef(letters).contains('n') ? 1 : 0;
    if (reason.empty())
      reason = checkDims(dims, operand, letters);
    if (!reason.empty())
      return reason;
    if (group.scales.values[operand])
      return llvm::formatv("it reads two operands with scales of {0}",
                           kBlockScales[operand].matrix)
          .str();
    group.scales.values[operand] = Source{Source::Input, value, letters, {}};
  }
  return "";
}
