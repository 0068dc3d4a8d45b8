//===- VerifyDevice.cpp - Rejects host accesses of device memory ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tcgemm/Conversion/DeviceMemory.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {
#define GEN_PASS_DEF_VERIFYDEVICE
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
struct VerifyDevice : public tcgemm::impl::VerifyDeviceBase<VerifyDevice> {
  using VerifyDeviceBase::VerifyDeviceBase;
  void runOnOperation() override;
};
} // namespace

/// Returns whether the operation only passes or describes buffers, or launches
/// or copies.
static bool isAllowed(Operation *op) {
  if (isa<gpu::GPUDialect, cf::ControlFlowDialect, TcgemmDialect,
          LLVM::LLVMDialect>(op->getDialect()))
    return true;
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp,
             scf::ConditionOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
             func::CallOp, func::ReturnOp, func::FuncOp>(op) ||
         isMemoryEffectFree(op);
}

/// The first operand or result of the operation that is in device memory.
static Value findDeviceBuffer(Operation *op) {
  for (Value value : op->getOperands())
    if (isa<BaseMemRefType>(value.getType()) && !isHostMemory(value))
      return value;
  return {};
}

/// Returns whether the value, or what it is a view of, is a buffer that a
/// product reads as ui1.
static bool holdsPackedBits(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  SmallVector<Value> buffers{value};
  while (!buffers.empty()) {
    for (OpOperand &use : buffers.pop_back_val().getUses()) {
      if (isa<ViewLikeOpInterface>(use.getOwner()))
        buffers.push_back(use.getOwner()->getResult(0));
      auto launch = dyn_cast<LaunchOp>(use.getOwner());
      if (!launch)
        continue;
      auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
          launch, launch.getKernelAttr());
      if (kernel && kernel.getOperandInfo(use.getOperandNumber())
                        .getElementType()
                        .isUnsignedInteger(1))
        return true;
    }
  }
  return false;
}

static bool isPackedBuffer(Value value) {
  auto buffer = dyn_cast<BaseMemRefType>(value.getType());
  if (!buffer)
    return false;
  Type type = buffer.getElementType();
  return getPackedElements(type) > 1 ||
         (type.isInteger(1) && holdsPackedBits(value));
}

/// Returns whether the operation accesses or allocates elements that share
/// bytes. MLIR's lowering gives each of them a byte of its own.
static bool accessesPacked(Operation *op) {
  if (isa<TcgemmDialect>(op->getDialect()) ||
      isa<func::CallOp, func::ReturnOp, ViewLikeOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op))
    return false;
  return llvm::any_of(op->getOperands(), isPackedBuffer) ||
         llvm::any_of(op->getResults(), isPackedBuffer);
}

static bool hasTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

void VerifyDevice::runOnOperation() {
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (isHostFunction(function))
      continue;
    WalkResult result =
        function.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
          if (hasTensors(op))
            return op->emitError()
                   << "'" << op->getName()
                   << "' works on tensors that no buffer could be found for";
          if (accessesPacked(op))
            return op->emitError()
                   << "'" << op->getName()
                   << "' works on elements that share bytes: only products can "
                      "read them";
          if (op->getParentOfType<gpu::LaunchOp>())
            return WalkResult::advance();
          if (!isAllowed(op) && findDeviceBuffer(op))
            return op->emitError()
                   << "'" << op->getName()
                   << "' cannot run on the device: only linalg operations, "
                      "copies, and loads and stores of elements can";
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      return signalPassFailure();
  }
}
