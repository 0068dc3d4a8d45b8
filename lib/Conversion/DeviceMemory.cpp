//===- DeviceMemory.cpp - Buffers move to the device ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Conversion/DeviceMemory.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Dialect/ElementTypes.h"

namespace tcgemm {
#define GEN_PASS_DEF_DEVICEMEMORY
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

static constexpr StringLiteral kHostAttrName = "tcgemm.host";

bool tcgemm::isHostMemory(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp,
                         memref::GetGlobalOp>(buffer.getDefiningOp());
}

bool tcgemm::isHostFunction(Operation *function) {
  return function->hasAttr(kHostAttrName);
}

namespace {
struct DeviceMemory : public tcgemm::impl::DeviceMemoryBase<DeviceMemory> {
  using DeviceMemoryBase::DeviceMemoryBase;
  void runOnOperation() override;
  void convertAllocations();
  LogicalResult lowerDeallocations();
  void convertDeallocations();
  void convertConstants();
  Value loadConstant(OpBuilder &builder, memref::GetGlobalOp use,
                     LLVM::GlobalOp slot);
};
} // namespace

static Value createAlloc(OpBuilder &builder, Location loc, MemRefType type,
                         ValueRange sizes) {
  return gpu::AllocOp::create(builder, loc, TypeRange{type}, ValueRange(),
                              sizes, ValueRange())
      .getMemref();
}

static void convertClone(bufferization::CloneOp clone) {
  OpBuilder builder(clone);
  Location loc = clone.getLoc();
  auto type = cast<MemRefType>(clone.getType());
  // A clone is dense, even if its source is not.
  auto dense = MemRefType::get(type.getShape(), type.getElementType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(builder, loc, clone.getInput(), i));
  Value copy = createAlloc(builder, loc, dense, sizes);
  memref::CopyOp::create(builder, loc, clone.getInput(), copy);
  if (type != dense)
    copy = memref::CastOp::create(builder, loc, type, copy);
  clone.replaceAllUsesWith(copy);
  clone.erase();
}

void DeviceMemory::convertAllocations() {
  SmallVector<memref::AllocOp> allocs;
  SmallVector<bufferization::CloneOp> clones;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (isHostFunction(function))
      continue;
    function.walk([&](memref::AllocOp op) { allocs.push_back(op); });
    function.walk([&](bufferization::CloneOp op) { clones.push_back(op); });
  }
  for (memref::AllocOp alloc : allocs) {
    OpBuilder builder(alloc);
    alloc.replaceAllUsesWith(createAlloc(
        builder, alloc.getLoc(), alloc.getType(), alloc.getDynamicSizes()));
    alloc.erase();
    ++numAllocations;
  }
  for (bufferization::CloneOp clone : clones) {
    convertClone(clone);
    ++numAllocations;
  }
}

/// The functions that upstream's lowering adds keep their arrays of addresses
/// on the host.
LogicalResult DeviceMemory::lowerDeallocations() {
  llvm::DenseSet<Operation *> before;
  for (auto function : getOperation().getOps<func::FuncOp>())
    before.insert(function);
  OpPassManager passes(ModuleOp::getOperationName());
  passes.addPass(bufferization::createLowerDeallocationsPass());
  if (failed(runPipeline(passes, getOperation())))
    return failure();
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!before.contains(function))
      function->setAttr(kHostAttrName, UnitAttr::get(&getContext()));
  return success();
}

void DeviceMemory::convertDeallocations() {
  SmallVector<memref::DeallocOp> deallocs;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!isHostFunction(function))
      function.walk([&](memref::DeallocOp op) {
        if (!isHostMemory(op.getMemref()))
          deallocs.push_back(op);
      });
  for (memref::DeallocOp dealloc : deallocs) {
    OpBuilder builder(dealloc);
    gpu::DeallocOp::create(builder, dealloc.getLoc(), TypeRange(),
                           ValueRange{dealloc.getMemref()});
    dealloc.erase();
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {
/// Functions that run when the module is loaded and unloaded.
struct Lifetime {
  Lifetime(ModuleOp module, StringRef name, StringRef attribute)
      : builder(module.getLoc(), OpBuilder::atBlockEnd(module.getBody())) {
    function =
        func::FuncOp::create(builder, name, builder.getFunctionType({}, {}));
    function.setPrivate();
    function->setAttr(attribute, builder.getUnitAttr());
    SymbolTable(module).insert(function);
    builder.setInsertionPointToStart(function.addEntryBlock());
    auto end = func::ReturnOp::create(builder);
    builder.setInsertionPoint(end);
  }
  ImplicitLocOpBuilder builder;
  func::FuncOp function;
};
} // namespace

/// Loads the buffer from the slot with its address.
Value DeviceMemory::loadConstant(OpBuilder &builder, memref::GetGlobalOp use,
                                 LLVM::GlobalOp slot) {
  Location loc = use.getLoc();
  LLVMTypeConverter converter(&getContext());
  Value address = LLVM::AddressOfOp::create(builder, loc, slot);
  Value pointer = LLVM::LoadOp::create(
      builder, loc, LLVM::LLVMPointerType::get(&getContext()), address);
  Value descriptor = MemRefDescriptor::fromStaticShape(builder, loc, converter,
                                                       use.getType(), pointer);
  return UnrealizedConversionCastOp::create(
             builder, loc, TypeRange{use.getType()}, ValueRange{descriptor})
      .getResult(0);
}

/// Converts constants that functions use. They are copied to the device when
/// the module is loaded, and freed when it is unloaded.
void DeviceMemory::convertConstants() {
  ModuleOp module = getOperation();
  llvm::MapVector<StringAttr, SmallVector<memref::GetGlobalOp>> uses;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](memref::GetGlobalOp op) {
      uses[op.getNameAttr().getAttr()].push_back(op);
    });
  if (uses.empty())
    return;
  Lifetime load(module, "tcgemm_load_constants", "tcgemm.constructor");
  Lifetime unload(module, "tcgemm_unload_constants", "tcgemm.destructor");
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  SymbolTable symbols(module);
  for (auto &[name, list] : uses) {
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    auto slot = LLVM::GlobalOp::create(
        builder, module.getLoc(), pointer, /*isConstant=*/false,
        LLVM::Linkage::Internal, (name.getValue() + "_device").str(),
        builder.getZeroAttr(pointer));
    symbols.insert(slot);
    auto type = list.front().getType();
    if (getPackedElements(type.getElementType()) > 1) {
      list.front().emitError()
          << "a constant has elements of 4 bits, which share bytes: pass it as "
             "an argument";
      return signalPassFailure();
    }
    Value host = memref::GetGlobalOp::create(load.builder, type, name);
    Value device = createAlloc(load.builder, module.getLoc(), type, {});
    gpu::MemcpyOp::create(load.builder, TypeRange(), ValueRange(), device,
                          host);
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(load.builder, device);
    Value bits = arith::IndexCastOp::create(load.builder,
                                            load.builder.getI64Type(), address);
    LLVM::StoreOp::create(load.builder,
                          LLVM::IntToPtrOp::create(load.builder, pointer, bits),
                          LLVM::AddressOfOp::create(load.builder, slot));
    gpu::DeallocOp::create(
        unload.builder, TypeRange(),
        ValueRange{loadConstant(unload.builder, list.front(), slot)});
    for (memref::GetGlobalOp use : list) {
      OpBuilder atUse(use);
      use.replaceAllUsesWith(loadConstant(atUse, use, slot));
      use.erase();
    }
    ++numConstants;
  }
}

void DeviceMemory::runOnOperation() {
  convertAllocations();
  if (failed(lowerDeallocations()))
    return signalPassFailure();
  convertDeallocations();
  convertConstants();
}
