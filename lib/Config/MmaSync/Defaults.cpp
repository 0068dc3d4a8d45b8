//===- Defaults.cpp - The default of schedule mma_sync --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Multistage.h"
#include "MmaSync/Family.h"

using namespace llvm;

namespace tcgemm {

/// The bytes of an element of C.
static constexpr int64_t kPanelBytes = 8;

/// Returns whether this is a product of f64 with a small K that reads C, as the
/// panels of an LU factorisation are: reads of C and writes of D take most of
/// the time.
static bool isPanel(const ProblemInfo &problem) {
  constexpr int64_t deepest = 128;
  bool readsC = problem.epilogueBytes >= 2 * kPanelBytes;
  return problem.accumulator == ScalarType::F64 && readsC &&
         problem.getDepth() <= deepest;
}

/// Several small CTAs on an SM overlap each other's reads and writes of a
/// panel. Where C does not fit into the L2, larger tiles are faster, which read
/// A and B less often from it, and so is a C that is streamed through it.
/// Measured on an H200 with K = 64 and 128.
static std::optional<KernelConfig>
proposePanelDefault(const ConfigRequest &request, const ProblemInfo &sized) {
  if (!isPanel(sized) || sized.n < 64)
    return std::nullopt;
  double ofC = double(kPanelBytes) * sized.batch * sized.m * sized.n;
  bool isLarge = ofC > request.chip.speed.l2MiB * 0x1p20;
  KernelConfig config;
  config.schedule = Schedule::MmaSync;
  config.cta = {isLarge ? 64 : 32, 64, 16};
  config.warps = {2, 2, 1};
  config.instruction = {16, 8, 8};
  config.stages = 4;
  config.fragmentBuffers = 1;
  config.epilogue = EpilogueKind::Direct;
  config.streamEpilogue = isLarge;
  config.minCtas = isLarge ? 3 : 4;
  config.unaligned = UnalignedPath::Copy8;
  int64_t tiles = sized.batch * divideCeil(sized.m, config.cta[0]) *
                  divideCeil(sized.n, config.cta[1]);
  // Fewer tiles than SMs leave some idle: a search finds smaller ones.
  if (tiles < request.chip.speed.numSMs)
    return std::nullopt;
  KernelConfig fixed = config;
  if (Error failure = fixed.apply(request.overrides)) {
    consumeError(std::move(failure));
    return std::nullopt;
  }
  if (!findViolations(fixed, request.chip, sized).empty())
    return std::nullopt;
  return fixed;
}

std::optional<KernelConfig>
MmaSyncFamily::proposeDefault(const ConfigRequest &request,
                              const ProblemInfo &sized) const {
  if (!takesElements(sized))
    return std::nullopt;
  if (std::optional<KernelConfig> panel = proposePanelDefault(request, sized))
    return panel;
  // Four lanes store 64 bytes of f64, whole sectors without staging. On an H200
  // panels with direct stores take 1 to 10 % less time than with staged ones,
  // and those with early inputs up to 10 % less again.
  bool panel = isPanel(sized);
  MultistageSearch search{InstructionKind::MmaSync, /*triesSectors=*/true,
                          /*stagesFirst=*/!panel, /*splitsK=*/true,
                          /*loadsEarly=*/panel};
  return proposeMultistageDefault(request, sized, search);
}

double MmaSyncFamily::estimateTime(const KernelConfig &config,
                                   const ChipInfo &chip,
                                   const ProblemInfo &problem) const {
  return estimateMultistageTime(config, chip, problem,
                                describeWork(config, chip, problem));
}

} // namespace tcgemm
