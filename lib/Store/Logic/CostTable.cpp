//===- CostTable.cpp - Losses of configurations for sizes -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Logic/CostTable.h"

#include "Logic/SizeSamples.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/Support/Parallel.h"

#include <cmath>
#include <map>

using namespace llvm;

namespace tcgemm {
namespace {

/// The fastest configurations of a size that are candidates for other sizes.
constexpr size_t kCandidatesOfSize = 3;
/// The loss of a configuration whose time is not known at all, or that is
/// illegal, so that another choice replaces it.
constexpr double kUnknownLoss = 2;
/// The least loss of a configuration that was not measured.
constexpr double kUnproven = 1.03;
/// The model's fastest configurations of a sample that are candidates, if they
/// are at most this much slower than the best one.
constexpr size_t kCandidatesOfSample = 8;
constexpr double kCandidateLoss = 1.05;
/// The candidates of most samples that rules choose among.
constexpr size_t kMostCandidates = 320;
/// A measured size counts as that many samples.
constexpr float kRecordWeight = 2;

float toLoss(double ratio) { return static_cast<float>(std::log(ratio)); }

} // namespace

CostTable::CostTable(ArrayRef<const Record *> records, const KernelSpec &kernel,
                     const ChipInfo &chip, const ChoiceModel &model,
                     const LogicOptions &options)
    : kernel(kernel), chip(chip), model(model), options(options) {
  std::map<std::string, Times> all;
  for (const Record *record : records) {
    Times &times = all[record->problem.sizes.str()];
    times.sizes = record->problem.sizes;
    times.problem = record->problem.getInfo();
    times.records.push_back(record);
  }
  for (const KernelConfig &config : options.only)
    addConfig(config, config.str());
  for (auto &entry : all) {
    std::vector<const Record *> &list = entry.second.records;
    // Records of equal times stay in their order.
    llvm::sort(list, [](const Record *a, const Record *b) {
      return std::tie(a->timing.median, a) < std::tie(b->timing.median, b);
    });
    sizes.push_back(entry.second.sizes);
    addConfigs(sizes.size() - 1, entry.second);
  }
  std::vector<MatmulSizes> samples;
  if (options.samples)
    samples = drawSizes(kernel, SampleUse::Learn, options.samples);
  std::vector<Preferred> ranked(samples.size());
  parallelFor(0, samples.size(), [&](size_t i) {
    ranked[i] = rankCandidates(getProblem(samples[i]));
  });
  if (options.only.empty())
    addCandidates(ranked);
  for (const auto &entry : all)
    addLosses(entry.second);
  addSamples(samples, ranked);
}

ProblemInfo CostTable::getProblem(const MatmulSizes &sizes) const {
  return TuningProblem{kernel, sizes, ""}.getInfo();
}

KernelWork CostTable::describeWork(const KernelConfig &config,
                                   const MatmulSizes &sizes) const {
  ProblemInfo problem = getProblem(sizes);
  return tcgemm::describeWork(adapt(config, problem), chip, problem);
}

float CostTable::getWeight(size_t size) const {
  return options.samples && size < countRecorded() ? kRecordWeight : 1;
}

/// The number of a configuration, which is added if it is new.
unsigned CostTable::addConfig(const KernelConfig &config,
                              const std::string &text) {
  auto [entry, isNew] =
      numbers.try_emplace(text, static_cast<unsigned>(configs.size()));
  if (isNew) {
    configs.push_back(config);
    proposers.emplace_back();
  }
  return entry->second;
}

void CostTable::addConfigs(size_t size, const Times &times) {
  for (auto [rank, record] : enumerate(times.records)) {
    if (rank == kCandidatesOfSize)
      return;
    unsigned index = addConfig(record->config, record->config.str());
    // Two records of other drivers or compilers may have one configuration.
    if (proposers[index].empty() || proposers[index].back() != size)
      proposers[index].push_back(size);
    if (rank == 0)
      best.push_back(index);
  }
}

/// The configuration that a choice for the problem has.
KernelConfig CostTable::adapt(const KernelConfig &config,
                              const ProblemInfo &problem) const {
  if (!options.only.empty())
    return config;
  return getFamily(config.schedule)
      .adapt(config, /*isSplit=*/false, chip, problem);
}

/// The estimated time over the best time of the size.
std::optional<double> CostTable::estimateRatio(const KernelConfig &config,
                                               const Times &times) const {
  const Record *fastest = times.records.front();
  auto same = find_if(times.records, [&](const Record *record) {
    return record->config.schedule == config.schedule;
  });
  const Record *reference = fastest;
  if (same != times.records.end())
    reference = *same;
  else if (!model.isComparable(config.schedule, fastest->config.schedule))
    return std::nullopt;
  std::optional<double> known =
      model.estimate(reference->config, times.problem);
  std::optional<double> asked = model.estimate(config, times.problem);
  if (!known || !asked) {
    if (reference->config.schedule != config.schedule)
      return std::nullopt;
    known = estimateTime(reference->config, chip, times.problem);
    asked = estimateTime(config, chip, times.problem);
  }
  return *asked / *known * reference->timing.median / fastest->timing.median;
}

void CostTable::addLosses(const Times &times) {
  StringMap<double> known;
  for (const Record *record : times.records)
    known.try_emplace(record->config.str(), record->timing.median);
  compared.push_back(known.size() > 1);
  microseconds.push_back(0);
  double least = times.records.front()->timing.median;
  size_t first = losses.size();
  losses.resize(first + configs.size(), toLoss(kUnknownLoss));
  origins.resize(losses.size(), Origin::None);
  for (const auto &entry : numbers)
    if (auto found = known.find(entry.first()); found != known.end()) {
      losses[first + entry.second] = toLoss(found->second / least);
      origins[first + entry.second] = Origin::Measured;
    }
  parallelFor(0, configs.size(), [&](size_t i) {
    if (origins[first + i] == Origin::Measured)
      return;
    KernelConfig adapted = adapt(configs[i], times.problem);
    if (!isLegal(adapted, chip, times.problem))
      return;
    if (std::optional<double> ratio = estimateRatio(adapted, times)) {
      losses[first + i] = toLoss(std::max(*ratio, kUnproven));
      origins[first + i] = Origin::Model;
    }
  });
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

CostTable::Preferred
CostTable::rankCandidates(const ProblemInfo &problem) const {
  Preferred result;
  if (std::optional<KernelConfig> config = model.findMeasured(problem)) {
    result.isMeasured = true;
    result.microseconds = estimateTime(*config, chip, problem);
    result.configs.push_back(*config);
    return result;
  }
  std::vector<KernelConfig> candidates = model.listCandidates(problem);
  std::vector<std::pair<double, size_t>> ranked;
  for (auto [i, config] : enumerate(candidates))
    if (std::optional<double> time = model.estimate(config, problem))
      ranked.emplace_back(*time, i);
  llvm::sort(ranked);
  for (auto [time, i] : ranked) {
    std::vector<KernelConfig> &kept = result.configs;
    if (!kept.empty() && (time > result.microseconds * kCandidateLoss ||
                          kept.size() == kCandidatesOfSample))
      break;
    if (!isLegal(candidates[i], chip, problem))
      continue;
    if (kept.empty())
      result.microseconds = time;
    kept.push_back(candidates[i]);
  }
  return result;
}

/// Adds the configurations that are candidates of the most samples.
void CostTable::addCandidates(ArrayRef<Preferred> ranked) {
  struct Candidate {
    KernelConfig config;
    size_t count = 0;
  };
  std::map<std::string, Candidate> candidates;
  for (const Preferred &preferred : ranked)
    for (KernelConfig config : preferred.configs) {
      // Choices are adapted, so that these differ in nothing.
      config.persistent = false;
      Candidate &candidate = candidates[config.str()];
      candidate.config = config;
      ++candidate.count;
    }
  std::vector<std::pair<size_t, std::string>> order;
  order.reserve(candidates.size());
  for (const auto &entry : candidates)
    order.emplace_back(entry.second.count, entry.first);
  llvm::sort(order, std::greater<>());
  if (order.size() > kMostCandidates)
    order.resize(kMostCandidates);
  for (const auto &entry : order)
    addConfig(candidates.at(entry.second).config, entry.second);
}

std::optional<CostTable::Estimates>
CostTable::estimateLosses(const MatmulSizes &sample) const {
  return estimateLosses(sample, rankCandidates(getProblem(sample)));
}

std::optional<CostTable::Estimates>
CostTable::estimateLosses(const MatmulSizes &sample,
                          const Preferred &preferred) const {
  if (preferred.configs.empty())
    return std::nullopt;
  ProblemInfo problem = getProblem(sample);
  const KernelConfig &chosen = preferred.configs.front();
  Estimates result;
  result.isMeasured = preferred.isMeasured;
  double reference = preferred.microseconds;
  // A library cannot make the model's choice.
  double least = options.only.empty() || result.isMeasured
                     ? reference
                     : std::numeric_limits<double>::infinity();
  std::vector<std::optional<double>> times;
  for (const KernelConfig &config : configs) {
    std::optional<double> &time = times.emplace_back();
    KernelConfig adapted = adapt(config, problem);
    if (!result.isMeasured) {
      if (!model.isComparable(config.schedule, chosen.schedule))
        continue;
      time = model.estimate(adapted, problem);
    } else if (config.schedule == chosen.schedule) {
      time = estimateTime(adapted, chip, problem);
      // No estimate beats a configuration that was measured to be the fastest.
      if (!(adapted == chosen))
        time = std::max(*time, reference * kUnproven);
    }
    // Those that lose more are no choices even if they are legal.
    if (time && (*time < reference * kUnknownLoss || !options.only.empty()) &&
        !isLegal(adapted, chip, problem))
      time = std::nullopt;
    if (time)
      least = std::min(least, *time);
  }
  if (!(least > 0 && std::isfinite(least)))
    return std::nullopt;
  result.microseconds = least;
  for (const std::optional<double> &time : times)
    result.losses.push_back(time ? std::optional(toLoss(*time / least))
                                 : std::nullopt);
  return result;
}

/// Samples without a kernel are left out.
void CostTable::addSamples(ArrayRef<MatmulSizes> samples,
                           ArrayRef<Preferred> ranked) {
  std::vector<std::optional<Estimates>> all(samples.size());
  parallelFor(0, samples.size(), [&](size_t i) {
    all[i] = estimateLosses(samples[i], ranked[i]);
  });
  for (auto [sample, estimates] : zip(samples, all)) {
    if (!estimates)
      continue;
    sizes.push_back(sample);
    microseconds.push_back(estimates->isMeasured ? 0 : estimates->microseconds);
    for (const std::optional<float> &loss : estimates->losses) {
      losses.push_back(loss.value_or(toLoss(kUnknownLoss)));
      origins.push_back(loss ? Origin::Model : Origin::None);
    }
  }
}

int64_t getThreshold(int64_t below, int64_t above) {
  double mean = std::sqrt(static_cast<double>(below)) *
                std::sqrt(static_cast<double>(above));
  return std::clamp(static_cast<int64_t>(std::llround(mean)), below + 1, above);
}

float getChoiceLoss(const SizeRule &rule, const Samples &samples,
                    unsigned size) {
  unsigned choice = rule.choose(samples.table.getSizes()[size]);
  return choice == SizeRule::kNoChoice ? samples.mostLoss
                                       : samples.table.getLosses(size)[choice];
}

float sumLosses(const SizeRule &rule, const Samples &samples) {
  float sum = 0;
  for (unsigned size : samples.sizes)
    sum += samples.table.getWeight(size) * getChoiceLoss(rule, samples, size);
  return sum;
}

} // namespace tcgemm
