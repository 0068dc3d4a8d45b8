//===- Plugin.cpp - tcgemm in a stock mlir-opt -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mlir-opt --load-dialect-plugin=TcgemmPlugin.so
//            --load-pass-plugin=TcgemmPlugin.so ...
//
// The symbols are weak, so that several plugins can be linked into one program.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Version.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tcgemm", TCGEMM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            tcgemm::registerDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tcgemm", TCGEMM_VERSION_STRING,
          [] { tcgemm::registerPasses(); }};
}
