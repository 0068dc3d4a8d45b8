//===- RoundTimes.h - Differences of a round's times ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_CALIBRATE_ROUNDTIMES_H
#define TCGEMM_LIB_TUNER_CALIBRATE_ROUNDTIMES_H

#include "tcgemm/Tuner/Calibration.h"

namespace tcgemm {

/// The differences of a round's times, in nanoseconds.
class RoundTimes {
public:
  explicit RoundTimes(const CalibrationRound &round) : round(round) {}

  const CalibrationRound &getRound() const { return round; }
  const Experiment &get(ExperimentId id) const {
    return round.experiments[size_t(id)];
  }
  double getTime(ExperimentId id) const { return round.times[size_t(id)]; }
  /// The time of a stage, from two experiments that differ in their number.
  double getStage(ExperimentId few, ExperimentId more) const {
    return (getTime(more) - getTime(few)) /
           double(get(more).stages - get(few).stages);
  }
  /// The time of a wave of CTAs.
  double getWave(ExperimentId few, ExperimentId more) const {
    auto count = [&](ExperimentId id) {
      return get(id).getWaves(int64_t(round.processors));
    };
    return (getTime(more) - getTime(few)) / double(count(more) - count(few));
  }
  /// A tile of a CTA that computes several.
  double getTile(ExperimentId few, ExperimentId more) const {
    return (getTime(more) - getTime(few)) /
           double(get(more).getTilesOfCTA() - get(few).getTilesOfCTA());
  }
  /// A wave of CTAs that hand over a stage and do nothing else.
  double getEmptyWave() const {
    return getWave(ExperimentId::Empty, ExperimentId::EmptyWaves);
  }
  /// T_A = T_B: the copy of a tile of A, of 64 elements of k.
  double getCopy(ExperimentId few, ExperimentId more) const {
    return getStage(few, more) / 2;
  }

private:
  const CalibrationRound &round;
};

/// A startup and a rate: the straight line through the times of two sizes.
struct Line {
  double startup, rate;

  static Line through(double smallSize, double smallTime, double largeSize,
                      double largeTime) {
    double rate = (largeSize - smallSize) / (largeTime - smallTime);
    return {smallTime - smallSize / rate, rate};
  }
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_CALIBRATE_ROUNDTIMES_H
