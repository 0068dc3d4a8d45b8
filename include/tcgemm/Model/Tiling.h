//===- Tiling.h - Tilings of a kernel and their simulated times -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variables that decide the time of a warp-specialised kernel in the model
// of tcgemm/Model/Ring.h: its tile, the ring, the cluster and the slices of k.
// The tilings are those of schedule wgmma with one tile for each CTA.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_TILING_H
#define TCGEMM_MODEL_TILING_H

#include "tcgemm/Config/Legality.h"
#include "tcgemm/Model/Machine.h"

namespace tcgemm {

/// The variables of the solver.
enum class TilingVariable {
  TileM,
  TileN,
  TileK,
  Depth,      ///< Slots of the ring.
  CopyWarps,  ///< 1, or 2: one for each operand.
  Warpgroups, ///< That multiply.
  ClusterM,   ///< CTAs of a cluster along M, which share B.
  ClusterN,   ///< Along N; they share A.
  Split,      ///< Slices of k.
};
constexpr size_t kNumTilingVariables = size_t(TilingVariable::Split) + 1;

/// A value for each variable.
struct Tiling {
  std::array<int64_t, kNumTilingVariables> values = {};

  int64_t get(TilingVariable variable) const {
    return values[size_t(variable)];
  }
  void set(TilingVariable variable, int64_t value) {
    values[size_t(variable)] = value;
  }
};

/// `tm`, `tn`, `tk`, `depth`, ...
llvm::StringRef getName(TilingVariable variable);

/// The values that each variable may have.
struct TilingSpace {
  std::array<std::vector<int64_t>, kNumTilingVariables> values;

  llvm::ArrayRef<int64_t> get(TilingVariable variable) const {
    return values[size_t(variable)];
  }
  /// Tiles of wgmma whose sides are at most `mostSide`, with rings of two to
  /// twelve slots, one copy warp, clusters of up to `mostCluster` CTAs along a
  /// side, and 1, 2, 4 ... `mostSplit` slices of k. Their depths are those of
  /// operands that are not split.
  static TilingSpace ofWgmma(int64_t mostSide, int64_t mostCluster,
                             int64_t mostSplit);
  /// Sets the depths that wgmma takes, if the product's operands are split.
  void setDepths(const ProblemInfo &product);
};

enum class TilingObjective {
  Time, ///< The least time of the kernel.
  Wait, ///< The least wait of the MATH warps in all waves.
};

/// A product, the machine and the tilings to choose from.
struct TilingProblem {
  ProblemInfo product; ///< All sizes are known.
  /// Legal tilings are those of wgmma on this chip; without one, all are legal.
  const ChipInfo *chip = nullptr;
  Machine machine;
  TilingSpace space;
  TilingObjective objective = TilingObjective::Time;
  /// The parameters that no variable decides.
  KernelConfig base;
};

/// Errors: a size or a value of the space that the model cannot compute with,
/// or a variable without values.
llvm::Error checkTilingProblem(const TilingProblem &problem);

/// The parameters that no variable decides, for kernels of `product`: stores by
/// TMA where it can store the outputs.
KernelConfig chooseBase(const ProblemInfo &product);

/// The configuration of a kernel with this tiling.
KernelConfig getConfig(const TilingProblem &problem, const Tiling &tiling);

/// The constants of the recurrences for a tiling, and its waves.
struct TilingTimes {
  RingTimes times;
  RingShape shape;
  int64_t waves = 1;
  Picoseconds reduction = 0; ///< The sum over the slices of k.
};
TilingTimes getTilingTimes(const TilingProblem &problem, const Tiling &tiling);

/// The objective of a tiling. Errors: numbers outside the simulator's ranges.
llvm::Expected<Picoseconds> simulateTiling(const TilingProblem &problem,
                                           const Tiling &tiling);

/// The rules that the tiling's configuration breaks.
llvm::SmallVector<Violation> findViolations(const TilingProblem &problem,
                                            const Tiling &tiling);
/// No tiling of the space is legal; the message has an example.
llvm::Error makeNoTilingError(const TilingProblem &problem);

/// The best legal tiling and its objective.
struct TilingSolution {
  Tiling tiling;
  Picoseconds objective = 0;
  /// True if no legal tiling of the space is better; false if the time was up.
  bool isProven = false;
  int64_t numChecks = 0; ///< Questions to Z3, or simulated tilings.
};

/// Simulates every legal tiling of the space. Errors: no tiling is legal, or
/// one of them cannot be simulated.
llvm::Expected<TilingSolution> enumerateTilings(const TilingProblem &problem);

} // namespace tcgemm

#endif // TCGEMM_MODEL_TILING_H
