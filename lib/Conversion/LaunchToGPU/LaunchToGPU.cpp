//===- LaunchToGPU.cpp - Launches become gpu.launch_func --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts every operation that names a kernel for embedders, and erases the
// kernels.
//
//===----------------------------------------------------------------------===//

#include "LaunchWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Conversion/DeviceMemory.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Target/LaunchLimits.h"
#include "tcgemm/Target/PassOptions.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tcgemm {
#define GEN_PASS_DEF_LAUNCHTOGPU
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
struct LaunchToGPU : public tcgemm::impl::LaunchToGPUBase<LaunchToGPU> {
  using LaunchToGPUBase::LaunchToGPUBase;
  LogicalResult initialize(MLIRContext *context) override {
    return reportOptions(
        *this, context,
        checkOptionRange("sm-count", smCount, 0, kMostProcessors));
  }
  void runOnOperation() override;
};
} // namespace

/// Rejects buffers that the host has allocated: the device cannot access them
/// unless host and device share their memory.
static LogicalResult checkMemory(Operation *launch) {
  for (auto [index, value] : llvm::enumerate(launch->getOperands()))
    if (isa<MemRefType>(value.getType()) && isHostMemory(value))
      return launch->emitOpError()
             << "operand " << index
             << " is a buffer in host memory, which the device cannot access: "
                "run tcgemm-device-memory first, or set host-memory where "
                "host and device share their memory";
  return success();
}

/// Joins `dependencies` to one token for operations after all of them. Without
/// dependencies it is the token of a new stream.
static Value joinTokens(OpBuilder &builder, Location loc,
                        ValueRange dependencies) {
  if (dependencies.size() == 1)
    return dependencies.front();
  auto type = gpu::AsyncTokenType::get(builder.getContext());
  return gpu::WaitOp::create(builder, loc, type, dependencies).getAsyncToken();
}

static LogicalResult lower(LaunchOp launch, KernelOp kernel, int64_t numSMs) {
  if (!llvm::all_of(launch.getOutputs().getTypes(), llvm::IsaPred<MemRefType>))
    return launch.emitOpError() << "works on tensors: bufferize first";
  OpBuilder builder(launch);
  Value token;
  // gpu-to-llvm converts a token to the handle of a stream.
  if (launch.getStream())
    token =
        UnrealizedConversionCastOp::create(
            builder, launch.getLoc(),
            gpu::AsyncTokenType::get(launch.getContext()), launch.getStream())
            .getResult(0);
  LaunchWriter writer(launch, launch.getInputs(), launch.getOutputs(), kernel,
                      numSMs);
  return writer.writeLaunch(launch.getWorkspace(), token);
}

static LogicalResult lower(LaunchAsyncOp launch, KernelOp kernel,
                           int64_t numSMs) {
  OpBuilder builder(launch);
  Value token = joinTokens(builder, launch.getLoc(), launch.getDependencies());
  LaunchWriter writer(launch, launch.getInputs(), launch.getOutputs(), kernel,
                      numSMs);
  FailureOr<Value> done = writer.writeLaunch(launch.getWorkspace(), token);
  if (failed(done))
    return failure();
  launch.getToken().replaceAllUsesWith(*done);
  return success();
}

static LogicalResult lower(WorkspaceSizeOp size, KernelOp kernel,
                           int64_t numSMs) {
  LaunchWriter writer(size, size.getInputs(), size.getOutputs(), kernel,
                      numSMs);
  FailureOr<Value> bytes = writer.writeWorkspaceSize();
  if (failed(bytes))
    return failure();
  size.getBytes().replaceAllUsesWith(*bytes);
  return success();
}

static bool namesKernel(Operation *op) {
  return isa<LaunchOp, LaunchAsyncOp, WorkspaceSizeOp>(op);
}

/// Lowers one operation that names a kernel, and erases it.
static LogicalResult lowerOperation(Operation *op, int64_t numSMs,
                                    SymbolTableCollection &symbols) {
  auto lowerAs = [&](auto typed) {
    auto kernel =
        symbols.lookupNearestSymbolFrom<KernelOp>(op, typed.getKernelAttr());
    return lower(typed, kernel, numSMs);
  };
  LogicalResult result =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case<LaunchOp, LaunchAsyncOp, WorkspaceSizeOp>(lowerAs);
  if (succeeded(result))
    op->erase();
  return result;
}

/// Erases the kernels, which are not needed any more and which the host's
/// lowering does not support, and the code of kernels without a launch.
static void eraseKernels(ModuleOp module) {
  SmallVector<KernelOp> kernels;
  llvm::SetVector<Operation *> programs;
  module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  for (KernelOp kernel : kernels) {
    Operation *table = SymbolTable::getNearestSymbolTable(kernel);
    ArrayAttr plan = kernel.getPlanAttr();
    for (Attribute variant : plan ? plan.getValue() : ArrayRef<Attribute>())
      for (StepAttr step : cast<VariantAttr>(variant).getSteps())
        if (Operation *code = SymbolTable::lookupSymbolIn(
                table, step.getProgram().getRootReference()))
          programs.insert(code);
    kernel->erase();
  }
  for (Operation *code : programs)
    if (SymbolTable::symbolKnownUseEmpty(code, code->getParentOp()))
      code->erase();
}

/// Reports a remaining operation of tcgemm.
static LogicalResult checkNothingIsLeft(ModuleOp module) {
  WalkResult result =
      module.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
        if (!isa_and_nonnull<TcgemmDialect>(op->getDialect()))
          return WalkResult::advance();
        return op->emitOpError()
               << "is left, but tcgemm-launch-to-gpu takes modules whose "
                  "kernels are compiled: run tcgemm-emit first";
      });
  return failure(result.wasInterrupted());
}

void LaunchToGPU::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTableCollection symbols;
  SmallVector<Operation *> launches;
  module.walk([&](Operation *op) {
    if (namesKernel(op))
      launches.push_back(op);
  });
  for (Operation *launch : launches) {
    numLaunches += !isa<WorkspaceSizeOp>(launch);
    if ((!hostMemory && failed(checkMemory(launch))) ||
        failed(lowerOperation(launch, smCount, symbols)))
      return signalPassFailure();
  }
  expandDivisions(module);
  eraseKernels(module);
  if (failed(checkNothingIsLeft(module)))
    return signalPassFailure();
  if (!launches.empty())
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    UnitAttr::get(&getContext()));
}
