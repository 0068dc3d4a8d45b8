//===- SharedMemory.cpp - Shared memory of a wgmma kernel -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/SharedMemory.h"
#include "Wgmma/Family.h"
#include "tcgemm/Config/Wgmma.h"
#include "tcgemm/Target/BlockScales.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {

int64_t getScalesBytes(const KernelConfig &config, const ProblemInfo &problem) {
  int64_t bytes = 0, warps = 4 * config.getConsumers();
  int64_t extents[] = {config.getRowSide() / config.getSharers(),
                       config.getColumnSide()};
  bool hasScales[] = {problem.hasScalesA, problem.hasScalesB};
  for (unsigned operand : {0, 1})
    if (hasScales[operand])
      bytes += alignTo(4 * kScaleSlots * warps *
                           getScalesOfWarp(operand, extents[operand]),
                       16);
  return bytes;
}

int64_t getInputBytes(const KernelConfig &config, const ProblemInfo &problem,
                      int64_t count) {
  int64_t columns = config.cta[1] / (problem.isDual() ? 2 : 1);
  int64_t box = std::min<int64_t>(64, bit_floor(uint64_t(columns)));
  int64_t tile = config.cta[0] * alignTo(columns, box) * 2;
  int64_t roles = config.getStorers() / config.getSharers();
  return roles * (alignTo(count * tile, 1024) + 16);
}

int64_t getStoredColumns(const KernelConfig &config,
                         const ProblemInfo &problem) {
  return config.getColumnSide() / config.getSumParts() /
         (problem.isDual() ? 2 : 1);
}

bool storesWholeChunks(const KernelConfig &config, const ProblemInfo &problem) {
  constexpr int64_t chunkBytes = 16;
  return problem.leastOutputBytes > 1 || config.swapAB ||
         getStoredColumns(config, problem) % chunkBytes == 0;
}

int64_t getOutputBytes(const KernelConfig &config, const ProblemInfo &problem) {
  // The widest a box may be; those of narrow tiles are smaller.
  constexpr int64_t mostColumns = 64, mostBytes = 128;
  int64_t stored = getStoredColumns(config, problem);
  int64_t rows = config.swapAB ? std::min<int64_t>(64, stored) : 64;
  int64_t columns = config.swapAB ? 64 : stored;
  columns = std::min<int64_t>(mostColumns, bit_floor(uint64_t(columns)));
  int64_t width = std::min(mostBytes, problem.mostOutputBytes * columns);
  int64_t buffers =
      config.epilogue == EpilogueKind::Tma ? config.wgmma.epilogueBuffers : 1;
  return config.getStorers() * buffers * alignTo(rows * width, 1024);
}

int64_t getRingBytes(const KernelConfig &config, const ProblemInfo &problem) {
  int64_t stage = 0;
  for (unsigned operand : {0, 1}) {
    int64_t bits = problem.getBits(operand);
    int64_t stored = WgmmaFamily().countStored(problem, config.cta[2]);
    int64_t depth =
        std::min<int64_t>(1024 / bits, stored / getNumParts(problem.typeA));
    stage +=
        stored / depth * alignTo(config.cta[operand] * depth * bits / 8, 1024);
  }
  return config.stages * (stage + 16);
}

int64_t getExchangeBytes(const KernelConfig &config) {
  int64_t sum = config.cta[0] * config.cta[1] * 4;
  int64_t ofRoles = (config.warps[2] - 1) * sum;
  int64_t others = config.wgmma.cluster[2] - 1;
  if (others == 0)
    return ofRoles;
  return ofRoles + others * sum / config.getSumParts() + 16;
}

static bool storesTiles(const KernelConfig &config) {
  return config.epilogue != EpilogueKind::Direct && config.splitK == 1;
}

/// All but the epilogue's inputs.
static SharedMemoryPlan planWithoutInputs(const KernelConfig &config,
                                          const ProblemInfo &problem) {
  SharedMemoryPlan plan;
  plan.ring = getRingBytes(config, problem);
  plan.exchange = getExchangeBytes(config);
  plan.scales = getScalesBytes(config, problem);
  if (storesTiles(config))
    plan.staging = getOutputBytes(config, problem);
  return plan;
}

/// Bytes that a CTA may have on the only chip with wgmma.
static int64_t getMostBytes(const KernelConfig &config) {
  const ChipInfo &chip = cantFail(lookupChip("sm_90a"));
  int64_t ctas = std::max<int64_t>(1, config.minCtas);
  return std::min(chip.sharedPerBlock,
                  chip.sharedPerSM / ctas - chip.sharedReserved);
}

int64_t countStagedInputs(const KernelConfig &config,
                          const ProblemInfo &problem) {
  int64_t all = problem.stageableInputs;
  if (!problem.hasBeta || all < 2)
    return all;
  SharedMemoryPlan plan = planWithoutInputs(config, problem);
  plan.inputs = getInputBytes(config, problem, all);
  return plan.getTotal() <= getMostBytes(config) ? all : all - 1;
}

SharedMemoryPlan planWgmmaMemory(const KernelConfig &config,
                                 const ProblemInfo &problem) {
  SharedMemoryPlan plan = planWithoutInputs(config, problem);
  if (storesTiles(config) && config.wgmma.stageInputs)
    plan.inputs =
        getInputBytes(config, problem, countStagedInputs(config, problem));
  return plan;
}

} // namespace tcgemm
