//===- RaiseBand.cpp - Operands with bands, symmetric results -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body may select between an element and zero by comparing the indices of the
// element's row and column: `select(k <= i, a, 0)`. The matrix then is zero
// outside a band. Such selections become BandOp, which kernels take with the
// matrix. Where no kernel does, they become linalg.generic again.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseBand.h"
#include "Raise/RaiseShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Target/Instructions.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

namespace {
/// The index of a loop plus a constant.
struct Coordinate {
  unsigned loop;
  int64_t offset;
};

/// Finds the band of a matrix whose rows and columns are those loops.
class BandMatcher {
public:
  BandMatcher(unsigned rowLoop, unsigned columnLoop)
      : rowLoop(rowLoop), columnLoop(columnLoop) {}

  /// Adds the limits of all elements for which the condition is `expected`.
  /// Returns false if these are no band.
  bool add(Value condition, bool expected);
  /// None if the limits are beyond those of bands, or exclude all elements.
  std::optional<Band> get() const;

private:
  bool addComparison(arith::CmpIOp op, bool expected);
  void addLower(int64_t limit);
  void addUpper(int64_t limit);

  unsigned rowLoop, columnLoop;
  Band band;
};
} // namespace

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// The loop's index and the constant that `value` adds up.
static std::optional<Coordinate> findCoordinate(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast_if_present<linalg::IndexOp>(op))
    return Coordinate{unsigned(index.getDim()), 0};
  if (!isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  Value left = op->getOperand(0), right = op->getOperand(1);
  APInt number;
  bool isSum = isa<arith::AddIOp>(op);
  if (isSum && matchPattern(left, m_ConstantInt(&number)))
    std::swap(left, right);
  if (!matchPattern(right, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 32)
    return std::nullopt;
  std::optional<Coordinate> coordinate = findCoordinate(left);
  int64_t by = number.getSExtValue();
  if (coordinate)
    coordinate->offset += isSum ? by : -by;
  return coordinate;
}

void BandMatcher::addLower(int64_t limit) {
  band.lower = std::max(band.lower.value_or(limit), limit);
}

void BandMatcher::addUpper(int64_t limit) {
  band.upper = std::min(band.upper.value_or(limit), limit);
}

bool BandMatcher::addComparison(arith::CmpIOp op, bool expected) {
  using P = arith::CmpIPredicate;
  std::optional<Coordinate> left = findCoordinate(op.getLhs()),
                            right = findCoordinate(op.getRhs());
  if (!left || !right)
    return false;
  P predicate =
      expected ? op.getPredicate() : arith::invertPredicate(op.getPredicate());
  bool isSwapped = left->loop == rowLoop && right->loop == columnLoop;
  if (!isSwapped && (left->loop != columnLoop || right->loop != rowLoop))
    return false;
  // With a coordinate of less than 0 the comparison would be another one.
  bool isUnsigned =
      llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate);
  if (isUnsigned && (left->offset < 0 || right->offset < 0))
    return false;
  // The distance, column less row, compared with a number.
  int64_t limit =
      isSwapped ? left->offset - right->offset : right->offset - left->offset;
  bool isLess = llvm::is_contained({P::slt, P::sle, P::ult, P::ule}, predicate);
  bool isStrict =
      llvm::is_contained({P::slt, P::sgt, P::ult, P::ugt}, predicate);
  if (predicate == P::ne)
    return false;
  if (predicate == P::eq) {
    addLower(limit);
    addUpper(limit);
  } else if (isLess != isSwapped) {
    addUpper(limit - (isStrict ? 1 : 0));
  } else {
    addLower(limit + (isStrict ? 1 : 0));
  }
  return true;
}

bool BandMatcher::add(Value condition, bool expected) {
  Operation *op = condition.getDefiningOp();
  if (auto comparison = dyn_cast_if_present<arith::CmpIOp>(op))
    return addComparison(comparison, expected);
  bool isBoth = expected ? isa_and_present<arith::AndIOp>(op)
                         : isa_and_present<arith::OrIOp>(op);
  return isBoth && add(op->getOperand(0), expected) &&
         add(op->getOperand(1), expected);
}

std::optional<Band> BandMatcher::get() const {
  for (std::optional<int64_t> limit : {band.lower, band.upper})
    if (limit && std::abs(*limit) > kMaxBandLimit)
      return std::nullopt;
  if ((!band.lower && !band.upper) ||
      (band.lower && band.upper && *band.lower > *band.upper))
    return std::nullopt;
  return band;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Marks bands that are not the user's.
static constexpr llvm::StringLiteral kFoundAttrName = "tcgemm.found";

namespace {
/// The selections between an operand's element and zero.
struct Mask {
  SmallVector<arith::SelectOp> selections;
  Band band;
};
} // namespace

/// Returns whether the value is selected if the condition is true, and zero
/// otherwise, or the other way round; none if neither.
static std::optional<bool> findSelected(arith::SelectOp op, Value value) {
  if (op.getTrueValue() == value && isZero(op.getFalseValue()))
    return true;
  if (op.getFalseValue() == value && isZero(op.getTrueValue()))
    return false;
  return std::nullopt;
}

/// The mask of an operand's element: selections of it, or of what it is
/// extended to. None if the operand's rows and columns are no loops.
static std::optional<Mask> findMask(linalg::GenericOp op, OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  unsigned rank = map.getNumResults();
  if (rank < 2 || !map.isProjectedPermutation())
    return std::nullopt;
  BandMatcher matcher(map.getDimPosition(rank - 2),
                      map.getDimPosition(rank - 1));
  Mask mask;
  Value value = op.getMatchingBlockArgument(operand);
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (auto selection = dyn_cast<arith::SelectOp>(user)) {
      std::optional<bool> expected = findSelected(selection, value);
      if (!expected || !matcher.add(selection.getCondition(), *expected))
        break;
      mask.selections.push_back(selection);
    } else if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
                    arith::SIToFPOp, arith::UIToFPOp>(user)) {
      break;
    }
    value = user->getResult(0);
  }
  std::optional<Band> band = matcher.get();
  if (mask.selections.empty() || !band)
    return std::nullopt;
  mask.band = *band;
  return mask;
}

/// Takes the selections out of the body, and masks the operand instead.
static void replaceMask(linalg::GenericOp op, OpOperand *operand,
                        const Mask &mask) {
  OpBuilder builder(op);
  for (arith::SelectOp selection : mask.selections) {
    bool isTrue = isZero(selection.getFalseValue());
    selection.replaceAllUsesWith(isTrue ? selection.getTrueValue()
                                        : selection.getFalseValue());
    selection.erase();
  }
  auto band =
      BandOp::create(builder, op.getLoc(), operand->get().getType(),
                     operand->get(), BandAttr::get(op.getContext(), mask.band));
  band->setDiscardableAttr(kFoundAttrName, builder.getUnitAttr());
  operand->set(band);
}

/// Returns whether the operation only masks the elements of its one operand.
static bool isCopy(linalg::GenericOp op) {
  return op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }) &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

/// The operands that a sum of products multiplies.
static SmallVector<Value> getMatrices(linalg::LinalgOp op) {
  SmallVector<Value> inputs = op.getDpsInputs();
  inputs.truncate(std::min<size_t>(2, inputs.size()));
  return inputs;
}

/// Returns whether the value is an operand of a sum of products.
static bool isMultiplied(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto op = dyn_cast<linalg::LinalgOp>(user);
    return op && isProductSum(op) && llvm::is_contained(getMatrices(op), value);
  });
}

void raise::replaceMasks(func::FuncOp function, const Reasons &left) {
  SmallVector<linalg::GenericOp> candidates;
  function.walk([&](linalg::GenericOp op) {
    if (op.hasPureTensorSemantics() && op.hasIndexSemantics() &&
        op.getNumDpsInits() == 1 && op.getNumDpsInputs() > 0 &&
        !left.contains(op) && !op->hasAttr(kSkipAttrName))
      candidates.push_back(op);
  });
  for (linalg::GenericOp op : candidates) {
    bool isProducer =
        op.getNumReductionLoops() == 0 && isMultiplied(op->getResult(0));
    if (op.getNumReductionLoops() == 0 && !isProducer)
      continue;
    SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
    for (OpOperand *operand : ArrayRef(inputs).take_front(2))
      if (std::optional<Mask> mask = findMask(op, operand))
        replaceMask(op, operand, *mask);
    if (!isProducer || !isCopy(op))
      continue;
    op->getResult(0).replaceAllUsesWith(op.getInputs().front());
    op->erase();
  }
  // Sizes are no reason to keep the operation.
  function.walk([](tensor::DimOp op) {
    if (auto band = op.getSource().getDefiningOp<BandOp>())
      op.getSourceMutable().assign(band.getMatrix());
  });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static BandOp getBand(const Group &group, unsigned operand) {
  return (operand ? group.b : group.a).getDefiningOp<BandOp>();
}

/// Returns why kernels with bands or a symmetric result do not compute the
/// group's products.
static std::string checkProduct(const Group &group) {
  if (auto config =
          group.contraction->getAttrOfType<ConfigAttr>(kConfigAttrName);
      config && !getFamily(config.getValue().schedule)
                     .getFeatures()
                     .has(Feature::BandOfA))
    return "its tcgemm.config has a schedule without them; wgmma has them";
  if (!group.algebra.isDefault() || group.use != SumUse::Added)
    return "it does not add products";
  if (llvm::any_of(group.scales.values,
                   [](const auto &scales) { return scales.has_value(); }) ||
      !group.steps[0].empty() || !group.steps[1].empty())
    return "it has scales or functions of elements";
  if (!group.units.empty() || group.onBuffers())
    return "it has a vector, or is on buffers";
  if (group.summed)
    return "it has two k that are apart in memory";
  std::optional<ScalarType> a = getScalarType(getMatrixType(group, 0)),
                            b = getScalarType(getMatrixType(group, 1));
  if (!a || !b || getAccumulatorTypes(*a, *b).empty() || isSplitType(*a) ||
      getPackedElements(*a) > 1 || getPackedElements(*b) > 1 ||
      !findInstruction(InstructionKind::Wgmma, *a, *b,
                       getAccumulatorTypes(*a, *b).front()))
    return "no wgmma multiplies its types, or only in parts";
  return "";
}

std::string raise::checkBands(const Group &group) {
  if (!getBand(group, 0) && !getBand(group, 1))
    return "";
  if (std::string reason = checkProduct(group); !reason.empty())
    return reason;
  for (unsigned operand : {0, 1}) {
    if (!getBand(group, operand))
      continue;
    StringRef dims = group.getDims(operand);
    char side = operand ? 'n' : 'm';
    if (group.fold(dims) != dims ||
        !StringRef(dims.take_back(2)).contains(side) ||
        !StringRef(dims.take_back(2)).contains('k'))
      return llvm::formatv("the rows and columns of its band are not {0} and "
                           "k, each one dimension",
                           side)
          .str();
  }
  if (getBand(group, 0) && getBand(group, 1) &&
      getBand(group, 0).getBand().getValue().isUnit &&
      getBand(group, 1).getBand().getValue().isUnit)
    return "both operands have ones on the diagonal";
  return "";
}

/// Returns whether both operands are the same matrix, with the same band.
static bool isSameMatrix(const Group &group) {
  BandOp a = getBand(group, 0), b = getBand(group, 1);
  if (a && b)
    return a.getMatrix() == b.getMatrix() && a.getBand() == b.getBand();
  return group.a == group.b;
}

std::string raise::checkSymmetric(const Group &group) {
  if (std::string reason = checkProduct(group); !reason.empty())
    return reason;
  std::string dims = group.bDims;
  std::replace(dims.begin(), dims.end(), 'n', 'm');
  if (!isSameMatrix(group) || dims != group.aDims || !group.joins.empty())
    return "its operands are not one matrix and its transpose";
  if (group.second.contraction ||
      (group.init && group.init->kind == Source::Input))
    return "it has a second product, or adds a tensor";
  for (const FusedOp &fused : group.fused) {
    if (!fused.reductions.empty())
      return "a reduction is fused with it";
    for (const std::optional<Source> &source : fused.sources)
      if (source && source->kind == Source::Input)
        return "an operation that reads a tensor is fused with it";
    WalkResult found =
        fused.op->walk([](linalg::IndexOp) { return WalkResult::interrupt(); });
    if (found.wasInterrupted())
      return "an operation that reads linalg.index is fused with it";
  }
  for (Value output : group.getOutputs())
    if (StringRef stored = group.values.find(output)->second;
        stored.size() < 2 || (stored.take_back(2) != "mn"))
      return "its result does not have m and n innermost";
  return "";
}

//===----------------------------------------------------------------------===//
// Without kernels
//===----------------------------------------------------------------------===//

/// Writes the selections of the elements inside the band.
static Value writeSelection(OpBuilder &b, Location loc, const Band &band,
                            Value row, Value column, Value element) {
  using P = arith::CmpIPredicate;
  Type type = element.getType();
  auto constant = [&](double value) -> Value {
    TypedAttr attribute = isa<FloatType>(type)
                              ? TypedAttr(b.getFloatAttr(type, value))
                              : b.getIntegerAttr(type, int64_t(value));
    return arith::ConstantOp::create(b, loc, attribute);
  };
  auto limit = [&](P predicate, int64_t distance) {
    Value number = arith::ConstantIndexOp::create(b, loc, distance);
    Value other = arith::AddIOp::create(b, loc, row, number);
    return arith::CmpIOp::create(b, loc, predicate, column, other).getResult();
  };
  Value zero = constant(0);
  if (band.upper)
    element = arith::SelectOp::create(b, loc, limit(P::sle, *band.upper),
                                      element, zero);
  if (band.lower)
    element = arith::SelectOp::create(b, loc, limit(P::sge, *band.lower),
                                      element, zero);
  if (band.isUnit)
    element =
        arith::SelectOp::create(b, loc, limit(P::eq, 0), constant(1), element);
  return element;
}

static linalg::GenericOp expand(BandOp op, StringRef reason) {
  // The user expects that what is outside is skipped.
  if (!op->hasAttr(kFoundAttrName))
    op.emitWarning() << "is computed as a copy: " << reason;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  RankedTensorType type = op.getMatrix().getType();
  int64_t rank = type.getRank();
  Value target = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, op.getMatrix()),
      type.getElementType());
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto result = linalg::GenericOp::create(
      builder, loc, type, op.getMatrix(), target, maps, loops,
      [&](OpBuilder &b, Location place, ValueRange arguments) {
        Value row = linalg::IndexOp::create(b, place, rank - 2);
        Value column = linalg::IndexOp::create(b, place, rank - 1);
        linalg::YieldOp::create(b, place,
                                writeSelection(b, place,
                                               op.getBand().getValue(), row,
                                               column, arguments.front()));
      });
  op.replaceAllUsesWith(result.getResult(0));
  op->erase();
  return result;
}

bool raise::expandBands(linalg::LinalgOp op, const std::string &reason,
                        Reasons &reasons) {
  // Both operands may be one matrix, with one band.
  llvm::SetVector<Operation *> bands;
  for (Value operand : getMatrices(op)) {
    // Operations that kernels look through are between them.
    std::string dims(cast<ShapedType>(operand.getType()).getRank(), 'a');
    for (auto [i, dim] : llvm::enumerate(dims))
      dim = static_cast<char>('a' + i);
    while (!operand.getDefiningOp<BandOp>() && lookThrough(operand, dims)) {
    }
    if (auto band = operand.getDefiningOp<BandOp>())
      bands.insert(band);
  }
  for (Operation *band : bands)
    reasons[expand(cast<BandOp>(band), reason)] =
        "it is an operand's band, but " + reason;
  return !bands.empty();
}

void raise::expandBands(func::FuncOp function, Reasons &reasons) {
  SmallVector<BandOp> left;
  function.walk([&](BandOp op) { left.push_back(op); });
  for (BandOp op : left) {
    if (op->use_empty())
      op->erase();
    else
      reasons[expand(op, "it is no operand of a kernel")] =
          "it is a band of no operand of a kernel";
  }
}
