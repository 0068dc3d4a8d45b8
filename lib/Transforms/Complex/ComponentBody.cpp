//===- ComponentBody.cpp - Bodies that treat components alike -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Complex/ComponentBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::complex_to_real;

namespace {
/// Finds the operation on one component that a complex value is computed by.
/// Without a builder it only determines whether there is one, and returns any
/// value that is not null.
class ComponentWriter {
public:
  ComponentWriter(Block *body, OpBuilder *builder)
      : body(body), builder(builder) {}

  /// One component of a complex value.
  Value get(Value value);
  /// The value of both components if they are computed alike.
  Value unify(Value real, Value imaginary);

  IRMapping arguments;

private:
  Value compute(Value value);
  Value multiply(complex::MulOp op);
  Value getReal(Value value);
  Value clone(Operation *op, ValueRange operands);
  template <typename Op> Value create(Location loc, ValueRange operands) {
    if (llvm::is_contained(operands, Value()))
      return {};
    return builder ? Value(Op::create(*builder, loc, operands)) : operands[0];
  }

  Block *body;
  OpBuilder *builder;
  DenseMap<Value, Value> known;
};
} // namespace

static bool isOfBody(Value value, Block *body) {
  return value.getParentBlock() == body;
}

/// Returns whether an argument of the body is a number, and not an element of a
/// tensor. Numbers keep both components.
static bool isScalarOperand(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  return !isa<ShapedType>(op->getOperand(argument.getArgNumber()).getType());
}

/// A real value that is the same for both components.
Value ComponentWriter::getReal(Value value) { return unify(value, value); }

/// A copy of a real operation with other operands.
Value ComponentWriter::clone(Operation *op, ValueRange operands) {
  if (llvm::is_contained(operands, Value()))
    return {};
  if (!builder)
    return op->getResult(0);
  IRMapping mapping;
  for (auto [from, to] : llvm::zip_equal(op->getOperands(), operands))
    mapping.map(from, to);
  return builder->clone(*op, mapping)->getResult(0);
}

/// Returns whether the operation computes a real value of real values, or parts
/// of complex ones, without other effects.
static bool isScalarOperation(Operation *op) {
  return op->getNumResults() == 1 && !op->getNumRegions() && isPure(op) &&
         !isa<ComplexType>(op->getResult(0).getType());
}

static bool isComplexOperation(Operation *op) {
  return isa<complex::ComplexDialect>(op->getDialect());
}

Value ComponentWriter::unify(Value real, Value imaginary) {
  if (real == imaginary && !isOfBody(real, body))
    return real;
  if (real == imaginary && isa<BlockArgument>(real))
    return isa<ComplexType>(real.getType()) ? Value()
                                            : arguments.lookupOrDefault(real);
  Operation *left = real.getDefiningOp(), *right = imaginary.getDefiningOp();
  if (!left || !right || !isOfBody(real, body) || !isOfBody(imaginary, body))
    return {};
  auto re = dyn_cast<complex::ReOp>(left);
  auto im = dyn_cast<complex::ImOp>(right);
  if (re && im && re.getComplex() == im.getComplex())
    return get(re.getComplex());
  if (left->getName() != right->getName() || !isScalarOperation(left) ||
      isComplexOperation(left) ||
      left->getAttrDictionary() != right->getAttrDictionary() ||
      left->getPropertiesAsAttribute() != right->getPropertiesAsAttribute() ||
      left->getResultTypes() != right->getResultTypes())
    return {};
  SmallVector<Value> operands;
  for (auto [x, y] :
       llvm::zip_equal(left->getOperands(), right->getOperands())) {
    if (isa<ComplexType>(x.getType()))
      return {};
    operands.push_back(unify(x, y));
    if (!operands.back())
      return {};
  }
  return clone(left, operands);
}

/// A product of which one factor is real.
Value ComponentWriter::multiply(complex::MulOp op) {
  for (auto [factor, other] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())}) {
    Value real;
    if (auto create = factor.getDefiningOp<complex::CreateOp>();
        create && matchPattern(create.getImaginary(), m_AnyZeroFloat()))
      real = getReal(create.getReal());
    if (auto constant = factor.getDefiningOp<complex::ConstantOp>();
        constant && cast<FloatAttr>(constant.getValue()[1]).getValue().isZero())
      real = builder ? Value(arith::ConstantOp::create(
                           *builder, op.getLoc(),
                           cast<FloatAttr>(constant.getValue()[0])))
                     : factor;
    if (real)
      if (Value component = get(other))
        return create<arith::MulFOp>(op.getLoc(), {component, real});
  }
  return {};
}

Value ComponentWriter::compute(Value value) {
  if (!isa<ComplexType>(value.getType()))
    return getReal(value);
  Operation *op = value.getDefiningOp();
  if (!isOfBody(value, body) && !matchPattern(value, m_Constant()))
    return {};
  if (!op)
    return isScalarOperand(cast<BlockArgument>(value))
               ? Value()
               : arguments.lookupOrDefault(value);
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](complex::AddOp add) {
        return create<arith::AddFOp>(loc,
                                     {get(add.getLhs()), get(add.getRhs())});
      })
      .Case([&](complex::SubOp sub) {
        return create<arith::SubFOp>(loc,
                                     {get(sub.getLhs()), get(sub.getRhs())});
      })
      .Case([&](complex::NegOp neg) {
        return create<arith::NegFOp>(loc, {get(neg.getComplex())});
      })
      .Case([&](complex::MulOp mul) { return multiply(mul); })
      .Case([&](complex::CreateOp pair) {
        return unify(pair.getReal(), pair.getImaginary());
      })
      .Case([&](complex::ConstantOp constant) {
        ArrayAttr parts = constant.getValue();
        if (parts[0] != parts[1])
          return Value();
        return builder ? Value(arith::ConstantOp::create(
                             *builder, loc, cast<FloatAttr>(parts[0])))
                       : value;
      })
      .Default(Value());
}

Value ComponentWriter::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Value result = compute(value);
  known[value] = result;
  return result;
}

bool complex_to_real::isComponentwise(linalg::LinalgOp op) {
  ComponentWriter writer(op.getBlock(), nullptr);
  return llvm::all_of(op.getBlock()->getTerminator()->getOperands(),
                      [&](Value value) { return bool(writer.get(value)); });
}

SmallVector<Value> complex_to_real::writeComponent(OpBuilder &builder,
                                                   linalg::LinalgOp op,
                                                   ValueRange arguments) {
  ComponentWriter writer(op.getBlock(), &builder);
  writer.arguments.map(op.getBlock()->getArguments(), arguments);
  SmallVector<Value> results;
  for (Value value : op.getBlock()->getTerminator()->getOperands())
    results.push_back(writer.get(value));
  return results;
}
