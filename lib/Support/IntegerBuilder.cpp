//===- IntegerBuilder.cpp - Builds integer arithmetic ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Support/IntegerBuilder.h"

using namespace mlir;
using namespace tcgemm;

Value IntegerBuilder::i32(int64_t value) {
  return create<arith::ConstantIntOp>(value, 32);
}
Value IntegerBuilder::i64(int64_t value) {
  return create<arith::ConstantIntOp>(value, 64);
}
Value IntegerBuilder::constantLike(Value x, int64_t value) {
  return create<arith::ConstantIntOp>(value,
                                      x.getType().getIntOrFloatBitWidth());
}
Value IntegerBuilder::zero(Type type) {
  return create<arith::ConstantOp>(getZeroAttr(type));
}

Value IntegerBuilder::add(Value x, Value y) {
  return createOrFold<arith::AddIOp>(x, y);
}
Value IntegerBuilder::add(Value x, int64_t y) {
  return add(x, constantLike(x, y));
}
Value IntegerBuilder::sub(Value x, Value y) {
  return createOrFold<arith::SubIOp>(x, y);
}
Value IntegerBuilder::mul(Value x, Value y) {
  return createOrFold<arith::MulIOp>(x, y);
}
Value IntegerBuilder::mul(Value x, int64_t y) {
  return mul(x, constantLike(x, y));
}
Value IntegerBuilder::divU(Value x, Value y) {
  return createOrFold<arith::DivUIOp>(x, y);
}
Value IntegerBuilder::divU(Value x, int64_t y) {
  return divU(x, constantLike(x, y));
}
Value IntegerBuilder::remU(Value x, Value y) {
  return createOrFold<arith::RemUIOp>(x, y);
}
Value IntegerBuilder::remU(Value x, int64_t y) {
  return remU(x, constantLike(x, y));
}
Value IntegerBuilder::ceilDiv(Value x, int64_t y) {
  return divU(add(x, i32(y - 1)), i32(y));
}
Value IntegerBuilder::minU(Value x, Value y) {
  return createOrFold<arith::MinUIOp>(x, y);
}
Value IntegerBuilder::minS(Value x, Value y) {
  return createOrFold<arith::MinSIOp>(x, y);
}
Value IntegerBuilder::clampS(Value x, Value limit) {
  return minS(createOrFold<arith::MaxSIOp>(x, constantLike(x, 0)), limit);
}

Value IntegerBuilder::bitAnd(Value x, Value y) {
  return createOrFold<arith::AndIOp>(x, y);
}
Value IntegerBuilder::bitOr(Value x, Value y) {
  return createOrFold<arith::OrIOp>(x, y);
}
Value IntegerBuilder::bitXor(Value x, Value y) {
  return createOrFold<arith::XOrIOp>(x, y);
}
Value IntegerBuilder::bitXor(Value x, int64_t y) {
  return bitXor(x, constantLike(x, y));
}
Value IntegerBuilder::shiftRightU(Value x, int64_t by) {
  return createOrFold<arith::ShRUIOp>(x, constantLike(x, by));
}

Value IntegerBuilder::cmp(arith::CmpIPredicate predicate, Value x, Value y) {
  return createOrFold<arith::CmpIOp>(predicate, x, y);
}
Value IntegerBuilder::equal(Value x, Value y) {
  return cmp(arith::CmpIPredicate::eq, x, y);
}
Value IntegerBuilder::notEqual(Value x, Value y) {
  return cmp(arith::CmpIPredicate::ne, x, y);
}
Value IntegerBuilder::lessU(Value x, Value y) {
  return cmp(arith::CmpIPredicate::ult, x, y);
}
Value IntegerBuilder::lessEqualU(Value x, Value y) {
  return cmp(arith::CmpIPredicate::ule, x, y);
}
Value IntegerBuilder::select(Value condition, Value x, Value y) {
  return createOrFold<arith::SelectOp>(condition, x, y);
}

Value IntegerBuilder::ext(Value value) {
  return createOrFold<arith::ExtUIOp>(getI64Type(), value);
}
Value IntegerBuilder::extBool(Value value) {
  return createOrFold<arith::ExtUIOp>(getI32Type(), value);
}
Value IntegerBuilder::trunc(Value value) {
  return createOrFold<arith::TruncIOp>(getI32Type(), value);
}
Value IntegerBuilder::index(Value value) {
  return createOrFold<arith::IndexCastUIOp>(getIndexType(), value);
}
