//===- TileProtocol.h - Phases, groups and stages, role by role -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_VERIFIER_TILEPROTOCOL_H
#define TCGEMM_LIB_DIALECT_VERIFIER_TILEPROTOCOL_H

#include "Verifier/TileState.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tcgemm::tile_verifier {

/// The number of stages of a ring that a producer may hold when it acquires one
/// more, and a consumer when it waits for one more, including that one.
struct StagesHeld {
  int64_t writing = 0, reading = 0;
};

/// Interprets the code of a program, role by role, over abstract states.
class Protocol {
public:
  Protocol(ProgramOp program) : rings(getRings(program)) {}

  mlir::LogicalResult runBlock(mlir::Block &block, State &state);
  /// The state in which a role, or the program, starts.
  State getInitialState();
  /// Checks that no roles wait for each other's stages. All roles must have
  /// been interpreted.
  mlir::LogicalResult checkProgress();

private:
  mlir::LogicalResult runOp(mlir::Operation *op, State &state);
  mlir::LogicalResult run(mlir::scf::ForOp op, State &state);
  mlir::LogicalResult run(mlir::scf::WhileOp op, State &state);
  mlir::LogicalResult run(mlir::scf::IfOp op, State &state);
  mlir::LogicalResult run(RingAdvanceOp op, State &state);
  mlir::LogicalResult run(RingAcquireOp op, State &state);
  mlir::LogicalResult run(RingCommitOp op, State &state);
  mlir::LogicalResult run(RingEmptyGroupOp op, State &state);
  mlir::LogicalResult run(RingPublishOp op, State &state);
  mlir::LogicalResult run(RingWaitOp op, State &state);
  mlir::LogicalResult run(RingReleaseOp op, State &state);
  mlir::LogicalResult run(RingAwaitReleasesOp op, State &state);
  mlir::LogicalResult run(RingDrainOp op, State &state);
  mlir::LogicalResult run(MmaAsyncOp op, State &state);
  mlir::LogicalResult run(MmaAsyncFragmentOp op, State &state);
  mlir::LogicalResult run(MmaAwaitOp op, State &state);

  /// Interprets a loop's body until its initial state `state` holds for every
  /// iteration.
  mlir::LogicalResult
  iterate(mlir::Operation *loop, State &state,
          llvm::function_ref<mlir::LogicalResult(State &)> body);

  mlir::LogicalResult access(mlir::Operation *op, mlir::Value ring, Access kind,
                             mlir::Value position, mlir::Value token,
                             State &state);
  /// Checks that `token` is of `ring` and, where known, at `position`.
  mlir::LogicalResult checkToken(mlir::Operation *op, mlir::Value token,
                                 mlir::Value ring,
                                 mlir::Value position = nullptr);
  mlir::LogicalResult checkStages(mlir::Operation *op,
                                  mlir::TypedValue<RingType> ring,
                                  State &state);
  mlir::LogicalResult checkNotRead(mlir::Operation *op, mlir::Value token,
                                   const State &state);
  /// Checks that no product in flight reads `fragment`, which `op` writes.
  mlir::LogicalResult checkNotMultiplied(mlir::Operation *op,
                                         mlir::Value fragment,
                                         const State &state);
  mlir::LogicalResult checkIdle(mlir::Operation *op, mlir::Value ring,
                                const State &state);
  /// Ends `group`, which `op` waits for, with `pending` younger ones in flight.
  mlir::LogicalResult endGroup(mlir::Operation *op, mlir::Value ring,
                               mlir::Value group, int64_t pending,
                               State &state);
  int64_t countHeld(mlir::Value ring, const State &state) const;
  void end(mlir::Value token, State &state);

  llvm::SmallVector<RingCreateOp> rings;
  ValueFacts facts;
  llvm::DenseMap<mlir::Value, StagesHeld> stagesHeld;
};

} // namespace tcgemm::tile_verifier

#endif // TCGEMM_LIB_DIALECT_VERIFIER_TILEPROTOCOL_H
