//===- Installation.cpp - Tuning a machine once ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Installation.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace llvm;

namespace tcgemm {

/// Returns whether a search has ended with the record: it was in a final, or
/// the platform has no clock. A search without finalists leaves complete
/// measurements.
static bool endsSearch(const Record &record) {
  return record.isSuccess() && record.timing.median > 0 &&
         is_contained({TimingStage::Final, TimingStage::Model},
                      record.timing.stage);
}

static bool isOfDevice(const Record &record, const Platform &platform) {
  return record.platform.device == platform.device &&
         record.platform.chip == platform.chip;
}

InstallStep planInstallation(ArrayRef<Record> records, const Platform &platform,
                             unsigned maxFinalists) {
  if (any_of(records, [&](const Record &record) {
        return endsSearch(record) && record.platform == platform;
      }))
    return {InstallState::Known, {}};
  std::vector<const Record *> others;
  for (const Record &record : records)
    if (isOfDevice(record, platform) && endsSearch(record))
      others.push_back(&record);
  llvm::sort(others, [](const Record *a, const Record *b) {
    return std::tuple(a->timing.median, a->config.str()) <
           std::tuple(b->timing.median, b->config.str());
  });
  InstallStep step;
  for (const Record *record : others)
    if (step.finalists.size() < maxFinalists &&
        !is_contained(step.finalists, record->config))
      step.finalists.push_back(record->config);
  if (!step.finalists.empty())
    step.state = InstallState::Retime;
  return step;
}

double getInstallShare(double total, double elapsed, size_t problems) {
  if (problems == 0 || elapsed >= total)
    return 0;
  return (total - elapsed) / static_cast<double>(problems);
}

InstallOutcome getInstallOutcome(const TuningResult &result) {
  if (result.getBest())
    return InstallOutcome::Right;
  return result.tried > 0 ? InstallOutcome::Wrong : InstallOutcome::Left;
}

} // namespace tcgemm
