//===- Defaults.cpp - The default of schedule wmma ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Multistage.h"
#include "Wmma/Family.h"
#include "tcgemm/Config/WorkTerms.h"

using namespace llvm;

namespace tcgemm {

/// Only a user who asks for the schedule gets it.
std::optional<KernelConfig>
WmmaFamily::proposeDefault(const ConfigRequest &request,
                           const ProblemInfo &sized) const {
  KernelConfig asked;
  consumeError(asked.apply(request.overrides));
  if (asked.schedule != Schedule::Wmma || !takesElements(sized))
    return std::nullopt;
  constexpr MultistageSearch search{InstructionKind::Wmma, false, false, false};
  return proposeMultistageDefault(request, sized, search);
}

/// The residents are those of the ring, though the epilogue may stage more.
KernelWork WmmaFamily::describeWith(const WorkTerms &terms,
                                    const KernelConfig &config,
                                    int64_t residents) const {
  KernelWork work = ScheduleFamily::describeWith(terms, config, residents);
  int64_t ring = planSharedMemory(config, terms.problem).ring;
  work.residents = static_cast<double>(
      estimateResidents(config, terms.chip, terms.problem, ring));
  return work;
}

double WmmaFamily::estimateTime(const KernelConfig &config,
                                const ChipInfo &chip,
                                const ProblemInfo &problem) const {
  return estimateMultistageTime(config, chip, problem,
                                describeWork(config, chip, problem));
}

} // namespace tcgemm
