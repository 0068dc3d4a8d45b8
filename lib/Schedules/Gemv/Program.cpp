//===- Program.cpp - The program for few rows or columns ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of the large operand is used once or a few times. It is
// therefore loaded from global memory to the registers of the lane that
// multiplies it, or copied to shared memory by that lane. One thread for each
// element runs the epilogue.
//
//===----------------------------------------------------------------------===//

#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "Gemv/Family.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tcgemm/Config/Gemv.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

namespace {

class GemvSchedule {
public:
  GemvSchedule(ProgramBuilder &p, const KernelConfig &config,
               GemvReading reading)
      : p(p), c(config), reading(reading),
        shape(getGemvShape(c, getProblemInfo(p.getKernel()))),
        few(c.swapAB ? 1 : 0), many(1 - few) {}

  void build();

private:
  /// `x` / `tiles`, without a division if there is one tile, which is the usual
  /// case: the first loads wait for the result.
  Value divide(Value x, Value tiles);
  /// Computes the rows of the operands and the batch of the CTA.
  void locate();
  TypeAttr getElement(unsigned operand);
  SmallVector<Value> getPlaces(unsigned index);
  Value multiply();
  /// Runs the epilogue on the thread's element.
  void store(Value acc);
  Value getExtent(unsigned operand) { return p.size(operand ? "N" : "M"); }
  /// The slice's part of k: all of it without slices.
  void cutDepth();
  Value getAddress(unsigned operand);
  Value getStride(unsigned operand);
  /// The distance of elements along k; null if they are neighbours.
  Value getStep(unsigned operand);
  Value getStrideInMemory(unsigned operand, char dim);

  ProgramBuilder &p;
  const KernelConfig &c;
  GemvReading reading;
  GemvShape shape;
  unsigned few, many; // Operands: 0 is A.
  Value batch, first[2];
  Value slice, start, depth; // The slice's number and its part of k.
};

} // namespace

Value GemvSchedule::divide(Value x, Value tiles) {
  auto &b = p.b();
  if (getConstantIntValue(tiles))
    return p.divU(x, tiles);
  Value isOne = p.cmp(arith::CmpIPredicate::eq, tiles, p.i32(1));
  auto branch =
      b.create<scf::IfOp>(x.getType(), isOne, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(branch.thenBlock());
  b.create<scf::YieldOp>(x);
  b.setInsertionPointToStart(branch.elseBlock());
  Value quotient = p.divU(x, tiles);
  b.create<scf::YieldOp>(quotient);
  return branch.getResult(0);
}

/// The stride of an operand along a dimension. A program that loads single
/// elements needs no neighbours.
Value GemvSchedule::getStrideInMemory(unsigned operand, char dim) {
  KernelOp kernel = p.getKernel();
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  bool isSingle = operand == few || reading == GemvReading::Elements;
  if (dim == dims.back() && !isSingle)
    return p.i64(1);
  return p.expression(getProgramStride(kernel, operand, dims.find(dim)),
                      p.b().getI64Type());
}

Value GemvSchedule::getStride(unsigned operand) {
  char dim = operand ? 'n' : 'm';
  if (!getStep(operand))
    return p.stride(operand, dim);
  return getStrideInMemory(operand, dim);
}

Value GemvSchedule::getStep(unsigned operand) {
  bool alongK = p.getKernel().getOperandInfo(operand).getDims().back() == 'k' ||
                (operand == few && reading == GemvReading::OneRow);
  return alongK ? Value() : getStrideInMemory(operand, 'k');
}

Value GemvSchedule::getAddress(unsigned operand) {
  Value address = p.outerOffset(operand, batch);
  if (!start)
    return address;
  Value skipped = p.ext(start);
  if (Value step = getStep(operand))
    skipped = p.mul(skipped, step);
  return p.add(address, skipped);
}

void GemvSchedule::cutDepth() {
  depth = p.size("K");
  if (c.splitK == 1)
    return;
  // Whole iterations, so that the last slices may have none.
  Value trips = p.ceilDiv(p.ceilDiv(depth, c.cta[2]), c.splitK);
  Value length = p.mul(trips, p.i32(c.cta[2]));
  start = p.minU(p.mul(slice, length), depth);
  depth = p.minU(length, p.sub(depth, start));
}

void GemvSchedule::locate() {
  // CTAs with the same rows of the large operand are neighbours.
  Value tilesFew = p.ceilDiv(getExtent(few), c.cta[few]);
  Value block = p.blockId();
  if (c.splitK > 1) {
    Value rest = p.divU(block, p.i32(c.splitK));
    slice = p.sub(block, p.mul(rest, p.i32(c.splitK)));
    block = rest;
  }
  Value group = divide(block, tilesFew);
  Value tileFew = p.sub(block, p.mul(group, tilesFew));
  Value tileMany = group;
  batch = p.i32(0);
  if (p.getKernel().isBatched()) {
    Value tilesMany = p.ceilDiv(getExtent(many), c.cta[many]);
    batch = p.divU(group, tilesMany);
    tileMany = p.sub(group, p.mul(batch, tilesMany));
  }
  first[few] = p.mul(tileFew, p.i32(c.cta[few]));
  first[many] = p.mul(tileMany, p.i32(c.cta[many]));
}

/// The elements in memory; null if they are those of its memref.
TypeAttr GemvSchedule::getElement(unsigned operand) {
  Type type =
      getPartType(p.getKernel().getOperandInfo(operand).getElementType());
  return type == getStorageType(type) ? TypeAttr() : TypeAttr::get(type);
}

/// Where scales or zero points are: of the batch, by rows and by groups.
SmallVector<Value> GemvSchedule::getPlaces(unsigned index) {
  return {p.outerOffset(index, batch), p.stride(index, many ? 'n' : 'm'),
          p.stride(index, 'k')};
}

Value GemvSchedule::multiply() {
  auto &b = p.b();
  KernelOp kernel = p.getKernel();
  int64_t bytes[] = {c.copyA, c.copyB};
  ProblemInfo problem = getProblemInfo(kernel);
  // Elements that a lane loads together.
  int64_t vector = std::max(c.copyA * 8 / problem.getBitsA(),
                            c.copyB * 8 / problem.getBitsB());
  int64_t unroll = shape.unroll * shape.vector / vector;
  Value steps[] = {getStep(0), getStep(1)};
  IntegerAttr lanes;
  // Beside a large operand across k, and without neighbours, elements of the
  // small one are loaded alone.
  if (shape.across || steps[few])
    bytes[few] = problem.getBits(few) / 8;
  if (shape.across) {
    lanes = b.getI64IntegerAttr(shape.across);
    if (reading == GemvReading::Elements)
      bytes[many] = problem.getBits(many) / 8;
    // No more registers for loads than those of 16 bytes have.
    constexpr int64_t leastBytes = 4;
    unroll = shape.unroll;
    if (bytes[many] < leastBytes)
      unroll = std::max<int64_t>(1, unroll * bytes[many] / leastBytes);
  } else if (steps[few]) {
    vector = bytes[many] * 8 / problem.getBits(many);
    unroll = shape.unroll * shape.vector / vector;
  }
  auto type = AccType::get(1, shape.columns, kernel.getAccumulatorType(),
                           AccLayout::Row);
  IntegerAttr stages;
  if (c.gemv.loads == DotLoads::Shared)
    stages = b.getI64IntegerAttr(c.stages);
  Value scales, zeroPoints;
  SmallVector<Value> scalePlaces, zeroPlaces;
  IntegerAttr group;
  TypeAttr zeroType;
  if (std::optional<unsigned> index = kernel.findScales(many)) {
    scales = p.pointer(*index);
    scalePlaces = getPlaces(*index);
    group = b.getI64IntegerAttr(problem.groups.depth);
  }
  if (std::optional<unsigned> index = kernel.findZeroPoints(many)) {
    zeroPoints = p.pointer(*index);
    zeroPlaces = getPlaces(*index);
    zeroType = TypeAttr::get(kernel.getOperandInfo(*index).getElementType());
  }
  return b.create<AccDotOp>(
      type, p.pointer(few), getAddress(few), getStride(few), steps[few],
      first[few], getExtent(few), p.pointer(many), getAddress(many),
      getStride(many), steps[many], first[many], getExtent(many), depth, scales,
      scalePlaces, zeroPoints, zeroPlaces, shape.fewRows, shape.manyRows,
      shape.slices, unroll, bytes[few], bytes[many], getElement(few),
      getElement(many), lanes, group, zeroType, c.gemv.math == DotMath::Mma,
      stages);
}

void GemvSchedule::store(Value acc) {
  auto &b = p.b();
  Value thread = p.threadId();
  Value holds = p.cmp(arith::CmpIPredicate::ult, thread,
                      p.i32(shape.fewRows * shape.manyRows / shape.columns));
  auto guard = b.create<scf::IfOp>(holds, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(guard.thenBlock());
  Value columns = p.i32(shape.manyRows / shape.columns);
  Value place[2];
  place[few] = p.add(first[few], p.divU(thread, columns));
  place[many] =
      p.add(first[many], p.mul(p.remU(thread, columns), p.i32(shape.columns)));
  if (c.splitK == 1)
    buildEpilogue(p, acc, batch, place[0], place[1], StoreInfo());
  else
    buildPartialStore(p, acc, slice, batch, place[0], place[1], StoreInfo());
}

void GemvSchedule::build() {
  auto &b = p.b();
  locate();
  cutDepth();
  if (c.waitsForGrids())
    b.create<GridWaitOp>();
  Value acc = multiply();
  if (c.waitsForGrids())
    b.create<GridLaunchDependentsOp>();
  store(acc);
}

ProgramOp tcgemm::buildGemvProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                   const KernelConfig &config,
                                   GemvReading reading, StringRef name) {
  ProgramBuilder p(kernel, module, name, config.getNumThreads());
  GemvSchedule(p, config, reading).build();
  return p.finish(config);
}
