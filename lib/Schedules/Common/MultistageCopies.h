//===- MultistageCopies.h - Copies of A and B to a ring ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGECOPIES_H
#define TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGECOPIES_H

#include "Common/MultistageTiles.h"

namespace tcgemm {

/// The copies of both operands, the ring that they fill, and the reads of it.
/// An operand that is not staged has no copies: it is read from global memory.
class MultistageCopies {
public:
  MultistageCopies(ProgramBuilder &p, const KernelConfig &config,
                   MultistageWorker &worker)
      : p(p), c(config), worker(worker) {}

  /// Prepares the copies of a place and sets its k-tiles.
  void start(MultistagePlace &place);
  /// Returns the operand whose stages hold what the next tile needs if their
  /// tiles have it in common and all k-tiles have stages of their own. Tiles
  /// start with the first stage.
  std::optional<unsigned> findKept() const;
  /// Returns whether `kept`, which findKept() returns, must be copied for
  /// `next`, the tile that a CTA computes behind `place`.
  mlir::Value mustCopy(unsigned kept, const MultistagePlace &place,
                       const MultistagePlace &next);
  void createRing();
  mlir::Value getRing() const { return ring; }
  /// The position of a stage of the ring.
  mlir::Value getStart(int64_t stage = 0);
  mlir::Value getNext(mlir::Value state);

  /// The elements of k-tile `tile` (i32) that are inside K, from its first one.
  mlir::Value getValid(mlir::Value tile);
  /// Returns whether a slice may have more k-tiles than the prologue copies.
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
  /// The fragments of A and B for one step along k of `tile`, whose stage is at
  /// `state`. Beyond the last tile, values are undefined.
  llvm::SmallVector<mlir::Value> loadFragments(mlir::Value state,
                                               mlir::Value read, int64_t step,
                                               mlir::Value tile);

  /// The thread's current addresses of the operands that are copied.
  llvm::SmallVector<mlir::Value> getAddresses() const;
  /// Takes as many addresses from the front of `values`.
  void takeAddresses(mlir::ValueRange &values);
  /// The addresses `by` elements along k behind the current ones.
  llvm::SmallVector<mlir::Value> getNextAddresses(mlir::Value by);

private:
  /// One operand's copies: its loader and the thread's current address. An
  /// operand that is not staged has no loader; the address is that of its
  /// batch.
  struct Stream {
    mlir::Value loader;
    mlir::Value address, stride;
    /// The operand's tile in a stage, and whether its rows run along k.
    int64_t tile = 0;
    bool transposed = false;
  };

  void makeStream(unsigned operand, const MultistagePlace &place);
  void chooseSlice(MultistagePlace &place);
  mlir::Value fetchFragment(unsigned operand, int64_t step, mlir::Value tile);
  mlir::Value countAlongK(unsigned operand, mlir::Value elements);
  mlir::Value countAlongSide(unsigned operand, mlir::Value elements);
  mlir::Value getDepth();
  /// The k-tiles of all slices; none if K is known at run time only.
  std::optional<int64_t> countStaticTiles() const;
  TokenType getToken(TokenKind kind) {
    return TokenType::get(p.b().getContext(), kind);
  }

  ProgramBuilder &p;
  const KernelConfig &c;
  MultistageWorker &worker;
  Stream streams[2];
  MultistagePlace place;
  mlir::Value ring;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGECOPIES_H
