//===- IntegerBuilder.h - Builds integer arithmetic -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation builder with short names for integer arithmetic. All functions
// fold constants. Integers are signless; a function whose result depends on the
// sign has it in its name. MLIR's own ArithBuilder does not fold and has one
// location for each instance.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_SUPPORT_INTEGERBUILDER_H
#define TCGEMM_SUPPORT_INTEGERBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tcgemm {

class IntegerBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  // Constants.
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  /// A constant of the type of `x`.
  mlir::Value constantLike(mlir::Value x, int64_t value);
  /// Zero of any scalar or vector type.
  mlir::Value zero(mlir::Type type);

  // Arithmetic; a number stands for a constant of the other operand's type.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value divU(mlir::Value x, mlir::Value y);
  mlir::Value divU(mlir::Value x, int64_t y);
  mlir::Value remU(mlir::Value x, mlir::Value y);
  mlir::Value remU(mlir::Value x, int64_t y);
  /// x / y, rounded up, of i32.
  mlir::Value ceilDiv(mlir::Value x, int64_t y);
  mlir::Value minU(mlir::Value x, mlir::Value y);
  /// `x`, at least 0 and at most `limit`, as signed numbers.
  mlir::Value clampS(mlir::Value x, mlir::Value limit);
  mlir::Value minS(mlir::Value x, mlir::Value y);

  // Bits.
  mlir::Value bitAnd(mlir::Value x, mlir::Value y);
  mlir::Value bitOr(mlir::Value x, mlir::Value y);
  mlir::Value bitXor(mlir::Value x, mlir::Value y);
  mlir::Value bitXor(mlir::Value x, int64_t y);
  mlir::Value shiftRightU(mlir::Value x, int64_t by);

  // Comparisons.
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                  mlir::Value y);
  mlir::Value equal(mlir::Value x, mlir::Value y);
  mlir::Value notEqual(mlir::Value x, mlir::Value y);
  mlir::Value lessU(mlir::Value x, mlir::Value y);
  mlir::Value lessEqualU(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);

  // Conversions.
  mlir::Value ext(mlir::Value value);     // i32 to i64, unsigned
  mlir::Value extBool(mlir::Value value); // i1 to i32, unsigned
  mlir::Value trunc(mlir::Value value);   // i64 to i32
  mlir::Value index(mlir::Value value);   // i32 or i64 to index, unsigned
};

} // namespace tcgemm

#endif // TCGEMM_SUPPORT_INTEGERBUILDER_H
