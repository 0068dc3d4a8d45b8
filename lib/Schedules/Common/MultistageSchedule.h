//===- MultistageSchedule.h - Programs with a ring of copies ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mma_sync and simt have in common: all but who multiplies what, and from
// which tiles.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGESCHEDULE_H
#define TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGESCHEDULE_H

#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"

namespace tcgemm {

class MultistageSchedule {
public:
  MultistageSchedule(ProgramBuilder &p, const KernelConfig &config)
      : p(p), c(config) {}
  virtual ~MultistageSchedule() = default;
  void build();

protected:
  /// Sets the indices of the worker, a warp or a thread, within the CTA.
  virtual void locateWorker() = 0;
  /// How operand A (0) or B (1) comes to which tile in shared memory.
  virtual LoaderType getLoaderType(unsigned operand) = 0;
  /// What the worker reads of it for one step along k.
  virtual FragmentType getFragmentType(unsigned operand) = 0;
  virtual AccType getAccType() = 0;
  /// Steps along k that the worker does for each stage.
  virtual int64_t getKSteps() = 0;
  /// From the CTA's first row (operand 0) or column (1) to the worker's.
  virtual mlir::Value getWorkerOffset(unsigned operand) = 0;

  ProgramBuilder &p;
  const KernelConfig &c;
  /// The worker's indices along M and N, and a warp's along K.
  mlir::Value worker[2], warpK;

private:
  /// One operand's copies: its loader and the thread's current address.
  struct Stream {
    mlir::Value loader;
    mlir::Value address;
    /// The rows of its tile run along k.
    bool transposed;
  };

  void locate();
  void chooseSlice();
  void makeStream(unsigned operand, mlir::Value origin, mlir::Value extent);
  void prologue();
  mlir::Value depth();
  bool refills() const;
  mlir::Value copyStage(mlir::Value state, mlir::Value kValid,
                        mlir::Value present);
  void copyPart(mlir::Value state, mlir::Value write, mlir::Value kValid,
                int64_t part, int64_t parts);
  void mainLoop();
  llvm::SmallVector<mlir::Value> iteration(mlir::Value tile);
  /// K-steps that fragments are loaded ahead of their product.
  int64_t getAhead() const { return c.fragmentBuffers - 1; }
  llvm::SmallVector<mlir::Value> loadFragments(mlir::Value state,
                                               mlir::Value read, int64_t step);
  mlir::Value waitFor(mlir::Value state, mlir::Value inFlight);
  void finishTile();

  mlir::Value advance(mlir::Value state) {
    return p.b().create<RingAdvanceOp>(state.getType(), ring, state,
                                       mlir::Value());
  }
  TokenType token(TokenKind kind) {
    return TokenType::get(p.b().getContext(), kind);
  }

  mlir::Value batch, m0, n0, slice;
  mlir::Value firstTile, endTile, firstValid;
  mlir::Value ring, acc;
  Stream streams[2];
  // What the loop carries besides accumulator and addresses.
  mlir::Value readState, writeState, readToken;
  llvm::SmallVector<mlir::Value> inFlight, fragments;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGESCHEDULE_H
