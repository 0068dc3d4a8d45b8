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
#include "Raise/RaiseGroup.h"
#include "Raise/RaiseIndices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/Instructions.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

namespace {
/// The operands of the operation.
enum Operand : unsigned { kA, kB, kConstants, kD };
constexpr unsigned kNumOperands = 4;

/// The loops along the constants.
struct ComponentLoops {
  unsigned ofA, ofB, ofD;
};

class Expansion {
public:
  Expansion(linalg::LinalgOp op, ComponentLoops components, Precision precision)
      : op(op), b(op.getLoc(), op), components(components),
        precision(precision), maps(op.getIndexingMapsArray()) {}

  std::string check();
  void expand();

private:
  using Loops = SmallVector<unsigned>;

  bool has(Operand operand, unsigned loop) const {
    return maps[operand].isFunctionOfDim(loop);
  }
  Type getType(Operand operand) {
    return getElementTypeOrSelf(op->getOperand(operand).getType());
  }
  Loops getLoops(Operand operand) const;
  bool keepsColumns(ArrayRef<unsigned> columns);
  Loops orderLoops();
  AffineMap getMap(ArrayRef<unsigned> loops, ArrayRef<unsigned> order);
  DenseElementsAttr getConstants();
  Value createConstants(Loops &loops);
  Value createEmpty(ArrayRef<unsigned> loops);
  Value createProduct(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                      ArrayRef<unsigned> order, bool isSubtracted);
  Value extend(Value value, Type type);
  Value represent(const Loops &order);

  linalg::LinalgOp op;
  ImplicitLocOpBuilder b;
  ComponentLoops components;
  Precision precision;
  SmallVector<AffineMap> maps;
};
} // namespace

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
Expansion::Loops Expansion::getLoops(Operand operand) const {
  Loops loops;
  for (unsigned i = 0; i < maps[operand].getNumResults(); ++i)
    loops.push_back(maps[operand].getDimPosition(i));
  return loops;
}

/// The structure constants, in the type of B; null if they are not constant or
/// B's type does not have their values.
DenseElementsAttr Expansion::getConstants() {
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

std::string Expansion::check() {
  if (!op.hasPureTensorSemantics())
    return "it multiplies by structure constants on buffers; only tensors are "
           "supported";
  for (unsigned operand : {kA, kB, kConstants, kD}) {
    std::string reason = checkOperandType(op->getOperand(operand).getType());
    if (!reason.empty())
      return reason;
    if (!isa<FloatType>(getType(Operand(operand))))
      return llvm::formatv("it multiplies elements of {0} by structure "
                           "constants; only floats are supported",
                           getType(Operand(operand)))
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

/// Whether B's elements along n are neighbours, and tensor cores take the
/// representation so.
bool Expansion::keepsColumns(ArrayRef<unsigned> columns) {
  unsigned innermost = components.ofB;
  for (unsigned loop : getLoops(kB))
    if (loop != components.ofB)
      innermost = loop;
  auto getOperand = [&](Operand operand) {
    return getOperandType(*getMatrixScalar(getType(operand)), precision);
  };
  return llvm::is_contained(columns, innermost) &&
         canTranspose(getOperand(kA), getOperand(kB));
}

/// The order of the representation's dimensions: those that D has, then those
/// that are summed over. The last neighbours in D that A does not have are
/// innermost if B has them so, which saves a transposition.
Expansion::Loops Expansion::orderLoops() {
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

AffineMap Expansion::getMap(ArrayRef<unsigned> loops,
                            ArrayRef<unsigned> order) {
  SmallVector<unsigned> positions;
  for (unsigned loop : loops)
    positions.push_back(llvm::find(order, loop) - order.begin());
  return AffineMap::getMultiDimMapWithTargets(order.size(), positions,
                                              b.getContext());
}

/// The constants with the component of B innermost, if their values are known.
/// `loops` becomes the order of their dimensions.
Value Expansion::createConstants(Loops &loops) {
  loops = getLoops(kConstants);
  DenseElementsAttr constants = getConstants();
  if (!constants)
    return op->getOperand(kConstants);
  Loops order = {components.ofD, components.ofA, components.ofB};
  auto type = cast<RankedTensorType>(constants.getType());
  SmallVector<int64_t> shape, steps;
  for (unsigned loop : order) {
    const auto *place = llvm::find(loops, loop);
    int64_t step = 1;
    for (const auto *inner = place + 1; inner != loops.end(); ++inner)
      step *= type.getDimSize(inner - loops.begin());
    shape.push_back(type.getDimSize(place - loops.begin()));
    steps.push_back(step);
  }
  auto values = llvm::to_vector(constants.getValues<Attribute>());
  SmallVector<Attribute> reordered;
  for (int64_t p = 0; p < shape[0]; ++p)
    for (int64_t q = 0; q < shape[1]; ++q)
      for (int64_t r = 0; r < shape[2]; ++r)
        reordered.push_back(values[p * steps[0] + q * steps[1] + r * steps[2]]);
  loops = order;
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             RankedTensorType::get(shape, type.getElementType()), reordered));
}

Value Expansion::createEmpty(ArrayRef<unsigned> loops) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : loops) {
    Operand operand = has(kB, loop) ? kB : kConstants;
    Loops dims = getLoops(operand);
    sizes.push_back(tensor::getMixedSize(
        b, op.getLoc(), op->getOperand(operand),
        static_cast<int64_t>(llvm::find(dims, loop) - dims.begin())));
  }
  return tensor::EmptyOp::create(b, sizes, getType(kB));
}

Value Expansion::extend(Value value, Type type) {
  return value.getType() == type ? value
                                 : Value(arith::ExtFOp::create(b, type, value));
}

/// A sum of products whose loops are those of `order`.
Value Expansion::createProduct(ValueRange inputs, Value init,
                               ArrayRef<AffineMap> productMaps,
                               ArrayRef<unsigned> order, bool isSubtracted) {
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
Value Expansion::represent(const Loops &order) {
  Loops ofConstants;
  Value constants = createConstants(ofConstants);
  Value empty = createEmpty(order);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(getType(kB)));
  Value zeros = linalg::FillOp::create(b, ValueRange{zero}, ValueRange{empty})
                    .getResult(0);
  Loops loops(order);
  loops.push_back(components.ofB);
  Value result =
      createProduct({op->getOperand(kB), constants}, zeros,
                    {getMap(getLoops(kB), loops), getMap(ofConstants, loops),
                     getMap(order, loops)},
                    loops, /*isSubtracted=*/false);
  Operation *product = result.getDefiningOp();
  product->removeAttr(kConfigAttrName);
  product->setAttr(kPrecisionAttrName,
                   b.getStringAttr(getPrecisionName(Precision::IEEE)));
  return result;
}

void Expansion::expand() {
  Loops order = orderLoops();
  Value representation = represent(order);
  Loops loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != components.ofB)
      loops.push_back(loop);
  Value result =
      createProduct({op->getOperand(kA), representation}, op->getOperand(kD),
                    {getMap(getLoops(kA), loops), getMap(order, loops),
                     getMap(getLoops(kD), loops)},
                    loops, isSubtraction(getAddition(op)));
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

std::string raise::expandBilinear(linalg::LinalgOp op, Precision precision) {
  Expansion expansion(op, *findComponents(op), precision);
  std::string reason = expansion.check();
  if (reason.empty())
    expansion.expand();
  return reason;
}
