//===- Passes.h - Passes of lib/Conversion ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONVERSION_PASSES_H
#define TCGEMM_CONVERSION_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

#define GEN_PASS_DECL
#include "tcgemm/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tcgemm/Conversion/Passes.h.inc"

} // namespace tcgemm

#endif // TCGEMM_CONVERSION_PASSES_H
