//===- DescribeViews.cpp - Parts of buffers ---------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribeViews.h"

using namespace mlir;

namespace tcgemm {
namespace {

const char *const kUnknown = " that is not made of arguments' sizes";

/// Each dimension's stride is that of the next one times its size.
SmallVector<Expr> getContiguousStrides(ArrayRef<Expr> sizes,
                                       const Expr &innermost) {
  SmallVector<Expr> strides(sizes.size(), innermost);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

/// Returns true if the value cannot be negative. Sizes never are.
bool isNonNegative(const Expr &expr) {
  if (std::optional<int64_t> constant = expr.getConstant())
    return *constant >= 0;
  constexpr ExprKind kinds[] = {
      ExprKind::Symbol,  ExprKind::Add, ExprKind::Mul, ExprKind::Div,
      ExprKind::CeilDiv, ExprKind::Min, ExprKind::Max};
  return llvm::is_contained(kinds, expr.getKind()) &&
         llvm::all_of(expr.getOperands(), isNonNegative);
}

bool areSame(ArrayRef<Expr> left, ArrayRef<Expr> right) {
  return left.size() == right.size() &&
         llvm::all_of(llvm::zip(left, right), [](auto pair) {
           return std::get<0>(pair).isSame(std::get<1>(pair));
         });
}

} // namespace

std::optional<Expr> divide(const Expr &left, const Expr &right) {
  if (isNonNegative(left) && isNonNegative(right))
    return left / right;
  return std::nullopt;
}

std::optional<Expr> evaluateAffine(AffineExpr expr, unsigned numDims,
                                   ArrayRef<Expr> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Expr(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Expr> left = evaluateAffine(binary.getLHS(), numDims, operands),
                      right =
                          evaluateAffine(binary.getRHS(), numDims, operands);
  if (!left || !right)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *left + *right;
  case AffineExprKind::Mul:
    return *left * *right;
  case AffineExprKind::FloorDiv:
    return *left / *right;
  case AffineExprKind::CeilDiv:
    return ceilDiv(*left, *right);
  default:
    return std::nullopt;
  }
}

BufferView BufferView::makeWhole(StringRef buffer, ArrayRef<Expr> sizes) {
  return {buffer.str(), Expr(), SmallVector<Expr>(sizes),
          getContiguousStrides(sizes, 1)};
}

BufferView BufferView::permute(ArrayRef<int64_t> order) const {
  BufferView view{buffer, offset, {}, {}};
  for (int64_t dim : order) {
    view.sizes.push_back(sizes[dim]);
    view.strides.push_back(strides[dim]);
  }
  return view;
}

bool BufferView::isSame(const BufferView &other) const {
  return buffer == other.buffer && offset.isSame(other.offset) &&
         areSame(sizes, other.sizes) && areSame(strides, other.strides);
}

std::string makeView(memref::SubViewOp op, const BufferView &source,
                     ExprLookup lookUp, BufferView &view) {
  view = {source.buffer, source.offset, {}, {}};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            steps = op.getMixedStrides();
  for (auto [i, stride] : llvm::enumerate(source.strides)) {
    std::optional<Expr> offset = lookUp(offsets[i]), size = lookUp(sizes[i]),
                        step = lookUp(steps[i]);
    if (!offset)
      return std::string("has an offset") + kUnknown;
    if (!size)
      return std::string("has a size") + kUnknown;
    if (!step)
      return std::string("has a stride") + kUnknown;
    view.offset = view.offset + *offset * stride;
    if (dropped.test(i))
      continue;
    view.sizes.push_back(*size);
    view.strides.push_back(stride * *step);
  }
  return "";
}

std::string makeView(memref::ExpandShapeOp op, const BufferView &source,
                     ExprLookup lookUp, BufferView &view) {
  view = {source.buffer, source.offset, {}, {}};
  SmallVector<Expr> sizes;
  for (OpFoldResult size : op.getMixedOutputShape()) {
    std::optional<Expr> known = lookUp(size);
    if (!known)
      return std::string("has a size") + kUnknown;
    view.sizes.push_back(*known);
  }
  // Without dimensions in the source, all of the result's have the size 1.
  view.strides.assign(view.sizes.size(), Expr(1));
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    ArrayRef<Expr> groupSizes =
        ArrayRef<Expr>(view.sizes).slice(group.front(), group.size());
    llvm::copy(getContiguousStrides(groupSizes, source.strides[i]),
               view.strides.begin() + group.front());
  }
  return "";
}

std::string makeView(memref::CollapseShapeOp op, const BufferView &source,
                     ExprLookup, BufferView &view) {
  view = {source.buffer, source.offset, {}, {}};
  for (ReassociationIndices &group : op.getReassociationIndices()) {
    Expr size = 1;
    std::optional<Expr> innermost, next;
    // From the inside out; a dimension of size 1 may have any stride.
    for (int64_t dim : llvm::reverse(group)) {
      const Expr &dimSize = source.sizes[dim], &stride = source.strides[dim];
      size = dimSize * size;
      if (dimSize.isConstant(1))
        continue;
      if (next && !next->isSame(stride))
        return "joins dimensions that are not known to be contiguous";
      if (!innermost)
        innermost = stride;
      next = stride * dimSize;
    }
    view.sizes.push_back(size);
    view.strides.push_back(innermost.value_or(1));
  }
  return "";
}

std::string makeView(memref::TransposeOp op, const BufferView &source,
                     ExprLookup, BufferView &view) {
  view = {source.buffer, source.offset, {}, {}};
  for (AffineExpr result : op.getPermutation().getResults()) {
    unsigned dim = cast<AffineDimExpr>(result).getPosition();
    view.sizes.push_back(source.sizes[dim]);
    view.strides.push_back(source.strides[dim]);
  }
  return "";
}

std::string makeView(memref::CastOp op, const BufferView &source, ExprLookup,
                     BufferView &view) {
  if (!isa<MemRefType>(op.getType()))
    return "gives a memref without a rank";
  view = source;
  return "";
}

} // namespace tcgemm
