//===- ResultsToOutParams.cpp - Results become arguments -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's buffer-results-to-out-params (LLVM 22) fails on a buffer that is
// returned twice, and drop-equivalent-buffer-results leaves public functions
// alone: a writable destination would be copied into a second argument.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tcgemm/Transforms/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_RESULTSTOOUTPARAMS
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {
struct ResultsToOutParams
    : public tcgemm::impl::ResultsToOutParamsBase<ResultsToOutParams> {
  using ResultsToOutParamsBase::ResultsToOutParamsBase;
  void runOnOperation() override;
  void convert(func::FuncOp function);

  /// How many arguments the function at hand had before.
  unsigned numArguments = 0;
};
} // namespace

/// Whether the function itself writes its argument, so that the caller finds
/// the result there.
static bool isWrittenArgument(Value value) {
  if (!isa<BlockArgument>(value))
    return false;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    return effects &&
           effects.getEffectOnValue<MemoryEffects::Write>(value).has_value();
  });
}

void ResultsToOutParams::convert(func::FuncOp function) {
  auto results = cast<func::ReturnOp>(function.front().getTerminator());
  llvm::BitVector erased(function.getNumResults());
  Location loc = function.getLoc();
  OpBuilder builder(results);
  for (auto [index, value] : llvm::enumerate(results.getOperands())) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      continue;
    erased.set(index);
    if (isWrittenArgument(value) &&
        value.getParentBlock() == &function.front() &&
        cast<BlockArgument>(value).getArgNumber() < numArguments) {
      ++numDropped;
      continue;
    }
    unsigned position = function.getNumArguments();
    (void)function.insertArgument(
        position, type,
        builder.getDictionaryAttr(
            builder.getNamedAttr("bufferize.result", builder.getUnitAttr())),
        loc);
    BlockArgument argument = function.getArgument(position);
    ++numOutParams;
    // A returned allocation is the caller's from the start.
    if (auto alloc = value.getDefiningOp<memref::AllocOp>()) {
      alloc.replaceAllUsesWith(Value(argument));
      alloc.erase();
      continue;
    }
    memref::CopyOp::create(builder, loc, value, argument);
  }
  (void)function.eraseResults(erased);
  results->eraseOperands(erased);
}

void ResultsToOutParams::runOnOperation() {
  ModuleOp module = getOperation();
  llvm::DenseSet<StringAttr> called;
  module.walk([&](CallOpInterface call) {
    if (auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      called.insert(symbol.getLeafReference());
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() ||
        !llvm::any_of(function.getResultTypes(), llvm::IsaPred<MemRefType>))
      continue;
    if (called.contains(function.getSymNameAttr()) ||
        !llvm::hasSingleElement(function.getBody())) {
      function.emitRemark()
          << "'" << function.getName() << "' keeps returning its buffers: it "
          << (llvm::hasSingleElement(function.getBody())
                  ? "is called in this module"
                  : "has more than one block");
      continue;
    }
    numArguments = function.getNumArguments();
    convert(function);
  }
}
