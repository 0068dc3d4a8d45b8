//===- ResultsToOutParams.cpp - Results become arguments --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's buffer-results-to-out-params (LLVM 22) fails on a buffer that is
// returned twice, and drop-equivalent-buffer-results skips public functions: a
// writable destination would be copied to a second argument.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tcgemm/Transforms/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_RESULTSTOOUTPARAMS
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
class ModuleConverter {
public:
  explicit ModuleConverter(ModuleOp module) : module(module) {}
  void run();

  unsigned numOutParams = 0, numDropped = 0;

private:
  void visit(func::FuncOp function);
  void returnArguments(func::FuncOp function);
  std::string refuse(func::FuncOp function, ArrayRef<func::CallOp> calls);
  bool isWritten(Value value);
  void convert(func::FuncOp function, ArrayRef<func::CallOp> calls);

  ModuleOp module;
  SymbolTableCollection symbols;
  /// The original calls. A call is replaced only together with its callee's
  /// results.
  llvm::DenseMap<Operation *, SmallVector<func::CallOp>> callsOf;
  llvm::DenseMap<Operation *, SmallVector<func::FuncOp>> calleesOf;
  /// Functions with references other than calls.
  llvm::DenseSet<Operation *> referenced;
  llvm::DenseSet<Operation *> visited;
};

/// A result that becomes an argument, or already is one.
struct ConvertedResult {
  unsigned index;
  Value value;
  bool isArgument;
};

/// Rewrites a call so that it passes buffers for the results of its callee.
class CallRewriter {
public:
  CallRewriter(func::CallOp call, func::FuncOp callee)
      : call(call), builder(call) {
    mapping.map(callee.getArguments(), call.getOperands());
  }
  void rewrite(ArrayRef<ConvertedResult> results);

private:
  Value copySize(Value size);
  Value allocate(Value returned);

  func::CallOp call;
  OpBuilder builder;
  /// Maps values of the callee to values of the caller.
  IRMapping mapping;
};
} // namespace

/// The size of a dimension at the allocation.
static Value getAllocatedSize(memref::DimOp op) {
  auto alloc = op.getSource().getDefiningOp<memref::AllocOp>();
  std::optional<int64_t> index = op.getConstantIndex();
  if (!alloc || !index || *index >= alloc.getType().getRank() ||
      !alloc.getType().isDynamicDim(*index))
    return {};
  return alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(*index)];
}

/// Returns whether a caller can compute `size` from its arguments.
static bool canCopySize(Value size) {
  Operation *op = size.getDefiningOp();
  if (!op)
    return true;
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    if (Value given = getAllocatedSize(dim))
      return canCopySize(given);
    return isa<BlockArgument>(dim.getSource()) && canCopySize(dim.getIndex());
  }
  return isa<arith::ArithDialect>(op->getDialect()) && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), canCopySize);
}

Value CallRewriter::copySize(Value size) {
  if (Value known = mapping.lookupOrNull(size))
    return known;
  Operation *op = size.getDefiningOp();
  if (auto dim = dyn_cast<memref::DimOp>(op))
    if (Value given = getAllocatedSize(dim))
      return copySize(given);
  for (Value operand : op->getOperands())
    (void)copySize(operand);
  builder.clone(*op, mapping);
  return mapping.lookup(size);
}

Value CallRewriter::allocate(Value returned) {
  auto type = cast<MemRefType>(returned.getType());
  SmallVector<Value> sizes;
  if (auto alloc = returned.getDefiningOp<memref::AllocOp>())
    for (Value size : alloc.getDynamicSizes())
      sizes.push_back(copySize(size));
  return memref::AllocOp::create(builder, call.getLoc(), type, sizes);
}

void CallRewriter::rewrite(ArrayRef<ConvertedResult> results) {
  SmallVector<Value> operands(call.getOperands());
  llvm::BitVector erased(call.getNumResults());
  for (const ConvertedResult &result : results) {
    erased.set(result.index);
    Value buffer = result.isArgument ? mapping.lookup(result.value)
                                     : allocate(result.value);
    if (!result.isArgument)
      operands.push_back(buffer);
    call.getResult(result.index).replaceAllUsesWith(buffer);
  }
  SmallVector<Type> types;
  for (auto [index, type] : llvm::enumerate(call.getResultTypes()))
    if (!erased[index])
      types.push_back(type);
  auto changed = func::CallOp::create(builder, call.getLoc(), call.getCallee(),
                                      types, operands);
  changed->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  auto next = changed.getResults().begin();
  for (auto [index, result] : llvm::enumerate(call.getResults()))
    if (!erased[index])
      result.replaceAllUsesWith(*next++);
  call.erase();
}

/// Returns whether the function itself, or a callee, writes the argument, so
/// that the caller finds the result there.
bool ModuleConverter::isWritten(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return false;
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (OpOperand &use : next.getUses()) {
      auto effects = dyn_cast<MemoryEffectOpInterface>(use.getOwner());
      if (effects && effects.getEffectOnValue<MemoryEffects::Write>(next))
        return true;
      auto call = dyn_cast<func::CallOp>(use.getOwner());
      auto callee = call ? symbols.lookupNearestSymbolFrom<func::FuncOp>(
                               call, call.getCalleeAttr())
                         : func::FuncOp();
      if (callee && !callee.isExternal())
        worklist.push_back(callee.getArgument(use.getOperandNumber()));
    }
  }
  return false;
}

/// The copy by which `returned` gets the contents of a written argument.
/// Bufferization copies an argument if its layout is not the result's.
static memref::CopyOp findLastCopy(Value returned) {
  auto alloc = returned.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return {};
  memref::CopyOp copy;
  for (Operation *user : alloc->getUsers()) {
    if (isa<func::ReturnOp>(user))
      continue;
    auto found = dyn_cast<memref::CopyOp>(user);
    if (!found || copy || found.getTarget() != returned ||
        !isa<BlockArgument>(found.getSource()))
      return {};
    copy = found;
  }
  if (!copy || copy->getBlock() != alloc->getBlock())
    return {};
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
    auto other = dyn_cast<memref::CopyOp>(op);
    bool isHarmless = other ? other.getTarget().getDefiningOp() != nullptr
                            : isa<memref::AllocOp, func::ReturnOp>(op);
    if (!isHarmless && !isMemoryEffectFree(op))
      return {};
  }
  return copy;
}

/// Returns written arguments themselves, with their own layout.
void ModuleConverter::returnArguments(func::FuncOp function) {
  Operation *terminator = function.front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    memref::CopyOp copy = findLastCopy(operand.get());
    if (!copy || !isWritten(copy.getSource()))
      continue;
    Operation *alloc = operand.get().getDefiningOp();
    alloc->replaceAllUsesWith(ValueRange{copy.getSource()});
    copy.erase();
    alloc->erase();
  }
}

/// The reason why the function keeps its results; empty if they can become
/// arguments.
std::string ModuleConverter::refuse(func::FuncOp function,
                                    ArrayRef<func::CallOp> calls) {
  if (!llvm::hasSingleElement(function.getBody()))
    return "has more than one block";
  if (referenced.contains(function))
    return "is referred to by something else than calls";
  if (calls.empty())
    return "";
  for (func::CallOp call : calls)
    if (call->getParentOfType<func::FuncOp>() == function)
      return "calls itself";
  for (Value value : function.front().getTerminator()->getOperands()) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || isWritten(value))
      continue;
    auto alloc = value.getDefiningOp<memref::AllocOp>();
    bool isKnown = alloc ? llvm::all_of(alloc.getDynamicSizes(), canCopySize)
                         : type.hasStaticShape();
    if (!isKnown || !type.getLayout().isIdentity())
      return "is called, and its callers cannot tell the size of its result";
  }
  return "";
}

/// Returns buffers themselves in the place of views that collapse dimensions
/// and expand them again.
static void returnViewedBuffers(func::ReturnOp terminator) {
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto expand = operand.get().getDefiningOp<memref::ExpandShapeOp>();
    auto collapse =
        expand ? expand.getSrc().getDefiningOp<memref::CollapseShapeOp>()
               : memref::CollapseShapeOp();
    if (collapse && collapse.getSrcType() == expand.getType() &&
        collapse.getReassociation() == expand.getReassociation())
      operand.set(collapse.getSrc());
  }
}

/// Lets the caller's buffer replace a returned allocation, or one of which
/// dimensions are expanded in what is returned. Returns whether it does.
static bool replaceAllocation(Value returned, BlockArgument argument) {
  if (auto alloc = returned.getDefiningOp<memref::AllocOp>()) {
    alloc.replaceAllUsesWith(Value(argument));
    alloc.erase();
    return true;
  }
  auto expand = returned.getDefiningOp<memref::ExpandShapeOp>();
  if (!expand)
    return false;
  auto alloc = expand.getSrc().getDefiningOp<memref::AllocOp>();
  SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
  if (!alloc || memref::CollapseShapeOp::computeCollapsedType(
                    expand.getResultType(), groups) != alloc.getType())
    return false;
  OpBuilder builder(alloc);
  Value collapsed = memref::CollapseShapeOp::create(builder, alloc.getLoc(),
                                                    argument, groups);
  expand.replaceAllUsesWith(Value(argument));
  expand.erase();
  alloc.replaceAllUsesWith(collapsed);
  alloc.erase();
  return true;
}

void ModuleConverter::convert(func::FuncOp function,
                              ArrayRef<func::CallOp> calls) {
  auto terminator = cast<func::ReturnOp>(function.front().getTerminator());
  SmallVector<ConvertedResult> converted;
  llvm::BitVector erased(function.getNumResults());
  for (auto [index, value] : llvm::enumerate(terminator.getOperands()))
    if (isa<MemRefType>(value.getType())) {
      converted.push_back({unsigned(index), value, isWritten(value)});
      erased.set(index);
    }
  for (func::CallOp call : calls)
    CallRewriter(call, function).rewrite(converted);
  Location loc = function.getLoc();
  OpBuilder builder(terminator);
  for (ConvertedResult &result : converted) {
    if (result.isArgument) {
      ++numDropped;
      continue;
    }
    // The same buffer may be returned more than once and already be replaced.
    Value value = terminator.getOperand(result.index);
    unsigned position = function.getNumArguments();
    (void)function.insertArgument(
        position, value.getType(),
        builder.getDictionaryAttr(
            builder.getNamedAttr("bufferize.result", builder.getUnitAttr())),
        loc);
    BlockArgument argument = function.getArgument(position);
    ++numOutParams;
    if (!replaceAllocation(value, argument))
      memref::CopyOp::create(builder, loc, value, argument);
  }
  (void)function.eraseResults(erased);
  terminator->eraseOperands(erased);
}

/// Visits callees first, so that their results become allocations of the
/// caller.
void ModuleConverter::visit(func::FuncOp function) {
  if (!visited.insert(function).second)
    return;
  for (func::FuncOp callee : calleesOf.lookup(function))
    visit(callee);
  if (function.isExternal() ||
      !llvm::any_of(function.getResultTypes(), llvm::IsaPred<MemRefType>))
    return;
  if (llvm::hasSingleElement(function.getBody()))
    returnViewedBuffers(cast<func::ReturnOp>(function.front().getTerminator()));
  SmallVector<func::CallOp> calls = callsOf.lookup(function);
  std::string reason = refuse(function, calls);
  if (reason.empty()) {
    // The type of a call's result is that of the function's result.
    if (calls.empty())
      returnArguments(function);
    return convert(function, calls);
  }
  function.emitRemark() << "'" << function.getName()
                        << "' keeps returning its buffers: it " << reason;
}

void ModuleConverter::run() {
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      auto caller = call->getParentOfType<func::FuncOp>();
      callsOf[callee].push_back(call);
      calleesOf[caller].push_back(callee);
      return;
    }
    op->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
      if (auto *function = symbols.lookupNearestSymbolFrom(op, symbol))
        referenced.insert(function);
    });
  });
  for (auto function : module.getOps<func::FuncOp>())
    visit(function);
}

namespace {
struct ResultsToOutParams
    : public tcgemm::impl::ResultsToOutParamsBase<ResultsToOutParams> {
  void runOnOperation() override {
    ModuleConverter converter(getOperation());
    converter.run();
    numOutParams += converter.numOutParams;
    numDropped += converter.numDropped;
  }
};
} // namespace
