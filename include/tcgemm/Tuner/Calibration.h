//===- Calibration.h - The speeds of a GPU by measurement -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures the quantities of a machine file (tcgemm/Model/Machine.h). The
// kernels are those of schedule wgmma with some of their parts left out. Each
// quantity follows from the differences of kernels' times, as in "A Performance
// Model for Warp Specialization Kernels" (Z. Liu and V. Grover, section 4.2.3):
// a rate is the difference of two sizes over that of their times, and a startup
// is the rest of the time (docs/rationale/simulator.md).
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_CALIBRATION_H
#define TCGEMM_TUNER_CALIBRATION_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Model/Machine.h"
#include "tcgemm/Runtime/Device.h"

#include <functional>
#include <memory>

namespace tcgemm {

/// The parts of a kernel that are kept. Every kernel hands over the stages of
/// its ring.
struct KernelParts {
  bool copies = false, products = false, epilogue = false;
};

/// A kernel for D = A * B with bf16 operands and a bf16 result.
struct CalibrationKernel {
  KernelParts parts;
  int64_t tileM = 128, tileN = 128; ///< A stage has 64 elements of k.
  int64_t depth = 6;                ///< Slots of the ring.
  int64_t cluster = 1;              ///< CTAs along M that share B.
  int64_t slices = 1; ///< Slices of k, which a second kernel adds.
  /// True if a CTA computes several tiles, one after the other. Otherwise each
  /// computes one.
  bool isPersistent = false;
  EpilogueKind epilogue = EpilogueKind::Tma;
  bool isTransposed = false; ///< The instruction's rows are D's columns.
  int64_t depthCTAs = 1;     ///< CTAs of a cluster that split k.

  /// The configuration, and the parts that are kept: the kernel's identity.
  std::string str() const;
  /// Its configuration; no parameter is left to the compiler.
  KernelConfig getConfig() const;
};

/// The experiments. Their kernels and sizes are in lib/Tuner/Calibrate.
enum class ExperimentId {
  Empty,           ///< Nothing but one hand-over of a stage.
  EmptyOne,        ///< The same by one CTA.
  EmptyStages,     ///< The same with several stages,
  EmptyWaves,      ///< and with several waves of CTAs.
  CopySmall,       ///< Copies of 64x64 tiles by a few CTAs; few stages.
  CopySmallStages, ///< The same with several stages.
  CopyLarge,       ///< Copies of 128x64 tiles.
  CopyLargeStages,
  CacheHit, ///< The same by all multiprocessors, from the L2 cache.
  CacheHitStages,
  CacheUnshared, ///< The same by CTAs whose neighbours copy other tiles.
  CacheUnsharedStages,
  CacheMiss, ///< Copies of data that the cache does not hold.
  CacheMissStages,
  CopyOutside, ///< Copies by a few CTAs, half of whose boxes lie outside A.
  CopyOutsideStages,
  Latency, ///< Copies to a ring of two slots.
  LatencyStages,
  MemoryLatency, ///< The same of data that the cache does not hold.
  MemoryLatencyStages,
  Cluster, ///< The same in clusters of two CTAs.
  ClusterStages,
  ProductLarge, ///< Products of 128x128x64 by a few CTAs.
  ProductLargeStages,
  ProductWide, ///< Products of 128x256x64.
  ProductWideStages,
  WholeSmall, ///< Copies and products of 64x64x64.
  WholeSmallStages,
  WholeWide, ///< Copies and products of 128x256x64.
  WholeWideStages,
  WholeAll, ///< The same on all multiprocessors.
  WholeAllStages,
  TilesSmall,     ///< Nothing, with 64x64 tiles; a few CTAs with a tile each.
  TilesSmallMore, ///< The same with several tiles each.
  TilesLarge,     ///< Nothing, with 128x128 tiles.
  TilesLargeMore,
  EpilogueSmall, ///< The epilogue of 64x64 tiles; a few CTAs with a tile each.
  EpilogueSmallMore, ///< The same with several tiles each.
  EpilogueLarge,     ///< The epilogue of 128x128 tiles.
  EpilogueLargeMore,
  EpilogueMemory, ///< The same of all multiprocessors, of more tiles than the
                  ///< L2 cache holds.
  EpilogueMemoryMore,
  Staged, ///< The epilogue of 128x128 tiles, by threads in full rows.
  StagedMore,
  Elements, ///< The same, element by element: D has an odd number of columns.
  ElementsMore,
  Rows, ///< The same from registers.
  RowsMore,
  Columns, ///< The same of tiles whose instructions have D's columns as rows.
  ColumnsMore,
  Stage,        ///< The copies of one stage by all multiprocessors.
  StageCluster, ///< The same in clusters of two.
  Quads,        ///< Copies by a cluster of four for every four processors,
  QuadsLessOne, ///< and by fewer clusters.
  QuadsLessTwo,
  QuadsLessThree,
  ExchangeSmall,  ///< The epilogue of 64x64 tiles, whose k two CTAs split.
  ExchangeLarge,  ///< The same of 128x128 tiles.
  AloneSmall,     ///< The epilogue of 64x64 tiles, each of one CTA.
  AloneLarge,     ///< The same of 128x128 tiles.
  ReductionSmall, ///< Nothing, and the sum of two slices.
  ReductionLarge,
  Load, ///< A whole product, for the clock under load. It is not timed.
};
constexpr size_t kNumExperiments = size_t(ExperimentId::Load) + 1;

struct Experiment {
  std::string name;
  CalibrationKernel kernel;
  int64_t tilesM = 1, tilesN = 1;
  int64_t stages = 1; ///< Of a tile.
  /// The CTAs that a persistent kernel launches; of other kernels, 0.
  int64_t persistentCTAs = 0;
  /// True if D's last column is left out, so that its rows are not aligned.
  bool isRagged = false;
  /// Rows of the last tiles along M that lie outside A.
  int64_t outsideRows = 0;

  int64_t getM() const { return tilesM * kernel.tileM - outsideRows; }
  int64_t getN() const { return tilesN * kernel.tileN - (isRagged ? 1 : 0); }
  int64_t getK() const;
  /// The tiles of all slices and of the CTAs that split k.
  int64_t getTiles() const {
    return tilesM * tilesN * kernel.slices * kernel.depthCTAs;
  }
  int64_t getCTAs() const {
    return kernel.isPersistent ? persistentCTAs : getTiles();
  }
  /// The tiles of the CTA that has the most.
  int64_t getTilesOfCTA() const;
  int64_t getWaves(int64_t processors) const;
  /// How the epilogue stores.
  StorePath getStorePath() const;
  /// The bytes of a tile that one CTA stores, and those of the sums that it
  /// gets from the other CTAs that split k.
  double getStoredBytes() const;
  double getExchangedBytes() const;
  /// The bytes of the partial sums and of the result.
  int64_t getReductionBytes() const;
};

/// The sizes of the experiments.
struct CalibrationScale {
  int64_t processors = 132;
  int64_t fewStages = 64, moreStages = 256; ///< With a few CTAs.
  /// With all multiprocessors. On 132 of them, the operands of the first pair
  /// are up to 6 MB. Each half of the L2 cache holds them: it keeps copies of
  /// what it gets from the other half. Those of the second pair are at least
  /// 138 MB, of which it holds little from one launch to the next.
  int64_t fewCached = 4, moreCached = 16;
  int64_t fewOfMemory = 64, moreOfMemory = 160;
  /// With all multiprocessors, half of which copy the same. The operands are up
  /// to 5 MB.
  int64_t fewUnshared = 2, moreUnshared = 8;
  int64_t waves = 9;
  int64_t tilesOfCTA = 65; ///< Of each of a few persistent CTAs.
  /// Tiles that the CTA of each multiprocessor stores. On 132 of them, D has
  /// 138 and 415 MB.
  int64_t fewStored = 32, moreStored = 96;
  int64_t reducedTiles = 8; ///< Along M and N.
  /// Waves and stages of the product for the clock under load.
  int64_t loadWaves = 4, loadStages = 128;

  /// The emulator gets small experiments.
  static CalibrationScale of(const DeviceProperties &properties);
};

/// By ExperimentId.
std::vector<Experiment> getExperiments(const CalibrationScale &scale);

/// The readings of a kernel that reads both clocks.
struct ClockReading {
  double gigahertz = 0; ///< Clocks of the multiprocessor a nanosecond.
  double step = 0; ///< The smallest step of the nanosecond clock, nanoseconds.
};

/// Runs experiments. Errors of its functions are those of the device, or of the
/// compiler.
class ExperimentRunner {
public:
  virtual ~ExperimentRunner();
  virtual llvm::Error prepare(llvm::ArrayRef<Experiment> experiments) = 0;
  /// Nanoseconds of a launch, the mean of a chain.
  virtual llvm::Expected<double> time(size_t experiment) = 0;
  /// Reads the clocks, after the experiment Load has run for a while if
  /// `isLoaded`.
  virtual llvm::Expected<ClockReading> readClock(bool isLoaded) = 0;
  /// The smallest difference between two times that the device has measured
  /// so far, in nanoseconds; 0 without two different ones.
  virtual double getEventStep() const = 0;
};

/// Receives a line about the progress.
using CalibrationProgress = std::function<void(const llvm::Twine &)>;

/// Times of a model instead of measured ones: those of `machine`, with random
/// changes by up to the fraction `noise`, which depend on nothing but their
/// number. `executor` prepares the experiments, too; it may be null.
std::unique_ptr<ExperimentRunner>
createModelRunner(const Machine &machine, double noise,
                  std::unique_ptr<ExperimentRunner> executor = nullptr);

struct CalibrationOptions {
  CalibrationScale scale;
  double budget = 60; ///< Seconds of the device; at least three rounds are run.
  unsigned rounds = 21;
  uint64_t seed = 1; ///< Of the order of the experiments in a round.
};

/// A quantity from measurements.
struct Estimate {
  /// Median and interval of its values by rounds; none if it has no value in
  /// the range of machine files.
  std::optional<MachineValue> value;
  /// The differences that it is from, and why there is no value.
  std::string method, failure;
};

struct Calibration {
  std::array<Estimate, kNumQuantities> estimates;
  unsigned rounds = 0;
  double timerStep = 0; ///< Of the multiprocessors' nanosecond clock.
  double eventStep = 0; ///< Of the clock that times chains of launches.

  size_t countFailures() const;
  /// Returns whether a rate has a value. If none has, the device's times do not
  /// depend on sizes.
  bool hasRates() const;
};

/// Measures every quantity. Errors: those of the runner, or a budget in which
/// three rounds do not fit.
llvm::Expected<Calibration> calibrate(ExperimentRunner &runner,
                                      const CalibrationOptions &options,
                                      const CalibrationProgress &progress);

/// The values of one round: nanoseconds of the experiments, and clocks in GHz.
struct CalibrationRound {
  llvm::ArrayRef<Experiment> experiments;
  std::vector<double> times;
  double processors = 0;
  double clock = 0, loadedClock = 0;
};

/// Estimates the quantities from rounds. A value is the median over the rounds.
/// Its interval is the 95 % confidence interval of that median, by order
/// statistics (tcgemm/Store/Record.h: summarizeSamples).
std::array<Estimate, kNumQuantities>
estimateQuantities(llvm::ArrayRef<CalibrationRound> rounds);

/// The machine file's content. Quantities without an estimate are those of
/// `base`, and say so. It is calibrated if there is none of these and
/// `isMeasured`.
Machine makeMachine(const Calibration &calibration, const Machine &base,
                    const MachineOrigin &origin, bool isMeasured);

} // namespace tcgemm

#endif // TCGEMM_TUNER_CALIBRATION_H
