//===- Family.h - The parts of schedule wgmma -------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The keys and rules are in Legality.cpp; the sizes, the default, the work and
// its time are in Defaults.cpp; the candidates for a model are in
// Candidates.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_WGMMA_FAMILY_H
#define TCGEMM_LIB_CONFIG_WGMMA_FAMILY_H

#include "tcgemm/Config/ScheduleFamily.h"

namespace tcgemm {

class WgmmaFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::Wgmma; }
  InstructionKind getInstructionKind() const override {
    return InstructionKind::Wgmma;
  }
  llvm::ArrayRef<llvm::StringLiteral> getKeys() const override;
  llvm::SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem,
                 ViolationDetail detail) const override;
  SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                    const ProblemInfo &problem) const override;
  /// wgmma takes the operand of its rows from registers.
  bool mapsFragments(const KernelConfig &config, const ProblemInfo &problem,
                     unsigned operand) const override {
    return operand == (config.swapAB ? 1U : 0U) && problem.hasElementBits(16) &&
           !problem.splitsOperands();
  }
  bool cutsFragments() const override { return false; }
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override;
  std::vector<KernelConfig>
  listTiles(const ChipInfo &chip, const ProblemInfo &problem) const override;
  void visitTile(const KernelConfig &tile, const ChipInfo &chip,
                 const ProblemInfo &problem,
                 CandidateVisitor visit) const override;
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override;
  KernelWork describeWith(const WorkTerms &terms, const KernelConfig &config,
                          int64_t residents) const override;
  int64_t estimateRegisters(const KernelConfig &config,
                            const ProblemInfo &problem) const override;
  bool takesElements(const ProblemInfo &problem) const override {
    return problem.findInstruction(InstructionKind::Wgmma) != nullptr;
  }
  /// A warpgroup of producers stands beside the consumers.
  ThreadCount getThreadCount(const KernelConfig &config) const override {
    return {"warps", config.warps, 32, 128};
  }
  bool derivesInstruction() const override { return true; }
  void completeInstruction(KernelConfig &config) const override {
    config.instruction = {64, config.getColumnSide(), 16};
  }
  /// Consumers are counted in warpgroups.
  bool isComputable(const KernelConfig &config) const override {
    return config.warps[0] >= 4 && config.warps[2] >= 1;
  }
  FeatureSet getFeatures() const override {
    return Feature::GroupsOfRows | Feature::GroupsAlongK | Feature::SecondB |
           Feature::SummedDimension | Feature::BandOfA | Feature::BandOfB |
           Feature::SymmetricResult;
  }
  bool takesDual(const KernelConfig &config) const override {
    return !config.swapAB && config.splitK * config.wgmma.cluster[2] == 1 &&
           config.wgmma.producer == ProducerKind::Tma;
  }
  bool takesTrace() const override { return true; }
  bool hasFittedModel() const override { return true; }
  bool sharesParts() const override { return true; }
  /// The deepest ring that does not slow the stores down: `config.stages`, or
  /// fewer if the kernel is persistent and writes most of its bytes.
  int64_t getUsefulStages(const KernelConfig &config, const ChipInfo &chip,
                          const ProblemInfo &problem) const;
  KernelConfig adapt(KernelConfig config, bool isSplit, const ChipInfo &chip,
                     const ProblemInfo &problem) const override;
  llvm::ArrayRef<std::array<int64_t, 3>> getClusters() const override;
  bool hasRoomForEpilogue(const KernelConfig &config, bool readsMore,
                          bool computesMore) const override;
  bool canStageInputs(const KernelConfig &config) const override {
    return config.persistent;
  }
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_WGMMA_FAMILY_H
