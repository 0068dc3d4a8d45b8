//===- RaiseMoments.cpp - A mean, then the deviations from it -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LayerNorm computes a mean and a variance by two reductions of the same
// tensor x, the second of which reads the mean:
//
//   s = Σ x;  a = s / n;  q = Σ (x - a)²;  v = q / n
//
// A kernel's epilogue sees each x once. If a product computes x, these four
// operations become one reduction to the number, the mean and the variance, in
// the form that ReductionStates.cpp knows. Other readers of s keep the first
// reduction, and other readers of q get v · n.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseMoments.h"
#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

namespace {
/// A sum of a function of the elements of `source`.
struct Sum {
  linalg::LinalgOp op;
  OpOperand *source = nullptr;
  AffineMap sourceMap, resultMap;
};

/// The four operations.
struct TwoPasses {
  Sum values, squares;
  linalg::LinalgOp mean;
  double number = 0; ///< Of the values of each sum.
};
} // namespace

/// The value without its extension to a wider float.
static Value lookThroughExtension(Value value) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  return extension ? extension.getIn() : value;
}

/// The operand that an argument of the body stands for; null if the value is
/// no such argument.
static OpOperand *getOperand(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  return &op->getOpOperand(argument.getArgNumber());
}

/// The summand of a reduction by addf to one result that starts with 0; null
/// if the operation is another one.
static Value getSummand(linalg::LinalgOp op) {
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || op.hasIndexSemantics())
    return {};
  auto initial = dyn_cast_if_present<FloatAttr>(
      findInitial(op.getDpsInitOperand(0)->get()));
  BlockArgument total = op.getRegionOutputArgs().front();
  auto added = op.getBlock()
                   ->getTerminator()
                   ->getOperand(0)
                   .getDefiningOp<arith::AddFOp>();
  if (!initial || !initial.getValue().isZero() || !added || !total.hasOneUse())
    return {};
  if (added.getLhs() != total && added.getRhs() != total)
    return {};
  return added.getLhs() == total ? added.getRhs() : added.getLhs();
}

/// Determines the source and the maps of a sum of functions of `element`.
static std::optional<Sum> describeSum(linalg::LinalgOp op, Value element) {
  OpOperand *source = getOperand(op, lookThroughExtension(element));
  if (!source)
    return std::nullopt;
  return Sum{op, source, op.getMatchingIndexingMap(source),
             op.getMatchingIndexingMap(op.getDpsInitOperand(0))};
}

/// The number of values of each sum; none if it is not known.
static std::optional<int64_t> countValues(const Sum &sum) {
  SmallVector<unsigned> loops;
  linalg::LinalgOp op = sum.op;
  op.getReductionDims(loops);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t number = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(ranges[loop]) ||
        llvm::MulOverflow(number, ranges[loop], number))
      return std::nullopt;
  }
  return number;
}

/// Returns whether the operation divides the elements of `dividend` by the
/// number: also as a multiplication by the rounded reciprocal.
static bool isDivision(linalg::LinalgOp op, Value dividend, double number) {
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() || op.hasIndexSemantics())
    return false;
  Operation *scaling =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::DivFOp, arith::MulFOp>(scaling))
    return false;
  bool isProduct = isa<arith::MulFOp>(scaling);
  for (unsigned i = 0; i <= unsigned(isProduct); ++i) {
    OpOperand *operand = getOperand(op, scaling->getOperand(i));
    FloatAttr factor;
    if (!operand || operand->get() != dividend ||
        !matchPattern(scaling->getOperand(1 - i), m_Constant(&factor)))
      continue;
    AffineMap map = op.getMatchingIndexingMap(operand);
    llvm::APFloat expected(isProduct ? 1 / number : number);
    bool losesInfo = false;
    expected.convert(factor.getValue().getSemantics(),
                     llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    if (map.isPermutation() &&
        map == op.getMatchingIndexingMap(op.getDpsInitOperand(0)) &&
        factor.getValue().bitwiseIsEqual(expected))
      return true;
  }
  return false;
}

/// Returns whether an elementwise function of a product's result, or that
/// result, is the tensor.
static bool isOfProduct(Value tensor) {
  SmallVector<Value> values = {tensor};
  DenseSet<Value> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    if (!op || !seen.insert(value).second)
      continue;
    if (isProductSum(op))
      return true;
    if (op.getNumLoops() == op.getNumParallelLoops())
      llvm::append_range(values, op.getDpsInputs());
  }
  return false;
}

/// Returns whether the map of the vector in `op` selects the same dimensions of
/// the source as the result of the sum does.
static bool hasSameDims(const Sum &sum, AffineMap sourceMap, AffineMap map) {
  if (!sum.sourceMap.isPermutation() || !sourceMap.isPermutation())
    return false;
  return sum.resultMap.compose(inversePermutation(sum.sourceMap)) ==
         map.compose(inversePermutation(sourceMap));
}

/// The four operations, from the second sum; none if it is another operation.
static std::optional<TwoPasses> match(linalg::LinalgOp op) {
  Value square = getSummand(op);
  auto product =
      square ? square.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!product || product.getLhs() != product.getRhs())
    return std::nullopt;
  auto deviation = product.getLhs().getDefiningOp<arith::SubFOp>();
  if (!deviation)
    return std::nullopt;
  for (bool isSwapped : {false, true}) {
    std::optional<Sum> squares =
        describeSum(op, deviation->getOperand(isSwapped));
    OpOperand *vector = getOperand(op, deviation->getOperand(!isSwapped));
    auto mean = vector ? vector->get().getDefiningOp<linalg::LinalgOp>()
                       : linalg::LinalgOp();
    if (!squares || !mean || mean.getNumDpsInputs() == 0)
      continue;
    auto first = mean->getOperand(0).getDefiningOp<linalg::LinalgOp>();
    Value summand = getSummand(first);
    std::optional<Sum> values =
        summand ? describeSum(first, summand) : std::nullopt;
    if (!values || values->source->get() != squares->source->get())
      continue;
    std::optional<int64_t> number = countValues(*values);
    AffineMap vectorMap = op.getMatchingIndexingMap(vector);
    Type type = first->getResult(0).getType();
    if (mean->getResult(0).getType() != type ||
        op->getResult(0).getType() != type)
      continue;
    if (number && *number > 0 &&
        isDivision(mean, first->getResult(0), double(*number)) &&
        vectorMap == squares->resultMap &&
        hasSameDims(*values, squares->sourceMap, squares->resultMap) &&
        isOfProduct(values->source->get()))
      return TwoPasses{*values, *squares, mean, double(*number)};
  }
  return std::nullopt;
}

/// Writes the body that updates the number, the mean and the variance.
static void writeBody(OpBuilder &b, Location loc, ValueRange arguments) {
  auto type = cast<FloatType>(arguments[1].getType());
  Value element = arguments[0];
  if (element.getType() != type)
    element = arith::ExtFOp::create(b, loc, type, element);
  Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1));
  Value number = arith::AddFOp::create(b, loc, arguments[1], one);
  Value before = arith::SubFOp::create(b, loc, element, arguments[2]);
  Value step = arith::DivFOp::create(b, loc, before, number);
  Value mean = arith::AddFOp::create(b, loc, arguments[2], step);
  Value after = arith::SubFOp::create(b, loc, element, mean);
  Value square = arith::MulFOp::create(b, loc, before, after);
  Value excess = arith::SubFOp::create(b, loc, square, arguments[3]);
  Value change = arith::DivFOp::create(b, loc, excess, number);
  Value variance = arith::AddFOp::create(b, loc, arguments[3], change);
  linalg::YieldOp::create(b, loc, ValueRange{number, mean, variance});
}

/// The product of a tensor and a number.
static Value createProduct(OpBuilder &b, Location loc, Value tensor, Value out,
                           double number) {
  auto type = cast<RankedTensorType>(tensor.getType());
  AffineMap map = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, loc, type, tensor, out, ArrayRef({map, map}), loops,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        Value factor = arith::ConstantOp::create(
            inner, at, inner.getFloatAttr(type.getElementType(), number));
        Value scaled = arith::MulFOp::create(inner, at, arguments[0], factor);
        linalg::YieldOp::create(inner, at, scaled);
      });
  return op->getResult(0);
}

/// Replaces the operations by one reduction in front of the first.
static void replace(const TwoPasses &passes) {
  linalg::LinalgOp first = passes.values.op, second = passes.squares.op;
  OpBuilder b(first);
  Location loc = second.getLoc();
  Value init = first.getDpsInitOperand(0)->get();
  AffineMap resultMap = passes.values.resultMap;
  SmallVector<Type> types(3, init.getType());
  SmallVector<AffineMap> maps = {passes.values.sourceMap, resultMap, resultMap,
                                 resultMap};
  auto moments = linalg::GenericOp::create(
      b, loc, types, passes.values.source->get(), SmallVector<Value>(3, init),
      maps, first.getIteratorTypesArray(), writeBody);
  linalg::LinalgOp mean = passes.mean;
  mean->getResult(0).replaceAllUsesWith(moments->getResult(1));
  SetVector<Operation *> dead;
  dead.insert_range(ArrayRef<Operation *>{first, mean, second});
  Value squares = second->getResult(0), variance = moments->getResult(2);
  for (Operation *user : squares.getUsers()) {
    auto division = dyn_cast<linalg::LinalgOp>(user);
    if (!isDivision(division, squares, passes.number) ||
        division->getResult(0).getType() != variance.getType())
      continue;
    division->getResult(0).replaceAllUsesWith(variance);
    dead.insert(division);
  }
  auto isOther = [&](OpOperand &use) { return !dead.contains(use.getOwner()); };
  if (llvm::any_of(squares.getUses(), isOther)) {
    b.setInsertionPoint(second);
    Value product = createProduct(b, loc, variance, init, passes.number);
    squares.replaceUsesWithIf(product, isOther);
  }
  eraseDead(std::move(dead));
}

void raise::joinMoments(func::FuncOp function,
                        function_ref<bool(linalg::LinalgOp)> select) {
  SmallVector<linalg::LinalgOp> found;
  function.walk([&](linalg::LinalgOp op) {
    if (select(op) && match(op))
      found.push_back(op);
  });
  // Each replacement erases no sum of squares but its own.
  for (linalg::LinalgOp op : found)
    if (std::optional<TwoPasses> passes = match(op))
      if (select(passes->values.op))
        replace(*passes);
}
