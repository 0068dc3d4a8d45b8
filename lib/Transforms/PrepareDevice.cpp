//===- PrepareDevice.cpp - Tensor operations become linalg ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After this pass, linalg operations compute all tensors, and elementwise
// operations are fused with their consumers.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tcgemm/Transforms/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_PREPAREDEVICE
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
/// Rewrites softmax and similar operations as generic operations.
struct DecomposeAggregate
    : public OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, *results);
    return success();
  }
};

/// Generalizes operations, because fusion supports generic operations only.
/// Fills remain fills, so that later patterns recognise them.
struct Generalize : public OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::FillOp>(op) || !op.hasPureTensorSemantics())
      return failure();
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

/// Replaces a constant of equal elements by a fill, which needs no host memory.
struct FillSplat : public OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto elements = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!elements || !type || type.getEncoding())
      return failure();
    Location loc = op.getLoc();
    Value scalar = arith::ConstantOp::create(
        rewriter, loc, elements.getSplatValue<TypedAttr>());
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, scalar, empty);
    return success();
  }
};

struct PrepareDevice : public tcgemm::impl::PrepareDeviceBase<PrepareDevice> {
  using PrepareDeviceBase::PrepareDeviceBase;
  void runOnOperation() override;
};
} // namespace

/// Returns whether the producer is computed in the consumer instead. Fusion
/// repeats the computation for each consumer, which is cheaper than writing and
/// reading a tensor. A consumer that reads each element many times is not
/// fused.
static bool shouldFuse(OpOperand *operand) {
  constexpr size_t maxBodySize = 48, maxOperands = 12;
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer ||
      !consumer.getMatchingIndexingMap(operand).isPermutation())
    return false;
  return producer.getBody()->getOperations().size() +
                 consumer.getBody()->getOperations().size() <=
             maxBodySize &&
         producer->getNumOperands() + consumer->getNumOperands() <= maxOperands;
}

/// Creates a separate fill for each user of a fill. Copying a filled buffer is
/// slower than filling another one, and prevents merging kernels.
static void duplicateFills(ModuleOp module) {
  SmallVector<linalg::FillOp> fills;
  module.walk([&](linalg::FillOp fill) {
    if (fill.hasPureTensorSemantics())
      fills.push_back(fill);
  });
  for (linalg::FillOp fill : fills)
    for (OpOperand &use :
         llvm::make_early_inc_range(fill->getResult(0).getUses())) {
      if (fill->getResult(0).hasOneUse())
        break;
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*fill)->getResult(0));
    }
}

/// Copies read-only arguments into which slices are inserted, before the slices
/// are computed. The slices are then computed in place.
static void copyArgumentsOfInsertions(ModuleOp module) {
  module.walk([](tensor::InsertSliceOp insertion) {
    auto argument = dyn_cast<BlockArgument>(insertion.getDest());
    auto function =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                 : func::FuncOp();
    if (!function)
      return;
    auto writable = function.getArgAttrOfType<BoolAttr>(
        argument.getArgNumber(),
        bufferization::BufferizationDialect::kWritableAttrName);
    if (writable && writable.getValue())
      return;
    auto builder = OpBuilder::atBlockBegin(argument.getOwner());
    auto copy = bufferization::AllocTensorOp::create(
        builder, insertion.getLoc(), insertion.getDestType(), ValueRange(),
        /*copy=*/argument);
    insertion.getDestMutable().assign(copy);
  });
}

/// Reports an operation on tensors that cannot be bufferized. Bufferization
/// itself would not name the operation.
static LogicalResult checkBufferForms(ModuleOp module) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    bool hasTensors = llvm::any_of(op->getOperandTypes(), isTensor) ||
                      llvm::any_of(op->getResultTypes(), isTensor);
    if (!hasTensors || isa<bufferization::BufferizableOpInterface>(op))
      return WalkResult::advance();
    return op->emitError() << "'" << op->getName()
                           << "' cannot run on the device: it has no form on "
                              "buffers";
  });
  return failure(result.wasInterrupted());
}

void PrepareDevice::runOnOperation() {
  MLIRContext *context = &getContext();
  RewritePatternSet toLinalg(context);
  toLinalg.add<DecomposeAggregate, FillSplat, Generalize>(context);
  linalg::populateElementwiseToLinalgConversionPatterns(toLinalg);
  linalg::populateDecomposePadPatterns(toLinalg);
  tensor::populateDecomposeTensorConcatPatterns(toLinalg);
  if (failed(applyPatternsGreedily(getOperation(), std::move(toLinalg))))
    return signalPassFailure();
  RewritePatternSet fusion(context);
  linalg::populateElementwiseOpsFusionPatterns(fusion, shouldFuse);
  if (failed(applyPatternsGreedily(getOperation(), std::move(fusion))))
    return signalPassFailure();
  duplicateFills(getOperation());
  copyArgumentsOfInsertions(getOperation());
  if (failed(checkBufferForms(getOperation())))
    signalPassFailure();
}
