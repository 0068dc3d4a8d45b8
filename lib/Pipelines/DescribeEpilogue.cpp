//===- DescribeEpilogue.cpp - What an epilogue computes -*- C++ -*-===//
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
namespace json = llvm::json;

namespace tcgemm {
namespace {

FailureOr<json::Object>
describeOp(Operation &op, const llvm::DenseMap<Value, unsigned> &numbers) {
  StringRef name = op.getName().getStringRef();
  bool known = isa<IndexOp>(op) || name.starts_with("arith.") ||
               name.starts_with("math.");
  if (!known || op.getNumResults() != 1 || op.getNumRegions() != 0 ||
      !op.getResult(0).getType().isIntOrIndexOrFloat())
    return op.emitError() << "'" << name
                          << "' in an epilogue: a manifest has scalar arith "
                             "and math operations only";
  json::Object object{{"op", name},
                      {"type", getTypeText(op.getResult(0).getType())}};
  if (op.getNumOperands()) {
    json::Array operands;
    for (Value operand : op.getOperands()) {
      auto number = numbers.find(operand);
      if (number == numbers.end())
        return op.emitError()
               << "'" << name << "' uses a value from outside its epilogue";
      operands.push_back(number->second);
    }
    object["operands"] = std::move(operands);
  }
  if (auto index = dyn_cast<IndexOp>(op))
    object["dim"] = index.getDim();
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    object["predicate"] = arith::stringifyCmpFPredicate(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    object["predicate"] = arith::stringifyCmpIPredicate(compare.getPredicate());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::optional<json::Value> value = describeScalar(constant.getValue());
    if (!value)
      return op.emitError() << "constant " << constant.getValue()
                            << " cannot be written to a manifest";
    object["value"] = std::move(*value);
  }
  return object;
}

} // namespace

FailureOr<json::Value> describeEpilogue(KernelOp kernel) {
  llvm::DenseMap<Value, unsigned> numbers;
  json::Array ops, yields;
  Block &body = kernel.getEpilogue().front();
  for (BlockArgument argument : body.getArguments()) {
    numbers[argument] = ops.size();
    ops.push_back(json::Object{{"op", "argument"},
                               {"type", getTypeText(argument.getType())}});
  }
  for (Operation &op : body) {
    if (auto yield = dyn_cast<YieldOp>(op)) {
      for (Value value : yield.getValues())
        yields.push_back(numbers.lookup(value));
      continue;
    }
    FailureOr<json::Object> object = describeOp(op, numbers);
    if (failed(object))
      return failure();
    numbers[op.getResult(0)] = ops.size();
    ops.push_back(std::move(*object));
  }
  return json::Value(
      json::Object{{"ops", std::move(ops)}, {"yields", std::move(yields)}});
}

} // namespace tcgemm
