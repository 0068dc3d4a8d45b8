//===- ScheduleFamily.cpp - The registry of schedules ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ScheduleFamily.h"

#include "Common/EpilogueRegisters.h"
#include "Expand/Family.h"
#include "Gemv/Family.h"
#include "MmaSync/Family.h"
#include "Simt/Family.h"
#include "Wgmma/Family.h"
#include "Wmma/Family.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tcgemm {

int64_t ScheduleFamily::countStored(const MatmulKind &problem,
                                    int64_t depth) const {
  if (!sharesParts())
    return depth;
  return depth / getNumProducts(problem.typeA) * getNumParts(problem.typeA);
}

ScheduleFamily::~ScheduleFamily() = default;

ThreadCount ScheduleFamily::getThreadCount(const KernelConfig &config) const {
  return {"warps", config.warps, 32};
}

void ScheduleFamily::completeInstruction(KernelConfig &) const {}

TileShape ScheduleFamily::getTile(const KernelConfig &config,
                                  const ProblemInfo &problem,
                                  unsigned operand) const {
  int64_t side = config.cta[operand], depth = config.cta[2];
  bool alongK = problem.hasTileAlongK(operand);
  int64_t held = problem.getRowsInMemoryRow(operand);
  return alongK ? TileShape{side / held, depth} : TileShape{depth / held, side};
}

int64_t ScheduleFamily::getCopyBytes(const KernelConfig &config,
                                     const ProblemInfo &,
                                     unsigned operand) const {
  return operand ? config.copyB : config.copyA;
}

int64_t ScheduleFamily::getFragmentRowBytes(const KernelConfig &,
                                            const ProblemInfo &) const {
  return 32; // 16 elements of 16 bits.
}

/// The rows of fragments that a warp loads for one step, as rows of the
/// elements that are multiplied. Those of 4 bits stay packed.
static int64_t countFragmentRows(const KernelConfig &config,
                                 const ProblemInfo &problem) {
  int64_t rows = 0;
  for (auto [side, type] : {std::pair(config.getWarpM(), problem.typeA),
                            std::pair(config.getWarpN(), problem.typeB)})
    rows += getPackedElements(type) > 1
                ? side * getBitWidth(type) / problem.getMultipliedBits()
                : side;
  return rows;
}

/// The sum of a group, and the scales and zero points of two stages.
static int64_t countGroupRegisters(const KernelConfig &config,
                                   const ProblemInfo &problem,
                                   int64_t accumulators) {
  if (!problem.hasGroupScales())
    return 0;
  int64_t own = config.cta[2] / std::max<int64_t>(1, config.warps[2]);
  int64_t groups = std::max<int64_t>(1, own / problem.groups.depth);
  int64_t values = problem.groups.zeroPoints ? 2 : 1;
  int64_t ofGroup = problem.getGroupedOperand() ? config.getWarpN() / 4
                                                : config.getWarpM() / 8;
  return accumulators + 2 * groups * values * ofGroup;
}

/// The accumulators of a warp and its fragments.
int64_t ScheduleFamily::estimateRegisters(const KernelConfig &config,
                                          const ProblemInfo &problem) const {
  int64_t warpM = config.getWarpM(), warpN = config.getWarpN();
  // Over 32 lanes of 4-byte registers.
  int64_t accumulators = warpM * warpN / 32 * problem.getSumBytes() / 4;
  int64_t rows = countFragmentRows(config, problem) * config.fragmentBuffers;
  // Fragments that are rounded or converted have such copies.
  if (problem.roundsOperands())
    rows += warpM + warpN;
  else if (problem.convertsOperands())
    rows += problem.getBitsA() < problem.getBitsB() ? warpM : warpN;
  int64_t fragments = rows * getFragmentRowBytes(config, problem) / 4 / 32;
  constexpr int64_t addresses = 40;
  // A lane has two rows of 16 and two columns of 8.
  ThreadElements elements{warpM / 8, warpN / 4};
  int64_t ofLoop =
      accumulators + countGroupRegisters(config, problem, accumulators) +
      fragments + addresses + countEarlyInputs(elements, config, problem);
  constexpr int64_t ofEpilogue = 64;
  return addReductions(ofLoop, accumulators, ofEpilogue, elements, problem);
}

std::vector<KernelConfig> ScheduleFamily::listTiles(const ChipInfo &,
                                                    const ProblemInfo &) const {
  return {};
}

void ScheduleFamily::visitTile(const KernelConfig &, const ChipInfo &,
                               const ProblemInfo &, CandidateVisitor) const {}

std::vector<KernelConfig>
ScheduleFamily::listCandidates(const ChipInfo &chip,
                               const ProblemInfo &problem) const {
  std::vector<KernelConfig> all;
  for (const KernelConfig &tile : listTiles(chip, problem))
    visitTile(tile, chip, problem, [&](const KernelConfig &config, int64_t) {
      all.push_back(config);
    });
  return all;
}

KernelConfig ScheduleFamily::adapt(KernelConfig config, bool, const ChipInfo &,
                                   const ProblemInfo &problem) const {
  config.earlyInputs &= problem.readsInputs && config.splitK == 1;
  if (config.splitK > 1) {
    config.persistent = false;
    config.tileOrder = KernelConfig().tileOrder;
    config.streamEpilogue = false;
  }
  return config;
}

ArrayRef<std::array<int64_t, 3>> ScheduleFamily::getClusters() const {
  return {};
}

bool ScheduleFamily::hasRoomForEpilogue(const KernelConfig &, bool,
                                        bool) const {
  return true;
}

bool ScheduleFamily::canStageInputs(const KernelConfig &) const {
  return false;
}

ArrayRef<const ScheduleFamily *> getFamilies() {
  static const MmaSyncFamily mmaSync;
  static const WgmmaFamily wgmma;
  static const WmmaFamily wmma;
  static const SimtFamily simt;
  static const GemvFamily gemv;
  static const ExpandFamily expand;
  static const ScheduleFamily *const families[] = {&mmaSync, &wgmma, &wmma,
                                                   &simt,    &gemv,  &expand};
  return families;
}

ArrayRef<const ScheduleFamily *> getFamiliesByPreference() {
  static const ScheduleFamily *const families[] = {
      &getFamily(Schedule::Expand), &getFamily(Schedule::Gemv),
      &getFamily(Schedule::Simt),   &getFamily(Schedule::Wgmma),
      &getFamily(Schedule::Wmma),   &getFamily(Schedule::MmaSync)};
  return families;
}

SmallVector<const ScheduleFamily *> getFittedFamilies() {
  return to_vector(make_filter_range(
      getFamiliesByPreference(),
      [](const ScheduleFamily *family) { return family->hasFittedModel(); }));
}

const ScheduleFamily &getFamily(Schedule schedule) {
  const ScheduleFamily *family = getFamilies()[static_cast<size_t>(schedule)];
  assert(family->getSchedule() == schedule && "families in another order");
  return *family;
}

SmallVector<Feature> findMissingFeatures(const ScheduleFamily &family,
                                         const ProblemInfo &problem) {
  FeatureSet features = problem.getFeatures();
  SmallVector<Feature> missing;
  for (unsigned i = 0; i != kNumFeatures; ++i) {
    auto feature = static_cast<Feature>(i);
    if (features.has(feature) && !getFeatureRule(feature).empty() &&
        !family.getFeatures().has(feature))
      missing.push_back(feature);
  }
  return missing;
}

bool takesFeatures(const ScheduleFamily &family, const ProblemInfo &problem) {
  return findMissingFeatures(family, problem).empty();
}

std::string listTracedSchedules() {
  std::string names;
  for (const ScheduleFamily *family : getFamilies())
    if (family->takesTrace())
      names += (names.empty() ? "" : ", ") +
               getScheduleName(family->getSchedule()).str();
  return names;
}

/// Returns whether there is a default configuration of the problem, for
/// operands of some type, for the chip with the parameters in `overrides`.
/// These may be legal for elements of one width only.
static bool hasConfig(ProblemInfo problem, StringRef chip, StringRef overrides,
                      ArrayRef<StringRef> types = {"bf16", "tf32", "s8",
                                                   "e4m3"}) {
  Expected<const ChipInfo &> info = lookupChip(chip);
  if (!info) {
    consumeError(info.takeError());
    return false;
  }
  return any_of(types, [&](StringRef type) {
    cantFail(problem.setOperandTypes(type));
    return DefaultConfigProvider()
        .lookup({*info, problem, /*kernel=*/"", overrides.str()})
        .has_value();
  });
}

bool hasStructuredConfig(StringRef chip, StringRef overrides) {
  ProblemInfo problem;
  problem.bands[0] = cantFail(Band::parse("lower"));
  return hasConfig(problem, chip, overrides);
}

bool hasDualConfig(StringRef chip, StringRef overrides) {
  ProblemInfo problem;
  problem.dual = DualKind::Other;
  problem.stageableInputs = 1; // So that inputs may be staged.
  return hasConfig(problem, chip, overrides);
}

bool hasSummedConfig(StringRef chip, StringRef overrides) {
  ProblemInfo problem;
  problem.summedValues = -1;
  return hasConfig(problem, chip, overrides);
}

bool hasRepresentationConfig(StringRef chip, StringRef overrides) {
  ProblemInfo problem;
  problem.representation = cantFail(Representation::get({1, 2, -2, 1}));
  return all_of(ArrayRef<bool>{true, false}, [&](bool alongK) {
    problem.bKContiguous = alongK;
    return hasConfig(problem, chip, overrides, {"f64"});
  });
}

const ScheduleFamily &findFamily(const ProblemInfo &problem) {
  const auto *found = find_if(getFamilies(), [&](const ScheduleFamily *family) {
    return family->takesElements(problem) && takesFeatures(*family, problem);
  });
  return found == getFamilies().end() ? getFamily(Schedule::MmaSync) : **found;
}

} // namespace tcgemm
