//===- SplitProgram.cpp - Splits A and B into parts -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor cores multiply operands of f32 as parts with fewer bits (see
// Target/Precision.h). Schedules that share parts read each part once for all
// products. For the others, the parts of all products follow each other along
// k, so that the main program computes one longer product. Integer arithmetic
// rounds: the same code serves all types of parts and all chips.
//
//===----------------------------------------------------------------------===//

#include "Common/ElementFunctions.h"
#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/Precision.h"

using namespace mlir;
using namespace tcgemm;
using arith::CmpIPredicate;

/// Elements of f32, and 32-bit words, in a vector of 16 bytes.
static constexpr int64_t kWords = 4;
/// The bits of f32's infinity, and the first bit of its fraction.
static constexpr int64_t kInfinity = 0x7F800000, kQuiet = 0x00400000;

namespace {

/// Builds the code that splits A (0) or B (1). Sizes, rows and columns are i32,
/// offsets are i64 elements.
class Splitter {
public:
  Splitter(ProgramBuilder &p, const KernelConfig &config, unsigned operand)
      : p(p), operand(operand), unit(getPartUnit(p.getKernel(), config)),
        shares(getFamily(config.schedule).sharesParts()),
        part(getTileElement(p.getKernel(), operand)),
        split(*getSplit(*getScalarType(
            p.getKernel().getOperandInfo(operand).getElementType()))),
        source(p.pointer(operand, p.getF32Type())),
        packed(p.workspace(Expr::symbol(kPacked[operand]), part)) {}

  /// Splits the elements of `block`, which counts the operand's blocks.
  void build(Value block);

private:
  /// Sets the row and the columns of the thread's elements.
  void locate(Value block);
  /// The column of one of the thread's elements.
  Value getColumn(int64_t element) {
    return p.add(column, element / piece * step + element % piece);
  }
  Value stride(char dim);
  /// Builds `body` to run if `condition`.
  void buildIf(Value condition, llvm::function_ref<void()> body);
  /// The thread's elements, as bits: zero beyond K.
  SmallVector<Value> load();
  SmallVector<Value> loadVectors();
  SmallVector<Value> loadElements();
  /// Replaces `values` by the bits of the next part, and `rests` by the
  /// remainders.
  SmallVector<Value> takePart(MutableArrayRef<Value> rests);
  Value round(Value bits);
  /// Stores a part of all elements, piece by piece: the columns of a row of the
  /// results begin where `findStart` has those of the piece, as an i64.
  void store(ArrayRef<Value> bits,
             llvm::function_ref<Value(Value column)> findStart);
  /// A part's place behind those before it, for all products of parts.
  Value findShared(Value column, int64_t number);
  void storePiece(ArrayRef<Value> bits, Value start);

  /// The bits of the element's function, if there is one.
  Value transform(Value bits, Value column) {
    return function ? asBits(function->apply(asFloat(bits), column)) : bits;
  }
  Value asFloat(Value bits) {
    return p.create<arith::BitcastOp>(p.getF32Type(), bits);
  }
  Value asBits(Value value) {
    return p.create<arith::BitcastOp>(p.getI32Type(), value);
  }

  ProgramBuilder &p;
  unsigned operand;
  int64_t unit; // of the columns of a part: getPartUnit
  bool shares;  // whether all products of parts share these
  Type part;
  // A thread's elements are in pieces of so many neighbouring columns, which a
  // vector of parts takes, and the pieces are `step` columns apart.
  int64_t piece = 0, step = 0;
  std::optional<ElementFunction> function;
  const SplitInfo &split;
  Value source, packed;
  Value k, paddedK, rows, batch, row, column;
};

} // namespace

Value Splitter::stride(char dim) {
  StringRef dims = p.getKernel().getOperandInfo(operand).getDims();
  size_t position = dims.find(dim);
  if (position == StringRef::npos)
    return p.i64(0);
  return p.expression(
      getStrideSymbol(p.getKernel().getOperandName(operand), position),
      p.getI64Type());
}

void Splitter::locate(Value block) {
  k = p.size("K");
  paddedK = p.mul(p.ceilDiv(k, unit), p.i32(unit));
  rows = p.size(operand ? "N" : "M");
  Value columnBlocks = p.ceilDiv(k, kSplitColumns);
  Value group = p.divU(block, columnBlocks);
  Value columnBlock = p.sub(block, p.mul(group, columnBlocks));
  Value rowBlocks = p.ceilDiv(rows, kSplitRows);
  batch = p.divU(group, rowBlocks);
  Value rowBlock = p.sub(group, p.mul(batch, rowBlocks));
  // Neighbouring threads read neighbouring elements, and write them if k is
  // contiguous.
  constexpr int64_t threads = kSplitColumns / kSplitVector;
  bool alongK = p.getKernel().getOperandInfo(operand).getDims().back() == 'k';
  int64_t inner = alongK ? threads : kSplitRows;
  piece = alongK ? 128 / getStorageBits(part) : kSplitVector;
  step = alongK ? threads * piece : kSplitVector;
  Value thread = p.threadId();
  Value low = p.remU(thread, inner), high = p.divU(thread, inner);
  row = p.add(p.mul(rowBlock, kSplitRows), alongK ? high : low);
  column = p.add(p.mul(columnBlock, kSplitColumns),
                 p.mul(alongK ? low : high, piece));
}

void Splitter::buildIf(Value condition, llvm::function_ref<void()> body) {
  auto guard = p.create<scf::IfOp>(condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(p);
  p.setInsertionPointToStart(guard.thenBlock());
  body();
}

void Splitter::build(Value block) {
  locate(block);
  Value isRow = p.lessU(row, rows), isColumn = p.lessU(column, paddedK);
  buildIf(p.bitAnd(isRow, isColumn), [&] {
    if (p.getKernel().findTransform(operand))
      function.emplace(p, operand, 'k', [&](char dim) {
        return p.ext(isOuter(dim) ? p.ownOuterCoordinate(operand, dim, batch)
                                  : row);
      });
    SmallVector<Value> rests = load();
    for (unsigned i = 0; i < split.getNumParts(); ++i) {
      SmallVector<Value> bits = takePart(rests);
      if (shares) {
        store(bits, [&](Value column) { return findShared(column, i); });
        continue;
      }
      for (int64_t product = 0; product < split.getNumProducts(); ++product)
        if (split.getPart(operand, product) == i)
          store(bits, [&](Value column) {
            return p.add(p.mul(p.ext(paddedK), product), p.ext(column));
          });
    }
  });
}

SmallVector<Value> Splitter::load() {
  Value isDense = p.equal(stride('k'), p.i64(1));
  Value isWhole = p.lessU(getColumn(kSplitVector - 1), k);
  Value base = p.create<arith::IndexCastOp>(
      p.getI64Type(), p.create<memref::ExtractAlignedPointerAsIndexOp>(source));
  Value offset = p.add(p.ownOuterOffset(operand, batch),
                       p.mul(p.ext(row), stride(operand ? 'n' : 'm')));
  // Columns of vectors are multiples of 4.
  Value address = p.add(base, p.mul(offset, 4));
  Value isAligned = p.equal(p.bitAnd(address, p.i64(15)), p.i64(0));
  SmallVector<Type> types(kSplitVector, p.getI32Type());
  auto branch = p.create<scf::IfOp>(
      types, p.bitAnd(p.bitAnd(isDense, isWhole), isAligned),
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(p);
  p.setInsertionPointToStart(branch.thenBlock());
  p.create<scf::YieldOp>(loadVectors());
  p.setInsertionPointToStart(branch.elseBlock());
  p.create<scf::YieldOp>(loadElements());
  return llvm::to_vector_of<Value>(branch.getResults());
}

SmallVector<Value> Splitter::loadVectors() {
  Value first = p.add(p.ownOuterOffset(operand, batch),
                      p.mul(p.ext(row), stride(operand ? 'n' : 'm')));
  SmallVector<Value> bits;
  auto type = VectorType::get({kWords}, p.getF32Type());
  for (int64_t i = 0; i < kSplitVector; i += kWords) {
    Value vector = p.create<vector::LoadOp>(
        type, source, p.index(p.add(first, p.ext(getColumn(i)))));
    for (int64_t j = 0; j < kWords; ++j)
      bits.push_back(transform(asBits(p.create<vector::ExtractOp>(vector, j)),
                               getColumn(i + j)));
  }
  return bits;
}

SmallVector<Value> Splitter::loadElements() {
  Value first = p.add(p.ownOuterOffset(operand, batch),
                      p.mul(p.ext(row), stride(operand ? 'n' : 'm')));
  SmallVector<Value> bits;
  Value last = p.sub(k, p.i32(1)), step = stride('k');
  for (int64_t i = 0; i < kSplitVector; ++i) {
    Value here = getColumn(i);
    // The clamped column makes every load valid.
    Value safe = p.minU(here, last);
    Value offset = p.add(first, p.mul(p.ext(safe), step));
    Value loaded = transform(
        asBits(p.create<memref::LoadOp>(source, p.index(offset))), safe);
    bits.push_back(p.select(p.lessU(here, k), loaded, p.i32(0)));
  }
  return bits;
}

/// Rounds f32 to the part's precision, to nearest, ties to even. What would
/// overflow is rounded toward zero instead; its remainder is larger then.
Value Splitter::round(Value bits) {
  constexpr int64_t f32Precision = 24;
  int64_t dropped = f32Precision - cast<FloatType>(part).getFPMantissaWidth();
  Value magnitude = p.bitAnd(bits, p.i32(0x7FFFFFFF));
  Value odd = p.bitAnd(p.shiftRightU(bits, dropped), p.i32(1));
  Value bias = p.add(odd, (int64_t(1) << (dropped - 1)) - 1);
  Value fits = p.lessU(p.add(magnitude, bias), p.i32(kInfinity));
  Value rounded = p.bitAnd(p.select(fits, p.add(bits, bias), bits),
                           p.i32(-(int64_t(1) << dropped)));
  Value isNaN = p.cmp(CmpIPredicate::ugt, magnitude, p.i32(kInfinity));
  return p.bitOr(rounded, p.select(isNaN, p.i32(kQuiet), p.i32(0)));
}

SmallVector<Value> Splitter::takePart(MutableArrayRef<Value> rests) {
  SmallVector<Value> bits;
  for (Value &rest : rests) {
    Value rounded = round(rest);
    Value difference = p.create<arith::SubFOp>(asFloat(rest), asFloat(rounded));
    Value isFinite =
        p.lessU(p.bitAnd(rest, p.i32(0x7FFFFFFF)), p.i32(kInfinity));
    bits.push_back(rounded);
    rest = p.select(isFinite, asBits(difference), p.i32(0));
  }
  return bits;
}

Value Splitter::findShared(Value column, int64_t number) {
  // A piece is inside a unit.
  Value before = p.divU(column, p.i32(unit));
  Value within = p.sub(column, p.mul(before, p.i32(unit)));
  Value start = p.mul(p.ext(before), unit * split.getNumParts());
  return p.add(p.add(start, p.i64(number * unit)), p.ext(within));
}

void Splitter::store(ArrayRef<Value> bits,
                     llvm::function_ref<Value(Value column)> findStart) {
  for (int64_t i = 0; i < kSplitVector; i += piece) {
    Value here = getColumn(i);
    buildIf(p.lessU(here, paddedK),
            [&] { storePiece(bits.slice(i, piece), findStart(here)); });
  }
}

void Splitter::storePiece(ArrayRef<Value> bits, Value start) {
  int64_t elements = 128 / getStorageBits(part);
  // Parts of 16 bits are the upper halves of f32.
  SmallVector<Value> words(bits);
  if (elements == 2 * kWords) {
    words.clear();
    for (size_t i = 0; i < bits.size(); i += 2)
      words.push_back(
          p.bitOr(p.shiftRightU(bits[i], 16),
                  p.bitAnd(bits[i + 1], p.i32(int32_t(0xFFFF0000)))));
  }
  Value packedRow = p.add(p.mul(p.ext(batch), p.ext(rows)), p.ext(row));
  int64_t copies = shares ? split.getNumParts() : split.getNumProducts();
  start = p.add(p.mul(packedRow, p.mul(p.ext(paddedK), copies)), start);
  Type element = getStorageType(part);
  for (size_t i = 0; i < words.size(); i += kWords) {
    Value vector = p.create<vector::FromElementsOp>(
        VectorType::get({kWords}, p.getI32Type()),
        ArrayRef<Value>(words).slice(i, kWords));
    Value stored = p.create<vector::BitCastOp>(
        VectorType::get({elements}, element), vector);
    p.create<vector::StoreOp>(
        stored, packed,
        p.index(p.add(start, p.i64(int64_t(i) * elements / kWords))));
  }
}

ProgramOp tcgemm::buildSplitProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                    const KernelConfig &config,
                                    StringRef name) {
  ProgramBuilder p(kernel, module, name, kSplitThreads);
  if (config.waitsForGrids())
    p.create<GridWaitOp>();
  Value block = p.blockId();
  Value ofA = p.expression(Expr::symbol(kPackBlocksOfA), p.getI32Type());
  auto branch = p.create<scf::IfOp>(p.lessU(block, ofA),
                                    /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard restore(p);
    p.setInsertionPointToStart(branch.thenBlock());
    Splitter(p, config, 0).build(block);
    p.setInsertionPointToStart(branch.elseBlock());
    Splitter(p, config, 1).build(p.sub(block, ofA));
  }
  if (config.waitsForGrids())
    p.create<GridLaunchDependentsOp>();
  return p.finish();
}
