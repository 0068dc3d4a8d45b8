//===- AppDialect.h - The embedder's own operations -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An example of an embedding program's dialect: one operation that tcgemm does
// not know, and the pass that lowers it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBEDDING_APPDIALECT_H
#define EMBEDDING_APPDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Pass/Pass.h"

namespace app {

class AppDialect : public mlir::Dialect {
public:
  explicit AppDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "app"; }
};

/// `"app.report"(%rows) : (index) -> ()` reports progress to the program.
class ReportOp
    : public mlir::Op<ReportOp, mlir::OpTrait::ZeroRegions,
                      mlir::OpTrait::ZeroResults, mlir::OpTrait::ZeroSuccessors,
                      mlir::OpTrait::OneOperand> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "app.report"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
};

/// Makes each app.report a call of the program's function `app_report`.
std::unique_ptr<mlir::Pass> createLowerApp();

} // namespace app

MLIR_DECLARE_EXPLICIT_TYPE_ID(app::AppDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(app::ReportOp)

#endif // EMBEDDING_APPDIALECT_H
