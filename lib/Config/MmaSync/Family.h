//===- Family.h - The parts of schedule mma_sync ----------------*- C++ -*-===//
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

#ifndef TCGEMM_LIB_CONFIG_MMASYNC_FAMILY_H
#define TCGEMM_LIB_CONFIG_MMASYNC_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

class MmaSyncFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::MmaSync; }
  InstructionKind getInstructionKind() const override {
    return InstructionKind::MmaSync;
  }
  llvm::ArrayRef<llvm::StringLiteral> getKeys() const override;
  llvm::SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem,
                 ViolationDetail detail) const override;
  SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                    const ProblemInfo &problem) const override;
  bool mapsFragments(const KernelConfig &, const ProblemInfo &,
                     unsigned) const override {
    return true;
  }
  FeatureSet getFeatures() const override { return Feature::Representation; }
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override;
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override;
  bool takesElements(const ProblemInfo &problem) const override {
    return problem.findInstruction(InstructionKind::MmaSync) != nullptr;
  }
  bool hasFittedModel() const override { return true; }

protected:
  int64_t getFragmentRowBytes(const KernelConfig &config,
                              const ProblemInfo &problem) const override;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_MMASYNC_FAMILY_H
