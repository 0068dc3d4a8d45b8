//===- RaiseElements.cpp - Functions of A's and B's elements --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction may multiply a function of an element, which its own body or an
// elementwise producer of the operand computes. The function must have the type
// of the elements: what a body computes in f32 and multiplies without a
// rounding to bf16 is no product of bf16.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tcgemm/Dialect/ElementRegion.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

SetVector<Value> raise::getNeeded(Block *body, Value value) {
  SetVector<Value> needed;
  needed.insert(value);
  for (Operation &op : llvm::reverse(body->without_terminator()))
    if (llvm::any_of(op.getResults(),
                     [&](Value result) { return needed.contains(result); }))
      needed.insert_range(op.getOperands());
  return needed;
}

std::optional<unsigned> raise::findElement(Value value, Block *body) {
  std::optional<unsigned> found;
  for (Value needed : getNeeded(body, value)) {
    auto argument = dyn_cast<BlockArgument>(needed);
    if (!argument || argument.getOwner() != body)
      continue;
    unsigned number = argument.getArgNumber();
    // The last argument is the sum.
    if (number + 1 == body->getNumArguments() || (number < 2 && found))
      return std::nullopt;
    if (number < 2)
      found = number;
  }
  return found;
}

/// Resolves what the step reads besides the element: operands of `op`. Returns
/// why that is not possible.
static std::string resolveInputs(ElementStep &step, StringRef matrixDims) {
  std::string reason;
  Block *body = step.element.getOwner();
  SetVector<Value> needed = getNeeded(body, step.result);
  for (BlockArgument argument : body->getArguments()) {
    if (argument == step.element || !needed.contains(argument))
      continue;
    OpOperand &operand = step.op->getOpOperand(argument.getArgNumber());
    std::optional<Source> source =
        resolve(operand.get(), step.op.getMatchingIndexingMap(&operand),
                step.letters, reason);
    if (!source)
      return reason;
    for (char dim : source->dims)
      if (!matrixDims.contains(dim))
        return llvm::formatv("it computes an operand's elements from an input "
                             "with the dimension {0}, which the operand does "
                             "not have",
                             dim)
            .str();
    if (source->dims.size() >= matrixDims.size())
      return "it computes an operand's elements from two matrices";
    step.sources[argument] = *source;
  }
  for (Value value : needed)
    if (value.getParentBlock() != body &&
        !value.getType().isIntOrIndexOrFloat())
      return llvm::formatv("its body captures a value of type {0}",
                           value.getType())
          .str();
  return "";
}

/// Returns why a kernel does not compute the step; empty if it does.
static std::string checkStep(ElementStep &step, Type type,
                             StringRef matrixDims) {
  if (step.result.getType() != type)
    return llvm::formatv("it multiplies a value of type {0} that it computes "
                         "from an element of type {1}; the value must have "
                         "that type before it is extended",
                         step.result.getType(), type)
        .str();
  if (!hasElementRegions(type))
    return llvm::formatv("it multiplies a value that it computes from an "
                         "element of type {0}; only f16, bf16, f32 and f64 "
                         "are supported",
                         type)
        .str();
  Block *body = step.element.getOwner();
  std::string reason;
  // All operations: dead ones are no reason to keep others apart.
  if (!isScalarBody(*body, reason))
    return "its body has " + reason;
  return resolveInputs(step, matrixDims);
}

std::string raise::matchElements(Group &group, Value left, Value right) {
  linalg::LinalgOp op = group.contraction;
  Block *body = op.getBlock();
  for (Value factor : {left, right}) {
    std::optional<unsigned> operand = findElement(factor, body);
    BlockArgument element = body->getArgument(*operand);
    if (factor == element)
      continue;
    ElementStep step{op, group.letters, element, factor, {}};
    std::string reason =
        checkStep(step, element.getType(), group.getDims(*operand));
    if (!reason.empty())
      return reason;
    group.steps[*operand].push_back(std::move(step));
  }
  return "";
}

/// The operand of an elementwise operation that is a whole matrix, of the type
/// of its result; none if there is not exactly one.
static OpOperand *findMatrix(linalg::LinalgOp op) {
  OpOperand *found = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getRank(input) != int64_t(op.getNumLoops()))
      continue;
    if (found || getElementTypeOrSelf(input->get()) !=
                     getElementTypeOrSelf(op->getResult(0)))
      return nullptr;
    found = input;
  }
  return found;
}

/// Returns whether the operation may produce an operand: one result, and no
/// values of its destination.
static bool isElementwise(linalg::LinalgOp op) {
  if (!op || op->hasAttr(kSkipAttrName) || !op.hasPureTensorSemantics() ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      op.getNumDpsInits() != 1 || !llvm::hasSingleElement(op->getRegion(0)))
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  return op.getMatchingBlockArgument(init).use_empty() &&
         op.getMatchingIndexingMap(init).isPermutation();
}

bool raise::fuseProducer(Group &group, unsigned operand) {
  Value &value = operand ? group.b : group.a;
  std::string &dims = operand ? group.bDims : group.aDims;
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!isElementwise(op))
    return false;
  std::string &reason = group.leftProducers[op];
  if (!value.hasOneUse()) {
    reason = "it computes an operand of a contraction, and its result has "
             "other uses";
    return false;
  }
  // A loop would compute the function again in each round.
  if (op->getBlock() != group.contraction->getBlock()) {
    reason = "it computes an operand of a contraction in another block";
    return false;
  }
  OpOperand *matrix = findMatrix(op);
  if (!matrix) {
    reason = "it computes an operand of a contraction, but not from one "
             "matrix with elements of the same type";
    return false;
  }
  std::string letters(op.getNumLoops(), ' ');
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    letters[map.getDimPosition(i)] = dims[i];
  std::optional<std::string> source =
      getDims(op.getMatchingIndexingMap(matrix), letters);
  if (!source || !isMatrix(group, *source, operand ? 'n' : 'm')) {
    reason = "it reads the matrix of which it computes a contraction's operand "
             "through a map that kernels do not have";
    return false;
  }
  BlockArgument element = op.getMatchingBlockArgument(matrix);
  ElementStep step{
      op, letters, element, op.getBlock()->getTerminator()->getOperand(0), {}};
  reason = checkStep(step, getElementTypeOrSelf(value), dims);
  if (!reason.empty())
    return false;
  group.leftProducers.erase(op);
  // The last step is the first one that was found.
  auto &steps = group.steps[operand];
  steps.insert(steps.begin(), std::move(step));
  value = matrix->get();
  dims = *source;
  return true;
}
