//===- TileLoweringRoleCopies.cpp - Copies by a role's threads -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As TileLoweringCopies.cpp, into the stages of an mbarrier ring. A producer
// has few registers and many copies a stage, hence a loop: a copy has nothing
// of its own but constants, and a turn's copies follow those of the turn before
// by adding to three values.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

/// Copies of one turn. Single elements pass through registers: the latency of
/// all loads of a turn is waited for once.
static constexpr int64_t kCopiesPerTurn = 8, kElementsPerTurn = 64;

/// Where the thread's copies start, and how much there is of what they copy.
CopyCursor TileLowering::startCopies(LoaderCopyOp op) {
  const LoaderState &loader = loaders[op.getLoader()];
  Value vector = i32(loader.type.getVector());
  auto clamp = [&](Value left) {
    Value positive = b.createOrFold<arith::MaxSIOp>(left, i32(0));
    return b.createOrFold<arith::MinSIOp>(positive, vector);
  };
  CopyCursor cursor;
  cursor.source = one(op.getAddress());
  cursor.target =
      mul(one(op.getState()), getStageElements(op.getRing().getType()));
  Value side = sub(loader.extent, loader.origin);
  Value kValid = op.getKValid() ? one(op.getKValid()) : Value();
  if (loader.type.getKContiguous()) {
    cursor.rows = sub(side, loader.row);
    cursor.width = kValid ? clamp(sub(kValid, loader.column)) : vector;
  } else {
    int64_t depth = loader.type.getTile().getRows();
    cursor.rows = sub(kValid ? kValid : i32(depth), loader.row);
    cursor.width = clamp(sub(side, loader.column));
  }
  // Of a single element nothing is there unless its column is.
  if (loader.type.getBytes() == 2)
    cursor.rows = select(cmp(arith::CmpIPredicate::ne, cursor.width, i32(0)),
                         cursor.rows, i32(0));
  return cursor;
}

CopyCursor TileLowering::moveCopies(LoaderCopyOp op, const CopyCursor &from,
                                    int64_t copies) {
  const LoaderState &loader = loaders[op.getLoader()];
  int64_t rows = copies * loader.type.getRowsPerPass();
  return {add(from.source, mul(loader.stride, rows)),
          add(from.target, rows * getRowElements(loader.type.getTile())),
          sub(from.rows, i32(rows)), from.width};
}

/// Copies `first` to `end` of the thread's, the first of them at `cursor`.
void TileLowering::emitCopies(LoaderCopyOp op, const CopyCursor &cursor,
                              int64_t first, int64_t end) {
  const LoaderState &loader = loaders[op.getLoader()];
  const LoaderType &type = loader.type;
  RingType ring = op.getRing().getType();
  Type element = type.getTile().getElementType();
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  int64_t rowElements = getRowElements(type.getTile());
  int64_t ringStart = layout.stages.lookup(op.getRing().getDefiningOp());
  int64_t tileStart =
      (ringStart + ring.getTileOffset(op.getTile())) / elementBytes +
      int64_t(op.getRow()) * rowElements;
  Value memory =
      sharedAs(element, ringStart / elementBytes +
                            ring.getStages() * getStageElements(ring));
  auto getSource = [&](int64_t copy) {
    return moveCopies(op, cursor, copy - first).source;
  };
  auto getTarget = [&](int64_t copy) {
    int64_t phase = copy % type.getSwizzlePeriod();
    int64_t down = copy - phase - first;
    return indexAt(add(cursor.target, loader.shared[phase]),
                   tileStart + down * type.getRowsPerPass() * rowElements);
  };
  auto hasRow = [&](int64_t copy) {
    return cmp(arith::CmpIPredicate::sgt, cursor.rows,
               i32((copy - first) * type.getRowsPerPass()));
  };
  auto whereActive = [&](int64_t copy, llvm::function_ref<void()> body) {
    OpBuilder::InsertionGuard scope(b);
    if (loader.active && copy + 1 == type.getNumCopies()) {
      auto guard = b.create<scf::IfOp>(loader.active, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guard.thenBlock());
    }
    body();
  };

  if (type.getBytes() > 2) {
    for (int64_t copy = first; copy < end; ++copy)
      whereActive(copy, [&] {
        Value valid = select(hasRow(copy), cursor.width, i32(0));
        b.create<nvgpu::DeviceAsyncCopyOp>(
            nvgpu::DeviceAsyncTokenType::get(b.getContext()), memory,
            getTarget(copy), loader.base, index(getSource(copy)),
            b.getIndexAttr(type.getVector()), index(valid),
            type.getBytes() == 16 ? b.getUnitAttr() : UnitAttr());
      });
    return;
  }
  // One element at a time, all loads of the turn before its stores.
  Values loaded;
  for (int64_t copy = first; copy < end; ++copy)
    loaded.push_back(loadIfThere(loader.base, getSource(copy), cursor.rows,
                                 (copy - first) * type.getRowsPerPass()));
  for (int64_t copy = first; copy < end; ++copy)
    whereActive(copy, [&] {
      b.create<memref::StoreOp>(loaded[copy - first], memory, getTarget(copy));
    });
}

/// The 16-bit element `source` of `base` if `rows` is more than `above`, else
/// zero. By a predicate: with branches, or a choice of addresses, ptxas takes
/// registers that a producer does not have.
Value TileLowering::loadIfThere(Value base, Value source, Value rows,
                                int64_t above) {
  Value start = b.create<arith::IndexCastUIOp>(
      b.getI64Type(), b.create<memref::ExtractAlignedPointerAsIndexOp>(base));
  std::string text = llvm::formatv("{{\n"
                                   ".reg .pred isThere;\n"
                                   "setp.gt.s32 isThere, $2, {0};\n"
                                   "mov.b16 $0, 0;\n"
                                   "@isThere ld.global.b16 $0, [$1];\n"
                                   "}",
                                   above);
  Value bits =
      b.create<LLVM::InlineAsmOp>(
           b.getI16Type(), ValueRange{add(start, mul(source, 2)), rows}, text,
           "=h,l,r", /*has_side_effects=*/true,
           /*is_align_stack=*/false, LLVM::TailCallKind::None,
           LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
           ArrayAttr())
          .getRes();
  return b.create<arith::BitcastOp>(
      cast<MemRefType>(base.getType()).getElementType(), bits);
}

void TileLowering::copyInRole(LoaderCopyOp op) {
  const LoaderType &type = loaders[op.getLoader()].type;
  int64_t copies = type.getNumCopies();
  int64_t first = copies * op.getPart() / op.getParts();
  int64_t end = copies * (op.getPart() + 1) / op.getParts();
  int64_t perTurn = kCopiesPerTurn;
  if (type.getBytes() == 2) {
    // Two turns at least: ptxas would mix the loads of tiles that take but one,
    // and spill. The swizzle repeats after four.
    int64_t turns =
        std::max<int64_t>(2, llvm::divideCeil(copies, kElementsPerTurn));
    perTurn = std::max<int64_t>(4, llvm::alignDown(copies / turns, 4));
  }
  // The last pass may be for some of the threads only.
  int64_t whole = end == copies && type.hasPartialPass() ? end - 1 : end;
  CopyCursor cursor = startCopies(op);
  cursor = moveCopies(op, cursor, first);
  if (int64_t turns = (whole - first) / perTurn; turns > 1) {
    auto loop =
        createRolledLoop(turns, {cursor.source, cursor.target, cursor.rows});
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange now = loop.getRegionIterArgs();
    CopyCursor inLoop{now[0], now[1], now[2], cursor.width};
    emitCopies(op, inLoop, first, first + perTurn);
    CopyCursor next = moveCopies(op, inLoop, perTurn);
    b.create<scf::YieldOp>(ValueRange{next.source, next.target, next.rows});
    cursor = {loop.getResult(0), loop.getResult(1), loop.getResult(2),
              cursor.width};
    first += turns * perTurn;
  }
  for (; first < end; first += perTurn) {
    int64_t last = std::min(end, first + perTurn);
    emitCopies(op, cursor, first, last);
    if (last < end)
      cursor = moveCopies(op, cursor, perTurn);
  }
}
