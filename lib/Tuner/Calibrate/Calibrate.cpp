//===- Calibrate.cpp - The rounds of a calibration ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Calibration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <numeric>
#include <random>

using namespace llvm;

namespace tcgemm {
namespace {

/// Readings of each clock.
constexpr unsigned kClockReadings = 7;
/// The fewest rounds from which there are estimates.
constexpr unsigned kLeastRounds = 3;
/// The part of the budget after which no round starts. The rest is for the
/// clock under load.
constexpr double kPartForRounds = 0.75;

class Session {
public:
  Session(ExperimentRunner &runner, const CalibrationOptions &options,
          const CalibrationProgress &progress)
      : runner(runner), options(options), progress(progress),
        experiments(getExperiments(options.scale)), engine(options.seed) {}

  Expected<Calibration> run();

private:
  Expected<std::vector<ClockReading>> readClocks(bool isLoaded);
  Error addRound();
  Error addRounds();
  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

  ExperimentRunner &runner;
  const CalibrationOptions &options;
  const CalibrationProgress &progress;
  const std::vector<Experiment> experiments;
  std::mt19937_64 engine;
  std::chrono::steady_clock::time_point start;
  std::vector<CalibrationRound> rounds;
};

} // namespace

Expected<std::vector<ClockReading>> Session::readClocks(bool isLoaded) {
  std::vector<ClockReading> readings;
  for (unsigned i = 0; i != kClockReadings; ++i) {
    Expected<ClockReading> reading = runner.readClock(isLoaded);
    if (!reading)
      return reading.takeError();
    readings.push_back(*reading);
  }
  return readings;
}

/// Times every experiment once. In a fixed order, each would run at a different
/// temperature.
Error Session::addRound() {
  CalibrationRound round;
  round.experiments = experiments;
  round.times.resize(experiments.size());
  round.processors = double(options.scale.processors);
  constexpr auto timed = size_t(ExperimentId::Load);
  std::vector<size_t> order(timed);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), engine);
  for (size_t i : order) {
    Expected<double> time = runner.time(i);
    if (!time)
      return addContext(experiments[i].name, time.takeError());
    round.times[i] = *time;
  }
  rounds.push_back(std::move(round));
  return Error::success();
}

Error Session::addRounds() {
  while (rounds.size() < options.rounds &&
         getSeconds() < options.budget * kPartForRounds)
    if (Error error = addRound())
      return error;
  if (rounds.size() < kLeastRounds)
    return createStringError(
        formatv("the budget is {0} s, but {1} rounds take longer: {2} were "
                "measured",
                options.budget, kLeastRounds, rounds.size()));
  progress(formatv("{0} rounds of {1} experiments in {2:f1} s", rounds.size(),
                   size_t(ExperimentId::Load), getSeconds())
               .str());
  return Error::success();
}

Expected<Calibration> Session::run() {
  if (Error error = runner.prepare(experiments))
    return std::move(error);
  start = std::chrono::steady_clock::now();
  Expected<std::vector<ClockReading>> clocks = readClocks(/*isLoaded=*/false);
  if (!clocks)
    return clocks.takeError();
  if (Error error = addRounds())
    return std::move(error);
  Expected<std::vector<ClockReading>> loaded = readClocks(/*isLoaded=*/true);
  if (!loaded)
    return loaded.takeError();
  Calibration calibration;
  calibration.rounds = unsigned(rounds.size());
  calibration.timerStep = clocks->front().step;
  for (const ClockReading &reading : concat<ClockReading>(*clocks, *loaded))
    calibration.timerStep = std::min(calibration.timerStep, reading.step);
  calibration.eventStep = runner.getEventStep();
  // The readings are spread over the rounds, so that intervals contain their
  // differences.
  for (auto [i, round] : enumerate(rounds)) {
    round.clock = (*clocks)[i % clocks->size()].gigahertz;
    round.loadedClock = (*loaded)[i % loaded->size()].gigahertz;
  }
  calibration.estimates = estimateQuantities(rounds);
  progress(formatv("{0} of {1} quantities measured, {2:f1} s",
                   kNumQuantities - calibration.countFailures(), kNumQuantities,
                   getSeconds())
               .str());
  return calibration;
}

Expected<Calibration> calibrate(ExperimentRunner &runner,
                                const CalibrationOptions &options,
                                const CalibrationProgress &progress) {
  return Session(runner, options, progress).run();
}

} // namespace tcgemm
