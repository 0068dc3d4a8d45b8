//===- TileVerifier.h - The rules of the tile level -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a whole `tcgemm.program` must obey. docs/rationale/tile-level.md states
// the rules; each step below checks some of them and may rely on the steps
// before it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_VERIFIER_TILEVERIFIER_H
#define TCGEMM_LIB_DIALECT_VERIFIER_TILEVERIFIER_H

#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm::tile_verifier {

inline constexpr llvm::StringLiteral readInFlightMessage =
    "accumulator is read in flight: mma.await it with pending 0 first";

/// Runs all steps below.
mlir::LogicalResult verifyProgram(ProgramOp program);

/// Where operations may stand, and what the chip and the roles must allow.
mlir::LogicalResult verifyStructure(ProgramOp program);

/// Tokens, and accumulators in flight, are consumed once on every path.
mlir::LogicalResult verifyLinearity(ProgramOp program);

/// Phases, groups of copies and products in flight, and stages held, in the
/// order in which each role's code runs.
mlir::LogicalResult verifyProtocol(ProgramOp program);

/// Arrive counts and order barriers: what the roles owe each other.
mlir::LogicalResult verifyBarriers(ProgramOp program);
mlir::LogicalResult verifyOrder(ProgramOp program);

/// Waits for other grids come before accesses to global memory.
mlir::LogicalResult verifyDependence(ProgramOp program);

/// Shared memory and registers.
mlir::LogicalResult verifyResources(ProgramOp program);

/// Checks of operations that have a wmma layout, which others pass: fragments
/// of whole instructions, tiles that wmma can read, staging memory for each
/// warp.
mlir::LogicalResult verifyWmmaFragment(mlir::Operation *op, FragmentType type);
mlir::LogicalResult verifyWmmaLoad(FragmentLoadOp op);
mlir::LogicalResult verifyWmmaStaging(EpilogueOp op);

/// Checks where an exchange between a cluster's CTAs stands.
mlir::LogicalResult verifyExchange(AccClusterReduceOp op);

/// Bytes of shared memory of rings, staging tiles and exchanges.
int64_t countSharedMemory(ProgramOp program);

/// The role that `op` is part of, if any.
RoleOp getRole(mlir::Operation *op);

/// Whether the role takes turns with others: it has order barriers.
bool takesTurns(RoleOp role);

/// Whether `op` leaves out uses that other roles make in their turns.
bool isInterleaving(RingAdvanceOp op);

/// The program's rings, in order.
llvm::SmallVector<RingCreateOp> getRings(ProgramOp program);

/// Checks that `token`, which `op` takes or gives, is of `kind`.
mlir::LogicalResult verifyToken(mlir::Operation *op, TokenType token,
                                TokenKind kind);

/// Whether values of `type` are consumed exactly once.
bool isLinear(mlir::Type type);

} // namespace tcgemm::tile_verifier

#endif // TCGEMM_LIB_DIALECT_VERIFIER_TILEVERIFIER_H
