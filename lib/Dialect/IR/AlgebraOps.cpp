//===- AlgebraOps.cpp - Operations of algebras in MLIR --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/AlgebraOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tcgemm {

std::optional<AlgebraOperation> findAlgebraOperation(Operation *op) {
  using Op = AlgebraOperation;
  return llvm::TypeSwitch<Operation *, std::optional<Op>>(op)
      .Case([](arith::MulFOp) { return Op::Times; })
      .Case([](arith::AddFOp) { return Op::Plus; })
      .Case([](arith::MaximumFOp) { return Op::Max; })
      .Case([](arith::MinimumFOp) { return Op::Min; })
      .Case([](arith::MaxNumFOp) { return Op::MaxNum; })
      .Case([](arith::MinNumFOp) { return Op::MinNum; })
      .Default(std::optional<Op>());
}

Value createAlgebraOperation(OpBuilder &builder, Location loc,
                             AlgebraOperation operation, Value x, Value y) {
  switch (operation) {
  case AlgebraOperation::Times:
    return arith::MulFOp::create(builder, loc, x, y);
  case AlgebraOperation::Plus:
    return arith::AddFOp::create(builder, loc, x, y);
  case AlgebraOperation::Max:
    return arith::MaximumFOp::create(builder, loc, x, y);
  case AlgebraOperation::Min:
    return arith::MinimumFOp::create(builder, loc, x, y);
  case AlgebraOperation::MaxNum:
    return arith::MaxNumFOp::create(builder, loc, x, y);
  case AlgebraOperation::MinNum:
    return arith::MinNumFOp::create(builder, loc, x, y);
  }
  llvm_unreachable("covered switch");
}

TypedAttr getNeutralValue(const Algebra &algebra, Type type) {
  return FloatAttr::get(type, algebra.getNeutral());
}

} // namespace tcgemm
