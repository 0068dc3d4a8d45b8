//===- Pipeline.h - The events of a wgmma kernel's CTA ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recurrences of tcgemm/Model/Ring.h, extended to the kernels of schedule
// wgmma. A CTA computes one tile or several, one after the other. Its ring goes
// on from tile to tile: stages are counted through all tiles, S for each.
//
//   R(i)  = Sm(i) + T_MATH + T_REL                       slot free again
//   Sa(i) = max(Sb(i-1) + T_B, R(i-D))                   copy of A
//   Sb(i) = max(Sa(i) + T_A, R(i-D))                     copy of B
//   Sm(i) = max(Sm(i-1) + T_MATH + H, Sa(i) + T_A + T_LAT,   product
//               Sb(i) + T_B + T_LAT, F)
//   F     = E(t-C) + T_EPI for the first stage of tile t, else absent
//   H     = T_HOLD for the first stage of a tile but the first, else 0
//   E(t)  = max(Sm(t*S) + T_MATH, E(t-P) + T_EPI + T_DRAIN)   epilogue
//
// The first copy starts at T_PRO. C consumers take the tiles in turn: with one,
// whose warpgroups share each tile, no product of the next tile runs under the
// epilogue; with two (ping-pong) it does. A copy occupies the copy warp for T_A
// or T_B; its bytes are there T_LAT later, while other copies go on. T_REL is
// what the other CTAs of a cluster need to learn that a slot is free. Stores go
// on for T_DRAIN after an epilogue has left the consumer's registers. For
// T_HOLD an epilogue needs the shared memory that products of the other
// consumer read. P paths of stores take the tiles in turn: one that all
// consumers have in common, or one for each.
//
// The times of a stage or an epilogue are those of its tile. The last tile may
// have others, because fewer CTAs share the rates then. In R(i), Sb(i-1),
// E(t-C) and so on, the times are of the tile of that index.
//
// One tile with T_LAT = T_REL = T_DRAIN = T_PRO = 0 is the paper's wave.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_PIPELINE_H
#define TCGEMM_MODEL_PIPELINE_H

#include "tcgemm/Model/Ring.h"

namespace tcgemm {

/// The times of a tile.
struct PipelineTimes {
  RingTimes ring;
  Picoseconds latency = 0;  ///< T_LAT
  Picoseconds release = 0;  ///< T_REL
  Picoseconds drain = 0;    ///< T_DRAIN
  Picoseconds prologue = 0; ///< T_PRO, of the CTA
  Picoseconds hold = 0;     ///< T_HOLD, of the tile that is stored
};

struct PipelineShape {
  RingShape ring;         ///< Its stages are those of one tile.
  int64_t consumers = 1;  ///< C: 1, or 2 for ping-pong.
  int64_t tiles = 1;      ///< That the CTA computes.
  int64_t storePaths = 1; ///< P: at most as many as consumers.
};

/// The times of a CTA's tiles.
struct CtaTimes {
  PipelineTimes usual; ///< Those of all tiles but the last, and T_PRO.
  PipelineTimes last;

  CtaTimes() = default;
  /// All tiles have the same times.
  CtaTimes(const PipelineTimes &all) : usual(all), last(all) {}
  CtaTimes(const PipelineTimes &usual, const PipelineTimes &last)
      : usual(usual), last(last) {}

  /// Those of one of the CTA's tiles.
  const PipelineTimes &get(int64_t tile, const PipelineShape &shape) const {
    return tile + 1 == shape.tiles ? last : usual;
  }
};

/// All events of a CTA, from its start.
struct PipelineTrace {
  std::vector<StageStarts> stages;    ///< The stages of all tiles.
  std::vector<Picoseconds> epilogues; ///< When they start, by tiles.
  Picoseconds end = 0;                ///< The end of all stores.
};

/// Computes every event. Errors: a time or count outside its range, or more
/// than kMaxRingStages stages in all.
llvm::Expected<PipelineTrace> simulatePipeline(const CtaTimes &times,
                                               const PipelineShape &shape);

/// Fails if a number is outside its range.
llvm::Error checkPipeline(const CtaTimes &times, const PipelineShape &shape);

/// The start of the first epilogue of a trace, and the trace's end.
struct PipelineEnds {
  Picoseconds firstEpilogue = 0, end = 0;
};

/// The ends of that trace, without the trace: once the stages or the tiles
/// repeat, their number is multiplied instead of simulated. Fails for the same
/// numbers.
llvm::Expected<PipelineEnds> findPipelineEnds(const CtaTimes &times,
                                              const PipelineShape &shape);

/// A time that this end does not fall below; the numbers are in their ranges.
/// It is exact where one of products, copies and ring limits all stages.
Picoseconds boundPipeline(const CtaTimes &times, const PipelineShape &shape);

} // namespace tcgemm

#endif // TCGEMM_MODEL_PIPELINE_H
