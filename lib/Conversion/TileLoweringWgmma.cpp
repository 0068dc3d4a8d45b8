//===- TileLoweringWgmma.cpp - Asynchronous products -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of a stage are one piece of inline assembly, from fence to
// commit: nothing can come between them, and the accumulators stay in the
// registers that they are in. The wait that ends them passes the accumulators
// through, so that no read of one can move before it.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

SmallVector<Value> TileLowering::emitAssembly(StringRef text,
                                              StringRef constraints,
                                              unsigned results,
                                              ValueRange operands) {
  SmallVector<Type> types(results, b.getF32Type());
  Type type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  if (results == 1)
    type = types.front();
  if (results == 0)
    type = Type();
  auto assembly = b.create<LLVM::InlineAsmOp>(
      type ? TypeRange(type) : TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  SmallVector<Value> values;
  for (unsigned i = 0; i < results; ++i)
    values.push_back(b.create<LLVM::ExtractValueOp>(assembly.getRes(), i));
  return values;
}

/// The first `count` of constraints that bind results, operands to them.
static std::string tie(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += "=f,";
  for (unsigned i = 0; i < count; ++i)
    text += std::to_string(i) + ",";
  return text;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

namespace {
/// The fields of a matrix descriptor that do not depend on the address, and
/// what moves it. Units are 16 bytes, as in the descriptor.
struct MatrixLayout {
  uint64_t fields;
  int64_t perStep; // 16 elements along k
  int64_t per64;   // 64 rows of the instruction
};
} // namespace

static MatrixLayout getMatrixLayout(TileType tile, bool transposed,
                                    int64_t depth) {
  int64_t width = tile.getTmaSwizzle();
  uint64_t mode = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
  // Eight rows of the swizzle's width are its atom; along k they follow one
  // another in a transposed tile, along m or n in any other.
  uint64_t atom = 8 * width / 16;
  uint64_t chunk = transposed ? depth * width / 16 : 1;
  MatrixLayout layout;
  layout.fields = mode << 62 | atom << 32 | chunk << 16;
  layout.perStep = transposed ? 2 * atom : 2;
  layout.per64 = transposed ? int64_t(chunk) * 128 / width : 8 * atom;
  return layout;
}

Value TileLowering::matrixDescriptor(MmaAsyncOp op, bool isA) {
  RingType ring = op.getRing().getType();
  int64_t index = isA ? op.getATile() : op.getBTile();
  TileType tile = ring.getTiles()[index];
  MatrixLayout matrix = getMatrixLayout(
      tile, isA ? op.getATransposed() : op.getBTransposed(), op.getDepth());
  Value base = b.create<LLVM::PtrToIntOp>(
      b.getI32Type(),
      sharedAddress({}, layout.stages.lookup(op.getRing().getDefiningOp()) +
                            ring.getTileOffset(index)));
  Value address =
      b.bitAnd(b.createOrFold<arith::ShRUIOp>(base, b.i32(4)), b.i32(0x3FFF));
  if (isA && op.getRow())
    address =
        b.add(address,
              b.mul(b.createOrFold<arith::ShRUIOp>(one(op.getRow()), b.i32(6)),
                    matrix.per64));
  Value descriptor = b.createOrFold<arith::OrIOp>(
      b.ext(address), b.i64(int64_t(matrix.fields)));
  Value stage = b.mul(b.ext(one(op.getState())), ring.getStageBytes() / 16);
  return b.add(descriptor, stage);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void TileLowering::lower(MmaAsyncOp op) {
  ArrayRef<TileType> tiles = op.getRing().getType().getTiles();
  TileType a = tiles[op.getATile()], tileB = tiles[op.getBTile()];
  AccType acc = op.getAcc().getType();
  int64_t depth = op.getDepth();
  MatrixLayout layoutA = getMatrixLayout(a, op.getATransposed(), depth);
  MatrixLayout layoutB = getMatrixLayout(tileB, op.getBTransposed(), depth);
  int64_t blocks = acc.getRows() / 64, perBlock = acc.getColumns() / 2;
  int64_t registers = blocks * perBlock;

  APInt known;
  bool isNew = op.getAccumulate() &&
               matchPattern(op.getAccumulate(), m_ConstantInt(&known)) &&
               known.isZero();
  SmallVector<Value> operands;
  // A sum that starts anew has no registers to come from.
  if (!isNew)
    llvm::append_range(operands, all(op.getAcc()));
  int64_t next = registers + operands.size();
  std::string text, constraints = isNew ? "" : tie(registers);
  for (int64_t i = 0; isNew && i < registers; ++i)
    constraints += "=f,";
  auto addOperand = [&](Value value, StringRef constraint) {
    operands.push_back(value);
    constraints += (constraint + ",").str();
    return next++;
  };
  std::string accumulate = "1";
  if (isNew)
    accumulate = "0";
  else if (op.getAccumulate()) {
    Value flag =
        b.createOrFold<arith::ExtUIOp>(b.getI32Type(), one(op.getAccumulate()));
    text = llvm::formatv(".reg .pred accumulate;\n"
                         "setp.ne.b32 accumulate, ${0}, 0;\n",
                         addOperand(flag, "r"));
    accumulate = "accumulate";
  }
  text += "wgmma.fence.sync.aligned;\n";
  Value baseA = matrixDescriptor(op, true), baseB = matrixDescriptor(op, false);
  StringRef type = a.getElementType().isBF16() ? "bf16" : "f16";
  for (int64_t step = 0; step < depth / 16; ++step) {
    int64_t placeB = addOperand(b.add(baseB, step * layoutB.perStep), "l");
    for (int64_t block = 0; block < blocks; ++block) {
      Value place =
          b.add(baseA, step * layoutA.perStep + block * layoutA.per64);
      std::string list;
      for (int64_t r = 0; r < perBlock; ++r)
        list += llvm::formatv("{0}${1}", r ? ", " : "", block * perBlock + r);
      text += llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}."
                            "{1} ",
                            acc.getColumns(), type);
      text += "{" + list + "}";
      text +=
          llvm::formatv(", ${0}, ${1}, {2}, 1, 1, {3}, {4};\n",
                        addOperand(place, "l"), placeB, step ? "1" : accumulate,
                        int(op.getATransposed()), int(op.getBTransposed()));
    }
  }
  text = "{\n" + text + "wgmma.commit_group.sync.aligned;\n}";
  constraints += "~{memory}";
  set(op.getResult(), emitAssembly(text, constraints, registers, operands));
}

void TileLowering::lower(MmaAwaitOp op) {
  SmallVector<Value> acc(all(op.getAcc()));
  std::string text =
      llvm::formatv("wgmma.wait_group.sync.aligned {0};", op.getPending());
  if (op.getPending()) {
    // The accumulators are still in flight; to name them would be to touch
    // them.
    emitAssembly(text, "~{memory}", 0, {});
    return set(op.getResult(), acc);
  }
  set(op.getResult(),
      emitAssembly(text, tie(acc.size()) + "~{memory}", acc.size(), acc));
}

//===----------------------------------------------------------------------===//
// Accumulator
//===----------------------------------------------------------------------===//

/// Whether the body rounds the sum itself, in order to go on with it.
static bool roundsSum(EpilogueOp op) {
  return llvm::any_of(
      op.getBody().front().getArgument(0).getUsers(), [](Operation *user) {
        return isa<arith::TruncFOp>(user) &&
               !llvm::all_of(user->getUsers(), [](Operation *next) {
                 return next->hasTrait<OpTrait::IsTerminator>();
               });
      });
}

/// ptxas moves a lone rounding of a sum to f16 up over the wait for it, and
/// then runs the products one after another. It takes away a product with one,
/// but too late for that; LLVM would do so at once.
AccView TileLowering::guardRounding(EpilogueOp op, AccView view) {
  if (op.getAcc().getType().getLayout() != AccLayout::Wgmma || !roundsSum(op))
    return view;
  auto dialect =
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  for (Value &value : view.values)
    value = b.create<LLVM::InlineAsmOp>(
                 b.getF32Type(), value, "mul.rn.f32 $0, $1, 0f3F800000;",
                 "=f,f", /*has_side_effects=*/false, /*is_align_stack=*/false,
                 LLVM::TailCallKind::None, dialect, ArrayAttr())
                .getRes();
  return view;
}

/// Warp w of the warpgroup holds rows 16w to 16w + 15 of each block of 64; in
/// them, lane l rows l/4 and l/4 + 8, columns 2(l mod 4) and the next of each
/// eight.
AccView TileLowering::viewWgmma(EpilogueOp op, bool withValues) {
  AccType type = op.getAcc().getType();
  bool transposed = op.getTransposed();
  Value m = one(op.getM()), n = one(op.getN());
  Value lane = laneId(), inGroup = b.remU(b.divU(threadId(), 32), 4);
  Value row =
      b.add(transposed ? n : m, b.add(b.mul(inGroup, 16), b.divU(lane, 4)));
  Value column = b.add(transposed ? m : n, b.mul(b.remU(lane, 4), 2));
  SmallVector<Value> rows, columns;
  for (int64_t i = 0; i < type.getRows(); i += 64)
    for (int64_t half : {0, 8})
      rows.push_back(b.add(row, i + half));
  for (int64_t j = 0; j < type.getColumns(); j += 8)
    for (int64_t e : {0, 1})
      columns.push_back(b.add(column, j + e));
  AccView view;
  view.run = transposed ? 1 : 2;
  view.rows = transposed ? columns : rows;
  view.columns = transposed ? rows : columns;
  if (!withValues)
    return view;
  ArrayRef<Value> registers = all(op.getAcc());
  auto at = [&](size_t r, size_t c) {
    return registers[r / 2 * type.getColumns() / 2 + c / 2 * 4 + r % 2 * 2 +
                     c % 2];
  };
  size_t outer = transposed ? columns.size() : rows.size();
  size_t inner = transposed ? rows.size() : columns.size();
  for (size_t i = 0; i < outer; ++i)
    for (size_t j = 0; j < inner; ++j)
      view.values.push_back(transposed ? at(j, i) : at(i, j));
  return view;
}
