//===- Describe.h - A compiled module as a manifest -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler writes JSON, and the manifest's own reader takes it from there:
// so what is written has passed the checks of what is read.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_DESCRIBE_H
#define TCGEMM_LIB_PIPELINES_DESCRIBE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace tcgemm {
class KernelOp;

/// The name of an element type.
std::string getTypeText(mlir::Type type);

/// One function that is made of launches; any other operation is an error that
/// names it.
mlir::FailureOr<llvm::json::Value> describeFunction(mlir::func::FuncOp func);

/// The epilogue's straight-line program; an operation that the manifest cannot
/// say is an error that names it.
mlir::FailureOr<llvm::json::Value> describeEpilogue(KernelOp kernel);

/// The code of one gpu.binary.
struct CodeImage {
  std::string ptx, cubin;
};

/// The manifest of a module that tcgemm-emit has finished, and the code of its
/// binaries in the order of the manifest's modules.
struct ModuleDescription {
  llvm::json::Value manifest = nullptr;
  std::vector<CodeImage> images;
};
mlir::FailureOr<ModuleDescription> describeModule(mlir::ModuleOp module);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_DESCRIBE_H
