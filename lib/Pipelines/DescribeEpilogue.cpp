//===- DescribeEpilogue.cpp - Epilogues in the manifest ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Describe.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

using namespace mlir;

namespace tcgemm {
namespace {

/// The dimension of an index operation, whose verifier has checked the letter.
Dim getDim(StringRef letter) {
  return letter == "b" ? Dim::Batch : letter == "m" ? Dim::M : Dim::N;
}

/// Adds properties that only some operations have.
LogicalResult describeDetails(Operation &op, EpilogueOpInfo &result) {
  if (auto index = dyn_cast<IndexOp>(op))
    result.dim = getDim(index.getDim());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    result.predicate =
        arith::stringifyCmpFPredicate(compare.getPredicate()).str();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    result.predicate =
        arith::stringifyCmpIPredicate(compare.getPredicate()).str();
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return success();
  std::optional<ScalarConstant> value = describeScalar(constant.getValue());
  if (!value)
    return op.emitError() << "constant " << constant.getValue()
                          << " cannot be written to a manifest";
  result.value = *value;
  return success();
}

FailureOr<EpilogueOpInfo>
describeOp(Operation &op, const llvm::DenseMap<Value, unsigned> &numbers) {
  StringRef name = op.getName().getStringRef();
  bool known = isa<IndexOp>(op) || name.starts_with("arith.") ||
               name.starts_with("math.");
  if (!known || op.getNumResults() != 1 || op.getNumRegions() != 0 ||
      !op.getResult(0).getType().isIntOrIndexOrFloat())
    return op.emitError() << "'" << name
                          << "' in an epilogue: a manifest has scalar arith "
                             "and math operations only";
  std::optional<ScalarType> type = getScalarType(op.getResult(0).getType());
  if (!type)
    return op.emitError() << "'" << name << "' has the type "
                          << op.getResult(0).getType()
                          << ", which a manifest does not have";
  EpilogueOpInfo result;
  result.op = name.str();
  result.type = *type;
  for (Value operand : op.getOperands()) {
    auto number = numbers.find(operand);
    if (number == numbers.end())
      return op.emitError()
             << "'" << name << "' uses a value from outside its epilogue";
    result.operands.push_back(number->second);
  }
  if (failed(describeDetails(op, result)))
    return failure();
  return result;
}

} // namespace

FailureOr<EpilogueProgram> describeProgram(Block &body) {
  llvm::DenseMap<Value, unsigned> numbers;
  EpilogueProgram program;
  for (BlockArgument argument : body.getArguments()) {
    numbers[argument] = program.ops.size();
    EpilogueOpInfo op;
    op.op = "argument";
    op.type = *getScalarType(argument.getType());
    program.ops.push_back(std::move(op));
  }
  for (Operation &op : body) {
    if (auto yield = dyn_cast<YieldOp>(op)) {
      for (Value value : yield.getValues())
        program.yields.push_back(numbers.lookup(value));
      continue;
    }
    FailureOr<EpilogueOpInfo> described = describeOp(op, numbers);
    if (failed(described))
      return failure();
    numbers[op.getResult(0)] = program.ops.size();
    program.ops.push_back(std::move(*described));
  }
  return program;
}

} // namespace tcgemm
