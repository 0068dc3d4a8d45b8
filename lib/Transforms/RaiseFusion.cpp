//===- RaiseFusion.cpp - What fuses with a contraction -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch stands where the last fused operation stood, so every operand is
// there already. What needs an output of the group but stands before that
// point moves behind it; a dependent with side effects therefore ends the
// fusion, and an operation that reads a dependent's result cannot be fused.
//
//===----------------------------------------------------------------------===//

#include "RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

bool Group::contains(Operation *op) const {
  return linalg::LinalgOp(contraction) == op ||
         llvm::any_of(fused, [&](const FusedOp &f) { return f.op == op; });
}

SmallVector<Value> Group::getOutputs() const {
  SmallVector<Value> outputs;
  for (const auto &[value, dims] : values)
    if (llvm::any_of(value.getUsers(),
                     [&](Operation *user) { return !contains(user); }))
      outputs.push_back(value);
  return outputs;
}

Operation *Group::getLast() const {
  linalg::LinalgOp last = fused.empty() ? contraction : fused.back().op;
  return last.getOperation();
}

static bool isRead(linalg::LinalgOp op, OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  Block *body = op.getBlock();
  return number < body->getNumArguments() &&
         !body->getArgument(number).use_empty();
}

/// Whether the body is scalar arithmetic that an epilogue can hold.
static std::string checkBody(Block *body) {
  for (Operation &inner : body->without_terminator()) {
    bool isScalarMath =
        isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
        llvm::all_of(inner.getOperandTypes(),
                     [](Type type) { return type.isIntOrIndexOrFloat(); }) &&
        llvm::all_of(inner.getResultTypes(),
                     [](Type type) { return type.isIntOrIndexOrFloat(); });
    if (!isScalarMath && !isa<linalg::IndexOp>(inner))
      return llvm::formatv("its body holds '{0}', which is not scalar arith "
                           "or math",
                           inner.getName())
          .str();
  }
  return "";
}

/// Names the loops of `op` after the dims of the group's values that it reads.
static std::string nameLoops(const Group &group, FusedOp &fused) {
  linalg::LinalgOp op = fused.op;
  bool found = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto it = group.values.find(operand.get());
    if (it == group.values.end() || !isRead(op, operand))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.getNumLoops() != it->second.size())
      return llvm::formatv("it has {0} dimensions, the contraction's result "
                           "{1}",
                           op.getNumLoops(), it->second.size())
          .str();
    if (!map.isPermutation())
      return llvm::formatv("it reads the contraction's result through {0}, "
                           "which is not a permutation",
                           map)
          .str();
    std::string letters(op.getNumLoops(), ' ');
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      letters[map.getDimPosition(i)] = it->second[i];
    if (found && letters != fused.letters)
      return "it reads the contraction's result in two different orders";
    fused.letters = letters;
    found = true;
  }
  return found ? "" : "it only overwrites the contraction's result";
}

/// Finds out where the operands and captured values come from.
static std::string resolveOperands(const Group &group, FusedOp &fused) {
  linalg::LinalgOp op = fused.op;
  std::string reason;
  auto needsGroup = [&](Value value) {
    Operation *definition = value.getDefiningOp();
    return definition && group.dependents.contains(definition);
  };
  for (OpOperand &operand : op->getOpOperands()) {
    fused.sources.emplace_back();
    if (!isRead(op, operand))
      continue;
    if (group.values.contains(operand.get())) {
      fused.sources.back() = Source{Source::Group, operand.get(), "", {}};
      continue;
    }
    if (needsGroup(operand.get()))
      return llvm::formatv("its operand {0} needs the contraction's result "
                           "itself",
                           operand.getOperandNumber())
          .str();
    fused.sources.back() =
        resolve(operand.get(), op.getMatchingIndexingMap(&operand),
                fused.letters, reason);
    if (!fused.sources.back())
      return reason;
  }
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured) {
    if (needsGroup(value))
      return "its body captures a value that needs the contraction's result "
             "itself";
    if (!value.getType().isIntOrIndexOrFloat())
      return llvm::formatv("its body captures a value of type {0}",
                           value.getType())
          .str();
  }
  return "";
}

/// Adds `op` to the group, or tells why that cannot be.
static std::string fuse(Group &group, linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return "it works on buffers";
  if (op.getNumLoops() != op.getNumParallelLoops())
    return "it is not elementwise";
  FusedOp fused{op, "", {}};
  std::string reason = nameLoops(group, fused);
  if (reason.empty())
    reason = checkBody(op.getBlock());
  if (reason.empty())
    reason = resolveOperands(group, fused);
  if (!reason.empty())
    return reason;
  SmallVector<std::string> dims;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isPermutation())
      return llvm::formatv("it writes its result through {0}, which is not a "
                           "permutation",
                           map)
          .str();
    if (!getElementTypeOrSelf(init.get()).isIntOrIndexOrFloat())
      return llvm::formatv("its result's elements are {0}",
                           getElementTypeOrSelf(init.get()))
          .str();
    dims.push_back(*getDims(map, fused.letters));
  }
  for (auto [result, resultDims] : llvm::zip(op->getResults(), dims))
    group.values[result] = resultDims;
  group.fused.push_back(std::move(fused));
  return "";
}

/// Whether `op`, or anything inside it, uses a value of the group.
static bool needs(const Group &group, Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *definition = operand.getDefiningOp();
          if (group.values.contains(operand) ||
              (definition && group.dependents.contains(definition)))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

void raise::collectConsumers(Group &group, Reasons &reasons) {
  Operation *barrier = nullptr;
  Operation *op = group.contraction->getNextNode();
  for (; op; op = op->getNextNode()) {
    if (!needs(group, op))
      continue;
    bool reads = llvm::any_of(op->getOperands(), [&](Value value) {
      return group.values.contains(value);
    });
    std::string reason;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !reads)
      reason = "it needs the contraction's result through other operations";
    else if (isProductSum(linalgOp))
      reason = "it is a contraction itself";
    else if (barrier)
      reason = llvm::formatv("it stands behind '{0}', which uses the "
                             "contraction's result and has side effects",
                             barrier->getName())
                   .str();
    else
      reason = fuse(group, linalgOp);
    if (reason.empty())
      continue;
    group.dependents.insert(op);
    reasons.try_emplace(op, reason);
    if (!barrier && !isMemoryEffectFree(op))
      barrier = op;
  }
}
