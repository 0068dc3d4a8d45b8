//===- PackProgram.cpp - Copies A and B to aligned memory -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program packs either operand or both: its first blocks pack A. Operands
// whose elements differ in size have a program each. A warp copies a piece of
// one row, so that the misalignment of the row is the same for all its lanes.
// The lanes read aligned 16-byte vectors inside the row, two for each vector
// that they store, and combine the two by a shift. The ends of a row are copied
// element by element, and so are short rows and rows with gaps between
// elements. A function of the operand's elements is computed on the way, by a
// program for that operand only. The packed operand is zero beyond the rows and
// columns of the source, so that K is a multiple of the main program's copy
// width.
//
//===----------------------------------------------------------------------===//

#include "Common/ElementFunctions.h"
#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;
using arith::CmpIPredicate;

/// Bytes of a vector, and its 32-bit words.
static constexpr int64_t kVectorBytes = 16, kWords = kVectorBytes / 4;

/// The dim across the rows of the packed operand.
static char getRowDim(KernelOp kernel, unsigned operand) {
  if (!isKContiguous(kernel, operand))
    return 'k';
  return operand ? 'n' : 'm';
}

static bool hasPaddedRows(KernelOp kernel, unsigned operand) {
  return getRowDim(kernel, operand) == 'k' &&
         isKContiguous(kernel, operand ? 0 : 1);
}

namespace {

/// Builds the body. Sizes, rows and columns are i32, strides and offsets i64
/// elements; a chunk is one vector of a packed row.
class PackBuilder {
public:
  PackBuilder(ProgramBuilder &p, std::optional<unsigned> only, bool transforms)
      : p(p), b(p.b()), only(only), transforms(transforms),
        element(getStorageType(
            p.getKernel().getOperandInfo(only.value_or(0)).getElementType())),
        elementBytes(element.getIntOrFloatBitWidth() / 8),
        vectorSize(kVectorBytes / elementBytes) {}

  void build();

private:
  /// The rows of the operand that a block packs.
  struct Rows {
    Value inSource, inPacked; // numbers of rows in a batch
    Value stride;             // of the source
  };

  // An operand's own values.
  Value size(char dim) {
    return p.size(dim == 'm' ? "M" : dim == 'n' ? "N" : "K");
  }
  /// The stride in memory along one of the operand's dims.
  /// ProgramBuilder::stride takes the innermost for 1, as all other programs
  /// may.
  Value sourceStride(unsigned operand, char dim);
  /// The value of the operand that the block packs.
  Value pick(llvm::function_ref<Value(unsigned)> get) {
    if (only)
      return get(*only);
    Value ofA = get(0), ofB = get(1);
    return p.select(isB, ofB, ofA);
  }

  /// Computes the row and the lane of the thread. Returns whether there is such
  /// a row.
  Value locate();
  /// Sets the pointers and columns of the operand that the block packs.
  Rows chooseOperand();
  /// The product of a group of rows, as a linear index of the outer dimensions
  /// that the operand has. The group's number becomes that within the product.
  Value takeBatch(Value &group, Value rows);
  /// Sets the offsets of the row in the source and in the workspace.
  void locateRow(const Rows &rows, Value batch, Value row);
  /// One of two constants, by the length of the rows.
  Value byLength(int64_t ofShort, int64_t ofLong) {
    return p.select(isShort, p.i32(ofShort), p.i32(ofLong));
  }
  /// Copies the row's chunks of this thread element by element, those being
  /// `stride` apart.
  void copyElements(Value stride);
  /// Copies the chunks by vectors, for a contiguous row that is not short.
  void copyVectors();
  /// Copies the elements of a row that no whole vector of the source covers,
  /// one for each lane: the chunks before `first` and from `end` on.
  void copyEnds(Value first, Value end);
  /// The vector of chunk `chunk`, which starts at element `misalignment` of the
  /// first of two vectors.
  Value shift(ArrayRef<Value> words, Value misalignment, Value chunk);

  Value loadElement(Value column, Value stride);
  /// Appends the words of the source's vector at `start`.
  void loadWords(Value start, SmallVectorImpl<Value> &words);
  void store(Value vector, Value chunk);
  /// `value`, or zero in padding rows.
  Value zeroPadded(Value value) {
    return inside ? p.select(inside, value, p.zero(value.getType())) : value;
  }

  Value index(Value offset) {
    return b.create<arith::IndexCastOp>(b.getIndexType(), offset);
  }
  Value offset(Value chunk) { return p.mul(p.ext(chunk), p.i64(vectorSize)); }
  /// Builds `body` to run if `condition`.
  void buildIf(Value condition, llvm::function_ref<void()> body) {
    auto guard = b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(guard.thenBlock());
    body();
  }

  ProgramBuilder &p;
  ImplicitLocOpBuilder &b;
  /// The operand that all blocks pack, if there is one.
  std::optional<unsigned> only;
  bool transforms; ///< True if it computes the function of its elements.
  std::optional<ElementFunction> function;
  Type element;
  int64_t elementBytes, vectorSize;

  Value isB, isShort; // i1: which operand, and whether its rows are short
  Value source, packed;
  Value columns, chunks, lane, segment; // of the row; which of its pieces
  Value sourceRow, packedRow;           // offsets of the row's first element
  Value inside; // i1, if there are rows that are padding
};

} // namespace

/// The length of a packed row is a multiple of it.
static int64_t getPitchUnit(KernelOp kernel, std::optional<unsigned> only) {
  return getPackVector(kernel) / getPackedElements(kernel, only.value_or(0));
}

Value PackBuilder::sourceStride(unsigned operand, char dim) {
  size_t position = p.getKernel().getOperandInfo(operand).getDims().find(dim);
  return p.expression(getProgramStride(p.getKernel(), operand, position),
                      b.getI64Type());
}

PackBuilder::Rows PackBuilder::chooseOperand() {
  source = pick([&](unsigned x) { return p.pointer(x); });
  packed = pick([&](unsigned x) {
    return p.workspace(Expr::symbol(kPacked[x]), element);
  });
  columns = pick([&](unsigned x) {
    Value length = size(isKContiguous(p.getKernel(), x) ? 'k' : x ? 'n' : 'm');
    int64_t packed = getPackedElements(p.getKernel(), x);
    return packed == 1 ? length : p.ceilDiv(length, packed);
  });
  Rows rows;
  auto countRows = [&](unsigned x) {
    Value count = size(getRowDim(p.getKernel(), x));
    int64_t held = getRowsInMemoryRow(p.getKernel(), x);
    return held == 1 ? count : p.divU(count, held);
  };
  rows.inSource = pick(countRows);
  rows.inPacked = pick([&](unsigned x) {
    if (hasPaddedRows(p.getKernel(), x))
      return p.expression(Expr::symbol(kPackedRows[x]), b.getI32Type());
    return countRows(x);
  });
  rows.stride = pick([&](unsigned x) {
    char dim = getRowDim(p.getKernel(), x);
    return isPackedTransposed(p.getKernel(), x) ? sourceStride(x, dim)
                                                : p.stride(x, dim);
  });
  return rows;
}

Value PackBuilder::locate() {
  Value block = p.blockId(), thread = p.threadId();
  if (!only) {
    Value ofA = p.expression(Expr::symbol(kPackBlocksOfA), b.getI32Type());
    isB = p.cmp(CmpIPredicate::uge, block, ofA);
    block = p.select(isB, p.sub(block, ofA), block);
  }
  Rows rows = chooseOperand();
  isShort =
      p.cmp(CmpIPredicate::ule, columns, p.i32(kPackShortBytes / elementBytes));
  // 32-bit divisions, one or two a thread.
  Value pieces = p.ceilDiv(columns, kPackPieceBytes / elementBytes);
  Value group = p.divU(block, pieces);
  segment = p.sub(block, p.mul(group, pieces));
  Value logLanes =
      byLength(llvm::Log2_64(kPackLanesShort), llvm::Log2_64(kPackLanesLong));
  lane = b.create<arith::AndIOp>(
      thread, byLength(kPackLanesShort - 1, kPackLanesLong - 1));
  Value batch = takeBatch(group, rows.inPacked);
  Value row =
      p.add(b.create<arith::ShLIOp>(
                group, p.sub(p.i32(llvm::Log2_64(kPackThreads)), logLanes)),
            b.create<arith::ShRUIOp>(thread, logLanes));
  locateRow(rows, batch, row);
  return p.cmp(CmpIPredicate::ult, row, rows.inPacked);
}

Value PackBuilder::takeBatch(Value &group, Value rows) {
  if (llvm::none_of(ArrayRef<unsigned>{0, 1}, [&](unsigned x) {
        return llvm::any_of(p.getKernel().getOperandInfo(x).getDims(),
                            [](char dim) { return isOuter(dim); });
      }))
    return p.i32(0);
  Value rowsPerBlock =
      byLength(kPackThreads / kPackLanesShort, kPackThreads / kPackLanesLong);
  Value groups =
      p.divU(p.add(rows, p.sub(rowsPerBlock, p.i32(1))), rowsPerBlock);
  Value quotient = p.divU(group, groups);
  group = p.sub(group, p.mul(quotient, groups));
  return quotient;
}

void PackBuilder::locateRow(const Rows &rows, Value batch, Value row) {
  Value safeRow = row;
  if (hasPaddedRows(p.getKernel(), 0) || hasPaddedRows(p.getKernel(), 1)) {
    inside = p.cmp(CmpIPredicate::ult, row, rows.inSource);
    safeRow = p.minU(row, p.sub(rows.inSource, p.i32(1)));
  }
  int64_t unit = getPitchUnit(p.getKernel(), only);
  Value pitch = p.mul(p.ceilDiv(columns, unit), p.i32(unit));
  chunks = p.divU(pitch, p.i32(vectorSize));
  Value outer = pick([&](unsigned x) { return p.ownOuterOffset(x, batch); });
  sourceRow = p.add(outer, p.mul(p.ext(safeRow), rows.stride));
  if (transforms) {
    char columnDim = isKContiguous(p.getKernel(), *only) ? 'k'
                     : *only                             ? 'n'
                                                         : 'm';
    function.emplace(p, *only, columnDim, [&](char dim) {
      return p.ext(isOuter(dim) ? p.ownOuterCoordinate(*only, dim, batch)
                                : safeRow);
    });
  }
  packedRow =
      p.mul(p.add(p.mul(p.ext(batch), p.ext(rows.inPacked)), p.ext(row)),
            p.ext(pitch));
}

void PackBuilder::build() {
  buildIf(locate(), [&] {
    Value stride =
        pick([&](unsigned x) { return sourceStride(x, p.getDims(x).back()); });
    Value isDense = p.cmp(CmpIPredicate::eq, stride, p.i64(1));
    Value isLong =
        b.create<arith::XOrIOp>(isShort, b.create<arith::ConstantIntOp>(1, 1));
    auto branch = b.create<scf::IfOp>(b.create<arith::AndIOp>(isDense, isLong),
                                      /*withElseRegion=*/true);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(branch.thenBlock());
    copyVectors();
    b.setInsertionPointToStart(branch.elseBlock());
    copyElements(stride);
  });
}

Value PackBuilder::loadElement(Value column, Value stride) {
  // The clamped column makes every load valid.
  Value safe = p.minU(column, p.sub(columns, p.i32(1)));
  Value loaded = b.create<memref::LoadOp>(
      source, index(p.add(sourceRow, p.mul(p.ext(safe), stride))));
  if (function)
    loaded = function->apply(loaded, safe);
  Value isColumn = p.cmp(CmpIPredicate::ult, column, columns);
  return p.select(isColumn, zeroPadded(loaded), p.zero(element));
}

void PackBuilder::store(Value vector, Value chunk) {
  b.create<vector::StoreOp>(vector, packed,
                            index(p.add(packedRow, offset(chunk))));
}

void PackBuilder::copyElements(Value stride) {
  Value step = p.select(isShort, p.i32(kPackLanesShort), p.i32(kPackLanesLong));
  Value first = p.mul(segment, p.i32(kPackLanesLong * kPackRounds));
  Value end = p.minU(chunks, p.add(first, p.i32(kPackLanesLong * kPackRounds)));
  auto loop = b.create<scf::ForOp>(p.add(first, lane), end, step);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(loop.getBody());
  Value chunk = loop.getInductionVar();
  SmallVector<Value> elements;
  for (int64_t e = 0; e < vectorSize; ++e)
    elements.push_back(
        loadElement(p.add(p.mul(chunk, p.i32(vectorSize)), p.i32(e)), stride));
  store(b.create<vector::FromElementsOp>(VectorType::get({vectorSize}, element),
                                         elements),
        chunk);
}

void PackBuilder::loadWords(Value start, SmallVectorImpl<Value> &words) {
  auto type = VectorType::get({vectorSize}, element);
  Value loaded = b.create<vector::LoadOp>(type, source, index(start));
  Value vector = b.create<vector::BitCastOp>(
      VectorType::get({kWords}, b.getI32Type()), loaded);
  for (int64_t i = 0; i < kWords; ++i)
    words.push_back(b.create<vector::ExtractOp>(vector, i));
}

void PackBuilder::copyVectors() {
  // Elements between the last 16-byte boundary and the row's first element.
  Value address = b.create<arith::IndexCastOp>(
      b.getI64Type(), b.create<memref::ExtractAlignedPointerAsIndexOp>(source));
  Value misalignment =
      p.bitAnd(b.create<arith::TruncIOp>(
                   b.getI32Type(),
                   p.add(p.divU(address, p.i64(elementBytes)), sourceRow)),
               p.i32(vectorSize - 1));
  Value isMisaligned = p.cmp(CmpIPredicate::ne, misalignment, p.i32(0));
  Value one = b.create<arith::ExtUIOp>(b.getI32Type(), isMisaligned);
  // A chunk needs the vector with its index and, if the row is not aligned, the
  // next one. The chunks from `first` to `end` have these vectors inside the
  // row.
  Value first = one;
  Value end =
      p.sub(p.divU(p.add(misalignment, columns), p.i32(vectorSize)), one);
  Value aligned = p.sub(sourceRow, p.ext(misalignment));
  Value next = offset(one);

  // All loads precede the first store, so that many bytes are in flight.
  SmallVector<Value> chunk;
  SmallVector<SmallVector<Value>> words(kPackRounds);
  Value begin =
      p.add(p.mul(segment, p.i32(kPackLanesLong * kPackRounds)), lane);
  for (int64_t i = 0; i < kPackRounds; ++i) {
    chunk.push_back(p.add(begin, p.i32(i * kPackLanesLong)));
    Value safe = b.create<arith::MaxUIOp>(
        p.minU(chunk.back(), p.sub(end, p.i32(1))), first);
    Value start = p.add(aligned, offset(safe));
    loadWords(start, words[i]);
    loadWords(p.add(start, next), words[i]);
  }
  copyEnds(first, end);
  for (int64_t i = 0; i < kPackRounds; ++i) {
    Value isOurs =
        b.create<arith::AndIOp>(p.cmp(CmpIPredicate::uge, chunk[i], first),
                                p.cmp(CmpIPredicate::ult, chunk[i], end));
    buildIf(isOurs,
            [&] { store(shift(words[i], misalignment, chunk[i]), chunk[i]); });
  }
}

void PackBuilder::copyEnds(Value first, Value end) {
  // At most one chunk before, one after, and those of the padding. Those of f32
  // have half the elements.
  int64_t padding =
      std::max<int64_t>(1, getPitchUnit(p.getKernel(), only) / vectorSize);
  int64_t endChunks = padding + 2;
  Value head = p.mul(first, p.i32(vectorSize));
  Value count = p.add(head, p.mul(p.sub(chunks, end), p.i32(vectorSize)));
  for (int64_t round = 0; round < endChunks * vectorSize;
       round += kPackLanesLong) {
    Value number = p.add(lane, round);
    Value isOurs =
        b.create<arith::AndIOp>(p.cmp(CmpIPredicate::eq, segment, p.i32(0)),
                                p.cmp(CmpIPredicate::ult, number, count));
    buildIf(isOurs, [&] {
      Value column =
          p.select(p.cmp(CmpIPredicate::ult, number, head), number,
                   p.add(p.mul(end, p.i32(vectorSize)), p.sub(number, head)));
      b.create<memref::StoreOp>(loadElement(column, p.i64(1)), packed,
                                index(p.add(packedRow, p.ext(column))));
    });
  }
}

Value PackBuilder::shift(ArrayRef<Value> words, Value misalignment,
                         Value chunk) {
  // Whole words by selections, parts of words by shifts.
  SmallVector<Value> shifted(words);
  for (int64_t distance : {2, 1}) {
    Value bit = p.bitAnd(misalignment, p.i32(distance * 4 / elementBytes));
    Value isSet = p.cmp(CmpIPredicate::ne, bit, p.i32(0));
    for (size_t i = 0; i + distance < shifted.size(); ++i)
      shifted[i] = p.select(isSet, shifted[i + distance], shifted[i]);
    shifted.resize(shifted.size() - distance);
  }
  if (elementBytes < 4) {
    // Less than 32 bits. The form that becomes one funnel shift.
    Value bits = p.mul(p.bitAnd(misalignment, p.i32(4 / elementBytes - 1)),
                       p.i32(8 * elementBytes));
    Value others = b.create<arith::XOrIOp>(bits, p.i32(31));
    for (int64_t i = 0; i < kWords; ++i) {
      Value low = b.create<arith::ShRUIOp>(shifted[i], bits);
      Value high = b.create<arith::ShLIOp>(
          b.create<arith::ShLIOp>(shifted[i + 1], p.i32(1)), others);
      shifted[i] = b.create<arith::OrIOp>(low, high);
    }
  }
  shifted.resize(kWords);
  if (function)
    function->applyToWords(shifted, p.mul(chunk, p.i32(vectorSize)), element);
  for (Value &word : shifted)
    word = zeroPadded(word);
  Value vector = b.create<vector::FromElementsOp>(
      VectorType::get({kWords}, b.getI32Type()), shifted);
  return b.create<vector::BitCastOp>(VectorType::get({vectorSize}, element),
                                     vector);
}

int64_t tcgemm::getPackVector(KernelOp kernel) {
  // K of both operands is padded to the wider vector.
  int64_t vector = 8;
  for (unsigned operand : {0, 1})
    if (getStorageBits(kernel.getOperandInfo(operand).getElementType()) == 8)
      vector =
          std::max(vector, kVectorBytes * getPackedElements(kernel, operand));
  return vector;
}

ProgramOp tcgemm::buildPackProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                   const KernelConfig &config, StringRef name,
                                   std::optional<unsigned> only) {
  ProgramBuilder p(kernel, module, name, kPackThreads);
  if (config.waitsForGrids())
    p.b().create<GridWaitOp>();
  PackBuilder(p, only, only && mapsInPack(kernel, config, *only)).build();
  if (config.waitsForGrids())
    p.b().create<GridLaunchDependentsOp>();
  return p.finish();
}
