//===- LowerTiles.cpp - Lowers tile-level programs to NVGPU ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "LoweringContext.h"
#include "TraceLowering.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Target/EmitPTX.h"

namespace tcgemm {
#define GEN_PASS_DEF_LOWERTILES
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

/// Replaces the body of a program.
static LogicalResult lowerProgram(ProgramOp program) {
  if (failed(verifyLowerable(program)))
    return failure();
  createTraceVariables(program);
  ProgramAnalysis analysis(program);
  LoweringContext c(analysis);
  c.createPrologue();

  RewritePatternSet patterns(program.getContext());
  ConversionTarget target(*program.getContext());
  target.addIllegalDialect<TcgemmDialect>();
  // An epilogue's body vanishes with it.
  target.addLegalOp<ProgramOp, ReturnOp, YieldOp, IndexOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  scf::populateSCFStructuralTypeConversionsAndLegality(c.getTypeConverter(),
                                                       patterns, target);
  populateRasterPatterns(c, patterns);
  populateGroupPatterns(c, patterns);
  populateRingPatterns(c, patterns);
  populateRolePatterns(c, patterns);
  populateCopyPatterns(c, patterns);
  populateProductPatterns(c, patterns);
  populateReductionPatterns(c, patterns);
  populateEpiloguePatterns(c, patterns);
  populateTracePatterns(c, patterns);
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return applyPartialConversion(program, target, std::move(patterns), config);
}

/// The PTX version that the program's instructions need.
static int64_t getPtxVersion(ProgramOp program) {
  int64_t version = 0;
  program.walk([&](Operation *op) {
    const MatrixInstruction *instruction = nullptr;
    if (auto product = dyn_cast<MmaOp>(op))
      instruction = product.getInstruction();
    else if (auto product = dyn_cast<MmaAsyncOp>(op))
      instruction = product.getInstruction();
    else if (auto product = dyn_cast<MmaAsyncFragmentOp>(op))
      instruction = product.getInstruction();
    if (instruction)
      version = std::max(version, instruction->ptxVersion);
  });
  return version;
}

namespace {
class LowerTilesPass : public tcgemm::impl::LowerTilesBase<LowerTilesPass> {
  void runOnOperation() override {
    int64_t version = 0;
    for (ProgramOp program : getOperation().getOps<ProgramOp>()) {
      version = std::max(version, getPtxVersion(program));
      if (failed(lowerProgram(program)))
        return signalPassFailure();
    }
    if (version)
      getOperation()->setAttr(
          kPtxVersionAttrName,
          Builder(&getContext()).getI64IntegerAttr(version));
  }
};
} // namespace
