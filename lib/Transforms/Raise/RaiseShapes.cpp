//===- RaiseShapes.cpp - Shapes as kernels have them ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseShapes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The tensor or buffer with joined dimensions.
Value raise::foldDims(OpBuilder &builder, const Group &group, Value value,
                      StringRef dims) {
  Location loc = value.getLoc();
  SmallVector<ReassociationIndices> groups = group.getReassociation(dims);
  if (groups.size() == dims.size())
    return value;
  if (isa<RankedTensorType>(value.getType()))
    return tensor::CollapseShapeOp::create(builder, loc, value, groups);
  return memref::CollapseShapeOp::create(builder, loc, value, groups);
}

Value raise::collapsePixels(OpBuilder &builder, Value images) {
  return tensor::CollapseShapeOp::create(
      builder, images.getLoc(), images,
      SmallVector<ReassociationIndices>{{0, 1, 2}, {3}});
}

Value raise::collapseComponents(OpBuilder &builder, Value numbers) {
  int64_t rank = cast<RankedTensorType>(numbers.getType()).getRank();
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank - 1; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank - 1);
  return tensor::CollapseShapeOp::create(builder, numbers.getLoc(), numbers,
                                         groups);
}

Value raise::createReordered(OpBuilder &builder, Location loc, Value value,
                             StringRef dims, StringRef stored) {
  SmallVector<OpFoldResult> sizes;
  for (char dim : stored)
    sizes.push_back(
        tensor::getMixedSize(builder, loc, value, int64_t(dims.find(dim))));
  return tensor::EmptyOp::create(builder, loc, sizes,
                                 getElementTypeOrSelf(value));
}

/// The last of `rank` dimensions has all that there are more in another shape.
/// A number has none.
static SmallVector<ReassociationIndices> splitLast(int64_t rank,
                                                   int64_t count) {
  SmallVector<ReassociationIndices> groups(rank);
  for (int64_t i = 0; rank && i < count; ++i)
    groups[std::min(i, rank - 1)].push_back(i);
  return groups;
}

/// Puts one unit outside the innermost dimension, and two behind all of them,
/// as a kernel needs matrices.
Value raise::addUnits(OpBuilder &builder, Value value, std::string &dims,
                      StringRef units) {
  if (units.empty() || StringRef(dims).contains(units))
    return value;
  size_t position = dims.size() - (units.size() == 1 ? 1 : 0);
  dims.insert(position, units);
  Location loc = value.getLoc();
  auto type = cast<ShapedType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + position, units.size(), 1);
  bool isTensor = isa<RankedTensorType>(type);
  SmallVector<OpFoldResult> sizes =
      isTensor ? tensor::getMixedSizes(builder, loc, value)
               : memref::getMixedSizes(builder, loc, value);
  sizes.insert(sizes.begin() + position, units.size(), builder.getIndexAttr(1));
  SmallVector<ReassociationIndices> groups =
      splitLast(type.getRank(), shape.size());
  if (isTensor)
    return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), value,
                                         groups, sizes);
  return memref::ExpandShapeOp::create(builder, loc, shape, value, groups,
                                       sizes);
}

/// Converts the launch's `value` to the vector or number of type `type` that it
/// replaces.
static Value dropUnits(OpBuilder &builder, Value value, Type type) {
  Location loc = value.getLoc();
  if (value.getType() == type)
    return value;
  SmallVector<ReassociationIndices> groups =
      splitLast(cast<ShapedType>(type).getRank(),
                cast<ShapedType>(value.getType()).getRank());
  return tensor::CollapseShapeOp::create(builder, loc, type, value, groups);
}

/// Converts the launch's `value` to a tensor of `type` with the dims `dims`.
Value raise::unfoldDims(OpBuilder &builder, const Group &group, Value value,
                        RankedTensorType type, StringRef dims) {
  Location loc = value.getLoc();
  SmallVector<ReassociationIndices> groups = group.getReassociation(dims);
  if (groups.size() == dims.size())
    return dropUnits(builder, value, type);
  value = dropUnits(builder, value,
                    tensor::CollapseShapeOp::inferCollapsedType(type, groups));
  SmallVector<OpFoldResult> sizes;
  for (auto [size, dim] : llvm::zip_equal(type.getShape(), dims))
    sizes.push_back(ShapedType::isDynamic(size)
                        ? OpFoldResult(group.createSize(builder, loc, dim))
                        : OpFoldResult(builder.getIndexAttr(size)));
  return tensor::ExpandShapeOp::create(builder, loc, type, value, groups,
                                       sizes);
}

bool raise::isWritableArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function || argument.getOwner() != &function.front())
    return false;
  auto writable = function.getArgAttrOfType<BoolAttr>(
      argument.getArgNumber(),
      bufferization::BufferizationDialect::kWritableAttrName);
  return writable && writable.getValue();
}

Type raise::getMatrixType(const Group &group, unsigned operand) {
  Type type = getElementTypeOrSelf(operand ? group.b : group.a);
  if (group.formats[operand].isUnsigned)
    type = IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(),
                            IntegerType::Unsigned);
  if (group.formats[operand].isInterleaved)
    return getElementType(*getInterleavedType(*getScalarType(type)),
                          type.getContext());
  if (!hasPrecision(type, group.precision))
    return type;
  return getElementType(getOperandType(*getScalarType(type), group.precision),
                        type.getContext());
}
