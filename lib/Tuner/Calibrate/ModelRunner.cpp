//===- ModelRunner.cpp - Experiments whose times are a model's ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The times that a machine with given quantities would have, if these were all
// that there is. For emulators, which have no clock, and for tests.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Tuner/Calibration.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

constexpr int64_t kDepth = 64, kElementBits = 16;

class ModelRunner : public ExperimentRunner {
public:
  ModelRunner(const Machine &machine, double noise,
              std::unique_ptr<ExperimentRunner> executor)
      : machine(machine), noise(noise), executor(std::move(executor)) {}

  Error prepare(ArrayRef<Experiment> prepared) override {
    experiments = prepared;
    return executor ? executor->prepare(prepared) : Error::success();
  }
  Expected<double> time(size_t experiment) override {
    return change(compute(ExperimentId(experiment)));
  }
  Expected<ClockReading> readClock(bool isLoaded) override {
    return ClockReading{
        change(get(isLoaded ? Quantity::LoadedClock : Quantity::Clock)), 1};
  }
  /// A model's times have no steps.
  double getEventStep() const override { return 0; }

private:
  double get(Quantity quantity) const { return machine.get(quantity); }
  double change(double value);
  double compute(ExperimentId id) const;
  double getLaunch(const Experiment &experiment) const;
  double getWaves(const Experiment &experiment) const;
  double getStage(ExperimentId id, const Experiment &experiment) const;
  double getEpilogue(const Experiment &experiment) const;
  double getCopies(ExperimentId id, const Experiment &experiment) const;

  const Machine machine;
  double noise;
  std::unique_ptr<ExperimentRunner> executor;
  ArrayRef<Experiment> experiments;
  uint64_t numTimes = 0;
};

} // namespace

/// Adds noise.
double ModelRunner::change(double value) {
  uint64_t number = numTimes++;
  ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(&number),
                          sizeof(number));
  double random = double(xxh3_64bits(bytes) >> 11) * 0x1p-53;
  return value * (1 + noise * (2 * random - 1));
}

static double toNanoseconds(Picoseconds time) { return double(time) * 1e-3; }

double ModelRunner::getCopies(ExperimentId id,
                              const Experiment &experiment) const {
  const CalibrationKernel &kernel = experiment.kernel;
  auto copy = [&](int64_t extent, double rate) {
    return get(Quantity::CopyStartup) +
           double(extent * kDepth * kElementBits) / 8 / rate;
  };
  double rate = get(Quantity::CopyRate);
  auto ctas = double(experiment.getCTAs());
  double memoryCopy = copy(kernel.tileM, get(Quantity::MemoryRate) / ctas);
  if (id == ExperimentId::MemoryLatency ||
      id == ExperimentId::MemoryLatencyStages)
    return (std::max(copy(kernel.tileM, rate), memoryCopy) +
            copy(kernel.tileN, rate) + get(Quantity::MemoryLatency)) /
           double(kernel.depth);
  // As in the simulator, clusters have a rate of their own.
  Quantity shared =
      kernel.depthCTAs > 1 ? Quantity::UnsharedRate : Quantity::CacheRate;
  rate = std::min(rate, get(shared) / ctas);
  double copies = copy(kernel.tileM, rate) + copy(kernel.tileN, rate) +
                  double(experiment.outsideRows) * get(Quantity::OutsideRow);
  bool isMiss =
      id == ExperimentId::CacheMiss || id == ExperimentId::CacheMissStages;
  if (isMiss)
    copies = std::max(copies, get(Quantity::CopyStartup) + memoryCopy);
  double release = kernel.cluster > 1 ? get(Quantity::SlotRelease) : 0;
  return std::max(copies, (copies + get(Quantity::CopyLatency) + release) /
                              double(kernel.depth));
}

double ModelRunner::getStage(ExperimentId id,
                             const Experiment &experiment) const {
  const CalibrationKernel &kernel = experiment.kernel;
  double stage = 0;
  if (kernel.parts.copies)
    stage = getCopies(id, experiment);
  if (kernel.parts.products) {
    double macs = double(kernel.tileM * kernel.tileN * kDepth);
    bool isBusy =
        id == ExperimentId::WholeAll || id == ExperimentId::WholeAllStages;
    double rate = get(Quantity::MathRate) *
                  get(isBusy ? Quantity::BusyClock : Quantity::Clock) /
                  get(Quantity::LoadedClock);
    stage = std::max(stage, get(Quantity::MathStartup) + macs / rate);
  }
  if (kernel.parts.copies && kernel.parts.products) {
    constexpr int64_t accesses = 2;
    double bytes = double((kernel.tileM + kernel.tileN) * kDepth *
                          kElementBits * accesses) /
                   8;
    stage = std::max(stage, bytes / get(Quantity::SharedRate));
  }
  return stage;
}

double ModelRunner::getEpilogue(const Experiment &experiment) const {
  double rate = get(getStoreRate(experiment.getStorePath()));
  double time =
      get(Quantity::EpilogueStartup) + experiment.getStoredBytes() / rate;
  if (double bytes = experiment.getExchangedBytes(); bytes > 0)
    time +=
        get(Quantity::ExchangeStartup) + bytes / get(Quantity::ExchangeRate);
  return time;
}

/// From the start of a kernel to that of its last CTA, and the end of the last
/// stores.
double ModelRunner::getLaunch(const Experiment &experiment) const {
  const CalibrationKernel &kernel = experiment.kernel;
  bool isCluster = kernel.cluster * kernel.depthCTAs > 1;
  double time = get(isCluster ? Quantity::ClusterLaunch : Quantity::Launch);
  time -=
      get(Quantity::CtaLaunch) *
      std::max(0.0, get(Quantity::Processors) - double(experiment.getCTAs()));
  if (kernel.parts.epilogue)
    time += get(Quantity::StoreLaunch) - get(Quantity::Launch) -
            (kStoreLaunchBytes - experiment.getStoredBytes()) /
                get(Quantity::LastStoreRate);
  return time;
}

/// Clusters of four take a second wave if not all have a place.
double ModelRunner::getWaves(const Experiment &experiment) const {
  constexpr int64_t four = 4;
  auto ctas = double(experiment.getCTAs());
  return std::ceil(ctas / get(experiment.kernel.cluster == four
                                  ? Quantity::ClusterProcessors
                                  : Quantity::Processors));
}

double ModelRunner::compute(ExperimentId id) const {
  const Experiment &experiment = experiments[size_t(id)];
  const CalibrationKernel &kernel = experiment.kernel;
  double tile = double(experiment.stages) * getStage(id, experiment);
  if (kernel.parts.epilogue)
    tile += getEpilogue(experiment);
  if (id == ExperimentId::EpilogueMemory ||
      id == ExperimentId::EpilogueMemoryMore)
    tile = std::max(tile, double(experiment.getCTAs()) *
                              experiment.getStoredBytes() /
                              get(Quantity::MemoryStoreRate));
  double wave =
      get(Quantity::CtaPrologue) + double(experiment.getTilesOfCTA()) * tile;
  double time = getLaunch(experiment) + wave * getWaves(experiment);
  if (kernel.slices > 1)
    time += toNanoseconds(
        getReductionTime(machine, experiment.getReductionBytes()));
  return time;
}

std::unique_ptr<ExperimentRunner>
createModelRunner(const Machine &machine, double noise,
                  std::unique_ptr<ExperimentRunner> executor) {
  return std::make_unique<ModelRunner>(machine, noise, std::move(executor));
}

} // namespace tcgemm
