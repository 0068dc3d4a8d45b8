//===- ProgramToNVVM.cpp - Pass 4b: NVGPU level to NVVM ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns lower arith, math, vector and control flow. Memory and
// nvgpu operations have separate patterns: at this level a memref has rank 1
// and its index is the address, and upstream's nvgpu lowering supports neither
// bf16 (llvm-project #194203) nor 32-bit shared addresses.
//
//===----------------------------------------------------------------------===//

#include "ProgramToNVVM.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "tcgemm/Conversion/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_PROGRAMTONVVM
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

void tcgemm::addProgramTypeConversions(LLVMTypeConverter &converter) {
  converter.addConversion([](MemRefType type) -> std::optional<Type> {
    auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
    if (type.getRank() != 1 || !space)
      return Type();
    bool isShared = space.getValue() == gpu::AddressSpace::Workgroup;
    return LLVM::LLVMPointerType::get(type.getContext(), isShared ? 3 : 1);
  });
  converter.addConversion([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  converter.addConversion([](gpu::MMAMatrixType type) -> Type {
    return convertMMAToLLVMType(type);
  });
  converter.addConversion([](nvgpu::DeviceAsyncTokenType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
}

/// Renames loop annotations. Upstream's patterns keep the attribute's name of
/// scf.for, which is unknown to the branch at the end of the loop.
static void adoptLoopAnnotations(gpu::GPUModuleOp module) {
  module.walk([](LLVM::BrOp branch) {
    Attribute annotation =
        branch->removeDiscardableAttr("llvm.loop_annotation");
    if (annotation)
      branch.setLoopAnnotationAttr(cast<LLVM::LoopAnnotationAttr>(annotation));
  });
}

namespace {
class ProgramToNVVMPass
    : public tcgemm::impl::ProgramToNVVMBase<ProgramToNVVMPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    LLVMTypeConverter converter(&getContext());
    addProgramTypeConversions(converter);
    if (module.getOps<ProgramOp>().empty())
      return;
    OpBuilder builder(module.getBodyRegion());
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, module.getLoc(), bytes,
                           /*isConstant=*/false, LLVM::Linkage::External,
                           kSharedMemory, Attribute(), kSharedAlignment,
                           /*addrSpace=*/3);

    RewritePatternSet patterns(&getContext());
    populateProgramPatterns(converter, patterns);
    populateAssertPatterns(converter, patterns);
    populateNVGPUPatterns(converter, patterns);
    populateSubgroupMmaPatterns(converter, patterns);
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorFromElementsUnrollPatterns(patterns);

    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    // NVVM operations without an intrinsic become inline assembly.
    target.addDynamicallyLegalDialect<NVVM::NVVMDialect>([](Operation *op) {
      auto text = dyn_cast<NVVM::BasicPtxBuilderInterface>(op);
      return !text || text.hasIntrinsic();
    });
    populateNVVMToLLVMConversionPatterns(patterns);
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    adoptLoopAnnotations(module);
  }
};
} // namespace
