//===- EpilogueStores.cpp - Stores of an epilogue through boxes -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"

using namespace mlir;
using namespace tcgemm;

LogicalResult tile_verifier::verifyBuffers(Operation *op, int64_t buffers) {
  if (buffers >= 1 && buffers <= 64)
    return success();
  return op->emitOpError() << "buffers must be 1 to 64, but are " << buffers;
}

/// Returns whether there are boxes of `element` for the accumulator: stmatrix
/// turns 16 bits, and rows of bytes are multiples of 16.
static bool hasStoreBox(EpilogueOp op, Type element) {
  switch (element.getIntOrFloatBitWidth()) {
  case 8:
    return !op.getTransposed() && op.getAcc().getType().getColumns() % 16 == 0;
  case 16:
    return true;
  case 32:
    return !op.getTransposed();
  default:
    return false;
  }
}

LogicalResult tile_verifier::verifyStagedBoxes(EpilogueOp op) {
  if (!op.storesBoxes() || !op.getMaps().empty())
    return success();
  auto role = op->getParentOfType<RoleOp>();
  if (!role || role.getNumWarps() % 4 || op.getAcc().getType().getRows() % 64)
    return op.emitOpError()
           << "stages a warpgroup's accumulator, which takes a role of them";
  int64_t groups = role.getNumWarps() / 4, staging = *op.getStaging();
  for (unsigned output = 0; output < op.getOutputs().size(); ++output) {
    Type element =
        cast<MemRefType>(op.getOutputs()[output].getType()).getElementType();
    auto dims = cast<StringAttr>(op.getDims()[op.getInputs().size() + output]);
    if (!dims.getValue().ends_with("n") || !hasStoreBox(op, element))
      return op.emitOpError() << "cannot stage a " << op.getAcc().getType()
                              << " as " << dims.getValue() << " of " << element;
    TileType box = op.getBox(output);
    if (staging < groups * box.getBytes())
      return op.emitOpError()
             << "stages " << staging << " bytes, but " << groups
             << " warpgroups need a box of " << box.getBytes() << " each";
  }
  return success();
}

LogicalResult tile_verifier::verifyStoresByTma(EpilogueOp op) {
  AccType acc = op.getAcc().getType();
  size_t inputs = op.getInputs().size();
  size_t stored = op.getOutputs().size() + op.getMaps().size();
  if (op.getDims().size() != inputs + stored)
    return op.emitOpError() << "has " << inputs << " inputs and " << stored
                            << " outputs, but dims of " << op.getDims().size();
  if (op.getTransposed() && acc.getLayout() != AccLayout::Wgmma)
    return op.emitOpError() << "cannot transpose a " << acc;
  if (op.getMaps().empty())
    return success();
  if (!op.getOutputs().empty() || op.getStaging())
    return op.emitOpError()
           << "stores by TMA: it has neither outputs nor staging";
  if (acc.getLayout() != AccLayout::Wgmma || acc.getRows() % 64 ||
      !op->getParentOfType<RoleOp>())
    return op.emitOpError()
           << "stores by TMA, which takes a warpgroup's accumulator in a role";
  auto results = op.getBody().front().getTerminator()->getOperandTypes();
  int64_t rows = op.getTransposed() ? acc.getColumns() : acc.getRows();
  int64_t columns = op.getTransposed() ? acc.getRows() : acc.getColumns();
  for (auto [i, map] : llvm::enumerate(op.getMaps())) {
    TileType box = cast<TensorMapType>(map.getType()).getBox();
    auto dims = cast<StringAttr>(op.getDims()[inputs + i]).getValue();
    if (i >= results.size() || results[i] != box.getElementType() ||
        !dims.ends_with("n") || !dims.contains('m') ||
        !hasStoreBox(op, getStorageType(box.getElementType())) ||
        box.getColumns() > columns || box.getRows() > rows ||
        box.getRows() > 64 || box.getRowBytes() > 128)
      return op.emitOpError() << "cannot store a " << acc << " as " << dims
                              << " in boxes of " << box;
  }
  return verifyBuffers(op, op.getBuffers());
}
