//===- Strategies.cpp - Strategies by name --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/Strategies.h"
#include "Search/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

Strategy::~Strategy() = default;

namespace {

struct Entry {
  StrategyInfo info;
  std::unique_ptr<Strategy> (*create)(const SearchSpace &,
                                      const StrategyOptions &);
  bool needsModel = false;
};

std::unique_ptr<Strategy> createLocal(const SearchSpace &space,
                                      const StrategyOptions &options) {
  return createTechniqueStrategy("local", space, options, createLocalSearch);
}
std::unique_ptr<Strategy> createGenetic(const SearchSpace &space,
                                        const StrategyOptions &options) {
  return createTechniqueStrategy("genetic", space, options,
                                 createGeneticSearch);
}
std::unique_ptr<Strategy>
createAnnealingStrategy(const SearchSpace &space,
                        const StrategyOptions &options) {
  return createTechniqueStrategy("annealing", space, options, createAnnealing);
}
std::unique_ptr<Strategy> createBanditStrategy(const SearchSpace &space,
                                               const StrategyOptions &options) {
  return createTechniqueStrategy("bandit", space, options, createBandit);
}

constexpr Entry kEntries[] = {
    {{"exhaustive", "every legal configuration, in the space's order",
      /*isRandom=*/false},
     createExhaustiveStrategy},
    {{"ranked", "a model's order, corrected by what was tried",
      /*isRandom=*/false},
     createRankedStrategy,
     /*needsModel=*/true},
    {{"modelled", "a model's order, whose constants what was tried corrects",
      /*isRandom=*/false},
     createModelledStrategy,
     /*needsModel=*/true},
    {{"random", "legal configurations in random order"}, createRandomStrategy},
    {{"local", "from neighbour to neighbour, from several starts"},
     createLocal},
    {{"genetic", "children of the fastest so far"}, createGenetic},
    {{"annealing", "simulated annealing"}, createAnnealingStrategy},
    {{"bandit", "local, genetic and annealing by what each brought"},
     createBanditStrategy},
    {{"estimated",
      "a model's order without corrections, for compiling in advance",
      /*isRandom=*/false},
     createEstimatedStrategy,
     /*needsModel=*/true},
};

} // namespace

std::vector<StrategyInfo> getStrategies() {
  auto infos = map_range(kEntries, [](const Entry &e) { return e.info; });
  return {infos.begin(), infos.end()};
}

static Expected<const Entry &> findEntry(StringRef name) {
  for (const Entry &entry : kEntries)
    if (entry.info.name == name)
      return entry;
  auto names = map_range(kEntries, [](const Entry &e) { return e.info.name; });
  return createStringError("unknown strategy '" + name + "'; known are " +
                           join(names, ", "));
}

Error checkStrategy(StringRef name) { return findEntry(name).takeError(); }

Error checkStrategy(StringRef name, const StrategyOptions &options) {
  Expected<const Entry &> entry = findEntry(name);
  if (!entry)
    return entry.takeError();
  if (entry->needsModel && !options.model)
    return createStringError("strategy '" + name + "' needs a model of costs");
  return Error::success();
}

Expected<std::unique_ptr<Strategy>>
createStrategy(StringRef name, const SearchSpace &space,
               const StrategyOptions &options) {
  if (options.protocol)
    return createProtocolStrategy(space, options.protocol);
  if (Error error = checkStrategy(name, options))
    return std::move(error);
  return findEntry(name)->create(space, options);
}

} // namespace tcgemm
