//===- Pack.h - A compiled module as a kernel pack -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_PACK_H
#define TCGEMM_LIB_PIPELINES_PACK_H

#include "mlir/IR/BuiltinOps.h"
#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

/// The pack of a module that tcgemm-emit has finished.
mlir::FailureOr<KernelPack> buildPack(mlir::ModuleOp module);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_PACK_H
