//===- RecordPrediction.cpp - Sizes without a record ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants were chosen by cross-validation on the stored times of 86
// shapes, each of which was left out once
// (docs/experiments/predicted-records.md).
//
//===----------------------------------------------------------------------===//

#include "RecordPrediction.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Config/WorkTerms.h"
#include "tcgemm/Model/ModelProvider.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace tcgemm {
namespace {

/// The predicted speed-up that a configuration without a measurement needs.
constexpr double kUnproven = 1.05;
/// The increase of the distance for twice the slices of k, and for the removal
/// of clusters or of alternating warpgroups.
constexpr double kSliceDistance = 0.5, kOtherDistance = 1.0;
/// The maximum distance of a size, in doublings, without constants of the chip.
constexpr double kMaxDoublings = 2;

/// The logarithms of the sizes to the base 2.
std::array<double, 4> getLogarithms(const ProblemInfo &problem) {
  auto getLog = [](int64_t size) {
    return std::log2(static_cast<double>(size));
  };
  return {getLog(problem.m), getLog(problem.n), getLog(problem.k),
          getLog(problem.batch)};
}

std::array<double, 4> subtract(const std::array<double, 4> &a,
                               const std::array<double, 4> &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]};
}

/// See getDistance; `doublings` are the differences of the logarithms.
double getDistance(const ProblemInfo &record, const ProblemInfo &asked,
                   const std::array<double, 4> &doublings) {
  // A layout affects the best tile more than a type does.
  constexpr double otherType = 0.25, otherLayout = 0.5;
  double sum = 0;
  for (double doubling : doublings)
    sum += doubling * doubling;
  if (record.typeA != asked.typeA || record.typeB != asked.typeB)
    sum += otherType * otherType;
  for (bool differs : {record.aKContiguous != asked.aKContiguous,
                       record.bKContiguous != asked.bKContiguous})
    if (differs)
      sum += otherLayout * otherLayout;
  return std::sqrt(sum);
}

/// Tiles along M and N.
std::pair<int64_t, int64_t> getTiles(const KernelConfig &config,
                                     const ProblemInfo &problem) {
  return {divideCeil(problem.m, config.cta[0]),
          divideCeil(problem.n, config.cta[1])};
}

/// The number of tiles of all products, saturated at the largest integer.
int64_t countTiles(const KernelConfig &config, const ProblemInfo &problem) {
  auto [m, n] = getTiles(config, problem);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  double count = static_cast<double>(problem.batch) * static_cast<double>(m) *
                 static_cast<double>(n);
  return count < static_cast<double>(most) ? static_cast<int64_t>(count) : most;
}

/// A configuration that was recorded for other sizes, with `slices` of k.
KernelConfig adapt(KernelConfig config, int64_t slices, const ChipInfo &chip,
                   const ProblemInfo &problem) {
  bool isSplit = slices != config.splitK;
  config.splitK = slices;
  const ScheduleFamily &family = getFamily(config.schedule);
  return family.adapt(std::move(config), isSplit, chip, problem);
}

} // namespace

bool hasSizes(const ProblemInfo &problem) {
  return problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.batch > 0;
}

double getDistance(const ProblemInfo &record, const ProblemInfo &asked) {
  return getDistance(record, asked,
                     subtract(getLogarithms(record), getLogarithms(asked)));
}

bool isUsable(KernelConfig config, const ConfigRequest &request,
              const ProblemInfo &asked) {
  if (Error error = config.apply(request.overrides)) {
    consumeError(std::move(error));
    return false;
  }
  return isLegal(config, request.chip, asked);
}

/// Returns whether reductions need registers beside those of the sums. One
/// value for each row or for all takes few, if it is the sum itself or its
/// absolute value.
static bool needsRegisters(const NamedReductions &reductions) {
  return reductions.hasOther || reductions.list.size() > 1 ||
         any_of(reductions.list, [](const NamedReduction &reduction) {
           return reduction.axis == ReductionAxis::Column ||
                  reduction.getFunction() == ReducedFunction::Square ||
                  reduction.hasParts();
         });
}

bool hasRoomForEpilogue(const KernelConfig &config, const ProblemInfo &record,
                        const ProblemInfo &asked) {
  bool readsMore = asked.epilogueBytes > record.epilogueBytes;
  bool computesMore =
      (record.plainEpilogue && !asked.plainEpilogue) ||
      (needsRegisters(asked.reductions) && !needsRegisters(record.reductions));
  return getFamily(config.schedule)
      .hasRoomForEpilogue(config, readsMore, computesMore);
}

KernelConfig stageInputs(const KernelConfig &config,
                         const ConfigRequest &request,
                         const ProblemInfo &asked) {
  constexpr int64_t fewestStages = 3, mostFewer = 2;
  if (!getFamily(config.schedule).canStageInputs(config) ||
      asked.stageableInputs == 0)
    return config;
  KernelConfig staged = config;
  staged.wgmma.stageInputs = true;
  int64_t least = std::max(fewestStages, config.stages - mostFewer);
  // Pingpong kernels with one staging tile need more registers.
  for (int64_t buffers : {config.wgmma.epilogueBuffers, int64_t(1)})
    for (int64_t stages = config.stages; stages >= least; --stages) {
      staged.wgmma.epilogueBuffers = buffers;
      staged.stages = stages;
      if (isUsable(staged, request, asked))
        return staged;
    }
  return config;
}

KnownRecord::KnownRecord(Record measured, size_t configNumber)
    : record(std::move(measured)), configNumber(configNumber),
      problem(record.problem.getInfo()), doublings(getLogarithms(problem)) {}

struct RecordPrediction::ScheduleModel {
  ScheduleModel(const ScheduleFamily &family, const ChipInfo &chip,
                const ProblemInfo &problem, const ScheduleConstants &constants)
      : family(family), constants(constants), terms(family, chip, problem),
        bounds(constants, BoardLoad::Loaded) {}

  const ScheduleFamily &family;
  const ScheduleConstants &constants;
  const WorkTerms terms;
  const TimeBounds bounds;
};

RecordPrediction::RecordPrediction(const StringMap<ModelConstants> &constants,
                                   const ConfigRequest &request,
                                   const ProblemInfo &asked)
    : request(request), asked(asked), doublings(getLogarithms(asked)) {
  // Kernels of f32 have only one schedule, which the model does not describe.
  // Its constants are of tensor cores for narrow types.
  auto found = constants.find(request.chip.name);
  if (found != constants.end() && asked.getBitsA() < 32)
    this->constants = &found->second;
}

RecordPrediction::~RecordPrediction() = default;

/// Null where times have no bounds: without constants, and for groups of rows,
/// of which kernels compute one each.
RecordPrediction::ScheduleModel *
RecordPrediction::findModel(const KernelConfig &config) {
  if (!constants || asked.isGrouped || !request.overrides.empty())
    return nullptr;
  const ScheduleFamily &family = getFamily(config.schedule);
  for (const std::unique_ptr<ScheduleModel> &model : models)
    if (&model->family == &family)
      return model.get();
  const ScheduleConstants *own = constants->find(config.schedule);
  if (!own)
    return nullptr;
  models.push_back(
      std::make_unique<ScheduleModel>(family, request.chip, asked, *own));
  return models.back().get();
}

/// The estimate in microseconds; none if the chip has no constants for the
/// schedule.
std::optional<double>
RecordPrediction::estimate(const KernelConfig &config,
                           const ProblemInfo &problem) const {
  if (!constants)
    return estimateTime(config, request.chip, problem);
  const ScheduleConstants *own = constants->find(config.schedule);
  if (!own)
    return std::nullopt;
  return estimateTime(describeWork(config, request.chip, problem), *own,
                      BoardLoad::Loaded) /
         1000;
}

/// The measured time over the estimated one.
std::optional<double> RecordPrediction::getError(KnownRecord &known) const {
  if (!known.error) {
    std::optional<double> time = estimate(known.record.config, known.problem);
    known.error.emplace();
    if (time)
      *known.error = known.record.timing.median / *time;
  }
  return *known.error;
}

/// Returns whether a prediction of this time, or one above this bound, may be
/// the fastest.
bool RecordPrediction::isFaster(double time) const {
  return !best ||
         (time <= ceiling &&
          (time < bestTime || (time == bestTime && place < bestPlace)));
}

/// `factor` times the estimate; none if it is no less than the best so far.
std::optional<double> RecordPrediction::findTime(const KernelConfig &config,
                                                 double factor) {
  std::optional<double> time;
  if (const ScheduleModel *model = findModel(config)) {
    int64_t residents = estimateResidents(
        config, request.chip, asked,
        model->family.planSharedMemory(config, asked).getTotal());
    KernelWork work =
        model->family.describeWith(model->terms, config, residents);
    double perNanosecond = factor / 1000;
    if (!isFaster(model->bounds.getCoarse(work) * perNanosecond) ||
        !isFaster(model->bounds.getClose(work) * perNanosecond))
      return std::nullopt;
    time = estimateTime(work, model->constants, BoardLoad::Loaded) / 1000;
  } else {
    time = estimate(config, asked);
  }
  if (!time || !isFaster(factor * *time))
    return std::nullopt;
  return factor * *time;
}

/// Applies the user's parameters. False if the result cannot be computed with.
/// Without them, it can be, because records are legal.
static bool fix(KernelConfig &config, const std::string &overrides) {
  if (overrides.empty()) {
    getFamily(config.schedule).completeInstruction(config);
    return true;
  }
  if (Error error = config.apply(overrides)) {
    consumeError(std::move(error));
    return false;
  }
  return isComputable(config);
}

/// Takes a configuration if it is usable and `factor` times its estimate is the
/// least so far.
void RecordPrediction::compare(const KernelConfig &config, const Record *record,
                               StringRef source, double factor) {
  KernelConfig fixed = config;
  if (!fix(fixed, request.overrides))
    return;
  std::optional<double> time = findTime(fixed, factor);
  if (!time || !isLegal(fixed, request.chip, asked))
    return;
  best = {config, record, source};
  bestTime = *time;
  bestPlace = place;
}

/// Returns whether the record's time includes a function of elements that is
/// not asked for. Functions that are asked for may have a record without them.
static bool hasOtherFunction(const ProblemInfo &tuned,
                             const ProblemInfo &asked) {
  return (tuned.transforms(0) && !asked.transforms(0)) ||
         (tuned.transforms(1) && !asked.transforms(1));
}

/// Returns whether the record's time includes, or lacks, what bands and
/// symmetric results leave out.
static bool hasOtherStructure(const ProblemInfo &tuned,
                              const ProblemInfo &asked) {
  return tuned.bands != asked.bands || tuned.isSymmetric != asked.isSymmetric;
}

/// The error of the model for a record, as far as it applies at a distance.
static double getFactor(double error, double distance) {
  return std::pow(error, std::exp(-distance));
}

/// No less than any variant's estimate, in microseconds: with other clusters
/// and slices of k, as `adapt` returns them. 0 if there is no bound.
double RecordPrediction::getBound(const KernelConfig &config) {
  const ScheduleModel *model = findModel(config);
  if (!model)
    return 0;
  KernelConfig plain = config;
  plain.wgmma.cluster = {1, 1, 1};
  plain.wgmma.pingpong = false; // Both warpgroups store a tile then.
  TileVariants variants;
  variants.mostStages = static_cast<double>(plain.stages);
  variants.hasUsedRing = false;
  variants.mostSharers = variants.mostClusterSlices = 8;
  KernelWork work =
      model->family.describeWith(model->terms, plain, /*residents=*/1);
  return model->bounds.getLeastOfTile(work, variants) / 1000;
}

void RecordPrediction::consider(KnownRecord &known) {
  const ProblemInfo &tuned = known.problem;
  const KernelConfig &config = known.record.config;
  size_t own = numRecords++;
  if (known.record.platform.chip != request.chip.name ||
      tuned.getBitsA() != asked.getBitsA() ||
      tuned.getBitsB() != asked.getBitsB() ||
      tuned.splitsOperands() != asked.splitsOperands() ||
      tuned.algebra != asked.algebra || tuned.isGrouped != asked.isGrouped ||
      hasOtherFunction(tuned, asked) || hasOtherStructure(tuned, asked) ||
      !hasRoomForEpilogue(config, tuned, asked))
    return;
  std::array<double, 4> between = subtract(known.doublings, doublings);
  auto isFar = [](double doublings) {
    return std::fabs(doublings) > kMaxDoublings;
  };
  if (!constants && any_of(between, isFar))
    return;
  std::optional<double> error = getError(known);
  if (!error)
    return;
  // The model's error for a near record also applies to this problem. At a
  // larger distance, the factor is nearer to 1.
  double distance = getDistance(tuned, asked, between);
  double factor = getFactor(*error, distance);
  auto [found, isNew] =
      contenderOf.try_emplace(known.configNumber, contenders.size());
  if (isNew) {
    contenders.push_back({0, getBound(config), factor, own, &known, distance});
    return;
  }
  Contender &same = contenders[found->second];
  if (factor < same.factor)
    same = {0, same.leastEstimate, factor, own, &known, distance};
}

/// Records that take longer than the model's choice need no comparison.
void RecordPrediction::chooseOfModel() {
  if (!constants || contenders.empty())
    return;
  ConfigRequest sized{request.chip, asked, request.kernel, request.overrides};
  std::optional<ModelChoice> choice = chooseByModel(*constants, sized, asked);
  if (!choice)
    return;
  ofModel = choice->config;
  constexpr double rounding = 1 + 1e-9;
  ceiling = rounding * kUnproven * choice->microseconds;
}

void RecordPrediction::compareRecords() {
  chooseOfModel();
  // The factor of another variant is nearer to 1, times `kUnproven`.
  for (Contender &contender : contenders)
    contender.bound =
        contender.leastEstimate * std::min(contender.factor, kUnproven);
  llvm::sort(contenders);
  for (const Contender &contender : contenders) {
    if (best && contender.bound > std::min(bestTime, ceiling))
      break;
    place = contender.place;
    compareVariants(contender);
  }
  place = numRecords;
}

void RecordPrediction::compareVariants(const Contender &contender) {
  const Record &record = contender.known->record;
  const KernelConfig &config = record.config;
  double error = **contender.known->error;
  auto getFactorAt = [&](double more) {
    return getFactor(error, contender.distance + more);
  };
  auto mayBeFaster = [&](double factor) {
    return isFaster(factor * contender.leastEstimate);
  };
  KernelConfig adapted = adapt(config, config.splitK, request.chip, asked);
  bool isOther = adapted.wgmma.cluster != config.wgmma.cluster ||
                 adapted.wgmma.pingpong != config.wgmma.pingpong;
  double ofOther = kUnproven * getFactorAt(kOtherDistance);
  compare(adapted, &record, {}, isOther ? ofOther : getFactorAt(0));
  // With rows that are not aligned to the L2 cache's lines, or with few tiles,
  // clusters may be faster although they were not for the record's sizes.
  for (const std::array<int64_t, 3> &cluster :
       getFamily(config.schedule).getClusters()) {
    if (cluster == adapted.wgmma.cluster || !mayBeFaster(ofOther))
      continue;
    KernelConfig other = config;
    other.wgmma.cluster = cluster;
    other = adapt(other, config.splitK, request.chip, asked);
    if (other.wgmma.cluster == cluster)
      compare(other, &record, {}, ofOther);
  }
  if (config.splitK != 1)
    return;
  // Like in the shipped spaces, slices have several tiles, and there are not
  // more slices than can be resident on the chip.
  for (int64_t slices : {2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    if (asked.k < 4 * slices * config.cta[2] ||
        slices * countTiles(config, asked) > 2 * request.chip.speed.numSMs)
      break;
    double more = kSliceDistance * std::log2(static_cast<double>(slices));
    double factor = kUnproven * getFactorAt(more);
    if (mayBeFaster(factor))
      compare(adapt(config, slices, request.chip, asked), &record, {}, factor);
  }
}

void RecordPrediction::considerOthers() {
  // The default model's choice is always the fastest by its own estimate.
  if (!constants)
    return;
  if (ofModel)
    return compare(*ofModel, nullptr, ModelProvider::kName, kUnproven);
  ConfigRequest sized{request.chip, asked, request.kernel, request.overrides};
  DefaultConfigProvider provider;
  std::optional<KernelConfig> config = provider.lookup(sized);
  if (!config)
    return;
  Choice choice{*config, nullptr, provider.getName()};
  if (getFamily(config->schedule).hasMeasuredDefault())
    best = choice;
  else
    compare(*config, nullptr, provider.getName(), kUnproven);
}

} // namespace tcgemm
