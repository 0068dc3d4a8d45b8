//===- MmaSyncAccumulator.cpp - Accumulators of mma.sync ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaSyncAccumulator.h"
#include "InlineAssembly.h"
#include "NarrowOperands.h"
#include "OperandRounding.h"
#include "PackedOperands.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

/// Returns the type of the registers of 16 rows, with packed elements.
static VectorType getFragmentVector(FragmentType type) {
  Type element = getStorageType(type.getElementType());
  if (holdsElements(type))
    return VectorType::get({16 * int64_t(type.getDepth()) / 32, 1}, element);
  if (holdsRuns(type))
    return getRunVector(type);
  if (holdsPairs(type))
    return VectorType::get({4, 1}, IntegerType::get(type.getContext(), 16));
  return VectorType::get({4, 32 / getStorageBits(element)}, element);
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
  Value getMemory() const { return stage.memory; }

private:
  Value getIndexAlong(int64_t matrix);
  Value getIndexAcross(int64_t matrix);
  /// The offset of a chunk of a row, in elements.
  Value getOffset(Value row, Value chunk);

  FragmentLoadOp op;
  RingType ring;
  TileType tile;
  TileMemory stage;
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
      stage(getTileMemory(c, op.getRing(), op.getState(), op.getTile())),
      loader(op.getLoader() ? &c.loaders[op.getLoader()] : nullptr),
      elementBytes(getStorageBits(tile.getElementType()) / 8),
      rowElements(getRowElements(tile)), chunkElements(getChunkElements(tile)) {
  FragmentType type = op.getFragment().getType();
  Value lane = c.laneId();
  low = b.remU(lane, 8);
  Value half = b.remU(b.divU(lane, 8), 2), quarter = b.divU(lane, 16);
  bool isA = type.getRole() == FragmentRole::A;
  side8 = isA ? half : quarter;
  k8 = isA ? quarter : half;
  sideBase = b.mul(one(op.getWarp()), type.getRows());
  // Tiles of elements that share bytes count bytes.
  k = op.getKStep() * type.getDepth() /
      getPackedElements(type.getElementType());
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
  return createIndex(b, b.add(stage.stage, offset),
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
  return createIndex(b, b.add(stage.stage, offset),
                     ring.getTileOffset(op.getTile()) / 2 + k * rowElements);
}

/// ldmatrix.x4: eight lanes give the rows of one 8×8 matrix each. The four
/// matrices are, for A, (m, k), (m+8, k), (m, k+8), (m+8, k+8) and, for B, the
/// same with k before n: just what mma.sync wants in its registers. Where the
/// tile's rows run along m or n, the matrices are loaded transposed. Elements
/// of 8 bits come as pairs in the place of one element of 16 bits, and those of
/// 32 bits in the place of two.
void MmaSyncAccumulator::lower(FragmentLoadOp op) {
  FragmentType type = op.getFragment().getType();
  if (holdsElements(type))
    return set(op.getFragment(), loadElements(c, op));
  if (holdsRuns(type))
    return set(op.getFragment(), loadRuns(c, op));
  if (holdsPairs(type))
    return set(op.getFragment(), loadPairs(c, op));
  VectorType resultType = getFragmentVector(type);
  FragmentRows rows(c, op);
  Values loaded;
  for (int64_t matrix = 0; matrix < type.getRows() / 16; ++matrix)
    loaded.push_back(b.create<nvgpu::LdMatrixOp>(resultType, rows.getMemory(),
                                                 rows.getIndex(matrix),
                                                 op.getTransposed(), 4));
  set(op.getFragment(), loaded);
}

/// In each 8 rows and each group of k, lane l holds row l / 4 and some of the
/// k from l mod 4 on; see lower(FragmentLoadOp) and loadElements.
Value MmaSyncAccumulator::getIndexAlongK(FragmentType type, size_t,
                                         ArrayRef<int64_t> position) {
  int64_t index = position[0], group = index / 2;
  int64_t width = getFragmentVector(type).getDimSize(1);
  if (!holdsElements(type) && type.getRole() == FragmentRole::B)
    group = index % 2;
  Value first = b.mul(b.remU(c.laneId(), 4), width);
  return b.add(first, group * 4 * width + position[1]);
}

//===----------------------------------------------------------------------===//
// Products and epilogue
//===----------------------------------------------------------------------===//

/// Returns whether nvgpu.mma.sync has the instruction. It has no unsigned
/// elements, no FP8, and for f64 only m8n8k4.
static bool isInNvgpu(const MatrixInstruction &instruction) {
  ScalarType type = instruction.a;
  return type == instruction.b &&
         llvm::is_contained({ScalarType::F16, ScalarType::BF16, ScalarType::I8},
                            type);
}

namespace {
/// The text and the constraints of one mma.sync in inline PTX.
class MmaText {
public:
  explicit MmaText(const MatrixInstruction &instruction)
      : text(llvm::formatv("mma.sync.aligned.m{0}n{1}k{2}.row.col.{3}.{4}.{5}."
                           "{3}{6} ",
                           instruction.m, instruction.n, instruction.k,
                           getPtxTypeName(instruction.accumulator),
                           getPtxTypeName(instruction.a),
                           getPtxTypeName(instruction.b),
                           getPtxOperation(instruction))) {}

  /// Adds a list of registers with this constraint.
  void add(StringRef constraint, int64_t count) {
    text += next ? ", {" : "{";
    for (int64_t i = 0; i < count; ++i, ++next) {
      text += llvm::formatv("{0}${1}", i ? ", " : "", next);
      constraints += ((next ? "," : "") + constraint).str();
    }
    text += "}";
  }
  std::string getText() const { return text + ";"; }
  StringRef getConstraints() const { return constraints; }

private:
  std::string text, constraints;
  int64_t next = 0;
};
} // namespace

/// Multiplies by inline PTX. The operands are vectors whose rows are registers;
/// `sums` are the accumulator's registers.
Values MmaSyncAccumulator::multiply(const MatrixInstruction &instruction,
                                    ArrayRef<Value> a, ArrayRef<Value> columns,
                                    ArrayRef<Value> sums) {
  Type sumType = sums.front().getType();
  StringRef sumClass = getRegisterClass(sumType);
  StringRef operandClass = getRegisterClass(a.front().getType());
  MmaText text(instruction);
  text.add(("=" + sumClass).str(), sums.size());
  text.add(operandClass, a.size());
  text.add(operandClass, columns.size());
  text.add(sumClass, sums.size());
  Values operands(a);
  llvm::append_range(operands, columns);
  llvm::append_range(operands, sums);
  return createAssembly(b, text.getText(), text.getConstraints(),
                        SmallVector<Type>(sums.size(), sumType), operands,
                        /*hasSideEffects=*/false);
}

/// The registers of an operand: rows of its vector, as i32 if they are packed.
Values MmaSyncAccumulator::getRegisters(Value operand) {
  auto type = cast<VectorType>(operand.getType());
  Values registers;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    if (type.getElementType().isF64())
      registers.push_back(
          b.create<vector::ExtractOp>(operand, ArrayRef<int64_t>{i, 0}));
    else
      registers.push_back(b.create<LLVM::BitcastOp>(
          b.getI32Type(), b.create<vector::ExtractOp>(operand, i)));
  }
  return registers;
}

/// Multiplies 16 rows by 8 columns, with one instruction or with one for each 8
/// rows. Elements of f64 have a register each; there the registers of the
/// second 8 rows alternate with those of the first.
Value MmaSyncAccumulator::multiplyBlock(const MatrixInstruction &instruction,
                                        Value a, Value columns, Value sum) {
  Values ofA = getRegisters(a), ofB = getRegisters(columns), results;
  int64_t parts = 16 / instruction.m;
  for (int64_t part = 0; part < parts; ++part) {
    Values rows, sums;
    for (size_t i = part; i < ofA.size(); i += parts)
      rows.push_back(ofA[i]);
    for (int64_t r = 0; r < 4 / parts; ++r) {
      int64_t number = part * (4 / parts) + r;
      sums.push_back(b.create<vector::ExtractOp>(
          sum, ArrayRef<int64_t>{number / 2, number % 2}));
    }
    results.append(multiply(instruction, rows, ofB, sums));
  }
  return b.create<vector::FromElementsOp>(sum.getType(), results);
}

/// The registers of each 8 columns, of 16. Where a register holds one element,
/// those of both alternate.
Values MmaSyncAccumulator::splitColumns(MmaOp op, ArrayRef<Value> matrices) {
  Values columns;
  for (Value matrix : matrices) {
    auto type = cast<VectorType>(matrix.getType());
    int64_t count = type.getDimSize(0) / 2, width = type.getDimSize(1);
    for (int64_t half : {0, 1}) {
      if (!holdsElements(op.getB().getType())) {
        columns.push_back(b.create<vector::ExtractStridedSliceOp>(
            matrix, ArrayRef<int64_t>{half * count, 0},
            ArrayRef<int64_t>{count, width}, ArrayRef<int64_t>{1, 1}));
        continue;
      }
      Values elements;
      for (int64_t i = 0; i < count; ++i)
        elements.push_back(b.create<vector::ExtractOp>(
            matrix, ArrayRef<int64_t>{2 * i + half, 0}));
      columns.push_back(b.create<vector::FromElementsOp>(
          VectorType::get({count, 1}, type.getElementType()), elements));
    }
  }
  return columns;
}

/// Rounds or converts where fragments are used: some that are loaded ahead
/// never are.
Values MmaSyncAccumulator::prepare(MmaOp op, TypedValue<FragmentType> operand) {
  Values vectors(all(operand));
  ScalarType type = *getScalarType(operand.getType().getElementType());
  ScalarType multiplied = operand.getType().getRole() == FragmentRole::A
                              ? op.getInstruction()->a
                              : op.getInstruction()->b;
  if (holdsPairs(operand.getType()))
    for (Value &vector : vectors)
      vector = convertPairs(b, type, multiplied, vector);
  if (getPackedElements(type) > 1 && type != multiplied) {
    Values zeroPoints;
    if (op.getZeroPoints() &&
        op.getZeroPoints().getType().getSide() == operand.getType().getRole())
      zeroPoints.assign(all(op.getZeroPoints()));
    for (auto [i, vector] : llvm::enumerate(vectors))
      vector = convertRuns(b, operand.getType(), multiplied, vector,
                           zeroPoints.empty()
                               ? ArrayRef<Value>()
                               : ArrayRef<Value>(zeroPoints).slice(2 * i, 2));
  }
  if (!roundsOperands(type))
    return vectors;
  for (Value &vector : vectors) {
    auto vectorType = cast<VectorType>(vector.getType());
    Values rounded;
    for (int64_t i = 0; i < vectorType.getDimSize(0); ++i)
      rounded.push_back(roundOperand(
          b, op, type,
          b.create<vector::ExtractOp>(vector, ArrayRef<int64_t>{i, 0})));
    vector = b.create<vector::FromElementsOp>(vectorType, rounded);
  }
  return vectors;
}

/// The registers of one instruction, of those of `count`.
static Value takeInstruction(IntegerBuilder &b, Value registers, int64_t index,
                             int64_t count) {
  if (count == 1)
    return registers;
  auto type = cast<VectorType>(registers.getType());
  int64_t size = type.getDimSize(0) / count;
  return b.create<vector::ExtractStridedSliceOp>(
      registers, ArrayRef<int64_t>{index * size, 0},
      ArrayRef<int64_t>{size, type.getDimSize(1)}, ArrayRef<int64_t>{1, 1});
}

/// Multiplies 16 rows by 8 columns and adds them to `sum`.
Value MmaSyncAccumulator::multiplyAdd(const MatrixInstruction &instruction,
                                      int64_t depth, Value row, Value column,
                                      Value sum) {
  int64_t count = depth / instruction.k;
  for (int64_t i = 0; i < count; ++i) {
    Value a = takeInstruction(b, row, i, count);
    Value columns = takeInstruction(b, column, i, count);
    if (isInNvgpu(instruction))
      sum = b.create<nvgpu::MmaSyncOp>(
          a, columns, sum,
          ArrayRef<int64_t>{instruction.m, instruction.n, instruction.k});
    else
      sum = multiplyBlock(instruction, a, columns, sum);
  }
  return sum;
}

void MmaSyncAccumulator::lower(MmaOp op) {
  const MatrixInstruction &instruction = *op.getInstruction();
  Values acc(all(op.getAcc()));
  Values columns = splitColumns(op, prepare(op, op.getB()));
  int64_t count = columns.size();
  for (auto [i, row] : llvm::enumerate(prepare(op, op.getA())))
    for (int64_t step = 0; step < count; ++step) {
      // Every other row runs backwards, to reuse the last B fragment.
      int64_t j = i % 2 ? count - 1 - step : step;
      Value &element = acc[i * count + j];
      element = multiplyAdd(instruction, op.getA().getType().getDepth(), row,
                            columns[j], element);
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
