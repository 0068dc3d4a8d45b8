//===- Passes.h - Passes of lib/Pipelines -----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_PASSES_H
#define TCGEMM_PIPELINES_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tcgemm/Config/ConfigProvider.h"

namespace tcgemm {

#define GEN_PASS_DECL
#include "tcgemm/Pipelines/Passes.h.inc"

/// Pass 2 with providers. It asks them in order, then the records, and finally
/// the default model.
std::unique_ptr<mlir::Pass> createConfigure(ConfigureOptions options,
                                            ConfigProviders providers);

#define GEN_PASS_REGISTRATION
#include "tcgemm/Pipelines/Passes.h.inc"

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_PASSES_H
