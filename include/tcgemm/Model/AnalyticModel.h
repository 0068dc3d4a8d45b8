//===- AnalyticModel.h - A kernel's time from a few constants ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models the time of a product on a board as waves of CTAs. A wave takes the
// time of the slowest of tensor cores, shared memory, L2 and the latency that
// the ring hides, plus prologue and epilogue. The time of memory is a second
// bound, and launches that pack and reduce are added. The structure is that of
// models of warp-specialised kernels, whose main loop is a ring between copies
// and products: once the ring is full, a stage takes the time of its slowest
// part. The constants are fitted to measurements (tcgemm/Tuner/ModelFit.h) and
// stored in files of tuning/.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_ANALYTICMODEL_H
#define TCGEMM_MODEL_ANALYTICMODEL_H

#include "tcgemm/Config/Legality.h"

namespace tcgemm {

/// The constants of a schedule on a board; all are above 0. Times are in
/// nanoseconds, rates in bytes per nanosecond.
struct ScheduleConstants {
  double launch = 2500;      ///< From the launch until the first CTAs run.
  double prologue = 1500;    ///< From a CTA's start until its first product.
  double tensorRate = 2500;  ///< Multiply-adds per nanosecond and SM.
  double leastColumns = 48;  ///< Narrower instructions are not faster.
  double sharedRate = 150;   ///< Writes to an SM's shared memory.
  double fragmentRate = 200; ///< Reads from it, for mma_sync's fragments.
  double l2Rate = 6000;      ///< From the L2 cache to all SMs.
  double latency = 900;      ///< Latency of a copy.
  double perStage = 30;      ///< Waits and barriers of a stage.
  double perCluster = 30;    ///< The same between the CTAs of a cluster.
  double quadPart = 0.9;     ///< Part of the SMs that clusters of four can use.
  double perTile = 300;      ///< Constant part of an epilogue.
  double directRate = 30;    ///< An SM's stores from registers.
  double stagedRate = 40;    ///< An SM's stores through shared memory.
  double exposedPersistent =
      0.6; ///< Part of an epilogue that copies do not hide.
  double exposedPingpong =
      0.2; ///< Part that the other warpgroup's products do not hide.
  double dramRate = 4000;     ///< Rate of memory.
  double sharpness = 4;       ///< How well the slowest part hides the others:
                              ///< the exponent of a norm.
  double reduceLaunch = 2500; ///< Launch that sums the slices of split K.
  double reduceRate = 3000;   ///< Rate of its bytes.
  double exchange = 500;      ///< Sums between the CTAs of a cluster.
  double exchangeRate = 60; ///< Rate of the bytes that an SM receives for them.
  double packLaunch = 3000; ///< Launch that packs unaligned operands.
  double packRate = 3000;   ///< Rate of its bytes.
};

/// A constant by name, for files and fits.
struct ConstantInfo {
  llvm::StringLiteral name;
  double ScheduleConstants::*member;
};
llvm::ArrayRef<ConstantInfo> getConstantInfos();

/// The constants of a board for each schedule.
struct ModelConstants {
  std::string chip; ///< The chip of the board: `sm_90a`.
  ScheduleConstants wgmma, mmaSync;

  /// Whether the model describes kernels of `schedule`.
  static bool covers(Schedule schedule) {
    return schedule == Schedule::Wgmma || schedule == Schedule::MmaSync;
  }
  /// The constants of a schedule that the model covers.
  const ScheduleConstants &get(Schedule schedule) const {
    return schedule == Schedule::Wgmma ? wgmma : mmaSync;
  }
  ScheduleConstants &get(Schedule schedule) {
    return schedule == Schedule::Wgmma ? wgmma : mmaSync;
  }
};

/// Reads the YAML of writeModelConstants. Errors name the place: an
/// unknown, missing or non-positive constant, an unknown chip.
llvm::Expected<ModelConstants> parseModelConstants(llvm::StringRef text,
                                                   llvm::StringRef fileName);
void writeModelConstants(const ModelConstants &constants,
                         llvm::raw_ostream &out);

/// The properties of a configuration for a problem that the model uses; sizes
/// must be known.
struct ModelFeatures {
  Schedule schedule = Schedule::Wgmma;
  /// For one stage of one CTA: multiply-adds by the instruction's rows and
  /// columns, copied bytes, bytes that pass through L2 (data that a cluster
  /// shares is counted once), bytes of fragments.
  double rowMacs = 0, columns = 0;
  double stageBytes = 0, l2Bytes = 0, fragmentBytes = 0;
  double stages = 0, iterations = 0; ///< Depth of the ring; k-tiles of a CTA.
  double ctas = 0, residents = 0, processors = 0; ///< Tiles times slices.
  double tileBytes = 0; ///< Bytes that an epilogue writes.
  bool isPersistent = false, isPingpong = false, isStaged = false;
  double clusterSize = 1;
  double exchangeBytes = 0; ///< Bytes of sums that a CTA receives.
  double dramBytes = 0, reduceBytes = 0, packBytes = 0;
};
ModelFeatures getModelFeatures(const KernelConfig &config, const ChipInfo &chip,
                               const ProblemInfo &problem);

/// The estimated time in nanoseconds.
double estimateTime(const ModelFeatures &features,
                    const ScheduleConstants &constants);

} // namespace tcgemm

#endif // TCGEMM_MODEL_ANALYTICMODEL_H
