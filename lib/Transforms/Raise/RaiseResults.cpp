//===- RaiseResults.cpp - Results of a launch -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseResults.h"
#include "Raise/RaiseIndices.h"
#include "Raise/RaiseShapes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The tensor or buffer that an output overwrites. This is the destination of
/// its operation, unless the group computes that, another output has it, or it
/// is defined too late.
Value LaunchResults::getDestination(Value output) {
  if (group.onBuffers())
    return output;
  Value destination = output;
  while (group.values.contains(destination)) {
    auto result = cast<OpResult>(destination);
    auto op = cast<linalg::LinalgOp>(result.getOwner());
    destination = op.getDpsInits()[result.getResultNumber()];
  }
  // The destination of a fill or broadcast that was looked through can be used.
  Value source = destination;
  std::string dims = group.values[output];
  if (auto fill = destination.getDefiningOp<linalg::FillOp>())
    destination = fill.output();
  else if (lookThrough(source, dims))
    destination =
        destination.getDefiningOp<linalg::LinalgOp>().getDpsInits()[0];
  Operation *definition = destination.getDefiningOp();
  bool isConstant = definition && definition->hasTrait<OpTrait::ConstantLike>();
  if (destination.getType() == output.getType() && !isConstant &&
      !(definition && group.dependents.contains(definition)) &&
      destinations.insert(destination).second)
    return destination;
  auto type = cast<RankedTensorType>(output.getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(group.createSize(builder, loc, group.values[output][i]));
  return tensor::EmptyOp::create(builder, loc, type, sizes);
}

Value LaunchResults::createTarget(Value output, std::string &dims) {
  dims = group.values[output];
  Value target = getDestination(output);
  if (group.findReduction(output))
    return target;
  if (isTransposed(dims)) {
    transposedTargets[output] = target;
    std::string stored = group.getStoredOrder(dims);
    target = createReordered(builder, loc, target, dims, stored);
    dims = stored;
  }
  target = foldDims(builder, group, target, dims);
  dims = group.fold(dims);
  return addUnits(builder, target, dims, group.units);
}

Value LaunchResults::restore(Value result, Value output) {
  if (group.findReduction(output))
    return result;
  auto type = cast<RankedTensorType>(output.getType());
  StringRef dims = group.values[output];
  if (!isTransposed(dims))
    return unfoldDims(builder, group, result, type, dims);
  std::string stored = group.getStoredOrder(dims);
  auto shape = llvm::map_to_vector(
      stored, [&](char dim) { return type.getDimSize(dims.find(dim)); });
  result = unfoldDims(builder, group, result, type.clone(shape), stored);
  return transposeTensor(builder, loc, result, stored, dims,
                         transposedTargets.lookup(output));
}
