//===- main.cpp - tcgemm inside another program -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module, runs tcgemm's passes on it and prints the result:
//   embedding FILE.mlir
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Transforms/Passes.h"
#include "tcgemm/Version.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: embedding FILE.mlir\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  tcgemm::registerUpstreamDialects(registry);
  tcgemm::registerDialects(registry);
  mlir::MLIRContext context(registry);

  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  llvm::outs() << "// tcgemm " TCGEMM_VERSION_STRING "\n";

  mlir::PassManager passes(&context);
  passes.addPass(tcgemm::createSchedule());
  passes.addNestedPass<mlir::gpu::GPUModuleOp>(tcgemm::createLowerTiles());
  if (mlir::failed(passes.run(*module)))
    return 1;

  unsigned programs = 0;
  module->walk([&](tcgemm::ProgramOp) { ++programs; });
  llvm::outs() << "// " << programs << " programs\n" << *module << "\n";
  return 0;
}
