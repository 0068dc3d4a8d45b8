//===- Program.h - The warp-specialised wgmma program -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_PROGRAM_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_PROGRAM_H

#include "Common/ProgramBuilder.h"
#include "Common/StagedInputs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/bit.h"

namespace tcgemm {

/// Writes the program of schedule wgmma: the producer's part stands in
/// ScheduleWgmmaProducer.cpp, all else in ScheduleWgmma.cpp.
class WgmmaSchedule {
public:
  /// Threads copy the operands named in `copied` (0 is A), TMA the others.
  WgmmaSchedule(ProgramBuilder &p, const KernelConfig &config,
                llvm::ArrayRef<unsigned> copied)
      : p(p), c(config), copied(copied) {}
  void build();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  /// One operand: its part of a stage and how it is copied there.
  struct Operand {
    unsigned index; // 0 is A
    char side;      // 'm' or 'n'
    int64_t extent; // of the tile along the side
    bool transposed;
    bool byThreads;
    int64_t share; // CTAs of the cluster that read the same
    TileType tile, box;
    Value map;      // for TMA
    Values loaders; // for threads: one a box, for the running tile
    /// A tile contiguous along its side is a stack of boxes, 64 wide.
    int64_t getBoxes() const { return transposed ? extent / 64 : 1; }
  };

  /// A tile of the output, or a slice of k of one.
  struct Place {
    Value batch, m, n, slice, firstK, endK;
  };

  // The producer.
  Operand makeOperand(unsigned index);
  void createRings();
  void produce();
  Values produceTile(const Place &place, mlir::ValueRange carried);
  void loadStage(const Operand &operand, const Place &place, Value k,
                 Value state, Value write);
  Value startCopies(Operand &operand, const Place &place);
  void copyStage(const Operand &operand, Value address, Value kLeft,
                 Value state, Value write);
  void commit(Value write, llvm::SmallVectorImpl<Value> &groups);
  void publishOldest(llvm::SmallVectorImpl<Value> &groups);
  /// The operands that threads copy.
  llvm::SmallVector<Operand *, 2> getCopied();
  int64_t getGroupsBehind();

  // The consumers.
  void consume(int64_t firstWarp, int64_t warps, int64_t turn);
  Value multiply(Value state, Value read, Value acc, bool isNew);
  Value multiplyTile(const Place &place, Value &state);
  Place getShare(Place place);
  /// The inputs of the running role that are staged, if any.
  StagedInputs *getStaged(int64_t turn) {
    return staged.empty() ? nullptr : staged[std::max<int64_t>(0, turn)].get();
  }
  bool readsEarly();
  void prefetch(const Place &own, const StagedInputs *inputs);
  void store(const Place &own, Value acc, const StagedInputs *inputs,
             Value token);
  void reduceAndStore(const Place &own, Value acc);

  // All roles.
  Place locate(Value tile);
  /// Runs `body` for every tile from `from` on, by `by`; it takes the tile's
  /// place and what the loop carries, and returns that behind the tile.
  using TileBody = llvm::function_ref<Values(const Place &, mlir::ValueRange)>;
  Values forEachTile(Value from, Value by, mlir::ValueRange carried,
                     TileBody body);
  void setRegisters(RoleOp role);
  Value advance(Value state, Value by = {}) {
    return p.b().create<RingAdvanceOp>(state.getType(), ring, state, by);
  }
  TokenType token(TokenKind kind) {
    return TokenType::get(p.b().getContext(), kind);
  }
  AccType getAcc(bool inFlight) {
    return AccType::get(p.b().getContext(), c.getRowSide() / c.getSharers(),
                        c.getColumnSide(), AccLayout::Wgmma, inFlight);
  }
  /// What a warpgroup stores: all it has, or its CTA's part of the cluster's
  /// sum.
  AccType getStoredAcc() {
    AccType acc = getAcc(/*inFlight=*/false);
    return AccType::get(p.b().getContext(), acc.getRows(),
                        acc.getColumns() / c.getSumParts(), AccLayout::Wgmma,
                        /*inFlight=*/false);
  }
  /// Parts along k of a stage: a tile's row is at most a swizzle wide.
  int64_t getParts() const { return c.cta[2] / getPartDepth(); }
  int64_t getPartDepth() const { return std::min<int64_t>(64, c.cta[2]); }
  /// Products that may be in flight when the stage before is released.
  int64_t getPending() const { return c.stages > getParts() ? getParts() : 1; }
  /// Arrivals that free a stage: one a warp.
  int64_t getArrivals() const { return 4 * c.getSharers(); }
  /// The CTA's place in its cluster along M, N or K: M varies fastest.
  Value getRank(unsigned side) {
    int64_t before = side > 0 ? c.wgmma.cluster[0] : 1;
    if (side > 1)
      before *= c.wgmma.cluster[1];
    return p.remU(p.divU(rank, p.i32(before)), p.i32(c.wgmma.cluster[side]));
  }
  /// The CTAs that read the same of an operand (A: those along N), and all that
  /// share something with this one; a bit for each difference of ranks.
  int64_t getMulticast(unsigned operand) const {
    int64_t stride = operand ? 1 : c.wgmma.cluster[0], mask = 0;
    for (int64_t i = 0; i < c.wgmma.cluster[1 - operand]; ++i)
      mask |= int64_t(1) << (i * stride);
    return mask;
  }
  int64_t getMulticast() const { return getMulticast(0) | getMulticast(1); }

  ProgramBuilder &p;
  const KernelConfig &c;
  llvm::ArrayRef<unsigned> copied;
  Operand rows, columns; // of the instruction
  bool early = false;    // whether the epilogue's inputs are read early
  Value rank, first, step, numTiles, tilesM, tilesN, tilesK;
  Value ring;
  // By role of consumers.
  llvm::SmallVector<std::unique_ptr<StagedInputs>> staged;
  Place onlyTile; // of a CTA that is not persistent
  // The running consumer's number among those that share its tile.
  Value group;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_PROGRAM_H
