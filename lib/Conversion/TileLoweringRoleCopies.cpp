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

/// `value`, of which LLVM knows nothing. It would compute addresses and
/// comparisons for every copy ahead of the loop over k, and keep more of them
/// in registers than a producer has.
Value TileLowering::hide(Value value) {
  bool isWide = value.getType().isInteger(64);
  return b
      .create<LLVM::InlineAsmOp>(
          value.getType(), value,
          isWide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
          isWide ? "=l,l" : "=r,r", /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
          ArrayAttr())
      .getRes();
}

/// The place of copy `first` of the thread's.
CopyCursor TileLowering::startCopies(LoaderCopyOp op, int64_t first) {
  const LoaderState &loader = loaders[op.getLoader()];
  Value vector = b.i32(loader.type.getVector());
  auto clamp = [&](Value left) {
    Value positive = b.createOrFold<arith::MaxSIOp>(left, b.i32(0));
    return b.createOrFold<arith::MinSIOp>(positive, vector);
  };
  CopyCursor cursor;
  int64_t rows = loader.type.getRowsPerPass();
  cursor.step = hide(b.mul(loader.stride, rows));
  cursor.source = b.add(hide(one(op.getAddress())), b.mul(cursor.step, first));
  cursor.target =
      b.add(b.mul(one(op.getState()), getStageElements(op.getRing().getType())),
            first * rows * getRowElements(loader.type.getTile()));
  Value side = b.sub(loader.extent, loader.origin);
  Value kValid = op.getKValid() ? one(op.getKValid()) : Value();
  if (loader.type.getKContiguous()) {
    cursor.rows = b.sub(side, loader.row);
    cursor.width = kValid ? clamp(b.sub(kValid, loader.column)) : vector;
  } else {
    int64_t depth = loader.type.getTile().getRows();
    cursor.rows = b.sub(kValid ? kValid : b.i32(depth), loader.row);
    cursor.width = clamp(b.sub(side, loader.column));
  }
  // Of a single element nothing is there unless its column is.
  if (loader.type.getBytes() == 2)
    cursor.rows =
        b.select(b.cmp(arith::CmpIPredicate::ne, cursor.width, b.i32(0)),
                 cursor.rows, b.i32(0));
  cursor.rows = hide(b.sub(cursor.rows, b.i32(first * rows)));
  return cursor;
}

/// Copies `first` to `end` of the thread's, the first of them at `cursor`;
/// returns where the next one is.
CopyCursor TileLowering::emitCopies(LoaderCopyOp op, CopyCursor cursor,
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
  auto nextSource = [&] {
    return std::exchange(cursor.source, b.add(cursor.source, cursor.step));
  };
  auto getTarget = [&](int64_t copy) {
    int64_t phase = copy % type.getSwizzlePeriod();
    int64_t down = copy - phase - first;
    return indexAt(b.add(cursor.target, loader.shared[phase]),
                   tileStart + down * type.getRowsPerPass() * rowElements);
  };
  auto hasRow = [&](int64_t copy) {
    return b.cmp(arith::CmpIPredicate::sgt, cursor.rows,
                 b.i32((copy - first) * type.getRowsPerPass()));
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
    for (int64_t copy = first; copy < end; ++copy) {
      Value source = nextSource();
      whereActive(copy, [&] {
        Value valid = b.select(hasRow(copy), cursor.width, b.i32(0));
        b.create<nvgpu::DeviceAsyncCopyOp>(
            nvgpu::DeviceAsyncTokenType::get(b.getContext()), memory,
            getTarget(copy), loader.base, b.index(source),
            b.getIndexAttr(type.getVector()), b.index(valid),
            type.getBytes() == 16 ? b.getUnitAttr() : UnitAttr());
      });
    }
  } else {
    // One element at a time, all loads of the turn before its stores.
    Values loaded;
    for (int64_t copy = first; copy < end; ++copy)
      loaded.push_back(loadIfThere(loader.base, nextSource(), cursor.rows,
                                   (copy - first) * type.getRowsPerPass()));
    for (int64_t copy = first; copy < end; ++copy)
      whereActive(copy, [&] {
        b.create<memref::StoreOp>(loaded[copy - first], memory,
                                  getTarget(copy));
      });
  }
  int64_t passed = (end - first) * type.getRowsPerPass();
  cursor.target = b.add(cursor.target, passed * rowElements);
  cursor.rows = b.sub(cursor.rows, b.i32(passed));
  return cursor;
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
           b.getI16Type(), ValueRange{b.add(start, b.mul(source, 2)), rows},
           text, "=h,l,r", /*has_side_effects=*/true,
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
  CopyCursor cursor = startCopies(op, first);
  if (int64_t turns = (whole - first) / perTurn; turns > 1) {
    auto loop =
        createRolledLoop(turns, {cursor.source, cursor.target, cursor.rows});
    CopyCursor inLoop = cursor;
    auto carry = [](CopyCursor &to, ValueRange carried) {
      to.source = carried[0], to.target = carried[1], to.rows = carried[2];
    };
    carry(inLoop, loop.getRegionIterArgs());
    carry(cursor, loop.getResults());
    OpBuilder::InsertionGuard scope(b);
    b.setInsertionPointToStart(loop.getBody());
    CopyCursor next = emitCopies(op, inLoop, first, first + perTurn);
    b.create<scf::YieldOp>(ValueRange{next.source, next.target, next.rows});
    first += turns * perTurn;
  }
  for (; first < end; first += perTurn)
    cursor = emitCopies(op, cursor, first, std::min(end, first + perTurn));
}
