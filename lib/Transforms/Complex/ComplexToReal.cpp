//===- ComplexToReal.cpp - Complex products on real tensors ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels multiply real numbers. A function with complex products gets real
// tensors, so that raise finds products by structure constants. All of a
// function's complex tensors change or none of them, and functions that hand
// each other such tensors change together.
//
//===----------------------------------------------------------------------===//

#include "Complex/ComplexPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace tcgemm {
#define GEN_PASS_DEF_COMPLEXTOREAL
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::complex_to_real;

namespace {
struct ComplexToReal : public tcgemm::impl::ComplexToRealBase<ComplexToReal> {
  using ComplexToRealBase::ComplexToRealBase;
  ComplexToReal(ComplexToRealOptions options, OperationFilter filter)
      : ComplexToRealBase(options), filter(std::move(filter)) {}

  void runOnOperation() override;
  bool isTaken(linalg::LinalgOp op);
  bool hasProduct(func::FuncOp function);
  Operation *findObstacle(func::FuncOp function, std::string &reason);
  void explain(Operation *obstacle, StringRef reason, func::FuncOp function);
  DenseSet<Operation *> selectFunctions();
  LogicalResult convert(const DenseSet<Operation *> &functions);

  OperationFilter filter;
};
} // namespace

/// Returns whether raise may take the operation, by its attributes and the
/// options.
bool ComplexToReal::isTaken(linalg::LinalgOp op) {
  if (op->hasAttr(kSkipAttrName) || (filter && !filter(op)))
    return false;
  return !onlyMarked || op->hasAttr(kTakeAttrName) ||
         op->hasAttr(kConfigAttrName);
}

bool ComplexToReal::hasProduct(func::FuncOp function) {
  return function
      ->walk([&](linalg::LinalgOp op) {
        return op.hasPureTensorSemantics() && isComplexProduct(op) &&
                       isTaken(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The first operation of a function that keeps its tensors complex, if there
/// is one.
Operation *ComplexToReal::findObstacle(func::FuncOp function,
                                       std::string &reason) {
  if (function.isExternal()) {
    reason = "it has no body here, and so its tensors stay complex";
    return function;
  }
  auto uses = SymbolTable::getSymbolUses(function, getOperation());
  if (!uses) {
    reason = "its uses are not known";
    return function;
  }
  for (SymbolTable::SymbolUse use : *uses)
    if (!isa<func::CallOp>(use.getUser()) && hasComplexTensor(function)) {
      reason = "it refers to a function with complex tensors other than by "
               "func.call";
      return use.getUser();
    }
  Operation *obstacle = nullptr;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!hasComplexTensor(op))
      return WalkResult::advance();
    reason = checkOperation(op);
    if (reason.empty())
      return WalkResult::advance();
    obstacle = op;
    return WalkResult::interrupt();
  });
  return obstacle;
}

/// Reports the operation that keeps the tensors of `function` complex.
void ComplexToReal::explain(Operation *obstacle, StringRef reason,
                            func::FuncOp function) {
  remark::missed(obstacle->getLoc(), remark::RemarkOpts::name("complex")
                                         .category("tcgemm-complex-to-real")
                                         .function(function.getName()))
      << remark::metric("Operation", obstacle->getName().getStringRef())
      << remark::reason("{0}", reason);
  if (remarks)
    obstacle->emitRemark() << "'" << obstacle->getName()
                           << "' keeps the tensors of function '"
                           << function.getName() << "' complex, and so its "
                           << "products have no kernels: " << reason;
}

/// The functions with products, and those that exchange complex tensors with
/// them. None of these has an operation without a real form.
DenseSet<Operation *> ComplexToReal::selectFunctions() {
  llvm::EquivalenceClasses<Operation *> groups;
  SymbolTableCollection symbols;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    groups.insert(function);
    function->walk([&](func::CallOp call) {
      Operation *callee =
          symbols.lookupNearestSymbolFrom(call, call.getCalleeAttr().getAttr());
      if (isa_and_nonnull<func::FuncOp>(callee) && hasComplexTensor(call))
        groups.unionSets(function, callee);
    });
  }
  DenseSet<Operation *> selected, done;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (!hasProduct(function) ||
        !done.insert(groups.getLeaderValue(function)).second)
      continue;
    bool isConvertible = true;
    for (Operation *member : groups.members(function)) {
      std::string reason;
      Operation *obstacle = findObstacle(cast<func::FuncOp>(member), reason);
      if (!obstacle)
        continue;
      explain(obstacle, reason, cast<func::FuncOp>(member));
      isConvertible = false;
      ++numLeft;
    }
    if (isConvertible)
      for (Operation *member : groups.members(function))
        selected.insert(member);
  }
  return selected;
}

LogicalResult ComplexToReal::convert(const DenseSet<Operation *> &functions) {
  MLIRContext *context = &getContext();
  ComponentTypes types;
  RewritePatternSet patterns(context);
  ConversionTarget target(*context);
  populateComplexPatterns(patterns, types);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 types);
  populateCallOpTypeConversionPattern(patterns, types);
  populateReturnOpTypeConversionPattern(patterns, types);
  scf::populateSCFStructuralTypeConversions(types, patterns);
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    Operation *function =
        isa<func::FuncOp>(op) ? op : op->getParentOfType<func::FuncOp>();
    return !functions.contains(function) || !hasComplexTensor(op);
  });
  return applyPartialConversion(getOperation(), target, std::move(patterns));
}

void ComplexToReal::runOnOperation() {
  DenseSet<Operation *> functions = selectFunctions();
  for (Operation *function : functions)
    function->walk(
        [&](linalg::LinalgOp op) { numProducts += isComplexProduct(op); });
  numFunctions += functions.size();
  if (!functions.empty() && failed(convert(functions)))
    signalPassFailure();
}

std::unique_ptr<Pass> tcgemm::createComplexToReal(ComplexToRealOptions options,
                                                  OperationFilter filter) {
  return std::make_unique<ComplexToReal>(options, std::move(filter));
}
