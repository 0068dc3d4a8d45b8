//===- RaiseBilinear.cpp - Products of numbers with components ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of B and the structure constants is a contraction like others:
// the schedule expand has its kernel. The order of its dimensions is chosen so
// that n and p are neighbours as in D, k and q as in A.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseBilinear.h"
#include "Raise/BilinearExpansion.h"
#include "Raise/RaiseGroup.h"
#include "Raise/RaiseIndices.h"
#include "Raise/RaiseInterleaved.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/MmaSync.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/Instructions.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The loops of the components, if the maps are those of such a product.
static std::optional<ComponentLoops> findComponents(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps.size() != kNumOperands || op.getNumDpsInits() != 1 ||
      maps[kConstants].getNumResults() != 3 ||
      !llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  std::optional<unsigned> found[kNumOperands];
  for (unsigned i = 0; i < 3; ++i) {
    unsigned loop = maps[kConstants].getDimPosition(i);
    unsigned owner = kConstants, owners = 0;
    for (unsigned operand : {kA, kB, kD})
      if (maps[operand].isFunctionOfDim(loop)) {
        owner = operand;
        ++owners;
      }
    if (owners != 1 || found[owner])
      return std::nullopt;
    found[owner] = loop;
  }
  return ComponentLoops{*found[kA], *found[kB], *found[kD]};
}

bool raise::isBilinearProduct(linalg::LinalgOp op) {
  return isProductSum(op) && findComponents(op) &&
         isProductOfInputs(getProduct(op), op.getBlock());
}

/// The loops of an operand, outermost first.
BilinearExpansion::Loops
BilinearExpansion::getLoops(BilinearOperand operand) const {
  Loops loops;
  for (unsigned i = 0; i < maps[operand].getNumResults(); ++i)
    loops.push_back(maps[operand].getDimPosition(i));
  return loops;
}

/// The structure constants, in the type of B; null if they are not constant or
/// B's type does not have their values.
DenseElementsAttr BilinearExpansion::getConstants() {
  DenseElementsAttr constants;
  auto type = dyn_cast<FloatType>(getType(kB));
  if (!type ||
      !matchPattern(op->getOperand(kConstants), m_Constant(&constants)))
    return {};
  bool isExact = true;
  DenseElementsAttr converted = cast<DenseElementsAttr>(
      constants.mapValues(type, [&](const APFloat &value) {
        APFloat result = value;
        bool losesInfo = false;
        (void)result.convert(type.getFloatSemantics(),
                             APFloat::rmNearestTiesToEven, &losesInfo);
        isExact &= !losesInfo;
        return result.bitcastToAPInt();
      }));
  return isExact ? converted : DenseElementsAttr();
}

std::string BilinearExpansion::check() {
  if (!op.hasPureTensorSemantics())
    return "it multiplies by structure constants on buffers; only tensors are "
           "supported";
  for (unsigned operand : {kA, kB, kConstants, kD}) {
    std::string reason = checkOperandType(op->getOperand(operand).getType());
    if (!reason.empty())
      return reason;
    if (!isa<FloatType>(getType(BilinearOperand(operand))))
      return llvm::formatv("it multiplies elements of {0} by structure "
                           "constants; only floats are supported",
                           getType(BilinearOperand(operand)))
          .str();
  }
  if (getType(kConstants) != getType(kB) && !getConstants())
    return llvm::formatv("its structure constants are {0}, but B has elements "
                         "of {1}; only constants that {1} has are converted",
                         getType(kConstants), getType(kB))
        .str();
  for (unsigned loop : getLoops(kB))
    if (loop != components.ofB && !has(kA, loop) && !has(kD, loop))
      return llvm::formatv("B alone has the loop {0}, over which it sums", loop)
          .str();
  return "";
}

/// Returns whether B's elements along n are neighbours, and tensor cores take
/// the representation so.
bool BilinearExpansion::keepsColumns(ArrayRef<unsigned> columns) {
  unsigned innermost = components.ofB;
  for (unsigned loop : getLoops(kB))
    if (loop != components.ofB)
      innermost = loop;
  auto getOperand = [&](BilinearOperand operand) {
    return getOperandType(*getMatrixScalar(getType(operand)), precision);
  };
  return llvm::is_contained(columns, innermost) &&
         canTranspose(getOperand(kA), getOperand(kB));
}

/// The order of the representation's dimensions: those that D has, then those
/// that are summed over. The last neighbours in D that A does not have are
/// innermost if B has them so, which saves a transposition.
BilinearExpansion::Loops BilinearExpansion::orderLoops() {
  Loops outer, columns, sums;
  auto isOwn = [&](unsigned loop) {
    return loop == components.ofD || loop == components.ofA || has(kB, loop);
  };
  for (unsigned loop : llvm::reverse(getLoops(kD))) {
    bool isColumn = isOwn(loop) && !has(kA, loop) && outer.empty();
    if (isColumn)
      columns.insert(columns.begin(), loop);
    else if (isOwn(loop))
      outer.insert(outer.begin(), loop);
  }
  for (unsigned loop : getLoops(kA))
    if (isOwn(loop) && !has(kD, loop))
      sums.push_back(loop);
  Loops order(outer);
  bool keeps = keepsColumns(columns);
  order.append(keeps ? sums : columns);
  order.append(keeps ? columns : sums);
  return order;
}

AffineMap BilinearExpansion::getMap(ArrayRef<unsigned> loops,
                                    ArrayRef<unsigned> order) {
  SmallVector<unsigned> positions;
  for (unsigned loop : loops)
    positions.push_back(llvm::find(order, loop) - order.begin());
  return AffineMap::getMultiDimMapWithTargets(order.size(), positions,
                                              b.getContext());
}

/// The number of components along a loop of the constants.
int64_t BilinearExpansion::getConstantSize(unsigned loop) {
  Loops loops = getLoops(kConstants);
  auto type = cast<RankedTensorType>(op->getOperand(kConstants).getType());
  return type.getDimSize(llvm::find(loops, loop) - loops.begin());
}

Attribute BilinearExpansion::getConstant(DenseElementsAttr constants, int64_t p,
                                         int64_t q, int64_t r) {
  int64_t place = 0;
  for (unsigned loop : getLoops(kConstants))
    place = place * getConstantSize(loop) + (loop == components.ofD   ? p
                                             : loop == components.ofA ? q
                                                                      : r);
  return constants.getValues<Attribute>()[place];
}

/// The constants with the component of B innermost, if their values are known.
BilinearExpansion::Factor BilinearExpansion::createConstants() {
  DenseElementsAttr constants = getConstants();
  if (!constants)
    return {op->getOperand(kConstants), getLoops(kConstants)};
  Factor result;
  result.loops = {components.ofD, components.ofA, components.ofB};
  SmallVector<int64_t> shape;
  for (unsigned loop : result.loops)
    shape.push_back(getConstantSize(loop));
  SmallVector<Attribute> values;
  for (int64_t p = 0; p < shape[0]; ++p)
    for (int64_t q = 0; q < shape[1]; ++q)
      for (int64_t r = 0; r < shape[2]; ++r)
        values.push_back(getConstant(constants, p, q, r));
  result.value = arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             RankedTensorType::get(shape, constants.getElementType()), values));
  return result;
}

Value BilinearExpansion::createEmpty(ArrayRef<unsigned> loops) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : loops) {
    BilinearOperand operand = has(kB, loop) ? kB : kConstants;
    Loops dims = getLoops(operand);
    sizes.push_back(tensor::getMixedSize(
        b, op.getLoc(), op->getOperand(operand),
        static_cast<int64_t>(llvm::find(dims, loop) - dims.begin())));
  }
  return tensor::EmptyOp::create(b, sizes, getType(kB));
}

Value BilinearExpansion::extend(Value value, Type type) {
  return value.getType() == type ? value
                                 : Value(arith::ExtFOp::create(b, type, value));
}

/// A sum of products whose loops are those of `order`.
Value BilinearExpansion::createProduct(ValueRange inputs, Value init,
                                       ArrayRef<AffineMap> productMaps,
                                       ArrayRef<unsigned> order,
                                       bool isSubtracted) {
  SmallVector<utils::IteratorType> iterators;
  for (unsigned i = 0; i < order.size(); ++i)
    iterators.push_back(productMaps.back().isFunctionOfDim(i)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  auto product = linalg::GenericOp::create(
      b, TypeRange{init.getType()}, inputs, ValueRange{init}, productMaps,
      iterators, [&](OpBuilder &builder, Location, ValueRange elements) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(),
                            builder.getInsertionPoint());
        Type type = elements[2].getType();
        Value term = arith::MulFOp::create(b, extend(elements[0], type),
                                           extend(elements[1], type));
        Value sum = isSubtracted
                        ? Value(arith::SubFOp::create(b, elements[2], term))
                        : Value(arith::AddFOp::create(b, elements[2], term));
        linalg::YieldOp::create(b, sum);
      });
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  if (auto hint = op->getAttrOfType<DenseI64ArrayAttr>(kSizeHintAttrName);
      hint && hint.size() == int64_t(op.getNumLoops())) {
    SmallVector<int64_t> extents;
    for (unsigned loop : order)
      extents.push_back(hint[loop]);
    product->setAttr(kSizeHintAttrName, b.getDenseI64ArrayAttr(extents));
  }
  return product.getResult(0);
}

/// The product of B and the constants, exact but for the rounding of its
/// elements to B's type.
Value BilinearExpansion::represent(const Loops &order,
                                   const Factor &constants) {
  Value empty = createEmpty(order);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(getType(kB)));
  Value zeros = linalg::FillOp::create(b, ValueRange{zero}, ValueRange{empty})
                    .getResult(0);
  Loops loops(order);
  loops.push_back(components.ofB);
  Value result =
      createProduct({op->getOperand(kB), constants.value}, zeros,
                    {getMap(getLoops(kB), loops),
                     getMap(constants.loops, loops), getMap(order, loops)},
                    loops, /*isSubtracted=*/false);
  Operation *product = result.getDefiningOp();
  product->removeAttr(kConfigAttrName);
  int64_t ofD = llvm::is_contained(order, components.ofD)
                    ? getConstantSize(components.ofD)
                    : 1,
          ofA = llvm::is_contained(order, components.ofA)
                    ? getConstantSize(components.ofA)
                    : 1;
  setExpandConfig(product, {ofD, ofA, getConstantSize(components.ofB)});
  product->setAttr(kPrecisionAttrName,
                   b.getStringAttr(getPrecisionName(Precision::IEEE)));
  return result;
}

//===----------------------------------------------------------------------===//
// Blocks in registers
//===----------------------------------------------------------------------===//

/// Returns whether the configuration of the operation, if it has one, is that
/// of kernels that read numbers.
static bool configReadsNumbers(Operation *op) {
  auto config = op->getAttrOfType<ConfigAttr>(kConfigAttrName);
  if (!config)
    return true;
  const KernelConfig &value = config.getValue();
  return getFamily(value.schedule).getFeatures().has(Feature::Representation) &&
         value.mmaSync.representation == RepresentationForm::Fragments;
}

/// The component of B that T multiplies by component q of A for component p of
/// D, as an element of a block; none if T is not one number of 1 or -1 there.
std::optional<int64_t>
BilinearExpansion::findElement(DenseElementsAttr constants, int64_t p,
                               int64_t q) {
  std::optional<int64_t> found;
  for (int64_t r = 0; r < getConstantSize(components.ofB); ++r) {
    APFloat value = cast<FloatAttr>(getConstant(constants, p, q, r)).getValue();
    if (value.isZero())
      continue;
    if (found || !(value.isExactlyValue(1) || value.isExactlyValue(-1)))
      return std::nullopt;
    found = value.isNegative() ? -(r + 1) : r + 1;
  }
  return found;
}

/// Returns whether B is the representation of dimensions `order` without one of
/// the two components, and with that of B innermost.
bool BilinearExpansion::hasOrderOfNumbers(const Loops &order) {
  constexpr size_t blocked = 4; // The dimensions of rows and columns of blocks.
  if (order.size() < blocked)
    return false;
  Loops ofComponents = {order[order.size() - 3], order.back()};
  Loops numbers;
  for (unsigned loop : order)
    if (loop != components.ofA && loop != components.ofD)
      numbers.push_back(loop);
  numbers.push_back(components.ofB);
  return llvm::is_contained(ofComponents, components.ofA) &&
         llvm::is_contained(ofComponents, components.ofD) &&
         numbers == getLoops(kB);
}

/// The blocks of a representation with this order that a kernel makes of B's
/// numbers; none if no kernel does.
std::optional<Representation>
BilinearExpansion::findRepresentation(const Loops &order) {
  std::optional<ScalarType> a = getMatrixScalar(getType(kA)),
                            b = getMatrixScalar(getType(kB));
  DenseElementsAttr constants = getConstants();
  int64_t count = getConstantSize(components.ofB);
  if (!a || a != b || !readsNumbers(*b) || !constants ||
      !configReadsNumbers(op) || !hasOrderOfNumbers(order) ||
      getConstantSize(components.ofA) != count ||
      getConstantSize(components.ofD) != count)
    return std::nullopt;
  bool isTransposed = order.back() == components.ofA;
  SmallVector<int64_t> elements;
  for (int64_t row = 0; row < count; ++row)
    for (int64_t column = 0; column < count; ++column) {
      std::optional<int64_t> element =
          findElement(constants, /*p=*/isTransposed ? row : column,
                      /*q=*/isTransposed ? column : row);
      if (!element)
        return std::nullopt;
      elements.push_back(*element);
    }
  llvm::Expected<Representation> result = Representation::get(elements);
  if (result)
    return *result;
  // Such as three components.
  llvm::consumeError(result.takeError());
  return std::nullopt;
}

void BilinearExpansion::reportBlocksInMemory() {
  remark::missed(
      op->getLoc(),
      remark::RemarkOpts::name("blocks-in-memory").category("tcgemm-raise"))
      << remark::reason(
             "{0}", "the chip or the configuration has no kernels that read "
                    "numbers of f64 as blocks, or the option representations "
                    "is false; schedule mma_sync has them");
}

Value BilinearExpansion::createBlocks(const Representation &representation) {
  Value numbers = op->getOperand(kB);
  auto type = cast<RankedTensorType>(numbers.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.end() - 2, representation.getComponents());
  return RepresentOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), numbers,
      RepresentationAttr::get(b.getContext(), representation));
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

void raise::setExpandConfig(Operation *product, std::array<int64_t, 3> counts) {
  std::optional<ScalarType> type =
      getMatrixScalar(getElementTypeOrSelf(product->getResult(0).getType()));
  if (!type || getAccumulatorTypes(*type, *type).empty())
    return;
  ProblemInfo problem;
  problem.typeA = problem.typeB = problem.output = *type;
  problem.accumulator = getAccumulatorTypes(*type, *type).front();
  auto [ofD, ofA, ofB] = counts;
  problem.k = ofB;
  problem.coefficients = {0, ofD * ofA * ofB};
  KernelConfig config;
  config.schedule = Schedule::Expand;
  if (llvm::all_of(getKnownChips(), [&](const ChipInfo &chip) {
        return isLegal(config, chip, problem);
      }))
    product->setAttr(kConfigAttrName,
                     ConfigAttr::get(product->getContext(), config));
}

void BilinearExpansion::expand() {
  Value result;
  if (SmallVector<ComponentRange> ranges = findRanges(); !ranges.empty()) {
    if (isInterleaved(op, components)) {
      op = separateComponents(op, components);
      b.setInsertionPoint(op);
      maps = op.getIndexingMapsArray();
    }
    result = multiplyRanges(std::move(ranges));
  } else {
    Loops order = orderLoops(), loops;
    std::optional<Representation> blocks = findRepresentation(order);
    if (blocks && !choices.mayReadNumbers) {
      reportBlocksInMemory();
      blocks.reset();
    }
    Value representation =
        blocks ? createBlocks(*blocks) : represent(order, createConstants());
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop != components.ofB)
        loops.push_back(loop);
    result =
        createProduct({op->getOperand(kA), representation}, op->getOperand(kD),
                      {getMap(getLoops(kA), loops), getMap(order, loops),
                       getMap(getLoops(kD), loops)},
                      loops, isSubtraction(getAddition(op)));
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

std::string raise::expandBilinear(linalg::LinalgOp op, Precision precision,
                                  BilinearChoices choices) {
  BilinearExpansion expansion(op, *findComponents(op), precision, choices);
  std::string reason = expansion.check();
  if (reason.empty())
    expansion.expand();
  return reason;
}
