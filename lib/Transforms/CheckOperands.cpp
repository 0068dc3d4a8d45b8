//===- CheckOperands.cpp - Rejects launches on host constants ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tcgemm/Transforms/Passes.h"

namespace tcgemm {
#define GEN_PASS_DEF_CHECKOPERANDS
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

static LogicalResult check(LaunchOp launch) {
  for (OpOperand &operand : launch->getOpOperands()) {
    Value value = operand.get();
    while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
      value = view.getViewSource();
    auto constant = value.getDefiningOp<memref::GetGlobalOp>();
    if (!constant)
      continue;
    InFlightDiagnostic diagnostic =
        launch.emitOpError()
        << "operand " << operand.getOperandNumber() << " of kernel '"
        << launch.getKernel() << "' is the constant '@" << constant.getName()
        << "', which is in host memory; make it an argument";
    diagnostic.attachNote(constant.getLoc()) << "the constant";
    return diagnostic;
  }
  return success();
}

namespace {
struct CheckOperands : public tcgemm::impl::CheckOperandsBase<CheckOperands> {
  void runOnOperation() override {
    bool failed = false;
    getOperation().walk(
        [&](LaunchOp launch) { failed |= mlir::failed(check(launch)); });
    if (failed)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
