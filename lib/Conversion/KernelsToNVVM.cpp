//===- KernelsToNVVM.cpp - gpu.func kernels in the NVVM dialect -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's convert-gpu-to-nvvm converts all math operations to calls of
// libdevice, even those with instructions in PTX, and does not permit the
// intrinsics that select these instructions. Only its patterns for the GPU
// dialect are used here.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tcgemm/Conversion/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_KERNELSTONVVM
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
struct KernelsToNVVM : public tcgemm::impl::KernelsToNVVMBase<KernelsToNVVM> {
  using KernelsToNVVMBase::KernelsToNVVMBase;
  void runOnOperation() override;
};
} // namespace

void KernelsToNVVM::runOnOperation() {
  gpu::GPUModuleOp module = getOperation();
  if (module.getOps<gpu::GPUFuncOp>().empty())
    return;
  LLVMTypeConverter converter(&getContext());
  configureGpuToNVVMTypeConverter(converter);
  RewritePatternSet patterns(&getContext());
  // Preferred over the GPU dialect's patterns, which call libdevice.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/10);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  ConversionTarget target(getContext());
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    signalPassFailure();
}
