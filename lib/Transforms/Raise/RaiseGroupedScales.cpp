//===- RaiseGroupedScales.cpp - Scales of grouped products ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grouped product has no body that could scale its elements. Elementwise
// operations compute its f32 operands: they extend FP8 elements, and multiply
// them by the scales of their blocks.
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

static bool hasFP8(Value value) {
  std::optional<ScalarType> type = getScalarType(getElementTypeOrSelf(value));
  return type && isFP8(*type);
}

namespace {
/// The operation that computes an operand of FP8 elements. It may multiply them
/// by scales, which it reads through `map`.
struct Producer {
  Value matrix, scales;
  AffineMap map;
};
} // namespace

/// The producer of an f32 operand, if it is elementwise and reads FP8 elements
/// in their order.
static std::optional<Producer> findProducer(Value factor) {
  if (!getElementTypeOrSelf(factor).isF32())
    return std::nullopt;
  if (auto extension = factor.getDefiningOp<arith::ExtFOp>();
      extension && hasFP8(extension.getIn()))
    return Producer{extension.getIn(), {}, {}};
  auto op = factor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      op.getNumDpsInputs() == 0 || op.getNumDpsInputs() > 2 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !isProductOfInputs(op.getBlock()->getTerminator()->getOperand(0),
                         op.getBlock()))
    return std::nullopt;
  Producer producer;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!producer.matrix && hasFP8(input->get()) && map.isIdentity()) {
      producer.matrix = input->get();
    } else {
      producer.scales = input->get();
      producer.map = map;
    }
  }
  if (!producer.matrix)
    return std::nullopt;
  return producer;
}

/// Determines the dimensions of the scales of A (0) or B (1). Returns why a
/// kernel does not support them.
static std::string readScales(GroupedMatmulOp op, const Producer &producer,
                              unsigned operand, ScaledFactor &factor) {
  Type type = producer.scales.getType();
  if (!isa<RankedTensorType>(type) || !getElementTypeOrSelf(type).isF32())
    return llvm::formatv("it reads scales of type {0}; only tensors of f32 are "
                         "supported",
                         type)
        .str();
  SmallVector<ScaleDim> dims;
  std::string reason = readDims(producer.map, op.getDims(operand), dims);
  if (!reason.empty())
    return reason;
  for (const ScaleDim &dim : dims)
    factor.dims += dim.letter;
  reason = checkDims(dims, operand, factor.dims);
  if (!reason.empty())
    return reason;
  bool hasBatch = getGroupKindInfo(*op.findGroupKind()).hasBatch[operand];
  if (hasBatch && !StringRef(factor.dims).contains('b'))
    return llvm::formatv("all groups share the scales of {0}, but each group "
                         "needs its own",
                         kBlockScales[operand].matrix)
        .str();
  return "";
}

std::string raise::findScaledFactors(GroupedMatmulOp op,
                                     ScaledFactors &factors) {
  std::array<Value, 2> operands{op.getA(), op.getB()};
  std::array<std::optional<Producer>, 2> producers;
  for (unsigned operand : {0, 1}) {
    factors[operand] = {operands[operand], {}, {}};
    producers[operand] = findProducer(operands[operand]);
  }
  if (llvm::none_of(producers, [](const std::optional<Producer> &producer) {
        return producer && producer->scales;
      }))
    return "";
  const GroupKindInfo &kind = getGroupKindInfo(*op.findGroupKind());
  if (!kind.hasRows())
    return llvm::formatv("it has scales of blocks and {0} groups, but a block "
                         "of k could be of two groups",
                         kind.name)
        .str();
  for (unsigned operand : {0, 1})
    if (!producers[operand])
      return llvm::formatv("it has scales of blocks, but {0} is not computed "
                           "of f8E4M3FN or f8E5M2 by an extension or a "
                           "product with scales",
                           kBlockScales[operand].matrix)
          .str();
  for (unsigned operand : {0, 1}) {
    ScaledFactor &factor = factors[operand];
    factor.matrix = producers[operand]->matrix;
    factor.scales = producers[operand]->scales;
    if (!factor.scales)
      continue;
    std::string reason = readScales(op, *producers[operand], operand, factor);
    if (!reason.empty())
      return reason;
  }
  return "";
}

AffineMap raise::getScalesMap(const ScaledFactor &factor, unsigned operand,
                              StringRef loops, MLIRContext *context) {
  SmallVector<AffineExpr> results;
  for (char letter : factor.dims) {
    AffineExpr loop = getAffineDimExpr(loops.find(letter), context);
    results.push_back(
        loop.floorDiv(kBlockScales[operand].getBlock(letter, /*group=*/0)));
  }
  return AffineMap::get(loops.size(), /*symbolCount=*/0, results, context);
}
