//===- Family.cpp - Schedule simt -----------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simt/Family.h"
#include "Common/Multistage.h"
#include "tcgemm/Config/Simt.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral keys[] = {"cta",
                                  "stages",
                                  "raster",
                                  "raster_group",
                                  "split_k",
                                  "slice_order",
                                  "copy_a",
                                  "copy_b",
                                  "unaligned",
                                  "fragment_buffers",
                                  "spread_copies",
                                  "loads_first",
                                  "epilogue",
                                  "min_ctas",
                                  "max_registers",
                                  "threads",
                                  "transpose_staging"};

class SimtFamily : public ScheduleFamily {
public:
  Schedule getSchedule() const override { return Schedule::Simt; }
  ArrayRef<StringLiteral> getKeys() const override { return keys; }
  SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem) const override {
    return findSimtViolations(config, chip, problem);
  }
  bool takesElements(const ProblemInfo &problem) const override {
    return problem.hasElementBits(32);
  }
  bool usesTensorCores() const override { return false; }
  ThreadCount getThreadCount(const KernelConfig &config) const override {
    return {"threads", config.simt.threads, 1};
  }
  /// A tile that is transposed on its way has its rows across k.
  TileShape getTile(const KernelConfig &config, const ProblemInfo &problem,
                    unsigned operand) const override {
    bool alongK = operand ? problem.bKContiguous : problem.aKContiguous;
    if (isStagingTransposed(config, alongK))
      return {config.cta[2], config.cta[operand]};
    return ScheduleFamily::getTile(config, problem, operand);
  }
  int64_t getCopyBytes(const KernelConfig &config, const ProblemInfo &problem,
                       unsigned operand) const override {
    bool alongK = operand ? problem.bKContiguous : problem.aKContiguous;
    if (isStagingTransposed(config, alongK))
      return problem.getBits(operand) / 8;
    return ScheduleFamily::getCopyBytes(config, problem, operand);
  }
  /// Tiles that are written or read across their rows are padded.
  SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                    const ProblemInfo &problem) const override {
    SharedMemoryPlan plan;
    plan.ring = getRingBytes(config, problem, problem.aKContiguous,
                             problem.bKContiguous);
    return plan;
  }
  int64_t estimateRegisters(const KernelConfig &config) const override {
    return estimateSimtRegisters(config);
  }
  std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const override {
    if (!takesElements(sized))
      return std::nullopt;
    return proposeSimtDefault(request, sized);
  }
  double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                      const ProblemInfo &problem) const override {
    return estimateSimtTime(config, chip, problem);
  }
};

} // namespace

const ScheduleFamily &getSimtFamily() {
  static const SimtFamily family;
  return family;
}

} // namespace tcgemm
