//===- Schedule.cpp - Pass 3: programs and plan of each kernel -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/Legality.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

namespace tcgemm {
#define GEN_PASS_DEF_SCHEDULE
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

/// A configuration may come from the user's IR, past tcgemm-configure.
static LogicalResult checkLegality(KernelOp kernel,
                                   const KernelConfig &config) {
  llvm::Expected<const ChipInfo &> chip = lookupChip(*kernel.getChip());
  if (!chip)
    return kernel.emitOpError() << llvm::toString(chip.takeError());
  if (llvm::Error error = checkConfig(config, *chip, getProblemInfo(kernel)))
    return kernel.emitOpError() << llvm::toString(std::move(error));
  return success();
}

namespace {
class SchedulePass : public tcgemm::impl::ScheduleBase<SchedulePass> {
  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      auto config = dyn_cast_or_null<ConfigAttr>(kernel.getConfigAttr());
      if (!config || !kernel.getChip()) {
        kernel.emitOpError()
            << "has no configuration: run tcgemm-configure first";
        return signalPassFailure();
      }
      if (kernel.getPlan())
        continue;
      if (failed(checkLegality(kernel, config.getValue())))
        return signalPassFailure();
      OpBuilder builder(kernel);
      builder.setInsertionPointAfter(kernel);
      auto module = gpu::GPUModuleOp::create(
          builder, kernel.getLoc(), (kernel.getName() + "_module").str());
      Planner planner(kernel, config.getValue(), module);
      planner.run();
      if (kernel.getProvided())
        for (ProgramOp program : module.getOps<ProgramOp>())
          program.setMaySpill(true);
      numPrograms += planner.getNumPrograms();
      numVariants += kernel.getPlanAttr().size();
    }
    if (!getOperation().getOps<gpu::GPUModuleOp>().empty())
      getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                              UnitAttr::get(&getContext()));
  }
};
} // namespace
