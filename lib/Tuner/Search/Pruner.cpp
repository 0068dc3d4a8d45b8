//===- Pruner.cpp - Candidates that need no measurement -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Pruner.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Model/TimeBound.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {

static constexpr double kNanoPerMicro = 1000;
static constexpr StringLiteral kLimitsExtension = ".limits.yaml";

StringRef getPruneReasonName(PruneReason reason) {
  static constexpr StringLiteral names[] = {"bound", "prediction"};
  static_assert(std::size(names) == kNumPruneReasons);
  return names[static_cast<unsigned>(reason)];
}

std::string Pruning::str() const {
  return formatv("{0}: at least {1:f2} us, but {2:f2} us was measured",
                 getPruneReasonName(reason), least, best);
}

//===----------------------------------------------------------------------===//
// Margins
//===----------------------------------------------------------------------===//

static bool isMeasured(const Record &record) {
  return record.isSuccess() && record.timing.median > 0 &&
         record.timing.stage != TimingStage::Model &&
         isComputable(record.config);
}

/// The smallest of `values` that at least the part `quantile` of them does not
/// exceed.
static double getQuantile(std::vector<double> values, double quantile) {
  llvm::sort(values);
  double place = std::ceil(quantile * static_cast<double>(values.size()));
  return values[std::max<size_t>(1, static_cast<size_t>(place)) - 1];
}

PredictionMargins findMargins(ArrayRef<Record> sweeps,
                              const TuningProblem &problem,
                              const ChipInfo &chip, const TimeModel &model,
                              double quantile) {
  constexpr double nearFactor = 1.1;
  auto isOfUse = [&](const Record &record) {
    return isMeasured(record) && record.platform.chip == chip.name &&
           record.problem.kernel == problem.kernel &&
           !(record.problem.sizes == problem.sizes);
  };
  std::map<std::string, double> fastest;
  for (const Record &record : sweeps)
    if (isOfUse(record)) {
      double time = record.timing.median;
      double &best =
          fastest.try_emplace(record.problem.str(), time).first->second;
      best = std::min(best, time);
    }
  std::map<Schedule, std::vector<double>> errors;
  for (const Record &record : sweeps) {
    double time = record.timing.median;
    if (isOfUse(record) && time <= nearFactor * fastest[record.problem.str()])
      errors[record.config.schedule].push_back(std::log(
          model(record.config, chip, record.problem.getInfo()) / time));
  }
  PredictionMargins margins;
  for (const auto &[schedule, ofSchedule] : errors)
    if (ofSchedule.size() >= kFewestErrors)
      margins[schedule] = getQuantile(ofSchedule, quantile);
  return margins;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

ProblemPruner::ProblemPruner(const PruneOptions &options, const ChipInfo &chip,
                             const TuningProblem &problem)
    : options(options), chip(chip), problem(problem.getInfo()) {
  auto found = options.limits.find(chip.name);
  limits = found == options.limits.end() ? nullptr : &found->second;
  if (options.mode == PruneMode::Statistical)
    margins = findMargins(options.sweeps, problem, chip, options.model,
                          options.quantile);
}

double ProblemPruner::getBound(const KernelConfig &config) const {
  if (!limits)
    return 0;
  return computeTimeBound(*limits, config, chip, problem).getTotal() /
         kNanoPerMicro;
}

std::optional<Pruning> ProblemPruner::check(const KernelConfig &config,
                                            double best) const {
  if (options.mode == PruneMode::None || best <= 0)
    return std::nullopt;
  if (double bound = getBound(config); bound > best)
    return Pruning{PruneReason::Bound, bound, best};
  auto margin = margins.find(config.schedule);
  if (margin == margins.end())
    return std::nullopt;
  double least =
      options.model(config, chip, problem) / std::exp(margin->second);
  if (least > best)
    return Pruning{PruneReason::Prediction, least, best};
  return std::nullopt;
}

std::optional<KernelConfig>
ProblemPruner::chooseFirst(const SearchSpace &space) const {
  std::optional<KernelConfig> first;
  double least = 0;
  for (uint64_t index : space.getLegal()) {
    KernelConfig config = space.getConfig(space.getPoint(index));
    double time =
        options.model ? options.model(config, chip, problem) : getBound(config);
    if (first && time >= least)
      continue;
    first = config;
    least = time;
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

BoundCheck checkBounds(ArrayRef<Record> records, const ChipInfo &chip,
                       const SpeedLimits &limits) {
  BoundCheck check;
  for (const Record &record : records) {
    if (!isMeasured(record))
      continue;
    double bound =
        computeTimeBound(limits, record.config, chip, record.problem.getInfo())
            .getTotal() /
        kNanoPerMicro;
    double ratio = record.timing.median / bound;
    ++check.records;
    check.below += ratio < 1;
    if (check.nearest && ratio >= check.least)
      continue;
    check.least = ratio;
    check.nearest = record;
  }
  return check;
}

Expected<SpeedLimits> readSpeedLimits(StringRef name) {
  Expected<std::string> text = readFileOrShipped(name, kLimitsExtension);
  if (!text)
    return text.takeError();
  return parseSpeedLimits(*text, name);
}

Expected<StringMap<SpeedLimits>> readShippedLimits() {
  StringMap<SpeedLimits> all;
  for (const ShippedFile &file : getShippedFiles()) {
    if (!file.name.ends_with(kLimitsExtension))
      continue;
    Expected<SpeedLimits> limits = parseSpeedLimits(file.text, file.name);
    if (!limits)
      return limits.takeError();
    all.try_emplace(limits->chip, *limits);
  }
  return std::move(all);
}

} // namespace tcgemm
