//===- StagedInputs.cpp - Epilogue inputs in shared memory ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/StagedInputs.h"
#include "Common/EpilogueOperands.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;

static constexpr int64_t kChunkRows = 64;

SmallVector<unsigned> tcgemm::getStageableInputs(KernelOp kernel) {
  SmallVector<unsigned> inputs;
  SmallVector<int64_t> operandOfArgument = getOperandsOfArguments(kernel);
  for (auto [number, i] : llvm::enumerate(operandOfArgument)) {
    if (number == 0 || kernel.getOperandInfo(i).getRole() != OperandRole::Input)
      continue;
    OperandAttr info = kernel.getOperandInfo(i);
    StringRef dims = info.getDims();
    Type element = info.getElementType();
    BlockArgument argument = kernel.getEpilogue().getArgument(number);
    if (dims.contains('m') && dims.back() == 'n' &&
        (element.isF16() || element.isBF16()) &&
        findGuard(kernel, argument, operandOfArgument) < 0)
      inputs.push_back(i);
  }
  return inputs;
}

StagedInputs::StagedInputs(ProgramBuilder &p, AccType acc, int64_t groups,
                           int64_t chunkColumns)
    : p(p), acc(acc), groups(groups), columns(chunkColumns),
      operands(getStageableInputs(p.getKernel())) {
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

void StagedInputs::load(Value state, Value batch, Value m, Value n) {
  auto &b = p.b();
  auto elect = b.create<ElectOp>();
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(&elect.getBody().emplaceBlock());
  auto type = TokenType::get(acc.getContext(), TokenKind::Write);
  Value token = b.create<RingAcquireOp>(type, ring, state);
  for (auto [tile, operand] : llvm::enumerate(operands)) {
    StringRef dims = p.getKernel().getOperandInfo(operand).getDims();
    int64_t row = 0;
    // A warpgroup's rows follow those of the previous one.
    for (int64_t i = 0; i < groups * acc.getRows(); i += kChunkRows)
      for (int64_t j = 0; j < acc.getColumns(); j += columns) {
        // The last chunk of a row may overlap the previous one.
        int64_t first = std::min(j, acc.getColumns() - columns);
        SmallVector<Value> coordinates;
        for (char dim : llvm::reverse(dims))
          coordinates.push_back(isOuter(dim) ? p.outerCoordinate(dim, batch)
                                : dim == 'm' ? p.add(m, p.i32(i))
                                             : p.add(n, p.i32(first)));
        b.create<TmaLoadOp>(maps[tile], coordinates, ValueRange(), ring, state,
                            token, p.i32(row), tile, /*multicast=*/0);
        row += kChunkRows;
      }
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
