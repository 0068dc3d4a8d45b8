//===- LinalgToGPU.cpp - Operations on buffers become kernels -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts all operations outside of kernels that access device memory to
// kernels or copies: linalg operations, copies, and loads and stores of single
// elements.
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tcgemm/Conversion/DeviceMemory.h"
#include "tcgemm/Conversion/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_LINALGTOGPU
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;
using linalg::LinalgOp;

namespace {
struct LinalgToGPU : public tcgemm::impl::LinalgToGPUBase<LinalgToGPU> {
  using LinalgToGPUBase::LinalgToGPUBase;
  void runOnOperation() override;
  void convertBlock(Block &block);
  void convertCopy(memref::CopyOp copy);
  void convertLoad(memref::LoadOp load);
  void convertStore(memref::StoreOp store);
};
} // namespace

/// Converts a copy between dense buffers of the same layout to a copy of bytes.
void LinalgToGPU::convertCopy(memref::CopyOp copy) {
  auto source = cast<MemRefType>(copy.getSource().getType());
  auto target = cast<MemRefType>(copy.getTarget().getType());
  OpBuilder builder(copy);
  if (source.getLayout().isIdentity() && target.getLayout().isIdentity())
    gpu::MemcpyOp::create(builder, copy.getLoc(), TypeRange(), ValueRange(),
                          copy.getTarget(), copy.getSource());
  else
    linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
  ++numCopies;
  copy.erase();
}

/// Writes a kernel that executes `body` in one thread.
static void writeSingleThread(ImplicitLocOpBuilder &builder,
                              function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(builder);
  linalg_to_gpu::createKernel(builder, linalg_to_gpu::getIndex(builder, 1),
                              /*threads=*/1);
  body();
}

/// Converts a load by the host. The element is copied to a separate buffer,
/// which has a layout that copies support.
void LinalgToGPU::convertLoad(memref::LoadOp load) {
  ImplicitLocOpBuilder builder(load.getLoc(), load);
  auto type = MemRefType::get({}, load.getType());
  Value onHost;
  {
    // Allocated outside of loops: otherwise the stack would grow in each
    // iteration.
    OpBuilder::InsertionGuard guard(builder);
    auto function = load->getParentOfType<func::FuncOp>();
    builder.setInsertionPointToStart(&function.front());
    onHost = memref::AllocaOp::create(builder, type);
  }
  Value onDevice = load.getMemRef();
  bool isScalar = onDevice.getType() == type;
  if (!isScalar) {
    onDevice = gpu::AllocOp::create(builder, TypeRange{type}, ValueRange(),
                                    ValueRange(), ValueRange())
                   .getMemref();
    writeSingleThread(builder, [&] {
      Value element =
          memref::LoadOp::create(builder, load.getMemRef(), load.getIndices());
      memref::StoreOp::create(builder, element, onDevice);
    });
  }
  gpu::MemcpyOp::create(builder, TypeRange(), ValueRange(), onHost, onDevice);
  if (!isScalar)
    gpu::DeallocOp::create(builder, TypeRange(), ValueRange{onDevice});
  load.replaceAllUsesWith(memref::LoadOp::create(builder, onHost).getResult());
  ++numScalars;
  load.erase();
}

void LinalgToGPU::convertStore(memref::StoreOp store) {
  ImplicitLocOpBuilder builder(store.getLoc(), store);
  writeSingleThread(builder, [&] {
    memref::StoreOp::create(builder, store.getValue(), store.getMemRef(),
                            store.getIndices());
  });
  ++numScalars;
  store.erase();
}

/// Returns whether the operations before and after `op` may be merged to one
/// kernel.
static bool isTransparent(Operation *op) {
  return isMemoryEffectFree(op) ||
         (op->getNumRegions() == 0 &&
          hasSingleEffect<MemoryEffects::Allocate>(op));
}

void LinalgToGPU::convertBlock(Block &block) {
  SmallVector<LinalgOp> run;
  auto flush = [&] {
    numOps += run.size();
    linalg_to_gpu::writeKernels(run);
    run.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto linalgOp = dyn_cast<LinalgOp>(op);
    if (linalgOp && linalgOp.hasPureBufferSemantics())
      run.push_back(linalgOp);
    else if (!isTransparent(&op))
      flush();
  }
  flush();
}

void LinalgToGPU::runOnOperation() {
  SmallVector<memref::CopyOp> copies;
  SmallVector<memref::LoadOp> loads;
  SmallVector<memref::StoreOp> stores;
  SmallVector<Block *> blocks;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (isHostFunction(function))
      continue;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::LaunchOp, LinalgOp>(op))
        return WalkResult::skip();
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        copies.push_back(copy);
      if (auto load = dyn_cast<memref::LoadOp>(op))
        if (!isHostMemory(load.getMemRef()))
          loads.push_back(load);
      if (auto store = dyn_cast<memref::StoreOp>(op))
        if (!isHostMemory(store.getMemRef()))
          stores.push_back(store);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
  }
  llvm::for_each(copies, [&](memref::CopyOp op) { convertCopy(op); });
  llvm::for_each(loads, [&](memref::LoadOp op) { convertLoad(op); });
  llvm::for_each(stores, [&](memref::StoreOp op) { convertStore(op); });
  for (Block *block : blocks)
    convertBlock(*block);
}
