//===- ModelFit.cpp - The model's constants from measurements -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/ModelFit.h"
#include "Search/LeastSquares.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <map>

using namespace llvm;

namespace tcgemm {
namespace {

struct Sample {
  const Record *record;
  KernelWork work;
  BoardLoad load;
  double logTime; ///< The logarithm of nanoseconds.
  double weight;  ///< Those of a problem sum to 1.
};
using ProblemSamples = std::vector<Sample>;

/// Finals are timed under load.
BoardLoad getLoad(const Record &record) {
  return record.timing.stage == TimingStage::Final ? BoardLoad::Loaded
                                                   : BoardLoad::Rested;
}

/// The samples of one schedule, problem by problem. Finals are apart, because
/// their times are not compared with those of a board that has rested.
std::vector<ProblemSamples> collect(ArrayRef<Record> records,
                                    const ChipInfo &chip, Schedule schedule,
                                    double emphasis) {
  std::map<std::pair<std::string, BoardLoad>, ProblemSamples> problems;
  for (const Record &record : records)
    if (record.config.schedule == schedule && record.isSuccess() &&
        record.timing.median > 0 && isComputable(record.config)) {
      BoardLoad load = getLoad(record);
      problems[{record.problem.str(), load}].push_back(
          {&record, describeWork(record.config, chip, record.problem.getInfo()),
           load, std::log(1000 * record.timing.median), 0});
    }
  std::vector<ProblemSamples> all;
  for (auto &[name, samples] : problems) {
    double best = samples.front().logTime, sum = 0;
    for (const Sample &sample : samples)
      best = std::min(best, sample.logTime);
    for (Sample &sample : samples) {
      sample.weight = std::exp(emphasis * (best - sample.logTime));
      sum += sample.weight;
    }
    for (Sample &sample : samples)
      sample.weight /= sum;
    all.push_back(std::move(samples));
  }
  return all;
}

/// Fits the constants of one schedule.
class Fit {
public:
  Fit(std::vector<ProblemSamples> problems, const ScheduleConstants &start,
      const FitOptions &options)
      : problems(std::move(problems)), options(options) {
    for (const ConstantInfo &info : getConstantInfos())
      this->start.push_back(std::log(start.*info.member));
  }

  ScheduleConstants run() {
    LeastSquaresOptions squares;
    squares.iterations = options.iterations;
    return getConstants(
        minimizeSquares(start, squares, [this](ArrayRef<double> place) {
          return getResiduals(place);
        }));
  }

  /// Adds the losses of `all`, which need not be the problems of the fit.
  static void addLosses(ArrayRef<ProblemSamples> all,
                        const ScheduleConstants &constants,
                        std::vector<ChoiceLoss> &losses) {
    for (const ProblemSamples &samples : all) {
      auto measured = [](const Sample &sample) { return sample.logTime; };
      auto estimated = [&](const Sample &sample) {
        return estimateTime(sample.work, constants, sample.load);
      };
      const Sample &best = *findLeast(samples, measured);
      const Sample &choice = *findLeast(samples, estimated);
      losses.push_back(
          {choice.record->problem.str(),
           std::exp(choice.logTime - best.logTime),
           choice.record->timing.median,
           estimateTime(choice.work, constants, choice.load) / 1000,
           choice.record->config.str()});
    }
  }

  FitQuality getQuality(const ScheduleConstants &constants) const {
    FitQuality quality;
    double sum = 0;
    for (const ProblemSamples &samples : problems) {
      ++quality.problems;
      quality.records += samples.size();
      double offset = getOffset(samples, constants);
      for (const Sample &sample : samples) {
        double error = getError(sample, constants) - offset;
        sum += sample.weight * error * error;
      }
    }
    quality.error = std::sqrt(sum / static_cast<double>(problems.size()));
    return quality;
  }

private:
  static const Sample *findLeast(ArrayRef<Sample> samples,
                                 function_ref<double(const Sample &)> get) {
    return min_element(samples, [&](const Sample &a, const Sample &b) {
      return get(a) < get(b);
    });
  }

  static ScheduleConstants getConstants(ArrayRef<double> place) {
    ScheduleConstants constants;
    for (auto [info, value] : zip_equal(getConstantInfos(), place))
      constants.*info.member = std::exp(std::clamp(value, -12.0, 20.0));
    return constants;
  }

  static double getError(const Sample &sample,
                         const ScheduleConstants &constants) {
    return std::log(estimateTime(sample.work, constants, sample.load)) -
           sample.logTime;
  }

  /// The error that all configurations of a problem share.
  static double getOffset(const ProblemSamples &samples,
                          const ScheduleConstants &constants) {
    double offset = 0;
    for (const Sample &sample : samples)
      offset += sample.weight * getError(sample, constants);
    return offset;
  }

  /// Of the samples relative to their problems, of the problems, and of the
  /// constants relative to their start values. The sum of their squares is the
  /// loss.
  std::vector<double> getResiduals(ArrayRef<double> place) const {
    ScheduleConstants constants = getConstants(place);
    double share = 1 / std::sqrt(static_cast<double>(problems.size()));
    std::vector<double> residuals, errors;
    for (const ProblemSamples &samples : problems) {
      errors.clear();
      double offset = 0;
      for (const Sample &sample : samples) {
        errors.push_back(getError(sample, constants));
        offset += sample.weight * errors.back();
      }
      for (auto [sample, error] : zip_equal(samples, errors))
        residuals.push_back(share * std::sqrt(sample.weight) *
                            getRobust(error - offset));
      residuals.push_back(share * std::sqrt(options.offsetWeight) *
                          getRobust(offset));
    }
    for (auto [value, first] : zip_equal(place, start))
      residuals.push_back(std::sqrt(options.ridge) * (value - first));
    return residuals;
  }

  /// Its square is the square of a small error, and the tangent of that beyond
  /// (Huber).
  double getRobust(double error) const {
    double size = std::abs(error), limit = options.robust;
    if (size <= limit)
      return error;
    return std::copysign(std::sqrt(limit * (2 * size - limit)), error);
  }

  std::vector<ProblemSamples> problems;
  std::vector<double> start;
  const FitOptions &options;
};

/// The losses of each fold with constants that are fitted to the others.
std::vector<ChoiceLoss>
findFoldLosses(const std::vector<ProblemSamples> &problems,
               const ScheduleConstants &start, const FitOptions &options) {
  std::vector<ChoiceLoss> losses;
  for (unsigned fold = 0; fold < options.folds; ++fold) {
    std::vector<ProblemSamples> in, out;
    for (auto [i, samples] : enumerate(problems))
      (i % options.folds == fold ? out : in).push_back(samples);
    if (!in.empty())
      Fit::addLosses(out, Fit(std::move(in), start, options).run(), losses);
  }
  return losses;
}

} // namespace

Expected<FitResult> fitModel(ArrayRef<Record> records,
                             const ModelConstants &start,
                             const FitOptions &options) {
  Expected<const ChipInfo &> chip = lookupChip(start.chip);
  if (!chip)
    return chip.takeError();
  FitResult result{start, {}};
  for (auto &[schedule, constants] : result.constants.schedules) {
    std::vector<ProblemSamples> problems =
        collect(records, *chip, schedule, options.emphasis);
    if (problems.empty())
      continue;
    std::vector<ChoiceLoss> losses;
    if (options.folds > 1)
      losses = findFoldLosses(problems, constants, options);
    Fit fit(problems, constants, options);
    constants = fit.run();
    if (options.folds <= 1)
      Fit::addLosses(problems, constants, losses);
    sort(losses, [](const ChoiceLoss &a, const ChoiceLoss &b) {
      return a.ratio > b.ratio;
    });
    FitQuality quality = fit.getQuality(constants);
    quality.losses = std::move(losses);
    result.qualities[schedule] = std::move(quality);
  }
  if (result.qualities.empty())
    return createStringError("there is no measured success to fit to");
  return result;
}

} // namespace tcgemm
