//===- TileVerifier.h - The rules of the tile level -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules for a whole `tcgemm.program`. docs/rationale/tile-level.md states
// them. Each step below checks some of the rules and may rely on the previous
// steps.
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

/// Checks the positions of operations and the requirements on chip and roles.
mlir::LogicalResult verifyStructure(ProgramOp program);

/// Checks that tokens and accumulators in flight are consumed once on every
/// path.
mlir::LogicalResult verifyLinearity(ProgramOp program);

/// Checks phases, groups of copies, products in flight and held stages, in the
/// order in which each role's code is executed.
mlir::LogicalResult verifyProtocol(ProgramOp program);

/// Checks arrive counts and order barriers between roles.
mlir::LogicalResult verifyBarriers(ProgramOp program);
mlir::LogicalResult verifyOrder(ProgramOp program);

/// Checks that waits for other grids precede accesses to global memory.
mlir::LogicalResult verifyDependence(ProgramOp program);

/// Checks shared memory and registers.
mlir::LogicalResult verifyResources(ProgramOp program);

/// Check operations with a wmma layout: fragments of whole instructions, tiles
/// that wmma can read, staging memory for each warp. Operations without such a
/// layout pass.
mlir::LogicalResult verifyWmmaFragment(mlir::Operation *op, FragmentType type);
mlir::LogicalResult verifyWmmaLoad(FragmentLoadOp op);
mlir::LogicalResult verifyWmmaStaging(EpilogueOp op);
mlir::LogicalResult verifyReductions(EpilogueOp op);

/// Checks the number of staging tiles of an epilogue or of partial results.
mlir::LogicalResult verifyBuffers(mlir::Operation *op, int64_t buffers);
/// Checks the tensor maps of an epilogue's stores, if there are any.
mlir::LogicalResult verifyStoresByTma(EpilogueOp op);
/// Checks the boxes in which a role's threads store, if there are any.
mlir::LogicalResult verifyStagedBoxes(EpilogueOp op);

/// Checks the position of an exchange between a cluster's CTAs.
mlir::LogicalResult verifyExchange(AccClusterReduceOp op);

/// Checks that all threads of a consumer role execute `op` once, as an exchange
/// of accumulators needs it.
mlir::LogicalResult verifyPlaceOfExchange(mlir::Operation *op);
/// Checks that the parts that roles send are those that one role receives.
mlir::LogicalResult verifyRoleSums(ProgramOp program);

/// Bytes of the accumulators `acc`, of 32 bits, of all warpgroups of a role.
int64_t countAccBytes(RoleOp role, AccType acc);

/// Bytes of shared memory of rings, staging tiles and exchanges.
int64_t countSharedMemory(ProgramOp program);

/// The role that contains `op`, if any.
RoleOp getRole(mlir::Operation *op);

/// Returns whether the role alternates with others: it has order barriers.
bool takesTurns(RoleOp role);

/// Returns whether `op` skips uses that other roles make in their turns.
bool isInterleaving(RingAdvanceOp op);

/// The program's rings, in order.
llvm::SmallVector<RingCreateOp> getRings(ProgramOp program);

/// Checks that a stage of `ring` has a tile number `tile`.
mlir::LogicalResult verifyTileIndex(mlir::Operation *op, RingType ring,
                                    int64_t tile);

/// Checks that `token`, an operand or result of `op`, is of `kind`.
mlir::LogicalResult verifyToken(mlir::Operation *op, TokenType token,
                                TokenKind kind);

/// Returns whether values of `type` are consumed exactly once.
bool isLinear(mlir::Type type);

} // namespace tcgemm::tile_verifier

#endif // TCGEMM_LIB_DIALECT_VERIFIER_TILEVERIFIER_H
