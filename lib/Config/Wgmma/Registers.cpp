//===- Registers.cpp - Registers of a wgmma kernel ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Registers.h"
#include "Common/EpilogueRegisters.h"
#include "Common/RegisterFile.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Target/BlockScales.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {

int64_t getLaunchRegisters(const KernelConfig &config) {
  int64_t ctas = std::max<int64_t>(1, config.minCtas);
  return alignDown(std::min(kMaxRegistersPerThread,
                            kRegistersPerSM / (ctas * config.getNumThreads())),
                   8);
}

/// Registers of A for 64 rows of one instruction on 16-bit elements.
static constexpr int64_t kFragmentRegisters = 4;

int64_t countFragmentRegisters(const KernelConfig &config,
                               const ProblemInfo &problem) {
  std::optional<unsigned> narrow = problem.getConvertedOperand();
  unsigned ofRows = config.swapAB ? 1 : 0;
  if (!narrow && problem.transforms(ofRows) &&
      getFamily(config.schedule).mapsFragments(config, problem, ofRows))
    return config.getRowSide() / config.getSharers() / 64 *
           ((2 + 4 + 1) * kFragmentRegisters);
  if (!narrow)
    return 0;
  int64_t depth = getRegisterDepth(*narrow ? problem.typeB : problem.typeA);
  int64_t rows = config.getRowSide() / config.getSharers();
  int64_t steps = config.cta[2] / config.warps[2] / depth;
  int64_t converted = depth * problem.getMultipliedBits() / 64;
  return rows / 64 * (2 * 8 + std::min<int64_t>(5, steps + 1) * converted);
}

/// Two loads of values and those in use. Of several groups in a stage, ptxas
/// keeps more of the next ones in registers while it sums one: with two groups
/// and 128 columns about 17, with four groups and 80 columns about 64.
static int64_t countGroupRegisters(const KernelConfig &config,
                                   const ProblemInfo &problem) {
  constexpr int64_t loads = 2;
  int64_t kinds = problem.groups.zeroPoints ? 2 : 1;
  int64_t groups = std::max<int64_t>(1, config.cta[2] / config.warps[2] /
                                            problem.groups.depth);
  int64_t ahead = config.getColumnSide() * groups * (groups - 1) / 15;
  return (loads + 1) * kinds *
             (config.getRowSide() / config.getSharers() / 32) +
         ahead;
}

/// The scales of a stage's rows and columns. ptxas multiplies two of them where
/// it needs the product. Three fit among the other registers: kernels with 128
/// accumulators and three scales compile to 160 registers without spills.
static int64_t countBlockScaleRegisters(const KernelConfig &config,
                                        const ProblemInfo &problem) {
  constexpr int64_t amongOthers = 3;
  int64_t scales = 0;
  if (problem.hasScalesA)
    scales += config.getRowSide() / config.getSharers() / 32;
  if (problem.hasScalesB)
    scales += getScalesOfWarp(1, config.getColumnSide());
  return std::max<int64_t>(0, scales - amongOthers);
}

int64_t countScaleRegisters(const KernelConfig &config,
                            const ProblemInfo &problem) {
  if (problem.hasGroupScales())
    return countGroupRegisters(config, problem);
  return problem.hasBlockScales() ? countBlockScaleRegisters(config, problem)
                                  : 0;
}

/// The reductions without variances that have a mean beside them: both are of
/// the same states, which kernels compute once.
static NamedReductions leaveOutEqualStates(NamedReductions reductions) {
  auto hasMean = [list = reductions.list](const NamedReduction &variance) {
    return variance.kind == ReductionKind::Variance &&
           is_contained(list,
                        NamedReduction{variance.axis, ReductionKind::Mean});
  };
  erase_if(reductions.list, hasMean);
  return reductions;
}

/// Two rows of 64, and two of eight columns, are a thread's. If all rows of a
/// warpgroup are in one slice, the columns of a slice are complete behind it:
/// their states replace its accumulators, of which a column has two, and
/// moments have a third number. Several 64 rows come one after the other, each
/// with all columns: the states of these live until the last ones.
int64_t countReductions(const KernelConfig &config,
                        const ProblemInfo &problem) {
  if (problem.reductions.empty())
    return 0;
  int64_t rows = config.getRowSide() / config.getSharers() / 32;
  int64_t columns = config.getColumnSide() / 4;
  bool keepsColumns = rows > 2;
  ThreadElements elements{rows, keepsColumns ? columns : 0};
  ReductionAxis alongColumns = ReductionAxis::Column;
  if (config.swapAB) {
    std::swap(elements.rows, elements.columns);
    alongColumns = ReductionAxis::Row;
  }
  ProblemInfo distinct = problem;
  distinct.reductions = leaveOutEqualStates(problem.reductions);
  int64_t states = countReductionStates(elements, distinct);
  // Results of the same columns whose states have several parts do not replace
  // the accumulators, and wait for each other. ptxas has about this many more
  // registers in use: with two warpgroups and two results, 160 columns do not
  // spill, and 168 do.
  int64_t more = countSeveralParts(alongColumns, problem) - 1;
  int64_t waiting = countWaitingStates(problem);
  int64_t ofOthers = 0;
  if (!keepsColumns && more > 0)
    ofOthers = more * (std::min(waiting, columns) + columns / 2);
  if (!keepsColumns &&
      (more > 0 || hasKind(ReductionKind::Mean, alongColumns, problem) ||
       hasKind(ReductionKind::Variance, alongColumns, problem)))
    states += columns;
  // The deviations of several slices are squared at the same time.
  bool squaresSlices = config.epilogue != EpilogueKind::Direct &&
                       hasKind(ReductionKind::Variance, alongColumns, problem);
  waiting = std::max(waiting + ofOthers, squaresSlices ? 3 * waiting : 0);
  return states + waiting;
}

int64_t getProducerRegisters(const KernelConfig &config,
                             const ProblemInfo &problem) {
  if (config.wgmma.producer == ProducerKind::CpAsync) {
    // Single elements pass through registers, 64 at a time.
    int64_t most = problem.roundsOperands() ? 4 : 2;
    return std::min(config.copyA, config.copyB) > most ? 40 : 104;
  }
  // The search for a tile's group needs its position and the group's rows.
  if (problem.isGrouped)
    return 40;
  // Ranks along both sides of the cluster are more to remember.
  return config.wgmma.cluster[0] > 1 && config.wgmma.cluster[1] > 1 ? 32 : 24;
}

int64_t getConsumerRegisters(const KernelConfig &config,
                             const ProblemInfo &problem) {
  int64_t launched = getLaunchRegisters(config);
  int64_t consumers = config.getConsumers();
  int64_t share = alignDown(
      ((consumers + 1) * launched - getProducerRegisters(config, problem)) /
          consumers,
      8);
  share = std::min<int64_t>(share, 240);
  return share > launched ? share : 0;
}

int64_t getRegisterLimit(const KernelConfig &config, const ChipInfo &chip,
                         const ProblemInfo &problem) {
  if (int64_t share = getConsumerRegisters(config, problem))
    return share;
  int64_t ctas = std::max<int64_t>(1, config.minCtas);
  return std::min(chip.maxRegistersPerThread,
                  chip.registersPerSM / (ctas * config.getNumThreads()) / 8 *
                      8);
}

int64_t countInstructionRegisters(const KernelConfig &config) {
  constexpr int64_t others = 26;
  return config.getColumnSide() / 2 + others;
}

int64_t countThreadRegisters(const KernelConfig &config,
                             const ProblemInfo &problem) {
  int64_t rows = config.getRowSide() / config.getSharers();
  int64_t sums = rows * config.getColumnSide() / 128;
  // Sums of f16 are extended when they are complete, or promoted.
  int64_t bits = getBitWidth(getInstructionSum(problem.typeA, ScalarType::F32));
  int64_t parts = config.wgmma.promoteSums ? sums * bits / 32 : 0;
  return sums + parts + countScaleRegisters(config, problem) +
         countFragmentRegisters(config, problem) +
         countReductions(config, problem) + kOtherRegisters;
}

} // namespace tcgemm
