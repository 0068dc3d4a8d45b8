//===- Family.h - The parts of schedule expand ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products by a few constants, such as the structure constants of an algebra.
// A thread multiplies each element that it loads by all of them, so that the
// kernel reads the other operand once and writes the result once.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_EXPAND_FAMILY_H
#define TCGEMM_LIB_CONFIG_EXPAND_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

class ExpandFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::Expand; }
  llvm::ArrayRef<llvm::StringLiteral> getKeys() const override;
  llvm::SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem,
                 ViolationDetail detail) const override;
  ThreadCount getThreadCount(const KernelConfig &config) const override;
  SharedMemoryPlan planSharedMemory(const KernelConfig &,
                                    const ProblemInfo &) const override {
    return {};
  }
  int64_t estimateRegisters(const KernelConfig &config,
                            const ProblemInfo &problem) const override;
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override;
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override;
  bool takesElements(const ProblemInfo &problem) const override;
  bool usesTensorCores() const override { return false; }
  bool hasMeasuredDefault() const override { return true; }
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_EXPAND_FAMILY_H
