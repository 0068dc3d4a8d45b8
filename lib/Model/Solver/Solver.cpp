//===- Solver.cpp - The best tiling, with a proof -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The start of a stage is a number with the lower bounds of its recurrence. The
// objective grows with each of them. So there is a tiling whose objective is at
// most x exactly if the bounds and objective <= x can be satisfied.
//
// Z3 gets the recurrences of few stages at once. Those of more stages it gets
// with two bounds of the wave, which follow from them (boundWave), and in full
// if it answers with a tiling that is not better than the known ones, so that
// the bounds do not suffice. A proof from fewer constraints is a proof.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Solver.h"
#include "Solver/FiniteProblem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <random>

using namespace llvm;

namespace tcgemm {
namespace {

using V = TilingVariable;

/// The variables that a rule depends on; none if all tilings break it or none.
struct RuleScope {
  StringLiteral rule;
  ArrayRef<V> variables;
  /// The variables for whose values Z3 gets the rule in advance: those of the
  /// others that are first in the space break it least. Where there are none, a
  /// combination is excluded when it is an answer.
  ArrayRef<V> inAdvance;
};

constexpr V kTileM[] = {V::TileM, V::Warpgroups};
constexpr V kTileN[] = {V::TileN};
constexpr V kTileK[] = {V::TileK};
constexpr V kDepth[] = {V::Depth};
constexpr V kBlocks[] = {V::TileN, V::TileK};
constexpr V kAccumulators[] = {V::TileM, V::TileN, V::Warpgroups};
constexpr V kRegisters[] = {V::TileM, V::TileN, V::Warpgroups, V::ClusterM,
                            V::ClusterN};
constexpr V kMemory[] = {V::TileM, V::TileN,      V::TileK,
                         V::Depth, V::Warpgroups, V::Split};
constexpr V kBoxes[] = {V::TileM, V::TileN, V::TileK, V::ClusterM, V::ClusterN};
constexpr V kCluster[] = {V::ClusterM, V::ClusterN};

constexpr RuleScope kScopes[] = {
    {"chip", {}, {}},
    {"element-type", {}, {}},
    {"group-scales", {}, {}},
    {"swap-ab", {}, {}},
    {"promote-sums", {}, {}},
    {"epilogue", {}, {}},
    {"cta-m", kTileM, kTileM},
    {"cta-n", kTileN, kTileN},
    {"cta-k", kTileK, kTileK},
    {"stages", kDepth, kDepth},
    {"block-scales", kBlocks, kBlocks},
    {"cluster", kCluster, kCluster},
    {"registers", kRegisters, kAccumulators},
    {"shared-memory", kMemory, {}},
    {"box", kBoxes, {}},
};

class TilingSolver {
public:
  TilingSolver(const TilingProblem &problem, const Z3Library &z3);
  Expected<TilingSolution> solve(std::chrono::milliseconds timeLimit);

private:
  using Choices = SmallVector<const Choice *>;
  /// A tiling with the first value of each variable of the space.
  Tiling getFirst() const;
  Choices getChoices(ArrayRef<V> variables) const;
  /// The tiling with these values, and the first ones of the others.
  Tiling getTiling(ArrayRef<V> variables, ArrayRef<int64_t> values) const;
  void addRules();
  void addRing();
  Z3_ast defineTime(ArrayRef<V> variables, Picoseconds RingTimes::*time);
  void addWaves();
  void addObjective();
  void addBounds();
  /// Adds the recurrences of so many stages. Whether they are new.
  bool unroll(int64_t stages);
  void startStage(int64_t stage);

  Tiling getAnswer() const;
  /// Returns whether the tiling is legal; excludes what its violations depend
  /// on.
  bool checkLegality(const Tiling &tiling);
  /// Keeps a legal tiling and excludes all that are not better, if it is better
  /// than those before. Whether it is.
  Expected<bool> improve(const Tiling &tiling);
  Error startFromSample();
  Error takeAnswer();

  const TilingProblem &problem;
  FiniteProblem z3;
  std::array<Choice, kNumTilingVariables> choices;
  Choice stages, waves;
  Z3_ast copyA, copyB, math, epilogue;
  /// The end of a wave's last product, and what its MATH warps wait.
  Z3_ast mathEnd, waveWait;
  Z3_ast objective;
  struct Starts {
    Z3_ast copyA, copyB, math;
  };
  std::vector<Starts> starts;   ///< The unrolled stages' starts.
  std::vector<bool> isUnrolled; ///< By the values of `stages`.

  TilingSolution best;
  bool isFound = false; ///< True if there is a `best`.
};

/// The recurrences of so many stages do not slow Z3 down.
constexpr int64_t kFewStages = 32;

} // namespace

TilingSolver::TilingSolver(const TilingProblem &problem, const Z3Library &z3)
    : problem(problem), z3(z3) {
  for (auto [choice, values] : zip_equal(choices, problem.space.values))
    choice = this->z3.addChoice(values);
  addRules();
  addRing();
  addWaves();
  addObjective();
  addBounds();
  for (int64_t count : stages.values)
    if (count <= kFewStages)
      unroll(count);
}

Tiling TilingSolver::getFirst() const {
  Tiling tiling;
  for (auto [value, values] : zip_equal(tiling.values, problem.space.values))
    value = values.front();
  return tiling;
}

Tiling TilingSolver::getTiling(ArrayRef<V> variables,
                               ArrayRef<int64_t> values) const {
  Tiling tiling = getFirst();
  for (auto [variable, value] : zip_equal(variables, values))
    tiling.set(variable, value);
  return tiling;
}

TilingSolver::Choices TilingSolver::getChoices(ArrayRef<V> variables) const {
  Choices result;
  for (V variable : variables)
    result.push_back(&choices[size_t(variable)]);
  return result;
}

void TilingSolver::addRules() {
  if (!problem.chip)
    return;
  for (const RuleScope &scope : kScopes) {
    if (scope.inAdvance.empty())
      continue;
    z3.restrict(getChoices(scope.inAdvance), [&](ArrayRef<int64_t> values) {
      Tiling tiling = getTiling(scope.inAdvance, values);
      return none_of(findViolations(problem, tiling),
                     [&](const Violation &violation) {
                       return violation.rule == scope.rule;
                     });
    });
  }
}

Z3_ast TilingSolver::defineTime(ArrayRef<V> variables,
                                Picoseconds RingTimes::*time) {
  return z3.define(getChoices(variables), [&](ArrayRef<int64_t> values) {
    return getTilingTimes(problem, getTiling(variables, values)).times.*time;
  });
}

void TilingSolver::addRing() {
  copyA = defineTime({V::TileM, V::TileK, V::ClusterN}, &RingTimes::copyA);
  copyB = defineTime({V::TileN, V::TileK, V::ClusterM}, &RingTimes::copyB);
  math = defineTime({V::TileM, V::TileN, V::TileK}, &RingTimes::math);
  epilogue = defineTime({V::TileM, V::TileN, V::Split}, &RingTimes::epilogue);
  V ofStages[] = {V::TileK, V::Split};
  stages = z3.derive(getChoices(ofStages), [&](ArrayRef<int64_t> values) {
    return getTilingTimes(problem, getTiling(ofStages, values)).shape.stages;
  });
  isUnrolled.resize(stages.values.size());
}

void TilingSolver::addWaves() {
  V ofWaves[] = {V::TileM, V::TileN, V::ClusterM, V::ClusterN, V::Split};
  waves = z3.derive(getChoices(ofWaves), [&](ArrayRef<int64_t> values) {
    return getTilingTimes(problem, getTiling(ofWaves, values)).waves;
  });
}

void TilingSolver::addObjective() {
  mathEnd = z3.addNumber();
  waveWait = z3.addNumber();
  objective = z3.addNumber();
  // wait = end - S * math, from the sum of all Wait(i).
  for (auto [count, selector] : zip_equal(stages.values, stages.selectors))
    z3.requireAtMostZero(selector,
                         {{1, mathEnd}, {-count, math}, {-1, waveWait}}, 0);
  bool isTime = problem.objective == TilingObjective::Time;
  V split[] = {V::Split};
  Z3_ast reduction =
      z3.define(getChoices(split), [&](ArrayRef<int64_t> values) {
        return getTilingTimes(problem, getTiling(split, values)).reduction;
      });
  Picoseconds init = getTilingTimes(problem, getFirst()).times.init;
  for (auto [count, selector] : zip_equal(waves.values, waves.selectors)) {
    if (isTime)
      z3.requireAtMostZero(selector,
                           {{count, mathEnd},
                            {count, epilogue},
                            {1, reduction},
                            {-1, objective}},
                           init);
    else
      z3.requireAtMostZero(selector, {{count, waveWait}, {-1, objective}}, 0);
  }
}

/// boundWave, without the epilogue.
void TilingSolver::addBounds() {
  const Choice &warps = choices[size_t(V::CopyWarps)];
  for (auto [number, ofWarps] : zip_equal(warps.values, warps.selectors))
    for (size_t i = 0; i < stages.values.size(); ++i) {
      int64_t count = stages.values[i];
      Z3_ast both[] = {ofWarps, stages.selectors[i]};
      auto require = [&](ArrayRef<LinearTerm> copies, int64_t times) {
        SmallVector<LinearTerm> terms = {{count + 1 - times, math},
                                         {-1, mathEnd}};
        for (LinearTerm copy : copies)
          terms.push_back({copy.factor * times, copy.number});
        z3.requireAtMostZero(both, terms, 0);
      };
      for (int64_t times : {int64_t(1), count}) {
        if (number == 1) {
          require({{1, copyA}, {1, copyB}}, times);
        } else {
          require({{1, copyA}}, times);
          require({{1, copyB}}, times);
        }
      }
    }
}

/// The lower bounds of the stage's starts; see tcgemm/Model/Ring.h.
void TilingSolver::startStage(int64_t stage) {
  Starts next = {z3.addNumber(), z3.addNumber(), z3.addNumber()};
  auto require = [&](ArrayRef<Z3_ast> conditions, Z3_ast start, Z3_ast earlier,
                     Z3_ast duration) {
    z3.requireAtMostZero(conditions, {{1, earlier}, {1, duration}, {-1, start}},
                         0);
  };
  for (Z3_ast start : {next.copyA, next.copyB})
    z3.requireAtMostZero({}, {{-1, start}}, 0);
  const Choice &warps = choices[size_t(V::CopyWarps)];
  for (auto [number, selector] : zip_equal(warps.values, warps.selectors)) {
    if (number == 1)
      require(selector, next.copyB, next.copyA, copyA);
    if (stage == 0)
      continue;
    if (number == 1)
      require(selector, next.copyA, starts.back().copyB, copyB);
    if (number == 2) {
      require(selector, next.copyA, starts.back().copyA, copyA);
      require(selector, next.copyB, starts.back().copyB, copyB);
    }
  }
  const Choice &depths = choices[size_t(V::Depth)];
  for (auto [depth, selector] : zip_equal(depths.values, depths.selectors))
    if (depth <= stage)
      for (Z3_ast start : {next.copyA, next.copyB})
        require(selector, start, starts[stage - depth].math, math);
  require({}, next.math, next.copyA, copyA);
  require({}, next.math, next.copyB, copyB);
  if (stage > 0)
    require({}, next.math, starts.back().math, math);
  starts.push_back(next);
}

bool TilingSolver::unroll(int64_t count) {
  size_t position = llvm::find(stages.values, count) - stages.values.begin();
  if (isUnrolled[position])
    return false;
  isUnrolled[position] = true;
  while (int64_t(starts.size()) < count)
    startStage(int64_t(starts.size()));
  z3.requireAtMostZero(stages.selectors[position],
                       {{1, starts[count - 1].math}, {1, math}, {-1, mathEnd}},
                       0);
  return true;
}

Tiling TilingSolver::getAnswer() const {
  Tiling tiling;
  for (auto [choice, value] : zip_equal(choices, tiling.values))
    value = z3.getValue(choice);
  return tiling;
}

bool TilingSolver::checkLegality(const Tiling &tiling) {
  SmallVector<Violation> violations = findViolations(problem, tiling);
  for (const Violation &violation : violations) {
    const RuleScope *scope = find_if(kScopes, [&](const RuleScope &scope) {
      return scope.rule == violation.rule;
    });
    // A rule of unknown scope may depend on all.
    SmallVector<V> variables;
    for (size_t i = 0; i < kNumTilingVariables; ++i)
      if (scope == std::end(kScopes) || is_contained(scope->variables, V(i)))
        variables.push_back(V(i));
    SmallVector<int64_t> values;
    for (V variable : variables)
      values.push_back(tiling.get(variable));
    z3.exclude(getChoices(variables), values);
  }
  return violations.empty();
}

Expected<bool> TilingSolver::improve(const Tiling &tiling) {
  Expected<Picoseconds> simulated = simulateTiling(problem, tiling);
  if (!simulated)
    return simulated.takeError();
  if (isFound && *simulated >= best.objective)
    return false;
  isFound = true;
  best.tiling = tiling;
  best.objective = *simulated;
  z3.requireAtMostZero({}, {{1, objective}}, 1 - best.objective);
  return true;
}

/// Simulates some tilings, so that Z3 need not look at those that are worse.
Error TilingSolver::startFromSample() {
  constexpr int numTried = 256;
  // The same sample each time.
  std::mt19937_64 random; // NOLINT(bugprone-random-generator-seed)
  for (int i = 0; i < numTried; ++i) {
    Tiling tiling;
    for (auto [value, values] : zip_equal(tiling.values, problem.space.values))
      value = values[random() % values.size()];
    if (!findViolations(problem, tiling).empty())
      continue;
    if (Error error = improve(tiling).takeError())
      return error;
  }
  return Error::success();
}

Error TilingSolver::takeAnswer() {
  Tiling tiling = getAnswer();
  int64_t count = getTilingTimes(problem, tiling).shape.stages;
  if (!checkLegality(tiling))
    return Error::success();
  Expected<bool> isBetter = improve(tiling);
  if (!isBetter)
    return isBetter.takeError();
  if (*isBetter || unroll(count))
    return Error::success();
  return createStringError(
      "Z3 and the simulator disagree: Z3 has a tiling below " +
      Twine(best.objective) + " ps, which is not better");
}

Expected<TilingSolution>
TilingSolver::solve(std::chrono::milliseconds timeLimit) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end = Clock::now() + timeLimit;
  if (Error error = startFromSample())
    return std::move(error);
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    Expected<FiniteProblem::Answer> answer =
        left.count() > 0 ? z3.check(left) : FiniteProblem::Answer::Unknown;
    if (!answer)
      return answer.takeError();
    ++best.numChecks;
    if (*answer == FiniteProblem::Answer::Satisfiable) {
      if (Error error = takeAnswer())
        return std::move(error);
      continue;
    }
    best.isProven = *answer == FiniteProblem::Answer::Unsatisfiable;
    if (isFound)
      return best;
    if (best.isProven)
      return makeNoTilingError(problem);
    return createStringError("no legal tiling was found within " +
                             Twine(timeLimit.count()) + " ms");
  }
}

Error checkSolverLibrary(StringRef library) {
  return Z3Library::load(library).takeError();
}

/// Gives the ring as many slots as it can have without a worse objective: the
/// model knows no latency that they would hide, but the chip has one.
static void deepen(const TilingProblem &problem, TilingSolution &solution) {
  Tiling tiling = solution.tiling;
  for (int64_t depth : problem.space.get(V::Depth)) {
    tiling.set(V::Depth, depth);
    if (depth <= solution.tiling.get(V::Depth) ||
        !findViolations(problem, tiling).empty())
      continue;
    Expected<Picoseconds> objective = simulateTiling(problem, tiling);
    if (!objective)
      consumeError(objective.takeError());
    else if (*objective <= solution.objective)
      solution.tiling = tiling;
  }
}

Expected<TilingSolution> solveTiling(const TilingProblem &problem,
                                     const SolverOptions &options) {
  if (Error error = checkTilingProblem(problem))
    return std::move(error);
  Expected<Z3Library> z3 = Z3Library::load(options.library);
  if (!z3)
    return z3.takeError();
  Expected<TilingSolution> solution =
      TilingSolver(problem, *z3).solve(options.timeLimit);
  if (solution)
    deepen(problem, *solution);
  return solution;
}

} // namespace tcgemm
