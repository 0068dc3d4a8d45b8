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

/// Returns the descriptor of a tile of the stage at `state`. `row`, a multiple
/// of 64, is where the operand starts in the tile; it may be null.
static Value createDescriptor(LoweringContext &c, TypedValue<RingType> ring,
                              Value state, int64_t index,
                              const MatrixLayout &layout, Value row = {}) {
  IntegerBuilder &b = c.b;
  RingType type = ring.getType();
  Value base = b.create<LLVM::PtrToIntOp>(
      b.getI32Type(),
      createSharedAddress(c, {},
                          c.analysis.getSharedMemory().getStages(ring) +
                              type.getTileOffset(index)));
  Value address = b.bitAnd(b.shiftRightU(base, 4), b.i32(0x3FFF));
  if (row)
    address = b.add(address, b.mul(b.shiftRightU(c.one(row), 6), layout.per64));
  Value descriptor = b.bitOr(b.ext(address), b.i64(int64_t(layout.fields)));
  Value stage = b.mul(b.ext(c.one(state)), type.getStageBytes() / 16);
  return b.add(descriptor, stage);
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {
/// The assembly of a group of products.
class GroupAssembly : public Lowering {
public:
  /// `isNew`: the sum starts with these products.
  GroupAssembly(LoweringContext &c, TypedValue<AccType> sum,
                const MatrixInstruction &instruction, bool isNew);
  /// Starts the text. `adds`, an i1, may be null.
  void start(Value adds);
  /// Adds an operand; returns its number in the text.
  int64_t addOperand(Value value, StringRef constraint);
  /// Adds a product of 64 rows. `a` is A as the text has it; `transposes` are
  /// the flags of the operands that may be transposed.
  void addProduct(int64_t block, StringRef a, int64_t operandB, bool isFirst,
                  StringRef transposes);
  /// Returns the registers of the sum.
  Values finish();
  int64_t getBlocks() const { return blocks; }

private:
  void addAccumulators();

  TypedValue<AccType> sum;
  const MatrixInstruction &instruction;
  SmallVector<Type> registers; // of the accumulator
  int64_t blocks, perBlock;    // of 64 rows, and registers of one
  bool isNew;
  std::string accumulate; // whether the first product adds to the sum
  Values operands;
  int64_t nextOperand = 0;
  std::string text, constraints;
};
} // namespace

GroupAssembly::GroupAssembly(LoweringContext &c, TypedValue<AccType> sum,
                             const MatrixInstruction &instruction, bool isNew)
    : Lowering(c), sum(sum), instruction(instruction),
      registers(WgmmaAccumulator(c).expand(sum.getType())),
      blocks(sum.getType().getRows() / 64),
      perBlock(int64_t(registers.size()) / blocks), isNew(isNew) {}

int64_t GroupAssembly::addOperand(Value value, StringRef constraint) {
  operands.push_back(value);
  constraints += (constraint + ",").str();
  return nextOperand++;
}

void GroupAssembly::addAccumulators() {
  int64_t count = registers.size();
  nextOperand = count;
  if (isNew) {
    // A sum that starts has no registers to come from.
    for (Type type : registers)
      constraints += ("=" + getRegisterClass(type) + ",").str();
    return;
  }
  llvm::append_range(operands, all(sum));
  constraints = tieRegisters(count, registers.front());
  nextOperand += count;
}

void GroupAssembly::start(Value adds) {
  addAccumulators();
  accumulate = isNew ? "0" : "1";
  if (adds && !isNew) {
    accumulate = "accumulate";
    text = llvm::formatv(".reg .pred accumulate;\n"
                         "setp.ne.b32 accumulate, ${0}, 0;\n",
                         addOperand(b.extBool(adds), "r"));
  }
  text += "wgmma.fence.sync.aligned;\n";
}

void GroupAssembly::addProduct(int64_t block, StringRef a, int64_t operandB,
                               bool isFirst, StringRef transposes) {
  std::string list;
  for (int64_t r = 0; r < perBlock; ++r)
    list += llvm::formatv("{0}${1}", r ? ", " : "", block * perBlock + r);
  text += llvm::formatv(
      "wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{4}"
      "{5} ",
      sum.getType().getColumns(), instruction.k,
      getPtxTypeName(instruction.accumulator), getPtxTypeName(instruction.a),
      getPtxTypeName(instruction.b), getPtxOperation(instruction));
  text += "{" + list + "}, ";
  text += a;
  text += llvm::formatv(", ${0}, {1}", operandB,
                        isFirst ? StringRef(accumulate) : "1");
  // Floats have signs, and operands of 16 bits may be transposed.
  if (isFloatType(instruction.accumulator))
    text += ", 1, 1";
  text += transposes;
  text += ";\n";
}

Values GroupAssembly::finish() {
  text = "{\n" + text + "wgmma.commit_group.sync.aligned;\n}";
  constraints += "~{memory}";
  return createAssembly(b, text, constraints, registers, operands);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Returns whether the operation is known not to add to its accumulator.
static bool startsSum(MmaAsyncOp op) {
  APInt known;
  return op.getAccumulate() &&
         matchPattern(op.getAccumulate(), m_ConstantInt(&known)) &&
         known.isZero();
}

void WgmmaProducts::lower(MmaAsyncOp op) {
  const MatrixInstruction &instruction = *op.getInstruction();
  ArrayRef<TileType> tiles = op.getRing().getType().getTiles();
  MatrixLayout a =
      getMatrixLayout(tiles[op.getATile()], op.getATransposed(), op.getDepth());
  MatrixLayout columns =
      getMatrixLayout(tiles[op.getBTile()], op.getBTransposed(), op.getDepth());
  GroupAssembly group(c, op.getAcc(), instruction, startsSum(op));
  group.start(op.getAccumulate() ? one(op.getAccumulate()) : Value());
  Value baseA = createDescriptor(c, op.getRing(), op.getState(), op.getATile(),
                                 a, op.getRow());
  Value baseB =
      createDescriptor(c, op.getRing(), op.getState(), op.getBTile(), columns);
  std::string transposes;
  if (instruction.takesTransposed)
    transposes = llvm::formatv(", {0}, {1}", int(op.getATransposed()),
                               int(op.getBTransposed()));
  for (int64_t step = 0; step < op.getDepth() / instruction.k; ++step) {
    int64_t operandB =
        group.addOperand(b.add(baseB, step * columns.perStep), "l");
    for (int64_t block = 0; block < group.getBlocks(); ++block) {
      Value descriptor = b.add(baseA, step * a.perStep + block * a.per64);
      std::string rows =
          "$" + std::to_string(group.addOperand(descriptor, "l"));
      group.addProduct(block, rows, operandB, step == 0, transposes);
    }
  }
  set(op.getResult(), group.finish());
}

void WgmmaProducts::lower(MmaAsyncFragmentOp op) {
  constexpr int64_t registers = 4; // of A, for 64 rows of one instruction
  const MatrixInstruction &instruction = *op.getInstruction();
  int64_t steps = int64_t(op.getA().getType().getDepth()) / instruction.k;
  TileType tile = op.getRing().getType().getTiles()[op.getBTile()];
  MatrixLayout columns =
      getMatrixLayout(tile, op.getBTransposed(), op.getTileDepth());
  // Only B may be transposed.
  StringRef transposes = !instruction.takesTransposed ? ""
                         : op.getBTransposed()        ? ", 1"
                                                      : ", 0";
  GroupAssembly group(c, op.getAcc(), instruction, op.getIsNew());
  group.start(/*adds=*/{});
  Value base =
      createDescriptor(c, op.getRing(), op.getState(), op.getBTile(), columns);
  ArrayRef<Value> rows = all(op.getA());
  for (int64_t step = 0; step < steps; ++step) {
    int64_t at = int64_t(op.getKStep()) * steps + step;
    int64_t operandB = group.addOperand(b.add(base, at * columns.perStep), "l");
    for (int64_t block = 0; block < group.getBlocks(); ++block) {
      std::string list;
      for (Value value :
           rows.slice((block * steps + step) * registers, registers))
        list += (list.empty() ? "$" : ", $") +
                std::to_string(group.addOperand(value, "r"));
      group.addProduct(block, "{" + list + "}", operandB, step == 0,
                       transposes);
    }
  }
  set(op.getResult(), group.finish());
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
