//===- StagedInputs.cpp - Epilogue inputs in shared memory ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/StagedInputs.h"
#include "Common/EpilogueOperands.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

static constexpr int64_t kChunkRows = 64;

SmallVector<unsigned> tcgemm::getStageableInputs(KernelOp kernel) {
  SmallVector<unsigned> inputs;
  for (auto [number, i] : llvm::enumerate(getOperandsOfArguments(kernel))) {
    if (number == 0 || kernel.getOperandInfo(i).getRole() != OperandRole::Input)
      continue;
    OperandAttr info = kernel.getOperandInfo(i);
    StringRef dims = info.getDims();
    Type element = info.getElementType();
    if (dims.contains('m') && dims.back() == 'n' &&
        (element.isF16() || element.isBF16()))
      inputs.push_back(i);
  }
  return inputs;
}

int64_t tcgemm::findGuardOfInput(KernelOp kernel, unsigned operand) {
  SmallVector<int64_t> operandOfArgument = getOperandsOfArguments(kernel);
  size_t number =
      llvm::find(operandOfArgument, operand) - operandOfArgument.begin();
  return findGuard(kernel, kernel.getEpilogue().getArgument(number),
                   operandOfArgument);
}

StagedInputs::StagedInputs(ProgramBuilder &p, ArrayRef<unsigned> operands,
                           AccType acc, int64_t groups, int64_t chunkColumns)
    : p(p), acc(acc), groups(groups), columns(chunkColumns),
      operands(operands) {
  int64_t chunks = groups * (acc.getRows() / kChunkRows) *
                   llvm::divideCeil(acc.getColumns(), columns);
  SmallVector<TileType> tiles;
  for (unsigned operand : operands) {
    Type element = p.getKernel().getOperandInfo(operand).getElementType();
    TileType box = getStoreTile(element, kChunkRows, columns);
    tiles.push_back(TileType::get(acc.getContext(), chunks * kChunkRows,
                                  columns, element, box.getSwizzle()));
    maps.push_back(p.tensorMap(operand, box));
  }
  auto type = RingType::get(acc.getContext(), 1, RingKind::MBarrier, tiles);
  ring = p.b().create<RingCreateOp>(type, /*full_arrivals=*/1,
                                    /*empty_arrivals=*/4 * groups);
}

Value StagedInputs::start() {
  return p.b().create<RingStartOp>(RingStateType::get(acc.getContext()), ring,
                                   0);
}

Value StagedInputs::advance(Value state) {
  return p.b().create<RingAdvanceOp>(state.getType(), ring, state, Value());
}

/// Returns whether the tile's operand is read (i1): whether the scalar that
/// guards it is not 0. Null if there is none.
Value StagedInputs::buildCondition(unsigned tile) {
  int64_t guard = findGuardOfInput(p.getKernel(), operands[tile]);
  if (guard < 0)
    return {};
  Value scalar = p.scalar(guard);
  return p.b().create<arith::CmpFOp>(arith::CmpFPredicate::UNE, scalar,
                                     p.zero(scalar.getType()));
}

/// Starts the copies of one operand for the role's tile at `origin`: batch, m
/// and n.
void StagedInputs::loadTile(unsigned tile, Value state, Value token,
                            ArrayRef<Value> origin) {
  StringRef dims = p.getKernel().getOperandInfo(operands[tile]).getDims();
  int64_t row = 0;
  // A warpgroup's rows follow those of the previous one.
  for (int64_t i = 0; i < groups * acc.getRows(); i += kChunkRows)
    for (int64_t j = 0; j < acc.getColumns(); j += columns) {
      // The last chunk of a row may overlap the previous one.
      int64_t first = std::min(j, acc.getColumns() - columns);
      SmallVector<Value> coordinates;
      for (char dim : llvm::reverse(dims))
        coordinates.push_back(isOuter(dim) ? p.outerCoordinate(dim, origin[0])
                              : dim == 'm' ? p.add(origin[1], p.i32(i))
                                           : p.add(origin[2], p.i32(first)));
      p.b().create<TmaLoadOp>(maps[tile], coordinates, ValueRange(), ring,
                              state, token, p.i32(row), tile, /*multicast=*/0);
      row += kChunkRows;
    }
}

void StagedInputs::load(Value state, Value batch, Value m, Value n) {
  auto &b = p.b();
  auto elect = b.create<ElectOp>();
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(&elect.getBody().emplaceBlock());
  auto type = TokenType::get(acc.getContext(), TokenKind::Write);
  // The acquire announces the bytes by the conditions, which precede it.
  SmallVector<Value> conditions;
  for (unsigned tile = 0; tile < operands.size(); ++tile)
    conditions.push_back(buildCondition(tile));
  Value token = b.create<RingAcquireOp>(type, ring, state);
  for (auto [tile, condition] : llvm::enumerate(conditions)) {
    OpBuilder::InsertionGuard ofTile(b);
    if (condition) {
      auto branch = b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    loadTile(tile, state, token, {batch, m, n});
  }
  b.create<RingCommitOp>(Type(), ring, token);
}

Value StagedInputs::wait(Value state) {
  auto type = TokenType::get(acc.getContext(), TokenKind::Read);
  return p.b().create<RingWaitOp>(type, ring, state, Value(), 0);
}

void StagedInputs::release(Value token) {
  p.b().create<RingReleaseOp>(ring, token, 4 * groups, /*multicast=*/0);
}
