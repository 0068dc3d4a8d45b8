//===- RoleCopies.cpp - Copies by the threads of a role -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A producer has few registers and many copies a stage, hence a loop: a copy
// has nothing of its own but constants, and the copies of an iteration follow
// those of the one before by adding to three values.
//
//===----------------------------------------------------------------------===//

#include "RoleCopies.h"
#include "ControlFlow.h"
#include "InlineAssembly.h"
#include "OperandRounding.h"
#include "SharedMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

/// Copies of one iteration. Single elements pass through registers: the latency
/// of all loads of an iteration is waited for once.
static constexpr int64_t kVectorsPerIteration = 8, kElementsPerIteration = 64;

static int64_t getElementBytes(TileType tile) {
  return getStorageBits(tile.getElementType()) / 8;
}

/// The cursor of the thread's first copy. LLVM knows nothing of its
/// values. It would compute addresses and comparisons for every copy ahead of
/// the loop over k, and keep more of them in registers than a producer has.
CopyCursor RoleCopies::start() {
  Value vector = b.i32(loader.type.getVector());
  CopyCursor cursor;
  int64_t rows = loader.type.getRowsPerPass();
  cursor.step = makeOpaque(b, b.mul(loader.stride, rows));
  cursor.source =
      b.add(makeOpaque(b, one(op.getAddress())), b.mul(cursor.step, firstCopy));
  cursor.target = b.add(b.mul(one(op.getState()), getStageSize()),
                        firstCopy * rows * getRowElements(tile));
  Value side = b.sub(loader.extent, loader.origin);
  Value kValid = op.getKValid() ? one(op.getKValid()) : Value();
  if (loader.type.getKContiguous()) {
    cursor.rows = b.sub(side, loader.row);
    cursor.width =
        kValid ? b.clampS(b.sub(kValid, loader.column), vector) : vector;
  } else {
    cursor.rows = b.sub(kValid ? kValid : b.i32(tile.getRows()), loader.row);
    cursor.width = b.clampS(b.sub(side, loader.column), vector);
  }
  // A single element exists only if its column does.
  if (passesRegisters())
    cursor.rows =
        b.select(b.notEqual(cursor.width, b.i32(0)), cursor.rows, b.i32(0));
  cursor.rows = makeOpaque(b, b.sub(cursor.rows, b.i32(firstCopy * rows)));
  return cursor;
}

bool RoleCopies::passesRegisters() {
  return loader.type.getBytes() <= 2 || loader.type.roundsElements();
}

/// The elements of the tile's type that fill a stage. Other tiles of the ring
/// may have another type.
int64_t RoleCopies::getStageSize() {
  return ring.getStageBytes() / getElementBytes(tile);
}

/// Shared memory up to the end of the ring's stages.
Value RoleCopies::createView() {
  int64_t start = analysis.getSharedMemory().getStages(op.getRing());
  return createSharedView(b, getStorageType(tile.getElementType()),
                          start / getElementBytes(tile) +
                              ring.getStages() * getStageSize());
}

/// The index in shared memory of a copy; the cursor is that of copy `first`.
Value RoleCopies::getTarget(const CopyCursor &cursor, int64_t first,
                            int64_t copy) {
  int64_t start = analysis.getSharedMemory().getStages(op.getRing()) +
                  ring.getTileOffset(op.getTile());
  int64_t phase = copy % loader.type.getSwizzlePeriod();
  int64_t down = (copy - phase - first) * loader.type.getRowsPerPass();
  return createIndex(b, b.add(cursor.target, loader.shared[phase]),
                     start / getElementBytes(tile) +
                         (int64_t(op.getRow()) + down) * getRowElements(tile));
}

void RoleCopies::emitVectors(CopyCursor &cursor, int64_t first, int64_t end) {
  Value memory = createView();
  for (int64_t copy = first; copy < end; ++copy) {
    Value source =
        std::exchange(cursor.source, b.add(cursor.source, cursor.step));
    buildIfActive(copy, [&] {
      Value hasRow =
          b.cmp(arith::CmpIPredicate::sgt, cursor.rows,
                b.i32((copy - first) * loader.type.getRowsPerPass()));
      Value valid = b.select(hasRow, cursor.width, b.i32(0));
      createAsyncCopy(memory, getTarget(cursor, first, copy), source, valid);
    });
  }
}

/// One element at a time, all loads before the stores.
void RoleCopies::emitElements(CopyCursor &cursor, int64_t first, int64_t end) {
  Value memory = createView();
  Values loaded;
  for (int64_t copy = first; copy < end; ++copy) {
    Value source =
        std::exchange(cursor.source, b.add(cursor.source, cursor.step));
    loaded.push_back(loadIfRowExists(
        source, cursor.rows, (copy - first) * loader.type.getRowsPerPass()));
  }
  for (int64_t copy = first; copy < end; ++copy)
    buildIfActive(copy, [&] {
      b.create<memref::StoreOp>(loaded[copy - first], memory,
                                getTarget(cursor, first, copy));
    });
}

/// Emits copies `first` to `end` of the thread's, the first of them at
/// `cursor`. Returns the cursor of the next one.
CopyCursor RoleCopies::emitCopies(CopyCursor cursor, int64_t first,
                                  int64_t end) {
  if (passesRegisters())
    emitElements(cursor, first, end);
  else
    emitVectors(cursor, first, end);
  int64_t passed = (end - first) * loader.type.getRowsPerPass();
  cursor.target = b.add(cursor.target, passed * getRowElements(tile));
  cursor.rows = b.sub(cursor.rows, b.i32(passed));
  return cursor;
}

/// Loads the element `source`, of 8, 16 or 32 bits, if `rows` is more than
/// `above`, else zero. By a predicate: with branches, or a choice of addresses,
/// ptxas takes registers that a producer does not have.
Value RoleCopies::loadIfRowExists(Value source, Value rows, int64_t above) {
  Value start = b.create<arith::IndexCastUIOp>(
      b.getI64Type(),
      b.create<memref::ExtractAlignedPointerAsIndexOp>(loader.base));
  int64_t bytes = getElementBytes(tile);
  std::string text = llvm::formatv("{{\n"
                                   ".reg .pred isThere;\n"
                                   "setp.gt.s32 isThere, $2, {0};\n"
                                   "mov.b{2} $0, 0;\n"
                                   "@isThere ld.global.b{1} $0, [$1];\n"
                                   "}",
                                   above, 8 * bytes, bytes == 4 ? 32 : 16);
  Value address = b.add(start, b.mul(source, bytes));
  Type element = cast<MemRefType>(loader.base.getType()).getElementType();
  if (bytes == 4)
    return roundOperand(
        b, op, *getScalarType(tile.getElementType()),
        createAssembly(b, text, "=f,l,r", element, ValueRange{address, rows}));
  Value bits = createAssembly(b, text, "=h,l,r", b.getI16Type(),
                              ValueRange{address, rows});
  // An element of 8 bits is the low half of its register.
  if (bytes == 1)
    return b.create<arith::TruncIOp>(element, bits);
  return b.create<arith::BitcastOp>(element, bits);
}

int64_t RoleCopies::getCopiesPerIteration() {
  if (!passesRegisters())
    return kVectorsPerIteration;
  // Two iterations at least: ptxas would mix the loads of tiles that take but
  // one, and spill. The swizzle repeats after four copies.
  int64_t copies = loader.type.getNumCopies();
  int64_t iterations =
      std::max<int64_t>(2, llvm::divideCeil(copies, kElementsPerIteration));
  return std::max<int64_t>(4, llvm::alignDown(copies / iterations, 4));
}

/// Emits a loop of `iterations`, each of `copies` copies. Returns the cursor
/// behind it.
CopyCursor RoleCopies::emitLoop(CopyCursor cursor, int64_t iterations,
                                int64_t copies) {
  auto loop = createRolledLoop(b, iterations,
                               {cursor.source, cursor.target, cursor.rows});
  CopyCursor inLoop = cursor;
  auto assign = [](CopyCursor &to, ValueRange carried) {
    to.source = carried[0], to.target = carried[1], to.rows = carried[2];
  };
  assign(inLoop, loop.getRegionIterArgs());
  assign(cursor, loop.getResults());
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  CopyCursor next = emitCopies(inLoop, firstCopy, firstCopy + copies);
  b.create<scf::YieldOp>(ValueRange{next.source, next.target, next.rows});
  return cursor;
}

void RoleCopies::emit() {
  int64_t perIteration = getCopiesPerIteration();
  // The last pass may be for some of the threads only.
  bool hasPartial =
      endCopy == loader.type.getNumCopies() && loader.type.hasPartialPass();
  int64_t whole = hasPartial ? endCopy - 1 : endCopy, next = firstCopy;
  CopyCursor cursor = start();
  if (int64_t iterations = (whole - firstCopy) / perIteration; iterations > 1) {
    cursor = emitLoop(cursor, iterations, perIteration);
    next += iterations * perIteration;
  }
  for (; next < endCopy; next += perIteration)
    cursor = emitCopies(cursor, next, std::min(endCopy, next + perIteration));
}
