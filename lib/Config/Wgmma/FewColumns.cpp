//===- FewColumns.cpp - Converted operands with few columns ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile has all columns, and 64 of its rows are a warpgroup's. Two slices of k
// gain if they fill most of the chip: for N = 6144, 9.1 us in place of 12.8 us
// of mma_sync on an H100.
//
// Conversions bound these kernels, and more warpgroups convert more. Therefore
// two warpgroups divide the depth of each stage where they may. On an H200, in
// us, without and with that:
//
//   16 rows of bf16 by    14336 x 4096   4096 x 14336   4096 x 4096
//   u4, interleaved         13.3, 12.5     16.6, 13.0      6.5, 5.8
//   u4                      14.5, 14.1     17.6, 13.8      6.9, 6.3
//   s8                      19.6, 17.0     19.6, 17.3      7.8, 7.2
//   e4m3                    18.1, 17.1                     8.1, 7.3
//
//===----------------------------------------------------------------------===//

#include "Wgmma/FewColumns.h"
#include "Common/Counts.h"
#include "Wgmma/Structure.h"
#include "tcgemm/Target/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tcgemm {

std::optional<KernelConfig> applyOverrides(KernelConfig config,
                                           const ConfigRequest &request,
                                           const ProblemInfo &problem) {
  if (Error failure = config.apply(request.overrides)) {
    consumeError(std::move(failure));
    return std::nullopt;
  }
  if (!isLegal(config, request.chip, problem))
    return std::nullopt;
  return config;
}

namespace {

/// The proposals of tiles that have all columns.
class FewColumns {
public:
  FewColumns(const ConfigRequest &request, const ProblemInfo &problem,
             int64_t depth)
      : request(request), problem(problem), depth(depth),
        converted(*problem.getConvertedOperand()),
        bits(problem.getBits(converted)),
        processors(request.chip.speed.numSMs) {}

  int64_t countColumns() const { return converted ? problem.m : problem.n; }
  /// The proposal with `rows` rows, whose stages two warpgroups divide where
  /// that gains; none if the tiles are too few or have too little depth.
  std::optional<KernelConfig> propose(int64_t rows) const;

private:
  bool gainsFromParts(int64_t rows, int64_t tiles) const;
  std::optional<KernelConfig> complete(KernelConfig c, int64_t ringBytes,
                                       int64_t mostStages) const;

  const ConfigRequest &request;
  const ProblemInfo &problem;
  const int64_t depth;
  const unsigned converted; ///< A (0) or B (1).
  const int64_t bits;
  const int64_t processors;
};

} // namespace

/// Tiles of 128 rows of 4 bits that become FP8 lose 2 %. A CTA that divides
/// depth has one tile, and copies nothing ahead for a second one. It gains even
/// so in 16 x 28672 x 8192, which has 224 tiles: 43.9 us in place of 45.0.
bool FewColumns::gainsFromParts(int64_t rows, int64_t tiles) const {
  constexpr int64_t mostWaves = 2;
  return tiles <= mostWaves * processors &&
         (rows == 64 || problem.getMultipliedBits() > 8);
}

/// Chooses the stages of a ring with at most `ringBytes`, and the epilogue.
std::optional<KernelConfig> FewColumns::complete(KernelConfig c,
                                                 int64_t ringBytes,
                                                 int64_t mostStages) const {
  int64_t stageBytes =
      (problem.getBitsA() * c.cta[0] + problem.getBitsB() * c.cta[1]) *
      c.cta[2] / 8;
  c.stages = std::clamp<int64_t>(ringBytes / stageBytes, 2, mostStages);
  c.instruction = {64, c.getColumnSide(), 16};
  for (EpilogueKind epilogue : {EpilogueKind::Tma, EpilogueKind::Direct}) {
    c.epilogue = epilogue;
    std::optional<KernelConfig> fixed = applyOverrides(c, request, problem);
    if (fixed && fixed->schedule == Schedule::Wgmma)
      return fixed;
  }
  return std::nullopt;
}

/// Copies that run far ahead delay the first stage, and conversions, which
/// start later then, do not catch up: 16 x 14336 x 4096 of bf16 by u4 with
/// scales took 14.8 us with a ring of 96 KiB and 16.8 us with one of 192 KiB on
/// an H100. Four warpgroups convert fast enough for a deeper ring, but 4 x
/// 14336 x 4096 of bf16 by s8 takes 17.0 us with six stages and 17.8 with eight
/// (H200).
std::optional<KernelConfig> FewColumns::propose(int64_t rows) const {
  constexpr int64_t columnStep = 8, leastDepth = 2048;
  constexpr int64_t ringBytes = 100 * 1024, dividedRingBytes = 160 * 1024;
  int64_t side = alignTo(countColumns(), columnStep);
  KernelConfig c;
  c.schedule = Schedule::Wgmma;
  c.cta = {converted ? side : rows, converted ? rows : side, depth};
  c.warps = {rows / 16, 1, 1};
  c.swapAB = converted == 1;
  c.wgmma.promoteSums = problem.hasScales();
  orderTiles(c, problem);
  int64_t tiles = countTiles(c, problem);
  int64_t slices = 2 * tiles <= processors ? 2 : 1;
  if ((slices > 1 && 3 * slices * tiles < 2 * processors) ||
      problem.getDepth() < slices * leastDepth)
    return std::nullopt;
  c.wgmma.cluster = {1, 1, slices};
  if (gainsFromParts(rows, tiles)) {
    KernelConfig divided = c;
    divided.warps[2] = 2;
    divided.cta[2] = 2 * depth;
    if (auto config = complete(divided, dividedRingBytes, bits == 4 ? 3 : 6))
      return config;
  }
  c.persistent = tiles > processors;
  return complete(c, ringBytes, /*mostStages=*/8);
}

std::optional<KernelConfig> proposeForFewColumns(const ConfigRequest &request,
                                                 const ProblemInfo &problem,
                                                 int64_t depth) {
  FewColumns proposals(request, problem, depth);
  // gemv, which some types do not have, is faster for fewer.
  bool hasThreads =
      multipliesInThreads(problem.typeA, problem.typeB, problem.accumulator);
  if (proposals.countColumns() < (hasThreads ? 3 : 1))
    return std::nullopt;
  for (int64_t rows : {128, 64})
    if (auto config = proposals.propose(rows))
      return config;
  return std::nullopt;
}

} // namespace tcgemm
