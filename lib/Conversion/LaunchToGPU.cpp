//===- LaunchToGPU.cpp - Launches become gpu.launch_func -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For embedders: what tcgemm-run does by the manifest, as code of the host
// module. Guards, grids and arguments are the plan's expressions in arith.
//
//===----------------------------------------------------------------------===//

#include "LaunchTensorMaps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Conversion/DeviceMemory.h"
#include "tcgemm/Conversion/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_LAUNCHTOGPU
#include "tcgemm/Conversion/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
/// Writes one launch. Expressions that do not parse or name unknown symbols
/// are diagnosed at the kernel that holds them.
class LaunchWriter {
public:
  LaunchWriter(LaunchOp launch, KernelOp kernel, int64_t numSMs)
      : launch(launch), kernel(kernel), builder(launch),
        expressions(launch, kernel, numSMs),
        tensorMaps(launch, kernel, expressions) {}
  LogicalResult write();

private:
  LogicalResult writeVariants(ArrayRef<Attribute> variants);
  LogicalResult writeSteps(VariantAttr variant);
  LogicalResult writeStep(StepAttr step);
  FailureOr<Value> getArgument(StepAttr step, StringRef argument);
  Value toIndex(Value value) {
    return arith::IndexCastOp::create(builder, launch.getLoc(),
                                      builder.getIndexType(), value);
  }
  Value getConstant(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, launch.getLoc(),
                                     builder.getIntegerAttr(type, value));
  }

  LaunchOp launch;
  KernelOp kernel;
  OpBuilder builder;
  LaunchExpressions expressions;
  LaunchTensorMaps tensorMaps;
  /// The workspace's address as i64; none if the variant has none.
  Value workspace;
};
} // namespace

FailureOr<Value> LaunchWriter::getArgument(StepAttr step, StringRef argument) {
  Location loc = launch.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto [kind, text] = argument.split(' ');
  if (kind == "scalar") {
    int operand = expressions.findOperand(text);
    if (operand < 0 ||
        kernel.getOperandInfo(operand).getRole() != OperandRole::Scalar)
      return kernel.emitOpError()
             << "plan: argument '" << argument << "' names no scalar";
    return launch.getOperand(operand);
  }
  if (size_t index = 0; kind == "tensor_map" && !text.getAsInteger(10, index)) {
    TensorMapAttr map = step.getTensorMaps()[index];
    FailureOr<Value> base = getArgument(step, map.getBase().getValue());
    if (failed(base))
      return failure();
    return tensorMaps.emit(builder, map, *base);
  }
  bool isPointer = kind == "pointer";
  if (!isPointer && kind != "i32" && kind != "i64" && kind != "workspace")
    return kernel.emitOpError() << "plan: argument '" << argument
                                << "' must be pointer, scalar, i32, i64, "
                                   "workspace or tensor_map";
  FailureOr<Value> value = expressions.emit(
      builder, isPointer ? (text + ".base").str() : text.str());
  if (failed(value) || kind == "i64")
    return value;
  if (kind == "i32")
    return Value(
        arith::TruncIOp::create(builder, loc, builder.getI32Type(), *value));
  if (kind == "workspace" && workspace)
    value = Value(arith::AddIOp::create(builder, loc, workspace, *value));
  return Value(LLVM::IntToPtrOp::create(builder, loc, pointer, *value));
}

LogicalResult LaunchWriter::writeStep(StepAttr step) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = launch.getLoc();
  SmallVector<Value> grid;
  Value runs;
  auto require = [&](Value condition) {
    runs =
        runs ? arith::AndIOp::create(builder, loc, runs, condition).getResult()
             : condition;
  };
  if (step.getWhen()) {
    FailureOr<Value> when =
        expressions.emit(builder, step.getWhen().getValue());
    if (failed(when))
      return failure();
    require(expressions.isTrue(builder, *when));
  }
  for (StringAttr text : step.getGrid()) {
    FailureOr<Value> size = expressions.emit(builder, text.getValue());
    if (failed(size))
      return failure();
    // A grid of nothing is no launch.
    if (!(*size).getDefiningOp<arith::ConstantOp>())
      require(expressions.isTrue(builder, *size));
    grid.push_back(*size);
  }
  if (runs) {
    auto conditional = scf::IfOp::create(builder, loc, runs);
    builder.setInsertionPointToStart(conditional.thenBlock());
  }
  SmallVector<Value> arguments;
  for (StringAttr text : step.getArguments()) {
    FailureOr<Value> argument = getArgument(step, text.getValue());
    if (failed(argument))
      return failure();
    arguments.push_back(*argument);
  }
  grid.resize(3, getConstant(builder.getI64Type(), 1));
  gpu::KernelDim3 blocks{toIndex(grid[0]), toIndex(grid[1]), toIndex(grid[2])};
  Value one = getConstant(builder.getIndexType(), 1);
  gpu::KernelDim3 threads{
      getConstant(builder.getIndexType(), step.getThreads()), one, one};
  Value sharedMemory =
      getConstant(builder.getI32Type(), step.getSharedMemory());
  std::optional<gpu::KernelDim3> cluster;
  auto getSize = [&](unsigned i) {
    return getConstant(builder.getIndexType(), step.getCluster()[i]);
  };
  if (!step.getCluster().empty())
    cluster = gpu::KernelDim3{getSize(0), getSize(1), getSize(2)};
  gpu::LaunchFuncOp::create(builder, loc, step.getProgram(), blocks, threads,
                            sharedMemory, arguments, /*asyncObject=*/Value(),
                            cluster);
  return success();
}

LogicalResult LaunchWriter::writeSteps(VariantAttr variant) {
  Location loc = launch.getLoc();
  FailureOr<Value> bytes =
      expressions.emit(builder, variant.getWorkspace().getValue());
  if (failed(bytes))
    return failure();
  IntegerAttr constant;
  Value buffer;
  workspace = Value();
  if (!matchPattern(*bytes, m_Constant(&constant)) ||
      !constant.getValue().isZero()) {
    auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    buffer = gpu::AllocOp::create(builder, loc, TypeRange{type}, ValueRange(),
                                  ValueRange{toIndex(*bytes)}, ValueRange())
                 .getMemref();
    workspace = arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(),
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer));
  }
  for (StepAttr step : variant.getSteps())
    if (failed(writeStep(step)))
      return failure();
  if (buffer)
    gpu::DeallocOp::create(builder, loc, TypeRange(), ValueRange{buffer});
  return success();
}

/// The first variant whose guard holds; the others in its else.
LogicalResult LaunchWriter::writeVariants(ArrayRef<Attribute> variants) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = launch.getLoc();
  for (Attribute attribute : variants) {
    auto variant = cast<VariantAttr>(attribute);
    FailureOr<Value> accepts =
        expressions.emit(builder, variant.getGuard().getValue());
    if (failed(accepts))
      return failure();
    IntegerAttr constant;
    if (matchPattern(*accepts, m_Constant(&constant))) {
      if (constant.getValue().isZero())
        continue;
      return writeSteps(variant);
    }
    auto chosen =
        scf::IfOp::create(builder, loc, expressions.isTrue(builder, *accepts),
                          /*withElseRegion=*/true);
    builder.setInsertionPointToStart(chosen.thenBlock());
    if (failed(writeSteps(variant)))
      return failure();
    builder.setInsertionPointToStart(chosen.elseBlock());
  }
  cf::AssertOp::create(
      builder, loc, getConstant(builder.getI1Type(), 0),
      ("no variant of kernel '" + kernel.getName() + "' accepts the problem")
          .str());
  return success();
}

LogicalResult LaunchWriter::write() {
  if (!llvm::all_of(launch.getOutputs().getTypes(), llvm::IsaPred<MemRefType>))
    return launch.emitOpError() << "works on tensors: bufferize first";
  ArrayAttr plan = kernel.getPlanAttr();
  if (!plan || plan.empty())
    return launch.emitOpError() << "kernel '" << kernel.getName()
                                << "' has no plan: run tcgemm-schedule first";
  expressions.prepare(builder);
  return writeVariants(plan.getValue());
}

namespace {
struct LaunchToGPU : public tcgemm::impl::LaunchToGPUBase<LaunchToGPU> {
  using LaunchToGPUBase::LaunchToGPUBase;
  void runOnOperation() override;
};
} // namespace

/// The device cannot access what the host has allocated, unless they share
/// their memory.
static LogicalResult checkMemory(LaunchOp launch) {
  for (auto [index, value] : llvm::enumerate(launch->getOperands()))
    if (isa<MemRefType>(value.getType()) && isHostMemory(value))
      return launch.emitOpError()
             << "operand " << index
             << " is a buffer in host memory, which the device cannot access: "
                "run tcgemm-device-memory first, or set host-memory where "
                "host and device share their memory";
  return success();
}

void LaunchToGPU::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTableCollection symbols;
  llvm::SetVector<Operation *> kernels;
  SmallVector<LaunchOp> launches;
  module.walk([&](LaunchOp launch) { launches.push_back(launch); });
  for (LaunchOp launch : launches) {
    auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(
        launch, launch.getKernelAttr());
    if ((!hostMemory && failed(checkMemory(launch))) ||
        failed(LaunchWriter(launch, kernel, smCount).write()))
      return signalPassFailure();
    kernels.insert(kernel);
    launch.erase();
    ++numLaunches;
  }
  expandDivisions(module);
  // Nothing needs the kernels any more, and the host's lowering knows none.
  for (Operation *kernel : kernels)
    kernel->erase();
  if (!launches.empty())
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    UnitAttr::get(&getContext()));
}
