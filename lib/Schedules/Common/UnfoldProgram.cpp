//===- UnfoldProgram.cpp - Writes what windows see ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix A of a convolution, for products that TMA cannot copy it for. A
// thread writes one vector. Neighbours write neighbours, and read them if they
// belong to one element of the filter.
//
//===----------------------------------------------------------------------===//

#include "Common/Programs.h"
#include "Common/Windows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

namespace {

/// Builds the body. Pixels, channels and elements of a row are i32, offsets are
/// i64 elements.
class Unfolder {
public:
  explicit Unfolder(ProgramBuilder &p)
      : p(p), c(p.getKernel().getConvolution().getValue()),
        element(
            getStorageType(p.getKernel().getOperandInfo(0).getElementType())),
        vectorSize(kUnfoldBytes * 8 / element.getIntOrFloatBitWidth()),
        source(p.pointer(0, element)),
        packed(p.workspace(Expr::symbol(kPacked[0]), element)) {}

  void build();

private:
  Value stride(size_t position) {
    return p.expression(getProgramStride(p.getKernel(), 0, position),
                        p.getI64Type());
  }
  /// Returns whether the element `k` of the row is inside of its image, and its
  /// offset; 0 if it is not.
  std::pair<Value, Value> locate(Value k);
  Value loadElement(Value k);
  Value loadElements(Value k);
  Value loadVector(Value k);
  /// Returns whether vectors of channels can be loaded.
  Value areVectorsAligned();

  ProgramBuilder &p;
  Convolution c;
  Type element;
  int64_t vectorSize;
  Value source, packed;
  WindowPlace place;
};

} // namespace

std::pair<Value, Value> Unfolder::locate(Value k) {
  WindowStep step = locateStep(p, k);
  Value row = p.add(place.row, step.offsets[1]);
  Value column = p.add(place.column, step.offsets[0]);
  Value inside = p.bitAnd(p.lessU(row, p.i32(c.image[0])),
                          p.lessU(column, p.i32(c.image[1])));
  inside = p.bitAnd(inside, p.lessU(step.channel, p.i32(c.channels)));
  // The number of all pixels is i32.
  Value pixel = p.add(
      p.mul(p.add(p.mul(place.image, c.image[0]), row), c.image[1]), column);
  Value offset = p.add(p.mul(p.ext(pixel), stride(0)),
                       p.mul(p.ext(step.channel), stride(1)));
  return {inside, p.select(inside, offset, p.i64(0))};
}

Value Unfolder::loadElement(Value k) {
  auto [inside, offset] = locate(k);
  Value loaded = p.create<memref::LoadOp>(source, p.index(offset));
  return p.select(inside, loaded, p.zero(element));
}

Value Unfolder::loadElements(Value k) {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < vectorSize; ++i)
    elements.push_back(loadElement(p.add(k, i)));
  return p.create<vector::FromElementsOp>(
      VectorType::get({vectorSize}, element), elements);
}

Value Unfolder::loadVector(Value k) {
  auto type = VectorType::get({vectorSize}, element);
  auto [inside, offset] = locate(k);
  Value loaded = p.create<vector::LoadOp>(type, source, p.index(offset));
  return p.select(inside, loaded, p.zero(type));
}

Value Unfolder::areVectorsAligned() {
  Value address = p.create<arith::IndexCastOp>(
      p.getI64Type(), p.create<memref::ExtractAlignedPointerAsIndexOp>(source));
  auto isMultiple = [&](Value value, int64_t unit) {
    return p.equal(p.remU(value, unit), p.i64(0));
  };
  return p.bitAnd(p.bitAnd(isMultiple(address, kUnfoldBytes),
                           isMultiple(stride(0), vectorSize)),
                  p.equal(stride(1), p.i64(1)));
}

void Unfolder::build() {
  int64_t pitch = llvm::alignTo(c.getDepth(), getPackVector(p.getKernel()));
  Value linear =
      p.add(p.mul(p.ext(p.blockId()), kUnfoldThreads), p.ext(p.threadId()));
  Value row = p.divU(linear, pitch / vectorSize);
  auto guard = p.create<scf::IfOp>(p.lessU(row, p.ext(p.size("M"))),
                                   /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(p);
  p.setInsertionPointToStart(guard.thenBlock());
  Value column = p.trunc(p.sub(linear, p.mul(row, pitch / vectorSize)));
  place = locateWindow(p, p.trunc(row));
  Value k = p.mul(column, vectorSize);
  auto store = [&](Value vector) {
    p.create<vector::StoreOp>(vector, packed,
                              p.index(p.mul(linear, vectorSize)));
  };
  if (c.channels % vectorSize)
    return store(loadElements(k));
  auto branch =
      p.create<scf::IfOp>(areVectorsAligned(), /*withElseRegion=*/true);
  p.setInsertionPointToStart(branch.thenBlock());
  store(loadVector(k));
  p.setInsertionPointToStart(branch.elseBlock());
  store(loadElements(k));
}

ProgramOp tcgemm::buildUnfoldProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                     const KernelConfig &config,
                                     StringRef name) {
  ProgramBuilder p(kernel, module, name, kUnfoldThreads);
  if (config.waitsForGrids())
    p.create<GridWaitOp>();
  Unfolder(p).build();
  if (config.waitsForGrids())
    p.create<GridLaunchDependentsOp>();
  return p.finish();
}
