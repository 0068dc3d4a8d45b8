//===- MultistageDefaults.cpp - Multistage kernels without tuning ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/Multistage.h"
#include "tcgemm/Config/Legality.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {
namespace {

/// A tile and its warps; warp tiles of 64x64 where the problem is large enough.
struct Candidate {
  std::array<int64_t, 3> cta, warps;
};

constexpr Candidate candidates[] = {
    {{128, 256, 64}, {2, 4, 1}}, {{256, 128, 64}, {4, 2, 1}},
    {{128, 128, 64}, {2, 2, 1}}, {{128, 128, 32}, {2, 2, 1}},
    {{128, 64, 64}, {2, 2, 1}},  {{64, 128, 64}, {2, 2, 1}},
    {{64, 160, 64}, {2, 2, 1}},  {{64, 80, 128}, {2, 1, 2}},
    {{64, 64, 64}, {2, 2, 1}},   {{64, 32, 64}, {2, 2, 1}},
    {{32, 64, 64}, {2, 2, 1}},   {{32, 32, 64}, {2, 2, 1}},
    {{128, 32, 64}, {4, 1, 1}},  {{32, 128, 64}, {1, 4, 1}},
    {{128, 16, 64}, {4, 1, 1}},  {{16, 128, 64}, {1, 4, 1}},
    {{64, 16, 64}, {4, 1, 1}},   {{16, 64, 64}, {1, 4, 1}},
    {{16, 64, 128}, {1, 4, 1}},  {{64, 16, 128}, {4, 1, 1}},
    {{16, 16, 128}, {1, 1, 4}},  {{32, 32, 128}, {2, 2, 2}},
};

/// Candidates for 64-bit elements: their accumulators take twice the registers.
constexpr Candidate wideCandidates[] = {
    {{128, 128, 16}, {4, 2, 1}}, {{128, 64, 16}, {4, 2, 1}},
    {{64, 128, 16}, {2, 4, 1}},  {{64, 64, 16}, {2, 2, 1}},
    {{64, 32, 16}, {2, 2, 1}},   {{32, 64, 16}, {2, 2, 1}},
    {{32, 32, 16}, {2, 2, 1}},   {{32, 32, 32}, {2, 2, 1}},
    {{16, 64, 32}, {1, 4, 1}},   {{64, 16, 32}, {4, 1, 1}},
    {{32, 32, 32}, {2, 2, 2}},   {{16, 16, 64}, {1, 1, 4}},
};

/// Candidates for scales of groups of 32 elements: a warp has so many of a
/// stage.
constexpr Candidate fineCandidates[] = {
    {{128, 64, 64}, {2, 1, 2}}, {{64, 64, 64}, {2, 1, 2}},
    {{64, 64, 64}, {1, 2, 2}},  {{32, 64, 64}, {1, 2, 2}},
    {{16, 128, 64}, {1, 4, 2}}, {{128, 16, 64}, {4, 1, 2}},
    {{16, 64, 64}, {1, 2, 2}},  {{64, 16, 64}, {2, 1, 2}},
    {{16, 64, 128}, {1, 1, 4}}, {{16, 16, 128}, {1, 1, 4}},
};

ArrayRef<Candidate> getCandidates(const ProblemInfo &problem) {
  if (problem.hasElementBits(64))
    return wideCandidates;
  return problem.groups.depth == 32 ? ArrayRef(fineCandidates)
                                    : ArrayRef(candidates);
}

/// The values of `instruction` to try, wider ones first.
SmallVector<std::array<int64_t, 3>> getShapes(const ChipInfo &chip,
                                              const ProblemInfo &problem,
                                              InstructionKind kind) {
  SmallVector<std::array<int64_t, 3>> shapes;
  const MatrixInstruction *first = problem.findInstruction(kind);
  // Those of wmma are of one size, with one depth.
  if (first && kind == InstructionKind::Wmma)
    return {first->getShape()};
  // The default value is the widest shape. Only of f64, narrower ones need
  // fewer registers.
  if (problem.getBitsA() != 64)
    return {KernelConfig().instruction};
  if (first)
    for (const MatrixInstruction &row : getMatrixInstructions())
      if (first->hasSameTypes(row) && hasInstruction(chip, row))
        shapes.push_back(row.getShape());
  return shapes;
}

constexpr int64_t stageCounts[] = {4, 3, 5, 6, 8};

constexpr int64_t sliceCounts[] = {1,  2,  3,  4,  5,  6,  8,  10, 12,
                                   16, 20, 24, 32, 48, 64, 96, 128};

/// The fastest number of slices for one tile and ring; `time` is its estimate.
void chooseSlices(KernelConfig &config, const ChipInfo &chip,
                  const ProblemInfo &problem, double &time) {
  int64_t iterations = divideCeil(problem.getDepth(), config.cta[2]);
  // The maximum workspace of a default is 256 MiB.
  double bytes =
      double(problem.getSumBytes()) * problem.batch * problem.m * problem.n;
  auto limit =
      static_cast<int64_t>(std::min(iterations / 4.0, (256 << 20) / bytes));
  int64_t best = 1;
  for (int64_t slices : sliceCounts) {
    if (slices > 1 && slices > limit)
      break;
    config.splitK = slices;
    double estimate = estimateTime(config, chip, problem);
    if (slices == 1 || estimate < time) {
      time = estimate;
      best = slices;
    }
  }
  config.splitK = best;
}

/// Returns whether every other row of an operand starts in the middle of a
/// 32-byte sector, as rows of an odd multiple of 16 bytes do; packed ones, too.
bool splitsSectors(const KernelConfig &config, const ProblemInfo &problem) {
  bool alongK = problem.aKContiguous || problem.bKContiguous;
  // shared = sectors needs rows of 128 bytes.
  int64_t bits = std::min(problem.getBitsA(), problem.getBitsB());
  if (problem.convertsOperands() && config.cta[2] * bits < 1024)
    return false;
  return !problem.hasElementBits(64) && alongK && config.cta[2] >= 64 &&
         divideCeil(problem.getDepth(), 8) % 2;
}

/// How an epilogue loads its inputs and stores its outputs.
struct EpilogueVariant {
  EpilogueKind kind;
  bool earlyInputs = false;
};

/// The variants to try, the fastest first.
SmallVector<EpilogueVariant> getEpilogues(const ProblemInfo &problem,
                                          const MultistageSearch &search) {
  SmallVector<EpilogueVariant> variants{{EpilogueKind::Direct},
                                        {EpilogueKind::Staged}};
  // Staged stores write whole sectors, where rows start on whole runs; a small
  // ring has too little memory for them.
  if (search.stagesFirst && problem.n % 8 == 0)
    std::swap(variants[0], variants[1]);
  if (search.loadsEarly)
    variants.insert(variants.begin(),
                    {EpilogueKind::Direct, /*earlyInputs=*/true});
  return variants;
}

/// The candidate in the first variant of its parameters that is legal; none if
/// no variant is, or the user's overrides are wrong.
std::optional<KernelConfig> complete(KernelConfig config,
                                     const ConfigRequest &request,
                                     const ProblemInfo &problem,
                                     const MultistageSearch &search) {
  for (std::array<int64_t, 3> shape :
       getShapes(request.chip, problem, search.kind))
    for (EpilogueVariant epilogue : getEpilogues(problem, search)) {
      // These parameters are chosen to fit those that the user fixes.
      KernelConfig fixed = config;
      fixed.instruction = shape;
      fixed.epilogue = epilogue.kind;
      fixed.earlyInputs = epilogue.earlyInputs;
      if (Error failure = fixed.apply(request.overrides)) {
        consumeError(std::move(failure));
        return std::nullopt;
      }
      if (isLegal(fixed, request.chip, problem))
        return fixed;
    }
  return std::nullopt;
}

/// The tile of a candidate, with the parameters that do not depend on others.
KernelConfig getConfig(const Candidate &candidate, int64_t stages,
                       const ProblemInfo &problem,
                       const MultistageSearch &search) {
  KernelConfig config;
  config.cta = candidate.cta;
  // Candidates are of elements with 16 bits.
  constexpr int64_t bits = 16;
  config.cta[2] *= std::max<int64_t>(1, bits / problem.getMultipliedBits());
  // Sums of shorter parts of a group would be scaled more often.
  constexpr int64_t deepest = 128;
  if (problem.hasGroupScales())
    config.cta[2] =
        std::max(config.cta[2],
                 std::min(problem.groups.depth, deepest) * candidate.warps[2]);
  config.warps = candidate.warps;
  config.stages = stages;
  // Copies of single elements cost less than a packing kernel.
  if (problem.hasElementBits(64))
    config.unaligned = UnalignedPath::Copy8;
  // Measured: 1.5 % for large tiles, but a loss of 5 % where warps split k.
  config.loadsFirst = config.warps[2] == 1;
  if (search.triesSectors && splitsSectors(config, problem))
    config.mmaSync.shared = SharedLayout::Sectors;
  return config;
}

} // namespace

std::optional<KernelConfig>
proposeMultistageDefault(const ConfigRequest &request,
                         const ProblemInfo &problem,
                         const MultistageSearch &search) {
  std::optional<KernelConfig> best;
  double bestTime = 0;
  for (const Candidate &candidate : getCandidates(problem))
    for (int64_t stages : stageCounts) {
      std::optional<KernelConfig> fixed =
          complete(getConfig(candidate, stages, problem, search), request,
                   problem, search);
      if (!fixed)
        continue;
      double time = 0;
      if (search.splitsK)
        chooseSlices(*fixed, request.chip, problem, time);
      else
        time = estimateTime(*fixed, request.chip, problem);
      int64_t slices = fixed->splitK;
      cantFail(fixed->apply(request.overrides));
      if (fixed->splitK != slices)
        time = estimateTime(*fixed, request.chip, problem);
      // Ties go to the earlier: the larger tile.
      if (!best || time < bestTime * 0.993) {
        best = fixed;
        bestTime = time;
      }
    }
  return best;
}

} // namespace tcgemm
