//===- RoleSums.cpp - Sums of the roles that divide k ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A role leaves its registers in shared memory: [part - 1][4 registers][thread
// of the role], which has no bank conflicts. Those that send arrive at a named
// barrier, at which the role that receives waits.
//
//===----------------------------------------------------------------------===//

#include "RoleSums.h"
#include "Reductions.h"
#include "Roles.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

static constexpr int64_t kQuad = 4, kQuadBytes = 16;

/// The last named barrier. Order barriers use it, too, but no program has both.
/// Warpgroups use the first ones.
static constexpr int64_t kPartsBarrier = 15;

static int64_t getThreads(const ProgramAnalysis &analysis, Operation *op) {
  return 32 * analysis.getRole(op).getNumWarps();
}

Value RoleSums::getAddress(Operation *op, int64_t part, int64_t count,
                           int64_t first) {
  int64_t quad = ((part - 1) * count + first) / kQuad;
  return createSharedAddress(c, b.mul(getThreadInRole(c, op), kQuadBytes),
                             analysis.getSharedMemory().getPartSums() +
                                 quad * getThreads(analysis, op) * kQuadBytes);
}

void RoleSums::lower(AccSendOp op) {
  ArrayRef<Value> acc = all(op.getAcc());
  auto type = VectorType::get({kQuad}, acc.front().getType());
  for (size_t i = 0; i < acc.size(); i += kQuad) {
    Value quad = b.create<vector::FromElementsOp>(type, acc.slice(i, kQuad));
    b.create<LLVM::StoreOp>(
        quad, getAddress(op, op.getPart(), int64_t(acc.size()), int64_t(i)),
        kQuadBytes);
  }
  b.create<NVVM::BarrierArriveOp>(
      b.i32(kPartsBarrier),
      b.i32(int64_t(op.getParts()) * getThreads(analysis, op)));
}

void RoleSums::lower(AccReceiveOp op) {
  b.create<NVVM::BarrierOp>(
      Type(), b.i32(kPartsBarrier),
      b.i32(int64_t(op.getParts()) * getThreads(analysis, op)),
      NVVM::BarrierReductionAttr(), Value());
  Values sums(all(op.getAcc()));
  for (int64_t part = 1; part < int64_t(op.getParts()); ++part)
    for (size_t i = 0; i < sums.size(); i += kQuad)
      addQuad(b, MutableArrayRef<Value>(sums).slice(i, kQuad),
              getAddress(op, part, int64_t(sums.size()), int64_t(i)));
  set(op.getResult(), sums);
}
