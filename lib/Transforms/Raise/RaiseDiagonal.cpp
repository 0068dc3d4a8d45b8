//===- RaiseDiagonal.cpp - Products with a diagonal matrix ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a sum may multiply by a value that is zero unless an equation of
// indices holds: `select(i == k, d, 0)`. If the equation has one solution for
// the summed index, one term of each sum is left. The operation then is
// elementwise, with the solution in place of k everywhere. The equation's sides
// are sums of indices and constants: `i + k == 63` is an anti-diagonal matrix.
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
/// A comparison without whose equality a term is zero.
struct Diagonal {
  arith::CmpIOp comparison;
  unsigned summed; // loop
  /// The summed index that solves the equation, by the loops. The summed loop
  /// is not in it.
  AffineExpr solution;
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

/// An index that the body computes by additions, subtractions and constants of
/// the loops' indices; null if it is another.
static AffineExpr getIndexExpression(Value value) {
  MLIRContext *context = value.getContext();
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return getAffineConstantExpr(constant.getInt(), context);
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast_if_present<linalg::IndexOp>(op))
    return getAffineDimExpr(index.getDim(), context);
  if (!isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return {};
  AffineExpr left = getIndexExpression(op->getOperand(0));
  AffineExpr right = getIndexExpression(op->getOperand(1));
  if (!left || !right)
    return {};
  return isa<arith::AddIOp>(op) ? left + right : left - right;
}

/// The coefficients of the loops in an expression, and its constant.
static SmallVector<int64_t> getCoefficients(AffineExpr expression,
                                            unsigned loops) {
  SmallVector<int64_t> coefficients;
  SmallVector<AffineExpr> values(
      loops, getAffineConstantExpr(0, expression.getContext()));
  auto evaluate = [&] {
    return cast<AffineConstantExpr>(expression.replaceDims(values)).getValue();
  };
  int64_t constant = evaluate();
  for (AffineExpr &value : values) {
    AffineExpr zero = value;
    value = zero + 1;
    coefficients.push_back(evaluate() - constant);
    value = zero;
  }
  coefficients.push_back(constant);
  return coefficients;
}

/// Solves `difference` = 0 for the index of a loop; null if there is no
/// solution or several.
static AffineExpr solve(AffineExpr difference, unsigned loop, unsigned loops) {
  int64_t factor = getCoefficients(difference, loops)[loop];
  AffineExpr index = getAffineDimExpr(loop, difference.getContext());
  if (factor == 1)
    return simplifyAffineExpr(index - difference, loops, 0);
  if (factor == -1)
    return simplifyAffineExpr(index + difference, loops, 0);
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
  AffineExpr left = getIndexExpression(comparison.getLhs());
  AffineExpr right = getIndexExpression(comparison.getRhs());
  if (!left || !right)
    return std::nullopt;
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  auto summed = static_cast<unsigned>(
      llvm::find(types, utils::IteratorType::reduction) - types.begin());
  AffineExpr solution = solve(left - right, summed, op.getNumLoops());
  // A constant would select one element of all sums.
  if (!solution || isa<AffineConstantExpr>(solution))
    return std::nullopt;
  return Diagonal{comparison, summed, solution};
}

/// Why the solution may be outside the extent of the summed loop; empty if it
/// is inside.
static std::string checkSolution(linalg::GenericOp op,
                                 const Diagonal &diagonal) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> coefficients =
      getCoefficients(diagonal.solution, op.getNumLoops());
  int64_t least = coefficients.back(), greatest = least;
  int64_t extent = extents[diagonal.summed];
  bool isKnown = !ShapedType::isDynamic(extent);
  for (auto [coefficient, size] : llvm::zip(coefficients, extents)) {
    if (!coefficient)
      continue;
    isKnown &= !ShapedType::isDynamic(size);
    int64_t reach = coefficient * (size - 1);
    (reach < 0 ? least : greatest) += reach;
  }
  if (isKnown && least >= 0 && greatest < extent)
    return "";
  std::string text = "each sum has one term, whose index ";
  if (isKnown)
    text += llvm::formatv("is from {0} to {1}, but there are {2} elements",
                          least, greatest, extent);
  else
    text += "depends on sizes that are not static";
  return text + "; with an index that is always inside, it becomes elementwise";
}

/// The index of a loop of `op` in the operation without the summed loop.
static Value createIndex(OpBuilder &b, Location loc, linalg::GenericOp op,
                         const Diagonal &diagonal, unsigned loop) {
  if (loop != diagonal.summed)
    return linalg::IndexOp::create(b, loc, loop - (loop > diagonal.summed));
  SmallVector<int64_t> coefficients =
      getCoefficients(diagonal.solution, op.getNumLoops());
  Value sum = arith::ConstantIndexOp::create(b, loc, coefficients.back());
  for (unsigned other = 0; other != op.getNumLoops(); ++other) {
    if (!coefficients[other])
      continue;
    Value factor = arith::ConstantIndexOp::create(b, loc, coefficients[other]);
    Value index = createIndex(b, loc, op, diagonal, other);
    sum = arith::AddIOp::create(b, loc, sum,
                                arith::MulIOp::create(b, loc, factor, index));
  }
  return sum;
}

/// Copies the body with the solution in place of the summed index, and with the
/// value of `fill`, if there is one, in place of the sum so far.
static void cloneBody(linalg::GenericOp op, const Diagonal &diagonal,
                      linalg::FillOp fill, OpBuilder &b, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments(), arguments);
  if (fill)
    mapping.map(op.getBody()->getArguments().back(), fill.value());
  for (Operation &inner : *op.getBody()) {
    if (&inner == diagonal.comparison) {
      arith::CmpIOp comparison = diagonal.comparison;
      bool isEqual = comparison.getPredicate() == arith::CmpIPredicate::eq;
      mapping.map(comparison.getResult(),
                  arith::ConstantIntOp::create(b, inner.getLoc(), isEqual, 1)
                      .getResult());
      continue;
    }
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (!index) {
      b.clone(inner, mapping);
      continue;
    }
    mapping.map(index.getResult(),
                createIndex(b, inner.getLoc(), op, diagonal, index.getDim()));
  }
}

/// Replaces a sum with one term by that term.
static linalg::GenericOp replaceSum(linalg::GenericOp op,
                                    const Diagonal &diagonal) {
  OpBuilder builder(op);
  unsigned loops = op.getNumLoops();
  SmallVector<AffineExpr> dims;
  for (unsigned loop = 0; loop < loops; ++loop)
    dims.push_back(builder.getAffineDimExpr(loop - (loop > diagonal.summed)));
  // The solution does not have the summed loop.
  dims[diagonal.summed] = diagonal.solution.replaceDims(dims);
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
    if (reason.empty())
      reason = checkSolution(op, *diagonal);
    if (!reason.empty()) {
      reasons[op] = reason;
      continue;
    }
    report(replaceSum(op, *diagonal));
  }
}
