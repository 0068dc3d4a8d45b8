//===- WmmaStores.cpp - Stores of matrices of wmma ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which thread holds which element is not known, so that elementwise work needs
// shared memory. Work that does not depend on an element's position is done on
// the registers, and whole matrices of f32 or i32 are stored from there.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "DirectStores.h"
#include "EpilogueBody.h"
#include "EpilogueInputs.h"
#include "EpilogueReductions.h"
#include "SharedMemory.h"
#include "WmmaAccumulator.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tcgemm;

/// Elements of 32 bits to whose multiples wmma wants rows to be aligned.
static constexpr int64_t kAlignedWords = 8;

AccView WmmaAccumulator::view(EpilogueOp op, bool withValues) {
  llvm_unreachable("which thread holds which element is not known");
}

void WmmaAccumulator::store(EpilogueOp op) {
  Value whole = EpilogueAccess(c, op).isWhole();
  Value direct = canStoreMatrices(op);
  if (!direct)
    return storeByElement(op, whole);
  buildIfElse(
      b, b.bitAnd(direct, whole), [&] { storeMatrices(op); },
      [&] { storeByElement(op, whole); });
}

//===----------------------------------------------------------------------===//
// Whole matrices
//===----------------------------------------------------------------------===//

/// Returns whether the outputs can be stored by wmma, from the registers; null
/// if they never can. The registers of other types than the sums' have other
/// elements.
Value WmmaAccumulator::canStoreMatrices(EpilogueOp op) {
  Block &body = op.getBody().front();
  Type sum = op.getAcc().getType().getElementType();
  if (!op.getInputs().empty() || !body.getOps<IndexOp>().empty() ||
      sum.isF16() || op.getNumReductions())
    return nullptr;
  EpilogueAccess access(c, op);
  Value can;
  for (unsigned output = 0; output < op.getOutputs().size(); ++output) {
    auto type = cast<MemRefType>(op.getOutputs()[output].getType());
    if (type.getElementType() != sum || !access.getDims(output).contains('m'))
      return nullptr;
    Value fits = access.isVectorizable(output, kAlignedWords);
    if (!fits)
      return nullptr;
    // The instruction takes 32 bits.
    fits = b.bitAnd(
        fits, b.lessU(access.getStride(output, 'm'), b.i64(int64_t(1) << 31)));
    can = can ? b.bitAnd(can, fits) : fits;
  }
  return can;
}

/// Stores the registers of a matrix of one output.
void WmmaAccumulator::storeMatrix(EpilogueOp op, unsigned output, Value m,
                                  Value n, ValueRange results) {
  EpilogueAccess access(c, op);
  Value pitch = b.trunc(access.getStride(output, 'm'));
  Value address = getGlobalAddress(access.getBuffer(output),
                                   access.getAddress(output, m, n));
  storeRegisters(results, address, pitch);
}

void WmmaAccumulator::storeMatrices(EpilogueOp op) {
  EpilogueBody body(c, op);
  int64_t across = op.getAcc().getType().getColumns() / shape.n;
  for (auto [i, matrix] : llvm::enumerate(all(op.getAcc()))) {
    Value m = b.add(one(op.getM()), i / across * shape.m);
    Value n = b.add(one(op.getN()), i % across * shape.n);
    SmallVector<Values> results(op.getOutputs().size());
    for (Value element : getRegisters(matrix))
      for (auto [list, result] :
           llvm::zip_equal(results, body.evaluate(element, {}, m, n)))
        list.push_back(result);
    for (auto [output, list] : llvm::enumerate(results))
      storeMatrix(op, output, m, n, list);
  }
}

//===----------------------------------------------------------------------===//
// Through shared memory
//===----------------------------------------------------------------------===//

/// Matrix by matrix through the warp's share of the staging memory: neighbours
/// in a row are two to a lane, and neighbouring lanes have neighbours.
void WmmaAccumulator::storeByElement(EpilogueOp op, Value whole) {
  Type sum = op.getAcc().getType().getElementType();
  Type evaluated = op.getBody().getArgument(0).getType();
  int64_t warps = analysis.getProgram().getThreads() / 32;
  int64_t perWarp = *op.getStaging() / warps * 8 / sum.getIntOrFloatBitWidth();
  int64_t pitch = perWarp / shape.m;
  Value memory = createSharedView(b, sum, warps * perWarp);
  Value origin = b.mul(c.warpId(), perWarp), lane = c.laneId();
  int64_t pairs = shape.n / 2, rowsPerPass = 32 / pairs;
  Value row = b.divU(lane, pairs), column = b.mul(b.remU(lane, pairs), 2);
  Value own = b.add(b.add(origin, b.mul(row, pitch)), column);
  auto pairType = VectorType::get({2}, sum);
  int64_t across = op.getAcc().getType().getColumns() / shape.n;
  EpilogueReductions reductions(c, op);
  for (auto [i, matrix] : llvm::enumerate(all(op.getAcc()))) {
    storeShared(matrix, memory, origin, pitch);
    b.create<NVVM::SyncWarpOp>(b.i32(-1));
    Value m = b.add(b.add(one(op.getM()), row), i / across * shape.m);
    Value n = b.add(b.add(one(op.getN()), column), i % across * shape.n);
    AccView view;
    view.run = 2;
    view.columns = {n, b.add(n, 1)};
    for (int64_t down = 0; down < shape.m; down += rowsPerPass) {
      view.rows.push_back(b.add(m, down));
      Value pair = b.create<vector::LoadOp>(pairType, memory,
                                            createIndex(b, own, down * pitch));
      if (sum != evaluated)
        pair = b.create<arith::ExtFOp>(VectorType::get({2}, evaluated), pair);
      for (int64_t e : {0, 1})
        view.values.push_back(b.create<vector::ExtractOp>(pair, e));
    }
    auto inputs = EpilogueInputs(c, op).load(view, whole, /*inPairs=*/false);
    auto results = EpilogueBody(c, op).evaluate(view, inputs);
    ArrayRef<Values> stored = ArrayRef(results).take_front(op.getNumStored());
    reductions.add(view, i / across * view.rows.size(), i % across * 2,
                   ArrayRef(results).drop_front(stored.size()), whole);
    for (auto [output, list] : llvm::enumerate(stored))
      DirectStores(c, op).store(output, view, list, whole, /*isLast=*/false);
    // The next matrix overwrites what lanes may still read.
    b.create<NVVM::SyncWarpOp>(b.i32(-1));
  }
  reductions.store();
}
