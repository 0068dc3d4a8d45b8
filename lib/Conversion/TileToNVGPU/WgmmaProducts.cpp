//===- WgmmaProducts.cpp - Asynchronous products of a warpgroup -----------===//
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

#include "WgmmaProducts.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "WgmmaAccumulator.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

namespace {
/// The fields of a matrix descriptor that do not depend on the address, and
/// what moves it. Units are 16 bytes, as in the descriptor.
struct MatrixLayout {
  uint64_t fields;
  int64_t perStep; // one step of the instruction along k: 32 bytes
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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// The assembly of one mma.async.
class StageProducts : public Lowering {
public:
  StageProducts(LoweringContext &c, MmaAsyncOp op);
  Values emit();

private:
  Value createDescriptor(bool isA);
  void addAccumulators();
  std::string addPredicate();
  void addProduct(int64_t block, int64_t operandA, int64_t operandB,
                  StringRef accumulate);
  /// Adds an operand; returns its number in the text.
  int64_t addOperand(Value value, StringRef constraint);

  MmaAsyncOp op;
  AccType acc;
  TileType a, tileB;
  const MatrixInstruction &instruction;
  MatrixLayout layoutA, layoutB;
  SmallVector<Type> registers; // of the accumulator
  int64_t blocks, perBlock;    // of 64 rows, and registers of one
  bool isNew;                  // whether the sum starts with these products
  Values operands;
  int64_t nextOperand = 0;
  std::string text, constraints;
};
} // namespace

/// Whether the operation is known not to add to its accumulator.
static bool startsSum(MmaAsyncOp op) {
  APInt known;
  return op.getAccumulate() &&
         matchPattern(op.getAccumulate(), m_ConstantInt(&known)) &&
         known.isZero();
}

StageProducts::StageProducts(LoweringContext &c, MmaAsyncOp op)
    : Lowering(c), op(op), acc(op.getAcc().getType()),
      a(op.getRing().getType().getTiles()[op.getATile()]),
      tileB(op.getRing().getType().getTiles()[op.getBTile()]),
      instruction(*op.getInstruction()),
      layoutA(getMatrixLayout(a, op.getATransposed(), op.getDepth())),
      layoutB(getMatrixLayout(tileB, op.getBTransposed(), op.getDepth())),
      registers(WgmmaAccumulator(c).expand(acc)), blocks(acc.getRows() / 64),
      perBlock(int64_t(registers.size()) / blocks), isNew(startsSum(op)) {}

int64_t StageProducts::addOperand(Value value, StringRef constraint) {
  operands.push_back(value);
  constraints += (constraint + ",").str();
  return nextOperand++;
}

void StageProducts::addAccumulators() {
  int64_t count = registers.size();
  nextOperand = count;
  if (isNew) {
    // A sum that starts has no registers to come from.
    for (Type type : registers)
      constraints += ("=" + getRegisterClass(type) + ",").str();
    return;
  }
  llvm::append_range(operands, all(op.getAcc()));
  constraints = tieRegisters(count, registers.front());
  nextOperand += count;
}

/// Whether the first product adds to the accumulators, as PTX writes it.
std::string StageProducts::addPredicate() {
  if (isNew)
    return "0";
  if (!op.getAccumulate())
    return "1";
  Value flag = b.extBool(one(op.getAccumulate()));
  text = llvm::formatv(".reg .pred accumulate;\n"
                       "setp.ne.b32 accumulate, ${0}, 0;\n",
                       addOperand(flag, "r"));
  return "accumulate";
}

Value StageProducts::createDescriptor(bool isA) {
  RingType ring = op.getRing().getType();
  int64_t index = isA ? op.getATile() : op.getBTile();
  const MatrixLayout &matrix = isA ? layoutA : layoutB;
  Value base = b.create<LLVM::PtrToIntOp>(
      b.getI32Type(),
      createSharedAddress(c, {},
                          analysis.getSharedMemory().getStages(op.getRing()) +
                              ring.getTileOffset(index)));
  Value address = b.bitAnd(b.shiftRightU(base, 4), b.i32(0x3FFF));
  if (isA && op.getRow())
    address =
        b.add(address, b.mul(b.shiftRightU(one(op.getRow()), 6), matrix.per64));
  Value descriptor = b.bitOr(b.ext(address), b.i64(int64_t(matrix.fields)));
  Value stage = b.mul(b.ext(one(op.getState())), ring.getStageBytes() / 16);
  return b.add(descriptor, stage);
}

void StageProducts::addProduct(int64_t block, int64_t operandA,
                               int64_t operandB, StringRef accumulate) {
  std::string list;
  for (int64_t r = 0; r < perBlock; ++r)
    list += llvm::formatv("{0}${1}", r ? ", " : "", block * perBlock + r);
  text += llvm::formatv(
      "wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{4} ", acc.getColumns(),
      instruction.k, getPtxTypeName(instruction.accumulator),
      getPtxTypeName(instruction.a), getPtxTypeName(instruction.b));
  text += "{" + list + "}";
  text += llvm::formatv(", ${0}, ${1}, {2}", operandA, operandB, accumulate);
  // Floats have signs, and operands of 16 bits may be transposed.
  if (isFloatType(instruction.accumulator))
    text += ", 1, 1";
  if (instruction.takesTransposed)
    text += llvm::formatv(", {0}, {1}", int(op.getATransposed()),
                          int(op.getBTransposed()));
  text += ";\n";
}

Values StageProducts::emit() {
  addAccumulators();
  std::string accumulate = addPredicate();
  text += "wgmma.fence.sync.aligned;\n";
  Value baseA = createDescriptor(/*isA=*/true);
  Value baseB = createDescriptor(/*isA=*/false);
  for (int64_t step = 0; step < op.getDepth() / instruction.k; ++step) {
    int64_t operandB = addOperand(b.add(baseB, step * layoutB.perStep), "l");
    for (int64_t block = 0; block < blocks; ++block) {
      Value descriptor =
          b.add(baseA, step * layoutA.perStep + block * layoutA.per64);
      addProduct(block, addOperand(descriptor, "l"), operandB,
                 step ? "1" : accumulate);
    }
  }
  text = "{\n" + text + "wgmma.commit_group.sync.aligned;\n}";
  constraints += "~{memory}";
  return createAssembly(b, text, constraints, registers, operands);
}

void WgmmaProducts::lower(MmaAsyncOp op) {
  set(op.getResult(), StageProducts(c, op).emit());
}

void WgmmaProducts::lower(MmaAwaitOp op) {
  Values acc(all(op.getAcc()));
  std::string text =
      llvm::formatv("wgmma.wait_group.sync.aligned {0};", op.getPending());
  if (op.getPending()) {
    // The accumulators are still in flight; to name them would be to touch
    // them.
    createAssembly(b, text, "~{memory}", TypeRange(), ValueRange());
    return set(op.getResult(), acc);
  }
  SmallVector<Type> types(acc.size(), acc.front().getType());
  set(op.getResult(),
      createAssembly(b, text,
                     tieRegisters(acc.size(), types.front()) + "~{memory}",
                     types, acc));
}
