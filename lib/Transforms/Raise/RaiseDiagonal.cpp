//===- RaiseDiagonal.cpp - Products with a diagonal matrix ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a sum may multiply by a value that is zero unless the summed
// index equals another one: `select(i == k, d, 0)`. Of each sum, one term is
// left. The operation then is elementwise, with i in place of k everywhere.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseDiagonal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

namespace {
/// A comparison of the summed index with another one, without whose equality a
/// term is zero.
struct Diagonal {
  arith::CmpIOp comparison;
  unsigned summed, other; // loops
};
} // namespace

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// The comparison without which `value` is zero: a selection, or a product or a
/// conversion of one; none if there is no such.
static arith::CmpIOp findComparison(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_if_present<arith::SelectOp>(op)) {
    auto comparison = select.getCondition().getDefiningOp<arith::CmpIOp>();
    auto predicate =
        comparison ? comparison.getPredicate() : arith::CmpIPredicate::slt;
    bool isMasked = (predicate == arith::CmpIPredicate::eq &&
                     isZero(select.getFalseValue())) ||
                    (predicate == arith::CmpIPredicate::ne &&
                     isZero(select.getTrueValue()));
    return isMasked ? comparison : arith::CmpIOp();
  }
  if (!isa_and_present<arith::MulFOp, arith::MulIOp, arith::ExtFOp,
                       arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
                       arith::UIToFPOp, arith::TruncFOp>(op))
    return {};
  for (Value operand : op->getOperands())
    if (arith::CmpIOp comparison = findComparison(operand))
      return comparison;
  return {};
}

/// The operation's diagonal, if it adds up products with one along one loop.
static std::optional<Diagonal> findDiagonal(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1 ||
      !op.hasPureTensorSemantics() || !op.hasIndexSemantics())
    return std::nullopt;
  Block *body = op.getBody();
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument sum = body->getArguments().back();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(add) || !sum.hasOneUse() ||
      *sum.user_begin() != add)
    return std::nullopt;
  arith::CmpIOp comparison =
      findComparison(add->getOperand(add->getOperand(0) == sum ? 1 : 0));
  if (!comparison)
    return std::nullopt;
  auto left = comparison.getLhs().getDefiningOp<linalg::IndexOp>();
  auto right = comparison.getRhs().getDefiningOp<linalg::IndexOp>();
  if (!left || !right)
    return std::nullopt;
  auto isSummed = [&](linalg::IndexOp index) {
    return op.getIteratorTypesArray()[index.getDim()] ==
           utils::IteratorType::reduction;
  };
  if (isSummed(left) == isSummed(right))
    return std::nullopt;
  if (isSummed(right))
    std::swap(left, right);
  return Diagonal{comparison, unsigned(left.getDim()),
                  unsigned(right.getDim())};
}

/// Copies the body with the other index in place of the summed one, and with
/// the value of `fill`, if there is one, in place of the sum so far.
static void cloneBody(linalg::GenericOp op, Diagonal diagonal,
                      linalg::FillOp fill, OpBuilder &b, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments(), arguments);
  if (fill)
    mapping.map(op.getBody()->getArguments().back(), fill.value());
  for (Operation &inner : *op.getBody()) {
    if (&inner == diagonal.comparison) {
      bool isEqual =
          diagonal.comparison.getPredicate() == arith::CmpIPredicate::eq;
      mapping.map(diagonal.comparison.getResult(),
                  arith::ConstantIntOp::create(b, inner.getLoc(), isEqual, 1)
                      .getResult());
      continue;
    }
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (!index) {
      b.clone(inner, mapping);
      continue;
    }
    unsigned loop = index.getDim() == diagonal.summed
                        ? diagonal.other
                        : unsigned(index.getDim());
    mapping.map(index.getResult(),
                linalg::IndexOp::create(b, inner.getLoc(),
                                        loop - (loop > diagonal.summed))
                    .getResult());
  }
}

/// Replaces a sum with one term by that term.
static linalg::GenericOp replaceSum(linalg::GenericOp op,
                                    const Diagonal &diagonal) {
  OpBuilder builder(op);
  unsigned loops = op.getNumLoops();
  SmallVector<AffineExpr> dims;
  for (unsigned loop = 0; loop < loops; ++loop) {
    unsigned taken = loop == diagonal.summed ? diagonal.other : loop;
    dims.push_back(builder.getAffineDimExpr(taken - (taken > diagonal.summed)));
  }
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray())
    maps.push_back(map.replaceDimsAndSymbols(dims, {}, loops - 1, 0));
  SmallVector<utils::IteratorType> types(loops - 1,
                                         utils::IteratorType::parallel);
  // A sum that starts with one value for all elements does not read them.
  Value init = op.getOutputs().front();
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (fill && fill.value().getType() != getElementTypeOrSelf(init))
    fill = {};
  if (fill)
    init = fill.output();
  auto result = linalg::GenericOp::create(
      builder, op.getLoc(), op.getResultTypes(), op.getInputs(), init, maps,
      types, [&](OpBuilder &b, Location, ValueRange arguments) {
        cloneBody(op, diagonal, fill, b, arguments);
      });
  op->replaceAllUsesWith(result);
  op->erase();
  return result;
}

void raise::replaceDiagonals(
    func::FuncOp function, Reasons &reasons,
    llvm::function_ref<std::string(linalg::LinalgOp)> select,
    llvm::function_ref<void(linalg::GenericOp)> report) {
  SmallVector<linalg::GenericOp> candidates;
  function.walk([&](linalg::GenericOp op) { candidates.push_back(op); });
  for (linalg::GenericOp op : candidates) {
    std::optional<Diagonal> diagonal = findDiagonal(op);
    if (!diagonal)
      continue;
    std::string reason = select(op);
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    int64_t summed = extents[diagonal->summed],
            other = extents[diagonal->other];
    if (reason.empty() && (ShapedType::isDynamic(summed) || summed != other))
      reason = llvm::formatv(
                   "it is a product with a diagonal of {0} by {1} "
                   "elements; a square one of static size becomes "
                   "elementwise",
                   ShapedType::isDynamic(other) ? "?" : std::to_string(other),
                   ShapedType::isDynamic(summed) ? "?" : std::to_string(summed))
                   .str();
    if (!reason.empty()) {
      reasons[op] = reason;
      continue;
    }
    report(replaceSum(op, *diagonal));
  }
}
