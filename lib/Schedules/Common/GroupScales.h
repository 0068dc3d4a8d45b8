//===- GroupScales.h - Scales of groups of a multistage program -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_GROUPSCALES_H
#define TCGEMM_LIB_SCHEDULES_COMMON_GROUPSCALES_H

#include "Common/MultistageCopies.h"
#include "Common/MultistageSchedule.h"

namespace tcgemm {

/// The scales and zero points of an operand with 4 bits, as a warp reads them.
/// A part is the largest number of the warp's elements along k in a stage that
/// belong to one group: its sum is scaled as a whole.
class MultistageGroups {
public:
  MultistageGroups(ProgramBuilder &p, const KernelConfig &config,
                   MultistageWorker &worker);

  bool exist() const { return operand.has_value(); }
  /// The warp's steps along k in a part.
  int64_t getSteps() const { return steps; }

  /// Sets the place whose scales are loaded. Its k-tiles are known.
  void start(const MultistagePlace &place, mlir::Value tiles);
  /// Loads the values of all parts of a k-tile: the scales, then the zero
  /// points, if there are any.
  llvm::SmallVector<mlir::Value> load(mlir::Value tile);
  /// The zero points of a part, of all values of a k-tile; null without them.
  mlir::Value getZeroPoints(mlir::ValueRange values, int64_t part) const {
    return zeros ? values[parts + part] : mlir::Value();
  }
  /// `total` and the scaled sum of a part of k-tile `tile`.
  mlir::Value addScaled(mlir::Value total, mlir::Value sum,
                        mlir::ValueRange values, mlir::Value tile,
                        int64_t part);

private:
  /// One of the kernel's operands.
  struct Source {
    unsigned index;
    mlir::Value base, batchOffset, stride, groupStride;
  };
  Source getSource(unsigned index, mlir::Value batch);
  /// Where a part of a k-tile starts along k.
  mlir::Value getStart(mlir::Value tile, int64_t part);
  mlir::Value getOffset(const Source &source, mlir::Value group);

  ProgramBuilder &p;
  const KernelConfig &c;
  MultistageWorker &worker;
  std::optional<unsigned> operand; ///< A (0) or B (1).
  int64_t depth = 0;               ///< Elements along k of a group.
  int64_t span = 0;                ///< The span of a part.
  int64_t parts = 1, steps = 0;
  std::optional<Source> scales, zeros;
  mlir::Value tiles, first, end; ///< The place's; the warp's rows or columns.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_GROUPSCALES_H
