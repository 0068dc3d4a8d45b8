//===- MultistageCopies.h - Copies of A and B to a ring ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGECOPIES_H
#define TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGECOPIES_H

#include "Common/MultistageSchedule.h"

namespace tcgemm {

/// The part of the product that a CTA computes.
struct MultistagePlace {
  mlir::Value batch, m, n, slice;
  /// Its k-tiles, [firstTile, endTile), and how much of the first one there is:
  /// tile 0 holds K's residue, all others are whole.
  mlir::Value firstTile, endTile, firstValid;
};

/// The place of the running CTA, without its k-tiles.
MultistagePlace locateCta(ProgramBuilder &p, const KernelConfig &config);

/// The copies of both operands, the ring that they fill, and the reads of it.
class MultistageCopies {
public:
  MultistageCopies(ProgramBuilder &p, const KernelConfig &config,
                   MultistageWorker &worker)
      : p(p), c(config), worker(worker) {}

  /// Prepares the copies of a place and sets its k-tiles.
  void start(MultistagePlace &place);
  void createRing();
  mlir::Value getRing() const { return ring; }
  mlir::Value getStart();
  mlir::Value getNext(mlir::Value state);

  /// The elements of k-tile `tile` (i32) that are inside K, from its first one.
  mlir::Value getValid(mlir::Value tile);
  /// Whether a slice may have more k-tiles than the prologue copies.
  bool refills() const;
  /// Copies a whole stage if `present`; the group exists in any case.
  mlir::Value copyStage(mlir::Value state, mlir::Value kValid,
                        mlir::Value present);
  mlir::Value acquire(mlir::Value state);
  void copyPart(mlir::Value state, mlir::Value write, mlir::Value kValid,
                int64_t part, int64_t parts);
  /// Ends a stage; returns its group of copies.
  mlir::Value commit(mlir::Value write);
  /// Waits until the stage at `state`, which `group` fills, can be read.
  mlir::Value waitFor(mlir::Value state, mlir::Value group);
  /// The fragments of A and B for one step along k.
  llvm::SmallVector<mlir::Value> loadFragments(mlir::Value state,
                                               mlir::Value read, int64_t step);

  /// The thread's current address of an operand.
  mlir::Value getAddress(unsigned operand) const {
    return streams[operand].address;
  }
  void setAddress(unsigned operand, mlir::Value address) {
    streams[operand].address = address;
  }
  /// The address of an operand `by` elements along k behind the current one.
  mlir::Value getNextAddress(unsigned operand, mlir::Value by);

private:
  /// One operand's copies: its loader and the thread's current address.
  struct Stream {
    mlir::Value loader;
    mlir::Value address;
    /// The rows of its tile run along k.
    bool transposed;
  };

  void makeStream(unsigned operand, const MultistagePlace &place);
  void chooseSlice(MultistagePlace &place);
  mlir::Value countAlongK(unsigned operand, mlir::Value elements);
  mlir::Value getDepth();
  TokenType getToken(TokenKind kind) {
    return TokenType::get(p.b().getContext(), kind);
  }

  ProgramBuilder &p;
  const KernelConfig &c;
  MultistageWorker &worker;
  Stream streams[2];
  mlir::Value ring;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGECOPIES_H
