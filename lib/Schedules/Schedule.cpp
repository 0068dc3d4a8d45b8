//===- Schedule.cpp - Pass 3: programs and plan of each kernel --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expand/Family.h"
#include "Gemv/Family.h"
#include "MmaSync/Family.h"
#include "Simt/Family.h"
#include "Wgmma/Family.h"
#include "Wmma/Family.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace tcgemm;

namespace tcgemm {
#define GEN_PASS_DEF_SCHEDULE
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

/// Checks a configuration that the user's IR may have set without
/// tcgemm-configure.
static LogicalResult checkLegality(KernelOp kernel,
                                   const KernelConfig &config) {
  llvm::Expected<const ChipInfo &> chip = lookupChip(*kernel.getChip());
  if (!chip)
    return kernel.emitOpError() << llvm::toString(chip.takeError());
  if (llvm::Error error = checkConfig(config, *chip, getProblemInfo(kernel)))
    return kernel.emitOpError() << llvm::toString(std::move(error));
  return success();
}

/// The prefix of the names of a kernel's module and programs: the kernel's name
/// if it is an identifier in PTX, or else a similar name. It is unique among
/// the kernels of `symbols`.
static std::string getPrefix(KernelOp kernel, const SymbolTable &symbols) {
  // The lengths of file names and of PTX's identifiers are limited, too.
  constexpr size_t maxLength = 128;
  std::string name;
  for (char c : kernel.getName().take_front(maxLength))
    name += llvm::isAlnum(c) ? c : '_';
  if (llvm::isDigit(name.front()))
    name.insert(0, 1, '_');
  std::string prefix = name;
  for (unsigned i = 0; symbols.lookup(prefix + "_module"); ++i)
    prefix = name + "_" + std::to_string(i);
  return prefix;
}

namespace {
/// The part of a schedule that needs MLIR; ScheduleFamily is the other part.
struct ProgramFamily {
  tcgemm::Schedule schedule;
  void (*plan)(PlanBuilder &plan);
  /// Adds the variants where K is 0.
  void (*planEmpty)(PlanBuilder &plan) = [](PlanBuilder &plan) {
    plan.addEmptyK();
  };
};
} // namespace

static constexpr ProgramFamily families[] = {
    {tcgemm::Schedule::MmaSync, planMmaSync},
    {tcgemm::Schedule::Wgmma, planWgmma, planEmptyWgmma},
    {tcgemm::Schedule::Wmma, planWmma},
    {tcgemm::Schedule::Simt, planSimt},
    {tcgemm::Schedule::Gemv, planGemv},
    {tcgemm::Schedule::Expand, planExpand},
};

/// Builds the programs of the kernel and sets its plan.
static void planKernel(PlanBuilder &plan) {
  const auto *family =
      llvm::find_if(families, [&](const ProgramFamily &candidate) {
        return candidate.schedule == plan.getConfig().schedule;
      });
  if (family == std::end(families))
    llvm_unreachable("a schedule without programs");
  family->planEmpty(plan);
  if (plan.getKernel().getK() != 0)
    family->plan(plan);
  plan.setPlan();
}

namespace {
class SchedulePass : public tcgemm::impl::ScheduleBase<SchedulePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
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
      std::string prefix = getPrefix(kernel, symbols);
      auto module = gpu::GPUModuleOp::create(builder, kernel.getLoc(),
                                             prefix + "_module");
      symbols.insert(module);
      PlanBuilder plan(kernel, config.getValue(), module, prefix);
      planKernel(plan);
      if (kernel.getProvided())
        for (ProgramOp program : module.getOps<ProgramOp>())
          program.setMaySpill(true);
      numPrograms +=
          llvm::count_if(*module.getBody(), llvm::IsaPred<ProgramOp>);
      numVariants += kernel.getPlanAttr().size();
    }
    if (!getOperation().getOps<gpu::GPUModuleOp>().empty())
      getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                              UnitAttr::get(&getContext()));
  }
};
} // namespace
