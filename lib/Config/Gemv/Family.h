//===- Family.h - The parts of schedule gemv --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The keys, rules and sizes are in Legality.cpp; the default, the work and its
// time are in Defaults.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_GEMV_FAMILY_H
#define TCGEMM_LIB_CONFIG_GEMV_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

/// Returns whether the rows of the large operand are neighbours in memory.
inline bool isAcross(const ProblemInfo &problem, bool swapAB) {
  return !(swapAB ? problem.aKContiguous : problem.bKContiguous);
}

class GemvFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::Gemv; }
  llvm::ArrayRef<llvm::StringLiteral> getKeys() const override;
  llvm::SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem,
                 ViolationDetail detail) const override;
  SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                    const ProblemInfo &problem) const override;
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override;
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override;
  int64_t estimateRegisters(const KernelConfig &config,
                            const ProblemInfo &problem) const override;
  bool takesElements(const ProblemInfo &problem) const override {
    return multipliesInThreads(getPartType(problem.typeA),
                               getPartType(problem.typeB),
                               problem.accumulator) &&
           !problem.roundsOperands() && !problem.splitsOperands();
  }
  bool usesTensorCores() const override { return false; }
  bool hasMeasuredDefault() const override { return true; }

private:
  std::optional<KernelConfig> proposeAcross(const ConfigRequest &request,
                                            const ProblemInfo &problem,
                                            bool swapAB) const;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_GEMV_FAMILY_H
