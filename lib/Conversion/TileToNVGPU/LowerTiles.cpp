//===- LowerTiles.cpp - Pass 4a: tiles to NVGPU -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LoweringContext.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Conversion/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_LOWERTILES
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
class LowerTilesPass : public tcgemm::impl::LowerTilesBase<LowerTilesPass> {
  void runOnOperation() override {
    HandlerTable handlers;
    populateStructuralHandlers(handlers);
    populateRasterHandlers(handlers);
    populateRingHandlers(handlers);
    populateRoleHandlers(handlers);
    populateCopyHandlers(handlers);
    populateProductHandlers(handlers);
    populateReductionHandlers(handlers);
    populateEpilogueHandlers(handlers);
    for (ProgramOp program : getOperation().getOps<ProgramOp>()) {
      ProgramAnalysis analysis(program);
      if (failed(LoweringContext(analysis, handlers).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
