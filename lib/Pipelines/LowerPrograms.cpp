//===- LowerPrograms.cpp - Pass 4 of one gpu.module -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline on gpu.modules would also change gpu.modules without programs.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Pipelines/Passes.h"
#include "tcgemm/Target/EmitPTX.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;

namespace tcgemm {
#define GEN_PASS_DEF_LOWERPROGRAMS
#include "tcgemm/Pipelines/Passes.h.inc"

namespace {
class LowerProgramsPass : public impl::LowerProgramsBase<LowerProgramsPass> {
public:
  using LowerProgramsBase::LowerProgramsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerProgramsBase::getDependentDialects(registry);
    buildPipeline().getDependentDialects(registry);
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (module.getOps<ProgramOp>().empty())
      return markAllAnalysesPreserved();
    OpPassManager passes = buildPipeline();
    if (failed(runPipeline(passes, module)))
      return signalPassFailure();
    module->setAttr(kProgramsAttrName, UnitAttr::get(&getContext()));
  }

private:
  OpPassManager buildPipeline() const {
    OpPassManager passes(gpu::GPUModuleOp::getOperationName());
    LowerEpilogueMathOptions math;
    math.approx = approximateMath;
    passes.addPass(createLowerEpilogueMath(math));
    passes.addPass(createLowerTiles());
    passes.addPass(createCSEPass());
    passes.addPass(createProgramToNVVM());
    return passes;
  }
};
} // namespace
} // namespace tcgemm
