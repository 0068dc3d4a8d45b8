//===- DotCopies.cpp - Vectors that lanes copy ahead ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers limit the loads that a lane has in flight, shared memory does not:
// seven CTAs of an H200's multiprocessor can have all of their weights on the
// way at once. Copies and loads are PTX text, whose order LLVM preserves.
//
//===----------------------------------------------------------------------===//

#include "DotCopies.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

DotCopies::DotCopies(LoweringContext &c, DotRows &rows, int64_t unroll)
    : b(c.b), rows(rows), unroll(unroll), stages(*rows.op.getStages()),
      threads(c.analysis.getProgram().getThreads()),
      numRows(rows.sides[DotRows::Many].addresses.size()),
      vectorBytes(rows.sides[DotRows::Many].getBytes(rows.getVector())),
      stageBytes(getPlace(unroll, 0)) {
  Value start = b.create<LLVM::PtrToIntOp>(b.getI32Type(), createSharedBase(b));
  base = b.add(start, b.mul(c.threadId(), vectorBytes));
}

void DotCopies::copy(Value stage, ArrayRef<Value> addresses, Value left) {
  const DotSide &side = rows.sides[DotRows::Many];
  Value target = b.add(base, stage);
  // Copies of 16 bytes bypass the L1 cache, narrower ones cannot.
  StringRef cache = side.loadBytes == 16 ? "cg" : "ca";
  for (int64_t vector = 0; vector < unroll; ++vector) {
    int64_t first = vector * rows.getRound();
    Value isInside =
        b.cmp(arith::CmpIPredicate::sge, left, b.i32(first + rows.getVector()));
    Value size = b.select(isInside, b.i32(side.loadBytes), b.i32(0));
    for (auto [row, address] : llvm::enumerate(addresses))
      for (int64_t at = 0; at < vectorBytes; at += side.loadBytes)
        createAssembly(
            b,
            llvm::formatv("cp.async.{0}.shared.global.L2::128B [$0 + {1}], "
                          "[$1 + {2}], {3}, $2;",
                          cache, getPlace(vector, row) + at,
                          side.getBytes(first) + at, side.loadBytes)
                .str(),
            "r,l,r", TypeRange(), {target, address, size});
  }
  b.create<NVVM::CpAsyncCommitGroupOp>();
}

void DotCopies::wait() { b.create<NVVM::CpAsyncWaitGroupOp>(stages - 2); }

/// The `bytes`, 4, 8 or 16, at `address` + `offset` in shared memory, as words.
static Values loadShared(IntegerBuilder &b, Value address, int64_t offset,
                         int64_t bytes) {
  int64_t count = bytes / 4;
  std::string list, constraints;
  for (int64_t i = 0; i < count; ++i) {
    list += llvm::formatv("{0}${1}", i ? ", " : "", i);
    constraints += "=r,";
  }
  std::string text =
      count == 1 ? llvm::formatv("ld.shared.b32 $0, [$1 + {0}];", offset).str()
                 : llvm::formatv("ld.shared.v{0}.b32 {{{1}}, [${0} + {2}];",
                                 count, list, offset)
                       .str();
  return createAssembly(b, text, constraints + "r",
                        SmallVector<Type>(count, b.getI32Type()), {address});
}

SmallVector<Values> DotCopies::load(Value stage, int64_t vector) {
  Value source = b.add(base, stage);
  SmallVector<Values> words;
  for (int64_t row = 0; row < numRows; ++row)
    words.push_back(loadShared(b, source, getPlace(vector, row), vectorBytes));
  return words;
}

Value DotCopies::getNext(Value stage) {
  Value isLast = b.equal(stage, b.i32((stages - 1) * stageBytes));
  return b.select(isLast, b.i32(0), b.add(stage, stageBytes));
}

Value DotCopies::getPrevious(Value stage) {
  Value isFirst = b.equal(stage, b.i32(0));
  return b.select(isFirst, b.i32((stages - 1) * stageBytes),
                  b.sub(stage, b.i32(stageBytes)));
}
