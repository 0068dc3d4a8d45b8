//===- Lowering.cpp - A module for the CPU and for the device -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Pipelines/CompilePipeline.h"
#include "tcgemm/Pipelines/DevicePipeline.h"
#include "tcgemm/Pipelines/HostPipeline.h"
#include "tcgemm/Pipelines/HostToLLVM.h"

using namespace mlir;
using namespace tcgemm;

OwningOpRef<ModuleOp> tcgemm::isolate(ModuleOp module, StringRef name) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (auto function : copy->getOps<func::FuncOp>()) {
    if (function.getName() == name)
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        UnitAttr::get(module.getContext()));
    else
      function.setPrivate();
    // A result that is written to an argument would be no result any more.
    for (unsigned i = 0; i != function.getNumArguments(); ++i)
      function.removeArgAttr(
          i, bufferization::BufferizationDialect::kWritableAttrName);
  }
  PassManager manager(module.getContext());
  manager.addPass(createSymbolDCEPass());
  if (failed(manager.run(*copy)))
    return nullptr;
  return copy;
}

//===----------------------------------------------------------------------===//
// Sums of products in f32
//===----------------------------------------------------------------------===//

static bool isNarrow(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// Rewrites `init += a * b` in a narrow type: the sum is f32, and is rounded
/// once at its end.
static void widenSum(linalg::GenericOp op, IRRewriter &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Type f32 = rewriter.getF32Type();
  rewriter.setInsertionPoint(op);
  auto convert = [&](Value from, Type element) {
    auto target = cast<RankedTensorType>(from.getType()).clone(element);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, from);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
    AffineMap map = rewriter.getMultiDimIdentityMap(target.getRank());
    SmallVector<utils::IteratorType> loops(target.getRank(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               rewriter, loc, target, from, empty, ArrayRef{map, map}, loops,
               [&](OpBuilder &b, Location at, ValueRange values) {
                 Value value =
                     element == f32
                         ? arith::ExtFOp::create(b, at, element, values[0])
                               .getResult()
                         : arith::TruncFOp::create(b, at, element, values[0]);
                 linalg::YieldOp::create(b, at, value);
               })
        .getResult(0);
  };
  Value init = convert(op.getDpsInits()[0], f32);
  auto wide = linalg::GenericOp::create(
      rewriter, loc, init.getType(), op.getDpsInputs(), init,
      op.getIndexingMapsArray(), op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location at, ValueRange values) {
        auto extend = [&](Value value) -> Value {
          return value.getType() == f32
                     ? value
                     : arith::ExtFOp::create(b, at, f32, value);
        };
        Value product =
            arith::MulFOp::create(b, at, extend(values[0]), extend(values[1]));
        Value sum = arith::AddFOp::create(b, at, values[2], product);
        linalg::YieldOp::create(b, at, sum);
      });
  Value narrow = convert(wide.getResult(0), type.getElementType());
  rewriter.replaceOp(op, narrow);
}

/// Returns whether the body is `init + a * b` in one narrow float type.
static bool isNarrowSum(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || op->getNumResults() != 1)
    return false;
  Block *body = op.getBody();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || !isNarrow(add.getType()))
    return false;
  Value sum = body->getArgument(2);
  Value other = add.getLhs() == sum ? add.getRhs() : add.getLhs();
  if (add.getLhs() != sum && add.getRhs() != sum)
    return false;
  auto product = other.getDefiningOp<arith::MulFOp>();
  return product && product.getLhs() == body->getArgument(0) &&
         product.getRhs() == body->getArgument(1);
}

static LogicalResult widenSums(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) {
    if (linalg::isaContractionOpInterface(op) && op.hasPureTensorSemantics() &&
        isNarrow(getElementTypeOrSelf(op->getResult(0).getType())))
      ops.push_back(op);
  });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return failure();
      generic = *made;
    }
    if (isNarrowSum(generic))
      widenSum(generic, rewriter);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// LLVM has no instructions for them on most CPUs: f32 in between.
static void addFloatPasses(OpPassManager &manager) {
  manager.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16", "f16"};
  emulate.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  manager.addPass(arith::createArithExpandOpsPass(expand));
}

/// Decomposes operations that cannot be bufferized: softmax, concatenations and
/// arithmetic on tensors.
static LogicalResult decompose(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::AggregatedOpInterface> aggregates;
  module.walk(
      [&](linalg::AggregatedOpInterface op) { aggregates.push_back(op); });
  for (linalg::AggregatedOpInterface op : aggregates) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, *results);
  }
  RewritePatternSet patterns(module.getContext());
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

LogicalResult tcgemm::lowerForCpu(ModuleOp module) {
  if (failed(decompose(module)) || failed(widenSums(module)))
    return failure();
  PassManager manager(module.getContext());
  manager.addPass(createConvertTensorToLinalgPass());
  addBufferization(manager);
  manager.addPass(createConvertBufferizationToMemRefPass());
  manager.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertComplexToStandardPass());
  addFloatPasses(manager);
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  return manager.run(module);
}

/// Reports an operation that no pass has lowered. The translation to LLVM IR
/// would only report a cast next to it.
static LogicalResult checkLowered(ModuleOp module) {
  WalkResult result =
      module.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
        if (isa<ModuleOp, gpu::BinaryOp, gpu::LaunchFuncOp,
                UnrealizedConversionCastOp>(op) ||
            isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
          return WalkResult::advance();
        return op->emitOpError()
               << "is not lowered to code of the host or of the "
                  "device";
      });
  return failure(result.wasInterrupted());
}

LogicalResult tcgemm::lowerForDevice(ModuleOp module,
                                     const CompileOptions &options,
                                     int64_t smCount) {
  PassManager manager(module.getContext());
  DeviceOptions device;
  device.smCount = smCount;
  buildDevicePipeline(manager, options, device);
  buildHostToLLVMPipeline(manager);
  return success(succeeded(manager.run(module)) &&
                 succeeded(checkLowered(module)));
}
