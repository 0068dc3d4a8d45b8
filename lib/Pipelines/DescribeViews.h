//===- DescribeViews.h - Parts of buffers and constants ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_DESCRIBEVIEWS_H
#define TCGEMM_LIB_PIPELINES_DESCRIBEVIEWS_H

#include "Describe.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tcgemm/Target/Expr.h"

namespace tcgemm {

/// A memref in the manifest: a buffer or a part of it. All numbers count
/// elements.
struct BufferView {
  std::string buffer;
  Expr offset;
  mlir::SmallVector<Expr> sizes;
  mlir::SmallVector<Expr> strides;

  /// A buffer whose elements are in row-major order without gaps.
  static BufferView makeWhole(llvm::StringRef buffer,
                              mlir::ArrayRef<Expr> sizes);
  bool isSame(const BufferView &other) const;
  /// The same elements with the dimensions in another order.
  BufferView permute(llvm::ArrayRef<int64_t> order) const;
};

/// The launch that copies `from` to `to`, two views of the same sizes with
/// elements of `bytes` bytes. None if a side has no stride that is known to be
/// 1, or too many dimensions remain when neighbours are joined.
std::optional<Step> describeCopy(const BufferView &from, const BufferView &to,
                                 unsigned bytes);

/// The quotient rounded towards zero, if that is known to equal the floor.
std::optional<Expr> divide(const Expr &left, const Expr &right);

/// The value of an affine expression whose dimensions, then symbols, have the
/// values `operands`; nothing if it has a remainder.
std::optional<Expr> evaluateAffine(mlir::AffineExpr expr, unsigned numDims,
                                   llvm::ArrayRef<Expr> operands);

/// The expression of a size, an offset or a stride; nothing if it does not
/// consist of arguments' sizes.
using ExprLookup = llvm::function_ref<std::optional<Expr>(mlir::OpFoldResult)>;

/// Computes the view of `source` that an operation creates. Returns the reason
/// if manifests do not support that view, or else an empty text.
std::string makeView(mlir::memref::SubViewOp op, const BufferView &source,
                     ExprLookup lookUp, BufferView &view);
std::string makeView(mlir::memref::ExpandShapeOp op, const BufferView &source,
                     ExprLookup lookUp, BufferView &view);
std::string makeView(mlir::memref::CollapseShapeOp op, const BufferView &source,
                     ExprLookup lookUp, BufferView &view);
std::string makeView(mlir::memref::TransposeOp op, const BufferView &source,
                     ExprLookup lookUp, BufferView &view);
std::string makeView(mlir::memref::CastOp op, const BufferView &source,
                     ExprLookup lookUp, BufferView &view);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_DESCRIBEVIEWS_H
