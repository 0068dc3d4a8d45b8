//===- RowGroup.h - Operations on the same rows -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Softmax and layer norm are sequences of reductions of rows and elementwise
// operations on the same rows. A group is such a sequence. A block that
// executes it for one row needs no data of other rows.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_LINALGTOGPU_ROWGROUP_H
#define TCGEMM_LIB_CONVERSION_LINALGTOGPU_ROWGROUP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tcgemm::linalg_to_gpu {

/// One operation, its loops split into those over rows and those inside a row.
struct RowOp {
  mlir::linalg::LinalgOp op;
  /// The loops that select a row; the first is the outermost dimension.
  llvm::SmallVector<unsigned> rows;
  /// The other loops, outermost first.
  llvm::SmallVector<unsigned> columns;
  /// For a reduction of the columns, the operation that combines two values,
  /// one for each output. Empty if the columns are independent of each other.
  llvm::SmallVector<mlir::Operation *> combiners;

  bool isReduction() const { return !combiners.empty(); }
};

/// The operation as a reduction of rows, if its combiners are associative and
/// it reads along rows.
std::optional<RowOp> matchRowReduction(mlir::linalg::LinalgOp op);

/// Operations in program order, at least one of them a reduction, for which the
/// iterations of different rows access different elements wherever one of them
/// writes.
class RowGroup {
public:
  explicit RowGroup(RowOp reduction) { ops.push_back(std::move(reduction)); }

  /// Adds the operation before or after the others. Returns whether that is
  /// possible.
  bool addFront(mlir::linalg::LinalgOp op);
  bool addBack(mlir::linalg::LinalgOp op);
  llvm::ArrayRef<RowOp> getOps() const { return ops; }

private:
  std::optional<RowOp> match(mlir::linalg::LinalgOp op) const;

  llvm::SmallVector<RowOp> ops;
};

} // namespace tcgemm::linalg_to_gpu

#endif // TCGEMM_LIB_CONVERSION_LINALGTOGPU_ROWGROUP_H
