//===- StagedInputs.h - Epilogue inputs by way of shared memory --*- C++
//-*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices that an epilogue reads may come by TMA, as A and B do, while the
// products run: each role of consumers has a ring of one stage for them, which
// one of its threads fills.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_STAGEDINPUTS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_STAGEDINPUTS_H

#include "Common/ProgramBuilder.h"

namespace tcgemm {

/// The kernel's operands that can be staged: matrices of 16 bits whose rows run
/// along n, and which the epilogue reads in any case.
llvm::SmallVector<unsigned> getStageableInputs(KernelOp kernel);

/// The staged inputs of one role.
class StagedInputs {
public:
  /// For the tiles of `groups` warpgroups, which hold an `acc` each; these are
  /// stored in chunks of 64 rows and `chunkColumns` columns.
  StagedInputs(ProgramBuilder &p, AccType acc, int64_t groups,
               int64_t chunkColumns);

  mlir::Value getRing() const { return ring; }
  /// The operands, in the order of the stage's tiles.
  llvm::ArrayRef<unsigned> getOperands() const { return operands; }
  mlir::Value start();
  mlir::Value advance(mlir::Value state);
  /// Starts the copies for the role's tile at (batch, m, n).
  void load(mlir::Value state, mlir::Value batch, mlir::Value m, mlir::Value n);
  /// Waits for them and returns the token to read and release.
  mlir::Value wait(mlir::Value state);
  void release(mlir::Value token);

private:
  ProgramBuilder &p;
  AccType acc;
  int64_t groups, columns;
  llvm::SmallVector<unsigned> operands;
  llvm::SmallVector<mlir::Value> maps;
  mlir::Value ring;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_STAGEDINPUTS_H
