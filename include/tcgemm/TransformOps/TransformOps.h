//===- TransformOps.h - Operations of transform scripts ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An extension of MLIR's transform dialect: operations that find products and
// set their configurations. `tcgemm-tune export --as=transform` writes scripts
// with them. docs/reference/transform-operations.md describes each operation.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TRANSFORMOPS_TRANSFORMOPS_H
#define TCGEMM_TRANSFORMOPS_TRANSFORMOPS_H

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// Adds the operations to the transform dialect of `registry`, whether or not
/// it is registered yet. registerDialects of InitAll.h calls this.
void registerTransformOps(mlir::DialectRegistry &registry);

} // namespace tcgemm

#define GET_OP_CLASSES
#include "tcgemm/TransformOps/TransformOps.h.inc"

#endif // TCGEMM_TRANSFORMOPS_TRANSFORMOPS_H
