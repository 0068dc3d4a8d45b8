//===- RaiseRepresentation.cpp - Kernels that read numbers ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The representation of B need not be in memory where a kernel reads B's
// numbers and makes the blocks of them in registers. The numbers' order is then
// that of the representation without one of the components, and each real
// element is one component or its negative.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseRepresentation.h"
#include "Raise/BilinearExpansion.h"
#include "Raise/RaiseBilinear.h"
#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "tcgemm/Config/MmaSync.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Dialect/ElementTypes.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

//===----------------------------------------------------------------------===//
// Products of numbers
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
// Kernels
//===----------------------------------------------------------------------===//

RepresentOp raise::findRepresented(const Group &group) {
  auto op = group.b.getDefiningOp<RepresentOp>();
  if (!op || !group.steps[1].empty() || group.second.contraction ||
      group.summed || group.unit == 'n' || !group.canFold(group.bDims))
    return {};
  // Each of rows and columns is one dimension of the kernel, with its
  // components.
  SmallVector<ReassociationIndices> dims = group.getReassociation(group.bDims);
  auto rank = op.getType().getRank();
  bool isFolded = int64_t(dims.size()) == rank - 2 && dims.back().size() == 2 &&
                  dims[dims.size() - 2].size() == 2;
  std::string folded = group.fold(group.bDims);
  bool isMatrix = isFolded && !isOuter(folded.back()) &&
                  !isOuter(folded[folded.size() - 2]);
  return isMatrix ? op : RepresentOp();
}

//===----------------------------------------------------------------------===//
// Representations that stay in memory
//===----------------------------------------------------------------------===//

/// Replaces sizes of the representation by those of the numbers.
static void replaceSizes(RepresentOp op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto dim = dyn_cast<tensor::DimOp>(user);
    std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
    if (!index)
      continue;
    OpBuilder builder(dim);
    int64_t rank = op.getType().getRank();
    bool isComponent = *index == rank - 3 || *index == rank - 1;
    Value size =
        isComponent
            ? Value(arith::ConstantIndexOp::create(
                  builder, dim.getLoc(), op.getType().getDimSize(*index)))
            : Value(tensor::DimOp::create(
                  builder, dim.getLoc(), op.getNumbers(),
                  *index == rank - 2 ? rank - 3 : *index));
    dim.replaceAllUsesWith(size);
    dim.erase();
  }
}

/// The constants by which the numbers are multiplied: 1 or -1 for one component
/// of each element of the block.
static Value createConstants(ImplicitLocOpBuilder &b, RepresentOp op) {
  Representation representation = op.getRepresentation().getValue();
  auto element = cast<FloatType>(op.getType().getElementType());
  int64_t count = representation.getComponents();
  SmallVector<Attribute> values;
  for (int64_t row = 0; row < count; ++row)
    for (int64_t column = 0; column < count; ++column)
      for (int64_t component = 0; component < count; ++component) {
        bool isIt = representation.getComponent(row, column) == component;
        bool isNegated = representation.isNegated(row, column);
        values.push_back(b.getFloatAttr(element, !isIt       ? 0.0
                                                 : isNegated ? -1.0
                                                             : 1.0));
      }
  auto type = RankedTensorType::get({count, count, count}, element);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, values));
}

static linalg::LinalgOp expand(RepresentOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  RankedTensorType type = op.getType();
  auto rank = static_cast<unsigned>(type.getRank());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, op.getLoc(), op.getNumbers());
  sizes.insert(sizes.end() - 2, sizes.back());
  Value empty = tensor::EmptyOp::create(b, sizes, type.getElementType());
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  Value zeros = linalg::FillOp::create(b, ValueRange{zero}, ValueRange{empty})
                    .getResult(0);
  // The loops are the dimensions of the result, then the component.
  unsigned row = rank - 3, column = rank - 1, component = rank;
  SmallVector<unsigned> numbers;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != row && dim != column)
      numbers.push_back(dim);
  numbers.push_back(component);
  auto getMap = [&](ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(rank + 1, dims, b.getContext());
  };
  AffineMap maps[] = {getMap(numbers), getMap({row, column, component}),
                      getMap(llvm::to_vector(llvm::seq<unsigned>(0, rank)))};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops.push_back(utils::IteratorType::reduction);
  auto product = linalg::GenericOp::create(
      b, TypeRange{type}, ValueRange{op.getNumbers(), createConstants(b, op)},
      ValueRange{zeros}, maps, loops,
      [](OpBuilder &builder, Location loc, ValueRange elements) {
        Value term =
            arith::MulFOp::create(builder, loc, elements[0], elements[1]);
        Value sum = arith::AddFOp::create(builder, loc, elements[2], term);
        linalg::YieldOp::create(builder, loc, sum);
      });
  int64_t count = op.getRepresentation().getValue().getComponents();
  setExpandConfig(product, {count, count, count});
  product->setAttr(kPrecisionAttrName,
                   b.getStringAttr(getPrecisionName(Precision::IEEE)));
  op.replaceAllUsesWith(product.getResult(0));
  op->erase();
  return cast<linalg::LinalgOp>(product.getOperation());
}

SmallVector<linalg::LinalgOp>
raise::expandRepresentations(func::FuncOp function) {
  SmallVector<RepresentOp> found;
  function.walk([&](RepresentOp op) { found.push_back(op); });
  SmallVector<linalg::LinalgOp> products;
  for (RepresentOp op : found) {
    replaceSizes(op);
    if (op->use_empty())
      op->erase();
    else
      products.push_back(expand(op));
  }
  return products;
}
