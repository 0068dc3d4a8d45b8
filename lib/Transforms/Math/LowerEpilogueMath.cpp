//===- LowerEpilogueMath.cpp - Math without libdevice -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output has arith and those math operations for which NVPTX has
// instructions.
//
//===----------------------------------------------------------------------===//

#include "Math/MathPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tcgemm/Transforms/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_LOWEREPILOGUEMATH
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
struct LowerEpilogueMath
    : public tcgemm::impl::LowerEpilogueMathBase<LowerEpilogueMath> {
  using LowerEpilogueMathBase::LowerEpilogueMathBase;
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  /// For expressions of several operations.
  std::shared_ptr<const FrozenRewritePatternSet> fusions;
  std::shared_ptr<const FrozenRewritePatternSet> patterns;
};
} // namespace

LogicalResult LowerEpilogueMath::initialize(MLIRContext *context) {
  RewritePatternSet fused(context), set(context);
  if (approx)
    populateApproxMathFusionPatterns(fused);
  else
    populateMathFusionPatterns(fused);
  fusions = std::make_shared<FrozenRewritePatternSet>(std::move(fused));
  populateWidenPatterns(set);
  populateFP8Patterns(set);
  populateNarrowIntegerPatterns(set);
  if (approx)
    populateApproxMathPatterns(set);
  populateMathPatterns(set);
  arith::populateCeilFloorDivExpandOpsPatterns(set);
  // Without fma, ceil and roundeven, which are instructions of the GPU.
  math::populateExpansionPatterns(set, {"cosh", "tan", "acosh", "powf", "fpowi",
                                        "ipowi", "rsqrt", "clampf"});
  populateMathPolynomialApproximationPatterns(
      set, [](StringRef) { return true; }, /*benefit=*/1);
  patterns = std::make_shared<FrozenRewritePatternSet>(std::move(set));
  return success();
}

/// Returns whether NVPTX has an instruction for the scalar operation.
static bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RoundOp, math::SqrtOp, math::TruncOp>(op);
}

/// Rejects wider integers, for which LLVM would call library functions.
static LogicalResult verifyWidths(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
          integer && integer.getWidth() > kMaxScalarBits)
        return op->emitOpError()
               << "has the type " << type << "; integers must have at most "
               << kMaxScalarBits << " bits";
  return success();
}

/// Returns whether the operation does not interpret its operands.
static bool movesBits(Operation *op) {
  return isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp>(op);
}

static LogicalResult verifyLowered(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto type32 = dyn_cast<FloatType>(getElementTypeOrSelf(type));
          type32 && !type32.isF16() && !type32.isBF16() && !type32.isF32() &&
          !type32.isF64() && !(isFP8(type32) && movesBits(op)))
        return op->emitOpError()
               << "has the type " << type
               << "; floats must be f16, bf16, f32 or f64, or from compute "
                  "capability 89 on f8E4M3FN or f8E5M2";
  if (!isa<math::MathDialect>(op->getDialect()) || isNative(op))
    return success();
  return op->emitOpError() << "on " << op->getResult(0).getType()
                           << " cannot be lowered without libdevice";
}

/// Permits the contraction of a product and a sum to one instruction.
static void allowContraction(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    return;
  // An element of 16 bits would lose a rounding that differs from the others'.
  if (op->getResult(0).getType().getIntOrFloatBitWidth() < 32)
    return;
  auto arithmetic = cast<arith::ArithFastMathInterface>(op);
  auto flags = arithmetic.getFastMathFlagsAttr().getValue() |
               arith::FastMathFlags::contract;
  op->setAttr(arithmetic.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

void LowerEpilogueMath::runOnOperation() {
  Operation *root = getOperation();
  SmallVector<Operation *> ops;
  auto collect = [&]() {
    ops.clear();
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // The manifest has the kernel's original epilogue.
      if (op != root && isa<KernelOp, func::FuncOp>(op))
        return WalkResult::skip();
      if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
              op->getDialect()))
        ops.push_back(op);
      return WalkResult::advance();
    });
  };
  collect();
  if (!llvm::all_of(ops,
                    [](Operation *op) { return succeeded(verifyWidths(op)); }))
    return signalPassFailure();
  for (Operation *op : ops)
    numLowered += isa<math::MathDialect>(op->getDialect()) && !isNative(op);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, *fusions, config);
  collect();
  (void)applyOpPatternsGreedily(ops, *patterns, config);
  collect();
  for (Operation *op : ops)
    if (failed(verifyLowered(op)))
      return signalPassFailure();
  if (approx)
    llvm::for_each(ops, allowContraction);
}
