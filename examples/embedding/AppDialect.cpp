//===- AppDialect.cpp - The embedder's own operations -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AppDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

MLIR_DEFINE_EXPLICIT_TYPE_ID(app::AppDialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(app::ReportOp)

app::AppDialect::AppDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<AppDialect>()) {
  addOperations<ReportOp>();
}

namespace {
struct LowerApp : public PassWrapper<LowerApp, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerApp)

  StringRef getArgument() const override { return "lower-app"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<func::FuncDialect>();
  }
  void runOnOperation() override;
};
} // namespace

void LowerApp::runOnOperation() {
  auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
  Type index = builder.getIndexType();
  auto callee =
      func::FuncOp::create(builder, getOperation().getLoc(), "app_report",
                           builder.getFunctionType({index}, TypeRange()));
  callee.setPrivate();
  getOperation().walk([&](app::ReportOp report) {
    builder.setInsertionPoint(report);
    func::CallOp::create(builder, report.getLoc(), callee,
                         report->getOperands());
    report.erase();
  });
}

std::unique_ptr<Pass> app::createLowerApp() {
  return std::make_unique<LowerApp>();
}
