//===- tcgemm-opt.cpp - mlir-opt with tcgemm's passes -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Passes.h"
#include "tcgemm/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  tcgemm::registerConfigure();
  tcgemm::registerSchedule();
  tcgemm::registerTcgemmConversionPasses();
  tcgemm::registerTcgemmTargetPasses();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<tcgemm::TcgemmDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "tcgemm: matrix multiplication kernels for tensor cores\n",
      registry));
}
