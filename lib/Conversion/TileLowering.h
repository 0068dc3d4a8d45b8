//===- TileLowering.h - Expands tile-level operations -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile-level value stands for many values of a thread (an accumulator is a
// list of registers) or for none (a token of a cp.async stage). The lowering
// walks a program once, in order, and writes a new body; values that loops
// carry are expanded in place. One member function an operation, one file a
// subject.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILELOWERING_H
#define TCGEMM_LIB_CONVERSION_TILELOWERING_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Support/IntegerBuilder.h"

namespace tcgemm {

/// What a thread knows of its copies of one operand.
struct LoaderState {
  LoaderType type;
  mlir::Value base;        // rank-1 memref in global memory
  mlir::Value stride;      // i64, elements between rows
  mlir::Value origin;      // i32, first row or column of the CTA's tile
  mlir::Value extent;      // i32, rows or columns of the operand
  mlir::Value row, column; // i32, the thread's first element in the tile
  mlir::SmallVector<mlir::Value> shared; // i32 offsets, one per swizzle phase
  mlir::Value active; // i1 of the last pass, where it is partial
  // i32 0 or 1, for `sectors`: whether the copies of row 0 start in the middle
  // of a sector, and whether those of the next row differ from it in that.
  mlir::Value turned, alternates;
};

/// A thread's next copy: its address in global memory and what to add to it for
/// the one after (i64), the offset of its stage and pass in shared memory
/// (i32), in elements; the rows of the operand from its own on, and the
/// elements of its vector that there are in each (i32).
struct CopyCursor {
  mlir::Value source, step, target, rows, width;
};

/// The elements of an accumulator that a thread holds, with their coordinates.
struct AccView {
  mlir::SmallVector<mlir::Value> rows, columns; // i32 coordinates
  mlir::SmallVector<mlir::Value> values;        // rows × columns, row-major
  int64_t run = 1; // columns come in runs of so many neighbours
  mlir::Value at(unsigned row, unsigned column) const {
    return values[row * columns.size() + column];
  }
  /// A part of it: so many rows and columns of those that the thread holds.
  AccView cut(size_t firstRow, size_t numRows, size_t firstColumn,
              size_t numColumns) const;
};

/// How an accumulator is cut into parts: where they start, in elements from its
/// corner, and how large they and a thread's share of them are. Only the last
/// ones of rows may overlap others.
struct PartGrid {
  mlir::SmallVector<int64_t> rows, columns;
  int64_t numRows, numColumns;
  size_t heldRows, heldColumns;
};

/// A part of an accumulator, its number and where it starts (i32); whether it
/// is known to be the last one.
struct Part {
  AccView view;
  mlir::Value number, row, column;
  bool isLast;
};

/// A box of an output: where it starts in the staging memory, in bytes, and in
/// the output; and the rows and 16-byte pieces of them that a warp has of it.
struct BoxPlace {
  mlir::Value start, m, n, firstRow, firstPiece;
  int64_t rows, pieces;
};

/// What a thread knows of the rows that acc.dot multiplies (see
/// TileLoweringDot.cpp).
struct DotPlan;

/// Where the parts of shared memory lie, in bytes: the stages of all rings,
/// then the staging tiles of roles, what a cluster's CTAs exchange, then the
/// rings' barriers.
struct SharedPlan {
  llvm::DenseMap<mlir::Operation *, int64_t> stages;   // by RingCreateOp
  llvm::DenseMap<mlir::Operation *, int64_t> staging;  // by RoleOp
  llvm::DenseMap<mlir::Operation *, int64_t> inboxes;  // by AccClusterReduceOp
  llvm::DenseMap<mlir::Operation *, int64_t> barriers; // by RingCreateOp
  explicit SharedPlan(ProgramOp program);
};

/// Elements from one row of a tile to the next.
int64_t getRowElements(TileType tile);
/// Elements of one stage. The state of a cp_async ring is the offset, in
/// elements, of a stage.
int64_t getStageElements(RingType ring);
/// Whether the ring's stages are handed over by mbarriers.
bool hasBarriers(mlir::TypedValue<RingType> ring);
/// The matrix of one wmma instruction that the fragment consists of.
mlir::gpu::MMAMatrixType getMatrixType(FragmentType fragment);

class TileLowering {
public:
  explicit TileLowering(ProgramOp program)
      : program(program), b(program.getLoc(), program.getContext()),
        layout(program) {}

  /// Replaces the program's body. Fails after a diagnostic.
  mlir::LogicalResult run();

private:
  using Values = llvm::SmallVector<mlir::Value>;
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  void lowerYield(mlir::scf::YieldOp op);
  /// A loop of `count` turns that LLVM does not unroll.
  mlir::scf::ForOp createRolledLoop(int64_t count, mlir::ValueRange carried);
  void clone(mlir::Operation *op);

  // TileLoweringRaster.cpp
  mlir::Value multiplyHigh(mlir::Value x, mlir::Value reciprocal);
  void lower(RasterOp op);
  // Ring (TileLowering.cpp).
  void lower(RingCreateOp op);
  void lower(RingStartOp op);
  void lower(RingAdvanceOp op);
  void lower(RingAcquireOp op);
  void lower(RingCommitOp op);
  mlir::LogicalResult lower(RingReleaseOp op);
  void lower(RingWaitOp op);
  void lower(RingDrainOp op);
  mlir::Value createGroup();
  // Roles (TileLoweringRoles.cpp).
  mlir::LogicalResult lower(RoleOp op);
  mlir::LogicalResult lower(ElectOp op);
  mlir::Value isFirstWarp();
  /// Whether the thread is one, elected, of the role, all of which are here.
  mlir::Value isOneThread();
  /// Continue in code of the role's first warp alone; in that of one of the
  /// warp's threads, all of which are here: the one for which `known` holds, if
  /// that is given.
  void enterFirstWarp();
  void enterElected(mlir::Value known = {});
  void lower(WarpgroupOp op);
  void lower(ClusterSyncOp op);
  // Sums over a cluster (TileLoweringClusterReduce.cpp).
  void createInbox(AccClusterReduceOp op);
  void lower(AccClusterReduceOp op);
  mlir::Value inboxBarrier(AccClusterReduceOp op);
  void sendPart(AccClusterReduceOp op, int64_t part,
                llvm::ArrayRef<mlir::Value> values);
  Values receiveParts(AccClusterReduceOp op, llvm::ArrayRef<Values> parts);
  void lower(OrderWaitOp op);
  void lower(OrderArriveOp op);
  void lower(GridWaitOp op);
  void lower(GridLaunchDependentsOp op);
  mlir::Value createSharedBase();
  mlir::Value uniformWarp();
  mlir::Value clusterRank();
  /// The number of the running thread within its role.
  mlir::Value roleThread();
  mlir::Value roleGroup();
  int64_t getLaunchedRegisters();
  // Rings over mbarriers, and TMA copies (TileLoweringMBarriers.cpp).
  void createBarriers(RingCreateOp op);
  void prefetchMaps();
  int64_t countThreadsAtStart();
  void awaitBarriers();
  void awaitBarriersInRole();
  void advanceStage(RingAdvanceOp op);
  void acquireStage(RingAcquireOp op);
  void commitStage(RingCommitOp op);
  void lower(RingEmptyGroupOp op);
  void lower(RingPublishOp op);
  void waitForStage(RingWaitOp op);
  mlir::LogicalResult releaseStage(RingReleaseOp op);
  mlir::Value findSetBit(mlir::Value number, uint64_t mask);
  mlir::LogicalResult lower(TmaLoadOp op);
  mlir::Value barrierAddress(mlir::Value ring, mlir::Value state, bool empty);
  void spin(mlir::Value barrier, mlir::Value parity);
  mlir::FailureOr<mlir::Value> receivers(TmaLoadOp op);
  /// The address, in shared memory, `constant` plus `offset` bytes from its
  /// start.
  mlir::Value sharedAddress(mlir::Value offset, int64_t constant);
  mlir::Value mapAddress(mlir::Value map);
  /// Goes, where all threads of the role run, on for its leader alone.
  void enterLeader();
  // Asynchronous products (TileLoweringWgmma.cpp).
  void lower(MmaAsyncOp op);
  void lower(MmaAwaitOp op);
  mlir::Value matrixDescriptor(MmaAsyncOp op, bool isA);
  Values emitAssembly(llvm::StringRef text, llvm::StringRef constraints,
                      unsigned results, mlir::ValueRange operands);
  // Stores of boxes (TileLoweringStores.cpp), by threads
  // (TileLoweringBoxes.cpp).
  PartGrid cutBoxes(EpilogueOp op);
  void storeBoxes(EpilogueOp op);
  void storeBoxByTma(EpilogueOp op, unsigned output, const Part &part,
                     mlir::ValueRange results, int64_t first,
                     mlir::Value number);
  void storeBoxByThreads(EpilogueOp op, unsigned output, const Part &part,
                         mlir::ValueRange results, int64_t first);
  void storeBoxRuns(EpilogueOp op, unsigned output, const BoxPlace &at,
                    int64_t bytes);
  void storeBoxRun(EpilogueOp op, unsigned output, const BoxPlace &at,
                   mlir::Value run, int64_t bytes);
  void writeBox(EpilogueOp op, TileType box, const AccView &view,
                mlir::ValueRange results, int64_t first, mlir::Value start);
  using Place =
      llvm::function_ref<mlir::Value(mlir::Value row, mlir::Value piece)>;
  void writeMatrices(EpilogueOp op, const AccView &view,
                     mlir::ValueRange results, TileType box, int64_t first,
                     int64_t offset, Place place);
  void writePairs(const AccView &view, mlir::ValueRange results, TileType box,
                  int64_t first, int64_t offset, Place place);
  void lower(TmaAwaitOp op);
  mlir::Value swizzledPlace(TileType box, mlir::Value row, mlir::Value piece);
  // Inputs in shared memory (TileLoweringStaged.cpp).
  void readStaged(EpilogueOp op, const Part &part,
                  llvm::MutableArrayRef<Values> inputs);
  Values readMatrices(TileType box, mlir::Value start, int64_t offset);
  // Copies (TileLoweringCopies.cpp).
  void lower(LoaderCreateOp op);
  void lower(LoaderStartOp op);
  void lower(LoaderAdvanceOp op);
  void lower(LoaderCopyOp op);
  mlir::Value copyValid(const LoaderState &loader, int64_t copy,
                        mlir::Value kValid, mlir::Value left);
  // Copies by the threads of a role (TileLoweringRoleCopies.cpp).
  void copyInRole(LoaderCopyOp op);
  mlir::Value hide(mlir::Value value);
  CopyCursor startCopies(LoaderCopyOp op, int64_t first);
  CopyCursor emitCopies(LoaderCopyOp op, CopyCursor cursor, int64_t first,
                        int64_t end);
  mlir::Value loadIfThere(mlir::Value base, mlir::Value source,
                          mlir::Value rows, int64_t above);
  // Products (TileLoweringProducts.cpp).
  void lower(AccZeroOp op);
  void lower(FragmentLoadOp op);
  void lower(MmaOp op);
  void lower(AccReduceOp op);
  void lower(AccGatherOp op);
  // Matrices of wmma (TileLoweringWmma.cpp).
  void zeroMatrices(AccZeroOp op);
  void loadMatrices(FragmentLoadOp op);
  void lower(FragmentFetchOp op);
  void multiplyMatrices(MmaOp op);
  void lower(AccStageOp op);
  void lower(AccUnstageOp op);
  void storeMatrices(EpilogueOp op);
  /// A pointer to element `index` (i64) of a memref in global memory.
  mlir::Value globalAddress(mlir::Value base, mlir::Value index);
  mlir::Value canStoreMatrices(EpilogueOp op);
  void storeMatricesDirectly(EpilogueOp op);
  void storeMatricesByElement(EpilogueOp op, mlir::Value whole);
  // Products of one thread (TileLoweringSimt.cpp).
  void loadThreadFragment(FragmentLoadOp op);
  void multiplyByThread(MmaOp op);
  AccView viewSimt(EpilogueOp op);
  // Dot products from global memory (TileLoweringDot.cpp).
  void lower(AccDotOp op);
  DotPlan planDot(AccDotOp op);
  Values dotVectors(const DotPlan &dot, int64_t count, mlir::Value left,
                    llvm::ArrayRef<mlir::Value> sums);
  Values dotElements(const DotPlan &dot, mlir::Value rest,
                     llvm::ArrayRef<mlir::Value> sums);
  Values loadWords(bool ofMany, mlir::Value address, int64_t bytes,
                   int64_t offset, mlir::Value left, int64_t least);
  Values widen(const DotPlan &dot, mlir::ValueRange words);
  mlir::Value sumOverWarps(const DotPlan &dot,
                           llvm::ArrayRef<mlir::Value> sums);
  // Epilogue (TileLoweringEpilogue.cpp).
  void lower(EpilogueOp op);
  AccView viewAcc(EpilogueOp op);
  AccView viewWgmma(EpilogueOp op, bool withValues = true);
  void lower(PrefetchOp op);
  mlir::Value epilogueAddress(EpilogueOp op, unsigned buffer, mlir::Value m,
                              mlir::Value n);
  mlir::Value elementAddress(llvm::StringRef dims, mlir::ValueRange strides,
                             mlir::Value batch, mlir::Value m, mlir::Value n);
  mlir::Value getBuffer(EpilogueOp op, unsigned buffer);
  mlir::Value isVectorizable(EpilogueOp op, unsigned buffer, int64_t vector);
  mlir::Value isInside(EpilogueOp op, mlir::Value m, mlir::Value n);
  Values choose(mlir::Value condition, mlir::TypeRange types,
                llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);
  Values loadEach(EpilogueOp op, unsigned input, mlir::ValueRange rows,
                  mlir::ValueRange columns);
  Values loadInside(EpilogueOp op, unsigned input, mlir::ValueRange rows,
                    mlir::ValueRange columns);
  Values loadRuns(EpilogueOp op, unsigned input, mlir::ValueRange rows,
                  mlir::ValueRange columns, int64_t run);
  mlir::Value canLoadPairs(EpilogueOp op, const AccView &view,
                           mlir::Value whole);
  Values loadBlock(EpilogueOp op, unsigned input, const AccView &view,
                   mlir::Value whole, bool inPairs);
  mlir::Value getLoaded(EpilogueOp op, unsigned input,
                        llvm::ArrayRef<mlir::Value> loaded, const AccView &view,
                        size_t row, size_t column);
  llvm::SmallVector<Values> loadInputs(EpilogueOp op, const AccView &view,
                                       mlir::Value whole, bool inPairs);
  mlir::Value canStoreRuns(EpilogueOp op, unsigned buffer, int64_t run);
  void storeEach(EpilogueOp op, unsigned buffer, const AccView &view,
                 mlir::ValueRange results);
  void storeRuns(EpilogueOp op, unsigned buffer, const AccView &view,
                 mlir::ValueRange results);
  void storeStaged(EpilogueOp op, unsigned buffer, const AccView &view,
                   mlir::ValueRange results, bool isLast);
  void storeBlock(EpilogueOp op, unsigned output, const AccView &view,
                  mlir::ValueRange results, mlir::Value whole, bool isLast);
  PartGrid cutBlocks(EpilogueOp op, const AccView &view);
  AccView guardRounding(EpilogueOp op, AccView view);
  llvm::SmallVector<Values> evaluateBlock(EpilogueOp op, const AccView &sums,
                                          llvm::ArrayRef<Values> inputs);
  void narrowInPairs(llvm::MutableArrayRef<mlir::Value> list, size_t distance);
  mlir::Value isWhole(EpilogueOp op);
  Values evaluate(EpilogueOp op, mlir::Value acc, mlir::ValueRange inputs,
                  mlir::Value m, mlir::Value n);

  // Part by part (TileLoweringParts.cpp).
  using StorePart = llvm::function_ref<void(const Part &part,
                                            llvm::ArrayRef<Values> results)>;
  void loadEarly();
  void storeParts(EpilogueOp op, const AccView &all, const PartGrid &grid,
                  mlir::Value whole, StorePart store);
  void storePartsInLoop(EpilogueOp op, const AccView &view,
                        llvm::ArrayRef<Values> values, const PartGrid &grid,
                        mlir::Value whole, bool inPairs, StorePart store);
  Values choosePart(llvm::ArrayRef<Values> parts, mlir::Value number,
                    int64_t first);

  // Values.
  llvm::ArrayRef<mlir::Value> all(mlir::Value value) {
    return values.find(value)->second;
  }
  mlir::Value one(mlir::Value value) { return all(value).front(); }
  void set(mlir::Value from, mlir::ValueRange to) {
    values[from].assign(to.begin(), to.end());
  }
  mlir::SmallVector<mlir::Value> flatten(mlir::ValueRange list);
  /// Types of the values that one value of `type` becomes.
  mlir::SmallVector<mlir::Type> expand(mlir::Type type);

  mlir::Value threadId();
  mlir::Value laneId() { return b.remU(threadId(), 32); }
  /// The 16-byte chunk where `chunk` of `row` lies in a swizzled tile.
  mlir::Value swizzle(TileType tile, mlir::Value row, mlir::Value chunk,
                      const LoaderState *loader);
  /// Shared memory as a rank-1 memref of `type`, from its start.
  mlir::Value sharedAs(mlir::Type type, int64_t elements);
  /// Index of `offset` (i32 elements) plus `constant` elements.
  mlir::Value indexAt(mlir::Value offset, int64_t constant);

  ProgramOp program;
  IntegerBuilder b;
  SharedPlan layout;
  RoleOp role; // the one that is being lowered
  /// What epilogues have read early: part by part, for each input.
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<llvm::SmallVector<Values>>>
      earlyInputs;
  // i1, whether the thread makes the role's TMA copies; null where no other
  // runs.
  mlir::Value leader;
  llvm::DenseMap<mlir::Value, mlir::SmallVector<mlir::Value>> values;
  llvm::DenseMap<mlir::Value, LoaderState> loaders;
  mlir::Value thread;
  bool areBarriersNew = false; // made, but not yet waited for
  /// Whether the cluster's CTAs need each other only for the sum of their
  /// accumulators, so that they do not wait for each other at their start.
  bool gathersLate = false;
  bool rolesAwaitBarriers = false;
  int64_t threadsAtStart = 0; // see countThreadsAtStart
  // i1, whether the thread is one, elected at the start, of its warp.
  mlir::Value elected;
  // What programs with roles compute at their start.
  mlir::Value warp, sharedBase;
  /// How often epilogues stage: a loop counts twice.
  unsigned stagings = 0;
  /// Whether the program has a grid.wait: other grids may run as it starts.
  bool waitsForGrids = false;
  /// All copies are loads and stores, which need no groups and no waits.
  bool copiesInOrder = false;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILELOWERING_H
