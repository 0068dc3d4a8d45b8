//===- PartialsCombination.cpp - Combines partial results -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialsCombination.h"
#include "ControlFlow.h"
#include "SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tcgemm;

constexpr int64_t kLanesOfWarp = 32;
constexpr unsigned kAllLanes = kLanesOfWarp - 1;

/// The combination of every group-th partial result of a lane. Several loads
/// are in flight; those beyond the last one repeat it and do not count.
Value PartialsCombination::combineOwn(PartialsCombineOp op, Value lane,
                                      Value group, Value count) {
  // The single CTA of a single result has no others to hide latency.
  int64_t inFlight = op.getLanes() == 1 ? 16 : 8;
  Value neutral = states->createNeutral();
  int64_t groups =
      int64_t(analysis.getProgram().getThreads()) / int64_t(op.getLanes());
  Value base = b.add(one(op.getOffset()), b.ext(lane));
  Value last = b.sub(count, b.i64(1));
  auto loop = b.create<scf::ForOp>(b.ext(group), count,
                                   b.i64(groups * inFlight), neutral);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(loop.getBody());
  Values loaded;
  for (int64_t i = 0; i < inFlight; ++i) {
    Value number = b.add(loop.getInductionVar(), i * groups);
    Value index = b.minU(number, last);
    Value value = b.create<memref::LoadOp>(
        one(op.getPartials()),
        b.index(b.add(base, b.mul(index, one(op.getStride())))));
    loaded.push_back(b.select(b.equal(number, index), value, neutral));
  }
  b.create<scf::YieldOp>(
      states->combine(loop.getRegionIterArg(0), states->combine(loaded)));
  return loop.getResult(0);
}

/// The combination of all threads' values, for each of them.
Value PartialsCombination::combineThreads(Value own, Value memory) {
  Value ofWarp = states->combineLanes(own, kAllLanes), lane = c.laneId();
  buildIf(b, b.equal(lane, b.i32(0)), [&] {
    b.create<memref::StoreOp>(ofWarp, memory, b.index(c.warpId()));
  });
  b.create<gpu::BarrierOp>();
  int64_t warps = int64_t(analysis.getProgram().getThreads()) / kLanesOfWarp;
  Value loaded =
      b.create<memref::LoadOp>(memory, b.index(b.minU(lane, b.i32(warps - 1))));
  Value ofOther =
      b.select(b.lessU(lane, b.i32(warps)), loaded, states->createNeutral());
  return states->combineLanes(ofOther, kAllLanes);
}

/// The combination of the values of all groups of `lanes` threads, for each
/// thread of the first group.
Value PartialsCombination::combineGroups(Value own, Value memory,
                                         int64_t lanes) {
  int64_t threads = analysis.getProgram().getThreads();
  Value thread = c.threadId(), group = b.divU(thread, lanes);
  auto load = [&](Value index) -> Value {
    return b.create<memref::LoadOp>(memory, b.index(index));
  };
  auto store = [&](Value value) {
    b.create<memref::StoreOp>(value, memory, b.index(thread));
  };
  store(own);
  for (int64_t half = threads / lanes / 2; half > 0; half /= 2) {
    b.create<gpu::BarrierOp>();
    buildIf(b, b.lessU(group, b.i32(half)), [&] {
      store(states->combine(load(thread), load(b.add(thread, half * lanes))));
    });
  }
  return load(thread);
}

void PartialsCombination::lower(PartialsCombineOp op) {
  ReductionAttr info = op.getInfo();
  states = createStates(
      b, info.getCombiner(), info.getInitial().getType(),
      cast<MemRefType>(op.getPartials().getType()).getElementType());
  int64_t lanes = op.getLanes();
  int64_t threads = analysis.getProgram().getThreads();
  Value thread = c.threadId();
  Value lane = b.remU(thread, lanes), group = b.divU(thread, lanes);
  Value hasResult = b.lessU(lane, one(op.getResults()));
  Value count = b.select(hasResult, one(op.getCount()), b.i64(0));
  Value own = combineOwn(op, lane, group, count);
  Value memory = createSharedView(b, own.getType(), threads);
  Value total = lanes == 1 ? combineThreads(own, memory)
                           : combineGroups(own, memory, lanes);
  Value writes = b.bitAnd(b.equal(group, b.i32(0)), hasResult);
  buildIf(b, writes, [&] {
    Value initial = b.create<arith::ConstantOp>(info.getInitial());
    Value target = b.add(one(op.getOutputOffset()),
                         b.mul(b.ext(lane), one(op.getOutputStride())));
    b.create<memref::StoreOp>(states->createResult(total, initial),
                              one(op.getOutput()), b.index(target));
  });
}
