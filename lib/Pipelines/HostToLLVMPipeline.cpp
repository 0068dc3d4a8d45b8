//===- HostToLLVMPipeline.cpp - Host code of lowered modules to LLVM ------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Pipelines/HostToLLVM.h"

using namespace mlir;

namespace {
/// gpu-to-llvm supports memory operations in streams only, and gpu-async-region
/// adds the streams. It must not run on functions that already have tokens: it
/// would add a second token to each operation, which gpu-to-llvm rejects.
struct MakeAsynchronous
    : public PassWrapper<MakeAsynchronous, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MakeAsynchronous)

  MakeAsynchronous() : pipeline(func::FuncOp::getOperationName()) {
    pipeline.addPass(createGpuAsyncRegionPass());
  }
  MakeAsynchronous(const MakeAsynchronous &other) = default;
  void getDependentDialects(DialectRegistry &registry) const override {
    pipeline.getDependentDialects(registry);
  }
  void runOnOperation() override {
    WalkResult hasTokens = getOperation().walk([](Operation *op) {
      return llvm::any_of(op->getResultTypes(),
                          llvm::IsaPred<gpu::AsyncTokenType>)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!hasTokens.wasInterrupted() &&
        failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }

  OpPassManager pipeline;
};
} // namespace

void tcgemm::buildHostToLLVMPipeline(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(std::make_unique<MakeAsynchronous>());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createGpuToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createLifetimeFunctions());
}

void tcgemm::registerHostToLLVMPipeline() {
  PassPipelineRegistration<>(
      "tcgemm-host-to-llvm",
      "Lower the host code of launches to the LLVM dialect, with calls of "
      "tcgemm's GPU runtime",
      [](OpPassManager &manager) { buildHostToLLVMPipeline(manager); });
}
