//===- MultistageSchedule.h - Programs with a ring of copies ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of the programs of mma_sync and simt. A MultistageWorker adds
// which tiles are copied and what a warp or thread multiplies.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGESCHEDULE_H
#define TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGESCHEDULE_H

#include "Common/ProgramBuilder.h"

namespace tcgemm {

/// The part of a program that its schedule decides. A worker is a warp or a
/// thread.
class MultistageWorker {
public:
  MultistageWorker(ProgramBuilder &p, const KernelConfig &config)
      : p(p), c(config) {}
  virtual ~MultistageWorker() = default;

  /// Sets the indices of the worker within the CTA.
  virtual void locate() = 0;
  /// How operand A (0) or B (1) comes to which tile in shared memory.
  virtual LoaderType getLoaderType(unsigned operand) = 0;
  /// The worker's fragment of the operand for one step along k.
  virtual FragmentType getFragmentType(unsigned operand) = 0;
  virtual AccType getAccType() = 0;
  /// The shape of the product's instruction; none if there is one shape for the
  /// types, or it is the widest.
  virtual mlir::DenseI64ArrayAttr getShape() { return {}; }
  /// The worker's steps along k in each stage.
  virtual int64_t getKSteps() = 0;
  /// From the CTA's first row (operand 0) or column (1) to the worker's.
  virtual mlir::Value getOffset(unsigned operand) = 0;

  /// The worker's index along M (operand 0) or N (1).
  mlir::Value getIndex(unsigned operand) const { return indices[operand]; }
  /// The parts of the CTA's workers that split every k-tile, and the index of
  /// the worker's part.
  virtual int64_t getPartsOfK() { return c.warps[2]; }
  mlir::Value getPartOfK() const { return partOfK; }

protected:
  ProgramBuilder &p;
  const KernelConfig &c;
  mlir::Value indices[2], partOfK;
};

/// Writes the body of a program.
void buildMultistage(ProgramBuilder &p, const KernelConfig &config,
                     MultistageWorker &worker);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_MULTISTAGESCHEDULE_H
