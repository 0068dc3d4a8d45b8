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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

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

/// The elements of an accumulator that a thread holds, with their coordinates.
struct AccView {
  mlir::SmallVector<mlir::Value> rows, columns; // i32 coordinates
  mlir::SmallVector<mlir::Value> values;        // rows × columns, row-major
  bool pairs = false; // columns 2j and 2j+1 are neighbours
  mlir::Value at(unsigned row, unsigned column) const {
    return values[row * columns.size() + column];
  }
};

class TileLowering {
public:
  explicit TileLowering(ProgramOp program)
      : program(program), b(program.getLoc(), program.getContext()) {}

  /// Replaces the program's body. Fails after a diagnostic.
  mlir::LogicalResult run();

private:
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  void lowerYield(mlir::scf::YieldOp op);
  void clone(mlir::Operation *op);

  // Ring (TileLowering.cpp).
  void lower(RasterOp op);
  void lower(RingCreateOp op);
  void lower(RingStartOp op);
  void lower(RingAdvanceOp op);
  void lower(RingCommitOp op);
  void lower(RingWaitOp op);
  void lower(RingDrainOp op);
  mlir::Value createGroup();
  // Copies (TileLoweringCopies.cpp).
  void lower(LoaderCreateOp op);
  void lower(LoaderStartOp op);
  void lower(LoaderAdvanceOp op);
  void lower(LoaderCopyOp op);
  mlir::Value copyValid(const LoaderState &loader, int64_t copy,
                        mlir::Value kValid);
  // Products (TileLoweringProducts.cpp).
  void lower(AccZeroOp op);
  void lower(FragmentLoadOp op);
  void lower(MmaOp op);
  void lower(AccReduceOp op);
  void lower(AccGatherOp op);
  // Epilogue (TileLoweringEpilogue.cpp).
  void lower(EpilogueOp op);
  AccView viewAcc(EpilogueOp op);
  mlir::Value epilogueAddress(EpilogueOp op, unsigned buffer, mlir::Value m,
                              mlir::Value n);
  mlir::Value getBuffer(EpilogueOp op, unsigned buffer);
  mlir::Value isVectorizable(EpilogueOp op, unsigned buffer, int64_t vector);
  mlir::Value isInside(EpilogueOp op, mlir::Value m, mlir::Value n);
  using Values = llvm::SmallVector<mlir::Value>;
  Values choose(mlir::Value condition, mlir::TypeRange types,
                llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);
  Values loadEach(EpilogueOp op, unsigned input, mlir::ValueRange rows,
                  mlir::ValueRange columns);
  Values loadPairs(EpilogueOp op, unsigned input, mlir::ValueRange rows,
                   mlir::ValueRange columns);
  Values loadBlock(EpilogueOp op, unsigned input, const AccView &view,
                   mlir::Value whole);
  void storeEach(EpilogueOp op, unsigned buffer, const AccView &view,
                 mlir::ValueRange results);
  void storePairs(EpilogueOp op, unsigned buffer, const AccView &view,
                  mlir::ValueRange results);
  void storeStaged(EpilogueOp op, unsigned buffer, const AccView &view,
                   mlir::ValueRange results, bool isLast);
  void storeBlock(EpilogueOp op, unsigned output, const AccView &view,
                  mlir::ValueRange results, mlir::Value whole, bool isLast);
  Values evaluate(EpilogueOp op, mlir::Value acc, mlir::ValueRange inputs,
                  mlir::Value m, mlir::Value n);

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

  // Small arithmetic.
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y) {
    return add(x, constantLike(x, y));
  }
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y) {
    return mul(x, constantLike(x, y));
  }
  mlir::Value divU(mlir::Value x, int64_t y);
  mlir::Value remU(mlir::Value x, int64_t y);
  mlir::Value bitXor(mlir::Value x, mlir::Value y);
  mlir::Value bitXor(mlir::Value x, int64_t y) { return bitXor(x, i32(y)); }
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                  mlir::Value y);
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y);
  mlir::Value bitAnd(mlir::Value x, mlir::Value y);
  mlir::Value ext(mlir::Value value);   // i32 → i64, unsigned
  mlir::Value index(mlir::Value value); // i32 or i64 → index
  mlir::Value constantLike(mlir::Value x, int64_t y);
  mlir::Value threadId();
  mlir::Value laneId() { return remU(threadId(), 32); }
  /// The 16-byte chunk where `chunk` of `row` lies in a swizzled tile.
  mlir::Value swizzle(TileType tile, mlir::Value row, mlir::Value chunk,
                      const LoaderState *loader);
  /// Shared memory as a rank-1 memref of `type`, from its start.
  mlir::Value sharedAs(mlir::Type type, int64_t elements);
  /// Index of `offset` (i32 elements) plus `constant` elements.
  mlir::Value indexAt(mlir::Value offset, int64_t constant);

  ProgramOp program;
  mlir::ImplicitLocOpBuilder b;
  llvm::DenseMap<mlir::Value, mlir::SmallVector<mlir::Value>> values;
  llvm::DenseMap<mlir::Value, LoaderState> loaders;
  mlir::Value thread;
  /// How often epilogues stage: a loop counts twice.
  unsigned stagings = 0;
  /// All copies are loads and stores, which need no groups and no waits.
  bool copiesInOrder = false;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILELOWERING_H
