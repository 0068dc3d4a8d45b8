//===- Passes.h - Passes that emit PTX and cubins ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_PASSES_H
#define TCGEMM_TARGET_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tcgemm {

#define GEN_PASS_DECL
#include "tcgemm/Target/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tcgemm/Target/Passes.h.inc"

} // namespace tcgemm

#endif // TCGEMM_TARGET_PASSES_H
