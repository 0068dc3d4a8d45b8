//===- KernelWriter.cpp - Pieces of kernels for linalg operations ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::linalg_to_gpu;
using linalg::LinalgOp;

Value linalg_to_gpu::getIndex(ImplicitLocOpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value linalg_to_gpu::multiply(ImplicitLocOpBuilder &builder,
                              ValueRange factors) {
  Value product = getIndex(builder, 1);
  for (Value factor : factors)
    product = builder.createOrFold<arith::MulIOp>(product, factor);
  return product;
}

Kernel linalg_to_gpu::createKernel(ImplicitLocOpBuilder &builder, Value work,
                                   int64_t threads) {
  IntegerAttr constant;
  if (!matchPattern(work, m_Constant(&constant)) ||
      constant.getValue().isZero()) {
    Value isAny = arith::CmpIOp::create(builder, arith::CmpIPredicate::sgt,
                                        work, getIndex(builder, 0));
    auto conditional = scf::IfOp::create(builder, isAny);
    builder.setInsertionPointToStart(conditional.thenBlock());
  }
  // Many more blocks than can be resident, and many fewer than the limit of a
  // grid.
  constexpr int64_t maxBlocks = 1 << 20;
  Value one = getIndex(builder, 1);
  Value blocks =
      builder.createOrFold<arith::MinSIOp>(work, getIndex(builder, maxBlocks));
  auto launch = gpu::LaunchOp::create(builder, blocks, one, one,
                                      getIndex(builder, threads), one, one);
  builder.setInsertionPointToEnd(&launch.getBody().front());
  auto end = gpu::TerminatorOp::create(builder);
  builder.setInsertionPoint(end);
  return {launch, launch.getBlockIds().x, launch.getGridSize().x,
          launch.getThreadIds().x};
}

Value linalg_to_gpu::addSharedMemory(Kernel &kernel, ArrayRef<int64_t> shape,
                                     Type element) {
  auto space = gpu::AddressSpaceAttr::get(element.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                              Attribute(space));
  return kernel.launch.addWorkgroupAttribution(type, kernel.launch.getLoc());
}

SmallVector<Value> linalg_to_gpu::delinearize(ImplicitLocOpBuilder &builder,
                                              Value linear,
                                              ValueRange extents) {
  SmallVector<Value> coordinates(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    if (i == 0) {
      coordinates[i] = linear;
      break;
    }
    coordinates[i] = builder.createOrFold<arith::RemUIOp>(linear, extents[i]);
    linear = builder.createOrFold<arith::DivUIOp>(linear, extents[i]);
  }
  return coordinates;
}

SmallVector<Value> linalg_to_gpu::getExtents(ImplicitLocOpBuilder &builder,
                                             LinalgOp op) {
  SmallVector<Value> extents;
  for (Range range : op.createLoopRanges(builder, builder.getLoc()))
    extents.push_back(
        getValueOrCreateConstantIndexOp(builder, builder.getLoc(), range.size));
  return extents;
}

static SmallVector<Value> getCoordinates(ImplicitLocOpBuilder &builder,
                                         LinalgOp op, OpOperand &operand,
                                         ValueRange ivs) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return SmallVector<Value>(
      *affine::expandAffineMap(builder, builder.getLoc(), map, ivs));
}

Value linalg_to_gpu::loadOperand(ImplicitLocOpBuilder &builder, LinalgOp op,
                                 OpOperand &operand, ValueRange ivs) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(builder, operand.get(),
                                getCoordinates(builder, op, operand, ivs));
}

SmallVector<Value> linalg_to_gpu::loadOperands(ImplicitLocOpBuilder &builder,
                                               LinalgOp op, ValueRange ivs) {
  SmallVector<Value> elements;
  for (OpOperand &operand : op->getOpOperands())
    elements.push_back(op.payloadUsesValueFromOperand(&operand)
                           ? loadOperand(builder, op, operand, ivs)
                           : Value());
  return elements;
}

SmallVector<Value> linalg_to_gpu::cloneBody(ImplicitLocOpBuilder &builder,
                                            LinalgOp op, ValueRange ivs,
                                            ValueRange elements) {
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands())
    if (Value element = elements[operand.getOperandNumber()])
      mapping.map(op.getMatchingBlockArgument(&operand), element);
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), ivs[index.getDim()]);
    else
      builder.clone(inner, mapping);
  }
  SmallVector<Value> results;
  for (Value value : op.getBlock()->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

void linalg_to_gpu::storeResults(ImplicitLocOpBuilder &builder, LinalgOp op,
                                 ValueRange ivs, ValueRange values) {
  for (auto [output, value] : llvm::zip(op.getDpsInitsMutable(), values))
    memref::StoreOp::create(builder, value, output.get(),
                            getCoordinates(builder, op, output, ivs));
}
