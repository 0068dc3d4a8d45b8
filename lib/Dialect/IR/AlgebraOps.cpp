//===- AlgebraOps.cpp - Operations of algebras in MLIR --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/AlgebraOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tcgemm {

std::optional<AlgebraOperation> findAlgebraOperation(Operation *op) {
  using Op = AlgebraOperation;
  return llvm::TypeSwitch<Operation *, std::optional<Op>>(op)
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Op::Times; })
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Op::Plus; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>([](auto) { return Op::Max; })
      .Case<arith::MinimumFOp, arith::MinSIOp>([](auto) { return Op::Min; })
      .Case([](arith::MaxNumFOp) { return Op::MaxNum; })
      .Case([](arith::MinNumFOp) { return Op::MinNum; })
      .Case([](arith::MaxUIOp) { return Op::MaxUnsigned; })
      .Case([](arith::MinUIOp) { return Op::MinUnsigned; })
      .Case([](arith::AndIOp) { return Op::And; })
      .Case([](arith::OrIOp) { return Op::Or; })
      .Case([](arith::XOrIOp) { return Op::Xor; })
      .Default(std::optional<Op>());
}

template <typename OfFloats, typename OfIntegers>
static Value create(OpBuilder &builder, Location loc, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return OfFloats::create(builder, loc, x, y);
  return OfIntegers::create(builder, loc, x, y);
}

Value createAlgebraOperation(OpBuilder &builder, Location loc,
                             AlgebraOperation operation, Value x, Value y) {
  using Op = AlgebraOperation;
  switch (operation) {
  case Op::Times:
    return create<arith::MulFOp, arith::MulIOp>(builder, loc, x, y);
  case Op::Plus:
    return create<arith::AddFOp, arith::AddIOp>(builder, loc, x, y);
  case Op::Max:
    return create<arith::MaximumFOp, arith::MaxSIOp>(builder, loc, x, y);
  case Op::Min:
    return create<arith::MinimumFOp, arith::MinSIOp>(builder, loc, x, y);
  case Op::MaxNum:
    return arith::MaxNumFOp::create(builder, loc, x, y);
  case Op::MinNum:
    return arith::MinNumFOp::create(builder, loc, x, y);
  case Op::MaxUnsigned:
    return arith::MaxUIOp::create(builder, loc, x, y);
  case Op::MinUnsigned:
    return arith::MinUIOp::create(builder, loc, x, y);
  case Op::And:
    return arith::AndIOp::create(builder, loc, x, y);
  case Op::Or:
    return arith::OrIOp::create(builder, loc, x, y);
  case Op::Xor:
    return arith::XOrIOp::create(builder, loc, x, y);
  }
  llvm_unreachable("covered switch");
}

TypedAttr getConstant(Type type, const ScalarConstant &value) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, std::get<double>(value));
  return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(),
                                      std::get<int64_t>(value),
                                      /*isSigned=*/true));
}

TypedAttr getNeutralValue(const Algebra &algebra, Type type) {
  return getConstant(type, algebra.getNeutral(*getScalarType(type)));
}

} // namespace tcgemm
