//===- TcgemmDotOps.cpp - Dot products from global memory -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinTypes.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

/// Checks that `op` is the only one in the program, and is in the program's own
/// block, where all threads reach its barrier.
static LogicalResult verifyPlace(AccDotOp op) {
  auto program = dyn_cast<ProgramOp>(op->getParentOp());
  if (!program)
    return op.emitOpError() << "must be in the program's own block: all "
                               "threads meet in it";
  if (!llvm::hasSingleElement(program.getBody().front().getOps<AccDotOp>()))
    return op.emitOpError()
           << "is not the program's only one, but they share their memory";
  return success();
}

static LogicalResult verifyTypes(AccDotOp op) {
  AccType acc = op.getAcc().getType();
  if (acc.getLayout() != AccLayout::Row || acc.getRows() != 1 ||
      acc.getColumns() != 1)
    return op.emitOpError()
           << "gives each thread one element, but not a " << acc;
  Type few = cast<MemRefType>(op.getFew().getType()).getElementType();
  Type many = cast<MemRefType>(op.getMany().getType()).getElementType();
  if (few != many || !(few.isF16() || few.isBF16() || few.isF32()))
    return op.emitOpError()
           << "multiplies f16, bf16 or f32, but not " << few << " by " << many;
  int64_t least = few.getIntOrFloatBitWidth() / 8;
  for (int64_t bytes : {op.getFewBytes(), op.getManyBytes()})
    if (bytes < least || bytes > 16 || !llvm::isPowerOf2_64(bytes))
      return op.emitOpError() << "loads " << bytes
                              << " bytes at a time, but it must be a power of "
                                 "two from "
                              << least << " to 16";
  return success();
}

LogicalResult AccDotOp::verify() {
  if (failed(verifyPlace(*this)) || failed(verifyTypes(*this)))
    return failure();
  int64_t threads = cast<ProgramOp>((*this)->getParentOp()).getThreads();
  int64_t rows = getRows(), columns = getColumns(), slices = getSlices();
  if (slices < 1 || threads % (32 * slices))
    return emitOpError() << "has groups of " << slices
                         << " warps, which must divide the program's "
                         << threads << " threads";
  int64_t groups = threads / 32 / slices;
  if (rows < 1 || columns < 1 || columns % groups || rows > threads / columns)
    return emitOpError() << "computes " << rows << " x " << columns
                         << " elements, but must have at most one for each of "
                            "the program's "
                         << threads << " threads, in equal columns of "
                         << groups << " groups";
  if (int64_t unroll = getUnroll(); unroll < 1 || unroll > 64)
    return emitOpError() << "unroll must be 1 to 64, but is " << unroll;
  return success();
}
