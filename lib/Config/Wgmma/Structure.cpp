//===- Structure.cpp - The work that bands and symmetry leave -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Structure.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {

void orderTiles(KernelConfig &config, const ProblemInfo &problem) {
  if (problem.hasBands())
    config.raster =
        problem.bands[0] ? RasterOrder::AlongM : RasterOrder::AlongN;
}

int64_t getColumnStep(const MatrixInstruction &instruction,
                      const ProblemInfo &problem, bool swapAB,
                      int64_t columns) {
  constexpr int64_t acrossK = 64, narrow = 32;
  if (!problem.hasTileAlongK(swapAB ? 0 : 1))
    return acrossK;
  return columns <= narrow ? instruction.n : instruction.wideStep;
}

/// The number of tiles along each side that are samples of many.
static constexpr int64_t kSamples = 32;

/// The part of K from `first` to `end` that an operand's band leaves of a tile
/// that starts at `start` along the operand's side.
static void restrict(const Band &band, int64_t start, int64_t extent,
                     int64_t &first, int64_t &end) {
  if (band.lower)
    first = std::max(first, start + *band.lower);
  if (band.upper)
    end = std::min(end, start + extent + *band.upper);
}

KeptDepth getKeptDepth(const KernelConfig &config, const ProblemInfo &problem) {
  if (!problem.hasBands() || problem.k <= 0)
    return {};
  int64_t sizes[] = {problem.m, problem.n};
  int64_t extents[2] = {}, tiles[2] = {}, samples[2] = {};
  for (unsigned side : {0, 1}) {
    extents[side] = config.cta[side] * config.wgmma.cluster[side];
    tiles[side] = divideCeil(std::max<int64_t>(1, sizes[side]), extents[side]);
    samples[side] = std::min(tiles[side], kSamples);
  }
  // The middle one of the tiles that a sample stands for.
  auto getStart = [&](unsigned side, int64_t sample) {
    int64_t tile = (2 * sample + 1) * tiles[side] / (2 * samples[side]);
    return tile * extents[side];
  };
  KeptDepth kept{0, 0};
  for (int64_t m = 0; m < samples[0]; ++m)
    for (int64_t n = 0; n < samples[1]; ++n) {
      int64_t first = 0, end = problem.k;
      int64_t starts[] = {getStart(0, m), getStart(1, n)};
      for (unsigned operand : {0, 1})
        if (problem.bands[operand])
          restrict(problem.getBandAlongK(operand), starts[operand],
                   extents[operand], first, end);
      int64_t depth = std::max(std::min(end, problem.k) - first, config.cta[2]);
      double part = std::min(1.0, double(depth) / double(problem.k));
      kept.most = std::max(kept.most, part);
      kept.mean += part / double(samples[0] * samples[1]);
    }
  return kept;
}

double getKeptTiles(const KernelConfig &config, const ProblemInfo &problem) {
  if (!problem.isSymmetric)
    return 1;
  int64_t block = std::max(config.cta[0] * config.wgmma.cluster[0],
                           config.cta[1] * config.wgmma.cluster[1]);
  auto blocks = double(divideCeil(std::max<int64_t>(1, problem.m), block));
  return (blocks + 1) / (2 * blocks);
}

} // namespace tcgemm
