//===- ReportWaves.cpp - Tiles of a configuration over a GPU --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/ReportWaves.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Config/Legality.h"

using namespace llvm;

namespace tcgemm {

WaveCounts countWaves(const Record &record) {
  Expected<const ChipInfo &> chip = lookupChip(record.platform.chip);
  if (!chip) {
    consumeError(chip.takeError());
    return {};
  }
  ProblemInfo problem = record.problem.getInfo();
  if (Error error = checkConfig(record.config, *chip, problem)) {
    consumeError(std::move(error));
    return {};
  }
  KernelWork work = describeWork(record.config, *chip, problem);
  return {work.ctas, work.residents * work.processors};
}

} // namespace tcgemm
