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
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tcgemm;

LoweringContext::LoweringContext(const ProgramAnalysis &analysis,
                                 const HandlerTable &handlers)
    : b(analysis.getProgram().getLoc(), analysis.getProgram().getContext()),
      analysis(analysis), handlers(handlers) {
  addTypeConversions();
}

LogicalResult LoweringContext::run() {
  ProgramOp program = analysis.getProgram();
  Region old;
  old.takeBody(program.getBody());
  Block &entry = program.getBody().emplaceBlock();
  b.setInsertionPointToStart(&entry);
  for (BlockArgument argument : old.getArguments())
    set(argument, entry.addArgument(argument.getType(), argument.getLoc()));
  Value id = b.create<gpu::ThreadIdOp>(gpu::Dimension::x);
  thread = b.create<arith::IndexCastUIOp>(b.getI32Type(), id);
  if (analysis.hasRoles()) {
    sharedBase = createSharedBase(b);
    // A shuffle, so that ptxas knows that the number is uniform.
    Value number = warpId();
    warp = b.create<NVVM::ShflOp>(b.getI32Type(), b.i32(-1), number, b.i32(0),
                                  b.i32(31), NVVM::ShflKind::idx, UnitAttr());
  }
  if (failed(lower(old.front())))
    return failure();
  old.front().dropAllReferences();
  return success();
}

LogicalResult LoweringContext::lower(Block &block) {
  for (Operation &op : block) {
    b.setLoc(op.getLoc());
    if (failed(lower(&op)))
      return failure();
  }
  return success();
}

LogicalResult LoweringContext::lower(Operation *op) {
  if (analysis.needsBarriersBefore(op))
    awaitBarrierInit(*this);
  if (const HandlerTable::Handler *handler = handlers.lookup(op))
    return (*handler)(*this, op);
  bool isTile = isa_and_nonnull<TcgemmDialect>(op->getDialect());
  if (op->getNumRegions() || (isTile && !isa<ReturnOp>(op)))
    return op->emitOpError() << "cannot be lowered yet";
  clone(op);
  return success();
}

/// Copies an operation on values that stand for themselves.
void LoweringContext::clone(Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, one(operand));
  Operation *copy = b.clone(*op, mapping);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults()))
    set(from, to);
}

Values LoweringContext::flatten(ValueRange list) const {
  Values flat;
  for (Value value : list)
    llvm::append_range(flat, all(value));
  return flat;
}

void LoweringContext::distribute(ValueRange from, ValueRange flat) {
  for (Value value : from) {
    size_t count = expand(value.getType()).size();
    set(value, flat.take_front(count));
    flat = flat.drop_front(count);
  }
}

SmallVector<Type> LoweringContext::expand(TypeRange list) const {
  SmallVector<Type> expanded;
  LogicalResult result = types.convertTypes(list, expanded);
  assert(succeeded(result) && "every type has a conversion");
  (void)result;
  return expanded;
}

void LoweringContext::addTypeConversions() {
  using Types = SmallVectorImpl<Type>;
  bool hasRoles = analysis.hasRoles();
  bool hasTokens = !analysis.copiesThroughRegisters();
  Type i32 = b.getI32Type();
  types.addConversion([](Type type) { return type; });
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
  types.addConversion([this](FragmentType type, Types &results) {
    llvm::append_range(results, createAccumulator(*this, type)->expand(type));
    return success();
  });
}
