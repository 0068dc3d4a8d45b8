//===- ProtocolStrategy.cpp - Search by Tensile's steps -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each step proposes points and ends when all of them are known. There is one
// branch until the fork, and then one for each combination of its values. If a
// step's value is not legal with the branch's other values, the nearest legal
// point with this value and the branch's values of the fork is used, because
// tiles, warps and depths depend on each other.
//
//===----------------------------------------------------------------------===//

#include "Search/CandidatePool.h"
#include "Search/Strategies.h"
#include "tcgemm/Tuner/Protocol.h"
#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <limits>

using namespace llvm;

namespace tcgemm {
namespace {

/// The indices of a parameter's axis and values in the space.
struct StepAxis {
  unsigned axis;
  std::vector<uint16_t> values;
};

class ProtocolStrategy : public Strategy {
public:
  ProtocolStrategy(const SearchSpace &space, const ProtocolGroup &group,
                   std::shared_ptr<ProtocolRun> run)
      : pool(space), group(group), run(std::move(run)) {}

  /// Looks up axes and values.
  Error initialize();

  StringRef getName() const override { return "protocol"; }
  std::vector<SpacePoint> propose(size_t count) override;
  void report(const Trial &trial) override;

private:
  /// The state of one branch of the search.
  struct Branch {
    SpacePoint point;
    bool isLegal = false;            ///< If false, only the start of a step.
    std::vector<CandidateId> trials; ///< Trials of the current step.
  };
  struct Step {
    enum { Parameter, Fork, Measure, Join, Final } kind;
    StepAxis parameter = {};
  };

  Expected<StepAxis> bind(const SpaceAxis &declared) const;
  Error addParameters(ArrayRef<SpaceAxis> parameters);
  /// Returns whether steps 1 to 6 are executed. They are not for a problem
  /// whose group has benchmark sizes.
  bool needsSteps() const;

  double getCost(const Branch &branch) const;
  bool hasForkOf(CandidateId id, const Branch &branch) const;
  void want(CandidateId id);
  void begin(const Step &step);
  void conclude(const Step &step);
  void fork();
  void join();
  void addSolutions();

  CandidatePool pool;
  const ProtocolGroup &group;
  std::shared_ptr<ProtocolRun> run;
  std::vector<StepAxis> forkAxes;
  std::vector<unsigned> joinAxes;
  std::vector<Step> steps;
  size_t next = 0; ///< Index of the next step; the previous one is active.
  bool isForked = false;
  std::vector<Branch> branches;
  std::deque<CandidateId> wanted;
  size_t numAwaited = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Expected<StepAxis> ProtocolStrategy::bind(const SpaceAxis &declared) const {
  const SearchSpace &space = pool.getSpace();
  ArrayRef<SpaceAxis> axes = space.getSpace().getAxes();
  const auto *found = find_if(
      axes, [&](const SpaceAxis &axis) { return axis.name == declared.name; });
  auto fail = [&](const Twine &what) {
    return createStringError("protocol '" + run->protocol.getName() +
                             "', group '" + group.name + "': " + what +
                             " of space '" + space.getSpace().getName() + "'");
  };
  if (found == axes.end())
    return fail("'" + declared.name + "' is no parameter");
  StepAxis bound;
  bound.axis = found - axes.begin();
  for (const std::string &text : declared.values) {
    std::optional<unsigned> value = space.findValue(bound.axis, text);
    if (!value)
      return fail(declared.name + " = " + text + " is no value");
    bound.values.push_back(*value);
  }
  return bound;
}

Error ProtocolStrategy::addParameters(ArrayRef<SpaceAxis> parameters) {
  for (const SpaceAxis &declared : parameters) {
    Expected<StepAxis> axis = bind(declared);
    if (!axis)
      return axis.takeError();
    steps.push_back({Step::Parameter, std::move(*axis)});
  }
  return Error::success();
}

bool ProtocolStrategy::needsSteps() const {
  return group.benchmark.empty() || run->solutions[group.name].empty() ||
         is_contained(group.benchmark, pool.getSpace().getProblem().sizes);
}

Error ProtocolStrategy::initialize() {
  Branch trunk;
  trunk.point.resize(pool.getNumAxes());
  for (const ParameterValue &initial : group.initial) {
    Expected<StepAxis> axis = bind({initial.name, {initial.value}});
    if (!axis)
      return axis.takeError();
    trunk.point[axis->axis] = axis->values[0];
  }
  branches.push_back(std::move(trunk));
  for (const SpaceAxis &declared : group.fork) {
    Expected<StepAxis> axis = bind(declared);
    if (!axis)
      return axis.takeError();
    if (is_contained(group.join, declared.name))
      joinAxes.push_back(axis->axis);
    forkAxes.push_back(std::move(*axis));
  }
  if (Error error = addParameters(group.common))
    return error;
  steps.push_back({Step::Fork});
  if (Error error = addParameters(group.benchmarkFork))
    return error;
  if (group.benchmarkFork.empty())
    steps.push_back({Step::Measure});
  steps.push_back({Step::Join});
  if (Error error = addParameters(group.benchmarkJoin))
    return error;
  if (!needsSteps())
    steps.clear();
  steps.push_back({Step::Final});
  return Error::success();
}

double ProtocolStrategy::getCost(const Branch &branch) const {
  if (!branch.isLegal)
    return std::numeric_limits<double>::infinity();
  return pool.getCost(pool.getId(branch.point));
}

/// Returns whether a point has the branch's values of the fork.
bool ProtocolStrategy::hasForkOf(CandidateId id, const Branch &branch) const {
  return !isForked || all_of(forkAxes, [&](const StepAxis &fork) {
    return pool.getCoordinate(id, fork.axis) == branch.point[fork.axis];
  });
}

/// Creates a branch for each combination of values with a legal point. It
/// starts at the point nearest to the trunk.
void ProtocolStrategy::fork() {
  Branch trunk = std::move(branches.front());
  branches.clear();
  std::map<std::vector<uint16_t>, bool> seen;
  for (CandidateId id = 0; id != pool.size(); ++id) {
    std::vector<uint16_t> key;
    for (const StepAxis &fork : forkAxes) {
      uint16_t value = pool.getCoordinate(id, fork.axis);
      if (!is_contained(fork.values, value))
        break;
      key.push_back(value);
    }
    if (key.size() != forkAxes.size() || !seen.try_emplace(key, true).second)
      continue;
    Branch branch = trunk;
    for (auto [fork, value] : zip_equal(forkAxes, key))
      branch.point[fork.axis] = value;
    branches.push_back(std::move(branch));
  }
  isForked = true;
  for (Branch &branch : branches) {
    branch.isLegal = true;
    // There is such a point, because the values are those of a legal point.
    std::optional<CandidateId> nearest = pool.findNearest(
        branch.point, [&](CandidateId id) { return hasForkOf(id, branch); });
    if (nearest)
      branch.point = pool.getPoint(*nearest);
  }
}

/// Keeps the fastest of the branches with equal values of the joined
/// parameters.
void ProtocolStrategy::join() {
  std::map<std::vector<uint16_t>, Branch> best;
  for (Branch &branch : branches) {
    double cost = getCost(branch);
    if (cost == std::numeric_limits<double>::infinity())
      continue;
    std::vector<uint16_t> key;
    key.reserve(joinAxes.size());
    for (unsigned axis : joinAxes)
      key.push_back(branch.point[axis]);
    auto [entry, isNew] = best.try_emplace(std::move(key), branch);
    if (!isNew && cost < getCost(entry->second))
      entry->second = std::move(branch);
  }
  branches.clear();
  for (auto &entry : best)
    branches.push_back(std::move(entry.second));
}

void ProtocolStrategy::want(CandidateId id) {
  if (pool.isProposed(id))
    return;
  pool.propose(id);
  wanted.push_back(id);
}

void ProtocolStrategy::begin(const Step &step) {
  for (Branch &branch : branches)
    branch.trials.clear();
  if (step.kind == Step::Fork)
    fork();
  if (step.kind == Step::Join)
    join();
  if (step.kind == Step::Measure)
    for (const Branch &branch : branches)
      want(pool.getId(branch.point));
  if (step.kind == Step::Parameter)
    for (Branch &branch : branches)
      for (uint16_t value : step.parameter.values) {
        SpacePoint point = branch.point;
        point[step.parameter.axis] = value;
        std::optional<CandidateId> id =
            pool.findNearest(point, [&](CandidateId id) {
              return pool.getCoordinate(id, step.parameter.axis) == value &&
                     hasForkOf(id, branch);
            });
        if (!id)
          continue;
        want(*id);
        branch.trials.push_back(*id);
      }
  if (step.kind == Step::Final)
    addSolutions();
}

/// Stores this problem's result for the other problems of the group, and
/// measures their results.
void ProtocolStrategy::addSolutions() {
  std::vector<KernelConfig> &solutions = run->solutions[group.name];
  const SearchSpace &space = pool.getSpace();
  bool hasSteps = steps.size() > 1;
  if (hasSteps)
    for (const Branch &branch : branches)
      if (KernelConfig config = space.getConfig(branch.point);
          !is_contained(solutions, config))
        solutions.push_back(config);
  if (group.benchmark.empty())
    return;
  for (const KernelConfig &config : solutions)
    if (std::optional<SpacePoint> point = space.findLegal(config))
      want(pool.getId(*point));
}

void ProtocolStrategy::conclude(const Step &step) {
  if (step.kind != Step::Parameter)
    return;
  for (Branch &branch : branches)
    for (CandidateId id : branch.trials)
      if (pool.getCost(id) < getCost(branch)) {
        branch.point = pool.getPoint(id);
        branch.isLegal = true;
      }
}

//===----------------------------------------------------------------------===//
// The strategy
//===----------------------------------------------------------------------===//

std::vector<SpacePoint> ProtocolStrategy::propose(size_t count) {
  while (wanted.empty() && numAwaited == 0 && next != steps.size()) {
    if (next > 0)
      conclude(steps[next - 1]);
    begin(steps[next++]);
  }
  std::vector<SpacePoint> points;
  for (; points.size() < count && !wanted.empty(); ++numAwaited) {
    points.push_back(pool.getPoint(wanted.front()));
    wanted.pop_front();
  }
  return points;
}

void ProtocolStrategy::report(const Trial &trial) {
  bool isSuccess = trial.outcome == Outcome::Success && trial.microseconds > 0;
  pool.report(pool.getId(trial.point),
              isSuccess ? trial.microseconds
                        : std::numeric_limits<double>::infinity());
  --numAwaited;
}

Expected<std::unique_ptr<Strategy>>
createProtocolStrategy(const SearchSpace &space,
                       const std::shared_ptr<ProtocolRun> &run) {
  const MatmulSizes &sizes = space.getProblem().sizes;
  const ProtocolGroup *group = run->protocol.findGroup(sizes);
  if (!group)
    return createStringError("no group of protocol '" +
                             run->protocol.getName() + "' takes " +
                             sizes.str());
  auto strategy = std::make_unique<ProtocolStrategy>(space, *group, run);
  if (Error error = strategy->initialize())
    return std::move(error);
  return strategy;
}

} // namespace tcgemm
