//===- TileCopies.h - Conditions of copies ----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TILECOPIES_H
#define TCGEMM_DIALECT_TILECOPIES_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm {

/// The condition (i1) of a copy by TMA: that of the scf.if around it, in the
/// block that acquires the stage. Null if there is none: the copy always runs,
/// or is in deeper control flow, which is not followed. The acquire announces
/// the bytes of a tile only where the condition of its copies is true.
mlir::Value getCopyCondition(TmaLoadOp load);

} // namespace tcgemm

#endif // TCGEMM_DIALECT_TILECOPIES_H
