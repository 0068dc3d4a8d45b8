//===- RaiseInterleaved.cpp - Components that are neighbours --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies are linalg.transpose, so that an infinite component stays in its
// place. In a product by constants it would be multiplied by 0.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseInterleaved.h"
#include "Raise/RaiseIndices.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The cost rule compares rates of an NVIDIA H100 or H200 that large kernels
/// reach. The rate of products is that of tensor cores, by the bytes of an
/// element of A: kernels that are slower gain more from a zero block that is
/// left out, so the rule never separates where the slower kernel would lose.
static double getFlopsPerMicrosecond(int64_t bytes) {
  return bytes <= 2 ? 700e6 : bytes == 4 ? 350e6 : 60e6;
}
/// A copy reads and writes each byte once.
static constexpr double kBytesPerMicrosecond = 4e6;
/// The time from one launch to the next that no work hides.
static constexpr double kMicrosecondsPerLaunch = 3;
/// The kernel of pairs copies at the rate of memory. That of other
/// transpositions has tiles, of which few components fill a small part.
static constexpr int64_t kSeparatedComponents = 2;

static unsigned getInnermostLoop(AffineMap map) {
  return map.getDimPosition(map.getNumResults() - 1);
}

static bool isInnermost(linalg::LinalgOp op, BilinearOperand operand,
                        unsigned loop) {
  AffineMap map = op.getIndexingMapsArray()[operand];
  return map.getNumResults() > 1 && getInnermostLoop(map) == loop;
}

bool raise::isInterleaved(linalg::LinalgOp op,
                          const ComponentLoops &components) {
  return isInnermost(op, kA, components.ofA) ||
         isInnermost(op, kD, components.ofD);
}

/// The microseconds of a copy of an operand.
static double estimateCopy(linalg::LinalgOp op, BilinearOperand operand,
                           ArrayRef<int64_t> extents) {
  double elements = 1;
  AffineMap map = op.getIndexingMapsArray()[operand];
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    elements *= static_cast<double>(extents[map.getDimPosition(i)]);
  Type type = getElementTypeOrSelf(op->getOperand(operand).getType());
  return 2 * elements * type.getIntOrFloatBitWidth() / 8 / kBytesPerMicrosecond;
}

/// The reason why the copies cost more than they save; empty if they do not.
static std::string compareTimes(linalg::LinalgOp op,
                                const ComponentLoops &components,
                                int64_t zeroBlocks, ArrayRef<int64_t> extents) {
  double flops = 2 * static_cast<double>(zeroBlocks);
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (loop != components.ofA && loop != components.ofB &&
        loop != components.ofD)
      flops *= static_cast<double>(extent);
  Type type = getElementTypeOrSelf(op->getOperand(kA).getType());
  double saved =
      flops / getFlopsPerMicrosecond(type.getIntOrFloatBitWidth() / 8);
  // The second product is a launch, and so is each copy.
  double cost = kMicrosecondsPerLaunch;
  for (auto [operand, loop] :
       {std::pair(kA, components.ofA), std::pair(kD, components.ofD)})
    if (isInnermost(op, operand, loop))
      cost += estimateCopy(op, operand, extents) + kMicrosecondsPerLaunch;
  if (saved > cost)
    return "";
  return llvm::formatv("the components are innermost in A or in its result; "
                       "to leave the blocks out saves {0:F1} us by estimate, "
                       "but copies that separate the components take {1:F1} us",
                       saved, cost)
      .str();
}

std::string raise::explainInterleaved(linalg::LinalgOp op,
                                      const ComponentLoops &components,
                                      int64_t zeroBlocks) {
  llvm::Expected<SmallVector<int64_t>> extents = getExpectedExtents(op);
  if (!extents)
    return llvm::toString(extents.takeError());
  for (auto [operand, loop] :
       {std::pair(kA, components.ofA), std::pair(kD, components.ofD)})
    if (isInnermost(op, operand, loop) &&
        (*extents)[loop] != kSeparatedComponents)
      return llvm::formatv("the components are innermost in A or in its "
                           "result; they are separated if there are {0}, but "
                           "there are {1}",
                           kSeparatedComponents, (*extents)[loop])
          .str();
  if (isInnermost(op, kD, components.ofD) &&
      !op->getOperand(kD).getDefiningOp<linalg::FillOp>())
    return "the components are innermost in its result, whose initial value "
           "is no linalg.fill";
  if (llvm::any_of(*extents, ShapedType::isDynamic))
    return llvm::formatv("the components are innermost in A or in its result, "
                         "and its sizes are not known; {0} states them",
                         kSizeHintAttrName)
        .str();
  return compareTimes(op, components, zeroBlocks, *extents);
}

/// The tensor with dimension i where `value` has dimension order[i].
static Value transpose(OpBuilder &b, Location loc, Value value,
                       ArrayRef<int64_t> order) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : order)
    sizes.push_back(tensor::getMixedSize(b, loc, value, dim));
  Value target = tensor::EmptyOp::create(b, loc, sizes,
                                         getElementTypeOrSelf(value.getType()));
  return linalg::TransposeOp::create(b, loc, value, target, order)
      ->getResult(0);
}

/// The map whose result i is that of `map` at order[i].
static AffineMap permute(AffineMap map, ArrayRef<int64_t> order) {
  return AffineMap::get(
      map.getNumDims(), 0,
      llvm::map_to_vector(order,
                          [&](int64_t dim) { return map.getResult(dim); }),
      map.getContext());
}

/// A fill like that of the result, whose innermost dimension is outermost.
static Value createFill(OpBuilder &b, linalg::LinalgOp op) {
  Value result = op->getOperand(kD);
  auto fill = result.getDefiningOp<linalg::FillOp>();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, op.getLoc(), fill.output());
  std::rotate(sizes.begin(), sizes.end() - 1, sizes.end());
  Value empty = tensor::EmptyOp::create(b, op.getLoc(), sizes,
                                        getElementTypeOrSelf(result.getType()));
  return linalg::FillOp::create(b, op.getLoc(), fill.value(), empty)
      .getResult(0);
}

linalg::LinalgOp raise::separateComponents(linalg::LinalgOp op,
                                           const ComponentLoops &components) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> operands(op->getOperands());
  if (isInnermost(op, kA, components.ofA)) {
    SmallVector<int64_t> order(maps[kA].getNumResults());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order.back(), order[order.size() - 2]);
    operands[kA] = transpose(b, loc, operands[kA], order);
    maps[kA] = permute(maps[kA], order);
  }
  bool joins = isInnermost(op, kD, components.ofD);
  auto rank = static_cast<int64_t>(maps[kD].getNumResults());
  if (joins) {
    SmallVector<int64_t> order{rank - 1};
    order.append(llvm::to_vector(llvm::seq(rank - 1)));
    operands[kD] = createFill(b, op);
    maps[kD] = permute(maps[kD], order);
  }
  auto product = linalg::GenericOp::create(
      b, loc, TypeRange{operands[kD].getType()},
      ValueRange(operands).drop_back(), ValueRange{operands[kD]}, maps,
      op.getIteratorTypesArray());
  b.cloneRegionBefore(op->getRegion(0), product.getRegion(),
                      product.getRegion().begin());
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Value result = product.getResult(0);
  if (joins) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, rank));
    order.push_back(0);
    b.setInsertionPointAfter(product);
    result = transpose(b, loc, result, order);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return product;
}
