//===- WritePack.h - A compiled module as a kernel pack -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_WRITEPACK_H
#define TCGEMM_PIPELINES_WRITEPACK_H

#include "mlir/IR/BuiltinOps.h"
#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

/// The pack of a module that tcgemm-emit has finished.
mlir::FailureOr<KernelPack> buildPack(mlir::ModuleOp module);

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_WRITEPACK_H
