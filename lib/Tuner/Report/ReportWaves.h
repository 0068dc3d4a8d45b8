//===- ReportWaves.h - Tiles of a configuration over a GPU ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_REPORT_REPORTWAVES_H
#define TCGEMM_LIB_TUNER_REPORT_REPORTWAVES_H

#include "tcgemm/Store/Record.h"

namespace tcgemm {

/// The tiles of a kernel, counted for each slice of k, and the places in which
/// a GPU computes them: as many waves follow each other as the tiles need.
struct WaveCounts {
  double tiles = 0, places = 0;
};

/// The waves of a record's configuration on a typical board of its chip. No
/// places if the chip is not known or the configuration is not legal there:
/// imported records may have any.
WaveCounts countWaves(const Record &record);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_REPORT_REPORTWAVES_H
