//===- CandidateBound.h - Bounds of candidates' simulated times -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A choice by the simulator compares hundreds of candidates, and most of them
// are far from the best. The bound here follows from a few divisions, without
// the candidate's work and without the simulator's events.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_CANDIDATEBOUND_H
#define TCGEMM_MODEL_CANDIDATEBOUND_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Config/ProblemInfo.h"
#include "tcgemm/Model/Machine.h"

namespace tcgemm {
struct Sharing;

/// The bounds of a tile's candidates (ScheduleFamily::visitTile).
class CandidateBound {
public:
  /// `work` is that of `tile`, the one with a single slice of k and without
  /// clusters. The references outlive the bound.
  CandidateBound(const Machine &machine, const KernelConfig &tile,
                 const ProblemInfo &problem, const KernelWork &work);

  /// A time that the candidate's total does not fall below, if the total is
  /// within `limit`; otherwise the total and this time are above `limit`.
  /// `residents` are the CTAs that a multiprocessor holds together.
  Picoseconds find(const KernelConfig &config, int64_t residents,
                   Picoseconds limit) const;

private:
  /// The nanoseconds of a stage: its products, its copies, and those until
  /// their bytes have arrived.
  struct StageTimes {
    double math = 0, copy = 0, fill = 0;
  };
  struct Wave;
  Wave describeWave(const KernelConfig &config, double residents) const;
  double getLaunch(const KernelConfig &config, const Wave &wave) const;
  StageTimes getStage(const KernelConfig &config, const Wave &wave,
                      const Sharing &sharing, double clock) const;
  double getLoop(const KernelConfig &config, const Wave &wave,
                 double clock) const;
  double getLength(const KernelConfig &config, const Wave &wave,
                   double clock) const;
  double getMemoryTime(const KernelConfig &config, const Wave &wave,
                       double clock) const;
  double getStores(const KernelConfig &config, const Sharing &sharing) const;
  double getReduction(const KernelConfig &config) const;
  double get(Quantity quantity) const { return machine.get(quantity); }

  const Machine &machine;
  const ProblemInfo &problem;
  const KernelWork &work;
  /// The bytes of a stage's tiles of A and B, and the elements of a tile of D.
  double bytesOfA, bytesOfB, elements;
  /// Times in nanoseconds: a stage's copies into shared memory, and the inputs
  /// and the results from and to memory.
  double copies, reads, stores;
  double macTime;     ///< A stage's products at the loaded clock.
  double bytesPerMac; ///< As in getClock.
  double processors;
};

} // namespace tcgemm

#endif // TCGEMM_MODEL_CANDIDATEBOUND_H
