//===- Family.h - The programs and the plan of expand -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operand has the coefficients, the other one the data. A place is an
// element of the data's dimensions but k; a thread loads what the data have
// there along k, and stores the results along the coefficients' dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_EXPAND_FAMILY_H
#define TCGEMM_LIB_SCHEDULES_EXPAND_FAMILY_H

#include "Common/PlanBuilder.h"

namespace tcgemm {

/// The operand that all kernels of the schedule have behind A and B.
inline constexpr unsigned kExpandResult = 2;

/// How a kernel accesses its operands.
struct ExpandAccess {
  explicit ExpandAccess(KernelOp kernel);

  /// A thread's vectors have at most as many bytes.
  static constexpr int64_t kVectorBytes = 16;
  /// The lanes of a warp, and the warps of a block, along the dimension of the
  /// stores if that is not the one of the loads.
  static constexpr int64_t kLanesAlongStores = 8, kWarpsAlongStores = 2;
  /// The groups of places of a thread otherwise.
  static constexpr int64_t kRounds = 4;

  bool isTransposed() const { return loaded != stored; }
  /// The elements of a vector of `run` contiguous elements.
  int64_t getVector(int64_t run, int64_t bytes) const {
    return std::min(run, kVectorBytes / bytes);
  }
  /// The contiguous elements of a load or store of `width` places.
  int64_t getLoadRun(int64_t width) const {
    return loadsDepth ? width * depth : width;
  }
  int64_t getStoreRun(int64_t width) const {
    return lastOutput ? width * lastSize : width;
  }
  /// Places along the dimension of the stores, and along that of the loads,
  /// that a block has if each thread has `width` by `width`.
  int64_t getTile(bool alongStores, int64_t width) const;
  /// The number of blocks.
  Expr countBlocks(int64_t width) const;

  unsigned data, coefficients; ///< Operands: 0 is A.
  int64_t depth;               ///< K.
  std::string places;          ///< The data's dims but k, outermost first.
  /// The coefficients' dims but k. `lastOutput` is the last one.
  std::string outputs;
  /// The dims along which neighbouring places are loaded, and stored.
  char loaded, stored;
  /// True if the elements along k are neighbours in the data.
  bool loadsDepth;
  /// The dim of `outputs` that is the result's innermost one, and its size; 0
  /// if that is a place's.
  char lastOutput = 0;
  int64_t lastSize = 1;
  int64_t dataBytes, resultBytes; ///< Of an element.
  /// True if there is a wide program, which loads or stores vectors.
  bool hasWide;
  /// The places of a thread along `loaded` and `stored` in the wide program.
  int64_t width;
};

/// The wide program, or the narrow one, whose threads have one place and access
/// single elements.
ProgramOp buildExpandProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                             const KernelConfig &config, llvm::StringRef name,
                             bool isWide);

/// Builds the programs of a kernel and adds their variants.
void planExpand(PlanBuilder &plan);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_EXPAND_FAMILY_H
