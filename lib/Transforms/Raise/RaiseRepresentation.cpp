//===- RaiseRepresentation.cpp - Kernels that read numbers ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The representation of B need not be in memory where a kernel reads B's
// numbers and makes the blocks of them in registers.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseRepresentation.h"
#include "Raise/RaiseBilinear.h"
#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

RepresentOp raise::findRepresented(const Group &group, OperandRole role) {
  auto op = group.b.getDefiningOp<RepresentOp>();
  if (!op || role != OperandRole::B || !group.steps[1].empty() ||
      group.second.contraction || group.summed ||
      StringRef(group.units).contains('n') || !group.canFold(group.bDims))
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
