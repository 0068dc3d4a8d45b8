//===- Family.cpp - Schedule gemv -----------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemv/Family.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral keys[] = {
    "cta",           "warps",     "split_k",         "copy_a",
    "copy_b",        "unaligned", "epilogue",        "min_ctas",
    "max_registers", "swap_ab",   "dependent_launch"};

class GemvFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::Gemv; }
  ArrayRef<StringLiteral> getKeys() const override { return keys; }
  SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem) const override {
    return findGemvViolations(config, chip, problem);
  }
  bool takesElements(const ProblemInfo &problem) const override {
    return problem.hasElementBits(16) || problem.hasElementBits(32);
  }
  bool usesTensorCores() const override { return false; }
  SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                    const ProblemInfo &problem) const override {
    return planGemvMemory(config, problem);
  }
  int64_t estimateRegisters(const KernelConfig &config) const override {
    return estimateGemvRegisters(config);
  }
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override {
    return proposeGemvDefault(request, sized);
  }
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override {
    return estimateGemvTime(config, chip, problem);
  }
  bool hasMeasuredDefault() const override { return true; }
};

} // namespace

const ScheduleFamily &getGemvFamily() {
  static const GemvFamily family;
  return family;
}

} // namespace tcgemm
