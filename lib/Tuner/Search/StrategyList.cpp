//===- StrategyList.cpp - Every configuration -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proposes points in the space's order, or shuffled: a random search is an
// exhaustive search that the budget ends.
//
//===----------------------------------------------------------------------===//

#include "Search/Random.h"
#include "Search/Strategies.h"

using namespace llvm;

namespace tcgemm {
namespace {

class ListStrategy : public Strategy {
public:
  ListStrategy(StringRef name, const SearchSpace &space,
               std::vector<uint64_t> indices)
      : name(name), space(space), indices(std::move(indices)) {}

  StringRef getName() const override { return name; }
  std::vector<SpacePoint> propose(size_t count) override {
    std::vector<SpacePoint> points;
    for (; points.size() < count && next != indices.size(); ++next)
      points.push_back(space.getPoint(indices[next]));
    return points;
  }
  void report(const Trial &) override {}

private:
  StringRef name; ///< A string literal.
  SearchSpace space;
  std::vector<uint64_t> indices;
  size_t next = 0;
};

} // namespace

std::unique_ptr<Strategy> createExhaustiveStrategy(const SearchSpace &space,
                                                   const StrategyOptions &) {
  return std::make_unique<ListStrategy>("exhaustive", space,
                                        space.getLegal().vec());
}

std::unique_ptr<Strategy> createRandomStrategy(const SearchSpace &space,
                                               const StrategyOptions &options) {
  std::vector<uint64_t> indices = space.getLegal().vec();
  Random(options.seed).shuffle(indices);
  return std::make_unique<ListStrategy>("random", space, std::move(indices));
}

} // namespace tcgemm
