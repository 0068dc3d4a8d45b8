//===- RaiseIndices.h - The indices of a contraction ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to raise.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISEINDICES_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISEINDICES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tcgemm/Problem/Contraction.h"
#include "tcgemm/Target/Precision.h"

namespace tcgemm::raise {

struct Group;

/// The extent of each loop: static, or that of the attribute
/// `tcgemm.size_hint`, or dynamic. Fails, with the reason, if the attribute
/// contradicts the operation.
llvm::Expected<llvm::SmallVector<int64_t>>
getExpectedExtents(mlir::linalg::LinalgOp op);

/// The contraction of a sum of products; each loop is an index. Fails, with the
/// reason, if it is none.
llvm::Expected<Contraction> getContraction(mlir::linalg::LinalgOp op);

/// Returns whether a kernel can sum the products over a second k: they are
/// products of A's and B's elements alone, for which there is a wgmma.
bool canSumTwice(mlir::linalg::LinalgOp op, Precision precision);

/// Assigns a letter to each loop and sets the joins. `mayHaveSummed` is that of
/// Contraction. Returns the reason why that is impossible; empty if it is not.
std::string assignLetters(mlir::linalg::LinalgOp op, bool mayHaveSummed,
                          Group &group);

/// The batch, m, n and k of the attribute `tcgemm.size_hint`; null without it.
mlir::DenseI64ArrayAttr getSizeHint(const Group &group);

/// The tensor with its dimensions in the order `after`; `before` has the same
/// letters in the order of `value`. The result overwrites `target`, if there is
/// one.
mlir::Value transposeTensor(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, llvm::StringRef before,
                            llvm::StringRef after, mlir::Value target = {});

/// Replaces a product on tensors of which no kernel takes an operand as it is
/// by one of transposed operands. Returns the product. `mayHaveSummed` is that
/// of Contraction.
mlir::linalg::LinalgOp transposeOperands(mlir::linalg::LinalgOp op,
                                         bool mayHaveSummed);

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISEINDICES_H
