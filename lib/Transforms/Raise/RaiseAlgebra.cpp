//===- RaiseAlgebra.cpp - Products that do not multiply and add -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of such a product has two operations of the table of
// Target/Algebra.h: one combines the elements of A and B, the other reduces the
// result with the accumulator. Both orders of operands are taken, since all of
// these operations commute.
//
// Bits are no elements of threads' products, but tensor cores count the pairs
// of which both are 1. The disjunction of conjunctions is whether there is one.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Dialect/AlgebraOps.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// The argument of the body before an extension of integers to 32 bits.
static Value skipIntegerExtension(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(op) &&
                 value.getType().isInteger(32)
             ? op->getOperand(0)
             : value;
}

/// Returns whether the operands are `x` and `y`, in any order.
static bool hasOperands(Operation *op, Value x, Value y) {
  Value left = skipIntegerExtension(op->getOperand(0));
  Value right = skipIntegerExtension(op->getOperand(1));
  return (left == x && right == y) || (left == y && right == x);
}

namespace {
/// The operations of a body that combines its first two arguments and reduces
/// the result with the last one.
struct BodyOperations {
  Operation *reduce, *combine;
};
} // namespace

static std::optional<BodyOperations> findOperations(linalg::LinalgOp op) {
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
  return BodyOperations{reduce, combine};
}

std::optional<Algebra> raise::matchAlgebra(linalg::LinalgOp op) {
  std::optional<BodyOperations> found = findOperations(op);
  if (!found)
    return std::nullopt;
  std::optional<AlgebraOperation> reduce = findAlgebraOperation(found->reduce),
                                  combine =
                                      findAlgebraOperation(found->combine);
  if (!reduce || !combine)
    return std::nullopt;
  Algebra algebra{*reduce, *combine};
  return algebra.isSupported() && !algebra.isDefault() ? std::optional(algebra)
                                                       : std::nullopt;
}

std::string raise::explainAlgebra(linalg::LinalgOp op) {
  std::optional<BodyOperations> found = findOperations(op);
  if (!found)
    return "";
  for (auto [verb, operation] : {std::pair("reduces", found->reduce),
                                 std::pair("combines", found->combine)})
    if (!findAlgebraOperation(operation))
      return llvm::formatv("its body {0} by {1}, which is no associative "
                           "operation with a neutral element",
                           verb, operation->getName())
          .str();
  return "";
}

static Type getInputType(linalg::LinalgOp op, unsigned operand) {
  return getElementTypeOrSelf(op.getDpsInputOperand(operand)->get());
}

/// Why elements of one bit cannot have the body's algebra; empty if they can.
static std::string checkBits(Group &group) {
  if (group.algebra != Algebra{AlgebraOperation::Or, AlgebraOperation::And})
    return "its body computes " + group.algebra.str() +
           " of i1; only or-and is supported";
  if (!group.formats[0].isUnsigned || !group.formats[1].isUnsigned)
    return "it extends i1 by its sign, to 0 and -1; only arith.extui of i1 is "
           "supported";
  group.algebra = Algebra();
  group.use = SumUse::Tested;
  return "";
}

std::string raise::checkAlgebra(Group &group) {
  linalg::LinalgOp op = group.contraction;
  for (unsigned operand : {0, 1})
    group.formats[operand].isUnsigned = llvm::any_of(
        op.getBlock()->getArgument(operand).getUsers(), [](Operation *user) {
          return isa<arith::ExtUIOp>(user) && !user->use_empty();
        });
  Type a = getInputType(op, 0), b = getInputType(op, 1);
  Type c = getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
  if (a.isInteger(1) && b.isInteger(1))
    return checkBits(group);
  std::optional<ScalarType> type = getScalarType(a);
  if (group.formats[0].isUnsigned != group.formats[1].isUnsigned)
    return "it extends one of A and B by its sign, and the other by zeros";
  if (a != b ||
      c != (a.isInteger(8) ? Type(IntegerType::get(a.getContext(), 32)) : a) ||
      !type || !hasAlgebra(*type, group.algebra))
    return llvm::formatv("its body computes {0} of {1} and {2} with results of "
                         "{3}; only the same of {4} is supported",
                         group.algebra.str(), a, b, c,
                         listAlgebraTypes(group.algebra))
        .str();
  return "";
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
  if (group.use == SumUse::Tested) {
    Value none =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(sum.getType()));
    Value isAny =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, sum, none);
    Value bit = arith::ExtUIOp::create(b, loc, sum.getType(), isAny);
    return c ? Value(arith::OrIOp::create(b, loc, c, bit)) : bit;
  }
  if (group.algebra.isDefault())
    return createSum(b, loc, group.use == SumUse::Subtracted, c, sum);
  return c ? createAlgebraOperation(b, loc, group.algebra.reduce, c, sum) : sum;
}
