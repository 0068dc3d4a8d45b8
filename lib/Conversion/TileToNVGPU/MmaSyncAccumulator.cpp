//===- MmaSyncAccumulator.cpp - Accumulators of mma.sync ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaSyncAccumulator.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

/// Returns the type of four registers of packed elements.
static VectorType getFragmentVector(FragmentType type) {
  Type element = getStorageType(type.getElementType());
  return VectorType::get({4, 32 / element.getIntOrFloatBitWidth()}, element);
}

SmallVector<Type> MmaSyncAccumulator::expand(AccType type) {
  return SmallVector<Type>(type.getRows() / 16 * (type.getColumns() / 8),
                           VectorType::get({2, 2}, type.getElementType()));
}

SmallVector<Type> MmaSyncAccumulator::expand(FragmentType type) {
  return SmallVector<Type>(type.getRows() / 16, getFragmentVector(type));
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

namespace {
/// The indices of the rows that a lane loads by ldmatrix.
class FragmentRows : public Lowering {
public:
  FragmentRows(LoweringContext &c, FragmentLoadOp op);
  /// The index of the matrix `matrix`, which has 16 rows of the fragment.
  Value getIndex(int64_t matrix) {
    return op.getTransposed() ? getIndexAcross(matrix) : getIndexAlong(matrix);
  }

private:
  Value getIndexAlong(int64_t matrix);
  Value getIndexAcross(int64_t matrix);
  /// The offset of a chunk of a row, in elements.
  Value getOffset(Value row, Value chunk);

  FragmentLoadOp op;
  RingType ring;
  TileType tile;
  const LoaderState *loader;
  int64_t elementBytes, rowElements, chunkElements;
  int64_t k; // where the fragment starts in the warp's share of the tile
  Value low; // the lane's row of its 8 × 8 matrix
  // The position of that matrix along m or n, in units of 8, and along k, in
  // units of 16 bytes.
  Value side8, k8;
  Value sideBase, kBase; // where the warp's share starts
};
} // namespace

FragmentRows::FragmentRows(LoweringContext &c, FragmentLoadOp op)
    : Lowering(c), op(op), ring(op.getRing().getType()),
      tile(ring.getTiles()[op.getTile()]),
      loader(op.getLoader() ? &c.loaders[op.getLoader()] : nullptr),
      elementBytes(tile.getElementType().getIntOrFloatBitWidth() / 8),
      rowElements(getRowElements(tile)), chunkElements(getChunkElements(tile)) {
  FragmentType type = op.getFragment().getType();
  Value lane = c.laneId();
  low = b.remU(lane, 8);
  Value half = b.remU(b.divU(lane, 8), 2), quarter = b.divU(lane, 16);
  bool isA = type.getRole() == FragmentRole::A;
  side8 = isA ? half : quarter;
  k8 = isA ? quarter : half;
  sideBase = b.mul(one(op.getWarp()), type.getRows());
  k = op.getKStep() * type.getDepth();
  if (op.getWarpK()) {
    int64_t depth = op.getTransposed() ? tile.getRows() : tile.getColumns();
    kBase = b.mul(one(op.getWarpK()), depth / op.getWarpsK());
  }
}

Value FragmentRows::getOffset(Value row, Value chunk) {
  Value swizzled =
      b.mul(swizzleChunk(b, tile, row, chunk, loader), chunkElements);
  return b.add(b.mul(row, rowElements), swizzled);
}

/// Rows of the tile run along k.
Value FragmentRows::getIndexAlong(int64_t matrix) {
  Value row = b.add(sideBase, b.add(low, b.mul(side8, 8)));
  Value chunk = k8;
  if (kBase)
    chunk = b.add(chunk, b.divU(kBase, chunkElements));
  bool rotates = tile.getSwizzle() == Swizzle::Sectors;
  if (rotates)
    chunk = b.add(chunk, k / chunkElements);
  Value offset = getOffset(row, chunk);
  // The k-step only touches chunk bits that are zero in the lane's offset.
  if (tile.getSwizzle() == Swizzle::Xor)
    offset = b.bitXor(offset, k);
  else if (!rotates)
    offset = b.add(offset, k);
  return createIndex(b, b.add(one(op.getState()), offset),
                     ring.getTileOffset(op.getTile()) / elementBytes +
                         matrix * 16 * rowElements);
}

/// Rows of the tile run along m or n. Elements have 16 bits.
Value FragmentRows::getIndexAcross(int64_t matrix) {
  Value row = b.add(low, b.mul(k8, 8));
  if (kBase)
    row = b.add(row, kBase);
  Value chunk = b.add(b.add(b.divU(sideBase, 8), side8), matrix * 2);
  Value offset = getOffset(row, chunk);
  return createIndex(b, b.add(one(op.getState()), offset),
                     ring.getTileOffset(op.getTile()) / 2 + k * rowElements);
}

/// ldmatrix.x4: eight lanes give the rows of one 8×8 matrix each. The four
/// matrices are, for A, (m, k), (m+8, k), (m, k+8), (m+8, k+8) and, for B, the
/// same with k before n: just what mma.sync wants in its registers. Where the
/// tile's rows run along m or n, the matrices are loaded transposed. Elements
/// of 8 bits come as pairs in the place of one element of 16 bits.
void MmaSyncAccumulator::lower(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  VectorType resultType = getFragmentVector(type);
  FragmentRows rows(c, op);
  Values loaded;
  for (int64_t matrix = 0; matrix < type.getRows() / 16; ++matrix)
    loaded.push_back(b.create<nvgpu::LdMatrixOp>(resultType, one(op.getRing()),
                                                 rows.getIndex(matrix),
                                                 op.getTransposed(), 4));
  set(op.getFragment(), loaded);
}

//===----------------------------------------------------------------------===//
// Products and epilogue
//===----------------------------------------------------------------------===//

/// Whether nvgpu.mma.sync has the instruction. It knows no unsigned elements
/// and no FP8.
static bool isInNvgpu(const MatrixInstruction &instruction) {
  ScalarType type = instruction.a;
  return type == instruction.b &&
         llvm::is_contained({ScalarType::F16, ScalarType::BF16, ScalarType::I8},
                            type);
}

/// Multiplies by inline PTX. The operands are vectors whose rows are registers.
Value MmaSyncAccumulator::multiply(const MatrixInstruction &instruction,
                                   Value a, Value columns, Value sum) {
  Values operands;
  for (Value side : {a, columns})
    for (int64_t i = 0; i < cast<VectorType>(side.getType()).getDimSize(0); ++i)
      operands.push_back(b.create<LLVM::BitcastOp>(
          b.getI32Type(), b.create<vector::ExtractOp>(side, i)));
  auto type = cast<VectorType>(sum.getType());
  for (int64_t i : {0, 1})
    for (int64_t j : {0, 1})
      operands.push_back(
          b.create<vector::ExtractOp>(sum, ArrayRef<int64_t>{i, j}));
  std::string text = llvm::formatv(
      "mma.sync.aligned.m{0}n{1}k{2}.row.col.{3}.{4}.{5}.{3} "
      "{{$0, $1, $2, $3}, {{$4, $5, $6, $7}, {{$8, $9}, "
      "{{$10, $11, $12, $13};",
      instruction.m, instruction.n, instruction.k,
      getPtxTypeName(instruction.accumulator), getPtxTypeName(instruction.a),
      getPtxTypeName(instruction.b));
  bool isFloat = isa<FloatType>(type.getElementType());
  SmallVector<Type> types(4, type.getElementType());
  Values results = createAssembly(b, text,
                                  isFloat ? "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"
                                          : "=r,=r,=r,=r,r,r,r,r,r,r,r,r,r,r",
                                  types, operands, /*hasSideEffects=*/false);
  return b.create<vector::FromElementsOp>(type, results);
}

void MmaSyncAccumulator::lower(MmaOp op) {
  const MatrixInstruction &instruction = *op.getInstruction();
  Values acc(all(op.getAcc())), columns;
  for (Value matrix : all(op.getB()))
    for (int64_t half : {0, 2})
      columns.push_back(b.create<vector::ExtractStridedSliceOp>(
          matrix, ArrayRef<int64_t>{half, 0},
          ArrayRef<int64_t>{2,
                            cast<VectorType>(matrix.getType()).getDimSize(1)},
          ArrayRef<int64_t>{1, 1}));
  int64_t count = columns.size();
  for (auto [i, row] : llvm::enumerate(all(op.getA())))
    for (int64_t step = 0; step < count; ++step) {
      // Every other row runs backwards, to reuse the last B fragment.
      int64_t j = i % 2 ? count - 1 - step : step;
      Value &element = acc[i * count + j];
      if (isInNvgpu(instruction))
        element = b.create<nvgpu::MmaSyncOp>(
            row, columns[j], element,
            ArrayRef<int64_t>{instruction.m, instruction.n, instruction.k});
      else
        element = multiply(instruction, row, columns[j], element);
    }
  set(op.getResult(), acc);
}

AccView MmaSyncAccumulator::view(EpilogueOp op, bool withValues) {
  AccType type = op.getAcc().getType();
  AccView view;
  Value lane = c.laneId();
  Value row = b.add(one(op.getM()), b.divU(lane, 4));
  Value column = b.add(one(op.getN()), b.mul(b.remU(lane, 4), 2));
  for (int64_t i = 0; i < type.getRows(); i += 8)
    view.rows.push_back(b.add(row, i));
  for (int64_t j = 0; j < type.getColumns(); j += 8)
    for (int64_t e : {0, 1})
      view.columns.push_back(b.add(column, j + e));
  view.run = 2;
  if (!withValues)
    return view;
  ArrayRef<Value> registers = all(op.getAcc());
  int64_t across = type.getColumns() / 8;
  for (size_t r = 0; r < view.rows.size(); ++r)
    for (size_t col = 0; col < view.columns.size(); ++col)
      view.values.push_back(b.create<vector::ExtractOp>(
          registers[r / 2 * across + col / 2],
          ArrayRef<int64_t>{int64_t(r % 2), int64_t(col % 2)}));
  return view;
}

/// Omits the parts that are beyond a static extent for every warp.
SliceGrid MmaSyncAccumulator::cut(EpilogueOp op, const AccView &view) {
  int64_t end = getShape(op).first;
  if (auto extent = getConstantIntValue(one(op.getExtentM())))
    end = std::min<int64_t>(end, llvm::alignTo(*extent, 16));
  return cutRows(op, view, view.columns.size(), end);
}
