//===- AnalyticModel.h - A kernel's time from a few constants ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of a product on a board: rounds of CTAs, each as long as the slowest
// of tensor cores, shared memory, L2 and the latency that the ring hides, with
// prologue and epilogue; memory's time beside it; and the launches that pack
// and reduce. The structure is that of models of warp-specialised kernels,
// whose main loop is a ring between copies and products: once the ring is full,
// a stage takes the longest of its parts. A slot of the ring is copied to and
// multiplied from before it is copied to again; a ring of D slots therefore
// takes at least a part of D - 1 of that. The constants are fitted to
// measurements (tcgemm/Tuner/ModelFit.h) and live in files of tuning/.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_ANALYTICMODEL_H
#define TCGEMM_MODEL_ANALYTICMODEL_H

#include "tcgemm/Config/KernelWork.h"
#include <array>
#include <initializer_list>
#include <map>

namespace tcgemm {

/// The constants of a schedule on a board; all are above 0. Times are in
/// nanoseconds, rates in bytes a nanosecond.
struct ScheduleConstants {
  double launch = 2500;       ///< Until the kernel's first CTAs run.
  double prologue = 1500;     ///< Until a CTA's first product.
  double tensorRate = 2500;   ///< Multiply-adds a nanosecond and SM.
  double leastColumns = 48;   ///< Narrower instructions take as long.
  double sharedRate = 150;    ///< Into an SM's shared memory.
  double fragmentRate = 200;  ///< Out of it, for mma_sync's fragments.
  double l2Rate = 6000;       ///< Out of the L2 cache, to all SMs.
  double neighbourPart = 0.5; ///< Part that counts of the bytes that the next
                              ///< CTA reads, too.
  double outside = 0.5;       ///< Added part of the bytes out of the L2 cache
                              ///< if a tile of A lies outside A completely.
  double latency = 900;       ///< A copy's latency.
  double held = 0.5;          ///< Part of a stage's copy and product in which
                              ///< its slot waits, besides the latency.
  double perStage = 30;       ///< Waits and barriers of a stage.
  double perCluster = 30;     ///< The same between the CTAs of a cluster.
  double perWarpgroup = 8;    ///< The same of each further warpgroup of a CTA
                              ///< that multiplies.
  double clusterLaunch = 500; ///< Until the CTAs of a cluster know each other.
  double quadPart = 0.9;   ///< Part of the SMs that clusters of four can use.
  double perTile = 300;    ///< An epilogue, whatever its size.
  double tmaRate = 40;     ///< An SM's stores by StorePath::Tma.
  double stagedRate = 40;  ///< By StorePath::Staged.
  double elementRate = 20; ///< By StorePath::Elements.
  double rowRate = 30;     ///< By StorePath::Rows.
  double columnRate = 30;  ///< By StorePath::Columns.
  double exposedPersistent = 0.6; ///< Part of an epilogue not under copies.
  double exposedPingpong = 0.2;   ///< Part not under the other's products.
  double dramRate = 4000;         ///< From and to memory.
  double loadedRate = 3300;       ///< Multiply-adds a nanosecond and SM that
                                  ///< the board's power allows, if nothing is
                                  ///< read from memory.
  double loadedDramRate = 20000;  ///< Bytes from and to memory that it allows,
                                  ///< if nothing is multiplied.
  double partial = 0.5;           ///< Added part of KernelWork::partialBytes.
  double sharpness = 4;       ///< How far what is slowest hides the rest: the
                              ///< exponent of a norm.
  double reduceLaunch = 2500; ///< The sum over split K's slices.
  double reduceRate = 3000;   ///< Its bytes.
  double exchange = 500;      ///< Sums between the CTAs of a cluster.
  double exchangeRate = 60;   ///< Its bytes into an SM.
  double packLaunch = 3000;   ///< Copies of operands that are not aligned.
  double packRate = 3000;     ///< Their bytes.
};

/// A constant by name, for files and fits.
struct ConstantInfo {
  llvm::StringLiteral name;
  double ScheduleConstants::*member;
};
llvm::ArrayRef<ConstantInfo> getConstantInfos();

/// The constants of a board.
struct ModelConstants {
  std::string chip; ///< The board's chip: `sm_90a`.
  /// The constants of each schedule that the model describes
  /// (ScheduleFamily::hasFittedModel).
  std::map<Schedule, ScheduleConstants> schedules;

  /// The standard constants of all these schedules.
  ModelConstants();
  /// Null if the model does not describe kernels of `schedule`.
  const ScheduleConstants *find(Schedule schedule) const;
};

/// Reads YAML as writeModelConstants writes it. Errors name the place: an
/// unknown, missing or non-positive constant, an unknown chip.
llvm::Expected<ModelConstants> parseModelConstants(llvm::StringRef text,
                                                   llvm::StringRef fileName);
void writeModelConstants(const ModelConstants &constants,
                         llvm::raw_ostream &out);

/// The board's state before a kernel. A board that has rested takes more power
/// than its limit for a moment. One under load lowers its clock until products
/// and memory keep the limit.
enum class BoardLoad {
  Rested, ///< As for the candidates of a search, with pauses between them.
  Loaded, ///< As in an application, and in the finals of a search.
};

/// Nanoseconds that a kernel takes for its work.
double estimateTime(const KernelWork &work, const ScheduleConstants &constants,
                    BoardLoad load = BoardLoad::Rested);

/// The ranges of the parameters in which kernels with the same tile differ.
struct TileVariants {
  double mostStages = 8; ///< Of their rings.
  /// The rings of kernels that are not persistent have no more stages than the
  /// CTA's tile, but for two.
  bool hasUsedRing = true;
  double mostSharers = 2;       ///< Of an operand, in a cluster.
  double mostClusterSlices = 4; ///< Of k, in a cluster.
};

/// Nanoseconds that estimateTime does not fall below, for many works with the
/// same constants. They take a fraction of its time, because they compute no
/// powers: a maximum stands for the norm, or lines below the curves of its
/// powers and above none of its roots.
class TimeBounds {
public:
  /// `constants` outlive the bounds.
  explicit TimeBounds(const ScheduleConstants &constants,
                      BoardLoad load = BoardLoad::Rested);

  /// With the maximum of times that overlap; up to half of the estimate less.
  double getCoarse(const KernelWork &work) const;
  /// With lines instead of curves; mostly less than 0.1 % below the estimate.
  double getClose(const KernelWork &work) const;

  /// For all variants of a kernel with the same tile, by the work of the one
  /// without clusters. If it has more tiles than there are processors, none of
  /// the variants has more slices of k.
  double getLeastOfTile(const KernelWork &tile,
                        const TileVariants &variants) const;

  /// The norm's lower bound, of at most four parts, none of them below 0.
  double combine(std::initializer_list<double> parts) const;

private:
  /// The times of a stage of one CTA; of the L2 cache, that of one CTA of all;
  /// and of a tile's stores.
  struct TileParts {
    double tensor, shared, l2, latency, stores;
  };
  double getLeastL2Bytes(const KernelWork &tile, double mostSharers) const;
  double getLeastOfMany(const KernelWork &tile, const TileVariants &variants,
                        const TileParts &parts) const;
  double getLeastOfFew(const KernelWork &tile, const TileVariants &variants,
                       const TileParts &parts) const;

  struct Line {
    double at = 0, slope = 0; ///< at + slope * x
  };
  static constexpr int kMostParts = 4, kPowers = 32, kRootsPerOne = 8,
                       kRoots = (kMostParts - 1) * kRootsPerOne;

  const ScheduleConstants &constants;
  const BoardLoad load;
  bool hasTables = false;
  /// Tangents of x^p from 0 to 1, and chords of its inverse from 1 to 4.
  std::array<Line, kPowers> powers;
  std::array<Line, kRoots> roots;
};

/// The parts of that time in nanoseconds, which follow each other.
struct TimeParts {
  double launch = 0;   ///< Until the first CTAs run.
  double prologue = 0; ///< Until their first products.
  double products = 0; ///< The tensor cores' time.
  double loads = 0;    ///< Copies and the L2 cache, beyond the products.
  double wait = 0;     ///< For copies' latency and barriers, beyond both.
  double epilogue = 0; ///< That products do not hide.
  double memory = 0;   ///< Beyond all CTAs' time.
  double others = 0;   ///< Kernels that pack operands, and that sum slices.
  /// The CTAs over those that run together, and the rounds that they take.
  double waves = 0, rounds = 0;

  double getTotal() const {
    return launch + prologue + products + loads + wait + epilogue + memory +
           others;
  }
};
/// Their sum is estimateTime of a board that has rested.
TimeParts estimateParts(const KernelWork &work,
                        const ScheduleConstants &constants);

/// The derivatives of the time's logarithm by those of the constants, in the
/// order of getConstantInfos: the part of the time that each stands for, with
/// the sign of its effect.
std::vector<double> getSensitivities(const KernelWork &work,
                                     const ScheduleConstants &constants);

} // namespace tcgemm

#endif // TCGEMM_MODEL_ANALYTICMODEL_H
