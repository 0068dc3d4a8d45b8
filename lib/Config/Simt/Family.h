//===- Family.h - The parts of schedule simt --------------------*- C++ -*-===//
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

#ifndef TCGEMM_LIB_CONFIG_SIMT_FAMILY_H
#define TCGEMM_LIB_CONFIG_SIMT_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

class SimtFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::Simt; }
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
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override;
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override;
  int64_t estimateRegisters(const KernelConfig &config,
                            const ProblemInfo &problem) const override;
  bool takesElements(const ProblemInfo &problem) const override {
    return problem.findInstruction(InstructionKind::Fma) != nullptr;
  }
  FeatureSet getFeatures() const override { return Feature::OtherAlgebra; }
  bool usesTensorCores() const override { return false; }
  ThreadCount getThreadCount(const KernelConfig &config) const override {
    return {"threads", config.simt.threads, 1};
  }
  TileShape getTile(const KernelConfig &config, const ProblemInfo &problem,
                    unsigned operand) const override;
  int64_t getCopyBytes(const KernelConfig &config, const ProblemInfo &problem,
                       unsigned operand) const override;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_SIMT_FAMILY_H
