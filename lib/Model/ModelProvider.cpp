//===- ModelProvider.cpp - Configurations from a fitted model -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/ModelProvider.h"

#include "ModelTimes.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Config/WorkTerms.h"
#include "tcgemm/Model/CandidateBound.h"
#include "tcgemm/Model/KernelModel.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// Applies the user's parameters to a candidate. False if the result cannot be
/// computed with.
bool fix(KernelConfig &config, const ConfigRequest &request) {
  Error failure = config.apply(request.overrides);
  bool failed = static_cast<bool>(failure);
  consumeError(std::move(failure));
  return !failed && isComputable(config);
}

/// The legal candidate of the least time in nanoseconds. The first of equal
/// times wins, so that the choice is the same everywhere.
class Fastest {
public:
  Fastest(const ConfigRequest &request, const ProblemInfo &sized)
      : request(request), sized(sized), checksAll(!request.overrides.empty()) {}
  virtual ~Fastest() = default;

  std::optional<ModelChoice> find() {
    if (findMeasuredDefault(request, sized))
      return std::nullopt;
    visitFamilies();
    // Families list legal candidates, so that this is rare. The user's
    // parameters are checked at once.
    if (best && !checksAll && !isLegal(*best, request.chip, sized)) {
      checksAll = true;
      visitFamilies();
    }
    if (!best)
      return std::nullopt;
    return ModelChoice{*best, least / 1000};
  }

protected:
  /// Sees a candidate, with the CTAs that a multiprocessor holds together.
  virtual void visit(const KernelConfig &config, int64_t residents) = 0;
  /// Prepares for the candidates of a schedule. False if there is no model of
  /// their time.
  virtual bool enterFamily(const ScheduleFamily &family) = 0;
  /// Prepares for the candidates of a tile. False if none of them can be the
  /// choice.
  virtual bool enterTile(const KernelConfig &) { return true; }
  /// A time below which no candidate of a tile is.
  virtual double getLeastOfTile(const KernelConfig &tile) = 0;

  /// Returns whether a candidate of this time, or one with a longer time than
  /// this bound, may still be the choice.
  bool isFaster(double nanoseconds) const {
    return !best || nanoseconds < least ||
           (nanoseconds == least && place < bestPlace);
  }
  /// The time of the best candidate so far, and whether one of the same time
  /// may still be the choice.
  struct Limit {
    double nanoseconds;
    bool isIncluded;
  };
  std::optional<Limit> getLimit() const {
    return best ? std::optional(Limit{least, place < bestPlace}) : std::nullopt;
  }
  void consider(const KernelConfig &config, double nanoseconds) {
    if (!isFaster(nanoseconds) ||
        (checksAll && !isLegal(config, request.chip, sized)))
      return;
    best = config;
    least = nanoseconds;
    bestPlace = place;
  }

  const ConfigRequest &request;
  const ProblemInfo &sized;

private:
  void visitFamilies();
  void visitFamily(const ScheduleFamily &family);

  /// True if candidates that are not legal are left out at once. The check of
  /// one takes longer than many bounds.
  bool checksAll;
  std::optional<KernelConfig> best;
  double least = 0;
  size_t place = 0, bestPlace = 0; ///< Numbers of tiles.
  size_t firstPlace = 0;           ///< Of the schedule's tiles.
};

void Fastest::visitFamilies() {
  best.reset();
  firstPlace = 0;
  for (const ScheduleFamily *family : getFittedFamilies())
    if (takesFeatures(*family, sized))
      visitFamily(*family);
}

/// The tiles with the lowest bounds come first, because a fast candidate rules
/// out most of the others.
void Fastest::visitFamily(const ScheduleFamily &family) {
  if (!enterFamily(family))
    return;
  std::vector<KernelConfig> tiles = family.listTiles(request.chip, sized);
  std::vector<std::pair<double, size_t>> queue;
  queue.reserve(tiles.size());
  for (auto [i, tile] : enumerate(tiles))
    queue.emplace_back(getLeastOfTile(tile), i);
  std::greater<> isLater;
  std::make_heap(queue.begin(), queue.end(), isLater);
  for (; !queue.empty(); queue.pop_back()) {
    std::pop_heap(queue.begin(), queue.end(), isLater);
    auto [bound, i] = queue.back();
    if (best && bound > least)
      break;
    place = firstPlace + i;
    if (!enterTile(tiles[i]))
      continue;
    family.visitTile(tiles[i], request.chip, sized,
                     [&](const KernelConfig &config, int64_t residents) {
                       visit(config, residents);
                     });
  }
  firstPlace += tiles.size();
}

class FastestByModel : public Fastest {
public:
  FastestByModel(const ModelConstants &constants, const ConfigRequest &request,
                 const ProblemInfo &sized)
      : Fastest(request, sized), constants(constants) {}

private:
  bool enterFamily(const ScheduleFamily &family) override {
    this->family = &family;
    own = constants.find(family.getSchedule());
    if (!own)
      return false;
    terms.emplace(family, request.chip, sized);
    bounds.emplace(*own, BoardLoad::Loaded);
    return true;
  }

  /// The user's parameters may replace the tile.
  double getLeastOfTile(const KernelConfig &tile) override {
    if (!request.overrides.empty())
      return 0;
    return bounds->getLeastOfTile(
        family->describeWith(*terms, tile, /*residents=*/1), TileVariants());
  }

  void visit(const KernelConfig &config, int64_t residents) override {
    if (!request.overrides.empty())
      return visitFixed(config);
    KernelWork work = family->describeWith(*terms, config, residents);
    if (isFaster(bounds->getCoarse(work)) && isFaster(bounds->getClose(work)))
      consider(config, estimateTime(work, *own, BoardLoad::Loaded));
  }

  void visitFixed(KernelConfig config) {
    if (!fix(config, request))
      return;
    // The user's parameters may have changed the schedule.
    if (const ScheduleConstants *other = constants.find(config.schedule))
      consider(config, estimateTime(describeWork(config, request.chip, sized),
                                    *other, BoardLoad::Loaded));
  }

  const ModelConstants &constants;
  const ScheduleFamily *family = nullptr;
  const ScheduleConstants *own = nullptr;
  std::optional<WorkTerms> terms;
  std::optional<TimeBounds> bounds;
};

class FastestBySimulator : public Fastest {
public:
  FastestBySimulator(const Machine &machine, const ConfigRequest &request,
                     const ProblemInfo &sized)
      : Fastest(request, sized), machine(machine) {}

private:
  static constexpr double kPerPicosecond = 1e-3;

  bool enterFamily(const ScheduleFamily &family) override {
    this->family = &family;
    terms.emplace(family, request.chip, sized);
    // Another kernel packs operands for all of them.
    return !request.overrides.empty() || terms->packBytes == 0;
  }
  double getLeastOfTile(const KernelConfig &tile) override {
    if (!request.overrides.empty())
      return 0;
    KernelWork work = family->describeWith(*terms, tile, /*residents=*/1);
    return double(boundTileTotal(machine, tile, sized, work)) * kPerPicosecond;
  }

  bool enterTile(const KernelConfig &tile) override {
    if (!request.overrides.empty())
      return true;
    ofTile = family->describeWith(*terms, tile, /*residents=*/1);
    bound.emplace(machine, tile, sized, ofTile);
    Picoseconds limit = getTotalLimit();
    return boundTileTotal(machine, tile, sized, ofTile, limit) <= limit;
  }

  void visit(const KernelConfig &config, int64_t residents) override {
    if (!request.overrides.empty())
      return visitFixed(config);
    Picoseconds limit = getTotalLimit();
    if (bound->find(config, residents, limit) <= limit)
      predict(config, family->describeWith(*terms, config, residents));
  }

  void visitFixed(KernelConfig config) {
    // Only legal configurations can be simulated.
    if (fix(config, request) && isLegal(config, request.chip, sized))
      predict(config, describeWork(config, request.chip, sized));
  }

  /// No candidate of a longer total is the choice.
  Picoseconds getTotalLimit() const {
    std::optional<Limit> limit = Fastest::getLimit();
    if (!limit)
      return std::numeric_limits<Picoseconds>::max();
    // The product of whole picoseconds, which are far below 2^52.
    Picoseconds least = std::llround(limit->nanoseconds / kPerPicosecond);
    return limit->isIncluded ? least : least - 1;
  }

  void predict(const KernelConfig &config, const KernelWork &work) {
    Expected<Picoseconds> total =
        predictTotal(machine, config, sized, work, getTotalLimit());
    if (total)
      return consider(config, double(*total) * kPerPicosecond);
    consumeError(total.takeError());
  }

  const Machine &machine;
  const ScheduleFamily *family = nullptr;
  std::optional<WorkTerms> terms;
  KernelWork ofTile; ///< Of the tile whose candidates are visited.
  std::optional<CandidateBound> bound;
};

bool hasSizes(const ProblemInfo &problem) {
  return problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.batch > 0;
}

/// Reads the values of all chips, unless that was done.
template <typename T, typename Read>
Error readOnce(StringMap<T> &values, const Read &read) {
  if (!values.empty())
    return Error::success();
  Expected<StringMap<T>> all = read();
  if (!all)
    return all.takeError();
  values = std::move(*all);
  return Error::success();
}

/// The choice by the value of the request's chip; none for unknown sizes.
template <typename T, typename Choose>
std::optional<KernelConfig> chooseForChip(const StringMap<T> &values,
                                          const ConfigRequest &request,
                                          Choose choose) {
  auto found = values.find(request.chip.name);
  if (found == values.end() || !hasSizes(request.problem))
    return std::nullopt;
  if (std::optional<ModelChoice> choice =
          choose(found->second, request, request.problem))
    return choice->config;
  return std::nullopt;
}

} // namespace

std::optional<ModelChoice> chooseByModel(const ModelConstants &constants,
                                         const ConfigRequest &request,
                                         const ProblemInfo &sized) {
  if (!isFitted(sized))
    return std::nullopt;
  return FastestByModel(constants, request, sized).find();
}

std::optional<ModelChoice> chooseBySimulator(const Machine &machine,
                                             const ConfigRequest &request,
                                             const ProblemInfo &sized) {
  // Scales of blocks and groups need promoted sums, which the simulator
  // refuses.
  if (!isSimulated(sized) || sized.hasBlockScales() || sized.hasGroupScales())
    return std::nullopt;
  return FastestBySimulator(machine, request, sized).find();
}

Error ModelProvider::prepare() { return readOnce(constants, read); }

std::optional<KernelConfig>
ModelProvider::lookup(const ConfigRequest &request) {
  return chooseForChip(constants, request, chooseByModel);
}

Error SimulatorProvider::prepare() { return readOnce(machines, read); }

std::optional<KernelConfig>
SimulatorProvider::lookup(const ConfigRequest &request) {
  return chooseForChip(machines, request, chooseBySimulator);
}

} // namespace tcgemm
