//===- Family.cpp - Schedule wmma -----------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wmma/Family.h"
#include "Common/Multistage.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral keys[] = {
    "cta",           "warps",      "instruction", "stages",        "raster",
    "raster_group",  "epilogue",   "min_ctas",    "max_registers", "producer",
    "tiles_per_cta", "tile_order", "stage_a",     "stage_b"};

class WmmaFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::Wmma; }
  ArrayRef<StringLiteral> getKeys() const override { return keys; }
  SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem) const override {
    return findWmmaViolations(config, chip, problem);
  }
  bool takesElements(const ProblemInfo &problem) const override {
    return problem.typeA == ScalarType::F16 && problem.typeB == ScalarType::F16;
  }
  void completeInstruction(KernelConfig &config) const override {
    if (config.instruction == KernelConfig().instruction)
      config.instruction = {16, 16, 16};
  }
  SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                    const ProblemInfo &problem) const override {
    return planWmmaMemory(config, problem);
  }
  /// Only a user who asks for the schedule gets it.
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override {
    KernelConfig asked;
    consumeError(asked.apply(request.overrides));
    if (asked.schedule != Schedule::Wmma || !sized.hasElementBits(16))
      return std::nullopt;
    constexpr MultistageSearch search{false, false, false};
    return proposeMultistageDefault(request, sized, search);
  }
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override {
    return estimateMultistageTime(config, chip, problem);
  }
};

} // namespace

const ScheduleFamily &getWmmaFamily() {
  static const WmmaFamily family;
  return family;
}

} // namespace tcgemm
