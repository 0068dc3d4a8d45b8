//===- FormulaTable.cpp - Formulas that lose the least together -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Logic/Formulas.h"
#include "llvm/Support/Parallel.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// Formulas are fitted to so many times as many configurations as are chosen.
constexpr size_t kFittedForEach = 2;

/// The best configuration of each size so far, and whether it is the choice.
struct Chosen {
  float value; ///< The least loss, or the least square of a time.
  float loss;
};

/// Greedy choice, one configuration after the other. `getValue` is what a size
/// minimises. Ends at `most`, or if no configuration reduces the sum of losses.
template <typename GetValue>
std::vector<unsigned> chooseGreedily(const CostTable &table,
                                     ArrayRef<unsigned> sizes, size_t count,
                                     size_t most, GetValue getValue) {
  constexpr float leastGain = 1e-3F;
  std::vector<Chosen> chosen(sizes.size(), {1e30F, 3});
  std::vector<unsigned> result;
  std::vector<float> sums(count);
  float before = 1e30F;
  while (result.size() < most && result.size() < count) {
    parallelFor(0, count, [&](size_t i) {
      float sum = 0;
      for (size_t j = 0; j != sizes.size(); ++j) {
        auto [value, loss] = getValue(i, sizes[j]);
        sum += table.getWeight(sizes[j]) *
               (value < chosen[j].value ? loss : chosen[j].loss);
      }
      sums[i] = sum;
    });
    for (unsigned i : result)
      sums[i] = 1e30F;
    auto least = std::min_element(sums.begin(), sums.end());
    if (*least > before - leastGain)
      break;
    before = *least;
    result.push_back(static_cast<unsigned>(least - sums.begin()));
    for (size_t j = 0; j != sizes.size(); ++j) {
      auto [value, loss] = getValue(result.back(), sizes[j]);
      if (value < chosen[j].value)
        chosen[j] = {value, loss};
    }
  }
  return result;
}

} // namespace

FormulaTable::FormulaTable(const CostTable &table, const LogicOptions &options)
    : table(table), options(options) {
  std::vector<unsigned> all;
  for (unsigned i = 0; i != table.getSizes().size(); ++i)
    all.push_back(i);
  // Those that would lose the least if each size had its best one.
  std::vector<unsigned> candidates = chooseGreedily(
      table, all, table.getConfigs().size(),
      kFittedForEach * options.mostFormulas, [&](size_t config, unsigned size) {
        float loss = table.getLosses(size)[config];
        return std::pair(loss, loss);
      });
  std::vector<std::optional<FormulaFit>> created(candidates.size());
  parallelFor(0, candidates.size(), [&](size_t i) {
    created[i] = FormulaFit::create(table, candidates[i]);
  });
  for (std::optional<FormulaFit> &fit : created)
    if (fit)
      fits.push_back(std::move(*fit));
  formulas.resize(fits.size());
  squares.resize(fits.size());
  parallelFor(0, fits.size(), [&](size_t i) { update(i); });
  refine();
}

/// Takes the formula of a fit.
void FormulaTable::update(size_t number) {
  formulas[number] = fits[number].getFormula();
  squares[number].clear();
  for (const MatmulSizes &sizes : table.getSizes())
    squares[number].push_back(static_cast<float>(
        formulas[number].estimateSquare(FormulaSizes(sizes))));
}

std::vector<unsigned>
FormulaTable::selectNumbers(ArrayRef<unsigned> sizes) const {
  return chooseGreedily(table, sizes, formulas.size(), options.mostFormulas,
                        [&](size_t formula, unsigned size) {
                          return std::pair(
                              squares[formula][size],
                              table.getLosses(size)[formulas[formula].config]);
                        });
}

/// Fits formulas again with a larger weight of the samples for which the
/// selected ones choose badly: those of the choice and of the best
/// configuration.
void FormulaTable::refine() {
  constexpr unsigned rounds = 8, steps = 6;
  constexpr float ignored = 0.01F;
  constexpr double factor = 100;
  std::vector<unsigned> samples;
  for (size_t i = table.countRecorded(); i != table.getSizes().size(); ++i)
    if (table.getMicroseconds(i) > 0)
      samples.push_back(static_cast<unsigned>(i));
  for (unsigned round = 0; round != rounds; ++round) {
    std::vector<unsigned> selected = selectNumbers(samples);
    for (unsigned sample : samples) {
      auto getLoss = [&](unsigned number) {
        return table.getLosses(sample)[formulas[number].config];
      };
      auto by = [](auto get) {
        return [get](unsigned a, unsigned b) { return get(a) < get(b); };
      };
      unsigned chosen = *llvm::min_element(
          selected, by([&](unsigned each) { return squares[each][sample]; }));
      unsigned best = *llvm::min_element(selected, by(getLoss));
      float excess = getLoss(chosen) - getLoss(best);
      if (excess <= ignored)
        continue;
      fits[chosen].addWeight(sample, factor * excess);
      fits[best].addWeight(sample, factor * excess);
    }
    parallelFor(0, selected.size(), [&](size_t i) {
      fits[selected[i]].run(steps);
      update(selected[i]);
    });
  }
}

std::vector<TimeFormula> FormulaTable::select(const Samples &samples) const {
  std::vector<TimeFormula> selected;
  for (unsigned i : selectNumbers(samples.sizes))
    selected.push_back(formulas[i]);
  return selected;
}

std::vector<float>
FormulaTable::getLosses(ArrayRef<TimeFormula> selected) const {
  SizeRule rule;
  rule.formulas = selected.vec();
  std::vector<float> losses;
  for (auto [i, sizes] : enumerate(table.getSizes()))
    losses.push_back(table.getLosses(i)[rule.chooseFastest(sizes)]);
  return losses;
}

} // namespace tcgemm
