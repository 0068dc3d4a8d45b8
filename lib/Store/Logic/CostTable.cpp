//===- CostTable.cpp - Losses of configurations for sizes -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Logic/CostTable.h"

#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/ADT/StringMap.h"

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

} // namespace

CostTable::CostTable(ArrayRef<const Record *> records, const ChipInfo &chip,
                     const ModelConstants *constants)
    : chip(chip), constants(constants) {
  std::map<std::string, Times> all;
  for (const Record *record : records) {
    Times &times = all[record->problem.sizes.str()];
    times.sizes = record->problem.sizes;
    times.problem = record->problem.getInfo();
    times.records.push_back(record);
  }
  for (auto &entry : all) {
    std::vector<const Record *> &list = entry.second.records;
    // Records of equal times stay in their order.
    llvm::sort(list, [](const Record *a, const Record *b) {
      return std::tie(a->timing.median, a) < std::tie(b->timing.median, b);
    });
    sizes.push_back(entry.second.sizes);
    addConfigs(sizes.size() - 1, entry.second);
  }
  for (const auto &entry : all)
    addLosses(entry.second);
}

void CostTable::addConfigs(size_t size, const Times &times) {
  for (auto [rank, record] : enumerate(times.records)) {
    if (rank == kCandidatesOfSize)
      return;
    std::string text = record->config.str();
    size_t index = find(texts, text) - texts.begin();
    if (index == texts.size()) {
      texts.push_back(std::move(text));
      configs.push_back(record->config);
      origins.emplace_back();
    }
    // Two records of other drivers or compilers may have one configuration.
    if (origins[index].empty() || origins[index].back() != size)
      origins[index].push_back(size);
    if (rank == 0)
      best.push_back(static_cast<unsigned>(index));
  }
}

/// Microseconds by the chip's constants for the schedule, or by the default
/// model.
double CostTable::estimate(const KernelConfig &config,
                           const ProblemInfo &problem) const {
  const ScheduleConstants *own =
      constants ? constants->find(config.schedule) : nullptr;
  if (!own || problem.getBitsA() >= 32)
    return estimateTime(config, chip, problem);
  return estimateTime(describeWork(config, chip, problem), *own) / 1000;
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
  else if (!constants || !constants->find(config.schedule) ||
           !constants->find(fastest->config.schedule))
    return std::nullopt;
  double known = estimate(reference->config, times.problem);
  return estimate(config, times.problem) / known * reference->timing.median /
         fastest->timing.median;
}

void CostTable::addLosses(const Times &times) {
  StringMap<double> known;
  for (const Record *record : times.records)
    known.try_emplace(record->config.str(), record->timing.median);
  compared.push_back(known.size() > 1);
  double least = times.records.front()->timing.median;
  for (auto [config, text] : zip(configs, texts)) {
    auto found = known.find(text);
    measured.push_back(found != known.end());
    if (found != known.end()) {
      losses.push_back(static_cast<float>(std::log(found->second / least)));
      continue;
    }
    KernelConfig adapted =
        getFamily(config.schedule)
            .adapt(config, /*isSplit=*/false, chip, times.problem);
    double loss = kUnknownLoss;
    if (isLegal(adapted, chip, times.problem))
      loss = std::max(estimateRatio(adapted, times).value_or(kUnknownLoss),
                      kUnproven);
    losses.push_back(static_cast<float>(std::log(loss)));
  }
}

int64_t getThreshold(int64_t below, int64_t above) {
  double mean = std::sqrt(static_cast<double>(below)) *
                std::sqrt(static_cast<double>(above));
  return std::clamp(static_cast<int64_t>(std::llround(mean)), below + 1, above);
}

float sumLosses(const SizeRule &rule, const Samples &samples) {
  float sum = 0;
  for (unsigned size : samples.sizes) {
    unsigned choice = rule.choose(samples.table.getSizes()[size]);
    sum += choice == SizeRule::kNoChoice
               ? samples.mostLoss
               : samples.table.getLosses(size)[choice];
  }
  return sum;
}

} // namespace tcgemm
