//===- Raise.cpp - Contractions become kernels and launches -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass 1. Hands on functions whose contractions, with what fuses, are launches
// of kernels, and says of every other linalg operation why it is not.
//
//===----------------------------------------------------------------------===//

#include "RaiseGroup.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tcgemm/Transforms/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_RAISE
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

namespace {
struct Raise : public tcgemm::impl::RaiseBase<Raise> {
  using RaiseBase::RaiseBase;
  void runOnOperation() override;
  void raiseFunction(func::FuncOp function, SymbolTable &symbols);
  void explain(func::FuncOp function, const Reasons &reasons);

  /// Kernels of the function at hand: numbers their names.
  unsigned numKernelsOf = 0;
};
} // namespace

/// Expresses sizes of results by sizes of operands, so that a destination does
/// not hang on the result of the contraction that is to be fused.
static void resolveSizes(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<tensor::DimOp, tensor::EmptyOp>(op))
      ops.push_back(op);
  });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

/// Writes elementwise operations on tensors (arith, math) that consume a
/// contraction's result, directly or through others, as linalg.
static void generalizeConsumers(func::FuncOp function) {
  llvm::DenseSet<Value> results;
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool isElementwise = OpTrait::hasElementwiseMappableTraits(op);
    bool starts = linalgOp && isProductSum(linalgOp);
    bool goesOn = (linalgOp || isElementwise) &&
                  llvm::any_of(op->getOperands(), [&](Value value) {
                    return results.contains(value);
                  });
    if (!starts && !goesOn)
      return;
    results.insert(op->result_begin(), op->result_end());
    if (isElementwise)
      ops.push_back(op);
  });
  RewritePatternSet patterns(function.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

void Raise::raiseFunction(func::FuncOp function, SymbolTable &symbols) {
  generalizeConsumers(function);
  resolveSizes(function);
  Reasons reasons;
  SmallVector<linalg::LinalgOp> contractions;
  function.walk([&](linalg::LinalgOp op) {
    if (isProductSum(op))
      contractions.push_back(op);
  });
  for (linalg::LinalgOp op : contractions) {
    std::string reason;
    std::optional<Group> group = matchContraction(op, reason);
    if (!group) {
      reasons[op] = reason;
      continue;
    }
    reasons.erase(op);
    collectConsumers(*group, reasons);
    if (group->getOutputs().empty()) {
      reasons[op] = "its result is not used";
      continue;
    }
    size_t numOps = group->fused.size();
    std::string name = (function.getName() + "_" + Twine(numKernelsOf++)).str();
    LaunchOp launch = buildKernel(*group, symbols, function, name);
    remark::passed(launch.getLoc(), remark::RemarkOpts::name("raised")
                                        .category("tcgemm-raise")
                                        .function(function.getName()))
        << remark::metric("Kernel", launch.getKernel())
        << remark::metric("FusedOps", numOps);
    ++numKernels;
    numFused += numOps;
  }
  explain(function, reasons);
}

/// Why an operation that is still there was not taken.
static std::string getReason(linalg::LinalgOp op, const Reasons &reasons) {
  auto it = reasons.find(op);
  if (it != reasons.end())
    return it->second;
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp<LaunchOp>())
      return "it stands in another block than the contraction";
  for (Operation *user : op->getUsers())
    if (isa<LaunchOp>(user))
      return "it computes an operand of a contraction; only what consumes the "
             "result is fused";
  return "it is neither a contraction nor does it consume one's result";
}

void Raise::explain(func::FuncOp function, const Reasons &reasons) {
  function.walk([&](Operation *op) {
    if (op->getDialect() != getContext().getLoadedDialect("linalg") ||
        isa<linalg::YieldOp, linalg::IndexOp>(op))
      return;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    std::string reason = linalgOp ? getReason(linalgOp, reasons)
                                  : "it is not a structured linalg operation";
    ++numLeft;
    remark::missed(op->getLoc(), remark::RemarkOpts::name("not-raised")
                                     .category("tcgemm-raise")
                                     .function(function.getName()))
        << remark::metric("Operation", op->getName().getStringRef())
        << remark::reason("{0}", reason);
    if (remarks)
      op->emitRemark() << "'" << op->getName()
                       << "' is left as it is: " << reason;
  });
}

void Raise::runOnOperation() {
  SymbolTable symbols(getOperation());
  for (auto function :
       llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
    numKernelsOf = 0;
    raiseFunction(function, symbols);
  }
}
