//===- HostToLLVMPipeline.cpp - Host code of lowered modules to LLVM ------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Pipelines/HostToLLVM.h"

using namespace mlir;

void tcgemm::buildHostToLLVMPipeline(OpPassManager &manager) {
  // gpu-to-llvm takes memory operations in streams only.
  manager.addNestedPass<func::FuncOp>(createGpuAsyncRegionPass());
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
