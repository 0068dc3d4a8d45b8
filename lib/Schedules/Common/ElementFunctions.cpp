//===- ElementFunctions.cpp - Functions of operands' elements -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/ElementFunctions.h"
#include "Common/EpilogueOperands.h"
#include "Common/Programs.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Dialect/ElementRegion.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

/// The kernel's operand of each argument of the region; -1 for the element.
static SmallVector<int64_t> getSources(KernelOp kernel) {
  return getOperandsOfArguments(kernel);
}

static bool readsInputs(KernelOp kernel, Region &region) {
  return llvm::any_of(
      llvm::zip_equal(region.getArguments(), getSources(kernel)),
      [&](auto pair) {
        auto [argument, source] = pair;
        return source >= 0 && !argument.use_empty() &&
               kernel.getOperandInfo(source).getRole() == OperandRole::Input;
      });
}

bool tcgemm::mapsInRegisters(KernelOp kernel, const KernelConfig &config,
                             unsigned operand) {
  Region *region = kernel.findTransform(operand);
  const ScheduleFamily &family = getFamily(config.schedule);
  return region &&
         family.mapsFragments(config, getProblemInfo(kernel), operand) &&
         !splitsOperands(kernel) && !readsInputs(kernel, *region) &&
         (family.cutsFragments() || !needsZeros(kernel, config, operand));
}

bool tcgemm::mapsInPack(KernelOp kernel, const KernelConfig &config,
                        unsigned operand) {
  return kernel.findTransform(operand) &&
         !mapsInRegisters(kernel, config, operand);
}

bool tcgemm::needsZeros(KernelOp kernel, const KernelConfig &config,
                        unsigned operand) {
  int64_t k = kernel.getK();
  if (!ShapedType::isDynamic(k) && k % config.cta[2] == 0)
    return false;
  // If both operands have functions, A has zeros beyond K.
  return (operand == 0 && mapsInRegisters(kernel, config, 1)) ||
         !isFiniteAtZero(*kernel.findTransform(operand));
}

bool tcgemm::mayBranch(KernelOp kernel, unsigned operand) {
  return llvm::any_of(
      kernel.findTransform(operand)->front(), [](Operation &op) {
        if (isa<math::MathDialect>(op.getDialect()))
          return !isa<math::AbsFOp, math::FmaOp, math::ExpOp>(op);
        return isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
                   arith::RemSIOp, arith::RemUIOp>(op);
      });
}

Value tcgemm::mapFragment(ProgramBuilder &p, unsigned operand, Value fragment,
                          Value valid) {
  KernelOp kernel = p.getKernel();
  Region &region = *kernel.findTransform(operand);
  SmallVector<Value> scalars;
  BitVector unused(region.getNumArguments());
  for (auto [number, source] : llvm::enumerate(getSources(kernel))) {
    if (source < 0)
      continue;
    if (region.getArgument(number).use_empty())
      unused.set(number);
    else
      scalars.push_back(p.scalar(source));
  }
  auto op =
      p.create<FragmentMapOp>(fragment.getType(), fragment, scalars, valid);
  IRMapping mapping;
  region.cloneInto(&op.getBody(), mapping);
  op.getBody().front().eraseArguments(unused);
  return op.getResult();
}

Value tcgemm::padFragment(ProgramBuilder &p, Value fragment, Value valid) {
  auto op = p.create<FragmentMapOp>(fragment.getType(), fragment, ValueRange(),
                                    valid);
  OpBuilder::InsertionGuard scope(p);
  Type element =
      getBufferType(cast<FragmentType>(fragment.getType()).getElementType());
  Block *body = p.createBlock(&op.getBody(), {}, {element}, {p.getLoc()});
  p.create<YieldOp>(body->getArguments());
  return op.getResult();
}

ElementFunction::ElementFunction(ProgramBuilder &p, unsigned operand,
                                 char columnDim, GetCoordinate getCoordinate)
    : p(p), body(p.getKernel().findTransform(operand)->front()),
      columnDim(columnDim) {
  KernelOp kernel = p.getKernel();
  for (auto [number, source] : llvm::enumerate(getSources(kernel))) {
    if (source < 0)
      continue;
    inputs.emplace_back();
    if (body.getArgument(number).use_empty())
      continue;
    OperandAttr info = kernel.getOperandInfo(source);
    Input input{unsigned(source), p.i64(0), {}};
    if (info.getRole() == OperandRole::Scalar) {
      input.value = p.scalar(source);
    } else {
      for (char dim : info.getDims())
        if (dim != columnDim)
          input.offset = p.add(
              input.offset, p.mul(getCoordinate(dim), p.stride(source, dim)));
      if (!info.getDims().contains(columnDim))
        input.value = load(input, input.offset);
    }
    inputs.back() = input;
  }
}

Value ElementFunction::load(const Input &input, Value offset) {
  // Memory holds FP8 as i8.
  Type type = p.getKernel().getOperandInfo(input.operand).getElementType();
  Type stored = getStorageType(type);
  Value value = p.create<memref::LoadOp>(p.pointer(input.operand, stored),
                                         p.index(offset));
  return type == stored ? value : p.create<arith::BitcastOp>(type, value);
}

Value ElementFunction::apply(Value element, Value column) {
  SmallVector<Value> arguments{element};
  for (auto [number, input] : llvm::enumerate(inputs)) {
    // An argument that is not read may have any value of its type.
    if (!input)
      arguments.push_back(p.zero(body.getArgument(number + 1).getType()));
    else if (input->value)
      arguments.push_back(input->value);
    else
      arguments.push_back(load(
          *input,
          p.add(input->offset,
                p.mul(p.ext(column), p.stride(input->operand, columnDim)))));
  }
  return inlineElementRegion(p, body, arguments);
}

void ElementFunction::applyToWords(MutableArrayRef<Value> words, Value first,
                                   Type element) {
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t wordsEach = std::max<int64_t>(1, bits / 32);
  int64_t elementsEach = wordsEach * 32 / bits;
  auto bitsType = VectorType::get({wordsEach}, p.getI32Type());
  auto type = VectorType::get({elementsEach}, element);
  for (size_t i = 0; i < words.size(); i += wordsEach) {
    Value vector = p.create<vector::BitCastOp>(
        type, p.create<vector::FromElementsOp>(
                  bitsType, ArrayRef<Value>(words).slice(i, wordsEach)));
    SmallVector<Value> results;
    for (int64_t e = 0; e < elementsEach; ++e)
      results.push_back(
          apply(p.create<vector::ExtractOp>(vector, e),
                p.add(first, int64_t(i) / wordsEach * elementsEach + e)));
    Value changed = p.create<vector::BitCastOp>(
        bitsType, p.create<vector::FromElementsOp>(type, results));
    for (int64_t word = 0; word < wordsEach; ++word)
      words[i + word] = p.create<vector::ExtractOp>(changed, word);
  }
}
