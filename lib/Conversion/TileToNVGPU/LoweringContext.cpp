//===- LoweringContext.cpp - State of the lowering of a program -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringContext.h"
#include "Accumulator.h"
#include "MBarriers.h"
#include "SharedMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace tcgemm;

LoweringContext::LoweringContext(const ProgramAnalysis &analysis)
    : b(analysis.getProgram().getLoc(), analysis.getProgram().getContext()),
      analysis(analysis) {
  addTypeConversions();
}

void LoweringContext::createPrologue() {
  ProgramOp program = analysis.getProgram();
  b.setInsertionPointToStart(&program.getBody().front());
  Value id = b.create<gpu::ThreadIdOp>(gpu::Dimension::x);
  thread = b.create<arith::IndexCastUIOp>(b.getI32Type(), id);
  if (analysis.hasRoles()) {
    sharedBase = createSharedBase(b);
    // A shuffle, so that ptxas knows that the number is uniform.
    Value number = warpId();
    warp = b.create<NVVM::ShflOp>(b.getI32Type(), b.i32(-1), number, b.i32(0),
                                  b.i32(31), NVVM::ShflKind::idx, UnitAttr());
  }
  for (Operation *op : analysis.getBarrierUsers()) {
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    awaitBarrierInit(*this);
  }
}

void LoweringContext::start(Operation *op, ArrayRef<ValueRange> operands,
                            ConversionPatternRewriter &rewriter) {
  this->rewriter = &rewriter;
  b.setListener(rewriter.getListener());
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  for (auto [operand, converted] : llvm::zip_equal(op->getOperands(), operands))
    set(operand, converted);
}

void LoweringContext::finish(Operation *op,
                             ConversionPatternRewriter &rewriter) {
  SmallVector<Values> results;
  for (Value result : op->getResults())
    results.push_back(values.lookup(result));
  rewriter.replaceOpWithMultiple(op, std::move(results));
}

Values LoweringContext::flatten(ValueRange list) const {
  Values flat;
  for (Value value : list)
    llvm::append_range(flat, all(value));
  return flat;
}

void LoweringContext::addTypeConversions() {
  using Types = SmallVectorImpl<Type>;
  bool hasRoles = analysis.hasRoles();
  bool hasTokens = !analysis.copiesThroughRegisters();
  Type i32 = b.getI32Type();
  types.addConversion([](Type type) { return type; });
  // The memory of a cp_async ring. That of others has constant addresses.
  types.addConversion([this](RingType type, Types &results) {
    if (type.getKind() == RingKind::CpAsync)
      results.push_back(getStagesType(b, type));
    return success();
  });
  types.addConversion(
      [](LoaderType type, Types &results) { return success(); });
  // The offset of a stage in elements or, in a program with roles, whose rings
  // have mbarriers, the stage and the parity of its phase.
  types.addConversion([=](RingStateType type, Types &results) {
    results.append(hasRoles ? 2 : 1, i32);
    return success();
  });
  // In a program with roles, the stage.
  types.addConversion([=](TokenType type, Types &results) {
    if (hasRoles)
      results.push_back(i32);
    else if (type.getKind() == TokenKind::InFlight && hasTokens)
      results.push_back(nvgpu::DeviceAsyncTokenType::get(type.getContext()));
    return success();
  });
  types.addConversion([this](AccType type, Types &results) {
    auto layout = createAccumulator(*this, type.getLayout());
    llvm::append_range(results, layout->expand(type));
    return success();
  });
  types.addConversion([this](ScalesType type, Types &results) {
    results.append(type.getNumRegisters(), b.getF32Type());
    return success();
  });
  types.addConversion([this](ScalesBufferType type, Types &results) {
    results.push_back(LLVM::LLVMPointerType::get(b.getContext(), 3));
    return success();
  });
  types.addConversion([i32](ZeroPointsType type, Types &results) {
    results.append(type.getNumRegisters(), i32);
    return success();
  });
  types.addConversion([i32](GroupValuesType type, Types &results) {
    results.append(type.getNumRegisters(), i32);
    return success();
  });
  types.addConversion([this](FragmentType type, Types &results) {
    llvm::append_range(results, createAccumulator(*this, type)->expand(type));
    return success();
  });
}
