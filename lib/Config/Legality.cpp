//===- Legality.cpp - The rules of all schedules --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/Legality.h"

#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {

static constexpr StringLiteral ruleNames[] = {"chip",
                                              "element-type",
                                              "algebra",
                                              "instruction",
                                              "cta-m",
                                              "cta-n",
                                              "cta-k",
                                              "warps",
                                              "warps-k",
                                              "threads",
                                              "stages",
                                              "fragment-buffers",
                                              "raster-group",
                                              "split-k",
                                              "max-registers",
                                              "copy-width",
                                              "tile-row",
                                              "copy-threads",
                                              "copy-rows",
                                              "row-copies",
                                              "registers",
                                              "shared-memory",
                                              "k-split-buffer",
                                              "staging",
                                              "resident-shared",
                                              "resident-threads",
                                              "schedule",
                                              "epilogue",
                                              "epilogue-buffers",
                                              "l2-promotion",
                                              "cluster",
                                              "pingpong",
                                              "producer",
                                              "stage-inputs",
                                              "box",
                                              "raster",
                                              "tiles-per-cta",
                                              "threads-k",
                                              "layout",
                                              "dependent-launch",
                                              "promote-sums",
                                              "block-scales",
                                              "swap-ab",
                                              "element-functions",
                                              "group-scales",
                                              "groups-of-rows",
                                              "groups-along-k",
                                              "dual",
                                              "structure",
                                              "math",
                                              "loads",
                                              "coefficients",
                                              "early-inputs",
                                              "persistent",
                                              "stream-epilogue",
                                              "features"};

ArrayRef<StringLiteral> getRuleNames() { return ruleNames; }

bool isComputable(const KernelConfig &config) {
  // Products of these limits fit 64 bits.
  constexpr int64_t mostElements = 1 << 16, mostParts = 1 << 10;
  auto inRange = [](int64_t low, int64_t high) {
    return [=](int64_t value) { return value >= low && value <= high; };
  };
  auto isPart = inRange(1, mostParts);
  return all_of(config.cta, inRange(1, mostElements)) &&
         all_of(config.warps, isPart) &&
         getFamily(config.schedule).isComputable(config) &&
         all_of(config.instruction, isPart) &&
         all_of(config.simt.threads, isPart) &&
         all_of(config.wgmma.cluster, isPart) &&
         all_of(ArrayRef({config.stages, config.copyA, config.copyB,
                          config.fragmentBuffers}),
                isPart) &&
         all_of(ArrayRef({config.splitK, config.rasterGroup,
                          config.wmma.tilesPerCta}),
                inRange(1, mostElements)) &&
         all_of(ArrayRef({config.minCtas, config.maxRegisters,
                          config.wgmma.epilogueBuffers, config.simt.rowCopiesA,
                          config.simt.rowCopiesB}),
                inRange(0, mostParts));
}

SmallVector<Violation> findViolations(const KernelConfig &config,
                                      const ChipInfo &chip,
                                      const ProblemInfo &problem) {
  const ScheduleFamily &family = getFamily(config.schedule);
  SmallVector<Violation> violations =
      family.findViolations(config, chip, problem, ViolationDetail::Messages);
  for (Feature feature : findMissingFeatures(family, problem)) {
    std::string text =
        formatv("the product has {0}, which schedule {1} does not compute",
                getFeatureName(feature), getScheduleName(config.schedule));
    // No schedule computes some products, such as two of f64 that share A.
    const ScheduleFamily &other = findFamily(problem);
    if (other.getFeatures().has(feature))
      text +=
          formatv(": use schedule {0}", getScheduleName(other.getSchedule()));
    violations.push_back({getFeatureRule(feature), text});
  }
  return violations;
}

bool isLegal(const KernelConfig &config, const ChipInfo &chip,
             const ProblemInfo &problem) {
  const ScheduleFamily &family = getFamily(config.schedule);
  return takesFeatures(family, problem) &&
         family.findViolations(config, chip, problem, ViolationDetail::Rules)
             .empty();
}

Error checkConfig(const KernelConfig &config, const ChipInfo &chip,
                  const ProblemInfo &problem) {
  SmallVector<Violation> violations = findViolations(config, chip, problem);
  if (violations.empty())
    return Error::success();
  auto texts = map_range(violations, [](const Violation &violation) {
    return (violation.message + " [" + violation.rule + "]").str();
  });
  return createStringError(inconvertibleErrorCode(), join(texts, "; "));
}

} // namespace tcgemm
