//===- Family.cpp - Schedule mma_sync -------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaSync/Family.h"
#include "Common/Multistage.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral keys[] = {"cta",
                                  "warps",
                                  "instruction",
                                  "stages",
                                  "raster",
                                  "raster_group",
                                  "split_k",
                                  "slice_order",
                                  "copy_a",
                                  "copy_b",
                                  "unaligned",
                                  "shared",
                                  "fragment_buffers",
                                  "spread_copies",
                                  "loads_first",
                                  "epilogue",
                                  "min_ctas",
                                  "max_registers",
                                  "dependent_launch"};

class MmaSyncFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::MmaSync; }
  ArrayRef<StringLiteral> getKeys() const override { return keys; }
  SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem) const override {
    return findMmaSyncViolations(config, chip, problem);
  }
  bool takesElements(const ProblemInfo &problem) const override {
    return problem.hasElementBits(16);
  }
  SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                    const ProblemInfo &problem) const override {
    return planMmaSyncMemory(config, problem);
  }
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override {
    if (!takesElements(sized))
      return std::nullopt;
    constexpr MultistageSearch search{true, true, true};
    return proposeMultistageDefault(request, sized, search);
  }
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override {
    return estimateMultistageTime(config, chip, problem);
  }
};

} // namespace

const ScheduleFamily &getMmaSyncFamily() {
  static const MmaSyncFamily family;
  return family;
}

} // namespace tcgemm
