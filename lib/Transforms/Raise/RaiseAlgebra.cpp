//===- RaiseAlgebra.cpp - Products that do not multiply and add -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of such a product has two operations of a pair in the table of
// Target/Algebra.h: one combines the elements of A and B, the other reduces the
// result with the accumulator. Both orders of operands are taken, since all of
// these operations commute.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Dialect/AlgebraOps.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// Returns whether the operands are `x` and `y`, in any order.
static bool hasOperands(Operation *op, Value x, Value y) {
  return (op->getOperand(0) == x && op->getOperand(1) == y) ||
         (op->getOperand(0) == y && op->getOperand(1) == x);
}

std::optional<Algebra> raise::matchAlgebra(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.getNumReductionLoops())
    return std::nullopt;
  Block *body = op.getBlock();
  Operation *reduce = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!reduce || reduce->getNumOperands() != 2)
    return std::nullopt;
  Value sum = body->getArgument(2);
  Value combined = reduce->getOperand(reduce->getOperand(0) == sum ? 1 : 0);
  Operation *combine = combined.getDefiningOp();
  if (!combine || !hasOperands(reduce, sum, combined) ||
      combine->getNumOperands() != 2 ||
      !hasOperands(combine, body->getArgument(0), body->getArgument(1)))
    return std::nullopt;
  std::optional<AlgebraOperation> reduction = findAlgebraOperation(reduce),
                                  combination = findAlgebraOperation(combine);
  if (!reduction || !combination)
    return std::nullopt;
  Algebra algebra{*reduction, *combination};
  return algebra.isSupported() && !algebra.isDefault() ? std::optional(algebra)
                                                       : std::nullopt;
}

bool raise::isNeutral(const Group &group, TypedAttr constant) {
  if (group.algebra.isDefault())
    return matchPattern(constant, m_AnyZeroFloat()) ||
           matchPattern(constant, m_Zero());
  return constant == getNeutralValue(group.algebra, constant.getType());
}

/// C and the sum of products, added or subtracted. `c` is null if it is zero.
static Value createSum(OpBuilder &b, Location loc, bool isSubtracted, Value c,
                       Value sum) {
  Type type = sum.getType();
  bool isFloat = isa<FloatType>(type);
  if (!isSubtracted) {
    if (!c)
      return sum;
    return isFloat ? Value(arith::AddFOp::create(b, loc, sum, c))
                   : arith::AddIOp::create(b, loc, sum, c);
  }
  if (!c)
    c = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return isFloat ? Value(arith::SubFOp::create(b, loc, c, sum))
                 : arith::SubIOp::create(b, loc, c, sum);
}

Value raise::createResult(OpBuilder &b, Location loc, const Group &group,
                          Value c, Value sum) {
  if (group.algebra.isDefault())
    return createSum(b, loc, group.isSubtracted, c, sum);
  return c ? createAlgebraOperation(b, loc, group.algebra.reduce, c, sum) : sum;
}
