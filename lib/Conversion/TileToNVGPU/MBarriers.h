//===- MBarriers.h - Barriers in shared memory that count -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_MBARRIERS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_MBARRIERS_H

#include "LoweringContext.h"

namespace tcgemm {

/// Initialises the barriers of a ring.
void initBarriers(LoweringContext &c, RingCreateOp op);

/// Waits until all threads see the initialised barriers, unless each role does
/// so at its start.
void awaitBarrierInit(LoweringContext &c);

/// Waits for that at the start of a role, if each role does so.
void awaitBarrierInitInRole(LoweringContext &c, RoleOp role);

/// Returns a pointer to the full or empty barrier of the stage that `state`, or
/// a token to read, stands for.
mlir::Value createBarrierAddress(LoweringContext &c, mlir::Value ring,
                                 mlir::Value state, bool empty);

/// Waits for the end of the phase with this parity.
void waitForPhase(IntegerBuilder &b, mlir::Value barrier, mlir::Value parity);

/// Returns a pointer to the barrier that counts the bytes that other CTAs send
/// to the sum over a cluster.
mlir::Value createInboxBarrierAddress(LoweringContext &c,
                                      AccClusterReduceOp op);

/// Returns the generic address of a tensor map.
mlir::Value createMapAddress(IntegerBuilder &b, mlir::Value map);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_MBARRIERS_H
