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

std::optional<KernelConfig>
MmaSyncFamily::proposeDefault(const ConfigRequest &request,
                              const ProblemInfo &sized) const {
  if (!takesElements(sized))
    return std::nullopt;
  constexpr MultistageSearch search{InstructionKind::MmaSync, true, true, true};
  return proposeMultistageDefault(request, sized, search);
}

double MmaSyncFamily::estimateTime(const KernelConfig &config,
                                   const ChipInfo &chip,
                                   const ProblemInfo &problem) const {
  return estimateMultistageTime(config, chip, problem,
                                describeWork(config, chip, problem));
}

} // namespace tcgemm
