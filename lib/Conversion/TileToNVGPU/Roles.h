//===- Roles.h - Who runs the code of a role --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_ROLES_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_ROLES_H

#include "LoweringContext.h"

namespace tcgemm {

/// The number of the thread within the role that contains `op`, i32.
mlir::Value getThreadInRole(LoweringContext &c, mlir::Operation *op);
/// The number of the warpgroup within the role that contains `op`, i32.
mlir::Value getGroupInRole(LoweringContext &c, mlir::Operation *op);
/// The number of the CTA within its cluster, i32.
mlir::Value createClusterRank(IntegerBuilder &b);

/// Restricts execution to the role's leader thread, if other threads run the
/// role, too. Moves the insertion point there.
void enterLeader(LoweringContext &c, RoleOp role);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_ROLES_H
