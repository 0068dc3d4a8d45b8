//===- ReductionStates.cpp - Reductions with several results --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction with several results updates a state by one value x after the
// other. These are known, each with its results in any order:
//
//   greatest value v and its index i:
//     c = x > v;  v' = select(c, x, v);  i' = select(c, linalg.index, i)
//   greatest value m and sum s of exp(x - m):
//     m' = max(x, m);  s' = s·exp(m - m') + exp(x - m')
//   number n, mean a and, if there is a third result, variance v:
//     n' = n + 1;  a' = a + (x - a)/n';  v' = v + ((x - a)·(x - a') - v)/n'
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

namespace {
/// The body of a reduction with several results.
class StateMatcher {
public:
  explicit StateMatcher(linalg::LinalgOp op)
      : op(op), totals(op.getRegionOutputArgs()),
        yields(op.getBlock()->getTerminator()->getOperands()) {}

  /// Each returns the reductions, one for each result; none if the body is
  /// another one.
  using Reductions = std::optional<SmallVector<Reduction>>;
  Reductions matchIndex();
  Reductions matchSumExp();
  Reductions matchMoments();
  /// Returns why a kernel cannot start with the initial values; empty if it can
  /// or if no match has failed so.
  StringRef getReason() const { return reason; }

private:
  ReductionAttr getInfo(Combiner combiner, unsigned result);
  std::optional<Combiner> matchComparison(Value condition, unsigned result,
                                          Value &value) const;
  Reductions matchIndex(unsigned greatest);
  Reductions matchSumExp(unsigned greatest);
  Value getDividend(unsigned result, Value number) const;
  Value getMinuend(unsigned result, Value dividend) const;
  bool isVariance(unsigned variance, unsigned number, unsigned mean) const;
  Reductions matchMoments(unsigned number, unsigned mean);

  linalg::LinalgOp op;
  ArrayRef<BlockArgument> totals;
  OperandRange yields;
  StringRef reason;
};
} // namespace

/// Returns whether `value` is the operation of x and y, in this order or, if it
/// commutes, in the other.
template <typename Op> static bool is(Value value, Value x, Value y) {
  auto operation = value.getDefiningOp<Op>();
  if (!operation)
    return false;
  Value left = operation->getOperand(0), right = operation->getOperand(1);
  return (left == x && right == y) ||
         (Op::template hasTrait<OpTrait::IsCommutative>() && left == y &&
          right == x);
}

/// The operand other than x of a commutative operation; null if it is another
/// operation or has no x.
template <typename Op> static Value getOther(Value value, Value x) {
  auto operation = value.getDefiningOp<Op>();
  if (!operation)
    return {};
  Value left = operation->getOperand(0), right = operation->getOperand(1);
  return left == x ? right : right == x ? left : Value();
}

/// Returns whether the constant is the least value of its type.
static bool isLeast(TypedAttr constant) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return number.getValue().isInfinity() && number.getValue().isNegative();
  auto integer = dyn_cast<IntegerAttr>(constant);
  return integer && integer.getValue().isMinSignedValue();
}

static bool isZero(TypedAttr constant) {
  auto number = dyn_cast<FloatAttr>(constant);
  return number && number.getValue().isZero();
}

/// The reduction by `combiner` to a result, or null and the reason.
ReductionAttr StateMatcher::getInfo(Combiner combiner, unsigned result) {
  TypedAttr initial = findInitial(op.getDpsInits()[result]);
  if (!initial) {
    reason = "it is a reduction whose initial value is not a constant";
    return {};
  }
  std::optional<ReductionInfo> info = getReductionInfo(combiner, initial);
  std::optional<ScalarType> type = getScalarType(initial.getType());
  if (!info || !type || !findViolation(*info, *type).empty()) {
    reason = "it is a reduction whose types or initial values kernels do not "
             "have";
    return {};
  }
  return ReductionAttr::get(op.getContext(), combiner, initial);
}

/// The combiner of an index that is replaced if `condition` holds, and the
/// value that is compared with the result so far.
std::optional<Combiner> StateMatcher::matchComparison(Value condition,
                                                      unsigned result,
                                                      Value &value) const {
  Value total = totals[result];
  if (auto integers = condition.getDefiningOp<arith::CmpIOp>()) {
    value = integers.getLhs();
    bool isGreater = integers.getPredicate() == arith::CmpIPredicate::sgt &&
                     integers.getRhs() == total;
    return isGreater ? std::optional(Combiner::ArgMaxSI) : std::nullopt;
  }
  auto greater = condition.getDefiningOp<arith::CmpFOp>();
  using P = arith::CmpFPredicate;
  if (greater && greater.getPredicate() == P::OGT &&
      greater.getRhs() == total) {
    value = greater.getLhs();
    return Combiner::ArgMaxNumF;
  }
  // NaN is greater than a number, but no value is greater than NaN.
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return std::nullopt;
  for (bool isSwapped : {false, true}) {
    greater = both->getOperand(isSwapped).getDefiningOp<arith::CmpFOp>();
    auto ordered = both->getOperand(!isSwapped).getDefiningOp<arith::CmpFOp>();
    if (greater && ordered && greater.getPredicate() == P::UGT &&
        greater.getRhs() == total && ordered.getPredicate() == P::ORD &&
        ordered.getLhs() == total && ordered.getRhs() == total) {
      value = greater.getLhs();
      return Combiner::ArgMaximumF;
    }
  }
  return std::nullopt;
}

/// The combiner of the values with which an index goes.
static Combiner getCombinerOfValues(Combiner combiner) {
  return combiner == Combiner::ArgMaxSI      ? Combiner::MaxSI
         : combiner == Combiner::ArgMaximumF ? Combiner::MaximumF
                                             : Combiner::MaxNumF;
}

StateMatcher::Reductions StateMatcher::matchIndex(unsigned greatest) {
  unsigned index = 1 - greatest;
  auto chosen = yields[index].getDefiningOp<arith::SelectOp>();
  if (!chosen || chosen.getFalseValue() != totals[index])
    return std::nullopt;
  Value value;
  std::optional<Combiner> combiner =
      matchComparison(chosen.getCondition(), greatest, value);
  if (!combiner)
    return std::nullopt;
  Combiner ofValues = getCombinerOfValues(*combiner);
  Operation *kept = yields[greatest].getDefiningOp();
  auto select = dyn_cast_if_present<arith::SelectOp>(kept);
  bool isSelected = select && select.getCondition() == chosen.getCondition() &&
                    select.getTrueValue() == value &&
                    select.getFalseValue() == totals[greatest];
  bool isCombined =
      kept && isa<arith::ArithDialect>(kept->getDialect()) &&
      kept->getName().stripDialect() == getCombinerName(ofValues) &&
      llvm::is_contained(kept->getOperands(), value) &&
      llvm::is_contained(kept->getOperands(), totals[greatest]);
  if (!isSelected && !isCombined) {
    reason = "it is a reduction whose index and greatest value treat NaN "
             "differently";
    return std::nullopt;
  }
  ReductionAttr info = getInfo(*combiner, index);
  ReductionAttr infoOfValues = getInfo(ofValues, greatest);
  if (!info || !infoOfValues)
    return std::nullopt;
  if (!isLeast(infoOfValues.getInitial())) {
    reason = "it is a reduction to an index, but its values do not start with "
             "the least one";
    return std::nullopt;
  }
  SmallVector<Reduction> reductions(2);
  reductions[index] = {value, info, chosen.getTrueValue()};
  reductions[greatest] = {value, infoOfValues, {}};
  return reductions;
}

StateMatcher::Reductions StateMatcher::matchSumExp(unsigned greatest) {
  unsigned sum = 1 - greatest;
  Value total = totals[greatest], next = yields[greatest];
  Value value = getOther<arith::MaximumFOp>(next, total);
  Combiner ofValues = value ? Combiner::MaximumF : Combiner::MaxNumF;
  if (!value)
    value = getOther<arith::MaxNumFOp>(next, total);
  auto added = yields[sum].getDefiningOp<arith::AddFOp>();
  if (!value || !added)
    return std::nullopt;
  auto isWeight = [&](Value weight, Value x) {
    auto exp = weight ? weight.getDefiningOp<math::ExpOp>() : math::ExpOp();
    return exp && is<arith::SubFOp>(exp.getOperand(), x, next);
  };
  bool fits = llvm::any_of(ArrayRef({0, 1}), [&](int scaled) {
    Value weight =
        getOther<arith::MulFOp>(added->getOperand(scaled), totals[sum]);
    return isWeight(weight, total) &&
           isWeight(added->getOperand(1 - scaled), value);
  });
  if (!fits)
    return std::nullopt;
  ReductionAttr info = getInfo(Combiner::SumExpF, sum);
  ReductionAttr infoOfValues = getInfo(ofValues, greatest);
  if (!info || !infoOfValues)
    return std::nullopt;
  if (!isLeast(infoOfValues.getInitial())) {
    reason = "it is a reduction to a sum of exp, but its values do not start "
             "with minus infinity";
    return std::nullopt;
  }
  SmallVector<Reduction> reductions(2);
  reductions[sum] = {value, info, {}};
  reductions[greatest] = {value, infoOfValues, {}};
  return reductions;
}

StateMatcher::Reductions StateMatcher::matchIndex() {
  for (unsigned greatest : {0, 1})
    if (Reductions found = matchIndex(greatest))
      return found;
  return std::nullopt;
}

StateMatcher::Reductions StateMatcher::matchSumExp() {
  for (unsigned greatest : {0, 1})
    if (Reductions found = matchSumExp(greatest))
      return found;
  return std::nullopt;
}

/// The dividend of what a result grows by, if the divisor is `number`; null if
/// it grows otherwise.
Value StateMatcher::getDividend(unsigned result, Value number) const {
  Value growth = getOther<arith::AddFOp>(yields[result], totals[result]);
  auto quotient =
      growth ? growth.getDefiningOp<arith::DivFOp>() : arith::DivFOp();
  return quotient && quotient.getRhs() == number ? quotient.getLhs() : Value();
}

/// The value of which the dividend of a result subtracts the result; null if it
/// does something else.
Value StateMatcher::getMinuend(unsigned result, Value dividend) const {
  auto minus =
      dividend ? dividend.getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  return minus && minus.getRhs() == totals[result] ? minus.getLhs() : Value();
}

bool StateMatcher::isVariance(unsigned variance, unsigned number,
                              unsigned mean) const {
  Value difference = getDividend(mean, yields[number]);
  Value square = getMinuend(variance, getDividend(variance, yields[number]));
  Value after = square ? getOther<arith::MulFOp>(square, difference) : Value();
  return after &&
         is<arith::SubFOp>(after, getMinuend(mean, difference), yields[mean]);
}

StateMatcher::Reductions StateMatcher::matchMoments(unsigned number,
                                                    unsigned mean) {
  Value one = getOther<arith::AddFOp>(yields[number], totals[number]);
  Value value = getMinuend(mean, getDividend(mean, yields[number]));
  if (!one || !value || !matchPattern(one, m_OneFloat()))
    return std::nullopt;
  SmallVector<Reduction> reductions(yields.size());
  reductions[number] = {one, getInfo(Combiner::AddF, number), {}};
  reductions[mean] = {value, getInfo(Combiner::MeanF, mean), {}};
  for (unsigned i = 0; i < yields.size(); ++i) {
    if (i == number || i == mean)
      continue;
    if (!isVariance(i, number, mean))
      return std::nullopt;
    reductions[i] = {value, getInfo(Combiner::VarianceF, i), {}};
  }
  for (const Reduction &reduction : reductions)
    if (!reduction.info)
      return std::nullopt;
  if (isZero(reductions[number].info.getInitial()))
    return reductions;
  reason = "it is a reduction to a mean, but its number of values does not "
           "start with 0";
  return std::nullopt;
}

StateMatcher::Reductions StateMatcher::matchMoments() {
  for (unsigned number = 0; number < yields.size(); ++number)
    for (unsigned mean = 0; mean < yields.size(); ++mean)
      if (number != mean)
        if (Reductions found = matchMoments(number, mean))
          return found;
  return std::nullopt;
}

/// Returns whether a value of the group is the greatest of all elements of
/// `source`, or of those that are no NaN. A NaN among these makes the sum of
/// exp NaN, too.
static bool isGreatest(const Group &group, Value value, Value source) {
  const Reduction *reduction = group.findReduction(value);
  auto element =
      reduction ? dyn_cast<BlockArgument>(reduction->value) : BlockArgument();
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!element || !op || element.getOwner() != op.getBlock() ||
      op->getOperand(element.getArgNumber()) != source)
    return false;
  Combiner combiner = reduction->info.getCombiner();
  TypedAttr initial = reduction->info.getInitial();
  auto number = dyn_cast<FloatAttr>(initial);
  bool isNeutral = number && number.getValue().isNaN();
  return (combiner == Combiner::MaximumF && isLeast(initial)) ||
         (combiner == Combiner::MaxNumF && (isNeutral || isLeast(initial)));
}

std::string raise::matchSumOfExp(const Group &group, FusedOp &fused) {
  constexpr StringLiteral other = "it needs the result of a reduction, which "
                                  "the kernel's last step computes";
  linalg::LinalgOp op = fused.op;
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return other.str();
  Value sum = op.getBlock()->getTerminator()->getOperand(0);
  Value weight = getOther<arith::AddFOp>(sum, op.getRegionOutputArgs().front());
  auto exp = weight ? weight.getDefiningOp<math::ExpOp>() : math::ExpOp();
  auto minus =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  auto element =
      minus ? dyn_cast<BlockArgument>(minus.getLhs()) : BlockArgument();
  auto greatest =
      minus ? dyn_cast<BlockArgument>(minus.getRhs()) : BlockArgument();
  if (!element || !greatest || element.getOwner() != op.getBlock() ||
      greatest.getOwner() != op.getBlock())
    return other.str();
  OpOperand &source = op->getOpOperand(element.getArgNumber());
  OpOperand &maximum = op->getOpOperand(greatest.getArgNumber());
  if (!isGreatest(group, maximum.get(), source.get()) ||
      op.getMatchingIndexingMap(&maximum) !=
          op.getMatchingIndexingMap(op.getDpsInitOperand(0)))
    return other.str();
  TypedAttr initial = findInitial(op.getDpsInits().front());
  if (!initial || !isZero(initial) || !initial.getType().isF32())
    return "it is a sum of exp that does not start with 0 of f32";
  fused.reductions = {
      {element,
       ReductionAttr::get(op.getContext(), Combiner::SumExpF, initial),
       {}}};
  return "";
}

std::string raise::matchStates(FusedOp &fused) {
  linalg::LinalgOp op = fused.op;
  StateMatcher matcher(op);
  StateMatcher::Reductions found;
  if (op.getNumDpsInits() == 2) {
    found = matcher.matchIndex();
    if (!found)
      found = matcher.matchSumExp();
  }
  if (!found && op.getNumDpsInits() <= 3)
    found = matcher.matchMoments();
  // A value of the results so far is none of an element.
  auto isOfElement = [&](const Reduction &reduction) {
    SetVector<Value> needed = getNeeded(op.getBlock(), reduction.value);
    if (reduction.index)
      needed.insert_range(getNeeded(op.getBlock(), reduction.index));
    return llvm::none_of(op.getRegionOutputArgs(),
                         [&](Value total) { return needed.contains(total); });
  };
  if (found && llvm::all_of(*found, isOfElement)) {
    fused.reductions = std::move(*found);
    return "";
  }
  if (!matcher.getReason().empty())
    return matcher.getReason().str();
  return "it is a reduction with several results that are no greatest value "
         "and its index, no greatest value and sum of exp, and no number, mean "
         "and variance";
}
