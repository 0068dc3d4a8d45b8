//===- StagedInputs.h - Epilogue inputs in shared memory --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TMA may copy matrices that an epilogue reads while the products run, like A
// and B. Each role of consumers has a ring of one stage for them, which one of
// its threads fills. A matrix that a scalar multiplies, BLAS's C, is only
// copied and read where the scalar is not 0.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_STAGEDINPUTS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_STAGEDINPUTS_H

#include "Common/ProgramBuilder.h"

namespace tcgemm {

/// The kernel's operands that can be staged: matrices of 16 bits with rows
/// along n.
llvm::SmallVector<unsigned> getStageableInputs(KernelOp kernel);
/// The scalar operand that guards `operand`, an input of the epilogue, or -1:
/// see findGuard.
int64_t findGuardOfInput(KernelOp kernel, unsigned operand);

/// The staged inputs of one role.
class StagedInputs {
public:
  /// `operands` for the tiles of `groups` warpgroups, each with an accumulator
  /// `acc`, which is stored in chunks of 64 rows and `chunkColumns` columns.
  StagedInputs(ProgramBuilder &p, llvm::ArrayRef<unsigned> operands,
               AccType acc, int64_t groups, int64_t chunkColumns);

  mlir::Value getRing() const { return ring; }
  /// The operands, in the order of the stage's tiles.
  llvm::ArrayRef<unsigned> getOperands() const { return operands; }
  mlir::Value start();
  mlir::Value advance(mlir::Value state);
  /// Starts the copies for the role's tile at (batch, m, n).
  void load(mlir::Value state, mlir::Value batch, mlir::Value m, mlir::Value n);
  /// Waits for the copies and returns the token to read and release.
  mlir::Value wait(mlir::Value state);
  void release(mlir::Value token);

private:
  mlir::Value buildCondition(unsigned tile);
  void loadTile(unsigned tile, mlir::Value state, mlir::Value token,
                llvm::ArrayRef<mlir::Value> origin);

  ProgramBuilder &p;
  AccType acc;
  int64_t groups, columns;
  llvm::SmallVector<unsigned> operands;
  llvm::SmallVector<mlir::Value> maps;
  mlir::Value ring;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_STAGEDINPUTS_H
