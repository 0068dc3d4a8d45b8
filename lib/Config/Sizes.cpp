//===- Sizes.cpp - Sizes that follow from a configuration -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/Sizes.h"

#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {

TileShape getTileA(const KernelConfig &config, const ProblemInfo &problem) {
  return getFamily(config.schedule).getTile(config, problem, 0);
}

TileShape getTileB(const KernelConfig &config, const ProblemInfo &problem) {
  return getFamily(config.schedule).getTile(config, problem, 1);
}

int64_t getCopyBytes(const KernelConfig &config, const ProblemInfo &problem,
                     unsigned operand) {
  return getFamily(config.schedule).getCopyBytes(config, problem, operand);
}

int64_t getUnalignedBytes(UnalignedPath path, const ProblemInfo &problem,
                          unsigned operand) {
  switch (path) {
  case UnalignedPath::Pack:
    return 0;
  case UnalignedPath::Copy8:
    return 8;
  case UnalignedPath::Copy4:
    return 4;
  case UnalignedPath::Registers:
    return std::clamp<int64_t>(problem.getBits(operand) / 8, 1, 2);
  }
  llvm_unreachable("unknown path of unaligned operands");
}

int64_t SharedMemoryPlan::getTotal() const {
  int64_t others = exchange + inputs + scales;
  return reusesRing ? std::max(ring, staging) + others
                    : ring + staging + others;
}

SharedMemoryPlan planSharedMemory(const KernelConfig &config,
                                  const ProblemInfo &problem) {
  return getFamily(config.schedule).planSharedMemory(config, problem);
}

int64_t estimateRegisters(const KernelConfig &config,
                          const ProblemInfo &problem) {
  return getFamily(config.schedule).estimateRegisters(config, problem);
}

int64_t countResidents(const KernelConfig &config, const ChipInfo &chip,
                       int64_t registers, int64_t sharedBytes) {
  int64_t threads = std::max<int64_t>(1, config.getNumThreads());
  // Registers are allotted in units of eight a thread.
  int64_t perThread = alignTo(std::max<int64_t>(1, registers), 8);
  return std::max<int64_t>(
      1, std::min({chip.registersPerSM / (perThread * threads),
                   chip.sharedPerSM / (sharedBytes + chip.sharedReserved),
                   chip.maxThreadsPerSM / threads}));
}

int64_t estimateResidents(const KernelConfig &config, const ChipInfo &chip,
                          const ProblemInfo &problem, int64_t sharedBytes) {
  return countResidents(config, chip, estimateRegisters(config, problem),
                        sharedBytes);
}

} // namespace tcgemm
