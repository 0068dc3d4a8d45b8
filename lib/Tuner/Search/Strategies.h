//===- Strategies.h - List of strategies ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factory function for each strategy, for the table in Strategies.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_SEARCH_STRATEGIES_H
#define TCGEMM_LIB_TUNER_SEARCH_STRATEGIES_H

#include "tcgemm/Tuner/Strategy.h"

namespace tcgemm {

std::unique_ptr<Strategy>
createExhaustiveStrategy(const SearchSpace &space,
                         const StrategyOptions &options);
std::unique_ptr<Strategy>
createEstimatedStrategy(const SearchSpace &space,
                        const StrategyOptions &options);
std::unique_ptr<Strategy> createRankedStrategy(const SearchSpace &space,
                                               const StrategyOptions &options);
std::unique_ptr<Strategy>
createModelledStrategy(const SearchSpace &space,
                       const StrategyOptions &options);
std::unique_ptr<Strategy> createRandomStrategy(const SearchSpace &space,
                                               const StrategyOptions &options);
/// Errors: a parameter of the protocol is not an axis of the space, or has a
/// value that the axis lacks; or no group contains the problem.
llvm::Expected<std::unique_ptr<Strategy>>
createProtocolStrategy(const SearchSpace &space,
                       const std::shared_ptr<ProtocolRun> &run);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_SEARCH_STRATEGIES_H
