//===- Bandit.cpp - Selection of techniques by credit ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The multi-armed bandit of OpenTuner with sliding window and area-under-the-
// curve credit (Ansel et al. 2014, section 3.2). Among a technique's uses in
// the window, the i-th one counts i if it found a new best point, divided by
// the sum of all i. C·sqrt(2·ln |H| / uses) is added to that.
//
//===----------------------------------------------------------------------===//

#include "Search/Technique.h"
#include "llvm/ADT/DenseMap.h"

#include <cmath>
#include <deque>
#include <limits>

using namespace llvm;

namespace tcgemm {
namespace {

class Bandit : public Technique {
public:
  Bandit(const CandidatePool &pool, uint64_t seed) : pool(pool) {
    for (auto create :
         {createLocalSearch, createGeneticSearch, createAnnealing})
      techniques.push_back(create(pool, seed));
  }

  std::optional<CandidateId> propose() override;
  void report(CandidateId id) override;

private:
  struct Use {
    size_t technique;
    bool isBest;
  };
  double getScore(size_t technique) const;

  static constexpr double exploration = 0.05;
  static constexpr size_t window = 100;

  const CandidatePool &pool;
  std::vector<std::unique_ptr<Technique>> techniques;
  DenseMap<CandidateId, size_t> proposedBy; ///< Outstanding proposals.
  std::deque<Use> history;                  ///< The latest uses.
};

} // namespace

double Bandit::getScore(size_t technique) const {
  double credit = 0;
  size_t uses = 0, weights = 0;
  for (const Use &use : history) {
    if (use.technique != technique)
      continue;
    ++uses;
    weights += uses;
    credit += use.isBest ? static_cast<double>(uses) : 0;
  }
  // Outstanding proposals count too. Otherwise one technique would be chosen
  // repeatedly until its report arrives.
  for (const auto &entry : proposedBy)
    uses += entry.second == technique;
  if (uses == 0)
    return std::numeric_limits<double>::infinity();
  auto total = static_cast<double>(history.size() + proposedBy.size());
  return (weights ? credit / static_cast<double>(weights) : 0) +
         exploration *
             std::sqrt(2 * std::log(total) / static_cast<double>(uses));
}

std::optional<CandidateId> Bandit::propose() {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i != techniques.size(); ++i)
    order.emplace_back(-getScore(i), i);
  llvm::sort(order);
  for (auto [score, i] : order)
    if (std::optional<CandidateId> id = techniques[i]->propose()) {
      proposedBy[*id] = i;
      return id;
    }
  return std::nullopt;
}

void Bandit::report(CandidateId id) {
  for (auto &technique : techniques)
    technique->report(id);
  auto proposer = proposedBy.find(id);
  if (proposer == proposedBy.end())
    return;
  history.push_back({proposer->second, pool.getBest() == id});
  proposedBy.erase(proposer);
  if (history.size() > window)
    history.pop_front();
}

std::unique_ptr<Technique> createBandit(const CandidatePool &pool,
                                        uint64_t seed) {
  return std::make_unique<Bandit>(pool, seed);
}

} // namespace tcgemm
