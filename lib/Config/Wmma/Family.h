//===- Family.h - The parts of schedule wmma --------------------*- C++ -*-===//
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

#ifndef TCGEMM_LIB_CONFIG_WMMA_FAMILY_H
#define TCGEMM_LIB_CONFIG_WMMA_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

class WmmaFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::Wmma; }
  InstructionKind getInstructionKind() const override {
    return InstructionKind::Wmma;
  }
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
  KernelWork describeWith(const WorkTerms &terms, const KernelConfig &config,
                          int64_t residents) const override;
  bool takesElements(const ProblemInfo &problem) const override {
    return problem.findInstruction(InstructionKind::Wmma) != nullptr;
  }
  void completeInstruction(KernelConfig &config) const override {
    if (config.instruction == KernelConfig().instruction)
      config.instruction = {16, 16, 16};
  }
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_WMMA_FAMILY_H
