//===- RaiseQuantized.cpp - Products with zero points ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Σ (a - p)(b - q) = Σ ab - q Σ a - p Σ b + K p q, with sums over k. The
// product is computed by a kernel. The other terms form a vector along m and
// one along n, which the kernel's epilogue adds. All arithmetic is that of i32,
// which wraps around, so that the result is that of the original operation.
//
//===----------------------------------------------------------------------===//

#include "Raise/RaiseGroup.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "tcgemm/Dialect/ElementTypes.h"

using namespace mlir;
using namespace tcgemm;

bool raise::isQuantizedProduct(Operation *op) {
  return isa<linalg::QuantizedMatmulOp, linalg::QuantizedBatchMatmulOp>(op);
}

namespace {
class ZeroPoints {
public:
  explicit ZeroPoints(linalg::LinalgOp op)
      : op(op), b(op.getLoc(), op), a(op->getOperand(0)),
        right(op->getOperand(1)), pointA(op->getOperand(2)),
        pointB(op->getOperand(3)), c(op.getDpsInits()[0]),
        batches(isa<linalg::QuantizedBatchMatmulOp>(op) ? 1 : 0) {}

  void expand();

private:
  using Body = function_ref<Value(ValueRange)>;
  AffineMap getMap(ArrayRef<unsigned> dims, unsigned count) {
    return AffineMap::getMultiDimMapWithTargets(count, dims, b.getContext());
  }
  /// The dimensions of a vector along the loop `side` of each batch.
  SmallVector<unsigned> getVectorDims(unsigned side) const;
  Value createGeneric(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                      unsigned reductions, Body body);
  /// Sums `matrix` over k, which is its last or last but one dimension.
  Value createSums(Value matrix, bool isKLast);
  /// -`point` · sums, and `shift` added to each element if there is one.
  Value createTerm(Value sums, Value point, Value shift);
  Value createProduct();
  Value addTerms(Value product, Value rowTerm, Value columnTerm);

  linalg::LinalgOp op;
  ImplicitLocOpBuilder b;
  Value a, right, pointA, pointB, c;
  unsigned batches;
};
} // namespace

SmallVector<unsigned> ZeroPoints::getVectorDims(unsigned side) const {
  SmallVector<unsigned> dims;
  if (batches)
    dims.push_back(0);
  dims.push_back(side);
  return dims;
}

Value ZeroPoints::createGeneric(ValueRange inputs, Value init,
                                ArrayRef<AffineMap> maps, unsigned reductions,
                                Body body) {
  unsigned loops = maps.front().getNumDims();
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  for (unsigned i = 0; i < reductions; ++i)
    iterators[loops - 1 - i] = utils::IteratorType::reduction;
  auto generic = linalg::GenericOp::create(
      b, TypeRange{init.getType()}, inputs, ValueRange{init}, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(),
                            builder.getInsertionPoint());
        linalg::YieldOp::create(b, body(arguments));
      });
  return generic.getResult(0);
}

Value ZeroPoints::createSums(Value matrix, bool isKLast) {
  Type i32 = b.getI32Type();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, op.getLoc(), matrix);
  sizes.erase(sizes.begin() + batches + (isKLast ? 1 : 0));
  Value empty = tensor::EmptyOp::create(b, sizes, i32);
  Value zero = arith::ConstantIntOp::create(b, 0, 32);
  Value zeros = linalg::FillOp::create(b, ValueRange{zero}, ValueRange{empty})
                    .getResult(0);
  // The loops are the batch, the side and k.
  unsigned side = batches, k = batches + 1;
  SmallVector<unsigned> dims;
  if (batches)
    dims.push_back(0);
  llvm::append_range(dims, isKLast ? SmallVector<unsigned>{side, k}
                                   : SmallVector<unsigned>{k, side});
  unsigned loops = batches + 2;
  return createGeneric(
      matrix, zeros, {getMap(dims, loops), getMap(getVectorDims(side), loops)},
      /*reductions=*/1, [&](ValueRange arguments) -> Value {
        Value wide = arith::ExtSIOp::create(b, i32, arguments[0]);
        return arith::AddIOp::create(b, arguments[1], wide);
      });
}

Value ZeroPoints::createTerm(Value sums, Value point, Value shift) {
  unsigned loops = batches + 1;
  AffineMap identity = b.getMultiDimIdentityMap(loops);
  SmallVector<AffineMap> maps = {identity, getMap({}, loops)};
  SmallVector<Value> inputs = {sums, point};
  if (shift) {
    maps.push_back(getMap({}, loops));
    inputs.push_back(shift);
  }
  maps.push_back(identity);
  Value empty = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, op.getLoc(), sums), b.getI32Type());
  return createGeneric(
      inputs, empty, maps, /*reductions=*/0,
      [&](ValueRange arguments) -> Value {
        Value product = arith::MulIOp::create(b, arguments[0], arguments[1]);
        Value from = shift ? arguments[2]
                           : Value(arith::ConstantIntOp::create(b, 0, 32));
        return arith::SubIOp::create(b, from, product);
      });
}

Value ZeroPoints::createProduct() {
  Operation *product = nullptr;
  if (batches)
    product = linalg::BatchMatmulOp::create(
        b, TypeRange{c.getType()}, ValueRange{a, right}, ValueRange{c});
  else
    product = linalg::MatmulOp::create(b, TypeRange{c.getType()},
                                       ValueRange{a, right}, ValueRange{c});
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return product->getResult(0);
}

Value ZeroPoints::addTerms(Value product, Value rowTerm, Value columnTerm) {
  unsigned loops = batches + 2;
  AffineMap identity = b.getMultiDimIdentityMap(loops);
  SmallVector<Value> inputs = {product};
  SmallVector<AffineMap> maps = {identity};
  for (auto [term, side] :
       {std::pair(rowTerm, batches), std::pair(columnTerm, batches + 1)})
    if (term) {
      inputs.push_back(term);
      maps.push_back(getMap(getVectorDims(side), loops));
    }
  if (inputs.size() == 1)
    return product;
  maps.push_back(identity);
  Value empty = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, op.getLoc(), product), b.getI32Type());
  return createGeneric(inputs, empty, maps, /*reductions=*/0,
                       [&](ValueRange arguments) -> Value {
                         Value sum = arguments[0];
                         for (Value term : arguments.drop_front().drop_back())
                           sum = arith::AddIOp::create(b, sum, term);
                         return sum;
                       });
}

void ZeroPoints::expand() {
  Value rowTerm, columnTerm;
  bool hasPointA = !matchPattern(pointA, m_Zero());
  if (!matchPattern(pointB, m_Zero())) {
    Value shift;
    if (hasPointA) {
      Value depth = arith::IndexCastOp::create(
          b, b.getI32Type(), tensor::DimOp::create(b, a, batches + 1));
      Value points = arith::MulIOp::create(b, pointA, pointB);
      shift = arith::MulIOp::create(b, depth, points);
    }
    rowTerm = createTerm(createSums(a, /*isKLast=*/true), pointB, shift);
  }
  if (hasPointA)
    columnTerm =
        createTerm(createSums(right, /*isKLast=*/false), pointA, Value());
  Value result = addTerms(createProduct(), rowTerm, columnTerm);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

std::string raise::expandZeroPoints(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return "its zero points are taken on tensors only, but it is on buffers";
  constexpr unsigned widths[] = {8, 8, 32, 32, 32};
  for (auto [operand, bits] : llvm::zip(op->getOperands(), widths))
    if (Type type = getElementTypeOrSelf(operand);
        !type.isSignlessInteger(bits))
      return (
          "its operands are i8, its zero points and its result i32, but one "
          "is " +
          getTypeText(type));
  ZeroPoints(op).expand();
  return "";
}
