//===- tcgemm-opt.cpp - mlir-opt with tcgemm's passes -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ToolSetup.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tcgemm/InitAll.h"

static const char overview[] =
    R"(tcgemm: matrix multiplication kernels for tensor cores

mlir-opt's driver with tcgemm's dialect, passes and pipelines beside MLIR's own.

  tcgemm-opt matmul.mlir --tcgemm-to-nvvm="chip=sm_90"    lower to NVVM
  tcgemm-opt matmul.mlir --tcgemm-to-cubin="chip=sm_90"   compile to a cubin
  tcgemm-opt matmul.mlir --tcgemm-to-nvvm --mlir-print-ir-after-all
                                                          show every stage

A pass or pipeline takes options in quotes: --name="key=value key=value".
tcgemm's begin with "tcgemm-"; docs/reference/ describes each.
LLVM's own options: --help-hidden.
)";

int main(int argc, char **argv) {
  tcgemm::setUpTool();
  mlir::DialectRegistry registry;
  tcgemm::registerAll(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, overview, registry));
}
